//! The process table, as `/proc` shows it.
//!
//! A scan is a moment's look and proves nothing by itself: a process may be born behind its back. Callers look
//! again until two looks agree.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::identity::{ProcessId, boot_id};

/// One row of the process table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) pid: u32,
    pub(super) parent: u32,
    pub(super) session: u32,
    pub(super) start_time: u64,
    /// Not a zombie.
    pub(super) is_running: bool,
}

impl Entry {
    pub(super) fn id(&self) -> ProcessId {
        ProcessId { pid: self.pid, start_time: self.start_time, boot_id: boot_id() }
    }
}

/// Everything that has a number now.
pub(super) struct Table {
    entries: HashMap<u32, Entry>,
}

impl Table {
    pub(super) fn read() -> Self {
        let entries = numbered_from(0).into_iter().map(|entry| (entry.pid, entry)).collect();
        Self { entries }
    }

    pub(super) fn running(&self) -> impl Iterator<Item = &Entry> {
        self.entries.values().filter(|entry| entry.is_running)
    }

    /// The process itself, if it is in the table, zombie or not.
    pub(super) fn get(&self, pid: u32) -> Option<&Entry> {
        self.entries.get(&pid)
    }

    /// Its parent, the parent of that, and so on.
    ///
    /// A parent is older than its child; a younger one got the number of a parent that died in between.
    pub(super) fn ancestors<'a>(&'a self, entry: &'a Entry) -> impl Iterator<Item = &'a Entry> {
        let parent = |child: &Entry| {
            self.entries.get(&child.parent).filter(|parent| parent.start_time <= child.start_time)
        };
        // The table is a moment's look: should it hold a circle, its size bounds the walk.
        std::iter::successors(parent(entry), move |entry| parent(entry)).take(self.entries.len())
    }
}

/// The words a process was started with; empty where the system does not tell.
pub fn command_line(pid: u32) -> Vec<OsString> {
    use std::os::unix::ffi::OsStringExt;
    let bytes = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let words = bytes.strip_suffix(b"\0").unwrap_or(&bytes);
    if words.is_empty() {
        return Vec::new();
    }
    words.split(|byte| *byte == 0).map(|word| OsString::from_vec(word.to_vec())).collect()
}

/// The processes that hold a lock on the file at `path`, as far as the kernel tells.
pub fn lock_holders(path: &Path) -> Vec<u32> {
    use std::os::unix::fs::MetadataExt;
    let Ok(inode) = path.metadata().map(|found| found.ino()) else { return Vec::new() };
    let table = std::fs::read_to_string("/proc/locks").unwrap_or_default();
    // `1: POSIX ADVISORY WRITE 4711 fd:01:12345 0 EOF`; whoever waits has an arrow behind the number.
    let holder = |line: &str| {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let [_, _, _, _, pid, file, ..] = words[..] else { return None };
        let is_it = file.rsplit(':').next()?.parse() == Ok(inode);
        pid.parse().ok().filter(|_| is_it && words[1] != "->")
    };
    let mut holders: Vec<u32> = table.lines().filter_map(holder).collect();
    holders.sort_unstable();
    holders.dedup();
    holders
}

#[cfg(target_os = "linux")]
pub(super) use linux::{carries, entry, numbered_from, parse};

#[cfg(target_os = "linux")]
mod linux {
    use std::io::Read;

    use super::Entry;

    /// An environment mostly fits.
    const READ_BYTES: usize = 8 * 1024;
    /// A row always fits: a name of 64 bytes and some fifty numbers.
    const ROW_BYTES: usize = 2 * 1024;

    /// The row of one process.
    pub(in crate::process) fn entry(pid: u32) -> Option<Entry> {
        let mut file = std::fs::File::open(format!("/proc/{pid}/stat")).ok()?;
        // The kernel gives all of it at once. Bytes, not text: a process may call itself anything.
        let mut row = [0; ROW_BYTES];
        let length = loop {
            match file.read(&mut row) {
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                read => break read.ok()?,
            }
        };
        parse(pid, &row[..length])
    }

