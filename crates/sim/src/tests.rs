//! A short pass, the plants, and histories made bad by hand: the checker must catch each.

use piton_model::Kind;

use crate::batch::Batch;
use crate::checker::check;
use crate::history::{By, Entry, History, Name, RawEvent, View};
use crate::scenario::Plant;
use crate::sim;

fn short_pass(kind: Kind, events: u32, faults: u32) {
    let batch = Batch { from: 0, seeds: 150, kind: Some(kind), jobs: 2, plant: None, stop_at_first: false };
    let outcome = batch.run();
    assert_eq!(outcome.seeds, 150);
    let first = outcome.violations.first();
    assert!(first.is_none(), "seed {:?}", first.map(|(seed, violation)| format!("{seed}: {violation}")));
    assert!(outcome.median_events >= events, "median of {} events", outcome.median_events);
    assert!(outcome.median_faults >= faults, "median of {} faults", outcome.median_faults);
}

#[test]
fn a_short_pass_of_loops_holds_every_rule() {
    short_pass(Kind::Loop, 150, 5);
}

#[test]
fn a_short_pass_of_workflows_holds_every_rule() {
    short_pass(Kind::Workflow, 100, 5);
}

#[test]
fn a_short_pass_of_ledgers_holds_every_rule() {
    short_pass(Kind::Ledger, 60, 5);
}

/// The planted mistake is found in every kind of run that it grows in, by one of these rules.
fn finds(plant: Plant, rules: &[&str]) {
    for kind in plant.kinds() {
        let (seeds, kind_asked) = (1_000, Some(*kind));
        let batch = Batch { from: 0, seeds, kind: kind_asked, jobs: 1, plant: Some(plant), stop_at_first: true };
        let outcome = batch.run();
        let first = outcome.violations.first();
        let Some((seed, violation)) = first else {
            panic!("`{}` is not found in a {} within a thousand seeds", plant.name(), kind.as_str());
        };
        assert!(rules.contains(&violation.rule), "{} seed {seed}: {violation}", kind.as_str());
    }
}

#[test]
fn an_acknowledgement_before_the_commit_is_found() {
    finds(Plant::AckBeforeCommit, &["I1", "I7", "I2"]);
}

#[test]
fn a_missing_epoch_check_is_found() {
    finds(Plant::MissingEpochCheck, &["I5"]);
}

#[test]
fn a_view_before_the_commit_is_found() {
    finds(Plant::ViewBeforeCommit, &["I7"]);
}

#[test]
fn a_retry_without_looking_up_is_found() {
    finds(Plant::RetryWithoutLookup, &["I4", "I10"]);
}

#[test]
fn a_lock_taken_after_publishing_is_found() {
    finds(Plant::LockAfterPublish, &["I4", "I10"]);
}

#[test]
fn silence_taken_for_absence_is_found() {
    finds(Plant::SilenceIsAbsence, &["I4", "I10"]);
}

#[test]
fn a_cancellation_without_a_tombstone_is_found() {
    finds(Plant::CancelWithoutTombstone, &["I4", "I10"]);
}

#[test]
fn hooks_taken_for_called_are_found() {
    finds(Plant::HooksTakenForCalled, &["I4"]);
}

#[test]
fn a_mode_shown_before_it_is_on_record_is_found() {
    finds(Plant::ModeShownEarly, &["I7"]);
}

#[test]
fn attempts_that_share_a_directory_are_found() {
    finds(Plant::NamedByStep, &["I4", "I10"]);
}

#[test]
fn a_nested_run_begun_twice_is_found() {
    finds(Plant::NestedBegunAgain, &["I4"]);
}

#[test]
fn a_file_older_than_the_question_that_counts_is_found() {
    finds(Plant::OldInputCounts, &["I6"]);
}

#[test]
fn an_edit_that_is_overwritten_is_found() {
    finds(Plant::EditOverwritten, &["I1", "I4", "I7"]);
}

#[test]
fn flips_that_are_logged_twice_are_found() {
    finds(Plant::FlipsLoggedBlindly, &["I4"]);
}

#[test]
fn flips_logged_before_they_are_on_record_are_found() {
    finds(Plant::LogBeforeJournal, &["I4"]);
}

/// A good history, long enough to be spoilt in every way.
fn good() -> History {
    // Which seed that is changes with the simulator; the first one will do.
    let history = (0..).map(|seed| sim::run(seed, Kind::Loop, None, true, false).history).find(|history| {
        let has = |kind: &str| history.events.iter().any(|event| event.kind == kind);
        has("attempt_lost") && has("attempt_abandoned") && has("question_closed")
    });
    let history = history.expect("some seed has it all");
    assert_eq!(check(&history), Ok(()));
    history
}

#[track_caller]
fn caught(history: &History, rule: &str) {
    match check(history) {
        Ok(()) => panic!("nothing was found, {rule} should have been"),
        Err(violation) => assert_eq!(violation.rule, rule, "{violation}"),
    }
}

/// Changes an event and mends the chain behind it, as somebody who can write the journal could.
fn rewrite(history: &mut History, index: usize, change: impl FnOnce(String) -> String) {
    let text = String::from_utf8(history.events[index].data.clone()).expect("JSON is text");
    let changed = change(text.clone());
    assert_ne!(changed, text, "nothing was changed");
    history.events[index].data = changed.into_bytes();
    mend(history);
}

fn mend(history: &mut History) {
    let run = history.run.parse().expect("a run id");
    let mut hash = piton_store::chain::genesis(&run);
    let commits: Vec<(u64, [u8; 16])> = history
        .log
        .iter()
        .filter_map(|entry| match entry {
            Entry::Commit { last, salt, .. } => Some((*last, *salt)),
            _ => None,
        })
        .collect();
    for event in &mut history.events {
        let salt = commits.iter().find(|(last, _)| *last >= event.seq).expect("committed").1;
        let payload = piton_store::chain::payload_digest(&salt, &event.data);
        let at = piton_model::Timestamp::from_millis(event.at_ms);
        hash = piton_store::chain::link(&hash, event.seq, at, &event.kind, event.version, &payload);
        event.hash = hash;
    }
    // What was acknowledged is not the matter here.
    history.log.retain(|entry| !matches!(entry, Entry::Acked { .. }));
}

fn find(history: &History, kind: &str) -> usize {
    history.events.iter().position(|event| event.kind == kind).expect("the history has one")
}

fn find_entry(history: &History, wanted: impl Fn(&Entry) -> bool) -> usize {
    history.log.iter().position(wanted).expect("the history has one")
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
    let mut history = good();
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
    let histories = (0..).map(|seed| sim::run(seed, Kind::Loop, None, true, false).history);
    let mut history = histories
        .into_iter()
        .find(|history| history.events.iter().any(|event| event.kind == "run_completed"))
        .expect("some run completes");
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
