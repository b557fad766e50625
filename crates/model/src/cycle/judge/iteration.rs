//! The verdict on an iteration, once every role that works in it is done and the tree was judged.

use std::collections::BTreeSet;

use crate::Timestamp;
use crate::cycle::begin::with_followers;
use crate::cycle::config::{Role, RoleName};
use crate::cycle::event::CycleEvent as Event;
use crate::cycle::facts::{BlockerStatus, Conclusion, Feedback, FeedbackKind, IterationVerdict, PhaseStatus};
use crate::cycle::gate::{Gate, GateRecord};
use crate::cycle::limits::ISSUES_MAX;
use crate::cycle::state::State;
use crate::limits::{TAIL_BYTES_MAX, TEXT_BYTES_MAX, clip};
use crate::loop_machine::CheckResult;

/// Something that is wrong, and who is to do something about it.
struct Issue {
    text: String,
    /// Who says so.
    source: String,
    targets: Vec<RoleName>,
    kind: FeedbackKind,
    /// What helps to mend it.
    more: String,
}

/// The verdict, where the iteration is ready for it.
pub(in crate::cycle) fn conclusion(state: &State, now: Timestamp) -> Option<Event> {
    let is_done = state.is_idle() && state.roles.iter().all(|role| !role.due);
    if !is_done || state.iteration == 0 || state.current.concluded {
        return None;
    }
    let gate = super::gate::judged(state);
    let issues = issues(state, gate.as_ref());
    let next = next(state, &issues, gate.as_ref());
    let quality = state.current.quality.unwrap_or(if issues.is_empty() { 100.0 } else { 0.0 });
    let changed = match (&state.current.before, &state.seen) {
        (Some(before), Some(seen)) => before.differs_from(seen),
        _ => true,
    };
    let best_quality = state.best_by_verdict.map(|(_, quality)| quality);
    let is_better = best_quality.is_none_or(|best| quality > best);
    let progress = changed || is_better;
    let idle = if progress { 0 } else { state.idle_iterations.saturating_add(1) };
    let verdict = match () {
        () if next.is_empty() => IterationVerdict::Converged,
        () if idle >= state.config.limits.no_progress => IterationVerdict::NoProgress,
        () if state.iteration >= state.config.limits.iterations => IterationVerdict::OutOfIterations,
        () => IterationVerdict::GoesOn,
    };
    Some(Event::IterationConcluded {
        conclusion: Box::new(Conclusion {
            iteration: state.iteration,
            verdict,
            feedback: feedback(&issues, now),
            issues: issues.into_iter().take(ISSUES_MAX).map(|issue| issue.text).collect(),
            tests: state.tests.clone().filter(|tests| tests.iteration == state.iteration),
            best: is_better || best_quality == Some(quality),
            progress,
            quality,
            snapshot: state.seen.clone(),
            next,
            gate,
        }),
    })
}

/// Whether nothing is left to do, as far as is known.
pub(in crate::cycle) fn converges(state: &State, now: Timestamp) -> bool {
    let is_it = |event: Event| match event {
        Event::IterationConcluded { conclusion } => conclusion.verdict == IterationVerdict::Converged,
        _ => false,
    };
    conclusion(state, now).is_some_and(is_it)
}

/// What is wrong: checks that fail, what the gate asks for, what roles left undone, what stands in the way.
fn issues(state: &State, gate: Option<&GateRecord>) -> Vec<Issue> {
    let mut issues = of_checks(state);
    issues.extend(of_gate(state, gate));
    let results = state.iterations.back().map(|record| &record.agent_results);
    for (role, _) in state.team() {
        let status = results.and_then(|results| results.get(&role.name)).map(|result| result.status);
        let left = match status {
            Some(PhaseStatus::Unknown) if role.validates => {
                issues.push(unheard(role));
                continue;
            }
            Some(PhaseStatus::Partial | PhaseStatus::Failed) if role.validates => {
                "finds that not all is well"
            }
            Some(PhaseStatus::Partial) => "has done a part of its work",
            Some(PhaseStatus::Failed) => "failed",
            Some(PhaseStatus::Blocked) => "is blocked",
            _ => continue,
        };
        let targets = if role.validates { targets(state) } else { vec![role.name.clone()] };
        issues.push(Issue {
            text: format!("{} ({}) {left}", role.title, role.name),
            source: role.name.to_string(),
            targets,
            kind: FeedbackKind::IssueFix,
            more: state.role(&role.name).and_then(|at| at.last_message.clone()).unwrap_or_default(),
        });
    }
    for blocker in state.blockers.iter().filter(|blocker| blocker.status == BlockerStatus::Open) {
        let by = RoleName::new(blocker.reported_by.clone());
        let place = state.place(&by).map(|index| &state.config.roles[index]);
        issues.push(Issue {
            text: format!("{} is open: {}", blocker.id, blocker.description),
            source: blocker.reported_by.clone(),
            targets: place.map_or_else(Vec::new, |role| role.feedback_to.clone()),
            kind: FeedbackKind::Clarification,
            more: String::new(),
        });
    }
    issues
}

