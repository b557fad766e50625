//! Putting `run_state.json` where it belongs, and never over what somebody else wrote.
//!
//! The published format has no room for a proof of origin, so what is ours is known by its digest: see [`Known`].
//!
//! The last of these digests also says which rendering somebody edited. What they wrote counts while the run is as that
//! one shows it; whatever was done with the run since came later, and wins.

use std::path::{Path, PathBuf};

use piton_model::workflow::State;
use piton_model::{Machine, Status};
use piton_sys::file::{self, Durability, Error};

use super::import::{Edits, STATE_BYTES_MAX, edits};
use super::place::RunPlace;
use super::render::render;
use crate::aside::{Quarantined, known_by, quarantine};
use crate::known::{Known, Own, digest};
use crate::place::{Found, enter, look};

/// How often the view is put again where its directory is taken away meanwhile.
const TIDYING_TRIES: u32 = 50;

/// Where a run's view is, and where it is remembered what of it is ours.
#[derive(Clone, Debug)]
pub struct RunView {
    place: RunPlace,
    known: Known,
}

/// What somebody did to the view of a run at rest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edited {
    /// Nothing; or it is not there.
    No,
    /// Statuses were changed, and perhaps more.
    Statuses {
        edits: Edits,
        /// The digest of the file that says so, for [`RunView::adopted`].
        digest: String,
    },
    /// Something that cannot be adopted: it was moved aside.
    Quarantined(Quarantined),
}

/// Whether there are files that show this run. Of a queue there are none: its items are loops, which have theirs, and its list says what
/// is done.
pub fn has_view(state: &State) -> bool {
    state.options.queue.is_none()
}

impl RunView {
    /// The view at `place`; `digests` is a file below `home`, piton's own directory.
    pub fn new(place: RunPlace, home: PathBuf, digests: PathBuf) -> Self {
        Self { place, known: Known::new(home, digests) }
    }

    /// Where the run's files are.
    pub fn place(&self) -> &RunPlace {
        &self.place
    }

    /// Makes the directories that the format promises. One that is a link is refused.
    pub fn prepare(&self) -> Result<(), Error> {
        let place = &self.place;
        let agents = place.repo.join(".agents");
        let directory = place.directory();
        let archive = place.reports().join("archive");
        let (runs, logs) = (agents.join("runs"), directory.join("logs"));
        let old_logs = logs.join("archive");
        let all = [
            agents,
            runs,
            directory,
            place.reports(),
            archive,
            place.manual_inputs(),
            place.artifacts(),
            logs,
            old_logs,
        ];
        all.iter().try_for_each(|directory| file::within(&place.repo, directory, enter))
    }

    /// Puts the view of `state` at its place. What is there and not ours is moved aside first.
    pub fn publish(&self, state: &State) -> Result<Option<Quarantined>, Error> {
        if !has_view(state) {
            return Ok(None);
        }
        let bytes = render(state, &self.place);
        let put =
            || file::within(&self.place.repo, &self.place.state(), |path| self.put(state, &bytes, path));
        let mut published = put();
        // A step may tidy up, as `git clean` does, and be at it while the directories are made again.
        for _ in 0..TIDYING_TRIES {
            match &published {
                Err(error) if error.is_not_found() => published = self.prepare().and_then(|()| put()),
                _ => break,
            }
        }
        published
    }

    fn put(&self, state: &State, bytes: &[u8], path: &Path) -> Result<Option<Quarantined>, Error> {
        let (found, on_disk) = self.look(path, bytes.len())?;
        if on_disk == bytes {
            return Ok(None);
        }
        let (moved, before) = match found {
            Found::Nothing => (None, None),
            Found::Ours(digest) => (None, Some(*digest)),
            Found::Foreign => (Some(self.aside(path, state)?), None),
        };
        let written = Own::new("", bytes);
        let both: Vec<Own> = before.into_iter().chain([written.clone()]).collect();
        self.known.remember(&both)?;
        // Whoever may look into the repository may look at the run, as at all else that lies beside it.
        file::write_shared(path, bytes, Durability::Unsynced)?;
        self.known.wrote(vec![written]);
        Ok(moved)
    }

