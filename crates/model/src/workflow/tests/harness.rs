//! A driver without a world: feeds commands and requests to the machine and folds what comes out.

use crate::machine::RunEvent;
use serde_json::json;

use crate::loop_machine::{Answer, AttemptOutcome, Place, TreeProof};
use crate::workflow::*;
use crate::{Reason, Status, Timestamp};

pub(super) struct Driver {
    pub(super) state: State,
    pub(super) now: Timestamp,
    pub(super) journal: Vec<WorkflowEvent>,
}

impl Driver {
    /// A run that is driven; its first steps are open.
    pub(super) fn of(steps: Vec<Step>) -> Self {
        Self::with(steps, Options { pause_for_human_input: true, ..Options::default() })
    }

    pub(super) fn with(steps: Vec<Step>, options: Options) -> Self {
        Self::ordered(Order { run: run(), definition: definition(steps), options, inherited: None })
    }

    pub(super) fn ordered(order: Order) -> Self {
        let now = Timestamp::from_millis(1_771_157_000_000);
        let created = create(order).expect("a sound order");
        let state = apply(None, &created, now).expect("a run begins with its creation");
        let mut driver = Driver { state, now, journal: vec![created] };
        driver.drive();
        driver
    }

    pub(super) fn drive(&mut self) -> Vec<WorkflowEvent> {
        let place = Place { host: "host".to_owned(), boot: "boot".to_owned(), pid: 7 };
        self.command(Command::Drive { epoch: 1, place, version: "0.1.0".to_owned() })
    }

    pub(super) fn command(&mut self, command: Command) -> Vec<WorkflowEvent> {
        self.try_command(command).expect("the command is in order")
    }

    pub(super) fn try_command(&mut self, command: Command) -> Result<Vec<WorkflowEvent>, Rejection> {
        let events = decide(&self.state, command, self.now)?;
        events.iter().for_each(|event| self.fold(event.clone()));
        Ok(events)
    }

    /// Somebody appended `request`; the driver looks at it.
    pub(super) fn request(&mut self, request: WorkflowEvent) -> Vec<WorkflowEvent> {
        self.fold(request);
        self.command(Command::Tick)
    }

    pub(super) fn fold(&mut self, event: WorkflowEvent) {
        let state = apply(Some(self.state.clone()), &event, self.now);
        self.state = state.expect("a state stays a state");
        self.journal.push(event);
    }

    pub(super) fn after(&mut self, millis: u64) -> Vec<WorkflowEvent> {
        self.now = self.now.plus_millis(millis);
        self.command(Command::Tick)
    }

    #[track_caller]
    pub(super) fn end(&mut self, step: &str, end: StepEnd) -> Vec<WorkflowEvent> {
        let attempt = self.open(step);
        self.command(Command::EndAttempt { attempt, end: Box::new(end) })
    }

    #[track_caller]
    pub(super) fn done(&mut self, step: &str) -> Vec<WorkflowEvent> {
        self.end(step, completed())
    }

    #[track_caller]
    pub(super) fn lose(&mut self, step: &str) -> Vec<WorkflowEvent> {
        let attempt = self.open(step);
        self.command(Command::LoseAttempt { attempt, tree: TreeProof::Scanned })
    }

    /// The number of the attempt that is open at this step.
    #[track_caller]
    pub(super) fn open(&self, step: &str) -> u32 {
        match &self.step(step).open {
            Some(open) => open.number,
            None => panic!("nothing is open at {step}: {}", self.picture()),
        }
    }

    #[track_caller]
    pub(super) fn step(&self, step: &str) -> &StepState {
        self.state.step(&step.into()).expect("a step of that name")
    }

    /// `name status attempts/iteration_count`, for every step.
    pub(super) fn picture(&self) -> String {
        let one = |(index, step): (usize, &std::sync::Arc<StepState>)| {
            let blocked =
                step.blocked.as_ref().map(|block| format!(" blocked by {}", block.by)).unwrap_or_default();
            let (id, status) = (self.state.id(index), step.status.as_str());
            format!("{id} {status} {}/{}{blocked}", step.attempts, step.iteration_count)
        };
        self.state.steps.iter().enumerate().map(one).collect::<Vec<_>>().join(", ")
    }

    #[track_caller]
    pub(super) fn is(&self, status: Status, reason: impl Into<Option<Reason>>) {
        assert_eq!((self.state.status, self.state.reason), (status, reason.into()), "{}", self.picture());
    }

    pub(super) fn count(&self, kind: &str) -> usize {
        self.journal.iter().filter(|event| event.encode().kind == kind).count()
    }
}

pub(super) fn run() -> crate::RunId {
    "f8c1a491".parse().unwrap()
}

pub(super) fn definition(steps: Vec<Step>) -> Definition {
    Definition { name: "workflow".to_owned(), steps, ..Definition::default() }
}

/// An agent's step.
pub(super) fn step(id: &str, needs: &[&str]) -> Step {
    let work = Work::Agent { agent: "coder".to_owned(), prompt: format!("{id}.md") };
    Step { needs: needs.iter().map(|need| (*need).into()).collect(), ..Step::new(id, work) }
}

pub(super) fn back_to(target: &str, step: Step) -> Step {
    Step { loop_back_to: Some(target.into()), ..step }
}

pub(super) fn by_hand(step: Step) -> Step {
    Step { human_in_the_loop: true, ..step }
}

pub(super) fn when(condition: &str, step: Step) -> Step {
    Step { when: Some(Condition::parse(condition).unwrap()), ..step }
}

pub(super) fn repeated(source: Items, step: Step) -> Step {
    let collection = Collection {
        sources: vec![source],
        item_var: "item".to_owned(),
        index_var: "index".to_owned(),
        ..Collection::default()
    };
    Step { collection: Some(collection), ..step }
}

/// The agent reports that it completed, with an artifact, a metric and a line.
pub(super) fn completed() -> StepEnd {
    let report = StepReport {
        completed: true,
        artifacts: vec!["PLAN.md".to_owned()],
        metrics: json!({"coverage": 87.5}).as_object().cloned().unwrap(),
        logs: vec!["did it".to_owned()],
        ..StepReport::default()
    };
    StepEnd { report: Some(report), ..ended(AttemptOutcome::Succeeded, 0) }
}

pub(super) fn gate_failed() -> StepEnd {
    let mut end = completed();
    let report = end.report.as_mut().unwrap();
    report.gate_failure = true;
    report.logs = vec!["found P0 issues".to_owned()];
    end
}

/// The agent reports that it failed.
pub(super) fn failed() -> StepEnd {
    let report = StepReport { logs: vec!["a".to_owned(), "b".to_owned()], ..StepReport::default() };
    StepEnd { report: Some(report), ..ended(AttemptOutcome::Failed, 1) }
}

pub(super) fn ended(outcome: AttemptOutcome, exit_code: i32) -> StepEnd {
    StepEnd {
        exit_code: Some(exit_code),
        duration_ms: 60_000,
        cost_microusd: Some(100_000),
        ..StepEnd::of(outcome)
    }
}

pub(super) fn answer(question: u32, answer: Answer) -> WorkflowEvent {
    WorkflowEvent::AnswerGiven { question, answer, comment: None, seen: None, content: Default::default() }
}

pub(super) fn resume() -> WorkflowEvent {
    WorkflowEvent::ResumeRequested { raise: Raise::default() }
}

pub(super) fn kinds(events: &[WorkflowEvent]) -> Vec<String> {
    events.iter().map(|event| event.encode().kind).collect()
}
