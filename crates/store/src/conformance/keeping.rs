//! What is let go of, and what stays true of it.

use piton_model::Seq;

use super::Journal;
use super::shipping::{forget, history, long_run, shipped};
use super::steps::*;
use crate::types::{Append, Archived, Claim, Head, StoredEvent};
use crate::{Error, Frame, Store};

fn note(through: Seq) -> Archived {
    Archived { through, at: at(5), place: Some("/kept".to_owned()), backup: Some("b".to_owned()) }
}

/// A run whose last append holds its state, archived up to that.
async fn archived_run<S: Store>(store: &S, id: &str) -> (Vec<StoredEvent>, Vec<Frame>, Seq) {
    long_run(store, id).await;
    let (whole, frames) = (events(store, id).await, shipped(store, id, usize::MAX).await);
    let through = whole.len() as Seq;
    let lease = claim(store, id).await;
    let last = Append { checkpoint: Some(b"state".to_vec()), ..driven(&lease, through, "its state") };
    store.append(last).await.unwrap();
    store.archive(&lease, note(through)).await.unwrap();
    store.release(lease).await.unwrap();
    (whole, frames, through)
}

pub async fn a_run_that_is_archived_keeps_its_chain_and_lets_go_of_its_payloads(journal: &impl Journal) {
    let store = journal.open();
    create(&store, "b").await;
    assert_eq!(store.archived(&run("a")).await.unwrap(), None);
    let (whole, _, through) = archived_run(&store, "a").await;
    let store = journal.open();
    assert_eq!(store.verify(None).await.unwrap(), []);
    assert_eq!(store.verify(Some(&run("a"))).await.unwrap(), []);
    assert_eq!(store.archived(&run("a")).await.unwrap(), Some(note(through)));
    assert_eq!(store.archived(&run("b")).await.unwrap(), None);
    let there = events(&store, "a").await;
    assert_eq!(there.len(), whole.len() + 1);
    for (there, whole) in there.iter().zip(&whole) {
        assert!(there.archived && there.event.data.is_empty());
        assert_eq!((there.seq, there.hash, there.at), (whole.seq, whole.hash, whole.at));
        assert_eq!((&there.event.kind, there.event.version), (&whole.event.kind, whole.event.version));
    }
    assert!(!there.last().unwrap().archived, "what names its state stays");
    let kept = store.checkpoint(&run("a"), Seq::MAX).await.unwrap().unwrap();
    assert_eq!((kept.seq, kept.bytes), (through + 1, b"state".to_vec()));
    // It can go on.
    let lease = claim(&store, "a").await;
    store.append(driven(&lease, through + 1, "more")).await.unwrap();
    assert_eq!(store.verify(Some(&run("a"))).await.unwrap(), []);
    // And archiving it again changes nothing.
    store.archive(&lease, note(through)).await.unwrap();
    assert_eq!(store.verify(Some(&run("a"))).await.unwrap(), []);
}

pub async fn only_the_current_driver_archives_a_run(journal: &impl Journal) {
    let store = journal.open();
    let whole = long_run(&store, "a").await;
    let old = claim(&store, "a").await;
    let new = store.claim(&run("a"), holder(2), Claim::TakeOver).await.unwrap();
    is_fenced(store.archive(&old, note(3)).await, old.epoch, new.epoch);
    assert_eq!(is_whole(&store, "a").await, whole);
    assert_eq!(store.archived(&run("a")).await.unwrap(), None);
}

pub async fn what_shipped_before_goes_on_from_an_archived_run(journal: &impl Journal) {
    let store = journal.open();
    let (whole, _, through) = archived_run(&store, "a").await;
    let last = whole.last().unwrap();
    // Whoever has it already sees a run that went on by one event, and no other history.
    let more = store.ship(&run("a"), Head { seq: last.seq, hash: last.hash }, usize::MAX).await.unwrap();
    assert_eq!(more.len(), 1);
    assert!(!more[0].is_archived() && more[0].seq == through + 1);
    // Whoever begins gets what is there, which says of itself that it is archived.
    let all = shipped(&store, "a", usize::MAX).await;
    assert_eq!(all.iter().filter(|frame| !frame.is_archived()).count(), 1);
}

pub async fn an_archived_run_is_taken_in_as_it_is(journal: &impl Journal) {
    let store = journal.open();
    let (whole, _, through) = archived_run(&store, "a").await;
    let frames = shipped(&store, "a", usize::MAX).await;
    forget(&store, "a").await;
    let mut changed = frames.clone();
    changed[5].body[0] ^= 1;
    assert!(matches!(store.take_in(history("a", 9, changed)).await, Err(Error::Corrupt(_))));
    store.take_in(history("a", 900, frames)).await.unwrap();
    assert_eq!(store.verify(Some(&run("a"))).await.unwrap(), []);
    assert_eq!(store.archived(&run("a")).await.unwrap().unwrap().through, through);
    assert_eq!(events(&store, "a").await[0].hash, whole[0].hash);
}

pub async fn payloads_come_back_to_the_run_they_belong_to_and_to_no_other(journal: &impl Journal) {
    let store = journal.open();
    let (whole, frames, through) = archived_run(&store, "a").await;
    let lease = claim(&store, "a").await;
    store.append(driven(&lease, through + 1, "since then")).await.unwrap();
    let head = store.row(&run("a")).await.unwrap().head;
    for (what, change) in [
        (
            "a bit of a payload",
            Box::new(|frames: &mut Vec<Frame>| *frames[5].body.last_mut().unwrap() ^= 1)
                as Box<dyn Fn(&mut Vec<Frame>)>,
        ),
        ("a time", Box::new(|frames: &mut Vec<Frame>| frames[5].at = at(77))),
        ("one that is missing", Box::new(|frames: &mut Vec<Frame>| drop(frames.remove(5)))),
    ] {
        let mut changed = frames.clone();
        change(&mut changed);
        assert!(store.take_in(history("a", 9, changed)).await.is_err(), "{what}");
    }
    store.take_in(history("a", 900, frames)).await.unwrap();
    let there = is_whole(&store, "a").await;
    assert_eq!(there[..whole.len()], whole[..]);
    assert_eq!(store.row(&run("a")).await.unwrap().head, head, "what happened since stays");
    assert_eq!(store.archived(&run("a")).await.unwrap(), None);
    assert_eq!(store.verify(None).await.unwrap(), []);
}

pub async fn a_run_that_was_removed_is_remembered(journal: &impl Journal) {
    let store = journal.open();
    let whole = long_run(&store, "A-run").await;
    let frames = shipped(&store, "A-run", usize::MAX).await;
    assert_eq!(store.gone().await.unwrap(), []);
    forget(&store, "A-run").await;
    let store = journal.open();
    let gone = store.gone().await.unwrap();
    assert_eq!((gone.len(), gone[0].key.as_str()), (1, "a-run"));
    assert_eq!((gone[0].head.seq, gone[0].head.hash), (whole.len() as Seq, whole.last().unwrap().hash));
    assert!(gone[0].epoch > 0);
    store.take_in(history("A-run", 900, frames)).await.unwrap();
    assert_eq!(store.gone().await.unwrap(), [], "it came back");
    store.bury(&gone).await.unwrap();
    assert_eq!(store.gone().await.unwrap(), gone);
}
