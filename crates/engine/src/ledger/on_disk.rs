//! The gap file of a ledger, as it is read: once, and again only when somebody has written to it.
//!
//! Never decides what the file means for the ledger; it knows one thing that a file cannot mean, see `file_beside`.

use std::path::PathBuf;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use piton_files::Problem;
use piton_files::gaps::{Document, LedgerFile};
use piton_model::ledger::Gap;
use piton_model::ledger_machine::State;
use piton_model::limits::GAP_FILE_BYTES_MAX;
use piton_sys::file;
use piton_sys::{Clock, SystemClock};

use super::{Ledger, LedgerError, digest, opened};

/// A gap file that takes longer to read than a thread takes to start.
const LARGE_BYTES: usize = 256 * 1024;

/// How often a file that may be half of one is looked at again, and how long after the last look.
const LOOKS_MAX: usize = 200;
/// Looks in a row that find the same gaps, fewer than there were: then somebody has taken the others out.
const SAME_LOOKS: usize = 20;
const BETWEEN_LOOKS: Duration = Duration::from_millis(10);

/// The file as it was last read.
#[derive(Clone)]
pub(super) struct Known {
    pub(super) document: Arc<Document>,
    /// How the journal knows it.
    pub(super) digest: String,
    /// How the file stood before it was read, where that shows whether somebody has written to it since.
    look: Option<file::Look>,
}

/// Whether these are the first of the gaps that were there, and the others are gone: all of them, or those at the end.
pub(super) fn is_cut(gaps: &[Gap], base: &[Gap]) -> bool {
    gaps.len() < base.len() && gaps.iter().zip(base).all(|(gap, was)| gap.id == was.id)
}

impl Ledger<'_> {
    pub(super) fn ledger_file(&self) -> LedgerFile {
        let beside = self.beside();
        let aside = if beside.is_dir() { beside } else { self.layout.ledgers().join(self.run.as_str()) };
        LedgerFile::new(self.path(), aside)
    }

    /// A directory beside the gap file, for one that is on another file system than what piton keeps.
    pub(super) fn beside(&self) -> PathBuf {
        let name = self.settings.file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        self.path().with_file_name(format!(".{name}.piton"))
    }

    /// From now on the file is written by way of the directory beside it, which git does not see.
    pub(super) fn write_beside(&self) -> Result<(), LedgerError> {
        file::create_private_dir(&self.beside())?;
        let ignore = self.beside().join(".gitignore");
        Ok(file::write_atomic(&ignore, b"*\n", file::Durability::Unsynced)?)
    }

    /// The file may be the first in its directory.
    pub(super) fn create_directory(&self) -> Result<(), LedgerError> {
        let path = self.path();
        let Some(parent) = path.parent().filter(|parent| !parent.exists()) else { return Ok(()) };
        let created = std::fs::DirBuilder::new().recursive(true).create(parent);
        Ok(created.map_err(|error| file::Error::new("create the directory", parent, error))?)
    }

    /// The bytes of the file.
    fn content(&self) -> Result<Option<Vec<u8>>, LedgerError> {
        opened::say(&self.path());
        file::read_regular(&self.path(), GAP_FILE_BYTES_MAX).map_err(|error| match error.refusal() {
            Some(file::Refusal::TooLarge { .. }) => {
                let problems = Problem::new("the file is larger than 64 MiB").into();
                LedgerError::Invalid { path: self.path(), problems }
            }
            _ => error.into(),
        })
    }

    /// What the file says. A content that was read before is not read again.
    pub(super) async fn file(&self) -> Result<Option<Known>, LedgerError> {
        if let Some(known) = self.known() {
            return Ok(Some(known));
        }
        let look = file::look_at_rest(&self.path(), SystemClock.now());
        let Some(bytes) = self.content()? else { return Ok(None) };
        let is_large = bytes.len() > LARGE_BYTES;
        let read = move || {
            let digest = digest(Some(&bytes));
            Document::from_bytes(bytes).map(|document| Known { document: Arc::new(document), digest, look })
        };
        // Beside whoever loads the journal meanwhile: of a large ledger, either takes its time.
        let read = match is_large {
            true => tokio::task::spawn_blocking(read).await.expect("reading a ledger does not panic"),
            false => read(),
        };
        let known = read.map_err(|problems| LedgerError::Invalid { path: self.path(), problems })?;
        *self.known.lock().unwrap_or_else(PoisonError::into_inner) = Some(known.clone());
        Ok(Some(known))
    }

    /// The same for a ledger that is known. An editor that saves in place empties the file before it fills it: one that may be the
    /// beginning of another is waited for until it rests. One that says nothing even then is refused: only `gaps: []` says that all are gone.
    pub(super) async fn file_beside(&self, state: &State) -> Result<Option<Known>, LedgerError> {
        let (mut looks, mut same, mut last) = (0, 0, String::new());
        loop {
            let Some(file) = self.file().await? else { return Ok(None) };
            if state.digest.as_ref() == Some(&file.digest) {
                return Ok(Some(file));
            }
            same = if last == file.digest { same + 1 } else { 0 };
            last.clone_from(&file.digest);
            let base = state.base();
            let is_half = is_cut(file.document.gaps(), &base) || !file.document.text().ends_with('\n');
            looks += 1;
            let says_nothing = file.document.says_nothing();
            let rests = looks >= LOOKS_MAX
                || same >= SAME_LOOKS && !says_nothing
                || file::look_at_rest(&self.path(), SystemClock.now()).is_some();
            match (is_half && !base.is_empty(), rests) {
                (true, false) => tokio::time::sleep(BETWEEN_LOOKS).await,
                (true, true) if says_nothing => {
                    return Err(LedgerError::Emptied { path: self.path(), gaps: base.len() });
                }
                _ => return Ok(Some(file)),
            }
        }
    }

    /// What was read, if the file holds it still.
    pub(super) fn known(&self) -> Option<Known> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner).clone();
        known.filter(|known| {
            // Whoever writes compares the content once more, in the moment of writing.
            let looks_the_same =
                known.look.is_some() && file::look_at_rest(&self.path(), SystemClock.now()) == known.look;
            looks_the_same || file::holds(&self.path(), known.document.text().as_bytes())
        })
    }

    /// How the journal knows what the file holds now.
    pub(super) fn digest(&self) -> Result<String, LedgerError> {
        match self.known() {
            Some(known) => Ok(known.digest),
            None => Ok(digest(self.content()?.as_deref())),
        }
    }
}
