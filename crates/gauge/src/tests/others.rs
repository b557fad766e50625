//! Runners of which the sums are read, and the names of failures: RSpec, PHPUnit, .NET, Maven, Gradle.

use super::names::{Names, Place};
use super::{Counts, Line, Outcome, Reader, Tally};
use crate::text::{duration_ms, number, number_after, number_before, trailing_parenthesis};

/// `5 examples, 1 failure, 1 pending`.
#[derive(Default)]
pub(super) struct Rspec {
    /// `Finished in 0.1 seconds` was the last line, without which a sum is something that a test has printed.
    finished: bool,
    /// The last sum, behind which its failures are named.
    sum: Option<Counts>,
    counts: Counts,
    sums: u64,
    build_failed: bool,
    names: Names,
}

impl Reader for Rspec {
    fn line(&mut self, line: &Line<'_>) {
        let text = line.text;
        let has_finished = std::mem::replace(&mut self.finished, text.starts_with("Finished in "));
        if let Some(rest) = text.strip_prefix("rspec ") {
            if let Some((_, name)) = rest.split_once(" # ") {
                self.names.set(name.trim(), Outcome::Failed, None);
            }
            return;
        }
        let Some((all, rest)) = number(text) else { return };
        if !has_finished || !rest.starts_with(" example") || !rest.contains(" failure") {
            return;
        }
        let count = |label: &str| number_before(text, label).unwrap_or(0);
        let (failed, skipped) = (count(" failure"), count(" pending"));
        let passed = all.saturating_sub(failed).saturating_sub(skipped);
        self.build_failed |= rest.contains(" occurred outside of examples");
        let sum = Counts { passed, failed, skipped };
        self.counts.add(sum);
        self.sums += 1;
        self.end_run();
        self.sum = Some(sum);
    }

    fn place(&mut self, place: u64) {
        self.names.place(place);
    }

    fn finish(mut self: Box<Self>, _: bool) -> Option<Tally> {
        if self.sums == 0 {
            return None;
        }
        self.end_run();
        Some(self.counts.ended(self.names, false, self.build_failed))
    }
}

impl Rspec {
    fn end_run(&mut self) {
        if let Some(sum) = self.sum.take() {
            self.names.end_run(sum);
        }
    }
}

/// `OK (5 tests, 8 assertions)` or `Tests: 5, Assertions: 8, Failures: 1.`.
#[derive(Default)]
pub(super) struct Phpunit {
    /// `PHPUnit 9.6` was seen, and no sum after it.
    open: bool,
    /// The list of failures goes on.
    telling: Option<Outcome>,
    counts: Counts,
    sums: u64,
    cut_off: bool,
    names: Names,
}

impl Reader for Phpunit {
    fn line(&mut self, line: &Line<'_>) {
        let text = line.text;
        if text.starts_with("PHPUnit ") && text.contains(" by Sebastian Bergmann") {
            self.cut_off |= self.open;
            (self.open, self.telling) = (true, None);
        } else if text.starts_with("There was ") || text.starts_with("There were ") {
            let is_failure = text.contains(" failure") || text.contains(" error");
            let is_skip = text.contains(" skipped") || text.contains(" incomplete");
            self.telling = match (is_failure, is_skip) {
                (true, _) => Some(Outcome::Failed),
                (_, true) => Some(Outcome::Skipped),
                _ => None,
            };
        } else if let (Some(outcome), Some((_, rest))) = (self.telling, number(text)) {
            if let Some(name) = rest.strip_prefix(") ").filter(|name| name.contains("::")) {
                self.names.set(name.trim(), outcome, None);
            }
        } else if text.starts_with("OK (") && text.contains(" assertion") {
            self.sum(number_after(text, "OK (").unwrap_or(0), 0, 0);
        } else if text.starts_with("Tests: ") && text.contains(", Assertions: ") {
            let count = |label: &str| number_after(text, label).unwrap_or(0);
            let failed = count(", Failures: ").saturating_add(count(", Errors: "));
            let skipped = count(", Skipped: ").saturating_add(count(", Incomplete: "));
            self.sum(count("Tests: "), failed, skipped);
        } else if text.starts_with("No tests executed!") {
            self.sum(0, 0, 0);
        }
    }

    fn place(&mut self, place: u64) {
        self.names.place(place);
    }

