//! Which run a person means.

use piton_model::{Entry, Kind, RunId};

use super::ClientError;

/// The run that `text` names, if not in full. Entries are newest first.
pub(super) fn resolve(entries: Vec<Entry>, text: Option<&str>) -> Result<RunId, ClientError> {
    // A ledger is only meant where it is named: nobody attaches to one.
    let runs = |entries: &[Entry]| -> Vec<Entry> {
        entries.iter().filter(|entry| entry.kind != Kind::Ledger).cloned().collect()
    };
    let Some(text) = text else { return unnamed(&runs(&entries)) };
    if text == "last" {
        return runs(&entries).first().map(|entry| entry.run_id.clone()).ok_or(ClientError::NoRuns);
    }
    let wanted = text.to_ascii_lowercase();
    let fits = |entry: &&Entry| {
        let key = entry.run_id.key();
        key.starts_with(&wanted) || key.rsplit('-').next().is_some_and(|last| last.starts_with(&wanted))
    };
    let candidates: Vec<&Entry> = entries.iter().filter(fits).collect();
    match candidates.as_slice() {
        [] => Err(ClientError::NoSuchRun { text: text.to_owned() }),
        [only] => Ok(only.run_id.clone()),
        several => Err(ClientError::Ambiguous {
            text: text.to_owned(),
            candidates: several.iter().take(5).map(|entry| entry.run_id.to_string()).collect(),
        }),
    }
}

/// The one active run, else the newest.
fn unnamed(entries: &[Entry]) -> Result<RunId, ClientError> {
    let active = |entry: &&Entry| !entry.is_over();
    let mut actives = entries.iter().filter(active);
    match (actives.next(), actives.next()) {
        (Some(only), None) => Ok(only.run_id.clone()),
        _ => entries.first().map(|entry| entry.run_id.clone()).ok_or(ClientError::NoRuns),
    }
}
