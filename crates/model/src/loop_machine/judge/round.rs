//! What follows from a round of checks.

use super::checkout::unlike;
use crate::loop_machine::facts::{CheckRound, Snapshot};
use crate::loop_machine::state::{Next, State};
use crate::loop_machine::stop::all_tests_pass;
use crate::loop_machine::tracker::JudgedTree;
use crate::loop_machine::verdict::RoundRuling;

/// What follows from `round`.
pub(in crate::loop_machine) fn round(state: &State, round: &CheckRound) -> RoundRuling {
    let unlike = unlike(state, round);
    let is_due = state.work.ended.is_some() && state.work.iteration > state.counters.iterations;
    // What was stopped in the middle, or does not speak of this tree, is run again, unless the iteration was given up.
    let next = match (unlike.is_some(), round.cancelled) {
        (true, _) => state.work.next,
        (false, true) => {
            if state.requests.skip {
                Next::Verdict
            } else {
                state.work.next
            }
        }
        (false, false) => {
            if is_due {
                Next::Verdict
            } else {
                Next::Attempt
            }
        }
    };
    // The round before the first attempt is no iteration's.
    let baseline = state.work.attempt == 0;
    RoundRuling {
        next,
        fixed: fixed(state.seen.checks.as_ref(), round),
        tree: tree(state, round),
        tests_fail: (!baseline).then(|| tests_fail(state.seen.baseline.as_ref(), round)),
        baseline,
        unlike,
    }
}

fn tree(state: &State, round: &CheckRound) -> JudgedTree {
    let tree_of = |snapshot: &Option<Snapshot>| snapshot.as_ref().map(|snapshot| snapshot.tree.clone());
    let before = state.seen.checks.as_ref().and_then(|before| tree_of(&before.snapshot));
    if before.is_some() && before == tree_of(&round.snapshot) {
        return JudgedTree::Same;
    }
    // The round began with putting the files back.
    if state.work.restore.is_some() { JudgedTree::Back } else { JudgedTree::Another }
}

/// Whether tests fail, by their runners where those are understood, else by the checks. A red linter is no failing test.
fn tests_fail(baseline: Option<&CheckRound>, round: &CheckRound) -> bool {
    let failed = round.measures.tests.is_some_and(|tests| tests.failed > 0);
    failed || (!round.all_pass() && !all_tests_pass(round, baseline))
}

/// Checks that failed and pass now, and conditions that hold now.
fn fixed(before: Option<&CheckRound>, now: &CheckRound) -> u32 {
    let Some(before) = before else { return 0 };
    let failed = |name: &str| before.checks.iter().any(|check| check.name == name && !check.passed);
    let checks = now.checks.iter().filter(|check| check.passed && failed(&check.name)).count();
    let was_met = |label: &str| before.conditions.iter().any(|known| known.label == label && known.met);
    let conditions = now.conditions.iter().filter(|known| known.met && !was_met(&known.label)).count();
    u32::try_from(checks + conditions).unwrap_or(u32::MAX)
}
