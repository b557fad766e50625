//! Durable steps per second, beside what the disk can do at all.

use std::process::Stdio;

use crate::{Metric, Options, median, metric, raw, steps};

pub(crate) const NAMES: &[&str] = &[
    "raw_append",
    "raw_group_commit_64",
    "journal_sequential",
    "journal_64_runs",
    "journal_8_processes",
    "journal_8_processes_p99_us",
    "bytes_per_step",
    "journal_encrypted",
];

const RAW_APPENDS: u32 = 3_000;
const GROUP_APPENDS: usize = 1_000;
const STEPS: u32 = 3_000;
const STEPS_OF_64: u32 = 500;
const STEPS_OF_8: u32 = 400;

pub(crate) fn measure(options: &Options) -> Vec<Metric> {
    let mut rounds: Vec<[f64; 9]> = Vec::new();
    for _ in 0..options.rounds {
        rounds.push(round(options));
    }
    let column = |index: usize| median(rounds.iter().map(|round| round[index]).collect());
    // Ratios are taken within a round, where the noise is shared, and only then the median.
    let ratio =
        |over: usize, under: usize| median(rounds.iter().map(|round| round[over] / round[under]).collect());
    vec![
        metric("raw_append", column(0), "appends/s"),
        metric("raw_group_commit_64", column(1), "appends/s"),
        metric("journal_sequential", column(2), "steps/s"),
        metric("journal_sequential_of_raw", ratio(2, 0), "ratio"),
        metric("journal_64_runs", column(3), "steps/s"),
        metric("journal_64_runs_of_raw", ratio(3, 1), "ratio"),
        metric("journal_8_processes", column(4), "steps/s"),
        metric("journal_8_processes_p99_us", column(5), "us"),
        metric("bytes_per_step", column(6), "bytes"),
        metric("payload_bytes_per_step", column(7), "bytes"),
        metric("journal_encrypted", column(8), "steps/s"),
        metric("journal_encrypted_of_plain", ratio(8, 2), "ratio"),
    ]
}

fn round(options: &Options) -> [f64; 9] {
    let scratch = options.scratch();
    let raw_append = raw::append(scratch.path(), RAW_APPENDS);
    let one = scratch.path().join("one");
    let (sequential, _) = steps::sequential(&one, "r", STEPS);
    // The same once more, each payload sealed.
    let sealed = steps::sequential_sealed(&scratch.path().join("sealed"), "r", STEPS);
    let raw_group = raw::group_commit(scratch.path(), 64, GROUP_APPENDS);
    let many = scratch.path().join("many");
    let many_runs = steps::many_runs(&many, 64, STEPS_OF_64);
    let (processes, p99) = eight_processes(&scratch.path().join("eight"));
    let payload = steps::check(&one, STEPS);
    steps::check(&many, STEPS_OF_64);
    let bytes = std::fs::metadata(one.join("journal.db")).expect("a database").len() as f64;
    // What an empty journal takes is not the steps'.
    let empty = scratch.path().join("empty");
    drop(piton_store::sqlite::Sqlite::open(&empty).expect("a journal"));
    let empty = std::fs::metadata(empty.join("journal.db")).expect("a database").len() as f64;
    [
        raw_append,
        raw_group,
        sequential,
        many_runs,
        processes,
        p99,
        (bytes - empty) / f64::from(STEPS),
        payload as f64 / f64::from(STEPS),
        sealed,
    ]
}

/// Eight processes, one journal, a run each: steps per second in all, and the worst p99.
fn eight_processes(state: &std::path::Path) -> (f64, f64) {
    drop(piton_store::sqlite::Sqlite::open(state).expect("a journal"));
    let begin = std::time::Instant::now();
    let workers: Vec<_> = (0..8)
        .map(|number| {
            worker(&[
                "sequential",
                &state.display().to_string(),
                &format!("p{number}"),
                &STEPS_OF_8.to_string(),
            ])
        })
        .collect();
    let mut p99: f64 = 0.0;
    for worker in workers {
        let output = worker.wait_with_output().expect("a worker ends");
        assert!(output.status.success(), "a worker failed: {}", String::from_utf8_lossy(&output.stderr));
        let line: serde_json::Value = serde_json::from_slice(&output.stdout).expect("a line of JSON");
        p99 = p99.max(line["p99_us"].as_f64().expect("a number"));
    }
    let rate = 8.0 * f64::from(STEPS_OF_8) / begin.elapsed().as_secs_f64();
    steps::check(state, STEPS_OF_8);
    (rate, p99)
}

#[expect(clippy::disallowed_methods, reason = "a measurement starts itself, and nothing around it")]
pub(crate) fn worker(arguments: &[&str]) -> std::process::Child {
    let exe = std::env::current_exe().expect("this program");
    std::process::Command::new(exe)
        .arg("__worker")
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a worker starts")
}
