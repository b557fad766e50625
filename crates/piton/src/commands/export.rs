//! `piton export`: a run in one of the published formats, on standard output.

use piton_engine::world::view_bytes;
use piton_model::ExitCode;

use crate::cli::{ExportArguments, ExportFormat, Global};
use crate::failure::Failure;
use crate::output::Output;
use crate::repository;

pub(super) async fn run(
    global: &Global,
    arguments: &ExportArguments,
    out: &Output,
) -> Result<ExitCode, Failure> {
    let (client, run) = repository::open_run(global, arguments.run.run.as_deref()).await?;
    let loaded = client.load(&run, None).await?;
    match arguments.format {
        ExportFormat::Ralph => out.bytes(&view_bytes(client.layout(), &loaded.state, loaded.head)),
        ExportFormat::State => {
            let mut bytes = serde_json::to_vec_pretty(&loaded.state).expect("a state is plain data");
            bytes.push(b'\n');
            out.bytes(&bytes);
        }
    }
    Ok(ExitCode::Done)
}
