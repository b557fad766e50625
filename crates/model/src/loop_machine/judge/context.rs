//! How full the context of a session is, and whether it gets worse. Whether a fresh one begins: [`super::reboot`].
//!
//! What the agent's adapter reports is believed. Where it reports nothing, the size of what was said and how the agent
//! behaves give an estimate with less confidence. Words in the output about a context are no source: an agent that
//! reads about contexts would be cut short.

use piton_record::record;

use crate::limits::CONTEXT_REDLINE_PERCENT;
use crate::policy::policy;
use crate::words::words;

/// Tokens that a context is taken to have, where nobody says.
pub const WINDOW_TOKENS: u64 = 100_000;
/// Bytes per token, roughly.
const BYTES_PER_TOKEN: u64 = 4;

words! {
    /// How full a context is, in a word.
    pub enum ContextLevel {
        /// Up to 50 %.
        Low = "low",
        /// Up to 70 %.
        Medium = "medium",
        /// Up to 85 %.
        High = "high",
        /// Up to 95 %.
        Warning = "warning",
        /// Above.
        Redline = "redline",
    }
}

impl ContextLevel {
    /// The word for so many per cent.
    pub fn of(percent: u8) -> Self {
        match percent {
            0..=50 => ContextLevel::Low,
            51..=70 => ContextLevel::Medium,
            71..=85 => ContextLevel::High,
            86..=95 => ContextLevel::Warning,
            96.. => ContextLevel::Redline,
        }
    }
}

/// How full a context is, and how sure that is, from 0 to 1.
#[record(Copy)]
pub struct ContextReading {
    /// From 0 to 100.
    pub percent: u8,
    /// From 0 to 1.
    pub confidence: f64,
}

/// What was seen of a session after one iteration in it.
#[record(Copy)]
pub struct ContextSample {
    /// How full it was.
    pub percent: u8,
    /// How good what it said was, from 0 to 1.
    pub quality: Option<f64>,
    /// How long it took.
    pub latency_ms: Option<u64>,
}

policy! {
    /// When a context counts as full.
    #[record(Copy, Eq)]
    pub struct RedlinePolicy {
        /// From here on the session is not continued.
        pub redline_percent: u8 = CONTEXT_REDLINE_PERCENT,
        /// From here on it is not begun anything new in.
        pub warning_percent: u8 = 70,
        /// Iterations that a session has in any case.
        pub iterations_min: u32 = 1,
        /// Whether getting worse counts as being full.
        pub detect_degradation: bool = true,
        /// Samples that show whether it gets worse; twice as many are kept.
        pub samples: u32 = 5,
        /// Tokens that a context is taken to have, where its agent does not say how full it is.
        pub window_tokens: u64 = WINDOW_TOKENS,
    }
}

/// How full a context of `window_tokens` is after so many bytes were said in it, both ways.
pub fn by_size(bytes: u64, window_tokens: u64) -> ContextReading {
    let tokens = bytes / BYTES_PER_TOKEN;
    let percent = tokens.saturating_mul(100) / window_tokens.max(1);
    ContextReading { percent: u8::try_from(percent.min(100)).unwrap_or(100), confidence: 0.5 }
}

/// How full a context seems by how the agent behaves: three times slower, three times worse, or both, is fuller than
/// what was last seen.
pub fn by_behaviour(samples: &[ContextSample]) -> Option<ContextReading> {
    let last = samples.last_chunk::<3>()?;
    let slower = last.windows(2).all(|pair| is_less(pair[0].latency_ms, pair[1].latency_ms));
    let worse = last.windows(2).all(|pair| is_less(pair[1].quality, pair[0].quality));
    let more = match (slower, worse) {
        (true, true) => 20,
        (true, false) | (false, true) => 10,
        (false, false) => return None,
    };
    Some(ContextReading { percent: last[2].percent.saturating_add(more).min(100), confidence: 0.6 })
}

