//! The numbers of loops as monitoring systems read them.
//!
//! Names and buckets are those that dashboards of loop runners know. A histogram's buckets are cumulative, each
//! observation counted once.

use std::fmt::Write;

use serde_json::{Value, json};

use crate::MetricsView;

const PREFIX: &str = "ralph_loop";
const BUCKETS: [f64; 12] = [0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0];

/// What each number is: whether it only ever grows, and in words.
const ABOUT: [(&str, bool, &str); 16] = [
    ("iterations_total", true, "Iterations with a verdict"),
    ("iterations_success", true, "Iterations whose agent succeeded and whose work was kept"),
    ("iterations_failed", true, "Iterations whose agent failed, or that were skipped or put back"),
    ("iterations_refused", true, "Iterations that the guard refused"),
    ("iterations_with_progress", true, "Iterations that changed something that matters"),
    ("reboots_total", true, "Changes to a fresh session in the middle of the work"),
    ("sessions_created_total", true, "Sessions of the agent"),
    ("tests_total", false, "Tests that ran last"),
    ("tests_passing", false, "Of those, tests that passed"),
    ("tests_failing", false, "Of those, tests that failed"),
    ("test_pass_rate", false, "Share of tests that passed, 0 to 1"),
    ("progress_score", false, "How far the last iteration got, 0 to 1"),
    ("quality_score", false, "How good the last iteration is, 0 to 1"),
    ("context_usage_percent", false, "How full the context of the session is, reported or estimated"),
    ("cost_usd_total", true, "Money, where every attempt reported it"),
    ("tokens_total", true, "Tokens, where every attempt reported them"),
];

/// How many observations are at most this.
fn at_most(numbers: &MetricsView, limit: f64) -> usize {
    numbers.durations.iter().filter(|seconds| **seconds <= limit).count()
}

/// The sum of nothing is 0, not -0.
fn sum(numbers: &MetricsView) -> f64 {
    numbers.durations.iter().fold(0.0, |sum, seconds| sum + seconds)
}

/// The same as one JSON value, for programs.
pub fn json(all: &[MetricsView]) -> Value {
    all.iter().map(json_of).collect()
}

fn json_of(numbers: &MetricsView) -> Value {
    let buckets: Vec<_> =
        BUCKETS.iter().map(|limit| json!({"le": limit, "count": at_most(numbers, *limit)})).collect();
    json!({
        "run_id": numbers.run_id,
        "values": numbers.values,
        "iteration_duration_seconds": {
            "count": numbers.durations.len(), "sum": sum(numbers), "buckets": buckets,
        },
    })
}

/// For Prometheus to read.
pub fn prometheus(all: &[MetricsView]) -> String {
    let mut text = String::new();
    for (name, grows, about) in ABOUT {
        if !all.iter().any(|numbers| numbers.values.contains_key(name)) {
            continue;
        }
        let kind = if grows { "counter" } else { "gauge" };
        let _ = writeln!(text, "# HELP {PREFIX}_{name} {about}\n# TYPE {PREFIX}_{name} {kind}");
        for numbers in all {
            if let Some(value) = numbers.values.get(name) {
                let _ = writeln!(text, "{PREFIX}_{name}{{loop_id=\"{}\"}} {value}", numbers.run_id);
            }
        }
    }
    let name = format!("{PREFIX}_iteration_duration_seconds");
    let _ = writeln!(
        text,
        "# HELP {name} Working time of an iteration, checks included\n# TYPE {name} histogram"
    );
    for numbers in all {
        let run = &numbers.run_id;
        for limit in BUCKETS {
            let _ = writeln!(
                text,
                "{name}_bucket{{loop_id=\"{run}\",le=\"{limit}\"}} {}",
                at_most(numbers, limit)
            );
        }
        let count = numbers.durations.len();
        let _ = writeln!(text, "{name}_bucket{{loop_id=\"{run}\",le=\"+Inf\"}} {count}");
        let sum = sum(numbers);
        let _ = writeln!(
            text,
            "{name}_sum{{loop_id=\"{run}\"}} {sum}\n{name}_count{{loop_id=\"{run}\"}} {count}"
        );
    }
    text
}

/// For StatsD, as gauges throughout: a daemon that is sent the same counter twice would add it twice.
pub fn statsd(all: &[MetricsView]) -> String {
    let mut text = String::new();
    for numbers in all {
        for (name, value) in &numbers.values {
            let _ = writeln!(text, "{PREFIX}.{}.{name}:{value}|g", numbers.run_id);
        }
        if let Some(last) = numbers.durations.last() {
            let _ = writeln!(
                text,
                "{PREFIX}.{}.iteration_duration:{}|ms",
                numbers.run_id,
                (last * 1000.0).round()
            );
        }
    }
    text
}
