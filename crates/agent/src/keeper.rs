//! The keeper: one small process that holds one agent, and outlives whoever started it.
//!
//! It runs in a session of its own, with one thread and no runtime. The order of its steps is the whole point:
//!
//! 1. [`publish`]: prepare `<name>.<random>/` with the lock held, then rename it to `<name>/`;
//! 2. [`start`]: start the program, then write `started.json`;
//! 3. [`hold`]: record its output, enforce its limits, kill its whole tree when it ends;
//! 4. write `exit.json`, and only then let go of the lock.
//!
//! Invariant: where a directory is published, its lock is held until `exit.json` is written or the keeper is
//! killed. Nothing is ever started for a directory that somebody else published.
//!
//! Whoever waits for the lock makes the exit durable in a record of its own. So what is synced before the lock is let
//! go is what the directory alone holds: the outputs, and with them the exit. Where there are none, nobody is kept
//! waiting for the disk, and the exit is synced behind the lock.

mod hold;
mod output;
mod publish;
mod start;

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use piton_sys::file::Durability;
use piton_sys::lock::FileLock;
use piton_sys::ready::Source;
use piton_sys::redact::Redactor;
use piton_sys::signals::{Caught, Signals};
use piton_sys::{Clock, SystemClock, fault, file, process, ready};

use crate::directory::{self, EXIT};
use crate::launch::Answer;
use crate::record::Exit;
use crate::report::REPORT_BYTES_MAX;
use crate::spec::Spec;

/// The hidden command of piton that becomes a keeper.
pub const COMMAND: &str = "__keeper";

/// Stands for the name of an attempt where it is not known yet. No attempt can be called that.
pub(crate) const SPARE: &str = "(spare)";

/// How long a keeper waits for its spec that was started before there was one. What follows later than that does not
/// care about the moment that starting another one takes.
const SPARE_PATIENCE: Duration = Duration::from_secs(5);

/// How long to wait for room on a full disk before trying again.
const FULL_DISK_RETRY: Duration = Duration::from_secs(1);

/// What the steps share: the published directory, with its lock held.
struct Attempt {
    spec: Spec,
    directory: PathBuf,
    redactor: Redactor,
    signals: Signals,
    /// Let go once the exit is written, and not before.
    lock: FileLock,
    /// Says whose attempt this is: see [`inside`](crate::inside).
    _journal: Option<std::fs::File>,
}

/// Runs the keeper: `… __keeper <attempts> <name>`, with the spec on the standard input. Where the name is [`SPARE`] the
/// spec may come later, or never.
///
/// Says in one line on the standard output whether it published; see [`launch`](crate::launch()).
pub fn main() -> ExitCode {
    if let Err(error) = process::take_leave() {
        say(&Answer::Failed { error: format!("failed to leave whoever started it: {error}") });
        return ExitCode::FAILURE;
    }
    match prepare() {
        Ok(Prepared::Published(attempt)) => {
            say(&Answer::Published);
            run(*attempt)
        }
        Ok(Prepared::AlreadyPublished) => {
            say(&Answer::AlreadyPublished);
            ExitCode::SUCCESS
        }
        Ok(Prepared::Unneeded) => ExitCode::SUCCESS,
        Err(error) => {
            say(&Answer::Failed { error });
            ExitCode::FAILURE
        }
    }
}

/// What came of all that must be in order before the directory is published.
enum Prepared {
    Published(Box<Attempt>),
    /// By somebody else.
    AlreadyPublished,
    /// There was nothing to do.
    Unneeded,
}

fn prepare() -> Result<Prepared, String> {
    // First of all: a request to end must never find the default handler once the directory is published.
    let caught = [Caught::Child, Caught::Hangup, Caught::Interrupt, Caught::Terminate];
    let signals = Signals::catch(&caught).map_err(|error| format!("failed to catch signals: {error}"))?;
    process::become_subreaper().map_err(|error| format!("failed to become a subreaper: {error}"))?;
    let (attempts, is_spare) = arguments()?;
    if is_spare && !comes_soon(&signals) {
        return Ok(Prepared::Unneeded);
    }
    let mut input = Vec::new();
    std::io::stdin()
        .lock()
        .read_to_end(&mut input)
        .map_err(|error| format!("failed to read the spec: {error}"))?;
    if is_spare && input.is_empty() {
        return Ok(Prepared::Unneeded);
    }
    let spec: Spec =
        serde_json::from_slice(&input).map_err(|error| format!("the spec is damaged: {error}"))?;
    spec.check().map_err(|problem| problem.to_string())?;
    let redactor = spec.redactor();
    let published = publish::publish(&attempts, &spec, &redactor).map_err(|error| chain(&error))?;
    Ok(match published {
        Some((directory, lock)) => {
            let _journal = spec.journal.as_ref().and_then(|journal| std::fs::File::open(journal).ok());
            Prepared::Published(Box::new(Attempt { spec, directory, redactor, signals, lock, _journal }))
        }
        None => Prepared::AlreadyPublished,
    })
}

