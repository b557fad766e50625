//! Short helper programs: run, feed, read, or kill at the deadline.
//!
//! No shell, and no terminal to ask questions on. Input and both outputs are moved at the same time, so
//! neither side waits for the other.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::Pid;

use super::Ended;
use super::identity::{Signal, signal};
use super::scan::{Entry, Table};
use crate::ready::{self, Source};

/// How long the pipes of an ended program may stay open: a process it left behind may hold them.
const DRAIN: Duration = Duration::from_millis(500);
/// How often to look for the end of a program where the kernel gives no handle to wait for.
const LOOK: Duration = Duration::from_millis(10);
/// How often it is asked whether a program is to be ended.
const ASKED_EVERY: Duration = Duration::from_millis(100);

/// A program to run to its end.
#[derive(Clone, Debug)]
pub struct Program {
    program: PathBuf,
    args: Vec<OsString>,
    env: Vec<(OsString, Option<OsString>)>,
    current_dir: Option<PathBuf>,
    stdin: Vec<u8>,
}

/// What a program may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunLimits {
    /// It is killed after this long, with everything it started.
    pub deadline: Duration,
    /// The most it may write to each of its outputs; more is an error.
    pub output_bytes_max: usize,
}

/// What a program left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramOutput {
    /// How it ended.
    pub status: Ended,
    /// What it wrote to its standard output.
    pub stdout: Vec<u8>,
    /// What it wrote to its standard error.
    pub stderr: Vec<u8>,
    /// It was killed at the deadline.
    pub timed_out: bool,
    /// It was killed since somebody wanted it ended.
    pub cancelled: bool,
}

impl ProgramOutput {
    /// Whether it came to its end by itself, with code 0.
    pub fn success(&self) -> bool {
        self.status.success() && !self.timed_out
    }
}

/// A program that could not be run.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is no such program.
    #[error("program `{}` not found", program.display())]
    NotFound {
        /// The name or path given.
        program: PathBuf,
    },
    /// It could not be started.
    #[error("failed to start `{}`", program.display())]
    Start {
        /// The name or path given.
        program: PathBuf,
        source: io::Error,
    },
    /// Talking to it failed.
    #[error("failed to talk to `{}`", program.display())]
    Talk {
        /// The name or path given.
        program: PathBuf,
        source: io::Error,
    },
    /// It wrote more than allowed and was killed.
    #[error("`{}` wrote more than {bytes_max} bytes", program.display())]
    OutputTooLarge {
        /// The name or path given.
        program: PathBuf,
        /// What was allowed.
        bytes_max: usize,
    },
}

impl Program {
    /// A program by its path, or by its name in `PATH`.
    pub fn new(program: impl Into<PathBuf>) -> Self {
        Self {
            program: program.into(),
            args: Vec::new(),
            env: Vec::new(),
            current_dir: None,
            stdin: Vec::new(),
        }
    }

    /// Adds an argument.
    pub fn arg(mut self, arg: impl Into<OsString>) -> Self {
        self.args.push(arg.into());
        self
    }

