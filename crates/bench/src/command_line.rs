//! What a person waits for: the real binary, started anew each time.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use piton_store::sqlite::Sqlite;

use crate::{Metric, Options, median, metric, own_cost, raw, steps};

pub(crate) const NAMES: &[&str] = &["status_cold_ms_10000_runs", "loop_pss_mb"];

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
    if options.wants(&["loop_pss_mb"]) {
        metrics.extend(loop_memory(options, &piton));
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

/// The processes of piton that work for one loop; the agent itself is not piton's.
const PARTS: [(&str, &[u8]); 3] = [("viewer", b"loop"), ("driver", b"__driver"), ("keeper", b"__keeper")];

/// A loop at work: the proportional set size of all of its processes together, and of each.
///
/// Pages that processes share count once in the sum. Most of it are pages of the program itself, of which the kernel maps
/// some around each that is touched, and which it can drop: `loop_pss_anon_mb` is what the processes really hold.
fn loop_memory(options: &Options, piton: &Path) -> Vec<Metric> {
    let scratch = options.scratch();
    // A repository of its own: what lies above would lend its journal, and a work tree beside it.
    drop(own_cost::run(Path::new("git"), scratch.path(), &["init", "-q"]));
    let viewer = start_loop(piton, scratch.path(), "sleep 20");
    let deadline = Instant::now() + Duration::from_secs(20);
    let processes = loop {
        let found = processes_of(scratch.path());
        let all_there = PARTS.iter().all(|(part, _)| found.iter().any(|(_, other)| other == part));
        if all_there && scratch.path().join(".piton/attempts/bench/1/started.json").exists() {
            break found;
        }
        assert!(Instant::now() < deadline, "the loop starts");
        std::thread::yield_now();
    };
    settle(&processes);
    let sizes =
        |kind: &'static str| processes.iter().map(move |(pid, part)| (part, proportional_set_mb(*pid, kind)));
    let (all, held): (Vec<_>, Vec<_>) = (sizes("Pss:").collect(), sizes("Pss_Anon:").collect());
    stop(piton, scratch.path(), viewer);
    let total = |sizes: &[(_, f64)]| -> f64 { sizes.iter().map(|(_, size)| size).sum() };
    let mut metrics =
        vec![metric("loop_pss_mb", total(&all), "MB"), metric("loop_pss_anon_mb", total(&held), "MB")];
    metrics.extend(all.iter().map(|(part, size)| metric(format!("loop_pss_mb_{part}"), *size, "MB")));
    metrics
}

/// Waits until the processes hold no less than they did a second ago: an agent works for hours, and what counts is what a loop
/// holds then.
#[expect(clippy::disallowed_methods, reason = "a process cannot be waited on to do nothing")]
fn settle(processes: &[(u32, &'static str)]) {
    let total = || processes.iter().map(|(pid, _)| proportional_set_mb(*pid, "Pss:")).sum::<f64>();
    let (mut before, deadline) = (f64::MAX, Instant::now() + Duration::from_secs(15));
    while Instant::now() < deadline {
        std::thread::sleep(Duration::from_secs(1));
        let now = total();
        if now >= before {
            return;
        }
        before = now;
    }
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

#[expect(clippy::disallowed_methods, reason = "what was started is stopped")]
fn stop(piton: &Path, repo: &Path, mut viewer: std::process::Child) {
    let status = Command::new(piton)
        .args(["--repo", &repo.display().to_string(), "stop", "bench", "--now"])
        // Where the loop was started from is also where its journal is listed as one's own.
        .env("PITON_CONFIG_DIR", repo.join("config"))
        .stdout(Stdio::null())
        .status()
        .expect("it starts");
    assert!(status.success(), "the loop is stopped");
    let _ = viewer.wait();
}

/// Processes of piton whose command line names this scratch repository, and which part each is.
fn processes_of(repo: &Path) -> Vec<(u32, &'static str)> {
    let needle = repo.display().to_string();
    let part_of = |pid: u32| {
        let command = std::fs::read(format!("/proc/{pid}/cmdline")).ok()?;
        let mut words = command.split(|byte| *byte == 0);
        let is_ours =
            words.next()?.ends_with(b"/piton") && String::from_utf8_lossy(&command).contains(&needle);
        let (part, _) = PARTS.iter().find(|(_, word)| words.clone().any(|other| other == *word))?;
        is_ours.then_some((pid, *part))
    };
    let listing = std::fs::read_dir("/proc").expect("/proc").flatten();
    listing.filter_map(|entry| part_of(entry.file_name().to_str()?.parse().ok()?)).collect()
}

fn proportional_set_mb(pid: u32, kind: &str) -> f64 {
    let text = std::fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).expect("the process is there");
    let line = text.lines().find_map(|line| line.strip_prefix(kind)).expect("a proportional set size");
    line.trim().trim_end_matches(" kB").parse::<f64>().expect("a number") / 1024.0
}
