//! `piton schema`: what is printed is what the schemas say.

use serde_json::Value;

use super::common::World;

fn fits(world: &World, name: &str, value: &Value) {
    let schema: Value = serde_json::from_str(&world.piton(&["schema", name]).exits(0).out).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let problems: Vec<_> =
        validator.iter_errors(value).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert!(problems.is_empty(), "{name}: {problems:#?}\n{value:#}");
    // A schema that takes everything says nothing.
    assert!(!validator.is_valid(&Value::from(7)), "{name}");
}

#[test]
fn real_output_fits_the_schemas() {
    let world = World::new();
    world.loops("r", "touch b.txt", &["--check", "test=test -f b.txt"]).exits(0);
    fits(&world, "ls", &world.json(&["ls"]));
    fits(&world, "status", &world.json(&["status", "r"]));
    fits(&world, "show", &world.json(&["show", "r"]));
    fits(&world, "verify", &world.json(&["verify"]));
    fits(&world, "metrics", &world.json(&["metrics"]));
    fits(&world, "guard", &world.json(&["guard", "HEAD"]));
    for event in world.events("r") {
        fits(&world, "log", &event);
    }
    fits(&world, "ralph-state", &serde_json::from_str(&world.read(".ralph/state.json")).unwrap());
}

#[test]
fn every_published_format_is_described_and_printed() {
    let world = World::new();
    world.loops("r", "touch b.txt", &["--check", "test=test -f b.txt"]).exits(0);
    world.write("w.yaml", "name: w\nsteps: [{id: a, run: 'true'}, {id: b, run: 'true', needs: [a]}]\n");
    world.piton(&["run", "w.yaml", "--run-id", "w1"]).exits(0);
    world.piton(&["gaps", "add", "pricing", "--category", "market", "question=What does it cost?"]).exits(0);
    let exported = |arguments: &[&str]| -> Value {
        let ran = world.piton(&[&["export"], arguments].concat()).exits(0);
        serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{error}: {}", ran.out))
    };
    fits(&world, "ralph-state", &exported(&["r"]));
    fits(&world, "aiwg-state", &exported(&["r", "--format", "aiwg"]));
    fits(&world, "run-state", &exported(&["w1"]));
    assert_eq!(
        exported(&["w1"]),
        serde_json::from_str::<Value>(&world.read(".agents/runs/w1/run_state.json")).unwrap()
    );
    fits(&world, "gaps", &world.json(&["gaps", "export"]));
    let ledger = world.json(&["ls"]).as_array().unwrap().iter().find(|run| run["kind"] == "ledger").cloned();
    let ledger = ledger.unwrap()["run_id"].as_str().unwrap().to_owned();
    assert_eq!(world.piton(&["export", &ledger]).exits(0).out, world.read("gaps.yaml"));
    world.piton(&["export", "w1", "--format", "ralph"]).exits(2);
    world.piton(&["export", "r", "--format", "run-state"]).exits(2);
    exported(&["w1", "--format", "state"]);
}

#[test]
fn what_is_said_of_a_night_fits_the_schemas() {
    let world = World::new();
    world.write("TASKS.md", "- [ ] One\n- [ ] Two\n  - after: one\n");
    world.commit("list");
    world
        .piton(&[
            "loop",
            "--each",
            "TASKS.md",
            "--id",
            "q",
            "--check",
            "false",
            "--max-iterations",
            "1",
            "--exec",
            "touch b.txt",
        ])
        .exits(1);
    fits(&world, "queue", &world.json(&["queue", "list", "q"]));
    fits(&world, "morning", &world.json(&[]));
    fits(&world, "night", &world.json(&["night"]));
}

/// The extended format with everything in it: a regression, its recovery, patterns, marks.
#[test]
fn a_loop_with_a_setback_fits_the_extended_format_and_every_field_of_it_is_described() {
    let world = World::new();
    world.shell("mkdir .aiwg").exits(0);
    world.write("test_calc.py", "def test_add():\n    assert 2 + 3 == 5\n    assert 1 + 1 == 2\n");
    world.commit("calc");
    let agent = "case $PITON_ITERATION in 1) git rm -q -f test_calc.py;; 2) touch b.txt;; esac";
    let id = "ralph-calc-0123abcd";
    world.loops(id, agent, &["--check", "test=test -f b.txt"]).exits(0);
    let read =
        |path: &str| -> Value { serde_json::from_str(&world.read(&format!(".aiwg/ralph/{path}"))).unwrap() };
    let state = read(&format!("loops/{id}/state.json"));
    fits(&world, "aiwg-state", &state);
    fits(&world, "aiwg-iteration", &read(&format!("loops/{id}/iterations/iteration-001.json")));
    fits(&world, "aiwg-registry", &read("registry.json"));
    let schema: Value = serde_json::from_str(&world.piton(&["schema", "aiwg-state"]).exits(0).out).unwrap();
    let mut missing = Vec::new();
    described(&schema, &state, "", &mut missing);
    // What stands beside a finding or a pattern is piton's own.
    missing.retain(|path| {
        !path.starts_with("/regression_events/details/diff") && path != "/detected_patterns/finding"
    });
    assert_eq!(missing, [""; 0]);
}

/// The fields of `value` that `schema` does not have.
fn described(schema: &Value, value: &Value, path: &str, missing: &mut Vec<String>) {
    let schema = schema.get("anyOf").map_or(schema, |either| &either[0]);
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                let path = format!("{path}/{name}");
                match (schema["properties"].get(name), schema.get("additionalProperties")) {
                    (Some(known), _) | (None, Some(known)) => described(known, member, &path, missing),
                    (None, None) => missing.push(path),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| described(&schema["items"], item, path, missing)),
        _ => {}
    }
}

#[test]
fn what_hooks_and_channels_are_told_fits_too() {
    let world = World::new();
    let [hook, channel] = [(); 2].map(|()| super::servers::Web::answering("{}"));
    world.configure(&format!(
        "[hooks.h]\npoints = [\"loop_end\"]\nurl = \"{}\"\n[notify.channels.c]\ntype = \"webhook\"\nurl = \"{}\"\n",
        hook.url, channel.url
    ));
    world.loops("r", "touch b.txt", &["--check", "test=test -f b.txt"]).exits(0);
    let told = hook.body();
    assert_eq!(told["status"], "completed");
    fits(&world, "hook-context", &told);
    fits(&world, "notification", &channel.body());
}

#[test]
fn the_list_names_every_schema_and_an_unknown_one_is_refused() {
    let world = World::new();
    let list = world.json(&["schema"]);
    for entry in list.as_array().unwrap() {
        world.piton(&["schema", entry["name"].as_str().unwrap()]).exits(0);
    }
    let ran = world.piton(&["schema", "nothing"]).exits(2);
    assert!(
        ran.err.contains("known are ralph-state, aiwg-state, aiwg-iteration, aiwg-registry, run-state"),
        "{ran:?}"
    );
}
