//! The sections of the file, one function each.

use piton_model::loop_machine::{Check, OnLost, SessionPolicy};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{Reader, agents, entries};
use crate::check::{CHECK_TIMEOUT_MS, command_problem, name_problem};
use crate::condition::inside_tree;
use crate::limit::Limit;
use crate::problem::quoted;
use crate::settings::{Settings, Sourced};

const SECTIONS: [&str; 6] = ["agent", "agents", "loop", "checks", "views", "redact"];
const SECTIONS_LATER: [&str; 8] =
    ["stop", "guard", "gaps", "metrics", "worktree", "hooks", "notify", "vault"];

/// What `[loop] session` may be.
pub(crate) const SESSION_WORDS: [(&str, SessionPolicy); 2] =
    [("fresh", SessionPolicy::Fresh), ("continue", SessionPolicy::Continue)];
/// What `[loop] on_lost` may be.
pub(crate) const ON_LOST_WORDS: [(&str, OnLost); 3] =
    [("retry", OnLost::Retry), ("restore_and_retry", OnLost::RestoreAndRetry), ("ask", OnLost::Ask)];

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
            "views" => views(reader, table, &mut settings),
            _ => redact(reader, table, &mut settings),
        }
    }
    settings
}

fn unknown_section(reader: &mut Reader<'_>, start: usize, name: &str) {
    if Limit::by_key(name).is_some() || ["prompt", "session", "on_lost"].contains(&name) {
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
            "command" => reader.problem_with_hint(
                key.span().start,
                "`command` does not belong into `[agent]`",
                "write it under `[agents.NAME]`, and `use = \"NAME\"` here",
            ),
            _ => reader.unknown(key.span().start, "key in `[agent]`:", name, &["use"]),
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
            "deadline" => reader.later(start, "`deadline`"),
            _ => {
                let known: Vec<_> =
                    ["prompt", "session", "on_lost"].into_iter().chain(Limit::ALL.map(Limit::key)).collect();
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
        let (command, timeout_ms) = match value.get_ref() {
            DeValue::Table(table) => detailed_check(reader, name, start, table),
            _ => (reader.text(name, value), CHECK_TIMEOUT_MS),
        };
        let Some(command) = command else { continue };
        if let Some(why) = command_problem(&command.value) {
            reader.problem(value.span().start, format!("check `{name}`: {why}"));
            continue;
        }
        let check = Check { name: name.to_owned(), command: command.value, timeout_ms };
        settings.checks.push(reader.sourced(check, start));
    }
}

fn detailed_check(
    reader: &mut Reader<'_>,
    name: &str,
    start: usize,
    table: &DeTable<'_>,
) -> (Option<Sourced<String>>, u64) {
    let mut command = None;
    let mut timeout_ms = CHECK_TIMEOUT_MS;
    for (inner, key, value) in entries(table) {
        let at = key.span().start;
        match inner {
            "command" => command = Some(reader.text("command", value)),
            "timeout" => {
                timeout_ms = reader.duration("timeout", value).map_or(timeout_ms, |found| found.value)
            }
            "format" | "path" => reader.later(at, &format!("`{inner}` of a check")),
            _ => reader.unknown(at, &format!("key in check `{name}`:"), inner, &["command", "timeout"]),
        }
    }
    if command.is_none() {
        reader.problem(start, format!("the check `{name}` has no `command`"));
    }
    (command.flatten(), timeout_ms)
}

fn views(reader: &mut Reader<'_>, table: &DeTable<'_>, settings: &mut Settings) {
    for (name, key, value) in entries(table) {
        let start = key.span().start;
        match name {
            "ralph" => settings.views.ralph = reader.flag("ralph", value),
            "auto_save_interval" => {
                settings.views.auto_save_interval_ms = reader.duration("auto_save_interval", value);
            }
            "aiwg" | "paths" => reader.later(start, &format!("`{name}`")),
            _ => reader.unknown(start, "key in `[views]`:", name, &["ralph", "auto_save_interval"]),
        }
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
