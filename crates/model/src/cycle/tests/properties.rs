//! What holds after any sequence of commands and requests.

use proptest::prelude::*;
use proptest::sample::select;

use super::harness::{Driver, config, ended, rate_limited, said, snapshot};
use crate::Status;
use crate::cycle::*;
use crate::event::StopOrigin;
use crate::loop_machine::{AttemptOutcome, CheckResult, CheckRound, Left, Raise, TreeProof};
use crate::machine::Machine;

/// One thing that happens to a cycle. Numbers pick among what is open.
#[derive(Clone, Debug)]
enum Happening {
    Drive,
    End(usize, Box<RoleEnd>),
    Abandon(usize),
    Lose(usize),
    Stray(u32),
    Checks(bool, bool),
    Observe(u8),
    Edit(Signal, u8),
    GiveUp,
    Request(CycleEvent),
    Wait(u64),
}

fn end() -> impl Strategy<Value = RoleEnd> {
    let outcome = select(vec![
        AttemptOutcome::Failed,
        AttemptOutcome::TimedOut,
        AttemptOutcome::Cancelled,
        AttemptOutcome::NotStartable,
    ]);
    let words = select(PhaseStatus::ALL.to_vec());
    let built = (words, 0..4u8, any::<bool>()).prop_map(|(status, tree, blocked)| {
        let mut end = said(status);
        end.snapshot = Some(snapshot(&tree.to_string()));
        if blocked {
            end.handed_in.blockers = vec![format!("blocker {tree}")];
        }
        end
    });
    prop_oneof![
        12 => Just(said(PhaseStatus::Completed)),
        6 => built,
        3 => outcome.prop_map(ended),
        1 => Just(RoleEnd { hold: rate_limited(), ..ended(AttemptOutcome::Failed) }),
    ]
}

fn request() -> impl Strategy<Value = CycleEvent> {
    let raise = prop::option::of(1..6u32).prop_map(|iterations| Raise { iterations, ..Raise::default() });
    let names = select(vec!["ra", "cd", "vas", "nobody"]);
    prop_oneof![
        1 => Just(CycleEvent::PauseRequested {}),
        1 => any::<bool>().prop_map(|now| CycleEvent::StopRequested { now, origin: StopOrigin::Command }),
        6 => raise.clone().prop_map(|raise| CycleEvent::ResumeRequested { raise }),
        2 => raise.prop_map(|raise| CycleEvent::ExtensionRequested { text: "more".to_owned(), raise }),
        2 => names.prop_map(|target| CycleEvent::FeedbackAdded {
            source: "user".to_owned(),
            target: target.into(),
            content: "text".to_owned(),
            kind: FeedbackKind::Clarification,
        }),
        1 => any::<bool>().prop_map(|waits| CycleEvent::DecisionProposed {
            description: "which".to_owned(),
            options: vec!["a".to_owned()],
            by: "ra".to_owned(),
            waits,
        }),
        2 => (1..4u32).prop_map(|id| CycleEvent::DecisionSettled {
            id: format!("DEC-{id:03}"),
            status: DecisionStatus::Made,
            option: Some("a".to_owned()),
            by: "user".to_owned(),
        }),
        2 => (1..9u32).prop_map(|id| CycleEvent::BlockerSettled {
            id: format!("BLK-{id:03}"),
            status: BlockerStatus::Resolved,
            resolution: None,
        }),
    ]
}

fn happening() -> impl Strategy<Value = Happening> {
    let pick = 0..4usize;
    prop_oneof![
        2 => Just(Happening::Drive),
        20 => (pick.clone(), end()).prop_map(|(pick, end)| Happening::End(pick, Box::new(end))),
        1 => pick.clone().prop_map(Happening::Abandon),
        1 => pick.prop_map(Happening::Lose),
        1 => (0..50u32).prop_map(Happening::Stray),
        10 => (any::<bool>(), prop::bool::weighted(0.1)).prop_map(|(ok, cut)| Happening::Checks(ok, cut)),
        2 => (0..4u8).prop_map(Happening::Observe),
        1 => (select(Signal::ALL.to_vec()), 0..3u8).prop_map(|(signal, file)| Happening::Edit(signal, file)),
        1 => Just(Happening::GiveUp),
        6 => request().prop_map(Happening::Request),
        4 => select(vec![1, 10_000, 60_000, 3_600_000]).prop_map(Happening::Wait),
    ]
}

