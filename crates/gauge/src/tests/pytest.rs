//! pytest, in any of its verbosities: the last line sums up, the lines before name tests.
//!
//! What is printed between `FAILURES` and the summary belongs to the tests: it names nothing. With `-qq` there is no last
//! line: a session that showed all of its progress is at its end.
//!
//! A sum is certain behind the summary, which names tests, and behind all of the progress. Anywhere else a test may have
//! printed it (`-s`): it is believed only if nothing of the session follows. If something does and the session names
//! nobody, what is dropped may have been the sum of another session: then nothing is known. One that no session leads up to, be it by
//! a head, its progress or a summary, counts only where no other session has any of these.

use super::names::Names;
use super::{Counts, Line, Outcome, Reader, Tally};
use crate::text::{digest, duration_ms, number, number_after, number_before};

#[derive(Default)]
pub(super) struct Pytest {
    section: Section,
    /// A session has begun and not yet summed up.
    open: bool,
    /// It has a head, and then its sum is ruled off as well.
    headed: bool,
    /// Its progress came to the end.
    ended: bool,
    /// How many failures its summary has told.
    told: u64,
    /// A sum that a test may have printed.
    doubtful: Option<Counts>,
    /// One was dropped, and nothing shows that its session was this one.
    dropped: bool,
    /// The sums that no session led up to.
    stray: Vec<Counts>,
    /// Nobody knows which sums are pytest's.
    unknown: bool,
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
            b'0'..=b'9' | b'n' if self.is_sum(text, false) => {}
            b'r' if self.open && text.starts_with("rootdir: ") => {
                self.names.place(digest(&[text.as_bytes()]));
            }
            b'c' if self.open && text.starts_with("collect") && text.contains("collected ") => {
                self.announced = number_after(text, "collected ");
                if let Some(selected) = number_before(text, " selected") {
                    self.announced = Some(selected);
                }
            }
            _ => {
                let is_progress = progress_of(text).is_some();
                match self.section {
                    // Behind a sum it is another session's.
                    _ if is_progress && self.doubtful.is_some() => self.next(text),
                    Section::Summary if is_progress => self.next(text),
                    Section::Progress => self.progress(text),
                    Section::Durations => self.duration(line.body),
                    Section::Summary => self.short_summary(text),
                    Section::Details => {}
                }
            }
        }
    }

    fn place(&mut self, place: u64) {
        self.names.place(place);
    }

    fn is_in_section(&self) -> bool {
        // Without a sum, the end of a session is seen only in what comes next, which may be anybody's.
        let is_over = self.ended && !self.headed && self.told >= self.seen.failed;
        self.open && self.doubtful.is_none() && !is_over
    }

    fn finish(mut self: Box<Self>, _: bool) -> Option<Tally> {
        self.abandon();
        if !self.recognised {
            std::mem::take(&mut self.stray).into_iter().for_each(|sum| self.summed(sum));
        }
        if !self.recognised {
            return None;
        }
        let complete = !self.cut_off && !self.stopped && !self.build_failed;
        if self.counts.is_empty() && self.build_failed {
            return Some(Tally { build_failed: true, ..Tally::default() });
        }
        if self.unknown {
            return Some(Tally { names: self.names, ..Tally::default() });
        }
        let mut tally = self.counts.tally(self.names, complete);
        if self.cut_off || self.stopped {
            tally.total = tally.total.zip(self.missing).map(|(total, missing)| total.saturating_add(missing));
        }
        tally.build_failed = self.build_failed;
        Some(tally)
    }
}

impl Pytest {
    /// A line that is ruled off with `=`.
    fn rule(&mut self, title: &str) {
        if title == "test session starts" {
            // A test may show a session of its own.
            if self.section != Section::Details || self.doubtful.is_some() {
                self.abandon();
                (self.open, self.headed, self.recognised) = (true, true, true);
            }
            return;
        }
        if self.is_sum(title, true) {
            return;
        }
        if is_title(title) {
            self.dropped |= self.doubtful.take().is_some() && !self.open;
        }
        if title == "short test summary info" {
            self.section = Section::Summary;
        } else if title.contains("slowest") && title.contains("duration") {
            self.section = Section::Durations;
        } else {
            self.section = Section::Details;
        }
    }

    /// Takes a sum; `ruled` says that it is ruled off.
    fn is_sum(&mut self, text: &str, ruled: bool) -> bool {
        let Some(mut sum) = sum_of(text) else { return false };
        sum.failed = sum.failed.saturating_sub(self.unloaded);
        if self.open && !self.fits(sum, ruled) {
            return true;
        }
        let is_certain = match self.section {
            Section::Progress => self.ended,
            Section::Details => false,
            Section::Durations | Section::Summary => true,
        };
        if is_certain {
            self.dropped &= self.section != Section::Summary;
            self.summed(sum);
        } else {
            self.dropped |= self.doubtful.replace(sum).is_some() && !self.open;
        }
        true
    }

