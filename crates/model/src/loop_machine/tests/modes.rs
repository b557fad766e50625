//! Modes: what a person is asked, what they can say, who switches when, and the hours of work.

use super::harness::{Driver, MINUTE_MS, config, fails, resume, stop, works};
use crate::hook::Mode;
use crate::loop_machine::*;
use crate::notify::Day;
use crate::{Event, Reason, Status, StopOrigin, Timestamp};

fn in_mode(start: Mode) -> LoopConfig {
    LoopConfig { mode: ModePolicy { start, ..ModePolicy::default() }, ..config() }
}

/// A run whose baseline failed; what follows depends on the mode.
fn begun(config: LoopConfig) -> Driver {
    let mut driver = Driver::begun(config);
    driver.end_checks("t0", false);
    driver
}

fn answer(driver: &mut Driver, answer: Answer) -> Vec<Event> {
    let question = driver.state.people.questions.first().expect("something is asked").number;
    driver.request(Event::AnswerGiven { question, answer, comment: None, seen: None })
}

fn kind(driver: &Driver) -> QuestionKind {
    driver.state.people.questions.first().expect("something is asked").kind
}

#[test]
fn an_attended_loop_asks_before_the_first_iteration_and_about_every_change() {
    let mut driver = begun(in_mode(Mode::Attended));
    driver.is(Status::Waiting, Reason::Attended);
    assert_eq!(kind(&driver), QuestionKind::BeforeIteration);
    answer(&mut driver, Answer::Approve);
    driver.iterate(works("t1"), false);
    driver.is(Status::Waiting, Reason::Attended);
    assert_eq!(kind(&driver), QuestionKind::AfterIteration);
    answer(&mut driver, Answer::Approve);
    assert_eq!(driver.open_attempt(), 2, "one question between two iterations");
    driver.iterate(works("t1"), false);
    assert_eq!(kind(&driver), QuestionKind::BeforeIteration, "nothing changed, so there is nothing to keep");
}

#[test]
fn an_iteration_that_was_left_out_stays_so_over_a_stop() {
    let mut driver = begun(in_mode(Mode::Attended));
    driver.request(Event::PauseRequested {});
    driver.is(Status::Paused, Reason::Human);
    answer(&mut driver, Answer::Reject);
    driver.request(stop(false, StopOrigin::Command));
    driver.is(Status::Stopped, Reason::Human);
    driver.request(resume());
    let last = driver.state.judged.recent.back().expect("a verdict");
    assert!(last.skipped, "nothing ran in it: {last:?}");
}

#[test]
fn no_to_a_change_puts_the_files_back_and_tells_the_agent() {
    let mut driver = begun(in_mode(Mode::Attended));
    answer(&mut driver, Answer::Approve);
    driver.iterate(works("t1"), false);
    answer(&mut driver, Answer::Reject);
    assert_eq!(driver.state.work.restore.as_ref().unwrap().tree, "t0");
    driver.end_checks("t0", false);
    assert_eq!(driver.open_attempt(), 2, "{:?}", driver.kinds());
    assert!(driver.state.people.told[0].text.contains("put it back"));
    let last = driver.state.judged.recent.back().unwrap();
    assert!(last.rejected && !last.refused, "nobody cheated: {last:?}");
    let counters = &driver.state.counters;
    assert_eq!((counters.succeeded, counters.failed, counters.refused), (0, 1, 0));
    assert_eq!(driver.count("recovery_advanced"), 0, "and there is nothing to recover from");
}

