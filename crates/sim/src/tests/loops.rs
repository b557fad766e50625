//! Histories of loops, made bad by hand.

use piton_model::Kind;

use super::{caught, find, find_entry, first, first_that, mend, rewrite};
use crate::checker::check;
use crate::history::{By, Entry, History, Name, RawEvent, View};

/// A good history, long enough to be spoilt in every way.
fn good() -> History {
    first(Kind::Loop, &["attempt_lost", "attempt_abandoned", "question_closed"])
}

#[test]
fn a_changed_byte_breaks_the_chain() {
    let mut history = good();
    let index = find(&history, "attempt_finished");
    history.events[index].data[3] ^= 1;
    caught(&history, "I2");
}

#[test]
fn a_missing_event_is_caught() {
    let mut history = good();
    let index = find(&history, "checks_finished");
    history.events.remove(index);
    caught(&history, "I2");
}

#[test]
fn an_acknowledged_event_that_is_missing_is_caught() {
    let mut history = good();
    let last = history.events.len() as u64 + 1;
    history.log.push(Entry::Acked { last, count: 1, content: 0 });
    caught(&history, "I1");
    history.log.pop();
    history.log.push(Entry::Acked { last: last - 1, count: 1, content: 0 });
    caught(&history, "I1");
}

#[test]
fn a_write_under_an_old_epoch_is_caught() {
    let mut history = good();
    let index = history.log.iter().rposition(|entry| matches!(entry, Entry::Commit { by: By::Epoch(_), .. }));
    if let Entry::Commit { by: By::Epoch(epoch), .. } = &mut history.log[index.expect("a driver wrote")] {
        *epoch -= 1;
    }
    caught(&history, "I5");
}

#[test]
fn a_write_after_a_final_error_is_caught() {
    let mut history = good();
    let index = find_entry(&history, |entry| matches!(entry, Entry::Lease { .. }));
    let Entry::Lease { epoch } = history.log[index] else { unreachable!("just found") };
    history.log.insert(index + 1, Entry::FinalError { epoch });
    caught(&history, "I14");
}

#[test]
fn a_view_ahead_of_the_journal_is_caught() {
    let mut history = good();
    let index = find_entry(&history, |entry| matches!(entry, Entry::View(_)));
    if let Entry::View(View { shown, .. }) = &mut history.log[index] {
        *shown += 1_000;
    }
    caught(&history, "I7");
}

#[test]
fn an_iteration_counted_twice_is_caught() {
    let mut history = good();
    let index = history.log.iter().rposition(|entry| matches!(entry, Entry::View(_))).expect("a view");
    if let Entry::View(View { count, .. }) = &mut history.log[index] {
        *count += 1;
        if check(&history).is_ok()
            && let Entry::View(View { count, .. }) = &mut history.log[index]
        {
            // The last one under way may have its verdict or not.
            *count += 1;
        }
    }
    caught(&history, "I13");
}

#[test]
fn a_counter_that_was_reset_is_caught() {
    let mut history = good();
    let index = history.log.iter().rposition(|entry| matches!(entry, Entry::View(_))).expect("a view");
    if let Entry::View(View { lost, .. }) = &mut history.log[index] {
        *lost = 0;
    }
    caught(&history, "I13");
}

#[test]
fn a_fold_that_differs_is_caught() {
    let mut history = good();
    let index = find_entry(&history, |entry| matches!(entry, Entry::Folded { .. }));
    if let Entry::Folded { digest, .. } = &mut history.log[index] {
        *digest ^= 1;
    }
    caught(&history, "I8");
}

#[test]
fn two_agents_in_one_tree_are_caught() {
    let mut history = good();
    let index = find_entry(&history, |entry| matches!(entry, Entry::Spawned(Name::Attempt(_))));
    history.log.insert(index + 1, Entry::Spawned(Name::Attempt(9_999)));
    caught(&history, "I10");
}

#[test]
fn an_agent_that_outlives_its_run_is_caught() {
    let mut history = good();
    let index =
        history.log.iter().rposition(|entry| matches!(entry, Entry::Gone(_))).expect("a process ended");
    history.log.remove(index);
    caught(&history, "I10");
}

#[test]
fn an_agent_started_twice_is_caught() {
    let mut history = good();
    let index = find_entry(&history, |entry| matches!(entry, Entry::Gone(Name::Attempt(_))));
    let Entry::Gone(name) = history.log[index] else { unreachable!("just found") };
    history.log.insert(index + 1, Entry::Spawned(name));
    caught(&history, "I4");
}

#[test]
fn an_outcome_that_nobody_knows_is_caught() {
    let mut history = good();
    let index =
        find_entry(&history, |entry| matches!(entry, Entry::ExitWritten { name: Name::Attempt(_), .. }));
    history.log.remove(index);
    caught(&history, "I4");
}

#[test]
fn a_lost_attempt_whose_outcome_is_known_is_caught() {
    let mut history = good();
    let lost = find(&history, "attempt_lost");
    let data: serde_json::Value = serde_json::from_slice(&history.events[lost].data).expect("JSON");
    let name = Name::Attempt(data["attempt"].as_u64().expect("a number") as u32);
    history.log.insert(0, Entry::ExitWritten { name, outcome: "succeeded", cost: None });
    caught(&history, "I4");
}

