//! Damage: flipped bits, cut and lost files, stale copies. What is stored is served as it was written, or
//! not at all; and verifying finds every change.
//!
//! `PITON_FLIPS=10000` asks for more flips than the few hundred of an ordinary run, `PITON_SEED` for others.

use std::path::Path;

use crate::common::*;
use piton_model::RunId;
use piton_store::conformance::block_on;
use piton_store::sqlite::Sqlite;
use piton_store::{Append, Error, Expect, Store, Wanted};

const RUNS: [&str; 3] = ["alpha", "beta", "gamma"];

/// The state that a sample keeps with the event at `seq`.
fn state_at(id: &RunId, seq: u64) -> Vec<u8> {
    format!("the state of {id} at {seq}, ").repeat(seq as usize).into_bytes()
}

/// A journal with a bit of everything, its log not folded in, as a death leaves it; and what it serves.
fn sample(state: &Path) -> Truth {
    let living = state.with_extension("living");
    let store = Sqlite::open(&living).unwrap();
    for id in RUNS {
        create(&store, id);
    }
    let mut blobs = Vec::new();
    for n in 0..24 {
        for (k, id) in RUNS.into_iter().enumerate() {
            let words = format!("{id} {n} {}", "words ".repeat(n * (k + 1) * 4));
            let mut append = asked(id, Expect::Any, &words);
            if n == 5 {
                append.events[0].data = words.repeat(200).into_bytes();
                blobs.push(append.events[0].data.clone());
            }
            if n % 3 == 0 {
                append.events.push(append.events[0].clone());
            }
            if n % 8 == 7 {
                let head = block_on(store.row(&append.run)).unwrap().head;
                append.checkpoint = Some(state_at(&append.run, head.seq + append.events.len() as u64));
            }
            block_on(store.append(append)).unwrap();
        }
        if n == 12 {
            // Half of it lies in the database, half in the log.
            fold_log(&living);
            drop(claim(&store, "alpha"));
        }
    }
    blobs.push(vec![7; 5000]);
    let put = |bytes: Vec<u8>| (block_on(store.put_blob(&bytes)).unwrap(), bytes);
    let blobs = blobs.into_iter().map(put).collect();
    for id in RUNS {
        block_on(store.settle(&run(id))).unwrap();
    }
    assert_whole(&store);
    copy_state(&living, state);
    Truth { runs: RUNS.iter().map(|id| run_truth(&store, &run(id)).unwrap()).collect(), blobs }
}

/// What became of a damaged journal.
#[derive(Debug, PartialEq)]
enum Fate {
    /// Everything is served as it was.
    Unharmed,
    /// Something is not, and verifying says so.
    Detected,
}

/// Opens a damaged journal and looks at all of it. Panics where something else than the truth is served, or
/// where a change goes unnoticed.
#[track_caller]
fn judge(state: &Path, truth: &Truth, what: &str) -> Fate {
    let Ok(store) = Sqlite::open(state) else { return Fate::Detected };
    let mut changed = false;
    for expected in &truth.runs {
        let id = &expected.row.entry.run_id;
        let row = block_on(store.row(id));
        assert!(
            row.as_ref().is_err() || row.as_ref().unwrap() == &expected.row,
            "{what}: a changed row was served"
        );
        assert!(!matches!(row, Err(Error::UnknownRun { .. })), "{what}: `{id}` was denied");
        let events = block_on(store.read(id, 1, usize::MAX));
        assert!(
            events.as_ref().is_err() || events.as_ref().unwrap() == &expected.events,
            "{what}: changed events"
        );
        changed |= row.is_err() || events.is_err();
        for from in [expected.events.len() as u64 / 2, expected.row.head.seq] {
            match block_on(store.read(id, from, 1)) {
                Ok(some) => assert_eq!(some, expected.events[from as usize - 1..][..some.len()], "{what}"),
                Err(_) => changed = true,
            }
        }
        for checkpoint in &expected.checkpoints {
            match block_on(store.checkpoint(id, checkpoint.seq)) {
                Ok(Some(found)) => {
                    assert!(
                        found.bytes == state_at(id, found.seq),
                        "{what}: a changed checkpoint was served"
                    );
                    changed |= found != *checkpoint;
                }
                Ok(None) | Err(_) => changed = true,
            }
        }
    }
    for (id, bytes) in &truth.blobs {
        match block_on(store.blob(id)) {
            Ok(found) => assert!(found == *bytes, "{what}: a changed blob was served"),
            Err(_) => changed = true,
        }
    }
    let rows = block_on(store.rows(Wanted::ALL_THERE)).map(|page| page.rows);
    let mut expected: Vec<_> = truth.runs.iter().map(|run| run.row.clone()).collect();
    expected.reverse();
    changed |= rows.ok() != Some(expected);

    let mut detected = block_on(store.verify(None)).map_or(true, |problems| !problems.is_empty());
    for expected in &truth.runs {
        detected |= block_on(store.verify(Some(&expected.row.entry.run_id)))
            .map_or(true, |problems| !problems.is_empty());
    }
    // Blobs that no event names are verified when they are read.
    detected |= truth.blobs.iter().any(|(id, _)| block_on(store.blob(id)).is_err());
    assert!(detected || !changed, "{what}: something changed and verifying says nothing");
    if detected { Fate::Detected } else { Fate::Unharmed }
}

