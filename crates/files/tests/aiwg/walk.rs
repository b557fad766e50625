//! Random walks through the real machine: whatever a driver, agents, checks and people may do, one after the other.

use piton_model::loop_machine::{
    Answer, Artifact, AttemptEnd, AttemptOutcome, Change, CheckResult, CheckRound, Command, Counts, Coverage,
    Effect, ErrorClass, Finding, GuardReport, LoopConfig, Measures, Place, Raise, RegressionType, Report,
    ReportStatus, Severity, Share, Snapshot, TestCounts, TreeCounts, TreeProof, Usage, admit, advance,
    create,
};
use piton_model::{Event, Seq, State, StopOrigin, Timestamp, apply};

use crate::support::START;

/// Choices, one after the other; the last one for ever.
pub(crate) struct Dice<'a> {
    choices: &'a [u32],
    next: usize,
}

impl<'a> Dice<'a> {
    pub(crate) fn new(choices: &'a [u32]) -> Self {
        Self { choices, next: 0 }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.next >= self.choices.len()
    }

    pub(crate) fn below(&mut self, limit: u32) -> u32 {
        let choice = self.choices.get(self.next).or(self.choices.last()).copied().unwrap_or(0);
        self.next += 1;
        // Neighbouring questions that are answered by one choice must not all have one answer.
        (choice ^ (self.next as u32).wrapping_mul(0x9e37_79b9)).wrapping_mul(0x85eb_ca6b) % limit
    }

    fn one_in(&mut self, limit: u32) -> bool {
        self.below(limit) == 0
    }

    fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len() as u32) as usize]
    }
}

/// A run under way.
pub(crate) struct Walk {
    pub(crate) state: State,
    pub(crate) head: Seq,
    pub(crate) now: Timestamp,
}

impl Walk {
    pub(crate) fn new(run: &str, config: LoopConfig) -> Self {
        let event = create(run.parse().unwrap(), "Add validation", config).unwrap();
        Self { state: apply(None, &event, START).unwrap(), head: 1, now: START }
    }

    /// One more thing happens; `see` is shown the state after each of its events.
    pub(crate) fn step(&mut self, dice: &mut Dice<'_>, see: &mut dyn FnMut(&State)) {
        self.now = self.now.plus_millis(u64::from(dice.below(100_000)));
        let rests = !self.state.status.is_active();
        if dice.one_in(if rests { 2 } else { 12 })
            && let Some(request) = request(&self.state, dice)
            && admit(&self.state, &request).is_ok()
        {
            self.take(&[request], see);
        }
        let command = match self.state.effects().first() {
            _ if self.state.driver.is_none() || dice.one_in(40) => drive(dice),
            _ if self.state.seen.start.is_none() => Command::Observe(snapshot(dice)),
            Some(Effect::Attempt(open)) => attempt(open.number, dice),
            Some(Effect::Checks(number)) => Command::EndChecks(Box::new(round(*number, &self.state, dice))),
            Some(Effect::Hooks(_) | Effect::Commit(_) | Effect::Review(_)) => {
                unreachable!("nothing is hooked or committed here")
            }
            Some(Effect::Timer(until)) => {
                self.now = self.now.max(*until);
                Command::Tick
            }
            None => Command::Tick,
        };
        if let Ok((events, _)) = advance(&self.state, command, self.now) {
            self.take(&events, see);
        }
    }

    fn take(&mut self, events: &[Event], see: &mut dyn FnMut(&State)) {
        for event in events {
            self.state = apply(Some(self.state.clone()), event, self.now).unwrap();
            self.head += 1;
            see(&self.state);
        }
    }
}

fn drive(dice: &mut Dice<'_>) -> Command {
    let place = Place { host: "h".to_owned(), boot: "b".to_owned(), pid: dice.below(60_000) };
    Command::Drive { epoch: 1, place, version: "0.1.0".to_owned() }
}

fn request(state: &State, dice: &mut Dice<'_>) -> Option<Event> {
    let question = state.people.questions.first().map(|question| question.number);
    Some(match dice.below(if state.status.is_active() { 8 } else { 16 }) {
        0 => Event::PauseRequested {},
        1 if dice.one_in(2) => Event::StopRequested { now: dice.one_in(2), origin: StopOrigin::Command },
        2 => Event::SkipRequested {},
        3 => Event::BestChosen {
            iteration: dice.below(state.counters.iterations + 1),
            reason: "it reads better".to_owned(),
        },
        4 => {
            let finding = state.judged.findings.get(dice.below(20) as usize)?.finding.id.clone();
            Event::FindingMarked { finding, false_positive: dice.one_in(2) }
        }
        _ => match question {
            Some(question) => Event::AnswerGiven {
                question,
                answer: dice.pick(&[Answer::Approve, Answer::Reject, Answer::Reject, Answer::Abort]),
                comment: None,
                seen: None,
            },
            None => Event::ResumeRequested {
                raise: Raise { iterations: Some(state.config.limits.iterations + 20), ..Raise::default() },
            },
        },
    })
}

