//! `[hooks]`: what is called when. Any key that is a table describes a hook.

use piton_model::hook::{Builtin, Hook, HookCondition, HookKind, HookPoint, Method};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::mode::MODE_WORDS;
use super::{Entry, Reader, entries, notify};
use crate::check::{command_problem, name_problem};
use crate::problem::quoted;
use crate::settings::Settings;

const KEYS: [&str; 5] = ["enabled", "dir", "default_timeout", "fail_on_hook_error", "builtin"];
const HOOK_KEYS: [&str; 11] = [
    "points",
    "priority",
    "timeout",
    "enabled",
    "type",
    "command",
    "path",
    "args",
    "url",
    "method",
    "conditions",
];

const BUILTIN_WORDS: [(&str, Builtin); 5] = [
    ("logging", Builtin::Logging),
    ("metrics", Builtin::Metrics),
    ("backup", Builtin::Backup),
    ("git", Builtin::Git),
    ("notification", Builtin::Notification),
];
const METHOD_WORDS: [(&str, Method); 3] =
    [("POST", Method::Post), ("PUT", Method::Put), ("PATCH", Method::Patch)];

pub(super) fn read(reader: &mut Reader<'_>, table: &DeTable<'_>, settings: &mut Settings) {
    let hooks = &mut settings.hooks;
    hooks.is_there = true;
    for (name, key, value) in entries(table) {
        match name {
            "enabled" => hooks.enabled = reader.flag(name, value),
            "default_timeout" => hooks.default_timeout_ms = reader.duration(name, value),
            "fail_on_hook_error" => hooks.fail_on_hook_error = reader.flag(name, value),
            "dir" => hooks.dir = reader.text(name, value),
            "builtin" => {
                let found = words(reader, name, value, &BUILTIN_WORDS);
                hooks.builtin = Some(reader.sourced(found, value.span().start));
            }
            _ if value.get_ref().is_table() => {
                let hook = hook(reader, (name, key, value));
                hooks.hooks.extend(hook.map(|hook| reader.sourced(hook, key.span().start)));
            }
            _ => reader.unknown(key.span().start, "key in `[hooks]`:", name, &KEYS),
        }
    }
}

