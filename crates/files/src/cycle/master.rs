//! `<id>.json` in its place, where people may edit its `status` at any time.
//!
//! piton writes by exchanging names, and looks at what was displaced: an edit that came in between is put back, to be read
//! like any other. What is displaced is kept until the next write and looked at once more, since an editor that had the file
//! open may write to it late. One that does not parse is kept beside by whoever puts the edit on record; one that is empty says
//! nothing.

use std::path::{Path, PathBuf};

use piton_model::cycle::{Edited, Signal};
use piton_sys::fault;
use piton_sys::file::{self, Durability, Error};
use serde_json::Value;

use super::edits::{edits, signal, unknown_word};
use super::import::STATE_BYTES_MAX;
use crate::known::{Known, Own, digest};
use crate::place::{Found, look};

/// Under which name the file is known.
pub(super) const NAME: &str = "state";

/// What was found in the place of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MasterFound {
    /// What piton wrote, or nothing.
    AsWritten,
    /// Somebody edited it. It stays as it is until that was adopted.
    Edited(MasterEdit),
}

/// An edit of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MasterEdit {
    /// What it says.
    pub edited: Edited,
    /// The file that says so, as it is known from now on where that is adopted.
    own: Own,
}

/// The file, and what is known of it.
#[derive(Clone, Debug)]
pub(super) struct Master {
    known: Known,
    /// Where what was displaced is kept.
    displaced: PathBuf,
    /// A copy of what was written last: what an edit is compared with.
    last: PathBuf,
}

impl Master {
    pub(super) fn new(known: Known) -> Self {
        let beside = |ending: &str| known.list().with_extension(ending);
        Self { displaced: beside("displaced"), last: beside("last"), known }
    }

    /// What is at `path`, held against `rendered`, which is what the file would say now.
    pub(super) fn look(&self, path: &Path, rendered: &[u8]) -> Result<MasterFound, Error> {
        self.look_again(path)?;
        let known = self.known.all()?;
        match self.found(path, rendered.len(), &known)? {
            (Found::Nothing | Found::Ours(_), _) => Ok(MasterFound::AsWritten),
            (Found::Foreign, bytes) if says_nothing(&bytes) => Ok(MasterFound::AsWritten),
            (Found::Foreign, bytes) => Ok(self.edit(&known, rendered, &bytes)),
        }
    }

    /// Puts `bytes` in the place of what is ours there, or of nothing. `others` are what else is ours.
    pub(super) fn put(
        &self,
        path: &Path,
        bytes: &[u8],
        status: &str,
        others: &[Own],
        durability: Durability,
    ) -> Result<MasterFound, Error> {
        self.look_again(path)?;
        let known = self.known.all()?;
        let (found, on_disk) = self.found(path, bytes.len(), &known)?;
        let before = match found {
            Found::Foreign if says_nothing(&on_disk) => Some(Own::new(NAME, &on_disk)),
            Found::Foreign => return Ok(self.edit(&known, bytes, &on_disk)),
            Found::Ours(_) if on_disk == bytes => return Ok(MasterFound::AsWritten),
            Found::Ours(own) => Some(*own),
            Found::Nothing => None,
        };
        let written = Own { note: status.to_owned(), ..Own::new(NAME, bytes) };
        let all: Vec<Own> = others.iter().cloned().chain(before.clone()).chain([written.clone()]).collect();
        self.known.remember(&all)?;
        file::write_atomic(&self.last, bytes, Durability::Unsynced)?;
        let displaced = match before {
            None => None,
            Some(_) => self.exchange(path, bytes)?,
        };
        match displaced {
            // There was nothing, or names cannot be exchanged here.
            None => file::write_shared(path, bytes, durability)?,
            Some(displaced) if displaced == on_disk => {}
            Some(displaced) => {
                // Somebody was faster: theirs goes back, and is what they made of the one before.
                fault::point("files.cycle.put_back");
                file::exchange(&self.displaced, path)?;
                let turned: Vec<Own> = others.iter().cloned().chain([written]).chain(before).collect();
                self.known.remember(&turned)?;
                return Ok(self.edit(&turned, &on_disk, &displaced));
            }
        }
        self.known.wrote(all);
        Ok(MasterFound::AsWritten)
    }

