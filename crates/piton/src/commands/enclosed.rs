//! `piton __enclosed`: the last step between the walls and what runs inside them.

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use piton_engine::launch::walls::COPY_OPTION;
use piton_sys::file::{self, Durability};
use piton_sys::process::{become_enclosed, find_program};

/// What a shell exits with where there is no such program.
const NOT_FOUND: u8 = 127;

/// Leaves the sign that `line` begins with, unless that is empty, makes the copies that it asks for, and becomes the program that
/// follows, with `env` besides its own variables.
pub(crate) fn enclosed(mut line: Vec<OsString>, env: &[(&str, String)]) -> ExitCode {
    while line.get(1).is_some_and(|word| word == COPY_OPTION) && line.len() > 3 {
        let copy: Vec<_> = line.drain(1..4).collect();
        if let Err(error) = std::fs::copy(&copy[1], &copy[2]) {
            crate::output::to_log(&format!("failed to copy `{}`: {error}", copy[2].display()));
        }
    }
    let args = line.split_off(2.min(line.len()));
    let sign = line.first().filter(|sign| !sign.is_empty()).map(Path::new);
    if let Some(Err(error)) = sign.map(|sign| file::write_atomic(sign, b"", Durability::Unsynced)) {
        crate::output::to_log(&format!("failed to begin: {error}"));
        return ExitCode::from(NOT_FOUND);
    }
    let here = std::env::current_dir().unwrap_or_default();
    let path = std::env::var_os("PATH");
    let Some(program) = line.get(1).and_then(|name| find_program(name, path.as_deref(), &here)) else {
        let name = line.get(1).cloned().unwrap_or_default();
        crate::output::to_log(&format!("agent program `{}` not found", name.display()));
        return ExitCode::from(NOT_FOUND);
    };
    let error = become_enclosed(&program, &args, env);
    crate::output::to_log(&format!("failed to start `{}`: {error}", program.display()));
    ExitCode::from(NOT_FOUND)
}

/// `piton __proxied`: what became of the program that had a way out of its walls.
pub(crate) fn proxied(ended: std::io::Result<i32>) -> ExitCode {
    match ended {
        Ok(code) => ExitCode::from(u8::try_from(code).unwrap_or(u8::MAX)),
        Err(error) => {
            crate::output::to_log(&format!("failed to put up the walls: {error}"));
            ExitCode::from(NOT_FOUND)
        }
    }
}
