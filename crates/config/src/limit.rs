//! The ceilings of a loop: one table of names, units and defaults.
//!
//! Invariant: every value is more than zero. A run without an exit cannot be asked for.

use piton_model::loop_machine::Limits;

use crate::duration::{format_duration, parse_duration};

/// A ceiling that a layer may set, under `[loop]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Limit {
    /// Iterations that may be finished.
    MaxIterations,
    /// Working time; waits are not counted.
    MaxDuration,
    /// Iterations in a row that change nothing that matters.
    NoProgress,
    /// Failed attempts in a row.
    FailureStreak,
    /// Money; kept in millionths of a dollar.
    MaxCost,
    /// Input and output tokens together.
    MaxTokens,
    /// Wall clock of one attempt.
    AttemptTimeout,
    /// Silence of one attempt after which it counts as hung.
    IdleTimeout,
    /// Files that a run may change.
    MaxFiles,
    /// Lines that its iterations may add and remove, all together.
    MaxLines,
    /// Fresh sessions in the middle of the work.
    MaxReboots,
}

/// What a limit counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    /// Things, in a number that must fit 32 bits.
    Count32,
    /// Things.
    Count64,
    /// Milliseconds, written as a human duration.
    Duration,
    /// Millionths of a dollar, written in dollars.
    Dollars,
}

const MICROS: u64 = 1_000_000;
const MICRO_DIGITS: usize = 6;

impl Limit {
    /// All of them, in the order they are shown.
    pub const ALL: [Limit; 11] = [
        Limit::MaxIterations,
        Limit::MaxDuration,
        Limit::NoProgress,
        Limit::FailureStreak,
        Limit::MaxCost,
        Limit::MaxTokens,
        Limit::AttemptTimeout,
        Limit::IdleTimeout,
        Limit::MaxFiles,
        Limit::MaxLines,
        Limit::MaxReboots,
    ];

