//! `piton rm`: forget a run.

use piton_engine::LocalClient;
use piton_engine::world::{open_workspace, unpublish};
use piton_model::{ExitCode, exit_code};
use piton_store::{Claim, Store};

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
    let lease = client.store().claim(&run, LocalClient::holder(), Claim::IfFree).await?;
    let layout = client.layout().clone();
    end_what_lives(&layout.attempts(&run))?;
    // Traces first, the journal last: an interrupted removal can be repeated.
    open_workspace(&layout, &run)?.forget(run.as_str()).map_err(|error| Failure::environment(&error))?;
    for directory in [layout.attempts(&run)] {
        if directory.exists() {
            std::fs::remove_dir_all(&directory).map_err(|error| Failure::environment(&error))?;
        }
    }
    unpublish(&layout, &run)?;
    start::remove_logs(&layout, &run)?;
    client.store().remove(lease).await?;
    out.note(format!("{run} is forgotten"));
    Ok(ExitCode::Done)
}

fn end_what_lives(attempts: &std::path::Path) -> Result<(), Failure> {
    let Ok(listing) = std::fs::read_dir(attempts) else { return Ok(()) };
    for entry in listing.flatten() {
        let Ok(name) = entry.file_name().into_string() else { continue };
        if let Ok(piton_agent::Found::Alive { .. }) = piton_agent::look(attempts, &name) {
            let failed = |error: piton_agent::Error| Failure::environment(&error);
            piton_agent::cancel(attempts, &name).map_err(failed)?;
            piton_agent::wait(attempts, &name).map_err(failed)?;
        }
    }
    Ok(())
}
