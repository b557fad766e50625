//! Control groups (version 2): the one way to know all processes of a tree, however they hide.
//!
//! A process cannot leave its group by forking, by a new session or by cleaning its environment. The kernel
//! kills a group whole, and says when it is empty.

use std::io;
use std::path::{Path, PathBuf};

use super::spawn::Group;

/// A control group that holds one tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Cgroup {
    path: PathBuf,
}

impl Cgroup {
    /// The group at this place, there or not.
    pub(super) fn at(path: PathBuf) -> Self {
        Self { path }
    }

    /// Where a group of this name would be made: below the group of this process. `None` without version 2, or
    /// where `PITON_CGROUP=off` says not to.
    pub(super) fn planned(name: &str) -> Option<PathBuf> {
        if std::env::var_os("PITON_CGROUP").is_some_and(|value| value == "off") {
            return None;
        }
        Some(own_directory()?.join(name))
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn create(&self) -> io::Result<()> {
        match std::fs::create_dir(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            result => result,
        }
    }

    pub(super) fn exists(&self) -> bool {
        self.path.is_dir()
    }

    /// Opened for a child that is to be a member.
    pub(super) fn open(&self) -> io::Result<Group> {
        let members = std::fs::OpenOptions::new().write(true).open(self.path.join("cgroup.procs"))?;
        Ok(Group { directory: std::fs::File::open(&self.path)?, members })
    }

    /// Kills everything inside. Older kernels cannot; the caller also signals each member.
    pub(super) fn kill(&self) {
        if let Ok(mut file) = std::fs::OpenOptions::new().write(true).open(self.path.join("cgroup.kill")) {
            let _ = io::Write::write_all(&mut file, b"1");
        }
    }

    /// Whether nothing runs inside, at any depth. A group that is gone was empty: only those can be removed.
    pub(super) fn is_empty(&self) -> bool {
        match std::fs::read_to_string(self.path.join("cgroup.events")) {
            Ok(events) => events.lines().any(|line| line == "populated 0"),
            Err(error) => matches!(error.kind(), io::ErrorKind::NotFound) || is_no_device(&error),
        }
    }

    /// The numbers of all processes inside, at any depth.
    pub(super) fn members(&self) -> Vec<u32> {
        let mut found = Vec::new();
        for directory in self.with_descendants() {
            let listed = std::fs::read_to_string(directory.join("cgroup.procs")).unwrap_or_default();
            found.extend(listed.lines().filter_map(|line| line.parse::<u32>().ok()));
        }
        found
    }

    /// Removes the group and those made inside it; fails while anything runs in them.
    pub(super) fn remove(&self) -> io::Result<()> {
        for directory in self.with_descendants().iter().rev() {
            match std::fs::remove_dir(directory) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }

    /// This group, then those below it; a parent always before its children.
    fn with_descendants(&self) -> Vec<PathBuf> {
        let mut directories = vec![self.path.clone()];
        let mut next = 0;
        while let Some(directory) = directories.get(next).cloned() {
            next += 1;
            let Ok(items) = std::fs::read_dir(&directory) else { continue };
            let children = items.flatten().filter(|item| item.file_type().is_ok_and(|kind| kind.is_dir()));
            directories.extend(children.map(|item| item.path()));
        }
        directories
    }
}

/// A group that vanishes while it is read says `ENODEV`.
fn is_no_device(error: &io::Error) -> bool {
    rustix::io::Errno::from_io_error(error) == Some(rustix::io::Errno::NODEV)
}

/// The directory of the group this process is in.
fn own_directory() -> Option<PathBuf> {
    let mounts = std::fs::read_to_string("/proc/self/mountinfo").ok()?;
    let groups = std::fs::read_to_string("/proc/self/cgroup").ok()?;
    let own = groups.lines().find_map(|line| line.strip_prefix("0::"))?;
    mounts.lines().find_map(|line| directory_in(line, own)).filter(|path| path.is_dir())
}

/// Where the group `own` is, if this line of `mountinfo` mounts version 2 and shows it.
fn directory_in(line: &str, own: &str) -> Option<PathBuf> {
    let (mount, file_system) = line.split_once(" - ")?;
    if file_system.split(' ').next() != Some("cgroup2") {
        return None;
    }
    let mut fields = mount.split(' ').skip(3);
    let (root, place) = (unescape(fields.next()?), unescape(fields.next()?));
    let below = Path::new(own).strip_prefix(&root).ok()?;
    Some(Path::new(&place).join(below))
}

/// `mountinfo` writes spaces and the like as `\040`.
fn unescape(field: &str) -> String {
    let mut parts = field.split('\\');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.get(..3).and_then(|digits| u8::from_str_radix(digits, 8).ok()) {
            Some(byte) => {
                text.push(char::from(byte));
                text.push_str(&part[3..]);
            }
            None => {
                text.push('\\');
                text.push_str(part);
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_group_of_a_process_is_found_below_its_mount() {
        let hybrid = "41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw";
        assert_eq!(directory_in(hybrid, "/"), Some(PathBuf::from("/sys/fs/cgroup/unified/")));
        let delegated = "30 25 0:26 / /sys/fs/cgroup rw shared:4 - cgroup2 cgroup2 rw,nsdelegate";
        assert_eq!(directory_in(delegated, "/user.slice/a"), Some("/sys/fs/cgroup/user.slice/a".into()));
        let inside_a_container = "30 25 0:26 /box /sys/fs/my\\040groups rw - cgroup2 cgroup2 rw";
        assert_eq!(directory_in(inside_a_container, "/box/a"), Some("/sys/fs/my groups/a".into()));
        assert_eq!(directory_in(inside_a_container, "/elsewhere"), None);
    }

    #[test]
    fn other_mounts_hold_no_groups() {
        assert_eq!(directory_in("32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu", "/"), None);
        assert_eq!(directory_in("nonsense", "/"), None);
    }
}
