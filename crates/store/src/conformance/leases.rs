//! Who may append.

use piton_model::Epoch;

use super::Journal;
use super::steps::*;
use crate::types::{Append, Claim, Expect, Fence, Wanted};
use crate::{Error, Store};

pub async fn a_held_lease_is_refused_and_names_its_holder(journal: &impl Journal) {
    let (one, other) = (journal.open(), journal.open());
    create(&one, "a").await;
    assert_eq!(one.holder(&run("a")).await.unwrap(), None);
    let lease = one.claim(&run("a"), holder(11), Claim::IfFree).await.unwrap();
    assert_eq!((lease.epoch, &lease.run), (1, &run("a")));
    for store in [&one, &other] {
        let refusal = store.claim(&run("a"), holder(22), Claim::IfFree).await;
        refused!(refusal, Error::Held { holder: h, .. } if *h == holder(11));
        assert_eq!(store.holder(&run("a")).await.unwrap(), Some(holder(11)));
    }
    assert_eq!(one.row(&run("a")).await.unwrap().epoch, 1, "a refusal grants nothing");
    one.append(driven(&lease, 1, "still mine")).await.unwrap();
}

pub async fn a_released_lease_can_be_claimed_again(journal: &impl Journal) {
    let (one, other) = (journal.open(), journal.open());
    create(&one, "a").await;
    let lease = claim(&one, "a").await;
    one.release(lease).await.unwrap();
    assert_eq!(other.holder(&run("a")).await.unwrap(), None);
    let lease = claim(&other, "a").await;
    assert_eq!(lease.epoch, 2);
    other.append(driven(&lease, 1, "mine")).await.unwrap();
    is_fenced(one.append(note("a", Fence::Epoch(1), Expect::Seq(2), "late")).await, 1, 2);
}

pub async fn a_dead_driver_frees_the_run(journal: &impl Journal) {
    let one = journal.open();
    create(&one, "a").await;
    let lease = claim(&one, "a").await;
    one.append(driven(&lease, 1, "one")).await.unwrap();
    drop(lease);
    drop(one);
    let other = journal.open();
    assert_eq!(other.holder(&run("a")).await.unwrap(), None);
    let lease = claim(&other, "a").await;
    assert_eq!(lease.epoch, 2);
    other.append(driven(&lease, 2, "two")).await.unwrap();
    assert_eq!(words(&other, "a").await, ["{}", "one", "two"]);
}

pub async fn a_take_over_fences_the_old_driver(journal: &impl Journal) {
    let (one, other) = (journal.open(), journal.open());
    create(&one, "a").await;
    let old = claim(&one, "a").await;
    let new = other.claim(&run("a"), holder(2), Claim::TakeOver).await.unwrap();
    assert_eq!(new.epoch, old.epoch + 1);
    is_fenced(one.append(driven(&old, 1, "stale")).await, old.epoch, new.epoch);
    is_fenced(
        one.append(Append { expect: Expect::Any, ..driven(&old, 1, "stale") }).await,
        old.epoch,
        new.epoch,
    );
    other.append(driven(&new, 1, "fresh")).await.unwrap();
    is_fenced(one.append(driven(&old, 1, "stale")).await, old.epoch, new.epoch);
    is_fenced(one.append(driven(&old, 2, "stale")).await, old.epoch, new.epoch);
    drop(old);
    assert_eq!(one.holder(&run("a")).await.unwrap(), Some(holder(2)), "the old one's end frees nothing");
    refused!(one.claim(&run("a"), holder(3), Claim::IfFree).await, Error::Held { .. });
    assert_eq!(words(&one, "a").await, ["{}", "fresh"]);
}

pub async fn a_driver_knows_at_once_that_it_was_superseded(journal: &impl Journal) {
    let (one, other) = (journal.open(), journal.open());
    create(&one, "a").await;
    assert!(!one.is_superseded(&run("a"), 0), "nobody was granted anything");
    let mut lease = claim(&one, "a").await;
    for round in 1..4 {
        assert!(!one.is_superseded(&run("a"), lease.epoch), "take-over {round}");
        lease = other.claim(&run("a"), holder(2), Claim::TakeOver).await.unwrap();
        for past in 1..lease.epoch {
            assert!(one.is_superseded(&run("a"), past), "epoch {past} after take-over {round}");
        }
    }
    let epoch = lease.epoch;
    other.remove(lease).await.unwrap();
    assert!(one.is_superseded(&run("a"), epoch), "there is nothing left to drive");
}

pub async fn a_fenced_driver_still_learns_what_it_committed(journal: &impl Journal) {
    let (one, other) = (journal.open(), journal.open());
    create(&one, "a").await;
    let old = claim(&one, "a").await;
    let append = driven(&old, 1, "committed");
    let head = one.append(append.clone()).await.unwrap();
    let _new = other.claim(&run("a"), holder(2), Claim::TakeOver).await.unwrap();
    assert_eq!(one.append(append).await.unwrap(), head, "its answer may have been lost");
}

