//! Reports and manual inputs: what is believed, and what is not.

use std::path::Path;

use piton_files::workflow::{Expectations, Refusal, Report, read_manual_input, read_report};
use piton_model::RunId;
use piton_model::workflow::StepId;
use serde_json::{Value, json};

fn good() -> Value {
    json!({
        "schema": "run_report@v0", "run_id": "f8c1a491", "step_id": "coding", "agent": "coder",
        "status": "COMPLETED", "started_at": "2025-01-15T14:30:05.000000Z", "ended_at": "2025-01-15T14:32:18.000000Z",
        "artifacts": ["src/main.rs"], "metrics": {"cost_usd": 0.25, "input_tokens": 10, "output_tokens": "5"},
        "logs": ["did it"], "next_suggested_steps": ["review"], "gate_failure": false,
        "memory_updates": [{"scope": ".", "section": "Notes", "entry": "it is so"}],
    })
}

fn read_bytes(bytes: &[u8], ended: bool) -> Result<Report, Refusal> {
    let (run, step): (RunId, StepId) = ("f8c1a491".parse().unwrap(), "coding".into());
    read_report(bytes, &Expectations { run: &run, step: &step, repo: Path::new("/r"), ended, schema: None })
}

fn with(field: &str, value: Value) -> Result<Report, Refusal> {
    let mut report = good();
    report[field] = value;
    read_bytes(&serde_json::to_vec(&report).unwrap(), true)
}

fn without(field: &str) -> Result<Report, Refusal> {
    let mut report = good();
    report.as_object_mut().unwrap().remove(field);
    read_bytes(&serde_json::to_vec(&report).unwrap(), true)
}

#[test]
fn a_whole_report_is_read() {
    let report = with("extra", json!("ignored")).unwrap();
    assert!(report.step.completed && !report.step.gate_failure);
    assert_eq!(report.step.artifacts, ["src/main.rs"]);
    assert_eq!(report.step.logs, ["did it"]);
    assert_eq!((report.cost_microusd, report.tokens), (Some(250_000), Some(15)));
    assert_eq!(report.memory_updates.len(), 1);
    assert_eq!(report.next_suggested_steps, ["review"]);
}

#[test]
fn what_is_optional_may_be_missing() {
    for field in ["artifacts", "logs", "metrics", "next_suggested_steps", "gate_failure", "memory_updates"] {
        assert!(without(field).is_ok(), "{field}");
    }
    let report = without("metrics").unwrap();
    assert_eq!((report.cost_microusd, report.tokens), (None, None), "unknown is not zero");
    assert!(with("schema", json!("run_report_v1")).is_ok());
}

#[test]
fn what_is_required_may_not() {
    for field in ["schema", "run_id", "step_id", "agent", "status"] {
        let expected = format!("the run report has no `{field}`");
        assert_eq!(without(field).unwrap_err().to_string(), expected);
    }
    for field in ["started_at", "ended_at"] {
        assert!(matches!(without(field), Err(Refusal::Placeholder(_))), "{field}");
    }
}

#[test]
fn a_status_has_aliases() {
    for word in ["COMPLETED", "completed", "SUCCESS", "ok", "Done", "PASSED"] {
        assert!(with("status", json!(word)).unwrap().step.completed, "{word}");
    }
    for word in ["FAILED", "fail", "ERROR", "RUNNING", "SKIPPED", "", "whatever"] {
        assert!(!with("status", json!(word)).unwrap().step.completed, "{word}");
    }
}

#[test]
fn a_report_about_something_else_is_refused() {
    let other = with("run_id", json!("00000000")).unwrap_err();
    assert_eq!(other.to_string(), "the run report is about run_id `00000000`, not `f8c1a491`");
    assert!(matches!(with("step_id", json!("planning")), Err(Refusal::Foreign { field: "step_id", .. })));
    assert!(matches!(with("schema", json!("invoice@v1")), Err(Refusal::Malformed(_))));
}

