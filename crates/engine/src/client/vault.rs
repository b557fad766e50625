//! Backups of this journal, through the door: where they go, who may ask for them, and a scratch place for their proof.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use piton_git::Workspace;
use piton_model::{Kind, RunId, Seq, Timestamp};
use piton_store::{JournalId, Store};
use piton_sys::lock::FileLock;
use piton_sys::{Clock, Ids, SystemClock, SystemIds, file};
use piton_vault::create::{SEGMENT_BYTES, Source};
use piton_vault::list::Keep;
use piton_vault::manifest::Manifest;
use piton_vault::replica::{self, ListedReplica};
use piton_vault::restore::{Beside, Proof, Restored, Until, epoch_floor, restore_snapshots};
use piton_vault::target::failure::Reason;
use piton_vault::target::{self, Patience};
use piton_vault::{Covered, Listed, Spool, Target};
use piton_view::{
    BackedUp, BackupChecked, BackupRestored, BackupRunView, BackupView, BackupsVerified, BackupsView, Error,
    ErrorKind, ProblemView, ProofView, PruneOrder, PrunedView, ReplicaListed, RestoreOrder, RunRestored,
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
    // A run without snapshots there may have lost them here.
    let without =
        created.manifest.runs.iter().filter(|held| !created.manifest.tips.contains_key(&held.run_id));
    let (mut lost, mut notes) = (Vec::new(), created.notes);
    for held in without.filter(|held| matches!(held.kind, Kind::Loop | Kind::Cycle)) {
        let found = client.snapshots_lost(Some(&held.run_id)).await?;
        let said = |found: ProblemView| format!("run `{}`: {}", held.run_id, found.what);
        lost.extend(found.damaged.into_iter().map(said));
        notes.extend(found.elsewhere.into_iter().map(said));
    }
    let keep = Keep {
        proven: Some(&created.manifest.name),
        ..kept(place.count_max, place.age_ms_max.map(before_now), GRACE_MS)
    };
    let pruned = piton_vault::prune(&*place.target, journal, keep).await.map_err(failed)?;
    let mut backup = view_of(&created.manifest, &*place.target, Seen::default());
    lost.retain(|lost| !backup.damaged.iter().any(|said| said == lost));
    backup.damaged.extend(lost);
    Ok(BackedUp {
        backup,
        proof: proof_of(created.proof),
        bytes_put: created.bytes_put,
        pruned: pruned_of(pruned),
        notes,
    })
}

/// Brings the keys as they are wrapped now to where backups and the replica of this journal lie, so that whoever opens them now needs
/// nothing else there. Where that cannot be done, which place it is, and what helps.
pub(crate) async fn bring_keys(layout: &Layout) -> Vec<String> {
    let Ok(Some(journal)) = piton_store::peek(layout.store()) else { return Vec::new() };
    let journal = journal.id.to_string();
    let mut notes = Vec::new();
    for to in places(layout) {
        let Ok(target) = parse(layout, &to) else { continue };
        let brought = match target.has_keys(&journal).await {
            Ok(true) => target.put_keys(&journal).await,
            // Nothing that is sealed lies there.
            Ok(false) => Ok(()),
            Err(error) => Err(error),
        };
        if let Err(error) = brought {
            let at = target.place();
            notes.push(format!(
                "the keys in `{at}` are still wrapped as before ({error}): `piton backup create`, or whoever replicates next, brings them"
            ));
        }
    }
    notes
}

/// Brings keys back that were lost here and lie beside backups or the replica of this journal. What cannot be reached stays away:
/// whoever needs such a key is told.
pub(super) async fn fetch_keys(layout: &Layout) {
    let ring = keys::ring(layout);
    if !keys::is_asked(layout) {
        return;
    }
    let Ok(Some(journal)) = piton_store::peek(layout.store()) else { return };
    for to in places(layout) {
        let Ok(target) = parse(layout, &to) else { continue };
        if let Ok(records) = target.keys_of(&journal.id.to_string()).await {
            let _ = ring.keep(&records);
        }
    }
}

