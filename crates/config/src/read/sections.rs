//! The sections of the file, one function each.

use piton_model::loop_machine::{Check, GuardMode, OnLost, Reading, SessionPolicy};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{Reader, agents, entries, gaps, hooks, judging, mode, notify, prompts, stop};
use crate::check::{command_problem, default_check, name_problem};
use crate::condition::inside_tree;
use crate::limit::Limit;
use crate::problem::quoted;
use crate::settings::{Settings, Sourced, Wanted};

const SECTIONS: [&str; 19] = [
    "agent",
    "agents",
    "loop",
    "checks",
    "guard",
    "session",
    "stop",
    "metrics",
    "reinforcement",
    "recovery",
    "worktree",
    "confine",
    "views",
    "gaps",
    "hooks",
    "notify",
    "mode",
    "prompts",
    "redact",
];
const SECTIONS_LATER: [&str; 1] = ["vault"];

/// What `[loop] session` may be.
pub(crate) const SESSION_WORDS: [(&str, SessionPolicy); 3] =
    [("fresh", SessionPolicy::Fresh), ("continue", SessionPolicy::Continue), ("fork", SessionPolicy::Fork)];
/// What `[loop] on_lost` may be.
pub(crate) const ON_LOST_WORDS: [(&str, OnLost); 3] =
    [("retry", OnLost::Retry), ("restore_and_retry", OnLost::RestoreAndRetry), ("ask", OnLost::Ask)];

/// What `[guard] mode` may be.
pub(crate) const GUARD_WORDS: [(&str, GuardMode); 4] = [
    ("block", GuardMode::Block),
    ("ask", GuardMode::Ask),
    ("report", GuardMode::Report),
    ("off", GuardMode::Off),
];

/// What `format` of a check may be.
const FORMAT_WORDS: [(&str, &str); 7] = [
    ("lcov", "lcov"),
    ("cobertura", "cobertura"),
    ("coverage.py", "coverage.py"),
    ("llvm-cov", "llvm-cov"),
    ("istanbul", "istanbul"),
    ("go", "go"),
    ("jacoco", "jacoco"),
];

/// Shorter ones would hit everywhere; the redactor would leave them out without a word.
const PATTERN_BYTES_MIN: usize = 8;

/// All sections.
pub(super) fn read(reader: &mut Reader<'_>, document: &DeTable<'_>) -> Settings {
    let mut settings = Settings::default();
    for (name, key, value) in entries(document) {
        let start = key.span().start;
        if SECTIONS_LATER.contains(&name) {
            reader.later(start, &format!("the section `[{name}]`"));
            continue;
        }
        if !SECTIONS.contains(&name) {
            unknown_section(reader, start, name);
            continue;
        }
        let Some(table) = reader.table(&format!("`{name}`"), value, start) else { continue };
        match name {
            "agent" => agent(reader, table, &mut settings),
            "agents" => agents::read(reader, table, &mut settings),
            "loop" => loop_section(reader, table, &mut settings),
            "checks" => checks(reader, table, &mut settings),
            "guard" => guard(reader, table, &mut settings),
            "session" => judging::session(reader, table, start, &mut settings),
            "stop" => {
                let lists = stop::read(reader, table);
                settings.stop = Some(reader.sourced(lists, start));
            }
            "metrics" => judging::metrics(reader, table, &mut settings),
            "reinforcement" => judging::reinforcement(reader, table, start, &mut settings),
            "recovery" => judging::recovery(reader, table, start, &mut settings),
            "worktree" => worktree(reader, table, &mut settings),
            "confine" => confine(reader, table, &mut settings),
            "views" => views(reader, table, &mut settings),
            "gaps" => gaps::read(reader, table, &mut settings),
            "hooks" => hooks::read(reader, table, &mut settings),
            "notify" => notify::read(reader, table, &mut settings),
            "prompts" => prompts::read(reader, table, start, &mut settings),
            "mode" => mode::read(reader, table, start, &mut settings),
            _ => redact(reader, table, &mut settings),
        }
    }
    settings
}

fn unknown_section(reader: &mut Reader<'_>, start: usize, name: &str) {
    if Limit::by_key(name).is_some() || ["prompt", "session", "on_lost", "deadline"].contains(&name) {
        let message = format!("`{name}` does not belong here");
        reader.problem_with_hint(start, message, "it belongs into the section `[loop]`");
        return;
    }
    reader.unknown(start, "section", name, &SECTIONS);
}

