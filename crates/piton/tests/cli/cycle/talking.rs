//! What roles say to people and to each other besides their results, and what they hear of it.

use serde_json::json;

use super::{count, start, state, status, world};
use crate::common::{World, eventually};

/// What the role `cd` reports by file, as its tools would, and it says nothing in its output.
fn reports(world: &World, report: &str) {
    world.write("do.cd", &format!("echo '{report}' > $PITON_REPORT; exec > /dev/null\n"));
}

#[test]
fn what_a_person_decides_and_resolves_is_in_the_prompts_that_follow() {
    let world = world();
    world.write("do.ra", "RESULT='completed\n- decision: Which provider | Google | GitHub'\n");
    world.write("do.cd", "if ! test -f count.unblocked; then RESULT='blocked\n- blockers: [no key]'; fi\n");
    start(&world, 1, &[]).exits(4);
    std::fs::remove_file(world.path("do.ra")).unwrap();
    world.piton(&["cycle", "decide", "c1", "DEC-001", "GitHub"]).exits(0);
    world.piton(&["wait", "c1"]).exits(4);
    let told = world.read("prompt.ep");
    assert!(told.contains("- DEC-001: Which provider. It is decided: GitHub"), "{told}");
    world.write("count.unblocked", "");
    let how = ["cycle", "blocker", "c1", "BLK-001", "--resolve", "the key is in the vault"];
    world.piton(&how).exits(0);
    world.piton(&["wait", "c1"]).exits(0);
    let told = world.read("prompt.cd");
    assert!(told.contains("- BLK-001: no key. It is resolved: the key is in the vault"), "{told}");
    let report = world.piton(&["report", "c1"]).exits(0).out;
    assert!(report.contains("- DEC-001, decided by user: Which provider: GitHub"), "{report}");
}

#[test]
fn who_reports_blocked_asks_a_person_and_no_other_role() {
    let world = world();
    reports(&world, r#"{"status":"blocked","reason":"may I drop the table?"}"#);
    start(&world, 1, &[]).exits(4);
    assert_eq!([count(&world, "ra"), count(&world, "cd")], [1, 1]);
    assert_eq!(status(&world)["waiting_for"], "blocker BLK-001");
    let error = state(&world)["phase_errors"].to_string();
    assert!(
        error.contains("it is blocked, and asks a person; a person is needed: `piton answer c1`"),
        "{error}"
    );
    std::fs::remove_file(world.path("do.cd")).unwrap();
    world.piton(&["answer", "c1", "BLK-001", "no, archive it"]).exits(0);
    world.piton(&["wait", "c1"]).exits(0);
    let told = world.read("prompt.cd");
    assert!(told.contains("- BLK-001: may I drop the table? It is resolved: no, archive it"), "{told}");
}

#[test]
fn what_a_role_records_reaches_those_after_it_and_the_report() {
    let world = world();
    let note = r#"{"kind":"finding","text":"the clock is wrong in the CI"}"#;
    reports(&world, &format!(r#"{{"status":"done","notes":[{note}],"custom":{{"port":8080}}}}"#));
    start(&world, 1, &[]).exits(0);
    let told = world.read("prompt.vas");
    assert!(told.contains("- finding (cd, iteration 1): the clock is wrong in the CI"), "{told}");
    assert!(!world.read("prompt.ep").contains("the clock is wrong"));
    let report = world.piton(&["report", "c1"]).exits(0).out;
    assert!(report.contains("- #1, cd, finding: the clock is wrong in the CI"), "{report}");
    let shown = world.piton(&["show", "c1", "--json"]).exits(0).out;
    let shown: serde_json::Value = serde_json::from_str(&shown).unwrap();
    assert_eq!(shown["state"]["custom"], json!({ "port": 8080 }), "{shown}");
}

#[test]
fn a_role_at_work_can_know_that_somebody_wants_a_pause_and_what_it_is_told() {
    let world = world();
    world.write("hold.cd", "");
    start(&world, 1, &["--detach"]).exits(0);
    eventually("the developer works", || world.path("held.cd").exists());
    let brief = || -> serde_json::Value {
        serde_json::from_str(&world.read(".piton/attempts/c1/brief-cd.json")).unwrap()
    };
    assert_eq!((&brief()["signal"], &brief()["told"]), (&json!("go_on"), &json!([])));
    world.piton(&["cycle", "feedback", "c1", "Mind the old users", "--to", "cd"]).exits(0);
    eventually("it can know", || brief()["told"] == json!(["user: Mind the old users"]));
    world.piton(&["pause", "c1"]).exits(0);
    eventually("it can know", || brief()["signal"] == "pause");
    std::fs::remove_file(world.path("hold.cd")).unwrap();
    world.piton(&["wait", "c1"]).exits(4);
}
