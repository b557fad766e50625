//! The files of a cycle, as whoever drives it knows them: publish, look for edits, adopt them.
//!
//! One publication is a [`Writer`]'s; the state file among people is [`Master`]'s.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

use piton_model::cycle::{RoleName, State};
use piton_model::{Machine, Timestamp};
use piton_sys::file::{self, Durability, Error};

use super::documents::rendered_names;
use super::histories::Histories;
use super::import::STATE_BYTES_MAX;
use super::master::{Master, MasterEdit, MasterFound, NAME};
use super::place::CyclePlace;
use super::render::{other_roles, render};
use super::writer::{Writer, length};
use crate::aside::{Quarantined, known_by, move_to_free_name, quarantine, stamp};
use crate::known::{Known, digest};
use crate::place::enter;

/// How often files are put again where their directories are taken away meanwhile.
const TIDYING_TRIES: u32 = 50;

/// How much is moved out of the way of one publication.
const IN_THE_WAY_MAX: u32 = 1_000;

/// How what a role wrote is taken into the state: without secrets.
#[derive(Clone)]
pub(super) struct Redact(pub(super) Arc<dyn Fn(&str) -> String + Send + Sync>);

impl std::fmt::Debug for Redact {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Redact")
    }
}

/// The files of a cycle.
#[derive(Clone, Debug)]
pub struct CycleView {
    pub(super) place: CyclePlace,
    pub(super) known: Known,
    pub(super) master: Master,
    pub(super) redact: Redact,
    /// What a crash left half written was cleared away.
    pub(super) is_swept: Arc<AtomicBool>,
    /// Logs that were whole: how many lines they were to have, and how long they were then.
    pub(super) whole: Arc<Mutex<BTreeMap<String, (u64, u64)>>>,
    /// What was moved aside and nobody was told of yet.
    pub(super) moved: Arc<Mutex<Vec<Quarantined>>>,
}

/// What publishing came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Published {
    /// What stood in the way and lies aside now.
    pub quarantined: Vec<Quarantined>,
    /// Lines of a role's own log that were kept beside it: whoever reads what the role hands in has told it.
    pub kept: Vec<Quarantined>,
    /// Files that could not be written, and why. The others were.
    pub failed: Vec<String>,
    /// What was found in the place of `<id>.json`. Only what piton wrote is written over.
    pub master: MasterFound,
    /// Logs that lack lines from before those that the state knows: publish again with all histories.
    pub behind: Vec<String>,
}

impl CycleView {
    /// The files at `place`; `list` is a file below `home`, piton's own directory, for what it must remember of them.
    pub fn new(place: CyclePlace, home: PathBuf, list: PathBuf) -> Self {
        let known = Known::new(home, list);
        let redact = Redact(Arc::new(str::to_owned));
        let master = Master::new(known.clone());
        let (is_swept, whole, moved) = Default::default();
        Self { place, known, master, redact, is_swept, whole, moved }
    }

    /// The same where documents are taken into the state through `redact`: one that held a secret is written over with what
    /// was taken of it, and not kept beside.
    #[must_use]
    pub fn redacted_by(self, redact: impl Fn(&str) -> String + Send + Sync + 'static) -> Self {
        Self { redact: Redact(Arc::new(redact)), ..self }
    }

    /// Where the files are.
    pub fn place(&self) -> &CyclePlace {
        &self.place
    }

    /// Makes the directories that the format promises. What is none in the place of one of this cycle's own is moved aside; the
    /// others are not its own, and a link there is refused.
    pub fn prepare(&self, state: &State) -> Result<(), Error> {
        let all = self.place.directories(&other_roles(state));
        let enter_all =
            || all.iter().try_for_each(|directory| file::within(&self.place.repo, directory, enter));
        self.past_what_is_in_the_way(state, enter_all)
    }

    /// Does something as often as it takes to move aside what is in its way.
    fn past_what_is_in_the_way<T>(
        &self,
        state: &State,
        act: impl Fn() -> Result<T, Error>,
    ) -> Result<T, Error> {
        let mut done = act();
        for _ in 0..IN_THE_WAY_MAX {
            match &done {
                Err(error) if self.is_own(error) && self.move_aside(&error.path, state).is_ok() => {
                    done = act()
                }
                _ => break,
            }
        }
        done
    }

    /// Whether something else than a file, or a directory, lies in a place of this cycle's own.
    fn is_own(&self, error: &Error) -> bool {
        let is_in_place = error.path == self.place.state() || error.path.starts_with(self.place.progress());
        error.refusal().is_some() && is_in_place
    }

    /// Moves whatever lies there aside; it is told of with the next publication.
    fn move_aside(&self, path: &Path, state: &State) -> Result<(), Error> {
        let repo = &self.place.repo;
        let metadata = path.symlink_metadata().map_err(|error| Error::new("look at", path, error))?;
        let what = match metadata.file_type() {
            kind if kind.is_symlink() => "a link",
            kind if kind.is_dir() => "a directory",
            kind if kind.is_file() => "a file that does not belong there",
            _ => "no file",
        };
        let moved = file::within(repo, path, |path| quarantine(repo, path, state.updated_at))?;
        let (from, to) = known_by(&moved, path.parent().unwrap_or(path), repo);
        let hint = format!("it was {what}, and nothing of it was taken");
        self.moved.lock().unwrap_or_else(PoisonError::into_inner).push(Quarantined { from, to, hint });
        Ok(())
    }

