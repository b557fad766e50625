//! Reading the view back: another tool's run, and a person's edit.

use piton_files::workflow::{Edits, ImportError, edits, import, render};
use piton_model::workflow::*;
use serde_json::{Value, json};

use crate::support::{Run, completed};

const DOCUMENT: &str = "
name: workflow
steps:
  - {id: planning, agent: planner, prompt: plan.md}
  - {id: coding, agent: coder, prompt: code.md, needs: [planning]}
  - {id: approval, agent: a, prompt: p.md, needs: [planning], human_in_the_loop: true}
";

fn definition() -> Definition {
    piton_files::workflow::read("w.yaml", DOCUMENT.as_bytes()).unwrap().0
}

fn half_done() -> Run {
    let options = Options { max_attempts: 1, ..Options::default() };
    let mut run = Run::created("f8c1a491", "/repo", DOCUMENT, options, "2025-01-15T12:00:00Z");
    run.drive();
    run.end("planning", completed(&["PLAN.md"], &["x"]));
    run.pause();
    run.end("coding", crate::support::ended(None));
    run.end("approval", completed(&[], &["x"]));
    run
}

fn edited(run: &Run, change: impl FnOnce(&mut Value)) -> Result<Edits, ImportError> {
    let mut view: Value = serde_json::from_slice(&render(&run.state, &run.place)).unwrap();
    change(&mut view);
    edits(&run.state, &run.place, &serde_json::to_vec(&view).unwrap())
}

#[test]
fn a_run_of_another_tool_is_continued() {
    let found = json!({
        "run_id": "abc", "workflow_name": "workflow", "repo_dir": "/r", "reports_dir": "/r/x",
        "manual_inputs_dir": "/r/y", "created_at": "2025-01-15T12:00:00.000000Z",
        "updated_at": "2025-01-15T12:00:00.000000Z",
        "steps": {
            "planning": {"status": "COMPLETED", "attempts": 1, "iteration_count": 0, "report_path": "/r/p.json",
                "started_at": "2025-01-15T12:00:01.500000Z", "ended_at": null, "last_error": null,
                "artifacts": ["PLAN.md"], "metrics": {"n": 1}, "logs": ["x"], "manual_input_path": null,
                "blocked_by_loop": null, "notified_failure": false, "loop_index": 0},
            "coding": {"status": "RUNNING", "attempts": 1, "iteration_count": 2},
            "approval": {"status": "WAITING_ON_HUMAN", "attempts": 1},
        },
    });
    let definition = definition();
    let imported =
        import(&serde_json::to_vec(&found).unwrap(), &"abc".parse().unwrap(), &definition).unwrap();
    assert_eq!((imported.run_id.as_str(), imported.workflow_name.as_str()), ("abc", "workflow"));
    let options = Options { pause_for_human_input: true, ..Options::default() };
    let order =
        Order { run: "abc".parse().unwrap(), definition, options, inherited: Some(imported.inherited) };
    let now = piton_model::Timestamp::from_millis(1_800_000_000_000);
    let state = apply(None, &create(order).unwrap(), now).unwrap();
    let place = piton_files::workflow::RunPlace::new("/r", "abc".parse().unwrap());
    let mut run = Run { state, now, place };
    run.drive();
    let status = |step: &str| run.state.step(&step.into()).unwrap().status;
    assert_eq!(status("planning"), StepStatus::Completed);
    assert_eq!(status("coding"), StepStatus::Running, "what ran there is run again here");
    assert_eq!(run.state.step(&"coding".into()).unwrap().iteration_count, 2);
    assert_eq!(status("approval"), StepStatus::WaitingOnHuman, "the person is asked here");
    assert_eq!(run.state.step(&"planning".into()).unwrap().artifacts, ["PLAN.md"]);
}

#[test]
fn a_moment_without_a_zone_is_meant_in_utc() {
    let created = |text: &str| {
        let found = json!({"run_id": "a", "workflow_name": "workflow", "created_at": text, "steps": {}});
        import(found.to_string().as_bytes(), &"a".parse().unwrap(), &definition()).unwrap()
    };
    for text in ["2025-01-15T12:00:00.123456", "2025-01-15 12:00:00.123", "2025-01-15T12:00:00.123Z"] {
        let imported = created(text);
        assert_eq!(
            imported.inherited.created_at,
            Some("2025-01-15T12:00:00.123Z".parse().unwrap()),
            "{text}"
        );
        assert_eq!(imported.left_out, [""; 0], "{text}");
    }
    assert!(created("yesterday").left_out[0].contains("is no time"));
}

