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

/// The files by which package managers are told how to run a script.
pub(super) const SETTINGS: [&str; 4] = [".npmrc", ".yarnrc", ".yarnrc.yml", "bunfig.toml"];

/// What of them says how. Where packages come from, and who may have them, is nobody's verdict.
const HOW: [&str; 16] = [
    "script-shell",
    "shell",
    "node-options",
    "ignore-scripts",
    "if-present",
    "workspace",
    "workspaces",
    "prefix",
    "userconfig",
    "globalconfig",
    "yarn-path",
    "yarnpath",
    "plugins",
    "path",
    "spec",
    "preload",
];

/// The lines of such a file that say how scripts are run.
pub(super) fn settings(text: &str) -> Vec<String> {
    let says_how = |line: &&str| {
        let name = line.split(['=', ':', ' ']).next().unwrap_or_default();
        let name = name.trim_matches(['"', '\'', '-']).to_ascii_lowercase().replace('_', "-");
        HOW.contains(&name.as_str())
    };
    text.lines().map(str::trim).filter(says_how).map(str::to_owned).collect()
}
