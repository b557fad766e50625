//! The files of the team: rendered from the state by one writer, before anybody who may read them is started.
//!
//! What somebody wrote into the state file stays there until it is on record; then it is written over.

use std::sync::{Arc, PoisonError};

use piton_files::Quarantined;
use piton_files::cycle::{CYCLES, CyclePlace, CycleView, Histories, MasterFound, Published, render};
use piton_model::RunId;
use piton_model::cycle::{Edited, RoleName, State};
use piton_store::{Store, chain};
use piton_sys::file::{self, Durability};
use piton_view::{Error, Rebuilt};

use super::Context;
use crate::client::LocalClient;
use crate::launch::{LaunchError, Secrets};
use crate::layout::Layout;
use crate::load;
use crate::world::{WorldError, sentence};

/// A state file that is larger was not written by piton.
const STATE_BYTES_MAX: u64 = 64 << 20;

/// Who writes the files of a cycle.
pub(super) struct Publisher {
    view: CycleView,
    store: Arc<dyn Store>,
    run: RunId,
}

impl Publisher {
    pub(super) fn open(store: Arc<dyn Store>, layout: &Layout, state: &State) -> Result<Self, WorldError> {
        let redactor = Secrets::of(layout.root()).map_err(LaunchError::from)?.redactor().clone();
        let redact = move |text: &str| redactor.redact(text).into_owned();
        let view = view_of(layout, &state.run).redacted_by(redact);
        view.prepare(state)?;
        Ok(Self { view, store, run: state.run.clone() })
    }

    fn publish(&self, state: &State, durability: Durability) -> Result<Published, file::Error> {
        let histories = || self.histories();
        let published = self.view.publish(state, &histories, durability)?;
        match &published.master {
            MasterFound::Edited(edit) if state.edited.is_some() && state.edited == self.digest() => {
                self.view.adopted(edit)?;
                self.view.publish(state, &histories, durability)
            }
            _ => Ok(published),
        }
    }

    /// Whether piton wrote this file below the progress of the cycle.
    pub(super) fn is_ours(&self, name: &str, bytes: &[u8]) -> bool {
        self.view.is_ours(name, bytes).unwrap_or(false)
    }

    /// Moves aside what is no file in a place that piton writes to, now that this role has ended: what it was, in sentences.
    pub(super) fn clear_the_way(&self, state: &State, own: &RoleName) -> Vec<String> {
        let moved = self.view.clear_the_way(state, own).unwrap_or_default();
        let sentence = |moved: &Quarantined| {
            let (from, to) = (moved.from.display(), moved.to.display());
            format!("`{from}` is in the way and lies at `{to}` now: {}; leave plain files there", moved.hint)
        };
        moved.iter().map(sentence).collect()
    }

    /// The name of what is in the state file.
    fn digest(&self) -> Option<String> {
        let bytes = file::read_regular(&self.view.place().state(), STATE_BYTES_MAX).ok().flatten()?;
        Some(chain::hex(&chain::digest(&bytes)))
    }

    /// What somebody did to the state file that is not on record, with the name of its content.
    pub(super) fn edited(&self, state: &State) -> Option<(Edited, String)> {
        let edited = match self.view.edited(state).ok()? {
            MasterFound::AsWritten => return None,
            MasterFound::Edited(edit) => edit.edited,
        };
        let digest = self.digest()?;
        (state.edited.as_ref() != Some(&digest)).then_some((edited, digest))
    }

    /// All that the logs of the cycle ever held. On a thread with a runtime of its own, which cannot be within this one; asked
    /// only where somebody took a log away.
    fn histories(&self) -> Option<Histories> {
        let (store, run) = (Arc::clone(&self.store), self.run.clone());
        let read = move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().ok()?;
            let mut histories = Histories::default();
            let absorb = &mut |state: &State| histories.absorb(state);
            runtime.block_on(load::fold_all(&*store, &run, absorb)).ok()?;
            Some(histories)
        };
        std::thread::Builder::new().spawn(read).ok()?.join().ok()?
    }
}

/// The files of `run` in the repository of `layout`.
fn view_of(layout: &Layout, run: &RunId) -> CycleView {
    let place = CyclePlace::new(layout.root(), run.as_str());
    CycleView::new(place, layout.state(), layout.attempts(run).join("cycle-files"))
}

/// Makes the directories of a cycle that is about to be on record.
pub(crate) fn prepare_files(layout: &Layout, state: &State) -> Result<(), file::Error> {
    view_of(layout, &state.run).prepare(state)
}

