//! Measures how fast a journal is verified: makes one of so many MiB in a directory, then checks every chain, in one thread.
//!
//! `cargo run --release -p piton-store --example verify_speed -- DIRECTORY MIB`
#![expect(clippy::print_stdout, reason = "it prints what it measured")]

use std::path::PathBuf;
use std::time::{Duration, Instant};

use piton_model::{Encoded, Entry, Kind, RunId, Status, Timestamp};
use piton_store::sqlite::Sqlite;
use piton_store::{Append, Expect, Fence, Store, Wanted};

/// Events of a run.
const EVENTS: u64 = 4096;

fn main() {
    let mut arguments = std::env::args_os().skip(1);
    let directory = PathBuf::from(arguments.next().expect("a directory"));
    let mib: u64 = arguments.next().and_then(|word| word.to_str()?.parse().ok()).expect("a size in MiB");
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    runtime.block_on(measure(directory, mib << 20));
}

async fn measure(directory: PathBuf, bytes_wanted: u64) {
    let state = directory.join(".piton");
    let is_new = !state.join("journal.db").exists();
    let store = Sqlite::open(&state).expect("a journal");
    if is_new {
        fill(&store, bytes_wanted).await;
    }
    let rows = store.rows(Wanted::ALL).await.expect("the runs").rows;
    let plain: u64 = {
        let mut bytes = 0;
        for row in rows.iter().take(1) {
            let events = store.read(&row.entry.run_id, 1, usize::MAX).await.expect("its events");
            bytes = events.iter().map(|event| event.event.data.len() as u64).sum::<u64>();
        }
        bytes * rows.len() as u64
    };
    let file = std::fs::metadata(state.join("journal.db")).expect("the file").len();
    for round in 0..3 {
        let (begun, worked) = (Instant::now(), on_processor());
        for row in &rows {
            assert!(store.verify(Some(&row.entry.run_id)).await.expect("it verifies").is_empty());
        }
        let (chains, busy) = (begun.elapsed(), on_processor() - worked);
        let begun = Instant::now();
        assert!(store.verify(None).await.expect("it verifies").is_empty());
        let pages = begun.elapsed();
        let rate = |bytes: u64, time: Duration| bytes as f64 / 1e6 / time.as_secs_f64();
        println!(
            "round {round}: chains of {} runs in {chains:.2?}, {busy:.2?} of it on a core: {:.0} MB/s of payload per core, {:.0} MB/s of file; \
             pages and indexes in {pages:.2?}: {:.0} MB/s of file",
            rows.len(),
            rate(plain, busy),
            rate(file, busy),
            rate(file, pages),
        );
    }
}

/// How long this thread was on a core: others may be there, too, while this is measured.
fn on_processor() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    Duration::from_nanos(text.split(' ').next().and_then(|nanos| nanos.parse().ok()).unwrap_or(0))
}

/// Events of the sizes that a loop records: mostly some hundred bytes, some of a few KiB, now and then a long one.
async fn fill(store: &Sqlite, bytes_wanted: u64) {
    let (mut written, mut number, mut noise) = (0, 0, 0x9e37_79b9_7f4a_7c15_u64);
    while written < bytes_wanted {
        let run: RunId = format!("run-{number}").parse().expect("a name");
        number += 1;
        let mut seq = 0;
        while seq < EVENTS {
            let events: Vec<Encoded> = (0..8)
                .map(|place| {
                    let length = match (seq + place) % 64 {
                        0 => 40_000,
                        n if n % 8 == 0 => 6_000,
                        _ => 600,
                    };
                    let mut data = String::with_capacity(length + 20);
                    data.push_str("{\"text\":\"");
                    while data.len() < length {
                        noise ^= noise << 13;
                        noise ^= noise >> 7;
                        noise ^= noise << 17;
                        data.push_str(&format!("{noise:x} the tests pass; "));
                    }
                    data.push_str("\"}");
                    Encoded { kind: "agent_progressed".to_owned(), version: 1, data: data.into_bytes() }
                })
                .collect();
            written += events.iter().map(|event| event.data.len() as u64).sum::<u64>();
            let append = Append {
                run: run.clone(),
                fence: Fence::Request(salt(number, seq)),
                expect: if seq == 0 { Expect::Seq(0) } else { Expect::Any },
                at: Timestamp::from_millis(1_771_157_000_000),
                events,
                entry: Some(entry(&run)),
                checkpoint: None,
                salt: salt(number, seq),
            };
            seq = store.append(append).await.expect("an append").seq;
        }
    }
}

fn salt(run: u64, seq: u64) -> [u8; 16] {
    let bytes = piton_store::chain::digest(format!("{run} {seq}").as_bytes());
    bytes[..16].try_into().expect("16 of 32 bytes")
}

fn entry(run: &RunId) -> Entry {
    Entry {
        run_id: run.clone(),
        kind: Kind::Loop,
        title: "measured".to_owned(),
        status: Status::Completed,
        reason: None,
        created_at: Timestamp::from_millis(1_771_157_000_000),
        updated_at: Timestamp::from_millis(1_771_157_000_000),
        iteration: 1,
        waiting_for: None,
        fold: 1,
    }
}
