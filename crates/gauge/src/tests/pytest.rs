//! pytest, in any of its verbosities: the last line sums up, the lines before name tests.
//!
//! What is printed between `FAILURES` and the summary belongs to the tests and names nothing.

use super::names::Names;
use super::{Counts, Line, Outcome, Reader, Tally};
use crate::text::{duration_ms, number, number_after, number_before};

#[derive(Default)]
pub(super) struct Pytest {
    section: Section,
    /// A session has begun and not yet summed up.
    open: bool,
    announced: Option<u64>,
    seen: Counts,
    counts: Counts,
    missing: Option<u64>,
    /// Modules that could not be loaded, in this session.
    unloaded: u64,
    build_failed: bool,
    stopped: bool,
    cut_off: bool,
    recognised: bool,
    names: Names,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Section {
    #[default]
    Progress,
    Details,
    Durations,
    Summary,
}

impl Reader for Pytest {
    fn line(&mut self, line: &Line<'_>) {
        let text = line.text;
        match text.as_bytes()[0] {
            b'=' => self.rule(text.trim_matches('=').trim()),
            b'!' => self.interrupted(text),
            b'0'..=b'9' | b'n' if self.is_sum(text) => {}
            b'c' if self.open && text.starts_with("collect") && text.contains("collected ") => {
                self.announced = number_after(text, "collected ");
                if let Some(selected) = number_before(text, " selected") {
                    self.announced = Some(selected);
                }
            }
            _ => match self.section {
                Section::Progress => self.progress(text),
                Section::Durations => self.duration(line.body),
                Section::Summary => self.short_summary(text),
                Section::Details => {}
            },
        }
    }

    fn is_in_section(&self) -> bool {
        self.open
    }

    fn finish(mut self: Box<Self>, _: bool) -> Option<Tally> {
        self.abandon();
        if !self.recognised {
            return None;
        }
        let complete = !self.cut_off && !self.stopped && !self.build_failed;
        if self.counts.is_empty() && self.build_failed {
            return Some(Tally { build_failed: true, ..Tally::default() });
        }
        let mut tally = self.counts.tally(self.names, complete);
        if self.cut_off || self.stopped {
            tally.total = self.missing.map(|missing| self.counts.total().saturating_add(missing));
        }
        tally.build_failed = self.build_failed;
        Some(tally)
    }
}

impl Pytest {
    /// A line that is ruled off with `=`.
    fn rule(&mut self, title: &str) {
        if title == "test session starts" {
            self.abandon();
            self.open = true;
            self.recognised = true;
            self.section = Section::Progress;
        } else if self.is_sum(title) {
        } else if title == "short test summary info" {
            self.section = Section::Summary;
        } else if title.contains("slowest") && title.contains("duration") {
            self.section = Section::Durations;
        } else {
            self.section = Section::Details;
        }
    }

    /// `1 failed, 2 passed in 0.12s`.
    fn is_sum(&mut self, text: &str) -> bool {
        let Some((counts, time)) = text.rsplit_once(" in ") else { return false };
        let time = time.split_once(" (").map_or(time, |(time, _)| time);
        if !time.ends_with('s') || duration_ms(time).is_none() {
            return false;
        }
        let mut sum = Counts::default();
        if counts != "no tests ran" {
            for part in counts.split(", ") {
                let Some((count, word)) = number(part) else { return false };
                match word.trim_start() {
                    "passed" | "xpassed" => sum.passed += count,
                    "failed" | "error" | "errors" => sum.failed += count,
                    "skipped" | "xfailed" => sum.skipped += count,
                    "deselected" | "warning" | "warnings" | "rerun" | "subtests passed" => {}
                    _ => return false,
                }
            }
        }
        sum.failed = sum.failed.saturating_sub(self.unloaded);
        if self.stopped {
            let left = self.announced.map(|announced| announced.saturating_sub(sum.total()));
            self.missing = Some(self.missing.unwrap_or(0)).zip(left).map(|(a, b)| a.saturating_add(b));
        }
        self.counts.add(sum);
        self.recognised = true;
        self.close();
        true
    }

    fn interrupted(&mut self, text: &str) {
        let text = text.trim_matches('!').trim();
        if text.contains("during collection") {
            self.build_failed = true;
            self.unloaded = self.unloaded.max(number_after(text, "Interrupted:").unwrap_or(0));
        } else if text.starts_with("stopping after")
            || text.contains("Interrupt")
            || text.starts_with("_pytest.outcomes.Exit")
        {
            self.stopped = true;
        }
    }

