//! A driver without a world: feeds commands and requests to the machine and folds what comes out.

use crate::event::StopOrigin;
use crate::loop_machine::*;
use crate::{Event, ExitCode, Reason, RunEvent, Status, Timestamp, exit_code};

pub(in crate::loop_machine) const MINUTE_MS: u64 = 60_000;

pub(in crate::loop_machine) struct Driver {
    pub(in crate::loop_machine) state: State,
    pub(in crate::loop_machine) now: Timestamp,
    /// Every event so far.
    pub(in crate::loop_machine) journal: Vec<Event>,
}

impl Driver {
    /// A run that nobody has driven yet.
    pub(in crate::loop_machine) fn created(config: LoopConfig) -> Self {
        let now = Timestamp::from_millis(1_771_157_000_000);
        let event =
            create("ralph-test-0123abcd".parse().unwrap(), "a test", config).expect("a sound configuration");
        let state = apply(None, &event, now).expect("a run begins with its creation");
        Driver { state, now, journal: vec![event] }
    }

    /// A run whose driver has looked at the tree `t0`; its first work is open.
    pub(in crate::loop_machine) fn begun(config: LoopConfig) -> Self {
        let mut driver = Self::created(config);
        driver.drive(1);
        driver.command(Command::Observe(snapshot("t0")));
        driver
    }

    /// A run whose checks failed on `t0`; its first attempt is open.
    pub(in crate::loop_machine) fn red() -> Self {
        Self::with_baseline(config(), false)
    }

    /// A run whose checks passed on `t0`; its first attempt is open.
    pub(in crate::loop_machine) fn green() -> Self {
        Self::with_baseline(config(), true)
    }

    pub(in crate::loop_machine) fn with_baseline(config: LoopConfig, passed: bool) -> Self {
        let mut driver = Self::begun(config);
        driver.end_checks("t0", passed);
        assert_eq!(driver.open_attempt(), 1, "the first attempt follows the baseline");
        driver
    }

    pub(in crate::loop_machine) fn drive(&mut self, epoch: u64) -> Vec<Event> {
        let place = Place { host: "host".to_owned(), boot: "boot".to_owned(), pid: 7 };
        self.command(Command::Drive { epoch, place, version: "0.1.0".to_owned() })
    }

    /// Decides and folds; the events that came of it.
    pub(in crate::loop_machine) fn command(&mut self, command: Command) -> Vec<Event> {
        self.try_command(command).expect("the command is in order")
    }

    pub(in crate::loop_machine) fn try_command(&mut self, command: Command) -> Result<Vec<Event>, Rejection> {
        let (events, _) = advance(&self.state, command, self.now)?;
        for event in &events {
            self.fold(event.clone());
        }
        Ok(events)
    }

    /// Somebody appended `request`; the driver looks at it.
    pub(in crate::loop_machine) fn request(&mut self, request: Event) -> Vec<Event> {
        self.fold(request);
        self.tick()
    }

    /// The event is in the journal, but nobody has acted on it.
    pub(in crate::loop_machine) fn fold(&mut self, event: Event) {
        let state = apply(Some(self.state.clone()), &event, self.now);
        self.state = state.expect("a state stays a state");
        self.journal.push(event);
    }

    pub(in crate::loop_machine) fn tick(&mut self) -> Vec<Event> {
        self.command(Command::Tick)
    }

    /// Time passes.
    pub(in crate::loop_machine) fn after(&mut self, millis: u64) -> &mut Self {
        self.now = self.now.plus_millis(millis);
        self
    }

    /// The open round ends with every check like this, on `tree`.
    pub(in crate::loop_machine) fn end_checks(&mut self, tree: &str, passed: bool) -> Vec<Event> {
        let round = round(self.open_round(), tree, passed);
        self.command(Command::EndChecks(Box::new(round)))
    }

    /// Where checks look at what an attempt left that was cut short: it is not done.
    pub(in crate::loop_machine) fn look(&mut self, tree: &str) -> Vec<Event> {
        match self.state.work.open {
            Some(Open::Checks(_)) => self.end_checks(tree, false),
            _ => Vec::new(),
        }
    }

    /// The open attempt ends like this.
    pub(in crate::loop_machine) fn end_attempt(&mut self, end: AttemptEnd) -> Vec<Event> {
        let attempt = self.open_attempt();
        self.command(Command::EndAttempt { attempt, end: Box::new(end) })
    }

    /// One whole iteration: the attempt ends like this, its checks like that.
    pub(in crate::loop_machine) fn iterate(&mut self, end: AttemptEnd, passed: bool) -> Vec<Event> {
        let tree = end.snapshot.clone().expect("a tree").tree;
        let mut events = self.end_attempt(end);
        if matches!(self.state.work.open, Some(Open::Checks(_))) {
            events.extend(self.end_checks(&tree, passed));
        }
        events
    }

    /// The open attempt is lost, and the tree is as it was last seen.
    pub(in crate::loop_machine) fn lose_attempt(&mut self) -> Vec<Event> {
        let snapshot = self.state.seen.snapshot.clone();
        self.lose_leaving(Left { snapshot, ..Left::default() })
    }

    /// The open attempt is lost, and this is found.
    pub(in crate::loop_machine) fn lose_leaving(&mut self, left: Left) -> Vec<Event> {
        let attempt = self.open_attempt();
        self.command(Command::LoseAttempt { attempt, tree: TreeProof::Scanned, left: Box::new(left) })
    }

