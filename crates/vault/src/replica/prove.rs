//! A replica counts once it was restored: fetched, made a journal, verified, compared, and put on record as proven.

use std::path::Path;

use piton_sys::{Clock, Ids, SystemIds};

use super::mark::{Proven, packed};
use super::place::{self, Home};
use super::read::find;
use super::write::put_proven;
use crate::restore::prove as prove_spool;
use crate::{Error, Spool, Target};

/// Restores the newest state of a generation into a journal of its own below the directory `scratch`, verifies it, and says so
/// at the target.
pub async fn prove(
    target: &dyn Target,
    journal: &str,
    generation: &str,
    scratch: &Path,
    format: &str,
    clock: &dyn Clock,
) -> Result<Proven, Error> {
    let elsewhere = target.seen_elsewhere(journal).await?;
    let found = elsewhere.as_deref().unwrap_or(target);
    let replica = find(found, journal, generation).await?;
    let home = Home::new(journal, generation);
    if let Some(broken) = &replica.broken {
        return Err(Error::damaged(&home.all("log"), broken.as_str()));
    }
    let spool = Spool::fetch_replica(found, &replica, &scratch.join("fetched")).await?;
    let proof = prove_spool(&spool, &scratch.join("restored"), format).await?;
    let mark = replica.mark();
    let proven = Proven {
        number: mark.number,
        to: mark.newest(),
        as_of: mark.at,
        at: clock.now(),
        runs: proof.runs,
        events: proof.events,
        snapshots: proof.snapshots,
    };
    let header = super::tidy::bytes_of(journal)?;
    let bytes = packed(&proven, header, false, SystemIds.bytes());
    let name = place::about("proofs", proven.number, &SystemIds.hex(8));
    put_proven(target, &home.object(&name), &bytes).await?;
    crate::list::note_outcome(target, journal, generation, true).await?;
    Ok(proven)
}
