//! `piton attach` and `piton wait`: view a run, or only wait for it; both exit with its code.

use std::time::Duration;

use piton_engine::workflow::catch_up_view;
use piton_model::{ExitCode, Kind, exit_code};
use piton_view::Client;

use crate::cli::{Global, RunArgument};
use crate::failure::Failure;
use crate::output::Output;
use crate::viewer::{self, From};
use crate::{repository, start};

pub(super) async fn attach(
    global: &Global,
    argument: &RunArgument,
    out: &Output,
) -> Result<ExitCode, Failure> {
    let (client, run) = repository::open_run(global, argument.run.as_deref()).await?;
    viewer::view(&client, &run, From::Start, out).await
}

pub(super) async fn run(global: &Global, argument: &RunArgument, out: &Output) -> Result<ExitCode, Failure> {
    let (client, run) = repository::open_run(global, argument.run.as_deref()).await?;
    loop {
        let driven = client.store().holder(&run).await?.is_some();
        let head = client.store().row(&run).await?.head.seq;
        let outline = client.outline(&run).await?;
        if let Some(code) = exit_code(outline.status, outline.reason) {
            start::let_go(&client, &run).await?;
            if outline.kind == Kind::Workflow {
                catch_up_view(&client, &run).await?;
            }
            match outline.kind {
                _ if !out.json => {}
                Kind::Workflow => out.json(&client.workflow_status(&run).await?),
                Kind::Loop | Kind::Ledger => out.json(&client.status(&run).await?),
            }
            return Ok(code);
        }
        if !driven {
            return Err(start::last_words(client.layout(), &run).unwrap_or_else(|| {
                Failure::new(ExitCode::Environment, format!("nothing drives run `{run}`"))
                    .hint(format!("run `piton resume {run}`"))
            }));
        }
        client.events(&run, head + 1, Duration::from_secs(1)).await?;
    }
}
