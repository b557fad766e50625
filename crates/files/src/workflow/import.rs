//! Reading `run_state.json` back: a run of another tool that is continued, and a person's edit at rest.

use std::collections::HashSet;

use piton_model::ledger::Moment;
use piton_model::limits::{TEXT_BYTES_MAX, clip};
use piton_model::workflow::limits::TRIES_MAX;
use piton_model::workflow::{
    Definition, Edit, Inherited, State, StepId, StepReport, StepState, StepStatus, is_inside, shown,
};
use piton_model::{RunId, Timestamp};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::place::RunPlace;
use super::render::render;
use crate::fields;

/// Largest file of another tool that is read, and largest edit: its content is a multiple of that in memory.
pub const STATE_BYTES_MAX: usize = 8 << 20;

/// Steps, or places of a file, that one sentence names.
const NAMED_MAX: usize = 5;

/// How deep the fields of a step lie in the file: `steps`, its name, the field.
const STEP_FIELD_DEPTH: usize = 3;

/// Why a file cannot be continued or adopted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ImportError {
    /// It is too large.
    #[error("larger than {STATE_BYTES_MAX} bytes")]
    TooLarge,
    /// It is not what the format says.
    #[error("not a run state: {0}")]
    Malformed(String),
    /// It is about something else.
    #[error("its `run_id` is `{found}`, not `{expected}`")]
    Foreign {
        /// The run it names.
        found: String,
        /// The run it should name.
        expected: RunId,
    },
}

/// The format as others write it: fields that piton does not know are theirs, and optional ones may be missing.
#[derive(Deserialize)]
struct Found {
    run_id: String,
    workflow_name: String,
    #[serde(default)]
    created_at: Value,
    #[serde(default)]
    updated_at: Value,
    steps: serde_json::Map<String, Value>,
}

#[derive(Deserialize)]
struct FoundStep {
    status: StepStatus,
    #[serde(default)]
    attempts: u32,
    #[serde(default)]
    iteration_count: u32,
    #[serde(default)]
    report_path: Option<String>,
    #[serde(default)]
    started_at: Option<String>,
    #[serde(default)]
    ended_at: Option<String>,
    #[serde(default)]
    last_error: Option<String>,
    #[serde(default)]
    artifacts: Vec<String>,
    #[serde(default)]
    metrics: Map<String, Value>,
    #[serde(default)]
    logs: Vec<String>,
}

/// A run that another tool began.
#[derive(Clone, Debug, PartialEq)]
pub struct Imported {
    /// Its id, as it stands there.
    pub run_id: String,
    /// The workflow's name.
    pub workflow_name: String,
    /// What it did.
    pub inherited: Inherited,
    /// What of it does not count here, in words.
    pub left_out: Vec<String>,
}

/// A run that another tool left, at a glance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Left {
    /// Its id, as it stands there.
    pub run_id: String,
    /// The workflow's name.
    pub workflow_name: String,
    /// When it was last changed, by its own account.
    pub updated_at: Option<Timestamp>,
    /// The ids of its steps, sorted.
    pub steps: Vec<String>,
}

/// Which run another tool's file is about.
pub fn glance(bytes: &[u8]) -> Result<Left, ImportError> {
    let Found { run_id, workflow_name, updated_at, created_at, steps } = parse(bytes)?;
    let mut steps: Vec<String> = steps.into_iter().map(|(id, _)| id).collect();
    steps.sort();
    Ok(Left { run_id, workflow_name, updated_at: moment(&updated_at).or(moment(&created_at)), steps })
}

/// A moment; without a zone it is meant in UTC.
fn moment(value: &Value) -> Option<Timestamp> {
    value.as_str()?.parse::<Moment>().ok().map(|moment| moment.at)
}

/// What another tool's file says about `run` and the steps of this definition. What ran there runs no more, and is to be
/// run again.
pub fn import(bytes: &[u8], run: &RunId, definition: &Definition) -> Result<Imported, ImportError> {
    let found = parse(bytes)?;
    if found.run_id != run.as_str() {
        return Err(ImportError::Foreign { found: shown(&found.run_id), expected: run.clone() });
    }
    let known: HashSet<&str> = definition.steps.iter().map(|step| step.id.as_str()).collect();
    let mut left_out = Vec::new();
    if found.workflow_name != definition.name {
        let (theirs, ours) = (shown(&found.workflow_name), shown(&definition.name));
        left_out.push(format!("it is a run of the workflow `{theirs}`, and goes on as one of `{ours}`"));
    }
    let created_at = moment(&found.created_at);
    if created_at.is_none() {
        let said = shown(found.created_at.as_str().unwrap_or("nothing"));
        left_out.push(format!("its `created_at` is no time (`{said}`), so it is created now"));
    }
    let (mut steps, mut unknown) = (Vec::new(), Vec::new());
    for (id, value) in found.steps {
        if !known.contains(id.as_str()) {
            unknown.push(id);
            continue;
        }
        let malformed = |why: String| ImportError::Malformed(format!("step `{}`: {why}", shown(&id)));
        let step: FoundStep = serde_json::from_value(value).map_err(|error| malformed(error.to_string()))?;
        sound(&step).map_err(malformed)?;
        steps.push((StepId::new(id), imported(step, known.len())));
    }
    if !unknown.is_empty() {
        left_out.push(format!("left out, since the workflow has no such step: {}", named(&unknown)));
    }
    let inherited = Inherited { run: None, seq: None, created_at, steps };
    Ok(Imported { run_id: found.run_id, workflow_name: found.workflow_name, inherited, left_out })
}

