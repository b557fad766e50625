//! The one place where git is started.
//!
//! Every call has the same hard settings: no hooks, no file system monitor, no external transport, no
//! housekeeping, no prompts, no lazy fetching, nothing inherited through `GIT_*`, messages in English, and
//! loose objects on disk before git ends. Pipes in its way do not hold it up: see [`crate::pipes`].

use std::borrow::Cow;
use std::cell::RefCell;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use piton_sys::process::{Program, ProgramOutput, RunLimits, find_program};

use crate::pipes::Pipes;
use crate::{Error, Stop};

/// Enough for a first snapshot of a very large tree on a slow disk.
const DEADLINE: Duration = Duration::from_secs(15 * 60);
/// More than the paths of a million files.
const LISTING_BYTES_MAX: usize = 512 * 1024 * 1024;
/// How much of what git complains about is kept.
const COMPLAINT_BYTES_MAX: usize = 2048;

const SETTINGS: [&str; 10] = [
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "protocol.ext.allow=never",
    "safe.bareRepository=explicit",
    "gc.auto=0",
    "maintenance.auto=false",
    "core.fsync=loose-object",
    "core.fsyncMethod=batch",
    "core.splitIndex=false",
    "index.sparse=false",
];

const ENVIRONMENT: [(&str, &str); 6] = [
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_NO_REPLACE_OBJECTS", "1"),
    ("LC_ALL", "C"),
];

static CALLS: AtomicU64 = AtomicU64::new(0);

/// How many git processes this process has started: what a snapshot costs beside its files.
pub fn calls_made() -> u64 {
    CALLS.load(Ordering::Relaxed)
}

/// One run of git.
pub(crate) struct Call {
    command: &'static str,
    settings: Vec<OsString>,
    args: Vec<OsString>,
    env: Vec<(Cow<'static, str>, OsString)>,
    directory: PathBuf,
    stdin: Vec<u8>,
    output_bytes_max: usize,
    stop: Option<Stop>,
}

impl Call {
    /// `git <command>` in `directory`.
    pub(crate) fn new(command: &'static str, directory: &Path) -> Self {
        Self {
            command,
            settings: Vec::new(),
            args: Vec::new(),
            env: Vec::new(),
            directory: directory.to_owned(),
            stdin: Vec::new(),
            output_bytes_max: LISTING_BYTES_MAX,
            stop: None,
        }
    }

    /// A setting for this call, as `name=value`.
    pub(crate) fn setting(mut self, setting: impl Into<OsString>) -> Self {
        self.settings.push(setting.into());
        self
    }

    pub(crate) fn arg(mut self, arg: impl Into<OsString>) -> Self {
        self.args.push(arg.into());
        self
    }

    pub(crate) fn args<A: Into<OsString>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    pub(crate) fn env(mut self, name: impl Into<Cow<'static, str>>, value: impl Into<OsString>) -> Self {
        self.env.push((name.into(), value.into()));
        self
    }

    pub(crate) fn stdin(mut self, bytes: Vec<u8>) -> Self {
        self.stdin = bytes;
        self
    }

    /// The most this call may answer.
    pub(crate) fn output_bytes_max(mut self, bytes: usize) -> Self {
        self.output_bytes_max = bytes;
        self
    }

    /// Ends git where somebody wants it ended.
    pub(crate) fn unless(mut self, stop: Option<Stop>) -> Self {
        self.stop = stop;
        self
    }

    /// Runs git; any exit code is an answer.
    pub(crate) fn run(self) -> Result<ProgramOutput, Error> {
        let command = self.command;
        let git_dir = self.env.iter().find(|(name, _)| name == "GIT_DIR").map(|(_, value)| Path::new(value));
        let pipes = RefCell::new(Pipes::of_call(&self.directory, git_dir));
        let is_over = || {
            pipes.borrow_mut().release();
            self.stop.as_ref().is_some_and(Stop::is_due)
        };
        let mut program = Program::new(program()?).current_dir(&self.directory).stdin_bytes(self.stdin);
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.as_encoded_bytes().starts_with(b"GIT_"))
        {
            program = program.env_remove(name);
        }
        for (name, value) in ENVIRONMENT {
            program = program.env(name, value);
        }
        for (name, value) in &self.env {
            program = program.env(name.as_ref(), value);
        }
        for setting in SETTINGS.into_iter().map(OsString::from).chain(self.settings) {
            program = program.arg("-c").arg(setting);
        }
        CALLS.fetch_add(1, Ordering::Relaxed);
        let limits = RunLimits { deadline: DEADLINE, output_bytes_max: self.output_bytes_max };
        let output = program
            .arg(command)
            .args(self.args)
            .run_unless(limits, &is_over)
            .map_err(|source| Error::Run { command, source })?;
        if output.cancelled {
            return Err(Error::Stopped);
        }
        if output.timed_out {
            return Err(Error::TimedOut { command, seconds: DEADLINE.as_secs() });
        }
        Ok(output)
    }

    /// Runs git; any exit code but 0 is an error.
    pub(crate) fn output(self) -> Result<ProgramOutput, Error> {
        let command = self.command;
        let output = self.run()?;
        if output.success() { Ok(output) } else { Err(failed(command, &output)) }
    }

    /// What git answered, where it succeeded.
    pub(crate) fn bytes(self) -> Result<Vec<u8>, Error> {
        self.output().map(|output| output.stdout)
    }

    /// The id that git answered, where it succeeded.
    pub(crate) fn id<I: TryFrom<String>>(self) -> Result<I, Error> {
        let command = self.command;
        let bytes = self.bytes()?;
        let text = String::from_utf8_lossy(&bytes).trim_end().to_owned();
        I::try_from(text).map_err(|_| not_understood(command, &bytes))
    }
}

/// The error of a call that ended badly.
pub(crate) fn failed(command: &'static str, output: &ProgramOutput) -> Error {
    let stderr = shortened(&output.stderr);
    Error::Git { command, status: output.status, stderr }
}

/// The error of an answer that does not parse.
pub(crate) fn not_understood(command: &'static str, answer: &[u8]) -> Error {
    Error::Answer { command, answer: shortened(answer) }
}

fn shortened(bytes: &[u8]) -> String {
    String::from_utf8_lossy(&bytes[..bytes.len().min(COMPLAINT_BYTES_MAX)]).trim_end().to_owned()
}

/// Where git is: resolved once, so that a `PATH` entry inside a work tree is never looked at twice.
fn program() -> Result<&'static Path, Error> {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    if let Some(program) = PROGRAM.get() {
        return Ok(program);
    }
    let path = std::env::var_os("PATH");
    let found = find_program(OsStr::new("git"), path.as_deref(), Path::new("/")).ok_or(Error::GitMissing)?;
    Ok(PROGRAM.get_or_init(|| found))
}
