//! Reading a loop that another tool began, in this format.

use std::sync::LazyLock;

use serde_json::{Value, json};

use super::format::{PersistedLoopState, STATE_VERSION};
use super::owner::ParseError;
use crate::door::Door;

static DOOR: LazyLock<Door> = LazyLock::new(|| Door::new(read_schema()));

/// Whether it is meant to be of this format: it has the part that no other has, or says its version as no other does.
pub fn is_meant(value: &Value) -> bool {
    let is_of_the_original_extended_tool =
        ["currentIteration", "maxIterations"].iter().any(|name| value.get(name).is_some());
    let is_numbered = value.get("version").is_some_and(Value::is_u64);
    value.get("core").is_some() || (is_numbered && !is_of_the_original_extended_tool)
}

/// The loop that `value` is. One that is newer is refused, and so is one that says what the format does not allow.
pub fn adopt(value: Value) -> Result<PersistedLoopState, ParseError> {
    let version = value.get("version").and_then(Value::as_u64);
    if let Some(found) = version.filter(|version| *version > u64::from(STATE_VERSION)) {
        return Err(ParseError::Version { found });
    }
    let value = DOOR.admit(value).map_err(ParseError::Unfit)?;
    Ok(serde_json::from_value(value)?)
}

/// The published schema, without what may be missing because it begins empty, and for older versions.
fn read_schema() -> Value {
    let mut schema = crate::schema("ralph-state");
    schema["required"] = json!(["version", "loop_id", "saved_at", "core"]);
    schema["properties"]["version"] = json!({"type": "integer", "minimum": 0});
    schema["properties"]["core"]["required"] = json!(["status", "iteration", "started_at", "last_activity"]);
    for part in ["session", "progress", "tests", "stop_conditions", "metrics"] {
        schema["properties"][part]["required"] = json!([]);
    }
    // Others may count in percent, and none of it is taken over.
    let conditions = &mut schema["properties"]["stop_conditions"]["properties"];
    conditions["condition_progress"]["additionalProperties"] = json!({"type": "number"});
    schema
}
