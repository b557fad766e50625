//! `run_state.json`: the four states of the published format, reached by driving the machine, field by field.

use piton_files::workflow::render;
use piton_model::loop_machine::AttemptOutcome;
use piton_model::workflow::*;
use serde_json::{Value, json};

use crate::support::{Run, completed, gate_failed, with_metrics};

const PLAN_CODE_REVIEW: &str = "
name: workflow
steps:
  - {id: planning, agent: planner, prompt: plan.md}
  - {id: coding, agent: coder, prompt: code.md, needs: [planning]}
  - {id: code_review, agent: reviewer, prompt: review.md, needs: [coding]}
";

/// A step that has not started.
fn fresh() -> Value {
    json!({
        "status": "PENDING", "attempts": 0, "iteration_count": 0, "report_path": null, "started_at": null,
        "ended_at": null, "last_error": null, "artifacts": [], "metrics": {}, "logs": [],
        "manual_input_path": null, "blocked_by_loop": null,
    })
}

fn step(changes: Value) -> Value {
    let mut step = fresh();
    for (name, value) in changes.as_object().unwrap() {
        assert!(step.get(name).is_some(), "{name} is no field of the format");
        step[name] = value.clone();
    }
    step
}

fn run(run: &str, name: &str, repo: &str, created: &str, updated: &str, steps: Value) -> Value {
    let directory = format!("{repo}/.agents/runs/{run}");
    json!({
        "run_id": run, "workflow_name": name, "repo_dir": repo,
        "reports_dir": format!("{directory}/reports"), "manual_inputs_dir": format!("{directory}/manual_inputs"),
        "created_at": created, "updated_at": updated, "steps": steps,
    })
}

#[test]
fn a_workflow_in_progress() {
    let repo = "/Users/operator/projects/my-app";
    let mut flow =
        Run::created("f8c1a491", repo, PLAN_CODE_REVIEW, Options::default(), "2025-01-15T14:30:00.123Z");
    flow.at("2025-01-15T14:30:05Z").drive();
    flow.pause();
    let logs = ["Created development plan in PLAN.md", "Generated task breakdown in tasks.yaml"];
    flow.at("2025-01-15T14:32:18Z").end("planning", completed(&["PLAN.md", "tasks.yaml"], &logs));
    flow.at("2025-01-15T14:32:25Z").resume();
    flow.at("2025-01-15T14:35:22.789Z").touch();
    let steps = json!({
        "planning": step(json!({
            "status": "COMPLETED", "attempts": 1,
            "report_path": format!("{repo}/.agents/runs/f8c1a491/reports/f8c1a491__planning.json"),
            "started_at": "2025-01-15T14:30:05.000000Z", "ended_at": "2025-01-15T14:32:18.000000Z",
            "artifacts": ["PLAN.md", "tasks.yaml"], "logs": logs,
        })),
        "coding": step(json!({
            "status": "RUNNING", "attempts": 1, "started_at": "2025-01-15T14:32:25.000000Z",
        })),
        "code_review": fresh(),
    });
    let (created, updated) = ("2025-01-15T14:30:00.123000Z", "2025-01-15T14:35:22.789000Z");
    assert_eq!(flow.view(), run("f8c1a491", "workflow", repo, created, updated, steps));
}

