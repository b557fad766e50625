//! `piton rm`: forget a run.

use piton_engine::manager::forget;
use piton_model::{ExitCode, exit_code};

use crate::cli::{Global, RmArguments};
use crate::failure::Failure;
use crate::output::Output;
use crate::{repository, start};

pub(super) async fn run(global: &Global, arguments: &RmArguments, out: &Output) -> Result<ExitCode, Failure> {
    let (client, run) = repository::open_run(global, Some(&arguments.run)).await?;
    let outline = client.outline(&run).await?;
    if exit_code(outline.status, outline.reason).is_none() && !arguments.force {
        return Err(Failure::usage(format!("run `{run}` is {}", outline.status.as_str()))
            .hint(format!("run `piton stop {run}` first, or give --force")));
    }
    start::let_go(&client, &run).await?;
    forget(&client, &run).await?;
    start::remove_logs(client.layout(), &run)?;
    out.note(format!("{run} is forgotten"));
    Ok(ExitCode::Done)
}
