//! cargo-nextest: a status line per test, `Summary` at the end, and after it the failures once more.

use super::names::Names;
use super::{Counts, Line, Outcome, Reader, Tally};
use crate::text::{duration_ms, number, number_before};

#[derive(Default)]
pub(super) struct Nextest {
    /// Tests that were announced, while the run goes on.
    open: Option<u64>,
    seen: Counts,
    counts: Counts,
    missing: u64,
    cut_off: bool,
    build_failed: bool,
    recognised: bool,
    names: Names,
}

impl Reader for Nextest {
    fn line(&mut self, line: &Line<'_>) {
        if let Some(text) = line.text.strip_prefix("error: ") {
            self.build_failed |= text.starts_with("could not compile ");
        }
        if line.indent() == 0 {
            return;
        }
        match line.body.as_bytes()[0] {
            b'S' if line.body.starts_with("Starting ") => self.starting(&line.body["Starting ".len()..]),
            b'S' if line.body.starts_with("Summary [") => self.summary(line.body),
            b'A'..=b'Z' if self.open.is_some() => self.status(line.body),
            _ => {}
        }
    }

    fn finish(mut self: Box<Self>, certain: bool) -> Option<Tally> {
        self.abandon();
        if !self.recognised {
            return (certain && self.build_failed).then(|| Tally { build_failed: true, ..Tally::default() });
        }
        let mut tally = self.counts.tally(self.names, !self.cut_off && !self.build_failed);
        tally.total = tally.total.map(|total| total.saturating_add(self.missing));
        tally.build_failed = self.build_failed;
        Some(tally)
    }
}

impl Nextest {
    fn starting(&mut self, rest: &str) {
        let Some((announced, rest)) = number(rest) else { return };
        if rest.starts_with(" test") && rest.contains(" across ") {
            self.abandon();
            self.recognised = true;
            let skipped =
                number_before(rest, " test skipped").or_else(|| number_before(rest, " tests skipped"));
            self.seen = Counts { skipped: skipped.unwrap_or(0), ..Counts::default() };
            self.open = Some(announced);
        }
    }

    fn status(&mut self, body: &str) {
        let Some((status, rest)) = body.split_once('[') else { return };
        let Some((time, rest)) = rest.split_once(']') else { return };
        let status = status.trim();
        let is_try = status.starts_with("TRY ");
        let word = if is_try { status.rsplit(' ').next().unwrap_or_default() } else { status };
        let outcome = match word {
            "PASS" | "LEAK" => Outcome::Passed,
            "FAIL" | "ABORT" | "LEAK-FAIL" | "XFAIL" => Outcome::Failed,
            "TIMEOUT" | "TMT" => Outcome::TimedOut,
            "SKIP" => Outcome::Skipped,
            word if word.starts_with("SIG") => Outcome::Failed,
            word if word.starts_with("FLAKY ") => Outcome::Passed,
            _ => return,
        };
        let mut name = rest.trim();
        // `(3/7)`, which newer versions count along.
        if let Some((_, after)) = name.strip_prefix('(').and_then(|rest| rest.split_once(") ")) {
            name = after.trim_start();
        }
        let time = duration_ms(time.trim().trim_start_matches('>'));
        if self.names.set(name, outcome, time) {
            self.seen.one(outcome);
        }
    }

    fn summary(&mut self, body: &str) {
        let Some((_, text)) = body.split_once(']') else { return };
        let Some((run, rest)) = number(text.trim_start()) else { return };
        let count = |label: &str| number_before(text, label).unwrap_or(0);
        let failed =
            count(" failed").saturating_add(count(" timed out")).saturating_add(count(" exec failed"));
        // A line that was cut off does not add up.
        if count(" passed").saturating_add(failed) != run || self.open.take().is_none() {
            return;
        }
        let sum = Counts { passed: count(" passed"), failed, skipped: count(" skipped") };
        self.counts.add(sum);
        self.names.end_run(sum);
        // `3/7 tests run` says that some were never started.
        if let Some((all, _)) = rest.strip_prefix('/').and_then(number) {
            self.cut_off |= all > run;
            self.missing = self.missing.saturating_add(all.saturating_sub(run));
        }
    }

    fn abandon(&mut self) {
        if let Some(announced) = self.open.take() {
            self.cut_off = true;
            let ran = self.seen.passed.saturating_add(self.seen.failed);
            self.missing = self.missing.saturating_add(announced.saturating_sub(ran));
            self.counts.add(self.seen);
            self.names.end_run(self.seen);
        }
    }
}
