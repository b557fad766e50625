//! What lies at a place: backups, replicas, and what cannot be read.

use piton_vault::replica::{self, ListedReplica};
use piton_vault::{Listed, Target};
use piton_view::{BackupsView, Error, ReplicaListed};

use super::{Place, Seen, failed, journal_of, parse, view_of};
use crate::client::LocalClient;
use crate::configuration;

/// The backups at a place.
pub(in crate::client) async fn backups(client: &LocalClient, to: Option<&str>) -> Result<BackupsView, Error> {
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
pub(super) fn locked_words(sort: &str, name: &str, journal: &str, error: &piton_vault::Error) -> String {
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
