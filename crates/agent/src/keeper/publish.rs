//! Publishing: a directory that exists was locked.
//!
//! Of the records in it none has to survive a power cut: no process does either, so there is nothing to look for.
//! That the directory was there has to: an attempt that ran must never be taken for one that did not. So its name is
//! synced before the program starts, and of what it holds only the prompt.

use std::path::{Path, PathBuf};

use piton_sys::file::{self, Durability};
use piton_sys::lock::FileLock;
use piton_sys::process::{self, Tree};
use piton_sys::redact::Redactor;
use piton_sys::{fault, file::Error};

use crate::directory::{self, KEEPER, LOCK, OUTBOX, PROMPT, SPEC};
use crate::record::KeeperRecord;
use crate::spec::Spec;

/// Publishes the attempt's directory with its lock held; `None` where the name was taken.
pub(super) fn publish(
    attempts: &Path,
    spec: &Spec,
    redactor: &Redactor,
) -> Result<Option<(PathBuf, FileLock)>, Error> {
    file::create_private_dir(attempts)?;
    let directory = attempts.join(&spec.name);
    let unpublished = directory::unpublished(attempts, &spec.name);
    fault::point("agent.keeper.prepare");
    // One sync, after the directory has its name, is enough: what a power cut takes from it was never relied on.
    file::create_private_dir_unsynced(&unpublished)?;
    let published = fill(&unpublished, spec, redactor).and_then(|lock| {
        fault::point("agent.keeper.publish");
        Ok(file::rename_noreplace(&unpublished, &directory)?.then_some(lock))
    });
    match published {
        Ok(Some(lock)) => {
            fault::point("agent.keeper.published");
            file::sync_dir(attempts)?;
            Ok(Some((directory, lock)))
        }
        failed => {
            // What cannot be removed now is swept later.
            let _ = std::fs::remove_dir_all(&unpublished);
            failed.map(|_| None)
        }
    }
}

/// Takes the lock, then writes all that must be there before anybody sees the directory.
fn fill(unpublished: &Path, spec: &Spec, redactor: &Redactor) -> Result<FileLock, Error> {
    let path = unpublished.join(LOCK);
    let Some(lock) = FileLock::try_exclusive(&path)? else {
        return Err(Error::new("lock", &path, std::io::Error::other("it is being swept away")));
    };
    directory::create(&unpublished.join(SPEC), &spec.for_the_record(redactor))?;
    if let Some(prompt) = &spec.prompt {
        file::create_new(&unpublished.join(PROMPT), redactor.redact(prompt).as_bytes(), Durability::Synced)?;
    }
    for (name, text) in &spec.files {
        file::create_new(&unpublished.join(name), text.as_bytes(), Durability::Unsynced)?;
    }
    file::create_private_dir_unsynced(&unpublished.join(OUTBOX))?;
    let keeper = KeeperRecord {
        process: process::current(),
        mark: spec.mark.clone(),
        cgroup: Tree::planned_cgroup(&spec.mark),
    };
    directory::create(&unpublished.join(KEEPER), &keeper)?;
    Ok(lock)
}
