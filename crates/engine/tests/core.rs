//! The driver's mind, step by step: what it asks the shell to do, and when.

use piton_engine::core::{Action, Core, Input, Leave, Planned};
use piton_model::limits::EVENTS_PER_APPEND_MAX;
use piton_model::loop_machine::{
    AgentConfig, AttemptEnd, AttemptOutcome, Check, CheckResult, CheckRound, Limits, LoopConfig, OnLost,
    Place, SessionPolicy, Snapshot,
};
use piton_model::{Command, Effect, Event, State, StopOrigin, Timestamp, apply, create, workflow};

const NOW: Timestamp = Timestamp::from_millis(1_000_000);

fn state() -> State {
    let config = LoopConfig {
        limits: Limits { iterations: 1_000, ..Limits::default() },
        on_lost: OnLost::Retry,
        session: SessionPolicy::Fresh,
        ..LoopConfig::new("task", AgentConfig::new("a", &["a"]), vec![Check::new("test", "true")])
    };
    let event = create("r".parse().expect("an id"), "task", config).expect("a configuration");
    apply(None, &event, NOW).expect("a state")
}

fn drive() -> Input {
    let place = Place { host: "h".to_owned(), boot: "b".to_owned(), pid: 7 };
    Input::Begin(Command::Drive { epoch: 1, place, version: "test".to_owned() })
}

fn round(number: u32, passed: bool) -> Command {
    Command::EndChecks(Box::new(CheckRound {
        number,
        checks: vec![CheckResult {
            name: "test".to_owned(),
            passed,
            exit_code: Some(i32::from(!passed)),
            duration_ms: 5,
            ..CheckResult::default()
        }],
        snapshot: Some(Snapshot {
            id: format!("c{number}"),
            tree: format!("t{number}"),
            left_out: Vec::new(),
        }),
        duration_ms: 5,
        ..CheckRound::default()
    }))
}

fn ended(attempt: u32) -> Command {
    let end = AttemptEnd {
        exit_code: Some(0),
        duration_ms: 5,
        snapshot: Some(Snapshot {
            id: format!("a{attempt}"),
            tree: format!("at{attempt}"),
            left_out: Vec::new(),
        }),
        ..AttemptEnd::of(AttemptOutcome::Succeeded)
    };
    Command::EndAttempt { attempt, end: Box::new(end) }
}

fn append_of(actions: Vec<Action>) -> Planned {
    match <[Action; 1]>::try_from(actions) {
        Ok([Action::Append(planned)]) => planned,
        other => panic!("expected one append, got {other:?}"),
    }
}

fn kinds(planned: &Planned) -> Vec<&str> {
    planned.events.iter().map(|event| event.kind.as_str()).collect()
}

fn effect_of(actions: &[Action]) -> (Effect, bool) {
    match actions {
        [Action::Perform { effect, fresh }] => (effect.clone(), *fresh),
        other => panic!("expected work, got {other:?}"),
    }
}

fn brought(effect: Effect, command: Command) -> Input {
    Input::Outcomes(vec![(effect, command)])
}

/// A core whose first attempt is under way.
fn attempting() -> (Core, Effect) {
    let mut core = Core::new(state(), 1, 1, 0, 0);
    append_of(core.step(drive(), NOW));
    let (checks, _) = effect_of(&core.step(Input::Appended, NOW));
    append_of(core.step(brought(checks, round(1, false)), NOW));
    let (attempt, _) = effect_of(&core.step(Input::Appended, NOW));
    (core, attempt)
}

#[test]
fn work_begins_only_after_its_intent_is_durable() {
    let mut core = Core::new(state(), 1, 1, 0, 0);
    let planned = append_of(core.step(drive(), NOW));
    assert_eq!(kinds(&planned), ["driver_started", "checks_started"]);
    let (effect, fresh) = effect_of(&core.step(Input::Appended, NOW));
    assert_eq!((effect, fresh), (Effect::Checks(1), true));
}

#[test]
fn an_outcome_and_the_next_intent_share_an_append() {
    let (mut core, attempt) = attempting();
    let planned = append_of(core.step(brought(attempt, ended(1)), NOW));
    assert_eq!(kinds(&planned), ["attempt_finished", "checks_started"]);
}

