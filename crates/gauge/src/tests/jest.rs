//! jest: `PASS file`, with `--verbose` a tree of tests below it, failures as `● suite › test`, then the sums.

use super::names::Names;
use super::outline::Outline;
use super::{Counts, Line, Outcome, Reader, Tally};
use crate::text::{duration_ms, number, number_before, trailing_parenthesis};

#[derive(Default)]
pub(super) struct Jest {
    file: String,
    /// The tree below the file goes on until a blank line.
    in_tree: bool,
    outline: Outline,
    /// The failure that is being told.
    failure: Option<String>,
    /// `Test Suites:` was the last line, without which a sum is something that a test has printed.
    has_suites: bool,
    /// A file has been reported, and no sum after it.
    open: bool,
    seen: Counts,
    counts: Counts,
    sums: u64,
    stopped: bool,
    build_failed: bool,
    names: Names,
}

impl Reader for Jest {
    fn line(&mut self, line: &Line<'_>) {
        let text = line.text;
        let has_suites = std::mem::replace(&mut self.has_suites, text.starts_with("Test Suites: "));
        match text.as_bytes()[0] {
            b'P' if text.starts_with("PASS ") => self.file(&text["PASS ".len()..]),
            b'F' if text.starts_with("FAIL ") => self.file(&text["FAIL ".len()..]),
            b'T' if has_suites && text.starts_with("Tests: ") && text.ends_with(" total") => self.sum(text),
            b'T' if text.starts_with("Test Suites: ") => self.stopped |= text.contains(" of "),
            // In colour the word stands on a ground with a margin.
            b' ' if line.indent() == 1 && line.body.starts_with("PASS  ") => {
                self.file(&line.body["PASS ".len()..])
            }
            b' ' if line.indent() == 1 && line.body.starts_with("FAIL  ") => {
                self.file(&line.body["FAIL ".len()..])
            }
            b' ' if self.open => self.indented(line),
            _ => {}
        }
    }

    fn blank(&mut self) {
        self.in_tree = false;
    }

    fn place(&mut self, place: u64) {
        self.names.place(place);
    }

    fn finish(mut self: Box<Self>, certain: bool) -> Option<Tally> {
        if self.sums == 0 && !(certain && self.open) {
            return None;
        }
        let mut counts = self.counts;
        counts.add(self.seen);
        self.names.end_run(self.seen);
        let mut tally = counts.ended(self.names, self.open, self.build_failed);
        tally.complete &= !self.stopped;
        Some(tally)
    }
}

impl Jest {
    fn file(&mut self, rest: &str) {
        let rest = rest.trim();
        let file = trailing_parenthesis(rest).map_or(rest, |(file, _)| file);
        file.clone_into(&mut self.file);
        self.outline.clear();
        self.names.begin_run();
        (self.in_tree, self.open, self.failure) = (true, true, None);
    }

    fn indented(&mut self, line: &Line<'_>) {
        let (body, indent) = (line.body, line.indent());
        if let Some(title) = body.strip_prefix("● ") {
            return self.failure(title.trim());
        }
        let mut characters = body.chars();
        let outcome = match characters.next() {
            Some('✓' | '√') => Outcome::Passed,
            Some('✕' | '×') => Outcome::Failed,
            Some('○' | '✎') => Outcome::Skipped,
            _ => {
                if self.failure.is_some() && body.contains("Exceeded timeout of") {
                    self.timed_out();
                } else if self.in_tree {
                    self.outline.open(indent, body);
                }
                return;
            }
        };
        if !self.in_tree {
            return;
        }
        let title = characters.as_str().trim();
        let title = match outcome {
            Outcome::Skipped => {
                title.strip_prefix("skipped ").or_else(|| title.strip_prefix("todo ")).unwrap_or(title)
            }
            Outcome::Passed | Outcome::Failed | Outcome::TimedOut => title,
        };
        let timed = trailing_parenthesis(title).and_then(|(title, time)| Some((title, duration_ms(time)?)));
        let (title, duration) = timed.map_or((title, None), |(title, time)| (title, Some(time)));
        self.seen.one(outcome);
        if self.names.is_full() {
            return self.names.push("", outcome, None);
        }
        let name = self.outline.name(&self.file, indent, title);
        self.names.set(&name, outcome, duration);
    }

    fn failure(&mut self, title: &str) {
        self.in_tree = false;
        if title == "Test suite failed to run" {
            self.build_failed = true;
        } else if !matches!(title, "Console" | "Cannot log after tests are done." | "Validation Error:") {
            let name = format!("{} > {}", self.file, title.replace(" › ", " > "));
            if self.names.find(&name).is_none() {
                self.seen.one(Outcome::Failed);
                self.names.push(&name, Outcome::Failed, None);
            }
            self.failure = Some(name);
        }
    }

    fn timed_out(&mut self) {
        if let Some(known) = self.failure.take().and_then(|name| self.names.find(&name)) {
            known.outcome = Outcome::TimedOut;
        }
    }

    /// `Tests:       1 failed, 1 skipped, 1 todo, 4 passed, 7 total`.
    fn sum(&mut self, text: &str) {
        let count = |label: &str| number_before(text, label).unwrap_or(0);
        if number(text["Tests: ".len()..].trim_start()).is_none() {
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
