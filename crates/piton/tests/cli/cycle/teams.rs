//! Teams of one's own, as `docs/cycles.md` has them, and the settings of `[cycle]`.

use std::path::Path;

use serde_json::json;

use super::{start, state, status, world};
use crate::common::World;

/// The nth block of TOML of the page.
fn block(number: usize) -> String {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/cycles.md");
    let page = std::fs::read_to_string(page).unwrap();
    let block = page.split("```toml\n").nth(number).expect("a block").split("```").next().unwrap();
    block.to_owned()
}

fn team(settings: &str) -> World {
    let world = world();
    world.write(".gitignore", &format!("{}piton.toml\n", super::IGNORED));
    world.configure(settings);
    world
}

const TEAM: &str = "case $PITON_ROLE in writer) echo x >> code.txt; echo n > $PITON_ROLE_DIR/notes.md ;; \
                    reviewer) echo r > $PITON_ROLE_DIR/review.md ;; security) echo s > $PITON_ROLE_DIR/security.md ;; esac\n";

#[test]
fn a_team_of_two_runs_as_the_page_has_it() {
    let world = team(&block(1));
    world.write("do.writer", TEAM);
    world.write("do.reviewer", TEAM);
    start(&world, 2, &[]).exits(0);
    let roles = status(&world)["roles"].clone();
    assert_eq!((&roles[0]["name"], &roles[1]["name"]), (&json!("writer"), &json!("reviewer")));
    assert_eq!(status(&world)["iteration"], 2);
    assert!(world.read("prompt.reviewer").contains("writer/notes.md"));
    let feedback = state(&world)["coordination"]["feedback_log"][0].clone();
    assert_eq!((&feedback["source"], &feedback["target"]), (&json!("reviewer"), &json!("writer")));
    assert!(world.path(".workflow/.cycle/c1.progress/writer/notes.md").exists());
}

#[test]
fn a_fifth_role_works_between_developer_and_validator() {
    let world = team(&block(2));
    world.write("do.security", TEAM);
    let ran = start(&world, 1, &[]).exits(0);
    let order: Vec<usize> = ["cd ", "security ", "vas "]
        .iter()
        .map(|role| ran.out.find(&format!("\n {role}")).unwrap())
        .collect();
    assert!(order[0] < order[1] && order[1] < order[2], "{}", ran.out);
}

#[test]
fn a_team_that_cannot_work_is_refused() {
    let world = team("[cycle]\nteam = ['a']\n[cycle.roles.a]\nafter = ['a']\n");
    assert!(start(&world, 1, &[]).exits(2).err.contains("waits for itself"));
    let world = team("[cycle]\nteam = ['cdd']\n");
    assert!(start(&world, 1, &[]).exits(2).err.contains("did you mean `cd`"));
    let world = team("[cycle.roles.extra]\ntitle = 'x'\n");
    assert!(start(&world, 1, &[]).exits(2).err.contains("is in no team"));
}

#[test]
fn the_template_of_a_role_can_be_another() {
    let world = team("[cycle.roles.cd]\nprompt = 'mine.md'\n");
    world.write("mine.md", "Build {{task}} for {{role}}, iteration {{iteration}}.\n");
    start(&world, 1, &[]).exits(0);
    assert!(
        world.read("prompt.cd").starts_with("Build Implement OAuth for cd, iteration 1."),
        "{}",
        world.read("prompt.cd")
    );
    assert!(world.piton(&["cycle", "prompt", "cd"]).exits(0).out.contains("# Code developer"));
}
