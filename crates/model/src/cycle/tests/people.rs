//! What people and roles ask for, decide and report; and what may be asked.

use super::harness::{Driver, config, said};
use crate::cycle::*;
use crate::event::StopOrigin;
use crate::loop_machine::Raise;
use crate::{Reason, Rejection, Status};

#[test]
fn a_decision_that_waits_holds_everything_until_it_is_made() {
    let mut driver = Driver::new();
    driver.request(CycleEvent::DecisionProposed {
        description: "Which provider?".to_owned(),
        options: vec!["Google".to_owned(), "GitHub".to_owned()],
        by: "ra".to_owned(),
        waits: true,
    });
    driver.is(Status::Running);
    driver.done("ra");
    driver.is(Status::Waiting);
    assert_eq!(driver.state.reason, Some(Reason::Human));
    let settle = |option: &str| CycleEvent::DecisionSettled {
        id: "DEC-001".to_owned(),
        status: DecisionStatus::Made,
        option: Some(option.to_owned()),
        by: "user".to_owned(),
    };
    assert!(matches!(admit(&driver.state, &settle("GitLab")), Err(Rejection::BadRequest { .. })));
    driver.request(settle("GitHub"));
    assert_eq!(driver.at_work(), ["ep"]);
    let decision = &driver.state.decisions[0];
    assert_eq!(
        (decision.made_by.as_deref(), decision.chosen_option.as_deref()),
        (Some("user"), Some("GitHub"))
    );
    assert!(
        matches!(admit(&driver.state, &settle("Google")), Err(Rejection::BadRequest { .. })),
        "made is made"
    );
}

#[test]
fn one_that_does_not_wait_holds_nothing() {
    let mut driver = Driver::new();
    let (description, options) = ("Tabs?".to_owned(), vec![]);
    driver.request(CycleEvent::DecisionProposed { description, options, by: "cd".to_owned(), waits: false });
    driver.iteration("one", true);
    driver.is(Status::Completed);
}

#[test]
fn feedback_reaches_its_role_with_the_next_prompt_and_once() {
    let mut driver = Driver::new();
    driver.request(CycleEvent::FeedbackAdded {
        source: "user".to_owned(),
        target: "ep".into(),
        content: "Keep it small".to_owned(),
        kind: FeedbackKind::Clarification,
    });
    driver.done("ra");
    assert_eq!(driver.state.roles[1].told.len(), 1);
    driver.done("ep");
    assert!(driver.state.roles[1].told.is_empty());
    assert_eq!(driver.state.feedback.total, 1);
}

#[test]
fn a_storm_of_feedback_is_bounded() {
    let mut driver = Driver::new();
    for number in 0..1_000 {
        driver.request(CycleEvent::FeedbackAdded {
            source: "cd".to_owned(),
            target: "ra".into(),
            content: number.to_string(),
            kind: FeedbackKind::Clarification,
        });
    }
    assert_eq!(driver.state.feedback.total, 1_000);
    assert_eq!(driver.state.feedback.recent.len(), limits::FEEDBACK_MAX);
    assert_eq!(driver.state.roles[0].told.len(), limits::WAITING_FEEDBACK_MAX);
    assert_eq!(driver.at_work(), ["ra"], "it sends nobody back to work");
}

#[test]
fn pause_and_stop_let_what_is_open_end_and_a_resume_goes_on_there() {
    let mut driver = Driver::new();
    driver.request(CycleEvent::PauseRequested {});
    driver.is(Status::Running);
    driver.done("ra");
    driver.is(Status::Paused);
    driver.request(CycleEvent::ResumeRequested { raise: Raise::default() });
    assert_eq!(driver.at_work(), ["ep"]);
    driver.request(CycleEvent::StopRequested { now: true, origin: StopOrigin::Command });
    assert!(crate::machine::Machine::wants_cancel(&driver.state, &driver.state.effects()[0]));
    let cancelled =
        RoleEnd { outcome: crate::loop_machine::AttemptOutcome::Cancelled, ..said(PhaseStatus::Unknown) };
    driver.end("ep", cancelled);
    driver.is(Status::Stopped);
    driver.request(CycleEvent::ResumeRequested { raise: Raise::default() });
    assert_eq!(driver.at_work(), ["ep"], "the role that was ended works again");
}

