//! JUnit XML in its many dialects: `testcase` elements wherever they stand, with `failure`, `error` or `skipped` in them.
//!
//! The counts are those of the test cases; the sums in attributes serve only where no case is listed. A document
//! that ends in the middle gives what was read, as incomplete.

use super::names::Names;
use super::{Counts, Outcome, Tally};
use crate::text::milliseconds;
use crate::xml::{Element, Tag, unescape, walk};

#[derive(Default)]
struct Reading {
    is_junit: bool,
    /// The open case: its depth, name, outcome and duration.
    case: Option<(usize, String, Outcome, Option<u64>)>,
    counts: Counts,
    /// Sums of the outermost suites.
    stated: Counts,
    /// The depth of the suites whose sums are taken.
    suites: Option<usize>,
    build_failed: bool,
    names: Names,
}

pub(super) fn read(text: &str) -> Option<Tally> {
    let mut reading = Reading::default();
    let whole: Result<(), crate::xml::Error> = walk(text.trim_start().as_bytes(), |tag| {
        match tag {
            Tag::Open(element, depth) => reading.open(&element, depth),
            Tag::Close(depth) => reading.close(depth),
        }
        Ok(())
    });
    if !reading.is_junit {
        return None;
    }
    if reading.build_failed && reading.counts.is_empty() {
        return Some(Tally { build_failed: true, ..Tally::default() });
    }
    let counts = if reading.counts.is_empty() { reading.stated } else { reading.counts };
    let mut tally = counts.tally(reading.names, whole.is_ok() && !reading.build_failed);
    if whole.is_err() {
        tally.total = None;
    }
    tally.build_failed = reading.build_failed;
    Some(tally)
}

impl Reading {
    fn open(&mut self, element: &Element<'_>, depth: usize) {
        match element.name() {
            "testsuites" if depth == 0 => self.is_junit = true,
            "testsuite" => {
                self.is_junit |= depth == 0;
                if self.suites.is_none_or(|suites| suites == depth) {
                    self.suites = Some(depth);
                    self.stated(element);
                }
            }
            "testcase" => self.case = Some(case(element, depth)),
            "failure" | "error" => {
                let kind = element.attribute("type").unwrap_or_default();
                let message = element.attribute("message").unwrap_or_default();
                if message == "collection failure" {
                    // A module that pytest could not load is not a test.
                    self.build_failed = true;
                    self.case = None;
                }
                let is_late = kind.to_ascii_lowercase().contains("timeout")
                    || message.contains("timed out")
                    || message.contains("Timeout");
                self.outcome(if is_late { Outcome::TimedOut } else { Outcome::Failed });
            }
            "skipped" => self.outcome(Outcome::Skipped),
            _ => {}
        }
    }

    fn outcome(&mut self, new: Outcome) {
        if let Some((_, _, outcome, _)) = &mut self.case
            && !matches!(outcome, Outcome::Failed | Outcome::TimedOut)
        {
            *outcome = new;
        }
    }

    fn stated(&mut self, element: &Element<'_>) {
        let number =
            |name: &str| element.attribute(name).and_then(|value| value.parse::<u64>().ok()).unwrap_or(0);
        let failed = number("failures").saturating_add(number("errors"));
        let skipped = number("skipped").saturating_add(number("disabled"));
        let passed = number("tests").saturating_sub(failed).saturating_sub(skipped);
        self.stated.add(Counts { passed, failed, skipped });
    }

    fn close(&mut self, depth: usize) {
        if let Some((_, name, outcome, duration)) = self.case.take_if(|(opened, ..)| *opened == depth) {
            self.counts.one(outcome);
            self.names.push(&name, outcome, duration);
        }
    }
}

fn case(element: &Element<'_>, depth: usize) -> (usize, String, Outcome, Option<u64>) {
    let (mut name, mut class, mut time, mut has_run) = (String::new(), String::new(), None, true);
    element.attributes(|key, value| match key {
        "name" => name = unescape(value).into_owned(),
        "classname" => class = unescape(value).into_owned(),
        "time" if value.contains(',') => time = value.replace(',', "").parse::<f64>().ok(),
        "time" => time = value.parse::<f64>().ok(),
        "status" | "result" => has_run &= !matches!(value, "notrun" | "disabled" | "skipped" | "suppressed"),
        _ => {}
    });
    if !class.is_empty() && !name.starts_with(&class) {
        name = format!("{class}.{name}");
    }
    let outcome = if has_run { Outcome::Passed } else { Outcome::Skipped };
    (depth, name, outcome, time.and_then(|seconds| milliseconds(seconds * 1_000.0)))
}
