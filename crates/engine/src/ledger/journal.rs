//! The journal of a ledger: loading it, and adding to it on top of what was loaded.
//!
//! Invariant: an append stands on the very event that its decision was made after; whoever was faster is read first.

use piton_model::ledger_machine::{LedgerEvent, State};
use piton_model::limits::{CHECKPOINT_BYTES_MAX, CHECKPOINT_BYTES_MIN, EVENTS_PER_APPEND_MAX};
use piton_model::{Encoded, Entry, Machine, RunEvent, RunId, Seq, Timestamp};
use piton_store::{Append, Expect, Fence, Store, StoredEvent};
use piton_sys::{Clock, Ids, SystemClock, SystemIds};

use crate::core::checkpoint_within;
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

/// Events that are ready to be added, and the state with them.
pub(super) struct Planned {
    /// A part for each append.
    parts: Vec<Part>,
    /// The fold with all of them.
    pub(super) state: State,
    at: Timestamp,
}

struct Part {
    events: Vec<Encoded>,
    entry: Entry,
    bytes: u64,
}

/// Encodes and folds the events, once: of a hundred thousand flips, either takes its time.
pub(super) fn plan(folded: &Loaded<State>, events: &[LedgerEvent]) -> Planned {
    let at = SystemClock.now();
    // A ledger that has no journal yet is born by the first of its events.
    let mut state = (folded.head > 0).then(|| folded.state.clone());
    let mut parts = Vec::new();
    let mut rest = events;
    while !rest.is_empty() {
        let encoded = encode_part(rest);
        let (these, others) = rest.split_at(encoded.len());
        let fold = |state: Option<State>, event: &LedgerEvent| <State as Machine>::apply(state, event, at);
        let after = these.iter().fold(state, fold).expect("a ledger begins with its opening");
        let bytes = encoded.iter().map(|event| (event.data.len() + event.kind.len()) as u64).sum();
        parts.push(Part { events: encoded, entry: after.entry(), bytes });
        (state, rest) = (Some(after), others);
    }
    Planned { parts, state: state.unwrap_or_else(|| folded.state.clone()), at }
}

/// As many events as fit into one append.
fn encode_part(events: &[LedgerEvent]) -> Vec<Encoded> {
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
    encoded
}

/// Adds what was planned on top of `folded`, which has it once all of it is durable.
///
/// Where somebody was faster, `folded` stays as it was, even if some of the parts are on record: it is to be loaded again.
pub(super) async fn append(
    store: &dyn Store,
    run: &RunId,
    folded: &mut Loaded<State>,
    planned: Planned,
) -> Result<(), piton_store::Error> {
    let Loaded { mut head, mut tail_bytes, checkpoint_bytes, .. } = *folded;
    let Planned { parts, state, at } = planned;
    for Part { events, entry, bytes } in parts {
        head = store.append(append_of(run, head, at, events, entry, None)).await?.seq;
        tail_bytes += bytes;
    }
    *folded = Loaded { state, head, tail_bytes, checkpoint_bytes };
    Ok(())
}

/// Stores the state where folding the events since the last one has become the longer way. Once per command, when all of it
/// is done: of a large ledger that is the dearest thing to write.
///
/// It serves speed alone. Should it not succeed, nothing is lost, and whoever comes next tries again.
pub(super) async fn keep_checkpoint(store: &dyn Store, run: &RunId, folded: &mut Loaded<State>) {
    if folded.tail_bytes <= folded.checkpoint_bytes.max(CHECKPOINT_BYTES_MIN) {
        return;
    }
    let at = SystemClock.now();
    // It holds the state after the event that names it.
    folded.state.updated_at = at;
    let Loaded { state, head, .. } = &*folded;
    let Some((stored, named)) = checkpoint_within(state, head + 1, CHECKPOINT_BYTES_MAX) else { return };
    let bytes = stored.len() as u64;
    let append = append_of(run, *head, at, vec![named.encode()], state.entry(), Some(stored));
    if let Ok(head) = store.append(append).await {
        (folded.head, folded.tail_bytes, folded.checkpoint_bytes) = (head.seq, 0, bytes);
    }
}

fn append_of(
    run: &RunId,
    head: Seq,
    at: Timestamp,
    events: Vec<Encoded>,
    entry: Entry,
    checkpoint: Option<Vec<u8>>,
) -> Append {
    Append {
        run: run.clone(),
        fence: Fence::Request(SystemIds.bytes()),
        expect: Expect::Seq(head),
        at,
        events,
        entry: Some(entry),
        checkpoint,
        salt: SystemIds.bytes(),
    }
}
