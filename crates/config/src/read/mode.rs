//! `[mode]`: whether a person is there, what they are asked, who switches when, and the hours of work.

use piton_model::hook::Mode;
use piton_model::loop_machine::{Attended, Hybrid, ModePolicy, ScheduledMode, Switching, TimeSpan, Windows};
use piton_model::notify::Day;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::notify::{DAY_WORDS, time_of_day};
use super::{Reader, entries};
use crate::settings::Settings;

/// What a mode is called.
pub(crate) const MODE_WORDS: [(&str, Mode); 3] =
    [("attended", Mode::Attended), ("unattended", Mode::Unattended), ("hybrid", Mode::Hybrid)];

const KEYS: [&str; 6] = ["start", "attended", "hybrid", "switch", "schedule", "windows"];
const ATTENDED: [&str; 6] =
    ["pause_before", "pause_after", "approve_changes", "auto_approve", "show_diff", "breakpoints"];
const HYBRID: [&str; 3] = ["every", "files", "auto_approve"];
const SWITCH: [&str; 6] = ["enabled", "failures", "patterns", "on_regression", "near_completion", "idle"];
const ENTRY: [&str; 3] = ["at", "days", "mode"];
const WINDOWS: [&str; 3] = ["hours", "days", "blackouts"];

pub(super) fn read(reader: &mut Reader<'_>, table: &DeTable<'_>, at: usize, settings: &mut Settings) {
    let mut policy = ModePolicy::default();
    for (name, key, value) in entries(table) {
        let start = key.span().start;
        match name {
            "start" => {
                let word = reader.word(name, value, &MODE_WORDS);
                policy.start = word.map_or(policy.start, |word| word.value);
            }
            "schedule" => policy.schedule = schedule(reader, value),
            "attended" | "hybrid" | "switch" | "windows" => {
                let Some(table) = reader.table(&format!("`{name}`"), value, start) else { continue };
                match name {
                    "attended" => policy.attended = attended(reader, table),
                    "hybrid" => policy.hybrid = hybrid(reader, table),
                    "switch" => policy.switch = switch(reader, table),
                    _ => policy.windows = windows(reader, table),
                }
            }
            _ => reader.unknown(start, "key in `[mode]`:", name, &KEYS),
        }
    }
    settings.mode = Some(reader.sourced(policy, at));
}

fn flag(reader: &mut Reader<'_>, name: &str, value: &Spanned<DeValue<'_>>, without: bool) -> bool {
    reader.flag(name, value).map_or(without, |flag| flag.value)
}

fn attended(reader: &mut Reader<'_>, table: &DeTable<'_>) -> Attended {
    let mut attended = Attended::default();
    for (name, key, value) in entries(table) {
        match name {
            "pause_before" => attended.pause_before = flag(reader, name, value, true),
            "pause_after" => attended.pause_after = flag(reader, name, value, false),
            "approve_changes" => attended.approve_changes = flag(reader, name, value, true),
            "show_diff" => attended.show_diff = flag(reader, name, value, true),
            "auto_approve" => {
                attended.auto_approve_ms = reader.duration(name, value).map(|wait| wait.value);
            }
            "breakpoints" => {
                let Some(items) = value.get_ref().as_array() else {
                    reader.problem(value.span().start, "`breakpoints` must be a list of iterations");
                    continue;
                };
                attended.breakpoints =
                    items.iter().filter_map(|item| reader.whole(name, item)).filter(|at| *at > 0).collect();
            }
            _ => reader.unknown(key.span().start, "key in `[mode.attended]`:", name, &ATTENDED),
        }
    }
    attended
}

fn hybrid(reader: &mut Reader<'_>, table: &DeTable<'_>) -> Hybrid {
    let mut hybrid = Hybrid::default();
    for (name, key, value) in entries(table) {
        match name {
            "every" => hybrid.every = reader.whole(name, value).unwrap_or(hybrid.every),
            "files" => hybrid.files = reader.whole(name, value).unwrap_or(hybrid.files),
            // `false`: it waits as long as it takes.
            "auto_approve" if value.get_ref().as_bool() == Some(false) => hybrid.auto_approve_ms = None,
            "auto_approve" => {
                let wait = reader.duration(name, value).map(|wait| wait.value);
                hybrid.auto_approve_ms = wait.or(hybrid.auto_approve_ms);
            }
            _ => reader.unknown(key.span().start, "key in `[mode.hybrid]`:", name, &HYBRID),
        }
    }
    hybrid
}

fn switch(reader: &mut Reader<'_>, table: &DeTable<'_>) -> Option<Switching> {
    let mut switching = Switching::default();
    let mut is_on = true;
    for (name, key, value) in entries(table) {
        match name {
            "enabled" => is_on = flag(reader, name, value, true),
            "failures" => switching.failures = reader.whole(name, value).unwrap_or(switching.failures),
            "patterns" => {
                switching.patterns = reader.list(name, value).map(|list| list.value).unwrap_or_default();
            }
            "on_regression" => switching.on_regression = flag(reader, name, value, true),
            "near_completion" => switching.near_completion = flag(reader, name, value, true),
            "idle" => switching.idle_ms = reader.duration(name, value).map(|idle| idle.value),
            _ => reader.unknown(key.span().start, "key in `[mode.switch]`:", name, &SWITCH),
        }
    }
    is_on.then_some(switching)
}

