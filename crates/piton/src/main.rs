//! The binary: arguments in, lines out, an exit code. Holds no logic of its own.
//!
//! One file per command in [`commands`]; printing lives in [`output`], what a person watches in [`viewer`]. Everything
//! about runs is asked at one door, [`piton_view::Client`], which [`repository`] opens. Data goes to stdout, everything
//! else to stderr.

mod attended;
mod awaited;
mod cli;
mod commands;
mod failure;
mod output;
mod paint;
mod repository;
mod terminal;
mod viewer;

use std::process::ExitCode;

use piton_engine::launch::proxy::{self, PROXIED_COMMAND};
use piton_engine::launch::walls::ENCLOSED_COMMAND;

fn main() -> ExitCode {
    piton_sys::file::keep_owners_access();
    // The keeper is this program too, but it must stay small: no runtime, no argument parser.
    if std::env::args_os().nth(1).is_some_and(|word| word == piton_agent::keeper::COMMAND) {
        return piton_agent::keeper::main();
    }
    // Likewise what stands between the walls and an agent: it becomes the agent.
    if std::env::args_os().nth(1).is_some_and(|word| word == ENCLOSED_COMMAND) {
        return commands::enclosed(std::env::args_os().skip(2).collect(), &proxy::open_inside());
    }
    // And what leads out of them.
    if std::env::args_os().nth(1).is_some_and(|word| word == PROXIED_COMMAND) {
        return commands::proxied(proxy::run(std::env::args_os().skip(2).collect()));
    }
    let arguments = cli::help::parse();
    let out = output::Output::new(&arguments.global);
    match commands::run(arguments, &out) {
        Ok(code) => ExitCode::from(code as u8),
        Err(failure) => {
            out.failure(&failure);
            ExitCode::from(failure.kind.exit_code() as u8)
        }
    }
}
