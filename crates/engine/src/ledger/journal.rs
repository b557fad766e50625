//! The journal of a ledger: loading it, and adding to it on top of what was loaded.
//!
//! Invariant: an append stands on the very event that its decision was made after; whoever was faster is read first.

use piton_model::ledger_machine::{LedgerEvent, State};
use piton_model::limits::{CHECKPOINT_BYTES_MAX, CHECKPOINT_BYTES_MIN, EVENTS_PER_APPEND_MAX};
use piton_model::{Encoded, Machine, RunEvent, RunId};
use piton_store::{Append, Expect, Fence, Store, StoredEvent};
use piton_sys::{Clock, Ids, SystemClock, SystemIds};

use crate::core::checkpoint_of;
use crate::load::{LoadError, Loaded};

/// Payload of one append, unless a single event has more.
const APPEND_BYTES_MAX: usize = 1 << 20;
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

/// Shows every event, from the first, with the state after it.
pub(super) async fn walk(
    store: &dyn Store,
    run: &RunId,
    see: &mut (dyn FnMut(&StoredEvent, &LedgerEvent, &State) + Send),
) -> Result<(), LoadError> {
    let (mut state, mut next) = (None, 1);
    loop {
        let events = store.read(run, next, PAGE).await?;
        let count = events.len();
        for stored in events {
            let event: LedgerEvent = crate::load::decode(run, &stored)?;
            state = <State as Machine>::apply(state.take(), &event, stored.at);
            next = stored.seq + 1;
            if let Some(state) = &state {
                see(&stored, &event, state);
            }
        }
        if count < PAGE {
            return Ok(());
        }
    }
}

/// Adds the events, a part at a time, and folds each part once it is durable.
pub(super) async fn append(
    store: &dyn Store,
    run: &RunId,
    folded: &mut Loaded<State>,
    events: &[LedgerEvent],
) -> Result<(), piton_store::Error> {
    let mut rest = events;
    while !rest.is_empty() {
        let (count, encoded) = part(rest);
        append_part(store, run, folded, &rest[..count], encoded).await?;
        rest = &rest[count..];
    }
    Ok(())
}

/// As many events as fit into one append; room is left for a checkpoint's.
fn part(events: &[LedgerEvent]) -> (usize, Vec<Encoded>) {
    let mut encoded: Vec<Encoded> = Vec::new();
    let mut bytes = 0;
    for event in events.iter().take(EVENTS_PER_APPEND_MAX - 1) {
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
    folded: &mut Loaded<State>,
    events: &[LedgerEvent],
    mut encoded: Vec<Encoded>,
) -> Result<(), piton_store::Error> {
    let at = SystemClock.now();
    let fold = |state: Option<State>, event: &LedgerEvent| <State as Machine>::apply(state, event, at);
    // A ledger that has no journal yet is born by the first of its events.
    let before = (folded.head > 0).then(|| folded.state.clone());
    let state = events.iter().fold(before, fold).expect("a ledger begins with its opening");
    let bytes: u64 = encoded.iter().map(|event| (event.data.len() + event.kind.len()) as u64).sum();
    let mut checkpoint = None;
    if folded.tail_bytes + bytes > folded.checkpoint_bytes.max(CHECKPOINT_BYTES_MIN) {
        let (stored, named) = checkpoint_of(&state, folded.head + encoded.len() as u64 + 1);
        if stored.len() <= CHECKPOINT_BYTES_MAX {
            encoded.push(named.encode());
            checkpoint = Some(stored);
        }
    }
    let checkpoint_bytes = checkpoint.as_ref().map(|stored| stored.len() as u64);
    let append = Append {
        run: run.clone(),
        fence: Fence::Request(SystemIds.bytes()),
        expect: Expect::Seq(folded.head),
        at,
        events: encoded,
        entry: Some(state.entry()),
        checkpoint,
        salt: SystemIds.bytes(),
    };
    let head = store.append(append).await?;
    folded.state = state;
    folded.head = head.seq;
    match checkpoint_bytes {
        Some(bytes) => (folded.checkpoint_bytes, folded.tail_bytes) = (bytes, 0),
        None => folded.tail_bytes += bytes,
    }
    Ok(())
}