fn happen(driver: &mut Driver, what: Happening) {
    let open: Vec<u32> =
        driver.state.roles.iter().filter_map(|role| role.open.as_ref()).map(|open| open.number).collect();
    let pick = |index: usize| open.get(index % open.len().max(1)).copied();
    let command = match what {
        Happening::Drive => return drop(driver.drive()),
        Happening::Request(request) => return drop(driver.request(request)),
        Happening::Wait(millis) => return drop(driver.after(millis)),
        Happening::End(index, end) => pick(index).map(|attempt| Command::EndAttempt { attempt, end }),
        Happening::Abandon(index) => pick(index).map(|attempt| Command::AbandonAttempt { attempt }),
        Happening::Lose(index) => pick(index).map(|attempt| Command::LoseAttempt {
            attempt,
            tree: TreeProof::Scanned,
            left: Box::new(Left::default()),
        }),
        Happening::Stray(attempt) => {
            (!open.contains(&attempt)).then_some(Command::AbandonAttempt { attempt })
        }
        Happening::Checks(passed, cancelled) => driver.state.checking.map(|number| {
            let check = CheckResult {
                name: "test".to_owned(),
                passed,
                exit_code: None,
                timed_out: false,
                duration_ms: 1,
                tail: String::new(),
            };
            let snapshot = driver.state.seen.clone().or_else(|| Some(snapshot("0")));
            let round =
                CheckRound { checks: vec![check], snapshot, cancelled, ..CheckRound::of_nothing(number) };
            Command::EndChecks { round: Box::new(round), failed: Vec::new() }
        }),
        Happening::Observe(tree) => Some(Command::Observe(snapshot(&tree.to_string()))),
        Happening::Edit(signal, file) => Some(Command::TakeEdit {
            edited: Edited { signal: Some(signal), word: None, kept_at: None, fields: Vec::new() },
            digest: file.to_string(),
        }),
        Happening::GiveUp => Some(Command::GiveUp { detail: "disk".to_owned() }),
    };
    if let Some(command) = command {
        let _ = driver.try_command(command);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn the_invariants_hold_whatever_happens(
        happenings in prop::collection::vec(happening(), 1..120),
        side_by_side in any::<bool>(),
        prepared in any::<bool>(),
    ) {
        let mut config = if prepared { super::prepared::config() } else { config() };
        if side_by_side {
            config.roles[1].after.clear();
        }
        let mut driver = Driver::with(config);
        for what in happenings {
            happen(&mut driver, what);
            let state = &driver.state;
            // One that builds works alone, and nobody works while the tree is judged.
            let builds = state.team().filter(|(role, at)| role.develops && at.open.is_some()).count();
            prop_assert!(builds == 0 || driver.at_work().len() == 1);
            prop_assert!(state.checking.is_none() || driver.at_work().is_empty());
            // Completed means that every role is done and that the tree as it is was judged green.
            if state.status == Status::Completed && !state.is_asked_to_go_on() {
                prop_assert!(state.checks.iter().all(|check| check.passed) && !state.checks.is_empty());
                let last = state.iterations.back();
                prop_assert!(last.is_some_and(|last| last.issues.is_empty()));
                // Of what was prepared, all of it is done.
                let gate = last.and_then(|last| last.gate.as_ref());
                prop_assert_eq!(gate.map(|at| (at.gate, at.passed)), prepared.then_some((Gate::OneToHundred, Some(true))));
            }
            // No more iterations than there may be, and what is at rest has nothing open that it waits for.
            prop_assert!(state.iteration <= state.config.limits.iterations.max(5));
            prop_assert!(state.is_at_rest() || !state.effects().is_empty());
            // Windows hold.
            prop_assert!(state.timeline.recent.len() <= limits::TIMELINE_MAX);
            prop_assert!(state.phase_errors.recent.len() <= limits::PHASE_ERRORS_MAX);
            let mut phases = state.completed_phases.clone();
            phases.sort();
            phases.dedup();
            prop_assert_eq!(phases.len(), state.completed_phases.len());
            // It says nothing more than it said.
            prop_assert!(decide(state, Command::Tick, driver.now).is_ok_and(|events| events.is_empty()));
        }
        // The journal gives back the state, and a checkpoint is as good as the events.
        let at = |index: usize| driver.journal[..index].iter().fold(None, |state, event| apply(state, event, driver.now));
        prop_assert_eq!(at(driver.journal.len()).map(|state| (state.status, state.iteration)),
            Some((driver.state.status, driver.state.iteration)));
        let stored = serde_json::to_string(&driver.state).expect("a state is plain data");
        let read: State = serde_json::from_str(&stored).expect("it reads itself");
        prop_assert_eq!(read, driver.state);
    }
}
