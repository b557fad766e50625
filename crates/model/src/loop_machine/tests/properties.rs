//! What holds after any sequence of commands and requests.

use proptest::prelude::*;
use proptest::sample::select;

use super::harness::{config, cut_short, round, snapshot};
use crate::event::StopOrigin;
use crate::loop_machine::stop::{ChecksPass, Done, FileCreated, until};
use crate::loop_machine::*;
use crate::{Event, RunEvent, Status, Timestamp};

/// One thing that happens to a run.
#[derive(Clone, Debug)]
enum Step {
    Drive,
    Observe(String),
    /// The open attempt, or one that is not open, ends like this.
    EndAttempt(bool, Box<AttemptEnd>),
    Abandon(bool),
    Lose(bool),
    EndChecks(bool, Box<CheckRound>),
    EndReview(bool, Box<ReviewEnd>),
    GiveUp,
    Request(Event),
    Commit(Option<String>),
    Wait(u64),
}

fn step() -> impl Strategy<Value = Step> {
    let open = prop::bool::weighted(0.9);
    prop_oneof![
        2 => Just(Step::Drive),
        2 => tree().prop_map(Step::Observe),
        12 => (open, attempt_end()).prop_map(|(open, end)| Step::EndAttempt(open, Box::new(end))),
        1 => open.prop_map(Step::Abandon),
        1 => open.prop_map(Step::Lose),
        10 => (open, check_round()).prop_map(|(open, round)| Step::EndChecks(open, Box::new(round))),
        5 => (open, review_end()).prop_map(|(open, end)| Step::EndReview(open, Box::new(end))),
        1 => Just(Step::GiveUp),
        4 => prop::option::of("[a-f0-9]{7}").prop_map(Step::Commit),
        6 => request().prop_map(Step::Request),
        3 => select(vec![1, 10_000, 60_000, 3_600_000]).prop_map(Step::Wait),
    ]
}

fn tree() -> impl Strategy<Value = String> {
    select(vec!["t0", "t1", "t2"]).prop_map(str::to_owned)
}

fn attempt_end() -> impl Strategy<Value = AttemptEnd> {
    let outcome = prop_oneof![
        8 => Just(AttemptOutcome::Succeeded),
        3 => select(vec![AttemptOutcome::Failed, AttemptOutcome::TimedOut, AttemptOutcome::Hung]),
        2 => Just(AttemptOutcome::Cancelled),
        1 => Just(AttemptOutcome::NotStartable),
    ];
    let snapshot = prop::option::weighted(0.9, tree().prop_map(|tree| snapshot(&tree)));
    let millis = prop_oneof![9 => 0..10_000_000u64, 1 => Just(u64::MAX)];
    (outcome, prop::option::of(report()), snapshot, millis).prop_map(
        |(outcome, report, snapshot, duration_ms)| AttemptEnd {
            duration_ms,
            report,
            snapshot,
            ..AttemptEnd::of(outcome)
        },
    )
}

fn report() -> impl Strategy<Value = Report> {
    let class =
        select(vec![ErrorClass::Auth, ErrorClass::RateLimit, ErrorClass::Overloaded, ErrorClass::Crash]);
    let status = select(vec![ReportStatus::Done, ReportStatus::Blocked, ReportStatus::Continue]);
    let number =
        prop_oneof![any::<f64>().prop_map(serde_json::Value::from), any::<u64>().prop_map(Into::into)];
    (
        prop::option::of(status),
        prop::option::weighted(0.2, class),
        prop::option::of(0..5_000_000u64),
        prop::option::of(number),
        prop::option::of("[a-c]"),
    )
        .prop_map(|(status, error_class, cost_microusd, number, session_id)| Report {
            status,
            error_class,
            cost_microusd,
            session_id,
            custom: number.into_iter().map(|number| ("number".to_owned(), number)).collect(),
            usage: cost_microusd.map(|tokens| Usage { input_tokens: tokens, ..Usage::default() }),
            ..Report::default()
        })
}