    /// Moves aside what is no file, or no directory, in the places that piton renders; of a role that is at work and is not
    /// `own` nothing is touched. What was found.
    pub fn clear_the_way(&self, state: &State, own: &RoleName) -> Result<Vec<Quarantined>, Error> {
        let is_left_alone = |path: &Path| {
            state.team().any(|(role, at)| {
                role.name != *own
                    && at.open.is_some()
                    && path.starts_with(self.place.directory(role.name.as_str()))
            })
        };
        let wrong = |path: &PathBuf, is_right: &dyn Fn(std::fs::FileType) -> bool| {
            path.symlink_metadata().is_ok_and(|metadata| !is_right(metadata.file_type()))
        };
        let directories = self.place.directories(&other_roles(state));
        for path in directories.iter().skip(2).filter(|path| !is_left_alone(path)) {
            if wrong(path, &|kind| kind.is_dir()) {
                self.move_aside(path, state)?;
            }
        }
        self.prepare(state)?;
        let rendered = rendered_names(state, &self.place, own);
        let files = rendered.iter().map(|name| self.place.file(name)).chain([self.place.state()]);
        for path in files.filter(|path| !is_left_alone(path)).collect::<Vec<_>>() {
            if wrong(&path, &|kind| kind.is_file()) {
                self.move_aside(&path, state)?;
            }
        }
        Ok(std::mem::take(&mut *self.moved.lock().unwrap_or_else(PoisonError::into_inner)))
    }

    /// Brings all files up to date. `histories` gives all entries of all logs, where that is possible; it is asked only where a log
    /// lacks more than the state knows.
    pub fn publish(
        &self,
        state: &State,
        histories: &dyn Fn() -> Option<Histories>,
        durability: Durability,
    ) -> Result<Published, Error> {
        let put = || {
            self.past_what_is_in_the_way(state, || Writer::new(self, state, durability).publish(histories))
        };
        let mut published = put();
        // A role may tidy up, as `git clean` does, and be at it while the directories are made again.
        for _ in 0..TIDYING_TRIES {
            match &published {
                Err(error) if error.is_not_found() => published = self.prepare(state).and_then(|()| put()),
                _ => break,
            }
        }
        published
    }

    /// What somebody did to `<id>.json` since piton wrote it. Where they edited more than the status, their file is kept
    /// beside, too.
    pub fn edited(&self, state: &State) -> Result<MasterFound, Error> {
        let path = self.place.state();
        let is_readable = path.symlink_metadata().is_ok() && length(&path) <= STATE_BYTES_MAX as u64;
        if !is_readable || !self.has_written()? {
            return Ok(MasterFound::AsWritten);
        }
        let rendered = render(state, &self.place);
        let found = file::within(&self.place.repo, &path, |path| self.master.look(path, &rendered))?;
        let MasterFound::Edited(mut edit) = found else { return Ok(found) };
        if !edit.edited.fields.is_empty() {
            let kept = file::within(&self.place.repo, &path, |path| {
                let bytes = file::read_regular(path, STATE_BYTES_MAX as u64)?.unwrap_or_default();
                self.keep(path, &bytes, state.updated_at)
            })?;
            let kept = self.place.relative(&path.with_file_name(kept));
            edit.edited.kept_at = Some(kept.to_string_lossy().into_owned());
        }
        Ok(MasterFound::Edited(edit))
    }

    /// Whether `<id>.json` was ever written for this cycle.
    pub(super) fn has_written(&self) -> Result<bool, Error> {
        Ok(self.known.all()?.iter().any(|own| own.name == NAME))
    }

    /// What an edit says is on record: the file may be written over now.
    pub fn adopted(&self, edit: &MasterEdit) -> Result<(), Error> {
        self.master.adopted(edit)
    }

    /// Whether piton wrote these bytes under this name below `<id>.progress`.
    pub fn is_ours(&self, name: &str, bytes: &[u8]) -> Result<bool, Error> {
        let digest = digest(bytes);
        Ok(self.known.all()?.iter().any(|own| own.name == name && own.digest == digest))
    }

    /// Whether `<id>.json` shows something else than `state`: whoever drove died before rendering it. Of a cycle at rest also
    /// whether it is gone.
    pub fn is_behind(&self, state: &State) -> Result<bool, Error> {
        let bytes = render(state, &self.place);
        let path = self.place.state();
        if path.symlink_metadata().is_err() {
            return Ok(state.is_at_rest());
        }
        let known = self.known.all()?;
        file::within(&self.place.repo, &path, |path| {
            let on_disk =
                file::read_regular(path, STATE_BYTES_MAX.max(2 * bytes.len()) as u64)?.unwrap_or_default();
            let is_ours = known.iter().any(|own| own.digest == digest(&on_disk));
            Ok(is_ours && on_disk != bytes)
        })
    }

    /// Keeps a copy of these bytes beside the file, and says under which name. The same copy is not made twice.
    pub(super) fn keep(&self, path: &Path, bytes: &[u8], at: Timestamp) -> Result<PathBuf, Error> {
        let directory = path.parent().unwrap_or(path);
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let stem = format!("{name}.foreign-{}", stamp(at, "T", "Z"));
        let first = directory.join(&stem);
        let there = if file::holds(&first, bytes) {
            first
        } else {
            let copy = directory.join(format!(".{name}.{}.tmp", &digest(bytes)[..16]));
            file::write_shared(&copy, bytes, Durability::Unsynced)?;
            move_to_free_name(&self.place.repo, &copy, directory, &stem, "")?
        };
        Ok(there.file_name().map(PathBuf::from).unwrap_or_default())
    }
}
