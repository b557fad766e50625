//! From a state to its view. Pure: the same state, position and context give the same bytes.
//!
//! Where the format demands a value that piton does not know, the view has its zero value and names the field
//! under `custom.piton.unknown`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use piton_model::limits::RECENT_ITERATIONS_MAX;
use piton_model::loop_machine::{
    CheckRound, Earlier, Open, SessionPolicy, TestStatus, done_rule, stop_decision, stop_progress,
};
use piton_model::{Reason, Seq, State, Status};

use super::format::{
    CoreLoopState, MetricsSnapshot, PersistedLoopState, ProgressState, STATE_VERSION, SessionHistoryEntry,
    SessionState, StopConditionState, TestState,
};
use super::owner;
use super::status::loop_status;
use crate::plain::{in_calendar, text_path};

/// What the format wants to know and the journal does not hold: it has no absolute paths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Context {
    /// Where the agent works; absolute.
    pub working_dir: PathBuf,
    /// The prompt file; empty where the task was given as text.
    pub prompt_path: PathBuf,
    /// The hash of the run's configuration.
    pub config_hash: String,
}

/// The view of `state` as of event `head`, with its proof that it is ours.
pub fn render(state: &State, head: Seq, context: &Context) -> PersistedLoopState {
    let mut unknown = Vec::new();
    let mut view = PersistedLoopState {
        version: STATE_VERSION,
        loop_id: state.run.as_str().to_owned(),
        saved_at: in_calendar(state.updated_at),
        core: core(state, context),
        session: session(state, &mut unknown),
        progress: progress(state),
        tests: tests(state, &mut unknown),
        stop_conditions: stop_conditions(state, &mut unknown),
        metrics: metrics(state, &mut unknown),
        custom: state.memory.custom.clone(),
    };
    owner::sign(&mut view, state, head, unknown);
    view
}

fn core(state: &State, context: &Context) -> CoreLoopState {
    CoreLoopState {
        status: loop_status(state.status),
        iteration: state.work.iteration,
        started_at: in_calendar(state.created_at),
        last_activity: in_calendar(state.updated_at),
        working_dir: text_path(&context.working_dir),
        prompt_path: text_path(&context.prompt_path),
        config_hash: context.config_hash.clone(),
    }
}

fn session(state: &State, unknown: &mut Vec<&'static str>) -> SessionState {
    let session = match &state.work.open {
        Some(Open::Attempt(open)) => &state.session.at_work(open.session.as_ref()),
        _ => &state.session,
    };
    let context_usage = session.context_usage();
    if context_usage.is_none() {
        unknown.push("session.context_usage");
    }
    let as_configured = match state.config.session {
        SessionPolicy::Fresh => "fresh session per iteration",
        SessionPolicy::Continue => "replaced by another session",
        SessionPolicy::Fork => "copied for the next iteration",
    };
    let history = session.history.iter().map(|record| SessionHistoryEntry {
        session_id: record.session_id.clone(),
        started_at: in_calendar(record.started_at),
        ended_at: in_calendar(record.ended_at),
        iterations: record.iterations,
        end_reason: match (&record.elsewhere, &record.reason) {
            (Some(words), _) => words.clone(),
            (None, Some(reason)) => format!("{}: {}", reason.as_str(), reason.sentence()),
            (None, None) => as_configured.to_owned(),
        },
    });
    SessionState {
        current_session_id: session.current.clone(),
        session_started_at: session.started_at.map(in_calendar),
        session_iterations: session.iterations,
        context_usage: context_usage.unwrap_or(0),
        session_history: history.collect(),
    }
}

fn progress(state: &State) -> ProgressState {
    ProgressState {
        iterations_since_progress: state.counters.no_progress_in_a_row,
        last_progress_iteration: state.counters.last_progress_iteration,
        recent_scores: recent_scores(state),
        modified_files: state.seen.modified_files.iter().map(PathBuf::from).collect(),
        completed_objectives: state.memory.objectives.completed.clone(),
        pending_objectives: state.memory.objectives.pending.clone(),
    }
}

/// What the tool that began the loop put on record about it.
fn earlier(state: &State) -> Option<&Earlier> {
    state.memory.adopted.as_ref().map(|adopted| &adopted.earlier)
}

