//! A step that is a workflow: a run of its own beside this one, found again by its name.
//!
//! It is no child of this driver: it has a journal and a driver of its own, survives what this one does not, and can
//! be looked at, answered and stopped like any other. While it waits for a person, so does the step: when it goes on, its
//! driver wakes the run whose step it is. A further try at the step goes on with it: what it did is not done again.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use piton_files::workflow::{item_variables, nested};
use piton_model::loop_machine::AttemptOutcome;
use piton_model::workflow::{
    Command, Counters, Definition, InnerQuestion, OpenAttempt, Options, Order, Raise, State, StepEnd, StepId,
    WorkPlace, create, item_run,
};
use piton_model::{Machine, Reason, RunId, Status, StopOrigin, Timestamp};
use piton_view::Request;

use super::attempt::not_startable;
use super::{Context, is_discarded, item, manual_input};
use crate::absence::{Absence, Missing};
use crate::client::{ClientError, LocalClient};
use crate::driver_process;
use crate::load::Loaded;
use crate::world::{WorldError, sentence};

pub(super) const LOOK_EVERY: Duration = Duration::from_millis(200);

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

/// The name of the run that this attempt is: that of the attempt which began it.
pub fn nested_run(run: &RunId, attempt: &OpenAttempt) -> RunId {
    begun_by(run, &attempt.step, attempt.nested.unwrap_or(attempt.number))
}

/// The name of the run that does this work, be it a workflow or an item of a queue.
fn run_of(state: &State, step: &StepId, attempt: u32) -> RunId {
    let index = state.plan.graph().place(step);
    match index.and_then(|index| state.plan.step(index).work.item()) {
        Some(_) => item_run(&state.run, step, attempt),
        None => begun_by(&state.run, step, attempt),
    }
}

fn begun_by(run: &RunId, step: &StepId, attempt: u32) -> RunId {
    let hash = blake3::hash(format!("{run}/{step}/{attempt}").as_bytes());
    hash.to_hex()[..8].parse().expect("hex digits are a run's name")
}

