//! `[stop]`: further reasons to stop. What a condition may be is in the model, one file each.

use piton_model::loop_machine::NamedStop;
use serde_json::{Value, json};
use toml::Spanned;
use toml::de::DeValue;

use crate::entry::{Takes, Type, section};
use crate::read::{Reader, stop};
use crate::types::{list_of, takes};

section! {
    /// Further reasons to stop. Failure is judged first, then success, then the rest.
    stop: StopSection = "stop" {
        /// One of these completes the run.
        success: Conditions, [Loop] => stop.success;
        /// One of these fails it.
        failure: Conditions, [Loop] => stop.failure;
        /// One of these stops it.
        conditions: Conditions, [Loop] => stop.conditions;
    }
}

/// A list of conditions.
pub struct Conditions;

impl Type for Conditions {
    type Value = Vec<NamedStop>;

    fn read(reader: &mut Reader<'_>, key: &str, value: &Spanned<DeValue<'_>>) -> Option<Vec<NamedStop>> {
        Some(stop::list(reader, key, value))
    }

    fn shown(value: &Vec<NamedStop>) -> Value {
        json!(value.iter().map(NamedStop::label).collect::<Vec<_>>())
    }

    fn takes() -> Takes {
        let condition = json!({
            "type": "object",
            "properties": {"type": {"enum": stop::types()}, "name": {"type": "string"}},
            "required": ["type"],
        });
        takes("a list of conditions, each a table with its `type`", list_of(condition))
    }
}
