//! What can go wrong with a journal, told apart by what the caller must do next.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use piton_model::{Epoch, RunId, Seq};
use piton_sys::file;

use crate::types::Holder;

/// Why the journal did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is no such run.
    #[error("there is no run `{run}`")]
    UnknownRun {
        /// The name that was given.
        run: RunId,
    },
    /// A run of that name, whatever its case, is there already.
    #[error("a run `{run}` exists already")]
    RunExists {
        /// The name that was given.
        run: RunId,
    },
    /// Another driver has been granted the lease since.
    #[error("run `{run}` is driven under epoch {current} now, no longer under {held}")]
    Fenced {
        /// Which run.
        run: RunId,
        /// The epoch of the caller.
        held: Epoch,
        /// The epoch that counts.
        current: Epoch,
    },
    /// Something was appended in between: read on and decide again.
    #[error("run `{run}` is at event {found}, not {expected}")]
    Conflict {
        /// Which run.
        run: RunId,
        /// What the caller stood on.
        expected: Seq,
        /// What is there.
        found: Seq,
    },
    /// The run does not hold what the caller has of it: one of the two has another history.
    #[error("run `{run}` has another history at event {seq}")]
    Diverged {
        /// Which run.
        run: RunId,
        /// Up to where the caller has it.
        seq: Seq,
    },
    /// What was asked for was let go: only its digest is here.
    #[error("event {seq} of run `{run}` is archived: only its digest is here")]
    Archived {
        /// Which run.
        run: RunId,
        /// Which event.
        seq: Seq,
    },
    /// A living process drives the run.
    #[error("run `{run}` is driven by process {} since {}", .holder.process.pid, .holder.since)]
    Held {
        /// Which run.
        run: RunId,
        /// Who drives it.
        holder: Box<Holder>,
    },
    /// A living process drives a run, and what was asked for needs all of them at rest.
    #[error("run `{run}` is being driven")]
    Driven {
        /// What its lease is called: the run, in small letters.
        run: String,
    },
    /// More than the journal takes.
    #[error("{what} of {bytes} bytes is more than the {bytes_max} allowed")]
    TooLarge {
        /// What is too large.
        what: &'static str,
        /// Its size.
        bytes: usize,
        /// The limit.
        bytes_max: usize,
    },
    /// What is stored is not what was written.
    #[error("the journal is damaged: {0}")]
    Corrupt(Problem),
    /// No backend has journals like that.
    #[error("`{url}` is not a journal this piton can open")]
    UnknownUrl {
        /// What was given.
        url: String,
    },
    /// It may be read, and nothing else.
    #[error("{why}")]
    Sealed {
        /// What keeps this user from it.
        why: String,
        /// The way out.
        hint: String,
    },
    /// The journal was written by a newer piton.
    #[error("the journal has format {found}, this piton knows up to {known}")]
    Newer {
        /// The format found.
        found: i64,
        /// The newest format known.
        known: i64,
    },
    /// The journal was written before the format that piton was first released with.
    #[error(
        "the journal has format {found}, from before piton's first release; this piton reads {known} and nothing older"
    )]
    Older {
        /// The format found.
        found: i64,
        /// The oldest format known.
        known: i64,
    },
    /// The disk is full. Nothing was written; trying again later is safe.
    #[error("no space left for the journal")]
    NoSpace {
        /// What the storage said.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A sync failed. What is on the disk is unknown until the journal is opened anew: stop.
    #[error("the journal could not be synced; nothing more is written by this process")]
    SyncFailed {
        /// What the storage said.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The file was deleted or replaced under us.
    #[error("`{}` was deleted or replaced while it was in use", .path.display())]
    Unlinked {
        /// The file.
        path: PathBuf,
    },
    /// It was opened to be read, since nothing can be written there.
    #[error("nothing can be written to the journal `{}`", .path.display())]
    ReadOnly {
        /// The database.
        path: PathBuf,
        /// What stood in the way when it was opened.
        source: Arc<Error>,
    },
    /// Somebody keeps it to himself.
    #[error("the journal `{}` is locked{}", .path.display(), by(.holders))]
    Locked {
        /// The database.
        path: PathBuf,
        /// The processes that have a lock on it, as far as that is known.
        holders: Vec<u32>,
    },
    /// It is there and cannot be opened.
    #[error("failed to open the journal `{}`", .path.display())]
    Open {
        /// The database.
        path: PathBuf,
        /// What the database said.
        source: rusqlite::Error,
    },
    /// What is kept is encrypted and cannot be opened here, or is to be and cannot: nothing is damaged.
    #[error("the journal cannot be read or written without its key")]
    Key(#[source] piton_seal::Error),
    /// The file system said no.
    #[error(transparent)]
    File(#[from] file::Error),
    /// The database said no.
    #[error("the journal database failed")]
    Database(#[source] rusqlite::Error),
}

/// Who holds a lock, for a message.
fn by(holders: &[u32]) -> String {
    let named = |pid: &u32| {
        let words = piton_sys::process::command_line(*pid);
        let program = words.first().map(|word| word.to_string_lossy().into_owned()).unwrap_or_default();
        format!("{pid} (`{program}`)")
    };
    match holders {
        [] => " by another process".to_owned(),
        holders => format!(" by process {}", holders.iter().map(named).collect::<Vec<_>>().join(", ")),
    }
}

/// Something that is stored and is not what was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// In which run, if it can be told.
    pub run: Option<RunId>,
    /// At which event, if it can be told.
    pub seq: Option<Seq>,
    /// What is wrong.
    pub what: String,
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (&self.run, self.seq) {
            (Some(run), Some(seq)) => write!(f, "run `{run}`, event {seq}: {}", self.what),
            (Some(run), None) => write!(f, "run `{run}`: {}", self.what),
            (None, _) => f.write_str(&self.what),
        }
    }
}

impl Problem {
    /// A problem of a run, at an event.
    pub fn at(run: &RunId, seq: Seq, what: impl Into<String>) -> Self {
        Self { run: Some(run.clone()), seq: Some(seq), what: what.into() }
    }

    /// A problem of a run as a whole.
    pub fn of(run: &RunId, what: impl Into<String>) -> Self {
        Self { run: Some(run.clone()), seq: None, what: what.into() }
    }
}

impl From<piton_seal::Error> for Error {
    fn from(error: piton_seal::Error) -> Self {
        match error {
            piton_seal::Error::Changed => {
                Error::Corrupt(Problem { run: None, seq: None, what: error.to_string() })
            }
            other => Error::Key(other),
        }
    }
}

impl Error {
    /// The same, where damage is `problem`: what lacks its key is not damaged, unless nobody has that key any more.
    pub(crate) fn or_damaged(self, problem: impl FnOnce() -> Problem) -> Self {
        match self {
            Error::Corrupt(_) => Error::Corrupt(problem()),
            Error::Key(lost @ piton_seal::Error::Lost { .. }) => {
                Error::Corrupt(Problem { what: lost.to_string(), ..problem() })
            }
            other => other,
        }
    }

    /// The same, where it came of opening the database at `path`.
    pub(crate) fn opening(self, path: &Path) -> Self {
        match self {
            Error::Database(source)
                if source.sqlite_error_code() == Some(rusqlite::ErrorCode::DatabaseBusy) =>
            {
                let holders = piton_sys::process::lock_holders(path);
                Error::Locked { path: path.to_owned(), holders }
            }
            Error::Database(source) => Error::Open { path: path.to_owned(), source },
            other => other,
        }
    }

    /// Whether it may be in the way of writing only: a file system that is full or mounted read-only, a directory of somebody
    /// else's.
    pub(crate) fn leaves_reading(&self) -> bool {
        use std::io::ErrorKind as K;
        match self {
            Error::File(error) => {
                error.is_no_space()
                    || matches!(error.source.kind(), K::ReadOnlyFilesystem | K::PermissionDenied)
            }
            Error::NoSpace { .. } | Error::Open { .. } => true,
            _ => false,
        }
    }
}

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        use rusqlite::ffi;
        let corrupt = |what: String| Error::Corrupt(Problem { run: None, seq: None, what });
        // A value that does not have the type of its column was not written by us.
        if let rusqlite::Error::InvalidColumnType(_, name, _) = &error {
            return corrupt(format!("a value of `{name}` is not what was written"));
        }
        if let rusqlite::Error::FromSqlConversionFailure(..)
        | rusqlite::Error::IntegralValueOutOfRange(..)
        | rusqlite::Error::Utf8Error(..) = error
        {
            return corrupt("a value is not what was written".to_owned());
        }
        // Our statements fit our tables: the text that declares one of them has changed.
        if let rusqlite::Error::SqlInputError { msg, .. } = &error {
            return corrupt(format!("a table is not what was declared: {msg}"));
        }
        let Some(code) = error.sqlite_error().map(|error| error.extended_code) else {
            return Error::Database(error);
        };
        match code {
            // The second is the index of the log, which could not be made as large as it has to be.
            ffi::SQLITE_FULL | ffi::SQLITE_IOERR_SHMSIZE => Error::NoSpace { source: Box::new(error) },
            ffi::SQLITE_IOERR_FSYNC | ffi::SQLITE_IOERR_DIR_FSYNC | ffi::SQLITE_IOERR_TRUNCATE => {
                Error::SyncFailed { source: Box::new(error) }
            }
            code if matches!(code & 0xff, ffi::SQLITE_CORRUPT | ffi::SQLITE_NOTADB) => {
                corrupt(format!("SQLite says: {error}"))
            }
            _ => Error::Database(error),
        }
    }
}
