//! What every file and every output of piton looks like, as JSON Schema.
//!
//! Every field that a consumer may rely on is in `shapes.json`; objects may have more, since fields are added freely.

use serde_json::{Map, Value, json};

/// What JSON looks like, as it looks itself: a word stands for what is at its place, and is one of those in [`word`] or
/// the name of another shape. `name?` may be missing, `name|null` may be `null`, `...` brings the fields of another, and what
/// stands behind `*` holds for every name.
const SHAPES: &str = include_str!("shape/shapes.json");

/// As far as piton counts iterations and what comes with them.
pub(crate) const COUNTER_MAX: u32 = u32::MAX;

/// The schema of the shape of this name, which there is.
pub fn schema(name: &str) -> Value {
    let shapes: Value = serde_json::from_str(SHAPES).expect("the shapes are JSON");
    schema_of(&shapes[name], &shapes)
}

/// The schema of what has this shape.
fn schema_of(shape: &Value, shapes: &Value) -> Value {
    match shape {
        Value::Object(fields) => object(fields, shapes),
        Value::Array(items) => json!({"type": "array", "items": schema_of(&items[0], shapes)}),
        Value::String(name) => word(name).unwrap_or_else(|| {
            schema_of(shapes.get(name).unwrap_or_else(|| panic!("there is no shape `{name}`")), shapes)
        }),
        Value::Null | Value::Bool(_) | Value::Number(_) => json!({"const": shape}),
    }
}

fn object(fields: &Map<String, Value>, shapes: &Value) -> Value {
    let (mut properties, mut required) = (Map::new(), Vec::new());
    if let Some(every) = fields.get("*") {
        return json!({"type": "object", "additionalProperties": schema_of(every, shapes)});
    }
    for (key, shape) in fields {
        let mut schema = schema_of(shape, shapes);
        if key == "..." {
            properties.append(schema["properties"].as_object_mut().expect("another object is brought in"));
            required.extend(schema["required"].as_array().into_iter().flatten().cloned());
            continue;
        }
        let (name, is_nullable) =
            key.strip_suffix("|null").map_or((key.as_str(), false), |name| (name, true));
        let schema = if is_nullable { json!({"anyOf": [schema, {"type": "null"}]}) } else { schema };
        let optional = name.strip_suffix('?');
        required.extend(optional.is_none().then(|| Value::from(name)));
        properties.insert(optional.unwrap_or(name).to_owned(), schema);
    }
    json!({"type": "object", "properties": properties, "required": required})
}

/// What a word stands for by itself.
fn word(name: &str) -> Option<Value> {
    Some(match name {
        "any" => json!({}),
        "text" => json!({"type": "string"}),
        "moment" => json!({"type": "string", "format": "date-time"}),
        "hash" => json!({"type": "string", "pattern": "^[0-9a-f]{64}$"}),
        "flag" => json!({"type": "boolean"}),
        "integer" => json!({"type": "integer"}),
        "count" => json!({"type": "integer", "minimum": 0}),
        "counter" => json!({"type": "integer", "minimum": 0, "maximum": COUNTER_MAX}),
        "ordinal" => json!({"type": "integer", "minimum": 1, "maximum": COUNTER_MAX}),
        "whole percent" => json!({"type": "integer", "minimum": 0, "maximum": 100}),
        "number" => json!({"type": "number"}),
        "amount" => json!({"type": "number", "minimum": 0}),
        "percent" => json!({"type": "number", "minimum": 0, "maximum": 100}),
        "share" => json!({"type": "number", "minimum": 0, "maximum": 1}),
        "numbers" => json!({"type": "object", "additionalProperties": {"type": "number"}}),
        "object" => json!({"type": "object"}),
        _ => json!({"enum": name.strip_prefix("one of ")?.split(", ").collect::<Vec<_>>()}),
    })
}
