//! `piton schema`: what the views and the JSON outputs look like, as JSON Schema.
//!
//! Owns the schemas. Every field that a consumer may rely on is in `shapes.json`; objects may have more, since fields are
//! added freely. A test holds real output against them.

use piton_model::ExitCode;
use serde_json::{Map, Value, json};

use crate::cli::SchemaArguments;
use crate::failure::{Failure, Result};
use crate::output::Output;

/// What JSON looks like, as it looks itself: a word stands for what is at its place, and is one of those in [`word`] or
/// the name of another shape. `name?` may be missing, `name|null` may be `null`, `...` brings the fields of another, and what
/// stands behind `*` holds for every name.
const SHAPES: &str = include_str!("schema/shapes.json");

/// Each schema: its name, what it describes, and the shape that says it.
const SCHEMAS: [(&str, &str, &str); 19] = [
    ("ralph-state", ".ralph/state.json, version 1", "ralph-state"),
    ("aiwg-state", ".aiwg/ralph/loops/<id>/state.json, version 2", "aiwg-state"),
    ("aiwg-iteration", ".aiwg/ralph/loops/<id>/iterations/iteration-NNN.json", "aiwg-iteration"),
    ("aiwg-registry", ".aiwg/ralph/registry.json, version 2", "aiwg-registry"),
    ("run-state", ".agents/runs/<id>/run_state.json", "run-state"),
    ("run-report", "what a step's agent writes to $REPORT_PATH", "run-report"),
    ("gaps", "gaps.yaml, and piton gaps export --format json", "gaps"),
    ("ls", "piton ls --json", "ls"),
    ("status", "piton status RUN --json", "status-of-a-run"),
    ("show", "piton show RUN --json", "show"),
    ("log", "a line of piton log RUN --json", "log"),
    ("verify", "piton verify --json", "verify"),
    ("guard", "piton guard --json", "guard"),
    ("metrics", "piton metrics --format json", "metrics"),
    ("report", "what an agent writes to $PITON_REPORT", "report"),
    ("hook-context", "what a hook is told on its standard input or as a body", "hook-context"),
    ("hook-answer", "what a hook may say", "hook-answer"),
    ("notification", "what a webhook channel is sent", "notification"),
    (CONFIG, "piton.toml, and your own config.toml", CONFIG),
];

/// The one schema that follows from the settings themselves.
const CONFIG: &str = "config";

pub(super) fn run(arguments: &SchemaArguments, out: &Output) -> Result {
    let Some(name) = &arguments.name else {
        if out.json {
            let list: Vec<_> =
                SCHEMAS.iter().map(|(name, about, _)| json!({"name": name, "about": about})).collect();
            out.json(&list);
        } else {
            SCHEMAS.iter().for_each(|(name, about, _)| out.line(format!("{name:<14} {about}")));
        }
        return Ok(ExitCode::Done);
    };
    let Some((name, about, shape)) = SCHEMAS.iter().find(|(known, ..)| known == name) else {
        let known: Vec<_> = SCHEMAS.iter().map(|(name, ..)| *name).collect();
        return Err(Failure::usage(format!("there is no schema `{name}`"))
            .hint(format!("known are {}", known.join(", "))));
    };
    let mut schema = match *name {
        CONFIG => piton_config::schema(),
        _ => {
            let shapes: Value = serde_json::from_str(SHAPES).expect("the shapes are JSON");
            schema(&shapes[shape], &shapes)
        }
    };
    schema["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
    schema["title"] = json!(format!("piton {name}"));
    schema["description"] = json!(about);
    out.json(&schema);
    Ok(ExitCode::Done)
}

/// The schema of what has this shape.
fn schema(shape: &Value, shapes: &Value) -> Value {
    match shape {
        Value::Object(fields) => object(fields, shapes),
        Value::Array(items) => json!({"type": "array", "items": schema(&items[0], shapes)}),
        Value::String(name) => word(name).unwrap_or_else(|| {
            schema(shapes.get(name).unwrap_or_else(|| panic!("there is no shape `{name}`")), shapes)
        }),
        Value::Null | Value::Bool(_) | Value::Number(_) => json!({"const": shape}),
    }
}

fn object(fields: &Map<String, Value>, shapes: &Value) -> Value {
    let (mut properties, mut required) = (Map::new(), Vec::new());
    if let Some(every) = fields.get("*") {
        return json!({"type": "object", "additionalProperties": schema(every, shapes)});
    }
    for (key, shape) in fields {
        let mut schema = schema(shape, shapes);
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
        "ordinal" => json!({"type": "integer", "minimum": 1}),
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
