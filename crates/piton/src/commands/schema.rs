//! `piton schema`: what the views and the JSON outputs look like, as JSON Schema.
//!
//! Owns which there are. What each says is in `piton_files::schema`, which `piton import` holds files against, too. A test
//! holds real output against them.

use piton_model::ExitCode;
use serde_json::json;

use crate::cli::SchemaArguments;
use crate::failure::{Failure, Result};
use crate::output::Output;

/// Each schema: its name, what it describes, and the shape that says it.
const SCHEMAS: [(&str, &str, &str); 24] = [
    ("ralph-state", ".ralph/state.json, version 1", "ralph-state"),
    ("aiwg-state", ".aiwg/ralph/loops/<id>/state.json, version 2", "aiwg-state"),
    ("aiwg-iteration", ".aiwg/ralph/loops/<id>/iterations/iteration-NNN.json", "aiwg-iteration"),
    ("aiwg-registry", ".aiwg/ralph/registry.json, version 2", "aiwg-registry"),
    ("run-state", ".agents/runs/<id>/run_state.json", "run-state"),
    ("run-report", "what a step's agent writes to $REPORT_PATH", "run-report"),
    ("cycle-state", ".workflow/.cycle/<id>.json", "cycle-state"),
    ("prep-package", ".workflow/.cycle/prep-package.json", "prep-package"),
    ("gaps", "gaps.yaml, and piton gaps export --format json", "gaps"),
    ("ls", "piton ls --json", "ls"),
    ("status", "piton status RUN --json", "status-of-a-run"),
    ("queue", "piton queue list --json", "queue"),
    ("morning", "piton --json", "morning"),
    ("night", "piton night --json", "night"),
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
        _ => piton_files::schema(shape),
    };
    schema["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
    schema["title"] = json!(format!("piton {name}"));
    schema["description"] = json!(about);
    out.json(&schema);
    Ok(ExitCode::Done)
}
