//! Numbers out of what the checks printed and wrote, out of the tree, and out of the commands that `[metrics]` names.
//!
//! A number that cannot be had is left out: measuring never fails a round.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::PoisonError;
use std::time::{Duration, SystemTime};

use piton_gauge::{coverage, lint, tests};
use piton_model::State;
use piton_model::loop_machine::{
    Check, Coverage, Measures, Metric, NamedTests, Reading, Share, Snapshot, TestChanges, TestCounts,
    TestStatus, TreeCounts,
};
use piton_sys::file;

use super::checks::{self, Ran};
use super::{Context, WorldError, snapshot_id};

/// What is looked at of a report.
const REPORT_BYTES_MAX: u64 = piton_gauge::INPUT_BYTES_MAX as u64;

/// Clocks of file systems are coarse.
const CLOCK_SLACK: Duration = Duration::from_secs(2);

/// The tests of one round by name, and which of those that ran are among them.
pub(super) struct Names {
    /// A runner spoke and did not say how many ran, or nobody can tell.
    uncounted: bool,
    named: BTreeMap<String, TestStatus>,
    /// The least that is known of any runner's tests; nothing where none was recognised.
    listed: Option<NamedTests>,
}

impl Names {
    pub(super) fn new() -> Self {
        Self { uncounted: false, named: BTreeMap::new(), listed: None }
    }

    fn take(&mut self, found: &tests::Tests) {
        let of = |status: TestStatus| {
            found.named.iter().filter(|test| status_of(test.outcome) == status).count() as u64
        };
        let fails = found.cut == 0 && found.failed == Some(of(TestStatus::Failing));
        let passes = found.passed == Some(of(TestStatus::Passing));
        let listed = match (fails, passes, found.complete) {
            (true, true, true) => NamedTests::All,
            (true, false, true) => NamedTests::Failing,
            // It stopped at a failure; one that was stopped by something else says nothing about what fails.
            (true, false, false) if found.failed > Some(0) => NamedTests::FailingSoFar,
            _ => NamedTests::Some,
        };
        self.listed = Some(self.listed.map_or(listed, |known| known.min(listed)));
        for test in &found.named {
            let status = self.named.entry(test.name.clone()).or_insert(TestStatus::Passing);
            // Of namesakes, the one that fails is the one to know of.
            if *status != TestStatus::Failing {
                *status = status_of(test.outcome);
            }
        }
    }

    /// What changed about tests by name. Where every check passes, no test fails, whoever says so.
    pub(super) fn changes(&self, state: &State, all_pass: bool) -> TestChanges {
        let tests = &state.seen.tests;
        let listed = match self.listed {
            Some(NamedTests::Some | NamedTests::FailingSoFar) | None if all_pass && !tests.is_empty() => {
                NamedTests::Failing
            }
            Some(listed) => listed,
            None => NamedTests::Some,
        };
        tests.changes(&self.named, listed)
    }
}

/// Takes what one check has to say into `measures`.
pub(super) fn take_check(
    context: &Context,
    check: &Check,
    ran: &Ran,
    measures: &mut Measures,
    names: &mut Names,
) {
    let printed = checks::printed(context, &ran.name).concat();
    let asked = tests::Asked {
        passed: Some(checks::passed(&ran.exit)),
        elsewhere: is_in_several_places(&check.command),
        ..tests::Asked::default()
    };
    if let Some(found) = tests::read_asked(asked, &printed) {
        names.uncounted |= !take_tests(&mut measures.tests, &found);
        names.take(&found);
    }
    // What one of them does not say is not known of all.
    if let Some(tests) = measures.tests.as_mut().filter(|_| names.uncounted) {
        tests.complete = false;
    }
    let mut heard = Vec::new();
    for found in lint::read_all(&printed) {
        heard.push(found.kind);
        let errors = match found.kind {
            lint::Kind::Lint => &mut measures.lint_errors,
            lint::Kind::Type => &mut measures.type_errors,
        };
        add(errors, found.errors);
        add(&mut measures.lint_warnings, found.warnings);
    }
    for kind in silent_tools(&check.command, &printed).filter(|kind| !heard.contains(kind)) {
        if checks::passed(&ran.exit) {
            let errors = match kind {
                lint::Kind::Lint => &mut measures.lint_errors,
                lint::Kind::Type => &mut measures.type_errors,
            };
            add(errors, Some(0));
        }
    }
    if let Some(reading) = &check.reads {
        measures.coverage = coverage_of(context, reading, ran).or(measures.coverage);
    }
}

