//! The lock file of the registry, as the tools know it that share the registry with us.
//!
//! Its rules: created exclusively with the holder's process, its time and the end of its lease; stale once the lease
//! is over, the process is gone, or it cannot be read; let go by its holder alone. Two of its races are ours to avoid:
//! ours appears with its content or not at all, and a stale one is moved aside and looked at again before it goes.
//! Nobody waits here: a view that finds the registry busy tries again the next time.

use std::path::{Path, PathBuf};

use piton_sys::file::{self, Durability, Error};
use piton_sys::{Clock, Ids, SystemClock, SystemIds, process};
use serde::{Deserialize, Serialize};

const LEASE_MS: i64 = 30_000;
const BYTES_MAX: u64 = 64 << 10;

#[derive(Serialize, Deserialize)]
struct Lease {
    pid: u32,
    timestamp: i64,
    #[serde(rename = "leaseExpiry")]
    lease_expiry: i64,
}

/// The lock, held until it is dropped.
#[derive(Debug)]
pub(super) struct RegistryLock {
    path: PathBuf,
    content: Vec<u8>,
}

impl RegistryLock {
    /// Takes the lock; `None` while somebody else has it. The caller is alone among pitons.
    pub(super) fn take(path: &Path) -> Result<Option<Self>, Error> {
        let now = SystemClock.now().as_millis();
        let lease = Lease { pid: std::process::id(), timestamp: now, lease_expiry: now + LEASE_MS };
        let content = serde_json::to_vec_pretty(&lease).expect("a lease is plain data");
        let beside = with_ending(path, "new");
        file::create_new(&beside, &content, Durability::Unsynced)?;
        let taken = take_with(path, &beside, now);
        if !matches!(taken, Ok(true)) {
            file::remove_file_if_exists(&beside)?;
        }
        Ok(taken?.then(|| Self { path: path.to_owned(), content }))
    }
}

impl Drop for RegistryLock {
    fn drop(&mut self) {
        // Somebody who thought that we were gone may have taken it over; then it is not ours to remove.
        if file::read_regular(&self.path, BYTES_MAX).is_ok_and(|found| found.as_ref() == Some(&self.content))
        {
            // A lock that stays behind is stale as soon as this process ends.
            let _ = file::remove_file_if_exists(&self.path);
        }
    }
}

fn take_with(path: &Path, beside: &Path, now: i64) -> Result<bool, Error> {
    if file::rename_noreplace(beside, path)? {
        return Ok(true);
    }
    match file::read_regular(path, BYTES_MAX)? {
        Some(found) if is_stale(path, &found, now) => {
            let aside = with_ending(path, "stale");
            if file::rename_noreplace(path, &aside)? {
                if file::read_regular(&aside, BYTES_MAX)?.as_ref() != Some(&found) {
                    // Somebody else was faster, and this is theirs.
                    file::rename_noreplace(&aside, path)?;
                    return Ok(false);
                }
                file::remove_file_if_exists(&aside)?;
            }
        }
        Some(_) => return Ok(false),
        None => {}
    }
    file::rename_noreplace(beside, path)
}

fn is_stale(path: &Path, content: &[u8], now: i64) -> bool {
    match serde_json::from_slice::<Lease>(content) {
        // One that has ended but was not yet collected holds nothing any more.
        Ok(lease) => {
            let lives = process::identity(lease.pid).is_some_and(|holder| process::is_alive(&holder));
            lease.lease_expiry < now || !lives
        }
        // It may be about to be written: that takes no longer than a lease.
        Err(_) => age_ms(path, now).is_some_and(|age| age > LEASE_MS),
    }
}

fn age_ms(path: &Path, now: i64) -> Option<i64> {
    let modified = path.symlink_metadata().ok()?.modified().ok()?;
    let since = modified.duration_since(std::time::UNIX_EPOCH).ok()?;
    Some(now - i64::try_from(since.as_millis()).ok()?)
}

/// A name beside the lock that nothing has; swept up like any other half-written file.
fn with_ending(path: &Path, word: &str) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}-{word}.{}.tmp", SystemIds.hex(16)))
}