/// Where backups and the replica go by the configuration.
fn places(layout: &Layout) -> Vec<String> {
    let mut places: Vec<String> = configuration::backups(layout).into_iter().map(|to| to.to).collect();
    places.extend(configuration::replicate(layout).ok().flatten());
    places.dedup();
    places
}

/// The backups at a place.
pub(super) async fn backups(client: &LocalClient, to: Option<&str>) -> Result<BackupsView, Error> {
    let place = Place::of(client.layout(), to)?;
    let (mut backups, mut unread) = (Vec::new(), Unread::of(client));
    for listed in piton_vault::list(&*place.target, None).await.map_err(failed)? {
        let Listed { name, journal, manifest, is_open, has_failed } = listed;
        match manifest {
            Ok(manifest) => backups.push(view_of(&manifest, &*place.target, Seen { is_open, has_failed })),
            Err(error) => unread.take("backup", &name, &journal, error).map_err(failed)?,
        }
    }
    let (mut replicas, mut notes) = (Vec::new(), Vec::new());
    replicas_at(&*place.target, &mut replicas, &mut unread).await.map_err(failed)?;
    // Where nobody says which place is meant, the other one of the configuration is, too.
    if to.is_none()
        && let Some(other) = configuration::replicate(client.layout())?
    {
        let target = parse(client.layout(), &other)?;
        if target.place() != place.target.place()
            && let Err(error) = replicas_at(&*target, &mut replicas, &mut unread).await
        {
            notes.push(format!("`{}` was not looked at: {error}", target.place()));
        }
    }
    // Where nothing at all can be opened, a key is missing.
    if backups.is_empty()
        && replicas.is_empty()
        && unread.damaged.is_empty()
        && let Some(error) = unread.first_locked
    {
        return Err(failed(error));
    }
    let Unread { damaged, locked, own_locked, .. } = unread;
    Ok(BackupsView { at: place.target.place(), backups, replicas, damaged, locked, own_locked, notes })
}

/// What lies at a place and cannot be read.
struct Unread {
    own: Option<String>,
    damaged: Vec<String>,
    locked: Vec<String>,
    own_locked: bool,
    first_locked: Option<piton_vault::Error>,
}

impl Unread {
    fn of(client: &LocalClient) -> Self {
        let own = journal_of(client).ok().map(|own| own.to_string());
        Self { own, damaged: Vec::new(), locked: Vec::new(), own_locked: false, first_locked: None }
    }

    /// Takes down why `name` cannot be read. What keeps everything else from being read, too, is an error.
    fn take(
        &mut self,
        sort: &str,
        name: &str,
        journal: &str,
        error: piton_vault::Error,
    ) -> Result<(), piton_vault::Error> {
        match error {
            error if error.is_locked() => {
                self.own_locked |= self.own.as_deref() == Some(journal);
                self.locked.push(locked_words(sort, name, journal, &error));
                self.first_locked.get_or_insert(error);
            }
            error if error.is_damage() => self.damaged.push(format!("{sort} {name}: {error}")),
            error @ piton_vault::Error::Newer { .. } => self.damaged.push(error.to_string()),
            error => return Err(error),
        }
        Ok(())
    }
}

/// Something that is encrypted, and that nobody can open with what is given here.
fn locked_words(sort: &str, name: &str, journal: &str, error: &piton_vault::Error) -> String {
    let causes = std::iter::successors(std::error::Error::source(error), |error| error.source());
    let why = causes.last().map_or_else(|| error.to_string(), ToString::to_string);
    format!("{sort} {name} of journal {}: {why}", &journal[..8.min(journal.len())])
}

