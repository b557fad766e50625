//! The life of a driver: from its arguments to the rest of its run.

use std::sync::Arc;
use std::time::Duration;

use piton_model::loop_machine::Worktree;
use piton_model::{Kind, Machine, RunId, State, cycle, workflow};
use piton_store::{Claim, Lease};
use piton_sys::process::Signal;
use piton_sys::{Clock, SystemClock};
use piton_view::{Error, ErrorKind};

use super::{LOOK_EVERY, at_work_in, log, settled, taken, tree_free};
use crate::client::night::sums;
use crate::client::{ClientError, LocalClient, attend};
use crate::configuration;
use crate::core::Leave;
use crate::cycle::CycleWorld;
use crate::driver::{DriveError, Driver, World, claim_soon, drive};
use crate::keys;
use crate::layout::Layout;
use crate::load::LoadError;
use crate::unjudged::{self, Driven};
use crate::workflow::WorkflowWorld;
use crate::world::LoopWorld;

/// How long a killed driver may take to die.
const DIE_WITHIN: Duration = Duration::from_secs(10);

/// What a driver is told by whoever started it.
#[derive(Clone, Debug)]
pub struct Duty {
    /// The run to drive.
    pub run: RunId,
    /// Whether a driver that lives is replaced.
    pub take_over: bool,
    /// The process that waits for it to appear, if one does.
    pub starter: Option<u32>,
}

/// Drives a run until it rests. `say` writes a line to the log of this process.
pub async fn run(layout: Layout, duty: &Duty, say: fn(&str)) -> Result<(), Error> {
    let driven = tokio::select! {
        driven = drive_run(layout.clone(), duty, say) => driven,
        never = attend(&layout) => match never {},
    };
    if let Err(error) = &driven {
        say(&log::last_words_of(error));
        log::keep_last_words(&layout, duty, error);
    }
    driven
}

async fn drive_run(layout: Layout, duty: &Duty, say: fn(&str)) -> Result<(), Error> {
    let run = &duty.run;
    let client = LocalClient::existing(layout)?.ok_or_else(|| Error::usage("there is no journal here"))?;
    if duty.take_over {
        end_old_driver(&client, run).await?;
    }
    let note = move |text: &str| say(&log::note_of(text));
    let leave = match client.kind(run).await? {
        Kind::Loop => drive_loop(&client, duty, note).await?,
        Kind::Workflow => drive_workflow(&client, duty, note).await?,
        Kind::Cycle => drive_cycle(&client, duty, note).await?,
        Kind::Ledger => return Err(Error::usage(format!("run `{run}` is a ledger, which nobody drives"))),
    };
    match leave {
        Leave::AtRest => Ok(()),
        Leave::Fenced => Err(Error::new(ErrorKind::Held, format!("another driver took over run `{run}`"))),
    }
}

async fn drive_loop(
    client: &LocalClient,
    duty: &Duty,
    note: impl Fn(&str) + Copy + 'static,
) -> Result<Leave, Error> {
    let (layout, run) = (client.layout(), &duty.run);
    let state = client.load::<State>(run, None).await?.state;
    // A driver that is only leaving is waited for; another that works in this tree is an error of `open`.
    let _ = tree_free(client, &layout.of_run(&state.config)).await?;
    require_nobody_at_work(client, run, state.config.worktree.as_ref()).await?;
    let judged_elsewhere = unjudged::require_judged(client, &Driven::of_loop(&state)).await?;
    let views = configuration::views(layout);
    let world = LoopWorld::open(Arc::clone(client.store()?), layout, &state, views, Box::new(note))?;
    let world = world.judged_elsewhere(judged_elsewhere);
    let lease = claim(client, duty).await?;
    if views.aiwg {
        world.remember(client.history(run).await?);
    }
    // Whoever waited for a person knows that it goes on, and how it came to rest.
    if let Some(queue) = &state.config.queue {
        client.wake_queue(queue).await?;
    }
    let leave = drive_under(client, &world, lease, duty).await?;
    if leave == Leave::AtRest {
        client.tell_on_done(run).await?.iter().for_each(|problem| note(problem));
        world.close();
        if let Some(queue) = &state.config.queue {
            client.wake_queue(queue).await?;
        }
    }
    Ok(leave)
}

async fn drive_workflow(
    client: &LocalClient,
    duty: &Duty,
    note: impl Fn(&str) + 'static,
) -> Result<Leave, Error> {
    let lease = claim(client, duty).await?;
    let state = client.load::<workflow::State>(&duty.run, None).await?.state;
    let world = WorkflowWorld::open(Arc::clone(client.store()?), client.layout(), &state, Box::new(note))?;
    let leave = drive_under(client, &world, lease, duty).await?;
    if leave == Leave::AtRest {
        client.wake_outer(&duty.run).await?;
    }
    Ok(leave)
}

