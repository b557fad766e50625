//! Starting processes in sessions of their own.
//!
//! Three ways: [`Tree::spawn`](super::Tree::spawn) keeps the child, [`spawn_detached`] gives it away, so that it
//! outlives this process and never becomes a zombie of it. Both close every descriptor but the three standard
//! ones, reset signals, and give the child no terminal. [`spawn_leaving`] starts a program that does all of that
//! itself, by [`take_leave`]: this process then need not be copied for a moment, which grows with its memory.

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rustix::pipe::{PipeFlags, pipe_with};

use super::identity::{ProcessId, identity};

/// What a child reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stdin {
    /// Nothing.
    #[default]
    Null,
    /// What the parent writes.
    Pipe,
}

/// Where the output of a child goes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Output {
    /// Nowhere.
    #[default]
    Null,
    /// To the parent.
    Pipe,
    /// To the end of this file, created privately where needed.
    Append(PathBuf),
}

impl Output {
    fn stdio(&self) -> io::Result<Stdio> {
        match self {
            Self::Null => Ok(Stdio::null()),
            Self::Pipe => Ok(Stdio::piped()),
            Self::Append(path) => {
                let no_follow = rustix::fs::OFlags::NOFOLLOW.bits() as i32;
                let mut options = OpenOptions::new();
                options.append(true).create(true).mode(0o600).custom_flags(no_follow);
                Ok(Stdio::from(options.open(path)?))
            }
        }
    }
}

/// How to start a child: no shell, an argument list, and an environment changed from this process's own.
#[derive(Clone, Debug, Default)]
pub struct Start {
    /// The program, resolved by the caller.
    pub program: PathBuf,
    /// Its arguments, without its name.
    pub args: Vec<OsString>,
    /// What it calls itself, where that is not the program.
    pub arg0: Option<OsString>,
    /// Variables set for it.
    pub env: Vec<(OsString, OsString)>,
    /// Variables it must not have; applied before `env`.
    pub env_remove: Vec<OsString>,
    /// Where it starts; this process's directory by default.
    pub current_dir: Option<PathBuf>,
    /// What it reads.
    pub stdin: Stdin,
    /// Where its output goes.
    pub stdout: Output,
    /// Where its messages go.
    pub stderr: Output,
}

/// A child of this process. Dropping it neither kills nor collects it.
#[derive(Debug)]
pub struct Child {
    /// Who it is.
    pub process: ProcessId,
    /// Its standard input, with [`Stdin::Pipe`].
    pub stdin: Option<File>,
    /// Its standard output, with [`Output::Pipe`].
    pub stdout: Option<File>,
    /// Its standard error, with [`Output::Pipe`].
    pub stderr: Option<File>,
}

/// Options of [`spawn_detached`].
#[derive(Clone, Debug, Default)]
pub struct Detach {
    /// What the process reads; nothing by default.
    pub stdin: Option<Vec<u8>>,
    /// Where its output goes.
    pub stdout: Output,
    /// Where its messages go.
    pub stderr: Output,
    /// Where it starts; this process's directory by default.
    pub current_dir: Option<PathBuf>,
    /// Variables set for it.
    pub env: Vec<(OsString, OsString)>,
    /// Variables it must not have; applied before `env`.
    pub env_remove: Vec<OsString>,
}

/// A process that was given away.
#[derive(Debug)]
pub struct Detached {
    /// Who it is; `None` where it ended before it could be looked at.
    pub process: Option<ProcessId>,
    /// Its standard output, with [`Output::Pipe`].
    pub stdout: Option<File>,
}

/// Starts a process that is not our child: it leads a session of its own, and nobody waits for it here.
///
/// Returns when the program runs and has been given its input.
pub fn spawn_detached(program: &Path, args: &[OsString], options: Detach) -> io::Result<Detached> {
    let start = Start {
        program: program.to_owned(),
        args: args.to_vec(),
        env: options.env,
        env_remove: options.env_remove,
        current_dir: options.current_dir,
        stdin: if options.stdin.is_some() { Stdin::Pipe } else { Stdin::Null },
        stdout: options.stdout,
        stderr: options.stderr,
        ..Start::default()
    };
    let mut command = start.command()?;
    let (numbers, number) = pipe_with(PipeFlags::CLOEXEC)?;
    let mut numbers = File::from(numbers);
    fork_again(&mut command, number);
    let mut between = command.spawn()?;
    // Waiting would close it.
    let stdin = between.stdin.take();
    // The process in between has ended or is about to.
    between.wait()?;
    drop(command);
    if let (Some(mut stdin), Some(bytes)) = (stdin, options.stdin) {
        stdin.write_all(&bytes)?;
    }
    let mut number = [0; 4];
    numbers.read_exact(&mut number)?;
    let process = identity(u32::from_ne_bytes(number));
    Ok(Detached { process, stdout: between.stdout.take().map(|pipe| File::from(OwnedFd::from(pipe))) })
}

