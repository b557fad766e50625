//! The state file against its document: the examples, every field, no other, in that order.

use piton_files::cycle::{CyclePlace, render};
use piton_model::Status;
use piton_model::cycle::State;
use serde_json::{Value, json};

use crate::support::{ID, aggregated, config, created, created_with, extended, first_iteration, full, tests};

const INTERFACE: &str = include_str!("states/interface.ts");

fn rendered(state: &State) -> Value {
    serde_json::from_slice(&render(state, &CyclePlace::new("/repo", ID))).unwrap()
}

/// Every place where the example says something that is not there. `...` stands for any text.
fn missing(place: &str, example: &Value, found: Option<&Value>, all: &mut Vec<String>) {
    let Some(found) = found else { return all.push(format!("{place}: is not there")) };
    match (example, found) {
        (Value::Object(example), Value::Object(found)) => {
            example
                .iter()
                .for_each(|(key, value)| missing(&format!("{place}.{key}"), value, found.get(key), all));
        }
        (Value::Array(example), Value::Array(found)) if example.len() == found.len() => {
            let pairs = example.iter().zip(found).enumerate();
            pairs.for_each(|(index, (example, found))| {
                missing(&format!("{place}[{index}]"), example, Some(found), all)
            });
        }
        (Value::String(any), Value::String(found)) if any == "..." && !found.is_empty() => {}
        (example, found) if example == found => {}
        _ => all.push(format!("{place}: {found} is not {example}")),
    }
}

#[track_caller]
fn has_all_of(example: &str, state: &State) {
    let mut all = Vec::new();
    missing("", &serde_json::from_str(example).unwrap(), Some(&rendered(state)), &mut all);
    assert!(all.is_empty(), "{all:#?}");
}

#[test]
fn a_new_cycle_is_the_documents_own() {
    let example: Value = serde_json::from_str(include_str!("states/created.json")).unwrap();
    assert_eq!(rendered(&created()), example);
}

#[test]
fn the_documents_transitions_are_in_what_is_rendered() {
    has_all_of(include_str!("states/first.json"), &first_iteration());
    has_all_of(include_str!("states/aggregated.json"), &aggregated());
    has_all_of(include_str!("states/extended.json"), &extended());
}

/// The published schema, of which no object has any other member.
fn closed(schema: &mut Value) {
    if schema.get("properties").is_some() {
        schema["additionalProperties"] = json!(false);
    }
    match schema {
        Value::Object(members) => members.values_mut().for_each(closed),
        Value::Array(items) => items.iter_mut().for_each(closed),
        _ => {}
    }
}

#[test]
fn every_required_field_is_there_and_no_other() {
    let mut schema = piton_files::schema("cycle-state");
    closed(&mut schema);
    let validator = jsonschema::options().should_validate_formats(true).build(&schema).unwrap();
    for state in [created(), first_iteration(), aggregated(), extended(), full()] {
        let problems: Vec<String> =
            validator.iter_errors(&rendered(&state)).map(|error| error.to_string()).collect();
        assert!(problems.is_empty(), "{problems:#?}");
    }
    assert!(!validator.is_valid(&json!({"cycle_id": "c"})));
}

#[test]
fn the_schema_has_every_field_of_the_interface() {
    let text = piton_files::schema("cycle-state").to_string();
    for line in INTERFACE.lines() {
        let Some((name, _)) = line.split_once(':') else { continue };
        let name = name.trim().trim_end_matches('?');
        assert!(text.contains(&format!("\"{name}\"")), "{name} is not in the schema");
    }
}

#[test]
fn fields_have_the_order_of_the_document() {
    let bytes = render(&full(), &CyclePlace::new("/repo", ID));
    let text = String::from_utf8(bytes).unwrap();
    let whole = INTERFACE.split("\n}\n").next().unwrap();
    let is_own = |line: &&str| line.starts_with("  ") && !line.starts_with("   ") && line.contains(':');
    let names =
        whole.lines().filter(is_own).map(|line| line.split(':').next().unwrap().trim().trim_end_matches('?'));
    let places: Vec<(usize, &str)> = names
        .map(|name| (text.find(&format!("\n  \"{name}\": ")).unwrap_or_else(|| panic!("{name}")), name))
        .collect();
    assert_eq!(places.len(), 22);
    assert!(places.is_sorted(), "{places:?}");
}

#[test]
fn a_coverage_that_nobody_measured_leaves_the_results_out() {
    let mut state = aggregated();
    state.tests = Some(tests(None));
    assert_eq!(rendered(&state).get("test_results"), None);
}

#[test]
fn times_have_the_offset_that_was_set() {
    let mut state = created();
    for (minutes, time) in [
        (480, "2026-01-22T10:00:00+08:00"),
        (0, "2026-01-22T02:00:00+00:00"),
        (-210, "2026-01-21T22:30:00-03:30"),
    ] {
        state.config.utc_offset_minutes = minutes;
        assert_eq!(rendered(&state)["created_at"], time);
        assert!(!rendered(&full()).to_string().contains("Z\""), "no time has a Z");
    }
}

#[test]
fn every_status_has_its_word() {
    let mut state = created();
    for (status, word) in [
        (Status::Created, "created"),
        (Status::Running, "running"),
        (Status::Rebooting, "running"),
        (Status::Waiting, "paused"),
        (Status::Paused, "paused"),
        (Status::Stopped, "paused"),
        (Status::Completed, "completed"),
        (Status::Failed, "failed"),
    ] {
        state.status = status;
        let view = rendered(&state);
        assert_eq!(view["status"], word);
        assert_eq!(view.get("failure_reason").is_some(), word == "failed", "{word}");
    }
}

#[test]
fn a_team_of_ones_own_leaves_the_four_as_they_are() {
    let mut config = config();
    for (role, name) in config.roles.iter_mut().zip(["writer", "planner", "maker", "reviewer"]) {
        role.name = name.into();
        (role.reads, role.after, role.feedback_to) = Default::default();
    }
    let mut state = created_with(config);
    state.phase = piton_model::cycle::Phase::Role("maker".into());
    let view = rendered(&state);
    let idle = json!({"status": "idle", "output_files": [], "iterations_completed": 0});
    assert_eq!(view["agents"], json!({"ra": idle, "ep": idle, "cd": idle, "vas": idle}));
    assert_eq!(view["current_phase"], "cd");
}

/// What `scripts/test-cycle-types` gives to a compiler.
#[test]
#[ignore = "writes files for scripts/test-cycle-types"]
fn states_for_a_compiler() {
    let Some(directory) = std::env::var_os("PITON_CYCLE_STATES") else { return };
    let directory = std::path::PathBuf::from(directory);
    let write = |name: &str, text: String| {
        piton_sys::file::write_atomic(
            &directory.join(name),
            text.as_bytes(),
            piton_sys::file::Durability::Unsynced,
        )
        .unwrap();
    };
    let states = [created(), first_iteration(), aggregated(), extended(), full()];
    for (number, state) in states.iter().enumerate() {
        let bytes = render(state, &CyclePlace::new("/repo", ID));
        let text = String::from_utf8(bytes).unwrap();
        write(&format!("state{number}.ts"), format!("{INTERFACE}\nexport const state: CycleState = {text}"));
    }
    let extra = INTERFACE.to_owned() + "\nexport const state: Blocker = {\"id\": \"\", \"unknown\": 1}\n";
    write("wrong.ts", extra);
}