#[test]
fn what_is_no_run_state_is_refused() {
    let malformed = |text: &str| match import(text.as_bytes(), &"a".parse().unwrap(), &definition()) {
        Err(ImportError::Malformed(why)) => why,
        other => panic!("{text}: {other:?}"),
    };
    for text in ["", "{}", "[]"] {
        malformed(text);
    }
    for (wrong, why) in [
        (r#""status":"DONE""#, "unknown variant"),
        (r#""status":"FAILED","attempts":4294967295"#, "its `attempts` is more than 1000"),
        (r#""status":"FAILED","iteration_count":1001"#, "its `iteration_count` is more than 1000"),
        (r#""status":"FAILED","artifacts":["../x"]"#, "its artifact `../x` is outside of the repository"),
        (r#""status":"FAILED","artifacts":["a\u0000"]"#, "outside of the repository"),
    ] {
        let text = format!(r#"{{"run_id":"a","workflow_name":"w","steps":{{"coding":{{{wrong}}}}}}}"#);
        assert!(malformed(&text).contains(why), "{text}: {}", malformed(&text));
        let strange = text.replace("coding", "of another workflow");
        assert!(import(strange.as_bytes(), &"a".parse().unwrap(), &definition()).is_ok(), "{strange}");
    }
}

#[test]
fn the_state_of_another_run_is_refused() {
    let text = r#"{"run_id":"../b","workflow_name":"w","steps":{}}"#;
    let refused = import(text.as_bytes(), &"a".parse().unwrap(), &definition()).unwrap_err();
    assert_eq!(refused.to_string(), "its `run_id` is `../b`, not `a`");
}

#[test]
fn a_status_that_somebody_edited_is_read_back() {
    let run = half_done();
    assert_eq!(edited(&run, |_| {}), Ok(Edits::default()));
    let found = edited(&run, |view| view["steps"]["coding"]["status"] = json!("PENDING"));
    let statuses = vec![Edit { step: "coding".into(), status: StepStatus::Pending }];
    assert_eq!(found, Ok(Edits { statuses, ..Edits::default() }));
}

#[test]
fn any_other_edit_is_named_by_its_place_beside_the_statuses() {
    let run = half_done();
    let others = |edit: fn(&mut Value)| {
        let found = edited(&run, edit).unwrap();
        assert_eq!(found.statuses, [], "{:?}", found.others);
        found.others
    };
    assert_eq!(others(|view| view["steps"]["coding"]["attempts"] = json!(0)), ["steps.coding.attempts"]);
    let impossible = |word: &str| {
        let found = edited(&run, |view| view["steps"]["coding"]["status"] = json!(word)).unwrap();
        assert_eq!((found.statuses.len(), found.others.len()), (0, 0), "{found:?}");
        found.impossible
    };
    assert_eq!(impossible("DONE"), ["step `coding` cannot be `DONE`: that is no status"]);
    assert_eq!(impossible("WAITING_ON_HUMAN"), ["step `coding` cannot be WAITING_ON_HUMAN: it asks nobody"]);
    assert_eq!(
        others(|view| view["steps"]["coding"]["metrics"] = json!({"a": "1"})),
        ["steps.coding.metrics"]
    );
    assert_eq!(others(|view| view["mine"] = json!(null)), ["mine"], "a field that says nothing is one, too");
    let dropped = others(|view| drop(view["steps"].as_object_mut().unwrap().remove("coding")));
    assert_eq!(dropped, ["steps.coding"]);
    let both = edited(&run, |view| {
        view["steps"]["coding"]["status"] = json!("SKIPPED");
        view["updated_at"] = json!("now");
    });
    let statuses = vec![Edit { step: "coding".into(), status: StepStatus::Skipped }];
    assert_eq!(both, Ok(Edits { statuses, others: vec!["updated_at".to_owned()], ..Edits::default() }));
}

#[test]
fn nothing_is_adopted_from_what_is_no_state_of_the_run() {
    let run = half_done();
    let foreign = edited(&run, |view| view["run_id"] = json!("x"));
    assert!(matches!(foreign, Err(ImportError::Foreign { .. })), "{foreign:?}");
    assert!(matches!(edits(&run.state, &run.place, b"{"), Err(ImportError::Malformed(_))));
}