fn agent(reader: &mut Reader<'_>, table: &DeTable<'_>, settings: &mut Settings) {
    for (name, key, value) in entries(table) {
        match name {
            "use" => settings.agent = reader.text("use", value),
            "inject" => settings.inject = reader.flag("inject", value),
            "pass" => settings.pass = reader.list("pass", value),
            "command" => reader.problem_with_hint(
                key.span().start,
                "`command` does not belong into `[agent]`",
                "write it under `[agents.NAME]`, and `use = \"NAME\"` here",
            ),
            _ => reader.unknown(key.span().start, "key in `[agent]`:", name, &["use", "inject", "pass"]),
        }
    }
}

fn loop_section(reader: &mut Reader<'_>, table: &DeTable<'_>, settings: &mut Settings) {
    for (name, key, value) in entries(table) {
        let start = key.span().start;
        if let Some(limit) = Limit::by_key(name) {
            if let Some(value) = reader.limit(limit, value) {
                settings.limits.insert(limit, value);
            }
            continue;
        }
        match name {
            "prompt" => settings.prompt = prompt(reader, value),
            "session" => settings.session = reader.word("session", value, &SESSION_WORDS),
            "on_lost" => settings.on_lost = reader.word("on_lost", value, &ON_LOST_WORDS),
            "deadline" => settings.deadline = reader.text("deadline", value),
            _ => {
                let known: Vec<_> = ["prompt", "session", "on_lost", "deadline"]
                    .into_iter()
                    .chain(Limit::ALL.map(Limit::key))
                    .collect();
                reader.unknown(start, "key in `[loop]`:", name, &known);
            }
        }
    }
}

fn prompt(reader: &mut Reader<'_>, value: &Spanned<DeValue<'_>>) -> Option<Sourced<String>> {
    let path = reader.text("prompt", value)?;
    match inside_tree(&path.value) {
        Ok(inside) => Some(path.map(|_| inside)),
        Err(why) => {
            reader.problem(value.span().start, format!("`prompt`: {why}"));
            None
        }
    }
}

fn checks(reader: &mut Reader<'_>, table: &DeTable<'_>, settings: &mut Settings) {
    for (name, key, value) in entries(table) {
        let start = key.span().start;
        if let Some(why) = name_problem(name) {
            reader.problem(start, format!("{} cannot name a check: {why}", quoted(name)));
            continue;
        }
        let check = match value.get_ref() {
            DeValue::Table(table) => detailed_check(reader, name, start, table),
            _ => reader.text(name, value).map(|command| default_check(name, command.value)),
        };
        let Some(check) = check else { continue };
        if let Some(why) = command_problem(&check.command) {
            reader.problem(value.span().start, format!("check `{name}`: {why}"));
            continue;
        }
        settings.checks.push(reader.sourced(check, start));
    }
}

fn detailed_check(reader: &mut Reader<'_>, name: &str, start: usize, table: &DeTable<'_>) -> Option<Check> {
    let mut command = None;
    let (mut format, mut path) = (None, None);
    let mut check = default_check(name, "");
    for (inner, key, value) in entries(table) {
        let at = key.span().start;
        match inner {
            "command" => command = Some(reader.text("command", value)),
            "timeout" => {
                check.timeout_ms =
                    reader.duration("timeout", value).map_or(check.timeout_ms, |found| found.value);
            }
            "cheap" => check.cheap = reader.flag("cheap", value).is_some_and(|flag| flag.value),
            "format" => format = reader.word(inner, value, &FORMAT_WORDS).map(|word| word.value.to_owned()),
            "path" => path = paths_of_one(reader, inner, value),
            _ => reader.unknown(
                at,
                &format!("key in check `{name}`:"),
                inner,
                &["command", "timeout", "cheap", "format", "path"],
            ),
        }
    }
    if command.is_none() {
        reader.problem(start, format!("the check `{name}` has no `command`"));
    }
    if format.is_some() && path.is_none() {
        let message = format!("the check `{name}` has a `format` but no `path` of a file in it");
        reader.problem(start, message);
    }
    check.reads = path.map(|path| Reading { path, format });
    check.command = command.flatten()?.value;
    Some(check)
}