/// Whether a spec comes, or the end of whoever would give it, before the time is up or somebody ends this process.
fn comes_soon(signals: &Signals) -> bool {
    let deadline = SystemClock.monotonic() + SPARE_PATIENCE;
    loop {
        let left = deadline.saturating_sub(SystemClock.monotonic());
        let stdin = std::io::stdin();
        let mut sources = [Source::read(&stdin), Source::read(signals)];
        if left.is_zero() || ready::wait(&mut sources, Some(left)).is_err() {
            return false;
        }
        let comes = sources[0].ready;
        if signals.take().contains(&Caught::Terminate) {
            return false;
        }
        if comes {
            return true;
        }
    }
}

/// Where the attempts are, the last argument but one, and whether this keeper is a spare one; the last is the name, for
/// whoever lists processes.
fn arguments() -> Result<(PathBuf, bool), String> {
    let args: Vec<_> = std::env::args_os().collect();
    match args.as_slice() {
        [.., attempts, name] if args.len() > 2 => Ok((PathBuf::from(attempts), name == SPARE)),
        _ => Err(format!("`{COMMAND}` is started by piton itself, not by hand")),
    }
}

fn say(answer: &Answer) {
    let mut line = serde_json::to_vec(answer).expect("an answer has string keys");
    line.push(b'\n');
    // Whoever asked may be gone; the answer is in the directory all the same.
    let _ = std::io::stdout().lock().write_all(&line);
    let _ = std::io::stdout().lock().flush();
    // Nobody waits for the end of our output now, and no terminal is held.
    let _ = process::close_standard_streams();
}

fn run(mut attempt: Attempt) -> ExitCode {
    let exit = match start::start(&mut attempt) {
        Ok(running) => hold::hold(&attempt, running),
        Err(exit) => exit,
    };
    redact_report(&attempt);
    // What somebody took away from is not finished: nothing is known of the attempt but that it was ended.
    if !directory::is_whole(&attempt.directory) {
        return ExitCode::FAILURE;
    }
    match write_exit(attempt, &exit) {
        Ok(()) => ExitCode::SUCCESS,
        // Without `exit.json` the attempt counts as lost, which is what it is.
        Err(_) => ExitCode::FAILURE,
    }
}

/// The agent wrote its report itself; what is secret in it must not stay on the disk either.
fn redact_report(attempt: &Attempt) {
    let path = directory::report_file(&attempt.directory);
    if let Ok(Some(bytes)) = file::read_regular(&path, REPORT_BYTES_MAX)
        && let std::borrow::Cow::Owned(clean) = attempt.redactor.redact_bytes(&bytes)
    {
        // A report that cannot be cleaned is not kept.
        if file::write_atomic(&path, &clean, Durability::Synced).is_err() {
            let _ = file::remove_file_if_exists(&path);
        }
    }
}

/// Writes `exit.json`, with the lock held as long as the disk is full, and lets go of the lock.
fn write_exit(attempt: Attempt, exit: &Exit) -> Result<(), file::Error> {
    fault::point("agent.keeper.exit");
    let path = attempt.directory.join(EXIT);
    let is_silent = exit.stdout_bytes == 0 && exit.stderr_bytes == 0;
    let durability = if is_silent { Durability::Unsynced } else { Durability::Synced };
    loop {
        match directory::write(&path, exit, durability) {
            Err(error) if error.is_no_space() => {
                let _ = ready::wait(&mut [], Some(FULL_DISK_RETRY));
            }
            Err(error) => return Err(error),
            Ok(()) => break,
        }
    }
    fault::point("agent.keeper.unlock");
    drop(attempt.lock);
    if is_silent {
        file::sync_path(&path)?;
        file::sync_dir(&attempt.directory)?;
    }
    fault::point("agent.keeper.done");
    Ok(())
}

/// An error with its causes, in one line.
fn chain(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

/// A path for a message.
fn quoted(path: &Path) -> String {
    format!("`{}`", path.display())
}
