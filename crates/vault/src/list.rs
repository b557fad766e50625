//! Which backups there are, whether they can be restored, and which may go.

use std::collections::BTreeSet;
use std::path::Path;

use piton_model::{RunId, Timestamp};
use piton_store::JournalId;

use crate::manifest::{MANIFEST_BYTES_MAX, Manifest};
use crate::restore::{Proof, prove};
use crate::spool::object_name;
use crate::{Error, Spool, Target, condemned};

/// What lies where a backup should be listed.
#[derive(Debug)]
pub struct Listed {
    /// What it is called.
    pub name: String,
    /// The journal that it is of.
    pub journal: String,
    /// What it says of itself, or why that cannot be read.
    pub manifest: Result<Manifest, Error>,
    /// Whether it lies there open, although new ones are sealed: nothing new stands on it.
    pub is_open: bool,
}

/// Where the manifest of a backup lies.
pub(crate) fn manifest_name(manifest: &Manifest) -> String {
    object_name(&manifest.journal, "backups", &format!("{}.json", manifest.name))
}

/// Every backup at a target, oldest first, of all journals or of one.
pub async fn list(target: &dyn Target, journal: Option<JournalId>) -> Result<Vec<Listed>, Error> {
    let prefix = journal.map_or_else(String::new, |journal| format!("{journal}/backups/"));
    let mut listed = Vec::new();
    for object in target.list(&prefix).await? {
        let mut parts = object.name.split('/');
        let (Some(journal), Some("backups"), Some(name), None) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            continue;
        };
        let Some(name) = name.strip_suffix(".json") else { continue };
        let manifest = match target.get(&object.name, MANIFEST_BYTES_MAX).await {
            Ok(Some(bytes)) => Manifest::parse(&object.name, &bytes),
            // Somebody removed it since it was listed.
            Ok(None) => continue,
            Err(error) if error.is_damage() => Err(error),
            Err(error) => return Err(error),
        };
        let is_itself = |manifest: &Manifest| manifest.name == name && manifest.journal == journal;
        let manifest = match manifest {
            Ok(manifest) if !is_itself(&manifest) => {
                Err(Error::damaged(&object.name, "it is the manifest of another backup"))
            }
            manifest => manifest,
        };
        let is_open = target.lay_open(&object.name);
        listed.push(Listed { name: name.to_owned(), journal: journal.to_owned(), manifest, is_open });
    }
    listed.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(listed)
}

/// The newest backup of a journal that can be read.
pub async fn newest(target: &dyn Target, journal: JournalId) -> Result<Option<Manifest>, Error> {
    Ok(list(target, Some(journal)).await?.into_iter().rev().find_map(|listed| listed.manifest.ok()))
}

/// Restores a backup into a journal of its own in the directory `scratch`, and says what it came to.
pub async fn verify(target: &dyn Target, manifest: Manifest, scratch: &Path) -> Result<Proof, Error> {
    let elsewhere = target.seen_elsewhere(&manifest.journal).await?;
    let target = elsewhere.as_deref().unwrap_or(target);
    let spool = Spool::fetch(target, manifest, &scratch.join("fetched")).await?;
    prove_spool(&spool, scratch).await
}

/// The same of one that was fetched.
pub async fn prove_spool(spool: &Spool, scratch: &Path) -> Result<Proof, Error> {
    let format = spool.manifest.tips.values().next().map_or("sha1", |tip| match tip.as_str().len() {
        64 => "sha256",
        _ => "sha1",
    });
    prove(spool, &scratch.join("restored"), format).await
}

/// What was removed from a target.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pruned {
    /// Backups.
    pub backups: Vec<String>,
    /// Objects that no backup needs any more.
    pub objects: usize,
    /// What those held.
    pub bytes: u64,
    /// What stays although it might go, and why.
    pub notes: Vec<String>,
}

/// Which backups stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Keep {
    /// So many of each journal, the newest.
    pub count: usize,
    /// Of those only what was made since; the newest stays in any case.
    pub since: Option<Timestamp>,
    /// What was put there since then stays, needed or not.
    pub untouched_since: Timestamp,
    /// Whoever says since then that they make a backup is believed; before that, they have died.
    pub pending_since: Timestamp,
}

/// Where a backup that is being made says so.
pub(crate) const PENDING: &str = "pending";