#[test]
fn what_a_person_puts_back_counts_for_nothing() {
    let mut limited = in_mode(Mode::Attended);
    (limited.limits.files, limited.limits.lines) = (Some(1), Some(10));
    let mut driver = begun(limited);
    answer(&mut driver, Answer::Approve);
    let work = |tree: &str, file: &str| {
        let files = vec![file.to_owned()];
        let change = Change { files, files_total: 1, added: 8, ..Change::default() };
        let objectives = ReportedObjectives { completed: Some(vec![file.to_owned()]), pending: None };
        let report = Report { objectives: Some(objectives), ..Report::default() };
        AttemptEnd { change: Some(change), report: Some(report), ..works(tree) }
    };
    driver.iterate(work("t1", "junk"), true);
    assert_eq!(driver.state.judged.best.as_ref().unwrap().iteration, 1);
    assert_eq!((driver.state.seen.modified_files.len(), driver.state.counters.red_in_a_row), (1, 0));
    answer(&mut driver, Answer::Reject);
    let State { judged, seen, counters, memory, .. } = &driver.state;
    assert_eq!((&judged.best, seen.modified_files.len(), counters.lines_changed), (&None, 0, 0));
    assert_eq!((counters.no_progress_in_a_row, counters.last_progress_iteration), (1, None));
    assert_eq!(memory.objectives, Objectives::default());
    let last = judged.recent.back().unwrap();
    assert!(!last.progress && last.score == 0.0, "{last:?}");
    driver.end_checks("t0", false);
    assert_eq!(driver.state.counters.red_in_a_row, 1, "what is back is red");
    driver.iterate(work("t2", "product"), true);
    assert_eq!(driver.state.seen.modified_files, ["product"]);
    answer(&mut driver, Answer::Approve);
    driver.is(Status::Completed, Reason::ChecksPass);
    assert_eq!(driver.state.judged.best.as_ref().unwrap().iteration, 2);
}

#[test]
fn what_a_person_may_still_put_back_is_not_committed() {
    for said in [Answer::Approve, Answer::Reject] {
        let mut driver = begun(LoopConfig { worktree: Some(Worktree::default()), ..in_mode(Mode::Attended) });
        answer(&mut driver, Answer::Approve);
        driver.iterate(works("t1"), true);
        assert_eq!((kind(&driver), driver.count("commit_started")), (QuestionKind::AfterIteration, 0));
        answer(&mut driver, said);
        assert_eq!(driver.count("commit_started"), usize::from(said == Answer::Approve), "{said:?}");
    }
}

#[test]
fn a_question_says_what_a_yes_leads_to() {
    for (passed, iterations, words) in [
        (true, 9, "Keep it? The run is done then."),
        (false, 1, "Keep it? The run stops at its limit then."),
        (false, 9, "Keep it and go on to iteration 2?"),
    ] {
        let mut config = in_mode(Mode::Attended);
        config.limits.iterations = iterations;
        let mut driver = begun(config);
        answer(&mut driver, Answer::Approve);
        driver.iterate(works("t1"), passed);
        let text = &driver.state.people.questions[0].text;
        assert!(text.contains(words), "{text}");
    }
}

#[test]
fn no_to_an_iteration_leaves_it_out() {
    let mut driver = begun(in_mode(Mode::Attended));
    answer(&mut driver, Answer::Reject);
    assert_eq!((driver.state.counters.iterations, driver.state.work.iteration), (1, 1));
    assert!(driver.state.judged.recent.back().unwrap().skipped);
    assert!(
        driver.state.people.questions[0].text.starts_with("Iteration 2 "),
        "{:?}",
        driver.state.people.questions
    );
    answer(&mut driver, Answer::Abort);
    driver.is(Status::Stopped, Reason::Human);
}

#[test]
fn a_change_that_completes_the_run_is_approved_first() {
    let mut driver = begun(in_mode(Mode::Attended));
    answer(&mut driver, Answer::Approve);
    driver.iterate(works("t1"), true);
    driver.is(Status::Waiting, Reason::Attended);
    answer(&mut driver, Answer::Approve);
    driver.is(Status::Completed, Reason::ChecksPass);
}

#[test]
fn an_answer_binds_to_the_tree_that_was_shown() {
    let mut driver = begun(in_mode(Mode::Attended));
    answer(&mut driver, Answer::Approve);
    driver.iterate(works("t1"), false);
    assert!(
        driver.state.people.questions[0].text.contains("Tree t1."),
        "{}",
        driver.state.people.questions[0].text
    );
}

#[test]
fn what_is_not_answered_in_time_counts_as_approved() {
    let mut config = in_mode(Mode::Attended);
    config.mode.attended.auto_approve_ms = Some(5 * MINUTE_MS);
    let mut driver = begun(config);
    assert_eq!(driver.state.until, Some(driver.now.plus_millis(5 * MINUTE_MS)));
    driver.after(4 * MINUTE_MS).tick();
    driver.is(Status::Waiting, Reason::Attended);
    driver.after(MINUTE_MS).tick();
    assert_eq!(driver.open_attempt(), 1);
}