/// Whether a command goes to several directories and runs nothing once more: then the same names are different tests.
fn is_in_several_places(command: &str) -> bool {
    let goes = |words: Vec<String>| matches!(words.first()?.as_str(), "cd" | "pushd").then_some(words);
    let places: BTreeSet<Vec<String>> = piton_guard::commands(command).into_iter().filter_map(goes).collect();
    places.len() > 1 && !command.contains("||")
}

/// What the tools judge that a check runs, by its command or by what it echoes of one (`> tsc --noEmit`), and that say
/// nothing when they are content. What goes into a file instead may say anything.
fn silent_tools(command: &str, printed: &str) -> impl Iterator<Item = lint::Kind> {
    let echoed = printed.lines().filter_map(|line| line.strip_prefix("> ").or(line.strip_prefix("$ ")));
    let lines = std::iter::once(command).chain(echoed).filter(|line| !line.contains('>'));
    // Its own name, or behind that of whoever starts it: `npx --no-install tsc`.
    let words = lines.flat_map(piton_guard::commands).flat_map(|words| words.into_iter().take(4));
    let kinds: BTreeSet<lint::Kind> =
        words.filter_map(|word| lint::silent(word.rsplit('/').next().unwrap_or(&word))).collect();
    kinds.into_iter()
}

fn status_of(outcome: tests::Outcome) -> TestStatus {
    match outcome {
        tests::Outcome::Passed => TestStatus::Passing,
        tests::Outcome::Failed | tests::Outcome::TimedOut => TestStatus::Failing,
        tests::Outcome::Skipped => TestStatus::Skipped,
    }
}

/// Adds what was found to what is known, if it says how many ran.
fn take_tests(known: &mut Option<TestCounts>, found: &tests::Tests) -> bool {
    let (Some(passed), Some(failed)) = (found.passed, found.failed) else { return false };
    let sum = known.unwrap_or(TestCounts { complete: true, ..TestCounts::default() });
    *known = Some(TestCounts {
        passed: sum.passed + passed,
        failed: sum.failed + failed,
        skipped: sum.skipped + found.skipped.unwrap_or(0),
        complete: sum.complete && found.complete,
        fewer: sum.fewer + found.doubt.fewer,
        more: sum.more + found.doubt.more,
    });
    true
}

fn add(sum: &mut Option<u64>, found: Option<u64>) {
    if let Some(found) = found {
        *sum = Some(sum.unwrap_or(0) + found);
    }
}

/// What the report says, if the check has written it: one from another day proves nothing.
fn coverage_of(context: &Context, reading: &Reading, ran: &Ran) -> Option<Coverage> {
    let path = context.layout.tree().join(&reading.path);
    let started = u64::try_from(ran.exit.started_at.as_millis()).ok()?;
    let started = SystemTime::UNIX_EPOCH + Duration::from_millis(started);
    let written = path.symlink_metadata().ok()?.modified().ok()?;
    if written + CLOCK_SLACK < started {
        return None;
    }
    let bytes = file::read_regular(&path, REPORT_BYTES_MAX).ok()??;
    let format = reading.format.as_deref().and_then(|format| format.parse().ok());
    let found = coverage::read(format, &bytes).ok()?;
    let share = |share: coverage::Share| Share { covered: share.covered, total: share.total };
    Some(Coverage {
        lines: found.lines.map(share),
        branches: found.branches.map(share),
        functions: found.functions.map(share),
    })
}

