//! `piton completions`: a script for a shell.

use clap::CommandFactory;
use piton_model::ExitCode;

use crate::cli::{Arguments, CompletionsArguments};
use crate::output::Output;

pub(super) fn run(arguments: &CompletionsArguments, out: &Output) -> ExitCode {
    // Whoever generates it straight to a pipe panics where its reader has gone.
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Arguments::command(), "piton", &mut script);
    out.bytes(&script);
    ExitCode::Done
}