#[test]
fn the_status_in_the_state_file_is_a_signal() {
    for (signal, status) in [
        (Signal::Pause, Status::Paused),
        (Signal::Unknown, Status::Paused),
        (Signal::Stop, Status::Stopped),
        (Signal::Continue, Status::Running),
    ] {
        let mut driver = Driver::new();
        let edited = Edited { signal: Some(signal), word: None, kept_at: None, fields: Vec::new() };
        driver.command(Command::TakeEdit { edited: edited.clone(), digest: "d".to_owned() });
        driver.done("ra");
        driver.is(status);
        let again = Command::TakeEdit { edited, digest: "d".to_owned() };
        assert!(driver.command(again).is_empty(), "what was taken in once is not taken in again");
    }
}

#[test]
fn other_edits_are_reported_and_not_adopted() {
    let mut driver = Driver::new();
    let before = driver.state.task_history.clone();
    let edited = Edited {
        signal: None,
        word: None,
        kept_at: Some("c.json.foreign-1".to_owned()),
        fields: vec!["task_history".to_owned()],
    };
    driver.command(Command::TakeEdit { edited, digest: "d".to_owned() });
    driver.is(Status::Running);
    assert_eq!(driver.state.task_history, before);
    let error = &driver.state.phase_errors.recent[0];
    assert_eq!(error.phase, "ra");
    assert!(error.error.contains("task_history") && error.error.contains("c.json.foreign-1"));
}

#[test]
fn what_makes_no_sense_is_refused_with_words() {
    let driver = Driver::new();
    let feedback = CycleEvent::FeedbackAdded {
        source: "user".to_owned(),
        target: "nobody".into(),
        content: "x".to_owned(),
        kind: FeedbackKind::Clarification,
    };
    let Err(Rejection::BadRequest { text: why, .. }) = admit(&driver.state, &feedback) else {
        panic!("it is taken")
    };
    assert!(why.contains("ra, ep, cd, vas"), "{why}");
    let unknown = CycleEvent::BlockerSettled {
        id: "BLK-9".to_owned(),
        status: BlockerStatus::Resolved,
        resolution: None,
    };
    assert!(admit(&driver.state, &unknown).is_err());
    let empty = CycleEvent::ExtensionRequested { text: " ".to_owned(), raise: Raise::default() };
    assert!(admit(&driver.state, &empty).is_err());
    assert!(admit(&driver.state, &CycleEvent::BestChosen { iteration: 7, reason: "x".to_owned() }).is_err());
}

#[test]
fn what_says_nothing_is_neither_a_decision_nor_a_blocker() {
    let mut driver = Driver::new();
    let proposed = |description: &str, options: &[&str]| CycleEvent::DecisionProposed {
        description: description.to_owned(),
        options: options.iter().map(|option| (*option).to_owned()).collect(),
        by: "user".to_owned(),
        waits: false,
    };
    for (description, options, expected) in [
        ("which", &["a", "b"][..], None),
        ("which", &[], None),
        (" ", &["a"], Some("what is to be decided")),
        ("which", &["a", " "], Some("says something")),
        ("which", &["a", "b", "a"], Some("the option `a` is there twice")),
    ] {
        let refused = match admit(&driver.state, &proposed(description, options)) {
            Ok(()) => None,
            Err(Rejection::BadRequest { text, .. }) => Some(text),
            Err(other) => panic!("{other:?}"),
        };
        assert_eq!(refused.is_some(), expected.is_some(), "{description:?} {options:?}: {refused:?}");
        assert!(refused.unwrap_or_default().contains(expected.unwrap_or_default()), "{options:?}");
    }
    let blocker =
        |text: &str| CycleEvent::BlockerReported { description: text.to_owned(), by: "user".to_owned() };
    assert!(admit(&driver.state, &blocker("")).is_err() && admit(&driver.state, &blocker("no key")).is_ok());
    driver.request(blocker("no key"));
    driver.request(proposed("which", &[]));
    let settled = |text: &str| CycleEvent::BlockerSettled {
        id: "BLK-001".to_owned(),
        status: BlockerStatus::Resolved,
        resolution: Some(text.to_owned()),
    };
    let made = |option: &str| CycleEvent::DecisionSettled {
        id: "DEC-001".to_owned(),
        status: DecisionStatus::Made,
        option: Some(option.to_owned()),
        by: "user".to_owned(),
    };
    assert!(admit(&driver.state, &settled(" ")).is_err() && admit(&driver.state, &settled("here")).is_ok());
    assert!(admit(&driver.state, &made("")).is_err() && admit(&driver.state, &made("mine")).is_ok());
}