/// How full the context is, all in all: what was reported, else the mean of the estimates by their confidence.
pub fn read(
    reported: Option<u8>,
    said_bytes: Option<u64>,
    window_tokens: u64,
    samples: &[ContextSample],
) -> Option<ContextReading> {
    if let Some(percent) = reported {
        return Some(ContextReading { percent: percent.min(100), confidence: 1.0 });
    }
    let estimates = [said_bytes.map(|bytes| by_size(bytes, window_tokens)), by_behaviour(samples)];
    let known = || estimates.iter().flatten();
    let weight: f64 = known().map(|reading| reading.confidence).sum();
    if weight == 0.0 {
        return None;
    }
    let sum: f64 = known().map(|reading| f64::from(reading.percent) * reading.confidence).sum();
    let confidence = weight / known().count() as f64;
    Some(ContextReading { percent: (sum / weight).round() as u8, confidence })
}

/// How good a text is, from 0 to 1, by what shows in any language: very short, or the same words again and again.
pub fn output_quality(text: &str) -> f64 {
    const CHARS_MIN: usize = 50;
    const WORDS_MIN: usize = 10;
    let mut quality = 1.0;
    if text.chars().take(CHARS_MIN).count() < CHARS_MIN {
        quality *= 0.5;
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    let different: std::collections::BTreeSet<&str> = words.iter().copied().collect();
    if words.len() > WORDS_MIN && different.len() * 10 < words.len() * 3 {
        quality *= 0.6;
    }
    let lower = text.to_lowercase();
    if ["i apologize", "i'm sorry", "my apologies"].iter().any(|words| lower.contains(words)) {
        quality *= 0.8;
    }
    quality
}

/// Whether a session gets worse: its answers, while it fills up or slows down.
pub fn is_degraded(policy: &RedlinePolicy, samples: &[ContextSample]) -> bool {
    let count = policy.samples.max(2) as usize;
    if !policy.detect_degradation || samples.len() < count {
        return false;
    }
    let samples = &samples[samples.len() - count..];
    let (early, late) = samples.split_at(count / 2);
    let quality = |part: &[ContextSample]| mean(part.iter().map(|sample| sample.quality));
    let latency =
        |part: &[ContextSample]| mean(part.iter().map(|sample| sample.latency_ms.map(|ms| ms as f64)));
    let is_worse = quality(early).zip(quality(late)).is_some_and(|(early, late)| late < 0.8 * early);
    let fills_up = samples.windows(2).all(|pair| pair[0].percent <= pair[1].percent);
    let slows_down = latency(early).zip(latency(late)).is_some_and(|(early, late)| late > 1.5 * early);
    is_worse && (fills_up || slows_down)
}

words! {
    /// What to do about a session.
    pub enum Recommendation {
        /// Nothing is to be done.
        Continue = "continue",
        /// Begin a fresh one once the work at hand is done.
        FinishAndReboot = "finish_and_reboot",
        /// Begin a fresh one.
        ImmediateReboot = "immediate_reboot",
    }
}

/// What to do about a session of `iterations` that is so full.
pub fn recommend(
    policy: &RedlinePolicy,
    percent: Option<u8>,
    degraded: bool,
    iterations: u32,
) -> Recommendation {
    let reaches = |line: u8| percent.is_some_and(|percent| percent >= line);
    let (warning, redline) = (reaches(policy.warning_percent), reaches(policy.redline_percent));
    if iterations < policy.iterations_min {
        Recommendation::Continue
    } else if redline || (degraded && warning) {
        Recommendation::ImmediateReboot
    } else if warning || degraded {
        Recommendation::FinishAndReboot
    } else {
        Recommendation::Continue
    }
}

fn is_less<T: PartialOrd>(left: Option<T>, right: Option<T>) -> bool {
    left.zip(right).is_some_and(|(left, right)| left < right)
}

fn mean(numbers: impl Iterator<Item = Option<f64>>) -> Option<f64> {
    let known: Vec<f64> = numbers.flatten().collect();
    (!known.is_empty()).then(|| known.iter().sum::<f64>() / known.len() as f64)
}
