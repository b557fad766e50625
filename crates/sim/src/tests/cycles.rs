//! Histories of cycles, made bad by hand.

use piton_model::Kind;

use serde_json::{Value, json};

use super::{caught, find, find_entry, first, first_that, rewrite};
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

/// Changes what an event says, by its JSON.
fn edit(history: &mut History, index: usize, change: impl FnOnce(&mut Value)) {
    rewrite(history, index, |text| {
        let mut value = serde_json::from_str(&text).expect("JSON");
        change(&mut value);
        value.to_string()
    });
}

/// What an event says.
fn said(event: &RawEvent) -> Value {
    serde_json::from_slice(&event.data).expect("JSON")
}

#[test]
fn a_role_beyond_a_ceiling_of_its_own_is_caught() {
    for ceiling in ["cost_microusd", "tokens"] {
        let mut history = first(Kind::Cycle, &["role_finished"]);
        edit(&mut history, 0, |created| {
            let roles = created["config"]["roles"].as_array_mut().expect("a team");
            roles.iter_mut().for_each(|role| role[ceiling] = json!(0));
        });
        caught(&history, "I13");
    }
}

#[test]
fn work_that_begins_before_a_decision_is_made_is_caught() {
    // One that nobody waits for, and a role that begins before it is made.
    let proposed =
        |event: &RawEvent| event.kind == "decision_proposed" && said(event)["waits"] != json!(true);
    let begins_before = |history: &History| {
        let after = history.events.iter().skip_while(|event| !proposed(event));
        let mut next = after.filter(|event| matches!(&*event.kind, "role_started" | "decision_settled"));
        next.next().is_some_and(|event| event.kind == "role_started")
    };
    let mut history = first_that(Kind::Cycle, begins_before);
    let index = history.events.iter().position(proposed).expect("just found");
    edit(&mut history, index, |event| event["waits"] = json!(true));
    caught(&history, "I6");
}

#[test]
fn an_extension_that_becomes_another_is_caught() {
    let (mut history, index) = first_with("iteration_started", "\"extension\"");
    edit(&mut history, index, |event| event["extension"]["text"] = json!("something else"));
    caught(&history, "I1");
}

#[test]
fn a_cycle_that_converges_with_something_in_its_way_is_caught() {
    let settles = |event: &RawEvent| event.kind == "blocker_settled";
    let converges = |event: &RawEvent| {
        event.kind == "iteration_concluded" && said(event)["conclusion"]["verdict"] == json!("converged")
    };
    let mut history = first_that(Kind::Cycle, |history| {
        let mut after = history.events.iter().skip_while(|event| !settles(event));
        after.any(converges)
    });
    // What people said is settled never was.
    let indices: Vec<usize> =
        (0..history.events.len()).filter(|index| settles(&history.events[*index])).collect();
    for index in indices {
        edit(&mut history, index, |event| event["id"] = json!("BLK-999"));
    }
    caught(&history, "I6");
}

#[test]
fn a_signal_in_the_state_file_that_means_something_else_is_caught() {
    let (mut history, index) = first_with("state_edited", "\"signal\":\"stop\",\"fields\"");
    edit(&mut history, index, |event| event["edited"]["signal"] = json!("continue"));
    caught(&history, "I6");
}

#[test]
fn a_role_that_loses_attempt_after_attempt_and_goes_on_is_caught() {
    let (mut history, index) = first_with("role_lost", "\"halt\"");
    edit(&mut history, index, |event| {
        event["ruling"]["verdict"] = json!({"again": {"free": true}});
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
