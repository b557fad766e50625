//! `piton man`: manual pages, for packages.

use clap::CommandFactory;
use piton_model::ExitCode;

use crate::cli::{Arguments, ManArguments};
use crate::failure::{Failure, Result};

pub(super) fn run(arguments: &ManArguments) -> Result {
    std::fs::create_dir_all(&arguments.directory)
        .and_then(|()| clap_mangen::generate_to(Arguments::command(), &arguments.directory))
        .map_err(|error| Failure::environment(&error))?;
    Ok(ExitCode::Done)
}
