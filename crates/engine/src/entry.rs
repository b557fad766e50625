//! What the index says of a run: a view of its state, changed in the same transaction.

use piton_model::{Machine, Outline};
use piton_store::Entry;

/// The index entry of a state.
pub fn entry_of<M: Machine>(state: &M) -> Entry {
    let Outline { kind, title, status, reason, created_at, iteration, waiting_for, .. } = state.outline();
    Entry {
        kind: kind.as_str().to_owned(),
        title,
        status: status.as_str().to_owned(),
        reason: reason.map(|reason| reason.as_str().to_owned()),
        created_at,
        iteration,
        waiting_for,
    }
}
