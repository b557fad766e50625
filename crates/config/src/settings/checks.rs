//! `[checks]` and `[metrics]`: the commands that judge and measure the tree.

use piton_model::Kind;
use piton_model::limits::CUSTOM_MEASURES_MAX;
use piton_model::loop_machine::progress::Direction;
use piton_model::loop_machine::{Check, Metric, Reading};
use serde_json::{Value, json};
use toml::de::{DeTable, DeValue};

use crate::check::command_problem;
use crate::duration::format_duration;
use crate::entry::{Entry, Inner, Section, inner};
use crate::read::{Members, Pair, Reader};
use crate::settings::{Settings, by_name};
use crate::show;
use crate::types::{Duration, Flag, Number, OneOf, Path, Text, takes};

pub(crate) const CHECKS: Section = Section {
    path: "checks",
    about: "What piton runs to see whether the work is done, in this order.",
    there: |_| {},
    entries: &[Entry {
        section: "checks",
        words: "A command that must exit with 0.",
        kinds: &[Kind::Loop, Kind::Cycle],
        flag: Some("--check"),
        inner: &CHECK_KEYS,
        takes: || takes("a shell command, or a table with `command`", command_or_table(&CHECK_KEYS)),
        read: check,
        overlay: |lower, upper| {
            by_name(&mut lower.checks, std::mem::take(&mut upper.checks), |check| &check.name);
        },
        show: |settings| {
            let each = settings.checks.iter();
            each.map(|check| show::value("checks", &check.value.name, check, check_value)).collect()
        },
        configure: |settings, config| {
            config.checks = settings.checks.iter().map(|check| check.value.clone()).collect();
        },
        ..Entry::BASE
    }],
};

pub(crate) const METRICS: Section = Section {
    path: "metrics",
    about: "Numbers to measure beside those that piton knows anyway.",
    there: |_| {},
    entries: &[Entry {
        section: "metrics",
        words: "A command that prints a number.",
        kinds: &[Kind::Loop],
        inner: &METRIC_KEYS,
        takes: || takes("a shell command, or a table with `command`", command_or_table(&METRIC_KEYS)),
        read: metric,
        overlay: |lower, upper| {
            by_name(&mut lower.metrics, std::mem::take(&mut upper.metrics), |metric| &metric.name);
        },
        show: |settings| {
            let each = settings.metrics.iter();
            each.map(|metric| show::value("metrics", &metric.value.name, metric, metric_value)).collect()
        },
        configure: |settings, config| {
            config.metrics = settings.metrics.iter().map(|metric| metric.value.clone()).collect();
        },
        ..Entry::BASE
    }],
};

const CHECK_KEYS: [Inner; 5] = [
    inner("command", "a shell command", "What is run."),
    inner("timeout", "a duration", "How long it may take; 15 minutes unless said."),
    inner("cheap", "`true` or `false`", "An agent is held to it before it stops."),
    inner("format", "a format", "What its report is written in: lcov, cobertura and others."),
    inner("path", "a path in the repository", "A report that it writes and piton reads."),
];

const METRIC_KEYS: [Inner; 5] = [
    inner("command", "a shell command", "What is run."),
    inner("regex", "a regular expression", "Its first group is the number."),
    inner("timeout", "a duration", "How long it may take; 15 minutes unless said."),
    inner("direction", "`higher` or `lower`", "Which way it is to go, where progress is judged by metrics."),
    inner("weight", "a number", "What it weighs among the others then; 1 unless said."),
];

/// What `format` of a check may be.
const FORMATS: [&str; 7] = ["lcov", "cobertura", "coverage.py", "llvm-cov", "istanbul", "go", "jacoco"];

fn command_or_table(keys: &[Inner]) -> Value {
    json!({"anyOf": [{"type": "string"}, table(keys, &["command"])]})
}

/// A table that takes these keys and no other.
pub(super) fn table(keys: &[Inner], required: &[&str]) -> Value {
    let properties: serde_json::Map<_, _> =
        keys.iter().map(|inner| (inner.key.to_owned(), json!({"description": inner.words}))).collect();
    json!({
        "type": "object", "properties": properties, "required": required, "additionalProperties": false,
    })
}

fn check(reader: &mut Reader<'_>, settings: &mut Settings, pair: Pair<'_, '_>) {
    let (name, key, value) = pair;
    let start = key.span().start;
    if !reader.can_name("a check", pair) {
        return;
    }
    let check = match value.get_ref() {
        DeValue::Table(table) => detailed_check(reader, name, start, table),
        _ => reader.text(name, value).map(|command| Check::new(name, command)),
    };
    let Some(check) = check else { return };
    if let Some(why) = command_problem(&check.command) {
        reader.problem(value.span().start, format!("check `{name}`: {why}"));
        return;
    }
    settings.checks.push(reader.sourced(check, start));
}

