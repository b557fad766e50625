//! What an outcome means: of an attempt of a role, of a round of checks, of an iteration.
//!
//! What a role says can make things worse and never better: whether the work is done is said by piton's own checks.

mod attempt;
mod gate;
mod iteration;

use super::config::version_of;
use super::event::CycleEvent as Event;
use super::limits::ISSUES_MAX;
use super::sections::TestResults;
use super::state::State;
use crate::Timestamp;
use crate::limits::{TEST_NAME_BYTES_MAX, TEXT_BYTES_MAX, clip};
use crate::loop_machine::{CheckRound, QualityPolicy, Snapshot, judge};

pub(super) use attempt::{blocker_id, decision_id, finished, lost};
pub(super) use gate::gate_of;
pub(super) use iteration::{conclusion, converges};

/// Whether an iteration can be compared with this tree, and put back to it: no role has left anything in it that nobody has
/// judged, and none that works beside the one that is about to start can have.
pub(super) fn is_base(state: &State, snapshot: &Snapshot) -> bool {
    if state.roles.iter().filter(|role| role.open.is_some()).count() > 1 {
        return false;
    }
    match (&state.current.before, &state.seen) {
        (Some(before), Some(seen)) => before.tree == seen.tree && before.tree != snapshot.tree,
        // It begins over what another run left.
        (Some(_), None) => false,
        (None, _) => true,
    }
}

/// What a round of checks came to.
pub(super) fn round(state: &State, round: CheckRound, failed: Vec<String>, now: Timestamp) -> Event {
    let quality = judge(&QualityPolicy::default(), &round, None).map(|quality| quality.score);
    let tests = (!round.cancelled).then(|| Box::new(results(state, &round, failed, now)));
    Event::ChecksFinished { round: Box::new(round.bounded()), tests, quality }
}

/// What is said of files that changed while checks ran, and are as they were again: a check may have written them, or a person.
pub(super) fn put_back(event: &Event) -> Option<Event> {
    let Event::ChecksFinished { round, .. } = event else { return None };
    let wrote = round.wrote.as_ref().filter(|wrote| !wrote.put_back.is_empty())?;
    let left = wrote.left.as_ref()?;
    let files: Vec<String> = wrote.put_back.iter().map(|path| quoted(path)).collect();
    let error = format!(
        "changed while the checks ran, and put back: {}. If that was you, `git restore --source={} -- {}` brings it back",
        wrote.put_back.join(", "),
        left.id,
        files.join(" ")
    );
    Some(Event::PhaseErred { phase: "checks".to_owned(), error: clip(&error, TEXT_BYTES_MAX).to_owned() })
}

/// A path as one word of a shell.
fn quoted(path: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-+".contains(&byte);
    match path.bytes().all(is_plain) {
        true => path.to_owned(),
        false => format!("'{}'", path.replace('\'', "'\\''")),
    }
}

/// The results by the tests that the runners counted; where none did, each check is one.
fn results(state: &State, round: &CheckRound, failed: Vec<String>, now: Timestamp) -> TestResults {
    let red = round.checks.iter().filter(|check| !check.passed).map(|check| check.name.clone());
    let counted = round.measures.tests.filter(|tests| tests.total() > 0);
    let (passed, total, skipped) = match counted {
        Some(tests) => (tests.passed, tests.total(), tests.skipped),
        None => (round.passed() as u64, round.checks.len() as u64, 0),
    };
    let mut failed_tests: Vec<String> = if failed.is_empty() { red.collect() } else { failed };
    failed_tests.iter_mut().for_each(|name| *name = clip(name, TEST_NAME_BYTES_MAX).to_owned());
    failed_tests.truncate(ISSUES_MAX);
    let rate = match counted {
        Some(tests) => tests.pass_rate().unwrap_or(0.0),
        None if total == 0 => 0.0,
        None => 100.0 * passed as f64 / total as f64,
    };
    // Tests that all pass under a check that fails are no success.
    let pass_rate = if round.all_pass() { rate } else { rate.min(99.0) };
    TestResults {
        version: version_of(state.iteration),
        iteration: state.iteration,
        round: round.number,
        pass_rate,
        coverage: round.measures.coverage_percent(),
        branches: round.measures.coverage.and_then(|known| known.branches).map(|share| share.percent()),
        functions: round.measures.coverage.and_then(|known| known.functions).map(|share| share.percent()),
        failed_tests,
        total_tests: total,
        passed_tests: passed,
        skipped_tests: skipped,
        duration_ms: round.duration_ms,
        last_run: now,
    }
}
