//! Many processes, threads and tasks on one journal: nobody is told that it is locked, nothing is lost.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;

use crate::common::*;
use piton_store::conformance::block_on;
use piton_store::sqlite::Sqlite;
use piton_store::{Append, Expect, Fence, Store, Wanted};
use piton_sys::process::{Program, RunLimits};

const STATE: &str = "PITON_TEST_STATE";
const NAME: &str = "PITON_TEST_NAME";
const STEPS: usize = 40;

/// Runs one of the ignored tests below as a process of its own.
pub(crate) fn child(
    test: &str,
    state: &Path,
    name: &str,
    abort_at: Option<usize>,
) -> piton_sys::process::ProgramOutput {
    let mut program = Program::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--ignored", "--nocapture", "--test-threads=1"])
        .env(STATE, state)
        .env(NAME, name);
    if let Some(abort_at) = abort_at {
        program = program.env("PITON_ABORT_AT", abort_at.to_string());
    }
    program.run(limits()).unwrap()
}

fn limits() -> RunLimits {
    RunLimits { deadline: Duration::from_secs(120), output_bytes_max: 1 << 20 }
}

pub(crate) fn place() -> (PathBuf, String) {
    let state = std::env::var_os(STATE).expect("started by its parent");
    (state.into(), std::env::var(NAME).unwrap())
}

#[test]
#[ignore = "a process of the tests below"]
fn child_that_writes() {
    let (state, name) = place();
    let store = Sqlite::open(&state).unwrap();
    create(&store, &name);
    let lease = claim(&store, &name);
    for n in 0..STEPS {
        let words = format!("{name} {n}");
        let append = Append {
            fence: Fence::Epoch(lease.epoch),
            entry: None,
            ..asked(&name, Expect::Seq(n as u64 + 1), &words)
        };
        block_on(store.append(append)).unwrap();
        say(&store, "shared", &words);
    }
}

#[test]
fn processes_share_a_journal_from_its_first_moment() {
    const PROCESSES: usize = 4;
    let directory = scratch();
    let state = directory.path().join("state");
    // They race for the creation of the journal, too: only the shared run is made beforehand, by racers.
    std::thread::scope(|scope| {
        for _ in 0..PROCESSES {
            scope.spawn(|| create(&Sqlite::open(&state).unwrap(), "shared"));
        }
    });
    std::thread::scope(|scope| {
        for n in 0..PROCESSES {
            let state = &state;
            scope.spawn(move || {
                let output = child("crowd::child_that_writes", state, &format!("run-{n}"), None);
                let text = String::from_utf8_lossy(&output.stderr).into_owned();
                assert!(output.success(), "{text}");
            });
        }
    });
    let store = Sqlite::open(&state).unwrap();
    for n in 0..PROCESSES {
        assert_eq!(words(&store, &format!("run-{n}")).len(), STEPS + 1);
    }
    let shared: BTreeSet<_> = words(&store, "shared").into_iter().collect();
    assert_eq!(shared.len(), 1 + PROCESSES * STEPS);
    assert_whole(&store);
}

#[test]
fn a_journal_can_be_begun_by_many_at_once() {
    for _ in 0..10 {
        let directory = scratch();
        let state = directory.path().join("state");
        let ids: BTreeSet<_> = std::thread::scope(|scope| {
            let openers: Vec<_> =
                (0..8).map(|_| scope.spawn(|| Sqlite::open(&state).unwrap().identity().id)).collect();
            openers.into_iter().map(|opener| opener.join().unwrap()).collect()
        });
        assert_eq!(ids.len(), 1, "two journals were begun");
    }
}

#[test]
#[ignore = "a process of the test below"]
fn child_that_dies() {
    let (state, _) = place();
    let said = |words: &str| println!("ack {words}");
    let store = Sqlite::open(&state).unwrap();
    for id in ["a", "b"] {
        create(&store, id);
        said(&format!("{id} created"));
        let lease = claim(&store, id);
        for n in 0..3 {
            let words = format!("step {n}");
            // A second life goes on from what the journal says.
            let there = crate::common::words(&store, id);
            if there.contains(&words) {
                continue;
            }
            let mut append = asked(id, Expect::Seq(there.len() as u64), &words);
            append.fence = Fence::Epoch(lease.epoch);
            append.checkpoint = Some(words.clone().into_bytes());
            if n == 1 {
                append.events[0].data = words.clone().into_bytes();
                block_on(store.put_blob(&vec![7; 100_000])).unwrap();
            }
            block_on(store.append(append)).unwrap();
            said(&format!("{id} {words}"));
        }
        block_on(store.settle(&run(id))).unwrap();
        if id == "b" {
            block_on(store.remove(lease)).unwrap();
        }
    }
}