fn guard(reader: &mut Reader<'_>, table: &DeTable<'_>, settings: &mut Settings) {
    for (name, key, value) in entries(table) {
        match name {
            "protect" => settings.protect = paths(reader, name, value),
            "mode" => settings.guard = reader.word(name, value, &GUARD_WORDS),
            "thresholds" => settings.thresholds = judging::thresholds(reader, value),
            "rules" => settings.rules_off = judging::rules(reader, value),
            _ => {
                let known = ["mode", "protect", "thresholds", "rules"];
                reader.unknown(key.span().start, "key in `[guard]`:", name, &known);
            }
        }
    }
}

fn worktree(reader: &mut Reader<'_>, table: &DeTable<'_>, settings: &mut Settings) {
    for (name, key, value) in entries(table) {
        match name {
            "copy" => settings.worktree.copy = paths(reader, name, value),
            "link" => settings.worktree.link = paths(reader, name, value),
            "setup" => settings.worktree.setup = reader.text(name, value),
            _ => {
                reader.unknown(key.span().start, "key in `[worktree]`:", name, &["copy", "link", "setup"]);
            }
        }
    }
}

fn confine(reader: &mut Reader<'_>, table: &DeTable<'_>, settings: &mut Settings) {
    for (name, key, value) in entries(table) {
        match name {
            "enabled" => settings.confine.enabled = reader.flag(name, value),
            "write" => {
                let places = reader.list(name, value);
                for place in places.iter().flat_map(|places| &places.value) {
                    if !place.starts_with('/') && !place.starts_with("~/") {
                        let message = format!("{} is neither absolute nor below `~/`", quoted(place));
                        reader.problem(value.span().start, message);
                    }
                }
                settings.confine.write = places;
            }
            _ => reader.unknown(key.span().start, "key in `[confine]`:", name, &["enabled", "write"]),
        }
    }
}

/// A path inside the tree.
fn paths_of_one(reader: &mut Reader<'_>, name: &str, value: &Spanned<DeValue<'_>>) -> Option<String> {
    let path = reader.text(name, value)?;
    match inside_tree(&path.value) {
        Ok(inside) => Some(inside),
        Err(why) => {
            reader.problem(value.span().start, format!("`{name}`: {why}"));
            None
        }
    }
}

/// Paths inside the tree.
fn paths(reader: &mut Reader<'_>, name: &str, value: &Spanned<DeValue<'_>>) -> Option<Sourced<Vec<String>>> {
    let mut paths = reader.list(name, value)?;
    for path in &mut paths.value {
        match inside_tree(path) {
            Ok(inside) => *path = inside,
            Err(why) => reader.problem(value.span().start, format!("`{name}`: {why}")),
        }
    }
    Some(paths)
}

fn views(reader: &mut Reader<'_>, table: &DeTable<'_>, settings: &mut Settings) {
    for (name, key, value) in entries(table) {
        let start = key.span().start;
        match name {
            "ralph" => settings.views.ralph = reader.flag("ralph", value),
            "auto_save_interval" => {
                settings.views.auto_save_interval_ms = reader.duration("auto_save_interval", value);
            }
            "aiwg" => settings.views.aiwg = aiwg(reader, value),
            "paths" => reader.later(start, &format!("`{name}`")),
            _ => reader.unknown(start, "key in `[views]`:", name, &["ralph", "aiwg", "auto_save_interval"]),
        }
    }
}

/// `true`, `false`, or `"auto"`: where the directory `.aiwg` exists.
fn aiwg(reader: &mut Reader<'_>, value: &Spanned<DeValue<'_>>) -> Option<Sourced<Wanted>> {
    match value.get_ref() {
        DeValue::Boolean(true) => Some(reader.sourced(Wanted::Yes, value.span().start)),
        DeValue::Boolean(false) => Some(reader.sourced(Wanted::No, value.span().start)),
        _ => reader.word("aiwg", value, &[("auto", Wanted::Auto)]),
    }
}

fn redact(reader: &mut Reader<'_>, table: &DeTable<'_>, settings: &mut Settings) {
    for (name, key, value) in entries(table) {
        if name != "patterns" {
            reader.unknown(key.span().start, "key in `[redact]`:", name, &["patterns"]);
            continue;
        }
        let patterns = reader.texts("patterns", value).unwrap_or_default();
        if patterns.iter().any(|pattern| pattern.value.len() < PATTERN_BYTES_MIN) {
            let message =
                format!("a pattern needs at least {PATTERN_BYTES_MIN} bytes, or it would hit everywhere");
            reader.problem(value.span().start, message);
        }
        settings.redact = patterns;
    }
}
