//! The numbers of loops, for a monitoring system: read from the journal at the moment of asking.

use std::collections::BTreeMap;

use piton_model::loop_machine::AttemptOutcome;
use piton_model::{RunId, State};
use piton_store::Store;
use piton_view::MetricsView;

use crate::load::{self, LoadError};

/// The numbers of a loop.
pub(crate) async fn metrics(store: &dyn Store, run: &RunId) -> Result<MetricsView, LoadError> {
    let (mut durations, mut with_progress, mut seen, mut made) = (Vec::new(), 0_u32, 0, false);
    let mut sessions = Sessions::default();
    let state = load::fold_all(store, run, &mut |state: &State| {
        sessions.see(state);
        if let Some(last) = state.judged.recent.back().filter(|last| last.number > seen) {
            seen = last.number;
            if last.outcome != AttemptOutcome::NotStartable {
                durations.push(last.duration_ms as f64 / 1000.0);
            }
            with_progress += u32::from(made);
        }
        // A person may still put the last one back.
        made = state.judged.recent.back().is_some_and(|last| last.progress);
    })
    .await?
    .state;
    let with_progress = with_progress + u32::from(made);
    Ok(MetricsView { values: values(&state, with_progress, sessions.count), durations, run_id: run.clone() })
}

/// How many sessions there were: a state remembers only the last ones.
#[derive(Default)]
struct Sessions {
    count: usize,
    current: Option<String>,
}

impl Sessions {
    fn see(&mut self, state: &State) {
        let session = &state.session;
        if self.current.is_none() {
            // Those of another tool, which a run may begin with.
            self.count = session.history.len();
        }
        if session.current.is_some() && session.current != self.current {
            self.count += 1;
            self.current.clone_from(&session.current);
        }
    }
}

fn values(state: &State, with_progress: u32, sessions: usize) -> BTreeMap<&'static str, f64> {
    let counters = &state.counters;
    let mut values = BTreeMap::from([
        ("iterations_total", f64::from(counters.iterations)),
        ("iterations_success", f64::from(counters.succeeded)),
        ("iterations_failed", f64::from(counters.failed)),
        ("iterations_refused", f64::from(counters.refused)),
        ("iterations_with_progress", f64::from(with_progress)),
        ("reboots_total", f64::from(counters.reboots)),
        ("sessions_created_total", sessions as f64),
    ]);
    if let Some(tests) = state.seen.measures.as_ref().and_then(|measures| measures.tests) {
        values.insert("tests_total", tests.total() as f64);
        values.insert("tests_passing", tests.passed as f64);
        values.insert("tests_failing", tests.failed as f64);
        values.extend(tests.pass_rate().map(|rate| ("test_pass_rate", rate / 100.0)));
    }
    let last = state.judged.recent.back();
    values.extend(last.map(|last| ("progress_score", last.score)));
    values.extend(last.and_then(|last| last.quality).map(|quality| ("quality_score", quality.score / 100.0)));
    values.extend(state.session.context_usage().map(|used| ("context_usage_percent", f64::from(used))));
    if counters.cost_unknown == 0 {
        values.insert("cost_usd_total", counters.cost_microusd as f64 / 1e6);
    }
    if counters.tokens_unknown == 0 {
        values.insert("tokens_total", counters.tokens as f64);
    }
    values
}
