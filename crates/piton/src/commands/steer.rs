//! `piton pause`, `stop`, `skip` and `tell`: requests, durable when the command returns.

use piton_model::{ExitCode, StopOrigin};
use piton_view::{ModeView, Request, RunStatus, StatusOf};

use crate::cli::{Global, ModeArguments, RunArgument, StopArguments, TellArguments};
use crate::failure::{Failure, Result};
use crate::output::Output;
use crate::repository;

use super::{not_a_loop, said};

pub(super) async fn pause(global: &Global, argument: &RunArgument, out: &Output) -> Result {
    let (client, run) = repository::open_run(global, argument.run.as_deref()).await?;
    let asked = client.request(&run, Request::Pause).await?;
    said(&asked, out);
    out.note(format!(
        "{run} pauses once the work under way ends; `piton resume {}` goes on with it",
        run.short()
    ));
    Ok(ExitCode::Done)
}

pub(super) async fn skip(global: &Global, argument: &RunArgument, out: &Output) -> Result {
    let (client, run) = repository::open_run(global, argument.run.as_deref()).await?;
    client.request(&run, Request::Skip).await?;
    out.note(format!("{run} gives up this iteration and begins the next"));
    Ok(ExitCode::Done)
}

pub(super) async fn reboot(global: &Global, argument: &RunArgument, out: &Output) -> Result {
    let (client, run) = repository::open_run(global, argument.run.as_deref()).await?;
    client.request(&run, Request::Reboot).await?;
    out.note(format!("{run} begins a fresh session with the next attempt"));
    Ok(ExitCode::Done)
}

pub(super) async fn mode(global: &Global, arguments: &ModeArguments, out: &Output) -> Result {
    let (client, run) = repository::open_run(global, arguments.run.run.as_deref()).await?;
    let mode = arguments.mode;
    if mode.is_none() && arguments.break_at.is_none() {
        let status = client.status(&run).await?;
        return match &status.of {
            StatusOf::Loop(status) => Ok(show_mode(status, out)),
            StatusOf::Workflow(_) | StatusOf::Cycle(_) | StatusOf::Ledger(_) => {
                Err(not_a_loop(status.entry()))
            }
        };
    }
    client.request(&run, Request::Mode { mode, break_at: arguments.break_at }).await?;
    if let Some(mode) = mode {
        out.note(format!("{run} is {} from the next decision on", mode.as_str()));
    }
    if let Some(iteration) = arguments.break_at {
        out.note(format!("{run} asks before iteration {iteration}"));
    }
    Ok(ExitCode::Done)
}

fn show_mode(status: &RunStatus, out: &Output) -> ExitCode {
    let ModeView { history, breakpoints } = &status.modes;
    if out.json {
        out.json(&serde_json::json!({
            "run_id": status.entry.run_id, "mode": status.mode,
            "history": history.iter().map(|switch| &switch.data).collect::<Vec<_>>(),
            "breakpoints": breakpoints,
        }));
        return ExitCode::Done;
    }
    out.line(status.mode);
    for switch in history {
        out.line(&switch.text);
    }
    ExitCode::Done
}

pub(super) async fn tell(global: &Global, arguments: &TellArguments, out: &Output) -> Result {
    if arguments.text.len() > piton_model::limits::TEXT_BYTES_MAX {
        return Err(Failure::usage("the message is longer than 8 KiB")
            .hint("put it into a file and tell the agent its name"));
    }
    if !piton_config::says_something(&arguments.text) {
        return Err(Failure::usage("the message says nothing")
            .hint("give the words for the agent: `piton tell RUN TEXT`"));
    }
    let (client, run) = repository::open_run(global, Some(&arguments.run)).await?;
    client.request(&run, Request::Tell(arguments.text.clone())).await?;
    out.note(format!("{run} passes it on to the agent with its next prompt"));
    Ok(ExitCode::Done)
}

pub(super) async fn stop(global: &Global, arguments: &StopArguments, out: &Output) -> Result {
    let (client, run) = repository::open_run(global, arguments.run.run.as_deref()).await?;
    let asked =
        client.request(&run, Request::Stop { now: arguments.now, origin: StopOrigin::Command }).await?;
    said(&asked, out);
    out.note(match (asked.driven, arguments.now) {
        (false, _) => format!("{run} rests: `piton resume {}` goes on", run.short()),
        (true, true) => format!("{run} is stopping now"),
        (true, false) => format!("{run} stops once the work under way has ended; `--now` does not wait"),
    });
    Ok(ExitCode::Done)
}