    /// Swaps the new content in; what it displaced. Nothing where that cannot be done, and nothing has changed then.
    fn exchange(&self, path: &Path, bytes: &[u8]) -> Result<Option<Vec<u8>>, Error> {
        file::remove_file_if_exists(&self.displaced)?;
        file::create_like(&self.displaced, path, bytes)?;
        fault::point("files.cycle.displace");
        let swapped = match file::exchange(&self.displaced, path) {
            Err(error) if error.is_cross_device() || error.is_not_found() => false,
            swapped => swapped?,
        };
        if !swapped {
            file::remove_file_if_exists(&self.displaced)?;
            return Ok(None);
        }
        fault::point("files.cycle.displaced");
        file::read_regular(&self.displaced, STATE_BYTES_MAX as u64)
            .map(|found| Some(found.unwrap_or_default()))
    }

    /// Looks at what the last write displaced: a late edit takes the place again, if nothing but ours is there.
    fn look_again(&self, path: &Path) -> Result<(), Error> {
        let Some(late) = file::read_regular(&self.displaced, STATE_BYTES_MAX as u64)? else { return Ok(()) };
        let known = self.known.all()?;
        let mut own: Vec<Own> = known.clone();
        let is_ours = known.iter().any(|own| own.digest == digest(&late));
        if !is_ours && serde_json::from_slice::<Value>(&late).is_ok() {
            let (found, _) = self.found(path, late.len(), &known)?;
            if matches!(found, Found::Ours(_)) && file::exchange(&self.displaced, path)? {
                // What it was made of is the rendering before the last.
                let place = own.iter().rposition(|own| own.name == NAME);
                let last = place.map(|place| own.remove(place));
                let first = own.iter().position(|own| own.name == NAME).unwrap_or(own.len());
                own.splice(first..first, last);
                self.known.wrote(Vec::new());
                return self.known.remember(&own);
            }
        }
        file::remove_file_if_exists(&self.displaced).map(|_| ())
    }

    fn found(&self, path: &Path, bytes: usize, known: &[Own]) -> Result<(Found<Own>, Vec<u8>), Error> {
        look(path, STATE_BYTES_MAX.max(2 * bytes) as u64, |bytes| {
            let digest = digest(bytes);
            known.iter().rev().find(|own| own.name == NAME && own.digest == digest).cloned()
        })
    }

    /// What somebody changed. The fields are compared with what was written last, where that is known, else with how the
    /// file would be now.
    fn edit(&self, known: &[Own], rendered: &[u8], found: &[u8]) -> MasterFound {
        let last = known.iter().rev().find(|own| own.name == NAME);
        let written = file::read_regular(&self.last, STATE_BYTES_MAX as u64).ok().flatten();
        let is_last = |bytes: &Vec<u8>| last.is_some_and(|last| last.digest == digest(bytes));
        let compared = written.filter(is_last).unwrap_or_else(|| rendered.to_vec());
        let own =
            Own { note: status(found).as_str().unwrap_or_default().to_owned(), ..Own::new(NAME, found) };
        let nothing = |fields| Edited { signal: None, word: None, kept_at: None, fields };
        let mut edited = match edits(&compared, found) {
            Ok(edited) => edited.unwrap_or(nothing(Vec::new())),
            Err(why) => {
                let edited = nothing(vec![format!("all of it, which is no JSON: {why}")]);
                return MasterFound::Edited(MasterEdit { edited, own });
            }
        };
        if let Some(last) = last.filter(|last| !last.note.is_empty()) {
            edited.signal = changed_status(&last.note, found);
            edited.word = unknown_word(edited.signal, &status(found));
        }
        MasterFound::Edited(MasterEdit { edited, own })
    }

    /// The edit in the file with this digest was adopted: from now on that is ours, and may be written over.
    pub(super) fn adopted(&self, edit: &MasterEdit) -> Result<(), Error> {
        let mut all = self.known.all()?;
        all.push(edit.own.clone());
        self.known.remember(&all)
    }
}

/// Whether somebody emptied the file: to fill it again, and then it is heard as a late edit, or for good.
fn says_nothing(bytes: &[u8]) -> bool {
    bytes.trim_ascii().is_empty()
}

/// What the status of a file asks for, where it is not the one that was written.
fn changed_status(written: &str, found: &[u8]) -> Option<Signal> {
    let status = status(found);
    (status.as_str() != Some(written)).then(|| signal(&status))
}

fn status(file: &[u8]) -> Value {
    let value: Value = serde_json::from_slice(file).unwrap_or_default();
    value.get("status").cloned().unwrap_or_default()
}