/// Every point where the journal touches the disk is the last of its process once.
#[test]
fn whatever_was_acknowledged_survives_a_death_at_any_point() {
    let mut deaths = 0;
    for abort_at in 1.. {
        let directory = scratch();
        let state = directory.path().join("state");
        let output = child("crowd::child_that_dies", &state, "", Some(abort_at));
        let alive = output.success();
        deaths += usize::from(!alive);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        if state.join("journal.db").exists() {
            let store = Sqlite::open(&state).unwrap();
            assert_whole(&store);
            // Only the last acts of a child remove `b`.
            let ids: Vec<_> = block_on(store.rows(Wanted::ALL))
                .unwrap()
                .rows
                .into_iter()
                .map(|row| row.entry.run_id)
                .collect();
            for line in text.lines().filter_map(|line| line.split("ack ").nth(1)) {
                let (id, step) = line.split_once(' ').unwrap();
                let removed = id == "b" && text.contains("b step 2") && !ids.contains(&run("b"));
                assert!(
                    removed || words(&store, id).contains(&step.to_owned()),
                    "died at {abort_at}: {line} is lost"
                );
            }
        }
        let second = child("crowd::child_that_dies", &state, "", None);
        assert!(second.success(), "after {abort_at}: {}", String::from_utf8_lossy(&second.stderr));
        let store = Sqlite::open(&state).unwrap();
        assert_whole(&store);
        assert_eq!(words(&store, "a"), ["created", "step 0", "step 1", "step 2"], "died at {abort_at}");
        assert_eq!(block_on(store.rows(Wanted::ALL)).unwrap().rows.len(), 1);
        if alive {
            assert!(deaths > 40, "only {deaths} points were hit");
            println!("{deaths} deaths, nothing lost");
            return;
        }
    }
}

/// Sixty-four drivers in one thread append while another process writes: then one commit serves them all,
/// or two where the writer had taken the first of them already.
#[tokio::test(flavor = "current_thread")]
async fn drivers_of_one_process_share_commits() {
    const DRIVERS: usize = 64;
    let directory = scratch();
    let state = directory.path().join("state");
    let store = Rc::new(Sqlite::open(&state).unwrap());
    let mut leases = Vec::new();
    for n in 0..DRIVERS {
        let id = format!("run-{n}");
        store.append(asked(&id, Expect::Seq(0), "created")).await.unwrap();
        leases.push(claim(&store, &id));
    }
    fold_log(&state);
    let another_process = File::open(state.join("write.lock")).unwrap();
    another_process.lock().unwrap();
    let begun = Rc::new(Cell::new(0));
    let tasks = tokio::task::LocalSet::new();
    for lease in &leases {
        let (store, begun) = (Rc::clone(&store), Rc::clone(&begun));
        let mut append = asked(lease.run.as_str(), Expect::Seq(1), "step");
        append.fence = Fence::Epoch(lease.epoch);
        tasks.spawn_local(async move {
            begun.set(begun.get() + 1);
            store.append(append).await.unwrap();
        });
    }
    tasks
        .run_until(async {
            while begun.get() < DRIVERS {
                tokio::task::yield_now().await;
            }
        })
        .await;
    another_process.unlock().unwrap();
    tasks.await;
    let commits = log_commits(&state);
    assert!((1..=2).contains(&commits), "{DRIVERS} appends took {commits} commits");
    assert_whole(&store);
}

/// Commits in the log since it was last begun anew: its frames with a database size are commits.
fn log_commits(state: &Path) -> usize {
    let log = get(&state.join("journal.db-wal"));
    let salt = &log[16..24];
    let frames = log[32..].chunks_exact(24 + 4096);
    frames.filter(|frame| &frame[8..16] == salt && frame[4..8] != [0; 4]).count()
}
