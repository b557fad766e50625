//! The agent of `piton demo`: scripted, offline, in need of three iterations, and not honest in one of them.

use std::time::Duration;

use piton_model::ExitCode;
use piton_sys::file::{self, Durability};

use crate::failure::Result;
use crate::output::Output;

/// How long its last iteration works: long enough to be left alone by its driver.
const WORK: Duration = Duration::from_secs(3);

pub(super) fn run() -> Result {
    let out = Output::new(&crate::cli::Global {
        repo: None,
        trust: false,
        store: None,
        json: false,
        quiet: false,
        verbose: false,
        no_color: true,
    });
    let iteration = std::env::var("PITON_ITERATION").unwrap_or_default();
    let greeting = std::path::Path::new("greeting.txt");
    if iteration == "1" {
        out.line("writing a first greeting");
        file::write_atomic(greeting, b"Hello\n", Durability::Unsynced)?;
        return Ok(ExitCode::Done);
    }
    if iteration == "2" {
        out.line("the check fails; changing the check");
        file::write_atomic(std::path::Path::new("check.sh"), b"true\n", Durability::Unsynced)?;
        return Ok(ExitCode::Done);
    }
    for second in 1..=WORK.as_secs() {
        out.line(format!("thinking about the greeting, {second} s"));
        #[expect(clippy::disallowed_methods, reason = "this agent's work is to take time")]
        std::thread::sleep(Duration::from_secs(1));
    }
    file::write_atomic(greeting, b"Hello, piton!\n", Durability::Unsynced)?;
    out.line("the greeting is complete");
    Ok(ExitCode::Done)
}
