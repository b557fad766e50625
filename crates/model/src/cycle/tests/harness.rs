//! A driver without a world: feeds commands and requests to the machine and folds what comes out.

use crate::cycle::*;
use crate::loop_machine::{
    AttemptOutcome, Backoff, Check, CheckResult, CheckRound, GuardMode, Limits, Measures, Place,
    SessionPolicy, Snapshot,
};
use crate::machine::RunEvent;
use crate::workflow::Hold;
use crate::{Reason, Status, Timestamp};

pub(super) struct Driver {
    pub(super) state: State,
    pub(super) now: Timestamp,
    pub(super) journal: Vec<CycleEvent>,
    /// What the last round of checks measured.
    pub(super) measures: Measures,
}

pub(super) fn config() -> Config {
    Config {
        task: "Implement OAuth authentication".to_owned(),
        description: "Add OAuth2 login support".to_owned(),
        roles: default_roles(),
        checks: vec![Check {
            name: "test".to_owned(),
            command: "make test".to_owned(),
            timeout_ms: 1_000,
            cheap: false,
            reads: None,
        }],
        limits: Limits { iterations: 3, attempt_ms: 60_000, ..Limits::default() },
        grace_ms: 10_000,
        session: SessionPolicy::Fresh,
        guard: GuardMode::Block,
        protect: Vec::new(),
        rules_off: Vec::new(),
        backoff: Backoff::default(),
        confine: None,
        utc_offset_minutes: 480,
        confirm: false,
        prep: None,
        worktree: None,
        notify: None,
        hooks: None,
        on_done: None,
    }
}

impl Driver {
    /// A cycle that is driven; its first role is open.
    pub(super) fn new() -> Self {
        Self::with(config())
    }

    pub(super) fn with(config: Config) -> Self {
        let now = Timestamp::from_millis(1_771_157_000_000);
        let order = Order { run: "cycle-1".parse().expect("an id"), config, imported: None, base: None };
        let created = create(order).expect("a sound order");
        let state = apply(None, &created, now).expect("a run begins with its creation");
        let mut driver = Self { state, now, journal: vec![created], measures: Measures::default() };
        driver.drive();
        driver
    }

    pub(super) fn drive(&mut self) -> Vec<CycleEvent> {
        let place = Place { host: "host".to_owned(), boot: "boot".to_owned(), pid: 7 };
        self.command(Command::Drive { epoch: 1, place, version: "0.1.0".to_owned() })
    }

    #[track_caller]
    pub(super) fn command(&mut self, command: Command) -> Vec<CycleEvent> {
        self.try_command(command).expect("the command is in order")
    }

    pub(super) fn try_command(&mut self, command: Command) -> Result<Vec<CycleEvent>, crate::Rejection> {
        let events = decide(&self.state, command, self.now)?;
        events.iter().for_each(|event| self.fold(event.clone()));
        Ok(events)
    }

    /// Somebody appended `request`; the driver looks at it.
    pub(super) fn request(&mut self, request: CycleEvent) -> Vec<CycleEvent> {
        self.fold(request);
        self.command(Command::Tick)
    }

    pub(super) fn fold(&mut self, event: CycleEvent) {
        let stored = event.encode();
        let read = CycleEvent::decode(&stored.kind, stored.version, &stored.data).expect("it reads itself");
        assert_eq!(read, event, "an event is read as it was written");
        let state = apply(Some(self.state.clone()), &event, self.now);
        self.state = state.expect("a state stays a state");
        self.journal.push(event);
    }

    pub(super) fn after(&mut self, millis: u64) -> Vec<CycleEvent> {
        self.now = self.now.plus_millis(millis);
        self.command(Command::Tick)
    }

    /// The roles that are at work.
    pub(super) fn at_work(&self) -> Vec<String> {
        self.state
            .roles
            .iter()
            .filter_map(|role| role.open.as_ref())
            .map(|open| open.role.to_string())
            .collect()
    }

    #[track_caller]
    pub(super) fn open(&self, role: &str) -> u32 {
        let open = self.state.role(&role.into()).and_then(|at| at.open.as_ref());
        open.unwrap_or_else(|| panic!("{role} is not at work: {:?}", self.at_work())).number
    }

