//! `cargo test`: one or more binaries of libtest, then doc tests.
//!
//! A binary announces `running 3 tests` and sums up in `test result:`. A sum that does not add up to what was announced is
//! not the binary's own, but something a test has printed; so is whatever stands below `---- name stdout ----`. Cargo stops after the first binary that fails, so that
//! the others are unknown, unless it was told to go on.

use std::collections::HashSet;

use super::names::{Names, Place};
use super::{Counts, Line, NAMES_MAX, Outcome, Reader, Tally};
use crate::text::{digest, duration_ms, number, number_before};

#[derive(Default)]
pub(super) struct Cargo {
    /// What will run next.
    binary: String,
    /// Where that lies, until it runs.
    path: Option<u64>,
    /// Binaries that were named and have not run: their output stands elsewhere.
    silent: Vec<u64>,
    /// Runs that ended without their binary being named.
    nameless: Vec<usize>,
    /// Binaries that began, and that summed up.
    begun: u64,
    summed: u64,
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
    /// Where its names begin.
    start: usize,
    /// Which binary it is, where that was said.
    path: Option<u64>,
    /// What failed tests have printed is shown.
    telling: bool,
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
            b'-' if text.starts_with("---- ") && text.ends_with(" ----") => {
                if let Some(unit) = self.open.as_mut().filter(|unit| unit.failures.is_some()) {
                    // Nobody else writes all three.
                    (unit.telling, self.recognised) = (true, true);
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
        self.match_binaries();
        let complete = !self.cut_off && !self.stopped && !self.build_failed;
        let mut tally = self.counts.tally(self.names, complete);
        tally.total = tally.total.map(|total| total.saturating_add(self.missing));
        tally.build_failed = self.build_failed;
        tally.is_inner = self.binary.is_empty();
        Some(tally)
    }
}

impl Cargo {
    fn running(&mut self, text: &str) {
        let Some((announced, rest)) = text.strip_prefix("running ").and_then(number) else { return };
        if rest != " tests" && rest != " test" || self.is_telling() {
            return;
        }
        self.abandon();
        // The words alone could be anybody's.
        self.recognised |= !self.binary.is_empty();
        self.begun += 1;
        self.open = Some(Unit {
            announced,
            counts: Counts::default(),
            start: self.names.len(),
            path: self.path.take(),
            telling: false,
            pending: None,
            failures: None,
        });
    }

    fn test(&mut self, text: &str) {
        let Some(unit) = self.open.as_mut().filter(|unit| !unit.telling) else { return };
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
        // Where every test was heard of, the sum is known before it comes.
        let is_known = unit.counts.total() == unit.announced;
        if counts.total() != unit.announced || is_known && unit.telling && counts != unit.counts {
            return;
        }
        let (start, path) = (unit.start, unit.path);
        let failures: Vec<String> =
            unit.failures.take().unwrap_or_default().iter().map(|name| self.full(name)).collect();
        self.counts.add(counts);
        self.recognised = true;
        self.open = None;
        self.summed += 1;
        // Where what tests print is not captured, one may print a failure.
        if failures.len() as u64 == counts.failed {
            let told: HashSet<&str> = failures.iter().map(String::as_str).collect();
            self.names.retain_from(start, |named| {
                named.outcome != Outcome::Failed || told.contains(named.name.as_str())
            });
        }
        for name in &failures {
            self.names.set(name, Outcome::Failed, None);
        }
        self.ended_run(counts, path);
    }

    /// The same binary may run once more; of one that is not known nobody can say.
    fn ended_run(&mut self, counts: Counts, path: Option<u64>) {
        let run = self.names.end_run_of(counts, path.map_or(Place::Part, Place::Said));
        if path.is_none() {
            self.nameless.push(run);
        }
    }

    /// Cargo names the binaries beside what they print: where that was kept apart, both are in the same order.
    fn match_binaries(&mut self) {
        self.silent.extend(self.path.take());
        if self.silent.len() == self.nameless.len() {
            for (run, path) in self.nameless.iter().zip(&self.silent) {
                self.names.place_run(*run, *path);
            }
        }
    }

    fn is_telling(&self) -> bool {
        self.open.as_ref().is_some_and(|unit| unit.telling)
    }

    /// How many binaries have begun and how many have summed up.
    pub(super) fn units(&self) -> (u64, u64) {
        (self.begun, self.summed)
    }

    fn indented(&mut self, line: &Line<'_>) {
        let is_ours = !self.is_telling();
        if let Some(rest) = line.body.strip_prefix("Running ").filter(|_| is_ours) {
            let path = rest.rsplit_once('(').map_or(rest, |(_, path)| path.trim_end_matches(')'));
            self.starting(binary(path.trim_matches('`')), path);
        } else if let Some(name) = line.body.strip_prefix("Doc-tests ").filter(|_| is_ours) {
            self.starting(format!("{} (doc)", name.trim()), line.body);
        } else if line.indent() == 4
            && let Some(failures) = self.open.as_mut().and_then(|unit| unit.failures.as_mut())
            && failures.len() < NAMES_MAX
        {
            failures.push(line.body.to_owned());
        }
    }

    fn starting(&mut self, binary: String, path: &str) {
        self.abandon();
        self.binary = binary;
        self.silent.extend(self.path.replace(digest(&[path.as_bytes()])));
    }

    fn error(&mut self, text: &str) {
        let Some(text) = text.strip_prefix("error: ").filter(|_| !self.is_telling()) else { return };
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
            self.ended_run(unit.counts, unit.path);
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
