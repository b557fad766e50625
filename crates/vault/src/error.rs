//! What can go wrong with a backup, told apart by what helps.

use piton_model::{DecodeError, RunId, Seq};

/// Why a backup could not be made, read or restored.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// What is at the target is not what was put there.
    #[error("`{object}` is damaged: {what}")]
    Damaged {
        /// Its name at the target.
        object: String,
        /// What is wrong with it.
        what: String,
    },
    /// It was written by a newer piton.
    #[error("`{object}` has format {found}, this piton knows up to {known}")]
    Newer {
        /// Its name at the target.
        object: String,
        /// The format found.
        found: u32,
        /// The newest format known.
        known: u32,
    },
    /// The name is taken by something else.
    #[error("`{object}` is there already and holds something else")]
    Taken {
        /// Its name at the target.
        object: String,
    },
    /// The text names no place for backups.
    #[error("`{text}` names no place for backups")]
    UnknownTarget {
        /// What was given.
        text: String,
    },
    /// An event cannot be read, so nobody knows what the index says of its run.
    #[error("run `{run}`, event {seq}")]
    Event {
        /// Which run.
        run: RunId,
        /// Which event.
        seq: Seq,
        /// What is wrong with it.
        source: DecodeError,
    },
    /// Events that are the history of no run.
    #[error("run `{run}` does not begin with its creation")]
    NoBeginning {
        /// Which run.
        run: RunId,
    },
    /// The run is not in the backup, or nothing of it so early.
    #[error("the backup holds nothing of run `{run}`{when}")]
    NotHeld {
        /// Which run.
        run: RunId,
        /// By when, where that was asked.
        when: String,
    },
    /// What was restored is not what was backed up.
    #[error("the backup does not restore: {what}")]
    NotRestorable {
        /// What differs.
        what: String,
    },
    /// An object store did not do what it was asked.
    #[error(transparent)]
    Target(#[from] Box<crate::target::Failure>),
    /// What lies at the target was written from another history.
    #[error("{what}")]
    Diverged {
        /// Which, and of what.
        what: String,
    },
    /// The journal said no.
    #[error(transparent)]
    Store(#[from] piton_store::Error),
    /// git said no.
    #[error(transparent)]
    Git(#[from] piton_git::Error),
    /// The file system said no.
    #[error(transparent)]
    File(#[from] piton_sys::file::Error),
}

impl From<crate::target::Failure> for Error {
    fn from(failure: crate::target::Failure) -> Self {
        Self::Target(Box::new(failure))
    }
}

impl Error {
    /// Whether what lies at the target is not what was put there.
    pub fn is_damage(&self) -> bool {
        matches!(self, Self::Damaged { .. } | Self::NotRestorable { .. })
    }

    /// Whether a key is missing, or cannot be opened here: what lies there may be good, and nobody here can tell.
    pub fn is_locked(&self) -> bool {
        matches!(self, Self::Store(piton_store::Error::Key(_)))
    }

    pub(crate) fn damaged(object: &str, what: impl Into<String>) -> Self {
        Self::Damaged { object: object.to_owned(), what: what.into() }
    }
}
