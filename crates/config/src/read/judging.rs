//! The sections that say how work is judged: thresholds and rules of the guard, metrics, reinforcement, recovery.

use piton_model::limits::CUSTOM_MEASURES_MAX;
use piton_model::loop_machine::{
    Escalation, Level, Metric, RebootPolicy, RecoveryPolicy, RedlinePolicy, RuleOff, Thresholds,
};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{Reader, entries};
use crate::check::{CHECK_TIMEOUT_MS, command_problem, name_problem};
use crate::problem::quoted;
use crate::settings::{Settings, Sourced};

/// What `[reinforcement] level` may be.
pub(crate) const LEVEL_WORDS: [(&str, Level); 5] = [
    ("off", Level::Off),
    ("minimal", Level::Minimal),
    ("standard", Level::Standard),
    ("aggressive", Level::Aggressive),
    ("adaptive", Level::Adaptive),
];

const THRESHOLDS: [&str; 6] = ["tests", "coverage", "coverage_critical", "branches", "pass_rate", "errors"];
const SESSION: [&str; 9] = [
    "redline",
    "min_iterations",
    "degradation",
    "reboot",
    "after_iterations",
    "after",
    "on_patterns",
    "min_interval",
    "max_per_hour",
];
const REINFORCEMENT: [&str; 5] = ["level", "standard_at", "aggressive_at", "adaptive_at", "plateau"];

/// `[guard] thresholds`.
pub(super) fn thresholds(
    reader: &mut Reader<'_>,
    value: &Spanned<DeValue<'_>>,
) -> Option<Sourced<Thresholds>> {
    let start = value.span().start;
    let table = reader.table("`thresholds`", value, start)?;
    let mut thresholds = Thresholds::default();
    for (name, key, value) in entries(table) {
        let number = match name {
            "tests" | "errors" => reader.whole(name, value).map(f64::from),
            _ => reader.number(name, value),
        };
        let Some(number) = number else { continue };
        match name {
            "tests" => thresholds.tests = number as u64,
            "errors" => thresholds.errors = number as u64,
            "coverage" => thresholds.coverage = number,
            "coverage_critical" => thresholds.coverage_critical = number,
            "branches" => thresholds.branches = number,
            "pass_rate" => thresholds.pass_rate = number,
            _ => reader.unknown(key.span().start, "key in `thresholds`:", name, &THRESHOLDS),
        }
    }
    Some(reader.sourced(thresholds, start))
}

/// `[guard] rules`: rules that are switched off, each with a reason.
pub(super) fn rules(reader: &mut Reader<'_>, value: &Spanned<DeValue<'_>>) -> Option<Sourced<Vec<RuleOff>>> {
    let start = value.span().start;
    let table = reader.table("`rules`", value, start)?;
    let mut off = Vec::new();
    for (rule, key, value) in entries(table) {
        let at = key.span().start;
        let Some(said) = reader.table(&format!("the rule {}", quoted(rule)), value, at) else { continue };
        let (mut is_off, mut reason, mut expires) = (false, None, None);
        for (name, key, value) in entries(said) {
            match name {
                "off" => is_off = reader.flag(name, value).is_some_and(|flag| flag.value),
                "reason" => reason = reader.text(name, value).map(|text| text.value),
                "expires" => expires = reader.text(name, value).map(|text| text.value),
                _ => reader.unknown(key.span().start, "key of a rule:", name, &["off", "reason", "expires"]),
            }
        }
        match reason.filter(|reason| !reason.trim().is_empty()) {
            _ if !is_off => reader.problem_with_hint(
                at,
                format!("the rule {} is neither on nor off", quoted(rule)),
                "write `off = true`, or remove the line: rules are on",
            ),
            None => reader.problem_with_hint(
                at,
                format!("the rule {} is off for no reason", quoted(rule)),
                "say why: `reason = \"…\"`",
            ),
            Some(reason) => off.push(RuleOff { rule: rule.to_owned(), reason, expires }),
        }
    }
    Some(reader.sourced(off, start))
}

/// `[reinforcement]`.
pub(super) fn reinforcement(
    reader: &mut Reader<'_>,
    table: &DeTable<'_>,
    at: usize,
    settings: &mut Settings,
) {
    let mut escalation = Escalation::default();
    for (name, key, value) in entries(table) {
        match name {
            "level" => {
                let level = reader.word(name, value, &LEVEL_WORDS);
                escalation.level = level.map_or(escalation.level, |level| level.value);
            }
            "standard_at" => escalation.standard_at = reader.whole(name, value).filter(|at| *at > 0),
            "aggressive_at" => escalation.aggressive_at = reader.whole(name, value).filter(|at| *at > 0),
            "adaptive_at" => escalation.adaptive_at = reader.whole(name, value).filter(|at| *at > 0),
            "plateau" => {
                let percent = reader.number(name, value);
                escalation.plateau_percent = percent.unwrap_or(escalation.plateau_percent);
            }
            _ => reader.unknown(key.span().start, "key in `[reinforcement]`:", name, &REINFORCEMENT),
        }
    }
    settings.reinforcement = Some(reader.sourced(escalation, at));
}

