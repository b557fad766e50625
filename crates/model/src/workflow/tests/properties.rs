//! What holds after any sequence of commands and requests, over any workflow.

use crate::machine::RunEvent;
use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

use super::harness::{answer, completed, definition, ended, failed, gate_failed, run, step};
use crate::event::StopOrigin;
use crate::loop_machine::{Answer, AttemptOutcome, Place, TreeProof};
use crate::workflow::*;
use crate::{Reason, Status, Timestamp};

/// One thing that happens to a run. Numbers pick among what is open.
#[derive(Clone, Debug)]
enum Happening {
    Drive,
    End(usize, Box<StepEnd>),
    Abandon(usize),
    Lose(usize),
    /// Of attempts that never were.
    Stray(u32),
    Items(usize, Result<Vec<Value>, String>),
    Gates(usize, bool),
    Input(usize, Result<ManualInput, String>),
    Budget,
    GiveUp,
    Edit(usize, StepStatus),
    Request(WorkflowEvent),
    Wait(u64),
}

fn happening() -> impl Strategy<Value = Happening> {
    let pick = 0..8usize;
    let items = select(vec![Ok(vec![]), Ok(vec![json!(1), json!("two")]), Err("no such file".to_owned())]);
    let input = select(vec![
        Ok(ManualInput { approved: true, comment: None, content: Default::default() }),
        Ok(ManualInput { approved: false, comment: Some("no".to_owned()), content: Default::default() }),
        Err("not JSON".to_owned()),
    ]);
    let statuses = vec![StepStatus::Pending, StepStatus::Completed, StepStatus::Failed, StepStatus::Skipped];
    prop_oneof![
        2 => Just(Happening::Drive),
        24 => (pick.clone(), end()).prop_map(|(pick, end)| Happening::End(pick, Box::new(end))),
        1 => pick.clone().prop_map(Happening::Abandon),
        1 => pick.clone().prop_map(Happening::Lose),
        1 => (0..50u32).prop_map(Happening::Stray),
        4 => (pick.clone(), items).prop_map(|(pick, items)| Happening::Items(pick, items)),
        4 => (pick.clone(), prop::bool::weighted(0.7)).prop_map(|(pick, open)| Happening::Gates(pick, open)),
        4 => (pick.clone(), input).prop_map(|(pick, input)| Happening::Input(pick, input)),
        1 => Just(Happening::Budget),
        1 => Just(Happening::GiveUp),
        1 => (pick, select(statuses)).prop_map(|(pick, status)| Happening::Edit(pick, status)),
        5 => request().prop_map(Happening::Request),
        6 => select(vec![1, 1_000, 60_000, 3_600_000]).prop_map(Happening::Wait),
    ]
}

fn end() -> impl Strategy<Value = StepEnd> {
    let hold = |reason| StepEnd { hold: Some(Hold { reason, until: None }), report: None, ..failed() };
    prop_oneof![
        10 => Just(completed()),
        4 => Just(gate_failed()),
        3 => Just(failed()),
        1 => Just(ended(AttemptOutcome::Succeeded, 0)),
        1 => Just(ended(AttemptOutcome::TimedOut, 0)),
        2 => Just(ended(AttemptOutcome::Cancelled, 0)),
        1 => Just(ended(AttemptOutcome::NotStartable, 0)),
        1 => Just(hold(Reason::RateLimit)),
        1 => Just(hold(Reason::Auth)),
    ]
}

fn request() -> impl Strategy<Value = WorkflowEvent> {
    let raise = prop::option::of(1..6u32).prop_map(|most| Raise { max_iterations: most, ..Raise::default() });
    let said = select(vec![Answer::Approve, Answer::Approve, Answer::Reject, Answer::Abort]);
    let origin = select(vec![StopOrigin::Interrupt, StopOrigin::Command]);
    prop_oneof![
        1 => Just(WorkflowEvent::PauseRequested {}),
        1 => (any::<bool>(), origin).prop_map(|(now, origin)| WorkflowEvent::StopRequested { now, origin }),
        6 => raise.prop_map(|raise| WorkflowEvent::ResumeRequested { raise }),
        2 => (0..8usize).prop_map(|n| WorkflowEvent::StartAtRequested { step: StepId::new(format!("s{n}")) }),
        4 => (0..6u32, said).prop_map(|(question, said)| answer(question, said)),
    ]
}

