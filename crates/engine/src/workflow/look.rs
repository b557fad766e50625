//! Files that others write and a workflow reads: items of a collection, manual inputs.

use std::path::Path;
use std::sync::Arc;

use piton_files::workflow::{RunPlace, input_digest, read_manual_input};
use piton_model::Timestamp;
use piton_model::workflow::limits::MANUAL_INPUT_BYTES_MAX;
use piton_model::workflow::{Command, ManualInput, OpenAttempt, State, Step, StepId, StepState};
use piton_store::Store;
use piton_sys::file::{self, Durability};
use serde_json::Value;

use super::Context;
use super::nested::at_once;
use crate::at_work;
use crate::world::{WorldError, sentence};

/// Largest file of items.
const ITEMS_BYTES_MAX: u64 = 4 << 20;

/// What a person wrote for this step since it asked, unless it was read before; without its secrets.
pub(super) fn manual_input(context: &Context, state: &State, step: &StepId) -> Option<Command> {
    let clean = |bytes: &[u8]| context.launch.redactor().redact_bytes(bytes).into_owned();
    find_manual_input(&context.store, context.place(), state, step, &clean)
}

/// Whether there is something that it was not read before.
pub(super) fn has_manual_input(
    store: &Arc<dyn Store>,
    place: &RunPlace,
    state: &State,
    step: &StepId,
) -> bool {
    find_manual_input(store, place, state, step, &<[u8]>::to_vec).is_some()
}

fn find_manual_input(
    store: &Arc<dyn Store>,
    place: &RunPlace,
    state: &State,
    step: &StepId,
    clean: &dyn Fn(&[u8]) -> Vec<u8>,
) -> Option<Command> {
    let runtime = state.step(step)?;
    let question = runtime.question.as_ref()?;
    let path = place.manual_input(step);
    let read = file::within(&place.repo, &path, |path| {
        file::read_regular(path, MANUAL_INPUT_BYTES_MAX as u64)
            .map(|bytes| bytes.map(|bytes| (bytes, file::changed_at(path))))
    });
    let said = |digest: &str| runtime.refused_input.as_ref().is_some_and(|(known, _)| known == digest);
    let (digest, input) = match read {
        Ok(None) => return None,
        Err(error) if error.is_not_found() => return None,
        Ok(Some((bytes, changed))) => {
            let read = read_manual_input(&clean(&bytes));
            let is_older = changed < question.since;
            // The record of what was said to an earlier question is no answer to this one, and nobody has to hear so.
            if is_older && read.as_ref().is_ok_and(|input| is_known(runtime, input)) {
                return None;
            }
            // Written again, it is another one.
            let written = input_digest(&[&bytes, changed.to_string().as_bytes()].concat());
            if said(&written) {
                return None;
            }
            match read {
                _ if is_older => {
                    let why = format!("`{}` is older than the question: write it again", path.display());
                    (input_digest(&bytes), Err(why))
                }
                Ok(_) if may_be_a_runs(store, state, changed) => {
                    let (run, path) = (&state.run, path.display());
                    let why = format!(
                        "`{path}` was written while a run was at work, which may have done so: `piton answer {run} {} --input {path}` takes it",
                        question.number
                    );
                    (written, Err(why))
                }
                read => (input_digest(&bytes), read.map_err(|why| format!("`{}`: {why}", path.display()))),
            }
        }
        // A pipe, a link, a gigabyte: whoever put it there should hear that it does not count.
        Err(error) => {
            let why = sentence(&error);
            (input_digest(why.as_bytes()), Err(why))
        }
    };
    // What cannot be read is said once; the step goes on waiting for something else.
    let is_said = said(&digest);
    let (step, question) = (step.clone(), question.number);
    (input.is_ok() || !is_said).then_some(Command::TakeManualInput { step, question, digest, input })
}

