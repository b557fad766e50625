//! `piton __enclosed`: the last step between the walls and what runs inside them.

use std::ffi::OsString;
use std::process::ExitCode;

use piton_sys::process::{become_enclosed, find_program};

/// What a shell exits with where there is no such program.
const NOT_FOUND: u8 = 127;

/// Becomes the program that `line` begins with.
pub(crate) fn enclosed(mut line: Vec<OsString>) -> ExitCode {
    let args = line.split_off(1.min(line.len()));
    let here = std::env::current_dir().unwrap_or_default();
    let path = std::env::var_os("PATH");
    let Some(program) = line.first().and_then(|name| find_program(name, path.as_deref(), &here)) else {
        let name = line.first().cloned().unwrap_or_default();
        crate::output::to_log(&format!("agent program `{}` not found", name.display()));
        return ExitCode::from(NOT_FOUND);
    };
    let error = become_enclosed(&program, &args);
    crate::output::to_log(&format!("failed to start `{}`: {error}", program.display()));
    ExitCode::from(NOT_FOUND)
}
