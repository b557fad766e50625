//! `piton pause`, `stop`, `skip` and `tell`: requests, durable when the command returns.

use piton_engine::LocalClient;
use piton_model::{Event, ExitCode, RunId, State, Status, StopOrigin};
use piton_view::{Client, Request};

use crate::cli::{Global, ModeArguments, ModeWord, RunArgument, StopArguments, TellArguments};
use crate::failure::Failure;
use crate::output::Output;
use crate::{render, repository, start};

pub(super) async fn pause(
    global: &Global,
    argument: &RunArgument,
    out: &Output,
) -> Result<ExitCode, Failure> {
    let (client, run) = repository::open_run(global, argument.run.as_deref()).await?;
    client.request(&run, Request::Pause).await?;
    carry_out(&client, &run).await?;
    out.note(format!("{run} rests after the work that is open; `piton resume {}` goes on", run.short()));
    Ok(ExitCode::Done)
}

pub(super) async fn skip(global: &Global, argument: &RunArgument, out: &Output) -> Result<ExitCode, Failure> {
    let (client, run) = repository::open_run(global, argument.run.as_deref()).await?;
    client.request(&run, Request::Skip).await?;
    carry_out(&client, &run).await?;
    out.note(format!("{run} gives up this iteration and begins the next"));
    Ok(ExitCode::Done)
}

pub(super) async fn reboot(
    global: &Global,
    argument: &RunArgument,
    out: &Output,
) -> Result<ExitCode, Failure> {
    let (client, run) = repository::open_run(global, argument.run.as_deref()).await?;
    client.request(&run, Request::Reboot).await?;
    out.note(format!("{run} begins a fresh session with the next attempt"));
    Ok(ExitCode::Done)
}

pub(super) async fn mode(
    global: &Global,
    arguments: &ModeArguments,
    out: &Output,
) -> Result<ExitCode, Failure> {
    let (client, run) = repository::open_run(global, arguments.run.run.as_deref()).await?;
    let mode = arguments.mode.map(ModeWord::mode);
    if mode.is_none() && arguments.break_at.is_none() {
        let state = client.load(&run, None).await?.state;
        return Ok(show_mode(&state, out));
    }
    start::let_go(&client, &run).await?;
    client.request(&run, Request::Mode { mode, break_at: arguments.break_at }).await?;
    carry_out(&client, &run).await?;
    // Whoever leaves a run alone that waits for them has answered: it goes on.
    let state = client.load(&run, None).await?.state;
    let waits = state.status == Status::Waiting && state.requests.mode.is_some();
    if waits && client.store().holder(&run).await?.is_none() {
        start::driver(&client, &run, false).await?;
    }
    if let Some(mode) = mode {
        out.note(format!("{run} is {} from the next decision on", mode.as_str()));
    }
    if let Some(iteration) = arguments.break_at {
        out.note(format!("{run} asks before iteration {iteration}"));
    }
    Ok(ExitCode::Done)
}

fn show_mode(state: &State, out: &Output) -> ExitCode {
    let history = &state.people.mode.history;
    if out.json {
        out.json(&serde_json::json!({
            "run_id": state.run, "mode": state.mode(), "history": history, "breakpoints": state.people.mode.breakpoints,
        }));
        return ExitCode::Done;
    }
    out.line(state.mode().as_str());
    for switch in history {
        let event = Event::ModeSwitched { from: switch.from, to: switch.to, why: switch.why.clone() };
        out.line(format!("{}  after #{}  {}", switch.at, switch.iteration, render::event(&event)));
    }
    ExitCode::Done
}

pub(super) async fn tell(
    global: &Global,
    arguments: &TellArguments,
    out: &Output,
) -> Result<ExitCode, Failure> {
    if arguments.text.len() > piton_model::limits::TEXT_BYTES_MAX {
        return Err(Failure::usage("the message is longer than 8 KiB")
            .hint("put it into a file and tell the agent its name"));
    }
    let (client, run) = repository::open_run(global, Some(&arguments.run)).await?;
    client.request(&run, Request::Tell(arguments.text.clone())).await?;
    out.note(format!("{run} passes it on with the next prompt"));
    Ok(ExitCode::Done)
}

pub(super) async fn stop(
    global: &Global,
    arguments: &StopArguments,
    out: &Output,
) -> Result<ExitCode, Failure> {
    let (client, run) = repository::open_run(global, arguments.run.run.as_deref()).await?;
    client.request(&run, Request::Stop { now: arguments.now, origin: StopOrigin::Command }).await?;
    carry_out(&client, &run).await?;
    out.note(match (client.store().holder(&run).await?, arguments.now) {
        (None, _) => format!("{run} rests: `piton resume {}` goes on", run.short()),
        (Some(_), true) => format!("{run} is stopping now"),
        (Some(_), false) => format!("{run} stops after the work that is open; `--now` does not wait"),
    });
    Ok(ExitCode::Done)
}

/// Where nobody drives a run whose work is open, a driver is started: it finds the agent that may still
/// live, and then does what was asked.
async fn carry_out(client: &LocalClient, run: &RunId) -> Result<(), Failure> {
    let driven = client.store().holder(run).await?.is_some();
    if !driven && client.outline(run).await?.status.is_active() {
        start::driver(client, run, false).await?;
    }
    Ok(())
}
