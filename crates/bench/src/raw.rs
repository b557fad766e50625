//! The limits of the disk: what an append with a sync costs without any journal around it.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex};
use std::time::Instant;

use crate::{Metric, Options, metric};

const RECORD: [u8; 512] = [7; 512];

pub(crate) const NAMES: &[&str] = &["true_spawn_ms"];

/// Appends and syncs `count` records one after the other; records per second.
pub(crate) fn append(directory: &Path, count: u32) -> f64 {
    let mut file = File::create(directory.join("raw")).expect("a file");
    let begin = Instant::now();
    for _ in 0..count {
        file.write_all(&RECORD).expect("written");
        file.sync_data().expect("synced");
    }
    f64::from(count) / begin.elapsed().as_secs_f64()
}

#[derive(Default)]
struct Group {
    /// Records waiting for the next sync, and the number of the sync that will hold them.
    waiting: usize,
    synced: u64,
    left: usize,
}

/// 64 producers share one file: whoever finds no sync under way syncs for all that wait.
pub(crate) fn group_commit(directory: &Path, producers: usize, each: usize) -> f64 {
    let file = Arc::new(Mutex::new(File::create(directory.join("raw-group")).expect("a file")));
    let shared =
        Arc::new((Mutex::new(Group { left: producers, ..Group::default() }), Condvar::new(), Condvar::new()));
    let begin = Instant::now();
    let committer = {
        let (file, shared) = (Arc::clone(&file), Arc::clone(&shared));
        std::thread::spawn(move || commit_for_all(&file, &shared))
    };
    let threads: Vec<_> = (0..producers)
        .map(|_| {
            let shared = Arc::clone(&shared);
            std::thread::spawn(move || produce(&shared, each))
        })
        .collect();
    for thread in threads {
        thread.join().expect("a producer ends");
    }
    committer.join().expect("the committer ends");
    (producers * each) as f64 / begin.elapsed().as_secs_f64()
}

type Shared = (Mutex<Group>, Condvar, Condvar);

fn produce(shared: &Shared, each: usize) {
    let (group, arrived, durable) = shared;
    for _ in 0..each {
        let mut state = group.lock().expect("a lock");
        state.waiting += 1;
        let mine = state.synced + 1;
        arrived.notify_one();
        // A sync that is under way began before this record: the one after it counts.
        let _state = durable.wait_while(state, |state| state.synced < mine).expect("a lock");
    }
    group.lock().expect("a lock").left -= 1;
    arrived.notify_one();
}

fn commit_for_all(file: &Mutex<File>, shared: &Shared) {
    let (group, arrived, durable) = shared;
    loop {
        let count = {
            let state = group.lock().expect("a lock");
            let mut state =
                arrived.wait_while(state, |state| state.waiting == 0 && state.left > 0).expect("a lock");
            if state.waiting == 0 {
                return;
            }
            std::mem::take(&mut state.waiting)
        };
        let mut file = file.lock().expect("a lock");
        file.write_all(&RECORD.repeat(count)).expect("written");
        file.sync_data().expect("synced");
        drop(file);
        let mut state = group.lock().expect("a lock");
        state.synced += 1;
        durable.notify_all();
    }
}

/// What starting a process costs at all.
pub(crate) fn measure_disk(_options: &Options) -> Vec<Metric> {
    vec![metric("true_spawn_ms", spawn_true(), "ms")]
}

pub(crate) fn spawn_true() -> f64 {
    let times = (0..20).map(|_| crate::command_line::time(std::path::Path::new("true"), &[])).collect();
    crate::median(times)
}