/// A sound workflow of up to seven steps: each may need, go back to, ask about and wait for those before it.
fn any_steps() -> impl Strategy<Value = Vec<Step>> {
    let one = (prop::collection::vec(0..7usize, 0..3), prop::option::weighted(0.3, 0..7usize), 0..12u8);
    prop::collection::vec(one, 1..8).prop_map(|drawn| {
        let mut steps = Vec::new();
        for (index, (needs, back, kind)) in drawn.into_iter().enumerate() {
            let mut needs: Vec<usize> = needs.into_iter().filter(|need| *need < index).collect();
            needs.sort_unstable();
            needs.dedup();
            let names: Vec<String> = needs.iter().map(|need| format!("s{need}")).collect();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let mut one = step(&format!("s{index}"), &names);
            one.loop_back_to = back.map(|back| StepId::new(format!("s{}", back.min(index))));
            let collection = |source| {
                let (item_var, index_var) = ("item".to_owned(), "index".to_owned());
                Some(Collection { sources: vec![source], item_var, index_var, ..Collection::default() })
            };
            match kind {
                0 | 1 => one.human_in_the_loop = true,
                2 => one.gates = vec![Gate::Named("g".to_owned())],
                3 => one.collection = collection(Items::Given(vec![json!(1), json!(2)])),
                4 => one.collection = collection(Items::FromArtifact("items.json".to_owned())),
                5 => one.work = Work::Run { command: "make".to_owned(), agent: None },
                6 if !needs.is_empty() => {
                    let text = format!("s{}.gate == failed or gates.g", needs[0]);
                    one.when = Some(Condition::parse(&text).unwrap());
                }
                _ => {}
            }
            steps.push(one);
        }
        steps
    })
}

fn any_options() -> impl Strategy<Value = Options> {
    let action = select(vec![CostAction::Warn, CostAction::Pause, CostAction::Fail]);
    (1..4u32, 1..4u32, 1..4u32, action, prop::option::weighted(0.2, 1..2_000_000u64)).prop_map(
        |(max_attempts, max_iterations, max_parallel, cost_limit_action, max_cost_microusd)| Options {
            max_attempts,
            max_iterations,
            max_parallel,
            cost_limit_action,
            max_cost_microusd,
            pause_for_human_input: true,
            ..Options::default()
        },
    )
}

fn command(state: &State, happening: Happening) -> Command {
    let effects = state.effects();
    let attempts: Vec<u32> =
        state.steps.iter().filter_map(|step| step.open.as_ref().map(|open| open.number)).collect();
    let attempt = |pick: usize| attempts.get(pick % attempts.len().max(1)).copied().unwrap_or(0);
    let of = |pick: usize, wanted: fn(&Effect) -> Option<StepId>| {
        let found: Vec<StepId> = effects.iter().filter_map(wanted).collect();
        found.get(pick % found.len().max(1)).cloned().unwrap_or_else(|| "s0".into())
    };
    match happening {
        Happening::Drive => {
            let place = Place { host: "h".to_owned(), boot: "b".to_owned(), pid: 1 };
            Command::Drive { epoch: 1, place, version: "0".to_owned() }
        }
        Happening::End(pick, end) => Command::EndAttempt { attempt: attempt(pick), end },
        Happening::Abandon(pick) => Command::AbandonAttempt { attempt: attempt(pick) },
        Happening::Lose(pick) => Command::LoseAttempt { attempt: attempt(pick), tree: TreeProof::Scanned },
        Happening::Stray(attempt) => Command::EndAttempt { attempt, end: Box::new(completed()) },
        Happening::Items(pick, items) => {
            let step = of(pick, |effect| match effect {
                Effect::Items { step, .. } => Some(step.clone()),
                _ => None,
            });
            Command::TakeItems { step, items }
        }
        Happening::Gates(pick, open) => {
            let step = of(pick, |effect| match effect {
                Effect::Gates { step, .. } => Some(step.clone()),
                _ => None,
            });
            let gate = Gate::Named("g".to_owned());
            Command::TakeGates { step, verdicts: vec![GateVerdict { gate, open, why: None }] }
        }
        Happening::Input(pick, input) => {
            let step = of(pick, |effect| match effect {
                Effect::ManualInput { step, .. } => Some(step.clone()),
                _ => None,
            });
            let question = state.step(&step).and_then(|step| step.question.as_ref());
            let question = question.map_or(0, |question| question.number);
            Command::TakeManualInput { step, question, digest: "d".to_owned(), input }
        }
        Happening::Budget => Command::SpendBudget { detail: "spent".to_owned(), microusd: 5_000_000 },
        Happening::GiveUp => Command::GiveUp { detail: "no disk".to_owned() },
        Happening::Edit(pick, status) => {
            let step = state.id(pick % state.steps.len()).clone();
            Command::AdoptStatuses(vec![Edit { step, status }])
        }
        Happening::Request(_) | Happening::Wait(_) => Command::Tick,
    }
}

