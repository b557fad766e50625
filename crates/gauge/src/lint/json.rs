//! Tools that write one JSON document: an array of files or findings, or an object that holds them.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::{Lint, Tool, sarif};
use crate::json::{Absorb, Folded};

/// How far to look for the document behind what a package manager prints.
const LINES_BEFORE_MAX: usize = 64;

/// Reads the first JSON document of a text, if it is one of a known tool.
pub(super) fn read(text: &str) -> Option<Lint> {
    let document = document(text)?;
    if document.starts_with('[') {
        return first::<Folded<Item<'_>, Items>>(document)?.value.lint();
    }
    object(document)
}

/// A document without findings does not say whose it is; if the tool is known, it is none of its findings.
pub(super) fn empty(tool: Tool, text: &str) -> Option<Lint> {
    let warnings = match tool {
        Tool::Eslint | Tool::Pylint | Tool::Shellcheck => Some(0),
        Tool::Ruff => None,
        Tool::Cargo
        | Tool::Tsc
        | Tool::Mypy
        | Tool::Pyright
        | Tool::Flake8
        | Tool::GolangciLint
        | Tool::Go
        | Tool::Staticcheck
        | Tool::Gcc
        | Tool::Sarif
        | Tool::Checkstyle => return None,
    };
    let items: Vec<IgnoredAny> = first(document(text)?)?;
    items.is_empty().then(|| Lint::new(tool, Some(0), warnings))
}

fn document(text: &str) -> Option<&str> {
    let mut rest = text;
    for _ in 0..LINES_BEFORE_MAX {
        // Lines of cargo's are read as lines.
        if rest.starts_with(['{', '[']) && !rest.starts_with("{\"reason\":") {
            return Some(rest);
        }
        rest = &rest[memchr::memchr(b'\n', rest.as_bytes())? + 1..];
    }
    None
}

fn first<'j, T: Deserialize<'j>>(document: &'j str) -> Option<T> {
    serde_json::Deserializer::from_str(document).into_iter().next()?.ok()
}

/// An element of an array, whoever wrote it: the fields present tell.
#[derive(Deserialize)]
struct Item<'j> {
    #[serde(rename = "errorCount")]
    error_count: Option<u64>,
    #[serde(rename = "warningCount")]
    warning_count: Option<u64>,
    #[serde(rename = "message-id")]
    message_id: Option<IgnoredAny>,
    #[serde(rename = "type", default, borrow)]
    kind: Option<&'j str>,
    #[serde(default, borrow)]
    level: Option<&'j str>,
    file: Option<IgnoredAny>,
    filename: Option<IgnoredAny>,
    location: Option<IgnoredAny>,
}

/// What an array comes to. All of its elements must be of one tool.
#[derive(Default)]
struct Items {
    tool: Option<Tool>,
    errors: u64,
    warnings: u64,
    is_strange: bool,
}

impl Absorb<Item<'_>> for Items {
    fn absorb(&mut self, item: Item<'_>) {
        let Some((tool, errors, warnings)) = weigh(&item) else {
            self.is_strange = true;
            return;
        };
        self.is_strange |= self.tool.is_some_and(|known| known != tool);
        self.tool = Some(tool);
        self.errors = self.errors.saturating_add(errors);
        self.warnings = self.warnings.saturating_add(warnings);
    }
}

impl Items {
    fn lint(&self) -> Option<Lint> {
        let tool = self.tool.filter(|_| !self.is_strange)?;
        let warnings = (tool != Tool::Ruff).then_some(self.warnings);
        Some(Lint::new(tool, Some(self.errors), warnings))
    }
}

/// Whose an element is, and how many errors and warnings it stands for.
fn weigh(item: &Item<'_>) -> Option<(Tool, u64, u64)> {
    if let Some(errors) = item.error_count {
        return Some((Tool::Eslint, errors, item.warning_count.unwrap_or(0)));
    }
    if item.message_id.is_some() {
        let (errors, warnings) = match item.kind? {
            "error" | "fatal" => (1, 0),
            "warning" | "refactor" | "convention" => (0, 1),
            _ => (0, 0),
        };
        return Some((Tool::Pylint, errors, warnings));
    }
    if let (Some(level), Some(_)) = (item.level, item.file) {
        return Some((Tool::Shellcheck, u64::from(level == "error"), u64::from(level == "warning")));
    }
    (item.filename.is_some() && item.location.is_some()).then_some((Tool::Ruff, 1, 0))
}

