//! Going on with a workflow that is there: resume, another definition, what somebody wrote meanwhile.

use piton_config::Limit;
use piton_files::Quarantined;
use piton_files::workflow::{Edited, Loaded, difference};
use piton_model::workflow::limits::TRIES_MAX;
use piton_model::workflow::{Command, Raise, State, StepId};
use piton_model::{Machine, Rejection, RunId, Seq, Status, Timestamp, exit_code};
use piton_sys::file;
use piton_view::{Error, ErrorKind, LimitWords, Request, Resumption, WorkflowOrder};

use super::resume::{free, raised};
use super::said_later;
use crate::at_work;
use crate::client::{ClientError, LocalClient};
use crate::driver_process;
use crate::workflow::{is_discarded, view_of};

/// Nobody goes on with a run whose directory was deleted.
pub(super) fn discarded(state: &State) -> Error {
    let (run, file) = (&state.run, &state.options.workflow_file);
    Error::usage(format!("run `{run}` is discarded: its directory `.agents/runs/{run}` was deleted")).hint(
        format!("`piton run {file} --run-id {run}` begins anew; `piton rebuild {run}` brings its state back"),
    )
}

/// Says so where the run is discarded.
pub(crate) async fn require_kept(client: &LocalClient, run: &RunId) -> Result<(), Error> {
    let state = client.load::<State>(run, None).await?.state;
    if is_discarded(client.layout(), &state) { Err(discarded(&state)) } else { Ok(()) }
}

/// Goes on with a run that is there, where that can be meant.
pub(super) async fn go_on(
    client: &LocalClient,
    run: &RunId,
    loaded: &Loaded,
    wanted: &WorkflowOrder,
    notes: &mut Vec<String>,
) -> Result<Seq, Error> {
    notes.extend(client.catch_up(&client.load_any(run, None).await?).await?);
    let state = client.load::<State>(run, None).await?.state;
    if state.status == Status::Completed && wanted.start_at_step.is_none() {
        return Err(Error::usage(format!("run `{run}` is completed")).hint(format!(
            "do a step again with --start-at-step, or try it aside: `piton fork {run} --step STEP`"
        )));
    }
    let lines = difference(&state.plan, &loaded.definition);
    let has_other = state.digest != loaded.digest;
    if has_other && !wanted.migrate {
        return Err(Error::usage(format!("run `{run}` was started with another definition"))
            .details(lines)
            .hint(format!("give --migrate to go on with this one, or `piton resume {run}` with the old")));
    }
    said_later::require_place(wanted, &state)?;
    free(client, run, false).await?;
    adopt_edits(client, run, notes).await?;
    let state = client.load::<State>(run, None).await?.state;
    let options = said_later::options_of(client, wanted, loaded, &state)?;
    let options = options.map(|options| Command::ChangeOptions(Box::new(options)));
    let migrate = has_other.then(|| Command::Migrate(Box::new(loaded.definition.clone())));
    let changes = options.into_iter().chain(migrate.clone());
    let start_at = wanted.start_at_step.as_deref();
    require_way_on(&state, changes, &Raise::default(), start_at)?;
    said_later::take(client, run, wanted, loaded, notes).await?;
    if let Some(migrate) = migrate {
        client.record_at_rest::<State>(run, migrate).await?;
        notes.push("going on with the workflow as it is now:".to_owned());
        notes.extend(lines.iter().map(|line| format!("  {line}")));
        let inner =
            state.inner_questions().into_iter().filter(|_| state.plan.nested != loaded.definition.nested);
        notes.extend(inner.map(|(step, asks)| {
            format!("note: run `{}` within step `{step}` has begun, and goes on as it began", asks.run)
        }));
    }
    let after = resume(client, run, Raise::default(), false, notes, start_at).await?;
    notes.extend(start_at.map(|step| format!("run `{run}` goes on from step `{step}`, which begins anew")));
    Ok(after)
}

/// Says what would keep the run from going on once these changes are made, before any of them is.
fn require_way_on(
    state: &State,
    changes: impl IntoIterator<Item = Command>,
    raise: &Raise,
    start_at: Option<&str>,
) -> Result<(), Error> {
    let mut changed = state.clone();
    for change in changes {
        let refused = |rejection| Error::from(rejection).hint("see `piton run --help`");
        let (events, _) = changed.advance(change, state.updated_at).map_err(refused)?;
        // The first event is what the change says; what follows is for whoever drives.
        changed = match events.first() {
            Some(event) => {
                State::apply(Some(changed), event, state.updated_at).expect("a state stays a state")
            }
            None => changed,
        };
    }
    let admitted = |state: &State| match request_of(state, raise, start_at) {
        Some(request) => state.admit(&request.into_workflow_event().expect("workflows can be asked that")),
        None => Ok(()),
    };
    admitted(&changed).map_err(|rejection| match admitted(state) {
        // The changes alone are in the way.
        Ok(()) => Error::from(rejection).hint(format!("`piton resume {}` goes on without that", state.run)),
        Err(rejection) => rejection.into(),
    })
}

