//! The format: every field, the same bytes every time, and a proof that holds.

use std::collections::HashMap;
use std::path::PathBuf;

use piton_files::ralph::{ParseError, parse, render, to_bytes};
use piton_model::{State, Status, Timestamp};
use proptest::prelude::*;
use serde::Deserialize;

use crate::support::{START, context, created, view, worked};

/// The structures that the readers of this format have, word for word; times as the text they are.
#[expect(dead_code, reason = "read, not used: what counts is that every field is there with its type")]
mod theirs {
    use super::*;

    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    pub(super) struct PersistedLoopState {
        pub(super) version: u32,
        pub(super) loop_id: String,
        pub(super) saved_at: String,
        pub(super) core: CoreLoopState,
        pub(super) session: SessionState,
        pub(super) progress: ProgressState,
        pub(super) tests: TestState,
        pub(super) stop_conditions: StopConditionState,
        pub(super) metrics: MetricsSnapshot,
        pub(super) custom: HashMap<String, serde_json::Value>,
    }

    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    pub(super) struct CoreLoopState {
        pub(super) status: LoopStatus,
        pub(super) iteration: u32,
        pub(super) started_at: String,
        pub(super) last_activity: String,
        pub(super) working_dir: PathBuf,
        pub(super) prompt_path: PathBuf,
        pub(super) config_hash: String,
    }

    #[derive(Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub(super) enum LoopStatus {
        Running,
        Paused,
        Rebooting,
        Stopped,
        Completed,
        Error,
    }

    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    pub(super) struct SessionState {
        pub(super) current_session_id: Option<String>,
        pub(super) session_started_at: Option<String>,
        pub(super) session_iterations: u32,
        pub(super) context_usage: u8,
        pub(super) session_history: Vec<SessionHistoryEntry>,
    }

    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    pub(super) struct SessionHistoryEntry {
        pub(super) session_id: String,
        pub(super) started_at: String,
        pub(super) ended_at: String,
        pub(super) iterations: u32,
        pub(super) end_reason: String,
    }

    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    pub(super) struct ProgressState {
        pub(super) iterations_since_progress: u32,
        pub(super) last_progress_iteration: Option<u32>,
        pub(super) recent_scores: Vec<f64>,
        pub(super) modified_files: Vec<PathBuf>,
        pub(super) completed_objectives: Vec<String>,
        pub(super) pending_objectives: Vec<String>,
    }

    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    pub(super) struct TestState {
        pub(super) failure_streak: u32,
        pub(super) passing_tests: Vec<String>,
        pub(super) failing_tests: Vec<String>,
        pub(super) flaky_tests: Vec<String>,
        pub(super) recently_fixed: Vec<String>,
    }

    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    pub(super) struct StopConditionState {
        pub(super) condition_progress: HashMap<String, f64>,
        pub(super) last_evaluation: Option<String>,
    }

    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    pub(super) struct MetricsSnapshot {
        pub(super) total_iterations: u64,
        pub(super) successful_iterations: u64,
        pub(super) failed_iterations: u64,
        pub(super) total_reboots: u64,
        pub(super) total_execution_ms: u64,
    }
}

/// Every name that the format has, optional ones included: they are there, as `null`.
const NAMES: [(&str, &[&str]); 8] = [
    (
        "",
        &[
            "version",
            "loop_id",
            "saved_at",
            "core",
            "session",
            "progress",
            "tests",
            "stop_conditions",
            "metrics",
            "custom",
        ],
    ),
    (
        "/core",
        &["status", "iteration", "started_at", "last_activity", "working_dir", "prompt_path", "config_hash"],
    ),
    (
        "/session",
        &[
            "current_session_id",
            "session_started_at",
            "session_iterations",
            "context_usage",
            "session_history",
        ],
    ),
    ("/session/session_history/0", &["session_id", "started_at", "ended_at", "iterations", "end_reason"]),
    (
        "/progress",
        &[
            "iterations_since_progress",
            "last_progress_iteration",
            "recent_scores",
            "modified_files",
            "completed_objectives",
            "pending_objectives",
        ],
    ),
    ("/tests", &["failure_streak", "passing_tests", "failing_tests", "flaky_tests", "recently_fixed"]),
    ("/stop_conditions", &["condition_progress", "last_evaluation"]),
    (
        "/metrics",
        &[
            "total_iterations",
            "successful_iterations",
            "failed_iterations",
            "total_reboots",
            "total_execution_ms",
        ],
    ),
];

