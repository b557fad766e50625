//! Work of a workflow that is done once: whatever vanishes under it, and whatever tidies up after it.

use super::common::{World, eventually};
use super::workflow::{run, world};

/// Counts how often it is begun, loses everything that its attempt left, and stays until it is ended.
const LOSES_ITS_ATTEMPT: &str = r#"echo start >> "$BESIDE/starts"; rm -rf .piton/attempts; exec sleep 60"#;

fn starts(world: &World) -> usize {
    std::fs::read_to_string(world.beside("starts")).unwrap_or_default().lines().count()
}

/// Every record that something is to begin is followed by one start at most, also after a resume.
fn begun_once_per_record(world: &World, kind: &str) {
    assert_eq!(starts(world), 1);
    assert_eq!(world.count("r1", kind), 1);
    world.piton(&["resume", "r1"]).exits(7);
    assert_eq!((starts(world), world.count("r1", kind)), (2, 2), "a new try is on record");
}

#[test]
fn a_step_whose_attempt_vanishes_is_not_begun_again_without_a_record() {
    let world = world(&format!("name: w\nsteps: [{{id: a, run: '{LOSES_ITS_ATTEMPT}'}}]\n"));
    let ran = world.piton(&["run", "w.yaml", "--run-id", "r1"]).exits(7);
    assert!(ran.out.contains("vanished while the attempt ran"), "{}", ran.out);
    assert!(!(ran.out + &ran.err).contains("was not written by piton"), "nobody edited anything");
    begun_once_per_record(&world, "step_started");
}

#[test]
fn an_iteration_whose_attempt_vanishes_is_not_begun_again_without_a_record() {
    let world = World::new();
    world.loops("r1", LOSES_ITS_ATTEMPT, &["--here", "--until", "done"]).exits(7);
    begun_once_per_record(&world, "attempt_started");
}

#[test]
fn work_is_not_begun_again_where_all_but_the_journal_is_taken_away() {
    let taken = "rm -rf .piton/attempts .piton/leases .piton/anchors .piton/drivers";
    let step = LOSES_ITS_ATTEMPT.replace("rm -rf .piton/attempts", taken);
    let workflow = world(&format!("name: w\nsteps: [{{id: a, run: '{step}'}}]\n"));
    let ran = workflow.piton(&["run", "w.yaml", "--run-id", "r1"]).exits(7);
    assert!(ran.err.contains("was deleted or replaced while it was in use"), "{}", ran.err);
    begun_once_per_record(&workflow, "step_started");
    let looped = World::new();
    looped.loops("r1", &step, &["--here", "--until", "done"]).exits(7);
    begun_once_per_record(&looped, "attempt_started");
}

