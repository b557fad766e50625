//! Times as the files of a cycle say them: with the offset of a zone, `+08:00` unless somebody wants another.
//!
//! The clock is shifted and the offset says by how much, so every reader finds the same moment. Nothing is ever shifted
//! under a `Z`.

use std::fmt;
use std::str::FromStr;

use piton_model::Timestamp;
use piton_model::ledger::Moment;

use crate::plain::in_calendar;

/// What an offset can be at most, in minutes: a reader of ISO 8601 knows 23 hours.
const OFFSET_MINUTES_MAX: i32 = 23 * 60 + 59;

/// How far a zone's clock is ahead of UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Zone {
    offset_minutes: i32,
}

impl Default for Zone {
    /// The format's own: eight hours ahead.
    fn default() -> Self {
        Self { offset_minutes: 8 * 60 }
    }
}

impl Zone {
    /// The zone whose clock is so many minutes ahead of UTC; beyond what an offset can say, the furthest.
    pub fn ahead_by_minutes(minutes: i32) -> Self {
        Self { offset_minutes: minutes.clamp(-OFFSET_MINUTES_MAX, OFFSET_MINUTES_MAX) }
    }

    /// The zone of the clock that a time is written by.
    pub fn of(time: &str) -> Option<Self> {
        moment(time)?;
        let offset = time.len().checked_sub(6).and_then(|place| time.get(place..));
        offset
            .and_then(|offset| offset.parse().ok())
            .or(time.ends_with('Z').then_some(Self { offset_minutes: 0 }))
    }

    /// The moment at this time of day, on the day of `near` or the next one where it comes before `near`.
    pub(super) fn at_time_of_day(self, time: &str, near: Timestamp) -> Option<Timestamp> {
        const DAY_MS: i64 = 86_400_000;
        let mut parts =
            time.split(':').map(|part| part.parse::<i64>().ok().filter(|part| (0..60).contains(part)));
        let (hours, minutes, seconds) = (parts.next()??, parts.next()??, parts.next()??);
        let offset = i64::from(self.offset_minutes) * 60_000;
        let local = near.as_millis().checked_add(offset)?;
        let day = local.div_euclid(DAY_MS) * DAY_MS;
        let at = day + ((hours * 60 + minutes) * 60 + seconds) * 1000;
        // The time of day is in whole seconds.
        let at = if at < local.div_euclid(1000) * 1000 { at + DAY_MS } else { at };
        Some(Timestamp::from_millis(at - offset))
    }

    /// How far its clock is ahead of UTC.
    pub fn minutes(self) -> i32 {
        self.offset_minutes
    }

    /// The moment on this zone's clock: `2026-01-22T10:00:00+08:00`, with milliseconds only where there are any.
    pub fn show(self, at: Timestamp) -> String {
        let text = self.clock(at);
        let text = text.strip_suffix('Z').unwrap_or(&text);
        format!("{}{self}", text.strip_suffix(".000").unwrap_or(text))
    }

    /// The time of day on this zone's clock: `10:00:00`.
    pub fn time_of_day(self, at: Timestamp) -> String {
        let text = self.clock(at);
        text.split_once('T').map_or(String::new(), |(_, time)| time.chars().take(8).collect())
    }

    /// `20260122T100000`, for names.
    pub fn stamp(self, at: Timestamp) -> String {
        let shifted = Timestamp::from_millis(self.shifted(at));
        crate::aside::stamp(shifted, "T", "")
    }

    fn clock(self, at: Timestamp) -> String {
        Timestamp::from_millis(self.shifted(at)).to_string()
    }

    /// A broken clock must not make a file that nobody can read.
    fn shifted(self, at: Timestamp) -> i64 {
        let shifted = in_calendar(at).as_millis() + i64::from(self.offset_minutes) * 60_000;
        in_calendar(Timestamp::from_millis(shifted)).as_millis()
    }
}

impl fmt::Display for Zone {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.offset_minutes < 0 { '-' } else { '+' };
        let minutes = self.offset_minutes.abs();
        write!(formatter, "{sign}{:02}:{:02}", minutes / 60, minutes % 60)
    }
}

