//! A workflow with a loop-back, a person, a nested run, a collection, a lost attempt and a failure.

use piton_files::workflow::{RunPlace, render};
use piton_model::loop_machine::{
    AgentConfig, Answer, AttemptOutcome, Check, LoopConfig, Place, TreeProof, Worktree,
};
use piton_model::workflow::{
    Collection, Command, Definition, InnerQuestion, Item, Items, List, NewItem, Options, Order, Queue,
    QueueChange, Raise, State, Step, StepEnd, StepReport, Work, WorkflowEvent, create,
};
use piton_model::{Reason, Status};
use serde_json::json;

use super::{Folded, Script, Views, check};

fn agent(id: &str, needs: &[&str]) -> Step {
    let work = Work::Agent { agent: "coder".to_owned(), prompt: format!("{id}.md") };
    Step { needs: needs.iter().map(|need| (*need).into()).collect(), ..Step::new(id, work) }
}

fn definition() -> Definition {
    let review = Step { loop_back_to: Some("build".into()), ..agent("review", &["build"]) };
    let sign = Step { human_in_the_loop: true, ..agent("sign", &["review"]) };
    let collection = Collection {
        sources: vec![Items::Given(vec![json!("eu"), json!("us")])],
        item_var: "region".to_owned(),
        index_var: "n".to_owned(),
        ..Collection::default()
    };
    let ship = Step { collection: Some(collection), ..agent("ship", &["sign"]) };
    let nested = Work::Workflow { path: "after.yaml".to_owned() };
    let after = Step { needs: vec!["ship".into()], ..Step::new("after", nested) };
    Definition {
        name: "release".to_owned(),
        steps: vec![agent("build", &[]), review, sign, ship, after],
        nested: [(
            "after.yaml".to_owned(),
            Definition { name: "after".to_owned(), steps: vec![agent("tell", &[])], ..Definition::default() },
        )]
        .into(),
        ..Definition::default()
    }
}

fn end(outcome: AttemptOutcome, report: Option<StepReport>) -> StepEnd {
    let exit_code = Some(i32::from(outcome != AttemptOutcome::Succeeded));
    let cost_microusd = Some(120_000);
    StepEnd {
        exit_code,
        duration_ms: 30_000,
        report,
        cost_microusd,
        tokens: Some(900),
        ..StepEnd::of(outcome)
    }
}

fn done() -> StepEnd {
    let report = StepReport {
        completed: true,
        artifacts: vec!["PLAN.md".to_owned()],
        metrics: json!({"coverage": 87.5}).as_object().cloned().expect("an object"),
        logs: vec!["did it".to_owned()],
        ..StepReport::default()
    };
    end(AttemptOutcome::Succeeded, Some(report))
}

impl Script<State> {
    #[track_caller]
    fn end(&mut self, step: &str, end: StepEnd) -> &mut Self {
        let attempt = self.open(step);
        self.after(30_000).command(Command::EndAttempt { attempt, end: Box::new(end) })
    }

    #[track_caller]
    fn open(&self, step: &str) -> u32 {
        let open = self.state.step(&step.into()).and_then(|step| step.open.as_ref());
        open.unwrap_or_else(|| panic!("nothing is open at {step}: {:?}", self.state.steps)).number
    }
}

fn release() -> Script<State> {
    let options = Options { pause_for_human_input: true, max_attempts: 2, ..Options::default() };
    let run = "f8c1a491".parse().expect("an id");
    let created =
        create(Order { run, definition: definition(), options, inherited: None }).expect("an order");
    let mut script = Script::<State>::new(created);
    let place = Place { host: "host".to_owned(), boot: "boot".to_owned(), pid: 7 };
    script.command(Command::Drive { epoch: 1, place, version: "0.1.0".to_owned() });
    // One that was lost is no try; two that failed are all it has, and a person resumes.
    script.end("build", end(AttemptOutcome::Failed, None)).after(3_600_000).command(Command::Tick);
    let attempt = script.open("build");
    script.command(Command::LoseAttempt { attempt, tree: TreeProof::Scanned });
    script.after(3_600_000).command(Command::Tick).end("build", end(AttemptOutcome::Failed, None));
    assert_eq!((script.state.status, script.state.reason), (Status::Failed, Some(Reason::FailureStreak)));
    script.request(WorkflowEvent::ResumeRequested { raise: Raise::default() });
    script.end("build", done());
    // The gate fails once, and everything from there begins anew.
    let mut gate = done();
    gate.report.as_mut().expect("a report").gate_failure = true;
    script.end("review", gate).end("build", done()).end("review", done()).end("sign", done());
    assert_eq!(script.state.status, Status::Waiting);
    script.request(WorkflowEvent::AnswerGiven {
        question: 1,
        answer: Answer::Approve,
        comment: Some("ship it".to_owned()),
        seen: None,
        content: json!({"ticket": "AB-12"}).as_object().cloned().expect("an object"),
    });
    script.end("ship", done()).end("ship", done());
    let asks = |text: &str| InnerQuestion {
        run: "0a1b2c3d".parse().expect("an id"),
        step: Some("tell".into()),
        question: Some(1),
        text: text.to_owned(),
    };
    for asks in [Some(asks("Does it count?")), None] {
        let attempt = script.open("after");
        script.command(Command::TakeNested { attempt, asks });
    }
    script.end("after", done()).command(Command::Archive);
    assert_eq!(script.state.status, Status::Completed, "{:?}", script.state.steps);
    for kind in
        ["looped_back", "human_answered", "step_concluded", "step_lost", "nested_waits", "run_archived"]
    {
        assert!(script.has(kind), "{kind}");
    }
    script
}

