//! A golden file per workflow event, in `golden_workflow`: what one piton wrote, every later one must read.
#![expect(clippy::unwrap_used, reason = "a test says what it saw, and fails where it cannot go on")]

mod golden_files;

use golden_files::Golden;
use piton_model::RunEvent;
use piton_model::loop_machine::{Answer, AttemptOutcome, TreeProof};
use piton_model::workflow::*;
use piton_model::{Reason, StopOrigin, Timestamp};
use serde_json::{Map, Value, json};

/// An example of every event, and a proof that it is every event: the match has no wildcard.
macro_rules! examples {
    ($($variant:ident $fields:tt)*) => {
        fn examples() -> Vec<WorkflowEvent> {
            vec![$(WorkflowEvent::$variant $fields),*]
        }

        fn _every_event_has_an_example(event: &WorkflowEvent) {
            match event { $(WorkflowEvent::$variant { .. } => {})* }
        }
    };
}

examples! {
    RunCreated {
        run: "f8c1a491".parse().unwrap(),
        kind: piton_model::Kind::Workflow,
        title: "release".to_owned(),
        definition: Box::new(definition()),
        digest: definition().digest(),
        options: Box::new(options()),
        inherited: Some(Box::new(Inherited {
            run: Some("0a0b0c0d".parse().unwrap()),
            seq: Some(12),
            created_at: None,
            steps: vec![("plan".into(), done())],
        }))
    }
    DriverStarted {
        epoch: 3,
        host: "8c1f0e2d".to_owned(),
        boot: "b0075".to_owned(),
        pid: 4242,
        version: "0.1.0".to_owned()
    }
    DefinitionChanged {
        definition: Box::new(definition()),
        digest: definition().digest(),
        stay: vec!["plan".into()]
    }
    OptionsChanged { options: Box::new(options()) }
    RunRestarted {
        title: "release".to_owned(),
        definition: Box::new(definition()),
        digest: definition().digest(),
        options: Box::new(options())
    }
    RunArchived {}
    GatesSeen {
        step: "look".into(),
        verdicts: vec![GateVerdict { gate: Gate::Guard, open: false, why: Some("2 findings".to_owned()) }]
    }
    ItemsRead { step: "build".into(), items: vec![json!({"id": "STORY-001"})] }
    ItemsRefused { step: "build".into(), why: "items.json is not a list".to_owned() }
    StepsPassed { steps: vec![Passed { step: "fix".into(), skipped: true }] }
    StepStarted {
        attempt: OpenAttempt {
            number: 5,
            step: "build".into(),
            attempt: 2,
            iteration: 1,
            item: Some(3),
            host: "8c1f0e2d".to_owned(),
            boot: "b0075".to_owned(),
            directory: "attempts/f8c1a491/5".to_owned(),
            nested: None,
        }
    }
    StepFinished { attempt: 5, end: Box::new(end()), ruling: retry() }
    NestedWaits {
        attempt: 5,
        asks: Some(InnerQuestion {
            run: "0a1b2c3d".parse().unwrap(),
            step: Some("draft".into()),
            question: Some(1),
            text: "Step `draft` is done. Does it count?".to_owned(),
        })
    }
    StepAbandoned { attempt: 6 }
    StepLost { attempt: 7, tree: TreeProof::Scanned, ruling: again() }
    LoopedBack { step: "look".into(), target: "build".into(), reset: vec!["build".into(), "look".into()] }
    StepsReset { step: "build".into(), reset: vec!["build".into(), "look".into()] }
    TriesRenewed { steps: vec![Renewed { step: "build".into(), all_items: true }] }
    StatusesAdopted { edits: vec![Edit { step: "build".into(), status: StepStatus::Skipped }] }
    HumanAsked {
        question: 1,
        step: "look".into(),
        text: "Step `look` is done. Does it count?".to_owned(),
        digest: "0123456789abcdef".to_owned(),
        since: None
    }
    HumanAnswered {
        question: 1,
        answer: Answer::Reject,
        input: ManualInput {
            approved: false,
            comment: Some("not yet".to_owned()),
            content: object(json!({"approved": false})),
        },
        bound: true
    }
    StepConcluded { step: "look".into(), ruling: StepVerdict::Complete { note: None }.into() }
    AnswerRefused { question: 1, why: "it was never asked".to_owned() }
    ManualInputRefused { step: "look".into(), digest: "0123456789abcdef".to_owned(), why: "not JSON".to_owned() }
    LimitWarned { detail: "$5.00 of $5.00 are spent".to_owned() }
    BudgetSpent { detail: "$5 of $5 of today".to_owned(), microusd: 5_000_000 }
    RunObstructed { detail: "no process can be started".to_owned() }
    RunWaiting { reason: Reason::Human, until: None }
    RunPaused { reason: Reason::LimitCost, detail: Some("$5.00 of $5.00 are spent".to_owned()) }
    RunResumed { raise: Raise { max_iterations: Some(8), ..Raise::default() } }
    RunStopped { reason: Reason::Interrupted, detail: None }
    RunCompleted { reason: Reason::Done, detail: None }
    RunFailed { reason: Reason::FailureStreak, detail: Some("step `build`: no".to_owned()) }
    PauseRequested {}
    StopRequested { now: true, origin: StopOrigin::Command }
    ResumeRequested { raise: Raise { max_cost_microusd: Some(9_000_000), ..Raise::default() } }
    StartAtRequested { step: "build".into() }
    QueueChangeRequested { change: QueueChange::Add { item: item(), before: Some("build".into()) } }
    QueueChanged { change: QueueChange::Move { step: "users".into(), before: None } }
    QueueChangeRefused {
        change: QueueChange::Retry { step: "users".into() },
        why: "`users` is at work".to_owned()
    }
    ItemTicked { step: "users".into(), why: Some("TASKS.md: it is not on the list any more".to_owned()) }
    AnswerGiven {
        question: 1,
        answer: Answer::Approve,
        comment: None,
        seen: Some("0123456789abcdef".to_owned()),
        content: object(json!({"tag": "v1"}))
    }
    CheckpointTaken { seq: 41, digest: "ab".repeat(32), fold: 1 }
}