pub async fn an_epoch_that_was_not_granted_is_no_right(journal: &impl Journal) {
    let store = journal.open();
    create(&store, "a").await;
    let guess = |epoch: Epoch| note("a", Fence::Epoch(epoch), Expect::Seq(1), "guess");
    for epoch in [0, 1, 2, Epoch::MAX] {
        refused!(store.append(guess(epoch)).await, Error::Fenced { .. });
    }
    let lease = claim(&store, "a").await;
    for epoch in [0, lease.epoch + 1, Epoch::MAX] {
        is_fenced(store.append(guess(epoch)).await, epoch, lease.epoch);
    }
    assert_eq!(is_whole(&store, "a").await.len(), 1);
}

pub async fn a_request_needs_no_lease(journal: &impl Journal) {
    let (one, other) = (journal.open(), journal.open());
    create(&one, "a").await;
    let lease = claim(&one, "a").await;
    other.append(asked("a", "please")).await.unwrap();
    refused!(one.append(driven(&lease, 1, "one")).await, Error::Conflict { found: 2, .. });
    one.append(driven(&lease, 2, "one")).await.unwrap();
    assert_eq!(words(&other, "a").await, ["{}", "please", "one"]);
}

pub async fn epochs_grow_over_reopens(journal: &impl Journal) {
    create(&journal.open(), "a").await;
    for expected in 1..=5 {
        let store = journal.open();
        let lease = claim(&store, "a").await;
        assert_eq!(lease.epoch, expected);
        assert_eq!(store.row(&run("a")).await.unwrap().epoch, expected);
    }
}

pub async fn only_the_current_driver_removes_a_run(journal: &impl Journal) {
    let (one, other) = (journal.open(), journal.open());
    for id in ["a", "b"] {
        create(&one, id).await;
    }
    let old = claim(&one, "a").await;
    let new = other.claim(&run("a"), holder(2), Claim::TakeOver).await.unwrap();
    is_fenced(one.remove(old).await, 1, 2);
    assert_eq!(is_whole(&one, "a").await.len(), 1);
    other.remove(new).await.unwrap();
    for store in [&one, &other] {
        refused!(store.row(&run("a")).await, Error::UnknownRun { .. });
        refused!(store.read(&run("a"), 1, 1).await, Error::UnknownRun { .. });
        assert_eq!(store.rows(Wanted::ALL).await.unwrap().rows.len(), 1);
    }
    is_whole(&one, "b").await;
}

pub async fn a_removed_run_can_be_created_again(journal: &impl Journal) {
    let store = journal.open();
    create(&store, "a").await;
    let lease = claim(&store, "a").await;
    for n in 1..5 {
        let append = Append { checkpoint: Some(vec![n as u8]), ..driven(&lease, n, &format!("{n}")) };
        store.append(append).await.unwrap();
    }
    store.settle(&run("a")).await.unwrap();
    store.remove(lease).await.unwrap();
    create(&store, "a").await;
    assert_eq!(words(&store, "a").await, ["{}"]);
    assert_eq!(store.checkpoint(&run("a"), u64::MAX).await.unwrap(), None);
    store.append(asked("a", "1")).await.unwrap();
    is_whole(&store, "a").await;
    drop(store);
    assert_eq!(is_whole(&journal.open(), "a").await.len(), 2);
}

pub async fn the_driver_of_a_removed_run_is_fenced_from_its_namesake(journal: &impl Journal) {
    let (one, other) = (journal.open(), journal.open());
    create(&one, "a").await;
    let stale = claim(&one, "a").await;
    let lease = other.claim(&run("a"), holder(2), Claim::TakeOver).await.unwrap();
    other.remove(lease).await.unwrap();
    create(&other, "a").await;
    for _ in 0..3 {
        refused!(one.append(driven(&stale, 1, "stale")).await, Error::Fenced { .. });
        refused!(
            one.append(Append { expect: Expect::Any, ..driven(&stale, 1, "stale") }).await,
            Error::Fenced { .. }
        );
        drop(claim(&other, "a").await);
    }
    assert_eq!(is_whole(&other, "a").await.len(), 1);
}

pub async fn another_handle_follows_a_removed_and_new_run(journal: &impl Journal) {
    let (one, other) = (journal.open(), journal.open());
    for round in 0..3 {
        create(&one, "a").await;
        for n in 0..3 {
            other.append(asked("a", &format!("{round}.{n}"))).await.unwrap();
            one.append(asked("a", &format!("{round}.{n} too"))).await.unwrap();
        }
        assert_eq!(is_whole(&other, "a").await.len(), 7);
        let lease = claim(&one, "a").await;
        one.remove(lease).await.unwrap();
        refused!(other.append(asked("a", "late")).await, Error::UnknownRun { .. });
    }
}
