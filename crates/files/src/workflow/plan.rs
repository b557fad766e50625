//! What `--check-only` prints: the plan, level by level, and a Mermaid graph of it.

use std::fmt::Write;

use piton_model::workflow::{Collection, Definition, Graph, Items, Step, Work, shown};

/// The plan in the order of execution: what can run together stands on one level.
pub fn plan(definition: &Definition) -> String {
    let graph = Graph::new(definition);
    let mut text = String::new();
    let levels = graph.execution_levels();
    let (name, steps) = (shown(&definition.name), definition.steps.len());
    let _ =
        writeln!(text, "{name}: {steps} step{}, {} levels", if steps == 1 { "" } else { "s" }, levels.len());
    for (level, steps) in levels.iter().enumerate() {
        let _ = writeln!(text, "level {}", level + 1);
        for index in steps {
            let _ = writeln!(text, "  {}", line(&definition.steps[*index]));
        }
    }
    text
}

fn line(step: &Step) -> String {
    let mut line = match &step.work {
        Work::Agent { agent, prompt } => format!("{} · {} · {}", step.id, shown(agent), shown(prompt)),
        Work::Run { command, .. } => format!("{} · run · {}", step.id, shown(command)),
        Work::Workflow { path } => format!("{} · workflow · {}", step.id, shown(path)),
        Work::Loop(item) => format!("{} · loop · {}", step.id, shown(&item.title)),
        Work::Nothing {} => step.id.to_string(),
    };
    let list = |names: Vec<String>| names.join(", ");
    if !step.needs.is_empty() {
        let _ = write!(line, " · needs {}", list(step.needs.iter().map(ToString::to_string).collect()));
    }
    if let Some(when) = &step.when {
        let _ = write!(line, " · when {}", shown(when.as_str()));
    }
    if !step.gates.is_empty() {
        let _ = write!(
            line,
            " · gates {}",
            list(step.gates.iter().map(|gate| shown(&gate.to_string())).collect())
        );
    }
    if let Some(collection) = &step.collection {
        let _ = write!(line, " · once per item of {}", source(collection));
    }
    if let Some(target) = &step.loop_back_to {
        let _ = write!(line, " · back to {target} when its gate fails");
    }
    if step.human_in_the_loop {
        line.push_str(" · asks a person");
    }
    line
}

fn source(collection: &Collection) -> String {
    match collection.sources.first() {
        Some(Items::Given(items)) => format!("{} given", items.len()),
        Some(Items::FromStep(step)) => step.to_string(),
        Some(Items::FromArtifact(path)) => shown(path),
        None => "nothing".to_owned(),
    }
}

/// The graph, for pages that draw Mermaid. Ids are ours, so that no name can break the drawing.
pub fn mermaid(definition: &Definition) -> String {
    let graph = Graph::new(definition);
    let mut text = "graph TD\n".to_owned();
    for (index, step) in definition.steps.iter().enumerate() {
        let label = label(step);
        let _ = match (&step.work, step.human_in_the_loop) {
            (_, true) => writeln!(text, "  s{index}{{{{\"{label}\"}}}}"),
            (Work::Run { .. }, false) => writeln!(text, "  s{index}[/\"{label}\"/]"),
            (Work::Workflow { .. } | Work::Loop(_), false) => writeln!(text, "  s{index}[[\"{label}\"]]"),
            (Work::Agent { .. } | Work::Nothing {}, false) => writeln!(text, "  s{index}[\"{label}\"]"),
        };
    }
    for (index, step) in definition.steps.iter().enumerate() {
        for need in graph.needs(index) {
            let _ = writeln!(text, "  s{need} --> s{index}");
        }
        if let Some(target) = step.loop_back_to.as_ref().and_then(|target| graph.place(target)) {
            let _ = writeln!(text, "  s{index} -. gate fails .-> s{target}");
        }
    }
    text
}

/// The name of a step as text of a drawing: what has a meaning there is written as its code.
fn label(step: &Step) -> String {
    let mut label = String::new();
    for character in step.id.as_str().chars() {
        match character {
            _ if character.is_ascii_alphanumeric() || matches!(character, '-' | '_' | ' ') => {
                label.push(character)
            }
            _ => {
                let _ = write!(label, "#{};", u32::from(character));
            }
        }
    }
    label
}