/// The replicas at a place, and what is wrong with others.
async fn replicas_at(
    target: &dyn Target,
    replicas: &mut Vec<ReplicaListed>,
    unread: &mut Unread,
) -> Result<(), piton_vault::Error> {
    for listed in replica::list(target, None).await? {
        match replica_of(&listed, target).await {
            Ok(found) => replicas.push(found),
            Err(error) => unread.take("replica", &listed.generation, &listed.journal, error)?,
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
    let has_failed = || "it could not be restored when that was tried last".to_owned();
    let failures = piton_vault::list::failed(target, &listed.journal).await?;
    let broken = found.broken.clone().or_else(|| failures.contains(&listed.generation).then(has_failed));
    // What was proven once is not what lies there now.
    let proven = proven.filter(|_| broken.is_none());
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
        runs: view_of(&manifest, target, Seen::default()).runs,
        broken,
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
    let own = journal_of(client).ok().map(|own| own.to_string());
    let mut verified = Verified { own, is_named: name.is_some(), done: BackupsVerified::default() };
    for Listed { name, journal, manifest, .. } in wanted {
        // One after the other: each takes as much room as the journal.
        let scratch = Scratch::new(client.layout())?;
        let proof = match manifest {
            Ok(manifest) => piton_vault::verify(&*place.target, manifest, scratch.path()).await,
            Err(error) => Err(error),
        };
        verified.take(&*place.target, ("backup", name, &journal), proof).await?;
    }
    for listed in replicas {
        let scratch = Scratch::new(client.layout())?;
        let proof = verify_replica(&listed, &*place.target, scratch.path()).await;
        let ListedReplica { generation, journal } = listed;
        verified.take(&*place.target, ("replica", generation, &journal), proof).await?;
    }
    let ok = verified.done.checked.iter().all(|checked| checked.proof.is_some());
    Ok(BackupsVerified { ok, ..verified.done })
}

/// What came of looking at backups.
struct Verified {
    own: Option<String>,
    is_named: bool,
    done: BackupsVerified,
}

impl Verified {
    /// Takes in what one came to, and puts it on record at the target: whoever lists or prunes next has to know. One of another journal
    /// that cannot be opened here is not for whoever asks, unless they named it.
    async fn take(
        &mut self,
        target: &dyn Target,
        (sort, name, journal): (&str, String, &str),
        proof: Result<Proof, piton_vault::Error>,
    ) -> Result<(), Error> {
        let is_own = self.own.as_deref().is_none_or(|own| own == journal);
        if let Err(error) = &proof
            && error.is_locked()
            && !self.is_named
            && !is_own
        {
            self.done.locked.push(locked_words(sort, &name, journal, error));
            return Ok(());
        }
        let checked = checked_as(name, proof)?;
        let is_sound = checked.proof.is_some();
        if let Err(error) = piton_vault::list::note_outcome(target, journal, &checked.name, is_sound).await
            && !is_sound
        {
            let name = &checked.name;
            self.done.notes.push(format!("that {name} cannot be restored is not on record there: {error}"));
        }
        self.done.checked.push(checked);
        Ok(())
    }
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
    let journal = journal.id.to_string();
    let there = target.list(&format!("{journal}/backups/")).await.map_err(failed)?.len();
    let failures = piton_vault::list::failed(&*target, &journal).await.map_err(failed)?.len();
    let said = match (there, failures) {
        (0, _) => "no backup of this journal is there; `piton backup create` makes one".to_owned(),
        (there, 0) => piton_view::words::count(there, "backup"),
        (there, failures) => {
            let there = piton_view::words::count(there, "backup");
            format!("{there}; {failures} could not be restored when that was tried: `piton backup list`")
        }
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
    let (chosen, before) = choose(&*target, order.backup.as_deref()).await?;
    file::create_private_dir(&layout.state()).map_err(|error| Error::environment(&error))?;
    // Appends come back as they were kept, so their keys come first.
    if let Some(journal) = chosen.journal() {
        let records = target.keys_of(journal).await.map_err(failed)?;
        keys::ring(layout).keep(&records).map_err(keys::failed)?;
    }
    let scratch = Scratch::new(layout)?;
    let fetched = chosen.fetch(&*target, &scratch.path().join("fetched")).await;
    let (spool, broken) = fetched.map_err(|error| or_before(error, before.as_deref(), &order.from))?;
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
        let (seq, differs) = match restored {
            Restored::Whole(head) | Restored::Refilled(head) => (Some(head.seq), None),
            Restored::Kept(beside) => (None, differs(beside)),
        };
        runs.push(RunRestored { run_id: run, seq, snapshots: false, differs });
    }
    if runs.is_empty() && until != Until::End {
        let when = order.to_time.map_or_else(String::new, |time| format!(" up to {time}"));
        return Err(Error::usage(format!("the backup holds nothing{when}")).hint("run `piton backup list`"));
    }
    bring_snapshots(layout, &**store, &spool, &mut runs).await?;
    Ok(BackupRestored { backup: spool.manifest.name.clone(), runs, broken })
}

/// What a run that stays as it is lacks of what was to be restored.
fn differs(beside: Beside) -> Option<String> {
    match beside {
        Beside::Whole => None,
        Beside::Shorter(here, there) => Some(format!(
            "it ends at event {here} here, and the backup has {} more after that",
            piton_view::words::count(there - here, "event")
        )),
        Beside::Another => {
            Some("it is another run, or has another history, than the one in the backup".to_owned())
        }
    }
}

/// That a backup cannot be read, and which one can.
fn or_before(error: piton_vault::Error, before: Option<&str>, from: &str) -> Error {
    let is_there = error.is_damage() || error.is_locked();
    let said = failed(error);
    match before.filter(|_| is_there) {
        Some(before) => said.hint(format!(
            "`piton backup restore {from} --backup {before}` takes the newest before it that can be read"
        )),
        None => said,
    }
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
        let tip = workspace.tip(run.run_id.as_str()).map_err(|error| Error::environment(&error))?;
        // What git has lost of them comes back as well.
        let is_without = tip.is_none_or(|tip| workspace.check_complete(&tip).is_err());
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
    let since = order.younger_than_ms.or(place.age_ms_max).map(before_now);
    let keep = kept(order.keep.unwrap_or(place.count_max), since, order.grace_ms);
    Ok(pruned_of(piton_vault::prune(&*place.target, journal, keep).await.map_err(failed)?))
}

fn kept(count: usize, since: Option<Timestamp>, grace_ms: u64) -> Keep<'static> {
    let (untouched_since, pending_since) = (before_now(grace_ms), before_now(GRACE_MS));
    Keep { count: count.max(1), proven: None, since, untouched_since, pending_since }
}

fn before_now(age_ms: u64) -> Timestamp {
    let now = SystemClock.now().as_millis();
    Timestamp::from_millis(now.saturating_sub(i64::try_from(age_ms).unwrap_or(i64::MAX)))
}

/// A place for backups, and how many are kept there.
pub(super) struct Place {
    pub(super) target: Box<Covered>,
    pub(super) count_max: usize,
    age_ms_max: Option<u64>,
    /// Whether what is put there is compressed.
    compress: bool,
    /// Whether an agent that works in the repository could have written there.
    pub(super) is_inside: bool,
}

impl Place {
    /// The place that a person names, or the configuration.
    pub(super) fn of(layout: &Layout, to: Option<&str>) -> Result<Self, Error> {
        let Backups { to: configured, count_max, age_ms_max, compress } = configuration::backups(layout)?;
        let text = to.unwrap_or(&configured);
        let target = parse(layout, text)?;
        let root = std::fs::canonicalize(layout.root()).unwrap_or_else(|_| layout.root().to_owned());
        // By its name, or by where that leads: an agent may have made a link of it.
        let is_inside = target.directory().is_some_and(|named| {
            let leads_to = std::fs::canonicalize(named).unwrap_or_else(|_| named.to_owned());
            named.starts_with(&root) || leads_to.starts_with(&root)
        });
        Ok(Self { target, count_max, age_ms_max, compress, is_inside })
    }
}

/// A relative path that a person gives is one from here; one of the configuration is one from the top of the repository.
pub(super) fn parse(layout: &Layout, text: &str) -> Result<Box<Covered>, Error> {
    let parsed = target::parse(text, layout.root()).map_err(failed)?;
    Ok(Box::new(Covered::new(parsed, keys::ring(layout))))
}

/// A backup or a replica.
enum Chosen {
    Backup(Box<Manifest>),
    /// A backup whose manifest cannot be read.
    Unread,
    Replica(ListedReplica),
}

impl Chosen {
    /// The journal that it is of, where that can be read.
    fn journal(&self) -> Option<&str> {
        match self {
            Chosen::Backup(manifest) => Some(&manifest.journal),
            Chosen::Unread => None,
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
            Chosen::Backup(manifest) => Ok((Spool::fetch(target, *manifest, at).await?, None)),
            Chosen::Unread => Err(piton_vault::Error::NotRestorable {
                what: "what it says of itself cannot be read".to_owned(),
            }),
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
    /// Which of the backups of its journal it is; a replica is none of them.
    number: Option<u64>,
    /// Where each run ends there.
    ends: BTreeMap<String, Seq>,
    has_failed: bool,
    chosen: Chosen,
    /// Why it cannot be read.
    unread: Option<piton_vault::Error>,
}

impl Candidate {
    fn is_locked(&self) -> bool {
        self.unread.as_ref().is_some_and(piton_vault::Error::is_locked)
    }

    /// Whether it is newer than another of the same journal, both of which can be read. What they hold says so; a clock may jump, so
    /// the time counts only where that leaves it open.
    fn is_newer(&self, than: &Self) -> bool {
        if let (Some(one), Some(other)) = (self.number, than.number) {
            return (one, &self.name) > (other, &than.name);
        }
        let goes_further = |one: &Self, other: &Self| {
            one.ends.iter().any(|(run, seq)| other.ends.get(run).is_none_or(|other| seq > other))
        };
        match (goes_further(self, than), goes_further(than, self)) {
            (true, false) => true,
            (false, true) => false,
            _ => self.as_of > than.as_of,
        }
    }
}

/// A moment as it stands at the beginning of a name.
fn as_in_names(at: Timestamp) -> String {
    at.to_string().chars().filter(|c| !"-:.".contains(*c)).collect()
}

/// Whether a name begins as those do that piton gives.
fn is_time(name: &str) -> bool {
    let is_digit = |byte: &u8| byte.is_ascii_digit();
    name.as_bytes()
        .split_at_checked(8)
        .is_some_and(|(day, rest)| day.iter().all(is_digit) && rest.first() == Some(&b'T'))
}

fn ends_of(manifest: &Manifest) -> BTreeMap<String, Seq> {
    manifest.runs.iter().map(|held| (held.run_id.key(), held.seq)).collect()
}

async fn candidates(target: &dyn Target) -> Result<Vec<Candidate>, Error> {
    let mut all = Vec::new();
    for listed in piton_vault::list(target, None).await.map_err(failed)? {
        let Listed { name, journal, manifest, has_failed, .. } = listed;
        let mut candidate = Candidate {
            as_of: name.clone(),
            number: None,
            ends: BTreeMap::new(),
            has_failed,
            chosen: Chosen::Unread,
            unread: None,
            name,
            journal,
        };
        match manifest {
            Ok(manifest) => {
                candidate.as_of = as_in_names(manifest.made_at);
                (candidate.number, candidate.ends) = (Some(manifest.number), ends_of(&manifest));
                candidate.chosen = Chosen::Backup(Box::new(manifest));
            }
            Err(error) => candidate.unread = Some(error),
        }
        all.push(candidate);
    }
    for listed in replica::list(target, None).await.map_err(failed)? {
        let found = replica::find(target, &listed.journal, &listed.generation).await;
        let (name, journal) = (listed.generation.clone(), listed.journal.clone());
        let mut candidate = Candidate {
            as_of: name.clone(),
            number: None,
            ends: BTreeMap::new(),
            has_failed: false,
            chosen: Chosen::Replica(listed),
            unread: None,
            name,
            journal,
        };
        match found {
            Ok(found) => {
                candidate.as_of = as_in_names(found.mark().at);
                candidate.ends = ends_of(&found.manifest());
            }
            Err(error) if error.is_damage() || error.is_locked() => candidate.unread = Some(error),
            Err(error) => return Err(failed(error)),
        }
        all.push(candidate);
    }
    all.sort_by(|a, b| a.as_of.cmp(&b.as_of));
    Ok(all)
}

/// The backup or replica of this name; without a name the newest state, where all are of one journal. With it the name of the newest
/// of the others that can be read.
async fn choose(target: &dyn Target, name: Option<&str>) -> Result<(Chosen, Option<String>), Error> {
    let mut all = candidates(target).await?;
    let Some(name) = name else { return newest(target, all) };
    all.retain(|candidate| is_called(name, &candidate.name, &candidate.journal));
    if let [one, _, ..] = &all[..] {
        let each = all.iter().map(|found| format!("{}@{}", found.name, found.journal)).collect();
        return Err(Error::usage(format!("`{}` holds several that are called `{name}`", target.place()))
            .details(each)
            .hint(format!("say of which journal: --backup {}@JOURNAL", one.name)));
    }
    let Candidate { chosen, unread, .. } = all.pop().ok_or_else(|| no_backup(Some(name), target))?;
    match unread {
        Some(error) => Err(failed(error)),
        None => Ok((chosen, None)),
    }
}

/// The newest state. What is encrypted with keys that cannot be opened here is somebody else's, where all of a journal is.
fn newest(target: &dyn Target, mut all: Vec<Candidate>) -> Result<(Chosen, Option<String>), Error> {
    let opens: BTreeSet<String> =
        all.iter().filter(|found| !found.is_locked()).map(|found| found.journal.clone()).collect();
    if !opens.is_empty() {
        all.retain(|found| opens.contains(&found.journal));
    }
    if all.iter().any(|candidate| candidate.journal != all[0].journal) {
        let newest = all.iter().rev().take(5).map(|candidate| {
            let sort = match candidate.chosen {
                Chosen::Backup(_) | Chosen::Unread => "",
                Chosen::Replica(_) => "replica ",
            };
            format!("{sort}{} of journal {}", candidate.name, candidate.journal)
        });
        return Err(Error::usage(format!("`{}` holds backups of several journals", target.place()))
            .details(newest.collect())
            .hint("say which with --backup NAME; `piton backup list` has them all"));
    }
    let (mut read, mut unread): (Vec<Candidate>, Vec<Candidate>) =
        all.into_iter().partition(|found| found.unread.is_none());
    let mut ordered = Vec::new();
    while let Some(at) =
        (0..read.len()).reduce(|best, next| if read[next].is_newer(&read[best]) { next } else { best })
    {
        ordered.push(read.remove(at));
    }
    let good =
        |found: &[Candidate]| found.iter().find(|found| !found.has_failed).map(|found| found.name.clone());
    // Of what cannot be read, only the name says when it was begun; a file that has no such name is none of ours.
    unread.retain(|found| ordered.is_empty() || is_time(&found.name));
    if let Some(found) = unread.pop_if(|last| ordered.first().is_none_or(|newest| last.as_of > newest.as_of))
        && let Some(error) = found.unread
    {
        return Err(or_before(error, good(&ordered).as_deref(), &target.place()));
    }
    if ordered.is_empty() {
        return Err(no_backup(None, target));
    }
    let newest = ordered.remove(0);
    Ok((newest.chosen, good(&ordered)))
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

/// What was seen of a backup beside its manifest.
#[derive(Default)]
struct Seen {
    is_open: bool,
    has_failed: bool,
}

fn view_of(manifest: &Manifest, target: &dyn Target, seen: Seen) -> BackupView {
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
        is_open: seen.is_open,
        has_failed: seen.has_failed,
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