async fn follow(
    context: &Context,
    attempt: &OpenAttempt,
    path: &str,
    state: &State,
) -> Result<Command, ClientError> {
    let client = LocalClient::new(Arc::clone(&context.store), context.layout.clone());
    let (run, number) = (nested_run(&context.run, attempt), attempt.number);
    let began = state.step(&attempt.step).and_then(|step| step.started_at).unwrap_or_default();
    let found = client.load_if_there::<State>(&run).await?.map(|loaded| loaded.state);
    let is_to_begin = match &found {
        Some(nested) => rests_since(nested, began) && !client.is_to_go_on(nested).await?,
        None => true,
    };
    if is_to_begin {
        if context.is_cancelled(number) {
            return Ok(Command::AbandonAttempt { attempt: number });
        }
        let order = match order(context, attempt, path, run.clone(), state) {
            Ok(order) => order,
            Err(why) => return Ok(not_startable(attempt, format!("workflow `{path}`: {why}"))),
        };
        match found {
            None => drop(client.create::<State>(&[create(order)?]).await?),
            Some(nested) => go_on(&client, &nested, order).await?,
        }
    }
    let (mut absence, mut told) = (Absence::at_once(), false);
    let known = state.step(&attempt.step).and_then(|step| step.asks.as_ref());
    loop {
        let nested = client.load::<State>(&run, None).await?.state;
        let is_cancelled = context.is_cancelled(number);
        let goes_on = client.is_to_go_on(&nested).await?;
        if let Some(outcome) = outcome(&nested, is_cancelled).filter(|_| !goes_on) {
            let before = used_until(&client, &run, began).await?;
            return Ok(ended(attempt, outcome, &nested, &before));
        }
        let asks = asks(&nested).filter(|_| !goes_on);
        if asks.as_ref() != known {
            return Ok(Command::TakeNested { attempt: number, asks });
        }
        if is_cancelled && !told {
            // It may have come to rest in between, or not yet gone on: the next look shows it.
            let stop = Request::Stop { now: true, origin: StopOrigin::Command };
            told = client.record(&run, stop).await.is_ok();
        }
        let is_missed =
            client.is_missed(&nested.entry()).await? || goes_on && client.driver_of(&run).await?.is_none();
        if let Missing::Start { .. } = absence.look(!is_missed) {
            // One that cannot be started is tried again at the next look.
            let _ = driver_process::spawn(&context.layout, &run, false);
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

/// Whether a run came to rest before this moment.
fn rests_since(nested: &State, moment: Timestamp) -> bool {
    let rests = matches!(nested.status, Status::Paused | Status::Stopped | Status::Failed);
    rests && nested.since <= moment
}

/// Has a run that rests go on as what this run has become: its definition, its options. Limits that a person raised for it
/// alone stay.
async fn go_on(client: &LocalClient, nested: &State, order: Order) -> Result<(), ClientError> {
    if order.definition.digest() != nested.digest && nested.open_count() == 0 {
        client.record_at_rest::<State>(&nested.run, Command::Migrate(Box::new(order.definition))).await?;
    }
    let (its, ours) = (&nested.options, &order.options);
    let options = Options {
        max_attempts: its.max_attempts.max(ours.max_attempts),
        max_iterations: its.max_iterations.max(ours.max_iterations),
        max_cost_microusd: its.max_cost_microusd.max(ours.max_cost_microusd),
        ..order.options.clone()
    };
    client.record_at_rest::<State>(&nested.run, Command::ChangeOptions(Box::new(options))).await?;
    match client.record(&nested.run, Request::ResumeWorkflow(Raise::default())).await {
        // It is as far as it may go: that is what became of it.
        Err(ClientError::Rejected(_)) => Ok(()),
        recorded => recorded,
    }
}

/// What a run had used at a moment: what an earlier try at the step was charged for.
async fn used_until(client: &LocalClient, run: &RunId, moment: Timestamp) -> Result<Counters, ClientError> {
    let stored = client.store()?.read(run, 1, usize::MAX).await?;
    let before = stored.iter().take_while(|stored| stored.at <= moment).last().map(|stored| stored.seq);
    Ok(match before {
        Some(seq) => client.load::<State>(run, Some(seq)).await?.state.counters,
        None => Counters::default(),
    })
}

/// The run of the nested workflow: its own definition, as it was when this run began, and this run's options.
fn order(
    context: &Context,
    attempt: &OpenAttempt,
    path: &str,
    run: RunId,
    state: &State,
) -> Result<Order, String> {
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
    let mut env = state.options.env.clone();
    let item = item_variables(state, attempt).into_iter();
    env.extend(item.map(|(name, value)| (name, value.into())));
    let options =
        Options { workflow_file, parent: Some(state.run.clone()), place, env, ..state.options.clone() };
    let definition = Definition { nested: state.plan.nested.clone(), ..definition.clone() };
    Ok(Order { run, definition, options, inherited: None })
}

/// What a run needs of a person, where nothing else is left to it: an answer, or to be resumed.
fn asks(nested: &State) -> Option<InnerQuestion> {
    let run = nested.run.clone();
    let rests = |how: &str| {
        let why = nested.detail.as_ref().map_or_else(String::new, |detail| format!(": {detail}"));
        let text = format!("Run {run} is {how}{why}");
        Some(InnerQuestion { run: run.clone(), step: None, question: None, text })
    };
    match nested.status {
        Status::Paused => rests("paused"),
        Status::Stopped => rests("stopped"),
        Status::Waiting => {
            let own = nested.questions().first().map(|(step, question)| InnerQuestion {
                run: run.clone(),
                step: Some((*step).clone()),
                question: Some(question.number),
                text: question.text.clone(),
            });
            own.or_else(|| nested.inner_questions().first().map(|(_, asks)| (*asks).clone()))
        }
        Status::Created | Status::Running | Status::Rebooting | Status::Completed | Status::Failed => None,
    }
}

/// What became of the runs that steps of `state` wait for, since that was recorded.
pub(super) fn found(context: &Context, state: &State) -> Vec<Command> {
    if state.inner_questions().is_empty() {
        return Vec::new();
    }
    let client = LocalClient::new(Arc::clone(&context.store), context.layout.clone());
    let state = state.clone();
    at_once(async move { client.moved_on(&state).await }).unwrap_or_default()
}

/// Asks the journal something and waits for the answer; `None` where there is none. It has a runtime of its own, which cannot be
/// within the driver's.
pub(super) fn at_once<T: Send + 'static>(
    asked: impl Future<Output = Result<T, ClientError>> + Send + 'static,
) -> Option<T> {
    let ask = move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().ok()?;
        runtime.block_on(asked).ok()
    };
    std::thread::Builder::new().spawn(ask).ok()?.join().ok().flatten()
}

/// The run goes on: the one whose step it is has nobody to wait for any more. A driver is not held up by that; one that ends
/// meanwhile wakes it itself.
pub(super) fn wake_outer(context: &Context, state: &State) {
    if state.options.parent.is_none() {
        return;
    }
    let client = LocalClient::new(Arc::clone(&context.store), context.layout.clone());
    let run = context.run.clone();
    // Where the system has no thread left, whoever ends wakes it, too.
    let _ = std::thread::Builder::new().spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().ok()?;
        runtime.block_on(client.wake_outer(&run)).ok()
    });
}

