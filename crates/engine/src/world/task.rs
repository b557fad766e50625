//! The task: what a person wrote, as text or as a prompt file with everything it includes.
//!
//! A task that was given as text is taken as it is; only files have frontmatter and tags. What they may speak of comes
//! from the state.

use std::path::Path;

use piton_git::Head;
use piton_model::State;
use piton_model::limits::PROMPT_BYTES_MAX;
use piton_model::loop_machine::{Check, LoopConfig, Open, Prompt, TestStatus};
use piton_prompt::{CheckFact, Facts, LastResult, Mode, NoteFact, Problems, ReadError, What};
use piton_sys::file;

/// Why there is no prompt.
#[derive(Debug, thiserror::Error)]
pub enum PromptError {
    /// The prompt file is not there.
    #[error("the prompt file `{path}` is missing")]
    Missing {
        /// Its path.
        path: String,
    },
    /// The prompt file is empty.
    #[error("the prompt file `{path}` is empty")]
    Empty {
        /// Its path.
        path: String,
    },
    /// The prompt file cannot be read.
    #[error(transparent)]
    File(#[from] file::Error),
    /// The prompt file, or one that it includes, is not right.
    #[error(transparent)]
    Wrong(#[from] Problems),
}

/// A task that is ready.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Task {
    /// What the agent is asked to do.
    pub text: String,
    /// The digest of the files it was read from.
    pub digest: Option<String>,
    /// What a person should know about it.
    pub warnings: Vec<String>,
}

/// The task of a run that has not begun.
pub fn at_start(config: &LoopConfig, root: &Path) -> Result<Task, PromptError> {
    let total_iterations = config.limits.iterations;
    let facts = Facts { iteration: 1, attempt: 1, total_iterations, ..Facts::default() };
    task(config, root, facts, &Head::default)
}

/// The task of a run as it stands.
pub fn of_state(state: &State, root: &Path) -> Result<Task, PromptError> {
    task(&state.config, root, facts_of(state, root), &Head::default)
}

/// The task, with the facts it speaks of. `head` is asked only where it speaks of that.
pub(super) fn task(
    config: &LoopConfig,
    root: &Path,
    mut facts: Facts,
    head: &dyn Fn() -> Head,
) -> Result<Task, PromptError> {
    let path = match &config.prompt {
        Prompt::Text(text) => return Ok(Task { text: text.clone(), ..Task::default() }),
        Prompt::File(path) => path,
    };
    let own = file::read_regular(&root.join(path), PROMPT_BYTES_MAX as u64)?
        .ok_or_else(|| PromptError::Missing { path: path.clone() })?;
    let read = |wanted: &str| if wanted == path { Ok(own.clone()) } else { read_included(root, wanted) };
    let loaded = piton_prompt::load(path, &read)?;
    if loaded.mentions("git_branch") || loaded.mentions("git_commit") {
        Head { branch: facts.git_branch, commit: facts.git_commit } = head();
    }
    facts.variables = config.prompts.variables.clone();
    let mode = if config.prompts.strict { Mode::Strict } else { Mode::Lenient };
    let rendered = loaded.render(&facts, mode).map_err(|problems| {
        let is_empty = problems.iter().any(|problem| problem.what == What::Empty);
        if is_empty { PromptError::Empty { path: path.clone() } } else { problems.into() }
    })?;
    let warnings = rendered.warnings.iter().map(ToString::to_string).collect();
    Ok(Task { text: rendered.text, digest: Some(rendered.digest), warnings })
}

/// A file that a prompt includes. A link may lead to it, as long as it stays in the tree.
fn read_included(root: &Path, path: &str) -> Result<Vec<u8>, ReadError> {
    let failed = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::NotFound => ReadError::Missing,
        _ => ReadError::Other(error.to_string()),
    };
    let tree = root.canonicalize().map_err(failed)?;
    let real = root.join(path).canonicalize().map_err(failed)?;
    if !real.starts_with(&tree) {
        return Err(ReadError::Outside);
    }
    match file::read_regular(&real, PROMPT_BYTES_MAX as u64) {
        Ok(bytes) => bytes.ok_or(ReadError::Missing),
        Err(error) => Err(ReadError::Other(super::sentence(&error))),
    }
}

/// What a prompt of this run can speak of.
pub(super) fn facts_of(state: &State, root: &Path) -> Facts {
    let intended = match &state.work.open {
        Some(Open::Attempt(attempt)) => attempt.session.as_ref().map(|session| session.id.clone()),
        _ => None,
    };
    Facts {
        run_id: state.run.to_string(),
        iteration: state.work.iteration,
        total_iterations: state.config.limits.iterations,
        attempt: state.work.attempt,
        session_id: intended.or_else(|| state.session.goes_on().map(str::to_owned)),
        working_dir: root.display().to_string(),
        last_result: last_result(state),
        checks: state.config.checks.iter().map(|check| check_of(check, state)).collect(),
        failing_tests: state.seen.tests.named(TestStatus::Failing).cloned().collect(),
        notes: state.standing_notes().map(note_of).collect(),
        objectives_completed: state.memory.objectives.completed.clone(),
        objectives_pending: state.memory.objectives.pending.clone(),
        modified_files: state.seen.modified_files.clone(),
        custom: state.memory.custom.clone(),
        ..Facts::default()
    }
}

fn last_result(state: &State) -> Option<LastResult> {
    let last = state.judged.recent.back()?;
    let tests = last.measures.as_ref().and_then(|measures| measures.tests);
    Some(LastResult {
        success: last.succeeded() && last.passed == last.total,
        files_changed: last.artifacts.iter().map(|artifact| artifact.path.clone()).collect(),
        tests_passed: tests.map(|tests| tests.passed),
        tests_failed: tests.map(|tests| tests.failed),
        summary: state.seen.report.as_ref().and_then(|report| report.summary.clone()),
    })
}

fn check_of(check: &Check, state: &State) -> CheckFact {
    let last = state.seen.checks.as_ref().or(state.seen.baseline.as_ref());
    let verdict = last.and_then(|round| round.checks.iter().find(|verdict| verdict.name == check.name));
    CheckFact {
        name: check.name.clone(),
        command: check.command.clone(),
        passed: verdict.map(|verdict| verdict.passed),
        output: verdict.map(|verdict| verdict.tail.clone()).unwrap_or_default(),
    }
}

fn note_of(kept: &piton_model::loop_machine::KeptNote) -> NoteFact {
    NoteFact {
        iteration: kept.iteration,
        kind: kept.note.kind.as_str().to_owned(),
        text: kept.note.text.clone(),
    }
}
