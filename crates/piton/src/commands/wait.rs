//! `piton attach` and `piton wait`: view a run, or only wait for it; both exit with its code.

use std::time::Duration;

use piton_model::{ExitCode, exit_code};
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
        let status = client.status(&run).await?;
        let loaded = client.load(&run, None).await?;
        if let Some(code) = exit_code(loaded.state.status, loaded.state.reason) {
            start::let_go(&client, &run).await?;
            if out.json {
                out.json(&client.status(&run).await?);
            }
            return Ok(code);
        }
        if status.driver.is_none() {
            return Err(start::last_words(client.layout(), &run).unwrap_or_else(|| {
                Failure::new(ExitCode::Environment, format!("nothing drives run `{run}`"))
                    .hint(format!("run `piton resume {run}`"))
            }));
        }
        client.events(&run, loaded.head + 1, Duration::from_secs(1)).await?;
    }
}
