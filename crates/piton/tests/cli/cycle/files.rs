//! The files that the team shares.

use serde_json::{Value, json};

use super::{start, state, world};

#[test]
fn documents_are_archived_and_logs_only_grow() {
    let world = world();
    start(&world, 1, &[]).exits(0);
    world.piton(&["cycle", "extend", "c1", "Also add multi-factor authentication"]).exits(0);
    let file = |name: &str| world.read(&format!(".workflow/.cycle/c1.progress/{name}"));
    assert!(file("ra/requirements.md").contains("| Version | 1.1.0 |"), "{}", file("ra/requirements.md"));
    assert!(file("ra/history/requirements-v1.0.0.md").contains("Iteration 1"));
    let lines: Vec<Value> =
        file("cd/changes.log").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let changes: Vec<_> = lines.iter().filter(|line| line.get("file").is_some()).collect();
    assert_eq!(changes.len(), 2);
    assert_eq!((&changes[0]["action"], &changes[1]["action"]), (&json!("create"), &json!("modify")));
    let results: Value = serde_json::from_str(&file("vas/test-results.json")).unwrap();
    assert_eq!(results["version"], "1.1.0");
    assert!(file("coordination/timeline.md").contains("Also add multi-factor authentication"));
    assert!(file("coordination/summary.md").contains("c1"));
    let left: Vec<_> = std::fs::read_dir(world.path(".workflow/.cycle/c1.progress/coordination"))
        .unwrap()
        .filter_map(|entry| entry.unwrap().file_name().into_string().ok())
        .filter(|name| name.contains("foreign"))
        .collect();
    assert!(left.is_empty(), "nothing of piton's own is taken for somebody else's: {left:?}");
}

#[test]
fn every_time_has_the_offset_that_was_asked_for() {
    let world = world();
    start(&world, 1, &[]).exits(0);
    let found = state(&world);
    assert!(found["created_at"].as_str().unwrap().ends_with("+08:00"), "{}", found["created_at"]);
}

#[test]
fn tests_come_from_the_checks_and_not_from_the_role() {
    let world = world();
    world.write(
        "do.vas",
        "echo '{\"summary\":{\"total\":9,\"passed\":9}}' > $PITON_ROLE_DIR/test-results.json\n",
    );
    start(&world, 99, &["--max-iterations", "1"]).exits(3);
    let results: Value =
        serde_json::from_str(&world.read(".workflow/.cycle/c1.progress/vas/test-results.json")).unwrap();
    assert_eq!(results["summary"]["total"], 1, "{results}");
    let errors = state(&world)["phase_errors"].to_string();
    assert!(errors.contains("test-results.json"), "{errors}");
}

#[test]
fn a_cycle_is_rebuilt_from_its_progress_files_alone() {
    let world = world();
    start(&world, 2, &[]).exits(0);
    let journal = || -> Value {
        let shown = world.piton(&["show", "c1", "--json"]).exits(0).out;
        serde_json::from_str::<Value>(&shown).unwrap()["state"].take()
    };
    let (before, on_record) = (state(&world), journal());
    std::fs::remove_dir_all(world.path(".piton")).unwrap();
    std::fs::remove_file(world.path(".workflow/.cycle/c1.json")).unwrap();
    let log = world.path(".workflow/.cycle/c1.progress/cd/changes.log");
    let torn = format!("{}{{\"torn", std::fs::read_to_string(&log).unwrap());
    world.write(".workflow/.cycle/c1.progress/cd/changes.log", &torn);
    let ran =
        world.piton(&["cycle", "rebuild", "c1", "--exec", "sh agent.sh", "--check", "test=true"]).exits(0);
    assert!(ran.err.contains("not known: "), "{}", ran.err);
    let after = state(&world);
    for section in
        ["requirements", "exploration", "plan", "changes", "status", "current_iteration", "task_history"]
    {
        assert_eq!(before[section], after[section], "{section}");
    }
    let rebuilt = journal();
    for section in
        ["requirements", "exploration", "plan", "changes", "changed_files", "iteration_markers", "tests"]
    {
        assert!(!on_record[section].is_null(), "{section} is there");
        assert_eq!(on_record[section], rebuilt[section], "{section} is as in the journal that is lost");
    }
    assert!(after["phase_errors"][0]["error"].as_str().unwrap().contains("rebuilt"), "{after}");
    world.piton(&["cycle", "extend", "c1", "More"]).exits(0);
    assert_eq!(state(&world)["current_iteration"], 3);
    let unknown = world.piton(&["cycle", "rebuild", "c9"]).exits(2);
    assert!(unknown.err.contains("there is no cycle `c9`"), "{}", unknown.err);
}

#[test]
fn a_cycle_of_another_tool_is_imported_and_gone_on_with() {
    let world = world();
    start(&world, 1, &[]).exits(0);
    std::fs::remove_dir_all(world.path(".piton")).unwrap();
    let mut left = state(&world);
    left["status"] = json!("paused");
    world.write(".workflow/.cycle/c1.json", &left.to_string());
    let words = ["import", ".workflow/.cycle/c1.json", "--exec", "sh agent.sh", "--check", "test=true"];
    world.piton(&words).exits(0);
    let found = state(&world);
    assert_eq!(found["requirements"], left["requirements"]);
    assert_eq!(found["status"], "paused");
    world.piton(&["resume", "c1"]).exits(0);
    assert_eq!(state(&world)["current_iteration"], 2);
    assert_eq!(state(&world)["status"], "completed");
}

#[test]
fn a_cycle_that_failed_keeps_when_and_why_and_who_did_how_much() {
    let world = world();
    start(&world, 9, &["--max-iterations", "2"]).exits(3);
    let left = state(&world);
    let kept = |found: &Value| {
        let completed =
            ["ra", "ep", "cd", "vas"].map(|role| found["agents"][role]["iterations_completed"].clone());
        (found["status"].clone(), found["failure_reason"].clone(), found["completed_at"].clone(), completed)
    };
    assert_eq!(kept(&left).3, [1, 1, 2, 2].map(Value::from));
    let more = ["--exec", "sh agent.sh", "--check", "test=true"];
    for words in [&["import", ".workflow/.cycle/c1.json"][..], &["cycle", "rebuild", "c1"]] {
        std::fs::remove_dir_all(world.path(".piton")).unwrap();
        world.piton(&[words, &more].concat()).exits(0);
        assert_eq!(kept(&state(&world)), kept(&left), "{words:?}");
    }
}

#[test]
fn the_files_are_rendered_again_where_somebody_took_them_away() {
    let world = world();
    start(&world, 2, &[]).exits(0);
    let before = state(&world);
    let log = world.read(".workflow/.cycle/c1.progress/cd/changes.log");
    std::fs::remove_dir_all(world.path(".workflow")).unwrap();
    world.piton(&["cycle", "rebuild", "c1"]).exits(0);
    assert_eq!(state(&world), before);
    assert_eq!(world.read(".workflow/.cycle/c1.progress/cd/changes.log"), log);
}