fn review_end() -> impl Strategy<Value = ReviewEnd> {
    let outcome = prop_oneof![
        8 => Just(AttemptOutcome::Succeeded),
        1 => select(vec![AttemptOutcome::Failed, AttemptOutcome::Cancelled, AttemptOutcome::NotStartable]),
    ];
    let class = select(vec![ErrorClass::Auth, ErrorClass::RateLimit, ErrorClass::Crash]);
    let opinion = select(vec![None, Some(Opinion::Agrees), Some(Opinion::Objects)]);
    (outcome, prop::option::weighted(0.1, class), opinion, 0..2usize, prop::option::of(0..5_000_000u64))
        .prop_map(|(outcome, error_class, opinion, objections, cost_microusd)| ReviewEnd {
            error_class,
            opinion,
            objections: vec![Objection { text: "wrong".to_owned(), ..Objection::default() }; objections],
            cost_microusd,
            ..ReviewEnd::of(0, outcome)
        })
}

fn check_round() -> impl Strategy<Value = CheckRound> {
    (tree(), any::<bool>(), prop::bool::weighted(0.1)).prop_map(|(tree, passed, cut)| match cut {
        true => cut_short(0),
        false => round(0, &tree, passed),
    })
}

fn request() -> impl Strategy<Value = Event> {
    let raise = prop::option::of(1..20u32).prop_map(|iterations| Raise { iterations, ..Raise::default() });
    let said = select(vec![Answer::Approve, Answer::Reject, Answer::Abort]);
    let seen = prop::option::weighted(0.2, Just("0123456789abcdef".to_owned()));
    let origin = select(vec![StopOrigin::Interrupt, StopOrigin::Command]);
    prop_oneof![
        2 => Just(Event::PauseRequested {}),
        2 => (any::<bool>(), origin).prop_map(|(now, origin)| Event::StopRequested { now, origin }),
        2 => Just(Event::SkipRequested {}),
        6 => raise.prop_map(|raise| Event::ResumeRequested { raise }),
        6 => (0..5u32, said, seen).prop_map(|(question, answer, seen)| Event::AnswerGiven {
            question, answer, comment: None, seen,
        }),
        1 => "[a-z]{0,8}".prop_map(|text| Event::AgentTold { text }),
        2 => "[a-z]{0,8}".prop_map(|text| {
            let returned = Returned { from: "elsewhere".to_owned(), about: vec![text.clone()], text };
            Event::ResultReturned { returned: Box::new(returned) }
        }),
    ]
}

fn any_config() -> impl Strategy<Value = LoopConfig> {
    let until = select(vec![
        vec![],
        vec![until(Done {})],
        vec![until(ChecksPass {})],
        vec![until(Done {}), until(FileCreated { path: "f".to_owned() })],
    ]);
    let on_lost = select(vec![OnLost::Retry, OnLost::RestoreAndRetry, OnLost::Ask]);
    let worktree = Worktree { path: "tree".to_owned(), branch: "piton/r".to_owned(), ..Worktree::default() };
    let another = || AgentConfig::new("another", &["another"]);
    let review = prop::option::of(Just(Review::by(another())));
    let worktree = prop::option::of(Just(worktree));
    (until, on_lost, 1..6u32, 1..6u32, any::<bool>(), worktree, review, 0..3usize).prop_map(
        move |(until, on_lost, iterations, streak, checks, worktree, review, others)| {
            let mut config = LoopConfig { until, on_lost, worktree, review, ..config() };
            config.fallback.agents = vec![another(); others];
            config.limits = Limits { iterations, no_progress: streak, failures: streak, ..Limits::default() };
            if !checks && config.until.first() == Some(&crate::loop_machine::stop::until(Done {})) {
                config.checks.clear();
            }
            config
        },
    )
}