fn detailed_check(reader: &mut Reader<'_>, name: &str, start: usize, table: &DeTable<'_>) -> Option<Check> {
    let mut said = Members::of(reader, table);
    let command = said.get::<Text>("command");
    let timeout_ms = said.get::<Duration>("timeout").unwrap_or(Check::TIMEOUT_MS);
    let cheap = said.get::<Flag>("cheap").unwrap_or_default();
    let formats = FORMATS.map(|format| (format, format));
    let format = said.with("format", |reader, key, value| reader.word(key, value, &formats));
    let path = said.get::<Path>("path");
    said.end(&format!("key in check `{name}`:"));
    if !table.contains_key("command") {
        reader.problem(start, format!("the check `{name}` has no `command`"));
    }
    if format.is_some() && path.is_none() {
        let message = format!("the check `{name}` has a `format` but no `path` of a file in it");
        reader.problem(start, message);
    }
    let reads = path.map(|path| Reading { path, format: format.map(str::to_owned) });
    Some(Check { name: name.to_owned(), command: command?, timeout_ms, cheap, reads })
}

fn check_value(check: &Check) -> Value {
    if check.timeout_ms == Check::TIMEOUT_MS && !check.cheap && check.reads.is_none() {
        return json!(check.command);
    }
    let mut members = serde_json::Map::from_iter([("command".to_owned(), json!(check.command))]);
    if check.timeout_ms != Check::TIMEOUT_MS {
        members.insert("timeout".to_owned(), json!(format_duration(check.timeout_ms)));
    }
    if let Some(reads) = &check.reads {
        members.extend(reads.format.iter().map(|format| ("format".to_owned(), json!(format))));
        members.insert("path".to_owned(), json!(reads.path));
    }
    if check.cheap {
        members.insert("cheap".to_owned(), json!(true));
    }
    Value::Object(members)
}

fn metric(reader: &mut Reader<'_>, settings: &mut Settings, pair: Pair<'_, '_>) {
    let (name, key, value) = pair;
    let start = key.span().start;
    if !reader.can_name("a metric", pair) {
        return;
    }
    let mut metric = Metric {
        name: name.to_owned(),
        command: String::new(),
        regex: None,
        timeout_ms: Check::TIMEOUT_MS,
        direction: Direction::Higher,
        weight: 1.0,
    };
    match value.get_ref() {
        DeValue::Table(table) => detailed_metric(reader, table, &mut metric),
        _ => metric.command = reader.text(name, value).unwrap_or_default(),
    }
    if let Some(why) = command_problem(&metric.command) {
        reader.problem(start, format!("metric `{name}`: {why}"));
        return;
    }
    settings.metrics.push(reader.sourced(metric, start));
    if settings.metrics.len() > CUSTOM_MEASURES_MAX {
        reader.problem(start, format!("a run has at most {CUSTOM_MEASURES_MAX} metrics"));
    }
}

fn detailed_metric(reader: &mut Reader<'_>, table: &DeTable<'_>, metric: &mut Metric) {
    let mut said = Members::of(reader, table);
    metric.command = said.get::<Text>("command").unwrap_or_default();
    let what = format!("`regex` of metric `{}`", metric.name);
    metric.regex = said.with("regex", |reader, key, value| {
        let pattern = reader.regex(&what, key, value)?;
        let has_group = regex::Regex::new(&pattern).is_ok_and(|regex| regex.captures_len() > 1);
        if !has_group {
            let message = format!("{what} has no group, and its first group is the number");
            reader.problem_with_hint(value.span().start, message, "write it as in `coverage: ([0-9.]+)%`");
        }
        has_group.then_some(pattern)
    });
    metric.timeout_ms = said.get::<Duration>("timeout").unwrap_or(metric.timeout_ms);
    metric.direction = said.get::<OneOf<Direction>>("direction").unwrap_or(metric.direction);
    metric.weight = said.get::<Number>("weight").unwrap_or(metric.weight);
    said.end(&format!("key in metric `{}`:", metric.name));
}

fn metric_value(metric: &Metric) -> Value {
    match &metric.regex {
        None => json!(metric.command),
        Some(regex) => json!({"command": metric.command, "regex": regex}),
    }
}