    /// Its name under `[loop]`.
    pub fn key(self) -> &'static str {
        self.names().0
    }

    /// The environment variable that sets it.
    pub fn variable(self) -> &'static str {
        self.names().1
    }

    /// The flag that sets it.
    pub fn flag(self) -> &'static str {
        self.names().2
    }

    /// The value of `text`: a count, a duration or dollars, and never zero.
    pub fn parse(self, text: &str) -> Result<u64, String> {
        let text = text.trim();
        let value = match self.unit() {
            Unit::Count32 | Unit::Count64 => count(text)?,
            Unit::Duration => parse_duration(text)?,
            Unit::Dollars => dollars(text)?,
        };
        self.accept(value)
    }

    /// The value that a resume raises it to: `text` is absolute, or `+` and what is added to `current`.
    pub fn raised(self, current: Option<u64>, text: &str) -> Result<u64, String> {
        match text.trim().strip_prefix('+') {
            None => self.parse(text),
            Some(more) => {
                let more = self.parse(more)?;
                let sum = current.unwrap_or(0).checked_add(more).ok_or("the sum is too large")?;
                self.accept(sum)
            }
        }
    }

    /// `value` as people write it.
    pub fn format(self, value: u64) -> String {
        match self.unit() {
            Unit::Count32 | Unit::Count64 => value.to_string(),
            Unit::Duration => format_duration(value),
            Unit::Dollars => format_dollars(value),
        }
    }

    /// The built-in value; `None` where the limit is off unless asked for.
    pub fn default_value(self) -> Option<u64> {
        self.of(&Limits::default())
    }

    pub(crate) fn by_key(key: &str) -> Option<Limit> {
        Self::ALL.into_iter().find(|limit| limit.key() == key)
    }

    pub(crate) fn unit(self) -> Unit {
        match self {
            Limit::MaxIterations
            | Limit::NoProgress
            | Limit::FailureStreak
            | Limit::MaxFiles
            | Limit::MaxReboots => Unit::Count32,
            Limit::MaxTokens | Limit::MaxLines => Unit::Count64,
            Limit::MaxDuration | Limit::AttemptTimeout | Limit::IdleTimeout => Unit::Duration,
            Limit::MaxCost => Unit::Dollars,
        }
    }

    /// Sets it in the machine's limits.
    pub(crate) fn set(self, limits: &mut Limits, value: u64) {
        let small = u32::try_from(value).unwrap_or(u32::MAX);
        match self {
            Limit::MaxIterations => limits.iterations = small,
            Limit::MaxDuration => limits.working_ms = value,
            Limit::NoProgress => limits.no_progress = small,
            Limit::FailureStreak => limits.failures = small,
            Limit::MaxCost => limits.cost_microusd = Some(value),
            Limit::MaxTokens => limits.tokens = Some(value),
            Limit::AttemptTimeout => limits.attempt_ms = value,
            Limit::IdleTimeout => limits.idle_ms = Some(value),
            Limit::MaxFiles => limits.files = Some(small),
            Limit::MaxLines => limits.lines = Some(value),
            Limit::MaxReboots => limits.reboots = Some(small),
        }
    }

    fn of(self, limits: &Limits) -> Option<u64> {
        match self {
            Limit::MaxIterations => Some(u64::from(limits.iterations)),
            Limit::MaxDuration => Some(limits.working_ms),
            Limit::NoProgress => Some(u64::from(limits.no_progress)),
            Limit::FailureStreak => Some(u64::from(limits.failures)),
            Limit::MaxCost => limits.cost_microusd,
            Limit::MaxTokens => limits.tokens,
            Limit::AttemptTimeout => Some(limits.attempt_ms),
            Limit::IdleTimeout => limits.idle_ms,
            Limit::MaxFiles => limits.files.map(u64::from),
            Limit::MaxLines => limits.lines,
            Limit::MaxReboots => limits.reboots.map(u64::from),
        }
    }

    /// The value, where it leaves the run an exit and fits.
    fn accept(self, value: u64) -> Result<u64, String> {
        if value == 0 {
            return Err("it must be more than zero: a run always has an exit".to_owned());
        }
        if self.unit() == Unit::Count32 && value > u64::from(u32::MAX) {
            return Err(format!("it must be at most {}", u32::MAX));
        }
        Ok(value)
    }

    fn names(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Limit::MaxIterations => ("max_iterations", "PITON_MAX_ITERATIONS", "--max-iterations"),
            Limit::MaxDuration => ("max_duration", "PITON_MAX_DURATION", "--max-duration"),
            Limit::NoProgress => ("no_progress", "PITON_NO_PROGRESS", "--max-no-progress"),
            Limit::FailureStreak => ("failure_streak", "PITON_FAILURE_STREAK", "--max-failures"),
            Limit::MaxCost => ("max_cost_usd", "PITON_MAX_COST", "--max-cost"),
            Limit::MaxTokens => ("max_tokens", "PITON_MAX_TOKENS", "--max-tokens"),
            Limit::AttemptTimeout => ("attempt_timeout", "PITON_ATTEMPT_TIMEOUT", "--attempt-timeout"),
            Limit::IdleTimeout => ("idle_timeout", "PITON_IDLE_TIMEOUT", "--idle-timeout"),
            Limit::MaxFiles => ("max_files", "PITON_MAX_FILES", "--max-files"),
            Limit::MaxLines => ("max_lines", "PITON_MAX_LINES", "--max-lines"),
            Limit::MaxReboots => ("max_reboots", "PITON_MAX_REBOOTS", "--max-reboots"),
        }
    }
}

fn count(text: &str) -> Result<u64, String> {
    if text.starts_with('-') {
        return Err("it must be more than zero: a run always has an exit".to_owned());
    }
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err("it must be a whole number".to_owned());
    }
    text.parse().map_err(|_| "it is too large".to_owned())
}