    pub(in crate::loop_machine) fn open_attempt(&self) -> u32 {
        match &self.state.work.open {
            Some(Open::Attempt(attempt)) => attempt.number,
            other => panic!("no attempt is open but {other:?}, {}", self.place()),
        }
    }

    pub(in crate::loop_machine) fn open_round(&self) -> u32 {
        match &self.state.work.open {
            Some(Open::Checks(round)) => *round,
            other => panic!("no round is open but {other:?}, {}", self.place()),
        }
    }

    pub(in crate::loop_machine) fn place(&self) -> String {
        match self.state.reason {
            Some(reason) => format!("{} ({})", self.state.status.as_str(), reason.as_str()),
            None => self.state.status.as_str().to_owned(),
        }
    }

    #[track_caller]
    pub(in crate::loop_machine) fn is(&self, status: Status, reason: impl Into<Option<Reason>>) {
        assert_eq!(
            (self.state.status, self.state.reason),
            (status, reason.into()),
            "journal: {:#?}",
            self.kinds()
        );
    }

    pub(in crate::loop_machine) fn exit_code(&self) -> Option<ExitCode> {
        exit_code(self.state.status, self.state.reason)
    }

    /// The types of all events so far.
    pub(in crate::loop_machine) fn kinds(&self) -> Vec<String> {
        kinds(&self.journal)
    }

    pub(in crate::loop_machine) fn count(&self, kind: &str) -> usize {
        self.kinds().iter().filter(|found| *found == kind).count()
    }
}

pub(in crate::loop_machine) fn kinds(events: &[Event]) -> Vec<String> {
    events.iter().map(|event| event.encode().kind).collect()
}

/// Two checks, the default rule, generous limits.
pub(in crate::loop_machine) fn config() -> LoopConfig {
    let check = |name: &str| Check::new(name, format!("make {name}"));
    let checks = ["build", "test"].map(check).into();
    LoopConfig {
        limits: Limits { no_progress: 100, failures: 100, ..Limits::default() },
        on_lost: OnLost::Retry,
        session: SessionPolicy::Fresh,
        ..LoopConfig::new("make it work", AgentConfig::new("agent", &["agent"]), checks)
    }
}

pub(in crate::loop_machine) fn with_limits(change: impl FnOnce(&mut Limits)) -> LoopConfig {
    let mut config = config();
    change(&mut config.limits);
    config
}

pub(in crate::loop_machine) fn snapshot(tree: &str) -> Snapshot {
    Snapshot { id: format!("commit-of-{tree}"), tree: tree.to_owned(), left_out: Vec::new() }
}

pub(in crate::loop_machine) fn round(number: u32, tree: &str, passed: bool) -> CheckRound {
    let check = |name: &str| CheckResult {
        name: name.to_owned(),
        passed,
        exit_code: Some(i32::from(!passed)),
        duration_ms: 500,
        ..CheckResult::default()
    };
    CheckRound {
        number,
        checks: vec![check("build"), check("test")],
        snapshot: Some(snapshot(tree)),
        duration_ms: 1_000,
        ..CheckRound::default()
    }
}

pub(in crate::loop_machine) fn cut_short(number: u32) -> CheckRound {
    CheckRound { checks: Vec::new(), cancelled: true, snapshot: None, ..round(number, "t0", false) }
}

/// The agent worked for a minute, left `tree` and said nothing.
pub(in crate::loop_machine) fn works(tree: &str) -> AttemptEnd {
    AttemptEnd {
        exit_code: Some(0),
        duration_ms: MINUTE_MS,
        snapshot: Some(snapshot(tree)),
        ..AttemptEnd::of(AttemptOutcome::Succeeded)
    }
}

pub(in crate::loop_machine) fn reports(tree: &str, status: ReportStatus) -> AttemptEnd {
    let reason = Some("no password".to_owned());
    AttemptEnd { report: Some(Report { status: Some(status), reason, ..Report::default() }), ..works(tree) }
}

pub(in crate::loop_machine) fn fails(tree: &str) -> AttemptEnd {
    AttemptEnd { outcome: AttemptOutcome::Failed, exit_code: Some(1), ..works(tree) }
}

pub(in crate::loop_machine) fn cancelled(tree: &str) -> AttemptEnd {
    AttemptEnd { outcome: AttemptOutcome::Cancelled, exit_code: None, ..works(tree) }
}

/// The provider refused.
pub(in crate::loop_machine) fn refused(class: ErrorClass) -> AttemptEnd {
    let message = Some("the provider said no".to_owned());
    AttemptEnd {
        report: Some(Report { error_class: Some(class), message, ..Report::default() }),
        ..fails("t0")
    }
}

pub(in crate::loop_machine) fn stop(now: bool, origin: StopOrigin) -> Event {
    Event::StopRequested { now, origin }
}

pub(in crate::loop_machine) fn resume() -> Event {
    Event::ResumeRequested { raise: Raise::default() }
}

pub(in crate::loop_machine) fn answer(question: u32, answer: Answer) -> Event {
    Event::AnswerGiven { question, answer, comment: None, seen: None }
}

pub(in crate::loop_machine) fn tell(text: &str) -> Event {
    Event::AgentTold { text: text.to_owned() }
}