#[test]
fn an_abandoned_attempt_without_a_tombstone_is_caught() {
    let mut history = good();
    let abandoned = find(&history, "attempt_abandoned");
    let data: serde_json::Value = serde_json::from_slice(&history.events[abandoned].data).expect("JSON");
    let name = Name::Attempt(data["attempt"].as_u64().expect("a number") as u32);
    history.log.retain(|entry| !matches!(entry, Entry::Tombstone(found) if *found == name));
    caught(&history, "I4");
}

#[test]
fn an_attempt_that_finishes_as_another_is_caught() {
    let mut history = good();
    let index = find(&history, "attempt_finished");
    rewrite(&mut history, index, |text| text.replacen("\"attempt\":", "\"attempt\":1000", 1));
    caught(&history, "I4");
}

#[test]
fn an_iteration_beyond_the_limit_is_caught() {
    let mut history = good();
    rewrite(&mut history, 0, |text| {
        let at = text.find("\"iterations\":").expect("a limit") + "\"iterations\":".len();
        let end = at + text[at..].find(',').expect("more limits");
        format!("{}1{}", &text[..at], &text[end..])
    });
    caught(&history, "I13");
}

#[test]
fn an_answer_to_something_else_is_caught() {
    // Nobody but a person says no.
    let is_no = |event: &RawEvent| {
        event.kind == "question_closed" && String::from_utf8_lossy(&event.data).contains("\"reject\"")
    };
    let mut history = first_that(Kind::Loop, |history| history.events.iter().any(is_no));
    let index = find(&history, "question_asked");
    let indexes: Vec<usize> =
        (0..history.events.len()).filter(|at| history.events[*at].kind == "answer_given").collect();
    assert!(!indexes.is_empty() && index > 0);
    for at in indexes {
        rewrite(&mut history, at, |text| text.replacen("\"question\":", "\"question\":77", 1));
    }
    caught(&history, "I6");
}

#[test]
fn a_run_that_never_rests_is_caught() {
    let mut history = good();
    history.log.retain(|entry| !matches!(entry, Entry::Rested));
    caught(&history, "I9");
}

/// A run that reached its goal, with `kind` appended afterwards by its last driver.
fn completed_and_then(kind: &str) -> History {
    let mut history = first(Kind::Loop, &["run_completed"]);
    let epoch = history.log.iter().filter_map(|entry| match entry {
        Entry::Lease { epoch } => Some(*epoch),
        _ => None,
    });
    let by = By::Epoch(epoch.max().expect("it was driven"));
    let seq = history.events.len() as u64 + 1;
    let event = RawEvent { seq, kind: kind.to_owned(), data: b"{}".to_vec(), ..history.events[0].clone() };
    history.events.push(event);
    history.log.push(Entry::Commit { by, first: seq, last: seq, salt: [0; 16] });
    mend(&mut history);
    history
}

#[test]
fn a_transition_after_the_end_is_caught() {
    caught(&completed_and_then("snapshot_taken"), "I4");
    caught(&completed_and_then("checkpoint_taken"), "I4");
}

#[test]
fn a_call_of_hooks_that_nobody_made_is_caught() {
    let mut history = first(Kind::Loop, &["hooks_finished"]);
    history.log.retain(|entry| !matches!(entry, Entry::HookCalled { .. }));
    caught(&history, "I4");
}

#[test]
fn hooks_called_twice_by_one_driver_are_caught() {
    let mut history = first(Kind::Loop, &["hooks_finished"]);
    let made = find_entry(&history, |entry| matches!(entry, Entry::HookCalled { .. }));
    history.log.insert(made, history.log[made].clone());
    caught(&history, "I4");
}

#[test]
fn a_call_that_is_numbered_twice_is_caught() {
    let mut history = first(Kind::Loop, &["hooks_finished"]);
    let index = find(&history, "hooks_started");
    rewrite(&mut history, index, |text| text.replacen("\"number\":1", "\"number\":2", 1));
    caught(&history, "I4");
}

#[test]
fn a_mode_that_is_not_on_record_is_caught() {
    let mut history = first(Kind::Loop, &["mode_switched"]);
    let shown = history.log.iter().rposition(|entry| matches!(entry, Entry::View(_))).expect("a view");
    if let Entry::View(view) = &mut history.log[shown] {
        view.mode = Some(if view.mode == Some("hybrid") { "attended" } else { "hybrid" });
    }
    caught(&history, "I7");
}

#[test]
fn a_switch_from_another_mode_is_caught() {
    let mut history = first(Kind::Loop, &["mode_switched"]);
    let index = find(&history, "mode_switched");
    rewrite(&mut history, index, |text| {
        let from = text.find("\"from\":\"").expect("a mode") + 8;
        let end = from + text[from..].find('"').expect("its end");
        let other = if &text[from..end] == "hybrid" { "attended" } else { "hybrid" };
        format!("{}{other}{}", &text[..from], &text[end..])
    });
    caught(&history, "I4");
}