    /// Adds arguments.
    pub fn args<A: Into<OsString>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// Sets a variable of its environment.
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.env.push((name.into(), Some(value.into())));
        self
    }

    /// Takes a variable out of its environment.
    pub fn env_remove(mut self, name: impl Into<OsString>) -> Self {
        self.env.push((name.into(), None));
        self
    }

    /// The directory it starts in.
    pub fn current_dir(mut self, directory: impl Into<PathBuf>) -> Self {
        self.current_dir = Some(directory.into());
        self
    }

    /// What it reads; nothing by default.
    pub fn stdin_bytes(mut self, bytes: Vec<u8>) -> Self {
        self.stdin = bytes;
        self
    }

    /// Runs it to its end, or kills it and all it started at the deadline.
    pub fn run(self, limits: RunLimits) -> Result<ProgramOutput, Error> {
        self.run_watched(limits, None)
    }

    /// The same; also killed once `is_cancelled`, which is asked several times a second.
    pub fn run_unless(
        self,
        limits: RunLimits,
        is_cancelled: &dyn Fn() -> bool,
    ) -> Result<ProgramOutput, Error> {
        self.run_watched(limits, Some(is_cancelled))
    }

    fn run_watched(
        self,
        limits: RunLimits,
        is_cancelled: Option<&dyn Fn() -> bool>,
    ) -> Result<ProgramOutput, Error> {
        let talk = |source| Error::Talk { program: self.program.clone(), source };
        let mut child = self.spawn()?;
        let mut talk_state = Talk::new(&mut child, &self.stdin, limits).map_err(talk)?;
        talk_state.is_cancelled = is_cancelled;
        let verdict = talk_state.run(&mut child);
        if !matches!(verdict, Ok(Verdict::Ended)) {
            kill_group(child.id());
        }
        let status = child.wait().map_err(talk)?;
        let (timed_out, cancelled) = match verdict.map_err(talk)? {
            Verdict::Ended => (false, false),
            Verdict::TimedOut => (true, false),
            Verdict::Cancelled => (false, true),
            Verdict::OutputTooLarge => {
                let bytes_max = limits.output_bytes_max;
                return Err(Error::OutputTooLarge { program: self.program.clone(), bytes_max });
            }
        };
        let [stdout, stderr] = talk_state.outputs.map(|output| output.bytes);
        Ok(ProgramOutput { status: status.into(), stdout, stderr, timed_out, cancelled })
    }

    /// Runs it to its end on this very terminal: for a program that a person works with, such as an editor.
    pub fn run_here(self) -> Result<Ended, Error> {
        let mut child = self.start(self.command())?;
        let status = child.wait().map_err(|source| Error::Talk { program: self.program.clone(), source })?;
        Ok(status.into())
    }

    fn spawn(&self) -> Result<std::process::Child, Error> {
        let mut command = self.command();
        command.stdin(if self.stdin.is_empty() { Stdio::null() } else { Stdio::piped() });
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
        self.start(command)
    }

    fn command(&self) -> Command {
        #[expect(clippy::disallowed_methods, reason = "this is the port that runs helper programs")]
        let mut command = Command::new(&self.program);
        command.args(&self.args);
        for (name, value) in &self.env {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        if let Some(directory) = &self.current_dir {
            command.current_dir(directory);
        }
        command
    }

    fn start(&self, mut command: Command) -> Result<std::process::Child, Error> {
        command.spawn().map_err(|source| {
            let program = self.program.clone();
            // A missing directory says `not found` as well.
            let directory_is_there = self.current_dir.as_ref().is_none_or(|directory| directory.is_dir());
            match source.kind() {
                io::ErrorKind::NotFound if directory_is_there => Error::NotFound { program },
                _ => Error::Start { program, source },
            }
        })
    }
}

/// Where the program `name` is: `PATH` is searched for a bare name; a path with a slash counts from
/// `directory`. `None` where no executable file is found.
pub fn find_program(name: &OsStr, path: Option<&OsStr>, directory: &Path) -> Option<PathBuf> {
    let is_program = |candidate: &PathBuf| {
        candidate.is_file() && rustix::fs::access(candidate, rustix::fs::Access::EXEC_OK).is_ok()
    };
    if name.is_empty() {
        return None;
    }
    if name.as_encoded_bytes().contains(&b'/') {
        return Some(directory.join(name)).filter(is_program);
    }
    // Entries that are not absolute would mean another place in another directory.
    std::env::split_paths(path?)
        .filter(|entry| entry.is_absolute())
        .map(|entry| entry.join(name))
        .find(is_program)
}

enum Verdict {
    Ended,
    TimedOut,
    Cancelled,
    OutputTooLarge,
}

/// One output of the program.
struct Reading {
    pipe: Option<File>,
    bytes: Vec<u8>,
}

/// The conversation: what is still to be written, and what was read.
struct Talk<'a> {
    stdin: Option<File>,
    unwritten: &'a [u8],
    outputs: [Reading; 2],
    limits: RunLimits,
    /// Becomes readable when the program ends, where the kernel has such a thing.
    end: Option<OwnedFd>,
    /// Whether somebody wants it ended.
    is_cancelled: Option<&'a dyn Fn() -> bool>,
}

impl<'a> Talk<'a> {
    fn new(child: &mut std::process::Child, input: &'a [u8], limits: RunLimits) -> io::Result<Self> {
        let stdin = child.stdin.take().map(|pipe| File::from(OwnedFd::from(pipe)));
        let stdout = child.stdout.take().map(|pipe| File::from(OwnedFd::from(pipe)));
        let stderr = child.stderr.take().map(|pipe| File::from(OwnedFd::from(pipe)));
        for pipe in [&stdin, &stdout, &stderr].into_iter().flatten() {
            ready::set_nonblocking(pipe)?;
        }
        let outputs = [stdout, stderr].map(|pipe| Reading { pipe, bytes: Vec::new() });
        Ok(Self { stdin, unwritten: input, outputs, limits, end: end_of(child.id()), is_cancelled: None })
    }

