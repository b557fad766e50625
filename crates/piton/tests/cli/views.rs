//! `.ralph/state.json`: a view that `jq` can read, rendered again at will, never in the way of somebody's file.

use super::common::{WAITS, World, eventually};

const RED: &str = "test=test -f b.txt";
const VIEW: &str = ".ralph/state.json";

#[test]
fn a_loop_is_seen_in_its_file() {
    let world = World::new();
    world.loops("v", "touch b.txt", &["--check", RED]).exits(0);
    let view: serde_json::Value = serde_json::from_str(&world.read(VIEW)).unwrap();
    assert_eq!((&view["version"], &view["loop_id"]), (&1.into(), &"v".into()));
    assert_eq!((&view["core"]["status"], &view["core"]["iteration"]), (&"completed".into(), &1.into()));
}

#[test]
fn rebuild_renders_it_again_byte_for_byte() {
    let world = World::new();
    world.loops("v", "touch b.txt", &["--check", RED]).exits(0);
    let before = world.read(VIEW);
    std::fs::remove_file(world.path(VIEW)).unwrap();
    insta::assert_snapshot!(world.piton(&["rebuild", "v"]).exits(0).out, @"rendered <repo>/.ralph/state.json");
    assert_eq!(world.read(VIEW), before);
}

#[test]
fn a_file_of_somebody_else_is_moved_aside_and_said_so() {
    let world = World::new();
    std::fs::create_dir(world.path(".ralph")).unwrap();
    world.write(VIEW, "{\"mine\": true}\n");
    let ran = world.loops("v", "touch b.txt", &["--check", RED]).exits(0);
    assert!(
        ran.err.contains(".ralph/state.json was not written by piton, or was edited since, and now lies at "),
        "{}",
        ran.err
    );
    let aside = std::fs::read_dir(world.path(".ralph"))
        .unwrap()
        .flatten()
        .find(|entry| entry.file_name().to_string_lossy().starts_with("state.json.foreign-"));
    assert_eq!(std::fs::read_to_string(aside.unwrap().path()).unwrap(), "{\"mine\": true}\n");
}

#[test]
fn a_state_file_that_was_damaged_at_rest_is_named_when_its_run_goes_on() {
    let world = World::new();
    world.loops("v", "echo x >> a.txt", &["--check", RED, "--max-iterations", "1"]).exits(3);
    world.write(VIEW, "{\"version\": 1,");
    let ran = world.piton(&["resume", "v", "--max-iterations", "+1"]).exits(3);
    let said = "note: .ralph/state.json was not written by piton, or was edited since, and now lies at ";
    assert!(ran.err.contains(said), "{}", ran.err);
    assert_eq!(kept(&world, ".ralph", "state.json.foreign-").len(), 1);
    // What cannot be written is no reason not to go on.
    std::fs::remove_file(world.path(VIEW)).unwrap();
    std::fs::create_dir(world.path(VIEW)).unwrap();
    let ran = world.piton(&["resume", "v", "--max-iterations", "+1"]).exits(3);
    assert!(ran.err.contains("the state file was not written"), "{}", ran.err);
}

#[test]
fn what_a_report_does_not_say_of_the_objectives_stays_known() {
    let world = World::new();
    let reports = [
        r#"{"objectives":{"completed":["a"],"pending":["b","c"]}}"#,
        r#"{"objectives":{"completed":["b"]}}"#,
        r#"{"objectives":{"pending":["d"]}}"#,
        r#"{"objectives":{"pending":["a"]}}"#,
    ];
    for (number, report) in reports.iter().enumerate() {
        world.write(&format!("report.{}", number + 1), report);
    }
    let agent = "echo $PITON_ITERATION >> a.txt; cp report.$PITON_ITERATION $PITON_REPORT";
    let mut more = "1".to_owned();
    for expected in [("a", "b c"), ("a b", "c"), ("a b", "d"), ("b", "a")] {
        match more.as_str() {
            "1" => world.loops("v", agent, &["--check", RED, "--max-iterations", "1"]).exits(3),
            _ => world.piton(&["resume", "v", "--max-iterations", "+1"]).exits(3),
        };
        more = "+1".to_owned();
        let view: serde_json::Value = serde_json::from_str(&world.read(VIEW)).unwrap();
        let list = |name: &str| {
            let names = view["progress"][name].as_array().unwrap().iter().map(|name| name.as_str().unwrap());
            names.collect::<Vec<_>>().join(" ")
        };
        let seen = (list("completed_objectives"), list("pending_objectives"));
        assert_eq!((seen.0.as_str(), seen.1.as_str()), expected);
    }
}

