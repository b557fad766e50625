//! `piton completions`: a script for a shell.

use clap::CommandFactory;
use piton_model::ExitCode;

use crate::cli::{Arguments, CompletionsArguments};

pub(super) fn run(arguments: &CompletionsArguments) -> ExitCode {
    clap_complete::generate(arguments.shell, &mut Arguments::command(), "piton", &mut std::io::stdout());
    ExitCode::Done
}