/// Exact: no float is involved, so that a sum of limits is a sum of cents.
fn dollars(text: &str) -> Result<u64, String> {
    let text = text.strip_prefix('$').unwrap_or(text);
    if text.starts_with('-') {
        return Err("it must be more than zero: a run always has an exit".to_owned());
    }
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(whole) || !digits(fraction) {
        return Err("it must be an amount in dollars, such as `15` or `2.50`".to_owned());
    }
    if fraction.len() > MICRO_DIGITS {
        return Err("it has more digits than piton counts: millionths of a dollar".to_owned());
    }
    let too_large = || "it is too large".to_owned();
    let whole: u64 = whole.parse().map_err(|_| too_large())?;
    let micros: u64 = format!("{fraction:0<MICRO_DIGITS$}").parse().map_err(|_| too_large())?;
    whole.checked_mul(MICROS).and_then(|whole| whole.checked_add(micros)).ok_or_else(too_large)
}

fn format_dollars(micros: u64) -> String {
    let (whole, fraction) = (micros / MICROS, micros % MICROS);
    if fraction == 0 {
        return whole.to_string();
    }
    let fraction = format!("{fraction:0MICRO_DIGITS$}");
    let cents_at_least = fraction.trim_end_matches('0').len().max(2);
    format!("{whole}.{}", &fraction[..cents_at_least])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_limit_that_leaves_no_exit_is_refused() {
        for limit in Limit::ALL {
            for text in ["0", "0s", "0.0", "-1", "-1h", "-0.5", "", "off", "unlimited", "1e9", "NaN", "inf"] {
                assert!(limit.parse(text).is_err(), "{} = {text:?} was accepted", limit.key());
            }
        }
    }

    #[test]
    fn money_is_exact() {
        for (text, micros) in [("15", 15_000_000), ("$2.50", 2_500_000), ("0.1", 100_000), ("0.000001", 1)] {
            assert_eq!(Limit::MaxCost.parse(text), Ok(micros), "{text}");
        }
        for text in ["0.0000001", "1,5", "1.", ".5", "99999999999999999999", "18446744073710"] {
            assert!(Limit::MaxCost.parse(text).is_err(), "{text:?} was accepted");
        }
        assert_eq!(Limit::MaxCost.format(2_500_000), "2.50");
        assert_eq!(Limit::MaxCost.format(15_000_000), "15");
    }

    #[test]
    fn counts_fit_where_the_machine_keeps_them() {
        assert_eq!(Limit::MaxIterations.parse("4294967295"), Ok(u64::from(u32::MAX)));
        assert!(Limit::MaxIterations.parse("4294967296").is_err());
        assert_eq!(Limit::MaxTokens.parse("4294967296"), Ok(4_294_967_296));
    }

    #[test]
    fn a_raise_is_absolute_or_added() {
        assert_eq!(Limit::MaxIterations.raised(Some(50), "+25"), Ok(75));
        assert_eq!(Limit::MaxIterations.raised(Some(50), "60"), Ok(60));
        assert_eq!(Limit::MaxCost.raised(None, "+10"), Ok(10_000_000));
        assert!(Limit::MaxIterations.raised(Some(50), "+0").is_err());
        assert!(Limit::MaxTokens.raised(Some(u64::MAX), "+1").is_err());
    }

    #[test]
    fn what_is_set_is_what_is_there() {
        for (index, limit) in Limit::ALL.into_iter().enumerate() {
            let mut limits = Limits::default();
            let value = 1_000 + index as u64;
            limit.set(&mut limits, value);
            assert_eq!(limit.of(&limits), Some(value), "{}", limit.key());
            assert_eq!(Limit::by_key(limit.key()), Some(limit));
        }
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back(value in 1..=u64::from(u32::MAX)) {
            for limit in Limit::ALL {
                prop_assert_eq!(limit.parse(&limit.format(value)), Ok(value));
            }
        }
    }
}