async fn drive_cycle(
    client: &LocalClient,
    duty: &Duty,
    note: impl Fn(&str) + Copy + 'static,
) -> Result<Leave, Error> {
    let (layout, run) = (client.layout(), &duty.run);
    let state = client.load::<cycle::State>(&duty.run, None).await?.state;
    // A driver that is only leaving is waited for; another that works in this tree is an error of `open`.
    let _ = tree_free(client, &layout.at(state.config.worktree.as_ref())).await?;
    require_nobody_at_work(client, run, state.config.worktree.as_ref()).await?;
    let judged_elsewhere = unjudged::require_judged(client, &Driven::of_cycle(&state)).await?;
    let world = CycleWorld::open(Arc::clone(client.store()?), layout, &state, Box::new(note))?;
    let world = world.judged_elsewhere(judged_elsewhere);
    let lease = claim(client, duty).await?;
    let leave = drive_under(client, &world, lease, duty).await?;
    if leave == Leave::AtRest {
        client.tell_on_done(run).await?.iter().for_each(|problem| note(problem));
        world.close();
    }
    Ok(leave)
}

/// Where the driver of another run died, its agent may work on in the tree: one at a time does.
async fn require_nobody_at_work(
    client: &LocalClient,
    run: &RunId,
    worktree: Option<&Worktree>,
) -> Result<(), Error> {
    let busy = at_work_in(client, worktree, run).await?;
    match busy.is_empty() {
        true => Ok(()),
        false => Err(taken(&busy)),
    }
}

/// Takes the lease. One that is free, or held for a moment, unless this driver is to replace another.
async fn claim(client: &LocalClient, duty: &Duty) -> Result<Lease, ClientError> {
    match duty.take_over {
        true => client.claim(&duty.run, Claim::TakeOver).await,
        false => Ok(claim_soon(&**client.store()?, &duty.run, LocalClient::holder()).await?),
    }
}

/// The run is this process's to drive, and to speak for.
async fn drive_under<M: Machine, W: World<M>>(
    client: &LocalClient,
    world: &W,
    lease: Lease,
    duty: &Duty,
) -> Result<Leave, Error> {
    if let Some(starter) = duty.starter {
        log::take(client.layout(), &duty.run, starter)?;
    }
    let driver = Driver { holder: LocalClient::holder(), version: env!("CARGO_PKG_VERSION").to_owned() };
    let driven = drive(&**client.store()?, world, lease, driver).await;
    if matches!(driven, Ok(Leave::AtRest)) {
        sums::at_rest(client, &duty.run).await;
        keys::cover::at_rest(client.layout(), &duty.run);
    }
    if driven.as_ref().is_err_and(is_without_a_journal) {
        // Nothing that it does could be put on record any more, and nobody could end it by way of the journal.
        end_attempts(client.layout(), &duty.run);
    }
    Ok(driven?)
}

/// Whether there is no journal any more that could be written: it is gone, or damaged.
fn is_without_a_journal(error: &DriveError) -> bool {
    use piton_store::Error::{Corrupt, Unlinked};
    match error {
        DriveError::Store(error) | DriveError::Load(LoadError::Store(error)) => {
            matches!(error, Unlinked { .. } | Corrupt(_))
        }
        DriveError::Load(_) => false,
    }
}

/// Ends whatever the run has at work. What cannot be told so has ended, or ends with its directory.
fn end_attempts(layout: &Layout, run: &RunId) {
    let attempts = layout.attempts(run);
    for entry in std::fs::read_dir(&attempts).into_iter().flatten().flatten() {
        if let Some(name) = entry.file_name().to_str() {
            let _ = piton_agent::cancel(&attempts, name);
        }
    }
}

/// A frozen driver is killed, after making sure that it is the process that took the lease.
async fn end_old_driver(client: &LocalClient, run: &RunId) -> Result<(), Error> {
    let Some(holder) = client.driver_of(run).await? else { return Ok(()) };
    let held = |what: String| Error::new(ErrorKind::Held, what);
    if holder.host != piton_sys::process::host_id() {
        return Err(held(format!("run `{run}` is driven on another machine")));
    }
    piton_sys::process::signal(&holder.process, Signal::Kill).map_err(|error| {
        held(format!("process {} drives run `{run}` and cannot be ended: {error}", holder.process.pid))
    })?;
    // It dies in a moment, and lets go of its locks in another.
    let started = SystemClock.monotonic();
    while piton_sys::process::is_alive(&holder.process) && SystemClock.monotonic() - started < DIE_WITHIN {
        tokio::time::sleep(LOOK_EVERY).await;
    }
    settled(client, run).await
}
