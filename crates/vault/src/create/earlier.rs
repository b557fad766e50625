//! What earlier backups have and the journal has not any more: payloads of runs that are archived, and runs that were lost.
//!
//! Only a run of which the journal says that it was removed is history. Whatever else is not there is damage: its row is gone or has
//! another name, or the journal was put back to an earlier state. What the newest backup has of it stays in the next.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use piton_model::RunId;
use piton_store::{BlobId, Frame, Head, Problem};
use piton_sys::file;

use super::Shipment;
use crate::manifest::{Manifest, RunHeld};
use crate::segment::Record;
use crate::spool::OBJECT_BYTES_MAX;
use crate::{Error, Spool, Target};

/// What is wrong with a run that is not here, and of which nothing says that it was removed.
pub(crate) const LOST: &str = "the journal has lost it: it is not there, and was not removed";

/// Earlier backups, for what the journal itself has let go of since. Each is fetched once it is needed.
pub(super) struct Earlier {
    /// Those that nobody needed yet, oldest first.
    listed: Vec<Manifest>,
    /// The others, newest first; of those that cannot be read, why.
    fetched: Vec<(Manifest, Result<Arc<Spool>, String>)>,
    scratch: PathBuf,
}

impl Earlier {
    pub(super) fn new(listed: &[Manifest], scratch: &Path) -> Self {
        Self { listed: listed.to_vec(), fetched: Vec::new(), scratch: scratch.to_owned() }
    }

    /// Every run that one of them holds.
    fn runs(&self) -> Vec<RunId> {
        let fetched = self.fetched.iter().map(|(manifest, _)| manifest);
        let mut runs: Vec<RunId> = Vec::new();
        for held in fetched.chain(self.listed.iter().rev()).flat_map(|manifest| &manifest.runs) {
            if runs.iter().all(|known| known.key() != held.run_id.key()) {
                runs.push(held.run_id.clone());
            }
        }
        runs
    }

    /// The backup that is older than so many others. That the place did not answer is no reason to do without it.
    async fn older_than(
        &mut self,
        newer: usize,
        target: &dyn Target,
    ) -> Result<Option<&(Manifest, Result<Arc<Spool>, String>)>, Error> {
        while self.fetched.len() <= newer {
            let Some(manifest) = self.listed.pop() else { return Ok(None) };
            let at = self.scratch.join(format!("earlier-{}", self.fetched.len()));
            let fetched = match Spool::fetch(target, manifest.clone(), &at).await {
                Ok(spool) => Ok(Arc::new(spool)),
                Err(error @ (Error::Target(_) | Error::File(_))) => return Err(error),
                Err(error) => Err(error.to_string()),
            };
            self.fetched.push((manifest, fetched));
        }
        Ok(self.fetched.get(newer))
    }
}

