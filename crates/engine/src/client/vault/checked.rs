//! Whether backups and replicas can be restored, and putting that on record.

use std::path::Path;

use piton_vault::replica::{self, ListedReplica};
use piton_vault::restore::Proof;
use piton_vault::{Listed, Target};
use piton_view::{BackupChecked, BackupsVerified, Error, ErrorKind};

use super::choose::{is_called, no_backup};
use super::listing::locked_words;
use super::{Place, Scratch, failed, failed_kind, journal_of, proof_of};
use crate::client::LocalClient;

/// Whether backups can be restored.
pub(in crate::client) async fn verify(
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
