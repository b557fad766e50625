//! Backups of this journal, through the door: where they go, who may ask for them, and a scratch place for their proof.

use std::path::{Path, PathBuf};

use piton_git::Workspace;
use piton_model::{RunId, Timestamp};
use piton_store::{JournalId, Store};
use piton_sys::lock::FileLock;
use piton_sys::{Clock, Ids, SystemClock, SystemIds, file};
use piton_vault::create::{SEGMENT_BYTES, Source};
use piton_vault::list::Keep;
use piton_vault::manifest::Manifest;
use piton_vault::replica::{self, ListedReplica};
use piton_vault::restore::{Proof, Restored, Until, epoch_floor, restore_snapshots};
use piton_vault::target::failure::Reason;
use piton_vault::target::{self, Patience};
use piton_vault::{Covered, Listed, Spool, Target};
use piton_view::{
    BackedUp, BackupChecked, BackupRestored, BackupRunView, BackupView, BackupsVerified, BackupsView, Error,
    ErrorKind, ProofView, PruneOrder, PrunedView, ReplicaListed, RestoreOrder, RunRestored,
};

use super::{ClientError, LocalClient, resolve};
use crate::configuration::{self, Backups};
use crate::keys;
use crate::layout::Layout;

/// What was put at a target less long ago stays, needed or not; whoever began a backup less long ago may still be at it.
const GRACE_MS: u64 = 24 * 60 * 60 * 1000;

/// Makes a backup, and lets go of those that are too many.
pub(super) async fn back_up(client: &LocalClient, to: Option<&str>) -> Result<BackedUp, Error> {
    // It may ask for more than this piton can do, and then nothing is done in its name.
    if !client.layout().is_taken() {
        configuration::require_trust(client.layout(), &configuration::read(client.layout())?)?;
    }
    let place = Place::of(client.layout(), to)?;
    let journal = journal_of(client)?;
    let workspace = workspace(client.layout())?;
    let scratch = Scratch::new(client.layout())?;
    let source = Source {
        store: &**client.store()?,
        journal,
        workspace: workspace.as_ref(),
        scratch: scratch.path(),
        clock: &SystemClock,
        compress: place.compress,
        segment_bytes: SEGMENT_BYTES,
        version: env!("CARGO_PKG_VERSION"),
    };
    place.target.put_keys(&journal.to_string()).await.map_err(failed)?;
    let created = piton_vault::create(&source, &*place.target).await.map_err(failed)?;
    let keep = kept(place.count_max, None, GRACE_MS);
    let pruned = piton_vault::prune(&*place.target, journal, keep).await.map_err(failed)?;
    Ok(BackedUp {
        backup: view_of(&created.manifest, &*place.target, false),
        proof: proof_of(created.proof),
        bytes_put: created.bytes_put,
        pruned: pruned_of(pruned),
        notes: created.notes,
    })
}

/// The backups at a place.
pub(super) async fn backups(client: &LocalClient, to: Option<&str>) -> Result<BackupsView, Error> {
    let place = Place::of(client.layout(), to)?;
    let (mut backups, mut damaged) = (Vec::new(), Vec::new());
    for Listed { manifest, is_open, .. } in piton_vault::list(&*place.target, None).await.map_err(failed)? {
        match manifest {
            Ok(manifest) => backups.push(view_of(&manifest, &*place.target, is_open)),
            Err(error) => damaged.push(error.to_string()),
        }
    }
    let (mut replicas, mut notes) = (Vec::new(), Vec::new());
    replicas_at(&*place.target, &mut replicas, &mut damaged).await.map_err(failed)?;
    // Where nobody says which place is meant, the other one of the configuration is, too.
    if to.is_none()
        && let Some(other) = configuration::replicate(client.layout())?
    {
        let target = parse(client.layout(), &other)?;
        if target.place() != place.target.place()
            && let Err(error) = replicas_at(&*target, &mut replicas, &mut damaged).await
        {
            notes.push(format!("`{}` was not looked at: {error}", target.place()));
        }
    }
    Ok(BackupsView { at: place.target.place(), backups, replicas, damaged, notes })
}