    fn run(&mut self, child: &mut std::process::Child) -> io::Result<Verdict> {
        let started = Instant::now();
        let mut ended: Option<Instant> = None;
        loop {
            if ended.is_none() && has_ended(child)? {
                ended = Some(Instant::now());
                // What it left behind in its group has no business going on.
                signal_group(child.id());
            }
            let is_drained = self.outputs.iter().all(|output| output.pipe.is_none());
            let left = match ended {
                Some(_) if is_drained => return Ok(Verdict::Ended),
                Some(at) if at.elapsed() >= DRAIN => return Ok(Verdict::Ended),
                Some(at) => DRAIN.saturating_sub(at.elapsed()),
                None if started.elapsed() >= self.limits.deadline => return Ok(Verdict::TimedOut),
                None if self.is_cancelled.is_some_and(|asked| asked()) => return Ok(Verdict::Cancelled),
                None => self.limits.deadline.saturating_sub(started.elapsed()),
            };
            let left = if self.is_cancelled.is_some() { left.min(ASKED_EVERY) } else { left };
            self.wait(left, ended.is_some())?;
            self.write()?;
            if !self.read()? {
                return Ok(Verdict::OutputTooLarge);
            }
        }
    }

    fn wait(&self, timeout: Duration, has_ended: bool) -> io::Result<()> {
        let mut sources: Vec<Source<'_>> = Vec::with_capacity(4);
        sources.extend(self.stdin.as_ref().map(Source::write));
        sources.extend(self.outputs.iter().filter_map(|output| output.pipe.as_ref()).map(Source::read));
        let mut timeout = timeout;
        if !has_ended {
            match &self.end {
                Some(end) => sources.push(Source::read(end)),
                None => timeout = timeout.min(LOOK),
            }
        }
        ready::wait(&mut sources, Some(timeout))
    }

    fn write(&mut self) -> io::Result<()> {
        while let Some(stdin) = &mut self.stdin {
            if self.unwritten.is_empty() {
                self.stdin = None;
                break;
            }
            match stdin.write(self.unwritten) {
                Ok(count) => self.unwritten = &self.unwritten[count..],
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // It does not want to read all of it; that is its right.
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => self.stdin = None,
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Reads what is there; `false` where it is too much.
    fn read(&mut self) -> io::Result<bool> {
        let mut buffer = [0; 16 * 1024];
        for output in &mut self.outputs {
            while let Some(pipe) = &mut output.pipe {
                match pipe.read(&mut buffer) {
                    Ok(0) => output.pipe = None,
                    Ok(count) if output.bytes.len() + count > self.limits.output_bytes_max => {
                        return Ok(false);
                    }
                    Ok(count) => output.bytes.extend_from_slice(&buffer[..count]),
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(error) => return Err(error),
                }
            }
        }
        Ok(true)
    }
}

#[cfg(target_os = "linux")]
fn end_of(pid: u32) -> Option<OwnedFd> {
    use rustix::process::{PidfdFlags, pidfd_open};
    pidfd_open(number(pid)?, PidfdFlags::empty()).ok()
}

#[cfg(not(target_os = "linux"))]
fn end_of(_pid: u32) -> Option<OwnedFd> {
    None
}

/// Whether the child has ended. It stays uncollected, so its number stays its own.
fn has_ended(child: &std::process::Child) -> io::Result<bool> {
    use rustix::process::{WaitId, WaitIdOptions, waitid};
    let Some(pid) = number(child.id()) else { return Ok(true) };
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    Ok(waitid(WaitId::Pid(pid), options)?.is_some())
}

/// Kills a child, its process group, and what left the group but still descends from it.
fn kill_group(pid: u32) {
    let table = Table::read();
    let descends = |entry: &&Entry| table.ancestors(entry).any(|ancestor| ancestor.pid == pid);
    let strays: Vec<_> = table.running().filter(descends).map(Entry::id).collect();
    signal_group(pid);
    for stray in &strays {
        // One that is gone needs no killing.
        let _ = signal(stray, Signal::Kill);
    }
}

fn signal_group(pid: u32) {
    if let Some(group) = number(pid) {
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
}

fn number(pid: u32) -> Option<Pid> {
    Pid::from_raw(i32::try_from(pid).ok()?)
}