#[test]
fn a_step_with_loop_back_iterations() {
    let repo = "/Users/operator/projects/api-service";
    let document = "
name: code_review_loop_workflow
steps:
  - {id: coding, agent: coder, prompt: code.md}
  - {id: code_review, agent: reviewer, prompt: review.md, needs: [coding], loop_back_to: coding}
";
    let mut flow = Run::created("a1b2c3d4", repo, document, Options::default(), "2025-01-15T16:00:00Z");
    flow.drive();
    flow.at("2025-01-15T16:05:00Z").end("coding", completed(&[], &["first"]));
    flow.at("2025-01-15T16:10:00Z").end("code_review", gate_failed("found P0 issues"));
    flow.at("2025-01-15T16:15:00Z").end("coding", completed(&[], &["second"]));
    flow.at("2025-01-15T16:20:00Z").end("code_review", gate_failed("found P0 issues"));
    flow.pause();
    let logs = ["Implemented authentication endpoints", "Added unit tests with 95% coverage"];
    flow.at("2025-01-15T16:24:45Z")
        .end("coding", completed(&["src/api/auth.py", "tests/test_auth.py"], &logs));
    flow.at("2025-01-15T16:25:00Z").resume();
    flow.at("2025-01-15T16:25:30Z").touch();
    let reports = format!("{repo}/.agents/runs/a1b2c3d4/reports");
    let steps = json!({
        "coding": step(json!({
            "status": "COMPLETED", "attempts": 1, "iteration_count": 2,
            "report_path": format!("{reports}/a1b2c3d4__coding.json"),
            "started_at": "2025-01-15T16:20:00.000000Z", "ended_at": "2025-01-15T16:24:45.000000Z",
            "artifacts": ["src/api/auth.py", "tests/test_auth.py"], "logs": logs,
        })),
        "code_review": step(json!({
            "status": "RUNNING", "attempts": 1, "iteration_count": 2,
            "report_path": format!("{reports}/a1b2c3d4__code_review.json"),
            "started_at": "2025-01-15T16:25:00.000000Z",
        })),
    });
    let (created, updated) = ("2025-01-15T16:00:00.000000Z", "2025-01-15T16:25:30.000000Z");
    assert_eq!(flow.view(), run("a1b2c3d4", "code_review_loop_workflow", repo, created, updated, steps));
}

#[test]
fn a_failed_step_with_its_error() {
    let repo = "/Users/operator/projects/web-app";
    let document = "
name: workflow
steps:
  - {id: planning, agent: planner, prompt: plan.md}
  - {id: coding, agent: coder, prompt: code.md, needs: [planning]}
";
    let mut flow = Run::created("xyz789", repo, document, Options::default(), "2025-01-15T10:00:00Z");
    flow.at("2025-01-15T10:00:05Z").drive();
    flow.at("2025-01-15T10:02:30Z").end("planning", completed(&["PLAN.md"], &["Created development plan"]));
    let logs = ["Attempted to implement feature", "Syntax error in src/components/Header.tsx"];
    let failed = || {
        let mut end = completed(&[], &logs);
        end.report.as_mut().unwrap().completed = false;
        let message = Some("Agent process exited with code 1: SyntaxError in generated code".to_owned());
        StepEnd { outcome: AttemptOutcome::Failed, exit_code: Some(1), message, ..end }
    };
    flow.at("2025-01-15T10:02:34Z").end("coding", failed());
    flow.at("2025-01-15T10:02:35Z").command(Command::Tick);
    flow.at("2025-01-15T10:15:45Z").end("coding", failed());
    let reports = format!("{repo}/.agents/runs/xyz789/reports");
    let steps = json!({
        "planning": step(json!({
            "status": "COMPLETED", "attempts": 1, "report_path": format!("{reports}/xyz789__planning.json"),
            "started_at": "2025-01-15T10:00:05.000000Z", "ended_at": "2025-01-15T10:02:30.000000Z",
            "artifacts": ["PLAN.md"], "logs": ["Created development plan"],
        })),
        "coding": step(json!({
            "status": "FAILED", "attempts": 2, "report_path": format!("{reports}/xyz789__coding.json"),
            "started_at": "2025-01-15T10:02:35.000000Z", "ended_at": "2025-01-15T10:15:45.000000Z",
            "last_error": "Agent process exited with code 1: SyntaxError in generated code", "logs": logs,
        })),
    });
    let (created, updated) = ("2025-01-15T10:00:00.000000Z", "2025-01-15T10:15:45.000000Z");
    assert_eq!(flow.view(), run("xyz789", "workflow", repo, created, updated, steps));
}

const APPROVAL: &str = "
name: workflow
steps:
  - {id: code_review, agent: reviewer, prompt: review.md}
  - {id: manual_approval, agent: approver, prompt: approve.md, needs: [code_review], human_in_the_loop: true}
";

fn approval() -> Run {
    let options = Options { pause_for_human_input: true, ..Options::default() };
    let repo = "/Users/operator/projects/mobile-app";
    let mut flow = Run::created("hij456", repo, APPROVAL, options, "2025-01-15T12:00:00Z");
    flow.at("2025-01-15T12:10:00Z").drive();
    flow.pause();
    let end = completed(&["code_review_report.md"], &["Found 3 medium-severity issues requiring review"]);
    let end = with_metrics(end, json!({"issues_found": 3, "severity": "medium"}));
    flow.at("2025-01-15T12:15:30Z").end("code_review", end);
    flow.at("2025-01-15T12:15:35Z").resume();
    flow.at("2025-01-15T12:30:00Z").end("manual_approval", completed(&["x"], &["y"]));
    flow
}