/// What is asked of a run so that it goes on. Of one that a crash left under way, nothing: it needs a driver, not a decision.
/// One that waits for people goes on by what they said, which may lie there as a file.
fn request_of(state: &State, raise: &Raise, start_at: Option<&str>) -> Option<Request> {
    let asks = state.status == Status::Waiting && state.asks_people();
    let goes_on = state.status.is_active() || asks;
    match start_at {
        Some(step) => Some(Request::StartAt(StepId::new(step))),
        None if *raise == Raise::default() && goes_on => None,
        None => Some(Request::ResumeWorkflow(raise.clone())),
    }
}

/// Asks the run to go on and starts a driver; returns the event after which it does.
async fn resume(
    client: &LocalClient,
    run: &RunId,
    raise: Raise,
    take_over: bool,
    notes: &mut Vec<String>,
    start_at: Option<&str>,
) -> Result<Seq, Error> {
    free(client, run, take_over).await?;
    require_kept(client, run).await?;
    notes.extend(client.catch_up(&client.load_any(run, None).await?).await?);
    adopt_edits(client, run, notes).await?;
    let state = client.load::<State>(run, None).await?.state;
    require_way_on(&state, [], &raise, start_at)?;
    // Whoever goes on with a run means the runs that are its steps, too, where those rest.
    for (_, asks) in state.inner_questions().into_iter().filter(|(_, asks)| asks.question.is_none()) {
        let gone_on = match state.options.queue {
            Some(_) => item_goes_on(client, &asks.run, take_over, notes).await,
            None => Box::pin(resume(client, &asks.run, raise.clone(), take_over, notes, None)).await,
        };
        match gone_on {
            // Somebody else was faster.
            Err(error) if error.kind == ErrorKind::Held => {}
            gone_on => drop(gone_on?),
        }
    }
    let loaded = client.load::<State>(run, None).await?;
    match request_of(&loaded.state, &raise, start_at) {
        Some(request) => client.record(run, request).await?,
        None if loaded.state.is_left_open() => {
            notes.push(format!("note: what was asked of run `{run}` before is done first"));
        }
        None => {}
    }
    let before = client.head(run).await?;
    // Somebody's edit may have left nothing to do.
    if start_at.is_none() && client.entry(run).await?.status == Status::Completed {
        client.wake_outer(run).await?;
        return Ok(loaded.head);
    }
    let started = driver_process::start(client, run, take_over).await;
    // The run whose step it is, or one that is a step of it, may have woken it.
    let has_relatives = loaded.state.options.parent.is_some() || !loaded.state.plan.nested.is_empty();
    match started {
        Err(error) if has_relatives && error.kind == ErrorKind::Held => {}
        // Somebody else was faster.
        Err(error) if error.kind != ErrorKind::Held && client.head(run).await? != before => {}
        started => started?,
    }
    if loaded.state.status == Status::Waiting && loaded.state.asks_people() {
        driver_process::settled(client, run).await?;
    }
    Ok(loaded.head)
}

/// Goes on with the loop of an item that rests. One that is at a limit of its own needs a raise of its own.
async fn item_goes_on(
    client: &LocalClient,
    run: &RunId,
    take_over: bool,
    notes: &mut Vec<String>,
) -> Result<Seq, Error> {
    super::resume::of_loop(client, run, &LimitWords::default(), (take_over, false), notes).await
}

