//! Where a run is, why, and what to do: a view of its state.

use std::collections::{BTreeMap, VecDeque};

use piton_git::Workspace;
use piton_model::loop_machine::progress::{advise, velocity};
use piton_model::loop_machine::{
    AgentConfig, CheckResult, ContextLevel, DoneRule, KeptFinding, Measures, ModeSwitch, QuestionKind,
    ReviewRuling, SessionPolicy, State, StillHolds, TestStatus, done_rule, raise_past, still_holds,
};
use piton_model::{Event, Machine, Reason, Status, exit_code};
use piton_store::Holder;
use piton_sys::{Clock, SystemClock};
use piton_view::words::{self, Watched};
use piton_view::{
    AgentView, AskedView, BestView, BudgetView, ChangedView, CheckView, Counted, DriverView, GuardView,
    IterationView, LimitsView, ModeView, NotCoveredView, QuestionView, ReviewView, RunStatus, SessionView,
    StatusOf, StatusView, SwitchView, TestsView, UsedView,
};

use super::MAKE_IT_YOURS;
use super::land::branch::OnBranch;
use crate::layout::Layout;

/// Everything about a loop at one moment.
pub(super) fn view_of(
    layout: &Layout,
    state: &State,
    holder: Option<&Holder>,
    caution: Option<&str>,
) -> StatusView {
    let mut status = status_of(layout, state, holder);
    if caution.is_some() {
        (status.next, status.next_once) = (MAKE_IT_YOURS.to_owned(), None);
    }
    let next = words::what_to_do(&words::next(&status), caution);
    let ending = words::ending(state, &status.changed, &next);
    StatusView {
        questions: asked(state),
        questions_asked: state.people.questions_asked,
        at_a_key: state.at_a_key(),
        goes_on_at: state.goes_on_at(),
        shows_change: state.config.mode.attended.show_diff
            && state.people.questions.iter().any(|question| question.kind == QuestionKind::AfterIteration),
        counted: state.counters.iterations,
        screen: words::status(&status, state, &next, SystemClock.now()),
        ending,
        details: words::details(state),
        ..StatusView::of(StatusOf::Loop(Box::new(status)))
    }
}

fn status_of(layout: &Layout, state: &State, holder: Option<&Holder>) -> RunStatus {
    let changed = changed_by(layout, state);
    let scores: Vec<f64> = state.judged.recent.iter().map(|record| record.score).collect();
    RunStatus {
        entry: state.entry(),
        detail: state.detail.clone(),
        since: state.since,
        next: match &changed.landed_on {
            Some(_) if holder.is_none() => format!("piton rm {}", state.run.short()),
            _ => next_command(layout, state, holder.is_some()),
        },
        next_once: next_once(state),
        mode: state.mode().as_str(),
        modes: modes_of(state),
        driver: holder.map(driver_view),
        agents: agents_of(state),
        exit_code: exit_code(state.status, state.reason).map(|code| code as u8),
        rule: rule_word(state),
        limits: limits_of(state),
        used: used_of(state),
        checks: checks_of(state.seen.checks.as_ref().map_or(&[], |round| &round.checks)),
        unjudged_attempt: state.unjudged_attempt(),
        baseline: checks_of(state.seen.baseline.as_ref().map_or(&[], |round| &round.checks)),
        best: state.judged.best.as_ref().map(|best| BestView {
            iteration: best.iteration,
            quality_score: best.quality_score(),
            passed: best.passed,
            total: best.total,
            acceptable: best.quality_score() >= state.config.quality.acceptable,
        }),
        chosen: state.people.chosen.clone(),
        measures: state.seen.measures.clone().filter(|measures| !measures.is_empty()),
        baseline_measures: baseline_measures(state),
        tests: tests_of(state),
        proof: state.seen.checks.as_ref().and_then(|round| round.proof.clone()),
        closure: state.seen.baseline.as_ref().map(|round| round.closure.clone()).unwrap_or_default(),
        closure_changed: state
            .seen
            .checks
            .as_ref()
            .map(|round| round.closure_changed.clone())
            .unwrap_or_default(),
        review: review_of(state),
        reinforcement: state.judged.reinforcement.level.published(),
        recoveries: state.judged.recoveries.iter().chain(&state.judged.recovery).cloned().collect(),
        guard: guard_of(state),
        iterations: state.judged.recent.iter().map(iteration_of).collect(),
        velocity: velocity(&scores),
        advice: advise(velocity(&scores), state.counters.no_progress_in_a_row),
        session: session_of(state),
        changed,
        not_covered: state
            .left_out()
            .into_iter()
            .map(|(file, changed)| NotCoveredView { path: file.path.clone(), bytes: file.bytes, changed })
            .collect(),
        said: state.seen.report.as_ref().and_then(|report| report.summary.clone()),
        findings: state.judged.findings.iter().map(|kept| finding_of(kept, &state.people.marks)).collect(),
        questions: state.people.questions.iter().map(question_of).collect(),
    }
}