#[test]
fn a_conflict_reads_on_and_decides_again() {
    let (mut core, attempt) = attempting();
    let head = core.head();
    append_of(core.step(brought(attempt, ended(1)), NOW));
    let actions = core.step(Input::Conflicted, NOW);
    assert!(matches!(actions.as_slice(), [Action::ReadOn(from)] if *from == head + 1), "{actions:?}");
    let pause = Event::PauseRequested {};
    let planned = append_of(core.step(Input::Seen(vec![(head + 1, NOW, pause)]), NOW));
    assert_eq!(planned.expect, head + 1);
    assert_eq!(kinds(&planned), ["attempt_finished", "run_paused"]);
}

#[test]
fn a_second_delivery_of_an_outcome_changes_nothing() {
    let (mut core, attempt) = attempting();
    append_of(core.step(brought(attempt.clone(), ended(1)), NOW));
    effect_of(&core.step(Input::Appended, NOW));
    assert!(core.step(brought(attempt, ended(1)), NOW).is_empty());
}

#[test]
fn a_fenced_driver_leaves_without_a_further_word() {
    let (mut core, attempt) = attempting();
    append_of(core.step(brought(attempt, ended(1)), NOW));
    let actions = core.step(Input::Fenced, NOW);
    assert!(matches!(actions.as_slice(), [Action::Leave(Leave::Fenced)]));
    assert!(core.step(Input::Woken, NOW).is_empty());
}

#[test]
fn stop_now_ends_the_open_work_once_and_then_rests() {
    let (mut core, attempt) = attempting();
    let stop = Event::StopRequested { now: true, origin: StopOrigin::Command };
    let seen = Input::Seen(vec![(core.head() + 1, NOW, stop)]);
    let actions = core.step(seen, NOW);
    assert!(matches!(actions.as_slice(), [Action::Cancel(effect)] if *effect == attempt), "{actions:?}");
    assert!(core.step(Input::Woken, NOW).is_empty(), "it is told once");
    let Command::EndAttempt { attempt: number, mut end } = ended(1) else { unreachable!() };
    end.outcome = AttemptOutcome::Cancelled;
    let planned = append_of(core.step(brought(attempt, Command::EndAttempt { attempt: number, end }), NOW));
    assert_eq!(kinds(&planned), ["attempt_finished", "run_stopped"]);
    let actions = core.step(Input::Appended, NOW);
    assert!(matches!(actions.as_slice(), [Action::Leave(Leave::AtRest)]));
}

#[test]
fn work_that_another_driver_began_is_looked_up_not_begun() {
    let (core, attempt) = attempting();
    let mut heir = Core::new(core.state().clone(), core.head(), 2, 0, 0);
    append_of(heir.step(drive(), NOW));
    let (effect, fresh) = effect_of(&heir.step(Input::Appended, NOW));
    assert_eq!(effect, attempt);
    assert!(!fresh, "somebody may have begun it");
}

