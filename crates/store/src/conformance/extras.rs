//! What is kept beside the events: checkpoints and blobs.

use piton_model::Seq;
use piton_model::limits::{BLOB_BYTES_MAX, CHECKPOINT_BYTES_MAX, CHECKPOINTS_KEPT};

use super::Journal;
use super::steps::*;
use crate::types::{Append, Checkpoint};
use crate::{Error, Store};

pub async fn the_newest_checkpoint_at_or_before_is_served(journal: &impl Journal) {
    let store = journal.open();
    create(&store, "a").await;
    create(&store, "b").await;
    let lease = claim(&store, "a").await;
    assert_eq!(store.checkpoint(&run("a"), Seq::MAX).await.unwrap(), None);
    for seq in 1..10 {
        // Checkpoints after events 4 and 8.
        let checkpoint = (seq % 4 == 3).then(|| format!("state at {}", seq + 1).into_bytes());
        store.append(Append { checkpoint, ..driven(&lease, seq, &format!("{seq}")) }).await.unwrap();
    }
    drop(store);
    let store = journal.open();
    let expected = |seq: Seq| Some(Checkpoint { seq, bytes: format!("state at {seq}").into_bytes() });
    for (at_most, found) in [(0, None), (3, None), (4, expected(4)), (7, expected(4)), (8, expected(8))] {
        assert_eq!(store.checkpoint(&run("a"), at_most).await.unwrap(), found, "at most {at_most}");
    }
    assert_eq!(store.checkpoint(&run("a"), Seq::MAX).await.unwrap(), expected(8));
    assert_eq!(store.checkpoint(&run("b"), Seq::MAX).await.unwrap(), None, "another run's is not served");
    is_whole(&store, "a").await;
}

pub async fn two_checkpoints_are_kept(journal: &impl Journal) {
    assert_eq!(CHECKPOINTS_KEPT, 2);
    let store = journal.open();
    create(&store, "a").await;
    for n in 0..5u8 {
        store.append(Append { checkpoint: Some(vec![n]), ..asked("a", &format!("{n}")) }).await.unwrap();
    }
    let newest = store.checkpoint(&run("a"), Seq::MAX).await.unwrap().unwrap();
    let before = store.checkpoint(&run("a"), newest.seq - 1).await.unwrap().unwrap();
    assert_eq!((newest.seq, before.seq), (6, 5));
    assert_eq!(store.checkpoint(&run("a"), before.seq - 1).await.unwrap(), None);
}

pub async fn a_run_can_begin_with_a_checkpoint(journal: &impl Journal) {
    let store = journal.open();
    let bytes = b"the state of a run that was imported".to_vec();
    store.append(Append { checkpoint: Some(bytes.clone()), ..creation("a") }).await.unwrap();
    assert_eq!(store.checkpoint(&run("a"), 1).await.unwrap(), Some(Checkpoint { seq: 1, bytes }));
}

pub async fn checkpoints_of_every_size_come_back(journal: &impl Journal) {
    let store = journal.open();
    create(&store, "a").await;
    for (n, size) in [0, 1, 1023, 1024, 70_000, 1 << 20].into_iter().enumerate() {
        let bytes: Vec<u8> = (0..size).map(|n: usize| (n * n / 7) as u8).collect();
        let append = Append { checkpoint: Some(bytes.clone()), ..asked("a", &format!("{n}")) };
        let seq = store.append(append).await.unwrap().seq;
        assert_eq!(store.checkpoint(&run("a"), seq).await.unwrap(), Some(Checkpoint { seq, bytes }));
    }
    is_whole(&store, "a").await;
}

pub async fn an_append_tried_again_keeps_one_checkpoint(journal: &impl Journal) {
    let store = journal.open();
    create(&store, "a").await;
    let lease = claim(&store, "a").await;
    let append = |seq, words| Append { checkpoint: Some(b"state".to_vec()), ..driven(&lease, seq, words) };
    store.append(append(1, "one")).await.unwrap();
    store.append(append(2, "two")).await.unwrap();
    for _ in 0..3 {
        store.append(append(1, "one")).await.unwrap();
    }
    assert_eq!(store.checkpoint(&run("a"), 2).await.unwrap().unwrap().seq, 2, "the older one is still there");
    assert_eq!(store.checkpoint(&run("a"), 3).await.unwrap().unwrap().seq, 3);
}

pub async fn blobs_come_back_by_their_digest(journal: &impl Journal) {
    let store = journal.open();
    for bytes in [Vec::new(), b"small".to_vec(), vec![7; 300_000]] {
        let id = store.put_blob(&bytes).await.unwrap();
        assert_eq!(store.put_blob(&bytes).await.unwrap(), id, "the same bytes have one name");
        assert_eq!(id, crate::chain::digest(&bytes));
        assert_eq!(journal.open().blob(&id).await.unwrap(), bytes);
    }
}

pub async fn a_blob_that_is_not_there_is_an_error(journal: &impl Journal) {
    refused!(journal.open().blob(&[7; 32]).await, Error::Corrupt(_));
}

pub async fn an_oversize_blob_or_checkpoint_is_refused(journal: &impl Journal) {
    let store = journal.open();
    create(&store, "a").await;
    refused!(store.put_blob(&vec![0; BLOB_BYTES_MAX + 1]).await, Error::TooLarge { .. });
    let checkpoint = Some(vec![0; CHECKPOINT_BYTES_MAX + 1]);
    refused!(store.append(Append { checkpoint, ..asked("a", "x") }).await, Error::TooLarge { .. });
    assert_eq!(is_whole(&store, "a").await.len(), 1);
}

pub async fn settling_is_for_runs_that_exist(journal: &impl Journal) {
    let store = journal.open();
    create(&store, "a").await;
    store.settle(&run("a")).await.unwrap();
    refused!(store.settle(&run("b")).await, Error::UnknownRun { .. });
    create(&store, "b").await;
}
