//! When a session gives way to a fresh one: what calls for it, and how often that may be.
//!
//! Reads no clock: `now` is an argument, and the history comes from the state. What the fresh session is told is in
//! [`super::super::handoff`].

use piton_record::record;

use super::context::RedlinePolicy;
use crate::Timestamp;
use crate::loop_machine::facts::Report;
use crate::policy::policy;

const HOUR_MS: u64 = 3_600_000;

policy! {
    /// When a session gives way to a fresh one.
    #[record(Eq, written)]
    pub struct RebootPolicy {
        /// Whether it ever does by itself.
        pub enabled: bool = true,
        /// Whether a person is asked first.
        pub confirm: bool = false,
        /// Because it is full.
        pub on_redline: bool = true,
        /// Because it gets worse.
        pub on_degradation: bool = true,
        /// After so many iterations.
        pub after_iterations: Option<u32> = None,
        /// After so long.
        pub after_ms: Option<u64> = None,
        /// Because its agent said one of these.
        pub on_patterns: Vec<String> = Vec::new(),
        /// The shortest time between two.
        pub interval_ms_min: u64 = 300_000,
        /// The most of them in an hour that may succeed; 0 means no limit.
        pub per_hour_max: u32 = 10,
        /// The time to wait after one that failed, for each that failed in a row.
        pub cooldown_ms: u64 = 60_000,
        /// How many may fail in a row.
        pub failures_max: u32 = 3,
    }
}

/// A reboot that was tried.
#[record(Copy, Eq)]
pub struct RebootRecord {
    pub at: Timestamp,
    pub iteration: u32,
    /// Whether it worked.
    pub succeeded: bool,
}

/// Why a session gives way to a fresh one.
#[record(Eq)]
#[serde(tag = "type")]
pub enum RebootReason {
    /// It is full.
    Redline {
        /// How full the context was, in per cent.
        usage: u8,
    },
    /// It gets worse.
    Degradation,
    /// It had its iterations.
    IterationLimit,
    /// It had its time.
    DurationLimit,
    /// Its agent said something.
    PatternMatch { pattern: String },
    /// Somebody asked.
    Manual,
    /// It cannot be continued.
    ErrorRecovery { error: String },
    /// Another agent goes on.
    AnotherAgent { agent: String },
}

impl RebootReason {
    /// Its kind in a word, as it is on record.
    pub fn as_str(&self) -> &'static str {
        match self {
            RebootReason::Redline { .. } => "redline",
            RebootReason::Degradation => "degradation",
            RebootReason::IterationLimit => "iteration_limit",
            RebootReason::DurationLimit => "duration_limit",
            RebootReason::PatternMatch { .. } => "pattern_match",
            RebootReason::Manual => "manual",
            RebootReason::ErrorRecovery { .. } => "error_recovery",
            RebootReason::AnotherAgent { .. } => "another_agent",
        }
    }

    pub fn sentence(&self) -> String {
        match self {
            RebootReason::Redline { usage } => format!("its context is {usage} % full"),
            RebootReason::Degradation => "its answers get worse".to_owned(),
            RebootReason::IterationLimit => "it had its iterations".to_owned(),
            RebootReason::DurationLimit => "it had its time".to_owned(),
            RebootReason::PatternMatch { pattern } => format!("its agent said `{pattern}`"),
            RebootReason::Manual => "somebody asked for it".to_owned(),
            RebootReason::ErrorRecovery { error } => error.clone(),
            RebootReason::AnotherAgent { agent } => format!("the agent `{agent}` goes on"),
        }
    }
}

/// What is known when it is decided. All counts are those of the session.
#[derive(Clone, Debug, Default)]
pub struct SessionView<'a> {
    /// How full it is.
    pub percent: Option<u8>,
    /// Whether it gets worse.
    pub degraded: bool,
    pub iterations: u32,
    /// How long it lasts.
    pub age_ms: u64,
    /// What its agent said in the last attempt.
    pub report: Option<&'a Report>,
    /// Somebody asked for a fresh one.
    pub asked: bool,
    /// It cannot be continued, and why: its agent said that it is full, or would not go on with it.
    pub broken: Option<&'a str>,
}

