//! What a fresh session is told.

use proptest::prelude::*;

use super::harness::*;
use crate::loop_machine::handoff::*;
use crate::loop_machine::tracker::JudgedTree;
use crate::loop_machine::{KeptNote, NamedTests, Note, NoteKind, Severity, TestStatus};

fn preserved() -> PreservedState {
    let decision = |number: u32| Decision {
        description: format!("decision {number}"),
        rationale: (number == 7).then(|| "it is\nsimpler".to_owned()),
        timestamp: None,
    };
    let issue = |description: &str, severity, addressed| KnownIssue {
        description: description.to_owned(),
        severity,
        files: vec!["a.rs".to_owned()],
        addressed,
    };
    PreservedState {
        current_objective: Some("Fix the dates".to_owned()),
        completed_items: vec!["parse".to_owned()],
        pending_items: vec!["format".to_owned(), "zones".to_owned()],
        modified_files: vec!["src/a.rs".to_owned()],
        decisions: (1..=7).map(decision).collect(),
        known_issues: vec![
            issue("slow", Severity::Low, false),
            issue("solved", Severity::Critical, true),
            issue("leap days", Severity::Critical, false),
        ],
        test_state: Some(TestState { failing: vec!["dates::zone".to_owned()], ..TestState::default() }),
        ..PreservedState::default()
    }
}

#[test]
fn the_document_has_its_sections_in_order() {
    let expected = "## Current Objective\n\nFix the dates\n\n## Completed\n\n- [x] parse\n\n## Pending\n\n- [ ] format\n\
                    - [ ] zones\n\n## Modified Files\n\n- src/a.rs\n\n## Key Decisions\n\n- decision 7 (it is simpler)\n\
                    - decision 6\n- decision 5\n- decision 4\n- decision 3\n\n## Known Issues\n\n\
                    - [CRITICAL] leap days (a.rs)\n- [LOW] slow (a.rs)\n\n## Failing Tests\n\n- dates::zone\n";
    assert_eq!(preserved().to_markdown(HANDOFF_BYTES_MAX), expected);
    assert_eq!(PreservedState::default().to_markdown(HANDOFF_BYTES_MAX), "");
}

#[test]
fn a_document_that_is_too_long_keeps_something_of_every_section() {
    let mut long = preserved();
    long.completed_items = (0..5_000).map(|number| format!("done {number}")).collect();
    long.modified_files = (0..5_000).map(|number| format!("src/{number}.rs")).collect();
    let text = long.to_markdown(2_000);
    assert!(text.len() <= 2_000);
    // The newest of what is done, the first of what is left, and the tests that fail, which come last.
    for part in [
        "- [x] done 4999\n",
        "- src/0.rs\n",
        "more\n",
        "- [ ] format\n",
        "## Failing Tests\n\n- dates::zone\n",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn an_item_is_one_line_of_bounded_length() {
    let state = PreservedState {
        pending_items: vec!["a\n## Completed\n- [x] all".to_owned(), "x".repeat(10_000)],
        ..PreservedState::default()
    };
    let text = state.to_markdown(HANDOFF_BYTES_MAX);
    assert!(text.contains("- [ ] a ## Completed - [x] all\n"), "{text}");
    assert!(text.len() < 1_000);
}

#[test]
fn a_state_says_what_it_knows() {
    let mut state = Driver::red().state;
    let note = |kind, text: &str| KeptNote { iteration: 1, note: Note { kind, text: text.to_owned() } };
    state.memory.notes =
        [note(NoteKind::Decision, "no regex"), note(NoteKind::Finding, "the cache is stale")].into();
    state.memory.objectives.pending = vec!["zones".to_owned()];
    let ran = [("dates::zone", TestStatus::Failing), ("dates::leap", TestStatus::Passing)];
    let ran = ran.map(|(name, status)| (name.to_owned(), status)).into();
    let changes = state.seen.tests.changes(&ran, NamedTests::All);
    state.seen.tests.take(&changes, JudgedTree::Another);
    let text = PreservedState::of(&state).to_markdown(HANDOFF_BYTES_MAX);
    for part in [
        "- [ ] zones\n",
        "- no regex\n",
        "- [HIGH] the check `test` fails\n",
        "- [MEDIUM] the cache is stale\n",
        "## Failing Tests\n\n- dates::zone\n",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

proptest! {
    #[test]
    fn the_document_fits(
        items in prop::collection::vec(".{0,40}", 0..60),
        bytes_max in 0..3_000_usize,
    ) {
        let state = PreservedState {
            completed_items: items.clone(),
            pending_items: items.clone(),
            modified_files: items,
            ..preserved()
        };
        prop_assert!(state.to_markdown(bytes_max).len() <= bytes_max);
    }
}
