//! Verdicts of loops, made bad by hand.

use piton_model::Kind;

use super::{caught, find, first, rewrite};
use crate::history::{Entry, History, Name};

/// The first history with an event of this kind that says this.
fn saying(kind: &str, words: &str) -> (History, usize) {
    let mut histories = (0..3_000).map(|seed| crate::sim::run(seed, Kind::Loop, None, true, false).history);
    let place = |history: &History| {
        history
            .events
            .iter()
            .position(|event| event.kind == kind && String::from_utf8_lossy(&event.data).contains(words))
    };
    histories.find_map(|history| place(&history).map(|index| (history, index))).expect("some loop says so")
}

#[test]
fn a_verdict_apart_from_its_outcome_is_caught() {
    let mut history = first(Kind::Loop, &["iteration_concluded"]);
    let seq = history.events[find(&history, "iteration_concluded")].seq;
    let holds =
        |entry: &Entry| matches!(entry, Entry::Commit { first, last, .. } if *first <= seq && seq <= *last);
    let index = history.log.iter().position(holds).expect("it was committed");
    let Entry::Commit { by, first, last, salt } = history.log[index] else { unreachable!("just found") };
    assert!(first < seq, "its outcome is before it");
    history.log[index] = Entry::Commit { by, first, last: seq - 1, salt };
    history.log.insert(index + 1, Entry::Commit { by, first: seq, last, salt });
    caught(&history, "I12");
}

#[test]
fn a_verdict_on_another_iteration_is_caught() {
    let mut history = first(Kind::Loop, &["iteration_concluded"]);
    let index = find(&history, "iteration_concluded");
    rewrite(&mut history, index, |text| text.replacen("\"iteration\":", "\"iteration\":9", 1));
    caught(&history, "I12");
}

#[test]
fn a_cheat_that_is_kept_is_caught() {
    let (mut history, index) = saying("iteration_concluded", "\"verdict\":\"refused\"");
    rewrite(&mut history, index, |text| text.replacen("\"refused\"", "\"kept\"", 1));
    caught(&history, "I12");
}

#[test]
fn a_level_that_falls_is_caught() {
    let (mut history, index) = saying("level_raised", "\"to\":\"standard\"");
    rewrite(&mut history, index, |text| text.replacen("\"to\":\"standard\"", "\"to\":\"off\"", 1));
    caught(&history, "I12");
}

#[test]
fn a_commit_of_another_iteration_is_caught() {
    let mut history = first(Kind::Loop, &["commit_started"]);
    let index = find(&history, "commit_started");
    rewrite(&mut history, index, |text| text.replacen("\"iteration\":", "\"iteration\":9", 1));
    caught(&history, "I12");
}

#[test]
fn a_commit_of_another_tree_is_caught() {
    let mut history = first(Kind::Loop, &["commit_finished"]);
    let index = find(&history, "commit_finished");
    rewrite(&mut history, index, |text| text.replacen("\"tree\":\"", "\"tree\":\"x", 1));
    caught(&history, "I12");
}

#[test]
fn a_commit_of_a_red_iteration_is_caught() {
    let mut history = first(Kind::Loop, &["commit_started"]);
    let commit = find(&history, "commit_started");
    let is_round = |index: &usize| history.events[*index].kind == "checks_finished";
    let round = (0..commit).rev().find(is_round).expect("checks come before a commit");
    let data: serde_json::Value = serde_json::from_slice(&history.events[round].data).expect("JSON");
    let number = data["round"]["number"].as_u64().expect("a number");
    rewrite(&mut history, round, |text| text.replace("\"passed\":true", "\"passed\":false"));
    // Nobody says that they passed, either.
    history.log.retain(|entry| {
        !matches!(entry, Entry::ExitWritten { name: Name::Check { round, .. }, .. } if u64::from(*round) == number)
    });
    caught(&history, "I12");
}

#[test]
fn what_nobody_judged_and_later_work_is_compared_with_is_caught() {
    let is_later = |history: &History, index: usize| {
        let event = &history.events[index];
        let opens = |event: &crate::history::RawEvent| event.kind == "attempt_started";
        event.kind == "snapshot_taken"
            && history.events[..index].iter().filter(|event| opens(event)).count() > 1
            && !String::from_utf8_lossy(&event.data).contains("\"base\"")
    };
    let mut histories = (0..3_000).map(|seed| crate::sim::run(seed, Kind::Loop, None, true, false).history);
    let found = histories.find_map(|history| {
        (0..history.events.len()).find(|index| is_later(&history, *index)).map(|index| (history, index))
    });
    let (mut history, index) = found.expect("somebody edits beside unjudged work");
    rewrite(&mut history, index, |text| text.replacen('{', "{\"base\":true,", 1));
    caught(&history, "I12");
}

#[test]
fn an_edit_of_a_person_that_is_taken_for_the_agents_is_caught() {
    let (mut history, index) = saying("snapshot_taken", "\"base\":true");
    rewrite(&mut history, index, |text| text.replacen("\"base\":true", "\"base\":false", 1));
    caught(&history, "I12");
}
