//! What is shipped to another journal, and what one takes in.

use piton_model::Seq;

use super::Journal;
use super::steps::*;
use crate::types::{Append, Checkpoint, Claim, Head, History, StoredEvent};
use crate::{Error, Frame, Store};

/// A run with requests, transitions, several events in an append, and a payload too large to stay in it.
pub(super) async fn long_run<S: Store>(store: &S, id: &str) -> Vec<StoredEvent> {
    create(store, id).await;
    let lease = claim(store, id).await;
    for n in 1..=80 {
        let words = if n == 7 { "large ".repeat(20_000) } else { format!("{id} {n}") };
        store.append(driven(&lease, n, &words)).await.unwrap();
    }
    let mut two = asked(id, "two of them");
    two.events.push(event("noted", "the second"));
    store.append(two).await.unwrap();
    store.release(lease).await.unwrap();
    is_whole(store, id).await
}

/// Everything of a run, in pieces of about `bytes` bytes.
pub(super) async fn shipped<S: Store>(store: &S, id: &str, bytes: usize) -> Vec<Frame> {
    let (mut frames, mut after): (Vec<Frame>, _) = (Vec::new(), Head::start(&run(id)));
    loop {
        let piece = store.ship(&run(id), after, bytes).await.unwrap();
        let Some(last) = piece.last() else { return frames };
        after = last.head().unwrap();
        frames.extend(piece);
    }
}

pub(super) fn history(id: &str, epoch: u64, frames: Vec<Frame>) -> History<'static> {
    let frames = Box::new(frames.into_iter().map(Ok));
    History { entry: entry(id, "taken in"), epoch, frames, checkpoints: Vec::new() }
}

pub(super) async fn forget<S: Store>(store: &S, id: &str) {
    let lease = claim(store, id).await;
    store.remove(lease).await.unwrap();
}

pub async fn a_run_that_is_shipped_and_taken_in_is_the_same(journal: &impl Journal) {
    let store = journal.open();
    let events = long_run(&store, "a").await;
    let frames = shipped(&store, "a", 1000).await;
    assert_eq!(frames, shipped(&store, "a", usize::MAX).await, "whatever the pieces");
    forget(&store, "a").await;
    let mut taken = history("a", 900, frames);
    taken.checkpoints = vec![Checkpoint { seq: 40, bytes: b"state".to_vec() }];
    let checkpoints = taken.checkpoints.clone();
    let head = store.take_in(taken).await.unwrap();
    let store = journal.open();
    assert_eq!(is_whole(&store, "a").await, events);
    let row = store.row(&run("a")).await.unwrap();
    assert_eq!((row.head, row.epoch, row.entry), (head, 900, entry("a", "taken in")));
    assert_eq!(store.checkpoint(&run("a"), Seq::MAX).await.unwrap().as_ref(), checkpoints.last());
    // A request that counted there counts here.
    let again = store.append(asked("a", "two of them")).await.unwrap();
    assert_eq!(again, head);
}

pub async fn shipping_goes_on_from_where_it_ended(journal: &impl Journal) {
    let store = journal.open();
    long_run(&store, "a").await;
    let all = shipped(&store, "a", usize::MAX).await;
    let cursor = all[39].head().unwrap();
    assert_eq!(store.ship(&run("a"), cursor, usize::MAX).await.unwrap(), all[40..]);
    let end = all.last().unwrap().head().unwrap();
    assert_eq!(store.ship(&run("a"), end, usize::MAX).await.unwrap(), []);
    store.append(asked("a", "later")).await.unwrap();
    assert_eq!(store.ship(&run("a"), end, usize::MAX).await.unwrap().len(), 1);
}

pub async fn another_history_is_not_gone_on_with(journal: &impl Journal) {
    let store = journal.open();
    long_run(&store, "a").await;
    let all = shipped(&store, "a", usize::MAX).await;
    let end = all.last().unwrap().head().unwrap();
    let elsewhere = [
        Head { hash: [7; 32], ..end },
        Head { seq: end.seq + 1, ..end },
        // In the middle of an append.
        Head { seq: end.seq - 1, ..end },
        Head { hash: [7; 32], seq: 0 },
    ];
    for after in elsewhere {
        refused!(store.ship(&run("a"), after, usize::MAX).await, Error::Diverged { .. });
    }
    refused!(store.ship(&run("b"), Head::start(&run("b")), 1).await, Error::UnknownRun { .. });
    // The same name again is another run.
    forget(&store, "a").await;
    store.append(Append { salt: [9; 16], ..creation("a") }).await.unwrap();
    let first = all[0].head().unwrap();
    refused!(store.ship(&run("a"), first, usize::MAX).await, Error::Diverged { .. });
}

pub async fn what_was_changed_on_its_way_is_not_taken_in(journal: &impl Journal) {
    let store = journal.open();
    long_run(&store, "a").await;
    let frames = shipped(&store, "a", usize::MAX).await;
    forget(&store, "a").await;
    type Change = fn(&mut Vec<Frame>);
    let changes: [(&str, Change); 7] = [
        ("a bit of a payload", |frames| *frames[5].body.last_mut().unwrap() ^= 1),
        ("a type", |frames| frames[5].kinds.push('x')),
        ("a time", |frames| frames[5].at = at(77)),
        ("a hash", |frames| frames[5].hash[0] ^= 1),
        ("one that is missing", |frames| drop(frames.remove(5))),
        ("two that changed places", |frames| frames.swap(5, 6)),
        ("all of them", Vec::clear),
    ];
    for (what, change) in changes {
        let mut changed = frames.clone();
        change(&mut changed);
        assert!(matches!(store.take_in(history("a", 9, changed)).await, Err(Error::Corrupt(_))), "{what}");
        refused!(store.row(&run("a")).await, Error::UnknownRun { .. });
    }
    store.take_in(history("a", 900, frames)).await.unwrap();
    is_whole(&store, "a").await;
}

pub async fn a_run_that_is_there_is_not_taken_in(journal: &impl Journal) {
    let store = journal.open();
    let events = long_run(&store, "a").await;
    let frames = shipped(&store, "a", usize::MAX).await;
    refused!(store.take_in(history("a", 900, frames)).await, Error::RunExists { .. });
    assert_eq!(is_whole(&store, "a").await, events);
}

pub async fn drivers_of_before_are_fenced_from_what_was_taken_in(journal: &impl Journal) {
    let store = journal.open();
    long_run(&store, "a").await;
    let frames = shipped(&store, "a", usize::MAX).await;
    let (old, head) = (claim(&store, "a").await, frames.last().unwrap().head().unwrap());
    let lease = store.claim(&run("a"), holder(2), Claim::TakeOver).await.unwrap();
    store.remove(lease).await.unwrap();
    let floor = store.epoch_max().await.unwrap() + 100;
    store.take_in(history("a", floor, frames)).await.unwrap();
    refused!(store.append(driven(&old, head.seq, "late")).await, Error::Fenced { .. });
    let new = claim(&store, "a").await;
    assert!(new.epoch > floor);
    create(&store, "b").await;
    assert!(claim(&store, "b").await.epoch > floor, "runs of later, too");
    assert!(store.epoch_max().await.unwrap() >= new.epoch);
}
