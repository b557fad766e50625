//! A run at rest that somebody changes: its files, its hooks and people hear of it, although nobody drives it.

use serde_json::Value;

use super::common::{WAITS, World, eventually};
use super::servers::Web;

const RED: &str = "test=test -f b.txt";
const ASKS: &str = r#"echo '{"status":"blocked","reason":"which colour?"}' > $PITON_REPORT"#;
const TELLS: &str = "[notify]\ndebounce = \"0s\"\nmin_interval = \"0s\"\n\
    [notify.channels.told]\ntype = \"logfile\"\npath = \".piton/told.log\"\n\
    [notify.triggers]\nloop_paused = true\nloop_completed = true\n";

fn json(world: &World, path: &str) -> Value {
    serde_json::from_str(&world.read(path)).unwrap()
}

fn lines(world: &World, name: &str) -> Vec<String> {
    let text = std::fs::read_to_string(world.beside(name)).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

#[test]
fn who_stops_a_run_at_rest_shows_and_tells_that() {
    let world = World::new();
    std::fs::create_dir(world.path(".aiwg")).unwrap();
    world.configure(&format!(
        "{TELLS}[hooks.end]\npoints = [\"loop_end\"]\ncommand = \"echo $PITON_HOOK_POINT >> $BESIDE/ended\"\n"
    ));
    let on_done = "echo $PITON_STATUS >> $BESIDE/done";
    world.loops("r", ASKS, &["--check", RED, "--on-done", on_done]).exits(4);
    assert_eq!(json(&world, ".ralph/state.json")["core"]["status"], "paused");
    assert_eq!(lines(&world, "ended"), [""; 0], "it has not ended yet");
    assert_eq!(json(&world, ".aiwg/ralph/registry.json")["total_active"], 1);

    world.piton(&["stop", "r"]).exits(0);
    world.piton(&["wait", "r"]).exits(4);
    assert_eq!(json(&world, ".ralph/state.json")["core"]["status"], "stopped");
    assert_eq!(json(&world, ".aiwg/ralph/registry.json")["total_active"], 0);
    assert_eq!(lines(&world, "ended"), ["loop_end"]);
    eventually("the command of --on-done ran", || lines(&world, "done") == ["waiting", "stopped"]);
    eventually("people are told", || world.read(".piton/told.log").contains("loop_paused"));

    world.loops("next", "touch b.txt", &["--check", RED]).exits(0);
    let view = json(&world, ".ralph/state.json");
    assert_eq!((&view["loop_id"], &view["core"]["status"]), (&"next".into(), &"completed".into()));
}

#[test]
fn whoever_stops_a_run_now_is_what_its_hooks_are_told_of() {
    let hook =
        "[hooks.end]\npoints = [\"loop_end\"]\ncommand = \"echo $PITON_HOOK_POINT >> $BESIDE/ended\"\n";
    for stops in [&["answer", "r", "--abort"][..], &["stop", "r", "--now"]] {
        let world = World::configured(hook);
        world.loops("r", ASKS, &["--check", RED]).exits(4);
        world.piton(stops).exits(0);
        world.piton(&["wait", "r"]).exits(4);
        assert_eq!(lines(&world, "ended"), ["loop_end"], "{stops:?}");
    }
    let world = World::configured(hook);
    world.loops_behind("r", "sleep 60", &["--check", RED]);
    world.piton(&["stop", "r", "--now"]).exits(0);
    world.piton(&["wait", "r"]).exits(4);
    assert_eq!(lines(&world, "ended"), ["loop_end"]);
}

#[test]
fn the_same_without_hooks_needs_no_driver() {
    let world = World::configured(TELLS);
    let on_done = "echo $PITON_STATUS >> $BESIDE/done";
    world.loops("r", ASKS, &["--check", RED, "--on-done", on_done]).exits(4);
    let drivers = world.count("r", "driver_started");
    world.piton(&["stop", "r"]).exits(0);
    assert_eq!(json(&world, ".ralph/state.json")["core"]["status"], "stopped");
    assert!(world.read(".piton/told.log").contains("loop_paused"), "{}", world.read(".piton/told.log"));
    assert_eq!(lines(&world, "done"), ["waiting", "stopped"]);
    assert_eq!(world.count("r", "driver_started"), drivers);
}

#[test]
fn what_is_said_about_a_finished_run_is_in_its_file() {
    let world = World::new();
    world.loops("r", "touch b.txt", &["--check", RED]).exits(0);
    world.piton(&["note", "r", "colour", "--set", "colour=\"blue\""]).exits(0);
    assert_eq!(json(&world, ".ralph/state.json")["custom"]["colour"], "blue");
}

#[test]
fn a_workflow_that_is_stopped_at_rest_says_so_in_its_file() {
    let world = World::configured(TELLS);
    world.write("w.yaml", "name: w\nsteps:\n  - {id: a, run: 'true', human_in_the_loop: true}\n");
    world.piton(&["run", "w.yaml", "--run-id", "r1", "--pause-for-human-input"]).exits(4);
    let before = json(&world, ".agents/runs/r1/run_state.json");
    world.piton(&["stop", "r1"]).exits(0);
    let after = json(&world, ".agents/runs/r1/run_state.json");
    assert_ne!(before["updated_at"], after["updated_at"]);
    assert!(world.read(".piton/told.log").contains("loop_paused"), "{}", world.read(".piton/told.log"));
}

/// What a driver leaves that dies between the record of the end and everything that follows from it.
fn forget_what_was_told(world: &World, run: &str) {
    std::fs::remove_file(world.path(&format!(".piton/told/{run}.json"))).unwrap();
    std::fs::remove_file(world.path(".piton/told.log")).unwrap();
}

#[test]
fn the_end_of_a_run_is_told_although_its_driver_died_before_it_could() {
    let world = World::configured(TELLS);
    world.loops("r", "touch b.txt", &["--check", RED]).exits(0);
    world.write("w.yaml", "name: w\nsteps:\n  - {id: a, run: 'true'}\n");
    let told = || std::fs::read_to_string(world.path(".piton/told.log")).unwrap_or_default();
    eventually("the driver has told it", || told().contains("loop_completed"));
    forget_what_was_told(&world, "r");
    eventually("whoever looks next tells it", || {
        world.piton(&["status", "r"]).exits(0);
        told().contains("loop_completed")
    });
    world.piton(&["status", "r"]).exits(0);
    assert_eq!(told().lines().count(), 1, "once: {}", told());

    world.piton(&["run", "w.yaml", "--run-id", "r1"]).exits(0);
    forget_what_was_told(&world, "r1");
    world.piton(&["status", "r1"]).exits(0);
    world.piton(&["status", "r1"]).exits(0);
    assert_eq!(told().lines().count(), 1, "once: {}", told());
}

#[test]
fn a_worker_tells_it_too() {
    let world = World::configured(TELLS);
    world.loops("r", "touch b.txt", &["--check", RED]).exits(0);
    let told = || std::fs::read_to_string(world.path(".piton/told.log")).unwrap_or_default();
    eventually("the driver has told it", || told().contains("loop_completed"));
    forget_what_was_told(&world, "r");
    eventually("a worker tells it", || {
        world.piton(&["worker", "--once"]).exits(0);
        told().contains("loop_completed")
    });
}

#[test]
fn what_a_workflow_had_to_say_is_sent_although_its_driver_died_while_sending() {
    let human = "name: w\nsteps:\n  - {id: a, run: 'true', human_in_the_loop: true}\n";
    for (workflow, more, trigger) in [
        ("name: w\nsteps:\n  - {id: a, run: 'true'}\n", &[][..], "loop_completed"),
        (human, &["--pause-for-human-input"], "attention_needed"),
    ] {
        let (world, web) = (World::new(), Web::answering(""));
        web.mute(true);
        world.configure(&format!(
            "[notify.channels.web]\ntype = \"webhook\"\nurl = \"{}\"\nmin_priority = \"low\"\n",
            web.url
        ));
        world.write("w.yaml", workflow);
        world.piton(&[&["run", "w.yaml", "--run-id", "r1", "--detach"], more].concat()).exits(0);
        eventually("the driver is about to tell it", || web.unanswered() > 0);
        web.mute(false);
        world.kill_driver("r1");
        world.piton(&["status", "r1"]).exits(0);
        assert_eq!(web.body()["trigger"], trigger);
        world.piton(&["status", "r1"]).exits(0);
        assert_eq!(web.rest().len(), 0, "once");
    }
}

#[test]
fn who_ended_a_loop_at_rest_is_heard_although_its_driver_died_over_it() {
    for stops in [&["answer", "r", "--abort"][..], &["stop", "r"]] {
        for goes_on in [&["resume", "r"][..], &["worker", "--once"]] {
            let world = World::configured(&format!(
                "[hooks.end]\npoints = [\"loop_end\"]\ncommand = 'echo end >> $BESIDE/ended; {WAITS}'\n"
            ));
            world.loops("r", ASKS, &["--check", RED]).exits(4);
            world.piton(stops).exits(0);
            eventually("its hooks are told", || lines(&world, "ended").len() == 1);
            world.kill_driver("r");
            world.open_gate();
            let waits = world.piton(&["wait", "r"]).exits(7);
            assert!(waits.err.contains("nothing drives run `r`"), "{}", waits.err);
            world.piton(goes_on).exits(if goes_on[0] == "resume" { 4 } else { 0 });
            eventually("it is stopped", || world.json(&["status", "r"])["status"] == "stopped");
            assert_eq!(world.count("r", "attempt_started"), 1, "{stops:?} {goes_on:?}");
            assert_eq!(json(&world, ".ralph/state.json")["core"]["status"], "stopped");
        }
    }
}

#[test]
fn what_several_say_at_once_about_a_run_at_rest_is_all_in_its_file() {
    let world = World::new();
    world.loops("r", "touch b.txt", &["--check", RED]).exits(0);
    for round in 0..5 {
        let notes: Vec<_> = (0..6)
            .map(|number| world.start(&["note", "r", "n", "--set", &format!("k{round}{number}=1")]))
            .collect();
        for note in notes {
            note.ends().exits(0);
        }
        let custom = &json(&world, ".ralph/state.json")["custom"];
        for number in 0..6 {
            assert_eq!(custom[format!("k{round}{number}")], 1, "{custom}");
        }
    }
}
