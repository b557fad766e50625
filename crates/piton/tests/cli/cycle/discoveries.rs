//! The discovery board: what roles are told of it, what they add, what a wrong line does.

use serde_json::{Value, json};

use super::{start, state, world};

const BOARD: &str = ".workflow/.cycle/c1.progress/coordination/discoveries.ndjson";

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn what_a_role_finds_out_is_on_the_board_before_the_next_one_explores() {
    let world = world();
    let stack =
        r#"{"type":"tech_stack","data":{"language":"sh","framework":"none","test":"sh","build":"none"}}"#;
    let feature = r#"{"type":"existing_feature","data":{"name":"login","files":[],"summary":"by ra"}}"#;
    world.write(
        "do.ra",
        &format!("printf '%s\\n' '{stack}' '{feature}' '{feature}' > $PITON_ROLE_DIR/discoveries.ndjson\n"),
    );
    let again = feature.replace("by ra", "by ep");
    world.write("do.ep", &format!("cp $PITON_ROLE_DIR/../coordination/discoveries.ndjson count.board; echo '{again}' > $PITON_ROLE_DIR/discoveries.ndjson\n"));
    start(&world, 1, &[]).exits(0);
    let told = world.read("prompt.ra");
    assert!(told.contains("Nobody has found anything out yet"), "{told}");
    assert!(
        told.contains("tech_stack {language, framework, test, build}") && !told.contains("utility {"),
        "{told}"
    );
    assert!(world.read("prompt.ep").contains("Before you explore, read `"), "{}", world.read("prompt.ep"));
    assert_eq!(lines(&world.read("count.board")).len(), 2, "it was there when the planner began");
    let board = lines(&world.read(BOARD));
    let found: Vec<_> = board.iter().map(|line| (&line["agent"], &line["type"])).collect();
    assert_eq!(found, [(&json!("ra"), &json!("tech_stack")), (&json!("ra"), &json!("existing_feature"))]);
    assert_eq!(board[1]["data"]["summary"], "by ra", "each thing once");
    assert!(board[0]["ts"].as_str().unwrap().ends_with("+08:00"));
}

#[test]
fn a_line_that_a_role_writes_onto_the_board_itself_is_taken_and_a_wrong_one_is_said() {
    let world = world();
    let blocker = r#"{"ts":"2026-01-22T02:00:00Z","agent":"cd","type":"blocker","data":{"issue":"no key","severity":"high","impact":"login"}}"#;
    let script = format!(
        "board=$PITON_ROLE_DIR/../coordination/discoveries.ndjson\n\
         echo '{blocker}' >> $board; echo 'no json' >> $board; echo '{{\"type\":\"tech_stack\",\"data\":{{}}}}' >> $board\n"
    );
    world.write("do.cd", &script);
    let pattern = r#"{"type":"test_pattern","data":{"style":"s","naming":"n","fixtures":"f"}}"#;
    world.write("do.vas", &format!("echo '{pattern}' > $PITON_ROLE_DIR/discoveries.ndjson\n"));
    start(&world, 1, &[]).exits(0);
    let board = lines(&world.read(BOARD));
    let found: Vec<&Value> = board.iter().map(|line| &line["type"]).collect();
    assert_eq!(
        found,
        [&json!("blocker"), &json!("test_pattern")],
        "no line is lost, and none is there that says nothing"
    );
    let errors = state(&world)["phase_errors"].to_string();
    assert!(errors.contains("line 2 is no JSON"), "{errors}");
    assert!(errors.contains("`tech_stack` is written by ra, not by cd"), "{errors}");
    let beside = std::fs::read_dir(world.path(BOARD).parent().unwrap()).unwrap().flatten();
    let kept =
        beside.filter(|entry| entry.file_name().to_string_lossy().contains("discoveries.ndjson.foreign-"));
    let kept: String = kept.map(|entry| std::fs::read_to_string(entry.path()).unwrap()).collect();
    assert!(kept.contains("no json"), "what somebody wrote is kept beside: {kept}");
}

#[test]
fn a_newer_baseline_follows_the_older_and_nothing_is_taken_off_the_board() {
    let world = world();
    let line = r#"{\"type\":\"test_baseline\",\"data\":{\"total\":9,\"passing\":$PITON_ITERATION,\"coverage_pct\":1,\"framework\":\"f\",\"config\":\"c\"}}"#;
    world.write("do.vas", &format!("echo \"{line}\" > $PITON_ROLE_DIR/discoveries.ndjson\n"));
    start(&world, 2, &[]).exits(0);
    let passing: Vec<Value> =
        lines(&world.read(BOARD)).iter().map(|line| line["data"]["passing"].clone()).collect();
    assert_eq!(passing, [json!(1), json!(2)]);
}

#[test]
fn what_is_no_json_in_a_debug_log_is_said() {
    let world = world();
    let good = r#"{"issue_id":"BUG-001","file":"code.txt","hypothesis":"h","outcome":"confirmed"}"#;
    world.write(
        "do.cd",
        &format!("printf '%s\\n' '{good}' 'it was late' > $PITON_ROLE_DIR/debug-log.ndjson\n"),
    );
    start(&world, 1, &[]).exits(0);
    let errors = state(&world)["phase_errors"].to_string();
    assert!(errors.contains("`debug-log.ndjson`: a line that is no JSON does not count"), "{errors}");
    assert!(
        world
            .read(".workflow/.cycle/c1.progress/cd/debug-log.ndjson")
            .starts_with(good.split(',').next().unwrap())
    );
    assert!(world.read("prompt.cd").contains("debug-log.ndjson"), "the developer is told of it");
}
