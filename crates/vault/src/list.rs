//! Which backups there are, whether they can be restored, and which may go.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use piton_model::{RunId, Timestamp};
use piton_store::JournalId;

use crate::manifest::{MANIFEST_BYTES_MAX, Manifest, Piece};
use crate::restore::{Proof, prove};
use crate::spool::{fetched, object_name};
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
    /// Whether it could not be restored when that was tried last.
    pub has_failed: bool,
}

/// Where the manifest of a backup lies.
pub(crate) fn manifest_name(manifest: &Manifest) -> String {
    object_name(&manifest.journal, "backups", &format!("{}.json", manifest.name))
}

/// Where it is said that a backup or a replica could not be restored: by an empty object of its name.
pub(crate) const FAILED: &str = "failed";

/// Says at the target that a backup or a replica could not be restored, or that it could: whoever lists or prunes next is to know.
pub async fn note_outcome(
    target: &dyn Target,
    journal: &str,
    name: &str,
    is_sound: bool,
) -> Result<(), Error> {
    let noted = object_name(journal, FAILED, name);
    match is_sound {
        true => target.remove(&noted).await,
        false => target.put(&noted, b"").await,
    }
}

/// The names of those of a journal that could not be restored when that was tried last.
pub async fn failed(target: &dyn Target, journal: &str) -> Result<BTreeSet<String>, Error> {
    let noted = target.list(&format!("{journal}/{FAILED}/")).await?;
    Ok(noted.iter().filter_map(|object| object.name.rsplit('/').next()).map(str::to_owned).collect())
}

