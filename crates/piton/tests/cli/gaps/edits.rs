//! People, editors and git beside piton.

use std::os::unix::fs::PermissionsExt;

use super::{FILE, NOW, audit, gaps, ledger};

#[test]
fn an_edit_by_hand_is_adopted_with_its_flips() {
    let world = ledger();
    gaps(&world, &["check", "teams"]).exits(0);
    let edited = world.read("gaps.yaml").replace("status: verified", "status: blocked")
        + "- {id: new, category: hand}\n";
    world.write("gaps.yaml", &edited);
    let listed = world.json(&["gaps", "list", "--now", NOW]);
    assert_eq!(
        (listed[0]["status"].as_str(), listed[3]["id"].as_str()),
        (Some("blocked"), Some("new")),
        "seen at once"
    );
    assert_eq!(audit(&world), "", "but reading writes nothing");
    gaps(&world, &["check", "legal"]).exits(0);
    assert_eq!(audit(&world), "[2026-02-15T12:00:00+00:00] pricing: verified -> blocked (Edited by hand)\n");
    let log = gaps(&world, &["log", "--gap", "pricing"]).exits(0).out;
    assert!(log.contains("pricing: edited in the file: status"), "{log}");
}

#[test]
fn a_checkout_takes_back_what_was_written_and_that_is_on_record() {
    let world = ledger();
    world.git(&["add", "gaps.yaml"]);
    world.git(&["commit", "-q", "-m", "ledger"]);
    gaps(&world, &["verify", "teams"]).exits(0);
    world.git(&["checkout", "-q", "--", "gaps.yaml"]);
    gaps(&world, &["check", "legal"]).exits(0);
    assert_eq!(
        audit(&world).lines().last().unwrap(),
        "[2026-02-15T12:00:00+00:00] teams: verified -> unknown (Edited by hand)"
    );
    assert!(
        !world.git(&["status", "--porcelain"]).contains(".piton"),
        "piton's own files make no tree dirty"
    );
}

#[test]
fn a_file_that_somebody_broke_is_not_touched_until_it_is_sound_again() {
    let world = ledger();
    gaps(&world, &["check", "teams"]).exits(0);
    let sound = world.read("gaps.yaml");
    world.write("gaps.yaml", &(sound.clone() + "- id: [\n"));
    gaps(&world, &["verify", "teams"]).exits(1);
    assert_eq!(world.read("gaps.yaml"), sound.clone() + "- id: [\n");
    world.write("gaps.yaml", &sound);
    gaps(&world, &["verify", "teams"]).exits(0);
}

#[test]
fn the_mode_of_the_file_is_kept() {
    let world = ledger();
    std::fs::set_permissions(world.path("gaps.yaml"), std::fs::Permissions::from_mode(0o640)).unwrap();
    gaps(&world, &["check", "teams"]).exits(0);
    assert_eq!(std::fs::metadata(world.path("gaps.yaml")).unwrap().permissions().mode() & 0o777, 0o640);
}

#[test]
fn add_import_export_and_remove_go_round() {
    let world = crate::common::World::new();
    gaps(&world, &["add", "pricing", "--category", "market", "priority=5", "question=What does it cost?"])
        .exits(0);
    assert_eq!(
        world.read("gaps.yaml"),
        "gaps:\n- id: pricing\n  category: market\n  priority: 5\n  question: What does it cost?\n"
    );
    gaps(&world, &["add", "pricing", "--category", "market"]).exits(1);
    world.write("more.yaml", FILE);
    assert_eq!(gaps(&world, &["import", "more.yaml"]).exits(0).out, "2 gaps added\n");
    let exported = gaps(&world, &["export"]).exits(0).out;
    world.write("again.yaml", &exported);
    assert_eq!(gaps(&world, &["export", "--file", "again.yaml"]).exits(0).out, exported);
    gaps(&world, &["remove", "teams"]).exits(1);
    gaps(&world, &["remove", "legal"]).exits(0);
    gaps(&world, &["remove", "teams"]).exits(0);
    assert_eq!(world.json(&["gaps", "list"]).as_array().unwrap().len(), 1);
}

#[test]
fn what_piton_does_not_know_is_exported_too() {
    let world = crate::common::World::new();
    let file =
        "# ours\nowner: ann\ngaps:\n- id: pricing\n  category: market\n  severity: high\n  tags: [a, 1]\n";
    world.write("gaps.yaml", file);
    assert_eq!(gaps(&world, &["export"]).exits(0).out, file);
    let exported: serde_json::Value =
        serde_json::from_str(&gaps(&world, &["export", "--format", "json"]).exits(0).out).unwrap();
    assert_eq!(exported["owner"], "ann");
    assert_eq!(exported["gaps"][0]["severity"], "high");
    assert_eq!(exported["gaps"][0]["tags"], serde_json::json!(["a", 1]));
    assert_eq!(exported["gaps"][0]["category"], "market");
}

#[test]
fn an_editor_is_opened_on_the_file_and_what_it_saves_is_adopted() {
    let world = ledger();
    let ran = world
        .piton_with(
            &[("EDITOR", "sed -i s/unknown/x/;sed -i 's/priority: 5/priority: 1/'")],
            &["gaps", "edit"],
        )
        .exits(0);
    assert!(ran.out.contains("3 gaps"), "{}", ran.out);
    assert_eq!(world.json(&["gaps", "show", "teams"])["priority"], 1);
    world.piton(&["gaps", "edit"]).exits(2);
}

#[test]
fn an_agent_may_look_but_not_decide_what_is_known() {
    let world = ledger();
    let agent = r#""$PITON_BIN" gaps list > list.txt; "$PITON_BIN" gaps verify teams 2> refused.txt; true"#;
    world.loops("agent", agent, &["--until", "file:refused.txt", "--max-iterations", "2"]).exits(0);
    assert!(world.read("list.txt").contains("pricing"));
    assert!(world.read("refused.txt").contains("this is for people"), "{}", world.read("refused.txt"));
}
