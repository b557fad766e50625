//! Backups of this journal, through the door: where they go, who may ask for them, and a scratch place for their proof.

mod checked;
mod choose;
mod listing;
mod restore;
mod scratch;

use piton_git::Workspace;
use piton_model::{Kind, Timestamp};
use piton_store::JournalId;
use piton_sys::{Clock, SystemClock};
use piton_vault::create::{SEGMENT_BYTES, Source};
use piton_vault::list::Keep;
use piton_vault::manifest::Manifest;
use piton_vault::restore::Proof;
use piton_vault::target::failure::Reason;
use piton_vault::target::{self, Patience};
use piton_vault::{Covered, Target};
use piton_view::{
    BackedUp, BackupRunView, BackupView, Error, ErrorKind, ProblemView, ProofView, PruneOrder, PrunedView,
};

pub(super) use self::checked::verify;
pub(super) use self::listing::backups;
pub(super) use self::restore::restore;
pub(super) use self::scratch::Scratch;
use super::{ClientError, LocalClient};
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
    // And one that has some may have lost those that its events name.
    let mut proof = proof_of(created.proof);
    let (mut backup, mut hidden) = (view_of(&created.manifest, &*place.target, Seen::default()), Vec::new());
    for run in backup.runs.iter_mut().filter(|run| run.snapshots) {
        let Some(what) = client.snapshot_lost(&run.run_id).await? else { continue };
        hidden.push(format!("run `{}`: {what}", run.run_id));
        // Where an earlier backup has them, this one does as well.
        if !created.manifest.tips_lost.contains_key(&run.run_id) {
            run.snapshots = false;
            proof.snapshots = proof.snapshots.saturating_sub(1);
        }
    }
    lost.extend(hidden);
    let keep = Keep {
        proven: Some(&created.manifest.name),
        ..kept(place.count_max, place.age_ms_max.map(before_now), GRACE_MS)
    };
    let pruned = piton_vault::prune(&*place.target, journal, keep).await.map_err(failed)?;
    lost.retain(|lost| !backup.damaged.iter().any(|said| said.starts_with(lost)));
    backup.damaged.extend(lost);
    Ok(BackedUp { backup, proof, bytes_put: created.bytes_put, pruned: pruned_of(pruned), notes })
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
/// whoever needs such a key is told. Returns those that came back.
pub(super) async fn fetch_keys(layout: &Layout) -> Vec<String> {
    let ring = keys::ring(layout);
    if !keys::is_asked(layout) {
        return Vec::new();
    }
    let Ok(Some(journal)) = piton_store::peek(layout.store()) else { return Vec::new() };
    let before = ring.records().unwrap_or_default();
    for to in places(layout) {
        let Ok(target) = parse(layout, &to) else { continue };
        if let Ok(records) = target.keys_of(&journal.id.to_string()).await {
            let _ = ring.keep(&records);
        }
    }
    let now = ring.records().unwrap_or_default();
    now.keys().filter(|id| !before.contains_key(id)).map(ToString::to_string).collect()
}

/// Where backups and the replica go by the configuration.
fn places(layout: &Layout) -> Vec<String> {
    let mut places: Vec<String> = configuration::backups(layout).into_iter().map(|to| to.to).collect();
    places.extend(configuration::replicate(layout).ok().flatten());
    places.dedup();
    places
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
