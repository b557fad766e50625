//! Syncs per step, counted by strace: the figure that holds on any machine.

use std::path::Path;
use std::process::Stdio;

use crate::{Metric, Options, metric, steps};

pub(crate) const NAMES: &[&str] = &["syncs_per_step_sequential", "syncs_per_step_64_runs"];

const STEPS: u32 = 3_000;
const STEPS_OF_64: u32 = 1_000;

pub(crate) fn measure(options: &Options) -> Vec<Metric> {
    let scratch = options.scratch();
    let one = scratch.path().join("one");
    let sequential = count(&["sequential", &one.display().to_string(), "r", &STEPS.to_string()]);
    steps::check(&one, STEPS);
    let many = scratch.path().join("many");
    let many_syncs = count(&["many", &many.display().to_string(), "64", &STEPS_OF_64.to_string()]);
    steps::check(&many, STEPS_OF_64);
    vec![
        metric("syncs_per_step_sequential", sequential / f64::from(STEPS), "syncs"),
        // Creating a run costs a sync of its own, before its first step.
        metric("syncs_per_step_64_runs", (many_syncs - 64.0) / (64.0 * f64::from(STEPS_OF_64)), "syncs"),
    ]
}

#[expect(clippy::disallowed_methods, reason = "a measurement starts itself under strace")]
fn count(worker: &[&str]) -> f64 {
    let log = tempfile::NamedTempFile::new().expect("a file");
    let exe = std::env::current_exe().expect("this program");
    let status = std::process::Command::new("strace")
        .args(["-f", "-qq", "-e", "trace=fsync,fdatasync,sync_file_range,msync", "-o"])
        .arg(log.path())
        .arg(exe)
        .arg("__worker")
        .args(worker)
        .stdout(Stdio::null())
        .status()
        .expect("strace is installed");
    assert!(status.success(), "the worker ran under strace");
    lines(log.path()) as f64
}

fn lines(path: &Path) -> usize {
    let text = std::fs::read_to_string(path).expect("a log");
    // An interrupted call is logged twice; only its end counts.
    text.lines().filter(|line| line.contains("sync") && !line.contains("unfinished")).count()
}
