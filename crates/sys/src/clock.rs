//! The time of day and the time that passes: two questions, two methods.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use piton_model::Timestamp;
use rustix::time::{ClockId, clock_gettime};

/// Where the rest of piton gets the time from; tests and the simulator bring their own.
pub trait Clock: Send + Sync {
    /// The time of day. It may jump, in both directions.
    fn now(&self) -> Timestamp;

    /// Time passed since some fixed moment in the past. It never goes back; only differences mean something.
    fn monotonic(&self) -> Duration;
}

/// The clock of this machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        #[expect(clippy::disallowed_methods, reason = "this is the port that all others take the time from")]
        let now = SystemTime::now();
        let millis = match now.duration_since(UNIX_EPOCH) {
            Ok(since) => i64::try_from(since.as_millis()).unwrap_or(i64::MAX),
            Err(before) => -i64::try_from(before.duration().as_millis()).unwrap_or(i64::MAX),
        };
        Timestamp::from_millis(millis)
    }

    fn monotonic(&self) -> Duration {
        let time = clock_gettime(ClockId::Monotonic);
        Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0))
    }
}

/// The time that a change of a file would be given now, in seconds and nanoseconds, where the file system is of this
/// machine: its clock stands still between two ticks, so a change after this moment has this time or a later one.
pub fn time_of_changes() -> (i64, i64) {
    #[cfg(target_os = "linux")]
    let time = clock_gettime(ClockId::RealtimeCoarse);
    #[cfg(not(target_os = "linux"))]
    let time = clock_gettime(ClockId::Realtime);
    (time.tv_sec, time.tv_nsec)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn monotonic_time_never_goes_back() {
        let readings: Vec<_> = (0..1_000).map(|_| SystemClock.monotonic()).collect();
        assert!(readings.is_sorted());
        assert!(readings[0] > Duration::ZERO);
    }

    #[test]
    fn the_time_of_day_is_in_milliseconds() {
        let in_2020 = Timestamp::from_millis(1_577_836_800_000);
        let in_2100 = Timestamp::from_millis(4_102_444_800_000);
        assert!(SystemClock.now() > in_2020 && SystemClock.now() < in_2100);
    }
}