fn command(state: &State, step: Step) -> Option<Command> {
    let (attempt, number) = match &state.work.open {
        Some(Open::Attempt(attempt)) => (attempt.number, 0),
        Some(Open::Checks(number)) => (0, *number),
        Some(Open::Review(open)) => (0, open.number),
        Some(Open::Hooks(_) | Open::Commit(_)) | None => (0, 0),
    };
    let of = |number: u32, open: bool| if open { number } else { number + 1 };
    let place = || Place { host: "h".to_owned(), boot: "b".to_owned(), pid: 1 };
    Some(match step {
        Step::Drive => Command::Drive { epoch: 1, place: place(), version: "0".to_owned() },
        Step::Observe(tree) => Command::Observe(snapshot(&tree)),
        Step::EndAttempt(open, end) => Command::EndAttempt { attempt: of(attempt, open), end },
        Step::Abandon(open) => Command::AbandonAttempt { attempt: of(attempt, open) },
        Step::Lose(open) => Command::LoseAttempt {
            attempt: of(attempt, open),
            tree: TreeProof::Scanned,
            left: Box::default(),
        },
        Step::EndChecks(open, round) => {
            Command::EndChecks(Box::new(CheckRound { number: of(number, open), ..*round }))
        }
        Step::EndReview(open, end) => {
            Command::EndReview(Box::new(ReviewEnd { number: of(number, open), ..*end }))
        }
        Step::Commit(commit) => {
            Command::EndCommit { commit, found_on: None, uncommitted: Uncommitted::default() }
        }
        Step::GiveUp => Command::GiveUp { detail: "no disk".to_owned() },
        Step::Request(_) | Step::Wait(_) => return None,
    })
}

/// Folds one event twice, once as it is and once through its bytes, and checks the step it makes.
fn fold(state: State, event: &Event, now: Timestamp) -> State {
    let encoded = event.encode();
    let decoded =
        Event::decode(&encoded.kind, encoded.version, &encoded.data).expect("what was written can be read");
    let next = apply(Some(state.clone()), event, now).expect("a state stays a state");
    let again = apply(Some(state.clone()), &decoded, now).expect("a state stays a state");
    assert_eq!(next, again, "through its bytes the event means something else: {event:?}");
    check_step(&state, event, &next);
    next
}

fn check_step(before: &State, event: &Event, after: &State) {
    if let Event::AttemptStarted { attempt } = event {
        assert_eq!(before.work.open, None, "at most one work is open");
        assert!(attempt.number > before.work.attempt, "attempt numbers grow");
        assert!(attempt.iteration == before.work.iteration || attempt.iteration == before.work.iteration + 1);
        assert!(before.counters.iterations < before.config.limits.iterations, "started beyond the ceiling");
        assert_eq!(before.status, Status::Running);
    }
    if let Event::ChecksStarted { round, .. } = event {
        assert_eq!(before.work.open, None, "at most one work is open");
        assert!(*round > before.work.round, "round numbers grow");
    }
    assert!(after.work.iteration >= before.work.iteration, "iterations do not run backwards");
    let grown = after.counters.iterations - before.counters.iterations;
    assert!(grown <= 1, "one event concludes at most one iteration");
    assert!(after.counters.iterations <= after.work.iteration, "an iteration is counted at most once");
    assert_eq!(after.counters.succeeded + after.counters.failed, after.counters.iterations);
    assert!(after.work.iteration - after.counters.iterations <= 1, "at most one iteration is under way");
    assert!(after.counters.working_ms >= before.counters.working_ms);
    assert!(after.counters.waiting_ms >= before.counters.waiting_ms);
}

