//! What is above this process, as far as that can be known for sure.
//!
//! Whoever may mount can cover `/proc` up, or a part of it. So what is asked here is read from the file system that the kernel fills,
//! and across no mount within it; and the way up is known to its end, or not at all.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// A process above this one.
#[derive(Clone, Debug)]
pub struct Above {
    /// Its number.
    pub pid: u32,
    /// The words it was started with.
    pub words: Vec<OsString>,
}

/// A file that a process has open.
#[derive(Clone, Debug)]
pub struct OpenFile {
    /// Which file it is, whatever its name.
    pub id: FileId,
    /// Its name by now.
    pub path: PathBuf,
}

/// Device and inode: one file, however it is called.
pub type FileId = (u64, u64);

/// Which file is there.
pub fn file_id(path: &Path) -> Option<FileId> {
    use std::os::unix::fs::MetadataExt;
    let metadata = path.metadata().ok()?;
    Some((metadata.dev(), metadata.ino()))
}

#[cfg(target_os = "linux")]
pub use linux::{above, namespaces, open_files};

#[cfg(target_os = "linux")]
mod linux {
    use std::io::Read;
    use std::os::fd::OwnedFd;
    use std::os::unix::ffi::OsStringExt;

    use rustix::fs::{
        AtFlags, CWD, Dir, Mode, OFlags, PROC_SUPER_MAGIC, ResolveFlags, fstatfs, openat, openat2,
        readlinkat, statat,
    };
    use rustix::io::Errno;

    use super::{Above, OpenFile, OsString};
    use crate::process::scan::parse;

    /// An ancestor that ends while the way up is read leaves it to another; then it is read again.
    const LOOKS: u32 = 5;

    /// The processes above this one, its parent first; `None` where the system does not tell all of them.
    pub fn above() -> Option<Vec<Above>> {
        let table = Table::open()?;
        (0..LOOKS).find_map(|_| table.above())
    }

    /// The files that a process has open; `None` where the system does not tell.
    pub fn open_files(pid: u32) -> Option<Vec<OpenFile>> {
        let directory = Table::open()?.within(&format!("{pid}/fd"), OFlags::DIRECTORY)?;
        let names = Dir::read_from(&directory).ok()?.flatten();
        let file = |entry: rustix::fs::DirEntry| {
            let found = statat(&directory, entry.file_name(), AtFlags::empty()).ok()?;
            let path = readlinkat(&directory, entry.file_name(), Vec::new()).ok()?;
            let path = OsString::from_vec(path.into_bytes()).into();
            Some(OpenFile { id: (found.st_dev, found.st_ino), path })
        };
        Some(names.filter_map(file).collect())
    }

    /// Which processes and users this process can tell apart, by the name that the system has for that; `None` where it does not tell.
    /// Two with the same name see each other, and whoever has [`ALL_OF_IT`](crate::process::ALL_OF_IT) sees everybody.
    pub fn namespaces() -> Option<String> {
        let own = Table::open()?.within("self/ns", OFlags::DIRECTORY)?;
        let name = |kind: &str| readlinkat(&own, kind, Vec::new()).ok()?.into_string().ok();
        Some(format!("{} {}", name("pid")?, name("user")?))
    }

    /// The kernel's own table of processes.
    struct Table(OwnedFd);

    impl Table {
        fn open() -> Option<Self> {
            let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
            let table = openat(CWD, "/proc", flags, Mode::empty()).ok()?;
            (fstatfs(&table).ok()?.f_type == PROC_SUPER_MAGIC).then_some(Self(table))
        }

        fn within(&self, path: &str, more: OFlags) -> Option<OwnedFd> {
            let flags = OFlags::RDONLY | OFlags::CLOEXEC | more;
            match openat2(&self.0, path, flags, Mode::empty(), ResolveFlags::NO_XDEV) {
                // A kernel, or a filter of system calls, from before there was such a thing.
                Err(Errno::NOSYS | Errno::PERM) => openat(&self.0, path, flags, Mode::empty()).ok(),
                opened => opened.ok(),
            }
        }

        fn read(&self, path: &str) -> Option<Vec<u8>> {
            let mut bytes = Vec::new();
            std::fs::File::from(self.within(path, OFlags::empty())?).read_to_end(&mut bytes).ok()?;
            Some(bytes)
        }

        fn parent(&self, pid: u32) -> Option<u32> {
            Some(parse(pid, &self.read(&format!("{pid}/stat"))?)?.parent)
        }

        fn above(&self) -> Option<Vec<Above>> {
            let mut found: Vec<Above> = Vec::new();
            let mut next = self.parent(std::process::id())?;
            while next != 0 {
                let pid = next;
                if found.iter().any(|known| known.pid == pid) {
                    return None;
                }
                let words = self.read(&format!("{pid}/cmdline"))?;
                let words = words.strip_suffix(b"\0").unwrap_or(&words).split(|byte| *byte == 0);
                let words = words.map(|word| OsString::from_vec(word.to_vec())).collect();
                next = self.parent(pid)?;
                found.push(Above { pid, words });
            }
            Some(found)
        }
    }
}

/// Where there is no `/proc`, nobody knows who is above whom, and there are no namespaces to hide in.
#[cfg(not(target_os = "linux"))]
mod portable {
    use super::{Above, OpenFile};

    /// The processes above this one: none that is known.
    pub fn above() -> Option<Vec<Above>> {
        Some(Vec::new())
    }

    /// The files that a process has open: nobody tells.
    pub fn open_files(_pid: u32) -> Option<Vec<OpenFile>> {
        None
    }

    /// Everybody sees everybody.
    pub fn namespaces() -> Option<String> {
        Some(crate::process::ALL_OF_IT.to_owned())
    }
}

#[cfg(not(target_os = "linux"))]
pub use portable::{above, namespaces, open_files};
