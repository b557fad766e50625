//! What the events of a run say: the row of its index, and the states that they name.
//!
//! Neither is shipped. The index is the fold of the events, so it is made from them; a checkpoint is the state that a chained
//! event names by its digest, so it is made again and kept where the digest says that it is the one.

use piton_model::limits::CHECKPOINTS_KEPT;
use piton_model::{Entry, Machine, RunEvent, RunId, State, cycle, ledger_machine, workflow};
use piton_store::{Checkpoint, StoredEvent, chain};

use crate::Error;

/// A run, folded.
pub(crate) struct Folded {
    pub(crate) entry: Entry,
    pub(crate) checkpoints: Vec<Checkpoint>,
}

/// Folds the events of a run, append by append from the first on, whatever its kind.
pub(crate) fn fold(
    run: &RunId,
    appends: impl Iterator<Item = Result<Vec<StoredEvent>, Error>>,
) -> Result<Folded, Error> {
    let mut appends = appends.peekable();
    let begins = match appends.peek() {
        Some(Ok(events)) => events.first().cloned(),
        // What is wrong comes out where the events are taken.
        Some(Err(_)) | None => None,
    };
    let first = begins.as_ref();
    if is_of::<workflow::State>(first) {
        fold_as::<workflow::State>(run, appends)
    } else if is_of::<cycle::State>(first) {
        fold_as::<cycle::State>(run, appends)
    } else if is_of::<ledger_machine::State>(first) {
        fold_as::<ledger_machine::State>(run, appends)
    } else {
        fold_as::<State>(run, appends)
    }
}

/// Whether a run of this kind begins with this event.
fn is_of<M: Machine>(first: Option<&StoredEvent>) -> bool {
    first.is_some_and(|stored| {
        let event = M::Event::decode(&stored.event.kind, stored.event.version, &stored.event.data);
        event.is_ok_and(|event| M::apply(None, &event, stored.at).is_some())
    })
}

fn fold_as<M: Machine>(
    run: &RunId,
    appends: impl Iterator<Item = Result<Vec<StoredEvent>, Error>>,
) -> Result<Folded, Error> {
    let mut state: Option<M> = None;
    let mut checkpoints = Vec::new();
    for append in appends {
        for stored in append? {
            let encoded = &stored.event;
            let event = M::Event::decode(&encoded.kind, encoded.version, &encoded.data)
                .map_err(|source| Error::Event { run: run.clone(), seq: stored.seq, source })?;
            state = M::apply(state, &event, stored.at);
            if let (Some(state), Some(named)) = (&state, event.as_checkpoint())
                && named.fold == M::FOLD
            {
                let bytes = serde_json::to_vec(state).expect("a state is plain data");
                if chain::hex(&chain::digest(&bytes)) == named.digest {
                    checkpoints.push(Checkpoint { seq: stored.seq, bytes });
                    let surplus = checkpoints.len().saturating_sub(CHECKPOINTS_KEPT);
                    checkpoints.drain(..surplus);
                }
            }
        }
    }
    let state = state.ok_or_else(|| Error::NoBeginning { run: run.clone() })?;
    Ok(Folded { entry: state.entry(), checkpoints })
}
