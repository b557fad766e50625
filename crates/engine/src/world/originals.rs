//! The original is used for the verdict: protected files as they were trusted, for as long as checks run.
//!
//! Where a cheat is refused, everything is put back anyway. Where a person is asked or it is only reported, what
//! the agent left stays, but it must not judge itself: the originals stand in its place during the round. Both
//! sides come from snapshots, so a crash in between loses nothing, and the round is simply run again.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use piton_git::{Entry, Tree};
use piton_model::State;
use piton_model::loop_machine::{GuardMode, Snapshot};
use piton_sys::file::{self, Durability};

use super::protected::{Base, failed};
use super::{Context, WorldError, snapshot_id};

/// What the agent left of protected files, to be put back after the round.
#[derive(Default)]
pub(super) struct Left(Vec<(PathBuf, Option<Vec<u8>>)>);

/// Puts the originals of protected files in the place of what the agent made of them.
pub(super) fn stand_in(context: &Context, state: &State) -> Result<Left, WorldError> {
    let wanted = matches!(state.config.guard, GuardMode::Ask | GuardMode::Report) && state.work.attempt > 0;
    let (Some(trusted), Some(left)) = (&state.judged.trusted, &state.seen.snapshot) else {
        return Ok(Left::default());
    };
    if !wanted || trusted.tree == left.tree || state.work.restore.is_some() {
        return Ok(Left::default());
    }
    let base = Base::of(context, state, trusted)?;
    let originals = Side::of(context, state, &base, trusted)?;
    let of_agent = Side::of(context, state, &base, left)?;
    let mut kept = Left::default();
    let paths: Vec<&String> = originals.entries.keys().chain(of_agent.entries.keys()).collect();
    for path in paths {
        let (original, changed) = (originals.entries.get(path), of_agent.entries.get(path));
        let place = context.layout.tree().join(path);
        if original.map(|entry| &entry.id) == changed.map(|entry| &entry.id)
            || kept.0.iter().any(|(known, _)| *known == place)
        {
            continue;
        }
        kept.0.push((place.clone(), of_agent.read(changed)?));
        put(&place, originals.read(original)?.as_deref())?;
    }
    Ok(kept)
}

impl Left {
    /// Puts back what the agent left.
    pub(super) fn put_back(self) -> Result<(), WorldError> {
        for (place, bytes) in self.0 {
            put(&place, bytes.as_deref())?;
        }
        Ok(())
    }
}

/// The protected files of a snapshot.
struct Side {
    tree: piton_git::CommittedTree,
    entries: BTreeMap<String, Entry>,
}

impl Side {
    fn of(context: &Context, state: &State, base: &Base, snapshot: &Snapshot) -> Result<Self, WorldError> {
        let tree = context.workspace.tree(&snapshot_id(&snapshot.id)?);
        let all = tree.entries().map_err(failed)?;
        let entries = all.into_iter().filter(|entry| base.protects(state, &entry.path));
        Ok(Self { tree, entries: entries.map(|entry| (entry.path.clone(), entry)).collect() })
    }

    fn read(&self, entry: Option<&Entry>) -> Result<Option<Vec<u8>>, WorldError> {
        let Some(entry) = entry else { return Ok(None) };
        Ok(self.tree.read(std::slice::from_ref(entry)).map_err(failed)?.pop())
    }
}

fn put(place: &Path, bytes: Option<&[u8]>) -> Result<(), WorldError> {
    let Some(bytes) = bytes else {
        file::remove_file_if_exists(place)?;
        return Ok(());
    };
    let is_new = place.symlink_metadata().is_err();
    if let Some(parent) = place.parent().filter(|_| is_new) {
        std::fs::create_dir_all(parent).map_err(|error| file::Error::new("create", parent, error))?;
    }
    file::write_atomic(place, bytes, Durability::Unsynced)?;
    if is_new && bytes.starts_with(b"#!") {
        let run = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(place, run)
            .map_err(|error| file::Error::new("make runnable", place, error))?;
    }
    Ok(())
}
