//! `cargo test`: one or more binaries of libtest, then doc tests.
//!
//! A binary announces `running 3 tests` and sums up in `test result:`. A sum that does not add up to what was announced is
//! not the binary's own, but something a test has printed. Cargo stops after the first binary that fails, so that
//! the others are unknown, unless it was told to go on.

use super::names::Names;
use super::{Counts, Line, NAMES_MAX, Outcome, Reader, Tally};
use crate::text::{duration_ms, number, number_before};

#[derive(Default)]
pub(super) struct Cargo {
    /// What will run next.
    binary: String,
    open: Option<Unit>,
    counts: Counts,
    /// Tests that were announced but not heard of.
    missing: u64,
    cut_off: bool,
    stopped: bool,
    build_failed: bool,
    recognised: bool,
    names: Names,
}

struct Unit {
    announced: u64,
    counts: Counts,
    /// A test whose verdict comes in a later line, behind what it prints.
    pending: Option<String>,
    /// The last list of failures.
    failures: Option<Vec<String>>,
}

impl Reader for Cargo {
    fn line(&mut self, line: &Line<'_>) {
        let text = line.text;
        match text.as_bytes()[0] {
            b'r' => self.running(text),
            b't' if text.starts_with("test result: ") => self.summary(text),
            b't' => self.test(text),
            b' ' => self.indented(line),
            b'f' if text == "failures:" => {
                if let Some(unit) = &mut self.open {
                    unit.failures = Some(Vec::new());
                }
            }
            b'e' => self.error(text),
            b'o' | b'F' => self.verdict(text),
            _ => {}
        }
    }

    fn is_in_section(&self) -> bool {
        self.open.is_some() && self.recognised && !self.stopped
    }

    fn finish(mut self: Box<Self>, certain: bool) -> Option<Tally> {
        self.recognised |= certain && self.open.is_some();
        self.abandon();
        if !self.recognised {
            return self.build_failed.then(|| Tally { build_failed: true, ..Tally::default() });
        }
        let complete = !self.cut_off && !self.stopped && !self.build_failed;
        let mut tally = self.counts.tally(self.names, complete);
        tally.total = Some(self.counts.total().saturating_add(self.missing));
        tally.build_failed = self.build_failed;
        tally.is_inner = self.binary.is_empty();
        Some(tally)
    }
}

impl Cargo {
    fn running(&mut self, text: &str) {
        let Some((announced, rest)) = text.strip_prefix("running ").and_then(number) else { return };
        if rest != " tests" && rest != " test" {
            return;
        }
        self.abandon();
        // The words alone could be anybody's.
        self.recognised |= !self.binary.is_empty();
        self.open = Some(Unit { announced, counts: Counts::default(), pending: None, failures: None });
    }

    fn test(&mut self, text: &str) {
        let Some(unit) = &mut self.open else { return };
        let Some((name, verdict)) = text.strip_prefix("test ").and_then(|rest| rest.split_once(" ... "))
        else {
            return;
        };
        let name = [" - should panic", " - compile fail", " - compile"]
            .iter()
            .find_map(|suffix| name.strip_suffix(suffix))
            .unwrap_or(name);
        unit.pending = None;
        match outcome(verdict) {
            Some(outcome) => self.ended(name, outcome, verdict),
            None => unit.pending = Some(name.to_owned()),
        }
    }

    /// A verdict on a line of its own.
    fn verdict(&mut self, text: &str) {
        let Some(unit) = &mut self.open else { return };
        if unit.pending.is_some()
            && let Some(outcome) = outcome(text).filter(|_| !text.contains(' ') || text.contains('<'))
            && let Some(name) = unit.pending.take()
        {
            self.ended(&name, outcome, text);
        }
    }

    fn ended(&mut self, name: &str, outcome: Outcome, verdict: &str) {
        let Some(unit) = &mut self.open else { return };
        unit.counts.one(outcome);
        self.recognised = true;
        if self.names.is_full() {
            return self.names.push("", outcome, None);
        }
        let time = verdict.split_once('<').and_then(|(_, rest)| rest.split_once('>'));
        let name = self.full(name);
        self.names.push(&name, outcome, time.and_then(|(time, _)| duration_ms(time)));
    }

    fn full(&self, name: &str) -> String {
        if self.binary.is_empty() { name.to_owned() } else { format!("{} {name}", self.binary) }
    }

    fn summary(&mut self, text: &str) {
        let Some(unit) = &mut self.open else { return };
        let count = |label: &str| number_before(text, label).unwrap_or(0);
        let measured = count(" measured");
        let counts = Counts {
            passed: count(" passed").saturating_add(measured),
            failed: count(" failed"),
            skipped: count(" ignored"),
        };
        if counts.total() != unit.announced {
            return;
        }
        let failures = unit.failures.take().unwrap_or_default();
        self.counts.add(counts);
        self.recognised = true;
        self.open = None;
        for name in failures {
            let name = self.full(&name);
            self.names.set(&name, Outcome::Failed, None);
        }
    }

    fn indented(&mut self, line: &Line<'_>) {
        if let Some(rest) = line.body.strip_prefix("Running ") {
            let path = rest.rsplit_once('(').map_or(rest, |(_, path)| path.trim_end_matches(')'));
            self.starting(binary(path.trim_matches('`')));
        } else if let Some(name) = line.body.strip_prefix("Doc-tests ") {
            self.starting(format!("{} (doc)", name.trim()));
        } else if line.indent() == 4
            && let Some(failures) = self.open.as_mut().and_then(|unit| unit.failures.as_mut())
            && failures.len() < NAMES_MAX
        {
            failures.push(line.body.to_owned());
        }
    }

    fn starting(&mut self, binary: String) {
        self.abandon();
        self.binary = binary;
    }

    fn error(&mut self, text: &str) {
        let Some(text) = text.strip_prefix("error: ") else { return };
        if text.starts_with("could not compile ") {
            self.build_failed = true;
        } else if text.starts_with("test failed, to rerun pass") {
            self.stopped = true;
        } else if text.contains(" target failed:") || text.contains(" targets failed:") {
            self.stopped = false;
        }
    }

    /// A binary that has not summed up did not come to its end.
    fn abandon(&mut self) {
        if let Some(unit) = self.open.take().filter(|_| self.recognised) {
            self.cut_off = true;
            self.missing = self.missing.saturating_add(unit.announced.saturating_sub(unit.counts.total()));
            self.counts.add(unit.counts);
        }
    }
}

fn outcome(verdict: &str) -> Option<Outcome> {
    let word = verdict.split([' ', ',', ':']).next().unwrap_or_default();
    match word {
        "ok" | "bench" => Some(Outcome::Passed),
        "FAILED" => Some(Outcome::Failed),
        "ignored" => Some(Outcome::Skipped),
        _ => None,
    }
}

/// `target/debug/deps/name-0123456789abcdef` without directories and hash.
fn binary(path: &str) -> String {
    let file = path.rsplit(['/', '\\']).next().unwrap_or_default();
    let file = file.strip_suffix(".exe").unwrap_or(file);
    let is_hash = |tail: &str| tail.len() == 16 && tail.bytes().all(|byte| byte.is_ascii_hexdigit());
    match file.rsplit_once('-') {
        Some((name, tail)) if is_hash(tail) => name.to_owned(),
        _ => file.to_owned(),
    }
}
