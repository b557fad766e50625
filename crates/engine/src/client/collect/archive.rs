//! Runs that are over for long: their payloads go where a backup has them, their chain stays.
//!
//! In this order, so that it can be killed anywhere: a backup is found that has all of the run, and is restored once more; under
//! the lease of the run its state is recorded as a checkpoint, so that it can be loaded without what came before; its files are
//! rendered; then the payloads are replaced by their digests. What happens afterwards stands on the checkpoint.

use piton_model::{Entry, Machine, RunEvent, RunId, State, cycle, workflow};
use piton_store::{Append, Archived, Claim, Expect, Fence, Head, Lease};
use piton_sys::{Clock, Ids, SystemClock, SystemIds};
use piton_vault::Listed;
use piton_vault::Target;
use piton_vault::manifest::{Manifest, RunHeld};
use piton_view::{ArchivedView, Error, StateOf};

use super::Work;
use crate::client::vault::{Place, Scratch, failed};
use crate::client::{ClientError, LocalClient};
use crate::core::checkpoint_of;

/// What the event is called that names a checkpoint, for every kind of run.
const CHECKPOINT: &str = "checkpoint_taken";

/// A backup that was restored a moment ago.
struct Proven {
    place: String,
    manifest: Manifest,
}

impl Work<'_> {
    /// Archives what the policy says.
    pub(super) async fn archive_runs(&mut self) -> Result<(), Error> {
        let due = self.over_for(self.retention.finished_for_ms).await?;
        let mut runs = Vec::new();
        for entry in due {
            if self.store.archived(&entry.run_id).await.map_err(ClientError::from)?.is_none() {
                runs.push(entry);
            } else if !self.order.dry_run {
                // Whoever archived it may have been killed in between.
                self.finish(&entry.run_id).await?;
            }
        }
        if runs.is_empty() {
            return Ok(());
        }
        let proven = match self.retention.only_if_backed_up {
            true => self.proven(&runs).await?,
            false => None,
        };
        for entry in runs {
            self.archive_run(&entry, proven.as_ref()).await?;
        }
        Ok(())
    }

    /// The newest backup of this journal, if it holds any of these runs and can be restored now.
    async fn proven(&mut self, runs: &[Entry]) -> Result<Option<Proven>, Error> {
        let place = match Place::of(self.layout, None) {
            Ok(place) => place,
            Err(error) => {
                self.view.notes.push(format!("no run is archived: no backup can be looked at: {error}"));
                return Ok(None);
            }
        };
        let journal = crate::client::vault::journal_of(self.client)?;
        let listed = match piton_vault::list(&*place.target, Some(journal)).await {
            Ok(listed) => listed,
            Err(error) => {
                self.view.notes.push(format!("no run is archived: no backup can be looked at: {error}"));
                return Ok(None);
            }
        };
        for Listed { manifest, .. } in listed.into_iter().rev() {
            let Ok(manifest) = manifest else { continue };
            if !runs.iter().any(|entry| manifest.run(&entry.run_id).is_some()) {
                continue;
            }
            // It was restored when it was made; what counts is that it can be restored now.
            let scratch = Scratch::new(self.layout)?;
            match piton_vault::verify(&*place.target, manifest.clone(), scratch.path()).await {
                Ok(_) => return Ok(Some(Proven { place: place.target.place(), manifest })),
                Err(error) => {
                    let name = &manifest.name;
                    self.view
                        .notes
                        .push(format!("backup {name} cannot be restored: {}", failed(error).message));
                }
            }
        }
        Ok(None)
    }

    async fn archive_run(&mut self, entry: &Entry, proven: Option<&Proven>) -> Result<(), Error> {
        let run = &entry.run_id;
        let row = self.client.row(run).await?;
        let whole = proven.and_then(|proven| proven.manifest.run(run)).filter(|held| !held.is_archived);
        let held = match whole.and_then(RunHeld::head) {
            Some(held) if self.is_all_but_a_checkpoint(run, held).await? => Some(held),
            _ => None,
        };
        if self.retention.only_if_backed_up && held.is_none() {
            self.view
                .notes
                .push(format!("{run} is not archived: no backup has all of it; run `piton backup create`"));
            return Ok(());
        }
        let through = held.unwrap_or(row.head).seq;
        let archived = ArchivedView {
            run_id: run.clone(),
            through,
            place: proven.map(|proven| proven.place.clone()),
            backup: proven.map(|proven| proven.manifest.name.clone()),
        };
        if self.order.dry_run {
            self.archived(archived);
            return Ok(());
        }
        let lease = match self.client.claim(run, Claim::IfFree).await {
            Ok(lease) => lease,
            Err(ClientError::Store(piton_store::Error::Held { .. })) => return Ok(()),
            Err(error) => return Err(error.into()),
        };
        // Somebody may have gone on with it since.
        if self.client.row(run).await?.head != row.head || !self.client.entry(run).await?.is_over() {
            return Ok(self.client.release(lease).await?);
        }
        let note = Archived {
            through,
            at: SystemClock.now(),
            place: archived.place.clone(),
            backup: archived.backup.clone(),
        };
        let done = self.under_lease(&lease, row.head, note).await;
        self.client.release(lease).await?;
        done?;
        self.archived(archived);
        Ok(())
    }

    /// Whether nothing followed but the checkpoint that a collection recorded which was killed after it.
    async fn is_all_but_a_checkpoint(&self, run: &RunId, held: Head) -> Result<bool, Error> {
        match self.store.ship(run, held, 1 << 20).await {
            Ok(since) => Ok(since.iter().all(|frame| frame.kinds == CHECKPOINT)),
            // The backup has another run of that name.
            Err(piton_store::Error::Diverged { .. }) => Ok(false),
            Err(error) => Err(ClientError::from(error).into()),
        }
    }

    async fn under_lease(&self, lease: &Lease, head: Head, note: Archived) -> Result<(), Error> {
        let loaded = self.client.load_any(&lease.run, None).await?;
        match &loaded.state {
            StateOf::Ledger(_) => return Ok(()),
            // Its state is on record already.
            _ if head.seq > note.through => {}
            StateOf::Loop(state) => record::<State>(self.client, lease, head, state).await?,
            StateOf::Workflow(state) => record::<workflow::State>(self.client, lease, head, state).await?,
            StateOf::Cycle(state) => record::<cycle::State>(self.client, lease, head, state).await?,
        }
        // While everything that they are rendered from is still there.
        let loaded = self.client.load_any(&lease.run, None).await?;
        let shown = self.client.show_at_rest(&loaded).await;
        self.store.archive(lease, note).await.map_err(ClientError::from)?;
        shown.map(drop).map_err(Error::from)
    }

    /// Goes on with what was archived and may not be complete.
    async fn finish(&mut self, run: &RunId) -> Result<(), Error> {
        let Some(note) = self.store.archived(run).await.map_err(ClientError::from)? else { return Ok(()) };
        let lease = match self.client.claim(run, Claim::IfFree).await {
            Ok(lease) => lease,
            Err(ClientError::Store(piton_store::Error::Held { .. })) => return Ok(()),
            Err(error) => return Err(error.into()),
        };
        let done = self.store.archive(&lease, note).await.map_err(ClientError::from);
        self.client.release(lease).await?;
        Ok(done?)
    }
}

/// Records the state of a run as its checkpoint, on top of `head`.
async fn record<M: Machine>(client: &LocalClient, lease: &Lease, head: Head, state: &M) -> Result<(), Error> {
    // It says nothing new of the run: when that was last heard of stays.
    let at = state.entry().updated_at;
    let (bytes, named) = checkpoint_of(state, head.seq + 1);
    let append = Append {
        run: lease.run.clone(),
        fence: Fence::Epoch(lease.epoch),
        expect: Expect::Seq(head.seq),
        at,
        events: vec![named.encode()],
        entry: Some(state.entry()),
        checkpoint: Some(bytes),
        salt: SystemIds.bytes(),
    };
    client.store()?.append(append).await.map_err(ClientError::from)?;
    Ok(())
}
