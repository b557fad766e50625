//! The document's own example: OAuth, then "Also add multi-factor authentication", with scripted agents through two
//! iterations. What the state file holds at each moment is held against what the document shows of it.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::document::{after_the_phases, fields, first_iteration, initial, second_iteration};
use crate::common::World;

const ID: &str = "cycle-v1-20260122T100000-abc123";

/// Each role keeps the state as it found it, then does what the example tells of it.
const TEAM: &str = r#"
mkdir -p "$BESIDE/moments"
cp "$PITON_CYCLE_STATE" "$BESIDE/moments/$PITON_ITERATION-$PITON_ROLE.json"
cd_status=completed
case $PITON_ROLE-$PITON_ITERATION in
ra-*) printf '# OAuth\n\nIteration %s\n' $PITON_ITERATION > "$PITON_ROLE_DIR/requirements.md"
      printf -- '- OAuth timeout handling\n- PKCE validation\n' > "$PITON_ROLE_DIR/edge-cases.md"
      echo "PKCE: proof key" > "$PITON_ROLE_DIR/glossary.md" ;;
ep-*) printf '## Summary\n\nOne module.\n' > "$PITON_ROLE_DIR/exploration.md"
      echo '{"tasks": [{"id": "TASK-001", "description": "Setup OAuth application credentials", "effort": "small", "depends_on": [], "files": ["src/config/oauth.ts"]}]}' > "$PITON_ROLE_DIR/plan.json" ;;
cd-1) cd_status=partial; mkdir -p src/config; echo oauth > src/config/oauth.ts
      for n in 1 2 3 4 5 6 7 8 9 10 11; do echo $n > src/part$n.ts; done
      echo "the timeout is left" > "$PITON_ROLE_DIR/implementation.md" ;;
cd-2) echo mfa > src/mfa.ts; echo "all of it" > "$PITON_ROLE_DIR/implementation.md" ;;
vas-*) echo "looked at $PITON_ITERATION" > "$PITON_ROLE_DIR/validation.md" ;;
esac
test $PITON_ROLE = cd && status=$cd_status || status=completed
printf 'PHASE_RESULT:\n- phase: %s\n- status: %s\n- tasks_completed: [TASK-001]\n' $PITON_ROLE $status
"#;

/// 20 tests, of which three fail until the second iteration's work is there.
const TESTS: &str = r#"
echo 1..20
for n in $(seq 1 17); do echo "ok $n - test: OAuth $n"; done
test -e src/mfa.ts && not= || not='not '
echo "${not}ok 18 - test: OAuth timeout retry"; echo "${not}ok 19 - test: PKCE"; echo "${not}ok 20 - test: logout"
test -e src/mfa.ts
"#;

const COVERAGE: &str = r#"
{ echo SF:src/config/oauth.ts
  for n in $(seq 1 78); do echo DA:$n,1; done; for n in $(seq 79 100); do echo DA:$n,0; done
  echo LF:100; echo LH:78; echo end_of_record; } > lcov.info
"#;

/// A person confirms each iteration, so that the moment between two can be looked at.
const CONFIGURATION: &str = r#"
[checks]
test = "sh tests.sh"
coverage = { command = "sh coverage.sh", format = "lcov", path = "lcov.info" }
[cycle]
confirm = true
"#;

/// Fields of the document's states that another one of its fields, or its own rules, rule out.
const CANNOT_BE: [&str; 2] = [
    // Its developer changed five files, and twelve files are changed.
    "iterations[0].agent_results.cd.files_modified",
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
        ("initial", initial(), vec![("", created)]),
        (
            "iteration 1",
            first_iteration(),
            vec![("", at("1-ra")), ("requirements", at("1-ep")), (results, at("1-vas"))],
        ),
        ("after the phases", after_the_phases(), vec![("", between)]),
        ("iteration 2", second_iteration(), vec![("", at("2-ra")), ("requirements", at("2-ep"))]),
    ];
    let (mut equal, mut all, mut wrong) = (0, 0, Vec::new());
    for (name, block, moments) in &blocks {
        let found = held_against(block, moments);
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
