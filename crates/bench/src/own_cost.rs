//! What piton itself costs, of the whole command as a user runs it: an iteration of a loop beside `git add -A` of the same
//! tree, and a step of a chain.
//!
//! The agent changes one file; the check is `true`. An iteration lasts from one `attempt_started` to the next; what the
//! keepers say that agent and check took is taken off. `git add -A` is timed before and after the loop in a tree of its own,
//! after the same kind of change.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use serde_json::Value;

use crate::{Metric, Options, command_line, median, metric};

pub(crate) const NAMES: &[&str] = &[
    "own_cost_ms_10000_files",
    "own_cost_git_add_ms_10000_files",
    "own_cost_of_git_add_10000_files",
    "own_cost_ms_100000_files",
    "own_cost_git_add_ms_100000_files",
    "own_cost_of_git_add_100000_files",
    "own_cost_ms_step",
    "own_cost_of_quiet_check_10000_files",
];

/// How many files, and how many iterations.
const TREES: [(usize, usize); 2] = [(10_000, 20), (100_000, 10)];
const STEPS: u32 = 50;
/// A check that rewrites a tracked file, which is put back after each round.
const WRITES: &str = "date +%N > d001/f002.txt";

pub(crate) fn measure(options: &Options) -> Vec<Metric> {
    let Some(piton) = command_line::binary() else {
        eprintln!("target/release/piton is not built: run `cargo build --release` first");
        return Vec::new();
    };
    let mut metrics = Vec::new();
    for (files, iterations) in TREES {
        let names = ["ms", "git_add_ms", "of_git_add"].map(|what| format!("own_cost_{what}_{files}_files"));
        if options.wants(&names.each_ref().map(String::as_str)) {
            let (own, add) = iteration(options, &piton, files, iterations, "true");
            let values = [(own, "ms"), (add, "ms"), (own / add, "ratio")];
            metrics
                .extend(names.into_iter().zip(values).map(|(name, (value, unit))| metric(name, value, unit)));
        }
    }
    if options.wants(&["own_cost_of_quiet_check_10000_files"]) {
        let (files, iterations) = TREES[0];
        let [quiet, writes] =
            ["true", WRITES].map(|check| iteration(options, &piton, files, iterations, check).0);
        metrics.push(metric("own_cost_of_quiet_check_10000_files", writes / quiet, "ratio"));
    }
    if options.wants(&["own_cost_ms_step"]) {
        let steps = (0..options.rounds).map(|_| step(options, &piton)).collect();
        metrics.push(metric("own_cost_ms_step", median(steps), "ms"));
    }
    metrics
}

/// Milliseconds of an iteration that are ours, and of `git add -A`.
fn iteration(options: &Options, piton: &Path, files: usize, iterations: usize, check: &str) -> (f64, f64) {
    let scratch = options.scratch();
    let [ours, theirs] = ["ours", "theirs"].map(|name| scratch.path().join(name));
    for root in [&ours, &theirs] {
        make_tree(root, files);
    }
    add(&theirs, 3);
    let mut adds = add(&theirs, iterations);
    write(&ours.join("piton.toml"), "[loop]\nno_progress = 100000\n");
    let agent = "echo $PITON_ITERATION > d000/f001.txt";
    let count = iterations.to_string();
    let words = ["loop", "bench", "--id", "bench", "--here", "--trust", "--exec", agent, "--check", check];
    // It stops at its limit, which is no success.
    run(piton, &ours, &[&words[..], &["--until", "file:never", "--max-iterations", &count]].concat());
    let own = costs(&run(piton, &ours, &["log", "bench", "--json"]));
    adds.extend(add(&theirs, iterations));
    (median(own), median(adds))
}

/// What each iteration cost but the first, in milliseconds.
fn costs(log: &[u8]) -> Vec<f64> {
    let events = events(log);
    let starts: Vec<_> = events
        .iter()
        .enumerate()
        .filter(|(_, event)| event["type"] == "attempt_started")
        .map(|(at, _)| at)
        .collect();
    let spent = |event: &Value| match event["type"].as_str() {
        Some("attempt_finished") => event["data"]["end"]["duration_ms"].as_f64().unwrap_or(0.0),
        Some("checks_finished") => event["data"]["round"]["duration_ms"].as_f64().unwrap_or(0.0),
        _ => 0.0,
    };
    let at = |index: usize| moment(&events[index]);
    let pairs = starts.windows(2).skip(1);
    pairs
        .map(|pair| at(pair[1]) - at(pair[0]) - events[pair[0]..pair[1]].iter().map(spent).sum::<f64>())
        .collect()
}