fn parse(bytes: &[u8]) -> Result<Found, ImportError> {
    if bytes.len() > STATE_BYTES_MAX {
        return Err(ImportError::TooLarge);
    }
    serde_json::from_slice(bytes).map_err(|error| ImportError::Malformed(error.to_string()))
}

/// What no run of piton can hold is not taken over from another.
fn sound(step: &FoundStep) -> Result<(), String> {
    for (field, count) in [("attempts", step.attempts), ("iteration_count", step.iteration_count)] {
        if count > TRIES_MAX {
            return Err(format!("its `{field}` is more than {TRIES_MAX}"));
        }
    }
    match step.artifacts.iter().find(|path| !is_inside(path)) {
        Some(path) => Err(format!("its artifact `{}` is outside of the repository", shown(path))),
        None => Ok(()),
    }
}

fn imported(step: FoundStep, steps: usize) -> StepState {
    let moment = |text: Option<String>| text.and_then(|text| moment(&Value::from(text)));
    let report = StepReport {
        completed: true,
        gate_failure: false,
        artifacts: step.artifacts,
        metrics: step.metrics,
        logs: step.logs,
        ..StepReport::default()
    };
    let report = report.bounded(steps, &[]);
    let waits = step.status == StepStatus::WaitingOnHuman;
    let mut state = StepState {
        status: step.status,
        attempts: step.attempts,
        iteration_count: step.iteration_count,
        reported: step.report_path.is_some(),
        started_at: moment(step.started_at),
        ended_at: moment(step.ended_at),
        last_error: step.last_error.map(|text| clip(&text, TEXT_BYTES_MAX).to_owned()),
        ..StepState::default()
    };
    if waits {
        state.asked_at = state.started_at;
        state.held = Some(report);
    } else {
        state.artifacts = report.artifacts;
        state.metrics = report.metrics;
        state.logs = report.logs;
        state.left_out = report.left_out;
    }
    state
}

/// What somebody changed in the file of a run at rest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Edits {
    /// Steps that are to have another status.
    pub statuses: Vec<Edit>,
    /// Statuses that a step cannot have, in words.
    pub impossible: Vec<String>,
    /// All other places that differ, which cannot be taken: `steps.coding.attempts`.
    pub others: Vec<String>,
}

impl Edits {
    /// What cannot be taken, in words, with these before the other places; of very many the first. Empty where all can be.
    pub(super) fn not_taken(&self, before: &str) -> String {
        let others = (!self.others.is_empty()).then(|| format!("{before} {}", named(&self.others)));
        others.iter().chain(self.impossible.iter().take(NAMED_MAX)).cloned().collect::<Vec<_>>().join("; ")
    }
}

/// What somebody changed in the file of a run at rest; nothing is known of a file that is about something else.
pub fn edits(state: &State, place: &RunPlace, found: &[u8]) -> Result<Edits, ImportError> {
    let about = parse(found)?;
    if about.run_id != state.run.as_str() {
        return Err(ImportError::Foreign { found: shown(&about.run_id), expected: state.run.clone() });
    }
    let malformed = |error: serde_json::Error| ImportError::Malformed(error.to_string());
    let mut theirs: Value = serde_json::from_slice(found).map_err(malformed)?;
    let ours: Value = serde_json::from_slice(&render(state, place)).map_err(malformed)?;
    let mut edits = Edits::default();
    for index in 0..state.steps.len() {
        let (id, known) = (state.id(index), state.steps[index].status);
        let Some(status) = theirs.pointer_mut(&format!("/steps/{id}/status")) else { continue };
        let word = std::mem::replace(status, Value::from(known.as_str()));
        let Some(said) = word.as_str().and_then(StepStatus::from_word) else {
            let word = word.as_str().map_or_else(|| word.to_string(), str::to_owned);
            edits.impossible.push(format!("step `{id}` cannot be `{}`: that is no status", shown(&word)));
            continue;
        };
        match state.cannot_be(index, said) {
            _ if said == known => {}
            Some(why) => edits.impossible.push(format!("step `{id}` cannot be {said}: {why}")),
            None => edits.statuses.push(Edit { step: id.clone(), status: said }),
        }
    }
    edits.others = fields::that_differ(&ours, &theirs, STEP_FIELD_DEPTH);
    Ok(edits)
}

/// The first few of these names, and how many more there are.
fn named(names: &[String]) -> String {
    let first: Vec<String> = names.iter().take(NAMED_MAX).map(|name| format!("`{}`", shown(name))).collect();
    let more = match names.len() - first.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{}{more}", first.join(", "))
}
