//! A comparison of two trees that git was asked for once: who wants to know more of it is answered from here.
//!
//! After an attempt the journal wants its change, the guard the files to look into, and the census what to count anew, all of
//! the same two trees.

use std::sync::{Arc, Mutex, PoisonError};

use crate::diff::{ChangeKind, RawChange};
use crate::tree::{Files, kind};
use crate::{Diff, Entry, FileChange};

/// A larger one is asked for again rather than kept.
const CHANGES_MAX: usize = 100_000;

/// Lines added and removed; `None` for a binary file.
pub(crate) type Numbers = (Option<u64>, Option<u64>);

/// What differs between two trees.
#[derive(Debug)]
pub(crate) struct Compared {
    pub(crate) before: String,
    pub(crate) after: String,
    pub(crate) changes: Vec<(RawChange, Numbers)>,
}

/// The last comparison, shared by all who look at trees of one workspace.
#[derive(Clone, Debug, Default)]
pub(crate) struct Comparisons(Arc<Mutex<Option<Arc<Compared>>>>);

impl Comparisons {
    /// The comparison of these two, where it was the last.
    pub(crate) fn of(&self, before: &str, after: &str) -> Option<Arc<Compared>> {
        let last = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()?;
        (last.before == before && last.after == after).then_some(last)
    }

    /// Whether somebody wanted to know of the last one.
    pub(crate) fn are_asked_for(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    pub(crate) fn keep(&self, compared: &Arc<Compared>) {
        let kept = (compared.changes.len() <= CHANGES_MAX).then(|| Arc::clone(compared));
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = kept;
    }
}

impl Compared {
    /// The change as people see it: file by file, with moves and lines.
    pub(crate) fn diff(&self) -> Diff {
        let mut diff = Diff::default();
        for (change, (added, removed)) in &self.changes {
            diff.added += added.unwrap_or(0);
            diff.removed += removed.unwrap_or(0);
            let (path, kind) = (change.path.clone(), change.kind.clone());
            diff.files.push(FileChange { path, kind, added: *added, removed: *removed });
        }
        diff.files.sort_by(|a, b| a.path.cmp(&b.path));
        diff
    }

    /// The files and links whose content differs: as they were, and as they are. A move is a file that is gone and one
    /// that is new.
    pub(crate) fn files(&self) -> (Files, Files) {
        let (mut before, mut after) = (Files::default(), Files::default());
        for (change, _) in &self.changes {
            let from = match &change.kind {
                ChangeKind::Renamed { from } => from,
                ChangeKind::Added | ChangeKind::Modified | ChangeKind::Deleted => &change.path,
            };
            // A mode alone is no other content.
            let same_content = from == &change.path && change.old_id == change.new_id;
            if same_content && kind(&change.old_mode) == kind(&change.new_mode) {
                continue;
            }
            before.add(&change.old_mode, Entry { path: from.to_string(), id: change.old_id.clone() });
            after.add(&change.new_mode, Entry { path: change.path.to_string(), id: change.new_id.clone() });
        }
        before.sort();
        after.sort();
        (before, after)
    }
}