#[test]
fn nothing_works_on_for_a_journal_that_is_gone() {
    let step = r#"echo $$ > "$BESIDE/pid"; rm -f .piton/journal.db*; exec sleep 300"#;
    let ended = |world: &World| {
        let alive = || world.shell(r#"kill -0 "$(cat "$BESIDE/pid")""#).code == 0;
        eventually("what the run had at work has ended", || !alive());
    };
    let workflow = world(&format!("name: w\nsteps: [{{id: a, run: '{step}'}}]\n"));
    workflow.piton(&["run", "w.yaml", "--run-id", "r1"]).exits(7);
    ended(&workflow);
    let looped = World::new();
    looped.loops("r1", step, &["--here", "--until", "done"]).exits(7);
    ended(&looped);
}

#[test]
fn nothing_works_on_for_a_journal_that_was_emptied() {
    let step = r#"echo $$ > "$BESIDE/pid"; : > .piton/journal.db; exec sleep 300"#;
    let ended = |world: &World, ran: super::common::Ran| {
        let ran = ran.exits(6);
        assert!(!ran.err.contains("nothing is lost") && ran.err.contains("piton repair"), "{}", ran.err);
        let alive = || world.shell(r#"kill -0 "$(cat "$BESIDE/pid")""#).code == 0;
        eventually("what the run had at work has ended", || !alive());
    };
    let workflow = world(&format!("name: w\nsteps: [{{id: a, run: '{step}'}}]\n"));
    ended(&workflow, workflow.piton(&["run", "w.yaml", "--run-id", "r1"]));
    let looped = World::new();
    ended(&looped, looped.loops("r1", step, &["--here", "--until", "done"]));
}

#[test]
fn a_state_directory_that_was_taken_away_is_not_made_anew() {
    // Nothing is there to be moved into when it is brought back; early in a run as well as later.
    for pause in ["", "sleep 1; "] {
        let step = format!(r#"{pause}mv .piton "$BESIDE/aside"; exec sleep 60"#);
        let world = world(&format!("name: w\nsteps: [{{id: a, run: '{step}'}}]\n"));
        world.piton(&["run", "w.yaml", "--run-id", "r1"]).exits(7);
        assert!(!world.path(".piton").exists(), "{}", world.shell("find .piton").out);
        world.shell(r#"mv "$BESIDE/aside" .piton"#).exits(0);
        world.piton(&["status", "r1"]).exits(0);
    }
}

#[test]
fn a_file_of_a_finished_run_that_somebody_deletes_is_there_again_for_the_next_look() {
    for look in [&["status", "r1"][..], &["wait", "r1"], &["resume", "r1"]] {
        let world = world("name: w\nsteps: [{id: a, run: 'true'}]\n");
        world.piton(&["run", "w.yaml", "--run-id", "r1"]).exits(0);
        let file = ".agents/runs/r1/run_state.json";
        let before = world.read(file);
        std::fs::remove_file(world.path(file)).unwrap();
        world.piton(look);
        assert_eq!(world.read(file), before, "{look:?}");
    }
}

#[test]
fn a_run_that_the_clean_up_put_away_is_not_discarded() {
    let world = world("name: w\nsteps: [{id: a, run: 'echo deployed >> deployed'}]\n");
    world.piton(&["run", "w.yaml", "--run-id", "release", "--quiet"]).exits(0);
    world.write("other.yaml", "steps: [{id: a, run: 'true'}]\n");
    for number in 0..11 {
        world.piton(&["run", "other.yaml", "--run-id", &format!("n{number}"), "--quiet"]).exits(0);
    }
    assert!(!world.path(".agents/runs/release").exists(), "its directory went into the archive");
    let screen = world.piton(&["status", "release"]).exits(0).out;
    assert!(screen.contains("removed by the clean-up") && !screen.contains("discarded"), "{screen}");
    let refused = world.piton(&["run", "w.yaml", "--run-id", "release"]).exits(2);
    assert!(refused.err.contains("run `release` is completed"), "{}", refused.err);
    assert_eq!(world.read("deployed"), "deployed\n");
    // Whoever wants a step done again says so, and its directory is there again.
    world.piton(&["run", "w.yaml", "--run-id", "release", "--start-at-step", "a"]).exits(0);
    assert!(world.path(".agents/runs/release/run_state.json").exists());
    // What a person deletes is discarded as ever.
    world.shell("rm -r .agents/runs/release").exits(0);
    let ran = world.piton(&["run", "w.yaml", "--run-id", "release"]).exits(0);
    assert!(ran.err.contains("begins anew: its directory was deleted"), "{}", ran.err);
}

#[test]
fn one_line_of_a_report_is_not_held_against_it() {
    let world = world("name: w\nsteps: [{id: a, agent: x, prompt: do.md, max_attempts: 1}]\n");
    let lists = [r#""ran pytest","...","3 passed""#, r#""""#, r#""changed the tag","<div>","TODO""#];
    for (number, logs) in lists.into_iter().enumerate() {
        world.write("says.a", &format!(r#""status":"COMPLETED","logs":[{logs}]"#));
        let id = format!("r{number}");
        world.piton(&["run", "w.yaml", "--wrapper", "wrapper.sh", "--run-id", &id]).exits(0);
    }
}

#[test]
fn a_report_is_read_as_its_schema_says() {
    let schema = World::new().json(&["schema", "run-report"]);
    let required: Vec<&str> =
        schema["required"].as_array().unwrap().iter().filter_map(|it| it.as_str()).collect();
    assert!(required.contains(&"started_at") && required.contains(&"ended_at"), "{required:?}");
    // Of a failure the words count, whatever else is missing.
    let world = world("name: w\nsteps: [{id: a, run: 'sh report.sh', max_attempts: 1}]\n");
    world.write(
        "report.sh",
        r#"printf '{"schema":"run_report@v0","run_id":"r1","step_id":"a","agent":"","status":"FAILED","logs":["why"]}' > "$REPORT_PATH""#,
    );
    let ran = world.piton(&["run", "w.yaml", "--run-id", "r1"]).exits(1);
    assert!(ran.out.contains("step `a`: why"), "{}", ran.out);
    // What lies in the repository may be named by its whole path.
    let world = self::world("name: w\nsteps: [{id: a, agent: x, prompt: do.md, max_attempts: 1}]\n");
    let path = world.path("out/plan.md").canonicalize().unwrap_or_else(|_| world.path("out/plan.md"));
    world.write("says.a", &format!(r#""status":"COMPLETED","artifacts":["{}"]"#, path.display()));
    run(&world, &[]).exits(0);
    assert_eq!(world.json(&["status", "r1"])["steps"][0]["artifacts"][0], "out/plan.md");
}

#[test]
fn the_files_of_a_run_may_be_read_as_those_beside_them() {
    use std::os::unix::fs::PermissionsExt;
    let world = world("name: w\nsteps: [{id: a, run: 'touch theirs'}]\n");
    world.piton(&["run", "w.yaml", "--run-id", "r1"]).exits(0);
    let mode = |path: &str| world.path(path).metadata().unwrap().permissions().mode();
    assert_eq!(mode(".agents/runs/r1/run_state.json"), mode("theirs"));
}

#[test]
fn a_file_that_is_behind_is_rendered_by_whoever_looks() {
    let world = world("name: w\nsteps: [{id: a, run: 'true', human_in_the_loop: true}]\n");
    world.piton(&["run", "w.yaml", "--run-id", "r1", "--pause-for-human-input"]).exits(4);
    let path = ".agents/runs/r1/run_state.json";
    let before = world.read(path);
    world.piton(&["stop", "r1"]).exits(0);
    let after = world.read(path);
    assert_ne!(after, before, "whoever changes a run at rest renders it");
    // As if whoever stopped it had been killed before the file was there.
    world.write(path, &before);
    world.piton(&["status", "r1"]).exits(0);
    assert_eq!(world.read(path), after, "so does whoever looks");
}