fn object(value: Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap()
}

fn definition() -> Definition {
    let mut plan =
        Step::new("plan", Work::Agent { agent: "planner".to_owned(), prompt: "plan.md".to_owned() });
    plan.metadata = object(json!({"size": 3}));
    plan.model = Some("opus".to_owned());
    plan.next_on_success = vec!["build".into()];
    let mut build = Step::new("build", Work::Run { command: "make".to_owned(), agent: None });
    build.needs = vec!["plan".into()];
    build.timeout_ms = Some(60_000);
    build.max_attempts = Some(3);
    build.backoff_ms = Some(500);
    build.collection = Some(Collection {
        sources: vec![Items::FromStep("plan".into())],
        max_iterations: Some(5),
        until_condition: Some(Condition::parse("metrics.left == 0").unwrap()),
        item_var: "item".to_owned(),
        index_var: "index".to_owned(),
    });
    let mut look = Step::new("look", Work::Workflow { path: "look.yaml".to_owned() });
    look.needs = vec!["build".into()];
    look.gates =
        vec![Gate::Named("security".to_owned()), Gate::Command("make audit".to_owned()), Gate::Guard];
    look.loop_back_to = Some("build".into());
    look.human_in_the_loop = true;
    look.on_reject = Some(OnReject::Fail);
    look.when = Some(Condition::parse("build.status == COMPLETED").unwrap());
    Definition {
        name: "release".to_owned(),
        description: "Plan, build, look.".to_owned(),
        max_parallel: Some(2),
        steps: vec![plan, build, look],
        ..Definition::default()
    }
}

fn options() -> Options {
    Options {
        max_cost_microusd: Some(5_000_000),
        cost_limit_action: CostAction::Pause,
        env: object(json!({"TOKEN": "t"})),
        launcher: Launcher::Wrapper {
            python: Some("python3".to_owned()),
            wrapper: "wrapper.py".to_owned(),
            args: vec!["-v".to_owned()],
        },
        gate_state_file: Some("gates.json".to_owned()),
        workflow_file: "release.yaml".to_owned(),
        issue: Some(Issue { number: "42".to_owned(), directory: ".agents/issues".to_owned() }),
        ..Options::default()
    }
}

fn done() -> StepState {
    StepState {
        status: StepStatus::Completed,
        attempts: 1,
        reported: true,
        started_at: Some(Timestamp::from_millis(1_771_157_000_123)),
        ended_at: Some(Timestamp::from_millis(1_771_157_060_123)),
        artifacts: vec!["PLAN.md".to_owned()],
        metrics: object(json!({"coverage": 87.5})),
        logs: vec!["did it".to_owned()],
        ..StepState::default()
    }
}

fn retry() -> StepRuling {
    let not_before = Timestamp::from_millis(1_771_157_000_123);
    StepVerdict::Retry { not_before, error: "no report".to_owned() }.into()
}

fn again() -> StepRuling {
    let not_before = Some(Timestamp::from_millis(1_771_157_000_123));
    StepVerdict::Again { not_before, lost: Some("nobody knows".to_owned()) }.into()
}

fn end() -> StepEnd {
    StepEnd {
        outcome: AttemptOutcome::Failed,
        exit_code: Some(1),
        duration_ms: 60_000,
        message: Some("no".to_owned()),
        report: Some(StepReport {
            completed: true,
            gate_failure: true,
            artifacts: vec!["PLAN.md".to_owned()],
            metrics: object(json!({"coverage": 87.5})),
            logs: vec!["found P0 issues".to_owned()],
            inferred: true,
            left_out: LeftOut { artifacts: 1, metrics: 2, logs: 3 },
        }),
        cost_microusd: Some(250_000),
        tokens: Some(15),
        hold: Some(Hold {
            reason: Reason::RateLimit,
            until: Some(Timestamp::from_millis(1_771_157_000_123)),
        }),
        rejected: false,
    }
}

#[test]
fn every_event_is_written_as_its_golden_file_says_and_read_from_it() {
    let golden = Golden::in_directory("golden_workflow");
    golden.compare(&examples());
    golden.read_all::<WorkflowEvent>();
}

#[test]
fn what_is_newer_or_not_ours_is_refused() {
    assert!(WorkflowEvent::decode("attempt_started", 1, b"{}").is_err());
    assert!(WorkflowEvent::decode("run_completed", 2, b"{}").is_err());
    assert!(WorkflowEvent::decode("run_completed", 1, b"{\"surprise\":1}").is_err());
}

fn item() -> NewItem {
    let item = Item {
        title: "Add input validation".to_owned(),
        task: "Add input validation to /users".to_owned(),
        checks: vec![piton_model::loop_machine::Check::new("test", "npm test")],
        limits: Some(piton_model::loop_machine::Limits::default()),
        entry: Some("Add input validation".to_owned()),
    };
    NewItem { id: "users".into(), after: vec!["plan".into()], item: Box::new(item) }
}
