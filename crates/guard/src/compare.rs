//! The door: two trees in, a report out.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::allow::Allowances;
use crate::check::{self, Draft};
use crate::comparison::{Comparison, Side};
use crate::paths;
use crate::precision::{self, Mode};
use crate::report::{AssertionCounts, Evidence, Finding, Report, TestCounts};
use crate::rules::{Blocks, Rule};
use piton_git::{Entry, ReadError, Tree};

/// The longest excerpt in a finding.
const EXCERPT_CHARACTERS_MAX: usize = 600;

/// What to look at besides the trees.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Any change at or below one of these paths is a blocking finding.
    pub protected: Vec<String>,
    /// Today, as `YYYY-MM-DD`: an allowance that has expired does not count. `None` ignores expiry.
    pub today: Option<String>,
    /// The change comes from an agent that its tests are to judge: tests that left or say less block also where
    /// product code changed with them.
    pub distrust: bool,
    /// Leaves the rest of the trees alone: counts are those of the changed files.
    pub only_changed: bool,
    /// Whatever is sure blocks, measured or not: for measuring it.
    pub measuring: bool,
}

/// What is known of a blob already, so that it need not be parsed again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Known(BTreeMap<String, Counted>);

/// What counts in a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Counted {
    tests: usize,
    assertions: usize,
    skipped: usize,
}

/// Compares two trees.
///
/// `known` is filled with what had to be parsed; passing it in again makes the next comparison faster.
pub fn compare(
    base: &dyn Tree,
    head: &dyn Tree,
    options: &Options,
    known: &mut Known,
) -> Result<Report, ReadError> {
    let mut comparison = Comparison::of(base, head, options.distrust)?;
    let allowances = Allowances::of_file(comparison.allow_file.as_deref())?;
    let mut drafts = check::all(&comparison);
    drafts.extend(protected(&comparison, &options.protected));
    let mut findings: Vec<Finding> = drafts.into_iter().map(|draft| finding(draft, options)).collect();
    number(&mut findings);
    for finding in &mut findings {
        allowances.apply(finding, options.today.as_deref());
    }
    findings.sort_by(|a, b| {
        let rank = |finding: &Finding| (!finding.blocking, std::cmp::Reverse(finding.severity));
        rank(a).cmp(&rank(b)).then_with(|| a.file.cmp(&b.file)).then(a.line.cmp(&b.line))
    });
    let mut report = Report {
        blocking: findings.iter().any(|finding| finding.blocking),
        findings,
        files_changed: comparison.files.len(),
        ..Report::default()
    };
    count(&comparison, &mut report);
    if !options.only_changed {
        count_unchanged(head, comparison.unchanged(head)?, known, &mut report)?;
    }
    Ok(report)
}

/// Fills in what the rule of a draft says about all its findings.
fn finding(draft: Draft, options: &Options) -> Finding {
    let rule = Rule::named(draft.rule);
    let mode = if draft.sure { Mode::Sure } else { Mode::Unsure };
    let (blocks, confidence_percent) = precision::judged(rule, &draft.file, mode);
    let would_block = draft.sure && rule.blocks != Blocks::Never;
    let blocking = if options.measuring { would_block } else { blocks };
    Finding {
        id: String::new(),
        rule: rule.name.to_owned(),
        regression_type: rule.regression_type,
        pattern: rule.pattern.map(str::to_owned),
        severity: rule.severity,
        confidence_percent,
        blocking,
        file: draft.file,
        line: draft.line,
        test: draft.test,
        message: draft.message,
        before: draft.before.map(cut),
        after: draft.after.map(cut),
        undo: rule.undo.to_owned(),
        allowed: None,
        evidence: None,
    }
}

fn cut(text: String) -> String {
    match text.char_indices().nth(EXCERPT_CHARACTERS_MAX) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}

/// Gives every finding an id from what it is about, never from where its lines are.
fn number(findings: &mut [Finding]) {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for finding in findings {
        let parts = [
            Some(finding.rule.as_str()),
            Some(finding.file.as_str()),
            finding.test.as_deref(),
            finding.before.as_deref(),
            finding.after.as_deref(),
        ];
        let mut about = parts.map(Option::unwrap_or_default).join("\0");
        if let Some(evidence) = &finding.evidence {
            // Its first line is the place.
            let change = evidence.change.split_once('\n').map_or(evidence.change.as_str(), |(_, rest)| rest);
            about.push('\0');
            about.push_str(change);
        }
        // The same thing twice in one file: the second has its number in its id.
        let times = seen.entry(about.clone()).or_default();
        let digest = blake3::hash(format!("{about}\0{times}").as_bytes());
        *times += 1;
        finding.id = digest.to_hex()[..10].to_owned();
    }
}

