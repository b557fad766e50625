//! A snapshot of 10,000 files, beside `git add -A` of the same tree.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use piton_git::Workspace;

use crate::{Metric, Options, median, metric};

pub(crate) const NAMES: &[&str] = &["snapshot_ms_10000_files", "git_add_ms_10000_files"];

const FILES: usize = 10_000;

pub(crate) fn measure(options: &Options) -> Vec<Metric> {
    let mut rounds: Vec<[f64; 5]> = Vec::new();
    for round in 0..options.rounds {
        rounds.push(round_of(options, round % 2 == 0));
    }
    let column = |index: usize| median(rounds.iter().map(|round| round[index]).collect());
    let ratio =
        |over: usize, under: usize| median(rounds.iter().map(|round| round[over] / round[under]).collect());
    vec![
        metric("snapshot_ms_10000_files", column(0), "ms"),
        metric("git_add_ms_10000_files", column(1), "ms"),
        metric("snapshot_of_git_add", ratio(0, 1), "ratio"),
        metric("snapshot_unchanged_ms_10000_files", column(2), "ms"),
        metric("git_add_unchanged_ms_10000_files", column(3), "ms"),
        metric("snapshot_unchanged_of_git_add", ratio(2, 3), "ratio"),
        metric("snapshot_known_ms_10000_files", column(4), "ms"),
    ]
}

/// Each side has a tree of its own, so that neither finds the other's objects.
fn round_of(options: &Options, ours_first: bool) -> [f64; 5] {
    let mut times = [0.0; 5];
    let order = if ours_first { [0, 1] } else { [1, 0] };
    for side in order {
        let scratch = options.scratch();
        make_tree(scratch.path());
        git(scratch.path(), &["init", "-q", "."]);
        let measured = if side == 0 { ours(scratch.path(), &mut times[4]) } else { theirs(scratch.path()) };
        times[side] = measured.0;
        times[side + 2] = measured.1;
    }
    times
}

/// The second snapshot asks git what is ignored, and remembers what it saw. Every later one takes what `known` says.
fn ours(root: &Path, known: &mut f64) -> (f64, f64) {
    let state = root.join(".piton");
    piton_sys::file::create_private_dir(&state).expect("a state directory");
    let workspace = Workspace::open(root, &state).expect("a work tree");
    workspace.protect_state().expect("protected");
    let snapshot = || {
        let begin = Instant::now();
        workspace.snapshot("bench", "a snapshot").expect("a snapshot");
        begin.elapsed().as_secs_f64() * 1e3
    };
    let measured = (snapshot(), snapshot());
    *known = snapshot();
    measured
}

fn theirs(root: &Path) -> (f64, f64) {
    let add = || {
        let begin = Instant::now();
        git(root, &["-c", "core.fsync=loose-object", "-c", "core.fsyncMethod=batch", "add", "-A"]);
        begin.elapsed().as_secs_f64() * 1e3
    };
    (add(), add())
}

#[expect(clippy::disallowed_methods, reason = "what is measured is git itself")]
fn git(root: &Path, arguments: &[&str]) {
    let status = Command::new("git")
        .arg("-C")
        .arg(root)
        .args(arguments)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .stdout(Stdio::null())
        .status()
        .expect("git starts");
    assert!(status.success(), "git {arguments:?}");
}

#[expect(clippy::disallowed_methods, reason = "plain files are what is measured")]
fn make_tree(root: &Path) {
    for number in 0..FILES {
        let directory = root.join(format!("d{:02}", number / 100));
        if number % 100 == 0 {
            std::fs::create_dir(&directory).expect("a directory");
        }
        let text = format!("file {number}\n{}", "some content that makes a line\n".repeat(number % 40));
        std::fs::write(directory.join(format!("f{number}.txt")), text).expect("a file");
    }
}