fn number(name: &str, otherwise: usize) -> usize {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

/// Flips bits one at a time over the files that `pick` names.
fn flip(what: &str, share: usize, fold: bool, pick: impl Fn(&Path) -> bool) -> (usize, usize) {
    let directory = scratch();
    let (whole, copy) = (directory.path().join("whole"), directory.path().join("copy"));
    let truth = sample(&whole);
    if fold {
        fold_log(&whole);
    }
    copy_state(&whole, &copy);
    assert_eq!(judge(&copy, &truth, "a plain copy"), Fate::Unharmed);
    let files: Vec<_> = files_below(&whole)
        .into_iter()
        .map(|file| file.strip_prefix(&whole).unwrap().to_owned())
        .filter(|file| pick(file) && !get(&whole.join(file)).is_empty())
        .collect();
    assert!(!files.is_empty(), "{what}: nothing to flip");
    let mut dice = Dice(number("PITON_SEED", 7) as u64);
    let flips = number("PITON_FLIPS", 400) * share / 100;
    let (mut detected, mut unharmed) = (0, 0);
    for n in 0..flips {
        let file = &files[dice.below(files.len())];
        let mut bytes = get(&whole.join(file));
        let (byte, bit) = (dice.below(bytes.len()), dice.below(8));
        bytes[byte] ^= 1 << bit;
        std::fs::remove_dir_all(&copy).unwrap();
        copy_state(&whole, &copy);
        put(&copy.join(file), &bytes);
        match judge(&copy, &truth, &format!("flip {n}: bit {bit} of byte {byte} of {}", file.display())) {
            Fate::Detected => detected += 1,
            Fate::Unharmed => unharmed += 1,
        }
    }
    println!(
        "{what}: {flips} flips, {detected} detected, {unharmed} without effect on what is served, 0 missed"
    );
    (detected, unharmed)
}

#[test]
fn a_flipped_bit_in_the_database_is_found_or_harmless() {
    let (detected, _) = flip("database", 50, true, |file| file == Path::new("journal.db"));
    assert!(detected > 0);
}

#[test]
fn a_flipped_bit_in_the_log_is_found_or_harmless() {
    let (detected, _) = flip("log", 30, false, |file| file == Path::new("journal.db-wal"));
    assert!(detected > 0);
}

#[test]
fn a_flipped_bit_in_a_blob_is_found_or_means_nothing() {
    let (detected, unharmed) = flip("blobs", 10, true, |file| file.starts_with("blobs"));
    // A compressed frame has a few bits that mean nothing: such a flip decodes to the same bytes.
    assert!(detected > 10 * unharmed);
}

#[test]
fn a_flipped_bit_in_an_anchor_harms_nothing() {
    let (detected, unharmed) = flip("anchors", 10, true, |file| file.starts_with("anchors"));
    assert!(
        detected == 0 && unharmed > 0,
        "an anchor is a second witness: without it, the journal still counts"
    );
}

#[test]
fn a_flipped_bit_in_the_stored_bytes_is_always_found() {
    // The flips above fall mostly on free space and page structure; these fall on what was written.
    let directory = scratch();
    let (whole, copy) = (directory.path().join("whole"), directory.path().join("copy"));
    let truth = sample(&whole);
    fold_log(&whole);
    let bytes = get(&whole.join("journal.db"));
    let needles: Vec<Vec<u8>> = vec![
        b"alpha 3 words".to_vec(),
        b"beta".to_vec(),
        b"noted noted".to_vec(),
        b"blocked".to_vec(),
        truth.runs[1].row.head.hash.to_vec(),
        truth.runs[2].events[4].hash.to_vec(),
        bytes_of("gamma 0 ").to_vec(),
    ];
    let mut dice = Dice(number("PITON_SEED", 7) as u64);
    let mut flips = 0;
    for needle in needles {
        let places: Vec<_> = bytes
            .windows(needle.len())
            .enumerate()
            .filter(|(_, seen)| *seen == needle)
            .map(|(at, _)| at)
            .collect();
        assert!(!places.is_empty(), "{:?} is nowhere", String::from_utf8_lossy(&needle));
        for place in places.into_iter().take(4) {
            let mut bytes = bytes.clone();
            bytes[place + dice.below(needle.len())] ^= 1 << dice.below(8);
            let _ = std::fs::remove_dir_all(&copy);
            copy_state(&whole, &copy);
            put(&copy.join("journal.db"), &bytes);
            // Pages that were freed still hold old bytes; those are not served.
            judge(&copy, &truth, &format!("{:?} at {place}", String::from_utf8_lossy(&needle)));
            flips += 1;
        }
    }
    println!("stored bytes: {flips} flips, 0 missed");
}

#[test]
fn a_log_that_was_cut_or_lost_is_found() {
    let directory = scratch();
    let (whole, copy) = (directory.path().join("whole"), directory.path().join("copy"));
    let truth = sample(&whole);
    let log = get(&whole.join("journal.db-wal"));
    assert!(log.len() > 50_000, "the log holds much of it");
    let mut dice = Dice(7);
    let mut cuts: Vec<usize> = (0..40).map(|_| dice.below(log.len())).collect();
    cuts.extend([0, 31, 32, log.len() - 1]);
    for cut in cuts {
        let _ = std::fs::remove_dir_all(&copy);
        copy_state(&whole, &copy);
        put(&copy.join("journal.db-wal"), &log[..cut]);
        assert_eq!(judge(&copy, &truth, &format!("cut at {cut}")), Fate::Detected, "cut at {cut}");
    }
    let _ = std::fs::remove_dir_all(&copy);
    copy_state(&whole, &copy);
    std::fs::remove_file(copy.join("journal.db-wal")).unwrap();
    assert_eq!(judge(&copy, &truth, "no log at all"), Fate::Detected);
    for start in (0..log.len() - 4096).step_by(log.len() / 10) {
        std::fs::remove_dir_all(&copy).unwrap();
        copy_state(&whole, &copy);
        let mut zeroed = log.clone();
        zeroed[start..start + 4096].fill(0);
        put(&copy.join("journal.db-wal"), &zeroed);
        assert_eq!(judge(&copy, &truth, "a zeroed page"), Fate::Detected);
    }
}

#[test]
fn a_zeroed_or_missing_page_of_the_database_is_found_or_was_free() {
    let directory = scratch();
    let (whole, copy) = (directory.path().join("whole"), directory.path().join("copy"));
    let truth = sample(&whole);
    fold_log(&whole);
    let bytes = get(&whole.join("journal.db"));
    let mut detected = 0;
    for start in (0..bytes.len()).step_by(4096) {
        let mut zeroed = bytes.clone();
        zeroed[start..start + 4096].fill(0);
        for damaged in [&zeroed[..], &bytes[..start]] {
            let _ = std::fs::remove_dir_all(&copy);
            copy_state(&whole, &copy);
            put(&copy.join("journal.db"), damaged);
            detected += usize::from(judge(&copy, &truth, &format!("page at {start}")) == Fate::Detected);
        }
    }
    assert!(detected > bytes.len() / 4096, "{detected}");
}

/// A whole journal, and an older copy of its database.
fn rolled_back() -> (tempfile::TempDir, std::path::PathBuf) {
    let directory = scratch();
    let state = directory.path().join("state");
    {
        let store = Sqlite::open(&state).unwrap();
        create(&store, "old");
        say(&store, "old", "one");
    }
    fold_log(&state);
    let stale = get(&state.join("journal.db"));
    {
        let store = Sqlite::open(&state).unwrap();
        say(&store, "old", "two");
        create(&store, "new");
    }
    put(&state.join("journal.db"), &stale);
    let _ = std::fs::remove_file(state.join("journal.db-wal"));
    let _ = std::fs::remove_file(state.join("journal.db-shm"));
    (directory, state)
}

#[test]
fn a_stale_copy_of_the_database_is_found_and_nobody_goes_on_from_it() {
    let (_directory, state) = rolled_back();
    let store = Sqlite::open(&state).unwrap();
    let corrupt = |result: Result<(), Error>, what: &str| {
        assert!(matches!(result, Err(Error::Corrupt(_))), "{what}: {result:?}");
    };
    block_on(async {
        corrupt(store.row(&run("old")).await.map(drop), "row");
        corrupt(store.read(&run("old"), 1, 9).await.map(drop), "read");
        corrupt(store.read(&run("old"), 3, 9).await.map(drop), "read on");
        corrupt(store.append(asked("old", Expect::Any, "three")).await.map(drop), "append");
        let holder = piton_store::Holder {
            host: String::new(),
            process: piton_sys::process::current(),
            since: piton_model::Timestamp::from_millis(0),
        };
        corrupt(store.claim(&run("old"), holder, piton_store::Claim::IfFree).await.map(drop), "claim");
        corrupt(store.row(&run("new")).await.map(drop), "row of a run that is gone");
        let again = store.append(asked("new", Expect::Seq(0), "created")).await;
        corrupt(again.map(drop), "creating it again");
    });
    let found: Vec<_> = problems(&store).unwrap().iter().map(ToString::to_string).collect();
    assert_eq!(
        found,
        [
            "run `new`: the whole run is gone; 1 events were acknowledged",
            "run `old`: events 3 to 3 were acknowledged and are gone",
        ]
    );
    // Other runs are not held up.
    create(&store, "other");
    say(&store, "other", "one");
}

#[test]
fn a_database_that_was_replaced_or_begun_anew_is_found() {
    let directory = scratch();
    let (state, other) = (directory.path().join("state"), directory.path().join("other"));
    for (path, id) in [(&state, "mine"), (&other, "theirs")] {
        let store = Sqlite::open(path).unwrap();
        create(&store, id);
        create(&store, "shared");
    }
    fold_log(&state);
    fold_log(&other);
    put(&state.join("journal.db"), &get(&other.join("journal.db")));
    let store = Sqlite::open(&state).unwrap();
    let found = problems(&store).unwrap();
    assert!(found.iter().any(|problem| problem.run == Some(run("mine"))), "{found:?}");
    assert!(found.iter().any(|problem| problem.run == Some(run("shared"))), "{found:?}");
    assert!(matches!(block_on(store.row(&run("shared"))), Err(Error::Corrupt(_))));
    drop(store);

    for name in ["journal.db", "journal.db-wal", "journal.db-shm"] {
        let _ = std::fs::remove_file(state.join(name));
    }
    for gone in [Sqlite::open(&state).map(drop), Sqlite::open_existing(&state).map(drop)] {
        let Err(Error::Corrupt(problem)) = gone else { panic!("{gone:?}") };
        let database = state.join("journal.db");
        let what = format!("the journal itself is gone (`{}`); it held mine, shared", database.display());
        assert_eq!(problem.what, what);
    }
    assert!(!state.join("journal.db").exists(), "no empty one takes its place");
}

#[test]
fn a_table_whose_declaration_changed_is_found() {
    let directory = scratch();
    let state = directory.path().join("state");
    sample(&state);
    fold_log(&state);
    let connection = rusqlite::Connection::open(state.join("journal.db")).unwrap();
    let forge = "pragma writable_schema = on; \
                 update sqlite_schema set sql = replace(sql, 'kind text', 'jind text') where name = 'runs'";
    connection.execute_batch(forge).unwrap();
    drop(connection);
    let opened = Sqlite::open(&state).and_then(|store| block_on(store.row(&run("alpha"))));
    assert!(matches!(opened, Err(Error::Corrupt(_))), "{opened:?}");
}

#[test]
fn damage_to_one_run_leaves_the_others_alone() {
    let directory = scratch();
    let state = directory.path().join("state");
    let truth = sample(&state);
    fold_log(&state);
    let connection = rusqlite::Connection::open(state.join("journal.db")).unwrap();
    connection.execute("update events set kinds = 'forged' where run = 1 and seq = 1", []).unwrap();
    connection.execute("update runs set title = 'forged' where number = 2", []).unwrap();
    drop(connection);
    let store = Sqlite::open(&state).unwrap();
    let corrupt = |result: Result<(), Error>| assert!(matches!(result, Err(Error::Corrupt(_))), "{result:?}");
    corrupt(block_on(store.read(&run("alpha"), 1, 9)).map(drop));
    corrupt(block_on(store.row(&run("beta"))).map(drop));
    corrupt(block_on(store.append(asked("beta", Expect::Any, "x"))).map(drop));
    assert_eq!(run_truth(&store, &run("gamma")).unwrap(), truth.runs[2]);
    assert_eq!(block_on(store.verify(Some(&run("gamma")))).unwrap(), []);
    say(&store, "gamma", "goes on");
}

#[test]
fn a_way_between_events_that_was_bent_is_found() {
    let directory = scratch();
    let state = directory.path().join("state");
    let truth = sample(&state);
    for (damage, noticed) in [
        ("update events set back = back - 1 where row = 40", true),
        ("update events set back = 0 where row = 40", true),
        ("update events set back = 40 where row = 40", true),
        ("update events set seq = seq + 1 where row = 40", true),
        ("update events set run = 4 - run where row = 40", true),
        ("delete from events where row = 40", true),
        ("update runs set head_row = head_row - 1 where number = 2", true),
        ("update runs set head_row = head_row - 3 where number = 2", true),
        // An event that no run leads to is no truth, and yet it should not be there.
        (
            "insert into events select 9999, back, 0, run, seq, at, kinds, codec, key_id, body, hash, null \
          from events where row = 40",
            true,
        ),
        // A mark only shortens the way.
        ("update events set marked = 0 where marked = 1", false),
        ("update events set marked = 1", false),
    ] {
        let copy = directory.path().join("copy");
        let _ = std::fs::remove_dir_all(&copy);
        copy_state(&state, &copy);
        let connection = rusqlite::Connection::open(copy.join("journal.db")).unwrap();
        assert!(connection.execute(damage, []).unwrap() > 0, "{damage}");
        drop(connection);
        let fate = judge(&copy, &truth, damage);
        assert_eq!(fate, if noticed { Fate::Detected } else { Fate::Unharmed }, "{damage}");
    }
}

#[test]
fn a_checkpoint_of_another_event_or_run_is_not_served() {
    let directory = scratch();
    let state = directory.path().join("state");
    sample(&state);
    for forgery in
        ["seq = seq - 1", "run = 9 - run", "key_id = 1", "codec = 1 - codec", "bytes = zeroblob(9)"]
    {
        let copy = directory.path().join("copy");
        let _ = std::fs::remove_dir_all(&copy);
        copy_state(&state, &copy);
        let connection = rusqlite::Connection::open(copy.join("journal.db")).unwrap();
        connection.execute(&format!("update checkpoints set {forgery} where run in (1, 8)"), []).unwrap();
        connection
            .execute("update runs set number = 8 where number = 2 and ?1 = 'run = 9 - run'", [forgery])
            .unwrap();
        drop(connection);
        let store = Sqlite::open(&copy).unwrap();
        for id in ["alpha", "beta"] {
            let served = block_on(store.checkpoint(&run(id), u64::MAX));
            assert!(
                id == "beta" && forgery != "run = 9 - run" || !matches!(served, Ok(Some(_))),
                "{forgery}: {served:?}"
            );
        }
        assert!(problems(&store).map_or(true, |problems| !problems.is_empty()), "{forgery}");
    }
}

#[test]
fn an_append_that_meets_damage_leaves_nothing_half_written() {
    // The second append of the batch fails in the middle; it must not be committed by the first one's COMMIT.
    let directory = scratch();
    let state = directory.path().join("state");
    let store = Sqlite::open(&state).unwrap();
    create(&store, "a");
    let connection = rusqlite::Connection::open(state.join("journal.db")).unwrap();
    let trigger = "create trigger refuse before insert on checkpoints begin select raise(abort, 'no'); end";
    connection.execute_batch(trigger).unwrap();
    drop(connection);
    let store = Sqlite::open(&state).unwrap();
    let append = Append { checkpoint: Some(vec![1]), ..asked("a", Expect::Any, "half") };
    assert!(block_on(store.append(append)).is_err());
    assert_eq!(words(&store, "a"), ["created"]);
    say(&store, "a", "whole");
    assert_eq!(block_on(store.verify(Some(&run("a")))).unwrap(), []);
}