    #[track_caller]
    pub(super) fn end(&mut self, role: &str, end: RoleEnd) -> Vec<CycleEvent> {
        let attempt = self.open(role);
        self.command(Command::EndAttempt { attempt, end: Box::new(end) })
    }

    /// The role is done and says so.
    #[track_caller]
    pub(super) fn done(&mut self, role: &str) -> Vec<CycleEvent> {
        let mut events = self.end(role, said(PhaseStatus::Completed));
        events.extend(self.last_word());
        events
    }

    /// Checks that are run once more before the cycle is completed say what they said.
    pub(super) fn last_word(&mut self) -> Vec<CycleEvent> {
        let is_over = self.state.checking.is_some() && self.state.roles.iter().all(|role| !role.due);
        let was_green = !self.state.checks.is_empty() && self.state.checks.iter().all(|check| check.passed);
        let is_again = self.state.current.judged.is_some();
        if is_over && was_green && is_again {
            self.checked_with(true, self.measures.clone())
        } else {
            Vec::new()
        }
    }

    /// The role is done, and the tree is another one.
    #[track_caller]
    pub(super) fn built(&mut self, role: &str, tree: &str) -> Vec<CycleEvent> {
        self.end(role, RoleEnd { snapshot: Some(snapshot(tree)), ..said(PhaseStatus::Completed) })
    }

    /// The checks that are open come to this.
    #[track_caller]
    pub(super) fn checked(&mut self, passed: bool) -> Vec<CycleEvent> {
        self.checked_with(passed, Measures::default())
    }

    /// The same, with what was measured.
    #[track_caller]
    pub(super) fn checked_with(&mut self, passed: bool, measures: Measures) -> Vec<CycleEvent> {
        let number = self.state.checking.expect("checks are open");
        self.measures = measures.clone();
        let check = CheckResult {
            name: "test".to_owned(),
            passed,
            exit_code: Some(i32::from(!passed)),
            timed_out: false,
            duration_ms: 5,
            tail: if passed { String::new() } else { "boom".to_owned() },
        };
        let round = CheckRound {
            checks: vec![check],
            snapshot: self.state.seen.clone(),
            measures,
            ..CheckRound::of_nothing(number)
        };
        self.command(Command::EndChecks { round: Box::new(round), failed: Vec::new() })
    }

    /// A whole iteration with all four roles, or with those that it has.
    #[track_caller]
    pub(super) fn iteration(&mut self, tree: &str, passed: bool) {
        for role in ["ra", "ep"] {
            if self.at_work() == [role] {
                self.done(role);
            }
        }
        self.built("cd", tree);
        self.checked(passed);
        self.done("vas");
    }

    #[track_caller]
    pub(super) fn is(&self, status: Status) {
        assert_eq!(self.state.status, status, "{:?}", self.state.detail);
    }

    pub(super) fn result(&self, role: &str) -> PhaseStatus {
        self.state.iterations.back().expect("an iteration").agent_results[&role.into()].status
    }
}

pub(super) fn snapshot(tree: &str) -> Snapshot {
    Snapshot { id: format!("commit-{tree}"), tree: tree.to_owned(), left_out: Vec::new() }
}

pub(super) fn ended(outcome: AttemptOutcome) -> RoleEnd {
    RoleEnd {
        outcome,
        exit_code: (outcome == AttemptOutcome::Succeeded).then_some(0),
        duration_ms: 1_000,
        message: (outcome != AttemptOutcome::Succeeded).then(|| "it broke".to_owned()),
        said: None,
        handed_in: HandedIn::default(),
        snapshot: None,
        change: None,
        guard: None,
        cost_microusd: Some(10_000),
        tokens: Some(100),
        session_id: None,
        session_usage: None,
        session_cost_microusd: None,
        hold: None,
    }
}

pub(super) fn said(status: PhaseStatus) -> RoleEnd {
    let result = Some(PhaseResult { status, ..PhaseResult::default() });
    RoleEnd { handed_in: HandedIn { result, ..HandedIn::default() }, ..ended(AttemptOutcome::Succeeded) }
}

/// What an attempt meets whose provider has had enough for now.
pub(super) fn rate_limited() -> Option<Hold> {
    Some(Hold { reason: Reason::RateLimit, until: None })
}
