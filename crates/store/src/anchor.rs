//! Anchors: what is known of a run outside the database, to notice a lost tail.
//!
//! A file per run with two checksummed slots, written in turn: after COMMIT and before the
//! acknowledgement, never ahead of a COMMIT. A slot that was cut or lost leaves the other, which is
//! older: a lower anchor is allowed, a higher one than the journal proves a loss.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use piton_model::Seq;
use piton_sys::{fault, file};

use crate::chain::Hash;
use crate::types::Head;

const SLOT_BYTES: usize = 96;
const MAGIC: &[u8; 8] = b"PITONAN1";

/// The open anchor file of one run.
#[derive(Debug)]
pub struct Anchor {
    path: PathBuf,
    file: File,
    journal: [u8; 16],
    next_slot: u64,
    last: Seq,
}

impl Anchor {
    /// Opens the anchor of a run: to write it if `create`, which makes it where it is not there; else to read it, `None` if
    /// it is not there.
    pub fn open(path: &Path, journal: [u8; 16], create: bool) -> Result<Option<Anchor>, file::Error> {
        let file = match create {
            false => file::open_regular(path)?.map(|(file, _)| file),
            true => {
                let mut options = OpenOptions::new();
                options.read(true).write(true).create(true).truncate(false).mode(0o600);
                let opened = options.custom_flags(NO_FOLLOW | NO_BLOCK).open(path);
                Some(opened.map_err(|error| file::Error::new("open the anchor", path, error))?)
            }
        };
        let Some(file) = file else { return Ok(None) };
        let mut anchor = Anchor { path: path.to_owned(), file, journal, next_slot: 0, last: 0 };
        if let Some((slot, head)) = anchor.newest() {
            anchor.next_slot = 1 - slot;
            anchor.last = head.seq;
        }
        Ok(Some(anchor))
    }

    /// The highest head that was acknowledged, as far as the anchor knows.
    pub fn read(&self) -> Option<Head> {
        self.newest().map(|(_, head)| head).filter(|head| head.seq > 0)
    }

    /// Whether it speaks of another journal: the database or the anchor is not the one that was here.
    pub fn is_foreign(&self) -> bool {
        let foreign = |slot| {
            self.slot(slot).is_some_and(|bytes| {
                sum(&bytes) == bytes[64..] && bytes[8..24] != self.journal && bytes[24..32] != NOTHING
            })
        };
        self.read().is_none() && (foreign(0) || foreign(1))
    }

    /// Whether it says nothing: it is empty, or holds something that no journal wrote. It was [begun](Anchor::begin) before its run
    /// was, so neither a death nor a loss of power leaves it so.
    pub fn says_nothing(&self) -> bool {
        let is_sound =
            |slot| self.slot(slot).is_some_and(|bytes| bytes[..8] == *MAGIC && sum(&bytes) == bytes[64..]);
        !is_sound(0) && !is_sound(1)
    }

    /// Begins it anew, for a run that begins or is about to leave: nothing is acknowledged, and that is durable. A full disk leaves
    /// it empty.
    pub fn begin(&mut self) -> Result<(), file::Error> {
        self.reset()?;
        match self.write_slot(Head { seq: 0, hash: [0; 32] }).and_then(|()| self.sync()) {
            Err(error) if error.is_no_space() => self.reset(),
            begun => begun,
        }
    }

    /// Forgets what it knew.
    pub fn reset(&mut self) -> Result<(), file::Error> {
        self.file.set_len(0).map_err(|error| file::Error::new("empty the anchor", &self.path, error))?;
        (self.next_slot, self.last) = (0, 0);
        Ok(())
    }

    /// Notes that `head` is committed. Not synced: see [`Anchor::sync`].
    pub fn write(&mut self, head: Head) -> Result<(), file::Error> {
        if head.seq <= self.last {
            return Ok(());
        }
        fault::point("anchor.write");
        self.write_slot(head)
    }

    fn write_slot(&mut self, head: Head) -> Result<(), file::Error> {
        self.file
            .write_all_at(&slot_bytes(&self.journal, head), self.next_slot * SLOT_BYTES as u64)
            .map_err(|error| file::Error::new("write the anchor", &self.path, error))?;
        self.next_slot = 1 - self.next_slot;
        self.last = head.seq;
        Ok(())
    }

    /// Makes the anchor itself durable.
    pub fn sync(&self) -> Result<(), file::Error> {
        fault::point("anchor.sync");
        file::sync_file(&self.file, &self.path)
    }