/// Goes on with a workflow, with ceilings raised; returns the event after which it does.
pub(super) async fn of_workflow(
    client: &LocalClient,
    run: &RunId,
    how: &Resumption,
    notes: &mut Vec<String>,
) -> Result<Seq, Error> {
    let State { options, counters, .. } = client.load::<State>(run, None).await?.state;
    let iterations =
        raised(Limit::MaxIterations, Some(options.max_iterations.into()), &how.limits.iterations)?;
    let of_the_day = |text: &String| {
        let failed = |why: String| Error::usage(format!("--daily-cost-limit: {why}"));
        Limit::MaxCost.raised(options.daily_cost_microusd, text).map_err(failed)
    };
    if iterations.is_some_and(|count| count > u64::from(TRIES_MAX)) {
        return Err(Error::usage(format!("--max-iterations: outside of 1 to {TRIES_MAX}")));
    }
    // What is added is added to what was used, where there was no ceiling.
    let cost = options.max_cost_microusd.unwrap_or(counters.cost_microusd);
    let queue = options.queue.as_deref();
    let not_a_queue = queue.is_none() && (how.limits.tokens.is_some() || how.limits.duration.is_some());
    if not_a_queue {
        return Err(Error::usage("a workflow has no ceiling of tokens or time: only a queue does"));
    }
    let tokens = Some(queue.and_then(|queue| queue.max_tokens).unwrap_or(counters.tokens));
    let working_ms = Some(queue.and_then(|queue| queue.max_working_ms).unwrap_or(counters.working_ms));
    let raise = Raise {
        max_iterations: iterations.map(|count| u32::try_from(count).unwrap_or(u32::MAX)),
        max_cost_microusd: raised(Limit::MaxCost, Some(cost), &how.limits.cost)?,
        daily_cost_microusd: how.daily_cost_limit.as_ref().map(of_the_day).transpose()?,
        max_tokens: raised(Limit::MaxTokens, tokens, &how.limits.tokens)?,
        max_working_ms: raised(Limit::MaxDuration, working_ms, &how.limits.duration)?,
        without_walls: how.no_confine && options.confine.is_some(),
    };
    notes.extend(raise.without_walls.then(|| super::NO_WALLS.to_owned()));
    resume(client, run, raise, how.take_over, notes, None).await
}

/// Whether an edit at this moment may be the work of any run of this journal.
async fn is_held(client: &LocalClient, state: &State, edited: Timestamp) -> Result<bool, Error> {
    Ok(!state.options.accept_inputs && at_work::of_any(&**client.store()?, edited).await?)
}

/// What somebody wrote into the file of a run at rest is heard before it goes on.
async fn adopt_edits(client: &LocalClient, run: &RunId, notes: &mut Vec<String>) -> Result<(), Error> {
    let state = client.load::<State>(run, None).await?.state;
    if exit_code(state.status, state.reason).is_none() {
        return Ok(());
    }
    let view = view_of(client.layout(), run);
    let moved = match view.edited(&state)? {
        Edited::No => return Ok(()),
        // Nothing of it can be changed where it is: whoever begins anew from a step says so by a flag.
        Edited::Statuses { .. } if state.status == Status::Completed || state.at_work().is_some() => {
            view.set_aside(&state)?
        }
        // Somebody's agent may have written it.
        Edited::Statuses { .. }
            if is_held(client, &state, file::changed_at(&view.place().state())).await? =>
        {
            let moved = view.set_aside(&state)?;
            let how = "nothing of it is taken, as it was written while a run was at work, which may have done so: edit it again while none is, or use `piton run --start-at-step`";
            Quarantined { hint: how.to_owned(), ..moved }
        }
        Edited::Statuses { edits, digest } => {
            let statuses = edits.statuses.iter();
            let names: Vec<String> =
                statuses.map(|edit| format!("`{}` is {}", edit.step, edit.status.as_str())).collect();
            let mut given_up = Vec::new();
            for edit in &edits.statuses {
                given_up.extend(client.go_on_without(&state, &edit.step).await?);
            }
            let adopt = Command::AdoptStatuses(edits.statuses.clone());
            match client.record_at_rest::<State>(run, adopt).await {
                // Somebody else was faster, and goes on with it already: who comes second is told so.
                Err(ClientError::Rejected(Rejection::NotOpen)) => return Ok(()),
                recorded => recorded?,
            }
            notes.push(format!("adopted from run_state.json: {}", names.join(", ")));
            for inner in given_up {
                client.stop_for_good(&inner).await?;
                notes.push(format!("run `{inner}`, which was the work of a step, is stopped"));
            }
            let state = client.load::<State>(run, None).await?.state;
            if let Some(moved) = view.adopted(&state, &edits, &digest)? {
                notes.push(format!("note: {moved}"));
                view.publish(&state)?;
            }
            return Ok(());
        }
        Edited::Quarantined(moved) => moved,
    };
    notes.push(format!("note: {moved}"));
    // The run may not go on, and its file is there all the same.
    view.publish(&state)?;
    Ok(())
}
