//! The states that the document of the format shows, and how a state is held against one of them.
//!
//! A block of the document is a part of a state: every field in it must be there with that value, a list must hold each of
//! its entries in their order, and there may be more. Of a moment only the form can be the same, and of `...` nothing.

use std::collections::BTreeMap;

use serde_json::Value;

/// The states that it shows, as they stand there: `initial` ("Initial State"), `first_iteration` ("Iteration 1"),
/// `after_the_phases` ("After Phase Completion") and `second_iteration` ("Iteration 2"). `scripts/test-agents` has them from here, too.
const SHOWN: &str = include_str!("document.json");

/// The state of this name.
pub(super) fn block(name: &str) -> Value {
    let shown: Value = serde_json::from_str(SHOWN).unwrap();
    assert!(shown[name].is_object(), "there is no state `{name}`");
    shown[name].clone()
}

/// Every field of a block that has a value of its own, by its path, with what a state has there.
pub(super) fn fields(block: &Value, state: &Value) -> BTreeMap<String, bool> {
    let mut found = BTreeMap::new();
    compare("", block, Some(state), &mut found);
    found
}

fn compare(path: &str, wanted: &Value, found: Option<&Value>, into: &mut BTreeMap<String, bool>) {
    match wanted {
        Value::Object(members) if !members.is_empty() => {
            for (key, value) in members {
                let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                compare(&path, value, found.and_then(|found| found.get(key)), into);
            }
        }
        Value::Array(entries) if entries.iter().any(Value::is_object) => {
            let there = found.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
            for (place, entry) in entries.iter().enumerate() {
                let best =
                    there.iter().max_by_key(|one| fields(entry, one).values().filter(|is| **is).count());
                compare(&format!("{path}[{place}]"), entry, best, into);
            }
        }
        _ => {
            into.insert(path.to_owned(), found.is_some_and(|found| is_same(wanted, found)));
        }
    }
}

fn is_same(wanted: &Value, found: &Value) -> bool {
    match (wanted, found) {
        (Value::String(wanted), Value::String(found)) if is_moment(wanted) => is_moment(found),
        (Value::String(wanted), Value::String(found)) if wanted == "..." => !found.is_empty(),
        // What an empty table or list says is that it is there.
        (Value::Object(wanted), Value::Object(_)) => wanted.is_empty(),
        (Value::Array(wanted), Value::Array(found)) if !wanted.is_empty() => {
            let mut rest = found.iter();
            wanted.iter().all(|one| rest.any(|other| other == one))
        }
        (Value::Number(wanted), Value::Number(found)) => wanted.as_f64() == found.as_f64(),
        _ => wanted == found,
    }
}

/// `2026-01-22T10:00:00+08:00`, with or without milliseconds.
fn is_moment(text: &str) -> bool {
    let digits_as_zero = |byte: u8| if byte.is_ascii_digit() { '0' } else { char::from(byte) };
    let form: String = text.bytes().map(digits_as_zero).collect();
    let is_form = form == "0000-00-00T00:00:00+00:00" || form == "0000-00-00T00:00:00.000+00:00";
    is_form && text.ends_with("+08:00")
}

#[test]
fn a_state_that_lacks_something_is_seen() {
    use serde_json::json;
    let block =
        json!({ "a": 1, "b": { "c": [1, 3], "d": "2026-01-22T10:00:00+08:00" }, "e": [{ "f": 1 }], "g": [] });
    let same = json!({ "a": 1.0, "b": { "c": [1, 2, 3], "d": "2027-01-01T00:00:00.123+08:00" }, "e": [{ "f": 2 }, { "f": 1 }], "g": [], "h": 1 });
    assert!(fields(&block, &same).values().all(|is| *is));
    let other = json!({ "a": 2, "b": { "c": [3, 1], "d": "2027-01-01T00:00:00Z" }, "e": [], "g": [1] });
    assert!(fields(&block, &other).values().all(|is| !*is));
}
