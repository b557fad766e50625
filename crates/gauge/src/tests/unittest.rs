//! Python's unittest: `Ran 5 tests in 0.003s`, then `OK` or `FAILED (failures=1)`; with `-v` a line per test.

use super::names::Names;
use super::{Counts, Line, Outcome, Reader, Tally};
use crate::text::{number, number_after};

#[derive(Default)]
pub(super) struct Unittest {
    /// The last line was a rule, without which a sum is something that a test has printed.
    ruled: bool,
    /// `Ran 5 tests`, while its verdict is still to come.
    ran: Option<u64>,
    seen: Counts,
    counts: Counts,
    /// `test_x (module.Class.test_x)`, whose verdict follows its description.
    described: Option<String>,
    /// Modules that could not be loaded, which count as tests that ran.
    unloaded: u64,
    cut_off: bool,
    build_failed: bool,
    recognised: bool,
    names: Names,
}

impl Reader for Unittest {
    fn line(&mut self, line: &Line<'_>) {
        let text = line.text;
        if self.ran.is_some() && self.verdict(text) {
            return;
        }
        let is_ruled = std::mem::replace(&mut self.ruled, text.starts_with("----------"));
        match text.as_bytes()[0] {
            b'R' if is_ruled && text.starts_with("Ran ") && text.contains(" in ") => {
                self.ran = number(&text["Ran ".len()..])
                    .filter(|(_, rest)| rest.starts_with(" test"))
                    .map(|(count, _)| count);
                self.recognised |= self.ran.is_some();
            }
            b'F' | b'E' if text.starts_with("FAIL: ") || text.starts_with("ERROR: ") => self.failure(text),
            b' ' | b'=' | b'-' => {}
            _ => self.test(text),
        }
    }

    fn place(&mut self, place: u64) {
        self.names.place(place);
    }

    fn finish(mut self: Box<Self>, _: bool) -> Option<Tally> {
        self.cut_off |= self.ran.is_some() || !self.seen.is_empty();
        self.counts.add(self.seen);
        self.names.end_run(self.seen);
        if !self.recognised {
            return None;
        }
        Some(self.counts.ended(self.names, self.cut_off, self.build_failed))
    }
}

impl Unittest {
    fn verdict(&mut self, text: &str) -> bool {
        let is_end = text == "OK"
            // A line that was cut off has no end.
            || (text.starts_with("OK (") || text.starts_with("FAILED (")) && text.ends_with(')')
            || text.starts_with("NO TESTS RAN");
        if let Some(ran) = self.ran.take_if(|_| is_end) {
            let count = |label: &str| number_after(text, label).unwrap_or(0);
            // `expected failures=1` holds `failures=1`, too.
            let expected = count("expected failures=");
            let failures = if text.contains("(failures=") { count("(failures=") } else { 0 };
            let failed =
                failures.saturating_add(count("errors=")).saturating_add(count("unexpected successes="));
            let skipped = count("skipped=").saturating_add(expected);
            let (unloaded, ran) = (self.unloaded, ran.saturating_sub(self.unloaded));
            let failed = failed.saturating_sub(unloaded);
            self.unloaded = 0;
            let passed = ran.saturating_sub(failed).saturating_sub(skipped);
            let sum = Counts { passed, failed, skipped };
            self.counts.add(sum);
            self.names.end_run(sum);
            self.seen = Counts::default();
        }
        is_end
    }

    /// `FAIL: test_x (module.Class.test_x)`.
    fn failure(&mut self, text: &str) {
        let Some((_, rest)) = text.split_once(": ") else { return };
        if rest.contains("unittest.loader._FailedTest") {
            self.build_failed = true;
            self.unloaded += 1;
            return;
        }
        if let Some(name) = full_name(rest) {
            self.names.set(&name, Outcome::Failed, None);
        }
    }

    /// `test_x (module.Class.test_x) ... ok`.
    fn test(&mut self, text: &str) {
        let Some((before, verdict)) = text.rsplit_once(" ... ") else {
            self.described = full_name(text);
            return;
        };
        let Some(outcome) = outcome(verdict) else { return };
        let name = match (full_name(before), self.described.take()) {
            (Some(name), _) | (None, Some(name)) => name,
            (None, None) => return,
        };
        if name.contains("unittest.loader._FailedTest") {
            return;
        }
        self.recognised = true;
        self.seen.one(outcome);
        self.names.push(&name, outcome, None);
    }
}

/// Since Python 3.11 the parenthesis holds the method, too.
fn full_name(text: &str) -> Option<String> {
    let (method, rest) = text.split_once(" (")?;
    let class = rest.split_once(')')?.0;
    let is_word = |text: &str| {
        !text.is_empty()
            && text.chars().all(|character| character.is_alphanumeric() || "_.<>".contains(character))
    };
    if !is_word(method) || !is_word(class) {
        return None;
    }
    Some(if class.ends_with(&format!(".{method}")) { class.to_owned() } else { format!("{class}.{method}") })
}

fn outcome(verdict: &str) -> Option<Outcome> {
    match verdict {
        "ok" => Some(Outcome::Passed),
        "FAIL" | "ERROR" | "unexpected success" => Some(Outcome::Failed),
        "expected failure" => Some(Outcome::Skipped),
        _ if verdict.starts_with("skipped") => Some(Outcome::Skipped),
        _ => None,
    }
}
