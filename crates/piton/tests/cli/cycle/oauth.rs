//! The document's own example: OAuth, then "Also add multi-factor authentication", with scripted agents through two
//! iterations. What the state file holds at each moment is held against what the document shows of it.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::document::{block, fields};
use crate::common::World;

const ID: &str = "cycle-v1-20260122T100000-abc123";

/// Each role keeps the state as it found it first, then does what the example tells of it. In its first iteration the developer
/// changes five files, the validator asks for more, and twelve files are changed in the end.
const TEAM: &str = include_str!("oauth/team.sh");

/// 20 tests, of which three fail until the second iteration's work is there.
const TESTS: &str = include_str!("oauth/tests.sh");

const COVERAGE: &str = include_str!("oauth/coverage.sh");

/// A person confirms each iteration, so that the moment between two can be looked at.
const CONFIGURATION: &str = include_str!("oauth/piton.toml");

/// Fields of the document's states that another one of its fields, or its own rules, rule out.
const CANNOT_BE: [&str; 1] = [
    // The entry holds what the person said; the document rephrases it.
    "coordination.feedback_log[0].content",
];

#[test]
fn the_example_of_the_document_goes_through_its_states() {
    let world = World::new();
    for (name, text) in
        [("team.sh", TEAM), ("tests.sh", TESTS), ("coverage.sh", COVERAGE), (".gitignore", "lcov.info\n")]
    {
        world.write(name, text);
    }
    world.configure(CONFIGURATION);
    let created = watch_for_created(&world);
    let description = "Add OAuth2 login support with Google and GitHub providers";
    let start = ["cycle", "start", "Implement OAuth authentication", "--description", description];
    world.piton(&[&start[..], &["--exec", "sh team.sh", "--id", ID]].concat()).exits(4);
    let created = created.join().unwrap();
    let between = state(&world);
    world.piton(&["cycle", "extend", ID, "Also add multi-factor authentication"]).exits(0);

    let at = |name: &str| moment(&world, name);
    // The document shows some fields of one block as they are at different moments.
    let results = "iterations[0].agent_results";
    let blocks = [
        ("initial", vec![("", created)]),
        ("first_iteration", vec![("", at("1-ra")), ("requirements", at("1-ep")), (results, at("1-vas"))]),
        ("after_the_phases", vec![("", between)]),
        ("second_iteration", vec![("", at("2-ra")), ("requirements", at("2-ep"))]),
    ];
    let (mut equal, mut all, mut wrong) = (0, 0, Vec::new());
    for (name, moments) in &blocks {
        let found = held_against(&block(name), moments);
        all += found.len();
        equal += found.values().filter(|is| **is).count();
        let differing = found.into_iter().filter(|(path, is)| !is && !CANNOT_BE.contains(&path.as_str()));
        wrong.extend(differing.map(|(path, _)| format!("{name}: {path}")));
    }
    println!("{equal} of {all} fields of the document's example are equal");
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!(all - equal, CANNOT_BE.len());
    let last = state(&world);
    assert_eq!((&last["status"], &last["current_iteration"]), (&"completed".into(), &2.into()), "{last}");
}

/// Each field at its moment: the last one given whose path it begins with.
fn held_against(block: &Value, moments: &[(&str, Value)]) -> BTreeMap<String, bool> {
    let mut found = BTreeMap::new();
    for (prefix, state) in moments {
        found.extend(fields(block, state).into_iter().filter(|(path, _)| path.starts_with(prefix)));
    }
    found
}

fn state(world: &World) -> Value {
    serde_json::from_str(&world.read(&format!(".workflow/.cycle/{ID}.json"))).unwrap()
}

fn moment(world: &World, name: &str) -> Value {
    let path = world.beside("moments").join(format!("{name}.json"));
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// The first state that is ever there: whoever starts a cycle writes it before anybody drives.
#[expect(
    clippy::disallowed_methods,
    reason = "it polls with a deadline, often enough for a moment that passes"
)]
fn watch_for_created(world: &World) -> std::thread::JoinHandle<Value> {
    let path = world.path(&format!(".workflow/.cycle/{ID}.json"));
    std::thread::spawn(move || {
        let deadline = Instant::now() + Duration::from_secs(30);
        while Instant::now() < deadline {
            if let Ok(bytes) = std::fs::read(&path) {
                return serde_json::from_slice(&bytes).unwrap();
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        panic!("no state file within 30 s");
    })
}