#[test]
fn what_a_role_tells_nobody_is_said() {
    let mut driver = Driver::new();
    let mut end = said(PhaseStatus::Completed);
    let entry = |target: &str| Feedback {
        at: driver.now,
        source: "ra".to_owned(),
        target: target.into(),
        content: format!("for {target}"),
        kind: FeedbackKind::Clarification,
    };
    end.handed_in.feedback = vec![entry("nobody"), entry("cd")];
    driver.end("ra", end);
    let told: Vec<&str> = driver.state.feedback.recent.iter().map(|entry| entry.target.as_str()).collect();
    assert_eq!(told, ["cd"]);
    let error = &driver.state.phase_errors.recent[0].error;
    assert!(error.contains("`nobody`") && error.contains("ra, ep, cd, vas: for nobody"), "{error}");
}

#[test]
fn a_status_that_nobody_knows_is_named_in_a_phase_error() {
    for (word, expected) in
        [(Some("banana"), "says `banana`, which nobody knows"), (Some(""), "has no status")]
    {
        let mut driver = Driver::new();
        let word = word.map(str::to_owned);
        let edited = Edited { signal: Some(Signal::Unknown), word, kept_at: None, fields: Vec::new() };
        driver.command(Command::TakeEdit { edited, digest: "d".to_owned() });
        let error = &driver.state.phase_errors.recent[0].error;
        assert!(error.contains(expected) && error.contains("`piton resume cycle-1`"), "{error}");
    }
}

#[test]
fn a_team_is_refused_that_waits_for_itself_or_writes_what_is_not_its_own() {
    let team = |change: &dyn Fn(&mut Vec<Role>)| {
        let mut roles = config().roles;
        change(&mut roles);
        check_team(&roles)
    };
    assert!(team(&|_| {}).is_ok());
    assert!(team(&|roles| roles[0].after = vec!["vas".into()]).unwrap_err().contains("waits for itself"));
    assert!(team(&|roles| roles[1].after = vec!["x".into()]).unwrap_err().contains("no role"));
    assert!(team(&|roles| roles[1].name = "ra".into()).unwrap_err().contains("two roles"));
    assert!(team(&|roles| roles[1].writes = vec!["../ra/requirements.md".to_owned()]).is_err());
    assert!(team(&|roles| roles[1].name = "Ra!".into()).is_err());
    assert!(team(&|roles| roles.clear()).is_err());
    let reads = |path: &str| team(&|roles| roles[1].reads = vec![path.to_owned()]);
    assert_eq!(reads("q/x.md").unwrap_err(), "role `ep` reads `q/x.md`, and `q` is no role");
    assert!(reads("x.md").unwrap_err().contains("no `ROLE/FILE`") && reads("ra/").is_err());
    assert!(reads("coordination/feedback.md").is_ok() && reads("cd/issues.md").is_ok());
}

#[test]
fn without_a_check_a_cycle_that_was_taken_up_does_not_go_on() {
    for (checks, expected) in [(config().checks, true), (Vec::new(), false)] {
        let mut driver = Driver::with(Config { checks, ..config() });
        driver.request(CycleEvent::PauseRequested {});
        driver.done("ra");
        driver.is(Status::Paused);
        let extension = CycleEvent::ExtensionRequested { text: "more".to_owned(), raise: Raise::default() };
        for request in [CycleEvent::ResumeRequested { raise: Raise::default() }, extension] {
            assert_eq!(admit(&driver.state, &request).is_ok(), expected, "{request:?}");
        }
    }
}

#[test]
fn what_a_role_reports_while_it_works_is_not_taken_back_by_the_same_attempt() {
    let mut driver = Driver::new();
    driver.done("ra");
    driver.done("ep");
    driver.built("cd", "one");
    driver.checked(true);
    driver.after(10);
    let (description, by) = ("the API key is missing".to_owned(), "vas".to_owned());
    driver.request(CycleEvent::BlockerReported { description, by });
    driver.after(10);
    driver.done("vas");
    assert_eq!((driver.state.iteration, driver.state.has_open_blockers()), (2, true));
    assert_eq!(driver.state.iterations[0].issues, ["BLK-001 is open: the API key is missing"]);
    driver.after(10);
    driver.built("cd", "two");
    driver.checked(true);
    driver.done("vas");
    driver.is(Status::Completed);
    assert_eq!(driver.state.blockers[0].resolution.as_deref(), Some("vas went on"));
}
