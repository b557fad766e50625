//! What a role is told: its template with what is known of the cycle, what others told it, and how it hands in its work.
//!
//! The templates of the four roles are shipped with piton and read like any other prompt file; a cycle keeps those that it
//! began with.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use piton_files::cycle::{COORDINATION, CyclePlace, DISCOVERIES, STATUS_WORDS, discovery_kinds};
use piton_model::cycle::prep::SourceStatus;
use piton_model::cycle::{BlockerStatus, Gate, Prep, PrepFound, Role, RoleName, RoleNote, RoleState, State};
use piton_prompt::{CheckFact, Facts, Mode, ReadError};
use serde_json::{Value, json};

/// Decisions and resolutions that a prompt has.
const SETTLED_SHOWN: usize = 20;

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
    prepared(&mut text, state, role);
    discovered(&mut text, place, state, role);
    settled(&mut text, state);
    recorded(&mut text, state);
    feedback(&mut text, place, state, at);
    if let Some(error) = &at.error {
        let _ = writeln!(text, "\nYour last attempt in this iteration did not count: {error}");
    }
    Ok(text)
}

/// What people decided, and how what stood in the way was resolved, the newest.
fn settled(text: &mut String, state: &State) {
    let newest = |mut lines: Vec<String>| lines.split_off(lines.len().saturating_sub(SETTLED_SHOWN));
    let decided = state.decisions.iter().filter_map(|known| {
        let chosen = known.chosen_option.as_ref()?;
        Some(format!("- {}: {} It is decided: {chosen}\n", known.id, sentence(&known.description)))
    });
    let resolved = state.blockers.iter().filter_map(|known| {
        let (what, how) = (sentence(&known.description), known.settled_by()?);
        Some(match known.status {
            BlockerStatus::Workaround => format!("- {}: {what} The way around it: {how}\n", known.id),
            _ => format!("- {}: {what} It is resolved: {how}\n", known.id),
        })
    });
    let lines = newest(decided.chain(resolved).collect());
    if !lines.is_empty() {
        let _ = write!(text, "\nSettled so far; go by it:\n{}", lines.concat());
    }
}

/// The text with a mark at its end.
fn sentence(text: &str) -> String {
    let text = text.trim();
    if text.ends_with(['.', '?', '!']) { text.to_owned() } else { format!("{text}.") }
}

/// What the team wants remembered.
fn recorded(text: &mut String, state: &State) {
    if state.notes.is_empty() {
        return;
    }
    text.push_str("\nRecorded by the team so far:\n");
    for RoleNote { role, iteration, note } in &state.notes {
        let _ = writeln!(text, "- {} ({role}, iteration {iteration}): {}", note.kind.as_str(), note.text);
    }
}

/// What others told the role, each with where they wrote more about it, and when that is done.
fn feedback(text: &mut String, place: &CyclePlace, state: &State, at: &RoleState) {
    let mut is_told = false;
    for told in at.hears() {
        is_told = true;
        let _ = writeln!(text, "\n### Feedback from {} ({})\n\n{}", told.source, told.kind, told.content);
        let source = RoleName::from(told.source.as_str());
        let written = state.role(&source).into_iter().flat_map(|known| known.documents.values());
        let named: Vec<String> = written
            .map(|document| {
                let path = place.directory(told.source.as_str()).join(&document.name);
                format!("{} (v{})", path.display(), document.version)
            })
            .collect();
        if !named.is_empty() {
            let _ = writeln!(text, "\nReferenced output: {}", named.join(", "));
        }
    }
    if is_told {
        text.push_str("\nIt is done when:\n");
        for check in &state.config.checks {
            let _ = writeln!(text, "- [ ] check `{}` passes", check.name);
        }
        text.push_str(
            "- [ ] what each of them says is taken care of, or you say as a blocker why it cannot be\n",
        );
    }
}

/// The gate of the iteration that is under way, where the cycle was prepared.
fn gate_of(state: &State) -> Option<(Gate, &Prep)> {
    let prep = state.config.prep.as_ref().and_then(PrepFound::taken)?;
    Some((state.iterations.back()?.gate.as_ref()?.gate, prep))
}

