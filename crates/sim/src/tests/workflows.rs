//! Histories of workflows, made bad by hand.

use piton_model::Kind;

use super::{caught, find, find_entry, first, rewrite};
use crate::history::{Entry, Name};

#[test]
fn a_step_started_twice_is_caught() {
    let mut history = first(Kind::Workflow, &["step_finished"]);
    let index = find_entry(&history, |entry| matches!(entry, Entry::Gone(Name::Attempt(_))));
    let Entry::Gone(name) = history.log[index] else { unreachable!("just found") };
    history.log.insert(index + 1, Entry::Spawned(name));
    caught(&history, "I4");
}

#[test]
fn a_step_started_before_its_intent_is_durable_is_caught() {
    let mut history = first(Kind::Workflow, &["step_finished"]);
    let spawned = find_entry(&history, |entry| matches!(entry, Entry::Spawned(_)));
    let entry = history.log.remove(spawned);
    history.log.insert(0, entry);
    caught(&history, "I4");
}

#[test]
fn an_outcome_that_no_keeper_wrote_is_caught() {
    let mut history = first(Kind::Workflow, &["step_finished"]);
    history.log.retain(|entry| !matches!(entry, Entry::ExitWritten { .. } | Entry::NestedEnded { .. }));
    caught(&history, "I4");
}

#[test]
fn an_attempt_number_used_twice_is_caught() {
    let mut history = first(Kind::Workflow, &["step_started"]);
    let index = find(&history, "step_started");
    rewrite(&mut history, index, |text| text.replacen("\"number\":1", "\"number\":2", 1));
    caught(&history, "I4");
}

#[test]
fn a_loop_back_beyond_the_limit_is_caught() {
    let mut history = first(Kind::Workflow, &["looped_back"]);
    rewrite(&mut history, 0, |text| {
        // That of the options, which come last.
        let at = text.rfind("\"max_iterations\":").expect("a limit") + "\"max_iterations\":".len();
        let end = at + text[at..].find([',', '}']).expect("more options");
        format!("{}0{}", &text[..at], &text[end..])
    });
    caught(&history, "I13");
}

#[test]
fn a_loop_back_to_somewhere_else_is_caught() {
    let mut history = first(Kind::Workflow, &["looped_back"]);
    let index = find(&history, "looped_back");
    rewrite(&mut history, index, |text| {
        let at = text.find("\"target\":\"").expect("a target") + "\"target\":\"".len();
        format!("{}elsewhere{}", &text[..at], &text[at + 2..])
    });
    caught(&history, "I4");
}

#[test]
fn a_nested_run_whose_end_nobody_knows_is_caught() {
    // A workflow with a nested run that ended.
    let mut history = (0..)
        .map(|seed| crate::sim::run(seed, Kind::Workflow, None, true, false).history)
        .find(|history| history.log.iter().any(|entry| matches!(entry, Entry::NestedEnded { .. })))
        .expect("some workflow has one");
    history.log.retain(|entry| !matches!(entry, Entry::NestedEnded { .. }));
    caught(&history, "I4");
}

#[test]
fn an_answer_that_nobody_gave_is_caught() {
    let mut history = first(Kind::Workflow, &["human_answered"]);
    history.log.retain(|entry| !matches!(entry, Entry::InputWritten { .. }));
    for index in 0..history.events.len() {
        if history.events[index].kind == "answer_given" {
            rewrite(&mut history, index, |text| text.replacen("\"question\":", "\"question\":77", 1));
        }
    }
    caught(&history, "I6");
}

#[test]
fn a_run_that_never_rests_is_caught() {
    let mut history = first(Kind::Workflow, &["run_created"]);
    history.log.retain(|entry| !matches!(entry, Entry::Rested));
    caught(&history, "I9");
}
