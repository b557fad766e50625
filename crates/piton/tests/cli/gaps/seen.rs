//! A ledger among the runs: the commands that show any run show it, too.

use super::{gaps, ledger};
use crate::common::World;

/// A ledger with a journal, and its name.
fn begun() -> (World, String) {
    let world = ledger();
    gaps(&world, &["verify", "teams", "--findings", "Nine."]).exits(0);
    let listed = world.json(&["ls"]);
    let name = listed[0]["run_id"].as_str().unwrap().to_owned();
    assert_eq!((listed[0]["kind"].as_str(), listed[0]["status"].as_str()), (Some("ledger"), Some("waiting")));
    (world, name)
}

#[test]
fn the_status_says_what_is_known_what_is_open_and_what_to_do() {
    let (world, name) = begun();
    // `pricing` was verified long ago, `teams` not.
    let screen = world.piton(&["status", &name]).exits(0).out;
    for line in [
        "why      no research is under way; a ledger waits for time to pass",
        "do       piton gaps research",
        "3 gaps: ",
        "last     teams: verified, new findings (",
    ] {
        assert!(screen.contains(line), "{line}\n{screen}");
    }
    let status = world.json(&["status", &name]);
    assert_eq!(status["kind"], "ledger");
    assert_eq!(status["gaps"]["all"], 3);
    assert_eq!(status["next"], "piton gaps research");
    assert_eq!((&status["driver"], &status["exit_code"]), (&serde_json::Value::Null, &0.into()));
    assert!(status["open"].as_array().unwrap().contains(&"pricing".into()), "{status}");
    world.piton(&["wait", &name]).exits(0);
}

#[test]
fn an_edit_by_hand_is_seen_and_an_unsound_file_is_said() {
    let (world, name) = begun();
    world.write("gaps.yaml", &format!("{}- id: new\n  category: c\n", world.read("gaps.yaml")));
    assert_eq!(world.json(&["status", &name])["gaps"]["all"], 4);
    world.write("gaps.yaml", "gaps: [");
    let status = world.json(&["status", &name]);
    assert_eq!((&status["gaps"]["all"], &status["next"]), (&3.into(), &"piton gaps validate".into()));
    let screen = world.piton(&["status", &name]).exits(0).out;
    assert!(screen.contains("file     it is not sound"), "{screen}");
}

#[test]
fn why_show_log_and_report_tell_of_a_ledger_in_words() {
    let (world, name) = begun();
    let why = world.piton(&["why", &name]).exits(0).out;
    assert!(
        why.contains("waiting: no research is under way") && why.contains("not the cause: 0 gaps"),
        "{why}"
    );
    let log = world.piton(&["log", &name]).exits(0).out;
    for words in [
        "ledger of gaps.yaml, logged in gap_audit.log; findings hold 30 days",
        "pricing: added in the file; teams: added in the file; legal: added in the file",
        "teams: unknown -> verified (Verified by hand)",
        "1 flip logged",
    ] {
        assert!(log.contains(words), "{words}\n{log}");
    }
    let shown = world.json(&["show", &name]);
    assert_eq!((&shown["kind"], &shown["state"]["file"]), (&"ledger".into(), &"gaps.yaml".into()));
    assert_eq!(world.json(&["show", &name, "--at", "1"])["state"]["gaps"], serde_json::json!([]));
    let report = world.piton(&["report", &name]).exits(0).out;
    assert!(report.contains("# gaps.yaml") && report.contains("## teams\n\nNine."), "{report}");
    assert_eq!(world.json(&["report", &name])["file"], "gaps.yaml");
}

#[test]
fn what_only_a_loop_has_is_refused_by_name() {
    let (world, name) = begun();
    for words in [&["best", &name][..], &["diff", &name], &["pause", &name], &["resume", &name]] {
        let ran = world.piton(words).exits(2);
        assert!(ran.err.contains("is a ledger"), "{words:?}\n{}", ran.err);
    }
}
