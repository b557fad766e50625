//! What somebody changed in `<id>.json`: only its `status` counts.

use piton_model::cycle::{Edited, Signal};
use piton_model::limits::clip;
use piton_model::workflow::shown;
use serde_json::Value;

use crate::fields;

/// Fields that are named.
const FIELDS_MAX: usize = 50;
/// How deep a field is named: `agents.ra.status`.
const DEPTH: usize = 3;
/// As much of a word is kept.
const WORD_BYTES_MAX: usize = 64;

/// What this word for the status asks for.
pub fn signal(status: &Value) -> Signal {
    match status.as_str() {
        Some("paused") => Signal::Pause,
        Some("failed") => Signal::Stop,
        Some("running") => Signal::Continue,
        _ => Signal::Unknown,
    }
}

/// The word that nobody knows; empty where there is none.
pub(super) fn unknown_word(signal: Option<Signal>, status: &Value) -> Option<String> {
    (signal == Some(Signal::Unknown)).then(|| match status {
        Value::Null => String::new(),
        Value::String(word) => shown(clip(word, WORD_BYTES_MAX)).to_string(),
        other => shown(clip(&other.to_string(), WORD_BYTES_MAX)).to_string(),
    })
}

/// What differs between the file as it was written and as it is found; nothing where nothing does. What is found must be
/// JSON, or somebody is not done with it.
pub fn edits(published: &[u8], found: &[u8]) -> Result<Option<Edited>, String> {
    let theirs: Value = serde_json::from_slice(found).map_err(|error| error.to_string())?;
    let ours: Value = serde_json::from_slice(published).map_err(|error| error.to_string())?;
    Ok(between(&ours, &theirs))
}

fn between(ours: &Value, theirs: &Value) -> Option<Edited> {
    let status = |value: &Value| value.get("status").cloned().unwrap_or_default();
    let signal = (status(ours) != status(theirs)).then(|| signal(&status(theirs)));
    let word = unknown_word(signal, &status(theirs));
    let differing = fields::that_differ(ours, theirs, DEPTH).into_iter().filter(|field| field != "status");
    let named = differing.map(|field| if field.is_empty() { "the whole".to_owned() } else { field });
    let fields: Vec<String> = named.take(FIELDS_MAX).collect();
    (signal.is_some() || !fields.is_empty()).then_some(Edited { signal, word, kept_at: None, fields })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn edited(change: impl FnOnce(&mut Value)) -> Option<Edited> {
        let ours =
            json!({"cycle_id": "c", "status": "running", "agents": {"ra": {"status": "idle"}}, "title": "t"});
        let mut theirs = ours.clone();
        change(&mut theirs);
        edits(&serde_json::to_vec(&ours).unwrap(), &serde_json::to_vec_pretty(&theirs).unwrap()).unwrap()
    }

    #[test]
    fn each_word_for_the_status_asks_for_something() {
        for (word, signal) in [
            (json!("paused"), Signal::Pause),
            (json!("failed"), Signal::Stop),
            (json!("created"), Signal::Unknown),
            (json!("completed"), Signal::Unknown),
            (json!("PAUSED"), Signal::Unknown),
            (json!(7), Signal::Unknown),
        ] {
            assert_eq!(
                edited(|value| value["status"] = word.clone()).unwrap().signal,
                Some(signal),
                "{word}"
            );
        }
        assert_eq!(edited(|_| {}), None, "other white space is no edit");
        let gone = edited(|value| drop(value.as_object_mut().unwrap().remove("status"))).unwrap();
        assert_eq!(
            (gone.signal, gone.word, gone.fields.len()),
            (Some(Signal::Unknown), Some(String::new()), 0)
        );
        let word = |word: Value| edited(|value| value["status"] = word).unwrap().word;
        assert_eq!(word(json!("banana")).as_deref(), Some("banana"));
        assert_eq!(word(json!(7)).as_deref(), Some("7"));
        assert_eq!(word(json!("paused")), None);
    }

    #[test]
    fn other_edits_are_listed() {
        let all = edited(|value| {
            value["agents"]["ra"]["status"] = json!("failed");
            value["mine"] = json!(1);
            value["title"] = json!("other");
        });
        assert_eq!(all.unwrap().fields, ["agents.ra.status", "title", "mine"]);
        assert_eq!(edits(b"{}", b"[]").unwrap().unwrap().fields, ["the whole"]);
        assert!(edits(b"{}", b"{\"status\":").is_err());
    }
}
