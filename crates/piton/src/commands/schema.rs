//! `piton schema`: what the views and the JSON outputs look like, as JSON Schema.
//!
//! Owns the schemas. Every field that a consumer may rely on is listed; objects may have more, since fields are added
//! freely. A test holds real output against them.

use piton_model::ExitCode;
use serde_json::{Map, Value, json};

use crate::cli::SchemaArguments;
use crate::failure::Failure;
use crate::output::Output;

/// Each schema: its name, and what it describes.
/// A name, what it describes, and the schema.
type Schema = (&'static str, &'static str, fn() -> Value);

const SCHEMAS: [Schema; 13] = [
    ("ralph-state", ".ralph/state.json, version 1", ralph_state),
    ("ls", "piton ls --json", ls),
    ("status", "piton status RUN --json", status),
    ("show", "piton show RUN --json", show),
    ("log", "a line of piton log RUN --json", log),
    ("verify", "piton verify --json", verify),
    ("guard", "piton guard --json", guard),
    ("metrics", "piton metrics --format json", metrics),
    ("report", "what an agent writes to $PITON_REPORT", report),
    ("hook-context", "what a hook is told on its standard input or as a body", hook_context),
    ("hook-answer", "what a hook may say", hook_answer),
    ("notification", "what a webhook channel is sent", notification),
    ("config", "piton.toml, and your own config.toml", piton_config::schema),
];

