//! A short pass of every kind, and the plants: the checker must find each where it grows.

use piton_model::Kind;

use crate::batch::Batch;
use crate::scenario::Plant;

fn short_pass(kind: Kind, events: u32, faults: u32) {
    let batch = Batch { from: 0, seeds: 80, kind: Some(kind), jobs: 2, plant: None, stop_at_first: false };
    let outcome = batch.run();
    assert_eq!(outcome.seeds, 80);
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
fn a_short_pass_of_cycles_holds_every_rule() {
    short_pass(Kind::Cycle, 100, 5);
}

#[test]
fn a_short_pass_of_ledgers_holds_every_rule() {
    short_pass(Kind::Ledger, 60, 5);
}

/// The planted mistake is found in every kind of run that it grows in, by one of these rules.
fn finds(plant: Plant, rules: &[&str]) {
    for kind in plant.kinds() {
        let (seeds, kind_asked) = (1_000, Some(*kind));
        let batch =
            Batch { from: 0, seeds, kind: kind_asked, jobs: 1, plant: Some(plant), stop_at_first: true };
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
    finds(Plant::RetryWithoutLookup, &["I4", "I9", "I10"]);
}

#[test]
fn a_lock_taken_after_publishing_is_found() {
    finds(Plant::LockAfterPublish, &["I4", "I10"]);
}

#[test]
fn silence_taken_for_absence_is_found() {
    finds(Plant::SilenceIsAbsence, &["I4", "I10", "I13"]);
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
fn roles_that_share_a_directory_are_found() {
    finds(Plant::NamedByRole, &["I4", "I9", "I10"]);
}

#[test]
fn feedback_that_no_prompt_has_is_found() {
    finds(Plant::FeedbackLeftOut, &["I1"]);
}

#[test]
fn feedback_that_a_role_hears_twice_is_found() {
    finds(Plant::FeedbackHeardAgain, &["I1"]);
}

#[test]
fn a_role_taken_for_ended_while_it_works_is_found() {
    finds(Plant::ToldIsEnded, &["I4", "I10"]);
}

#[test]
fn a_refused_tree_that_is_not_put_back_is_found() {
    finds(Plant::RestoreForgotten, &["I12"]);
}

#[test]
fn what_another_attempt_handed_in_is_found() {
    finds(Plant::HandedInByAnother, &["I4"]);
}

#[test]
fn a_validator_that_is_believed_is_found() {
    finds(Plant::WordsForChecks, &["I4"]);
}

#[test]
fn an_edit_of_the_state_file_that_counts_again_is_found() {
    finds(Plant::EditHeardAgain, &["I4"]);
}

#[test]
fn lines_that_are_lost_because_nobody_looked_are_found() {
    finds(Plant::LinesFromMemory, &["I1"]);
}

#[test]
fn a_torn_line_that_counts_is_found() {
    finds(Plant::TornLineKept, &["I1"]);
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
