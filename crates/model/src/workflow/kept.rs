//! What is kept of a report: so many entries and bytes that a state with all its steps stays within its bounds. What is
//! left out is counted, and said where people read the rest.

use piton_record::record;
use serde_json::Value;

use super::facts::StepReport;
use super::limits::{
    ARTIFACT_BYTES_MAX, KEPT_BYTES_MAX, KEPT_BYTES_PER_STEP_MAX, KEPT_BYTES_PER_STEP_MIN, REPORT_ENTRIES_MAX,
};
use crate::limits::{TEXT_BYTES_MAX, clip};

/// What an entry costs beyond its text.
const ENTRY_BYTES: usize = 8;
/// Deepest metric that is kept.
const METRIC_DEPTH_MAX: usize = 8;

/// How much of a report was left out.
#[record(Copy, Default, Eq, omit(artifacts, metrics, logs))]
#[serde(default)]
pub struct LeftOut {
    pub artifacts: u32,
    pub metrics: u32,
    /// The earliest lines of its log.
    pub logs: u32,
}

impl LeftOut {
    /// A line about each, to be read before the log.
    pub fn lines(&self) -> Vec<String> {
        let counts = [(self.artifacts, "artifact"), (self.metrics, "metric"), (self.logs, "earlier line")];
        let some = counts.into_iter().filter(|(number, _)| *number > 0);
        some.map(|(number, of)| format!("… {} left out", count(number, of))).collect()
    }

    fn of(report: &StepReport) -> Self {
        let length = |length: usize| u32::try_from(length).unwrap_or(u32::MAX);
        Self {
            artifacts: length(report.artifacts.len()),
            metrics: length(report.metrics.len()),
            logs: length(report.logs.len()),
        }
    }
}

impl StepReport {
    /// The same within what a state of this many steps may keep, beside the artifacts of earlier items that are `kept`:
    /// artifacts and metrics from the front, of the log the end, which says how it went. Long lines are cut.
    #[must_use]
    pub fn bounded(mut self, steps: usize, kept: &[String]) -> Self {
        let before = LeftOut::of(&self);
        let bytes = bytes_of_a_step(steps);
        // The log always has a quarter, and what the others do not need.
        let of_log = bytes / 4;
        let mut room = Room { bytes: bytes - of_log };
        let taken = kept.iter().map(|path| path.len() + ENTRY_BYTES).sum();
        let mut beside = Room { bytes: room.bytes.saturating_sub(taken) };
        let mut places = REPORT_ENTRIES_MAX.saturating_sub(kept.len());
        let mut has_place = |path: &String| {
            let has = places > 0 && beside.takes(path.len());
            places -= usize::from(has);
            has
        };
        let artifacts = self.artifacts.into_iter().filter(|path| {
            let fits = path.len() <= ARTIFACT_BYTES_MAX && room.takes(path.len());
            fits && (kept.contains(path) || has_place(path))
        });
        self.artifacts = artifacts.take(REPORT_ENTRIES_MAX).collect();
        let metrics = self.metrics.into_iter().filter(|(key, value)| {
            depth(value) <= METRIC_DEPTH_MAX && room.takes(key.len() + value.to_string().len())
        });
        self.metrics = metrics.take(REPORT_ENTRIES_MAX).collect();
        room.bytes += of_log;
        let line_max = (of_log - ENTRY_BYTES).min(TEXT_BYTES_MAX);
        let last = self.logs.into_iter().rev().take(REPORT_ENTRIES_MAX).map(|line| cut(line, line_max));
        self.logs = last.take_while(|line| room.takes(line.len())).collect();
        self.logs.reverse();
        let after = LeftOut::of(&self);
        self.left_out.artifacts += before.artifacts - after.artifacts;
        self.left_out.metrics += before.metrics - after.metrics;
        self.left_out.logs += before.logs - after.logs;
        self
    }

    /// What it says in its log, for a message: the last three lines.
    pub fn last_words(&self) -> Option<String> {
        let last = &self.logs[self.logs.len().saturating_sub(3)..];
        let lines: Vec<String> = last.iter().map(|line| cut(line.clone(), TEXT_BYTES_MAX / 3 - 2)).collect();
        (!lines.is_empty()).then(|| lines.join(", "))
    }
}

fn bytes_of_a_step(steps: usize) -> usize {
    (KEPT_BYTES_MAX / steps.max(1)).clamp(KEPT_BYTES_PER_STEP_MIN, KEPT_BYTES_PER_STEP_MAX)
}

/// Bytes that are left for entries.
struct Room {
    bytes: usize,
}

impl Room {
    /// Whether an entry of this length has its place, which it then takes.
    fn takes(&mut self, length: usize) -> bool {
        let fits = length + ENTRY_BYTES <= self.bytes;
        if fits {
            self.bytes -= length + ENTRY_BYTES;
        }
        fits
    }
}

/// The line, or its beginning and a sign that there was more.
pub(super) fn cut(line: String, bytes_max: usize) -> String {
    const MORE: &str = "…";
    if line.len() <= bytes_max {
        return line;
    }
    format!("{}{MORE}", clip(&line, bytes_max.saturating_sub(MORE.len())))
}

/// `1 line`, `1,200 lines`.
pub(super) fn count(number: u32, of: &str) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    format!("{text} {of}{}", if number == 1 { "" } else { "s" })
}

/// How deep a value goes. A parser of JSON stops at 128, so this cannot run away.
fn depth(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Value::Object(entries) => 1 + entries.values().map(depth).max().unwrap_or(0),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}