#[test]
fn a_template_that_was_never_filled_in_is_refused() {
    for (field, value) in [
        ("logs", json!(["<what you did>"])),
        ("logs", json!(["TODO"])),
        ("logs", json!(["", "TODO", "<what you did>", "..."])),
        ("artifacts", json!(["path/to/artifact"])),
        ("ended_at", json!("<ISO timestamp>")),
        ("ended_at", json!("YYYY-MM-DDTHH:MM:SSZ")),
        ("ended_at", json!("")),
    ] {
        assert!(matches!(with(field, value.clone()), Err(Refusal::Placeholder(_))), "{field}: {value}");
    }
    // One line of output among others, or a failure that says why, is no template.
    for lines in [json!(["..."]), json!([""]), json!(["ran it", "TODO"]), json!(["", "<div>", "3 passed"])] {
        assert!(with("logs", lines.clone()).is_ok(), "{lines}");
    }
    for line in ["fixed the TODO in main.rs", "a < b", "see <https://example.org> for more"] {
        assert!(with("logs", json!([line])).is_ok(), "{line}");
    }
    for moment in [
        "2025-01-15T14:32:18Z",
        "2025-01-15T14:32:18",
        "2025-01-15T14:32:18.5+02:00",
        "2025-01-15T14:32:18-05:00",
    ] {
        assert!(with("ended_at", json!(moment)).is_ok(), "{moment}");
    }
}

#[test]
fn a_report_that_is_being_written_is_waited_for() {
    let half = b"{\"schema\": \"run_rep";
    assert_eq!(read_bytes(half, false), Err(Refusal::NotYet));
    assert!(matches!(read_bytes(half, true), Err(Refusal::NotJson(_))));
    assert_eq!(read_bytes(b"", false), Err(Refusal::NotYet));
}

#[test]
fn hostile_reports_are_refused() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(matches!(read_bytes(deep.as_bytes(), true), Err(Refusal::NotJson(_))));
    assert_eq!(read_bytes(&vec![b' '; 5 << 20], true), Err(Refusal::TooLarge));
    assert!(matches!(read_bytes(b"[]", true), Err(Refusal::Malformed(_))));
    assert!(matches!(read_bytes(b"\"\\ud800\"", true), Err(Refusal::NotJson(_))));
    for path in ["/etc/passwd", "../../etc/passwd", "a/../../b", "", "a\\..\\b"] {
        assert!(matches!(with("artifacts", json!([path])), Err(Refusal::Malformed(_))), "{path}");
    }
    for (field, value) in [
        ("logs", json!([1])),
        ("logs", json!("x")),
        ("metrics", json!([])),
        ("gate_failure", json!("true")),
        ("status", json!(1)),
        ("ended_at", json!(5)),
    ] {
        assert!(matches!(with(field, value.clone()), Err(Refusal::Malformed(_))), "{field}: {value}");
    }
    assert_eq!(with("metrics", json!({"cost_usd": -1})).unwrap().cost_microusd, None);
}

#[test]
fn a_manual_input_says_yes_no_or_nothing() {
    let read = |text: &str| read_manual_input(text.as_bytes());
    let yes = read(r#"{"approved": true, "comments": "fine"}"#).unwrap();
    assert!(yes.approved);
    assert_eq!(yes.comment.as_deref(), Some("fine"));
    assert!(read("{}").unwrap().approved, "who writes the file without a word against it agrees");
    assert!(!read(r#"{"approved": false}"#).unwrap().approved);
    for text in
        ["", "{", "true", "[]", r#"{"approved": "no"}"#, r#"{"approved": 0}"#, r#"{"approved": null}"#]
    {
        assert!(read(text).is_err(), "{text}");
    }
    assert!(read_manual_input(&vec![b' '; 1 << 20]).is_err());
}

#[test]
fn a_failure_needs_no_times() {
    let mut report = good();
    for field in ["started_at", "ended_at"] {
        report.as_object_mut().unwrap().remove(field);
    }
    report["status"] = json!("FAILED");
    report["logs"] = json!(["why"]);
    let read = read_bytes(&serde_json::to_vec(&report).unwrap(), true).unwrap();
    assert_eq!((read.step.completed, read.step.logs), (false, vec!["why".to_owned()]));
}

#[test]
fn an_absolute_artifact_of_the_repository_is_relative_to_it() {
    let read = with("artifacts", json!(["/r/out/plan.md", "b.md"])).unwrap();
    assert_eq!(read.step.artifacts, ["out/plan.md", "b.md"]);
    for path in ["/elsewhere/plan.md", "/r/../x", "/rest/x", "/r"] {
        let refusal = with("artifacts", json!([path])).unwrap_err().to_string();
        assert!(refusal.contains("outside of the repository"), "{refusal}");
    }
}