/// An object, whoever wrote it: the fields present tell.
#[derive(Deserialize)]
struct Document<'j> {
    runs: Option<Vec<sarif::Run>>,
    #[serde(rename = "generalDiagnostics")]
    general_diagnostics: Option<IgnoredAny>,
    summary: Option<Summary>,
    #[serde(rename = "Issues", borrow)]
    issues: Option<Folded<Issue<'j>, Issues>>,
    #[serde(rename = "Report")]
    report: Option<IgnoredAny>,
    #[serde(borrow)]
    comments: Option<Folded<Item<'j>, Items>>,
    statistics: Option<Statistics>,
    severity: Option<IgnoredAny>,
    location: Option<IgnoredAny>,
}

#[derive(Deserialize)]
struct Summary {
    #[serde(rename = "errorCount")]
    error_count: Option<u64>,
    #[serde(rename = "warningCount")]
    warning_count: Option<u64>,
}

/// One of golangci-lint's.
#[derive(Deserialize)]
struct Issue<'j> {
    #[serde(rename = "Severity", default, borrow)]
    severity: Option<&'j str>,
}

#[derive(Default)]
struct Issues {
    errors: u64,
    warnings: u64,
    has_severities: bool,
}

impl Absorb<Issue<'_>> for Issues {
    fn absorb(&mut self, issue: Issue<'_>) {
        let severity = issue.severity.unwrap_or_default();
        self.has_severities |= !severity.is_empty();
        match severity {
            "warning" => self.warnings += 1,
            _ => self.errors += 1,
        }
    }
}

#[derive(Deserialize)]
struct Statistics {
    #[serde(rename = "messageTypeCount")]
    by_type: BTreeMap<String, u64>,
}

fn object(text: &str) -> Option<Lint> {
    let Some(document) = first::<Document<'_>>(text) else { return vet(text) };
    if let Some(runs) = &document.runs {
        return Some(sarif::count(runs));
    }
    if document.general_diagnostics.is_some() {
        let summary = document.summary?;
        return Some(Lint::new(Tool::Pyright, summary.error_count, summary.warning_count));
    }
    if document.report.is_some() || document.issues.is_some() {
        let issues = document.issues.map(|issues| issues.value).unwrap_or_default();
        let warnings = issues.has_severities.then_some(issues.warnings);
        return Some(Lint::new(Tool::GolangciLint, Some(issues.errors), warnings));
    }
    if let Some(comments) = &document.comments {
        let clean = || Lint::new(Tool::Shellcheck, Some(0), Some(0));
        return comments.value.lint().or_else(|| (!comments.value.is_strange).then(clean));
    }
    if let Some(statistics) = &document.statistics {
        let sum = |words: &[&str]| {
            words.iter().filter_map(|word| statistics.by_type.get(*word)).fold(0, |a, b| b.saturating_add(a))
        };
        let warnings = sum(&["warning", "refactor", "convention"]);
        return Some(Lint::new(Tool::Pylint, Some(sum(&["error", "fatal"])), Some(warnings)));
    }
    if document.severity.is_some() && document.location.is_some() {
        return staticcheck(text);
    }
    vet(text)
}

/// staticcheck writes one object per finding.
fn staticcheck(text: &str) -> Option<Lint> {
    #[derive(Deserialize)]
    struct Finding<'j> {
        #[serde(borrow)]
        severity: &'j str,
    }
    let (mut errors, mut warnings) = (0, 0);
    for finding in serde_json::Deserializer::from_str(text).into_iter::<Finding<'_>>() {
        match finding.ok()?.severity {
            "error" => errors += 1,
            "warning" => warnings += 1,
            _ => {}
        }
    }
    Some(Lint::new(Tool::Staticcheck, Some(errors), Some(warnings)))
}

/// `go vet -json` writes, per package, an object of packages of analyzers of findings, with `# package` between.
fn vet(text: &str) -> Option<Lint> {
    type Package = BTreeMap<String, BTreeMap<String, Findings>>;
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Findings {
        Many(Vec<Finding>),
        Failed { error: IgnoredAny },
    }
    #[derive(Deserialize)]
    struct Finding {
        #[expect(dead_code, reason = "that it is there makes this the format of go vet")]
        posn: IgnoredAny,
    }
    let (mut errors, mut rest) = (0_u64, text);
    while let Some(start) = rest.find('{') {
        let mut stream = serde_json::Deserializer::from_str(&rest[start..]).into_iter::<Package>();
        let package = stream.next()?.ok()?;
        rest = &rest[start + stream.byte_offset()..];
        for findings in package.values().flat_map(BTreeMap::values) {
            errors += match findings {
                Findings::Many(findings) => findings.len() as u64,
                Findings::Failed { error: IgnoredAny } => 1,
            };
        }
    }
    // Objects without findings could be anybody's.
    (errors > 0).then(|| Lint::new(Tool::Go, Some(errors), None))
}
