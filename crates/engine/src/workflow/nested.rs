//! A step that is a workflow: a run of its own beside this one, found again by its name.
//!
//! It is no child of this driver: it has a journal and a driver of its own, survives what this one does not, and can
//! be looked at, answered and stopped like any other.

use std::sync::Arc;
use std::time::Duration;

use piton_files::workflow::nested;
use piton_model::loop_machine::AttemptOutcome;
use piton_model::workflow::{
    Command, Definition, OpenAttempt, Options, Order, State, StepEnd, WorkPlace, create,
};
use piton_model::{Entry, Machine, RunId, Status, StopOrigin};
use piton_view::Request;

use super::Context;
use super::attempt::not_startable;
use crate::absence::{Absence, Missing};
use crate::client::{ClientError, LocalClient};
use crate::driver_process;
use crate::world::{WorldError, sentence};

const LOOK_EVERY: Duration = Duration::from_millis(200);

pub(super) fn perform(
    context: &Context,
    attempt: &OpenAttempt,
    path: &str,
    state: &State,
) -> Result<Command, WorldError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
    let runtime = runtime.map_err(WorldError::Signals)?;
    match runtime.block_on(follow(context, attempt, path, state)) {
        Ok(command) => Ok(command),
        Err(error) => Ok(not_startable(attempt, format!("workflow `{path}`: {}", sentence(&error)))),
    }
}

/// The name of the run that this attempt is.
pub fn nested_run(run: &RunId, attempt: &OpenAttempt) -> RunId {
    let hash = blake3::hash(format!("{run}/{}/{}", attempt.step, attempt.number).as_bytes());
    hash.to_hex()[..8].parse().expect("hex digits are a run's name")
}

async fn follow(
    context: &Context,
    attempt: &OpenAttempt,
    path: &str,
    state: &State,
) -> Result<Command, ClientError> {
    let client = LocalClient::new(Arc::clone(&context.store), context.layout.clone());
    let run = nested_run(&context.run, attempt);
    if client.load_if_there::<State>(&run).await?.is_none() {
        match order(context, path, run.clone(), state) {
            Ok(order) => client.create::<State>(&[create(order)?]).await?,
            Err(why) => return Ok(not_startable(attempt, format!("workflow `{path}`: {why}"))),
        };
    }
    let (mut absence, mut told) = (Absence::at_once(), false);
    loop {
        let entry = client.entry(&run).await?;
        if let Some(command) = ended(attempt, &entry, &client).await? {
            return Ok(command);
        }
        if context.is_cancelled(attempt.number) && !std::mem::replace(&mut told, true) {
            // It may have come to rest in between: the next look shows it.
            let _ = client.record(&run, Request::Stop { now: true, origin: StopOrigin::Command }).await;
        }
        if let Missing::Start { .. } = absence.look(!client.is_missed(&entry).await?) {
            // One that cannot be started is tried again at the next look.
            let _ = driver_process::spawn(&context.layout, &run, false);
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

/// The run of the nested workflow: its own definition, as it was when this run began, and this run's options.
fn order(context: &Context, path: &str, run: RunId, state: &State) -> Result<Order, String> {
    let root = context.layout.root();
    let above = context.place().absolute(&state.options.workflow_file);
    let (file, definition) =
        nested(path, &above, root, &state.plan).ok_or("it was not there when the run began")?;
    let workflow_file = file.strip_prefix(root).unwrap_or(&file).display().to_string();
    // Where this run works, and what it has furnished.
    let place = state.options.place.as_ref().map(|place| WorkPlace::Directory(place.path().to_owned()));
    let options = Options { workflow_file, parent: Some(state.run.clone()), place, ..state.options.clone() };
    let definition = Definition { nested: state.plan.nested.clone(), ..definition.clone() };
    Ok(Order { run, definition, options, inherited: None })
}

/// What the nested run's rest means for the step; `None` while it is under way or waits for a person.
async fn ended(
    attempt: &OpenAttempt,
    entry: &Entry,
    client: &LocalClient,
) -> Result<Option<Command>, ClientError> {
    let outcome = match entry.status {
        Status::Completed => AttemptOutcome::Succeeded,
        Status::Failed => AttemptOutcome::Failed,
        Status::Stopped => AttemptOutcome::Cancelled,
        Status::Created | Status::Running | Status::Rebooting | Status::Waiting | Status::Paused => {
            return Ok(None);
        }
    };
    let nested = client.load::<State>(&entry.run_id, None).await?.state;
    let counters = &nested.counters;
    let end = StepEnd {
        outcome,
        exit_code: None,
        duration_ms: counters.working_ms,
        message: (outcome == AttemptOutcome::Failed)
            .then(|| format!("run `{}`: {}", entry.run_id, nested.detail.as_deref().unwrap_or("it failed"))),
        report: None,
        cost_microusd: (counters.cost_unknown == 0).then_some(counters.cost_microusd),
        tokens: Some(counters.tokens),
        hold: None,
    };
    debug_assert!(nested.is_at_rest());
    Ok(Some(Command::EndAttempt { attempt: attempt.number, end: Box::new(end) }))
}