/// A list of words, each of them known.
fn words<T: Copy>(
    reader: &mut Reader<'_>,
    key: &str,
    value: &Spanned<DeValue<'_>>,
    known: &[(&'static str, T)],
) -> Vec<T> {
    let Some(items) = value.get_ref().as_array() else {
        // It says what it should be.
        reader.texts(key, value);
        return Vec::new();
    };
    items.iter().filter_map(|item| reader.word(key, item, known)).map(|word| word.value).collect()
}

/// A hook; nothing where it is wrong or switched off.
fn hook(reader: &mut Reader<'_>, (name, key, value): Entry<'_, '_>) -> Option<Hook> {
    let start = key.span().start;
    if let Some(why) = name_problem(name) {
        reader.problem(start, format!("{} cannot name a hook: {why}", quoted(name)));
        return None;
    }
    let table = value.get_ref().as_table()?;
    let mut hook = Hook { name: name.to_owned(), points: Vec::new(), priority: 0, ..Builtin::Logging.hook() };
    let (mut is_on, mut found) = (true, Found::default());
    for (inner, key, value) in entries(table) {
        match inner {
            "points" => {
                hook.points =
                    words(reader, inner, value, &HookPoint::ALL.map(|point| (point.as_str(), point)));
            }
            "priority" => hook.priority = priority(reader, value),
            "timeout" => hook.timeout_ms = reader.duration(inner, value).map(|timeout| timeout.value),
            "enabled" => is_on = reader.flag(inner, value).is_none_or(|flag| flag.value),
            "type" => found.kind = reader.text(inner, value).map(|kind| kind.value),
            "command" => found.command = reader.text(inner, value).map(|text| text.value),
            "path" => found.path = reader.text(inner, value).map(|text| text.value),
            "args" => found.args = reader.list(inner, value).map(|list| list.value),
            "url" => found.url = Some(notify::address(reader, inner, value)),
            "method" => found.method = reader.word(inner, value, &METHOD_WORDS).map(|word| word.value),
            "conditions" => hook.conditions = conditions(reader, name, value),
            _ => reader.unknown(key.span().start, &format!("key in hook `{name}`:"), inner, &HOOK_KEYS),
        }
    }
    let run = found.run(reader, name, start)?;
    if let HookKind::Builtin { builtin } = &run {
        if !table.contains_key("points") {
            hook.points = builtin.points();
        }
        if !table.contains_key("priority") {
            hook.priority = builtin.priority();
        }
    } else if !table.contains_key("points") {
        reader.problem_with_hint(
            start,
            format!("the hook `{name}` has no `points`"),
            "say where it is called: `points = [\"loop_end\"]`",
        );
    }
    hook.run = run;
    is_on.then_some(hook)
}

fn priority(reader: &mut Reader<'_>, value: &Spanned<DeValue<'_>>) -> i32 {
    let number = match value.get_ref() {
        DeValue::Integer(number) => i32::from_str_radix(number.as_str(), number.radix()).ok(),
        _ => None,
    };
    if number.is_none() {
        reader.problem(value.span().start, "`priority` must be a whole number; higher ones are called first");
    }
    number.unwrap_or(0)
}

/// What a hook says about what it runs.
#[derive(Default)]
struct Found {
    kind: Option<String>,
    command: Option<String>,
    path: Option<String>,
    args: Option<Vec<String>>,
    /// There, and right.
    url: Option<Option<piton_model::notify::Given>>,
    method: Option<Method>,
}

impl Found {
    fn run(self, reader: &mut Reader<'_>, name: &str, start: usize) -> Option<HookKind> {
        let ways = [
            ("command", self.command.is_some()),
            ("script", self.path.is_some()),
            ("webhook", self.url.is_some()),
        ];
        let given: Vec<_> = ways.iter().filter(|(_, is_given)| *is_given).map(|(way, _)| *way).collect();
        let kind = match (&self.kind, given.as_slice()) {
            (Some(kind), _) => kind.as_str(),
            (None, [way]) => way,
            (None, _) => {
                let message = format!("the hook `{name}` does not say what it runs");
                reader.problem_with_hint(
                    start,
                    message,
                    "give one of `command`, `path` and `url`, or a `type`",
                );
                return None;
            }
        };
        const KINDS: [&str; 4] = ["builtin", "script", "command", "webhook"];
        if !KINDS.contains(&kind) {
            reader.unknown(start, &format!("type of hook `{name}`:"), kind, &KINDS);
            return None;
        }
        if let Some(other) = given.iter().find(|way| **way != kind) {
            let message = format!("the hook `{name}` is both a {kind} and a {other}");
            reader.problem(start, message);
            return None;
        }
        let missing = |reader: &mut Reader<'_>, key: &str| {
            reader.problem(start, format!("the hook `{name}` has no `{key}`"));
        };
        match kind {
            "command" => match self.command {
                Some(command) => {
                    let problem = command_problem(&command);
                    if let Some(why) = problem {
                        reader.problem(start, format!("hook `{name}`: {why}"));
                    }
                    problem.is_none().then_some(HookKind::Command { command })
                }
                None => {
                    missing(reader, "command");
                    None
                }
            },
            "script" if self.path.as_ref().is_some_and(|path| !path.is_empty()) => {
                let (path, args) = (self.path?, self.args.unwrap_or_default());
                Some(HookKind::Script { path, args, digest: None })
            }
            "script" => {
                missing(reader, "path");
                None
            }
            "webhook" => match self.url {
                Some(url) => Some(HookKind::Webhook { url: url?, method: self.method.unwrap_or_default() }),
                None => {
                    missing(reader, "url");
                    None
                }
            },
            _ => {
                let builtin = BUILTIN_WORDS.iter().find(|(word, _)| *word == name);
                if builtin.is_none() {
                    reader.unknown(start, "builtin hook", name, &BUILTIN_WORDS.map(|(word, _)| word));
                }
                builtin.map(|(_, builtin)| HookKind::Builtin { builtin: *builtin })
            }
        }
    }
}

fn conditions(reader: &mut Reader<'_>, hook: &str, value: &Spanned<DeValue<'_>>) -> Vec<HookCondition> {
    let Some(items) = value.get_ref().as_array() else {
        let message = "`conditions` must be a list of tables such as `[{ type = \"every_n\", n = 5 }]`";
        reader.problem(value.span().start, message);
        return Vec::new();
    };
    items.iter().filter_map(|item| condition(reader, hook, item)).collect()
}

fn condition(reader: &mut Reader<'_>, hook: &str, value: &Spanned<DeValue<'_>>) -> Option<HookCondition> {
    const TYPES: [(&str, &str); 4] =
        [("every_n", "n"), ("in_mode", "modes"), ("if_pattern", "pattern"), ("if_test_status", "passing")];
    let start = value.span().start;
    let table = reader.table(&format!("a condition of hook `{hook}`"), value, start)?;
    let Some(kind) = table.get("type") else {
        let known = TYPES.map(|(word, _)| format!("`{word}`")).join(", ");
        let message = format!("a condition of hook `{hook}` has no `type`");
        reader.problem_with_hint(start, message, format!("known are {known}"));
        return None;
    };
    let wanted = reader.word("type", kind, &TYPES)?.value;
    for (name, key, _) in entries(table) {
        if name != "type" && name != wanted {
            reader.unknown(key.span().start, "key of a condition:", name, &[wanted]);
        }
    }
    let Some(value) = table.get(wanted) else {
        reader.problem(start, format!("a condition of hook `{hook}` has no `{wanted}`"));
        return None;
    };
    match wanted {
        "n" => {
            let n = reader.whole(wanted, value)?;
            if n == 0 {
                reader.problem(value.span().start, "`n` is at least 1");
            }
            Some(HookCondition::EveryN { n })
        }
        "modes" => Some(HookCondition::InMode { modes: words(reader, wanted, value, &MODE_WORDS) }),
        "passing" => Some(HookCondition::IfTestStatus { passing: reader.flag(wanted, value)?.value }),
        _ => {
            let pattern = reader.text(wanted, value)?.value;
            if let Err(error) = regex::Regex::new(&pattern) {
                let why = error.to_string();
                let why = why.lines().last().unwrap_or_default().trim().to_owned();
                reader.problem(value.span().start, format!("`pattern` of hook `{hook}`: {why}"));
            }
            Some(HookCondition::IfPattern { pattern })
        }
    }
}
