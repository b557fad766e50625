//! The schemas that the files must be valid against.
//!
//! `persistence-extension.json` is the published extension as JSON; its one doubled key, the description, is merged.
//! `loop-state.json` and `registry.json` have the rules of the formats that it extends and goes with. `nullable` is a
//! word of OpenAPI and none of JSON Schema, so a validator ignores it and a null is invalid: nothing that piton writes is
//! null, which satisfies both readings.

use std::sync::LazyLock;

use jsonschema::Validator;
use serde_json::{Value, json};

const BASE: &str = include_str!("schema/loop-state.json");
const EXTENSION: &str = include_str!("schema/persistence-extension.json");
const REGISTRY: &str = include_str!("schema/registry.json");
pub(crate) const EXAMPLE: &str = include_str!("schema/example-state.json");

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// The base with the properties of the extension beside its own; the extension's win.
fn merged() -> Value {
    let mut schema = parsed(BASE);
    let extension = parsed(EXTENSION);
    for (name, property) in extension["properties"].as_object().unwrap() {
        schema["properties"][name] = property.clone();
    }
    schema
}

/// What an iteration's file must have: the entry of the history, and what the journal knows beyond it.
fn iteration() -> Value {
    let mut schema = parsed(EXTENSION)["properties"]["iteration_history"]["items"].clone();
    let more = ["loop_id", "attempt", "outcome", "duration_ms", "checks", "piton"].map(Value::from);
    schema["required"].as_array_mut().unwrap().extend(more);
    for (name, kind) in
        [("commit", "string"), ("tree", "string"), ("attempt", "integer"), ("checks", "array")]
    {
        schema["properties"][name] = json!({ "type": kind });
    }
    schema
}

fn validator(schema: &Value) -> Validator {
    jsonschema::options().should_validate_formats(true).build(schema).unwrap()
}

static STATE: LazyLock<Validator> = LazyLock::new(|| validator(&merged()));
static ITERATION: LazyLock<Validator> = LazyLock::new(|| validator(&iteration()));
static LIST: LazyLock<Validator> = LazyLock::new(|| validator(&parsed(REGISTRY)));

fn problems(validator: &Validator, value: &Value) -> Vec<String> {
    let mut problems: Vec<_> =
        validator.iter_errors(value).map(|error| format!("{}: {error}", error.instance_path())).collect();
    if has_null(value) {
        problems.push("something is null".to_owned());
    }
    problems
}

fn has_null(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.iter().any(has_null),
        Value::Object(members) => members.values().any(has_null),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

#[track_caller]
fn read(validator: &Validator, bytes: &[u8]) -> Value {
    let value = serde_json::from_slice(bytes).unwrap();
    assert_eq!(problems(validator, &value), Vec::<String>::new(), "{value:#}");
    value
}

/// The state that these bytes are; fails where it is not valid.
#[track_caller]
pub(crate) fn state(bytes: &[u8]) -> Value {
    read(&STATE, bytes)
}

/// The iteration's file that these bytes are; fails where it is not valid.
#[track_caller]
pub(crate) fn iteration_file(bytes: &[u8]) -> Value {
    read(&ITERATION, bytes)
}

/// The registry that these bytes are; fails where it is not valid.
#[track_caller]
pub(crate) fn registry(bytes: &[u8]) -> Value {
    read(&LIST, bytes)
}

#[test]
fn the_schema_finds_what_is_wrong() {
    let fine = parsed(EXAMPLE);
    // The example of the document calls its ids `reg-001` and `rec-001` where its schema demands UUIDs.
    assert_eq!(problems(&STATE, &fine).len(), 2, "{:?}", problems(&STATE, &fine));
    let mut fine = fine;
    fine["regression_events"][0]["event_id"] = json!("01234567-89ab-8def-8123-456789abcdef");
    fine["recovery_history"][0]["recovery_id"] = json!("01234567-89ab-8def-8123-456789abcdef");
    assert_eq!(problems(&STATE, &fine), Vec::<String>::new());
    for (pointer, wrong) in [
        ("/version", json!("1.0.0")),
        ("/loop_id", json!("fix-tests")),
        ("/status", json!("waiting")),
        ("/iteration", json!(-1)),
        ("/started_at", json!("yesterday")),
        ("/baseline_metrics/coverage_percentage", json!(101)),
        ("/iteration_history/0/iteration", json!(0)),
        ("/iteration_history/0/quality_score", json!(null)),
        ("/best_iteration", json!(null)),
        ("/regression_events/0/regression_type", json!("laziness")),
        ("/reinforcement_level", json!("standard")),
        ("/recovery_history/0/outcome", json!("skipped")),
        ("/persistence_metrics/false_positive_rate", json!(3)),
    ] {
        let mut broken = fine.clone();
        *broken.pointer_mut(pointer).unwrap() = wrong;
        assert!(!problems(&STATE, &broken).is_empty(), "{pointer}");
    }
}
