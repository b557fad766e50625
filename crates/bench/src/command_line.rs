//! What a person waits for: the real binary, started anew each time.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use piton_store::sqlite::Sqlite;

use crate::{Metric, Options, median, metric, raw, steps};

pub(crate) const NAMES: &[&str] = &["status_cold_ms_10000_runs", "loop_rss_mb"];

const RUNS: u32 = 10_000;
const ROUNDS: usize = 20;

pub(crate) fn measure(options: &Options) -> Vec<Metric> {
    let Some(piton) = binary() else {
        eprintln!("target/release/piton is not built: run `cargo build --release` first");
        return Vec::new();
    };
    let mut metrics = Vec::new();
    if options.wants(&["status_cold_ms_10000_runs"]) {
        let scratch = options.scratch();
        let root = scratch.path().to_owned();
        many_runs(&root.join(".piton"));
        let repo = root.display().to_string();
        let times =
            (0..ROUNDS).map(|_| time(&piton, &["--repo", &repo, "status", "r5000", "--json"])).collect();
        metrics.push(metric("status_cold_ms_10000_runs", median(times), "ms"));
        metrics.push(metric("true_spawn_ms", raw::spawn_true(), "ms"));
    }
    if options.wants(&["loop_rss_mb"]) {
        metrics.push(metric("loop_rss_mb", loop_memory(options, &piton), "MB"));
    }
    metrics
}

/// The piton that was built beside this program.
pub(crate) fn binary() -> Option<PathBuf> {
    let path = std::env::current_exe().ok()?.parent()?.join("piton");
    path.exists().then_some(path)
}

fn many_runs(state: &Path) {
    let store = Sqlite::open(state).expect("a journal");
    steps::runtime().block_on(async {
        for number in 0..RUNS {
            steps::create_run(&store, &format!("r{number}")).await;
        }
    });
}

/// Milliseconds from start to end of a command that succeeds.
#[expect(clippy::disallowed_methods, reason = "what is measured is a process")]
pub(crate) fn time(program: &Path, arguments: &[&str]) -> f64 {
    let begin = Instant::now();
    let status = Command::new(program).args(arguments).stdout(Stdio::null()).status().expect("it starts");
    let elapsed = begin.elapsed().as_secs_f64() * 1e3;
    assert!(status.success(), "{} {arguments:?} failed", program.display());
    elapsed
}

/// Viewer, driver and keeper of a loop at work, in proportional set size.
fn loop_memory(options: &Options, piton: &Path) -> f64 {
    let scratch = options.scratch();
    let viewer = start_loop(piton, scratch.path(), "sleep 20");
    let deadline = Instant::now() + Duration::from_secs(20);
    let processes = loop {
        let found = processes_of(scratch.path());
        // Viewer, driver, keeper; the agent itself is not piton's.
        if found.len() >= 3 && scratch.path().join(".piton/attempts/bench/1/started.json").exists() {
            break found;
        }
        assert!(Instant::now() < deadline, "the loop starts");
        std::thread::yield_now();
    };
    let total: f64 = processes.iter().map(|pid| proportional_set_mb(*pid)).sum();
    stop(piton, scratch.path(), viewer);
    total
}

#[expect(clippy::disallowed_methods, reason = "what is measured is a process")]
fn start_loop(piton: &Path, repo: &Path, agent: &str) -> std::process::Child {
    Command::new(piton)
        .args(["--repo", &repo.display().to_string(), "loop", "bench", "--id", "bench", "--exec", agent])
        .args(["--until", "file:never", "--max-iterations", "1000000"])
        .env("PITON_CONFIG_DIR", repo.join("config"))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("a loop starts")
}

fn stop(piton: &Path, repo: &Path, mut viewer: std::process::Child) {
    time(piton, &["--repo", &repo.display().to_string(), "stop", "bench", "--now"]);
    let _ = viewer.wait();
}

/// Processes of piton whose command line or parent names this scratch repository.
fn processes_of(repo: &Path) -> Vec<u32> {
    let needle = repo.display().to_string();
    let listing = std::fs::read_dir("/proc").expect("/proc").flatten();
    listing
        .filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok())
        .filter(|pid| {
            let command = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            let program = command.split(|byte| *byte == 0).next().unwrap_or_default();
            program.ends_with(b"/piton") && String::from_utf8_lossy(&command).contains(&needle)
        })
        .collect()
}

fn proportional_set_mb(pid: u32) -> f64 {
    let text = std::fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).unwrap_or_default();
    let line = text.lines().find(|line| line.starts_with("Pss:")).unwrap_or("Pss: 0 kB");
    line.split_whitespace().nth(1).and_then(|word| word.parse::<f64>().ok()).unwrap_or(0.0) / 1024.0
}
