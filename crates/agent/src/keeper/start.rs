//! Starting the program: into its tree, with its prompt, and with a clear word where that fails.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

use piton_model::Timestamp;
use piton_sys::process::{Child, Output, Start, Tree, find_program};
use piton_sys::signals::Caught;
use piton_sys::{Clock, SystemClock, fault, process};

use super::{Attempt, quoted};
use crate::directory::{DIRECTORY_VARIABLE, prompt_file, report_file};
use crate::record::{EndedBy, Exit, Started};
use crate::spec::Stdin;

/// A program that runs.
pub(super) struct Running {
    pub(super) child: Child,
    pub(super) tree: Tree,
    pub(super) started: Started,
    /// When it was started, by the clock that does not jump.
    pub(super) since: Duration,
    /// What it is still to be given to read.
    pub(super) input: Vec<u8>,
}

/// Starts the program. The exit where it does not start, or was cancelled before it could.
pub(super) fn start(attempt: &mut Attempt) -> Result<Running, Exit> {
    let at = SystemClock.now();
    if attempt.signals.take().contains(&Caught::Terminate) {
        return Err(never_ran(at, EndedBy::Cancelled, None));
    }
    let failed = |error: String| never_ran(at, EndedBy::SpawnFailed, Some(error));
    let start = describe(attempt).map_err(failed)?;
    fault::point("agent.keeper.spawn");
    let tree = Tree::create(&attempt.spec.mark).map_err(|error| failed(error.to_string()))?;
    let mut tree = tree.with_own_descendants();
    let since = SystemClock.monotonic();
    let program = start.program.clone();
    let child = match tree.spawn(start) {
        Ok(child) => child,
        Err(error) => {
            // The child that failed to become the program is collected already; its group is empty.
            let _ = tree.remove();
            return Err(failed(format!("failed to start agent program {}: {error}", quoted(&program))));
        }
    };
    fault::point("agent.keeper.spawned");
    let started = Started { process: child.process.clone(), tree: tree.kind(), at };
    let input = attempt.spec.prompt.take().filter(|_| attempt.spec.stdin == Stdin::Prompt);
    Ok(Running { child, tree, started, since, input: input.unwrap_or_default().into_bytes() })
}

/// The exit of a program that never ran.
fn never_ran(at: Timestamp, ended_by: EndedBy, error: Option<String>) -> Exit {
    Exit {
        code: None,
        signal: None,
        ended_by,
        error,
        started_at: at,
        ended_at: SystemClock.now(),
        duration_ms: 0,
        stdout_bytes: 0,
        stderr_bytes: 0,
        stdout_cut: 0,
        stderr_cut: 0,
    }
}

fn describe(attempt: &Attempt) -> Result<Start, String> {
    let spec = &attempt.spec;
    if !spec.cwd.is_dir() {
        return Err(format!("working directory {} does not exist", quoted(&spec.cwd)));
    }
    let (name, args) = spec.argv.split_first().ok_or("there is no program to run")?;
    let program = resolve(attempt, name)?;
    let mut env: Vec<(OsString, OsString)> =
        spec.env.iter().map(|(name, value)| (name.into(), value.into())).collect();
    env.push((DIRECTORY_VARIABLE.into(), attempt.directory.clone().into()));
    env.push(("PITON_REPORT".into(), report_file(&attempt.directory).into()));
    env.push(("PITON_PROMPT_FILE".into(), prompt_file(&attempt.directory).into()));
    Ok(Start {
        program,
        arg0: Some(name.into()),
        args: args.iter().map(OsString::from).collect(),
        env,
        env_remove: spec.env_remove.iter().map(OsString::from).collect(),
        current_dir: Some(spec.cwd.clone()),
        stdin: match spec.stdin {
            Stdin::Null => process::Stdin::Null,
            Stdin::Prompt => process::Stdin::Pipe,
        },
        stdout: Output::Pipe,
        stderr: Output::Pipe,
    })
}

/// Finds the program once, so that what is started is what was found.
fn resolve(attempt: &Attempt, name: &str) -> Result<PathBuf, String> {
    let spec = &attempt.spec;
    let inherited =
        || std::env::var_os("PATH").filter(|_| !spec.env_remove.iter().any(|name| name == "PATH"));
    let path = spec.env.get("PATH").map(OsString::from).or_else(inherited);
    let cwd = std::path::absolute(&spec.cwd).unwrap_or_else(|_| spec.cwd.clone());
    find_program(OsStr::new(name), path.as_deref(), &cwd).ok_or_else(|| {
        if name.contains('/') {
            format!("agent program {} not found, or not executable", quoted(Path::new(name)))
        } else {
            format!("agent program {} not found in PATH", quoted(Path::new(name)))
        }
    })
}