/// Whether a session gives way to a fresh one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RebootDecision {
    /// It goes on.
    Stay,
    /// It gives way.
    Reboot(RebootReason),
    /// It gives way if a person agrees.
    Ask(RebootReason),
    /// It would, but too many did: not before this moment.
    Later(RebootReason, Timestamp),
    /// Too many failed in a row: a person has to look.
    GiveUp {
        /// How many in a row failed.
        failures: u32,
    },
}

/// Whether the session gives way, after `history`, the newest last.
///
/// What a person asks for is neither counted nor put off. A session that cannot be continued is not held to the limits
/// either, for there is nothing to stay in.
pub fn decide_reboot(
    policy: &RebootPolicy,
    redline: &RedlinePolicy,
    session: &SessionView<'_>,
    history: &[RebootRecord],
    now: Timestamp,
) -> RebootDecision {
    if session.asked {
        return RebootDecision::Reboot(RebootReason::Manual);
    }
    let broken = session.broken.map(|error| RebootReason::ErrorRecovery { error: error.to_owned() });
    let is_broken = broken.is_some();
    let Some(reason) = broken.or_else(|| trigger(policy, redline, session)) else {
        return RebootDecision::Stay;
    };
    let failures = history.iter().rev().take_while(|record| !record.succeeded).count() as u32;
    if !is_broken && policy.failures_max > 0 && failures >= policy.failures_max {
        return RebootDecision::GiveUp { failures };
    }
    match not_before(policy, history, failures).filter(|until| *until > now && !is_broken) {
        Some(until) => RebootDecision::Later(reason, until),
        None if policy.confirm && !is_broken => RebootDecision::Ask(reason),
        None => RebootDecision::Reboot(reason),
    }
}

/// The first cause there is: redline, degradation, iterations, duration, pattern.
fn trigger(
    policy: &RebootPolicy,
    redline: &RedlinePolicy,
    session: &SessionView<'_>,
) -> Option<RebootReason> {
    if !policy.enabled {
        return None;
    }
    let is_settled = session.iterations >= redline.iterations_min;
    if policy.on_redline
        && is_settled
        && let Some(usage) = session.percent.filter(|percent| *percent >= redline.redline_percent)
    {
        return Some(RebootReason::Redline { usage });
    }
    if policy.on_degradation && is_settled && session.degraded {
        return Some(RebootReason::Degradation);
    }
    if policy.after_iterations.is_some_and(|max| session.iterations >= max) {
        return Some(RebootReason::IterationLimit);
    }
    if policy.after_ms.is_some_and(|max| session.age_ms >= max) {
        return Some(RebootReason::DurationLimit);
    }
    let said = |pattern: &&String| session.report.is_some_and(|report| report.says(pattern));
    let pattern = policy.on_patterns.iter().find(said)?.clone();
    Some(RebootReason::PatternMatch { pattern })
}

/// The moment before which there is no other reboot.
fn not_before(policy: &RebootPolicy, history: &[RebootRecord], failures: u32) -> Option<Timestamp> {
    let last = history.last()?;
    let pause = match failures {
        0 => policy.interval_ms_min,
        failures => policy.cooldown_ms.saturating_mul(u64::from(failures)),
    };
    let successes = history.iter().rev().filter(|record| record.succeeded);
    // With as many as allowed, the oldest of them has to be an hour old.
    let oldest =
        (policy.per_hour_max > 0).then(|| successes.map(|record| record.at)).and_then(|mut times| {
            times.nth(policy.per_hour_max as usize - 1).map(|time| time.plus_millis(HOUR_MS))
        });
    Some(last.at.plus_millis(pause)).max(oldest)
}