fn check_state(state: &State) {
    let bytes = serde_json::to_vec(state).expect("a state is plain data");
    let again: State = serde_json::from_slice(&bytes).expect("a checkpoint can be read");
    assert_eq!(*state, again, "a checkpoint is not the state");
    assert!(state.effects().len() <= 1);
    if state.status == Status::Waiting {
        assert!(state.until.is_some() || !state.people.questions.is_empty(), "it waits for nothing");
    }
    if state.status == Status::Running && state.driver.is_some() {
        assert!(state.work.open.is_some(), "it runs and nothing is open");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_sequence_keeps_the_rules(config in any_config(), steps in prop::collection::vec(step(), 1..80)) {
        let mut now = Timestamp::from_millis(1_771_157_000_000);
        let created = create("r".parse().unwrap(), "t", config).expect("a sound configuration");
        let mut state = apply(None, &created, now).expect("a run begins with its creation");
        let mut journal = vec![(created, now)];
        for step in steps {
            let was_completed = state.status == Status::Completed;
            let came_back = matches!(&step, Step::Request(Event::ResultReturned { .. }))
                || state.requests.returned.is_some();
            match &step {
                Step::Request(event) => {
                    state = fold(state, event, now);
                    journal.push((event.clone(), now));
                }
                Step::Wait(millis) => now = now.plus_millis(*millis),
                _ => {}
            }
            let command = command(&state, step).unwrap_or(Command::Tick);
            let Ok((events, decided)) = advance(&state, command, now) else { continue };
            assert!(events.len() < crate::limits::EVENTS_PER_APPEND_MAX);
            let says_nothing = was_completed && !came_back;
            assert!(!says_nothing || events.is_empty(), "a completed run says {events:?}");
            for event in &events {
                assert!(!event.is_request(), "a driver makes no requests");
                state = fold(state, event, now);
                journal.push((event.clone(), now));
            }
            assert_eq!(state, decided, "the state of the decision is not the fold of its events");
            check_state(&state);
            let (more, _) = advance(&state, Command::Tick, now).expect("nothing is wrong with a look");
            assert_eq!(more, vec![], "a decision is complete");
        }
        assert_eq!(folded_under_another_policy(&journal), state, "what was judged is judged again");
    }

    #[test]
    fn folding_is_total(events in prop::collection::vec(wild_event(), 1..40)) {
        // Whatever lies in a journal is a fact: no order of events makes the fold panic.
        let now = Timestamp::from_millis(0);
        let created = create("r".parse().unwrap(), "t", config()).expect("a sound configuration");
        let mut state = apply(None, &created, now);
        for event in &events {
            state = apply(state, event, now);
        }
        assert!(advance(&state.expect("a state stays a state"), Command::Tick, now).is_ok());
    }
}

/// The fold of `journal` by a piton with other rules: nothing of what was judged may change.
fn folded_under_another_policy(journal: &[(Event, Timestamp)]) -> State {
    let mut kept = None;
    let mut state = None;
    for (event, at) in journal {
        let mut event = event.clone();
        if let Event::RunCreated { config, .. } = &mut event {
            kept = Some(config.clone());
            **config = retuned(config);
        }
        state = apply(state, &event, *at);
    }
    let (mut state, kept) = (state.expect("a state"), kept.expect("a creation"));
    state.config = LoopConfig { limits: state.config.limits.clone(), ..*kept };
    state
}

/// The same run with every rule that it is judged by turned around.
fn retuned(config: &LoopConfig) -> LoopConfig {
    let weights = progress::Weights { files_modified: 0.0, build_fixed: 0.0, ..progress::Weights::default() };
    LoopConfig {
        guard: GuardMode::Off,
        thresholds: Thresholds { tests: 1000, coverage: 100.0, ..Thresholds::default() },
        reinforcement: Escalation {
            standard_at: Some(1),
            aggressive_at: Some(1),
            plateau_percent: 100.0,
            plateau_iterations: 1,
            ..config.reinforcement
        },
        recovery: RecoveryPolicy {
            max_retries: 0,
            stuck_iterations: 2,
            stuck_after_iteration: 0,
            ..config.recovery
        },
        progress: ProgressPolicy { weights, score_min: 1.0, ..ProgressPolicy::default() },
        quality: QualityPolicy { weights: [0.0, 0.0, 0.0, 0.0, 1.0], ..config.quality },
        backoff: Backoff { rate_limit_ms: 1, overloaded_ms: 1, max_ms: 1 },
        reboot: RebootPolicy { enabled: false, confirm: true, ..RebootPolicy::default() },
        redline: RedlinePolicy { redline_percent: 1, iterations_min: 0, ..RedlinePolicy::default() },
        session: SessionPolicy::Fork,
        fallback: FallbackPolicy { agents: Vec::new(), after_ms: 0, on: Vec::new() },
        review: None,
        on_lost: OnLost::Ask,
        worktree: None,
        hooks: None,
        ..config.clone()
    }
}

fn cases() -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(512)
}

