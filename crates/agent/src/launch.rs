//! Starting a keeper, from the outside.

use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::time::{Duration, Instant};

use piton_sys::file;
use piton_sys::process::spawn_leaving;
use piton_sys::ready::{self, Source};
use serde::{Deserialize, Serialize};

use crate::attempt::Error;
use crate::keeper::COMMAND;
use crate::spec::Spec;

/// How long a keeper may take to publish; it syncs a handful of small files.
const ANSWER_WITHIN: Duration = Duration::from_secs(60);
const ANSWER_BYTES_MAX: usize = 64 * 1024;

/// What came of starting a keeper.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Launch {
    /// The directory is published and its lock is held. Whether the program itself started is written there.
    Started,
    /// The name was taken: another keeper or a tombstone. Nothing was started.
    AlreadyPublished,
    /// The keeper could not be started, or could not publish. Nothing was started.
    SpawnFailed { error: String },
}

/// What a keeper says, in one line, before it closes its standard output.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Answer {
    Published,
    AlreadyPublished,
    Failed { error: String },
}

/// Starts a keeper for `spec`; returns when it has published the attempt's directory, or says why not.
///
/// `exe` is a program that calls [`keeper::main`](crate::keeper::main) when its first argument is
/// [`COMMAND`].
pub fn launch(exe: &Path, attempts: &Path, spec: &Spec) -> Result<Launch, Error> {
    spec.check()?;
    file::create_private_dir(attempts)?;
    // The keeper and what it starts may have other ideas of where they are.
    let attempts = std::path::absolute(attempts)
        .map_err(|source| file::Error::new("find the absolute path of", attempts, source))?;
    let input = serde_json::to_vec(spec).expect("a spec has string keys");
    let args = [OsString::from(COMMAND), attempts.into_os_string(), OsString::from(&spec.name)];
    let mut keeper = match spawn_leaving(exe, &args, &input) {
        Ok(keeper) => keeper,
        // It was there, and ended before it had read what to do.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => return Err(no_answer(spec)),
        Err(error) => {
            let error = format!("failed to start the keeper `{}`: {error}", exe.display());
            return Ok(Launch::SpawnFailed { error });
        }
    };
    let answer = read_answer(&mut keeper.stdout).ok_or_else(|| no_answer(spec))?;
    keeper.has_left();
    match answer {
        Answer::Published => Ok(Launch::Started),
        Answer::AlreadyPublished => Ok(Launch::AlreadyPublished),
        Answer::Failed { error } => Ok(Launch::SpawnFailed { error }),
    }
}

fn no_answer(spec: &Spec) -> Error {
    Error::NoAnswer { name: spec.name.clone() }
}

/// Reads until the keeper closes its side, or the time is up.
fn read_answer(stdout: &mut File) -> Option<Answer> {
    let deadline = Instant::now() + ANSWER_WITHIN;
    ready::set_nonblocking(&*stdout).ok()?;
    let mut answer = Vec::new();
    let mut buffer = [0; 1024];
    while Instant::now() < deadline && answer.len() < ANSWER_BYTES_MAX {
        let left = deadline.saturating_duration_since(Instant::now());
        ready::wait(&mut [Source::read(stdout)], Some(left)).ok()?;
        match stdout.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => answer.extend_from_slice(&buffer[..count]),
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {}
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => break,
        }
    }
    serde_json::from_slice(&answer).ok()
}
