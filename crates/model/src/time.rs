//! Time as data: nothing in this crate reads a clock.

use std::fmt;
use std::str::FromStr;

use crate::words::written_as_text;

/// A moment, in milliseconds since the Unix epoch.
///
/// Written as RFC 3339 in UTC wherever people or other programs read it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

impl Timestamp {
    /// The moment `millis` milliseconds after the Unix epoch.
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    /// Milliseconds since the Unix epoch.
    pub const fn as_millis(self) -> i64 {
        self.0
    }

    /// This moment, `millis` later.
    pub const fn plus_millis(self, millis: u64) -> Self {
        let millis = if millis > i64::MAX as u64 { i64::MAX } else { millis as i64 };
        Self(self.0.saturating_add(millis))
    }

    /// Milliseconds from `earlier` to here; zero when the clock went backwards.
    pub const fn millis_since(self, earlier: Timestamp) -> u64 {
        let difference = self.0.saturating_sub(earlier.0);
        if difference < 0 { 0 } else { difference as u64 }
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match jiff::Timestamp::from_millisecond(self.0) {
            Ok(time) => write!(f, "{time:.3}"),
            Err(_) => write!(f, "@{}ms", self.0),
        }
    }
}

/// The text is not an RFC 3339 moment.
#[derive(Debug, thiserror::Error)]
#[error("`{text}` is not a time like `2026-02-15T12:00:00Z`")]
pub struct ParseTimeError {
    text: String,
}

impl FromStr for Timestamp {
    type Err = ParseTimeError;

    fn from_str(text: &str) -> Result<Self, ParseTimeError> {
        // What `Display` writes for a moment outside of the calendar must read back as well.
        if let Some(millis) = text.strip_prefix('@').and_then(|rest| rest.strip_suffix("ms")) {
            return millis.parse().map(Self).map_err(|_| ParseTimeError { text: text.to_owned() });
        }
        let time: jiff::Timestamp = text.parse().map_err(|_| ParseTimeError { text: text.to_owned() })?;
        Ok(Self(time.as_millisecond()))
    }
}

written_as_text!(Timestamp);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_reads_back_as_it_was_written() {
        let moment = Timestamp::from_millis(1_771_157_000_123);
        assert_eq!(moment.to_string(), "2026-02-15T12:03:20.123Z");
        assert_eq!(moment.to_string().parse::<Timestamp>().unwrap(), moment);
        for beyond in [i64::MIN, i64::MAX] {
            let moment = Timestamp::from_millis(beyond);
            assert_eq!(moment.to_string().parse::<Timestamp>().unwrap(), moment);
        }
    }

    #[test]
    fn a_clock_that_goes_backwards_measures_zero() {
        let later = Timestamp::from_millis(2_000);
        assert_eq!(Timestamp::from_millis(1_000).millis_since(later), 0);
    }
}
