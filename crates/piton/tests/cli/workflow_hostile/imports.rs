//! Run directories that another tool is said to have left.

use serde_json::{Value, json};

use super::{ESCAPES, Place, says};

fn state(step: Value) -> Value {
    json!({"run_id": "r1", "workflow_name": "w", "repo_dir": "/", "reports_dir": "/etc", "manual_inputs_dir": "../..",
        "created_at": "x", "updated_at": ESCAPES, "steps": {"a": step, "b": {"status": "PENDING"}}})
}

fn left(bytes: impl AsRef<[u8]>) -> Place {
    let place = Place::new();
    place.put("w.yaml", "name: w\nsteps:\n- {id: a, run: 'echo a'}\n- {id: b, run: 'echo b', needs: [a]}\n");
    place.put(".agents/runs/r1/run_state.json", bytes);
    place
}

#[test]
fn a_state_that_is_none_is_refused_and_stays() {
    let good = state(json!({"status": "COMPLETED"}));
    let text = good.to_string();
    let other = |run: &str| json!({"run_id": run, "workflow_name": "w", "steps": {}}).to_string();
    for (name, bytes, words) in [
        ("nested", "[".repeat(1_000_000), "not a run state"),
        ("nothing", String::new(), "not a run state"),
        ("NaN", text.replace("\"/etc\"", "NaN"), "not a run state"),
        (
            "a surrogate",
            text.replace("\"/etc\"", "\"\\ud800\"").replace("reports_dir", "run_id"),
            "not a run state",
        ),
        ("twice", text.replace("\"run_id\"", "\"run_id\":\"r1\",\"run_id\""), "not a run state"),
        ("large", text.clone() + &" ".repeat(9 << 20), "it is larger than"),
        ("another run", other("../../etc/x"), "its `run_id` is `../../etc/x`, not `r1`"),
        ("a NUL", other("a\u{0}b"), "its `run_id` is `a\\0b`, not `r1`"),
        ("a word", state(json!({"status": "done"})).to_string(), "step `a`: unknown variant"),
        (
            "no count",
            state(json!({"status": "FAILED", "attempts": -1})).to_string(),
            "step `a`: invalid value",
        ),
        (
            "the most",
            state(json!({"status": "PENDING", "attempts": u32::MAX})).to_string(),
            "its `attempts` is more than 1000",
        ),
        (
            "outside",
            state(json!({"status": "COMPLETED", "artifacts": ["/etc/passwd"]})).to_string(),
            "outside of the repository",
        ),
    ] {
        let place = left(&bytes);
        says(name, &place.run(&[]), &[2], words);
        assert_eq!(place.world.read(".agents/runs/r1/run_state.json"), bytes, "{name}");
    }
}

#[test]
fn what_is_strange_in_a_state_does_no_harm() {
    let strange = json!({"status": "COMPLETED", "attempts": 1000, "iteration_count": 1000, "last_error": "x".repeat(1 << 20),
        "started_at": "-9999999-01-01T00:00:00Z", "ended_at": ESCAPES, "logs": [ESCAPES], "metrics": {ESCAPES: ESCAPES},
        "report_path": "/etc/passwd", "manual_input_path": "/etc/passwd"});
    let place = left(state(strange).to_string());
    place.run(&[]).exits(0);
    place.look_around();

    let mut many = state(json!({"status": "RUNNING"}));
    let steps = many["steps"].as_object_mut().unwrap();
    steps.extend((0..100_000).map(|n| (format!("../s{n}"), json!({"status": "COMPLETED"}))));
    let place = left(many.to_string());
    place.run(&[]).exits(0);
    let events = place.world.events("r1");
    assert_eq!(
        events[0]["data"]["inherited"]["steps"].as_array().unwrap().len(),
        2,
        "only what the workflow knows"
    );
}
