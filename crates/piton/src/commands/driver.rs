//! The driver process: takes the lease, drives until the run rests, says its last words if it cannot.

use std::sync::Arc;
use std::time::Duration;

use piton_engine::core::Leave;
use piton_engine::workflow::WorkflowWorld;
use piton_engine::world::LocalWorld;
use piton_engine::{DriveError, Driver, Layout, LocalClient, claim_soon, configuration, drive, start};
use piton_model::{ExitCode, Kind, RunId, State, workflow};
use piton_store::{Claim, Lease};
use piton_sys::process::Signal;
use piton_sys::{Clock, SystemClock};

use crate::cli::{DriverArguments, Global};
use crate::failure::{ErrorKind, Failure, Result};
use crate::{output, repository};

/// How long a killed driver may take to die.
const DIE_WITHIN: Duration = Duration::from_secs(10);

const LOOK_EVERY: Duration = Duration::from_millis(10);

pub(super) async fn run(global: &Global, arguments: &DriverArguments) -> Result {
    let result = drive_run(global, arguments).await;
    if let Err(failure) = &result {
        let words = start::last_words_of(failure);
        return Err(Failure::new(failure.kind, format!("{}\n{words}", failure.message)));
    }
    result
}

async fn drive_run(global: &Global, arguments: &DriverArguments) -> Result {
    let layout = repository::layout(global)?;
    let client = open(&layout)?;
    let run: RunId = arguments.run.parse().map_err(|error| Failure::of(ErrorKind::Usage, &error))?;
    let claim = if arguments.take_over { Claim::TakeOver } else { Claim::IfFree };
    if arguments.take_over {
        end_old_driver(&client, &run).await?;
    }
    if client.kind(&run).await? == Kind::Workflow {
        return drive_workflow(&client, &run, claim, arguments).await;
    }
    let views = configuration::views(&layout);
    // A driver that is only leaving is waited for; another that works here is an error of `open`.
    let state = client.load::<State>(&run, None).await?.state;
    let _ = start::workspace_free(&client, &layout.of_run(&state.config)).await?;
    let world = LocalWorld::open(
        Arc::clone(client.store()?),
        &layout,
        &state,
        start::exe()?,
        views,
        Box::new(say_note),
    )?;
    let driver = Driver { holder: LocalClient::holder(), version: env!("CARGO_PKG_VERSION").to_owned() };
    let lease = claimed(&client, &run, claim).await?;
    if views.aiwg {
        world.remember(client.history(&run).await?);
    }
    if let Some(starter) = arguments.starter {
        start::take_log(client.layout(), &run, starter)?;
    }
    match drive(&**client.store()?, &world, lease, driver).await? {
        Leave::AtRest => {
            client.tell_on_done(&run).await?.iter().for_each(|problem| say_note(problem));
            world.close();
            Ok(ExitCode::Done)
        }
        Leave::Fenced => Err(Failure::new(ErrorKind::Held, format!("another driver took over run `{run}`"))),
    }
}

fn open(layout: &Layout) -> Result<LocalClient> {
    LocalClient::existing(layout.clone())?.ok_or_else(|| Failure::usage("there is no journal here"))
}

async fn claimed(client: &LocalClient, run: &RunId, claim: Claim) -> Result<Lease> {
    let claimed = client.store()?.claim(run, LocalClient::holder(), claim).await;
    Ok(claimed.map_err(DriveError::from)?)
}

/// How a driver says something that no event says: in its log, which is its standard error.
fn say_note(text: &str) {
    output::to_log(&start::note_of(text));
}

async fn drive_workflow(
    client: &LocalClient,
    run: &RunId,
    claim: Claim,
    arguments: &DriverArguments,
) -> Result {
    let driver = Driver { holder: LocalClient::holder(), version: env!("CARGO_PKG_VERSION").to_owned() };
    let lease = match claim {
        Claim::TakeOver => claimed(client, run, claim).await?,
        Claim::IfFree => {
            claim_soon(&**client.store()?, run, driver.holder.clone()).await.map_err(DriveError::from)?
        }
    };
    let state = client.load::<workflow::State>(run, None).await?.state;
    let world = WorkflowWorld::open(
        Arc::clone(client.store()?),
        client.layout(),
        &state,
        start::exe()?,
        Box::new(say_note),
    )?;
    if let Some(starter) = arguments.starter {
        start::take_log(client.layout(), run, starter)?;
    }
    match drive::<workflow::State, _>(&**client.store()?, &world, lease, driver).await? {
        Leave::AtRest => {
            client.wake_outer(run).await?;
            Ok(ExitCode::Done)
        }
        Leave::Fenced => Err(Failure::new(ErrorKind::Held, format!("another driver took over run `{run}`"))),
    }
}

/// A frozen driver is killed, after making sure that it is the process that took the lease.
async fn end_old_driver(client: &LocalClient, run: &RunId) -> Result<()> {
    let Some(holder) = client.driver_of(run).await? else { return Ok(()) };
    if holder.host != piton_sys::process::host_id() {
        return Err(Failure::new(ErrorKind::Held, format!("run `{run}` is driven on another machine")));
    }
    let killed = piton_sys::process::signal(&holder.process, Signal::Kill);
    killed.map_err(|error| {
        Failure::new(
            ErrorKind::Held,
            format!("process {} drives run `{run}` and cannot be ended: {error}", holder.process.pid),
        )
    })?;
    // It dies in a moment, and lets go of its locks in another.
    let started = SystemClock.monotonic();
    while piton_sys::process::is_alive(&holder.process) && SystemClock.monotonic() - started < DIE_WITHIN {
        tokio::time::sleep(LOOK_EVERY).await;
    }
    start::settled(client, run).await
}
