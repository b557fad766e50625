//! `piton rm`: forget a run.

use piton_model::ExitCode;
use piton_view::{Listed, Removal};

use crate::cli::{Global, RmArguments};
use crate::failure::{Failure, Result};
use crate::output::Output;
use crate::repository;

pub(super) async fn run(global: &Global, arguments: &RmArguments, out: &Output) -> Result {
    let (client, run) = repository::open_run(global, arguments.run.as_deref()).await?;
    if arguments.run.is_none() {
        // What cannot be had again is named.
        let is_landed = |listed: &&Listed| listed.entry.run_id == run && listed.landed;
        if client.runs().await?.listed.iter().find(is_landed).is_none() {
            return Err(Failure::usage(format!("`{run}` is the newest run, and its work was not landed"))
                .hint(format!("`piton land {run}` lands it, `piton rm {run}` forgets it anyway")));
        }
    }
    let how = Removal { force: arguments.force, files: arguments.files, tree: arguments.tree };
    let kept = client.remove(&run, how).await?;
    out.note(format!("{run} is forgotten"));
    kept.iter().for_each(|kept| out.note(kept));
    Ok(ExitCode::Done)
}