    /// Whether the view shows something else than `state`: whoever drove died before rendering it. Of a run at rest also
    /// whether the file alone is gone. One that somebody edited is behind once the run is not as they saw it.
    pub fn is_behind(&self, state: &State) -> Result<bool, Error> {
        if !has_view(state) {
            return Ok(false);
        }
        let bytes = render(state, &self.place);
        let (found, on_disk) =
            file::within(&self.place.repo, &self.place.state(), |path| self.look(path, bytes.len()))?;
        Ok(match found {
            Found::Ours(_) => on_disk != bytes,
            Found::Nothing => state.is_at_rest(),
            Found::Foreign => !self.rendered_last(&bytes)?,
        })
    }

    /// Whether these bytes are what was rendered last.
    fn rendered_last(&self, bytes: &[u8]) -> Result<bool, Error> {
        Ok(self.known.all()?.last().is_some_and(|last| last.digest == digest(bytes)))
    }

    /// Moves a file away that is not ours. `path` leads to it by another way; people know it by its own.
    fn aside(&self, path: &Path, state: &State) -> Result<Quarantined, Error> {
        let moved = quarantine(&self.place.repo, path, state.updated_at)?;
        let (from, to) = known_by(&moved, &self.place.directory(), &self.place.repo);
        let hint = match state.status {
            Status::Completed => "the run is completed: `piton run --start-at-step` does a step of it again",
            _ if !self.rendered_last(&render(state, &self.place))? => {
                "what was done with the run since then counts, and nothing of the file is taken"
            }
            _ => "of a run that rests only the `status` of a step may be edited",
        };
        Ok(Quarantined { from, to, hint: hint.to_owned() })
    }

    /// What somebody did to the view since piton wrote it. Only of a run at rest.
    pub fn edited(&self, state: &State) -> Result<Edited, Error> {
        let path = self.place.state();
        if !has_view(state) || path.symlink_metadata().is_err() {
            return Ok(Edited::No);
        }
        file::within(&self.place.repo, &path, |path| self.compare(state, path))
    }

    fn compare(&self, state: &State, path: &Path) -> Result<Edited, Error> {
        let bytes = render(state, &self.place);
        let (found, on_disk) = self.look(path, bytes.len())?;
        match found {
            Found::Nothing | Found::Ours(_) => Ok(Edited::No),
            Found::Foreign if on_disk != bytes && !self.rendered_last(&bytes)? => {
                Ok(Edited::Quarantined(self.aside(path, state)?))
            }
            Found::Foreign => match edits(state, &self.place, &on_disk) {
                Ok(edits) if edits == Edits::default() => Ok(Edited::No),
                Ok(edits) if !edits.statuses.is_empty() => {
                    Ok(Edited::Statuses { edits, digest: digest(&on_disk) })
                }
                Ok(edits) => {
                    let moved = self.aside(path, state)?;
                    let hint = edits.not_taken(&format!("{}, not", moved.hint));
                    Ok(Edited::Quarantined(Quarantined { hint, ..moved }))
                }
                Err(why) => {
                    let moved = self.aside(path, state)?;
                    let hint = format!("{}; nothing of it is taken: {why}", moved.hint);
                    Ok(Edited::Quarantined(Quarantined { hint, ..moved }))
                }
            },
        }
    }

    /// Moves an edited view away that cannot be adopted.
    pub fn set_aside(&self, state: &State) -> Result<Quarantined, Error> {
        file::within(&self.place.repo, &self.place.state(), |path| self.aside(path, state))
    }

    /// The statuses in the file with this digest were adopted: from now on it is ours, and may be written over. One that
    /// says more than that is kept as somebody wrote it.
    pub fn adopted(&self, state: &State, edits: &Edits, digest: &str) -> Result<Option<Quarantined>, Error> {
        let not_taken = edits.not_taken("other edits are not:");
        if not_taken.is_empty() {
            let own = Own { digest: digest.to_owned(), name: String::new(), note: String::new() };
            return self.known.remember(&[own]).map(|()| None);
        }
        let moved = self.set_aside(state)?;
        let hint = format!("the statuses in it are taken, {not_taken}");
        Ok(Some(Quarantined { hint, ..moved }))
    }

    /// What is at the place of the view. Ours may be larger than what is accepted of others: about as large as the one
    /// that is to take its place.
    fn look(&self, path: &Path, bytes: usize) -> Result<(Found<Own>, Vec<u8>), Error> {
        let known = self.known.all()?;
        look(path, STATE_BYTES_MAX.max(2 * bytes) as u64, |bytes| {
            let digest = digest(bytes);
            known.into_iter().find(|own| own.digest == digest)
        })
    }
}
