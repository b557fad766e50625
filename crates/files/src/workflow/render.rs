//! `run_state.json`: a run as its users know it, every field of it, byte for byte the same for equal states.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use piton_model::Timestamp;
use piton_model::workflow::{State, StepId, StepState, StepStatus};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use serde_json::{Map, Value};

use super::place::RunPlace;
use crate::plain::{in_calendar, json_file, object};

/// The run, as the bytes of its file: two spaces of indent, nulls kept, a newline at the end.
pub fn render(state: &State, place: &RunPlace) -> Vec<u8> {
    let view = object! {
        run_id: state.run.as_str(),
        workflow_name: &state.plan.name,
        repo_dir: text(&place.tree(state)),
        reports_dir: text(&place.reports()),
        manual_inputs_dir: text(&place.manual_inputs()),
        created_at: moment(state.created_at),
        updated_at: moment(state.updated_at),
        steps: Steps { state, place },
    };
    json_file(&view)
}

/// The steps as a map in the order of the workflow.
struct Steps<'a> {
    state: &'a State,
    place: &'a RunPlace,
}

impl Serialize for Steps<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.state.steps.len()))?;
        for (index, step) in self.state.steps.iter().enumerate() {
            let id = self.state.id(index);
            map.serialize_entry(id.as_str(), &runtime(self.state, index, step, self.place))?;
        }
        map.end()
    }
}

/// A step as the format has it: what is not known is `null`.
fn runtime(state: &State, index: usize, step: &StepState, place: &RunPlace) -> impl Serialize {
    let id = state.id(index);
    let waits = step.status == StepStatus::WaitingOnHuman;
    // While a person has not spoken there is no report that counts.
    let reported = step.reported && !waits;
    // A run that only rests takes no answer.
    let is_asked = waits && step.asks.as_ref().is_none_or(|asks| asks.question.is_some());
    let by_hand = is_asked || step.manual.is_some();
    object! {
        status: step.status.as_str(),
        attempts: step.attempts,
        iteration_count: step.iteration_count,
        report_path: reported.then(|| text(&place.report(id))),
        started_at: step.started_at.map(moment),
        ended_at: step.ended_at.map(moment),
        last_error: step.last_error.as_deref(),
        artifacts: &step.artifacts,
        metrics: step.metrics.iter().map(|(name, value)| (name.clone(), as_text(value))).collect::<Map<_, _>>(),
        logs: logs(step),
        manual_input_path: by_hand.then(|| text(&manual_input(step, id, place))),
        blocked_by_loop: step.blocked.as_ref().map(|block| block.by.as_str()),
    }
}

/// The log that is kept, after what is said of all that is not.
fn logs(step: &StepState) -> Vec<Cow<'_, str>> {
    let left_out = step.left_out.lines().into_iter().map(Cow::Owned);
    left_out.chain(step.logs.iter().map(|line| Cow::Borrowed(line.as_str()))).collect()
}

/// Where a person's answer is looked for: by the run that is the step, where that asks.
fn manual_input(step: &StepState, id: &StepId, place: &RunPlace) -> PathBuf {
    let inner = step.asks.as_ref().and_then(|asks| Some((&asks.run, asks.step.as_ref()?)));
    match inner {
        Some((run, step)) => RunPlace::new(&place.repo, run.clone()).manual_input(step),
        None => place.manual_input(id),
    }
}

/// The format keeps every metric as text.
fn as_text(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::from(text.as_str()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            Value::from(value.to_string())
        }
    }
}

/// `YYYY-MM-DDTHH:MM:SS.mmmmmmZ`. Readers know years of four digits; a broken clock must not make a file that they
/// cannot read.
pub(super) fn moment(moment: Timestamp) -> String {
    let text = in_calendar(moment).to_string();
    format!("{}000Z", text.trim_end_matches('Z'))
}

/// JSON has no bytes that are not text.
fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
