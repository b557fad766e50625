//! Histories of ledgers, made bad by hand.

use piton_model::Kind;

use super::{caught, find, find_entry, first, rewrite};
use crate::history::{Entry, History, Name};

#[test]
fn a_flip_that_is_not_in_the_log_is_caught() {
    let mut history = first(Kind::Ledger, &["flips_logged"]);
    let index = find_entry(&history, |entry| matches!(entry, Entry::Logged { .. }));
    history.log.remove(index);
    caught(&history, "I4");
}

#[test]
fn a_flip_that_is_in_the_log_twice_is_caught() {
    let mut history = first(Kind::Ledger, &["flips_logged"]);
    let index = find_entry(&history, |entry| matches!(entry, Entry::Logged { .. }));
    history.log.insert(index, history.log[index].clone());
    caught(&history, "I4");
}

#[test]
fn a_question_of_a_person_that_is_lost_is_caught() {
    let mut history = first(Kind::Ledger, &["file_adopted", "file_written"]);
    let asked = history.log.iter().filter_map(|entry| match entry {
        Entry::Asked { gap, .. } => Some(gap.clone()),
        _ => None,
    });
    let asked: Vec<String> = asked.collect();
    for entry in &mut history.log {
        if let Entry::FileSays { gap, question, .. } = entry
            && asked.contains(gap)
        {
            question.clear();
        }
    }
    caught(&history, "I1");
}

#[test]
fn a_file_that_says_something_else_than_the_journal_is_caught() {
    let mut history = first(Kind::Ledger, &["file_written"]);
    let index = find_entry(&history, |entry| matches!(entry, Entry::FileSays { .. }));
    if let Entry::FileSays { status, .. } = &mut history.log[index] {
        *status = if *status == "blocked" { "stale" } else { "blocked" };
    }
    caught(&history, "I7");
}

#[test]
fn two_agents_that_research_at_once_are_caught() {
    let mut history = first(Kind::Ledger, &["research_attempt_ended"]);
    let index = find_entry(&history, |entry| matches!(entry, Entry::Spawned(_)));
    history.log.insert(index + 1, Entry::Spawned(Name::Attempt(9_999)));
    caught(&history, "I10");
}

#[test]
fn a_result_that_nobody_knows_is_caught() {
    let settled = |history: &History| {
        let ended = history.events.iter().filter(|event| event.kind == "research_attempt_ended");
        ended.into_iter().any(|event| String::from_utf8_lossy(&event.data).contains("\"settled\""))
    };
    let mut histories = (0..).map(|seed| crate::sim::run(seed, Kind::Ledger, None, true, false).history);
    let mut history = histories.find(settled).expect("some research comes to a result");
    history.log.retain(|entry| !matches!(entry, Entry::ExitWritten { .. }));
    caught(&history, "I4");
}

#[test]
fn a_batch_that_is_numbered_twice_is_caught() {
    let mut history = first(Kind::Ledger, &["research_begun"]);
    let index = find(&history, "research_begun");
    rewrite(&mut history, index, |text| text.replacen("\"number\":1", "\"number\":2", 1));
    caught(&history, "I4");
}