/// Folds one event twice, once as it is and once through its bytes, and checks the step it makes.
fn fold(state: State, event: &WorkflowEvent, now: Timestamp) -> State {
    let encoded = event.encode();
    assert!(WorkflowEvent::types().contains(&encoded.kind.as_str()), "{}", encoded.kind);
    let decoded = WorkflowEvent::decode(&encoded.kind, encoded.version, &encoded.data)
        .expect("what was written can be read");
    let next = apply(Some(state.clone()), event, now).expect("a state stays a state");
    let again = apply(Some(state.clone()), &decoded, now).expect("a state stays a state");
    assert_eq!(next, again, "through its bytes the event means something else: {event:?}");
    check_step(&state, event, &next);
    next
}

fn check_step(before: &State, event: &WorkflowEvent, after: &State) {
    if let WorkflowEvent::StepStarted { attempt } = event {
        let index = before.plan.graph().place(&attempt.step).unwrap();
        assert!(attempt.number > before.attempt, "numbers are never used twice");
        assert_eq!(before.steps[index].status, StepStatus::Pending);
        assert!(before.steps[index].open.is_none());
        assert!(attempt.attempt <= before.max_attempts(index), "more tries than there may be");
        for need in before.plan.graph().needs(index) {
            assert!(before.steps[*need].status.satisfies(), "started before its needs");
        }
        assert!(before.open_count() < before.max_parallel());
        assert_eq!(before.status, Status::Running);
    }
    let anew = matches!(event, WorkflowEvent::StepsReset { .. });
    let adopted = matches!(event, WorkflowEvent::StatusesAdopted { .. });
    for (old, new) in before.steps.iter().zip(&after.steps) {
        assert!(anew || new.iteration_count >= old.iteration_count, "counts only rise: {event:?}");
        let begins_anew = anew
            || adopted
            || matches!(event, WorkflowEvent::LoopedBack { .. } | WorkflowEvent::TriesRenewed { .. })
            || new.index > old.index;
        let not_counted = match event {
            WorkflowEvent::StepAbandoned { .. } | WorkflowEvent::StepLost { .. } => true,
            WorkflowEvent::StepFinished { end, .. } => {
                end.hold.is_some() || end.outcome == AttemptOutcome::Cancelled
            }
            _ => false,
        };
        assert!(begins_anew || not_counted || new.attempts >= old.attempts, "tries only rise: {event:?}");
    }
    let (old, new) = (&before.counters, &after.counters);
    assert!(new.cost_microusd >= old.cost_microusd && new.working_ms >= old.working_ms);
    assert!(new.attempts >= old.attempts && new.loop_backs >= old.loop_backs);
}

