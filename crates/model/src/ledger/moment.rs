//! Times as the gap file and the audit log write them.
//!
//! Always written in UTC with an offset, never with `Z`: readers of the format that are older than `Z` support
//! exist. Read in any RFC 3339 form, and without an offset too, which then means UTC.

use crate::{ParseTimeError, Timestamp};

/// A time that was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    pub at: Timestamp,
    /// Whether it had an offset. Without one it was taken as UTC, which is worth a warning.
    pub has_offset: bool,
}

impl std::str::FromStr for Moment {
    type Err = ParseTimeError;

    fn from_str(text: &str) -> Result<Self, ParseTimeError> {
        match text.parse() {
            Ok(at) => Ok(Moment { at, has_offset: true }),
            Err(error) => naive(text).map(|at| Moment { at, has_offset: false }).ok_or(error),
        }
    }
}

/// A date, or a date and a time, without a zone.
fn naive(text: &str) -> Option<Timestamp> {
    // Whatever could be an offset or a zone must not be read past.
    let plain = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'-' | b':' | b'.' | b'T' | b't' | b' ');
    if !text.bytes().all(plain) {
        return None;
    }
    let time: jiff::civil::DateTime = text.parse().ok()?;
    let time = jiff::tz::TimeZone::UTC.to_timestamp(time).ok()?;
    Some(Timestamp::from_millis(time.as_millisecond()))
}

/// `2026-02-15T12:00:00+00:00`, with milliseconds only where there are any.
pub fn to_iso(at: Timestamp) -> String {
    let text = at.to_string();
    let Some(head) = text.strip_suffix('Z') else { return text };
    format!("{}+00:00", head.strip_suffix(".000").unwrap_or(head))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<(String, bool)> {
        let moment: Moment = text.parse().ok()?;
        Some((to_iso(moment.at), moment.has_offset))
    }

    #[test]
    fn times_are_written_in_utc_with_an_offset() {
        assert_eq!(to_iso(Timestamp::from_millis(1_771_156_800_000)), "2026-02-15T12:00:00+00:00");
        assert_eq!(to_iso(Timestamp::from_millis(1_771_156_800_120)), "2026-02-15T12:00:00.120+00:00");
    }

    #[test]
    fn every_form_that_people_write_is_read() {
        let noon = "2026-02-15T12:00:00+00:00".to_owned();
        for text in [
            "2026-02-15T12:00:00+00:00",
            "2026-02-15T12:00:00Z",
            "2026-02-15 12:00:00+00:00",
            "2026-02-15T14:00:00+02:00",
            "2026-02-15T12:00:00.000000+00:00",
        ] {
            assert_eq!(read(text), Some((noon.clone(), true)), "{text}");
        }
        for text in ["2026-02-15T12:00:00", "2026-02-15 12:00:00", "2026-02-15T12:00"] {
            assert_eq!(read(text), Some((noon.clone(), false)), "{text}");
        }
        assert_eq!(read("2026-02-15"), Some(("2026-02-15T00:00:00+00:00".to_owned(), false)));
    }

    #[test]
    fn what_is_no_time_is_refused() {
        for text in
            ["", "yesterday", "2026-02-30", "2026-13-01", "12:00", "2026-02-15T12:00:00[Europe/Berlin]"]
        {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn what_is_written_reads_back() {
        for millis in [0, 1, 999, 1_771_156_800_000, -1, 253_370_764_800_000] {
            let at = Timestamp::from_millis(millis);
            assert_eq!(to_iso(at).parse::<Moment>().unwrap(), Moment { at, has_offset: true });
        }
    }
}
