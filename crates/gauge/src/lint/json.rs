//! Tools that write one JSON document: an array of files or findings, or an object that holds them.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::{Lint, Tool, sarif};

/// How far to look for the document behind what a package manager prints.
const LINES_BEFORE_MAX: usize = 64;

/// Reads the first JSON document of a text, if it is one of a known tool.
pub(super) fn read(text: &str) -> Option<Lint> {
    let document = document(text)?;
    if document.starts_with('[') {
        let items: Vec<Item<'_>> = first(document)?;
        return array(&items);
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

fn array(items: &[Item<'_>]) -> Option<Lint> {
    let example = items.first()?;
    if example.error_count.is_some() {
        let sum =
            |count: fn(&Item<'_>) -> Option<u64>| items.iter().filter_map(count).fold(0, u64::saturating_add);
        return Some(Lint::new(
            Tool::Eslint,
            Some(sum(|item| item.error_count)),
            Some(sum(|item| item.warning_count)),
        ));
    }
    let count = |wanted: &[&str], word: fn(&Item<'_>) -> Option<String>| {
        items.iter().filter_map(word).filter(|word| wanted.contains(&word.as_str())).count() as u64
    };
    if example.message_id.is_some() {
        let word: fn(&Item<'_>) -> Option<String> = |item| item.kind.map(str::to_owned);
        let warnings = count(&["warning", "refactor", "convention"], word);
        return Some(Lint::new(Tool::Pylint, Some(count(&["error", "fatal"], word)), Some(warnings)));
    }
    if example.level.is_some() && example.file.is_some() {
        let word: fn(&Item<'_>) -> Option<String> = |item| item.level.map(str::to_owned);
        return Some(Lint::new(
            Tool::Shellcheck,
            Some(count(&["error"], word)),
            Some(count(&["warning"], word)),
        ));
    }
    (example.filename.is_some() && example.location.is_some())
        .then(|| Lint::new(Tool::Ruff, Some(items.len() as u64), None))
}

/// An object, whoever wrote it: the fields present tell.
#[derive(Deserialize)]
struct Document<'j> {
    runs: Option<Vec<sarif::Run>>,
    #[serde(rename = "generalDiagnostics")]
    general_diagnostics: Option<IgnoredAny>,
    summary: Option<Summary>,
    #[serde(rename = "Issues", borrow)]
    issues: Option<Vec<Issue<'j>>>,
    #[serde(rename = "Report")]
    report: Option<IgnoredAny>,
    #[serde(borrow)]
    comments: Option<Vec<Item<'j>>>,
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

#[derive(Deserialize)]
struct Issue<'j> {
    #[serde(rename = "Severity", default, borrow)]
    severity: Option<&'j str>,
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
        let issues = document.issues.unwrap_or_default();
        let warnings = issues.iter().filter(|issue| issue.severity == Some("warning")).count() as u64;
        let known = issues.iter().any(|issue| issue.severity.is_some_and(|word| !word.is_empty()));
        let errors = issues.len() as u64 - warnings;
        return Some(Lint::new(Tool::GolangciLint, Some(errors), known.then_some(warnings)));
    }
    if let Some(comments) = &document.comments {
        return array(comments).or(Some(Lint::new(Tool::Shellcheck, Some(0), Some(0))));
    }
    if let Some(statistics) = &document.statistics {
        let sum = |words: &[&str]| words.iter().filter_map(|word| statistics.by_type.get(*word)).sum();
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
    struct Finding {
        severity: String,
    }
    let (mut errors, mut warnings) = (0, 0);
    for finding in serde_json::Deserializer::from_str(text).into_iter::<Finding>() {
        match finding.ok()?.severity.as_str() {
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