/// A program that takes leave and waits for its input; see [`spawn_leaving`]. Dropping it ends the input.
#[derive(Debug)]
pub struct Leaving {
    child: std::process::Child,
    stdin: Option<File>,
    pub stdout: File,
}

impl Leaving {
    /// Gives the program its input, to the end.
    pub fn give(&mut self, input: &[u8]) -> io::Result<()> {
        self.stdin.take().map_or(Ok(()), |mut stdin| stdin.write_all(input))
    }

    /// It has taken leave: what is left of the child that it was is collected.
    pub fn has_left(mut self) {
        // Nothing depends on it but the tidiness of the process table.
        let _ = self.child.wait();
    }
}

impl Drop for Leaving {
    fn drop(&mut self) {
        // It has long left, unless it was started this very moment.
        let _ = self.child.try_wait();
    }
}

/// Starts a program that begins with [`take_leave`], and so is nobody's child and outlives this process.
///
/// Returns when the program runs; it is then [given](Leaving::give) its input, at once or later.
pub fn spawn_leaving(program: &Path, args: &[OsString]) -> io::Result<Leaving> {
    let start = Start {
        program: program.to_owned(),
        args: args.to_vec(),
        stdin: Stdin::Pipe,
        stdout: Output::Pipe,
        ..Start::default()
    };
    let mut child = start.command()?.spawn()?;
    let stdin = child.stdin.take().map(|pipe| File::from(OwnedFd::from(pipe)));
    let stdout = child.stdout.take().map(|pipe| File::from(OwnedFd::from(pipe)));
    Ok(Leaving { child, stdin, stdout: stdout.expect("the output is a pipe") })
}

/// What a program does first that is started by [`spawn_leaving`], before it opens anything or starts a thread: it goes
/// on as a process that is nobody's child, in a session of its own, with no descriptor but the three standard ones,
/// whoever opened it and forgot to say so.
pub fn take_leave() -> io::Result<()> {
    #[expect(unsafe_code, reason = "no safe wrapper of fork is at hand")]
    // SAFETY: the caller promises to be the only thread, so the child finds every lock free; `_exit` runs no handlers.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        0 => {
            rustix::process::setsid()?;
            #[cfg(target_os = "linux")]
            close_range(0);
            Ok(())
        }
        _ => exit_at_once(),
    }
}

impl Start {
    /// Starts a child in a session of its own, inside of a control group.
    ///
    /// `false` beside the child means that the group did not take it.
    pub(super) fn spawn(self, group: Option<Group>) -> io::Result<(Child, bool)> {
        let mut command = self.command()?;
        let wants_group = group.is_some();
        let (refusals, refusal) = pipe_with(PipeFlags::CLOEXEC)?;
        let (numbers, number) = pipe_with(PipeFlags::CLOEXEC)?;
        lead_session(&mut command, group, refusal, number);
        let spawned = command.spawn();
        drop(command);
        let mut number = [0; 4];
        let born_inside =
            File::from(numbers).read_exact(&mut number).ok().map(|()| u32::from_ne_bytes(number));
        let mut child = spawned.inspect_err(|_| born_inside.into_iter().for_each(collect))?;
        if born_inside.is_some() {
            // The process in between has ended or is about to. Waiting would close what the other reads.
            let stdin = child.stdin.take();
            child.wait()?;
            child.stdin = stdin;
        }
        let in_group = wants_group && File::from(refusals).read(&mut [0])? == 0;
        let process = identity(born_inside.unwrap_or(child.id()))
            .ok_or_else(|| io::Error::other("the child is not in the process table"))?;
        let child = Child {
            process,
            stdin: child.stdin.take().map(|pipe| File::from(OwnedFd::from(pipe))),
            stdout: child.stdout.take().map(|pipe| File::from(OwnedFd::from(pipe))),
            stderr: child.stderr.take().map(|pipe| File::from(OwnedFd::from(pipe))),
        };
        Ok((child, in_group))
    }

    fn command(&self) -> io::Result<Command> {
        #[expect(clippy::disallowed_methods, reason = "this is the port that starts processes")]
        let mut command = Command::new(&self.program);
        command.args(&self.args);
        if let Some(arg0) = &self.arg0 {
            command.arg0(arg0);
        }
        for name in &self.env_remove {
            command.env_remove(name);
        }
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        if let Some(directory) = &self.current_dir {
            command.current_dir(directory);
        }
        command.stdin(match self.stdin {
            Stdin::Null => Stdio::null(),
            Stdin::Pipe => Stdio::piped(),
        });
        command.stdout(self.stdout.stdio()?).stderr(self.stderr.stdio()?);
        Ok(command)
    }
}

/// Where a child becomes a member of a control group.
#[derive(Debug)]
pub(super) struct Group {
    pub(super) directory: File,
    pub(super) members: File,
}

