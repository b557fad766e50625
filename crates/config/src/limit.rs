//! The ceilings of a loop: one table of names, units and defaults.
//!
//! Invariant: every value is more than zero. A run without an exit cannot be asked for.

use piton_model::Kind;
use piton_model::loop_machine::Limits;
use serde_json::{Value, json};

use crate::duration::{format_duration, parse_duration};
use crate::entry::{Entry, Section, Takes, Type};
use crate::problem::{Problem, quoted};
use crate::settings::Sourced;
use crate::show;
use crate::types::{AtLeastOne, Duration, takes};

/// The ceilings of a loop, each with its unit, the kinds of run that obey it, its key under `[loop]`, its variable, its flag if it has one, and its place among
/// the limits of the machine.
macro_rules! limits {
    ($(
        #[doc = $words:literal]
        $limit:ident: $unit:ident, [$($kind:ident)*], $key:literal, $variable:literal, $flag:expr => $place:ident;
    )*) => {
        /// A ceiling that a layer may set, under `[loop]`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Limit {
            $(#[doc = $words] $limit,)*
        }

        impl Limit {
            /// All of them, in the order they are shown.
            pub const ALL: [Limit; [$(Limit::$limit),*].len()] = [$(Limit::$limit),*];

            fn names(self) -> (&'static str, &'static str, Option<&'static str>) {
                match self {
                    $(Limit::$limit => ($key, $variable, $flag),)*
                }
            }

            pub(crate) fn unit(self) -> Unit {
                match self {
                    $(Limit::$limit => Unit::$unit,)*
                }
            }

            /// Sets it in the machine's limits.
            pub(crate) fn set(self, limits: &mut Limits, value: u64) {
                match self {
                    $(Limit::$limit => limits.$place.set(value),)*
                }
            }

            fn of(self, limits: &Limits) -> Option<u64> {
                match self {
                    $(Limit::$limit => limits.$place.get(),)*
                }
            }
        }

        /// The ceilings as settings.
        pub(crate) const LIMITS: Section = Section {
            path: "loop",
            about: "The ceilings of a loop. Those in your own file are caps: the smaller wins.",
            there: |_| {},
            entries: &[$(
                Entry {
                    section: "loop",
                    key: $key,
                    words: $words,
                    kinds: &[$(Kind::$kind),*],
                    variable: Some($variable),
                    flag: $flag,
                    shown: true,
                    takes: || Unit::$unit.takes(),
                    read: |reader, settings, (_, _, value)| {
                        let read = reader.limit(Limit::$limit, value);
                        settings.limits.extend(read.map(|value| (Limit::$limit, value)));
                    },
                    parse: |settings, text| {
                        let value = Limit::$limit.parse(&text.value).map_err(|why| {
                            Problem::new(text.place.clone(), format!("{}: {why}", quoted(&text.value)))
                        })?;
                        settings.limits.insert(Limit::$limit, text.map(|_| value));
                        Ok(())
                    },
                    show: |settings| {
                        let said = settings.limits.get(&Limit::$limit).into_iter();
                        said.map(|said| show::value("loop", $key, said, |value| Limit::$limit.shown(*value))).collect()
                    },
                    built_in: |settings, _| {
                        let value = Limit::$limit.default_value().map(Sourced::built_in);
                        settings.limits.extend(value.map(|value| (Limit::$limit, value)));
                    },
                    configure: |settings, config| {
                        if let Some(said) = settings.limits.get(&Limit::$limit) {
                            Limit::$limit.set(&mut config.limits, said.value);
                        }
                    },
                    ..Entry::BASE
                },
            )*],
        };
    };
}

limits! {
    /// Iterations that may be finished.
    MaxIterations: Count32, [Loop], "max_iterations", "PITON_MAX_ITERATIONS", Some("--max-iterations") => iterations;
    /// Working time; waits are not counted.
    MaxDuration: Duration, [Loop Cycle], "max_duration", "PITON_MAX_DURATION", Some("--max-duration") => working_ms;
    /// Iterations in a row that change nothing that matters.
    NoProgress: Count32, [Loop Cycle], "no_progress", "PITON_NO_PROGRESS", None => no_progress;
    /// Failed attempts in a row.
    FailureStreak: Count32, [Loop], "failure_streak", "PITON_FAILURE_STREAK", None => failures;
    /// Money, in dollars.
    MaxCost: Dollars, [Loop Cycle], "max_cost_usd", "PITON_MAX_COST", Some("--max-cost") => cost_microusd;
    /// Input and output tokens together.
    MaxTokens: Count64, [Loop Cycle], "max_tokens", "PITON_MAX_TOKENS", Some("--max-tokens") => tokens;
    /// Wall clock of one attempt.
    AttemptTimeout: Duration, [Loop], "attempt_timeout", "PITON_ATTEMPT_TIMEOUT", None => attempt_ms;
    /// Silence of one attempt after which it counts as hung.
    IdleTimeout: Duration, [Loop Cycle], "idle_timeout", "PITON_IDLE_TIMEOUT", None => idle_ms;
    /// Files that a run may change.
    MaxFiles: Count32, [Loop], "max_files", "PITON_MAX_FILES", Some("--max-files") => files;
    /// Lines that its iterations may add and remove, all together.
    MaxLines: Count64, [Loop], "max_lines", "PITON_MAX_LINES", Some("--max-lines") => lines;
    /// Fresh sessions in the middle of the work.
    MaxReboots: Count32, [Loop], "max_reboots", "PITON_MAX_REBOOTS", Some("--max-reboots") => reboots;
}

/// A place among the limits of the machine. Values that are too large were refused.
trait Ceiling {
    fn get(&self) -> Option<u64>;
    fn set(&mut self, value: u64);
}

impl Ceiling for u32 {
    fn get(&self) -> Option<u64> {
        Some(u64::from(*self))
    }

    fn set(&mut self, value: u64) {
        *self = u32::try_from(value).unwrap_or(u32::MAX);
    }
}

impl Ceiling for u64 {
    fn get(&self) -> Option<u64> {
        Some(*self)
    }

    fn set(&mut self, value: u64) {
        *self = value;
    }
}

impl<C: Ceiling + Default> Ceiling for Option<C> {
    fn get(&self) -> Option<u64> {
        self.as_ref().and_then(Ceiling::get)
    }

    fn set(&mut self, value: u64) {
        self.get_or_insert_default().set(value);
    }
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
    /// Its name under `[loop]`.
    pub fn key(self) -> &'static str {
        self.names().0
    }

    /// The environment variable that sets it.
    pub fn variable(self) -> &'static str {
        self.names().1
    }

    /// The flag that sets it; its key where there is none.
    pub fn flag(self) -> &'static str {
        self.names().2.unwrap_or(self.key())
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

    /// `value` as a file says it.
    fn shown(self, value: u64) -> Value {
        match self.unit() {
            Unit::Count32 | Unit::Count64 => json!(value),
            Unit::Duration => json!(self.format(value)),
            // A number of dollars: it reads back exactly or is shown as text.
            Unit::Dollars => self.format(value).parse().map_or(json!(self.format(value)), Value::Number),
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
}

impl Unit {
    fn takes(self) -> Takes {
        match self {
            Unit::Count32 | Unit::Count64 => AtLeastOne::takes(),
            Unit::Duration => Duration::takes(),
            Unit::Dollars => takes("a number of dollars", json!({"type": "number", "exclusiveMinimum": 0})),
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
