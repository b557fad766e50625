//! The files of the journal, as they were opened.
//!
//! The agent works beside the journal. What is written to a file that is no longer at its place is lost with this process,
//! and what is read from one is no longer the journal: both are noticed.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use piton_sys::file;

use crate::error::{Error, Problem};

/// The database, its log and the log's index, each with its device and inode.
#[derive(Clone)]
pub(super) struct Files {
    opened: Vec<(PathBuf, (u64, u64))>,
    /// The database, where it held something: it never shrinks to nothing by itself.
    held: Option<PathBuf>,
}

impl Files {
    /// The files of a database that is open.
    pub(super) fn of(database: &Path) -> Result<Self, Error> {
        let place = |suffix: &str| {
            let mut path = database.as_os_str().to_owned();
            path.push(suffix);
            let path = PathBuf::from(path);
            inode(&path).map(|inode| (path, inode))
        };
        let opened = ["", "-wal", "-shm"].into_iter().map(place).collect::<Result<_, _>>()?;
        Ok(Self { opened, held: (!is_empty(database)).then(|| database.to_owned()) })
    }

    /// The database alone, where nothing can be made beside it.
    pub(super) fn alone(database: &Path) -> Result<Self, Error> {
        Ok(Self { opened: vec![(database.to_owned(), inode(database)?)], held: None })
    }

    /// Whether each is still at its place, and nobody emptied the database. That its log would still answer for a while is luck.
    pub(super) fn check(&self) -> Result<(), Error> {
        if let Some(path) = self.held.as_ref().filter(|path| is_empty(path)) {
            let what = format!("`{}` was emptied while it was in use", path.display());
            return Err(Error::Corrupt(Problem { run: None, seq: None, what }));
        }
        match self.opened.iter().find(|(path, opened)| !inode(path).is_ok_and(|found| found == *opened)) {
            Some((path, _)) => Err(Error::Unlinked { path: path.clone() }),
            None => Ok(()),
        }
    }
}

fn is_empty(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|metadata| metadata.len() == 0)
}

fn inode(path: &Path) -> Result<(u64, u64), Error> {
    let metadata = std::fs::metadata(path).map_err(|error| file::Error::new("look at", path, error))?;
    Ok((metadata.dev(), metadata.ino()))
}
