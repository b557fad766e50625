//! Which changed files go into a snapshot, and which are beyond the caps.

use std::collections::BTreeSet;
use std::fs::Metadata;
use std::path::Path;

use rustix::fs::Access;

use crate::left_out::Reading;
use crate::memo::Stamp;
use crate::{Caps, Error, RepoPath, Why};

/// How much new content a snapshot may still take in.
#[derive(Debug)]
pub(crate) struct Budget {
    file_bytes_max: u64,
    bytes_left: u64,
    refused_max: usize,
    /// How much is read of what is not taken in.
    pub(crate) reading: Reading,
}

impl Budget {
    pub(crate) fn new(caps: Caps, reading: Reading) -> Self {
        Self {
            file_bytes_max: caps.file_bytes_max,
            bytes_left: caps.snapshot_bytes_max,
            refused_max: caps.left_out_max,
            reading,
        }
    }
}

/// What is to be done with the files that are not as the private index has them.
#[derive(Debug, Default)]
pub(crate) struct Selection {
    /// To be read into the index, with what the file system said before; sorted.
    pub(crate) taken: Vec<(RepoPath, Stamp)>,
    /// In the private index, and no file any more or none to keep.
    pub(crate) dropped: Vec<RepoPath>,
    /// On disk but not kept.
    pub(crate) refused: Vec<(RepoPath, Why)>,
}

/// Decides about files that are in the private index but `changed`, and about `new` ones.
pub(crate) fn select(
    work_tree: &Path,
    changed: Vec<RepoPath>,
    new: Vec<RepoPath>,
    budget: &mut Budget,
) -> Result<Selection, Error> {
    let mut selection = Selection::default();
    for path in changed.iter().chain(&new) {
        match look_at(work_tree, path, budget) {
            Look::Take(stamp) => selection.taken.push((path.clone(), stamp)),
            Look::Refuse(why) => selection.refused.push((path.clone(), why)),
            Look::Gone => {}
        }
    }
    selection.keep_within(budget);
    if selection.refused.len() > budget.refused_max {
        let (count, count_max) = (selection.refused.len(), budget.refused_max);
        return Err(Error::TooMuchLeftOut { count, count_max });
    }
    let taken: BTreeSet<_> = selection.taken.iter().map(|(path, _)| path).collect();
    selection.dropped = changed.iter().filter(|path| !taken.contains(path)).cloned().collect();
    Ok(selection)
}

enum Look {
    Take(Stamp),
    Refuse(Why),
    /// No file any more, or a pipe or a socket, which have no content.
    Gone,
}

fn look_at(work_tree: &Path, path: &RepoPath, budget: &Budget) -> Look {
    let on_disk = work_tree.join(path.as_path());
    let metadata = match on_disk.symlink_metadata() {
        Ok(metadata) => metadata,
        Err(error) if is_missing(&error) => return Look::Gone,
        Err(_) => return Look::Refuse(Why::Unreadable),
    };
    if !metadata.is_file() && !metadata.is_symlink() {
        Look::Gone
    } else if !has_a_name_for_git(path, &metadata) {
        Look::Refuse(Why::Name)
    } else if metadata.is_file() && rustix::fs::access(&on_disk, Access::READ_OK).is_err() {
        Look::Refuse(Why::Unreadable)
    } else if metadata.len() > budget.file_bytes_max {
        Look::Refuse(Why::TooLarge)
    } else {
        Look::Take(Stamp::from(&metadata))
    }
}

impl Selection {
    /// The smallest files go first, so that it is never a source file that makes room for a dump.
    fn keep_within(&mut self, budget: &mut Budget) {
        let total: u64 = self.taken.iter().map(|(_, stamp)| stamp.bytes).sum();
        if total <= budget.bytes_left {
            budget.bytes_left -= total;
        } else {
            let mut by_size = std::mem::take(&mut self.taken);
            by_size.sort_by(|(a, a_stamp), (b, b_stamp)| (a_stamp.bytes, a).cmp(&(b_stamp.bytes, b)));
            for (path, stamp) in by_size {
                match budget.bytes_left.checked_sub(stamp.bytes) {
                    Some(left) => {
                        budget.bytes_left = left;
                        self.taken.push((path, stamp));
                    }
                    None => self.refused.push((path, Why::SnapshotFull)),
                }
            }
        }
        self.taken.sort_by(|(a, _), (b, _)| a.cmp(b));
    }
}

pub(crate) fn is_missing(error: &std::io::Error) -> bool {
    matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory)
}

/// git keeps nothing called `.git` in any spelling, and no symbolic link called `.gitmodules`.
fn has_a_name_for_git(path: &RepoPath, metadata: &Metadata) -> bool {
    let is_modules_link = metadata.is_symlink() && path.name().eq_ignore_ascii_case(b".gitmodules");
    !is_modules_link && !path.parts().any(|part| part.eq_ignore_ascii_case(b".git"))
}