/// The text is no offset.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no offset like `+08:00`, `-03:30` or `UTC`")]
pub struct NoZone(String);

impl FromStr for Zone {
    type Err = NoZone;

    fn from_str(text: &str) -> Result<Self, NoZone> {
        if text == "Z" || text.eq_ignore_ascii_case("utc") {
            return Ok(Self { offset_minutes: 0 });
        }
        offset(text).map(|offset_minutes| Self { offset_minutes }).ok_or_else(|| NoZone(text.to_owned()))
    }
}

fn offset(text: &str) -> Option<i32> {
    let (sign, clock) = match text.split_at_checked(1)? {
        ("+", clock) => (1, clock),
        ("-", clock) => (-1, clock),
        _ => return None,
    };
    let (hours, minutes) = clock.split_once(':')?;
    let two_digits = |part: &str| {
        let are_digits = part.len() == 2 && part.bytes().all(|byte| byte.is_ascii_digit());
        are_digits.then(|| part.parse::<i32>().ok()).flatten()
    };
    let (hours, minutes) = (two_digits(hours)?, two_digits(minutes)?);
    let offset = hours * 60 + minutes;
    (minutes < 60 && offset <= OFFSET_MINUTES_MAX).then_some(sign * offset)
}

/// The moment that a file of a cycle says, whatever its offset; without one it is meant in UTC.
pub fn moment(text: &str) -> Option<Timestamp> {
    text.parse::<Moment>().ok().map(|moment| moment.at)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEN: &str = "2026-01-22T10:00:00+08:00";

    fn at() -> Timestamp {
        moment(TEN).unwrap()
    }

    #[test]
    fn the_offset_says_how_far_the_clock_was_shifted() {
        let shown = |zone: &str| zone.parse::<Zone>().unwrap().show(at());
        assert_eq!(Zone::default().show(at()), TEN);
        assert_eq!(shown("UTC"), "2026-01-22T02:00:00+00:00");
        assert_eq!(shown("-03:30"), "2026-01-21T22:30:00-03:30");
        for zone in ["+08:00", "Z", "-03:30", "+23:59"] {
            assert_eq!(moment(&shown(zone)), Some(at()), "{zone} is the same moment");
            assert!(!shown(zone).ends_with('Z'));
        }
    }

    #[test]
    fn milliseconds_are_there_where_there_are_any() {
        assert_eq!(Zone::default().show(at().plus_millis(120)), "2026-01-22T10:00:00.120+08:00");
    }

    #[test]
    fn names_and_logs_have_the_same_clock() {
        assert_eq!(Zone::default().stamp(at()), "20260122T100000");
        assert_eq!(Zone::default().time_of_day(at()), "10:00:00");
    }

    #[test]
    fn a_time_of_day_is_the_next_of_its_kind() {
        let zone = Zone::default();
        let next = |time: &str| zone.at_time_of_day(time, at()).map(|at| zone.show(at));
        assert_eq!(next("10:00:00").as_deref(), Some(TEN));
        assert_eq!(next("10:00:01").as_deref(), Some("2026-01-22T10:00:01+08:00"));
        assert_eq!(next("09:59:59").as_deref(), Some("2026-01-23T09:59:59+08:00"));
        for nothing in ["", "10:00", "10:00:xx", "10:99:00"] {
            assert_eq!(next(nothing), None, "{nothing}");
        }
    }

    #[test]
    fn what_is_no_offset_is_refused() {
        for text in ["", "8", "+8:00", "+08", "08:00", "+24:00", "+08:60", "+é:00", "Asia/Shanghai"] {
            assert!(text.parse::<Zone>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_broken_clock_is_shown_within_the_calendar() {
        for beyond in [i64::MIN, i64::MAX] {
            let shown = Zone::default().show(Timestamp::from_millis(beyond));
            assert!(moment(&shown).is_some(), "{shown}");
        }
    }
}