/// Whether a file of people that was written at this moment may be the work of a step, or of another run: all of them reach it, but for
/// those between walls. What cannot be told is not a person's.
fn may_be_a_runs(store: &Arc<dyn Store>, state: &State, written: Timestamp) -> bool {
    let store = Arc::clone(store);
    !state.options.accept_inputs
        && at_once(async move { at_work::of_any(&*store, written).await }).unwrap_or(true)
}

/// Whether this is what a person said to the step before.
fn is_known(step: &StepState, input: &ManualInput) -> bool {
    let said = |input: &ManualInput| (input.approved, input.comment.clone());
    step.manual.as_ref().is_some_and(|known| said(known) == said(input))
}

/// What people said, for the step that is about to start, lies where the contract promises it: an answer that came
/// another way is written there. A file that says something else is kept beside it.
pub(super) fn keep_inputs(
    context: &Context,
    attempt: &OpenAttempt,
    step: &Step,
    state: &State,
) -> Result<(), WorldError> {
    for id in step.needs.iter().chain([&step.id]).chain(state.plan.gates_to(&step.id)) {
        let Some(said) = state.step(id).and_then(|step| step.manual.as_ref()) else { continue };
        let path = context.place().manual_input(id);
        context.within(&path, |path| keep_input(path, said, attempt.number))?;
    }
    Ok(())
}

fn keep_input(path: &Path, said: &ManualInput, attempt: u32) -> Result<(), file::Error> {
    let mut content = said.content.clone();
    content.entry("approved").or_insert(said.approved.into());
    if let Some(comment) = &said.comment {
        content.entry("comments").or_insert(comment.as_str().into());
    }
    let found = match file::read_regular(path, MANUAL_INPUT_BYTES_MAX as u64) {
        Err(error) if error.refusal().is_none() => return Err(error),
        Ok(None) => None,
        Ok(Some(bytes)) => Some(read_manual_input(&bytes).ok()),
        // Something that is no file of a person: it goes aside as another answer would.
        Err(_) => Some(None),
    };
    if let Some(there) = found {
        if there.is_some_and(|there| there.content == content) {
            return Ok(());
        }
        let aside = path.with_extension(format!("before{attempt}.json"));
        file::rename_noreplace(path, &aside)?;
    }
    let text = serde_json::to_vec_pretty(&content).expect("JSON is JSON");
    file::write_atomic(path, &text, Durability::Unsynced)
}

/// The items in a file: a list, or an object whose `items` is one.
pub(super) fn items(context: &Context, state: &State, path: Option<&str>) -> Result<Vec<Value>, String> {
    let path = path.ok_or("the step it takes its items from left no artifact")?;
    let inside = piton_model::workflow::is_inside(path);
    if !inside {
        return Err(format!("`{}` is outside of the repository", piton_model::workflow::shown(path)));
    }
    let tree = context.repo(state);
    let file = tree.join(path);
    let shown = piton_model::workflow::shown(path);
    // A directory on the way may be a link.
    let real = file.parent().and_then(|parent| parent.canonicalize().ok());
    let home = tree.canonicalize().ok();
    if real.zip(home).is_some_and(|(real, home)| !real.starts_with(home)) {
        return Err(format!("`{shown}` is outside of the repository"));
    }
    let bytes = file::read_regular(&file, ITEMS_BYTES_MAX).map_err(|error| sentence(&error))?;
    let bytes = bytes.ok_or_else(|| format!("there is no `{shown}`"))?;
    // An agent wrote it, and the items go on record.
    let bytes = context.launch.redactor().redact_bytes(&bytes);
    let value: Value =
        serde_json::from_slice(&bytes).map_err(|error| format!("`{shown}` is not JSON: {error}"))?;
    match value {
        Value::Array(items) => Ok(items),
        Value::Object(mut object) => match object.remove("items") {
            Some(Value::Array(items)) => Ok(items),
            _ => Err(format!("`{shown}` has no list `items`")),
        },
        _ => Err(format!("`{shown}` is neither a list nor an object with `items`")),
    }
}
