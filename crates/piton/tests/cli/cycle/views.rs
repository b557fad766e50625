//! What roles leave in the places that piton writes to: each time the rest is written, nothing is lost, and somebody is told.

use serde_json::{Value, json};

use super::{start, state, world};
use crate::common::World;

/// Below the progress of the cycle.
fn progress(world: &World, name: &str) -> String {
    world.read(&format!(".workflow/.cycle/c1.progress/{name}"))
}

/// The errors that are on record, as `phase: error`.
fn errors(world: &World) -> Vec<String> {
    let found = state(world);
    let all = found["phase_errors"].as_array().unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    all.iter().map(|error| format!("{}: {}", text(&error["phase"]), text(&error["error"]))).collect()
}

#[test]
fn what_is_no_file_in_the_place_of_one_is_moved_aside_and_the_rest_is_written() {
    let world = world();
    // In one step, since piton may write what was taken away before something else is in its place.
    let below = "P=.workflow/.cycle/c1.progress; C=$P/coordination; X=$PITON_ROLE_DIR/.x\n\
                 put() { until mv -T $X \"$1\" 2>/dev/null; do rm -rf \"$1\"; done; }\n";
    let does = |role: &str, what: &str| world.write(&format!("do.{role}"), &format!("{below}{what}\n"));
    does("ra", "ln -s /etc/hostname $X; put $P/ra/edge-cases.md; mkdir $X; put $P/ra/changes.log");
    does("ep", "mkdir $X; put .workflow/.cycle/c1.json");
    does("cd", "mkdir -p ../elsewhere; ln -s $PWD/../elsewhere $X; put $P/ep");
    does("vas", "mkfifo $X; put $P/vas/test-results.json; mkdir $X; put $C/timeline.md");
    let ran = start(&world, 1, &[]).exits(0);
    assert!(!ran.err.contains("were not written"), "{}", ran.err);
    let found = state(&world);
    assert_eq!((&found["status"], &found["current_phase"]), (&json!("completed"), &json!("complete")));
    assert!(progress(&world, "ra/edge-cases.md").contains("- timeouts"));
    assert!(progress(&world, "ra/changes.log").contains("requirements.md"));
    assert!(progress(&world, "ep/exploration.md").contains("code.txt"));
    assert!(progress(&world, "vas/test-results.json").contains("\"passed\""));
    let timeline = progress(&world, "coordination/timeline.md");
    assert!(timeline.contains("ra completed") && timeline.contains("converged"), "{timeline}");
    let outside = world.shell("ls ../elsewhere").exits(0).out;
    assert_eq!(outside, "", "a link is never followed");
    let errors = errors(&world);
    for (phase, name) in [
        ("ra", "ra/edge-cases.md.foreign-"),
        ("ra", "ra/changes.log.foreign-"),
        ("ep", "c1.json.foreign-"),
        ("cd", "c1.progress/ep.foreign-"),
        ("vas", "vas/test-results.json.foreign-"),
        ("vas", "coordination/timeline.md.foreign-"),
    ] {
        let said = errors.iter().filter(|error| error.contains(name));
        assert_eq!(said.clone().count(), 1, "{name}: {errors:#?}");
        assert!(said.clone().all(|error| error.starts_with(&format!("{phase}: "))), "{name}: {errors:#?}");
    }
    world.piton(&["cycle", "rebuild", "c1"]).exits(0);
    world.shell("rm .workflow/.cycle/c1.progress/coordination/feedback.md && mkdir .workflow/.cycle/c1.progress/coordination/feedback.md").exits(0);
    let rendered = world.piton(&["cycle", "rebuild", "c1"]).exits(0);
    assert!(rendered.err.contains("feedback.md.foreign-"), "{}", rendered.err);
    assert!(progress(&world, "coordination/feedback.md").starts_with("# Feedback"));
}

#[test]
fn a_file_that_moved_was_created_in_one_place_and_deleted_in_the_other() {
    let world = world();
    let first = "printf 'a\\nb\\nc\\nd\\n' > old.txt";
    world.write(
        "do.cd",
        &format!("if test $PITON_ITERATION = 1; then {first}; else mv old.txt new.txt; fi\n"),
    );
    start(&world, 1, &[]).exits(0);
    world.piton(&["cycle", "extend", "c1", "Move it"]).exits(0);
    let log = progress(&world, "cd/changes.log");
    let lines = log.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let actions: Vec<(String, String)> = lines
        .filter(|line| line["file"].as_str().is_some_and(|file| file.ends_with(".txt") && file != "code.txt"))
        .map(|line| (line["file"].as_str().unwrap().to_owned(), line["action"].as_str().unwrap().to_owned()))
        .collect();
    let expected = [("old.txt", "create"), ("old.txt", "delete"), ("new.txt", "create")];
    assert_eq!(actions, expected.map(|(file, action)| (file.to_owned(), action.to_owned())), "{log}");
    assert_eq!(state(&world)["changes"]["total_files"], 3);
}

