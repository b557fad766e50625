//! The states that the document of the format shows, and how a state is held against one of them.
//!
//! A block of the document is a part of a state: every field in it must be there with that value, a list must hold each of
//! its entries in their order, and there may be more. Of a moment only the form can be the same, and of `...` nothing.

use std::collections::BTreeMap;

use serde_json::{Value, json};

/// "Initial State (New Cycle)".
pub(super) fn initial() -> Value {
    let idle = json!({ "status": "idle", "output_files": [], "iterations_completed": 0 });
    json!({
        "cycle_id": "cycle-v1-20260122T100000-abc123",
        "title": "Implement OAuth authentication",
        "description": "Add OAuth2 login support with Google and GitHub providers",
        "task_history": ["Implement OAuth authentication"],
        "status": "created",
        "created_at": "2026-01-22T10:00:00+08:00",
        "updated_at": "2026-01-22T10:00:00+08:00",
        "max_iterations": 5,
        "current_iteration": 0,
        "agents": { "ra": idle, "ep": idle, "cd": idle, "vas": idle },
        "current_phase": "init",
        "completed_phases": [],
        "phase_errors": [],
        "iterations": [],
        "coordination": { "feedback_log": [], "pending_decisions": [], "blockers": [] }
    })
}

/// "Iteration 1: Initial Execution".
pub(super) fn first_iteration() -> Value {
    json!({
        "status": "running",
        "current_iteration": 1,
        "current_phase": "ra",
        "agents": {
            "ra": { "status": "running", "started_at": "2026-01-22T10:05:00+08:00" },
            "ep": { "status": "idle" },
            "cd": { "status": "idle" },
            "vas": { "status": "idle" }
        },
        "requirements": {
            "version": "1.0.0",
            "specification": "...",
            "edge_cases": ["OAuth timeout handling", "PKCE validation"],
            "last_updated": "2026-01-22T10:15:00+08:00"
        },
        "iterations": [{
            "number": 1,
            "started_at": "2026-01-22T10:00:00+08:00",
            "agent_results": {
                "ra": { "status": "completed", "files_modified": 3 },
                "ep": { "status": "completed", "files_modified": 2 },
                "cd": { "status": "partial", "files_modified": 5 },
                "vas": { "status": "pending", "files_modified": 0 }
            }
        }]
    })
}

/// "After Phase Completion".
pub(super) fn after_the_phases() -> Value {
    json!({
        "current_phase": "aggregation",
        "completed_phases": ["ra", "ep", "cd", "vas"],
        "plan": {
            "version": "1.0.0",
            "tasks": [{
                "id": "TASK-001",
                "description": "Setup OAuth application credentials",
                "effort": "small",
                "status": "completed",
                "files": ["src/config/oauth.ts"]
            }]
        },
        "changes": { "total_files": 12, "iteration_markers": { "1": "2026-01-22T10:30:00+08:00" } },
        "test_results": {
            "version": "1.0.0",
            "pass_rate": 85,
            "coverage": 78,
            "failed_tests": ["test: OAuth timeout retry"],
            "total_tests": 20
        }
    })
}

/// "Iteration 2: User Extension".
pub(super) fn second_iteration() -> Value {
    json!({
        "status": "running",
        "current_iteration": 2,
        "task_history": ["Implement OAuth authentication", "Also add multi-factor authentication"],
        "description": "Add OAuth2 login support with Google and GitHub providers\n\n--- ITERATION 2 ---\nAlso add multi-factor authentication",
        "agents": {
            "ra": { "status": "running", "iterations_completed": 1 },
            "ep": { "status": "idle", "iterations_completed": 1 },
            "cd": { "status": "idle", "iterations_completed": 1 },
            "vas": { "status": "idle", "iterations_completed": 1 }
        },
        "requirements": {
            "version": "1.1.0",
            "specification": "...",
            "last_updated": "2026-01-22T11:00:00+08:00"
        },
        "iterations": [
            { "number": 1, "completed_at": "..." },
            {
                "number": 2,
                "extension": "Also add multi-factor authentication",
                "started_at": "2026-01-22T10:45:00+08:00",
                "agent_results": {}
            }
        ],
        "coordination": {
            "feedback_log": [{
                "timestamp": "2026-01-22T10:45:00+08:00",
                "source": "user",
                "target": "ra",
                "content": "Add multi-factor authentication to requirements",
                "type": "requirement_update"
            }]
        }
    })
}

/// Every field of a block that has a value of its own, by its path, with what a state has there.
pub(super) fn fields(block: &Value, state: &Value) -> BTreeMap<String, bool> {
    let mut found = BTreeMap::new();
    compare("", block, Some(state), &mut found);
    found
}

fn compare(path: &str, wanted: &Value, found: Option<&Value>, into: &mut BTreeMap<String, bool>) {
    match wanted {
        Value::Object(members) if !members.is_empty() => {
            for (key, value) in members {
                let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                compare(&path, value, found.and_then(|found| found.get(key)), into);
            }
        }
        Value::Array(entries) if entries.iter().any(Value::is_object) => {
            let there = found.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
            for (place, entry) in entries.iter().enumerate() {
                let best =
                    there.iter().max_by_key(|one| fields(entry, one).values().filter(|is| **is).count());
                compare(&format!("{path}[{place}]"), entry, best, into);
            }
        }
        _ => {
            into.insert(path.to_owned(), found.is_some_and(|found| is_same(wanted, found)));
        }
    }
}

fn is_same(wanted: &Value, found: &Value) -> bool {
    match (wanted, found) {
        (Value::String(wanted), Value::String(found)) if is_moment(wanted) => is_moment(found),
        (Value::String(wanted), Value::String(found)) if wanted == "..." => !found.is_empty(),
        // What an empty table or list says is that it is there.
        (Value::Object(wanted), Value::Object(_)) => wanted.is_empty(),
        (Value::Array(wanted), Value::Array(found)) if !wanted.is_empty() => {
            let mut rest = found.iter();
            wanted.iter().all(|one| rest.any(|other| other == one))
        }
        (Value::Number(wanted), Value::Number(found)) => wanted.as_f64() == found.as_f64(),
        _ => wanted == found,
    }
}

/// `2026-01-22T10:00:00+08:00`, with or without milliseconds.
fn is_moment(text: &str) -> bool {
    let digits_as_zero = |byte: u8| if byte.is_ascii_digit() { '0' } else { char::from(byte) };
    let form: String = text.bytes().map(digits_as_zero).collect();
    let is_form = form == "0000-00-00T00:00:00+00:00" || form == "0000-00-00T00:00:00.000+00:00";
    is_form && text.ends_with("+08:00")
}

#[test]
fn a_state_that_lacks_something_is_seen() {
    let block =
        json!({ "a": 1, "b": { "c": [1, 3], "d": "2026-01-22T10:00:00+08:00" }, "e": [{ "f": 1 }], "g": [] });
    let same = json!({ "a": 1.0, "b": { "c": [1, 2, 3], "d": "2027-01-01T00:00:00.123+08:00" }, "e": [{ "f": 2 }, { "f": 1 }], "g": [], "h": 1 });
    assert!(fields(&block, &same).values().all(|is| *is));
    let other = json!({ "a": 2, "b": { "c": [3, 1], "d": "2027-01-01T00:00:00Z" }, "e": [], "g": [1] });
    assert!(fields(&block, &other).values().all(|is| !*is));
}