/// A validator whose word nobody understands has not said yes: it says how once more.
fn unheard(role: &Role) -> Issue {
    Issue {
        text: format!("{} ({}) does not say what it found", role.title, role.name),
        source: "checks".to_owned(),
        targets: vec![role.name.clone()],
        kind: FeedbackKind::Clarification,
        more:
            "End with a block `PHASE_RESULT:` whose line `- status:` says `completed`, `partial` or `failed`."
                .to_owned(),
    }
}

fn of_checks(state: &State) -> Vec<Issue> {
    let validator = state.config.roles.iter().find(|role| role.validates);
    let source = validator.map_or_else(|| "checks".to_owned(), |role| role.name.to_string());
    let failed = state.tests.as_ref().map(|tests| tests.failed_tests.as_slice()).unwrap_or_default();
    let red = state.checks.iter().filter(|check| !check.passed);
    let text = |check: &CheckResult| {
        let how = match (check.timed_out, check.exit_code) {
            (true, _) => "takes too long".to_owned(),
            (false, Some(code)) => format!("fails with {code}"),
            (false, None) => "fails".to_owned(),
        };
        let named = failed.iter().filter(|name| **name != check.name).count();
        match named {
            0 => format!("check `{}` {how}", check.name),
            1 => format!("check `{}` {how}; 1 failing test is named", check.name),
            named => format!("check `{}` {how}; {named} failing tests are named", check.name),
        }
    };
    let issue = |check: &CheckResult| Issue {
        text: text(check),
        source: source.clone(),
        targets: targets(state),
        kind: FeedbackKind::BugReport,
        more: check.tail.clone(),
    };
    red.map(issue).collect()
}

fn of_gate(state: &State, gate: Option<&GateRecord>) -> Vec<Issue> {
    let Some(at) = gate else { return Vec::new() };
    let complaints = at.criteria.iter().filter_map(|criterion| criterion.complaint());
    let issue = |complaint: String| Issue {
        text: format!("{}: {complaint}", at.gate),
        source: "prep".to_owned(),
        targets: targets(state),
        kind: FeedbackKind::IssueFix,
        more: String::new(),
    };
    complaints.map(issue).collect()
}

/// Who mends what checks and validators find: whom the validators tell, else whoever changes the tree.
fn targets(state: &State) -> Vec<RoleName> {
    let told = state.config.roles.iter().filter(|role| role.validates).flat_map(|role| &role.feedback_to);
    let told: BTreeSet<&RoleName> = told.collect();
    match told.is_empty() {
        false => told.into_iter().cloned().collect(),
        true => {
            let develops = state.config.roles.iter().filter(|role| role.develops);
            develops.map(|role| role.name.clone()).collect()
        }
    }
}

/// The roles of the next iteration: whoever has something to mend, and all that waits for them. What was only to work at all is
/// then done in full, by everybody.
fn next(state: &State, issues: &[Issue], gate: Option<&GateRecord>) -> Vec<RoleName> {
    let goes_further = gate.is_some_and(|at| at.gate == Gate::ZeroToOne && at.passed == Some(true));
    if goes_further {
        return state.config.roles.iter().map(|role| role.name.clone()).collect();
    }
    if issues.is_empty() {
        return Vec::new();
    }
    let named: Vec<RoleName> = issues.iter().flat_map(|issue| issue.targets.iter().cloned()).collect();
    match with_followers(&state.config.roles, &named) {
        // Nobody is to blame by name: everybody looks again.
        roles if roles.is_empty() => state.config.roles.iter().map(|role| role.name.clone()).collect(),
        roles => roles,
    }
}

/// What each of them is told.
fn feedback(issues: &[Issue], now: Timestamp) -> Vec<Feedback> {
    let entries = issues.iter().take(ISSUES_MAX).flat_map(|issue| {
        let more = clip(&issue.more, TAIL_BYTES_MAX);
        let content = if more.is_empty() { issue.text.clone() } else { format!("{}\n{more}", issue.text) };
        issue.targets.iter().map(move |target| Feedback {
            at: now,
            source: issue.source.clone(),
            target: target.clone(),
            content: clip(&content, TEXT_BYTES_MAX).to_owned(),
            kind: issue.kind,
        })
    });
    entries.collect()
}
