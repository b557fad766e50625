//! The snapshots of runs, on their way to a replica: before the events that name them.

use piton_git::SnapshotId;
use piton_model::RunId;
use piton_sys::{Ids, SystemIds, file};

use super::Shipment;
use crate::Error;
use crate::segment::Record;
use crate::spool::OBJECT_BYTES_MAX;

/// A bundle of git is shipped in parts of this size.
const PART_BYTES: usize = 8 << 20;

impl Shipment<'_, '_> {
    /// Looks once which snapshots of the replica git has lost, of runs that have others by now.
    pub(super) fn look_for_lost(&mut self) -> Result<(), Error> {
        let Some(workspace) = self.to.source.workspace else { return Ok(()) };
        if !self.to.has_shipped {
            let tips: Vec<SnapshotId> = self.to.mark.tips.values().cloned().collect();
            let missing = workspace.missing(&tips)?;
            for (run, tip) in self.to.mark.tips.iter().filter(|(_, tip)| missing.contains(tip)) {
                if workspace.tip(run.as_str())?.is_some_and(|now| now != *tip) {
                    let what = format!(
                        "run `{run}`: git has lost some of its snapshots: {tip} is not there any more; the replica keeps those that it has"
                    );
                    self.to.lost.insert(run.key(), what);
                }
            }
        }
        self.next.damaged.extend(self.to.lost.values().cloned());
        Ok(())
    }

    /// Ships what git has of the snapshots of these runs, and the replica has not.
    pub(super) async fn ship_snapshots(&mut self, runs: &[RunId]) -> Result<(), Error> {
        let Some(workspace) = self.to.source.workspace else { return Ok(()) };
        for run in runs {
            let Some(tip) = workspace.tip(run.as_str())? else { continue };
            // It would hide what git has lost.
            if self.to.lost.contains_key(&run.key()) {
                continue;
            }
            let held = self.held();
            if let Some((known, what)) = self.to.incomplete.get(&run.key())
                && *known == tip
            {
                self.next.damaged.push(what.clone());
                continue;
            }
            if !held.contains(&tip) {
                let path = self.to.source.scratch.join(format!("{}.bundle", SystemIds.hex(8)));
                let bundled = match workspace.bundle(run.as_str(), &tip, &held, &path) {
                    // Whatever git has forgotten since is no ground to stand on.
                    Err(_) => {
                        let there: Vec<SnapshotId> =
                            held.into_iter().filter(|tip| workspace.has(tip)).collect();
                        file::remove_file_if_exists(&path)?;
                        workspace.bundle(run.as_str(), &tip, &there, &path)
                    }
                    bundled => bundled,
                };
                let bundled = match bundled {
                    Ok(bundled) => bundled,
                    // What git has lost of one run keeps no other out.
                    Err(error) => {
                        file::remove_file_if_exists(&path)?;
                        let what = crate::incomplete(workspace, run, error.into())?;
                        self.next.damaged.push(what.clone());
                        self.to.incomplete.insert(run.key(), (tip, what));
                        continue;
                    }
                };
                self.to.incomplete.remove(&run.key());
                if bundled {
                    let bytes = file::read_regular(&path, OBJECT_BYTES_MAX)?.unwrap_or_default();
                    file::remove_file_if_exists(&path)?;
                    self.ship_bundle(&bytes).await?;
                }
            }
            self.current.insert(run.key(), tip.clone());
            self.next.tips.insert(run.clone(), tip);
        }
        Ok(())
    }

    /// The snapshots that the replica has, or will have with what was written so far.
    fn held(&self) -> Vec<SnapshotId> {
        self.to.mark.tips.values().chain(self.next.tips.values()).cloned().collect()
    }

    async fn ship_bundle(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let count = bytes.chunks(PART_BYTES).count();
        for (part, chunk) in bytes.chunks(PART_BYTES).enumerate() {
            let is_last = part + 1 == count;
            let part = u32::try_from(part).expect("a bundle has few parts");
            self.writer.push(&Record::Bundle { part, is_last, bytes: chunk.to_vec() });
            self.flush_where_full().await?;
        }
        Ok(())
    }
}
