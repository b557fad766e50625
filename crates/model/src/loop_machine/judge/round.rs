//! What follows from a round of checks, and from what the checks wrote into the tree they judge.

use super::attempt::about;
use super::checkout::unlike;
use crate::event::Event;
use crate::finding::{Finding, RegressionType, Severity};
use crate::loop_machine::done::{DoneRule, done_rule};
use crate::loop_machine::facts::{CheckRound, Proved, ReportStatus, Rewritten, Snapshot, Wrote};
use crate::loop_machine::guard::{GuardMode, Verdict};
use crate::loop_machine::state::{Next, State};
use crate::loop_machine::stop::all_tests_pass;
use crate::loop_machine::tracker::JudgedTree;
use crate::loop_machine::verdict::RoundRuling;

/// The rule of a finding about a test that was written while checks ran.
pub const WRITES_TEST: &str = "check-writes-test";

/// The round that comes next begins. What the guard found in an attempt that was cut short is judged with it.
pub(in crate::loop_machine) fn checks(state: &State) -> Event {
    let put_off = state.work.ended.as_ref().and_then(|ended| ended.put_off.as_ref());
    let guard = put_off.map(|report| about(state.config.guard, &report.findings));
    Event::ChecksStarted { round: state.work.round.saturating_add(1), guard, look: false }
}

/// The round that says how the tree stands after an attempt that was cut short. What the guard found in that is put off further,
/// since another one follows, unless it found nothing.
pub(in crate::loop_machine) fn look(state: &State) -> Event {
    let put_off = state.work.ended.as_ref().and_then(|ended| ended.put_off.as_ref());
    let guard = put_off.filter(|report| report.findings.is_empty()).map(|_| Verdict::Reported);
    Event::ChecksStarted { round: state.work.round.saturating_add(1), guard, look: true }
}

/// What follows from `round`.
pub(in crate::loop_machine) fn round(state: &State, round: &CheckRound) -> RoundRuling {
    let unlike = unlike(state, round);
    let is_look = state.work.ended.as_ref().is_some_and(|ended| ended.look);
    let is_due = state.work.ended.is_some() && state.work.iteration > state.counters.iterations;
    let counts = is_due && !round.cancelled && unlike.is_none();
    let wrote = round.wrote.as_ref().filter(|_| counts);
    let (guard, findings) = held_against(state, wrote, round.proof.as_ref().filter(|_| counts));
    let is_refused = guard == Some(Verdict::Refused);
    let was_again = state.work.ended.as_ref().is_some_and(|ended| ended.again);
    let changed = wrote.is_some_and(|wrote| !wrote.changed.is_empty());
    let again = changed && !is_refused && !was_again && round.all_pass();
    // What was stopped in the middle, or does not speak of this tree, is run again, unless the iteration was given up.
    let next = match (unlike.is_some(), round.cancelled) {
        _ if is_refused || again => Next::Checks,
        (true, _) => state.work.next,
        (false, true) if state.requests.skip => Next::Verdict,
        (false, true) if is_look => Next::Attempt,
        (false, true) => state.work.next,
        (false, false) if is_look => after_look(state, round),
        (false, false) if is_due => Next::Verdict,
        (false, false) => Next::Attempt,
    };
    // The round before the first attempt is no iteration's.
    let baseline = state.work.attempt == 0;
    // Nor is a look after which its iteration goes on.
    let is_of_an_iteration = !baseline && (!is_look || next != Next::Attempt);
    RoundRuling {
        next,
        fixed: fixed(state.seen.checks.as_ref(), round),
        tree: tree(state, round),
        tests_fail: is_of_an_iteration.then(|| tests_fail(state.seen.baseline.as_ref(), round)),
        baseline,
        unlike,
        guard,
        findings,
        again,
    }
}

/// What follows a look at what an attempt left that was cut short: the next attempt, unless there is nothing left to do. Then
/// its iteration is judged like any other, and what the guard said of it without blocking it is said first.
fn after_look(state: &State, round: &CheckRound) -> Next {
    let ended = state.work.ended.as_ref();
    let says_done = || {
        let report = ended.and_then(|ended| ended.report.as_ref());
        report.is_some_and(|report| report.status == Some(ReportStatus::Done))
    };
    let green = !round.checks.is_empty() && round.all_pass();
    let is_met = !round.conditions.is_empty() && round.conditions.iter().all(|condition| condition.met);
    let is_all = match done_rule(&state.config, state.seen.baseline.as_ref()) {
        DoneRule::ChecksPass => green,
        DoneRule::Done => says_done() && round.all_pass(),
        DoneRule::Conditions => green || is_met,
    };
    let put_off = ended.and_then(|ended| ended.put_off.as_ref());
    match put_off.map(|report| about(state.config.guard, &report.findings)) {
        _ if !is_all => Next::Attempt,
        None => Next::Verdict,
        Some(Verdict::Reported) => Next::Checks,
        Some(Verdict::Refused | Verdict::Asked) => Next::Attempt,
    }
}

/// What becomes of what the checks wrote and of what trials showed, and what is held against it.
fn held_against(
    state: &State,
    wrote: Option<&Wrote>,
    proof: Option<&Proved>,
) -> (Option<Verdict>, Vec<Finding>) {
    if state.config.guard == GuardMode::Off {
        return (None, Vec::new());
    }
    let mut findings: Vec<Finding> = wrote.iter().flat_map(|wrote| &wrote.tests).map(rewritten).collect();
    let reports = wrote.iter().flat_map(|wrote| &wrote.guard);
    findings.extend(reports.flat_map(|report| report.findings.clone()));
    // What somebody has looked at already is not raised again.
    let is_known = |finding: &&Finding| {
        let kept = || state.judged.findings.iter().filter(|kept| kept.finding.id == finding.id);
        kept().any(|kept| kept.verdict != Verdict::Refused)
    };
    let shown = proof.iter().flat_map(|proof| &proof.findings);
    findings.extend(shown.filter(|finding| !is_known(finding)).cloned());
    let is_judged = wrote.is_some_and(|wrote| wrote.guard.is_some()) || !findings.is_empty();
    (is_judged.then(|| about(state.config.guard, &findings)), findings)
}

fn rewritten(written: &Rewritten) -> Finding {
    let Rewritten { path, check } = written;
    let others = || "checks, conditions to stop or metrics".to_owned();
    let when = check.as_ref().map_or_else(others, |check| format!("the check `{check}`"));
    Finding {
        id: blake3::hash(format!("{WRITES_TEST}\0{path}").as_bytes()).to_hex()[..10].to_owned(),
        rule: WRITES_TEST.to_owned(),
        regression_type: RegressionType::ValidationBypass,
        pattern: None,
        severity: Severity::Critical,
        confidence_percent: 100,
        blocking: true,
        file: path.clone(),
        line: 1,
        test: None,
        message: format!("`{path}` was written while {when} ran, so its verdict does not count"),
        before: None,
        after: None,
        undo: "leave tests alone while they run; what has to be generated, generate before the attempt ends"
            .to_owned(),
        allowed: None,
        evidence: None,
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
