//! `go test -json`: one object per event.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use serde::Deserialize;

use super::names::{Names, Place};
use super::{Counts, NAMES_MAX, Outcome, Tally};
use crate::text::{digest, milliseconds};

#[derive(Default)]
pub(super) struct Events {
    /// Tests and packages that have begun and not ended, with their names as far as those are kept.
    running: HashMap<u64, String>,
    counts: Counts,
    /// What the commands before the present one came to, and the packages that this one has ended.
    before: Counts,
    ended: HashSet<u64>,
    /// Packages with output that explains how they ended.
    timed_out: HashSet<u64>,
    unbuilt: bool,
    cut_off: bool,
    recognised: bool,
    names: Names,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Event<'j> {
    #[serde(borrow)]
    action: Cow<'j, str>,
    #[serde(default, borrow)]
    package: Cow<'j, str>,
    #[serde(default, borrow)]
    test: Option<Cow<'j, str>>,
    elapsed: Option<f64>,
    #[serde(default, borrow)]
    output: Option<Cow<'j, str>>,
    #[serde(default, borrow)]
    failed_build: Option<Cow<'j, str>>,
}

impl Events {
    pub(super) fn line(&mut self, text: &str) {
        if !text.contains("\"Action\":") {
            return;
        }
        let Ok(event) = serde_json::from_str::<Event<'_>>(text) else { return };
        self.recognised = true;
        let test = event.test.as_deref().unwrap_or_default();
        let key = digest(&[event.package.as_bytes(), test.as_bytes()]);
        let outcome = match &*event.action {
            "run" | "start" => {
                self.begun(&event.package);
                let is_kept = !test.is_empty() && self.running.len() < NAMES_MAX;
                let name = if is_kept { format!("{}.{test}", event.package) } else { String::new() };
                self.running.insert(key, name);
                return;
            }
            "output" => return self.output(&event),
            "build-fail" => {
                self.unbuilt = true;
                return;
            }
            "pass" => Outcome::Passed,
            "skip" => Outcome::Skipped,
            "fail" => Outcome::Failed,
            _ => return,
        };
        self.running.remove(&key);
        if test.is_empty() {
            self.unbuilt |= event.failed_build.is_some();
            self.ended.insert(digest(&[event.package.as_bytes()]));
            self.late(&event.package);
            return;
        }
        let package = digest(&[event.package.as_bytes()]);
        let is_late = outcome == Outcome::Failed && self.timed_out.contains(&package);
        let outcome = if is_late { Outcome::TimedOut } else { outcome };
        self.counts.one(outcome);
        let duration = event.elapsed.and_then(|seconds| milliseconds(seconds * 1_000.0));
        self.names.push(&format!("{}.{test}", event.package), outcome, duration);
    }

    /// A package that has ended begins once more in another command.
    fn begun(&mut self, package: &str) {
        if self.ended.contains(&digest(&[package.as_bytes()])) {
            self.end_command();
        }
    }

    fn end_command(&mut self) {
        let mut sum = self.counts;
        sum.remove(self.before);
        self.names.end_run_of(sum, Place::Said(0));
        self.before = self.counts;
        self.ended.clear();
    }

    /// Tests that ran when the time of their package was over do not end by themselves.
    fn late(&mut self, package: &str) {
        if !self.timed_out.remove(&digest(&[package.as_bytes()])) {
            return;
        }
        let prefix = format!("{package}.");
        for (_, name) in self.running.extract_if(|_, name| name.starts_with(&prefix)) {
            self.counts.one(Outcome::TimedOut);
            self.names.push(&name, Outcome::TimedOut, None);
        }
    }

    fn output(&mut self, event: &Event<'_>) {
        let Some(output) = event.output.as_deref() else { return };
        if output.starts_with("panic: ") {
            self.cut_off = true;
            if output.starts_with("panic: test timed out after ") {
                self.timed_out.insert(digest(&[event.package.as_bytes()]));
            }
        } else if output.starts_with("FAIL\t") && output.contains("[build failed]") {
            self.unbuilt = true;
        }
    }

    pub(super) fn recognised(&self) -> bool {
        self.recognised
    }

    /// `unbuilt` says that a package was seen which could not be built.
    pub(super) fn finish(mut self, unbuilt: bool) -> Tally {
        self.end_command();
        let unbuilt = unbuilt || self.unbuilt;
        let cut_off = self.cut_off || !self.running.is_empty();
        self.counts.ended(self.names, cut_off, unbuilt)
    }
}
