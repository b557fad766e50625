//! The rules of a bucket, one by one.

use piton_store::chain;
use piton_vault::target::failure::{Act, Reason};
use piton_vault::{Error, Target};

use crate::faulty::{Fault, Faulty, Plan};

pub(crate) fn run<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(future)
}

fn failure(error: &Error) -> (Act, Reason) {
    let Error::Target(failure) = error else { panic!("{error}") };
    (failure.act, failure.reason.clone())
}

#[test]
fn nothing_is_ever_replaced() {
    let target = Faulty::new(Plan::default()).bucket();
    run(async {
        target.put("a/b", b"one").await.unwrap();
        target.put("a/b", b"one").await.unwrap();
        assert!(matches!(target.put("a/b", b"two").await, Err(Error::Taken { .. })));
        assert_eq!(target.get("a/b", 100).await.unwrap().unwrap(), b"one");
        assert_eq!(target.get("a/c", 100).await.unwrap(), None);
        assert!(matches!(target.get("a/b", 2).await, Err(Error::Damaged { .. })));
        let names: Vec<_> = target.list("a/").await.unwrap().into_iter().map(|object| object.name).collect();
        assert_eq!(names, ["a/b"]);
        assert_eq!(target.list("").await.unwrap().len(), 1, "nothing is left of the probe");
        target.remove("a/b").await.unwrap();
        target.remove("a/b").await.unwrap();
        assert_eq!(target.list("a/").await.unwrap(), []);
        assert_eq!(target.list("nothing/").await.unwrap(), []);
        target.put("a/empty", b"").await.unwrap();
        assert_eq!(target.get("a/empty", 100).await.unwrap().unwrap(), b"");
        target.put("a/empty", b"").await.unwrap();
    });
}

#[test]
fn a_store_that_replaces_what_is_there_is_refused_before_anything_is_put() {
    let store = Faulty::new(Plan { replaces: true, ..Plan::default() });
    run(async {
        let refused = store.bucket().put("a/b", b"one").await.unwrap_err();
        assert_eq!(failure(&refused), (Act::Write, Reason::Unsafe));
        assert_eq!(store.sound().bucket().list("").await.unwrap(), []);
        // Whoever only reads needs no right to write.
        assert_eq!(store.bucket().get("a/b", 100).await.unwrap(), None);
    });
}

#[test]
fn of_many_that_put_the_same_name_exactly_one_wins_whatever_is_lost() {
    let mut faults = std::collections::BTreeMap::new();
    for seed in 0..150 {
        let store = Faulty::new(Plan { seed, per_mille: 400, ..Plan::default() });
        run(async {
            let puts = (0..5u8).map(|number| {
                let store = store.clone();
                async move { (number, store.bucket().put("a/b", &[number; 64]).await) }
            });
            let done = futures_util::future::join_all(puts).await;
            let there = store.sound().bucket().get("a/b", 100).await.unwrap();
            for (number, put) in done {
                match put {
                    Ok(()) => assert_eq!(there.as_deref(), Some(&[number; 64][..]), "seed {seed}"),
                    Err(Error::Taken { .. }) => {
                        assert!(there.as_ref().is_some_and(|there| there != &[number; 64]), "seed {seed}");
                    }
                    // It gave up: nobody knows, and nobody was told otherwise.
                    Err(error) => drop(failure(&error)),
                }
            }
        });
        store.happened().into_iter().for_each(|(fault, count)| *faults.entry(fault).or_insert(0) += count);
    }
    assert!(faults.len() == 8 && faults.values().all(|count| *count > 20), "{faults:?}");
}

#[test]
fn an_answer_that_was_lost_is_looked_up() {
    for only in [Fault::LostReply, Fault::Conflict409, Fault::Exists412, Fault::Truncated, Fault::Timeout] {
        let store = Faulty::new(Plan { seed: 7, per_mille: 600, only: vec![only], ..Plan::default() });
        run(async {
            let target = store.bucket();
            for number in 0..40u8 {
                let name = format!("a/{number}");
                target.put(&name, &[number; 999]).await.unwrap();
                assert_eq!(target.get(&name, 1000).await.unwrap().unwrap(), [number; 999], "{only:?}");
                target.remove(&name).await.unwrap();
            }
        });
        assert!(store.happened()[&only] > 20, "{:?}", store.happened());
    }
}

#[test]
fn a_large_object_goes_in_parts_if_it_is_named_by_what_it_holds() {
    let bytes: Vec<u8> = (0..100_000u32).flat_map(u32::to_le_bytes).collect();
    let name = format!("a/{}", chain::hex(&chain::digest(&bytes)));
    for seed in 0..20 {
        let store = Faulty::new(Plan { seed, per_mille: 150, ..Plan::default() });
        let target = store.bucket().in_parts(10_000, 7_000);
        run(async {
            for _ in 0..2 {
                target.put(&name, &bytes).await.unwrap();
                assert!(target.get(&name, 1 << 20).await.unwrap().unwrap() == bytes, "seed {seed}");
            }
            // Nothing else goes that way: parts are put together whatever is there.
            target.put("a/other", &bytes).await.unwrap();
            assert!(matches!(target.put("a/other", &bytes[1..]).await, Err(Error::Taken { .. })));
        });
        assert!(store.asked() > 100, "{}", store.asked());
    }
}

#[test]
fn a_store_that_never_does_it_is_given_up_and_named() {
    for (only, reason) in [(Fault::Busy503, Reason::Unavailable), (Fault::Error500, Reason::Unavailable)] {
        let store = Faulty::new(Plan { seed: 1, per_mille: 1000, only: vec![only], ..Plan::default() });
        run(async {
            let target = store.bucket();
            assert_eq!(failure(&target.put("a/b", b"x").await.unwrap_err()), (Act::Write, reason.clone()));
            assert_eq!(failure(&target.get("a/b", 9).await.unwrap_err()), (Act::Read, reason.clone()));
            assert_eq!(failure(&target.list("a/").await.unwrap_err()), (Act::List, reason.clone()));
            assert_eq!(failure(&target.remove("a/b").await.unwrap_err()), (Act::Delete, reason.clone()));
        });
        assert_eq!(store.asked(), 4 * 12, "each was asked again, and not for ever");
    }
}
