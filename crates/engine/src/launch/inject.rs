//! What an agent is given so that it can talk back, with the places of this attempt filled in.

use std::collections::BTreeMap;
use std::path::Path;

use piton_model::loop_machine::Injection;

/// An injection for one attempt.
#[derive(Default)]
pub(super) struct Injected {
    pub(super) arguments: Vec<String>,
    pub(super) env: BTreeMap<String, String>,
    pub(super) files: BTreeMap<String, String>,
}

impl Injected {
    pub(super) fn of(injection: &Injection, exe: &Path, brief: &Path, directory: &Path) -> Self {
        let places = [
            ("{piton}", within_json(exe)),
            ("{brief}", within_json(brief)),
            ("{report}", within_json(&piton_agent::report_file(directory))),
            ("{attempt}", within_json(directory)),
        ];
        let fill =
            |text: &String| places.iter().fold(text.clone(), |text, (word, place)| text.replace(word, place));
        let fill_all = |texts: &BTreeMap<String, String>| {
            texts.iter().map(|(name, text)| (name.clone(), fill(text))).collect()
        };
        Self {
            arguments: injection.arguments.iter().map(fill).collect(),
            env: fill_all(&injection.env),
            files: fill_all(&injection.files),
        }
    }
}

/// A path as it is written inside the quotes of a JSON string.
fn within_json(path: &Path) -> String {
    let quoted = serde_json::Value::from(path.display().to_string()).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}
