//! Values of a document as JSON: what a workflow keeps without looking into it.

use piton_model::workflow::shown;
use serde_json::{Map, Number, Value as Json};

use crate::yaml::{Entry, Kind, Node, Problems, Value, kind};

/// The node as JSON. What JSON cannot hold is a problem.
pub(crate) fn json(node: &Node<'_>, problems: &mut Problems) -> Json {
    match &node.value {
        Value::Unreadable => Json::Null,
        Value::List { items, .. } => Json::Array(items.iter().map(|item| json(item, problems)).collect()),
        Value::Map { entries, .. } => {
            let entry = |entry: &Entry<'_>| (entry.key.clone().into_owned(), json(&entry.node, problems));
            Json::Object(entries.iter().map(entry).collect::<Map<_, _>>())
        }
        Value::Scalar(text, style) => match kind(text, *style) {
            Kind::Null => Json::Null,
            // The words of the older generation are text to JSON's.
            Kind::Boolean(truth) if text.len() >= 4 => Json::Bool(truth),
            Kind::Boolean(_) | Kind::Text => Json::from(text.as_ref()),
            Kind::Number => number(text, node.line, problems),
        },
    }
}

fn number(text: &str, line: usize, problems: &mut Problems) -> Json {
    if let Ok(whole) = text.parse::<i64>() {
        return Json::from(whole);
    }
    let number = text.parse::<f64>();
    let digits = text.trim_start_matches(['-', '+']);
    let is_special = [".inf", ".nan"].iter().any(|word| digits.eq_ignore_ascii_case(word));
    let is_fraction = text.contains(['.', 'e', 'E']);
    match number.as_ref().ok().filter(|_| is_fraction).and_then(|number| Number::from_f64(*number)) {
        Some(number) => Json::Number(number),
        // `0x1F` and `1_000` are numbers only to some readers.
        None if number.is_err() && !is_special => Json::from(text),
        None => {
            let message = format!("`{}` is a number that cannot be kept exactly", shown(text));
            problems.hinted(line, message, "put it in quotes");
            Json::Null
        }
    }
}
