//! What can go wrong with keys, told apart by what helps.

use std::path::PathBuf;

use piton_sys::file;

use crate::KeyId;

/// Why something could not be sealed or opened.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A piece is sealed with a key that cannot be opened here.
    #[error("it is encrypted with key {key}, which cannot be opened here: {why}")]
    NoKey {
        /// Which key.
        key: KeyId,
        /// Why it cannot.
        why: String,
        /// Whether it is kept here, for somebody else. One that is not may be no key at all, but damage.
        is_kept: bool,
    },
    /// A piece is sealed with a key that is kept nowhere, where others are kept and open: the key is lost, or the piece names none.
    #[error("it is encrypted with key {key}, which is lost: it is not kept in `{}`, or damaged there, and others are not", .directory.display())]
    Lost {
        /// Which key.
        key: KeyId,
        /// Where it is not.
        directory: PathBuf,
    },
    /// Encryption is asked for, and there is nothing to seal with.
    #[error("encryption is asked for and cannot be done: {why}")]
    CannotSeal {
        /// What is missing.
        why: String,
    },
    /// None of the keys that are kept here opens, so that they cannot be wrapped anew.
    #[error("nothing was changed: key {key} cannot be opened here, and no other: it is for {who}")]
    CannotRotate {
        /// One of them.
        key: KeyId,
        /// Who can open it.
        who: String,
    },
    /// The tag does not fit: what is sealed was changed, moved, or is no such piece.
    #[error("an encrypted piece is not what was written")]
    Changed,
    /// What a key is kept in is damaged.
    #[error("the key in `{}` is damaged: {why}", .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// A piton that is newer than this one kept it.
    #[error("the key in `{}` has format {found}, this piton knows up to {known}", .path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// The format found.
        found: u32,
        /// The newest format known.
        known: u32,
    },
    /// The file system said no.
    #[error(transparent)]
    File(#[from] file::Error),
}

impl Error {
    /// What helps, for people.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::NoKey { is_kept: false, .. } => Some(
                "`piton repair` brings lost keys back from the places of `[vault]`, `piton backup restore URL` those of another place; both need what opens them: `key_file`, `key_env` or `key_command` of `[vault]`, or $PITON_KEY",
            ),
            Self::NoKey { .. } => Some(
                "give what opens it: `key_file`, `key_env` or `key_command` of `[vault]`, or $PITON_KEY; `piton key status` says who can open which key",
            ),
            Self::CannotSeal { .. } => Some(
                "`piton key new --out FILE` makes a key; name it as `key_file` of `[vault]`, outside of the repository. Nothing was written",
            ),
            Self::CannotRotate { .. } => Some(
                "`--old FILE` names what opens them; where nobody has that any more, move .piton/keys away, and with it what only they open",
            ),
            Self::Damaged { .. } => Some(
                "`piton repair` brings it back from the places of `[vault]`, `piton backup restore URL` from another place: every encrypted backup has the keys beside it",
            ),
            Self::Lost { .. } => Some(
                "bring its file back from a copy of .piton/keys; `piton repair` takes it from an encrypted backup that has it. `piton key rotate` makes a new one for what is new",
            ),
            Self::Newer { .. } => Some("update piton on this machine"),
            Self::Changed | Self::File(_) => None,
        }
    }
}
