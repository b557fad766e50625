//! When a loop is done. A report or a phrase of the agent is only ever a request to verify.

use super::config::{Condition, LoopConfig};
use super::facts::{CheckRound, ReportStatus};
use super::state::{IterationRecord, State};
use super::stop::is_met;
use crate::status::Reason;

/// The rule that decides, for the screen to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DoneRule {
    /// Every check passes now, and at least one failed at the start.
    ChecksPass,
    /// The agent reports done, the tree differs from the start of the run, every check is green.
    Done,
    /// Everything that was asked for with `--until` holds.
    Conditions,
}

/// The rule of this run: what was asked for, else what fits its baseline.
pub fn done_rule(config: &LoopConfig, baseline: Option<&CheckRound>) -> DoneRule {
    match config.until.as_slice() {
        [] if !config.stop.success.is_empty() => DoneRule::Conditions,
        [] if baseline.is_some_and(|round| !round.all_pass()) => DoneRule::ChecksPass,
        [] | [Condition::Done] => DoneRule::Done,
        [Condition::ChecksPass] => DoneRule::ChecksPass,
        _ => DoneRule::Conditions,
    }
}

/// Why the run is complete, if it is. Judged on the last iteration, once it has its verdict: what an
/// attempt left behind that was cut short, or a person edited since, was never checked.
pub(super) fn reached(state: &State) -> Option<Reason> {
    if !is_judged(state) {
        return None;
    }
    match done_rule(&state.config, state.seen.baseline.as_ref()) {
        DoneRule::ChecksPass => checks_pass(state).then_some(Reason::ChecksPass),
        DoneRule::Done => reported_done(state).then_some(Reason::Done),
        // What `[stop] success` asks for is judged with the other stop conditions.
        DoneRule::Conditions if state.config.until.is_empty() => None,
        DoneRule::Conditions => state
            .config
            .until
            .iter()
            .all(|condition| holds(state, condition))
            .then_some(Reason::ConditionsMet),
    }
}

/// Whether the last iteration has its verdict and was neither given up nor refused.
pub(super) fn is_judged(state: &State) -> bool {
    let judged =
        |last: &IterationRecord| !last.skipped && !last.refused && last.number == state.work.iteration;
    state.work.restore.is_none() && state.judged.recent.back().is_some_and(judged)
}

/// Whether `checks-pass` can never be judged because every check was green from the start.
pub(super) fn baseline_contradicts(state: &State) -> bool {
    state.counters.iterations == 0
        && state.config.until.contains(&Condition::ChecksPass)
        && state.seen.baseline.as_ref().is_some_and(CheckRound::all_pass)
}

fn holds(state: &State, condition: &Condition) -> bool {
    match condition {
        Condition::ChecksPass => checks_pass(state),
        Condition::Done => reported_done(state),
        Condition::Command(_) | Condition::File(_) => probed(state, condition),
        // An agent can tick everything; what the checks say it cannot.
        Condition::TasksDone(_) => probed(state, condition) && all_green(state),
        Condition::Stop(named) => is_met(state, &named.condition),
    }
}

/// What the last look outside the journal said of it.
fn probed(state: &State, condition: &Condition) -> bool {
    let label = condition.label();
    let round = state.seen.checks.as_ref();
    round.is_some_and(|round| round.conditions.iter().any(|result| result.label == label && result.met))
}

fn checks_pass(state: &State) -> bool {
    let failed_at_start = state.seen.baseline.as_ref().is_some_and(|round| !round.all_pass());
    failed_at_start && all_green(state)
}

fn reported_done(state: &State) -> bool {
    let reported = state.seen.report.as_ref().and_then(|report| report.status) == Some(ReportStatus::Done);
    reported && tree_changed(state) && all_green(state)
}

/// Whether the judged tree differs from the start of the run. Unknown counts as no.
fn tree_changed(state: &State) -> bool {
    let judged = state.judged.recent.back().and_then(|last| last.snapshot.as_ref());
    judged.zip(state.seen.start.as_ref()).is_some_and(|(judged, start)| judged.tree != start.tree)
}

fn all_green(state: &State) -> bool {
    state.config.checks.is_empty() || state.seen.checks.as_ref().is_some_and(CheckRound::all_pass)
}
