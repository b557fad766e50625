//! The effective configuration for people and programs: `piton config show`.

use std::fmt;

use serde::Serialize;
use serde_json::Value;

use crate::entry::Entry;
use crate::layers::Resolved;
use crate::problem::Place;
use crate::settings::{Layer, Sourced, entries};

/// Every value that holds, and who said it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Shown {
    /// In the order of the file format.
    pub values: Vec<ShownValue>,
    /// What a person should be told.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// A setting as `config show` lists it: its value, and which layer said so.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ShownValue {
    /// Its section, such as `loop`.
    pub section: String,
    /// Its name there.
    pub key: String,
    /// The value as the file would say it; `null` where it is not set.
    pub value: Value,
    /// Who said it.
    pub layer: Layer,
    /// Where, unless it is built in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
}

/// What `resolved` says, for people and programs. Patterns to redact are counted, never shown.
pub fn show(resolved: &Resolved) -> Shown {
    let mut values = Vec::new();
    for entry in entries() {
        let said = (entry.show)(&resolved.settings);
        if said.is_empty() && entry.shown {
            values.push(unset(entry));
        }
        values.extend(said);
    }
    Shown { values, notes: resolved.notes.iter().map(ToString::to_string).collect() }
}

impl fmt::Display for Shown {
    /// Like the file format, with the source behind every value.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut section = "";
        for value in &self.values {
            if value.section != section {
                let gap = if section.is_empty() { "" } else { "\n" };
                writeln!(f, "{gap}[{}]", value.section)?;
                section = &value.section;
            }
            writeln!(f, "{}", value.line())?;
        }
        for note in &self.notes {
            writeln!(f, "\n# {note}")?;
        }
        Ok(())
    }
}

impl ShownValue {
    fn line(&self) -> String {
        let source = match &self.place {
            Some(place) => format!("{}: {place}", self.layer.as_str()),
            None => self.layer.as_str().to_owned(),
        };
        match &self.value {
            Value::Null => format!("# {} is not set", self.key),
            value => format!("{:<50} # {source}", format!("{} = {}", self.key, toml_text(value))),
        }
    }
}

/// A JSON value as TOML writes it. What JSON escapes in a string, TOML escapes alike.
pub(crate) fn toml_text(value: &Value) -> String {
    match value {
        Value::Object(members) => {
            let members: Vec<_> =
                members.iter().map(|(key, member)| format!("{key} = {}", toml_text(member))).collect();
            format!("{{ {} }}", members.join(", "))
        }
        Value::Array(items) => format!("[{}]", items.iter().map(toml_text).collect::<Vec<_>>().join(", ")),
        Value::String(text) => format!("\"{}\"", text.escape_debug().to_string().replace("\\'", "'")),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.to_string(),
    }
}

/// A value that was said, as `text` writes it.
pub(crate) fn value<T>(
    section: &str,
    key: &str,
    sourced: &Sourced<T>,
    text: impl Fn(&T) -> Value,
) -> ShownValue {
    let place = (sourced.place != Place::Nowhere).then(|| sourced.place.to_string());
    let value = text(&sourced.value);
    ShownValue { section: section.to_owned(), key: key.to_owned(), value, layer: sourced.layer, place }
}

fn unset(entry: &Entry) -> ShownValue {
    ShownValue {
        section: entry.section.to_owned(),
        key: entry.key.to_owned(),
        value: Value::Null,
        layer: Layer::Default,
        place: None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::files::{Document, Files};
    use crate::layers::{Overrides, resolve};

    fn resolved() -> Resolved {
        let document =
            |name: &str, text: &str| Document { name: name.to_owned(), content: text.as_bytes().to_vec() };
        let files = Files {
            user: Some(document("config.toml", "[loop]\nmax_cost_usd = 2.5\n")),
            project: Some(document(
                "piton.toml",
                "[agents.mine]\ncommand = [\"my-agent\", \"-x\"]\n[agent]\nuse = \"mine\"\n\
                 [loop]\nmax_cost_usd = 9\n[checks]\nz = \"true\"\na = { command = \"make\", timeout = \"1m\" }\n\
                 [redact]\npatterns = [\"hunter2-hunter2\"]\n",
            )),
        };
        let variable = |name: &str| (name == "PITON_MAX_DURATION").then(|| "90m".to_owned());
        resolve(&files, &variable, &Overrides::default()).unwrap()
    }

    #[test]
    fn every_value_stands_beside_its_source() {
        insta::assert_snapshot!(show(&resolved()).to_string(), @r#"
        [agent]
        use = "mine"                                       # project: piton.toml:4:7

        [agents.mine]
        command = ["my-agent", "-x"]                       # project: piton.toml:1:9

        [loop]
        # prompt is not set
        session = "fresh"                                  # default
        max_iterations = 50                                # default
        max_duration = "1h30m"                             # environment: PITON_MAX_DURATION
        no_progress = 5                                    # default
        failure_streak = 5                                 # default
        max_cost_usd = 2.5                                 # user: config.toml:2:16
        # max_tokens is not set
        attempt_timeout = "2h"                             # default
        # idle_timeout is not set
        # max_files is not set
        # max_lines is not set
        # max_reboots is not set
        proof = "optional"                                 # default
        on_lost = "retry"                                  # default

        [checks]
        z = "true"                                         # project: piton.toml:8:1
        a = { command = "make", timeout = "1m" }           # project: piton.toml:9:1

        [guard]
        mode = "block"                                     # default
        prove = "auto"                                     # default

        [views]
        ralph = true                                       # default
        aiwg = "auto"                                      # default
        auto_save_interval = "30s"                         # default

        [gaps]
        file = "gaps.yaml"                                 # default
        default_ttl_days = 30                              # default
        max_gaps_per_run = 5                               # default

        [redact]
        patterns = "(not shown)"                           # project: piton.toml:11:13

        [vault.backups]
        to = ".ralph/backups"                              # default
        max = 10                                           # default

        # `max_cost_usd` is 2.50, not 9 (piton.toml:6:16): your own limits are caps (config.toml:2:16)
        "#);
    }

    #[test]
    fn the_json_names_section_key_layer_and_place() {
        let shown = serde_json::to_value(show(&resolved())).unwrap();
        let find = |key: &str| {
            shown["values"].as_array().unwrap().iter().find(|value| value["key"] == key).unwrap().clone()
        };
        assert_eq!(
            find("max_duration"),
            json!({ "section": "loop", "key": "max_duration", "value": "1h30m", "layer": "environment", "place": "PITON_MAX_DURATION" })
        );
        assert_eq!(find("max_cost_usd")["value"], json!(2.5));
        assert_eq!(find("max_tokens")["value"], Value::Null);
        assert_eq!(shown["notes"].as_array().unwrap().len(), 1);
    }

    #[test]
    fn a_secret_pattern_is_never_shown() {
        let shown = show(&resolved());
        let json = serde_json::to_string(&shown).unwrap();
        assert!(!json.contains("hunter2") && !shown.to_string().contains("hunter2"));
    }
}