/// What can be counted in the tree that a round left.
pub(super) fn take_tree(context: &Context, state: &State, after: &Snapshot, measures: &mut Measures) {
    let last = state
        .seen
        .checks
        .as_ref()
        .filter(|last| last.snapshot.as_ref().is_some_and(|s| s.tree == after.tree));
    if let Some(known) = last.and_then(|last| last.measures.tree) {
        measures.tree = Some(known);
        return;
    }
    let Ok(id) = snapshot_id(&after.id) else { return };
    let mut counted = context.counted.lock().unwrap_or_else(PoisonError::into_inner);
    let (listings, known) = &mut *counted;
    let Ok(tree) = listings.list(context.workspace.tree(&id)) else { return };
    measures.tree = piton_guard::census(&tree, known).ok().map(|census| TreeCounts {
        files: census.files,
        lines: census.lines,
        tests: census.tests,
        assertions: census.assertions,
    });
}

/// Runs what `[metrics]` names. `None` when that was cancelled.
pub(super) fn take_metrics(
    context: &Context,
    state: &State,
    round: u32,
    measures: &mut Measures,
) -> Result<Option<u64>, WorldError> {
    let mut duration_ms = 0;
    for (index, metric) in state.config.metrics.iter().enumerate() {
        let name = format!("metric-{round}-{index}");
        let Some(ran) = checks::run(context, state, &name, &metric.command, metric.timeout_ms)? else {
            return Ok(None);
        };
        duration_ms += ran.exit.duration_ms;
        // Tools warn beside their output; a number in a warning is not the one that was asked for.
        let printed = checks::printed(context, &ran.name);
        if let Some(number) = printed.iter().find_map(|stream| number_in(metric, stream)) {
            measures.custom.insert(metric.name.clone(), number);
        }
    }
    Ok(Some(duration_ms))
}

/// The number that a command printed: the first group of its pattern, else the last number.
fn number_in(metric: &Metric, printed: &str) -> Option<f64> {
    let text = match &metric.regex {
        Some(pattern) => {
            let found = regex::Regex::new(pattern).ok()?.captures(printed)?;
            found.get(1).or(found.get(0))?.as_str()
        }
        None => printed
            .split(|character: char| !matches!(character, '0'..='9' | '.' | '-' | '+' | 'e' | 'E'))
            .rfind(|word| word.parse::<f64>().is_ok())?,
    };
    text.trim().parse().ok().filter(|number: &f64| number.is_finite())
}

#[cfg(test)]
mod tests_of_numbers {
    use super::*;

    #[test]
    fn tests_that_pass_unnamed_are_known_to_be_so_though_the_run_stopped() {
        let listed = |printed: &str| {
            let mut names = Names::new();
            names.take(&tests::read(None, printed).expect("a run of tests"));
            names.listed
        };
        let quiet = |failed: &str, sum: &str, error: &str| {
            format!(
                "\nrunning 3 tests\n...\nfailures:\n\nfailures:\n{failed}\ntest result: {sum}; 0 ignored; 0 measured; 0 filtered out\n\n{error}"
            )
        };
        let stopped = "error: test failed, to rerun pass `--lib`\n";
        let one = quiet("    tests::a\n", "FAILED. 2 passed; 1 failed", stopped);
        assert_eq!(listed(&one), Some(NamedTests::FailingSoFar));
        assert_eq!(listed(&quiet("", "ok. 3 passed; 0 failed", "")), Some(NamedTests::Failing));
        let all = "TAP version 13\n1..2\nok 1 - a\nnot ok 2 - b\n";
        assert_eq!(listed(all), Some(NamedTests::All));
        let mut both = Names::new();
        for printed in [all, &one] {
            both.take(&tests::read(None, printed).expect("a run of tests"));
        }
        assert_eq!(both.listed, Some(NamedTests::FailingSoFar), "the least that is known of any");
    }

    #[test]
    fn a_number_is_the_one_that_the_pattern_names_else_the_last() {
        let metric = |regex: Option<&str>| Metric {
            name: "m".to_owned(),
            command: "true".to_owned(),
            regex: regex.map(str::to_owned),
            timeout_ms: 1,
            direction: Default::default(),
            weight: 1.0,
        };
        let printed = "size: 12.5 kB in 3 files\n";
        assert_eq!(number_in(&metric(None), printed), Some(3.0));
        assert_eq!(number_in(&metric(Some("size: ([0-9.]+)")), printed), Some(12.5));
        assert_eq!(number_in(&metric(Some("weight: ([0-9.]+)")), printed), None);
        assert_eq!(number_in(&metric(None), "no number"), None);
    }
}
