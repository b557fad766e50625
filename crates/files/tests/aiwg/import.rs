//! Loops that other tools began, read as they are found.

use piton_files::aiwg::{ParseError, parse, run_of};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::schema::EXAMPLE;
use crate::support::Run;

const LEGACY: &str = r#"{
  "active": true, "task": "Fix all failing tests", "completion": "npm test passes", "maxIterations": 10,
  "currentIteration": 3, "startTime": "2025-01-15T10:00:00Z", "timeoutMinutes": 60, "status": "running",
  "iterations": [
    { "number": 1, "action": "first try", "result": "3 fail", "learnings": "needs mocks" },
    { "number": 2, "timestamp": "2025-01-15T10:05:00.000Z", "verified": false, "result": "1 fails", "learnings": null }
  ],
  "lastResult": "1 fails", "learnings": "mind time zones", "branch": null
}"#;

#[test]
fn the_example_of_the_document_is_read() {
    let adopted = parse(EXAMPLE.as_bytes()).unwrap();
    assert_eq!(run_of(EXAMPLE.as_bytes()), None);
    assert_eq!((adopted.task.as_deref().unwrap(), adopted.iterations), ("Fix all TypeScript errors", 7));
}

#[test]
fn a_loop_of_the_original_tool_is_read_with_and_without_an_id() {
    let adopted = parse(LEGACY.as_bytes()).unwrap();
    assert_eq!((adopted.task.as_deref().unwrap(), adopted.iterations), ("Fix all failing tests", 3));
    assert_eq!((adopted.max_iterations, adopted.timeout_minutes), (Some(10), Some(60)));

    let mut several: Value = serde_json::from_str(LEGACY).unwrap();
    several["loopId"] = json!("ralph-fix-tests-a1b2c3d4");
    assert_eq!(parse(several.to_string().as_bytes()).unwrap(), adopted);

    let external = json!({
        "version": "1.0.0", "loopId": "x", "objective": "o", "completionCriteria": "c", "currentIteration": 1,
        "maxIterations": 5, "iterations": [{ "number": 2, "status": "completed", "learnings": ["a", "b"] }],
    });
    let adopted = parse(external.to_string().as_bytes()).unwrap();
    assert_eq!(
        (adopted.task.as_deref().unwrap(), adopted.iterations),
        ("o", 2),
        "the last one on record counts"
    );
}

#[test]
fn our_own_view_reads_back_and_says_whose_it_is() {
    let run = Run::worked("r", 4);
    let adopted = parse(run.view().bytes()).unwrap();
    assert_eq!((run_of(run.view().bytes()), adopted.iterations), (Some(run.id()), 4));
    let edited = String::from_utf8(run.view().bytes().to_vec()).unwrap().replace("Fix all", "Break all");
    assert_eq!(run_of(edited.as_bytes()), None, "what was edited is somebody's own");
}

#[test]
fn what_is_newer_or_no_loop_is_refused_and_the_message_says_what_was_expected() {
    for version in ["3.0.0", "1.0.0", "x"] {
        let text = json!({ "version": version, "loop_id": "ralph-x-0123abcd", "task": "t" }).to_string();
        let error = parse(text.as_bytes()).unwrap_err();
        let message = error.to_string();
        assert!(matches!(error, ParseError::Version { .. }), "{message}");
        assert!(message.contains(version) && message.contains("2.x"), "{message}");
    }
    let newer = json!({ "version": "9.0.0", "loopId": "x", "task": "t", "currentIteration": 1 }).to_string();
    assert!(matches!(parse(newer.as_bytes()), Err(ParseError::Version { .. })));
    for text in ["{}", "[]", "1", r#"{"task":"t"}"#] {
        assert!(matches!(parse(text.as_bytes()), Err(ParseError::Missing { .. })), "{text}");
    }
    assert!(matches!(parse(b"{"), Err(ParseError::Shape(_))));
}

proptest! {
    #[test]
    fn nothing_that_can_be_read_makes_a_parser_panic(text in ".{0,200}", number in any::<u64>(), odd in any::<f64>()) {
        let _ = parse(text.as_bytes());
        let mut value: Value = serde_json::from_str(EXAMPLE).unwrap();
        for pointer in ["/iteration", "/iteration_history/0/iteration", "/best_iteration/iteration", "/task"] {
            for wrong in [json!(number), json!(odd), json!(text), json!(null), json!([number])] {
                let kept = std::mem::replace(value.pointer_mut(pointer).unwrap(), wrong);
                let _ = parse(value.to_string().as_bytes());
                *value.pointer_mut(pointer).unwrap() = kept;
            }
        }
    }
}