    fn finish(self: Box<Self>, _: bool) -> Option<Tally> {
        if self.sums == 0 && !self.open {
            return None;
        }
        if self.sums == 0 {
            return Some(Tally { names: self.names, ..Tally::default() });
        }
        Some(self.counts.tally(self.names, !self.open && !self.cut_off))
    }
}

impl Phpunit {
    fn sum(&mut self, all: u64, failed: u64, skipped: u64) {
        let passed = all.saturating_sub(failed).saturating_sub(skipped);
        let sum = Counts { passed, failed, skipped };
        self.counts.add(sum);
        self.names.end_run(sum);
        self.sums += 1;
        (self.open, self.telling) = (false, None);
    }
}

/// `Failed!  - Failed:     1, Passed:     5, Skipped:     0, Total:     6, …`, one per assembly.
#[derive(Default)]
pub(super) struct Dotnet {
    counts: Counts,
    sums: u64,
    build_failed: bool,
    aborted: bool,
    names: Names,
}

impl Reader for Dotnet {
    fn line(&mut self, line: &Line<'_>) {
        let (text, body) = (line.text, line.body);
        let is_sum = text.starts_with("Passed!  - ")
            || text.starts_with("Failed!  - ")
            || text.starts_with("Skipped! - ");
        if is_sum && text.contains(", Total:") {
            let count = |label: &str| number_after(text, label).unwrap_or(0);
            let failed = count("Failed:");
            self.sum(Counts { passed: count("Passed:"), failed, skipped: count("Skipped:") });
        } else if let Some(rest) = text.strip_prefix("Test summary: total: ") {
            let count = |label: &str| number_after(text, label).unwrap_or(0);
            if number(rest).is_some() {
                let (passed, failed) = (count("succeeded: "), count("failed: "));
                self.sum(Counts { passed, failed, skipped: count("skipped: ") });
            }
        } else if line.indent() == 2 && body.ends_with(']') {
            self.test(body);
        } else if text.starts_with("Test Run Aborted") || text.starts_with("The active test run was aborted")
        {
            self.aborted = true;
        } else if text.contains("): error CS") {
            self.build_failed = true;
        }
    }

    fn finish(self: Box<Self>, certain: bool) -> Option<Tally> {
        if self.sums == 0 {
            let known = certain && self.build_failed;
            return known.then(|| Tally { build_failed: true, ..Tally::default() });
        }
        let mut tally = self.counts.tally(self.names, !self.aborted && !self.build_failed);
        tally.build_failed = self.build_failed;
        Some(tally)
    }
}

impl Dotnet {
    fn sum(&mut self, sum: Counts) {
        self.counts.add(sum);
        self.names.end_run_of(sum, Place::Part);
        self.sums += 1;
    }

    /// `  Failed Unit.Tests.Adds [12 ms]`.
    fn test(&mut self, body: &str) {
        let Some((word, rest)) = body.split_once(' ') else { return };
        let outcome = match word {
            "Passed" => Outcome::Passed,
            "Failed" => Outcome::Failed,
            "Skipped" => Outcome::Skipped,
            _ => return,
        };
        if let Some((name, time)) = rest.trim_end_matches(']').rsplit_once(" [") {
            self.names.set(name, outcome, duration_ms(time.trim_start_matches('<').trim()));
        }
    }
}

/// `Tests run: 5, Failures: 1, Errors: 0, Skipped: 1`, per class with a time, per module without one.
#[derive(Default)]
pub(super) struct Maven {
    /// Of classes whose module has not summed up.
    seen: Counts,
    counts: Counts,
    sums: u64,
    build_failed: bool,
    skipped_modules: bool,
    names: Names,
}

impl Reader for Maven {
    fn line(&mut self, line: &Line<'_>) {
        let text = line.text;
        let body = ["[INFO] ", "[ERROR] ", "[WARNING] "]
            .iter()
            .find_map(|level| text.strip_prefix(level))
            .unwrap_or(text)
            .trim_start();
        if body.starts_with("Tests run: ") && body.contains(", Skipped: ") {
            self.sum(body);
        } else if body.ends_with("<<< FAILURE!") || body.ends_with("<<< ERROR!") {
            self.failure(body);
        } else if body.starts_with("COMPILATION ERROR") {
            self.build_failed = true;
        } else if body.ends_with(" SKIPPED") && body.contains(" ..") {
            self.skipped_modules = true;
        }
    }