/// Every backup at a target, oldest first, of all journals or of one; those of one journal stand together. Which of two is older
/// is what they say themselves: a clock may jump. What cannot be read says nothing, and stands before the others of its journal.
pub async fn list(target: &dyn Target, journal: Option<JournalId>) -> Result<Vec<Listed>, Error> {
    let prefix = journal.map_or_else(String::new, |journal| format!("{journal}/backups/"));
    let mut listed = Vec::new();
    let mut failures: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
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
            // Nobody but whoever has its key can read it, and the others are theirs as well.
            Err(error) if error.is_damage() || error.is_locked() => Err(error),
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
        if !failures.contains_key(journal) {
            failures.insert(journal.to_owned(), failed(target, journal).await?);
        }
        let has_failed = failures[journal].contains(name);
        let (name, journal) = (name.to_owned(), journal.to_owned());
        listed.push(Listed { name, journal, manifest, is_open, has_failed });
    }
    let mut newest: BTreeMap<String, String> = BTreeMap::new();
    for Listed { name, journal, .. } in &listed {
        let known = newest.entry(journal.clone()).or_default();
        *known = name.clone().max(std::mem::take(known));
    }
    listed.sort_by_cached_key(|listed| {
        let number = listed.manifest.as_ref().map(|manifest| manifest.number).ok();
        (newest[&listed.journal].clone(), listed.journal.clone(), number, listed.name.clone())
    });
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
pub struct Keep<'a> {
    /// So many of those of a journal that can be read, the newest.
    pub count: usize,
    /// One that was restored and verified a moment ago stays, and need not be looked at again.
    pub proven: Option<&'a str>,
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
/// What cannot be restored is nothing to keep instead of another: one whose manifest cannot be read, that lacks an object, or that
/// failed when somebody tried does not count. Before anything goes, the newest of those that stay is read back, object by object.
///
/// A manifest that cannot be read is kept, and with it every object: what it needs is not known. Whoever makes a backup says so
/// before anything else, and takes that back once it is listed. So objects are listed first, then whoever is at work, then the
/// backups once more: an object that is seen here belongs to somebody who is still at work, to a backup that is listed by now,
/// or to nobody. Where lists may be late, that takes [two of them](crate::condemned), and what was listed a moment ago is needed, too:
/// a backup that stands on it may not be listed yet.
pub async fn prune(target: &dyn Target, journal: JournalId, keep: Keep<'_>) -> Result<Pruned, Error> {
    let mut pruned = Pruned::default();
    let mut needed = BTreeSet::new();
    let listed = list(target, Some(journal)).await?;
    let Choice { stays, goes, notes } = choose(target, &listed, keep).await?;
    pruned.notes = notes;
    for manifest in goes {
        let name = &manifest.name;
        if let Some(run) = only_there(manifest, &stays) {
            pruned.notes.push(format!("backup {name} stays: it alone has what is archived of run `{run}`"));
            continue;
        }
        if target.may_lag() {
            needed.extend(objects_of(manifest));
        }
        target.remove(&manifest_name(manifest)).await?;
        note_outcome(target, &manifest.journal, name, true).await?;
        pruned.backups.push(name.clone());
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

/// Which backups of a journal stay, and which may go.
struct Choice<'a> {
    /// Newest first; all of them can be read.
    stays: Vec<&'a Manifest>,
    goes: Vec<&'a Manifest>,
    notes: Vec<String>,
}

async fn choose<'a>(target: &dyn Target, listed: &'a [Listed], keep: Keep<'_>) -> Result<Choice<'a>, Error> {
    let mut choice = Choice { stays: Vec::new(), goes: Vec::new(), notes: Vec::new() };
    let mut sizes = None;
    for backup in listed.iter().rev() {
        let Ok(manifest) = &backup.manifest else { continue };
        let is_proven = keep.proven == Some(backup.name.as_str());
        let is_old = keep.since.is_some_and(|since| manifest.made_at < since);
        if !is_proven && !choice.stays.is_empty() && (choice.stays.len() >= keep.count || is_old) {
            choice.goes.push(manifest);
            continue;
        }
        // Where all of them stay, nobody has to know which are sound.
        let may_go = listed.len() > keep.count || keep.since.is_some();
        if is_proven || !may_go {
            choice.stays.push(manifest);
            continue;
        }
        if sizes.is_none() {
            sizes = Some(sizes_at(target, &manifest.journal).await?);
        }
        let is_first = choice.stays.is_empty();
        match what_ails(target, backup, manifest, sizes.as_ref().expect("set above"), is_first).await? {
            None => choice.stays.push(manifest),
            Some(why) => choice.notes.push(format!("backup {} does not count: {why}", backup.name)),
        }
    }
    Ok(choice)
}

/// What lies at a target of the objects that backups of a journal name, and how large it is.
async fn sizes_at(target: &dyn Target, journal: &str) -> Result<BTreeMap<String, u64>, Error> {
    let mut sizes = BTreeMap::new();
    for kind in ["segments", "bundles"] {
        let objects = target.list(&format!("{journal}/{kind}/")).await?;
        sizes.extend(objects.into_iter().map(|object| (object.name, object.bytes)));
    }
    Ok(sizes)
}

/// Why a backup cannot be restored, as far as that can be seen without doing so; `all` of it is read where that is asked for.
async fn what_ails(
    target: &dyn Target,
    backup: &Listed,
    manifest: &Manifest,
    sizes: &BTreeMap<String, u64>,
    all: bool,
) -> Result<Option<String>, Error> {
    if backup.has_failed {
        let again = "`piton backup verify` tries again";
        return Ok(Some(format!("it could not be restored when that was tried; {again}")));
    }
    for (name, piece) in pieces_of(manifest) {
        // What is sealed is a little longer than what its digest is of.
        let fits = |bytes: &u64| (piece.bytes..=piece.bytes + crate::covered::ADDED_BYTES).contains(bytes);
        let is_listed = sizes.get(&name);
        if is_listed.is_some_and(fits) && !all {
            continue;
        }
        if is_listed.is_none() && !target.may_lag() {
            return Ok(Some(Error::damaged(&name, "it is missing").to_string()));
        }
        match fetched(target, &name, piece).await {
            Ok(_) => {}
            Err(error) if error.is_damage() => return Ok(Some(error.to_string())),
            Err(error) => return Err(error),
        }
    }
    Ok(None)
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
    pieces_of(manifest).map(|(name, _)| name)
}

/// What a backup needs: the objects by their names.
fn pieces_of(manifest: &Manifest) -> impl Iterator<Item = (String, &Piece)> {
    let named = |kind| move |piece| (object_name_of(manifest, kind, piece), piece);
    manifest.segments.iter().map(named("segments")).chain(manifest.bundles.iter().map(named("bundles")))
}

fn object_name_of(manifest: &Manifest, kind: &str, piece: &Piece) -> String {
    object_name(&manifest.journal, kind, &piece.digest)
}
