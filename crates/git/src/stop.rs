//! Ending a snapshot before its time: somebody wants the run stopped now.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use piton_sys::{Clock, SystemClock};

/// How long a snapshot may go on once it is to end: that of a usual tree is still taken.
const GRACE: Duration = Duration::from_secs(3);

/// Whether somebody wants work ended, and since when. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Stop {
    /// In milliseconds of the monotonic clock; 0 while nobody does.
    asked_at_ms: Arc<AtomicU64>,
}

impl Stop {
    /// From now on nothing is read that need not be; what takes longer than a moment is ended.
    pub fn ask(&self) {
        let _ = self.asked_at_ms.compare_exchange(0, now_ms(), Ordering::SeqCst, Ordering::SeqCst);
    }

    /// Work that begins now is wanted.
    pub fn withdraw(&self) {
        self.asked_at_ms.store(0, Ordering::SeqCst);
    }

    pub fn is_asked(&self) -> bool {
        self.asked_at_ms.load(Ordering::SeqCst) != 0
    }

    /// Whether the moment is over.
    pub(crate) fn is_due(&self) -> bool {
        let asked_at_ms = self.asked_at_ms.load(Ordering::SeqCst);
        asked_at_ms != 0 && Duration::from_millis(now_ms().saturating_sub(asked_at_ms)) >= GRACE
    }
}

fn now_ms() -> u64 {
    u64::try_from(SystemClock.monotonic().as_millis()).unwrap_or(u64::MAX).max(1)
}