impl Shipment<'_> {
    /// Keeps what earlier backups have of runs that cannot be read here, or that the journal has lost, and says so. Those that were
    /// removed are told to be gone.
    pub(super) async fn keep_lost(
        &mut self,
        there: &HashSet<String>,
        mut problems: Vec<Problem>,
    ) -> Result<(), Error> {
        // Looked at last: what was removed meanwhile is in it.
        let removed: HashSet<String> =
            self.source.store.gone().await?.into_iter().map(|gone| gone.key).collect();
        let said: HashSet<String> =
            problems.iter().filter_map(|problem| Some(problem.run.as_ref()?.key())).collect();
        let is_removed = |run: &RunId| removed.contains(&run.key()) && !said.contains(&run.key());
        for held in self.base.into_iter().flat_map(|base| &base.runs) {
            if there.contains(&held.run_id.key()) {
                continue;
            }
            if is_removed(&held.run_id) {
                self.writer.push(&Record::Removed { run: held.run_id.clone() });
                self.gone += held.seq;
            } else {
                self.runs.push(held.clone());
            }
        }
        for run in self.earlier.runs() {
            if there.contains(&run.key()) || is_removed(&run) {
                continue;
            }
            if self.runs.iter().all(|held| held.run_id.key() != run.key()) {
                self.carry_lost(&run).await?;
            }
            // It may have been brought back since the others were looked at.
            if !said.contains(&run.key()) && self.source.store.row(&run).await.is_err() {
                problems.push(Problem::of(&run, LOST));
            }
        }
        for problem in problems {
            self.damaged.push(self.words(&problem));
        }
        Ok(())
    }

    /// What is wrong, and what this backup has of the run nonetheless.
    fn words(&self, problem: &Problem) -> String {
        let Some(run) = &problem.run else { return problem.to_string() };
        match self.runs.iter().find(|held| held.run_id.key() == run.key()) {
            Some(held) => format!("{problem}; what an earlier backup has of it is kept: {} events", held.seq),
            None => format!("{problem}; nothing of it is in this backup"),
        }
    }

    /// Takes a run from the newest backup that has it and can be read.
    async fn carry_lost(&mut self, run: &RunId) -> Result<(), Error> {
        for newer in 0.. {
            let Some((manifest, fetched)) = self.earlier.older_than(newer, self.target).await? else { break };
            let Some(held) = manifest.run(run).cloned() else { continue };
            let carried = match fetched.clone() {
                Err(why) => Err(why),
                Ok(spool) => match self.carry_all(&spool, &held).await {
                    Err(error) if error.is_damage() => Err(error.to_string()),
                    carried => Ok(carried?),
                },
            };
            match carried {
                Ok(()) => break,
                Err(why) => {
                    let (manifest, _) = &self.earlier.fetched[newer];
                    let name = &manifest.name;
                    self.notes.push(format!("backup {name} has run `{run}`, and cannot be read: {why}"));
                }
            }
        }
        Ok(())
    }

    /// Everything that `spool` has of a run, its snapshots included where git has none.
    async fn carry_all(&mut self, spool: &Spool, held: &RunHeld) -> Result<(), Error> {
        let run = &held.run_id;
        let frames: Vec<Frame> = spool.frames(run).collect::<Result<_, _>>()?;
        let blobs = blobs_of(spool, run, &frames)?;
        // Whatever was shipped of it before its damage was met.
        self.writer.push(&Record::Removed { run: run.clone() });
        self.push_all(run, frames, blobs).await?;
        self.runs.push(held.clone());
        self.carry_snapshots(spool, run).await
    }

    async fn carry_snapshots(&mut self, spool: &Spool, run: &RunId) -> Result<(), Error> {
        let (Some(tip), Some(workspace)) = (spool.manifest.tips.get(run), self.source.workspace) else {
            return Ok(());
        };
        if workspace.has(tip) || workspace.tip(run.as_str())?.is_some() {
            return Ok(());
        }
        self.tips_carried.insert(run.clone(), tip.clone());
        if !self.unbundled.insert(spool.manifest.name.clone()) {
            return Ok(());
        }
        for path in spool.bundles() {
            let bytes = file::read_regular(path, OBJECT_BYTES_MAX)?.unwrap_or_default();
            let piece = self.put("bundles", &bytes, false).await?;
            self.bundles.push(piece);
        }
        Ok(())
    }

    /// What is archived here and whole in any earlier backup is whole in this one. Returns where that ends; nothing where no
    /// backup has it that can be read, and the run is shipped as it is here.
    pub(super) async fn carry_over(&mut self, run: &RunId) -> Result<Option<Head>, Error> {
        if self.source.store.archived(run).await?.is_none() {
            return Ok(None);
        }
        let mut unread = Vec::new();
        for newer in 0.. {
            let Some((manifest, fetched)) = self.earlier.older_than(newer, self.target).await? else { break };
            if manifest.run(run).is_none_or(|held| held.is_archived) {
                continue;
            }
            let why = match fetched.clone() {
                Err(why) => why,
                Ok(spool) => match self.carry_from(&spool, run).await {
                    Ok(Some(head)) => return Ok(Some(head)),
                    Ok(None) => continue,
                    Err(error) if error.is_damage() => error.to_string(),
                    Err(error) => return Err(error),
                },
            };
            let (manifest, _) = &self.earlier.fetched[newer];
            unread.push(format!("backup {} has the rest, and cannot be read: {why}", manifest.name));
        }
        if unread.is_empty() {
            unread.push("no backup here has the rest".to_owned());
        }
        let rest = unread.join("; ");
        self.notes.push(format!("run `{run}` is archived, and only its digests are in this backup: {rest}"));
        Ok(None)
    }

    /// The same from one of them; nothing where that has no more than the journal.
    async fn carry_from(&mut self, spool: &Spool, run: &RunId) -> Result<Option<Head>, Error> {
        let Some(head) = spool.head(run) else { return Ok(None) };
        let frames: Vec<Frame> = spool.frames(run).collect::<Result<_, _>>()?;
        if frames.iter().any(Frame::is_archived) {
            return Ok(None);
        }
        let blobs = blobs_of(spool, run, &frames)?;
        // Its chain leads to the one that is here, or it is another run of that name.
        match self.source.store.ship(run, head, 1).await {
            Ok(_) => {}
            Err(piton_store::Error::Diverged { .. }) => return Ok(None),
            Err(error) => return Err(error.into()),
        }
        self.push_all(run, frames, blobs).await?;
        Ok(Some(head))
    }

    async fn push_all(
        &mut self,
        run: &RunId,
        frames: Vec<Frame>,
        blobs: Vec<(BlobId, Vec<u8>)>,
    ) -> Result<(), Error> {
        for (id, bytes) in blobs {
            if self.blobs.insert(id) {
                self.push(&Record::Blob { id, bytes }).await?;
            }
        }
        for frame in frames {
            self.push(&Record::Frame { run: run.clone(), frame }).await?;
        }
        Ok(())
    }
}

/// The large payloads that these appends name, from where they come.
fn blobs_of(spool: &Spool, run: &RunId, frames: &[Frame]) -> Result<Vec<(BlobId, Vec<u8>)>, Error> {
    let keys = spool.keys();
    let ids = frames.iter().flat_map(|frame| frame.blobs(run, &*keys));
    ids.map(|id| Ok((id, spool.blob(&id)?))).collect()
}