/// The events that `piton log --json` printed.
pub(crate) fn events(log: &[u8]) -> Vec<Value> {
    let lines = log.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    lines.map(|line| serde_json::from_slice(line).expect("an event is JSON")).collect()
}

/// When an event happened, in milliseconds.
pub(crate) fn moment(event: &Value) -> f64 {
    let text = event["at"].as_str().expect("an event has a time");
    text.parse::<piton_model::Timestamp>().expect("a time").as_millis() as f64
}

/// Milliseconds that one more step costs in a chain of commands that do nothing, without the command itself: a whole command with
/// many steps, less one with a single step.
fn step(options: &Options, piton: &Path) -> f64 {
    let scratch = options.scratch();
    let root = scratch.path().join("ours");
    std::fs::create_dir(&root).expect("a directory");
    // A repository of its own: what lies above would lend its journal, and the runs of the round before with it.
    run(Path::new("git"), &root, &["init", "-q"]);
    let chain = |steps: u32| {
        let mut text = "name: bench\nsteps:\n  - {id: s0, run: \"true\"}\n".to_owned();
        for number in 1..steps {
            text.push_str(&format!("  - {{id: s{number}, run: \"true\", needs: [s{}]}}\n", number - 1));
        }
        let file = format!("{steps}.yaml");
        write(&root.join(&file), &text);
        let begin = Instant::now();
        run(piton, &root, &["run", &file, "--run-id", &format!("bench{steps}"), "--quiet"]);
        begin.elapsed().as_secs_f64() * 1e3
    };
    let alone = chain(1);
    let ours = chain(1 + STEPS) - alone;
    let begin = Instant::now();
    for _ in 0..STEPS {
        run(Path::new("/bin/sh"), &root, &["-c", "true"]);
    }
    (ours - begin.elapsed().as_secs_f64() * 1e3) / f64::from(STEPS)
}

/// `git add -A`, each time after a change, in milliseconds.
fn add(root: &Path, times: usize) -> Vec<f64> {
    let timed = |number: usize| {
        write(&root.join("d000/f000.txt"), &format!("changed {number}\n"));
        let begin = Instant::now();
        run(Path::new("git"), root, &["add", "-A"]);
        begin.elapsed().as_secs_f64() * 1e3
    };
    (0..times).map(timed).collect()
}

pub(crate) fn make_tree(root: &Path, files: usize) {
    std::fs::create_dir(root).expect("a directory");
    for number in 0..files {
        let directory = root.join(format!("d{:03}", number / 500));
        if number % 500 == 0 {
            std::fs::create_dir(&directory).expect("a directory");
        }
        write(&directory.join(format!("f{:03}.txt", number % 500)), &format!("file {number}\n").repeat(5));
    }
    let git = |words: &[&str]| drop(run(Path::new("git"), root, words));
    git(&["init", "-q", "-b", "work"]);
    for (name, value) in [("user.email", "bench@example.org"), ("user.name", "bench"), ("gc.auto", "0")] {
        git(&["config", name, value]);
    }
    git(&["add", "-A"]);
    git(&["commit", "-q", "-m", "start"]);
}

#[expect(clippy::disallowed_methods, reason = "plain files are what is measured")]
pub(crate) fn write(path: &Path, text: &str) {
    std::fs::write(path, text).expect("a file");
}

/// What a program prints, whatever its exit.
#[expect(clippy::disallowed_methods, reason = "what is measured is a process")]
pub(crate) fn run(program: &Path, directory: &Path, words: &[&str]) -> Vec<u8> {
    let output = Command::new(program)
        .args(words)
        .current_dir(directory)
        .env("PITON_CONFIG_DIR", directory.with_file_name("config"))
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output();
    output.expect("it starts").stdout
}