fn schedule(reader: &mut Reader<'_>, value: &Spanned<DeValue<'_>>) -> Vec<ScheduledMode> {
    let Some(items) = value.get_ref().as_array() else {
        let hint = "write `schedule = [{ at = \"22:00\", mode = \"unattended\" }]`";
        reader.problem_with_hint(value.span().start, "`schedule` must be a list of tables", hint);
        return Vec::new();
    };
    items.iter().filter_map(|item| entry(reader, item)).collect()
}

fn entry(reader: &mut Reader<'_>, item: &Spanned<DeValue<'_>>) -> Option<ScheduledMode> {
    let start = item.span().start;
    let table = reader.table("an entry of `schedule`", item, start)?;
    let (mut at, mut days, mut mode) = (None, Vec::new(), None);
    for (name, key, value) in entries(table) {
        match name {
            "at" => at = time_of_day(reader, name, value),
            "days" => days = days_of(reader, name, value),
            "mode" => mode = reader.word(name, value, &MODE_WORDS).map(|word| word.value),
            _ => reader.unknown(key.span().start, "key of a scheduled mode:", name, &ENTRY),
        }
    }
    if !table.contains_key("at") || !table.contains_key("mode") {
        reader.problem(start, "an entry of `schedule` needs `at` and `mode`");
    }
    Some(ScheduledMode { at: at?, days, mode: mode? })
}

fn days_of(reader: &mut Reader<'_>, name: &str, value: &Spanned<DeValue<'_>>) -> Vec<Day> {
    match value.get_ref().as_array() {
        Some(days) => {
            days.iter().filter_map(|day| reader.word(name, day, &DAY_WORDS)).map(|day| day.value).collect()
        }
        None => {
            // It says what it should be.
            reader.texts(name, value);
            Vec::new()
        }
    }
}

fn windows(reader: &mut Reader<'_>, table: &DeTable<'_>) -> Windows {
    let mut windows = Windows::default();
    for (name, key, value) in entries(table) {
        match name {
            "hours" => windows.hours = time_span(reader, name, value),
            "days" => windows.days = days_of(reader, name, value),
            "blackouts" => {
                let Some(items) = value.get_ref().as_array() else {
                    reader.problem(value.span().start, "`blackouts` must be a list");
                    continue;
                };
                windows.blackouts = items.iter().filter_map(|item| time_span(reader, name, item)).collect();
            }
            _ => reader.unknown(key.span().start, "key in `[mode.windows]`:", name, &WINDOWS),
        }
    }
    windows
}

fn time_span(reader: &mut Reader<'_>, what: &str, value: &Spanned<DeValue<'_>>) -> Option<TimeSpan> {
    let start = value.span().start;
    let table = reader.table(&format!("`{what}`"), value, start)?;
    let (mut from, mut to) = (None, None);
    for (name, key, value) in entries(table) {
        match name {
            "from" => from = time_of_day(reader, name, value),
            "to" => to = time_of_day(reader, name, value),
            _ => reader.unknown(key.span().start, &format!("key in `{what}`:"), name, &["from", "to"]),
        }
    }
    if !table.contains_key("from") || !table.contains_key("to") {
        let hint = "write `{ from = \"22:00\", to = \"07:00\" }`";
        reader.problem_with_hint(start, format!("`{what}` needs `from` and `to`"), hint);
    }
    Some(TimeSpan { from: from?, to: to? })
}

#[cfg(test)]
mod tests {
    use super::super::tests::{accepted, problems};
    use super::*;

    #[test]
    fn every_key_is_read() {
        let settings = accepted(
            r#"
            [mode]
            start = "hybrid"
            schedule = [{ at = "22:00", mode = "unattended", days = ["mon"] }]
            [mode.attended]
            pause_before = false
            pause_after = true
            approve_changes = false
            auto_approve = "5m"
            show_diff = false
            breakpoints = [3, 7]
            [mode.hybrid]
            every = 4
            files = 2
            auto_approve = false
            [mode.switch]
            failures = 2
            patterns = ["STOP"]
            on_regression = false
            near_completion = false
            idle = "10m"
            [mode.windows]
            hours = { from = "20:00", to = "06:00" }
            days = ["fri"]
            blackouts = [{ from = "02:00", to = "03:00" }]
            "#,
        );
        let policy = settings.mode.unwrap().value;
        assert_eq!(policy.start, Mode::Hybrid);
        assert_eq!(policy.schedule[0].days, [Day::Mon]);
        let attended = policy.attended;
        assert!(!attended.pause_before && attended.pause_after && !attended.approve_changes);
        assert_eq!((attended.auto_approve_ms, attended.breakpoints), (Some(300_000), vec![3, 7]));
        assert_eq!(policy.hybrid, Hybrid { every: 4, files: 2, auto_approve_ms: None });
        let switch = policy.switch.unwrap();
        assert_eq!((switch.failures, switch.idle_ms), (2, Some(600_000)));
        assert_eq!(policy.windows.hours.unwrap().from.to_string(), "20:00");
        assert_eq!((policy.windows.days.len(), policy.windows.blackouts.len()), (1, 1));
    }

    #[test]
    fn what_is_wrong_is_named() {
        let said =
            problems("[mode]\nstart = \"alone\"\nschedule = [{ at = \"25:00\", mode = \"hybrid\" }]\n");
        assert!(said.contains("alone") && said.contains("25:00"), "{said}");
        assert!(problems("[mode.attended]\npause_befor = true\n").contains("pause_before"));
        assert!(problems("[mode.windows]\nhours = { from = \"20:00\" }\n").contains("needs `from` and `to`"));
    }
}
