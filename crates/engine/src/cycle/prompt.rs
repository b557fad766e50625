//! What a role is told: its template with what is known of the cycle, what others told it, and how it hands in its work.
//!
//! The templates of the four roles are shipped with piton and read like any other prompt file; a cycle keeps those that it
//! began with.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use piton_files::cycle::CyclePlace;
use piton_model::cycle::{Role, State};
use piton_prompt::{CheckFact, Facts, Mode, ReadError};
use serde_json::{Value, json};

/// The template of a role that piton ships one for; the same words for any other.
pub fn shipped(role: &str) -> &'static str {
    match role {
        "ra" => include_str!("prompts/ra.md"),
        "ep" => include_str!("prompts/ep.md"),
        "cd" => include_str!("prompts/cd.md"),
        "vas" => include_str!("prompts/vas.md"),
        _ => include_str!("prompts/role.md"),
    }
}

/// The prompt of the role at `index`, or what is wrong with its template.
pub(super) fn compose(place: &CyclePlace, state: &State, index: usize) -> Result<String, String> {
    let (role, at) = (&state.config.roles[index], &state.roles[index]);
    let mut text = render(&role.prompt, place, state, role)?;
    text.truncate(text.trim_end().len());
    text.push_str("\n\n---\n");
    explain(&mut text, place, state, role);
    for told in at.hears() {
        let _ = writeln!(text, "\n### Feedback from {} ({})\n\n{}", told.source, told.kind, told.content);
    }
    if let Some(error) = &at.error {
        let _ = writeln!(text, "\nYour last attempt in this iteration did not count: {error}");
    }
    Ok(text)
}

/// Whether a template can be read: asked before a cycle begins.
pub(crate) fn check(template: &str) -> Result<(), String> {
    piton_prompt::load("prompt", &|wanted| own(template, wanted))
        .map(drop)
        .map_err(|problems| problems.to_string())
}

fn own(template: &str, wanted: &str) -> Result<Vec<u8>, ReadError> {
    if wanted == "prompt" { Ok(template.as_bytes().to_vec()) } else { Err(ReadError::Missing) }
}

fn render(template: &str, place: &CyclePlace, state: &State, role: &Role) -> Result<String, String> {
    let loaded = piton_prompt::load("prompt", &|wanted| own(template, wanted))
        .map_err(|problems| problems.to_string())?;
    let facts = facts(place, state, role);
    Ok(loaded.render(&facts, Mode::Lenient).map_err(|problems| problems.to_string())?.text)
}

fn facts(place: &CyclePlace, state: &State, role: &Role) -> Facts {
    let shown = |path: &Path| path.display().to_string();
    let reads: Vec<String> = role.reads.iter().map(|name| shown(&place.file(name))).collect();
    let tasks: Vec<Value> = state.plan.iter().flat_map(|plan| &plan.tasks).map(|task| {
        json!({ "id": task.id, "description": task.description, "status": task.status.as_str(), "files": task.files })
    }).collect();
    let variables = BTreeMap::from([
        ("task".to_owned(), json!(state.config.task)),
        ("description".to_owned(), json!(state.description)),
        ("role".to_owned(), json!(role.name.as_str())),
        ("title".to_owned(), json!(role.title)),
        ("role_dir".to_owned(), json!(shown(&place.directory(role.name.as_str())))),
        ("state_file".to_owned(), json!(shown(&place.state()))),
        ("version".to_owned(), json!(state.current.version)),
        ("reads".to_owned(), json!(reads)),
        ("writes".to_owned(), json!(role.writes)),
        ("plan_tasks".to_owned(), json!(tasks)),
    ]);
    let checks = state.config.checks.iter().map(|check| {
        let last = state.checks.iter().find(|result| result.name == check.name);
        CheckFact {
            name: check.name.clone(),
            command: check.command.clone(),
            passed: last.map(|result| result.passed),
            output: last.map(|result| result.tail.clone()).unwrap_or_default(),
        }
    });
    Facts {
        run_id: state.run.to_string(),
        iteration: state.iteration,
        total_iterations: state.config.limits.iterations,
        attempt: state.attempt,
        checks: checks.collect(),
        failing_tests: state.tests.as_ref().map(|tests| tests.failed_tests.clone()).unwrap_or_default(),
        modified_files: state.changed_files.iter().take(200).cloned().collect(),
        variables,
        ..Facts::default()
    }
}

/// What holds for every role, whatever its template says.
fn explain(text: &mut String, place: &CyclePlace, state: &State, role: &Role) {
    let directory = place.directory(role.name.as_str());
    let _ = writeln!(
        text,
        "You are `{}` ({}) in iteration {} of at most {} of this cycle.\n\n\
         The task: {}\n\n{}\n\n\
         Write your documents only into `{}` (also in $PITON_ROLE_DIR): {}. Everything else below `{}` is for reading; \
         `{}` is the state that the team shares, and piton alone writes it.",
        role.name,
        role.title,
        state.iteration,
        state.config.limits.iterations,
        state.config.task,
        state.description,
        directory.display(),
        role.writes.join(", "),
        place.progress().display(),
        place.state().display(),
    );
    if !role.develops {
        text.push_str("Do not change any other file of the repository.\n");
    }
    if !state.config.checks.is_empty() {
        text.push_str("\npiton runs these checks itself, whatever anybody reports:\n");
        for check in &state.config.checks {
            let _ = writeln!(text, "- {}: {}", check.name, check.command);
        }
    }
    let _ = writeln!(
        text,
        "\nEnd with this block, then a blank line:\n\nPHASE_RESULT:\n- phase: {}\n- status: completed | partial | blocked | failed\n\
         - summary: one line\n- blockers: [what stands in your way, if anything]\n\n\
         If a person has to decide something, add `- decision: what is to be decided | one option | another`. To tell another \
         role something, add `- feedback_to_ROLE: text`. If the file named by $PITON_NUDGE_FILE appears, come to an end.",
        role.name
    );
}