#[test]
fn a_line_that_a_role_wrote_onto_the_board_says_who_and_when() {
    let world = world();
    let line = r#"{"type":"utility","data":{"name":"n","file":"f","usage":"u"}}"#;
    world.write("do.cd", &format!("echo '{line}' >> $PITON_ROLE_DIR/../coordination/discoveries.ndjson\n"));
    let ran = start(&world, 1, &[]).exits(0);
    let board = progress(&world, "coordination/discoveries.ndjson");
    let lines: Vec<Value> = board.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((lines.len(), &lines[0]["agent"]), (1, &json!("cd")), "{board}");
    assert!(lines[0]["ts"].as_str().is_some_and(|at| at.ends_with("+08:00")), "{board}");
    assert!(!ran.err.contains("discoveries"), "{}", ran.err);
    assert!(errors(&world).is_empty(), "{:?}", errors(&world));
}

#[test]
fn what_a_role_leaves_where_nobody_looks_is_said() {
    let world = world();
    world.write(
        "do.cd",
        "P=$PITON_ROLE_DIR/..; mkdir $P/zz; echo e > $P/zz/x; echo e > $P/ra/history/requirements-v0.9.0.md; echo e > $P/coordination/notes.txt\n",
    );
    start(&world, 1, &[]).exits(0);
    let errors = errors(&world).join("\n");
    for name in ["zz/x", "ra/history/requirements-v0.9.0.md", "coordination/notes.txt"] {
        assert!(errors.contains(name), "{name}: {errors}");
    }
    assert!(errors.lines().all(|error| error.starts_with("cd: ")), "{errors}");
}

#[test]
fn edge_cases_of_the_requirements_count_where_their_own_file_lists_none() {
    let world = world();
    world.write(
        "do.ra",
        "printf '# R\\n\\n## Edge Cases\\n\\n- one\\n- two\\n' > $PITON_ROLE_DIR/requirements.md\n\
         printf '# Edge cases\\n\\nProse only.\\n' > $PITON_ROLE_DIR/edge-cases.md\n\
         printf 'PHASE_RESULT:\\n- phase: ra\\n- status: completed\\n'; exit 0\n",
    );
    start(&world, 1, &[]).exits(0);
    assert_eq!(state(&world)["requirements"]["edge_cases"], json!(["one", "two"]));
}

#[test]
fn one_line_that_is_no_json_leaves_the_others_of_its_log_alone() {
    let world = world();
    world.write(
        "do.cd",
        "printf '{\"issue_id\":\"BUG-001\"}\\nno json\\n{\"issue_id\":\"BUG-002\"}\\n' >> $PITON_ROLE_DIR/debug-log.ndjson\n",
    );
    start(&world, 1, &[]).exits(0);
    assert_eq!(
        progress(&world, "cd/debug-log.ndjson"),
        "{\"issue_id\":\"BUG-001\"}\n{\"issue_id\":\"BUG-002\"}\n"
    );
    let errors = errors(&world);
    assert!(
        errors.len() == 1 && errors[0].starts_with("cd: `debug-log.ndjson`: a line that is no JSON"),
        "{errors:?}"
    );
    let kept = world.shell("cat .workflow/.cycle/c1.progress/cd/debug-log.ndjson.foreign-*").exits(0).out;
    assert_eq!(kept, "no json\n");
}

#[test]
fn what_was_written_into_the_file_of_a_cycle_at_rest_stops_nothing_that_is_asked_for_later() {
    for word in ["failed", "paused"] {
        let world = world();
        start(&world, 1, &[]).exits(0);
        world
            .shell(&format!(
                "sed -i 's/^  \"status\": \"completed\"/  \"status\": \"{word}\"/' .workflow/.cycle/c1.json"
            ))
            .exits(0);
        world.piton(&["cycle", "extend", "c1", "More"]).exits(0);
        let found = state(&world);
        assert_eq!(
            (&found["status"], &found["current_iteration"]),
            (&json!("completed"), &json!(2)),
            "{word}"
        );
    }
}