/// What it changed, and where that is now: of a run at rest as git has it, whoever committed.
pub(super) fn changed_by(layout: &Layout, state: &State) -> ChangedView {
    let worktree = state.config.worktree.as_ref();
    let start = state.seen.start.as_ref().map(|start| start.id.as_str());
    let found = worktree.filter(|_| !state.status.is_active());
    let found = found.and_then(|worktree| OnBranch::look(layout, &state.run, worktree, start));
    ChangedView {
        files: state.seen.modified_files.clone(),
        branch: worktree.map(|worktree| worktree.branch.clone()),
        commits: found.as_ref().map_or(state.seen.commits, |found| found.commits),
        began_uncommitted: found.as_ref().is_some_and(|found| found.began_uncommitted),
        landed_on: found.and_then(|found| found.landed_on),
        uncommitted: state.seen.uncommitted.clone(),
    }
}

/// Its agents, where it has more than one.
fn agents_of(state: &State) -> Vec<AgentView> {
    if state.config.fallback.agents.is_empty() {
        return Vec::new();
    }
    let now = SystemClock.now();
    let view = |(place, agent): (u32, &AgentConfig)| {
        let out = state.turn.is_out(place, now);
        AgentView {
            name: agent.name.clone(),
            works: place == state.turn.current,
            out: out.map(|out| out.reason.as_str()),
            until: out.and_then(|out| out.until),
        }
    };
    (0..).zip(state.config.agents()).map(view).collect()
}

/// What was said by whoever reads the work, where somebody does.
fn review_of(state: &State) -> Option<ReviewView> {
    let (review, reviewed) = (state.config.review.as_ref()?, &state.review);
    let last = reviewed.last.as_ref();
    Some(ReviewView {
        agent: review.agent.name.clone(),
        reviews: reviewed.number,
        rounds: reviewed.rounds,
        iteration: last.map(|last| last.iteration),
        verdict: last.map(|last| match last.ruling {
            ReviewRuling::Agreed => "agreed",
            ReviewRuling::Objected => "objected",
            ReviewRuling::Asked => "asked",
            ReviewRuling::Again => "again",
            ReviewRuling::Held { .. } => "held",
        }),
        objections: reviewed.objections.clone(),
        message: reviewed.message.clone(),
        cost_usd: (reviewed.cost_unknown == 0).then(|| dollars(reviewed.cost_microusd)),
        tokens: reviewed.tokens,
    })
}

fn modes_of(state: &State) -> ModeView {
    let switched = |switch: &ModeSwitch| {
        let event = Event::ModeSwitched { from: switch.from, to: switch.to, why: switch.why.clone() };
        SwitchView {
            data: serde_json::to_value(switch).expect("a switch is plain data"),
            text: format!("{}  after #{}  {}", switch.at, switch.iteration, words::event(&event)),
        }
    };
    ModeView {
        history: state.people.mode.history.iter().map(switched).collect(),
        breakpoints: serde_json::to_value(&state.people.mode.breakpoints).expect("numbers are plain data"),
    }
}

fn finding_of(kept: &KeptFinding, marks: &BTreeMap<String, bool>) -> serde_json::Value {
    let KeptFinding { iteration, at, verdict, finding } = kept;
    let mut view = serde_json::json!({
        "iteration": iteration, "at": at, "verdict": verdict, "id": finding.id, "rule": finding.rule,
        "regression_type": finding.regression_type, "pattern": finding.pattern, "severity": finding.severity,
        "confidence": f64::from(finding.confidence_percent) / 100.0, "blocking": finding.blocking,
        "file": finding.file, "line": finding.line, "message": finding.message,
    });
    if let Some(evidence) = &finding.evidence {
        view["evidence"] = serde_json::to_value(evidence).expect("evidence is plain data");
    }
    if let Some(false_positive) = marks.get(&finding.id) {
        view["false_positive"] = (*false_positive).into();
    }
    view
}