fn text(state: &State) -> String {
    String::from_utf8(to_bytes(&render(state, 13, &context()))).unwrap()
}

#[test]
fn a_typical_run_looks_like_this() {
    insta::assert_snapshot!(text(&worked("ralph-add-validation-7f3a91c2")), @r#"
    {
      "version": 1,
      "loop_id": "ralph-add-validation-7f3a91c2",
      "saved_at": "2026-02-15T12:15:20.123Z",
      "core": {
        "status": "running",
        "iteration": 2,
        "started_at": "2026-02-15T12:03:20.123Z",
        "last_activity": "2026-02-15T12:15:20.123Z",
        "working_dir": "/home/someone/app",
        "prompt_path": "PROMPT.md",
        "config_hash": "c0ffee"
      },
      "session": {
        "current_session_id": "ses-2",
        "session_started_at": "2026-02-15T12:12:20.123Z",
        "session_iterations": 1,
        "context_usage": 41,
        "session_history": [
          {
            "session_id": "ses-1",
            "started_at": "2026-02-15T12:08:20.123Z",
            "ended_at": "2026-02-15T12:12:20.123Z",
            "iterations": 1,
            "end_reason": "fresh session per iteration"
          }
        ]
      },
      "progress": {
        "iterations_since_progress": 0,
        "last_progress_iteration": 2,
        "recent_scores": [
          0.421,
          0.263
        ],
        "modified_files": [
          "src/a.rs",
          "src/b.rs"
        ],
        "completed_objectives": [
          "parse"
        ],
        "pending_objectives": [
          "docs"
        ]
      },
      "tests": {
        "failure_streak": 2,
        "passing_tests": [
          "test"
        ],
        "failing_tests": [
          "lint"
        ],
        "flaky_tests": [],
        "recently_fixed": [
          "test"
        ]
      },
      "stop_conditions": {
        "condition_progress": {
          "checks-pass": 0.5,
          "failure_streak": 0.0,
          "file:report.txt": 1.0,
          "max_cost_usd": 0.25,
          "max_duration": 0.0022916666666666667,
          "max_iterations": 0.04,
          "no_progress": 0.0
        },
        "last_evaluation": "round 3: 1 of 2 checks pass, 1 of 1 conditions hold"
      },
      "metrics": {
        "total_iterations": 2,
        "successful_iterations": 2,
        "failed_iterations": 0,
        "total_reboots": 0,
        "total_execution_ms": 66000
      },
      "custom": {
        "piton": {
          "digest": "3c5606fd15282e0165da85ca24096988f1fcae35a4e8b3e438a2a9d2bfd4261b",
          "reason": null,
          "run_id": "ralph-add-validation-7f3a91c2",
          "seq": 13,
          "status": "running",
          "unknown": [
            "tests.flaky_tests",
            "stop_conditions.condition_progress.max_cost_usd"
          ]
        },
        "ticket": {
          "a": [
            1,
            null
          ],
          "z": 0.1
        }
      }
    }
    "#);
}

#[test]
fn every_field_of_the_format_is_there_and_no_other() {
    let value: serde_json::Value = serde_json::from_str(&text(&worked("r"))).unwrap();
    for (pointer, names) in NAMES {
        let object = value.pointer(pointer).and_then(|value| value.as_object()).expect(pointer);
        let mut found: Vec<_> = object.keys().map(String::as_str).collect();
        let mut expected = names.to_vec();
        found.sort_unstable();
        expected.sort_unstable();
        assert_eq!(found, expected, "{pointer}");
    }
}

#[test]
fn the_readers_of_the_format_can_read_it() {
    for state in [created("r"), worked("r")] {
        let read: theirs::PersistedLoopState = serde_json::from_str(&text(&state)).unwrap();
        assert_eq!(read.version, 1);
        assert!(read.core.working_dir.is_absolute());
        let history =
            read.session.session_history.iter().flat_map(|entry| [&entry.started_at, &entry.ended_at]);
        for time in
            [&read.saved_at, &read.core.started_at, &read.core.last_activity].into_iter().chain(history)
        {
            assert!(time.ends_with('Z') && time.parse::<Timestamp>().is_ok(), "{time}");
        }
    }
}

#[test]
fn every_status_is_a_word_of_the_format() {
    for status in [
        Status::Created,
        Status::Running,
        Status::Waiting,
        Status::Paused,
        Status::Rebooting,
        Status::Stopped,
        Status::Completed,
        Status::Failed,
    ] {
        let bytes = to_bytes(&view("r", status, 5));
        assert!(serde_json::from_slice::<theirs::PersistedLoopState>(&bytes).is_ok(), "{}", status.as_str());
        let value: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
        assert_eq!(value["custom"]["piton"]["status"], status.as_str(), "our own word is kept beside it");
    }
}

#[test]
fn what_is_not_known_is_zero_and_named() {
    let value: serde_json::Value = serde_json::from_str(&text(&created("r"))).unwrap();
    assert_eq!(value["session"]["context_usage"], 0);
    let unknown = value["custom"]["piton"]["unknown"].as_array().unwrap();
    assert!(
        unknown.contains(&"session.context_usage".into()) && unknown.contains(&"tests.passing_tests".into())
    );

    let value: serde_json::Value = serde_json::from_str(&text(&worked("r"))).unwrap();
    let unknown = value["custom"]["piton"]["unknown"].as_array().unwrap();
    assert!(!unknown.contains(&"session.context_usage".into()));
    assert!(
        unknown.contains(&"stop_conditions.condition_progress.max_cost_usd".into()),
        "one attempt hid its cost"
    );
}

#[test]
fn the_same_state_is_the_same_bytes_whenever_it_is_rendered() {
    let state = worked("r");
    let restored: State = serde_json::from_slice(&serde_json::to_vec(&state).unwrap()).unwrap();
    assert_eq!(text(&state), text(&restored), "from the journal or from a checkpoint");
    assert_eq!(render(&state, 13, &context()).saved_at, state.updated_at, "no clock is read");
}

#[test]
fn a_view_reads_back_as_it_was_written() {
    let view = view("r", Status::Running, 5);
    assert_eq!(parse(&to_bytes(&view)).unwrap(), view);
}

#[test]
fn what_others_add_is_ignored_and_a_newer_version_is_not_guessed_at() {
    let mut value = serde_json::to_value(view("r", Status::Running, 5)).unwrap();
    value["theirs"] = 1.into();
    value["core"]["theirs"] = 1.into();
    assert!(parse(value.to_string().as_bytes()).is_ok());
    value["version"] = 2.into();
    assert!(matches!(parse(value.to_string().as_bytes()), Err(ParseError::Version { found: 2 })));
    assert!(matches!(parse(b"{}"), Err(ParseError::Shape(_))));
    assert!(matches!(parse(br#"{"version": 1}"#), Err(ParseError::Shape(_))));
}

#[test]
fn a_custom_value_cannot_take_the_place_of_the_proof() {
    let mut state = worked("r");
    state.memory.custom.insert("piton".to_owned(), serde_json::json!({ "seq": 999 }));
    let view = render(&state, 13, &context());
    assert_eq!(view.custom["piton"]["seq"], 13);
}

#[test]
fn a_broken_clock_and_a_path_that_is_not_text_still_make_a_readable_file() {
    use std::os::unix::ffi::OsStringExt;

    let mut state = worked("r");
    for beyond in [i64::MIN, i64::MAX] {
        state.updated_at = Timestamp::from_millis(beyond);
        let mut context = context();
        context.working_dir = PathBuf::from(std::ffi::OsString::from_vec(b"/a/\xff".to_vec()));
        let bytes = to_bytes(&render(&state, 13, &context));
        let read: theirs::PersistedLoopState = serde_json::from_slice(&bytes).unwrap();
        assert_eq!(read.saved_at.len(), "2026-02-15T12:03:20.123Z".len(), "{}", read.saved_at);
    }
}

proptest! {
    #[test]
    fn progress_is_always_a_share(iterations in any::<u32>(), limit in 0..5_u32, cost in any::<u64>()) {
        let mut state = worked("r");
        state.counters.iterations = iterations;
        state.counters.cost_microusd = cost;
        state.config.limits.iterations = limit;
        state.config.limits.working_ms = 0;
        let view = render(&state, 13, &context());
        for (name, share) in &view.stop_conditions.condition_progress {
            prop_assert!((0.0..=1.0).contains(share), "{name}: {share}");
        }
        prop_assert_eq!(view.core.started_at, START);
    }
}