/// Changes below protected paths.
fn protected(comparison: &Comparison, protected: &[String]) -> Vec<Draft> {
    let mut drafts = Vec::new();
    for file in &comparison.files {
        let sides = [&file.before, &file.after];
        let is_below = |path: &str| protected.iter().any(|rule| crate::protect::is_protected(path, rule));
        if sides.iter().any(|side| side.as_ref().is_some_and(|side| is_below(&side.path))) {
            let what = match (&file.before, &file.after) {
                (None, _) => "was added below a protected path",
                (_, None) => "is protected and is gone",
                _ => "is protected and changed",
            };
            let message = format!("`{}` {what}", file.path());
            drafts.push(Draft::new("protected-path-changed", file.path(), 1, message));
        }
    }
    drafts
}

/// Findings about protected files that are in no tree: each path with what there is to say of it.
pub fn protected_unseen(files: Vec<(String, String)>) -> Vec<Finding> {
    let drafts = files.into_iter().map(|(path, words)| Draft::new("protected-path-changed", &path, 1, words));
    let mut findings: Vec<Finding> = drafts.map(|draft| finding(draft, &Options::default())).collect();
    number(&mut findings);
    findings
}

/// What was shown by running, before it is judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Demonstrated {
    /// The rule, from the table.
    pub rule: &'static str,
    /// The file it is about.
    pub file: String,
    /// The line there.
    pub line: u32,
    /// The test it is about.
    pub test: Option<String>,
    /// One sentence that a person understands.
    pub message: String,
    /// Whether this instance is sure: only then it may block.
    pub sure: bool,
    /// What was run.
    pub evidence: Evidence,
}

/// Adds what was shown by running to a report: judged, numbered and allowed as everything else in it.
pub fn add_demonstrated(
    report: &mut Report,
    shown: Vec<Demonstrated>,
    base: &dyn Tree,
    options: &Options,
) -> Result<(), ReadError> {
    let mut findings = demonstrated(shown, options);
    let file = base.entries()?.into_iter().find(|entry| entry.path == crate::ALLOW_FILE);
    let content = file.map(|file| base.read(&[file])).transpose()?.and_then(|mut files| files.pop());
    let allowances = Allowances::of_file(content.as_deref())?;
    for finding in &mut findings {
        allowances.apply(finding, options.today.as_deref());
    }
    report.findings.extend(findings);
    report.findings.sort_by_key(|finding| !finding.blocking);
    report.blocking = report.findings.iter().any(|finding| finding.blocking);
    Ok(())
}

/// What was shown by running, as findings.
pub fn demonstrated(shown: Vec<Demonstrated>, options: &Options) -> Vec<Finding> {
    let judged = |shown: Demonstrated| {
        let draft = Draft::new(shown.rule, &shown.file, shown.line, shown.message);
        let draft = Draft { sure: shown.sure, test: shown.test, ..draft };
        Finding { evidence: Some(shown.evidence.map(|text| cut(text.to_owned()))), ..finding(draft, options) }
    };
    let mut findings: Vec<Finding> = shown.into_iter().map(judged).collect();
    number(&mut findings);
    findings
}

impl Counted {
    pub(crate) fn tests_and_assertions(self) -> (u64, u64) {
        (self.tests as u64, self.assertions as u64)
    }
}

pub(crate) fn counted(side: &Side) -> Counted {
    let tests = side.tests();
    Counted {
        tests: tests.len(),
        assertions: tests.iter().map(|test| test.assertions.len()).sum(),
        skipped: tests.iter().filter(|test| test.is_off()).count(),
    }
}

fn count(comparison: &Comparison, report: &mut Report) {
    let (mut tests, mut assertions) = (TestCounts::default(), AssertionCounts::default());
    for file in &comparison.files {
        let before = file.before.as_ref().map(counted).unwrap_or_default();
        let after = file.after.as_ref().map(counted).unwrap_or_default();
        tests.before += before.tests;
        tests.after += after.tests;
        tests.skipped += after.skipped;
        assertions.before += before.assertions;
        assertions.after += after.assertions;
    }
    tests.added = comparison.followed.added.len();
    tests.removed = comparison.followed.removed.len();
    report.tests = tests;
    report.assertions = assertions;
}

/// Adds what did not change, which is the same on both sides.
fn count_unchanged(
    head: &dyn Tree,
    unchanged: &[Entry],
    known: &mut Known,
    report: &mut Report,
) -> Result<(), ReadError> {
    let wanted: Vec<_> =
        unchanged.iter().filter(|entry| paths::may_hold_tests(&entry.path)).cloned().collect();
    let missing: Vec<_> = wanted.iter().filter(|entry| !known.0.contains_key(&entry.id)).cloned().collect();
    for (entry, bytes) in missing.iter().zip(head.read(&missing)?) {
        known.0.insert(entry.id.clone(), counted(&Side::new(&entry.path, bytes)));
    }
    for counted in wanted.iter().filter_map(|entry| known.0.get(&entry.id)) {
        report.tests.before += counted.tests;
        report.tests.after += counted.tests;
        report.tests.skipped += counted.skipped;
        report.assertions.before += counted.assertions;
        report.assertions.after += counted.assertions;
    }
    Ok(())
}