fn check_state(state: &State, now: Timestamp) {
    let bytes = serde_json::to_vec(state).expect("a state is plain data");
    let again: State = serde_json::from_slice(&bytes).expect("a checkpoint can be read");
    assert_eq!(*state, again, "a checkpoint is not the state");
    let effects = state.effects();
    let open = state.steps.iter().filter(|step| step.open.is_some()).count();
    assert!(open <= state.max_parallel());
    for step in &state.steps {
        assert_eq!(
            step.question.is_some(),
            step.status == StepStatus::WaitingOnHuman && step.held.is_some() && step.question.is_some()
        );
        assert!(step.open.is_none() || step.status == StepStatus::Running);
    }
    for effect in &effects {
        if let Effect::Timer(moment) = effect {
            assert!(*moment > now, "a timer that is due was not acted on");
        }
    }
    match state.status {
        Status::Waiting => assert!(!state.questions().is_empty(), "it waits for nothing"),
        Status::Running if state.driver.is_some() => {
            assert!(!effects.is_empty(), "it runs and nothing is open");
            let people = |effect: &Effect| matches!(effect, Effect::ManualInput { .. });
            assert!(!effects.iter().all(people), "it runs, and only people can act");
        }
        Status::Completed => {
            assert!(state.steps.iter().all(|step| step.status.satisfies()), "completed with work left");
        }
        Status::Stopped | Status::Failed | Status::Paused | Status::Created => assert_eq!(effects, vec![]),
        Status::Running | Status::Rebooting => {}
    }
    let mut by_step: BTreeMap<&StepId, u32> = BTreeMap::new();
    for (step, count) in &state.counters.loop_backs_by_step {
        *by_step.entry(step).or_default() += count;
    }
    assert_eq!(by_step.values().sum::<u32>(), state.counters.loop_backs);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_sequence_keeps_the_rules(
        steps in any_steps(),
        options in any_options(),
        happenings in prop::collection::vec(happening(), 1..100),
    ) {
        let mut now = Timestamp::from_millis(1_771_157_000_000);
        let order = Order { run: run(), definition: definition(steps), options, inherited: None };
        let created = create(order).expect("a sound order");
        let mut state = apply(None, &created, now).expect("a run begins with its creation");
        for happening in happenings {
            let mut may_begin_anew = state.requests.start_at.is_some();
            match &happening {
                Happening::Request(event) => {
                    may_begin_anew |= matches!(event, WorkflowEvent::StartAtRequested { .. });
                    state = fold(state, event, now);
                }
                Happening::Wait(millis) => now = now.plus_millis(*millis),
                _ => {}
            }
            let was_completed = state.status == Status::Completed;
            let refusals = state.requests.answers.len();
            let command = command(&state, happening);
            let Ok((events, decided)) = advance(&state, command, now) else { continue };
            if was_completed && !may_begin_anew {
                assert_eq!(events.len(), refusals, "a completed run says {events:?}");
            }
            for event in &events {
                assert!(!event.is_request(), "a driver makes no requests");
                state = fold(state, event, now);
            }
            assert_eq!(state, decided, "the state of the decision is not the fold of its events");
            check_state(&state, now);
            assert_eq!(decide(&state, Command::Tick, now), Ok(vec![]), "a decision is complete");
        }
    }

    /// Whoever always does what is open, and says yes, comes to an end: no run without an exit.
    #[test]
    fn a_run_that_is_driven_ends(
        steps in any_steps(),
        options in any_options(),
        ends in prop::collection::vec(end(), 1..40),
    ) {
        let mut now = Timestamp::from_millis(0);
        let order = Order { run: run(), definition: definition(steps), options, inherited: None };
        let mut state = apply(None, &create(order).expect("sound"), now).expect("born");
        state = advance(&state, command(&state, Happening::Drive), now).expect("driven").1;
        for turn in 0..2_000 {
            let Some(effect) = state.effects().into_iter().next() else { break };
            let yes = ManualInput { approved: true, comment: None, content: Default::default() };
            // The drawn ends come first; after them everything goes well.
            let end = ends.get(turn).cloned().unwrap_or_else(completed);
            let command = match effect {
                Effect::Attempt(open) => Command::EndAttempt { attempt: open.number, end: Box::new(end) },
                Effect::Tick { step } => Command::TakeTick { step, why: None },
                Effect::Items { step, .. } => Command::TakeItems { step, items: Ok(vec![json!(1)]) },
                Effect::Gates { step, gates } => {
                    let verdict = |gate| GateVerdict { gate, open: true, why: None };
                    Command::TakeGates { step, verdicts: gates.into_iter().map(verdict).collect() }
                }
                Effect::ManualInput { step, question } => {
                    Command::TakeManualInput { step, question, digest: String::new(), input: Ok(yes) }
                }
                Effect::Timer(moment) => {
                    now = moment;
                    Command::Tick
                }
            };
            state = advance(&state, command, now).expect("what is open can end").1;
        }
        assert_eq!(state.effects(), vec![], "it goes on for ever");
    }

    #[test]
    fn folding_is_total(steps in any_steps(), events in prop::collection::vec(wild_event(), 1..40)) {
        // Whatever lies in a journal is a fact: no order of events makes the fold panic.
        let now = Timestamp::from_millis(0);
        let options = Options { pause_for_human_input: true, ..Options::default() };
        let order = Order { run: run(), definition: definition(steps), options, inherited: None };
        let mut state = apply(None, &create(order).expect("sound"), now);
        for event in &events {
            state = apply(state, event, now);
        }
        let state = state.expect("a state stays a state");
        let _ = state.effects();
        assert!(decide(&state, Command::Tick, now).is_ok());
    }
}