/// The replicas at a place, and what is wrong with others.
async fn replicas_at(
    target: &dyn Target,
    replicas: &mut Vec<ReplicaListed>,
    damaged: &mut Vec<String>,
) -> Result<(), piton_vault::Error> {
    for listed in replica::list(target, None).await? {
        match replica_of(&listed, target).await {
            Ok(found) => replicas.push(found),
            Err(error) if error.is_damage() => {
                damaged.push(format!("replica {}: {error}", listed.generation))
            }
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

async fn replica_of(
    listed: &ListedReplica,
    target: &dyn Target,
) -> Result<ReplicaListed, piton_vault::Error> {
    let found = replica::find(target, &listed.journal, &listed.generation).await?;
    let proven = replica::proofs(target, &listed.journal, &listed.generation).await?;
    // What was proven once is not what lies there now.
    let proven = proven.filter(|_| found.broken.is_none());
    let manifest = found.manifest();
    Ok(ReplicaListed {
        name: listed.generation.clone(),
        at: target.place(),
        journal: listed.journal.clone(),
        shipped_at: Some(found.mark().at).filter(|_| found.mark().number > 0),
        newest: found.mark().newest(),
        restorable_to: proven.as_ref().and_then(|proven| proven.to),
        proven_at: proven.map(|proven| proven.at),
        bytes: manifest.bytes(),
        runs: view_of(&manifest, target, false).runs,
        broken: found.broken,
    })
}

/// Whether backups can be restored.
pub(super) async fn verify(
    client: &LocalClient,
    to: Option<&str>,
    name: Option<&str>,
) -> Result<BackupsVerified, Error> {
    let place = Place::of(client.layout(), to)?;
    let listed = piton_vault::list(&*place.target, None).await.map_err(failed)?;
    let is_wanted = |called: &str, journal: &str| name.is_none_or(|name| is_called(name, called, journal));
    let wanted: Vec<Listed> =
        listed.into_iter().filter(|backup| is_wanted(&backup.name, &backup.journal)).collect();
    let replicas = replica::list(&*place.target, None).await.map_err(failed)?;
    let replicas: Vec<ListedReplica> =
        replicas.into_iter().filter(|listed| is_wanted(&listed.generation, &listed.journal)).collect();
    if wanted.is_empty() && replicas.is_empty() {
        return Err(no_backup(name, &*place.target));
    }
    let mut checked = Vec::new();
    for Listed { name, manifest, .. } in wanted {
        // One after the other: each takes as much room as the journal.
        let scratch = Scratch::new(client.layout())?;
        let proof = match manifest {
            Ok(manifest) => piton_vault::verify(&*place.target, manifest, scratch.path()).await,
            Err(error) => Err(error),
        };
        checked.push(checked_as(name, proof)?);
    }
    for listed in replicas {
        let scratch = Scratch::new(client.layout())?;
        let proof = verify_replica(&listed, &*place.target, scratch.path()).await;
        checked.push(checked_as(listed.generation, proof)?);
    }
    Ok(BackupsVerified { ok: checked.iter().all(|checked| checked.proof.is_some()), checked })
}

/// Where backups go by the configuration, once it was seen that somebody answers there, and how many lie there.
pub async fn reach(layout: &Layout) -> Result<String, Error> {
    let Backups { to, .. } = configuration::backups(layout)?;
    let target = target::parse_with(&to, layout.root(), Patience::short()).map_err(failed)?;
    let Some(journal) = piton_store::peek(layout.store()).ok().flatten() else {
        // A name that nothing has: an answer is enough.
        target.list("reached/").await.map_err(failed)?;
        return Ok(target.place());
    };
    let there = target.list(&format!("{}/backups/", journal.id)).await.map_err(failed)?.len();
    let said = match there {
        0 => "no backup of this journal is there; `piton backup create` makes one".to_owned(),
        there => piton_view::words::count(there, "backup"),
    };
    Ok(format!("{}: {said}", target.place()))
}

fn checked_as(name: String, proof: Result<Proof, piton_vault::Error>) -> Result<BackupChecked, Error> {
    match proof {
        Ok(proof) => Ok(BackupChecked { name, proof: Some(proof_of(proof)), problem: None }),
        Err(error) if failed_kind(&error) == ErrorKind::Corrupt => {
            let problem = Some(Error::of(ErrorKind::Corrupt, &error));
            let problem = problem.map(|error| [vec![error.message], error.causes].concat().join(": "));
            Ok(BackupChecked { name, proof: None, problem })
        }
        Err(error) => Err(failed(error)),
    }
}

async fn verify_replica(
    listed: &ListedReplica,
    target: &dyn Target,
    scratch: &Path,
) -> Result<Proof, piton_vault::Error> {
    let at = scratch.join("fetched");
    let elsewhere = target.seen_elsewhere(&listed.journal).await?;
    let target = elsewhere.as_deref().unwrap_or(target);
    let (spool, found) = replica::fetch(target, &listed.journal, &listed.generation, &at).await?;
    if let Some(what) = found.broken {
        return Err(piton_vault::Error::NotRestorable { what });
    }
    piton_vault::list::prove_spool(&spool, scratch).await
}

/// Brings runs back.
pub(super) async fn restore(client: &LocalClient, order: RestoreOrder) -> Result<BackupRestored, Error> {
    if order.to_seq.is_some() && order.run.is_none() {
        return Err(Error::usage("an event is one of a run").hint("name it with --run"));
    }
    let layout = client.layout();
    let target = parse(layout, &order.from)?;
    let chosen = choose(&*target, order.backup.as_deref()).await?;
    file::create_private_dir(&layout.state()).map_err(|error| Error::environment(&error))?;
    // Appends come back as they were kept, so their keys come first.
    if let Some(journal) = chosen.journal() {
        let records = target.keys_of(journal).await.map_err(failed)?;
        keys::ring(layout).keep(&records).map_err(keys::failed)?;
    }
    let scratch = Scratch::new(layout)?;
    let (spool, broken) = chosen.fetch(&*target, &scratch.path().join("fetched")).await.map_err(failed)?;
    let held: Vec<RunId> = spool.manifest.runs.iter().map(|held| held.run_id.clone()).collect();
    let wanted = match &order.run {
        // A whole name means that run, whatever others begin like it.
        Some(text) => match held.iter().find(|run| run.as_str() == text) {
            Some(run) => vec![run.clone()],
            None => vec![resolve::named(&held, text)?],
        },
        // Oldest first, so that they are listed in the order in which they were begun.
        None => held.into_iter().rev().collect(),
    };
    let until = match (order.to_seq, order.to_time) {
        (Some(seq), _) => Until::Seq(seq),
        (None, Some(time)) => Until::Time(time),
        (None, None) => Until::End,
    };
    let store = client.store()?;
    let floor = epoch_floor(spool.epoch_max().max(store.epoch_max().await.map_err(ClientError::from)?));
    let mut runs = Vec::new();
    for run in wanted {
        let restored = match piton_vault::restore(&spool, &**store, &run, until, floor).await {
            // Of all runs, those that were there at the time.
            Err(piton_vault::Error::NotHeld { .. }) if order.run.is_none() => continue,
            restored => restored.map_err(failed)?,
        };
        let seq = match restored {
            Restored::Whole(head) | Restored::Refilled(head) => Some(head.seq),
            Restored::Kept => None,
        };
        runs.push(RunRestored { run_id: run, seq, snapshots: false });
    }
    bring_snapshots(layout, &**store, &spool, &mut runs).await?;
    Ok(BackupRestored { backup: spool.manifest.name.clone(), runs, broken })
}

/// The snapshots of the runs that came back, and of those that came back before, where a restore ended in between.
async fn bring_snapshots(
    layout: &Layout,
    store: &dyn Store,
    spool: &Spool,
    runs: &mut [RunRestored],
) -> Result<(), Error> {
    let has = |run: &&RunRestored| spool.manifest.tips.contains_key(&run.run_id);
    if !runs.iter().any(|run| has(&run)) {
        return Ok(());
    }
    let workspace =
        Workspace::open(layout.root(), &layout.state()).map_err(|error| Error::environment(&error))?;
    let mut with = Vec::new();
    for run in runs.iter().filter(has) {
        let is_without =
            workspace.tip(run.run_id.as_str()).map_err(|error| Error::environment(&error))?.is_none();
        if run.seq.is_some() || is_without && is_held_run(store, spool, &run.run_id).await? {
            with.push(run.run_id.clone());
        }
    }
    if with.is_empty() {
        return Ok(());
    }
    workspace.protect_state().map_err(|error| Error::environment(&error))?;
    restore_snapshots(spool, &workspace, &with).map_err(failed)?;
    runs.iter_mut().filter(|run| with.contains(&run.run_id)).for_each(|run| run.snapshots = true);
    Ok(())
}

/// Whether the run that is here is the one of the backup, or what became of it since.
async fn is_held_run(store: &dyn Store, spool: &Spool, run: &RunId) -> Result<bool, Error> {
    let Some(head) = spool.head(run) else { return Ok(false) };
    match store.ship(run, head, 1).await {
        Ok(_) => Ok(true),
        Err(piton_store::Error::Diverged { .. } | piton_store::Error::UnknownRun { .. }) => Ok(false),
        Err(error) => Err(ClientError::from(error).into()),
    }
}

/// Lets go of backups of this journal.
pub(super) async fn prune(client: &LocalClient, order: PruneOrder) -> Result<PrunedView, Error> {
    let place = Place::of(client.layout(), order.to.as_deref())?;
    let journal = journal_of(client)?;
    let since = order.younger_than_ms.map(before_now);
    let keep = kept(order.keep.unwrap_or(place.count_max), since, order.grace_ms);
    Ok(pruned_of(piton_vault::prune(&*place.target, journal, keep).await.map_err(failed)?))
}

fn kept(count: usize, since: Option<Timestamp>, grace_ms: u64) -> Keep {
    let (untouched_since, pending_since) = (before_now(grace_ms), before_now(GRACE_MS));
    Keep { count: count.max(1), since, untouched_since, pending_since }
}

fn before_now(age_ms: u64) -> Timestamp {
    let now = SystemClock.now().as_millis();
    Timestamp::from_millis(now.saturating_sub(i64::try_from(age_ms).unwrap_or(i64::MAX)))
}

/// A place for backups, and how many are kept there.
pub(super) struct Place {
    pub(super) target: Box<Covered>,
    pub(super) count_max: usize,
    /// Whether what is put there is compressed.
    compress: bool,
    /// Whether an agent that works in the repository could have written there.
    pub(super) is_inside: bool,
}

impl Place {
    /// The place that a person names, or the configuration.
    pub(super) fn of(layout: &Layout, to: Option<&str>) -> Result<Self, Error> {
        let Backups { to: configured, count_max, compress } = configuration::backups(layout)?;
        let text = to.unwrap_or(&configured);
        let target = parse(layout, text)?;
        let root = std::fs::canonicalize(layout.root()).unwrap_or_else(|_| layout.root().to_owned());
        // By its name, or by where that leads: an agent may have made a link of it.
        let is_inside = target.directory().is_some_and(|named| {
            let leads_to = std::fs::canonicalize(named).unwrap_or_else(|_| named.to_owned());
            named.starts_with(&root) || leads_to.starts_with(&root)
        });
        Ok(Self { target, count_max, compress, is_inside })
    }
}

/// A relative path that a person gives is one from here; one of the configuration is one from the top of the repository.
pub(super) fn parse(layout: &Layout, text: &str) -> Result<Box<Covered>, Error> {
    let parsed = target::parse(text, layout.root()).map_err(failed)?;
    Ok(Box::new(Covered::new(parsed, keys::ring(layout))))
}

/// A backup or a replica.
enum Chosen {
    Backup(Box<Result<Manifest, piton_vault::Error>>),
    Replica(ListedReplica),
}

impl Chosen {
    /// The journal that it is of, where that can be read.
    fn journal(&self) -> Option<&str> {
        match self {
            Chosen::Backup(manifest) => (**manifest).as_ref().ok().map(|manifest| manifest.journal.as_str()),
            Chosen::Replica(listed) => Some(&listed.journal),
        }
    }

    /// It, fetched, and what keeps it from going further.
    async fn fetch(
        self,
        target: &dyn Target,
        at: &Path,
    ) -> Result<(Spool, Option<String>), piton_vault::Error> {
        match self {
            Chosen::Backup(manifest) => Ok((Spool::fetch(target, (*manifest)?, at).await?, None)),
            Chosen::Replica(ListedReplica { journal, generation }) => {
                let (spool, found) = replica::fetch(target, &journal, &generation, at).await?;
                Ok((spool, found.broken))
            }
        }
    }
}

/// What may be restored: what it is called, of which journal, and when the journal was as it is there.
struct Candidate {
    name: String,
    journal: String,
    as_of: String,
    chosen: Chosen,
}

/// A moment as it stands at the beginning of a name.
fn as_in_names(at: Timestamp) -> String {
    at.to_string().chars().filter(|c| !"-:.".contains(*c)).collect()
}

async fn candidates(target: &dyn Target) -> Result<Vec<Candidate>, Error> {
    let mut all = Vec::new();
    for Listed { name, journal, manifest, .. } in piton_vault::list(target, None).await.map_err(failed)? {
        let as_of = manifest.as_ref().map_or_else(|_| name.clone(), |manifest| as_in_names(manifest.made_at));
        all.push(Candidate { name, journal, as_of, chosen: Chosen::Backup(Box::new(manifest)) });
    }
    for listed in replica::list(target, None).await.map_err(failed)? {
        let found = replica::find(target, &listed.journal, &listed.generation).await;
        let as_of = match found {
            Ok(found) => as_in_names(found.mark().at),
            Err(error) if error.is_damage() => listed.generation.clone(),
            Err(error) => return Err(failed(error)),
        };
        let (name, journal) = (listed.generation.clone(), listed.journal.clone());
        all.push(Candidate { name, journal, as_of, chosen: Chosen::Replica(listed) });
    }
    // The newest state comes last; of what cannot be read, only the name says when it was begun.
    all.sort_by(|a, b| a.as_of.cmp(&b.as_of));
    Ok(all)
}

/// The backup or replica of this name; without a name the newest state, where all are of one journal.
async fn choose(target: &dyn Target, name: Option<&str>) -> Result<Chosen, Error> {
    let mut all = candidates(target).await?;
    let is_of_one = all.iter().all(|candidate| candidate.journal == all[0].journal);
    let chosen = match name {
        Some(name) => {
            all.retain(|candidate| is_called(name, &candidate.name, &candidate.journal));
            if let [one, _, ..] = &all[..] {
                let each = all.iter().map(|found| format!("{}@{}", found.name, found.journal)).collect();
                return Err(Error::usage(format!(
                    "`{}` holds several that are called `{name}`",
                    target.place()
                ))
                .details(each)
                .hint(format!("say of which journal: --backup {}@JOURNAL", one.name)));
            }
            all.pop()
        }
        None if all.is_empty() || is_of_one => all.pop(),
        None => {
            let newest = all.iter().rev().take(5).map(|candidate| {
                let sort = match candidate.chosen {
                    Chosen::Backup(_) => "",
                    Chosen::Replica(_) => "replica ",
                };
                format!("{sort}{} of journal {}", candidate.name, candidate.journal)
            });
            return Err(Error::usage(format!("`{}` holds backups of several journals", target.place()))
                .details(newest.collect())
                .hint("say which with --backup NAME; `piton backup list` has them all"));
        }
    };
    chosen.map(|candidate| candidate.chosen).ok_or_else(|| no_backup(name, target))
}

/// Whether `text` means the backup or replica of this name, alone or with the beginning of its journal behind an `@`.
fn is_called(text: &str, name: &str, journal: &str) -> bool {
    match text.split_once('@') {
        Some((text, of)) => text == name && journal.starts_with(of),
        None => text == name,
    }
}

fn no_backup(name: Option<&str>, target: &dyn Target) -> Error {
    let what =
        name.map_or_else(|| "there is no backup".to_owned(), |name| format!("no backup is called `{name}`"));
    Error::usage(format!("{what} in `{}`", target.place()))
        .hint("`piton backup list --to URL` says which there are, `piton backup create` makes one")
}

pub(super) fn journal_of(client: &LocalClient) -> Result<JournalId, Error> {
    let identity = piton_store::peek(client.layout().store()).map_err(ClientError::from)?;
    identity.map(|identity| identity.id).ok_or_else(|| ClientError::NoRuns.into())
}

/// Where the snapshots of runs are, if there is such a place.
pub(super) fn workspace(layout: &Layout) -> Result<Option<Workspace>, Error> {
    match layout.state().is_dir() {
        true => Workspace::open(layout.root(), &layout.state())
            .map(Some)
            .map_err(|error| Error::environment(&error)),
        false => Ok(None),
    }
}

/// A directory of this process alone, gone when it is dropped; what others left that died is gone as well.
pub(super) struct Scratch {
    path: PathBuf,
    root: PathBuf,
    _lock: FileLock,
}

impl Scratch {
    pub(super) fn new(layout: &Layout) -> Result<Self, Error> {
        Self::at(&layout.state())
    }

    /// The same in another directory of piton's.
    pub(super) fn at(state: &Path) -> Result<Self, Error> {
        let root = state.join("scratch");
        let made = file::create_private_dir(&root).and_then(|()| {
            // Whoever makes one is alone: nobody takes what is being made for something left.
            let _alone = FileLock::exclusive(&root.join("lock"))?;
            remove_left(&root)?;
            let path = root.join(SystemIds.hex(16));
            let lock = FileLock::exclusive(&lock_of(&path))?;
            file::create_private_dir(&path)?;
            Ok((path, lock))
        });
        let (path, _lock) = made.map_err(|error| Error::environment(&error))?;
        Ok(Self { path, root, _lock })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

/// Removes what those left that died.
fn remove_left(root: &Path) -> Result<(), file::Error> {
    for entry in std::fs::read_dir(root).into_iter().flatten().flatten() {
        let path = entry.path().with_extension("");
        if path.file_name().is_some_and(|name| name == "lock") || FileLock::is_held(&lock_of(&path))? {
            continue;
        }
        file::remove_tree_within(root, &path)?;
        file::remove_file_if_exists(&lock_of(&path))?;
    }
    Ok(())
}

fn lock_of(path: &Path) -> PathBuf {
    path.with_extension("lock")
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What stays behind is removed by the next.
        let _ = file::remove_tree_within(&self.root, &self.path);
        let _ = file::remove_file_if_exists(&lock_of(&self.path));
        // Where there was nothing before, nothing stays.
        let count = |path: &Path| std::fs::read_dir(path).into_iter().flatten().count();
        let state = self.root.parent().unwrap_or(&self.root);
        if count(&self.root) == 1 && count(state) == 1 {
            let _ = file::remove_file_if_exists(&self.root.join("lock"));
            let _ = std::fs::remove_dir(&self.root).and_then(|()| std::fs::remove_dir(state));
        }
    }
}

fn view_of(manifest: &Manifest, target: &dyn Target, is_open: bool) -> BackupView {
    let runs = manifest.runs.iter().map(|held| BackupRunView {
        run_id: held.run_id.clone(),
        kind: held.kind,
        title: held.title.clone(),
        seq: held.seq,
        snapshots: manifest.tips.contains_key(&held.run_id),
    });
    BackupView {
        name: manifest.name.clone(),
        at: target.place(),
        journal: manifest.journal.clone(),
        made_at: manifest.made_at,
        proven_at: manifest.proven_at,
        bytes: manifest.bytes(),
        runs: runs.collect(),
        damaged: manifest.damaged.clone(),
        is_open,
    }
}

fn proof_of(proof: Proof) -> ProofView {
    let Proof { runs, events, snapshots } = proof;
    ProofView { runs, events, snapshots }
}

fn pruned_of(pruned: piton_vault::Pruned) -> PrunedView {
    let piton_vault::Pruned { backups, objects, bytes, notes } = pruned;
    PrunedView { backups, objects, bytes, notes }
}

fn failed_kind(error: &piton_vault::Error) -> ErrorKind {
    use piton_vault::Error as E;
    match error {
        E::Damaged { .. } | E::NotRestorable { .. } | E::NoBeginning { .. } | E::Taken { .. } => {
            ErrorKind::Corrupt
        }
        E::Diverged { .. } => ErrorKind::Corrupt,
        E::Event { source: piton_model::DecodeError::Malformed { .. }, .. } => ErrorKind::Corrupt,
        E::Event { .. } | E::Newer { .. } | E::File(_) | E::Git(_) => ErrorKind::Environment,
        E::UnknownTarget { .. } | E::NotHeld { .. } => ErrorKind::Usage,
        E::Target(failure) if matches!(failure.reason, Reason::Address { .. }) => ErrorKind::Usage,
        E::Target(_) => ErrorKind::Environment,
        E::Store(piton_store::Error::Corrupt(_)) => ErrorKind::Corrupt,
        E::Store(_) => ErrorKind::Environment,
    }
}

/// What the vault said, and what helps.
pub(super) fn failed(error: piton_vault::Error) -> Error {
    use piton_vault::Error as E;
    let of = Error::of(failed_kind(&error), &error);
    match error {
        E::Store(error) => ClientError::from(error).into(),
        E::Damaged { .. } | E::NotRestorable { .. } | E::NoBeginning { .. } | E::Taken { .. } => {
            of.hint("`piton backup list` has the others; `piton backup create` makes a new one")
        }
        E::Diverged { .. } => of.hint("`piton backup list` shows what lies there; nothing was merged"),
        E::Newer { .. } | E::Event { .. } => of.hint("update piton on this machine"),
        E::Git(_) => of.hint("run `piton doctor`; a shallow or partial clone has to be made whole first"),
        E::File(error) => {
            let remedy = piton_view::remedy(&error);
            of.hint(remedy)
        }
        E::Target(failure) => of.hint(failure.remedy()),
        E::UnknownTarget { .. } => of.hint(format!("give {}", target::TARGET_SHAPE)),
        E::NotHeld { .. } => of.hint("run `piton backup list`"),
    }
}
