//! The journal of a ledger: loading it, and adding to it on top of what was loaded.
//!
//! Invariant: an append stands on the very event that its decision was made after; whoever was faster is read first.

use piton_model::ledger_machine::{LedgerEvent, State};
use piton_model::limits::{CHECKPOINT_BYTES_MAX, CHECKPOINT_BYTES_MIN, EVENTS_PER_APPEND_MAX};
use piton_model::{Encoded, Machine, RunEvent, RunId, Seq, Timestamp};
use piton_store::{Append, Expect, Fence, Store, StoredEvent};
use piton_sys::{Clock, Ids, SystemClock, SystemIds};

use crate::core::checkpoint_of;
use crate::load::{LoadError, Loaded};

/// Payload of one append, unless a single event has more: each costs a sync of the disk.
const APPEND_BYTES_MAX: usize = 4 << 20;
/// Events read at a time.
const PAGE: usize = 1024;

/// The ledger as it is now; `None` where it has no journal yet.
pub(super) async fn load(store: &dyn Store, run: &RunId) -> Result<Option<Loaded<State>>, LoadError> {
    match crate::load::load(store, run).await {
        Ok(loaded) => Ok(Some(loaded)),
        Err(LoadError::Store(piton_store::Error::UnknownRun { .. })) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Shows every event, from the first.
pub(super) async fn walk(
    store: &dyn Store,
    run: &RunId,
    see: &mut (dyn FnMut(&StoredEvent, &LedgerEvent) + Send),
) -> Result<(), LoadError> {
    let mut next = 1;
    loop {
        let events = store.read(run, next, PAGE).await?;
        let count = events.len();
        for stored in events {
            next = stored.seq + 1;
            see(&stored, &crate::load::decode(run, &stored)?);
        }
        if count < PAGE {
            return Ok(());
        }
    }
}

/// Adds the events, a part at a time, and folds them once all of them are durable.
///
/// Where somebody was faster, `folded` stays as it was, even if some of the parts are on record: it is to be loaded again.
pub(super) async fn append(
    store: &dyn Store,
    run: &RunId,
    folded: &mut Loaded<State>,
    events: &[LedgerEvent],
) -> Result<(), piton_store::Error> {
    if events.is_empty() {
        return Ok(());
    }
    // A ledger that has no journal yet is born by the first of its events.
    let state = (folded.head > 0).then(|| folded.state.clone());
    let Loaded { head, tail_bytes, checkpoint_bytes, .. } = *folded;
    let mut ahead = Loaded { state, head, tail_bytes, checkpoint_bytes };
    let mut rest = events;
    while !rest.is_empty() {
        let (count, encoded) = part(rest);
        ahead = append_part(store, run, ahead, &rest[..count], encoded).await?;
        rest = &rest[count..];
    }
    *folded = ahead.map(|state| state.expect("a ledger begins with its opening"));
    Ok(())
}

/// As many events as fit into one append.
fn part(events: &[LedgerEvent]) -> (usize, Vec<Encoded>) {
    let mut encoded: Vec<Encoded> = Vec::new();
    let mut bytes = 0;
    for event in events.iter().take(EVENTS_PER_APPEND_MAX) {
        let event = event.encode();
        bytes += event.data.len();
        if bytes > APPEND_BYTES_MAX && !encoded.is_empty() {
            break;
        }
        encoded.push(event);
    }
    (encoded.len(), encoded)
}

async fn append_part(
    store: &dyn Store,
    run: &RunId,
    folded: Loaded<Option<State>>,
    events: &[LedgerEvent],
    encoded: Vec<Encoded>,
) -> Result<Loaded<Option<State>>, piton_store::Error> {
    let Loaded { state, head, tail_bytes, checkpoint_bytes } = folded;
    let at = SystemClock.now();
    let fold = |state: Option<State>, event: &LedgerEvent| <State as Machine>::apply(state, event, at);
    let state = events.iter().fold(state, fold).expect("a ledger begins with its opening");
    let bytes: u64 = encoded.iter().map(|event| (event.data.len() + event.kind.len()) as u64).sum();
    let append = append_of(run, head, at, encoded, &state, None);
    let head = store.append(append).await?.seq;
    Ok(Loaded { state: Some(state), head, tail_bytes: tail_bytes + bytes, checkpoint_bytes })
}

/// Stores the state where folding the events since the last one has become the longer way. Once per command, when all of it
/// is done: of a large ledger that is the dearest thing to write.
///
/// It serves speed alone. Should it not succeed, nothing is lost, and whoever comes next tries again.
pub(super) async fn keep_checkpoint(store: &dyn Store, run: &RunId, folded: &mut Loaded<State>) {
    let Loaded { state, head, tail_bytes, checkpoint_bytes } = &*folded;
    if *tail_bytes <= (*checkpoint_bytes).max(CHECKPOINT_BYTES_MIN) {
        return;
    }
    let at = SystemClock.now();
    let (stored, named) = checkpoint_of(state, head + 1);
    if stored.len() > CHECKPOINT_BYTES_MAX {
        return;
    }
    let bytes = stored.len() as u64;
    let append = append_of(run, *head, at, vec![named.encode()], state, Some(stored));
    if let Ok(head) = store.append(append).await {
        (folded.head, folded.tail_bytes, folded.checkpoint_bytes) = (head.seq, 0, bytes);
    }
}

fn append_of(
    run: &RunId,
    head: Seq,
    at: Timestamp,
    events: Vec<Encoded>,
    state: &State,
    checkpoint: Option<Vec<u8>>,
) -> Append {
    Append {
        run: run.clone(),
        fence: Fence::Request(SystemIds.bytes()),
        expect: Expect::Seq(head),
        at,
        events,
        entry: Some(state.entry()),
        checkpoint,
        salt: SystemIds.bytes(),
    }
}
