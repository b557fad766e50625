//! Salvage: whatever becomes of a journal, what is found in it is the beginning of what was written.

use piton_store::conformance::block_on;
use piton_store::sqlite::Sqlite;
use piton_store::{Frame, Head, Store, Url};

use crate::common::*;

const RUNS: [&str; 3] = ["Alpha", "beta", "gamma"];

fn salvage_of(root: &std::path::Path, names: &[piton_model::RunId]) -> piton_store::Salvage {
    let keys: std::sync::Arc<dyn piton_seal::Keys> = std::sync::Arc::new(piton_seal::NoKeys);
    piton_store::salvage(&Url::of_repository(root), None, names, &keys).unwrap()
}

/// A journal with runs of forty appends each, one of them with a large payload; and its frames.
fn sample(root: &std::path::Path) -> Vec<Vec<Frame>> {
    let store = Sqlite::open(&root.join(".piton")).unwrap();
    for id in RUNS {
        create(&store, id);
    }
    for n in 0..40 {
        for id in RUNS {
            say(&store, id, &format!("{id} {n} {}", "words ".repeat(if n == 9 { 20_000 } else { n })));
        }
    }
    let all = |id| {
        let frames = block_on(store.ship(&run(id), Head::start(&run(id)), usize::MAX)).unwrap();
        frames.into_iter().map(|frame| Frame { request: None, ..frame }).collect()
    };
    RUNS.map(all).into()
}

/// What is found of each run is a beginning of what was written: how much, in appends.
#[track_caller]
fn found(root: &std::path::Path, truth: &[Vec<Frame>], what: &str) -> Vec<usize> {
    let salvage = salvage_of(root, &[]);
    let counts = RUNS.iter().zip(truth).map(|(id, truth)| {
        let Some(salvaged) = salvage.runs.iter().find(|found| found.run.key() == run(id).key()) else {
            return 0;
        };
        let frames: Vec<Frame> = salvage.frames(salvaged).map(Result::unwrap).collect();
        assert!(frames == truth[..frames.len()], "{what}: {id}");
        assert!(salvaged.acknowledged.is_none_or(|last| last >= salvaged.head.seq), "{what}: {id}");
        frames.len()
    });
    counts.collect()
}

#[test]
fn everything_is_found_where_nothing_is_damaged() {
    let dir = scratch();
    let truth = sample(dir.path());
    assert_eq!(found(dir.path(), &truth, "whole"), [41, 41, 41]);
}

#[test]
fn a_damaged_index_costs_nothing() {
    let dir = scratch();
    let truth = sample(dir.path());
    let journal = rusqlite::Connection::open(dir.path().join(".piton/journal.db")).unwrap();
    for sql in [
        "update runs set head_seq = 7, title = 'x', digest = x'00' where id = 'beta'",
        "update runs set id = 'Omega', number = number + 100",
        "update events set run = run + 5, marked = 0, back = 3",
        "delete from runs",
        "delete from meta",
    ] {
        assert!(journal.execute(sql, []).unwrap() > 0, "{sql}");
        // Alpha has lost its name but for the key of its anchor, which has no capital: its chain does not stand on that.
        let counts = found(dir.path(), &truth, sql);
        assert_eq!(counts[1..], [41, 41], "{sql}");
    }
    let salvage = salvage_of(dir.path(), &[run("Alpha")]);
    let alpha = salvage.runs.iter().find(|found| found.run == run("Alpha")).unwrap();
    assert_eq!(salvage.frames(alpha).count(), 41, "who names it finds it");
}

#[test]
fn a_damaged_append_ends_what_is_proven_of_its_run_and_of_no_other() {
    let dir = scratch();
    let truth = sample(dir.path());
    let journal = rusqlite::Connection::open(dir.path().join(".piton/journal.db")).unwrap();
    let sql = "update events set body = zeroblob(length(body)) where seq = 20 and run = 2";
    assert_eq!(journal.execute(sql, []).unwrap(), 1);
    assert_eq!(found(dir.path(), &truth, sql), [41, 19, 41]);
    let last = |what: &str| {
        let salvage = salvage_of(dir.path(), &[]);
        let beta = salvage.runs.iter().find(|found| found.run == run("beta")).map(|beta| beta.acknowledged);
        beta.unwrap_or_else(|| panic!("{what}"))
    };
    assert_eq!(last("anchor and index say it"), Some(41));
    // A damaged row of the index says nothing, and its anchor says it alone; without one nobody knows.
    journal.execute("update runs set head_seq = 999 where id = 'beta'", []).unwrap();
    assert_eq!(last("the anchor says it"), Some(41));
    std::fs::remove_file(dir.path().join(".piton/anchors/beta")).unwrap();
    assert_eq!(last("nobody says it"), None);
    std::fs::remove_dir_all(dir.path().join(".piton/blobs")).unwrap();
    assert_eq!(found(dir.path(), &truth, "no payloads"), [10, 10, 10]);
}

/// Bits and whole pages, anywhere in the file.
#[test]
fn no_damage_makes_salvage_panic_or_tell_anything_but_the_truth() {
    let dir = scratch();
    let truth = sample(dir.path());
    fold_log(&dir.path().join(".piton"));
    let database = dir.path().join(".piton/journal.db");
    let whole = get(&database);
    let mut dice = Dice(18);
    let (mut kept, rounds) = (0, 150);
    for round in 0..rounds {
        let mut bytes = whole.clone();
        let what = match round % 3 {
            0 => {
                let page = dice.below(bytes.len() / 4096) * 4096;
                bytes[page..page + 4096].fill(0);
                format!("page at {page} is empty")
            }
            1 => {
                let length = dice.below(bytes.len());
                bytes.truncate(length);
                format!("cut to {length}")
            }
            _ => {
                for _ in 0..20 {
                    let place = dice.below(bytes.len());
                    bytes[place] ^= 1 << dice.below(8);
                }
                format!("bits, round {round}")
            }
        };
        put(&database, &bytes);
        kept += found(dir.path(), &truth, &what).iter().sum::<usize>();
    }
    // Most of it is there most of the time: this is no journal that gives up at the first bit.
    assert!(kept > rounds * 123 / 3, "{kept} of {}", rounds * 123);
}