#[test]
fn a_hybrid_loop_asks_now_and_then() {
    let mut config = in_mode(Mode::Hybrid);
    config.mode.hybrid = Hybrid { every: 2, files: 0, auto_approve_ms: None };
    let mut driver = begun(config);
    driver.iterate(works("t1"), false);
    driver.iterate(works("t2"), false);
    driver.is(Status::Waiting, Reason::Attended);
    answer(&mut driver, Answer::Approve);
    driver.iterate(works("t3"), false);
    driver.is(Status::Running, None);
}

#[test]
fn a_breakpoint_asks_in_every_mode_and_once() {
    let mut driver = begun(config());
    driver.request(Event::ModeRequested { mode: None, break_at: Some(2) });
    driver.iterate(works("t1"), false);
    driver.is(Status::Waiting, Reason::Attended);
    assert!(driver.state.people.questions[0].text.contains("breakpoint"));
    answer(&mut driver, Answer::Approve);
    driver.iterate(works("t2"), false);
    driver.is(Status::Running, None);
}

#[test]
fn failures_call_for_a_person_once() {
    let mut config = config();
    config.mode.switch = Some(Switching { near_completion: false, ..Switching::default() });
    let mut driver = begun(config);
    for tree in ["t1", "t2"] {
        driver.iterate(fails(tree), false);
        assert_eq!(driver.state.mode(), Mode::Unattended);
    }
    driver.iterate(fails("t3"), false);
    assert_eq!(driver.state.mode(), Mode::Attended);
    driver.is(Status::Waiting, Reason::Attended);
    let last = driver.state.people.mode.history.back().unwrap();
    assert_eq!(last.why, SwitchReason::Triggered { trigger: SwitchTrigger::Failures { count: 3 } });
    // Whoever says that nobody is needed is believed until something new happens.
    driver.request(Event::ModeRequested { mode: Some(Mode::Unattended), break_at: None });
    assert_eq!(driver.state.mode(), Mode::Unattended);
    assert_eq!(driver.open_attempt(), 4, "the question of a person who left is closed");
}

#[test]
fn nobody_who_answers_is_nobody_there() {
    let mut config = in_mode(Mode::Attended);
    config.mode.switch = Some(Switching { idle_ms: Some(10 * MINUTE_MS), ..Switching::default() });
    let mut driver = begun(config);
    driver.after(10 * MINUTE_MS).tick();
    assert_eq!((driver.state.mode(), driver.open_attempt()), (Mode::Unattended, 1));
    assert_eq!(driver.state.people.mode.history.back().unwrap().why, SwitchReason::Automatic);
}

#[test]
fn the_same_mode_is_no_switch() {
    let mut driver = begun(config());
    driver.request(Event::ModeRequested { mode: Some(Mode::Unattended), break_at: None });
    assert_eq!((driver.count("mode_switched"), driver.state.requests.mode), (0, None));
}

/// The harness begins on Sunday, 15 February 2026, 12:03 UTC.
fn at(hour: u8, minute: u8) -> crate::notify::TimeOfDay {
    crate::notify::TimeOfDay::new(hour, minute).unwrap()
}

#[test]
fn the_clock_switches_the_mode_once() {
    let mut config = config();
    config.mode.schedule = vec![ScheduledMode { at: at(13, 0), days: vec![Day::Sun], mode: Mode::Attended }];
    let mut driver = begun(config);
    driver.iterate(works("t1"), false);
    assert_eq!(driver.state.mode(), Mode::Unattended);
    driver.after(60 * MINUTE_MS);
    driver.iterate(works("t2"), false);
    assert_eq!(driver.state.mode(), Mode::Attended);
    driver.request(Event::ModeRequested { mode: Some(Mode::Unattended), break_at: None });
    driver.iterate(works("t3"), false);
    assert_eq!(driver.state.mode(), Mode::Unattended, "an entry counts once");
}

