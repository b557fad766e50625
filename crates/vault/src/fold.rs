//! What the events of a run say: the row of its index, and the states that they name.
//!
//! Neither is shipped. The index is the fold of the events, so it is made from them; a checkpoint is the state that a chained
//! event names by its digest, so it is made again and kept where the digest says that it is the one.

use piton_model::limits::CHECKPOINTS_KEPT;
use piton_model::{Entry, Machine, RunEvent, RunId, State, cycle, ledger_machine, workflow};
use piton_store::chain::{self, Hash};
use piton_store::{Checkpoint, StoredEvent};

use crate::Error;

/// A run, folded.
pub(crate) struct Folded {
    pub(crate) entry: Entry,
    pub(crate) checkpoints: Vec<Checkpoint>,
}

/// What gives the bytes of a digest.
type Kept<'a> = &'a (dyn Fn(&Hash) -> Result<Vec<u8>, Error> + Sync);

/// Folds the events of a run, append by append from the first on, whatever its kind. Where a run is archived, `kept` has the
/// state that its last event names.
pub(crate) fn fold(
    run: &RunId,
    appends: impl Iterator<Item = Result<Vec<StoredEvent>, Error>>,
    kept: Kept<'_>,
) -> Result<Folded, Error> {
    let mut appends = appends.peekable();
    if let Some(Ok(events)) = appends.peek()
        && events.first().is_some_and(|event| event.archived)
    {
        return fold_archived(run, appends, kept);
    }
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

/// A run that is archived begins with the state that the first event names of which more than the digest is there. Which kind
/// of run it is, that state says.
fn fold_archived(
    run: &RunId,
    appends: impl Iterator<Item = Result<Vec<StoredEvent>, Error>>,
    kept: Kept<'_>,
) -> Result<Folded, Error> {
    let (mut last, mut rest) = (1, Vec::new());
    for append in appends {
        for event in append? {
            match event.archived {
                true => last = event.seq,
                false => rest.push(event),
            }
        }
    }
    let archived = || Error::Store(piton_store::Error::Archived { run: run.clone(), seq: last });
    let first = rest.first().ok_or_else(archived)?;
    from_state::<State>(run, first, &rest, kept)
        .or_else(|| from_state::<workflow::State>(run, first, &rest, kept))
        .or_else(|| from_state::<cycle::State>(run, first, &rest, kept))
        .or_else(|| from_state::<ledger_machine::State>(run, first, &rest, kept))
        .unwrap_or_else(|| Err(archived()))
}

/// `None` where `first` names no state of this kind.
fn from_state<M: Machine>(
    run: &RunId,
    first: &StoredEvent,
    rest: &[StoredEvent],
    kept: Kept<'_>,
) -> Option<Result<Folded, Error>> {
    let named = M::Event::decode(&first.event.kind, first.event.version, &first.event.data).ok()?;
    let named = named.as_checkpoint().filter(|named| named.fold == M::FOLD)?;
    let bytes = kept(&chain::unhex(&named.digest)?).ok()?;
    let state: M = serde_json::from_slice(&bytes).ok()?;
    if state.entry().run_id != *run || state.entry().kind != M::KIND {
        return None;
    }
    let checkpoint = Checkpoint { seq: first.seq, bytes };
    let events = rest[1..].iter().cloned().map(|event| Ok(vec![event]));
    Some(fold_on(run, Some(state), vec![checkpoint], events))
}

fn fold_as<M: Machine>(
    run: &RunId,
    appends: impl Iterator<Item = Result<Vec<StoredEvent>, Error>>,
) -> Result<Folded, Error> {
    fold_on::<M>(run, None, Vec::new(), appends)
}

/// Goes on from a state.
fn fold_on<M: Machine>(
    run: &RunId,
    mut state: Option<M>,
    mut checkpoints: Vec<Checkpoint>,
    appends: impl Iterator<Item = Result<Vec<StoredEvent>, Error>>,
) -> Result<Folded, Error> {
    for append in appends {
        for stored in append? {
            if stored.archived {
                let (run, seq) = (run.clone(), stored.seq);
                return Err(Error::Store(piton_store::Error::Archived { run, seq }));
            }
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
