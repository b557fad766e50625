//! Histories of cycles, made bad by hand.

use piton_model::Kind;

use super::{caught, find, find_entry, first, rewrite};
use crate::history::{Entry, History, Name, RawEvent};
use crate::sim;

/// The first good history with an event of this kind that has this text, and where it is.
fn first_with(kind: &str, text: &str) -> (History, usize) {
    let has = |data: &[u8]| String::from_utf8_lossy(data).contains(text);
    let wanted = |event: &RawEvent| event.kind == kind && has(&event.data);
    let histories = (0..3_000).map(|seed| sim::run(seed, Kind::Cycle, None, true, false).history);
    let found = |history: History| {
        let index = history.events.iter().position(wanted)?;
        Some((history, index))
    };
    histories.into_iter().find_map(found).expect("some seed has it")
}

#[test]
fn a_role_started_twice_is_caught() {
    let mut history = first(Kind::Cycle, &["role_finished"]);
    let index = find_entry(&history, |entry| matches!(entry, Entry::Gone(Name::Attempt(_))));
    let Entry::Gone(name) = history.log[index] else { unreachable!("just found") };
    history.log.insert(index + 1, Entry::Spawned(name));
    caught(&history, "I4");
}

#[test]
fn a_role_started_before_its_intent_is_durable_is_caught() {
    let mut history = first(Kind::Cycle, &["role_finished"]);
    let spawned = find_entry(&history, |entry| matches!(entry, Entry::Spawned(_)));
    let entry = history.log.remove(spawned);
    history.log.insert(0, entry);
    caught(&history, "I4");
}

#[test]
fn an_outcome_of_a_role_that_no_keeper_wrote_is_caught() {
    let mut history = first(Kind::Cycle, &["role_finished"]);
    history.log.retain(|entry| !matches!(entry, Entry::ExitWritten { name: Name::Attempt(_), .. }));
    caught(&history, "I4");
}

#[test]
fn an_iteration_beyond_the_limit_is_caught() {
    let mut history = first(Kind::Cycle, &["iteration_started"]);
    rewrite(&mut history, 0, |text| {
        let at =
            text.rfind("\"limits\":{\"iterations\":").expect("a limit") + "\"limits\":{\"iterations\":".len();
        let end = at + text[at..].find(',').expect("more limits");
        format!("{}0{}", &text[..at], &text[end..])
    });
    caught(&history, "I13");
}

#[test]
fn a_version_that_is_bumped_twice_is_caught() {
    let mut history = first(Kind::Cycle, &["iteration_concluded"]);
    let index = find(&history, "iteration_started");
    rewrite(&mut history, index, |text| text.replacen("\"version\":\"1.", "\"version\":\"1.9", 1));
    caught(&history, "I13");
}

#[test]
fn an_iteration_that_converged_with_something_wrong_is_caught() {
    let (mut history, index) = first_with("iteration_concluded", "\"verdict\":\"goes_on\"");
    rewrite(&mut history, index, |text| text.replacen("\"goes_on\"", "\"converged\"", 1));
    caught(&history, "I6");
}

#[test]
fn feedback_that_is_lost_is_caught() {
    let mut history = first(Kind::Cycle, &["feedback_added", "iteration_concluded"]);
    let index = find_entry(&history, |entry| matches!(entry, Entry::Line { log: "feedback", .. }));
    history.log.remove(index);
    caught(&history, "I1");
}

#[test]
fn feedback_that_is_logged_twice_is_caught() {
    let mut history = first(Kind::Cycle, &["feedback_added", "iteration_concluded"]);
    let index = find_entry(&history, |entry| matches!(entry, Entry::Line { log: "feedback", .. }));
    history.log.insert(index, history.log[index].clone());
    caught(&history, "I1");
}

#[test]
fn a_prompt_without_what_others_said_is_caught() {
    let mut history = first(Kind::Cycle, &["feedback_added", "iteration_concluded"]);
    let told = |entry: &Entry| matches!(entry, Entry::Prompted { told, .. } if !told.is_empty());
    let index = find_entry(&history, told);
    if let Entry::Prompted { told, .. } = &mut history.log[index] {
        told.clear();
    }
    caught(&history, "I1");
}

#[test]
fn a_role_in_another_tree_than_the_recorded_one_is_caught() {
    let mut history = first(Kind::Cycle, &["role_started"]);
    let index = find_entry(&history, |entry| matches!(entry, Entry::Prompted { .. }));
    if let Entry::Prompted { tree, .. } = &mut history.log[index] {
        tree.push('0');
    }
    caught(&history, "I12");
}

#[test]
fn a_pause_that_nobody_asked_for_is_caught() {
    let (mut history, index) = first_with("run_paused", "\"reason\":\"human\"");
    rewrite(&mut history, index, |text| text.replacen("\"human\"", "\"attended\"", 1));
    caught(&history, "I6");
}

#[test]
fn an_edit_that_nobody_made_is_caught() {
    let mut history = first(Kind::Cycle, &["state_edited"]);
    history.log.retain(|entry| !matches!(entry, Entry::Edited { .. }));
    caught(&history, "I6");
}

#[test]
fn a_cycle_that_never_rests_is_caught() {
    let mut history = first(Kind::Cycle, &["run_created"]);
    history.log.retain(|entry| !matches!(entry, Entry::Rested));
    caught(&history, "I9");
}
