//! Processes: who one is, starting one, and ending a whole tree of them.
//!
//! A process is named by [`ProcessId`], never by a bare number: numbers are used again. Signals go through a
//! pidfd after the start time was compared, so a stranger with a recycled number is never hit.

mod above;
mod awake;
mod cgroup;
mod enclose;
mod identity;
mod pages;
mod passage;
mod program;
mod scan;
mod spawn;
mod tree;

pub use above::{Above, FileId, OpenFile, above, file_id, namespaces, open_files};
pub use awake::{Awake, keep_awake};
pub use enclose::become_enclosed;
pub use identity::{ALL_OF_IT, ProcessId, Signal, boot_id, current, host_id, identity, is_alive, signal};
pub use pages::give_back_code;
pub use passage::{Inside, Passage};
pub use program::{Error, Program, ProgramOutput, RunLimits, find_program};
pub use scan::{bound_sockets, command_line, lock_holders};
pub use spawn::{
    Child, Detach, Detached, Leaving, Output, Start, Stdin, spawn_detached, spawn_leaving, take_leave,
};
pub use tree::{Emptied, KillError, MARK_VARIABLE, Tree, TreeKind};

use serde::{Deserialize, Serialize};

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ended {
    /// It exited with this code.
    Code(i32),
    /// This signal ended it.
    Signal(i32),
}

impl Ended {
    /// Whether it exited with code 0.
    pub fn success(self) -> bool {
        self == Self::Code(0)
    }
}

impl From<std::process::ExitStatus> for Ended {
    fn from(status: std::process::ExitStatus) -> Self {
        use std::os::unix::process::ExitStatusExt;
        match status.code() {
            Some(code) => Self::Code(code),
            None => Self::Signal(status.signal().unwrap_or(0)),
        }
    }
}

/// Makes this process the parent of orphans below it, where the system offers that.
pub fn become_subreaper() -> std::io::Result<bool> {
    #[cfg(target_os = "linux")]
    {
        rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
        Ok(true)
    }
    #[cfg(not(target_os = "linux"))]
    Ok(false)
}

/// Points the three standard descriptors of this process at nothing, so that it holds no pipe and no terminal.
pub fn close_standard_streams() -> std::io::Result<()> {
    let null = std::fs::OpenOptions::new().read(true).write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdin(&null)?;
    rustix::stdio::dup2_stdout(&null)?;
    rustix::stdio::dup2_stderr(&null)?;
    Ok(())
}

/// Collects every child that has ended, adopted ones included, without waiting.
pub fn collect_children() -> Vec<(u32, Ended)> {
    use rustix::process::{WaitOptions, wait};
    let mut ended = Vec::new();
    while let Ok(Some((pid, status))) = wait(WaitOptions::NOHANG) {
        let how = match (status.exit_status(), status.terminating_signal()) {
            (Some(code), _) => Ended::Code(code),
            (None, Some(signal)) => Ended::Signal(signal),
            (None, None) => continue,
        };
        ended.push((pid.as_raw_nonzero().get().unsigned_abs(), how));
    }
    ended
}

/// Whether this process has no child, running or not yet collected. Of a subreaper that means: no descendant.
#[cfg(target_os = "linux")]
fn has_no_children() -> bool {
    use rustix::process::{WaitId, WaitIdOptions, waitid};
    let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    is_subreaper() && waitid(WaitId::All, look).err() == Some(rustix::io::Errno::CHILD)
}

#[cfg(target_os = "linux")]
fn is_subreaper() -> bool {
    rustix::process::child_subreaper().is_ok_and(|is| is.is_some())
}

/// Orphans go elsewhere on this system.
#[cfg(not(target_os = "linux"))]
fn has_no_children() -> bool {
    false
}

#[cfg(test)]
mod tests {
    use std::process::{Child, Command, Stdio};
    use std::time::{Duration, Instant};

    /// A child that does nothing for a long time.
    pub(super) fn sleeper() -> Child {
        #[expect(
            clippy::disallowed_methods,
            reason = "a process to look at, started by other means than the port's"
        )]
        Command::new("sleep").arg("600").stdin(Stdio::null()).spawn().unwrap()
    }

    /// Looks until it is true; fails after a while.
    pub(super) fn eventually(what: &str, mut is_true: impl FnMut() -> bool) {
        let deadline = Instant::now() + Duration::from_secs(60);
        while !is_true() {
            assert!(Instant::now() < deadline, "not in time: {what}");
            std::thread::yield_now();
        }
    }
}