/// As many as a run of piton's alone would have.
fn recent_scores(state: &State) -> Vec<f64> {
    let before = earlier(state).map_or(&[][..], |earlier| &earlier.scores);
    let own = state.judged.recent.iter().map(|iteration| iteration.score);
    let mut scores: Vec<f64> = before.iter().copied().chain(own).collect();
    scores.drain(..scores.len().saturating_sub(RECENT_ITERATIONS_MAX));
    scores
}

fn tests(state: &State, unknown: &mut Vec<&'static str>) -> TestState {
    if state.seen.tests.unnamed {
        unknown.push("tests.passing_tests");
    }
    if !state.seen.tests.is_empty() {
        return named_tests(state);
    }
    // The format counts iterations; the round before the first one is none.
    let failure_streak = state.counters.red_in_a_row;
    // Until piton has looked itself, what another tool found is all that is known.
    let has_looked = state.seen.checks.as_ref().is_some_and(|round| !round.checks.is_empty());
    let found = earlier(state).and_then(|earlier| earlier.tests.clone());
    if let Some(found) = found.filter(|_| !has_looked) {
        return TestState {
            failure_streak,
            passing_tests: found.passing,
            failing_tests: found.failing,
            flaky_tests: found.flaky,
            recently_fixed: found.fixed,
        };
    }
    unknown.push("tests.flaky_tests");
    let Some(round) = &state.seen.checks else {
        unknown.extend(["tests.passing_tests", "tests.failing_tests", "tests.recently_fixed"]);
        return TestState { failure_streak, ..TestState::default() };
    };
    let names = |passed: bool| {
        let checks = round.checks.iter().filter(move |check| check.passed == passed);
        checks.map(|check| check.name.clone()).collect::<Vec<_>>()
    };
    let failed_at_start = |name: &String| {
        let baseline = state.seen.baseline.as_ref().map_or(&[][..], |baseline| &baseline.checks);
        baseline.iter().any(|check| check.name == *name && !check.passed)
    };
    TestState {
        failure_streak,
        passing_tests: names(true),
        failing_tests: names(false),
        flaky_tests: Vec::new(),
        recently_fixed: names(true).into_iter().filter(failed_at_start).collect(),
    }
}

/// The tests by name, as their runners name them.
fn named_tests(state: &State) -> TestState {
    let names = |status| state.seen.tests.named(status).cloned().collect();
    TestState {
        failure_streak: state.counters.red_in_a_row,
        passing_tests: names(TestStatus::Passing),
        failing_tests: names(TestStatus::Failing),
        flaky_tests: state.seen.tests.flaky().cloned().collect(),
        recently_fixed: recently_fixed(state),
    }
}

/// The first run of the suite has none before it here: what another tool saw mended last is mended then, if it still passes.
fn recently_fixed(state: &State) -> Vec<String> {
    let tests = &state.seen.tests;
    let before = earlier(state).and_then(|earlier| earlier.tests.as_ref()).filter(|_| tests.runs == 1);
    let passes = |name: &&String| tests.tests.get(*name).is_some_and(|it| it.status == TestStatus::Passing);
    let mended = before.into_iter().flat_map(|before| &before.fixed).filter(passes);
    tests.just(TestStatus::Passing).chain(mended).cloned().collect()
}

fn stop_conditions(state: &State, unknown: &mut Vec<&'static str>) -> StopConditionState {
    let mut progress = limits(state, unknown);
    progress.extend(stop_progress(state));
    let rule = done_rule(&state.config, state.seen.baseline.as_ref());
    for named in rule.conditions(&state.config) {
        progress.insert(named.label(), named.condition.progress(state));
    }
    // What held when the run ended may have been a request, which is over with it.
    progress.extend(stop_decision(state).map(|label| (label, 1.0)));
    StopConditionState { condition_progress: progress, last_evaluation: evaluation(state) }
}