/// `[session]`: how long a session goes on, where sessions are continued.
pub(super) fn session(reader: &mut Reader<'_>, table: &DeTable<'_>, at: usize, settings: &mut Settings) {
    let (mut redline, mut reboot) = (RedlinePolicy::default(), RebootPolicy::default());
    for (name, key, value) in entries(table) {
        match name {
            "redline" => {
                let percent = reader.whole(name, value).and_then(|percent| u8::try_from(percent).ok());
                redline.redline_percent = percent.unwrap_or(redline.redline_percent).clamp(1, 100);
            }
            "min_iterations" => redline.iterations_min = reader.whole(name, value).unwrap_or(1),
            "degradation" => {
                redline.detect_degradation = reader.flag(name, value).is_none_or(|flag| flag.value);
            }
            "reboot" => reboot.enabled = reader.flag(name, value).is_none_or(|flag| flag.value),
            "after_iterations" => {
                reboot.after_iterations = reader.whole(name, value).filter(|count| *count > 0)
            }
            "after" => reboot.after_ms = reader.duration(name, value).map(|found| found.value),
            "on_patterns" => {
                reboot.on_patterns = reader.list(name, value).map(|list| list.value).unwrap_or_default()
            }
            "min_interval" => {
                let interval = reader.duration(name, value);
                reboot.interval_ms_min = interval.map_or(reboot.interval_ms_min, |found| found.value);
            }
            "max_per_hour" => reboot.per_hour_max = reader.whole(name, value).unwrap_or(reboot.per_hour_max),
            _ => reader.unknown(key.span().start, "key in `[session]`:", name, &SESSION),
        }
    }
    settings.redline = Some(reader.sourced(redline, at));
    settings.reboot = Some(reader.sourced(reboot, at));
}

/// `[recovery]`.
pub(super) fn recovery(reader: &mut Reader<'_>, table: &DeTable<'_>, at: usize, settings: &mut Settings) {
    let mut policy = RecoveryPolicy::default();
    for (name, key, value) in entries(table) {
        match name {
            "max_retries" => policy.max_retries = reader.whole(name, value).unwrap_or(policy.max_retries),
            "escalate_critical" => {
                policy.escalate_critical = reader.flag(name, value).is_some_and(|flag| flag.value);
            }
            _ => reader.unknown(
                key.span().start,
                "key in `[recovery]`:",
                name,
                &["max_retries", "escalate_critical"],
            ),
        }
    }
    settings.recovery = Some(reader.sourced(policy, at));
}

/// `[metrics]`.
pub(super) fn metrics(reader: &mut Reader<'_>, table: &DeTable<'_>, settings: &mut Settings) {
    for (name, key, value) in entries(table) {
        let start = key.span().start;
        if let Some(why) = name_problem(name) {
            reader.problem(start, format!("{} cannot name a metric: {why}", quoted(name)));
            continue;
        }
        let mut metric = Metric {
            name: name.to_owned(),
            command: String::new(),
            regex: None,
            timeout_ms: CHECK_TIMEOUT_MS,
        };
        match value.get_ref() {
            DeValue::Table(table) => detailed(reader, table, &mut metric),
            _ => metric.command = reader.text(name, value).map(|text| text.value).unwrap_or_default(),
        }
        if let Some(why) = command_problem(&metric.command) {
            reader.problem(start, format!("metric `{name}`: {why}"));
            continue;
        }
        settings.metrics.push(reader.sourced(metric, start));
    }
    if settings.metrics.len() > CUSTOM_MEASURES_MAX {
        reader.problem(0, format!("a run has at most {CUSTOM_MEASURES_MAX} metrics"));
    }
}

fn detailed(reader: &mut Reader<'_>, table: &DeTable<'_>, metric: &mut Metric) {
    for (inner, key, value) in entries(table) {
        match inner {
            "command" => {
                metric.command = reader.text(inner, value).map(|text| text.value).unwrap_or_default();
            }
            "regex" => {
                let Some(text) = reader.text(inner, value) else { continue };
                match regex::Regex::new(&text.value) {
                    Ok(_) => metric.regex = Some(text.value),
                    Err(error) => {
                        let why = error.to_string();
                        let why = why.lines().last().unwrap_or_default().trim();
                        reader.problem(
                            value.span().start,
                            format!("`regex` of metric `{}`: {why}", metric.name),
                        );
                    }
                }
            }
            "timeout" => {
                metric.timeout_ms =
                    reader.duration(inner, value).map_or(metric.timeout_ms, |found| found.value);
            }
            _ => reader.unknown(
                key.span().start,
                &format!("key in metric `{}`:", metric.name),
                inner,
                &["command", "regex", "timeout"],
            ),
        }
    }
}