fn tests_of(state: &State) -> Option<TestsView> {
    let tests = &state.seen.tests;
    let owned = |names: Vec<&String>| names.into_iter().cloned().collect();
    (tests.runs > 0).then(|| TestsView {
        failing: owned(tests.named(TestStatus::Failing).collect()),
        broken: owned(tests.just(TestStatus::Failing).collect()),
        fixed: owned(tests.just(TestStatus::Passing).collect()),
        no_longer_failing: tests.lifted.clone(),
        flaky: owned(tests.flaky().collect()),
        passing_named: !tests.unnamed,
    })
}

fn baseline_measures(state: &State) -> Option<Measures> {
    let measures = state.seen.baseline.as_ref().map(|round| round.measures.clone());
    measures.filter(|measures| !measures.is_empty())
}

/// The conversation that goes on. Where every attempt has one of its own there is none.
fn session_of(state: &State) -> Option<SessionView> {
    let (session, percent) = (&state.session, state.session.context_usage());
    let session_id = session.current.clone().filter(|_| state.config.session != SessionPolicy::Fresh)?;
    Some(SessionView {
        session_id,
        iterations: session.iterations,
        context_usage_percent: percent,
        estimated: session.is_estimated(),
        level: percent.map(ContextLevel::of),
        recommendation: session.recommendation(&state.config.redline),
        given_up: session.given_up,
    })
}

/// What the guard costs and how often people found it right, as far as that was measured.
fn guard_of(state: &State) -> GuardView {
    let counters = &state.counters;
    let share = |part: u64, whole: u64| (whole > 0).then(|| part as f64 / whole as f64);
    let marked = |wanted: bool| state.people.marks.values().filter(|mark| **mark == wanted).count() as u32;
    GuardView {
        detections: counters.detections,
        true_positives: marked(false),
        false_positives: marked(true),
        false_positive_rate: share(u64::from(marked(true)), u64::from(counters.detections)),
        latency_p95_ms: percentile(&state.seen.latencies_ms, 95),
        latency_p99_ms: percentile(&state.seen.latencies_ms, 99),
        overhead_percent: share(100 * counters.guard_ms, counters.working_ms),
    }
}

/// The value below which so many per cent of them lie, and their own place.
fn percentile(values: &VecDeque<u32>, percent: usize) -> Option<u32> {
    let mut sorted: Vec<_> = values.iter().copied().collect();
    sorted.sort_unstable();
    sorted.get((sorted.len() * percent).div_ceil(100).saturating_sub(1)).copied()
}

/// The command that helps most where the run is.
fn next_command(layout: &Layout, state: &State, driven: bool) -> String {
    let id = state.run.short();
    match (state.status, state.reason) {
        (Status::Completed, _)
            if let Some(worktree) = &state.config.worktree
                && !state.tree_changed() =>
        {
            format!("git -C {} status --ignored", worktree.path)
        }
        (Status::Completed, _) if state.config.worktree.is_some() => match remote(layout) {
            Some(_) => format!("piton land {id}, or piton land {id} --pr"),
            None => format!("piton land {id}"),
        },
        (Status::Completed, _) => format!("piton diff {id}"),
        // Whoever drives it sees to what was asked of it: neither an answer nor a resume would be taken any more.
        _ if driven && (state.is_left_open() || state.requests.resume.is_some()) => {
            format!("piton attach {id}")
        }
        (Status::Waiting, _) if state.is_left_open() && !driven => format!("piton resume {id}"),
        (Status::Waiting, _) if !state.people.questions.is_empty() => format!("piton answer {id}"),
        (Status::Created | Status::Running | Status::Rebooting | Status::Waiting, _) if driven => {
            format!("piton attach {id}")
        }
        (Status::Stopped, Some(Reason::BaselineGreen)) => "piton loop … --until done".to_owned(),
        // It was told to end there, and would again after every iteration.
        (Status::Stopped, _) if still_holds(state) == Some(StillHolds::ForGood) => {
            format!("piton report {id}")
        }
        // Whatever it rests for: one that also stands at a ceiling does not go on without room, unless there is work to judge.
        _ => {
            let raise = raise_past(state).filter(|_| !state.status.is_active() && !state.has_unjudged_work());
            let raise = raise.map_or_else(String::new, |raise| format!(" {raise}"));
            format!("piton resume {id}{raise}")
        }
    }
}

/// Where the repository's branches can be pushed to, as far as git says.
fn remote(layout: &Layout) -> Option<String> {
    Workspace::open(layout.root(), &layout.state()).and_then(|workspace| workspace.remote()).ok().flatten()
}