    /// `a.py::test_x PASSED [ 50%]`, `[gw0] [ 50%] PASSED a.py::test_x`, or `..F [ 50%]`.
    fn progress(&mut self, text: &str) {
        if text.ends_with("%]") && text.bytes().next().is_some_and(|byte| b".FEsxX".contains(&byte)) {
            let marks = text.split(' ').next().unwrap_or_default();
            if marks.bytes().all(|byte| b".FEsxX".contains(&byte)) {
                self.open = true;
                self.recognised = true;
                marks.bytes().for_each(|mark| self.seen.one(of_mark(mark)));
                return;
            }
        }
        if !text.contains("::") || text.starts_with(' ') {
            return;
        }
        let (name, outcome) = match worker(text) {
            Some(found) => found,
            None => match verdict(text) {
                Some(found) => found,
                None => return,
            },
        };
        self.recognised = true;
        if self.names.set(name, outcome, None) {
            self.seen.one(outcome);
        }
    }

    fn short_summary(&mut self, text: &str) {
        let Some((word, rest)) = text.split_once(' ') else { return };
        let Some(outcome) = of_word(word) else { return };
        let (name, reason) = rest.split_once(" - ").unwrap_or((rest, ""));
        if !name.contains("::") {
            if word == "ERROR" {
                self.build_failed = true;
                self.unloaded += 1;
            }
            return;
        }
        let timed_out =
            outcome == Outcome::Failed && reason.contains("Timeout") && reason.contains("Failed: ");
        let outcome = if timed_out { Outcome::TimedOut } else { outcome };
        self.names.set(name, outcome, None);
    }

    /// `0.10s call     a.py::test_x`.
    fn duration(&mut self, body: &str) {
        let mut fields = body.split_ascii_whitespace();
        if let (Some(time), Some("call"), Some(name)) = (fields.next(), fields.next(), fields.next())
            && let Some(known) = self.names.find(name)
        {
            known.duration_ms = duration_ms(time);
        }
    }

    fn close(&mut self) {
        (self.open, self.section, self.announced) = (false, Section::Progress, None);
        (self.seen, self.unloaded) = (Counts::default(), 0);
    }

    /// A session that has not summed up did not come to its end.
    fn abandon(&mut self) {
        if self.open || !self.seen.is_empty() {
            self.cut_off = true;
            let left = self.announced.map(|announced| announced.saturating_sub(self.seen.total()));
            self.missing = Some(self.missing.unwrap_or(0)).zip(left).map(|(a, b)| a.saturating_add(b));
            let seen = self.seen;
            self.counts.add(seen);
            self.close();
        }
    }
}

fn worker(text: &str) -> Option<(&str, Outcome)> {
    let rest = text.strip_prefix("[gw")?.split_once("] ")?.1.trim_start();
    let rest = rest.strip_prefix('[').and_then(|rest| rest.split_once("] ")).map_or(rest, |(_, rest)| rest);
    let (word, name) = rest.split_once(' ')?;
    Some((name.trim(), of_word(word)?))
}

/// Whether a node id begins with this, which names a file: `test crate::module ... FAILED` is a line of cargo's.
fn is_file(text: &str) -> bool {
    let name = text.rsplit(['/', '\\']).next().unwrap_or_default();
    let ending = name.rsplit_once('.').map(|(_, ending)| ending);
    ending.is_some_and(|ending| !ending.is_empty() && ending.bytes().all(|byte| byte.is_ascii_alphanumeric()))
}

/// A node id, a word, perhaps a reason and a percentage.
fn verdict(text: &str) -> Option<(&str, Outcome)> {
    let text = match text.rsplit_once('[') {
        Some((before, percent)) if percent.ends_with("%]") => before.trim_end(),
        _ => text.trim_end(),
    };
    // A reason in parentheses may follow, and an id may hold spaces.
    let at = text.find("::").filter(|at| is_file(&text[..*at]))?;
    text[at..].match_indices(' ').find_map(|(space, _)| {
        let (name, rest) = text.split_at(at + space);
        let mut words = rest[1..].splitn(2, ' ');
        let outcome = of_word(words.next()?)?;
        words.next().is_none_or(|reason| reason.starts_with('(')).then(|| (name.trim_end(), outcome))
    })
}

fn of_word(word: &str) -> Option<Outcome> {
    match word {
        "PASSED" | "XPASS" => Some(Outcome::Passed),
        "FAILED" | "ERROR" => Some(Outcome::Failed),
        "SKIPPED" | "XFAIL" => Some(Outcome::Skipped),
        _ => None,
    }
}

fn of_mark(mark: u8) -> Outcome {
    match mark {
        b'.' | b'X' => Outcome::Passed,
        b's' | b'x' => Outcome::Skipped,
        _ => Outcome::Failed,
    }
}