/// Brings the files up to date; what a person should know of it.
pub(super) fn publish(context: &Context, state: &State, at_rest: bool) -> Vec<String> {
    let durability = if at_rest { Durability::Synced } else { Durability::Unsynced };
    // Whoever reads what a role handed in waits meanwhile, and then knows what was put aside.
    let mut overwritten = context.overwritten.lock().unwrap_or_else(PoisonError::into_inner);
    match context.view.publish(state, durability) {
        Ok(published) => {
            overwritten.extend(published.quarantined.iter().map(ToString::to_string));
            let is_said = |why: &String, said: &[String]| {
                let mut on_record = state.phase_errors.recent.iter();
                said.contains(why) || on_record.any(|error| error.error == *why)
            };
            for why in failures(&published) {
                if !is_said(&why, &overwritten) {
                    overwritten.push(why);
                }
            }
            notes(&published)
        }
        Err(error) => vec![format!("the files of the cycle were not written: {}", sentence(&error))],
    }
}

fn notes(published: &Published) -> Vec<String> {
    let moved = published.quarantined.iter().chain(&published.kept).map(ToString::to_string);
    let behind =
        published.behind.iter().map(|log| format!("`{log}` lacks lines, which cannot be given back"));
    moved.chain(failures(published)).chain(behind).collect()
}

/// Files that could not be written, in sentences.
fn failures(published: &Published) -> impl Iterator<Item = String> {
    published.failed.iter().map(|why| format!("a file of the cycle was not written: {why}"))
}

/// Whether the files show something else than the state: whoever drove died before rendering them.
pub(crate) fn is_behind(layout: &Layout, state: &State) -> bool {
    view_of(layout, &state.run).is_behind(state).unwrap_or(false)
}

/// Renders the files of a cycle that nobody drives. What a person should know of it.
pub(crate) async fn publish_at_rest(client: &LocalClient, state: &State) -> Option<String> {
    match rendered(client, state) {
        Ok(published) => notes(&published).into_iter().next().map(|note| format!("note: {note}")),
        Err(error) => Some(format!("note: the files of the cycle were not written: {}", sentence(&error))),
    }
}

fn rendered(client: &LocalClient, state: &State) -> Result<Published, WorldError> {
    let store = client.store().map_err(|error| WorldError::Furnish { what: error.to_string() })?;
    let publisher = Publisher::open(Arc::clone(store), client.layout(), state)?;
    Ok(publisher.publish(state, Durability::Synced)?)
}

/// Renders the files of a cycle that was taken up from them: what stands in the place of the state file is kept beside, and
/// written over. What a person should know of it.
pub(crate) fn take_over_files(client: &LocalClient, state: &State) -> Result<Vec<String>, Error> {
    let view = view_of(client.layout(), &state.run);
    view.prepare(state)?;
    let mut notes = Vec::new();
    if let MasterFound::Edited(edit) = view.edited(state)? {
        let kept = edit.edited.kept_at.iter();
        notes.extend(kept.map(|name| format!("the state file as it was: .workflow/.cycle/{name}")));
        view.adopted(&edit)?;
    }
    notes.extend(self::notes(&rendered(client, state)?));
    Ok(notes)
}

/// Renders the files of a cycle again, wherever it is.
pub(crate) async fn republish(client: &LocalClient, state: &State) -> Result<Rebuilt, Error> {
    let published = rendered(client, state)?;
    let place = CyclePlace::new(client.layout().root(), state.run.as_str());
    let written = [place.state(), place.progress()].map(|path| path.display().to_string());
    Ok(Rebuilt { written: written.into(), notes: notes(&published) })
}

/// The state file of a cycle.
pub(crate) fn view_bytes(layout: &Layout, state: &State) -> Vec<u8> {
    render(state, &CyclePlace::new(layout.root(), state.run.as_str()))
}

/// What becomes of the files of a cycle that is forgotten: they stay, unless they are to go. What a person should know of it.
pub(crate) fn forget_files(
    layout: &Layout,
    run: &RunId,
    remove: bool,
) -> Result<Option<String>, file::Error> {
    let place = CyclePlace::new(layout.root(), run.as_str());
    if remove {
        if place.state().symlink_metadata().is_ok() {
            file::within(layout.root(), &place.state(), |path| file::remove_file_if_exists(path).map(drop))?;
        }
        file::remove_tree_within(layout.root(), &place.progress())?;
        return Ok(None);
    }
    let is_there = place.state().exists() || place.progress().exists();
    Ok(is_there.then(|| {
        format!(
            "kept: {CYCLES}/{run}.json and {CYCLES}/{run}.progress; `piton cycle rebuild {run}` makes a cycle of them again"
        )
    }))
}
