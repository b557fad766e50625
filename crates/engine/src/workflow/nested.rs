//! A step that is a workflow: a run of its own beside this one, found again by its name.
//!
//! It is no child of this driver: it has a journal and a driver of its own, survives what this one does not, and can
//! be looked at, answered and stopped like any other. While it waits for a person, so does the step: whoever goes on with
//! it afterwards wakes the run whose step it is.

use std::sync::Arc;
use std::time::Duration;

use piton_files::workflow::nested;
use piton_model::loop_machine::AttemptOutcome;
use piton_model::workflow::{
    Command, Definition, InnerQuestion, OpenAttempt, Options, Order, State, StepEnd, WorkPlace, create,
};
use piton_model::{Machine, RunId, Status, StopOrigin};
use piton_view::Request;

use super::attempt::not_startable;
use super::{Context, manual_input};
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
    let known = state.step(&attempt.step).and_then(|step| step.asks.as_ref());
    loop {
        let nested = client.load::<State>(&run, None).await?.state;
        let entry = nested.entry();
        if let Some(command) = ended(attempt, &nested) {
            return Ok(command);
        }
        let asks = asks(&nested);
        if asks.as_ref() != known {
            return Ok(Command::TakeNested { attempt: attempt.number, asks });
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
    let place = state.options.place.as_ref().map(|place| match place {
        WorkPlace::Worktree(worktree) => WorkPlace::Shared(worktree.path.clone()),
        place @ (WorkPlace::Directory(_) | WorkPlace::Shared(_)) => place.clone(),
    });
    let options = Options { workflow_file, parent: Some(state.run.clone()), place, ..state.options.clone() };
    let definition = Definition { nested: state.plan.nested.clone(), ..definition.clone() };
    Ok(Order { run, definition, options, inherited: None })
}

/// What a run asks a person, where it waits for nothing else.
fn asks(nested: &State) -> Option<InnerQuestion> {
    if nested.status != Status::Waiting {
        return None;
    }
    let own = nested.questions().first().map(|(step, question)| InnerQuestion {
        run: nested.run.clone(),
        step: (*step).clone(),
        question: question.number,
        text: question.text.clone(),
    });
    own.or_else(|| nested.inner_questions().first().map(|(_, asks)| (*asks).clone()))
}

/// What became of the runs that steps of `state` wait for, since that was recorded.
pub(super) fn found(context: &Context, state: &State) -> Vec<Command> {
    let open = state.steps.iter().filter_map(|step| Some((step.open.as_ref()?, step.asks.as_ref()?)));
    let runs: Vec<_> =
        open.map(|(open, asks)| (open.number, nested_run(&context.run, open), asks.clone())).collect();
    if runs.is_empty() {
        return Vec::new();
    }
    let client = LocalClient::new(Arc::clone(&context.store), context.layout.clone());
    // It has a runtime of its own, which cannot be within the driver's.
    let look = move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().ok()?;
        let mut found = Vec::new();
        for (attempt, run, known) in runs {
            // One that somebody removed asks nothing.
            let nested = runtime.block_on(client.load_if_there::<State>(&run)).ok()?;
            let asks = nested.and_then(|nested| asks(&nested.state));
            if asks.as_ref() != Some(&known) {
                found.push(Command::TakeNested { attempt, asks });
            }
        }
        Some(found)
    };
    std::thread::spawn(look).join().ok().flatten().unwrap_or_default()
}

impl LocalClient {
    /// Wakes the run whose step this one is, where that waits for a person and nobody drives it: what it waits for may be over.
    pub async fn wake_outer(&self, run: &RunId) -> Result<(), piton_view::Error> {
        let Some(outer) = self.load::<State>(run, None).await?.state.options.parent else { return Ok(()) };
        driver_process::settled(self, &outer).await?;
        let waits = self.entry(&outer).await?.status == Status::Waiting;
        if waits && self.driver_of(&outer).await?.is_none() {
            driver_process::spawn(self.layout(), &outer, false)?;
        }
        Ok(())
    }

    /// The runs nested in this one that ask a person whose answer lies there as a file, each with that file.
    pub(crate) async fn inner_inputs(&self, state: &State) -> Result<Vec<(RunId, String)>, ClientError> {
        let mut found = Vec::new();
        for (_, asks) in state.inner_questions() {
            let Some(inner) = self.load_if_there::<State>(&asks.run).await? else { continue };
            found.extend(manual_input(self.layout(), &inner.state).map(|file| (asks.run.clone(), file)));
        }
        Ok(found)
    }
}

/// What the nested run's rest means for the step; `None` while it is under way or waits for a person.
fn ended(attempt: &OpenAttempt, nested: &State) -> Option<Command> {
    let outcome = match nested.status {
        Status::Completed => AttemptOutcome::Succeeded,
        Status::Failed => AttemptOutcome::Failed,
        Status::Stopped => AttemptOutcome::Cancelled,
        Status::Created | Status::Running | Status::Rebooting | Status::Waiting | Status::Paused => {
            return None;
        }
    };
    let counters = &nested.counters;
    let end = StepEnd {
        outcome,
        exit_code: None,
        duration_ms: counters.working_ms,
        message: (outcome == AttemptOutcome::Failed)
            .then(|| format!("run `{}`: {}", nested.run, nested.detail.as_deref().unwrap_or("it failed"))),
        report: None,
        cost_microusd: (counters.cost_unknown == 0).then_some(counters.cost_microusd),
        tokens: Some(counters.tokens),
        hold: None,
    };
    debug_assert!(nested.is_at_rest());
    Some(Command::EndAttempt { attempt: attempt.number, end: Box::new(end) })
}