#[test]
fn a_checkpoint_is_taken_when_enough_was_written() {
    let (mut core, mut effect) = attempting();
    let (mut taken, mut bytes) = (0, 0);
    loop {
        let outcome = match &effect {
            Effect::Attempt(attempt) => ended(attempt.number),
            Effect::Checks(number) => round(*number, false),
            Effect::Hooks(_) | Effect::Commit(_) | Effect::Review(_) | Effect::Timer(_) => {
                unreachable!("nothing waits here")
            }
        };
        let planned = append_of(core.step(brought(effect.clone(), outcome), NOW));
        bytes += planned.events.iter().map(|event| event.data.len()).sum::<usize>();
        if planned.checkpoint.is_some() {
            assert_eq!(kinds(&planned).last(), Some(&"checkpoint_taken"));
            taken += 1;
        }
        match core.step(Input::Appended, NOW).as_slice() {
            [Action::Perform { effect: next, .. }] => effect = next.clone(),
            [Action::Leave(Leave::AtRest)] => break,
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(core.state().counters.iterations, 1_000);
    let due = bytes / piton_model::limits::CHECKPOINT_BYTES_MIN as usize;
    assert!(due >= 5, "{bytes} bytes are enough for some");
    assert!((due..=due + due / 2).contains(&taken), "{taken} checkpoints for {bytes} bytes");
}

/// A workflow of independent steps, and the attempts that are under way.
fn working(steps: usize, at_once: u32) -> (Core<workflow::State>, Vec<workflow::Effect>) {
    let work = || workflow::Work::Run { command: "true".to_owned(), agent: None };
    let steps = (0..steps).map(|number| workflow::Step::new(&format!("s{number}"), work())).collect();
    let definition =
        workflow::Definition { name: "flat".to_owned(), steps, ..workflow::Definition::default() };
    let run = "r".parse().expect("an id");
    let options = workflow::Options { max_parallel: at_once, ..workflow::Options::default() };
    let order = workflow::Order { run, definition, options, inherited: None };
    let created = workflow::create(order).expect("a workflow");
    let state = workflow::apply(None, &created, NOW).expect("a state");
    let mut core = Core::new(state, 1, 1, 0, 0);
    let place = Place { host: "h".to_owned(), boot: "b".to_owned(), pid: 7 };
    let drive = workflow::Command::Drive { epoch: 1, place, version: "test".to_owned() };
    core.step(Input::Begin(drive), NOW);
    let actions = core.step(Input::Appended, NOW);
    let performed = actions.into_iter().filter_map(|action| match action {
        Action::Perform { effect, .. } => Some(effect),
        _ => None,
    });
    (core, performed.collect())
}

fn succeeded(effect: &workflow::Effect) -> (workflow::Effect, workflow::Command) {
    let workflow::Effect::Attempt(attempt) = effect else { panic!("{effect:?} is no attempt") };
    let end = workflow::StepEnd {
        exit_code: Some(0),
        duration_ms: 1,
        ..workflow::StepEnd::of(AttemptOutcome::Succeeded)
    };
    (effect.clone(), workflow::Command::EndAttempt { attempt: attempt.number, end: Box::new(end) })
}

fn finished_in(actions: &[Action<workflow::State>]) -> usize {
    match actions {
        [Action::Append(planned)] => {
            planned.events.iter().filter(|event| event.kind == "step_finished").count()
        }
        other => panic!("expected one append, got {other:?}"),
    }
}

#[test]
fn steps_that_end_together_share_an_append() {
    let (mut core, performed) = working(9, 4);
    assert_eq!(performed.len(), 4);
    let outcomes: Vec<_> = performed.iter().map(succeeded).collect();
    assert_eq!(finished_in(&core.step(Input::Outcomes(outcomes), NOW)), 4);
    // Where somebody else came first, nothing of it is forgotten.
    assert!(matches!(core.step(Input::Conflicted, NOW)[..], [Action::ReadOn(_)]));
    assert_eq!(finished_in(&core.step(Input::Seen(Vec::new()), NOW)), 4);
    let next = core.step(Input::Appended, NOW);
    assert_eq!(next.iter().filter(|action| matches!(action, Action::Perform { .. })).count(), 4);
}

#[test]
fn an_append_never_holds_more_events_than_the_journal_takes() {
    let (mut core, performed) = working(100, 32);
    assert_eq!(performed.len(), 32);
    let mut actions = core.step(Input::Outcomes(performed.iter().map(succeeded).collect()), NOW);
    let mut finished = 0;
    while let [Action::Append(planned)] = &actions[..] {
        assert!(planned.events.len() <= EVENTS_PER_APPEND_MAX, "{} events", planned.events.len());
        finished += finished_in(&actions);
        actions = core.step(Input::Appended, NOW);
    }
    assert_eq!(finished, 32, "each is recorded once");
    assert_eq!(actions.iter().filter(|action| matches!(action, Action::Perform { .. })).count(), 32);
}

/// What readers are shown of a workflow, as `status iteration: last error` of its steps.
fn shown(actions: &[Action<workflow::State>]) -> Vec<String> {
    let one = |step: &workflow::StepState| {
        let why = step.last_error.as_deref().unwrap_or("-");
        format!("{} {}: {why}", step.status.as_str(), step.iteration_count)
    };
    let moments = actions.iter().filter_map(|action| match action {
        Action::Show(moment) => {
            Some(moment.steps.iter().map(|step| one(step)).collect::<Vec<_>>().join(", "))
        }
        _ => None,
    });
    moments.collect()
}

#[test]
fn readers_are_shown_the_start_a_gates_failure_and_the_loop_back() {
    let work = || workflow::Work::Run { command: "true".to_owned(), agent: None };
    let gate = workflow::Step {
        needs: vec!["code".into()],
        loop_back_to: Some("code".into()),
        ..workflow::Step::new("gate", work())
    };
    let steps = vec![workflow::Step::new("code", work()), gate];
    let definition = workflow::Definition { name: "w".to_owned(), steps, ..workflow::Definition::default() };
    let run = "r".parse().expect("an id");
    let order = workflow::Order { run, definition, options: workflow::Options::default(), inherited: None };
    let created = workflow::create(order).expect("a workflow");
    let mut core = Core::new(workflow::apply(None, &created, NOW).expect("a state"), 1, 1, 0, 0);
    let place = Place { host: "h".to_owned(), boot: "b".to_owned(), pid: 7 };
    core.step(Input::Begin(workflow::Command::Drive { epoch: 1, place, version: "test".to_owned() }), NOW);
    let performed = |actions: &[Action<workflow::State>]| match actions.last() {
        Some(Action::Perform { effect, .. }) => effect.clone(),
        other => panic!("{other:?} is no work"),
    };
    let actions = core.step(Input::Appended, NOW);
    assert_eq!(shown(&actions), ["PENDING 0: -, PENDING 0: -"]);
    core.step(Input::Outcomes(vec![succeeded(&performed(&actions))]), NOW);
    let actions = core.step(Input::Appended, NOW);
    assert_eq!(shown(&actions), [""; 0], "no other step waits");
    let (effect, mut ends) = succeeded(&performed(&actions));
    if let workflow::Command::EndAttempt { end, .. } = &mut ends {
        (end.outcome, end.exit_code, end.message) =
            (AttemptOutcome::Failed, Some(1), Some("two bugs".to_owned()));
    }
    core.step(Input::Outcomes(vec![(effect, ends)]), NOW);
    assert_eq!(
        shown(&core.step(Input::Appended, NOW)),
        [
            "COMPLETED 0: -, COMPLETED 0: Gate failure: two bugs",
            "PENDING 1: -, PENDING 1: Gate failure: two bugs"
        ]
    );
}

#[test]
fn what_was_performed_once_is_never_begun_again() {
    let (mut core, attempt) = attempting();
    // What comes first leaves it as it was.
    let snapshot = Snapshot { id: "s".to_owned(), tree: "t".to_owned(), left_out: Vec::new() };
    append_of(core.step(brought(attempt.clone(), Command::Observe(snapshot)), NOW));
    assert_eq!(effect_of(&core.step(Input::Appended, NOW)), (attempt.clone(), true));
    append_of(core.step(brought(attempt.clone(), Command::GiveUp { detail: "it vanished".to_owned() }), NOW));
    core.step(Input::Appended, NOW);
    // Whoever resumes the stopped run looks it up.
    let stopped = core.state().clone();
    assert!(stopped.effects().is_empty());
    let resumed =
        apply(Some(stopped.clone()), &Event::ResumeRequested { raise: Default::default() }, NOW).unwrap();
    let mut core = Core::new(resumed, core.head() + 1, 2, 0, 0);
    append_of(core.step(drive(), NOW));
    assert_eq!(effect_of(&core.step(Input::Appended, NOW)), (attempt, false));
}

#[test]
fn a_step_in_whose_way_something_stood_is_looked_up() {
    let (mut core, effects) = working(1, 1);
    let give_up = workflow::Command::GiveUp { detail: "it vanished".to_owned() };
    core.step(Input::Outcomes(vec![(effects[0].clone(), give_up)]), NOW);
    let actions = core.step(Input::Appended, NOW);
    assert!(matches!(&actions[..], [Action::Perform { fresh: false, .. }]), "{actions:?}");
}
