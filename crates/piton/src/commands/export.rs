//! `piton export`: a run in one of the published formats, on standard output.

use piton_model::ExitCode;

use crate::cli::{ExportArguments, ExportFormat, Global};
use crate::failure::Result;
use crate::output::Output;
use crate::repository;

pub(super) async fn run(global: &Global, arguments: &ExportArguments, out: &Output) -> Result {
    let (client, run) = repository::open_run(global, arguments.run.run.as_deref()).await?;
    let format = arguments.format.map(|format| match format {
        ExportFormat::Ralph => piton_view::ExportFormat::Ralph,
        ExportFormat::Aiwg => piton_view::ExportFormat::Aiwg,
        ExportFormat::RunState => piton_view::ExportFormat::RunState,
        ExportFormat::CycleState => piton_view::ExportFormat::CycleState,
        ExportFormat::Gaps => piton_view::ExportFormat::Gaps,
        ExportFormat::State => piton_view::ExportFormat::State,
    });
    let bytes = client.export(&run, format).await?;
    let is_json = serde_json::from_slice::<serde::de::IgnoredAny>(&bytes).is_ok();
    match (is_json, out.json) {
        (true, _) => out.json_text(&bytes),
        // Of the formats only the ledger's is not JSON as it is.
        (false, true) => out.json_text(&client.export(&run, Some(piton_view::ExportFormat::GapsJson)).await?),
        (false, false) => out.data(&bytes),
    }
    Ok(ExitCode::Done)
}
