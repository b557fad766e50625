//! Ten thousand iterations: neither time per iteration nor memory grows with a run's length.

use std::path::Path;

use crate::{Metric, Options, journal, metric, steps};

pub(crate) const NAMES: &[&str] = &["curve_last_1000_to_first_1000", "curve_memory_10000_to_1000"];

const ITERATIONS: u32 = 10_000;
const WINDOW: usize = 1_000;

pub(crate) fn measure(options: &Options) -> Vec<Metric> {
    let mut ratios = Vec::new();
    let mut memory = Vec::new();
    for _ in 0..options.rounds.min(3) {
        let scratch = options.scratch();
        let (long, ratio) = run(&scratch.path().join("long"), ITERATIONS);
        let (short, _) = run(&scratch.path().join("short"), WINDOW as u32);
        ratios.push(ratio);
        memory.push(long / short);
    }
    vec![metric(NAMES[0], crate::median(ratios), "ratio"), metric(NAMES[1], crate::median(memory), "ratio")]
}

/// A process of its own: its largest resident size in bytes, and how much longer the last iterations took than the first.
fn run(state: &Path, iterations: u32) -> (f64, f64) {
    let count = iterations.to_string();
    let worker = journal::worker(&["curve", &state.display().to_string(), "r", &count]);
    let output = worker.wait_with_output().expect("a worker ends");
    let printed: serde_json::Value = serde_json::from_slice(&output.stdout).expect("a worker prints JSON");
    let number = |name: &str| printed[name].as_f64().expect("a worker prints numbers");
    (number("resident_bytes"), number("ratio"))
}

/// What the worker does.
pub(crate) fn work(state: &Path, run: &str, iterations: u32) -> serde_json::Value {
    let (_, latencies) = steps::sequential(state, run, iterations);
    let window = WINDOW.min(latencies.len());
    let sum = |values: &[f64]| values.iter().sum::<f64>();
    let ratio = sum(&latencies[latencies.len() - window..]) / sum(&latencies[..window]);
    serde_json::json!({"resident_bytes": resident_bytes_max(), "ratio": ratio})
}

/// The largest resident size of this process so far.
fn resident_bytes_max() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes =
        line.and_then(|line| line.split_whitespace().next()).and_then(|word| word.parse::<f64>().ok());
    kilobytes.expect("a system with /proc") * 1024.0
}