fn cases() -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(256)
}

/// Any event, in any order, as no machine of ours would write them.
fn wild_event() -> impl Strategy<Value = WorkflowEvent> {
    let id = || (0..9usize).prop_map(|n| StepId::new(format!("s{n}")));
    let number = select(vec![0, 1, 2, 3]);
    let reason = select(vec![Reason::Human, Reason::LimitCost]);
    let status = select(vec![StepStatus::Running, StepStatus::Completed, StepStatus::Failed]);
    let input = || ManualInput { approved: false, comment: None, content: Default::default() };
    prop_oneof![
        request(),
        (number.clone(), id()).prop_map(|(number, step)| WorkflowEvent::StepStarted {
            attempt: OpenAttempt {
                number,
                step,
                attempt: number,
                item: Some(number),
                ..OpenAttempt::default()
            },
        }),
        (number.clone(), end()).prop_map(|(attempt, end)| WorkflowEvent::StepFinished {
            attempt,
            end: Box::new(end),
            ruling: StepVerdict::Hold.into(),
        }),
        number.clone().prop_map(|attempt| WorkflowEvent::StepAbandoned { attempt }),
        number.clone().prop_map(|attempt| WorkflowEvent::StepLost {
            attempt,
            tree: TreeProof::Rebooted,
            ruling: StepVerdict::NextItem.into(),
        }),
        (id(), id()).prop_map(|(step, target)| {
            let reset = vec![step.clone(), target.clone()];
            WorkflowEvent::LoopedBack { step, target, reset }
        }),
        (id(), id()).prop_map(|(step, also)| WorkflowEvent::StepsReset { step, reset: vec![also] }),
        id().prop_map(|step| WorkflowEvent::TriesRenewed { steps: vec![Renewed { step, all_items: true }] }),
        id().prop_map(|step| WorkflowEvent::StepConcluded {
            step,
            ruling: StepVerdict::GoBack { why: "so".to_owned() }.into(),
        }),
        id().prop_map(|step| WorkflowEvent::ItemsRead { step, items: vec![] }),
        id().prop_map(|step| WorkflowEvent::ItemsRefused { step, why: String::new() }),
        id().prop_map(|step| WorkflowEvent::StepsPassed { steps: vec![Passed { step, skipped: true }] }),
        (id(), status)
            .prop_map(|(step, status)| WorkflowEvent::StatusesAdopted { edits: vec![Edit { step, status }] }),
        (number.clone(), id()).prop_map(|(question, step)| WorkflowEvent::HumanAsked {
            question,
            step,
            text: String::new(),
            digest: String::new(),
            since: None,
        }),
        (number.clone(), id()).prop_map(|(attempt, step)| WorkflowEvent::NestedWaits {
            attempt,
            asks: Some(InnerQuestion {
                run: run(),
                step: Some(step),
                question: Some(1),
                text: String::new()
            }),
        }),
        number.clone().prop_map(|attempt| WorkflowEvent::NestedWaits { attempt, asks: None }),
        Just(WorkflowEvent::RunArchived {}),
        number.prop_map(move |question| WorkflowEvent::HumanAnswered {
            question,
            answer: Answer::Reject,
            input: input(),
            bound: false,
        }),
        Just(WorkflowEvent::DefinitionChanged {
            definition: Box::new(definition(vec![step("s1", &["s1"])])),
            digest: String::new(),
            stay: vec!["s1".into()],
        }),
        Just(WorkflowEvent::OptionsChanged { options: Box::default() }),
        Just(WorkflowEvent::RunRestarted {
            title: String::new(),
            definition: Box::new(definition(vec![step("s2", &[])])),
            digest: String::new(),
            options: Box::default(),
        }),
        reason.clone().prop_map(|reason| WorkflowEvent::RunWaiting { reason, until: None }),
        reason.prop_map(|reason| WorkflowEvent::RunPaused { reason, detail: None }),
        Just(WorkflowEvent::RunResumed { raise: Raise::default() }),
        Just(WorkflowEvent::RunCompleted { reason: Reason::Done, detail: None }),
        Just(WorkflowEvent::DriverStarted {
            epoch: 1,
            host: String::new(),
            boot: String::new(),
            pid: 1,
            version: String::new(),
        }),
    ]
}