pub(super) fn run(arguments: &SchemaArguments, out: &Output) -> Result<ExitCode, Failure> {
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
    let Some((name, about, schema)) = SCHEMAS.iter().find(|(known, ..)| known == name) else {
        let known: Vec<_> = SCHEMAS.iter().map(|(name, ..)| *name).collect();
        return Err(Failure::usage(format!("there is no schema `{name}`"))
            .hint(format!("known are {}", known.join(", "))));
    };
    let mut schema = schema();
    schema["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
    schema["title"] = json!(format!("piton {name}"));
    schema["description"] = json!(about);
    out.json(&schema);
    Ok(ExitCode::Done)
}

/// An object. A name that ends with `?` may be missing.
fn object(fields: &[(&str, Value)]) -> Value {
    let (mut properties, mut required) = (Map::new(), Vec::new());
    for (name, schema) in fields {
        match name.strip_suffix('?') {
            Some(name) => drop(properties.insert(name.to_owned(), schema.clone())),
            None => {
                properties.insert((*name).to_owned(), schema.clone());
                required.push(*name);
            }
        }
    }
    json!({"type": "object", "properties": properties, "required": required})
}

fn text() -> Value {
    json!({"type": "string"})
}

fn count() -> Value {
    json!({"type": "integer", "minimum": 0})
}

fn number() -> Value {
    json!({"type": "number"})
}

fn flag() -> Value {
    json!({"type": "boolean"})
}

fn moment() -> Value {
    json!({"type": "string", "format": "date-time"})
}

fn list(of: Value) -> Value {
    json!({"type": "array", "items": of})
}

fn any_object() -> Value {
    json!({"type": "object"})
}

fn words(words: &[&str]) -> Value {
    json!({"enum": words})
}

/// The same, or `null` where it is not known.
fn or_null(schema: Value) -> Value {
    json!({"anyOf": [schema, {"type": "null"}]})
}

fn ralph_state() -> Value {
    let session = object(&[
        ("session_id", text()),
        ("started_at", moment()),
        ("ended_at", moment()),
        ("iterations", count()),
        ("end_reason", text()),
    ]);
    object(&[
        ("version", json!({"const": 1})),
        ("loop_id", text()),
        ("saved_at", moment()),
        (
            "core",
            object(&[
                ("status", words(&["running", "paused", "rebooting", "stopped", "completed", "error"])),
                ("iteration", count()),
                ("started_at", moment()),
                ("last_activity", moment()),
                ("working_dir", text()),
                ("prompt_path", text()),
                ("config_hash", text()),
            ]),
        ),
        (
            "session",
            object(&[
                ("current_session_id", or_null(text())),
                ("session_started_at", or_null(moment())),
                ("session_iterations", count()),
                ("context_usage", count()),
                ("session_history", list(session)),
            ]),
        ),
        (
            "progress",
            object(&[
                ("iterations_since_progress", count()),
                ("last_progress_iteration", or_null(count())),
                ("recent_scores", list(number())),
                ("modified_files", list(text())),
                ("completed_objectives", list(text())),
                ("pending_objectives", list(text())),
            ]),
        ),
        (
            "tests",
            object(&[
                ("failure_streak", count()),
                ("passing_tests", list(text())),
                ("failing_tests", list(text())),
                ("flaky_tests", list(text())),
                ("recently_fixed", list(text())),
            ]),
        ),
        (
            "stop_conditions",
            object(&[("condition_progress", any_object()), ("last_evaluation", or_null(text()))]),
        ),
        (
            "metrics",
            object(&[
                ("total_iterations", count()),
                ("successful_iterations", count()),
                ("failed_iterations", count()),
                ("total_reboots", count()),
                ("total_execution_ms", count()),
            ]),
        ),
        ("custom", any_object()),
    ])
}

fn status_words() -> Value {
    words(&["created", "running", "waiting", "paused", "rebooting", "stopped", "completed", "failed"])
}

fn summary() -> Vec<(&'static str, Value)> {
    vec![
        ("run_id", text()),
        ("kind", text()),
        ("title", text()),
        ("status", status_words()),
        ("reason?", text()),
        ("created_at", moment()),
        ("updated_at", moment()),
        ("iteration", count()),
        ("waiting_for?", text()),
    ]
}

fn ls() -> Value {
    list(object(&summary()))
}

fn status() -> Value {
    let counted = || object(&[("used", or_null(number())), ("max", or_null(number()))]);
    let check = || {
        object(&[
            ("name", text()),
            ("passed", flag()),
            ("exit_code", or_null(json!({"type": "integer"}))),
            ("timed_out", flag()),
            ("duration_ms", count()),
            ("tail?", text()),
        ])
    };
    let mut fields = summary();
    fields.extend([
        ("detail?", text()),
        ("since", moment()),
        ("next", text()),
        ("mode", words(&["attended", "unattended", "hybrid"])),
        ("driver", or_null(object(&[("pid", count()), ("host", text()), ("since", moment())]))),
        ("exit_code", or_null(count())),
        ("rule", words(&["checks-pass", "done", "conditions"])),
        (
            "limits",
            object(&[
                ("iterations", counted()),
                ("duration_ms", counted()),
                ("cost_usd", counted()),
                ("tokens", counted()),
                ("no_progress", counted()),
                ("failures", counted()),
                ("files", counted()),
                ("lines", counted()),
                ("reboots", counted()),
            ]),
        ),
        ("checks", list(check())),
        ("baseline", list(check())),
        ("best?", object(&[("iteration", count()), ("quality_score", number())])),
        ("findings", list(any_object())),
        (
            "questions",
            list(object(&[
                ("question", count()),
                ("kind", text()),
                ("text", text()),
                ("digest", text()),
                ("since", moment()),
            ])),
        ),
    ]);
    object(&fields)
}

fn show() -> Value {
    object(&[("run_id", text()), ("kind", text()), ("seq", count()), ("state", any_object())])
}

fn log() -> Value {
    object(&[
        ("seq", count()),
        ("at", moment()),
        ("type", text()),
        ("v", count()),
        ("data", any_object()),
        ("hash", json!({"type": "string", "pattern": "^[0-9a-f]{64}$"})),
    ])
}

fn verify() -> Value {
    let problem = object(&[("run_id?", text()), ("seq?", count()), ("what", text()), ("remedy", text())]);
    object(&[
        ("ok", flag()),
        ("runs_checked", count()),
        ("events_checked", count()),
        ("problems", list(problem)),
    ])
}

fn guard() -> Value {
    let finding = object(&[
        ("id", text()),
        ("rule", text()),
        ("regression_type", text()),
        ("severity", text()),
        ("confidence", number()),
        ("file", text()),
        ("line", count()),
        ("message", text()),
        ("before?", json!({})),
        ("after?", json!({})),
    ]);
    object(&[
        ("base", text()),
        ("head", text()),
        ("blocking", json!({})),
        ("findings", list(finding)),
        ("tests", object(&[("before", count()), ("after", count())])),
        ("assertions", object(&[("before", count()), ("after", count())])),
        ("duration_ms", count()),
    ])
}

fn metrics() -> Value {
    let bucket = object(&[("le", number()), ("count", count())]);
    list(object(&[
        ("run_id", text()),
        ("values", json!({"type": "object", "additionalProperties": {"type": "number"}})),
        (
            "iteration_duration_seconds",
            object(&[("count", count()), ("sum", number()), ("buckets", list(bucket))]),
        ),
    ]))
}

fn report() -> Value {
    object(&[
        ("status?", words(&["done", "blocked", "continue"])),
        ("reason?", text()),
        ("summary?", text()),
        ("session_id?", text()),
        (
            "usage?",
            object(&[
                ("input_tokens", count()),
                ("output_tokens", count()),
                ("cached_input_tokens?", count()),
            ]),
        ),
        ("cost_usd?", json!({"type": "number", "minimum": 0})),
        ("context_usage_percent?", json!({"type": "number", "minimum": 0, "maximum": 100})),
        ("objectives?", object(&[("completed?", list(text())), ("pending?", list(text()))])),
        ("notes?", list(object(&[("kind", words(&["decision", "finding"])), ("text", text())]))),
        ("custom?", any_object()),
        (
            "error_class?",
            words(&["auth", "rate_limit", "overloaded", "context_full", "permission", "hang", "crash"]),
        ),
        ("message?", text()),
    ])
}

fn hook_context() -> Value {
    object(&[
        ("hook_point", text()),
        ("call", count()),
        ("iteration", count()),
        ("loop_id", text()),
        ("session_id?", text()),
        ("working_dir", text()),
        ("mode", words(&["attended", "unattended", "hybrid"])),
        ("tests_passing?", flag()),
        ("text?", text()),
        ("status?", status_words()),
        ("reason?", text()),
        ("data", any_object()),
    ])
}

fn hook_answer() -> Value {
    object(&[
        ("continue_loop?", flag()),
        ("modified_data?", any_object()),
        ("success?", flag()),
        ("output?", text()),
        ("error?", text()),
    ])
}

fn notification() -> Value {
    object(&[
        ("number", count()),
        ("trigger", text()),
        ("priority", words(&["low", "normal", "high", "critical"])),
        ("title", text()),
        ("text", text()),
        ("at", moment()),
        ("held_back", count()),
        ("facts", any_object()),
    ])
}