#[test]
fn a_loop_works_in_its_hours_only() {
    let mut config = config();
    config.mode.windows.hours = Some(TimeSpan { from: at(22, 0), to: at(6, 0) });
    config.mode.windows.blackouts = vec![TimeSpan { from: at(22, 0), to: at(22, 30) }];
    // The wall shows an hour more than UTC.
    config.mode.utc_offset_s = 3_600;
    let mut driver = begun(config);
    driver.is(Status::Waiting, Reason::Schedule);
    assert_eq!(driver.exit_code(), None, "its driver stays");
    let expected: Timestamp = "2026-02-15T21:30:00Z".parse().unwrap();
    assert_eq!(driver.state.until, Some(expected));
    driver.now = expected;
    driver.tick();
    assert_eq!(driver.open_attempt(), 1);
    // Over midnight.
    driver.after(3 * 60 * MINUTE_MS);
    driver.iterate(works("t1"), false);
    assert_eq!(driver.open_attempt(), 2);
    driver.after(5 * 60 * MINUTE_MS);
    driver.iterate(works("t2"), false);
    driver.is(Status::Waiting, Reason::Schedule);
}

#[test]
fn hours_belong_to_the_day_on_which_they_begin() {
    let mut config = config();
    config.mode.windows = Windows {
        hours: Some(TimeSpan { from: at(22, 0), to: at(6, 0) }),
        days: vec![Day::Mon],
        blackouts: Vec::new(),
    };
    let mut driver = begun(config);
    let until = driver.state.until.unwrap();
    assert_eq!(until.to_string(), "2026-02-16T22:00:00.000Z");
    driver.now = until.plus_millis(5 * 60 * MINUTE_MS);
    driver.tick();
    assert_eq!(driver.open_attempt(), 1, "Tuesday, three in the morning, belongs to Monday");
}

#[test]
fn more_files_lines_or_reboots_than_allowed_stop_the_run() {
    let change = |files: &[&str]| Change {
        files: files.iter().map(|file| (*file).to_owned()).collect(),
        files_total: files.len() as u32,
        added: 8,
        removed: 2,
        artifacts: Vec::new(),
    };
    let mut limited = config();
    limited.limits.files = Some(2);
    let mut driver = Driver::with_baseline(limited, false);
    driver.iterate(AttemptEnd { change: Some(change(&["a", "b"])), ..works("t1") }, false);
    driver.is(Status::Running, None);
    driver.iterate(AttemptEnd { change: Some(change(&["b", "c"])), ..works("t2") }, false);
    driver.is(Status::Stopped, Reason::LimitFiles);
    driver.request(Event::ResumeRequested { raise: Raise { files: Some(9), ..Raise::default() } });
    driver.is(Status::Running, None);

    let mut limited = config();
    limited.limits.lines = Some(15);
    let mut driver = Driver::with_baseline(limited, false);
    driver.iterate(AttemptEnd { change: Some(change(&["a"])), ..works("t1") }, false);
    driver.is(Status::Running, None);
    driver.iterate(AttemptEnd { change: Some(change(&["a"])), ..works("t2") }, false);
    driver.is(Status::Stopped, Reason::LimitLines);
}

#[test]
fn a_breakpoint_asks_although_the_run_was_just_left_alone() {
    let mut config = in_mode(Mode::Attended);
    config.mode.attended.pause_before = false;
    config.mode.attended.approve_changes = false;
    config.mode.attended.breakpoints = vec![2];
    let mut driver = begun(config);
    driver.request(Event::ModeRequested { mode: Some(Mode::Unattended), break_at: None });
    driver.iterate(works("t1"), false);
    assert_eq!(driver.state.mode(), Mode::Unattended);
    driver.is(Status::Waiting, Reason::Attended);
    assert_eq!(kind(&driver), QuestionKind::BeforeIteration);
}

#[test]
fn that_nobody_is_waited_for_is_read_as_it_was_said() {
    let said =
        ModePolicy { hybrid: Hybrid { auto_approve_ms: None, ..Hybrid::default() }, ..ModePolicy::default() };
    let stored = serde_json::to_string(&said).unwrap();
    assert_eq!(serde_json::from_str::<ModePolicy>(&stored).unwrap(), said, "{stored}");
}