/// Removes the backups of a journal that need not be kept, then what none of the others needs.
///
/// A manifest that cannot be read is kept, and with it every object: what it needs is not known. Whoever makes a backup says so
/// before anything else, and takes that back once it is listed. So objects are listed first, then whoever is at work, then the
/// backups once more: an object that is seen here belongs to somebody who is still at work, to a backup that is listed by now,
/// or to nobody. Where lists may be late, that takes [two of them](crate::condemned), and what was listed a moment ago is needed, too:
/// a backup that stands on it may not be listed yet.
pub async fn prune(target: &dyn Target, journal: JournalId, keep: Keep) -> Result<Pruned, Error> {
    let mut pruned = Pruned::default();
    let mut needed = BTreeSet::new();
    let listed = list(target, Some(journal)).await?;
    let is_too_many = |age: usize, manifest: &Manifest| {
        age > 0 && (age >= keep.count || keep.since.is_some_and(|since| manifest.made_at < since))
    };
    let by_age = || listed.iter().rev().enumerate();
    let sound = by_age().filter_map(|(age, backup)| Some((age, backup.manifest.as_ref().ok()?)));
    let stays: Vec<&Manifest> =
        sound.filter(|(age, manifest)| !is_too_many(*age, manifest)).map(|(_, manifest)| manifest).collect();
    for (age, backup) in by_age() {
        let Ok(manifest) = &backup.manifest else { continue };
        if is_too_many(age, manifest) {
            if let Some(run) = only_there(manifest, &stays) {
                let name = &backup.name;
                pruned
                    .notes
                    .push(format!("backup {name} stays: it alone has what is archived of run `{run}`"));
                continue;
            }
            if target.may_lag() {
                needed.extend(objects_of(manifest));
            }
            target.remove(&manifest_name(manifest)).await?;
            pruned.backups.push(backup.name.clone());
        }
    }
    let mut objects = Vec::new();
    for kind in ["segments", "bundles"] {
        objects.extend(target.list(&format!("{journal}/{kind}/")).await?);
    }
    let pending = target.list(&format!("{journal}/{PENDING}/")).await?;
    if let Some(writer) = pending.iter().find(|writer| writer.at >= keep.pending_since) {
        let since = writer.at;
        pruned.notes.push(format!(
            "what no backup needs stays: somebody makes one since {since}, or died over it, which counts for a day"
        ));
        return Ok(pruned);
    }
    target.sweep(keep.untouched_since).await?;
    for dead in pending {
        target.remove(&dead.name).await?;
    }
    for backup in list(target, Some(journal)).await? {
        match &backup.manifest {
            Ok(manifest) => needed.extend(objects_of(manifest)),
            Err(error) => {
                let name = &backup.name;
                pruned.notes.push(format!(
                    "what no backup needs stays: what {name} needs is not known ({error}); `piton backup list` shows it"
                ));
                return Ok(pruned);
            }
        }
    }
    objects.retain(|object| object.at < keep.untouched_since && !needed.contains(&object.name));
    if target.may_lag() {
        objects = condemned::ripe(target, journal, objects, keep.untouched_since).await?;
    }
    for object in objects {
        target.remove(&object.name).await?;
        (pruned.objects, pruned.bytes) = (pruned.objects + 1, pruned.bytes + object.bytes);
    }
    Ok(pruned)
}

/// A run that `manifest` has whole, and of which nothing that stays has more than digests.
fn only_there<'a>(manifest: &'a Manifest, stays: &[&Manifest]) -> Option<&'a RunId> {
    let newest = stays.first()?;
    let is_bare = |run: &RunId| newest.run(run).is_some_and(|held| held.is_archived);
    let is_whole = |other: &Manifest, run: &RunId| other.run(run).is_some_and(|held| !held.is_archived);
    let mut runs = manifest.runs.iter().map(|held| &held.run_id);
    runs.find(|run| {
        is_bare(run) && is_whole(manifest, run) && !stays.iter().any(|other| is_whole(other, run))
    })
}

fn objects_of(manifest: &Manifest) -> impl Iterator<Item = String> {
    let name =
        |kind| move |piece: &crate::manifest::Piece| object_name(&manifest.journal, kind, &piece.digest);
    manifest.segments.iter().map(name("segments")).chain(manifest.bundles.iter().map(name("bundles")))
}
