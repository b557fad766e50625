//! Small words for the rules: appends, claims, and looking at what is there.

use piton_model::{Encoded, Entry, Epoch, Kind, RunId, Seq, Status, Timestamp};
use piton_sys::process::ProcessId;

use crate::chain;
use crate::types::{Append, Claim, Expect, Fence, Head, Holder, Lease, RequestId, StoredEvent};
use crate::{Error, Store};

/// Everything happens at moments of its own, long after the beginning of time.
pub(super) const START_MS: i64 = 1_771_157_000_000;

pub(super) fn run(id: &str) -> RunId {
    id.parse().unwrap()
}

pub(super) fn at(offset_ms: i64) -> Timestamp {
    Timestamp::from_millis(START_MS + offset_ms)
}

/// Sixteen bytes that are the same for the same words.
pub(super) fn bytes_of(words: &str) -> [u8; 16] {
    chain::digest(words.as_bytes())[..16].try_into().unwrap()
}

pub(super) fn request(words: &str) -> RequestId {
    bytes_of(words)
}

pub(super) fn event(kind: &str, data: &str) -> Encoded {
    Encoded { kind: kind.to_owned(), version: 1, data: data.as_bytes().to_vec() }
}

/// What the index says of the run `id` after a note with this title.
pub(super) fn entry(id: &str, title: &str) -> Entry {
    Entry {
        run_id: run(id),
        kind: Kind::Loop,
        title: format!("{title} – with more than ASCII"),
        status: Status::Created,
        reason: None,
        created_at: at(0),
        updated_at: at(1),
        iteration: 0,
        waiting_for: None,
        fold: 3,
    }
}

/// The append that creates `id`, the same every time it is asked for.
pub(super) fn creation(id: &str) -> Append {
    Append {
        run: run(id),
        fence: Fence::Request(request("create")),
        expect: Expect::Seq(0),
        at: at(0),
        events: vec![event("created", "{}")],
        entry: Some(entry(id, "created")),
        checkpoint: None,
        salt: bytes_of(id),
    }
}

/// One event `noted` with these words as data, the same every time it is asked for.
pub(super) fn note(id: &str, fence: Fence, expect: Expect, words: &str) -> Append {
    Append {
        run: run(id),
        fence,
        expect,
        at: at(1),
        events: vec![event("noted", words)],
        entry: None,
        checkpoint: None,
        salt: bytes_of(words),
    }
}

/// A note that anybody may append.
pub(super) fn asked(id: &str, words: &str) -> Append {
    note(id, Fence::Request(request(words)), Expect::Any, words)
}

/// A note of the driver of `lease`, on top of `seq`.
pub(super) fn driven(lease: &Lease, seq: Seq, words: &str) -> Append {
    note(lease.run.as_str(), Fence::Epoch(lease.epoch), Expect::Seq(seq), words)
}

pub(super) fn holder(pid: u32) -> Holder {
    let process = ProcessId { pid, start_time: 7, boot_id: "boot".to_owned() };
    Holder { host: "host".to_owned(), process, since: at(0) }
}

pub(super) async fn create<S: Store>(store: &S, id: &str) -> Head {
    store.append(creation(id)).await.unwrap()
}

pub(super) async fn claim<S: Store>(store: &S, id: &str) -> Lease {
    store.claim(&run(id), holder(1), Claim::IfFree).await.unwrap()
}

pub(super) async fn events<S: Store>(store: &S, id: &str) -> Vec<StoredEvent> {
    store.read(&run(id), 1, usize::MAX).await.unwrap()
}

/// The data of all events, as words.
pub(super) async fn words<S: Store>(store: &S, id: &str) -> Vec<String> {
    let events = events(store, id).await;
    events.into_iter().map(|stored| String::from_utf8(stored.event.data).unwrap()).collect()
}

/// The chain is whole: no gap, the head is its end, and nothing is wrong with its storage.
pub(super) async fn is_whole<S: Store>(store: &S, id: &str) -> Vec<StoredEvent> {
    let events = events(store, id).await;
    for (index, event) in events.iter().enumerate() {
        assert_eq!(event.seq, index as Seq + 1, "run `{id}` has a gap or a double");
    }
    let row = store.row(&run(id)).await.unwrap();
    let last = events.last().unwrap();
    assert_eq!(
        row.head,
        Head { seq: last.seq, hash: last.hash },
        "the index disagrees with the events of `{id}`"
    );
    assert_eq!(store.verify(Some(&run(id))).await.unwrap(), [], "`{id}`");
    events
}

/// `result` is a refusal of this kind.
macro_rules! refused {
    ($result:expr, $pattern:pat $(if $guard:expr)?) => {
        match $result {
            Err($pattern) $(if $guard)? => {}
            other => panic!("expected {}, got {other:?}", stringify!($pattern $(if $guard)?)),
        }
    };
}
pub(super) use refused;

pub(super) fn is_fenced<T: std::fmt::Debug>(result: Result<T, Error>, held: Epoch, current: Epoch) {
    refused!(result, Error::Fenced { held: h, current: c, .. } if h == held && c == current);
}
