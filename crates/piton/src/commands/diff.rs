//! `piton diff`: what changed between two iterations.

use piton_model::ExitCode;
use piton_view::words::count;
use serde_json::json;

use crate::cli::{DiffArguments, Global};
use crate::failure::Result;
use crate::output::{Output, clean_line};
use crate::repository;

pub(super) async fn run(global: &Global, arguments: &DiffArguments, out: &Output) -> Result {
    let (client, run) = repository::open_run(global, arguments.run.run.as_deref()).await?;
    let diff = client.diff(&run, arguments.from.unwrap_or(0), arguments.to).await?;
    if out.json {
        out.json(&json!({"run_id": run, "files": diff.files, "added": diff.added, "removed": diff.removed}));
        return Ok(ExitCode::Done);
    }
    if !arguments.stat {
        out.data(&diff.patch);
        return Ok(ExitCode::Done);
    }
    for file in &diff.files {
        let count = match (file.added, file.removed) {
            (Some(added), Some(removed)) => format!("+{added} −{removed}"),
            _ => "binary".to_owned(),
        };
        out.line(format!("{count:<14}  {}", clean_line(&file.path)));
    }
    out.line(format!("{}, +{} −{}", count(diff.files.len(), "file"), diff.added, diff.removed));
    Ok(ExitCode::Done)
}
