//! Putting a view where it belongs, and never in the way of anything else.
//!
//! | at the run's place | what happens |
//! |---|---|
//! | nothing | written |
//! | ours, this run, older or as old | replaced |
//! | ours, this run, newer | left: views lag, never lead |
//! | ours, another run that is finished | moved to the backups, then written |
//! | ours, another run that is not | left: this run writes `.ralph/loops/<id>/state.json` |
//! | foreign | quarantined beside its place, then written |
//! | a link, a directory, a pipe | an error, nothing is touched |
//!
//! A run that once wrote beside another one stays there, so that its path does not change under its readers.
//! Each step is one rename: a crash leaves a whole file or none, and the next call goes on from there.

use std::path::{Path, PathBuf};

use piton_model::{RunId, Seq};
use piton_sys::fault;
use piton_sys::file::{self, Durability, Error};

use super::backup::back_up;
use super::format::PersistedLoopState;
use super::owner::{Ours, seq, to_bytes};
use super::place::{home, look, look_for_ours, loops, main_file, side_file, sweep};
use crate::aside::{Quarantined, quarantine};
use crate::place::{Alone, Found, Order, Wrote, check, enter};

/// What became of a view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Published {
    /// The run's place.
    pub path: PathBuf,
    /// Whether the file there was written.
    pub wrote: Wrote,
    /// A file that piton did not write and moved out of its way: to be told to a person.
    pub quarantined: Option<Quarantined>,
    /// Where our own file of a finished run went.
    pub backed_up: Option<PathBuf>,
}

/// Puts the view at its place in the repository at `root`, by the rules of this module.
pub fn publish(root: &Path, view: &PersistedLoopState) -> Result<Published, Error> {
    put(root, view, Order::Forward)
}

/// The same, also in the place of a newer view of the same run: after the journal was restored to an earlier
/// point, what the journal says is right.
pub fn rebuild(root: &Path, view: &PersistedLoopState) -> Result<Published, Error> {
    put(root, view, Order::Any)
}

/// Where the run's view is, if it has one that is ours.
pub fn published_path(root: &Path, run: &RunId) -> Option<PathBuf> {
    find(root, run).map(|(path, _)| path)
}

/// The run's view as it is on disk, if it has one that is ours.
pub fn read(root: &Path, run: &RunId) -> Option<PersistedLoopState> {
    find(root, run).map(|(_, ours)| ours.view)
}

/// The event up to which the run's view on disk shows it, if it has one that is ours.
pub fn published_seq(root: &Path, run: &RunId) -> Option<Seq> {
    find(root, run).map(|(_, ours)| ours.seq)
}

/// What is at the place of loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Main {
    /// A file that piton wrote.
    Ours,
    /// One that it did not write, or that was changed since.
    Foreign,
    /// Nothing, though other files of loops are there.
    Nothing,
    /// Nothing at all.
    Unused,
}

/// What is at the place of loops.
pub fn main(root: &Path) -> Main {
    if check(&home(root)).is_err() || !home(root).is_dir() {
        return Main::Unused;
    }
    match look(&main_file(root)) {
        Ok((Found::Ours(_), _)) => Main::Ours,
        Ok((Found::Foreign, _)) => Main::Foreign,
        Ok((Found::Nothing, _)) => Main::Nothing,
        Err(_) => Main::Foreign,
    }
}

fn find(root: &Path, run: &RunId) -> Option<(PathBuf, Ours)> {
    check(&home(root)).ok()?;
    [side_file(root, run.as_str()), main_file(root)].into_iter().find_map(|path| {
        let ours = look_for_ours(&path)?;
        ours.is_of(run.as_str()).then_some((path, ours))
    })
}

fn put(root: &Path, view: &PersistedLoopState, order: Order) -> Result<Published, Error> {
    enter(&home(root))?;
    let alone = Alone::in_directory(&home(root))?;
    let side = side_file(root, &view.loop_id);
    if side.symlink_metadata().is_ok() {
        return beside(root, &alone, &side, view, order);
    }
    let path = main_file(root);
    match look(&path)?.0 {
        Found::Ours(ours) if !ours.is_of(&view.loop_id) => {
            if !ours.view.core.status.is_finished() {
                return beside(root, &alone, &side, view, order);
            }
            sweep(&alone, &home(root))?;
            let backed_up = Some(back_up(root, &path, ours.view.saved_at)?);
            fault::point("files.publish.aside");
            let published = put_at(root, path, view, order)?;
            Ok(Published { backed_up, ..published })
        }
        Found::Nothing | Found::Foreign | Found::Ours(_) => {
            sweep(&alone, &home(root))?;
            put_at(root, path, view, order)
        }
    }
}

fn beside(
    root: &Path,
    alone: &Alone,
    path: &Path,
    view: &PersistedLoopState,
    order: Order,
) -> Result<Published, Error> {
    let directory = loops(root).join(&view.loop_id);
    enter(&loops(root))?;
    enter(&directory)?;
    sweep(alone, &directory)?;
    put_at(root, path.to_owned(), view, order)
}

/// Writes to a place that is this run's, or foreign.
fn put_at(root: &Path, path: PathBuf, view: &PersistedLoopState, order: Order) -> Result<Published, Error> {
    let bytes = to_bytes(view);
    let (found, on_disk) = look(&path)?;
    let mut quarantined = None;
    let wrote =
        match found {
            Found::Ours(_) if on_disk == bytes => Wrote::Unchanged,
            Found::Ours(ours) if ours.is_of(&view.loop_id) => {
                if order == Order::Forward && ours.seq > seq(view) { Wrote::NewerThere } else { Wrote::Yes }
            }
            Found::Nothing => Wrote::Yes,
            Found::Foreign | Found::Ours(_) => {
                quarantined = Some(quarantine(root, &path, view.saved_at)?);
                fault::point("files.publish.aside");
                Wrote::Yes
            }
        };
    if wrote == Wrote::Yes {
        fault::point("files.publish.write");
        file::write_atomic(&path, &bytes, Durability::Synced)?;
    }
    Ok(Published { path, wrote, quarantined, backed_up: None })
}
