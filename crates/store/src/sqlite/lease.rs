//! Leases: who may advance a run.
//!
//! Owns the epoch column and its transitions. A lease is alive while a lock file of its epoch is held:
//! no expiry, no renewal, and the kernel lets go when the process dies. An epoch is granted once, so a
//! lock file of a past epoch means nothing and can be removed.
//!
//! Invariant: the lock of an epoch is held before the epoch is committed.

use std::path::{Path, PathBuf};

use piton_model::{Epoch, RunId};
use piton_sys::file;
use piton_sys::lock::FileLock;
use rusqlite::Connection;

use super::commit::Writer;
use super::index::Record;
use super::{keep, schema};
use crate::error::Error;
use crate::types::{Claim, Holder, Lease};

pub(super) fn claim(
    writer: &mut Writer,
    leases: &Path,
    run: &RunId,
    holder: Holder,
    claim: Claim,
) -> Result<Lease, Error> {
    loop {
        let record = find(&writer.connection, run)?;
        if claim == Claim::IfFree
            && let Some(holder) = living(&record, leases)?
        {
            return Err(Error::Held { run: run.clone(), holder: Box::new(holder) });
        }
        let epoch = record.epoch + 1;
        let path = lock_path(leases, run, epoch);
        let Some(lock) = FileLock::try_exclusive(&path)? else {
            // Somebody is about to commit this epoch: either it becomes the holder, or it dies.
            let holder = record.holder().unwrap_or_else(|| holder.clone());
            return Err(Error::Held { run: run.clone(), holder: Box::new(holder) });
        };
        if grant(writer, run, record.epoch, &holder)? {
            forget_locks_before(leases, run, epoch)?;
            return Ok(Lease { run: run.clone(), epoch, guard: Box::new(lock) });
        }
        // The epoch moved on while we looked: look again.
        drop(lock);
    }
}

/// Bumps the epoch from `from`, unless it is another by now.
fn grant(writer: &mut Writer, run: &RunId, from: Epoch, holder: &Holder) -> Result<bool, Error> {
    writer.forget_record(run);
    writer.transaction(|writer| {
        let mut record = find(&writer.connection, run)?;
        if record.epoch != from {
            return Ok(false);
        }
        writer.check_anchor(&record)?;
        record.epoch += 1;
        record.holder = Some(serde_json::to_string(holder).expect("a holder is plain data"));
        record.update(&writer.connection)?;
        Ok(true)
    })
}

pub(super) fn holder(connection: &Connection, leases: &Path, run: &RunId) -> Result<Option<Holder>, Error> {
    living(&find(connection, run)?, leases)
}

/// The holder, if its lock is held.
fn living(record: &Record, leases: &Path) -> Result<Option<Holder>, Error> {
    if record.epoch == 0 || !FileLock::is_held(&lock_path(leases, &record.entry.run_id, record.epoch))? {
        return Ok(None);
    }
    Ok(record.holder())
}

pub(super) fn remove(writer: &mut Writer, leases: &Path, lease: &Lease) -> Result<(), Error> {
    writer.forget_record(&lease.run);
    writer.transaction(|writer| {
        let record = find(&writer.connection, &lease.run)?;
        check_epoch(&record, lease.epoch)?;
        schema::raise_first_epoch(&writer.connection, record.epoch)?;
        keep::went(&writer.connection, &record)?;
        for sql in [
            "delete from events where run = ?1",
            "delete from checkpoints where run = ?1",
            "delete from runs where number = ?1",
        ] {
            writer.connection.prepare_cached(sql)?.execute([record.number])?;
        }
        // Before COMMIT: a run whose anchor was only begun is allowed, an anchor without its run proves a loss.
        writer.forget_anchor(&lease.run)
    })?;
    writer.remove_anchor(&lease.run)?;
    // No run is granted this epoch again, so nobody will look for this lock.
    file::remove_file_if_exists(&lock_path(leases, &lease.run, lease.epoch))?;
    Ok(())
}

/// Refuses whoever is not the driver that the lease was granted to last.
pub(super) fn check_epoch(record: &Record, held: Epoch) -> Result<(), Error> {
    // A run that nobody ever drove has an epoch too, but nobody was granted it.
    if held == record.epoch && record.holder.is_some() {
        return Ok(());
    }
    Err(Error::Fenced { run: record.entry.run_id.clone(), held, current: record.epoch })
}

fn find(connection: &Connection, run: &RunId) -> Result<Record, Error> {
    Record::find(connection, run)?.ok_or_else(|| Error::UnknownRun { run: run.clone() })
}

/// Whether the next epoch was granted or is being granted. Costs two looks at a directory.
pub(super) fn is_superseded(leases: &Path, run: &RunId, epoch: Epoch) -> bool {
    // Each grant clears the lock before it: after two, only the missing one of this epoch tells.
    let cleared = epoch > 0 && !lock_path(leases, run, epoch).exists();
    cleared || lock_path(leases, run, epoch + 1).exists()
}

fn lock_path(leases: &Path, run: &RunId, epoch: Epoch) -> PathBuf {
    leases.join(format!("{}.{epoch}", run.key()))
}

fn forget_locks_before(leases: &Path, run: &RunId, epoch: Epoch) -> Result<(), Error> {
    // One step back is enough: each grant clears the one before it.
    if epoch > 1 {
        file::remove_file_if_exists(&lock_path(leases, run, epoch - 1))?;
    }
    Ok(())
}
