//! The scripts of a `package.json`.

use std::collections::BTreeSet;

use serde_json::Value;

pub(super) const FILE: &str = "package.json";

/// The texts of these scripts.
pub(super) fn scripts(text: &str, names: &BTreeSet<String>) -> Vec<String> {
    let package: Value = serde_json::from_str(text).unwrap_or_default();
    let text = |name: &String| Some(package.get("scripts")?.get(name)?.as_str()?.to_owned());
    names.iter().filter_map(text).collect()
}

/// What counts for them; a text that is no JSON counts as a whole.
pub(super) fn relevant(text: &str, names: &BTreeSet<String>) -> Vec<String> {
    match serde_json::from_str::<Value>(text) {
        Ok(package) => {
            let text = |name: &String| package.get("scripts")?.get(name).map(Value::to_string);
            names.iter().map(|name| text(name).unwrap_or_default()).collect()
        }
        Err(_) => vec![text.to_owned()],
    }
}