    fn finish(self: Box<Self>, certain: bool) -> Option<Tally> {
        let is_open = !self.seen.is_empty();
        if self.sums == 0 && !is_open {
            let known = certain && self.build_failed;
            return known.then(|| Tally { build_failed: true, ..Tally::default() });
        }
        let mut counts = self.counts;
        counts.add(self.seen);
        let complete = !is_open && !self.skipped_modules && !self.build_failed;
        let mut tally = counts.tally(self.names, complete);
        if is_open {
            tally.total = None;
        }
        tally.build_failed = self.build_failed;
        Some(tally)
    }
}

impl Maven {
    fn sum(&mut self, body: &str) {
        let count = |label: &str| number_after(body, label).unwrap_or(0);
        let failed = count(", Failures: ").saturating_add(count(", Errors: "));
        let skipped = count(", Skipped: ");
        let passed = count("Tests run: ").saturating_sub(failed).saturating_sub(skipped);
        let counts = Counts { passed, failed, skipped };
        if body.contains("Time elapsed: ") {
            self.seen.add(counts);
        } else {
            self.counts.add(counts);
            self.names.end_run_of(counts, Place::Part);
            self.sums += 1;
            self.seen = Counts::default();
        }
    }

    /// `a.FooTest.adds -- Time elapsed: 0.01 s <<< FAILURE!`, or the older `adds(a.FooTest)  Time elapsed: …`.
    fn failure(&mut self, body: &str) {
        let Some((name, rest)) = body.split_once("Time elapsed: ") else { return };
        let name = name.trim_end().trim_end_matches("--").trim_end();
        let time = rest.split("<<<").next().and_then(duration_ms);
        let name = match trailing_parenthesis(name) {
            Some((method, class)) if !method.is_empty() => format!("{class}.{method}"),
            _ => name.to_owned(),
        };
        self.names.set(&name, Outcome::Failed, time);
    }
}

/// `5 tests completed, 1 failed, 1 skipped`, and `FooTest > adds() PASSED` where it is told to log them.
#[derive(Default)]
pub(super) struct Gradle {
    seen: Counts,
    counts: Counts,
    sums: u64,
    recognised: bool,
    ended: bool,
    build_failed: bool,
    names: Names,
}

impl Reader for Gradle {
    fn line(&mut self, line: &Line<'_>) {
        let text = line.text;
        if let Some((all, rest)) = number(text)
            && (rest.starts_with(" tests completed") || rest.starts_with(" test completed"))
        {
            let count = |label: &str| number_before(rest, label).unwrap_or(0);
            let (failed, skipped) = (count(" failed"), count(" skipped"));
            let passed = all.saturating_sub(failed).saturating_sub(skipped);
            let sum = Counts { passed, failed, skipped };
            self.counts.add(sum);
            self.names.end_run_of(sum, Place::Part);
            (self.sums, self.seen) = (self.sums + 1, Counts::default());
        } else if text.starts_with("> Task :") {
            self.recognised = true;
            self.build_failed |= text.contains(":compile") && text.ends_with(" FAILED");
        } else if text.starts_with("BUILD SUCCESSFUL in ") || text.starts_with("BUILD FAILED in ") {
            self.ended = true;
        } else if line.indent() == 0 && text.contains(" > ") {
            self.test(text);
        }
    }

    fn finish(self: Box<Self>, certain: bool) -> Option<Tally> {
        if self.sums == 0 && (self.names.len() == 0 || !self.recognised) {
            let known = certain && self.build_failed;
            return known.then(|| Tally { build_failed: true, ..Tally::default() });
        }
        let mut counts = self.counts;
        counts.add(self.seen);
        let mut tally = counts.tally(self.names, self.ended && !self.build_failed);
        if !self.ended {
            tally.total = None;
        }
        tally.build_failed = self.build_failed;
        Some(tally)
    }
}

impl Gradle {
    fn test(&mut self, text: &str) {
        let Some((name, word)) = text.rsplit_once(' ') else { return };
        let outcome = match word {
            "PASSED" => Outcome::Passed,
            "FAILED" => Outcome::Failed,
            "SKIPPED" => Outcome::Skipped,
            _ => return,
        };
        if !name.starts_with("> ") {
            self.seen.one(outcome);
            self.names.push(name, outcome, None);
        }
    }
}
