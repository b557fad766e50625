//! `[vault] replicate`: whoever drives, the journal is replicated, and proven to be restorable.

use crate::common::{World, eventually};

fn world() -> World {
    let world = World::new();
    let place = world.beside("kept").display().to_string();
    world.configure(&format!("[vault]\nreplicate = '{place}'\n"));
    world
}

/// What was recorded comes to be proven at the place, and comes back from there.
fn arrives(world: &World, run: &str) {
    eventually("all of it is there, and proven", || {
        let replica = &world.json(&["status", run])["replica"];
        let is_proven =
            replica["restorable_to"].is_string() && replica["restorable_to"] == replica["shipped_to"];
        replica["behind_ms"].is_null() && is_proven
    });
    let status = world.piton(&["status", run]).exits(0).out;
    assert!(status.contains("replica  restorable to "), "{status}");
    let log = world.piton(&["log", run, "--json"]).exits(0).out;
    world.shell("rm -rf .piton .ralph .agents .workflow").exits(0);
    world.piton(&["backup", "restore", &world.beside("kept").display().to_string()]).exits(0);
    assert_eq!(world.piton(&["log", run, "--json"]).exits(0).out, log);
    world.piton(&["verify"]).exits(0);
}

#[test]
fn vault_replicate_acts_in_a_loop() {
    let world = world();
    world.loops("l", "echo x >> a.txt", &["--check", "never=false", "--max-iterations", "1"]).exits(3);
    arrives(&world, "l");
}

#[test]
fn vault_replicate_acts_in_a_workflow() {
    let world = world();
    world.write("w.yaml", "name: w\nsteps: [{id: a, run: 'true'}]\n");
    world.piton(&["run", "w.yaml", "--run-id", "w"]).exits(0);
    arrives(&world, "w");
}

#[test]
fn vault_replicate_acts_in_a_cycle() {
    let world = world();
    let agent = r#"cat > /dev/null; printf 'PHASE_RESULT:\n- status: completed\n'"#;
    world.piton(&["cycle", "start", "x", "--id", "c", "--exec", agent, "--check", "test=true"]).exits(0);
    arrives(&world, "c");
}

#[test]
fn vault_replicate_acts_in_a_ledger() {
    let world = world();
    world.piton(&["gaps", "add", "g", "--category", "c"]).exits(0);
    let listed = world.json(&["ls", "--all"]);
    let run = listed[0]["run_id"].as_str().unwrap().to_owned();
    arrives(&world, &run);
}
