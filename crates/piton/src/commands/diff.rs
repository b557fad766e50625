//! `piton diff`: what changed between two iterations.

use piton_engine::world::{open_workspace, snapshot_id};
use piton_model::ExitCode;
use serde_json::json;

use super::restore::choose;
use crate::cli::{DiffArguments, Global};
use crate::failure::Failure;
use crate::output::{Output, clean, clean_line};
use crate::repository;

pub(super) async fn run(
    global: &Global,
    arguments: &DiffArguments,
    out: &Output,
) -> Result<ExitCode, Failure> {
    let (client, run) = repository::open_run(global, arguments.run.run.as_deref()).await?;
    let state = client.load(&run, None).await?.state;
    let (_, from) = choose(&client, &state, Some(arguments.from.unwrap_or(0))).await?;
    let to = match arguments.to {
        Some(number) => choose(&client, &state, Some(number)).await?.1,
        None => state.seen.snapshot.clone().ok_or_else(|| Failure::usage("the run has not started yet"))?,
    };
    let workspace = open_workspace(client.layout(), &run)?;
    let (from, to) = (snapshot_id(&from.id)?, snapshot_id(&to.id)?);
    let failed = |error: piton_git::Error| Failure::environment(&error);
    if !(out.json || arguments.stat) {
        let text = workspace.diff_text(&from, &to).map_err(failed)?;
        // A patch for a pipe is bytes; for a terminal it is somebody's text.
        if out.terminal {
            out.bytes(clean(&String::from_utf8_lossy(&text)).as_bytes())
        } else {
            out.bytes(&text)
        }
        return Ok(ExitCode::Done);
    }
    let diff = workspace.diff(&from, &to).map_err(failed)?;
    if out.json {
        let files: Vec<_> = diff
            .files
            .iter()
            .map(|file| json!({"path": file.path.to_string(), "added": file.added, "removed": file.removed}))
            .collect();
        out.json(&json!({"run_id": run, "files": files, "added": diff.added, "removed": diff.removed}));
        return Ok(ExitCode::Done);
    }
    for file in &diff.files {
        let count = match (file.added, file.removed) {
            (Some(added), Some(removed)) => format!("+{added} −{removed}"),
            _ => "binary".to_owned(),
        };
        out.line(format!("{count:<14}  {}", clean_line(&file.path.to_string())));
    }
    out.line(format!("{} files, +{} −{}", diff.files.len(), diff.added, diff.removed));
    Ok(ExitCode::Done)
}
