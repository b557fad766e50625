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
        ExportFormat::Gaps => piton_view::ExportFormat::Gaps,
        ExportFormat::State => piton_view::ExportFormat::State,
    });
    out.bytes(&client.export(&run, format).await?);
    Ok(ExitCode::Done)
}