    /// Reads a file that does not tell its size, in as few pieces as possible: a table has hundreds of them.
    fn read(path: &str) -> std::io::Result<Vec<u8>> {
        let mut file = std::fs::File::open(path)?;
        let mut bytes = vec![0; READ_BYTES];
        let mut length = 0;
        loop {
            match file.read(&mut bytes[length..]) {
                Ok(0) => break,
                Ok(count) => length += count,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
            if length == bytes.len() {
                bytes.resize(2 * length, 0);
            }
        }
        bytes.truncate(length);
        Ok(bytes)
    }

    /// The rows of all processes whose number is at least this.
    pub(in crate::process) fn numbered_from(first: u32) -> Vec<Entry> {
        let Ok(directory) = std::fs::read_dir("/proc") else { return Vec::new() };
        let numbers = directory.filter_map(|item| item.ok()?.file_name().to_str()?.parse().ok());
        numbers.filter(|pid| *pid >= first).filter_map(entry).collect()
    }

    /// Whether the process was started with exactly this `NAME=value` in its environment.
    pub(in crate::process) fn carries(pid: u32, assignment: &[u8]) -> bool {
        // Unreadable means: another user's, gone, or a kernel thread. None of them is ours.
        read(&format!("/proc/{pid}/environ"))
            .is_ok_and(|bytes| bytes.split(|&byte| byte == 0).any(|item| item == assignment))
    }

    /// `pid (name) state ppid pgrp session … starttime …`; the name may hold spaces and parentheses.
    pub(in crate::process) fn parse(pid: u32, stat: &[u8]) -> Option<Entry> {
        let name_end = stat.iter().rposition(|&byte| byte == b')')?;
        let rest = std::str::from_utf8(&stat[name_end + 1..]).ok()?;
        let mut fields = rest.split_ascii_whitespace();
        let state = fields.next()?;
        let parent = fields.next()?.parse().ok()?;
        let session = fields.nth(1)?.parse().ok()?;
        // Field 22 of the line; the session was field 6.
        let start_time = fields.nth(15)?.parse().ok()?;
        Some(Entry { pid, parent, session, start_time, is_running: !matches!(state, "Z" | "X" | "x") })
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn a_name_with_spaces_and_parentheses_is_read_over() {
            let stat = b"42 (a) Z 7 (b) S 1 42 41 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 98765 1000 10";
            let entry = parse(42, stat).unwrap();
            assert_eq!((entry.parent, entry.session, entry.start_time), (1, 41, 98765));
            assert!(entry.is_running);
        }

        #[test]
        fn a_cut_line_is_no_process() {
            assert_eq!(parse(42, b"42 (sh) S 1 42 41"), None);
            assert_eq!(parse(42, b""), None);
        }
    }
}

#[cfg(not(target_os = "linux"))]
pub(super) use portable::{carries, entry, numbered_from};

/// Where there is no `/proc`: a process is there or not, and nothing more is known of it.
#[cfg(not(target_os = "linux"))]
mod portable {
    use super::Entry;

    pub(in crate::process) fn entry(pid: u32) -> Option<Entry> {
        let number = rustix::process::Pid::from_raw(i32::try_from(pid).ok()?)?;
        rustix::process::test_kill_process(number).ok()?;
        let session =
            rustix::process::getsid(Some(number)).map_or(0, |sid| sid.as_raw_nonzero().get() as u32);
        Some(Entry { pid, parent: 0, session, start_time: 0, is_running: true })
    }

    pub(in crate::process) fn numbered_from(_first: u32) -> Vec<Entry> {
        Vec::new()
    }

    pub(in crate::process) fn carries(_pid: u32, _assignment: &[u8]) -> bool {
        false
    }
}

/// The sockets of this machine that have a file, as far as the kernel tells.
pub fn bound_sockets() -> Vec<PathBuf> {
    let table = std::fs::read_to_string("/proc/net/unix").unwrap_or_default();
    // A few numbers; then the path, which may hold blanks, or `@` and a name without a file.
    let path = |line: &str| {
        let (numbers, path) = line.split_once(" /")?;
        (!numbers.contains('@')).then(|| PathBuf::from(format!("/{path}")))
    };
    let mut paths: Vec<_> = table.lines().skip(1).filter_map(path).filter(|path| path.exists()).collect();
    paths.sort();
    paths.dedup();
    paths
}
