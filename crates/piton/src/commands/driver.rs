//! The driver process: its hidden arguments, and nothing else.

use piton_engine::driver_process::{self, Duty};
use piton_model::ExitCode;

use crate::cli::{DriverArguments, Global};
use crate::failure::{ErrorKind, Failure, Result};
use crate::{output, repository};

pub(super) async fn run(global: &Global, arguments: &DriverArguments) -> Result {
    let run = arguments.run.parse().map_err(|error| Failure::of(ErrorKind::Usage, &error))?;
    let duty = Duty { run, take_over: arguments.take_over, starter: arguments.starter };
    driver_process::run(repository::layout(global)?, &duty, output::to_log).await?;
    Ok(ExitCode::Done)
}