#[test]
fn whoever_stops_a_run_or_waits_for_that_is_named_in_the_last_evaluation() {
    let world = World::configured("[stop]\nfailure = [{ type = \"user_signal\" }]\n");
    let view = || -> serde_json::Value { serde_json::from_str(&world.read(VIEW)).unwrap() };
    world.loops_behind("v", WAITS, &["--check", RED]);
    world.piton(&["stop", "v"]).exits(0);
    world.open_gate();
    world.piton(&["wait", "v"]).exits(1);
    let stop = &view()["stop_conditions"];
    assert_eq!(stop["condition_progress"]["user_signal"], 1.0, "{stop}");
    assert!(stop["last_evaluation"].as_str().unwrap().starts_with("user_signal holds"), "{stop}");

    let world = World::configured(
        "[stop]\nsuccess = [{ type = \"any\", conditions = [{ type = \"user_signal\" }] }]\n",
    );
    let view = || -> serde_json::Value { serde_json::from_str(&world.read(VIEW)).unwrap() };
    world.loops_behind("v", WAITS, &["--check", RED]);
    world.piton(&["stop", "v"]).exits(0);
    world.open_gate();
    world.piton(&["wait", "v"]).exits(4);
    let stop = &view()["stop_conditions"];
    let said = stop["last_evaluation"].as_str().unwrap().to_owned();
    assert!(said.starts_with("a person stopped it"), "{said}");
    assert_eq!(stop["condition_progress"]["user_signal"], 1.0, "{stop}");
}

#[test]
fn a_script_that_a_condition_names_barely_lies_in_the_tree() {
    let world =
        World::configured("[stop]\nsuccess = [{ type = \"custom_script\", script = \"enough.sh\" }]\n");
    world.write("enough.sh", "#!/bin/sh\ntest -e b.txt\n");
    world.shell("chmod +x enough.sh").exits(0);
    world.loops("v", "touch b.txt", &["--max-iterations", "2"]).exits(0);
}

/// The names below `.ralph` that start so, oldest first.
fn kept(world: &World, directory: &str, start: &str) -> Vec<String> {
    let entries = std::fs::read_dir(world.path(directory)).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut names: Vec<_> = names.filter(|name| name.starts_with(start)).collect();
    names.sort();
    names
}

#[test]
fn what_piton_puts_aside_is_no_work_of_the_agents() {
    let world = World::configured("[hooks.backup]\ntype = \"builtin\"\npoints = [\"post_iteration\"]\n");
    // The view is edited, too, and so long before the end of its attempt that it is due again then: piton moves the
    // edited one out of its way.
    let agent = "if [ $PITON_ITERATION = 2 ]; then echo mine > .ralph/state.json; sleep 1.1; fi";
    world.loops("idle", agent, &["--check", RED]).exits(3);
    assert_eq!(world.json(&["status", "idle"])["reason"], "no_progress");
    assert_eq!(world.json(&["show", "idle"])["state"]["counters"]["iterations"], 5);
    assert!(kept(&world, ".ralph/backups", "state_").len() >= 3, "backups were made");
    assert_eq!(kept(&world, ".ralph", "state.json.foreign-").len(), 1, "a file was moved aside");
    assert_eq!(world.json(&["show", "idle"])["state"]["seen"]["modified_files"], serde_json::json!([]));
}

#[test]
fn a_backup_that_the_agent_changes_is_no_work_and_no_truth() {
    let world = World::configured("[hooks.backup]\ntype = \"builtin\"\npoints = [\"post_iteration\"]\n");
    let agent =
        "for file in .ralph/backups/state_*; do test ! -e $file || echo $PITON_ITERATION >> $file; done";
    world.loops("hides", agent, &["--check", RED, "--max-iterations", "3"]).exits(3);
    let files = world.json(&["show", "hides"])["state"]["seen"]["modified_files"].to_string();
    // Git does not show them, so that nobody commits them by accident; and nothing is read from them.
    assert_eq!(files, "[]");
    assert!(!world.git(&["status", "--porcelain"]).contains(".ralph"), "the checkout stays clean");
    assert_eq!(world.json(&["show", "hides"])["state"]["counters"]["iterations"], 3);
}

#[test]
fn views_can_be_turned_off() {
    let world = World::configured("[views]\nralph = false\n");
    world.loops("v", "touch b.txt", &["--check", RED]).exits(0);
    assert!(!world.path(".ralph").exists());
}

#[test]
fn a_view_follows_although_what_happens_next_takes_long() {
    let world = World::configured("[loop]\nsession = \"continue\"\n");
    let agent = r#"touch f; echo '{"session_id":"S","context_usage_percent":90}' > $PITON_REPORT"#;
    // The view is rendered when the first iteration begins, so that what follows at once is too early for the next.
    let check = format!("c=test -e f || {{ sleep 1.2; exit 1; }}; {WAITS}; false");
    let began = std::time::Instant::now();
    let more = ["--check", &check, "--max-iterations", "1", "--detach"];
    world.loops("r", agent, &more).exits(0);
    eventually("the view says that a fresh session is due", || {
        std::fs::read_to_string(world.path(".ralph/state.json"))
            .is_ok_and(|view| view.contains("\"rebooting\""))
    });
    assert!(began.elapsed() < std::time::Duration::from_secs(20), "the interval is 30 seconds unless said");
    world.open_gate();
    world.piton(&["wait", "r"]).exits(3);
}
