//! `[prompts]`: how prompt files are read, and variables of your own.

use piton_model::loop_machine::PromptPolicy;
use serde_json::Value;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{Reader, entries};
use crate::settings::Settings;

pub(super) fn read(reader: &mut Reader<'_>, table: &DeTable<'_>, at: usize, settings: &mut Settings) {
    let mut policy = PromptPolicy::default();
    for (name, key, value) in entries(table) {
        let start = key.span().start;
        match name {
            "strict" => policy.strict = reader.flag(name, value).is_some_and(|flag| flag.value),
            "variables" => {
                let Some(table) = reader.table("`variables`", value, start) else { continue };
                for (name, _, value) in entries(table) {
                    match plain(value) {
                        Some(plain) => drop(policy.variables.insert(name.to_owned(), plain)),
                        None => reader.problem(
                            value.span().start,
                            format!("the variable `{name}` must be a text, a number, true or false, or a list of them"),
                        ),
                    }
                }
            }
            _ => reader.unknown(start, "key in `[prompts]`:", name, &["strict", "variables"]),
        }
    }
    settings.prompts = Some(reader.sourced(policy, at));
}

fn plain(value: &Spanned<DeValue<'_>>) -> Option<Value> {
    match value.get_ref() {
        DeValue::String(text) => Some(Value::from(text.as_ref())),
        DeValue::Boolean(flag) => Some(Value::from(*flag)),
        DeValue::Integer(number) => {
            i64::from_str_radix(number.as_str(), number.radix()).ok().map(Value::from)
        }
        DeValue::Float(number) => number.as_str().parse::<f64>().ok().map(Value::from),
        DeValue::Array(items) => items.iter().map(plain).collect::<Option<Vec<_>>>().map(Value::from),
        DeValue::Table(_) | DeValue::Datetime(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{accepted, problems};

    #[test]
    fn variables_are_plain_values() {
        let text = "[prompts]\nstrict = true\n[prompts.variables]\nstyle = \"terse\"\nmax = 7\nareas = [\"a\", \"b\"]\n";
        let policy = accepted(text).prompts.unwrap().value;
        assert!(policy.strict);
        assert_eq!(
            serde_json::json!(policy.variables),
            serde_json::json!({"style": "terse", "max": 7, "areas": ["a", "b"]})
        );
        assert!(problems("[prompts.variables]\nx = { a = 1 }\n").contains("the variable `x`"));
    }
}
