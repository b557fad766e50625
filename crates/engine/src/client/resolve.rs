//! Which run a person means.

use piton_model::{Entry, Kind, RunId};

use super::ClientError;

/// The run that a piece of its name means.
pub(super) fn named(names: &[RunId], text: &str) -> Result<RunId, ClientError> {
    let wanted = text.to_ascii_lowercase();
    let fits = |name: &&RunId| {
        let key = name.key();
        key.starts_with(&wanted) || key.rsplit('-').next().is_some_and(|last| last.starts_with(&wanted))
    };
    let candidates: Vec<&RunId> = names.iter().filter(fits).collect();
    match candidates.as_slice() {
        [] => Err(ClientError::NoSuchRun { text: text.to_owned() }),
        [only] => Ok((*only).clone()),
        several => Err(ClientError::Ambiguous {
            text: text.to_owned(),
            candidates: several.iter().take(5).map(ToString::to_string).collect(),
        }),
    }
}

/// The one active run, else the newest; only the newest where that is asked for. Entries are newest first.
pub(super) fn unnamed(entries: &[Entry], newest: bool) -> Result<RunId, ClientError> {
    // A ledger is only meant where it is named, or where there is nothing else: nobody attaches to one.
    let runs = || entries.iter().filter(|entry| entry.kind != Kind::Ledger);
    let mut actives = runs().filter(|entry| !newest && !entry.is_over());
    match (actives.next(), actives.next()) {
        (Some(only), None) => Ok(only.run_id.clone()),
        _ => runs().next().or(entries.first()).map(|entry| entry.run_id.clone()).ok_or(ClientError::NoRuns),
    }
}