fn wild_ruling() -> AttemptRuling {
    let session = SessionRuling { read: true, taken: true, continued: true, spent: false, sample: None };
    AttemptRuling {
        next: Next::Verdict,
        counts: true,
        failed: Some(true),
        hold: None,
        guard: Some(Verdict::Refused),
        unseen: true,
        unkept: false,
        session,
    }
}

/// Any event, in any order, as no machine of ours would write them.
fn wild_event() -> impl Strategy<Value = Event> {
    let reason = select(vec![crate::Reason::RateLimit, crate::Reason::Human, crate::Reason::AttemptLost]);
    let number = select(vec![0, 1, 2, 1000]);
    prop_oneof![
        request(),
        (number.clone(), attempt_end()).prop_map(|(attempt, end)| Event::AttemptFinished {
            attempt,
            end: Box::new(end),
            ruling: wild_ruling()
        }),
        (number.clone(), check_round()).prop_map(|(number, round)| Event::ChecksFinished {
            round: Box::new(CheckRound { number, ..round }),
            ruling: RoundRuling {
                next: Next::Verdict,
                fixed: 7,
                tree: JudgedTree::Back,
                tests_fail: Some(true),
                baseline: true,
                unlike: None,
                guard: None,
                findings: Vec::new(),
                again: false,
            },
        }),
        number.clone().prop_map(|round| Event::ChecksStarted {
            round,
            guard: Some(Verdict::Refused),
            look: false
        }),
        number.clone().prop_map(|attempt| Event::AttemptLost {
            attempt,
            tree: TreeProof::Rebooted,
            left: Box::default(),
            ruling: wild_ruling(),
        }),
        number.clone().prop_map(|attempt| Event::AttemptAbandoned { attempt }),
        (number.clone(), number.clone()).prop_map(|(number, iteration)| Event::AttemptStarted {
            attempt: OpenAttempt { number, iteration, ..OpenAttempt::default() },
        }),
        number.clone().prop_map(|question| Event::QuestionAsked {
            question,
            kind: QuestionKind::Blocked,
            text: String::new(),
            digest: String::new(),
        }),
        number.clone().prop_map(|question| Event::QuestionClosed {
            question,
            answer: Answer::Reject,
            comment: None,
            consequence: Consequence::LeaveOut,
            tell: None,
            recovery: Some(RecoveryOutcome::Escalated),
            confirmed: vec!["0123456789".to_owned()],
        }),
        number.clone().prop_map(|iteration| Event::IterationConcluded {
            conclusion: Box::new(Conclusion {
                iteration,
                verdict: IterationVerdict::Refused,
                regressed: true,
                changed: true,
                progress: progress::Progress::default(),
                quality: None,
                best: true,
                findings: Vec::new(),
                unjudged: false,
            }),
        }),
        Just(Event::SessionRebooted { reason: RebootReason::Manual }),
        number.prop_map(|question| Event::AnswerRefused { question, why: String::new() }),
        Just(Event::RunPaused { reason: crate::Reason::Human, detail: None }),
        Just(Event::RunResumed { raise: Raise::default() }),
        reason.clone().prop_map(|reason| Event::RunWaiting { reason, until: None }),
        reason.clone().prop_map(|reason| Event::RunStopped { reason, detail: None }),
        reason.prop_map(|reason| Event::RunCompleted { reason, detail: None }),
        Just(Event::DriverStarted {
            epoch: 1,
            host: String::new(),
            boot: String::new(),
            pid: 1,
            version: String::new(),
        }),
    ]
}