#[test]
fn a_step_that_waits_for_a_person() {
    let flow = approval();
    let repo = "/Users/operator/projects/mobile-app";
    let directory = format!("{repo}/.agents/runs/hij456");
    let steps = json!({
        "code_review": step(json!({
            "status": "COMPLETED", "attempts": 1, "report_path": format!("{directory}/reports/hij456__code_review.json"),
            "started_at": "2025-01-15T12:10:00.000000Z", "ended_at": "2025-01-15T12:15:30.000000Z",
            "artifacts": ["code_review_report.md"], "metrics": {"issues_found": "3", "severity": "medium"},
            "logs": ["Found 3 medium-severity issues requiring review"],
        })),
        "manual_approval": step(json!({
            "status": "WAITING_ON_HUMAN", "attempts": 1, "started_at": "2025-01-15T12:15:35.000000Z",
            "manual_input_path": format!("{directory}/manual_inputs/hij456__manual_approval.json"),
        })),
    });
    let (created, updated) = ("2025-01-15T12:00:00.000000Z", "2025-01-15T12:30:00.000000Z");
    assert_eq!(flow.view(), run("hij456", "workflow", repo, created, updated, steps));
}

#[test]
fn a_step_that_a_person_approved_has_its_report() {
    let mut flow = approval();
    let input = piton_files::workflow::read_manual_input(b"{\"approved\": true}");
    let (step, digest) = ("manual_approval".into(), "d".to_owned());
    flow.command(Command::TakeManualInput { step, question: 1, digest, input });
    let view = flow.view();
    let approved = &view["steps"]["manual_approval"];
    assert_eq!(approved["status"], "COMPLETED");
    assert_eq!(approved["artifacts"], json!(["x"]));
    assert!(approved["report_path"].as_str().unwrap().ends_with("hij456__manual_approval.json"));
    assert!(approved["manual_input_path"].as_str().unwrap().ends_with("hij456__manual_approval.json"));
}

#[test]
fn a_blocked_step_names_the_step_that_sent_back() {
    let document = "
steps:
  - {id: coding, agent: a, prompt: p}
  - {id: code_review, agent: a, prompt: p, needs: [coding], loop_back_to: coding}
  - {id: ship, agent: a, prompt: p, needs: [code_review]}
";
    let mut flow = Run::created("r1", "/r", document, Options::default(), "2025-01-15T12:00:00Z");
    flow.drive();
    flow.end("coding", completed(&[], &["x"]));
    flow.end("code_review", gate_failed("no"));
    let view = flow.view();
    assert_eq!(view["steps"]["ship"]["blocked_by_loop"], "code_review");
    assert_eq!(view["steps"]["coding"]["blocked_by_loop"], Value::Null);
    assert_eq!(view["steps"]["coding"]["iteration_count"], 1);
}

#[test]
fn the_file_has_the_looks_that_its_readers_know() {
    let flow = approval();
    let bytes = render(&flow.state, &flow.place);
    let text = String::from_utf8(bytes.clone()).unwrap();
    assert!(text.starts_with("{\n  \"run_id\": \"hij456\",\n  \"workflow_name\": \"workflow\",\n"));
    assert!(text.ends_with("}\n"));
    let fields = [
        "status",
        "attempts",
        "iteration_count",
        "report_path",
        "started_at",
        "ended_at",
        "last_error",
        "artifacts",
        "metrics",
        "logs",
        "manual_input_path",
        "blocked_by_loop",
    ];
    let places: Vec<usize> =
        fields.iter().map(|name| text.find(&format!("\n      \"{name}\": ")).unwrap()).collect();
    assert!(places.is_sorted(), "{places:?}");
    assert!(text.find("\"code_review\"").unwrap() < text.find("\"manual_approval\"").unwrap());
    assert_eq!(bytes, render(&flow.state, &flow.place), "equal states are equal bytes");
}
