//! When a loop is done. A report or a phrase of the agent is only ever a request to verify.

use super::config::{LoopConfig, ProofPolicy};
use super::facts::CheckRound;
use super::returned::is_back;
use super::state::{IterationRecord, State};
use super::stop::{ChecksPass, Done, NamedStop, Rule, StopCondition, all_asked, asked_for, until};
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
        [] => DoneRule::Done,
        [only] if matches!(only.condition, StopCondition::Done(_)) => DoneRule::Done,
        [only] if matches!(only.condition, StopCondition::ChecksPass(_)) => DoneRule::ChecksPass,
        _ => DoneRule::Conditions,
    }
}

impl DoneRule {
    /// The conditions that it stands for: all of them must hold.
    pub fn conditions(self, config: &LoopConfig) -> Vec<NamedStop> {
        match self {
            DoneRule::ChecksPass => vec![until(ChecksPass {})],
            DoneRule::Done => vec![until(Done {})],
            DoneRule::Conditions => config.until.clone(),
        }
    }
}

/// Why the run is complete, if it is. Judged on the last iteration, once it has its verdict: what an
/// attempt left behind that was cut short, or a person edited since, was never checked.
pub(super) fn reached(state: &State) -> Option<Reason> {
    if !is_judged(state) {
        return None;
    }
    match done_rule(&state.config, state.seen.baseline.as_ref()) {
        DoneRule::ChecksPass => ChecksPass {}.is_met(state).then_some(Reason::ChecksPass),
        DoneRule::Done => (Done {}.is_met(state) && is_proved_enough(state)).then_some(Reason::Done),
        // What `[stop] success` asks for is judged with the other stop conditions.
        DoneRule::Conditions => all_asked(state).then_some(Reason::ConditionsMet),
    }
}

/// Whether there is the proof that done needs: where every check was green from the start, they prove nothing about the change.
fn is_proved_enough(state: &State) -> bool {
    state.config.proof == ProofPolicy::Optional || state.proved_by().next().is_some()
}

/// Whether the agent reports done, everything is green, and only the proof is missing that done needs.
pub fn lacks_proof(state: &State) -> bool {
    let rule = done_rule(&state.config, state.seen.baseline.as_ref());
    rule == DoneRule::Done && is_judged(state) && Done {}.is_met(state) && !is_proved_enough(state)
}

/// Whether the work that stands is green and differs from the start, and only the proof is missing that done needs: what the next attempt
/// has to know, whose own report is not there yet.
pub fn wants_proof(state: &State) -> bool {
    let rule = done_rule(&state.config, state.seen.baseline.as_ref());
    let green = state.seen.checks.as_ref().is_some_and(|round| !round.checks.is_empty() && round.all_pass());
    let differs = |last: &IterationRecord| {
        let snapshots = last.snapshot.as_ref().zip(state.seen.start.as_ref());
        !last.was_put_back() && snapshots.is_some_and(|(now, start)| now.differs_from(start))
    };
    let changed = state.judged.recent.back().is_some_and(differs);
    rule == DoneRule::Done && green && changed && !is_proved_enough(state)
}

/// Whether the run is done on the word of its agent alone: its checks were green from the start, and trials name no test that
/// shows what it changed.
pub fn is_unproved(state: &State) -> bool {
    let tried = state.seen.checks.as_ref().is_some_and(|round| round.proof.is_some());
    state.reason == Some(Reason::Done) && tried && state.proved_by().next().is_none()
}

/// The conditions by which a run is complete for `reason`, where they decided it.
pub(super) fn by_which(state: &State, reason: Reason) -> Option<String> {
    (reason == Reason::ConditionsMet).then(|| asked_for(state))
}

/// Whether the last iteration has its verdict and was neither put back, nor given up without a look since.
pub(super) fn is_judged(state: &State) -> bool {
    let judged = |last: &IterationRecord| {
        (!last.skipped || last.looked_at) && !last.was_put_back() && last.number == state.work.iteration
    };
    state.work.restore.is_none() && !is_back(state) && state.judged.recent.back().is_some_and(judged)
}

/// Whether `checks-pass` can never be judged because every check was green from the start.
pub(super) fn baseline_contradicts(state: &State) -> bool {
    state.counters.iterations == 0
        && state.config.asks_for_checks()
        && state.seen.baseline.as_ref().is_some_and(CheckRound::all_pass)
}
