//! What `--migrate` shows first: how the document differs from the definition that a run started with.

use std::collections::{BTreeMap, BTreeSet};

use piton_model::workflow::{Definition, Step, StepId, shown};
use serde_json::{Map, Value};

/// One line per change: what is gone, what is new, which field of which step is another.
pub fn difference(old: &Definition, new: &Definition) -> Vec<String> {
    let mut lines = Vec::new();
    let head = |definition: &Definition| {
        let mut fields = fields(definition);
        fields.remove("steps");
        fields.remove("nested");
        fields
    };
    compare("workflow", &head(old), &head(new), &mut lines);
    let known: BTreeMap<&StepId, &Step> = old.steps.iter().map(|step| (&step.id, step)).collect();
    let kept: BTreeSet<&StepId> = new.steps.iter().map(|step| &step.id).collect();
    for step in old.steps.iter().filter(|step| !kept.contains(&step.id)) {
        lines.push(format!("- step `{}`", step.id));
    }
    for step in &new.steps {
        match known.get(&step.id) {
            None => lines.push(format!("+ step `{}`", step.id)),
            Some(before) => {
                compare(&format!("step `{}`", step.id), &fields(before), &fields(step), &mut lines);
            }
        }
    }
    let files: BTreeSet<&String> = old.nested.keys().chain(new.nested.keys()).collect();
    for file in files {
        match (old.nested.get(file), new.nested.get(file)) {
            (Some(before), Some(after)) => {
                let inner = difference(before, after);
                lines.extend(inner.into_iter().map(|line| format!("{line}   (in `{}`)", shown(file))));
            }
            (Some(_), None) => lines.push(format!("- workflow `{}`", shown(file))),
            (None, _) => lines.push(format!("+ workflow `{}`", shown(file))),
        }
    }
    lines
}

fn fields(value: &impl serde::Serialize) -> Map<String, Value> {
    match serde_json::to_value(value) {
        Ok(Value::Object(fields)) => fields,
        _ => Map::new(),
    }
}

fn compare(what: &str, old: &Map<String, Value>, new: &Map<String, Value>, lines: &mut Vec<String>) {
    let names: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    let text =
        |value: Option<&Value>| value.map_or_else(|| "nothing".to_owned(), |value| shown(&value.to_string()));
    for name in names {
        let (before, after) = (old.get(name), new.get(name));
        if before != after {
            lines.push(format!("~ {what}: {name}: {} → {}", text(before), text(after)));
        }
    }
}