impl LocalClient {
    /// Wakes the queue whose item this loop is, where that waits for a person and nobody drives it.
    pub(crate) async fn wake_queue(&self, queue: &RunId) -> Result<(), piton_view::Error> {
        // It may have been removed.
        let Ok(entry) = self.entry(queue).await else { return Ok(()) };
        if entry.status != Status::Waiting {
            return Ok(());
        }
        driver_process::settled(self, queue).await?;
        let waits = self.entry(queue).await?.status == Status::Waiting;
        if waits && self.driver_of(queue).await?.is_none() {
            driver_process::spawn(self.layout(), queue, false)?;
        }
        Ok(())
    }

    /// Wakes the run whose step this one is, where that waits for a person and nobody drives it: what it waits for may be over.
    pub async fn wake_outer(&self, run: &RunId) -> Result<(), piton_view::Error> {
        let state = self.load::<State>(run, None).await?.state;
        let Some(outer) = &state.options.parent else { return Ok(()) };
        if self.given_up_by(&state).await?.is_some() {
            return Ok(());
        }
        driver_process::settled(self, outer).await?;
        let waits = self.entry(outer).await?.status == Status::Waiting;
        if waits && self.driver_of(outer).await?.is_none() {
            driver_process::spawn(self.layout(), outer, false)?;
        }
        Ok(())
    }

    /// What became of the runs that steps of `state` wait for, since that was recorded.
    async fn moved_on(&self, state: &State) -> Result<Vec<Command>, ClientError> {
        let mut moved = Vec::new();
        for step in &state.steps {
            let (Some(open), Some(known)) = (&step.open, &step.asks) else { continue };
            let run = run_of(state, &open.step, open.nested.unwrap_or(open.number));
            let asks = match state.options.queue {
                Some(_) => item::asks_now(self, &run).await?,
                // One that somebody removed asks nothing.
                None => match self.load_if_there::<State>(&run).await? {
                    Some(nested) if !self.is_to_go_on(&nested.state).await? => asks(&nested.state),
                    _ => None,
                },
            };
            if asks.as_ref() != Some(known) {
                moved.push(Command::TakeNested { attempt: open.number, asks });
            }
        }
        Ok(moved)
    }