/// How much of each ceiling is used, under the names that `piton.toml` has for them.
fn limits(state: &State, unknown: &mut Vec<&'static str>) -> BTreeMap<String, f64> {
    let (limits, counters) = (&state.config.limits, &state.counters);
    let mut used = vec![
        ("max_iterations", u64::from(counters.iterations), u64::from(limits.iterations)),
        ("max_duration", counters.working_ms, limits.working_ms),
        ("no_progress", u64::from(counters.no_progress_in_a_row), u64::from(limits.no_progress)),
        ("failure_streak", u64::from(counters.failures_in_a_row), u64::from(limits.failures)),
    ];
    if let Some(limit) = limits.cost_microusd {
        used.push(("max_cost_usd", counters.cost_microusd, limit));
        if counters.cost_unknown > 0 {
            unknown.push("stop_conditions.condition_progress.max_cost_usd");
        }
    }
    if let Some(limit) = limits.tokens {
        used.push(("max_tokens", counters.tokens, limit));
        if counters.tokens_unknown > 0 {
            unknown.push("stop_conditions.condition_progress.max_tokens");
        }
    }
    let files = state.seen.modified_files.len() as u64;
    used.extend(limits.files.map(|limit| ("max_files", files, u64::from(limit))));
    used.extend(limits.lines.map(|limit| ("max_lines", counters.lines_changed, limit)));
    used.extend(limits.reboots.map(|limit| ("max_reboots", u64::from(counters.reboots), u64::from(limit))));
    used.extend(limits.deadline.map(|deadline| {
        let gone = state.updated_at.millis_since(state.created_at);
        ("deadline", gone, deadline.millis_since(state.created_at))
    }));
    let mut shares: BTreeMap<String, f64> =
        used.into_iter().map(|(name, used, limit)| (name.to_owned(), share(used, limit))).collect();
    // Some are reached at their value and some beyond it; the one that stopped the run was.
    shares.extend(ceiling_reached(state).map(|name| (name.to_owned(), 1.0)));
    shares
}

/// The ceilings, by the reason that a run rests for, under the names that `piton.toml` has for them.
const CEILINGS: [(Reason, &str); 10] = [
    (Reason::LimitIterations, "max_iterations"),
    (Reason::LimitDuration, "max_duration"),
    (Reason::LimitCost, "max_cost_usd"),
    (Reason::LimitTokens, "max_tokens"),
    (Reason::LimitDeadline, "deadline"),
    (Reason::LimitFiles, "max_files"),
    (Reason::LimitLines, "max_lines"),
    (Reason::LimitReboots, "max_reboots"),
    (Reason::NoProgress, "no_progress"),
    (Reason::FailureStreak, "failure_streak"),
];

/// The ceiling that the run rests for, if it does.
fn ceiling_reached(state: &State) -> Option<&'static str> {
    let reason = state.reason?;
    CEILINGS.iter().find(|(known, _)| *known == reason).map(|(_, name)| *name)
}

/// What was judged last: the condition or the ceiling that ended the run, else what the last round said.
fn evaluation(state: &State) -> Option<String> {
    let round = state.seen.checks.as_ref().map(round_words);
    let decided = stop_decision(state)
        .map(|label| format!("{label} holds"))
        .or_else(|| ceiling_reached(state).map(|ceiling| format!("{ceiling} is reached")))
        .or_else(|| (state.status == Status::Stopped).then(|| person_stopped(state)).flatten());
    match (decided, round) {
        (Some(decided), Some(round)) => Some(format!("{decided} ({round})")),
        (Some(one), None) | (None, Some(one)) => Some(one),
        (None, None) => None,
    }
}

fn person_stopped(state: &State) -> Option<String> {
    matches!(state.reason, Some(Reason::Human | Reason::Interrupted))
        .then(|| "a person stopped it".to_owned())
}

fn round_words(round: &CheckRound) -> String {
    let mut parts = Vec::new();
    if !round.checks.is_empty() {
        parts.push(format!("{} of {} checks pass", round.passed(), round.checks.len()));
    }
    if !round.conditions.is_empty() {
        let met = round.conditions.iter().filter(|condition| condition.met).count();
        parts.push(format!("{met} of {} conditions hold", round.conditions.len()));
    }
    format!("round {}: {}", round.number, parts.join(", "))
}

fn metrics(state: &State, unknown: &mut Vec<&'static str>) -> MetricsSnapshot {
    let counters = &state.counters;
    if !counters.are_outcomes_known() {
        unknown.extend(["metrics.successful_iterations", "metrics.failed_iterations"]);
    }
    MetricsSnapshot {
        total_iterations: u64::from(counters.iterations),
        successful_iterations: u64::from(counters.succeeded),
        failed_iterations: u64::from(counters.failed),
        total_reboots: u64::from(counters.reboots),
        total_execution_ms: counters.working_ms,
    }
}

/// From 0 to 1. A limit of nothing is reached.
fn share(used: u64, limit: u64) -> f64 {
    if limit == 0 { 1.0 } else { (used as f64 / limit as f64).clamp(0.0, 1.0) }
}
