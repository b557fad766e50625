//! Starting a keeper, from the outside.

use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::time::{Duration, Instant};

use piton_sys::file;
use piton_sys::process::{Leaving, spawn_leaving};
use piton_sys::ready::{self, Source};
use serde::{Deserialize, Serialize};

use crate::attempt::Error;
use crate::keeper::{COMMAND, SPARE};
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

/// A keeper that was started before it is known what for. It waits for its spec a little while, and no longer than
/// whoever started it lives; then it ends without a trace.
#[derive(Debug)]
pub struct Spare(Leaving);

impl Spare {
    /// A keeper for an attempt below `attempts`; `None` where none can be started, which is for [`launch`] to say.
    pub fn start(exe: &Path, attempts: &Path) -> Option<Self> {
        spawn_leaving(exe, &arguments(&std::path::absolute(attempts).ok()?, SPARE)).ok().map(Self)
    }
}

/// Hands `spec` to a keeper; returns when that has published the attempt's directory, or says why not.
///
/// `exe` is a program that calls [`keeper::main`](crate::keeper::main) when its first argument is [`COMMAND`]. A `spare`
/// one of these `attempts` spares starting it. Where it is gone, another one is started: whatever became of the first,
/// only one of them can publish the directory.
pub fn launch(exe: &Path, attempts: &Path, spec: &Spec, spare: Option<Spare>) -> Result<Launch, Error> {
    spec.check()?;
    file::create_private_dir(attempts)?;
    let input = serde_json::to_vec(spec).expect("a spec has string keys");
    if let Some(answer) = spare.and_then(|Spare(keeper)| hand_over(keeper, &input)) {
        return Ok(answer.into());
    }
    // The keeper and what it starts may have other ideas of where they are.
    let attempts = std::path::absolute(attempts)
        .map_err(|source| file::Error::new("find the absolute path of", attempts, source))?;
    let keeper = match spawn_leaving(exe, &arguments(&attempts, &spec.name)) {
        Ok(keeper) => keeper,
        Err(error) => {
            let error = format!("failed to start the keeper `{}`: {error}", exe.display());
            return Ok(Launch::SpawnFailed { error });
        }
    };
    hand_over(keeper, &input).map(Launch::from).ok_or_else(|| no_answer(spec))
}

fn arguments(attempts: &Path, name: &str) -> [OsString; 3] {
    [COMMAND.into(), attempts.into(), name.into()]
}

/// What the keeper says to the spec; `None` where it was there, and ended or fell silent without a word.
fn hand_over(mut keeper: Leaving, input: &[u8]) -> Option<Answer> {
    keeper.give(input).ok()?;
    let answer = read_answer(&mut keeper.stdout)?;
    keeper.has_left();
    Some(answer)
}

impl From<Answer> for Launch {
    fn from(answer: Answer) -> Self {
        match answer {
            Answer::Published => Launch::Started,
            Answer::AlreadyPublished => Launch::AlreadyPublished,
            Answer::Failed { error } => Launch::SpawnFailed { error },
        }
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