    /// Whether a run that rests goes on as soon as somebody drives it: something is on record that was asked of it, a person's
    /// file lies there, or a run that it waits for moved on.
    pub(crate) fn is_to_go_on<'a>(
        &'a self,
        state: &'a State,
    ) -> Pin<Box<dyn Future<Output = Result<bool, ClientError>> + Send + 'a>> {
        Box::pin(async move {
            if is_discarded(self.layout(), state) {
                return Ok(false);
            }
            let waits = state.status == Status::Waiting;
            let store = self.store()?;
            let has_input = || manual_input(store, self.layout(), state).is_some();
            Ok(state.is_left_open() || waits && (has_input() || !self.moved_on(state).await?.is_empty()))
        })
    }

    /// The file of a person that lies there for this run, or for one within it that asks them.
    pub(crate) async fn manual_input(&self, state: &State) -> Result<Option<String>, ClientError> {
        let mut found = manual_input(self.store()?, self.layout(), state);
        let inner = state.inner_questions().into_iter().filter(|_| state.options.queue.is_none());
        for (_, asks) in inner {
            if found.is_none()
                && let Some(inner) = self.load_if_there::<State>(&asks.run).await?
            {
                found = manual_input(self.store()?, self.layout(), &inner.state);
            }
        }
        Ok(found)
    }

    /// Puts on record that a run at rest goes on without the run that is the work of this step, where that is so; which.
    pub(crate) async fn go_on_without(
        &self,
        state: &State,
        step: &StepId,
    ) -> Result<Option<RunId>, ClientError> {
        let runtime = state.step(step).filter(|step| step.asks.is_some());
        let Some((runtime, open)) = runtime.and_then(|step| Some((step, step.open.as_ref()?))) else {
            return Ok(None);
        };
        let inner = run_of(state, step, open.nested.unwrap_or(open.number));
        if state.options.queue.is_some() {
            self.record_at_rest::<State>(&state.run, Command::AbandonAttempt { attempt: open.number })
                .await?;
            return Ok(Some(inner));
        }
        let command = match self.load_if_there::<State>(&inner).await? {
            Some(nested) => {
                let before = used_until(self, &inner, runtime.started_at.unwrap_or_default()).await?;
                ended(open, AttemptOutcome::Cancelled, &nested.state, &before)
            }
            None => Command::AbandonAttempt { attempt: open.number },
        };
        self.record_at_rest::<State>(&state.run, command).await?;
        Ok(Some(inner))
    }

    /// Stops a run that nobody waits for any more, if it is there and has not come to its end.
    pub(crate) async fn stop_for_good(&self, run: &RunId) -> Result<(), ClientError> {
        let stop = Request::Stop { now: true, origin: StopOrigin::Command };
        match self.record(run, stop).await {
            Err(ClientError::Rejected(_) | ClientError::Store(piton_store::Error::UnknownRun { .. })) => {
                Ok(())
            }
            stopped => stopped,
        }
    }

    /// The run whose step this one was, or one around it, where that went on without it.
    pub(crate) async fn given_up_by(&self, state: &State) -> Result<Option<RunId>, ClientError> {
        let (mut inner, mut parent) = (state.run.clone(), state.options.parent.clone());
        while let Some(outer) = parent.filter(|_| state.status != Status::Completed) {
            let Some(Loaded { state, .. }) = self.load_if_there::<State>(&outer).await? else { break };
            let steps = state.steps.iter().enumerate();
            let mut begun = steps.filter_map(|(index, step)| Some((state.id(index), step.nested?)));
            if !begun.any(|(step, attempt)| begun_by(&outer, step, attempt) == inner) {
                return Ok(Some(outer));
            }
            (inner, parent) = (outer, state.options.parent.clone());
        }
        Ok(None)
    }
}

/// What the nested run's rest means for the step; `None` while it is under way or waits for a person. One that somebody
/// stopped waits for them, unless it was this run that wanted it.
fn outcome(nested: &State, is_cancelled: bool) -> Option<AttemptOutcome> {
    match nested.status {
        Status::Completed => Some(AttemptOutcome::Succeeded),
        Status::Failed => Some(AttemptOutcome::Failed),
        Status::Stopped | Status::Paused if is_cancelled => Some(AttemptOutcome::Cancelled),
        Status::Created | Status::Running | Status::Rebooting => None,
        Status::Waiting | Status::Paused | Status::Stopped => None,
    }
}

/// The end of the attempt: what its run used since the attempt began, and what it came to.
fn ended(attempt: &OpenAttempt, outcome: AttemptOutcome, nested: &State, before: &Counters) -> Command {
    let now = &nested.counters;
    let end = StepEnd {
        duration_ms: now.working_ms.saturating_sub(before.working_ms),
        message: (outcome == AttemptOutcome::Failed)
            .then(|| format!("run `{}`: {}", nested.run, nested.detail.as_deref().unwrap_or("it failed"))),
        cost_microusd: (now.cost_unknown == before.cost_unknown)
            .then(|| now.cost_microusd.saturating_sub(before.cost_microusd)),
        tokens: Some(now.tokens.saturating_sub(before.tokens)),
        rejected: outcome == AttemptOutcome::Failed && nested.reason == Some(Reason::Human),
        ..StepEnd::of(outcome)
    };
    Command::EndAttempt { attempt: attempt.number, end: Box::new(end) }
}
