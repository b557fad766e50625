//! `piton status`: one screen.

use piton_engine::workflow::catch_up_view;
use piton_model::{ExitCode, Kind};
use piton_sys::{Clock, SystemClock};
use piton_view::Client;

use crate::cli::{Global, RunArgument};
use crate::failure::Failure;
use crate::output::Output;
use crate::{render, repository};

pub(super) async fn run(global: &Global, argument: &RunArgument, out: &Output) -> Result<ExitCode, Failure> {
    let (client, run) = repository::open_run(global, argument.run.as_deref()).await?;
    if client.kind(&run).await? == Kind::Workflow {
        catch_up_view(&client, &run).await?;
        let status = client.workflow_status(&run).await?;
        if out.json {
            out.json(&status);
            return Ok(ExitCode::Done);
        }
        let state = client.load_as(&run, None).await?.state;
        render::workflow::status(&status, &state, SystemClock.now()).iter().for_each(|line| out.line(line));
        return Ok(ExitCode::Done);
    }
    let status = client.status(&run).await?;
    if out.json {
        out.json(&status);
        return Ok(ExitCode::Done);
    }
    let state = client.load(&run, None).await?.state;
    for line in render::status(&status, &state, SystemClock.now()) {
        out.line(line);
    }
    Ok(ExitCode::Done)
}
