//! `piton note`: something to remember with a run, and values of your own.

use std::collections::BTreeMap;

use piton_model::ExitCode;
use piton_model::limits::{CUSTOM_VALUE_BYTES_MAX, TEXT_BYTES_MAX};
use piton_view::Request;
use serde_json::Value;

use crate::cli::{Global, NoteArguments};
use crate::failure::{Failure, Result};
use crate::output::Output;
use crate::repository;

pub(super) async fn run(global: &Global, arguments: &NoteArguments, out: &Output) -> Result {
    let text = arguments.text.clone().unwrap_or_default();
    if text.len() > TEXT_BYTES_MAX {
        return Err(
            Failure::usage("the note is longer than 8 KiB").hint("put it into a file and note its name")
        );
    }
    let set = arguments.set.iter().map(|pair| value_of(pair)).collect::<Result<BTreeMap<_, _>, _>>()?;
    if text.trim().is_empty() && set.is_empty() {
        return Err(Failure::usage("there is nothing to note").hint("give a text, or `--set KEY=JSON`"));
    }
    let (client, run) = repository::open_run(global, Some(&arguments.run)).await?;
    client.request(&run, Request::Note { text, set }).await?;
    out.note(format!("{run}: noted"));
    Ok(ExitCode::Done)
}

/// `KEY=JSON`; what does not begin like a list, an object or a text of JSON is taken as text.
fn value_of(pair: &str) -> Result<(String, Value)> {
    let bad = |why: &str| {
        Failure::usage(format!("`--set {pair}`: {why}")).hint("write KEY=JSON, such as score=0.5")
    };
    let (key, text) = pair.split_once('=').ok_or_else(|| bad("there is no `=`"))?;
    if key.is_empty() || key.len() > 100 || key == "piton" {
        return Err(bad("that cannot be a key"));
    }
    if text.len() > CUSTOM_VALUE_BYTES_MAX {
        return Err(bad("the value is longer than 16 KiB"));
    }
    match serde_json::from_str(text) {
        Ok(value) => Ok((key.to_owned(), value)),
        Err(error) if text.trim_start().starts_with(['{', '[', '"']) => {
            Err(bad(&format!("that is no JSON: {error}")))
        }
        Err(_) => Ok((key.to_owned(), Value::String(text.to_owned()))),
    }
}
