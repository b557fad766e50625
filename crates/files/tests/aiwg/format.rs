//! The format: what a typical run looks like, and where it says nothing rather than something made up.

use piton_files::aiwg::{History, loop_id, render};
use piton_model::loop_machine::{
    Chosen, Coverage, GuardMode, Measures, Open, ReportStatus, Share, TestCounts, TreeCounts,
};
use piton_model::{State, Status};
use serde_json::{Value, json};

use crate::schema;
use crate::support::{Run, START, context};
use crate::walk::Dice;

fn value(state: &State, history: &History) -> Value {
    schema::state(render(state, 9, history, &context()).bytes())
}

#[test]
fn a_run_that_was_only_created_looks_like_this() {
    let run = Run::created("Fix_Tests", GuardMode::Block);
    let mut text = String::from_utf8(run.view().bytes().to_vec()).unwrap();
    let digest = text.rfind("\"digest\": \"").unwrap() + "\"digest\": \"".len();
    text.replace_range(digest..digest + 64, "DIGEST");
    insta::assert_snapshot!(text, @r#"
    {
      "version": "2.0.0",
      "loop_id": "ralph-fix-tests-0b992cf6",
      "status": "running",
      "iteration": 0,
      "task": "Fix all type errors",
      "completion_criteria": "the agent reports done, the tree has changed, and `make test`, `make lint` pass",
      "started_at": "2026-02-15T12:03:20.123Z",
      "last_updated": "2026-02-15T12:03:20.123Z",
      "owner": "piton",
      "working_directory": "/home/someone/app",
      "configuration": {
        "max_iterations": 100000,
        "timeout_minutes": 307445734561825,
        "interactive": false,
        "auto_test": true,
        "checkpoint_interval": 1,
        "execution_mode": "default"
      },
      "progress": {
        "completion_checks": []
      },
      "metrics": {
        "total_iterations": 0,
        "successful_iterations": 0,
        "failed_iterations": 0,
        "total_tokens": 0,
        "total_cost_usd": 0.0,
        "total_duration_seconds": 0
      },
      "iteration_history": [],
      "regression_events": [],
      "reinforcement_level": "MINIMAL",
      "reinforcement_history": [
        {"timestamp":"2026-02-15T12:03:20.123Z","iteration":1,"from_level":"OFF","to_level":"MINIMAL","reason":"Loop initialization"}
      ],
      "recovery_attempts": 0,
      "recovery_history": [],
      "detection_enabled": true,
      "detected_patterns": [],
      "piton": {
        "run_id": "Fix_Tests",
        "seq": 1,
        "status": "created",
        "digest": "DIGEST"
      }
    }
    "#);
}

#[test]
fn both_names_of_a_run_are_in_its_file() {
    let run = Run::created("Fix_Tests", GuardMode::Block);
    let view = value(run.state(), &run.history);
    assert_eq!(view["loop_id"], loop_id(&run.id()));
    assert_eq!(view["piton"]["run_id"], "Fix_Tests");
    let own = Run::created("ralph-fix-tests-a1b2c3d4", GuardMode::Block);
    assert_eq!(value(own.state(), &own.history)["loop_id"], "ralph-fix-tests-a1b2c3d4");
}

#[test]
fn every_status_has_its_word() {
    let mut run = Run::worked("r", 2);
    for (status, word) in [
        (Status::Created, "running"),
        (Status::Running, "running"),
        (Status::Waiting, "paused"),
        (Status::Paused, "paused"),
        (Status::Rebooting, "running"),
        (Status::Stopped, "aborted"),
        (Status::Completed, "completed"),
        (Status::Failed, "failed"),
    ] {
        run.set(status);
        let view = value(run.state(), &run.history);
        assert_eq!(view["status"], word);
        assert_eq!(view["piton"]["status"], status.as_str(), "our own word is kept beside it");
        assert_eq!(view["detection_enabled"], !["aborted", "completed", "failed"].contains(&word));
    }
}

#[test]
fn the_checks_after_an_agent_said_that_it_is_done_are_the_final_check() {
    let mut run = Run::created("r", GuardMode::Block);
    let choice =
        |number: u32| (number ^ 0x5bd1).wrapping_mul(0x2c1b_3c6d).rotate_left(15).wrapping_mul(0x297a_2d39);
    let choices: Vec<u32> = (0..100_000).map(choice).collect();
    let mut dice = Dice::new(&choices);
    let reports_done = |state: &State| {
        let report = state.work.ended.as_ref().filter(|ended| !ended.refused)?.report.as_ref()?;
        (matches!(state.work.open, Some(Open::Checks(_))) && report.status == Some(ReportStatus::Done))
            .then_some(())
    };
    while reports_done(run.state()).is_none() || run.state().status != Status::Running {
        assert!(!dice.is_empty(), "no agent says that it is done");
        run.step(&mut dice);
    }
    assert_eq!(value(run.state(), &run.history)["status"], "completing");
}

#[test]
fn what_a_baseline_must_have_and_nobody_knows_is_0_and_named_as_unknown() {
    let mut run = Run::worked("r", 2);
    let baseline = run.walk.state.seen.baseline.as_mut().unwrap();
    baseline.measures = Measures {
        tests: Some(TestCounts {
            passed: 148,
            failed: 1,
            skipped: 1,
            complete: true,
            ..TestCounts::default()
        }),
        type_errors: Some(12),
        tree: Some(TreeCounts { files: 80, lines: 15_000, tests: 150, assertions: 300 }),
        ..Measures::default()
    };
    let shown = value(run.state(), &run.history);
    assert_eq!(shown["baseline_metrics"]["test_count"], 150);
    assert_eq!(shown["baseline_metrics"]["coverage_percentage"], 0.0);
    assert_eq!(shown["piton"]["unknown"], json!(["baseline_metrics.coverage_percentage"]));
    let baseline = run.walk.state.seen.baseline.as_mut().unwrap();
    baseline.measures.coverage =
        Some(Coverage { lines: Some(Share { covered: 85, total: 100 }), ..Coverage::default() });
    let shown = value(run.state(), &run.history)["baseline_metrics"].clone();
    assert_eq!(shown["test_count"], 150);
    assert_eq!(shown["coverage_percentage"], 85.0);
    assert_eq!((&shown["typescript_errors"], &shown["file_count"]), (&json!(12), &json!(80)));
    assert!(shown.get("lint_errors").is_none(), "nobody counted them");
    assert!(value(run.state(), &run.history)["piton"].get("unknown").is_none());
}

#[test]
fn what_a_person_chose_is_the_best_and_says_why() {
    let mut run = Run::worked("r", 6);
    let found = value(run.state(), &run.history)["best_iteration"].clone();
    let reason = found["selection_reason"].as_str().unwrap().to_owned();
    assert!(reason.starts_with("Highest quality score ("), "{reason}");
    let iteration = if found["iteration"] == 2 { 3 } else { 2 };
    run.walk.state.people.chosen =
        Some(Chosen { iteration, reason: "it reads better".to_owned(), at: START });
    let view = value(run.state(), &run.history);
    let best = &view["best_iteration"];
    assert_eq!(best["iteration"], iteration);
    assert_eq!(best["selection_reason"], "Chosen by a person: it reads better");
    assert_eq!(best["quality_score"], view["iteration_history"][iteration as usize - 1]["quality_score"]);
    let path = best["snapshot_path"].as_str().unwrap();
    assert_eq!(path, view["iteration_history"][iteration as usize - 1]["snapshot_path"]);
    assert_eq!(path, run.iteration_path(iteration));
}

#[test]
fn a_sum_that_not_everybody_added_to_is_left_out() {
    let mut run = Run::worked("r", 3);
    run.walk.state.counters.tokens_unknown = 1;
    run.walk.state.counters.cost_unknown = 0;
    run.walk.state.counters.cost_microusd = 1_500_000;
    let metrics = value(run.state(), &run.history)["metrics"].clone();
    assert!(metrics.get("total_tokens").is_none());
    assert_eq!(metrics["total_cost_usd"], 1.5);
}

#[test]
fn numbers_about_the_guard_are_measured_or_absent() {
    let mut run = Run::created("r", GuardMode::Block);
    assert!(value(run.state(), &run.history).get("persistence_metrics").is_none());
    run.walk.state.seen.latencies_ms = (1..=100).collect();
    run.walk.state.counters.guard_ms = 5_050;
    run.walk.state.counters.working_ms = 101_000;
    let shown = value(run.state(), &run.history)["persistence_metrics"].clone();
    assert_eq!(shown["detection_latency_p95_ms"], 95);
    assert_eq!(shown["integration_overhead_percentage"], 5.0);
    assert!(shown.get("false_positive_rate").is_none(), "nobody looked at a finding yet");
    run.walk.state.counters.detections = 4;
    run.walk.state.people.marks = [("a".to_owned(), true), ("b".to_owned(), false)].into();
    let shown = value(run.state(), &run.history)["persistence_metrics"].clone();
    assert_eq!((&shown["false_positive_rate"], &shown["true_positive_count"]), (&json!(0.25), &json!(1)));
}
