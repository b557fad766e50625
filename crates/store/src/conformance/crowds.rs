//! Many handles, tasks and threads on one journal.

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Poll;

use super::steps::*;
use super::{Journal, block_on};
use crate::types::{Append, Claim, Wanted};
use crate::{Error, Store};

pub async fn two_handles_see_one_journal(journal: &impl Journal) {
    let (one, other) = (journal.open(), journal.open());
    create(&one, "a").await;
    create(&other, "b").await;
    for n in 0..10 {
        let store = if n % 2 == 0 { &one } else { &other };
        store.append(asked("a", &format!("{n}"))).await.unwrap();
    }
    for store in [&one, &other] {
        assert_eq!(is_whole(store, "a").await.len(), 11);
        assert_eq!(store.rows(Wanted::ALL).await.unwrap().rows.len(), 2);
    }
}

pub async fn tasks_of_one_handle_keep_every_chain_whole(journal: &impl Journal) {
    const TASKS: usize = 32;
    const STEPS: u64 = 8;
    let store = journal.open();
    let store = &store;
    let task = |task: usize| async move {
        let id = format!("r{task}");
        create(store, &id).await;
        let lease = claim(store, &id).await;
        for n in 1..=STEPS {
            let append = driven(&lease, n, &format!("{task}.{n}"));
            assert_eq!(store.append(append).await.unwrap().seq, n + 1);
        }
        store.release(lease).await.unwrap();
    };
    all((0..TASKS).map(task)).await;
    for task in 0..TASKS {
        assert_eq!(is_whole(store, &format!("r{task}")).await.len() as u64, STEPS + 1);
    }
}

/// Polls every future until all are done.
async fn all<F: Future<Output = ()>>(futures: impl Iterator<Item = F>) {
    let mut waiting: Vec<Pin<Box<F>>> = futures.map(Box::pin).collect();
    std::future::poll_fn(|context| {
        waiting.retain_mut(|future| future.as_mut().poll(context).is_pending());
        if waiting.is_empty() { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
}

pub async fn threads_with_handles_keep_every_chain_whole(journal: &impl Journal) {
    const THREADS: usize = 4;
    const STEPS: u64 = 25;
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            scope.spawn(move || {
                block_on(async {
                    let store = journal.open();
                    let id = format!("r{thread}");
                    create(&store, &id).await;
                    let lease = claim(&store, &id).await;
                    for n in 1..=STEPS {
                        store.append(driven(&lease, n, &format!("{thread}.{n}"))).await.unwrap();
                    }
                });
            });
        }
    });
    let store = journal.open();
    for thread in 0..THREADS {
        assert_eq!(is_whole(&store, &format!("r{thread}")).await.len() as u64, STEPS + 1);
    }
}

pub async fn requests_of_a_crowd_each_count_once(journal: &impl Journal) {
    const THREADS: usize = 4;
    const STEPS: usize = 25;
    create(&journal.open(), "a").await;
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            scope.spawn(move || {
                block_on(async {
                    let store = journal.open();
                    for n in 0..STEPS {
                        // Two threads send each request.
                        store.append(asked("a", &format!("{}.{n}", thread / 2))).await.unwrap();
                    }
                });
            });
        }
    });
    let store = journal.open();
    assert_eq!(is_whole(&store, "a").await.len(), 1 + THREADS / 2 * STEPS);
    let mut found = words(&store, "a").await;
    found.sort();
    found.dedup();
    assert_eq!(found.len(), 1 + THREADS / 2 * STEPS, "a request counted twice");
}

pub async fn one_of_many_claimers_gets_the_lease(journal: &impl Journal) {
    const THREADS: u32 = 6;
    create(&journal.open(), "a").await;
    let leases: Vec<_> = std::thread::scope(|scope| {
        let claimers: Vec<_> = (0..THREADS)
            .map(|thread| {
                scope.spawn(move || block_on(journal.open().claim(&run("a"), holder(thread), Claim::IfFree)))
            })
            .collect();
        claimers.into_iter().map(|claimer| claimer.join().unwrap()).collect()
    });
    let granted: Vec<_> = leases.iter().filter_map(|lease| lease.as_ref().ok()).collect();
    assert_eq!(granted.len(), 1, "{leases:?}");
    for refusal in leases.iter().filter_map(|lease| lease.as_ref().err()) {
        assert!(matches!(refusal, Error::Held { .. }), "{refusal:?}");
    }
    let store = journal.open();
    store.append(driven(granted[0], 1, "mine")).await.unwrap();
}

pub async fn a_reader_beside_a_writer_never_sees_damage(journal: &impl Journal) {
    const STEPS: u64 = 150;
    create(&journal.open(), "a").await;
    let done = AtomicBool::new(false);
    let done = &done;
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(move || {
                block_on(async {
                    let store = journal.open();
                    let mut seen = 0;
                    while !done.load(Ordering::Relaxed) {
                        let head = store.row(&run("a")).await.unwrap().head;
                        assert!(head.seq >= seen, "the run went backwards");
                        seen = head.seq;
                        assert!(events(&store, "a").await.len() as u64 >= seen);
                        assert_eq!(store.verify(Some(&run("a"))).await.unwrap(), []);
                        store.checkpoint(&run("a"), u64::MAX).await.unwrap();
                        match store.read(&run("b"), 1, 9).await {
                            Ok(_) | Err(Error::UnknownRun { .. }) => {}
                            Err(error) => panic!("a run that comes and goes: {error:?}"),
                        }
                    }
                });
            });
        }
        let store = journal.open();
        block_on(async {
            let lease = claim(&store, "a").await;
            for n in 1..=STEPS {
                let checkpoint = (n % 10 == 0).then(|| vec![n as u8; 2000]);
                store.append(Append { checkpoint, ..driven(&lease, n, &format!("{n}")) }).await.unwrap();
            }
            // A run that comes and goes is there or unknown, never damaged.
            for _ in 0..30 {
                create(&store, "b").await;
                store.append(asked("b", "x")).await.unwrap();
                let lease = claim(&store, "b").await;
                store.remove(lease).await.unwrap();
            }
        });
        done.store(true, Ordering::Relaxed);
    });
}