/// What a prep package asks of the role in this iteration.
fn prepared(text: &mut String, state: &State, role: &Role) {
    let Some((gate, prep)) = gate_of(state) else { return };
    let _ = match gate {
        Gate::ZeroToOne => {
            let wanted = &prep.phase_gates.zero_to_one;
            let asked = [
                wanted.code_compiles.then(|| "the code compiles".to_owned()),
                wanted.core_test_passes.then(|| "a core test passes".to_owned()),
                Some(format!(
                    "tasks of the plan that are done: at least {}",
                    wanted.min_requirements_implemented
                )),
            ];
            let asked: Vec<String> = asked.into_iter().flatten().collect();
            writeln!(
                text,
                "\nThis iteration is of the gate `{gate}`: make something that works at all; the rest follows in the next. \
                 It is passed when: {}.",
                asked.join("; ")
            )
        }
        Gate::OneToHundred => {
            let wanted = &prep.convergence;
            writeln!(
                text,
                "\nThis iteration is of the gate `{gate}`: do all of it. Beside green checks it takes {} % of the tests, a \
                 coverage of {} %, at most {} critical bugs and at most {} open issues.",
                wanted.test_pass_rate, wanted.coverage, wanted.max_critical_bugs, wanted.max_open_issues
            )
        }
    };
    if let Some(focus) = prep.focus(gate, &role.name) {
        let _ = match directive(focus) {
            Some(words) => writeln!(text, "Your focus: `{focus}`. {words}"),
            None => writeln!(text, "Your focus: {focus}"),
        };
    }
    if role.validates {
        text.push_str(
            "In your PHASE_RESULT add `- critical_issues: N` and `- open_issues: N`, the numbers of those that you know of.\n",
        );
    }
    let sources: Vec<&str> = (prep.source_refs.iter())
        .filter(|source| source.status != SourceStatus::NotFound)
        .map(|source| source.path.as_str())
        .collect();
    if !sources.is_empty() {
        let _ = writeln!(text, "The task comes from: {}", sources.join(", "));
    }
}

/// What the directives of the format mean.
fn directive(focus: &str) -> Option<&'static str> {
    Some(match focus {
        "core_requirements_only" => "Only what the task cannot do without; the rest comes later.",
        "minimal_viable_architecture" => "The smallest design that carries the core.",
        "happy_path_first" => "Make the main path work before anything else.",
        "smoke_tests_only" => "See whether it works at all; depth comes later.",
        "full_requirements_with_nfr" => {
            "Every requirement, with speed, security and the like, and the edge cases."
        }
        "refined_architecture_with_risks" => "The whole design, with its risks and what is done about them.",
        "complete_implementation_with_error_handling" => "All of it, with every error handled.",
        "full_test_suite_with_coverage" => "Every test there is to be, and what they reach of the code.",
        _ => return None,
    })
}

/// The board: what others found out, and how to add to it.
fn discovered(text: &mut String, place: &CyclePlace, state: &State, role: &Role) {
    let board = place.directory(COORDINATION).join(DISCOVERIES);
    let own = place.directory(role.name.as_str()).join(DISCOVERIES);
    let _ = match state.discoveries.total {
        0 => writeln!(
            text,
            "\nNobody has found anything out yet; `{}` is where it will stand.",
            board.display()
        ),
        count => writeln!(
            text,
            "\nBefore you explore, read `{}`: {count} lines of what the team has found out already.",
            board.display()
        ),
    };
    let _ = writeln!(
        text,
        "What you find out and others should not have to, add to `{}`, one line of JSON each: \
         `{{\"type\": TYPE, \"data\": {{...}}}}`. Nothing twice. Your types, each with what its data has: {}.",
        own.display(),
        discovery_kinds(role.name.as_str()).join("; ")
    );
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
        ("gate".to_owned(), json!(gate_of(state).map(|(gate, _)| gate.as_str()))),
        ("focus".to_owned(), json!(gate_of(state).and_then(|(gate, prep)| prep.focus(gate, &role.name)))),
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
        "\nEnd with this block, filled in, then a blank line:\n\nPHASE_RESULT:\n- phase: {}\n- status: {}\n\
         - summary: one line\n- blockers: []\n\n\
         Say one of the four words and no other. `blockers` lists what stands in your way, as `[no API key, no network]`. \
         If a person has to decide something, add `- decision: what is to be decided | one option | another`. To tell another \
         role something, add `- feedback_to_ROLE: text`. If the file named by $PITON_NUDGE_FILE appears, come to an end.",
        role.name,
        STATUS_WORDS.join(" | ")
    );
}
