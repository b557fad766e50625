//! vitest: a line per file or per test, failures as `FAIL  file > suite > test`, then the sums.

use super::names::Names;
use super::{Counts, Line, Outcome, Reader, Tally};
use crate::text::{digest, duration_ms, number_before};

#[derive(Default)]
pub(super) struct Vitest {
    file: String,
    /// The failure that is being told.
    failure: Option<String>,
    /// What a test has printed goes on until a blank line.
    captured: bool,
    open: bool,
    seen: Counts,
    counts: Counts,
    sums: u64,
    build_failed: bool,
    cut_off: bool,
    names: Names,
}

impl Reader for Vitest {
    fn line(&mut self, line: &Line<'_>) {
        let body = line.body;
        if line.indent() == 0 {
            self.captured |= body.starts_with("stdout | ") || body.starts_with("stderr | ");
            if self.failure.is_some() && body.contains("Test timed out in ") {
                self.timed_out();
            }
            return;
        }
        match body.as_bytes()[0] {
            b'R' if body.starts_with("RUN  v") => {
                self.cut_off |= self.open;
                self.open = true;
                self.starting(body);
            }
            b'F' if self.open && body.starts_with("FAIL  ") => self.failure(body["FAIL  ".len()..].trim()),
            b'T' if body.starts_with("Tests  ") => self.sum(body),
            0xc3 | 0xe2 if self.open && !self.captured => self.test(body),
            _ => {}
        }
    }

    fn blank(&mut self) {
        self.captured = false;
    }

    fn place(&mut self, place: u64) {
        self.names.place(place);
    }

    fn finish(mut self: Box<Self>, _: bool) -> Option<Tally> {
        if self.sums == 0 && !self.open {
            return None;
        }
        let mut counts = self.counts;
        counts.add(self.seen);
        self.names.end_run(self.seen);
        Some(counts.ended(self.names, self.cut_off || self.open, self.build_failed))
    }
}

impl Vitest {
    /// `RUN  v3.2.4 /project`.
    fn starting(&mut self, body: &str) {
        if let Some((_, directory)) = body["RUN  v".len()..].split_once(' ') {
            self.names.place(digest(&[directory.as_bytes()]));
        }
        self.names.begin_run();
    }

    fn test(&mut self, body: &str) {
        let mut characters = body.chars();
        let outcome = match characters.next() {
            Some('✓') => Outcome::Passed,
            Some('×') => Outcome::Failed,
            Some('↓') => Outcome::Skipped,
            Some('❯') => return self.file(characters.as_str().trim()),
            _ => return,
        };
        let title = characters.as_str().trim();
        let title = title.strip_suffix("[skipped]").map_or(title, str::trim_end);
        if is_file(title) {
            return self.file(title);
        }
        let timed = title.rsplit_once(' ').and_then(|(title, time)| Some((title, duration_ms(time)?)));
        let (title, duration) = timed.map_or((title, None), |(title, time)| (title.trim(), Some(time)));
        // The verbose reporter begins with the file, the default one lists tests below it.
        let first = title.split(" > ").next().unwrap_or_default();
        let has_file = self.file.is_empty() || first.contains(".test.") || first.contains(".spec.");
        let name = if has_file { title.to_owned() } else { format!("{} > {title}", self.file) };
        if self.names.set(&name, outcome, duration) {
            self.seen.one(outcome);
        }
    }

    fn file(&mut self, title: &str) {
        if let Some((file, _)) = title.split_once(" (") {
            file.trim().clone_into(&mut self.file);
        }
    }

    fn failure(&mut self, title: &str) {
        self.failure = None;
        if !title.contains(" > ") {
            self.build_failed = true;
            return;
        }
        if self.names.find(title).is_none() {
            self.seen.one(Outcome::Failed);
            self.names.push(title, Outcome::Failed, None);
        }
        self.failure = Some(title.to_owned());
    }

    fn timed_out(&mut self) {
        if let Some(known) = self.failure.take().and_then(|name| self.names.find(&name)) {
            known.outcome = Outcome::TimedOut;
        }
    }

    /// `Tests  1 failed | 3 passed | 1 skipped (5)`.
    fn sum(&mut self, body: &str) {
        let count = |label: &str| number_before(body, label).unwrap_or(0);
        if !body.ends_with(')') && !body.ends_with("no tests") {
            return;
        }
        let skipped = count(" skipped").saturating_add(count(" todo"));
        let sum = Counts { passed: count(" passed"), failed: count(" failed"), skipped };
        self.counts.add(sum);
        self.names.end_run(sum);
        self.sums += 1;
        (self.open, self.seen) = (false, Counts::default());
    }
}

/// `src/a.test.ts (3 tests | 1 failed) 12ms`.
fn is_file(title: &str) -> bool {
    let Some((_, rest)) = title.split_once(" (") else { return false };
    crate::text::number(rest).is_some_and(|(_, rest)| rest.starts_with(" test"))
}
