//! Where a journal is: the one place that knows which backends there are.
//!
//! A URL is read once, where somebody gives it, and handed on as it is: to drivers, to workers, to whatever else opens the
//! journal of a run.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use piton_model::RunId;
use piton_seal::{Keys, NoKeys};
use piton_sys::file;

use crate::sqlite::{Hold, Salvage};
use crate::{Error, Identity, JournalId, Store, sqlite};

/// How the URL of a journal looks.
pub const URL_SHAPE: &str = "sqlite:PATH/.piton/journal.db";

const SQLITE: &str = "sqlite:";

/// The directory in a repository that holds what piton keeps.
const STATE: &str = ".piton";

/// Where a journal is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Url(Place);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Place {
    /// A database in this directory, which is absolute.
    Sqlite(PathBuf),
}

impl Url {
    /// What a person wrote. A path is made absolute and real, so that a journal has one name.
    pub fn parse(text: &OsStr) -> Result<Self, Error> {
        let unknown = || Error::UnknownUrl { url: text.to_string_lossy().into_owned() };
        let path = text.as_bytes().strip_prefix(SQLITE.as_bytes()).ok_or_else(unknown)?;
        let path = Path::new(OsStr::from_bytes(path));
        let path = std::path::absolute(path).map_err(|error| file::Error::new("find", path, error))?;
        let state = path.parent().filter(|state| state.ends_with(STATE) && sqlite::database(state) == path);
        let root = state.and_then(Path::parent).ok_or_else(unknown)?;
        // One that is not there yet has no other name.
        let root = std::fs::canonicalize(root).unwrap_or_else(|_| root.to_owned());
        Ok(Self::of_repository(&root))
    }

    /// The journal of the repository at `root`, where nobody names another.
    pub fn of_repository(root: &Path) -> Self {
        Url(Place::Sqlite(root.join(STATE)))
    }

    /// The repository that it lies in, if it does.
    pub fn repository(&self) -> Option<&Path> {
        match &self.0 {
            Place::Sqlite(state) => state.parent(),
        }
    }

    /// The file that it is, where it is one.
    pub fn file(&self) -> Option<PathBuf> {
        match &self.0 {
            Place::Sqlite(state) => Some(sqlite::database(state)),
        }
    }

    /// Whether there is a journal.
    pub fn exists(&self) -> bool {
        match &self.0 {
            Place::Sqlite(state) => sqlite::database(state).is_file(),
        }
    }

    /// As [`Url::parse`] takes it, for another process.
    pub fn to_os_string(&self) -> OsString {
        match &self.0 {
            Place::Sqlite(state) => {
                let mut text = OsString::from(SQLITE);
                text.push(sqlite::database(state));
                text
            }
        }
    }
}

/// A journal.
pub struct Opened {
    /// What it holds.
    pub store: Arc<dyn Store>,
    /// Which one it is.
    pub identity: Identity,
    /// Why nothing can be written to it, where that is so.
    pub closed: Option<String>,
}

/// Opens a journal, and says which it is. One that is not there yet is created, and called `id`.
pub fn open(url: &Url, id: JournalId) -> Result<Opened, Error> {
    open_with(url, id, Arc::new(NoKeys))
}

/// The same; what is appended is sealed as `keys` say, and what is sealed is read.
pub fn open_with(url: &Url, id: JournalId, keys: Arc<dyn Keys>) -> Result<Opened, Error> {
    match &url.0 {
        Place::Sqlite(state) => Ok(opened(sqlite::Sqlite::open_with(state, id, keys)?)),
    }
}

/// Makes a journal that shows whether what is taken into it is whole, and is thrown away then: nothing of it is synced, so that
/// whoever works beside it does not wait for the disk because of it.
pub fn open_to_prove(url: &Url, keys: Arc<dyn Keys>) -> Result<Opened, Error> {
    match &url.0 {
        Place::Sqlite(state) => Ok(opened(sqlite::Sqlite::open_to_prove(state, JournalId::random(), keys)?)),
    }
}

/// Opens a journal if there is one, and says which it is.
pub fn open_existing(url: &Url) -> Result<Option<Opened>, Error> {
    open_existing_with(url, Arc::new(NoKeys))
}

/// The same; what is appended is sealed as `keys` say, and what is sealed is read.
pub fn open_existing_with(url: &Url, keys: Arc<dyn Keys>) -> Result<Option<Opened>, Error> {
    match &url.0 {
        Place::Sqlite(state) => Ok(sqlite::Sqlite::open_existing_with(state, keys)?.map(opened)),
    }
}

fn opened(store: sqlite::Sqlite) -> Opened {
    let (identity, closed) = (store.identity().clone(), store.closed().map(str::to_owned));
    Opened { store: Arc::new(store), identity, closed }
}

/// Which journal is there, if any is; nothing is written, nor made beside it.
pub fn peek(url: &Url) -> Result<Option<Identity>, Error> {
    match &url.0 {
        Place::Sqlite(state) => sqlite::peek(state),
    }
}

/// Gives a journal another place, or another name: it was moved, or is a copy. Whoever has it open opens it anew.
pub fn identify(url: &Url, identity: &Identity) -> Result<(), Error> {
    match &url.0 {
        Place::Sqlite(state) => sqlite::Sqlite::open(state)?.identify(identity),
    }
}

/// What is provably good in the journal that lies in `directory`, or in what is left of it; nothing is written. `names`: runs
/// that may be there, whatever its index says. Large payloads are those of the journal at `url`.
/// What is sealed and lacks its key is an error: it is not damaged.
pub fn salvage(
    url: &Url,
    directory: Option<&Path>,
    names: &[RunId],
    keys: &Arc<dyn Keys>,
) -> Result<Salvage, Error> {
    match &url.0 {
        Place::Sqlite(state) => Salvage::of(directory.unwrap_or(state), &state.join("blobs"), names, keys),
    }
}

/// Keeps everybody from writing to a journal, or to what is left of it. Refused where somebody drives a run.
pub fn hold(url: &Url) -> Result<Hold, Error> {
    match &url.0 {
        Place::Sqlite(state) => Hold::of(state),
    }
}

/// Moves the journal that is held to the directory `aside`, as a whole; its large payloads stay.
pub fn set_aside(hold: &Hold, aside: &Path) -> Result<(), Error> {
    sqlite::set_aside(hold, aside)
}

/// Lets the journal at `from`, which nobody has open, take the place of the one that is held and was set aside.
pub fn publish(from: &Url, hold: &Hold, keys: &Arc<dyn Keys>) -> Result<(), Error> {
    match &from.0 {
        Place::Sqlite(state) => sqlite::publish(state, hold, keys),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_is_read_as_it_is_handed_on() {
        let url = Url::parse(OsStr::new("sqlite:/a/.piton/journal.db")).unwrap();
        assert_eq!(url, Url::of_repository(Path::new("/a")));
        assert_eq!(url.repository(), Some(Path::new("/a")));
        assert_eq!(Url::parse(&url.to_os_string()).unwrap(), url);
        let relative = Url::parse(OsStr::new("sqlite:.piton/journal.db")).unwrap();
        assert_eq!(relative, Url::of_repository(&std::env::current_dir().unwrap()));
    }

    #[test]
    fn what_names_another_backend_or_no_journal_of_ours_is_not_taken_for_one() {
        for text in
            ["postgres://host/db", "/a/.piton/journal.db", "sqlite:/a/other.db", "sqlite:/a/journal.db", ""]
        {
            let refused = Url::parse(OsStr::new(text)).unwrap_err().to_string();
            assert_eq!(refused, format!("`{text}` is not a journal this piton can open"));
        }
    }
}
