//! `piton metrics`: numbers of runs for a monitoring system.
//!
//! Read from the journal at the moment of asking; nothing is collected in between. Names and buckets are those that
//! dashboards of loop runners know. A histogram's buckets are cumulative, each observation counted once.

use std::collections::BTreeMap;
use std::fmt::Write;

use piton_engine::{LocalClient, load};
use piton_model::loop_machine::AttemptOutcome;
use piton_model::{ExitCode, Kind, RunId, State};
use piton_view::Client;
use serde_json::json;

use crate::cli::{Global, MetricsArguments, MetricsFormat};
use crate::failure::Failure;
use crate::output::Output;
use crate::repository;

const PREFIX: &str = "ralph_loop";
const BUCKETS: [f64; 12] = [0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0];

pub(super) async fn run(
    global: &Global,
    arguments: &MetricsArguments,
    out: &Output,
) -> Result<ExitCode, Failure> {
    let client = repository::open(&repository::layout(global)?)?;
    let runs = match &arguments.run {
        Some(run) => vec![client.resolve(Some(run)).await?],
        None => {
            let loops = client.runs().await?.into_iter().filter(|run| run.kind == Kind::Loop.as_str());
            loops.map(|run| run.run_id).collect()
        }
    };
    let mut all = Vec::new();
    for run in runs {
        all.push(of_run(&client, run).await?);
    }
    let format = if out.json { MetricsFormat::Json } else { arguments.format };
    match format {
        MetricsFormat::Prometheus => out.bytes(prometheus(&all).as_bytes()),
        MetricsFormat::Json => out.json(&all.iter().map(Numbers::json).collect::<Vec<_>>()),
        MetricsFormat::Statsd => out.bytes(statsd(&all).as_bytes()),
    }
    Ok(ExitCode::Done)
}

/// The numbers of one run.
struct Numbers {
    run: RunId,
    /// Values by name; what is not known is not there.
    values: BTreeMap<&'static str, f64>,
    /// Seconds of each iteration with a verdict.
    durations: Vec<f64>,
}

/// What each number is: whether it only ever grows, and in words.
const ABOUT: [(&str, bool, &str); 15] = [
    ("iterations_total", true, "Iterations with a verdict"),
    ("iterations_success", true, "Iterations whose agent succeeded"),
    ("iterations_failed", true, "Iterations whose agent failed"),
    ("iterations_refused", true, "Iterations that the guard refused"),
    ("iterations_with_progress", true, "Iterations that changed something that matters"),
    ("reboots_total", true, "Changes to a fresh session in the middle of the work"),
    ("sessions_created_total", true, "Sessions of the agent"),
    ("tests_total", false, "Tests that ran last"),
    ("tests_passing", false, "Of those, tests that passed"),
    ("tests_failing", false, "Of those, tests that failed"),
    ("test_pass_rate", false, "Share of tests that passed, 0 to 1"),
    ("progress_score", false, "Score of the last iteration, 0 to 1"),
    ("context_usage_percent", false, "How full the context of the session is"),
    ("cost_usd_total", true, "Money, where every attempt reported it"),
    ("tokens_total", true, "Tokens, where every attempt reported them"),
];

async fn of_run(client: &LocalClient, run: RunId) -> Result<Numbers, Failure> {
    let (mut durations, mut with_progress, mut seen) = (Vec::new(), 0_u32, 0);
    let state = load::fold_all(&**client.store(), &run, &mut |state: &State| {
        if let Some(last) = state.judged.recent.back().filter(|last| last.number > seen) {
            seen = last.number;
            if last.outcome != AttemptOutcome::NotStartable {
                durations.push(last.duration_ms as f64 / 1000.0);
            }
            with_progress += u32::from(last.progress);
        }
    })
    .await
    .map_err(piton_engine::ClientError::from)?
    .state;
    Ok(Numbers { values: values(&state, with_progress), durations, run })
}

