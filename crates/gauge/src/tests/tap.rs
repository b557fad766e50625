//! TAP 13 and 14: a plan, test points, subtests indented by four.
//!
//! A point that sums up subtests is not a test of its own; its description begins their names. The run is complete if
//! the plan says as many points as there are. node writes its sums as comments, which then count.

use super::names::Names;
use super::{Counts, Line, NAMES_MAX, Outcome, Reader, Tally};
use crate::text::{milliseconds, number, whole_number};

/// Deeper subtests are not followed.
const DEPTH_MAX: usize = 32;

#[derive(Default)]
pub(super) struct Tap {
    levels: Vec<Level>,
    seen: Counts,
    counts: Counts,
    /// node's sums.
    stated: Option<Counts>,
    documents: u64,
    bailed: bool,
    cut_off: bool,
    /// The test that a YAML block would speak of.
    last: Option<String>,
    names: Names,
}

/// One depth of subtests.
#[derive(Default)]
struct Level {
    plan: Option<u64>,
    points: u64,
    /// Where the names below the next point begin.
    start: Option<usize>,
}

impl Reader for Tap {
    fn line(&mut self, line: &Line<'_>) {
        let (body, indent) = (line.body, line.indent());
        match body.as_bytes()[0] {
            b'T' if indent == 0 && body.starts_with("TAP version ") => self.version(),
            b'1' if body.starts_with("1..") && indent % 4 == 0 => self.plan(indent / 4, &body["1..".len()..]),
            b'o' | b'n' if indent % 4 == 0 => self.point(indent / 4, body),
            b'#' if indent == 0 => self.comment(body[1..].trim()),
            b'B' if body.starts_with("Bail out!") => self.bailed = true,
            b'd' if body.starts_with("duration_ms: ") => self.duration(&body["duration_ms: ".len()..]),
            b'f' if body.contains("testTimeoutFailure") => self.timed_out(),
            _ => {}
        }
    }

    fn place(&mut self, place: u64) {
        self.names.place(place);
    }

    fn finish(mut self: Box<Self>, _: bool) -> Option<Tally> {
        if self.documents == 0 && self.levels.first().is_none_or(|level| level.plan.is_none()) {
            return None;
        }
        self.close();
        let mut tally = self.counts.ended(self.names, self.cut_off, false);
        tally.complete &= !self.bailed;
        Some(tally)
    }
}

impl Tap {
    fn version(&mut self) {
        if self.documents > 0 || self.levels.first().is_some_and(|level| level.plan.is_some()) {
            self.close();
        }
        self.documents += 1;
    }

    /// Not everybody writes a version: what follows a plan that is fulfilled is another document's.
    fn after_fulfilled(&mut self) {
        if self.levels.first().is_some_and(|level| level.points > 0 && level.plan == Some(level.points)) {
            self.version();
        }
    }

    fn level(&mut self, depth: usize) -> &mut Level {
        let depth = depth.min(DEPTH_MAX);
        while self.levels.len() <= depth {
            self.levels.push(Level::default());
        }
        &mut self.levels[depth]
    }

    fn plan(&mut self, depth: usize, rest: &str) {
        if let Some((plan, rest)) = number(rest)
            && (rest.is_empty() || rest.trim_start().starts_with('#'))
        {
            self.after_fulfilled();
            self.level(depth).plan = Some(plan);
        }
    }

    fn point(&mut self, depth: usize, body: &str) {
        let (passed, rest) = match (body.strip_prefix("ok"), body.strip_prefix("not ok")) {
            (Some(rest), _) => (true, rest),
            (None, Some(rest)) => (false, rest),
            (None, None) => return,
        };
        // `ok` alone, `ok 1`, `ok - text`: anything else is not a test point.
        let Some(rest) = rest.strip_prefix(' ').or_else(|| rest.is_empty().then_some(rest)) else { return };
        let (has_number, rest) = number(rest).map_or((false, rest), |(_, rest)| (true, rest));
        if !has_number && !rest.is_empty() && !rest.starts_with("- ") {
            return;
        }
        let rest = rest.trim_start().trim_start_matches("- ");
        let (title, directive) = match rest.strip_prefix("# ") {
            Some(directive) => ("", directive),
            None => rest.split_once(" # ").unwrap_or((rest, "")),
        };
        let directive = directive.trim();
        let is = |word: &str| directive.get(..4).is_some_and(|head| head.eq_ignore_ascii_case(word));
        let outcome = if is("skip") || is("todo") {
            Outcome::Skipped
        } else if passed {
            Outcome::Passed
        } else {
            Outcome::Failed
        };
        self.record(depth, title.trim(), outcome);
    }

    fn record(&mut self, depth: usize, title: &str, outcome: Outcome) {
        let depth = depth.min(DEPTH_MAX);
        self.after_fulfilled();
        self.level(depth).points += 1;
        let below = self.levels.get(depth + 1).is_some_and(|level| level.points > 0);
        let start = self.levels.get_mut(depth + 1).and_then(|level| level.start.take());
        self.levels.truncate(depth + 1);
        if below {
            let start = start.unwrap_or(self.names.len());
            if start < NAMES_MAX && !title.is_empty() {
                self.names.prefix(start, &format!("{title} > "));
            }
            self.last = None;
            self.level(depth).start.get_or_insert(start);
            return;
        }
        let at = self.names.len();
        self.level(depth).start.get_or_insert(at);
        self.seen.one(outcome);
        self.last = (!self.names.is_full()).then(|| title.to_owned());
        self.names.push(title, outcome, None);
    }

    /// node's `# pass 3`.
    fn comment(&mut self, text: &str) {
        let Some((word, count)) = text.split_once(' ') else { return };
        let Some(count) = whole_number(count) else { return };
        if word == "tests" {
            self.stated = Some(Counts::default());
        }
        let Some(stated) = &mut self.stated else { return };
        match word {
            "pass" => stated.passed = count,
            "fail" | "cancelled" => stated.failed = stated.failed.saturating_add(count),
            "skipped" | "todo" => stated.skipped = stated.skipped.saturating_add(count),
            _ => {}
        }
    }

    fn duration(&mut self, text: &str) {
        let duration = text.trim().parse().ok().and_then(milliseconds);
        if let Some(known) = self.last.as_ref().and_then(|name| self.names.find(name)) {
            known.duration_ms = duration;
        }
    }

    fn timed_out(&mut self) {
        if let Some(known) = self.last.as_ref().and_then(|name| self.names.find(name)) {
            known.outcome = Outcome::TimedOut;
        }
    }

    /// The end of a document.
    fn close(&mut self) {
        let whole = self.levels.first().is_some_and(|level| level.plan == Some(level.points));
        let deeper = self.levels.get(1).is_some_and(|level| level.points > 0);
        self.cut_off |= !whole || deeper;
        let seen = std::mem::take(&mut self.seen);
        // Sums that leave tests out are not those of this document.
        let stated = self.stated.take().filter(|stated| stated.total() == seen.total());
        let sum = stated.unwrap_or(seen);
        self.counts.add(sum);
        self.names.end_run(sum);
        self.levels.clear();
        self.last = None;
    }
}