/// What has to be brought about before that helps.
fn next_once(state: &State) -> Option<String> {
    // Its sentence says what: a missing program, a full disk, a check that reads the checkout.
    if (state.status, state.reason) == (Status::Stopped, Some(Reason::Environment)) {
        return Some("that is mended".to_owned());
    }
    match still_holds(state).filter(|_| !state.status.is_active())? {
        StillHolds::Outside(condition) => Some(format!("{condition} no longer holds")),
        StillHolds::ForGood => None,
    }
}

fn rule_word(state: &State) -> &'static str {
    match done_rule(&state.config, state.seen.baseline.as_ref()) {
        DoneRule::ChecksPass => "checks-pass",
        DoneRule::Done => "done",
        DoneRule::Conditions => "conditions",
    }
}

fn limits_of(state: &State) -> LimitsView {
    let (limits, counters) = (&state.config.limits, &state.counters);
    let used = used_of(state);
    LimitsView {
        budget: BudgetView {
            iterations: Counted { used: Some(counters.iterations), max: Some(limits.iterations) },
            duration_ms: Counted { used: Some(counters.working_ms), max: Some(limits.working_ms) },
            // Who reads the work is paid from the same purse.
            cost_usd: Counted {
                used: used
                    .cost_usd
                    .filter(|_| state.review.cost_unknown == 0)
                    .map(|_| dollars(state.spent_microusd())),
                max: limits.cost_microusd.map(dollars),
            },
            tokens: Counted { used: used.tokens.map(|_| state.spent_tokens()), max: limits.tokens },
            no_progress: Counted { used: Some(counters.no_progress_in_a_row), max: Some(limits.no_progress) },
        },
        failures: Counted { used: Some(counters.failures_in_a_row), max: Some(limits.failures) },
        files: Counted { used: Some(state.seen.modified_files.len() as u32), max: limits.files },
        lines: Counted { used: Some(counters.lines_changed), max: limits.lines },
        reboots: Counted { used: Some(counters.reboots), max: limits.reboots },
    }
}

fn used_of(state: &State) -> UsedView {
    let counters = &state.counters;
    UsedView {
        working_ms: counters.working_ms,
        waiting_ms: counters.waiting_ms,
        cost_usd: (counters.cost_unknown == 0).then(|| dollars(counters.cost_microusd)),
        cost_usd_least: dollars(counters.cost_microusd),
        tokens: (counters.tokens_unknown == 0).then_some(counters.tokens),
        attempts: state.work.attempt,
        lost: counters.lost,
    }
}

/// An amount in dollars.
pub(super) fn dollars(microusd: u64) -> f64 {
    microusd as f64 / 1e6
}

fn checks_of(checks: &[CheckResult]) -> Vec<CheckView> {
    checks.iter().map(CheckView::from).collect()
}

fn iteration_of(record: &piton_model::loop_machine::IterationRecord) -> IterationView {
    IterationView {
        number: record.number,
        outcome: record.outcome,
        verdict: verdict_of(record),
        skipped: record.skipped,
        refused: record.refused,
        rejected: record.rejected,
        duration_ms: record.duration_ms,
        added: record.added,
        removed: record.removed,
        passed: record.passed,
        total: record.total,
        progress: record.progress,
        score: record.score,
        regressed: record.regressed,
        quality: record.quality,
        measures: record.measured().cloned(),
    }
}

fn verdict_of(record: &piton_model::loop_machine::IterationRecord) -> &'static str {
    match () {
        () if record.refused => "refused",
        () if record.rejected => "rejected",
        () if record.skipped => "skipped",
        () if record.doubted => "doubted",
        () => "kept",
    }
}

fn question_of(question: &piton_model::loop_machine::Question) -> QuestionView {
    QuestionView {
        question: question.number,
        kind: question.kind,
        text: question.text.clone(),
        digest: question.digest.clone(),
        since: question.since,
    }
}

/// Who drives a run.
pub(super) fn driver_view(holder: &Holder) -> DriverView {
    DriverView { pid: holder.process.pid, host: holder.host.clone(), since: holder.since }
}

/// What a loop asks.
fn asked(state: &State) -> Vec<AskedView> {
    let view = |question: &piton_model::loop_machine::Question| AskedView {
        question: question.number,
        step: None,
        text: question.text.clone(),
        digest: question.digest.clone(),
        since: question.since,
        answered: state.requests.answers.iter().any(|given| given.question == question.number),
    };
    state.people.questions.iter().map(view).collect()
}
