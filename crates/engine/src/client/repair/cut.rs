//! What a repair could not find: kept beside the damaged journal, so that a backup which turns up later can bring it.
//!
//! A run that went on since has another history than the one that was lost, and nothing is put on top of that.

use std::path::Path;

use piton_model::{RunId, Seq};
use piton_record::record;
use piton_store::chain;
use piton_store::{Head, Salvage};
use piton_sys::file::{self, Durability};
use piton_view::{Error, RunRepaired};

use super::{quarantines, state_of};
use crate::client::{ClientError, LocalClient};

const FILE: &str = "cut.json";

/// More than a list of a hundred thousand runs.
const FILE_BYTES_MAX: u64 = 64 << 20;

/// A run of which events were lost.
#[record(Eq)]
pub(super) struct Cut {
    run: RunId,
    /// Its last event since the repair; 0 where nothing of it was left.
    seq: Seq,
    /// The last event that was acknowledged.
    lost_to: Seq,
    /// What its anchor said: the number and the hash of an event.
    anchored: Option<(Seq, String)>,
}

impl Cut {
    pub(super) fn words(&self) -> String {
        let Self { run, seq, lost_to, .. } = self;
        format!("run `{run}` was cut at event {seq} by an earlier repair, and {lost_to} were acknowledged")
    }

    pub(super) fn is_of(&self, run: &RunId) -> bool {
        self.run.key() == run.key()
    }

    /// Lets the salvage of the journal know what was known when it was damaged.
    pub(super) fn recall(&self, salvages: &mut [Salvage]) {
        let runs = salvages.iter_mut().flat_map(|salvage| &mut salvage.runs);
        for found in runs.filter(|found| self.is_of(&found.run) && found.head.seq == self.seq) {
            found.acknowledged = found.acknowledged.max(Some(self.lost_to));
            found.anchored = self.anchor().or(found.anchored);
        }
    }

    /// Whether a repair found nothing more of it.
    pub(super) fn is_still_in(&self, runs: &[RunRepaired]) -> bool {
        runs.iter().filter(|run| self.is_of(&run.run_id)).all(|run| run.seq <= self.seq)
    }

    fn anchor(&self) -> Option<Head> {
        let (seq, hash) = self.anchored.as_ref()?;
        Some(Head { seq: *seq, hash: chain::unhex(hash)? })
    }
}

/// The runs that are cut after this repair.
pub(super) fn of(salvages: &[Salvage], runs: &[RunRepaired]) -> Vec<Cut> {
    let anchored = |run: &RunId| {
        let all =
            salvages.iter().flat_map(|salvage| &salvage.runs).filter(|found| found.run.key() == run.key());
        all.filter_map(|found| found.anchored).max_by_key(|head| head.seq)
    };
    let cut = |run: &RunRepaired| {
        let anchored = anchored(&run.run_id).map(|head: Head| (head.seq, chain::hex(&head.hash)));
        Some(Cut { run: run.run_id.clone(), seq: run.seq, lost_to: run.lost_to?, anchored })
    };
    runs.iter().filter_map(cut).collect()
}

/// Keeps that in the quarantine of the journal.
pub(super) fn keep(quarantine: &Path, cuts: &[Cut]) -> Result<(), Error> {
    if cuts.is_empty() {
        return Ok(());
    }
    let bytes = serde_json::to_vec(cuts).expect("plain data");
    file::create_new(&quarantine.join(FILE), &bytes, Durability::Synced)
        .map_err(|error| Error::environment(&error))
}

/// The runs that an earlier repair cut, and that still end there.
pub(super) async fn known(client: &LocalClient) -> Result<Vec<Cut>, Error> {
    let state = state_of(client.layout());
    let mut cuts: Vec<Cut> = Vec::new();
    for quarantine in quarantines(&state).into_iter().rev() {
        let bytes = file::read_regular(&quarantine.join(FILE), FILE_BYTES_MAX).ok().flatten();
        let kept: Vec<Cut> = bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default();
        for cut in kept.into_iter().filter(|cut| cut.seq > 0) {
            if cuts.iter().all(|known| !known.is_of(&cut.run)) && ends_there(client, &cut).await? {
                cuts.push(cut);
            }
        }
    }
    Ok(cuts)
}

async fn ends_there(client: &LocalClient, cut: &Cut) -> Result<bool, Error> {
    let opened = match crate::journal::open_existing(client.layout()) {
        Ok(Some(opened)) => opened,
        // What is damaged is salvaged as a whole.
        Ok(None) | Err(piton_store::Error::Corrupt(_)) => return Ok(false),
        Err(error) => return Err(ClientError::from(error).into()),
    };
    match opened.store.row(&cut.run).await {
        Ok(row) => Ok(row.head.seq == cut.seq),
        Err(piton_store::Error::UnknownRun { .. } | piton_store::Error::Corrupt(_)) => Ok(false),
        Err(error) => Err(ClientError::from(error).into()),
    }
}