    /// Whether the file is still the one at its path.
    pub fn is_linked(&self) -> bool {
        self.file.metadata().is_ok_and(|metadata| metadata.nlink() > 0)
    }

    fn newest(&self) -> Option<(u64, Head)> {
        [0, 1]
            .into_iter()
            .filter_map(|slot| Some((slot, self.read_slot(slot)?)))
            .max_by_key(|(_, head)| head.seq)
    }

    fn read_slot(&self, slot: u64) -> Option<Head> {
        let bytes = self.slot(slot)?;
        let seq = Seq::from_le_bytes(bytes[24..32].try_into().ok()?);
        let hash: Hash = bytes[32..64].try_into().ok()?;
        let head = Head { seq, hash };
        (slot_bytes(&self.journal, head) == bytes).then_some(head)
    }

    fn slot(&self, slot: u64) -> Option<[u8; SLOT_BYTES]> {
        let mut bytes = [0; SLOT_BYTES];
        self.file.read_exact_at(&mut bytes, slot * SLOT_BYTES as u64).ok()?;
        Some(bytes)
    }
}

/// What the anchor at `path` knows, and which journal wrote it: for looking at what is left of a damaged one.
pub(crate) fn of_any_journal(path: &Path) -> Option<([u8; 16], Head)> {
    let (file, _) = file::open_regular(path).ok()??;
    let slots = [0, 1].map(|slot| {
        let mut bytes = [0; SLOT_BYTES];
        file.read_exact_at(&mut bytes, slot * SLOT_BYTES as u64).ok()?;
        let is_whole = &bytes[..8] == MAGIC && sum(&bytes) == bytes[64..];
        let seq = Seq::from_le_bytes(bytes[24..32].try_into().ok()?);
        let head = Head { seq, hash: bytes[32..64].try_into().ok()? };
        is_whole.then_some((bytes[8..24].try_into().ok()?, head))
    });
    slots.into_iter().flatten().max_by_key(|(_, head)| head.seq)
}

/// The number of the event before the first, as a slot holds it.
const NOTHING: [u8; 8] = [0; 8];

const NO_FOLLOW: i32 = 0o400_000;
const NO_BLOCK: i32 = 0o4_000;

fn slot_bytes(journal: &[u8; 16], head: Head) -> [u8; SLOT_BYTES] {
    let mut bytes = [0; SLOT_BYTES];
    bytes[..8].copy_from_slice(MAGIC);
    bytes[8..24].copy_from_slice(journal);
    bytes[24..32].copy_from_slice(&head.seq.to_le_bytes());
    bytes[32..64].copy_from_slice(&head.hash);
    let sum = sum(&bytes);
    bytes[64..].copy_from_slice(&sum);
    bytes
}

fn sum(bytes: &[u8; SLOT_BYTES]) -> [u8; 32] {
    *blake3::hash(&bytes[..64]).as_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_torn_slot_leaves_the_one_before() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("r");
        let head = |seq| Head { seq, hash: [seq as u8; 32] };
        let mut anchor = Anchor::open(&path, [1; 16], true).unwrap().unwrap();
        anchor.write(head(3)).unwrap();
        anchor.write(head(5)).unwrap();
        assert_eq!(anchor.read(), Some(head(5)));
        anchor.file.write_all_at(b"torn", SLOT_BYTES as u64 + 30).unwrap();
        assert_eq!(Anchor::open(&path, [1; 16], false).unwrap().unwrap().read(), Some(head(3)));
    }

    #[test]
    fn another_journals_anchor_says_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("r");
        Anchor::open(&path, [1; 16], true).unwrap().unwrap().write(Head { seq: 9, hash: [0; 32] }).unwrap();
        let mut anchor = Anchor::open(&path, [2; 16], true).unwrap().unwrap();
        assert_eq!(anchor.read(), None);
        assert!(anchor.is_foreign());
        assert!(!anchor.says_nothing());
        anchor.reset().unwrap();
        assert!(!anchor.is_foreign());
        assert!(anchor.says_nothing());
        anchor.begin().unwrap();
        assert_eq!((anchor.read(), anchor.says_nothing()), (None, false));
        anchor.write(Head { seq: 1, hash: [1; 32] }).unwrap();
        assert_eq!(anchor.read().map(|head| head.seq), Some(1));
        assert!(!Anchor::open(&path, [3; 16], false).unwrap().unwrap().says_nothing(), "it is another one's");
    }
}
