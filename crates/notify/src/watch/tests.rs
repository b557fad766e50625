//! What is found between two looks.

use super::*;

fn seen() -> Seen {
    Seen {
        mode: piton_model::hook::Mode::Unattended,
        at: Timestamp::from_millis(0),
        facts: Facts::default(),
        status: Status::Running,
        reason: None,
        iterations: 0,
        progress: false,
        files_changed: false,
        failures: 0,
        lost: 0,
        round: None,
        passing: None,
        session: None,
        spent: false,
        questions: 0,
        question: None,
        error: None,
    }
}

fn rests(status: Status, reason: Reason) -> Seen {
    Seen { status, reason: Some(reason), ..seen() }
}

fn triggers(before: Option<&Seen>, after: &Seen) -> Vec<&'static str> {
    after.occasions(before).iter().map(|occasion| occasion.trigger.as_str()).collect()
}

#[test]
fn nothing_happened_where_nothing_changed() {
    for same in [seen(), rests(Status::Completed, Reason::Done), rests(Status::Waiting, Reason::Guard)] {
        assert_eq!(triggers(Some(&same), &same), [""; 0]);
    }
}

#[test]
fn a_run_starts_once() {
    let created = Seen { status: Status::Created, ..seen() };
    assert_eq!(triggers(None, &created), [""; 0]);
    assert_eq!(triggers(Some(&created), &seen()), ["loop_started"]);
    assert_eq!(triggers(None, &seen()), ["loop_started"]);
    assert_eq!(triggers(Some(&seen()), &seen()), [""; 0]);
}

#[test]
fn each_rest_has_its_trigger() {
    for (status, reason, trigger) in [
        (Status::Completed, Reason::ChecksPass, "loop_completed"),
        (Status::Failed, Reason::FailureStreak, "loop_failed"),
        (Status::Paused, Reason::Human, "loop_paused"),
        (Status::Stopped, Reason::Human, "loop_paused"),
        (Status::Stopped, Reason::Interrupted, "loop_paused"),
        (Status::Stopped, Reason::LimitIterations, "safety_limit"),
        (Status::Stopped, Reason::LimitCost, "safety_limit"),
        (Status::Stopped, Reason::NoProgress, "safety_limit"),
        (Status::Stopped, Reason::Auth, "attention_needed"),
        (Status::Stopped, Reason::Environment, "attention_needed"),
        (Status::Waiting, Reason::Guard, "attention_needed"),
        (Status::Waiting, Reason::Blocked, "attention_needed"),
    ] {
        let rest = rests(status, reason);
        assert_eq!(triggers(Some(&seen()), &rest), [trigger], "{status:?} {reason:?}");
        assert_eq!(triggers(Some(&rest), &seen()), ["loop_resumed"], "{status:?} {reason:?}");
    }
}

#[test]
fn waiting_for_a_moment_is_nobodys_business() {
    for reason in [Reason::RateLimit, Reason::Overloaded] {
        let waits = rests(Status::Waiting, reason);
        assert_eq!(triggers(Some(&seen()), &waits), [""; 0]);
        assert_eq!(triggers(Some(&waits), &seen()), [""; 0]);
    }
}

#[test]
fn a_second_question_is_told_as_well() {
    let first = Seen { questions: 1, ..rests(Status::Waiting, Reason::Guard) };
    let second = Seen { questions: 2, question: Some("keep it?".to_owned()), ..first.clone() };
    assert_eq!(triggers(Some(&first), &second), ["attention_needed"]);
    assert_eq!(second.occasions(Some(&first))[0].what.as_deref(), Some("keep it?"));
    let asked_at_work = Seen { questions: 1, ..seen() };
    assert_eq!(triggers(Some(&seen()), &asked_at_work), ["attention_needed"]);
}

#[test]
fn an_iteration_is_told_with_what_it_brought() {
    let before = Seen { round: Some(1), passing: Some(false), ..seen() };
    let idle = Seen { iterations: 1, round: Some(2), ..before.clone() };
    assert_eq!(triggers(Some(&before), &idle), ["iteration_complete", "no_progress"]);
    let facts = Facts { best: Some(1), ..Facts::default() };
    let green = Seen {
        iterations: 1,
        progress: true,
        files_changed: true,
        round: Some(2),
        passing: Some(true),
        facts,
        ..before.clone()
    };
    let expected = ["iteration_complete", "tests_all_passing", "milestone_reached"];
    assert_eq!(triggers(Some(&before), &green), expected);
    assert_eq!(
        triggers(Some(&green), &Seen { round: Some(3), passing: Some(false), ..green.clone() }),
        ["tests_failing"]
    );
}

#[test]
fn the_baseline_is_no_turn_of_events() {
    let baseline = Seen { round: Some(1), passing: Some(true), ..seen() };
    assert_eq!(triggers(Some(&seen()), &baseline), [""; 0]);
}

#[test]
fn failures_are_told_each_time_and_successes_end_the_row() {
    let once = Seen { failures: 1, ..seen() };
    let twice = Seen { failures: 2, ..seen() };
    assert_eq!(triggers(Some(&seen()), &once), ["error"]);
    assert_eq!(twice.occasions(Some(&once))[0].what.as_deref(), Some("2 in a row"));
    assert_eq!(triggers(Some(&twice), &seen()), [""; 0]);
    assert_eq!(triggers(Some(&seen()), &Seen { lost: 1, ..seen() }), ["error"]);
}

#[test]
fn a_spent_session_that_was_left_is_a_reboot() {
    let session = |name: &str, spent| Seen { session: Some(name.to_owned()), spent, ..seen() };
    assert_eq!(triggers(Some(&session("a", true)), &session("b", false)), ["context_rebooted"]);
    assert_eq!(
        triggers(Some(&session("a", false)), &session("b", false)),
        [""; 0],
        "fresh ones are the rule"
    );
    let rebooting = Seen { status: Status::Rebooting, ..session("a", true) };
    assert_eq!(triggers(Some(&session("a", true)), &rebooting), [""; 0], "not yet");
    assert_eq!(triggers(Some(&rebooting), &session("b", false)), ["context_rebooted"]);
}

#[test]
fn a_look_after_a_crash_finds_how_it_ended() {
    let end = Seen { iterations: 3, progress: true, ..rests(Status::Completed, Reason::Done) };
    assert_eq!(
        triggers(Some(&Seen { iterations: 2, ..seen() }), &end),
        ["iteration_complete", "loop_completed"]
    );
}
