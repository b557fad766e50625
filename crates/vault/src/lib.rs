//! Keeping a journal: backups that count once they have been restored, and what they bring back.
//!
//! Rows are shipped, not pages: a backup is a chain of immutable [segments](segment) that hold appends as the journal keeps
//! them, and a [`manifest`] that says which segments make it up and where each run ends. The cursor of a run is its
//! last event and that event's hash, never the number of a row.
//!
//! - [`segment`]: the file format. [`object`]: how it is packed. [`manifest`]: what a backup says of itself. [`target`]: where backups lie.
//! - [`Covered`]: a target whose objects are sealed on their way.
//! - [`mod@create`]: making one. [`spool`]: reading one back. [`fold`]: what its events say. [`mod@restore`]: a journal again.
//! - [`mod@list`]: which there are, whether they can be restored, and which may go. [`condemned`]: how, where lists may be late.
//! - [`mod@list`]: which there are, whether they can be restored, and which may go.
//! - [`replica`]: the same rows a moment after they were written, and again and again.
//!
//! Invariant: a manifest is written last, and only once everything that it names was read back from the target and made a
//! journal that verifies. Invariant: nothing is overwritten, here or at the target: objects are named by what they hold.

mod condemned;
mod covered;
pub mod create;
mod error;
mod fold;
pub mod list;
pub mod manifest;
mod object;
pub mod replica;
pub mod restore;
pub mod segment;
pub mod spool;
pub mod target;

pub use covered::Covered;
pub use create::{Created, create};
pub use error::Error;
pub use list::{Listed, Pruned, list, newest, prune, verify};
pub use manifest::Manifest;
pub use restore::{Restored, Until, prove, restore};
pub use spool::Spool;
pub use target::Target;

/// What git has lost of the snapshots of a run, where that is why they could not be bundled; any other reason is an error.
fn incomplete(
    workspace: &piton_git::Workspace,
    run: &piton_model::RunId,
    error: Error,
) -> Result<String, Error> {
    let Some(tip) = workspace.tip(run.as_str())? else { return Err(error) };
    match workspace.check_complete(&tip) {
        Ok(()) => Err(error),
        Err(lacking) => {
            let what = lacking.to_string();
            let what = what.split_whitespace().collect::<Vec<_>>().join(" ");
            Ok(format!("run `{run}`: git has lost some of its snapshots: {what}"))
        }
    }
}

/// Whether a field says nothing, so that it is not written.
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