    /// Whether it can be the sum of the open session: it looks like one, leaves nothing out that was seen or announced, and
    /// has no more than that. A test that passes can break afterwards, and then counts twice.
    fn fits(&self, sum: Counts, ruled: bool) -> bool {
        let seen = self.seen;
        let announced = self.announced.filter(|_| !self.stopped && !self.build_failed);
        ruled == self.headed
            && announced
                .is_none_or(|announced| sum.total() >= announced && sum.passed + sum.skipped <= announced)
            && sum.passed >= seen.passed
            && sum.failed.saturating_add(self.unloaded) >= seen.failed
            && sum.skipped >= seen.skipped
    }

    fn summed(&mut self, sum: Counts) {
        if self.stopped {
            let left = self.announced.map(|announced| announced.saturating_sub(sum.total()));
            self.missing = Some(self.missing.unwrap_or(0)).zip(left).map(|(a, b)| a.saturating_add(b));
        }
        (self.recognised, self.unknown) = (true, self.unknown || self.dropped);
        self.close(sum);
    }

    /// The progress of the session that follows one without a last line.
    fn next(&mut self, text: &str) {
        self.abandon();
        self.progress(text);
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
        if let Some((marks, ended)) = progress_of(text) {
            // A session without a last line came to its end, and this is another.
            if self.ended && !self.headed {
                self.abandon();
            }
            (self.open, self.recognised, self.ended) = (true, true, ended);
            marks.bytes().filter_map(of_mark).for_each(|outcome| self.seen.one(outcome));
            return;
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
        self.told += u64::from(outcome != Outcome::Passed && outcome != Outcome::Skipped);
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

    fn close(&mut self, sum: Counts) {
        self.counts.add(sum);
        self.names.end_run(sum);
        (self.open, self.section, self.announced) = (false, Section::Progress, None);
        (self.headed, self.ended, self.doubtful, self.told) = (false, false, None, 0);
        self.dropped = false;
        (self.seen, self.unloaded) = (Counts::default(), 0);
    }

    /// A session that has not summed up did not come to its end, unless its progress did and its failures were told.
    fn abandon(&mut self) {
        if let Some(sum) = self.doubtful.take() {
            if self.open || !self.seen.is_empty() || self.section != Section::Progress {
                self.summed(sum);
            } else {
                self.stray.push(sum);
            }
            return;
        }
        if !self.open && self.seen.is_empty() {
            return;
        }
        let seen = self.seen;
        if !self.ended || self.headed || self.told < seen.failed {
            self.cut_off = true;
            let left = self.announced.map(|announced| announced.saturating_sub(seen.total()));
            self.missing = Some(self.missing.unwrap_or(0)).zip(left).map(|(a, b)| a.saturating_add(b));
        }
        self.close(seen);
    }
}

/// Whether pytest gives a part of its report this title: then its sum is still to come.
fn is_title(title: &str) -> bool {
    matches!(title, "FAILURES" | "ERRORS" | "PASSES" | "XFAILURES" | "XPASSES")
        || title.starts_with("warnings summary")
        || title.ends_with("test summary info")
        || title.starts_with("slowest ")
}

/// `1 failed, 2 passed in 0.12s`.
fn sum_of(text: &str) -> Option<Counts> {
    let (counts, time) = text.rsplit_once(" in ")?;
    let time = time.split_once(" (").map_or(time, |(time, _)| time);
    if !time.ends_with('s') {
        return None;
    }
    duration_ms(time)?;
    let mut sum = Counts::default();
    if counts == "no tests ran" {
        return Some(sum);
    }
    for part in counts.split(", ") {
        let (count, word) = number(part)?;
        match word.trim_start() {
            "passed" | "xpassed" => sum.passed = sum.passed.saturating_add(count),
            "failed" | "error" | "errors" => sum.failed = sum.failed.saturating_add(count),
            "skipped" | "xfailed" => sum.skipped = sum.skipped.saturating_add(count),
            "deselected" | "warning" | "warnings" | "rerun" | "subtests passed" => {}
            _ => return None,
        }
    }
    Some(sum)
}

/// `..F    [ 50%]`: a mark per test, and whether these are the last.
fn progress_of(text: &str) -> Option<(&str, bool)> {
    let (marks, percent) = text.strip_suffix("%]")?.split_once(' ')?;
    let percent = percent.trim_start().strip_prefix('[')?;
    let are_marks = !marks.is_empty() && marks.bytes().all(|byte| b".FEsxXR".contains(&byte));
    are_marks.then(|| (marks, percent.trim() == "100"))
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

/// How a test ended by its mark; one that is run again has not.
fn of_mark(mark: u8) -> Option<Outcome> {
    match mark {
        b'.' | b'X' => Some(Outcome::Passed),
        b's' | b'x' => Some(Outcome::Skipped),
        b'R' => None,
        _ => Some(Outcome::Failed),
    }
}
