//! The snapshots of runs, on their way into a backup: what git has of them that no earlier backup has.

use std::collections::BTreeMap;

use piton_git::{SnapshotId, Workspace};
use piton_model::RunId;
use piton_sys::{Ids, SystemIds, file};

use super::Shipment;
use crate::Error;
use crate::manifest::Manifest;

/// Bundles are made anew where there are this many, and so many for each run that has snapshots besides.
const BUNDLES_MAX: usize = 64;
const BUNDLES_MAX_PER_RUN: usize = 4;

/// How often a snapshot is bundled whose run goes elsewhere meanwhile.
const BUNDLE_TRIES: usize = 20;

/// How often git may fail at it: what it has lost, it lacks at the next try, too.
const FAILURES_MAX: usize = 4;

/// What became of snapshots that git has lost.
const KEPT: &str = "what an earlier backup has of them is kept";

impl Shipment<'_> {
    /// The last snapshot of a run, and what git has of it beyond `held`. A run that goes back to an earlier snapshot meanwhile is
    /// looked at again.
    fn bundle(
        &self,
        workspace: &Workspace,
        run: &RunId,
        held: &[SnapshotId],
    ) -> Result<Option<Snapshot>, Error> {
        for tries in 1.. {
            let Some(tip) = workspace.tip(run.as_str())? else { return Ok(None) };
            if held.contains(&tip) {
                return Ok(Some(Snapshot { tip, bundle: None }));
            }
            let path = self.source.scratch.join(format!("{}.bundle", SystemIds.hex(8)));
            let made = workspace.bundle(run.as_str(), &tip, held, &path);
            // It may have gone back and come again in between: git then found nothing to bundle.
            let may_have_moved = made.is_err() && tries < FAILURES_MAX;
            if may_have_moved || (tries < BUNDLE_TRIES && !workspace.leads_to(run.as_str(), &tip)?) {
                file::remove_file_if_exists(&path)?;
                continue;
            }
            let bundle = match made? {
                true => Some(file::read_regular(&path, crate::spool::OBJECT_BYTES_MAX)?.unwrap_or_default()),
                false => None,
            };
            file::remove_file_if_exists(&path)?;
            return Ok(Some(Snapshot { tip, bundle }));
        }
        Ok(None)
    }

    /// Puts what git has of the snapshots of these runs, and an earlier backup has not; the last snapshot of each.
    pub(super) async fn bundle_all(&mut self) -> Result<BTreeMap<RunId, SnapshotId>, Error> {
        let Some(workspace) = self.source.workspace else { return Ok(BTreeMap::new()) };
        let mut held: Vec<SnapshotId> = Vec::new();
        let mut tips = std::mem::take(&mut self.tips_carried);
        if let Some(base) = self.base {
            self.keep_lost_tips(workspace, base, &mut tips)?;
            // Whatever git has forgotten since is no ground to stand on.
            let known = base.tips.values().filter(|tip| workspace.has(tip)).cloned();
            held.extend(known);
            let is_too_many = self.bundles.len() > BUNDLES_MAX + BUNDLES_MAX_PER_RUN * held.len();
            if tips.is_empty() && self.tips_lost.is_empty() && (held.len() < base.tips.len() || is_too_many) {
                self.bundles.clear();
                held.clear();
            }
        }
        for run in self.runs.iter().map(|run| run.run_id.clone()).collect::<Vec<_>>() {
            let bundled = match self.bundle(workspace, &run, &held) {
                Ok(bundled) => bundled,
                // What git has lost of one run keeps no other out. What an earlier backup has of it stays.
                Err(error) => {
                    let what = crate::incomplete(workspace, &run, error)?;
                    let tip = self.base.and_then(|base| base.tips.get(&run)).filter(|tip| held.contains(tip));
                    tips.extend(tip.map(|tip| (run.clone(), tip.clone())));
                    let kept = match tips.contains_key(&run) {
                        true => KEPT,
                        false => "none of them are in this backup",
                    };
                    self.damaged.push(format!("{what}; {kept}"));
                    continue;
                }
            };
            let Some(Snapshot { tip, bundle }) = bundled else {
                // Its ref is gone, and what it led to may still be there.
                let tip = self.base.and_then(|base| base.tips.get(&run)).filter(|tip| held.contains(tip));
                tips.extend(tip.map(|tip| (run.clone(), tip.clone())));
                continue;
            };
            if let Some(bytes) = bundle {
                // git has compressed it.
                let piece = self.put("bundles", &bytes, false).await?;
                self.bundles.push(piece);
            }
            held.push(tip.clone());
            tips.insert(run, tip);
        }
        Ok(tips)
    }

    /// What git has lost is in the backup before: it stays, and nothing new stands on it. Snapshots that were made since do not lead there.
    fn keep_lost_tips(
        &mut self,
        workspace: &Workspace,
        base: &Manifest,
        tips: &mut BTreeMap<RunId, SnapshotId>,
    ) -> Result<(), Error> {
        for run in self.runs.iter().map(|held| held.run_id.clone()).collect::<Vec<_>>() {
            let now = workspace.tip(run.as_str())?;
            let mut lost = Vec::new();
            for tip in base.tips_lost.get(&run).into_iter().flatten() {
                if !workspace.leads_to(run.as_str(), tip)? {
                    lost.push(tip.clone());
                }
            }
            if let Some(tip) = base.tips.get(&run).filter(|tip| !workspace.has(tip)) {
                match now.is_none_or(|now| now == *tip) {
                    true => drop(tips.insert(run.clone(), tip.clone())),
                    false => lost.push(tip.clone()),
                }
            }
            if let Some(tip) = lost.iter().find(|tip| !workspace.has(tip)) {
                let what =
                    format!("run `{run}`: git has lost some of its snapshots: {tip} is not there any more");
                self.damaged.push(format!("{what}; {KEPT}"));
            }
            if !lost.is_empty() {
                self.tips_lost.insert(run, lost);
            }
        }
        Ok(())
    }
}

/// The last snapshot of a run, and what git has of it that no earlier backup has.
struct Snapshot {
    tip: SnapshotId,
    bundle: Option<Vec<u8>>,
}