fn attempt(number: u32, dice: &mut Dice<'_>) -> Command {
    match dice.below(20) {
        0 => return Command::AbandonAttempt { attempt: number },
        1 => return Command::LoseAttempt { attempt: number, tree: TreeProof::Scanned, left: Box::default() },
        _ => {}
    }
    let outcomes = [
        AttemptOutcome::Succeeded,
        AttemptOutcome::Succeeded,
        AttemptOutcome::Succeeded,
        AttemptOutcome::Failed,
        AttemptOutcome::TimedOut,
        AttemptOutcome::Cancelled,
    ];
    let findings: Vec<_> = match dice.below(4) {
        0 => (0..1 + dice.below(25)).map(|_| finding(dice)).collect(),
        _ => Vec::new(),
    };
    let artifacts = (0..dice.below(4)).map(|index| Artifact {
        path: format!("src/{index}.rs"),
        sha256: format!("{:064x}", dice.below(u32::MAX)),
        size_bytes: u64::from(dice.below(9_000)),
    });
    let change = Change { artifacts: artifacts.collect(), ..Change::default() };
    Command::EndAttempt {
        attempt: number,
        end: Box::new(AttemptEnd {
            exit_code: Some(0),
            duration_ms: u64::from(dice.below(900_000)),
            report: dice.one_in(2).then(|| report(dice)),
            snapshot: Some(snapshot(dice)),
            change: dice.one_in(2).then_some(change),
            guard: (!dice.one_in(4)).then(|| GuardReport {
                tests: Counts { before: 150, after: u64::from(140 + dice.below(12)) },
                assertions: Counts::default(),
                findings_total: findings.len() as u32,
                findings,
                duration_ms: u64::from(dice.below(700)),
            }),
            ..AttemptEnd::of(dice.pick(&outcomes))
        }),
    }
}

fn report(dice: &mut Dice<'_>) -> Report {
    let status = match dice.below(16) {
        0 => ReportStatus::Done,
        1 => ReportStatus::Blocked,
        _ => ReportStatus::Continue,
    };
    Report {
        status: Some(status),
        usage: dice.one_in(2).then_some(Usage { input_tokens: 9, output_tokens: 1, ..Usage::default() }),
        cost_microusd: dice.one_in(2).then_some(2_500_000),
        error_class: dice.one_in(30).then_some(ErrorClass::RateLimit),
        ..Report::default()
    }
}

fn finding(dice: &mut Dice<'_>) -> Finding {
    let types = [
        RegressionType::TestDeletion,
        RegressionType::CoverageRegression,
        RegressionType::AssertionWeakening,
        RegressionType::ErrorSuppression,
    ];
    let severities = [Severity::Critical, Severity::High, Severity::Medium, Severity::Low];
    let patterns = [None, Some("LP-001"), Some("LP-012"), Some("LP-999")];
    Finding {
        id: format!("{:010x}", dice.below(50)),
        rule: "test-deleted".to_owned(),
        regression_type: dice.pick(&types),
        pattern: dice.pick(&patterns).map(str::to_owned),
        severity: dice.pick(&severities),
        confidence_percent: dice.below(101) as u8,
        blocking: dice.one_in(2),
        file: dice.pick(&["", "tests/a.rs"]).to_owned(),
        line: dice.below(3),
        test: None,
        message: "a test is gone: \"quoted\"\n".to_owned(),
        before: None,
        after: None,
        undo: "put it back".to_owned(),
        allowed: None,
        evidence: None,
    }
}

fn snapshot(dice: &mut Dice<'_>) -> Snapshot {
    let tree = dice.below(6);
    Snapshot { id: format!("commit-{tree}"), tree: format!("tree-{tree}"), left_out: Vec::new() }
}

fn round(number: u32, state: &State, dice: &mut Dice<'_>) -> CheckRound {
    let result = |name: &String, passed| CheckResult {
        name: name.clone(),
        passed,
        exit_code: Some(i32::from(!passed)),
        duration_ms: 1_000,
        ..CheckResult::default()
    };
    CheckRound {
        number,
        checks: state.config.checks.iter().map(|check| result(&check.name, !dice.one_in(3))).collect(),
        snapshot: Some(snapshot(dice)),
        measures: if dice.one_in(3) { Measures::default() } else { measures(dice) },
        duration_ms: 2_000,
        cancelled: dice.one_in(30),
        ..CheckRound::default()
    }
}

fn measures(dice: &mut Dice<'_>) -> Measures {
    let share = Share { covered: u64::from(70 + dice.below(30)), total: 97 };
    Measures {
        tests: (!dice.one_in(3)).then(|| TestCounts {
            passed: u64::from(140 + dice.below(10)),
            failed: u64::from(dice.below(3)),
            skipped: u64::from(dice.below(3)),
            complete: !dice.one_in(4),
            ..TestCounts::default()
        }),
        coverage: (!dice.one_in(3)).then(|| Coverage { lines: Some(share), ..Coverage::default() }),
        lint_errors: dice.one_in(2).then(|| u64::from(dice.below(12))),
        lint_warnings: dice.one_in(2).then(|| u64::from(dice.below(12))),
        type_errors: dice.one_in(2).then(|| u64::from(dice.below(12))),
        tree: dice.one_in(2).then(|| TreeCounts {
            files: u64::from(20 + dice.below(2)),
            lines: u64::from(1_000 + dice.below(900)),
            tests: 150,
            assertions: 300,
        }),
        custom: [("bundle".to_owned(), f64::from(dice.below(1_000)) / 7.0)].into(),
    }
}
