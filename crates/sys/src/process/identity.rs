//! Who a process is: number, start time, boot. Two of three are not enough.

use std::io;
use std::sync::OnceLock;

use rustix::io::Errno;
use rustix::process::Pid;
use serde::{Deserialize, Serialize};

use super::scan;

/// A process, told apart from every other that had or will have its number.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProcessId {
    /// The process number.
    pub pid: u32,
    /// When it started, in clock ticks since the machine did; 0 where the system does not tell.
    pub start_time: u64,
    /// The boot of the machine it ran in.
    pub boot_id: String,
}

/// A signal piton sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// Asks to end.
    Terminate,
    /// Ends at once.
    Kill,
    /// Stands still.
    Stop,
    /// Goes on.
    Continue,
}

impl From<Signal> for rustix::process::Signal {
    fn from(signal: Signal) -> Self {
        match signal {
            Signal::Terminate => Self::TERM,
            Signal::Kill => Self::KILL,
            Signal::Stop => Self::STOP,
            Signal::Continue => Self::CONT,
        }
    }
}

/// This boot of the machine; a reboot changes it.
pub fn boot_id() -> String {
    static BOOT: OnceLock<String> = OnceLock::new();
    BOOT.get_or_init(|| {
        read_trimmed("/proc/sys/kernel/random/boot_id").unwrap_or_else(|| String::from("unknown"))
    })
    .clone()
}

/// The [`namespaces`](super::namespaces) that a Linux system starts with: its kernel numbers them so.
pub const ALL_OF_IT: &str = "pid:[4026531836] user:[4026531837]";

/// This machine, the same after a reboot: the machine id, or the host name where there is none.
///
/// Hashed, since the machine id is confidential: it must not travel with a journal.
pub fn host_id() -> String {
    static HOST: OnceLock<String> = OnceLock::new();
    HOST.get_or_init(|| {
        let known = read_trimmed("/etc/machine-id").filter(|id| !id.is_empty() && id != "uninitialized");
        let name = || rustix::system::uname().nodename().to_string_lossy().into_owned();
        let digest = blake3::derive_key("piton host id v1", known.unwrap_or_else(name).as_bytes());
        digest[..8].iter().map(|byte| format!("{byte:02x}")).collect()
    })
    .clone()
}

/// The process that has this number now; `None` where there is none. One that has ended but was not yet
/// collected still has an identity.
pub fn identity(pid: u32) -> Option<ProcessId> {
    let start_time = scan::entry(pid)?.start_time;
    Some(ProcessId { pid, start_time, boot_id: boot_id() })
}

/// This process.
pub fn current() -> ProcessId {
    let pid = std::process::id();
    // Where there is no list of processes, or another's, the number has to do.
    identity(pid).unwrap_or_else(|| ProcessId { pid, start_time: 0, boot_id: boot_id() })
}

/// Whether exactly this process runs. One that has ended but was not yet collected does not.
pub fn is_alive(process: &ProcessId) -> bool {
    process.boot_id == boot_id()
        && scan::entry(process.pid).is_some_and(|now| now.start_time == process.start_time && now.is_running)
}

/// Sends a signal to exactly this process; `false` means that it was gone.
pub fn signal(process: &ProcessId, signal: Signal) -> io::Result<bool> {
    let Some(pid) = i32::try_from(process.pid).ok().and_then(Pid::from_raw) else {
        return Ok(false);
    };
    match send(pid, process, signal) {
        Ok(sent) => Ok(sent),
        Err(Errno::SRCH) => Ok(false),
        Err(errno) => Err(errno.into()),
    }
}

#[cfg(target_os = "linux")]
fn send(pid: Pid, process: &ProcessId, signal: Signal) -> Result<bool, Errno> {
    use rustix::process::{PidfdFlags, pidfd_open, pidfd_send_signal};
    // Opened first, compared second: from here on the descriptor cannot come to mean another process.
    match pidfd_open(pid, PidfdFlags::empty()) {
        Ok(handle) if is_alive(process) => pidfd_send_signal(handle, signal.into()).map(|()| true),
        Ok(_) => Ok(false),
        Err(Errno::NOSYS | Errno::PERM) => send_by_number(pid, process, signal),
        Err(errno) => Err(errno),
    }
}

#[cfg(not(target_os = "linux"))]
fn send(pid: Pid, process: &ProcessId, signal: Signal) -> Result<bool, Errno> {
    send_by_number(pid, process, signal)
}

fn send_by_number(pid: Pid, process: &ProcessId, signal: Signal) -> Result<bool, Errno> {
    if !is_alive(process) {
        return Ok(false);
    }
    rustix::process::kill_process(pid, signal.into()).map(|()| true)
}

fn read_trimmed(path: &str) -> Option<String> {
    Some(std::fs::read_to_string(path).ok()?.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_is_alive_and_itself() {
        let me = current();
        assert!(is_alive(&me));
        assert_eq!(Some(me.clone()), identity(me.pid));
        assert_eq!(me.boot_id, boot_id());
    }

    #[test]
    fn another_boot_means_another_process() {
        let before_the_reboot = ProcessId { boot_id: String::from("earlier"), ..current() };
        assert!(!is_alive(&before_the_reboot));
        assert!(!signal(&before_the_reboot, Signal::Continue).unwrap());
    }

    #[test]
    fn a_recycled_number_is_neither_alive_nor_signalled() {
        let mut child = crate::process::tests::sleeper();
        let process = identity(child.id()).unwrap();
        let earlier = ProcessId { start_time: process.start_time - 1, ..process.clone() };
        assert!(!is_alive(&earlier));
        assert!(!signal(&earlier, Signal::Kill).unwrap());
        assert!(is_alive(&process), "the stranger was hit");
        assert!(signal(&process, Signal::Kill).unwrap());
        child.wait().unwrap();
        assert!(!signal(&process, Signal::Kill).unwrap());
    }

    #[test]
    fn one_that_ended_uncollected_is_dead() {
        let mut child = crate::process::tests::sleeper();
        let process = identity(child.id()).unwrap();
        assert!(signal(&process, Signal::Kill).unwrap());
        crate::process::tests::eventually("it is dead", || !is_alive(&process));
        assert!(identity(process.pid).is_some(), "still uncollected");
        child.wait().unwrap();
        assert_eq!(identity(process.pid), None);
    }

    #[test]
    fn host_id_is_stable_and_hides_the_machine_id() {
        assert_eq!(host_id(), host_id());
        assert_eq!(host_id().len(), 16);
        let machine = std::fs::read_to_string("/etc/machine-id").unwrap_or_default();
        assert!(machine.trim().is_empty() || !machine.contains(&host_id()));
    }
}
