//! Which run a person means.

use piton_model::{Kind, RunId};
use piton_store::RunRow;

use super::ClientError;

/// The run that `text` names, if not in full. Rows are newest first.
pub(super) fn resolve(rows: Vec<RunRow>, text: Option<&str>) -> Result<RunId, ClientError> {
    // A ledger is only meant where it is named: nobody attaches to one.
    let runs = |rows: &[RunRow]| -> Vec<RunRow> {
        rows.iter().filter(|row| row.entry.kind != Kind::Ledger.as_str()).cloned().collect()
    };
    let Some(text) = text else { return unnamed(&runs(&rows)) };
    if text == "last" {
        return runs(&rows).first().map(|row| row.run.clone()).ok_or(ClientError::NoRuns);
    }
    let wanted = text.to_ascii_lowercase();
    let fits = |row: &&RunRow| {
        let key = row.run.key();
        key.starts_with(&wanted) || key.rsplit('-').next().is_some_and(|last| last.starts_with(&wanted))
    };
    let candidates: Vec<&RunRow> = rows.iter().filter(fits).collect();
    match candidates.as_slice() {
        [] => Err(ClientError::NoSuchRun { text: text.to_owned() }),
        [only] => Ok(only.run.clone()),
        several => Err(ClientError::Ambiguous {
            text: text.to_owned(),
            candidates: several.iter().take(5).map(|row| row.run.to_string()).collect(),
        }),
    }
}

/// The one active run, else the newest.
fn unnamed(rows: &[RunRow]) -> Result<RunId, ClientError> {
    let active = |row: &&RunRow| !matches!(row.entry.status.as_str(), "completed" | "failed" | "stopped");
    let mut actives = rows.iter().filter(active);
    match (actives.next(), actives.next()) {
        (Some(only), None) => Ok(only.run.clone()),
        _ => rows.first().map(|row| row.run.clone()).ok_or(ClientError::NoRuns),
    }
}
