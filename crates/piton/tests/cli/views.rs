//! `.ralph/state.json`: a view that `jq` can read, rendered again at will, never in the way of somebody's file.

use super::common::World;

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
fn views_can_be_turned_off() {
    let world = World::new();
    world.configure("[views]\nralph = false\n");
    world.loops("v", "touch b.txt", &["--check", RED]).exits(0);
    assert!(!world.path(".ralph").exists());
}
