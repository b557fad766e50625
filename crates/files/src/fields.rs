//! In which fields two JSON values differ, by the names that `jq` knows them by.

use piton_model::workflow::shown;
use serde_json::Value;

/// Every field in which `theirs` differs from `ours`, named down to this depth: `steps.coding.attempts`. Where the values
/// themselves are no two objects and differ, the name is empty.
pub(crate) fn that_differ(ours: &Value, theirs: &Value, depth: usize) -> Vec<String> {
    let mut fields = Vec::new();
    collect("", ours, theirs, depth, &mut fields);
    fields
}

fn collect(place: &str, ours: &Value, theirs: &Value, depth: usize, fields: &mut Vec<String>) {
    match (ours, theirs) {
        (Value::Object(ours), Value::Object(theirs)) if depth > 0 => {
            let names = ours.keys().chain(theirs.keys().filter(|name| !ours.contains_key(*name)));
            for name in names {
                let dot = if place.is_empty() { "" } else { "." };
                let place = format!("{place}{dot}{}", shown(name));
                match (ours.get(name), theirs.get(name)) {
                    (Some(ours), Some(theirs)) => collect(&place, ours, theirs, depth - 1, fields),
                    _ => fields.push(place),
                }
            }
        }
        (ours, theirs) if ours == theirs => {}
        _ => fields.push(place.to_owned()),
    }
}