/// Before the program runs: into the control group, and a new session; a byte in `refusal` if the group does not take it.
///
/// Where the kernel can, this process is not moved: one that is born inside goes on in its place, and its number is told. Moving
/// waits until every processor has heard of it, which takes longer than all else that starting a program does.
fn lead_session(command: &mut Command, group: Option<Group>, refusal: OwnedFd, number: OwnedFd) {
    let prepare = move || {
        close_others_on_exec();
        match group.as_ref().map(|group| (group, born_into(&group.directory))) {
            Some((_, Ok(Some(pid)))) => {
                let _ = rustix::io::write(&number, &pid.to_ne_bytes());
                exit_at_once();
            }
            Some((group, Err(_))) if rustix::io::write(&group.members, b"0").is_err() => {
                rustix::io::write(&refusal, b"n")?;
            }
            None | Some((_, Ok(None) | Err(_))) => {}
        }
        rustix::process::setsid()?;
        Ok(())
    };
    #[expect(unsafe_code, reason = "the closure makes system calls and nothing else: no allocation, no lock")]
    // SAFETY: between fork and exec only async-signal-safe calls are allowed, and these are.
    unsafe {
        command.pre_exec(prepare);
    }
}

/// Makes a copy of this process that is born in a control group and has the same parent: `None` in the copy, its number here.
#[cfg(target_os = "linux")]
fn born_into(group: &File) -> io::Result<Option<u32>> {
    use std::os::fd::AsRawFd;
    const INTO_GROUP: u64 = 0x2_0000_0000;
    const SAME_PARENT: u64 = libc::CLONE_PARENT as u64;
    // The flags, nine arguments that this has no use for, and the group.
    let mut arguments = [0_u64; 11];
    arguments[0] = INTO_GROUP | SAME_PARENT;
    arguments[10] = u64::from(group.as_raw_fd().unsigned_abs());
    #[expect(unsafe_code, reason = "a bare system call; no wrapper of it is at hand")]
    // SAFETY: the arguments outlive the call, which reads them and copies this process as `fork` does.
    let pid = unsafe { libc::syscall(libc::SYS_clone3, arguments.as_ptr(), size_of_val(&arguments)) };
    match u32::try_from(pid) {
        Ok(0) => Ok(None),
        Ok(pid) => Ok(Some(pid)),
        Err(_) => Err(io::Error::last_os_error()),
    }
}

#[cfg(not(target_os = "linux"))]
fn born_into(_group: &File) -> io::Result<Option<u32>> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Collects a child that has ended.
fn collect(pid: u32) {
    use rustix::process::{Pid, WaitOptions, waitpid};
    // Nothing depends on it but the tidiness of the process table.
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
    let _ = pid.map(|pid| waitpid(Some(pid), WaitOptions::empty()));
}

/// Ends this process, which is a copy of another that goes on.
fn exit_at_once() -> ! {
    #[expect(unsafe_code, reason = "no safe wrapper of it is at hand")]
    // SAFETY: it runs no handlers, and touches no memory.
    unsafe {
        libc::_exit(0)
    }
}

/// Before the program runs: fork once more and let the process in between end, so that ours has no child.
fn fork_again(command: &mut Command, number: OwnedFd) {
    let prepare = move || {
        #[expect(
            unsafe_code,
            reason = "the child of a fork has one thread; it forks, writes four bytes and ends"
        )]
        // SAFETY: nothing between the two forks allocates or locks, and `_exit` runs no handlers.
        match unsafe { libc::fork() } {
            -1 => Err(io::Error::last_os_error()),
            0 => {
                close_others_on_exec();
                rustix::process::setsid()?;
                Ok(())
            }
            pid => {
                let _ = rustix::io::write(&number, &pid.unsigned_abs().to_ne_bytes());
                exit_at_once()
            }
        }
    };
    #[expect(unsafe_code, reason = "the closure makes system calls and nothing else: no allocation, no lock")]
    // SAFETY: between fork and exec only async-signal-safe calls are allowed, and these are.
    unsafe {
        command.pre_exec(prepare);
    }
}

/// Between fork and exec: no descriptor but the three standard ones gets any further, whoever opened it and
/// forgot to say so. Where the kernel cannot, those opened with care still do not.
#[cfg(target_os = "linux")]
fn close_others_on_exec() {
    close_range(libc::CLOSE_RANGE_CLOEXEC);
}

/// Closes every descriptor but the three standard ones, or marks them.
#[cfg(target_os = "linux")]
fn close_range(flags: libc::c_uint) {
    #[expect(unsafe_code, reason = "a bare system call; no safe wrapper of it is at hand")]
    // SAFETY: touches no memory. Marks descriptors of a process that is about to exec, or closes those of one that
    // has just begun and opened none.
    unsafe {
        libc::syscall(libc::SYS_close_range, 3, libc::c_uint::MAX, flags);
    }
}

#[cfg(not(target_os = "linux"))]
fn close_others_on_exec() {}