pub(crate) fn views(folded: &Folded<State>) -> Views {
    let state = folded.last();
    vec![("run_state.json", render(state, &RunPlace::new("/home/someone/app", state.run.clone())))]
}

#[test]
fn a_workflow_folds_and_renders_as_it_did() {
    check("workflow-release", release, views);
}

fn item(id: &str, after: &[&str]) -> NewItem {
    let item = Item {
        title: format!("Do {id}"),
        task: format!("Do {id}, all of it"),
        entry: Some(format!("Do {id}")),
        ..Item::default()
    };
    NewItem { id: id.into(), after: after.iter().map(|id| (*id).into()).collect(), item: Box::new(item) }
}

/// A queue in which one item fails and is tried again, one waits for a person, and others come, move and go.
fn queue() -> Script<State> {
    let agent = AgentConfig { command: vec!["agent".to_owned()], ..AgentConfig::default() };
    let config = LoopConfig {
        worktree: Some(Worktree::default()),
        ..LoopConfig::new("", agent, vec![Check::new("test", "npm test")])
    };
    let queue = Queue {
        list: List::Markdown("TASKS.md".to_owned()),
        config: Box::new(config),
        max_tokens: Some(1_000_000),
        max_working_ms: None,
    };
    let options =
        Options { max_attempts: 1, max_parallel: 1, queue: Some(Box::new(queue)), ..Options::default() };
    let steps = ["a", "b", "c"].map(|id| item(id, if id == "b" { &["a"] } else { &[] }).into_step());
    let definition =
        Definition { name: "3 items of TASKS.md".to_owned(), steps: steps.into(), ..Definition::default() };
    let run = "queue-tasks-7f3a91c2".parse().expect("an id");
    let created = create(Order { run, definition, options, inherited: None }).expect("an order");
    let mut script = Script::<State>::new(created);
    let place = Place { host: "host".to_owned(), boot: "boot".to_owned(), pid: 7 };
    script.command(Command::Drive { epoch: 1, place, version: "0.1.0".to_owned() });
    let asks = |change: QueueChange| WorkflowEvent::QueueChangeRequested { change };
    script.request(asks(QueueChange::Add { item: item("d", &["c"]), before: None }));
    script.request(asks(QueueChange::Move { step: "d".into(), before: Some("b".into()) }));
    script.request(asks(QueueChange::Retry { step: "b".into() }));
    script.end("a", end(AttemptOutcome::Failed, None));
    let attempt = script.open("c");
    let question = InnerQuestion {
        run: "c-0a1b2c3d".parse().expect("an id"),
        step: None,
        question: Some(1),
        text: "Which colour?".to_owned(),
    };
    script.command(Command::TakeNested { attempt, asks: Some(question) });
    assert_eq!(script.state.status, Status::Waiting);
    script.request(asks(QueueChange::Retry { step: "a".into() }));
    script.end("a", end(AttemptOutcome::Succeeded, None));
    script.command(Command::TakeTick { step: "a".into(), why: None });
    script.request(asks(QueueChange::Skip { step: "b".into() }));
    script.end("b", end(AttemptOutcome::Cancelled, None));
    let attempt = script.open("c");
    script.command(Command::TakeNested { attempt, asks: None });
    script.end("c", end(AttemptOutcome::Succeeded, None));
    let why = Some("TASKS.md: it is not on the list any more".to_owned());
    script.command(Command::TakeTick { step: "c".into(), why });
    script.end("d", end(AttemptOutcome::Succeeded, None));
    script.command(Command::TakeTick { step: "d".into(), why: None });
    assert_eq!(script.state.status, Status::Completed, "{:?}", script.state.steps);
    for kind in ["queue_changed", "queue_change_refused", "queue_change_requested", "item_ticked"] {
        assert!(script.has(kind), "{kind}");
    }
    script
}

#[test]
fn a_queue_folds_and_renders_as_it_did() {
    check("workflow-queue", queue, views);
}