fn values(state: &State, with_progress: u32) -> BTreeMap<&'static str, f64> {
    let counters = &state.counters;
    let mut values = BTreeMap::from([
        ("iterations_total", f64::from(counters.iterations)),
        ("iterations_success", f64::from(counters.succeeded)),
        ("iterations_failed", f64::from(counters.failed)),
        ("iterations_refused", f64::from(counters.refused)),
        ("iterations_with_progress", f64::from(with_progress)),
        ("reboots_total", f64::from(counters.reboots)),
        (
            "sessions_created_total",
            (state.session.history.len() + usize::from(state.session.current.is_some())) as f64,
        ),
    ]);
    if let Some(tests) = state.seen.measures.as_ref().and_then(|measures| measures.tests) {
        values.insert("tests_total", tests.total() as f64);
        values.insert("tests_passing", tests.passed as f64);
        values.insert("tests_failing", tests.failed as f64);
        values.extend(tests.pass_rate().map(|rate| ("test_pass_rate", rate / 100.0)));
    }
    let quality = state.judged.recent.back().and_then(|last| last.quality);
    values.extend(quality.map(|quality| ("progress_score", quality.score / 100.0)));
    values.extend(state.session.context_usage_percent.map(|used| ("context_usage_percent", f64::from(used))));
    if counters.cost_unknown == 0 {
        values.insert("cost_usd_total", counters.cost_microusd as f64 / 1e6);
    }
    if counters.tokens_unknown == 0 {
        values.insert("tokens_total", counters.tokens as f64);
    }
    values
}

impl Numbers {
    /// How many observations are at most this.
    fn at_most(&self, limit: f64) -> usize {
        self.durations.iter().filter(|seconds| **seconds <= limit).count()
    }

    fn json(&self) -> serde_json::Value {
        let buckets: Vec<_> =
            BUCKETS.iter().map(|limit| json!({"le": limit, "count": self.at_most(*limit)})).collect();
        json!({
            "run_id": self.run,
            "values": self.values,
            "iteration_duration_seconds": {
                "count": self.durations.len(), "sum": self.durations.iter().sum::<f64>(), "buckets": buckets,
            },
        })
    }
}

fn prometheus(all: &[Numbers]) -> String {
    let mut text = String::new();
    for (name, grows, about) in ABOUT {
        if !all.iter().any(|numbers| numbers.values.contains_key(name)) {
            continue;
        }
        let kind = if grows { "counter" } else { "gauge" };
        let _ = writeln!(text, "# HELP {PREFIX}_{name} {about}\n# TYPE {PREFIX}_{name} {kind}");
        for numbers in all {
            if let Some(value) = numbers.values.get(name) {
                let _ = writeln!(text, "{PREFIX}_{name}{{loop_id=\"{}\"}} {value}", numbers.run);
            }
        }
    }
    let name = format!("{PREFIX}_iteration_duration_seconds");
    let _ = writeln!(
        text,
        "# HELP {name} Working time of an iteration, checks included\n# TYPE {name} histogram"
    );
    for numbers in all {
        let run = &numbers.run;
        for limit in BUCKETS {
            let _ = writeln!(
                text,
                "{name}_bucket{{loop_id=\"{run}\",le=\"{limit}\"}} {}",
                numbers.at_most(limit)
            );
        }
        let count = numbers.durations.len();
        let _ = writeln!(text, "{name}_bucket{{loop_id=\"{run}\",le=\"+Inf\"}} {count}");
        let sum = numbers.durations.iter().sum::<f64>();
        let _ = writeln!(
            text,
            "{name}_sum{{loop_id=\"{run}\"}} {sum}\n{name}_count{{loop_id=\"{run}\"}} {count}"
        );
    }
    text
}

/// Gauges throughout: a daemon that is sent the same counter twice would add it twice.
fn statsd(all: &[Numbers]) -> String {
    let mut text = String::new();
    for numbers in all {
        for (name, value) in &numbers.values {
            let _ = writeln!(text, "{PREFIX}.{}.{name}:{value}|g", numbers.run);
        }
        if let Some(last) = numbers.durations.last() {
            let _ =
                writeln!(text, "{PREFIX}.{}.iteration_duration:{}|ms", numbers.run, (last * 1000.0).round());
        }
    }
    text
}
