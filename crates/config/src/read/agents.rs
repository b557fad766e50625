//! `[agents.NAME]`: an agent without writing Rust.

use std::collections::BTreeMap;

use piton_model::loop_machine::{Injection, NamedBy, StreamField, StreamFormat};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{Pair, Reader, entries};
use crate::agent::{Agent, KNOWN_AGENTS, REPORTS};
use crate::check::name_problem;
use crate::entry::Type;
use crate::problem::quoted;
use crate::settings::Settings;
use crate::types::OneOf;

const KEYS: [&str; 24] = [
    "command",
    "tail",
    "title",
    "prompt",
    "stream",
    "fields",
    "session_named_by",
    "session_start",
    "session_resume",
    "session_fork",
    "session_totals",
    "model",
    "mode",
    "modes",
    "env",
    "inject",
    "writes",
    "settings",
    "idle",
    "version",
    "login",
    "permit",
    "credentials",
    "reports",
];

/// What `stream` may say besides the name of an agent that piton understands; `lines` come with `fields`.
const PLAIN: &str = "plain";
const LINES: &str = "lines";

/// One of them.
pub(crate) fn read(reader: &mut Reader<'_>, settings: &mut Settings, (name, key, value): Pair<'_, '_>) {
    let start = key.span().start;
    if let Some(why) = name_problem(name) {
        reader.problem(start, format!("{} cannot name an agent: {why}", quoted(name)));
        return;
    }
    if name == "exec" {
        reader.problem(start, "`exec` is the name of the agent given by `--exec`; take another one");
        return;
    }
    let Some(table) = reader.table(&format!("`[agents.{name}]`"), value, start) else { return };
    if let Some(agent) = agent(reader, name, table, start) {
        settings.agents.push(reader.sourced(agent, start));
    }
}

fn agent(reader: &mut Reader<'_>, name: &str, table: &DeTable<'_>, start: usize) -> Option<Agent> {
    let mut agent = Agent::plain(name, Vec::new());
    let mut command = None;
    let (mut stream, mut fields) = (PLAIN, None);
    for (inner, key, value) in entries(table) {
        let at = key.span().start;
        match inner {
            "command" => command = Some(program(reader, value)),
            "tail" => agent.run.tail = words(reader, inner, value),
            "title" => agent.title = text(reader, inner, value).unwrap_or_default(),
            "prompt" => agent.run.prompt = OneOf::read(reader, inner, value).unwrap_or_default(),
            "stream" => {
                let words: Vec<_> =
                    [PLAIN, LINES].into_iter().chain(KNOWN_AGENTS).map(|word| (word, word)).collect();
                stream = reader.word(inner, value, &words).map_or(stream, |word| word.value);
            }
            "fields" => fields = Some(fields_of(reader, value, at)),
            "session_named_by" => {
                agent.run.sessions.named_by = OneOf::read(reader, inner, value).unwrap_or_default();
            }
            "session_start" => agent.run.sessions.start = words(reader, inner, value),
            "session_resume" => agent.run.sessions.resume = words(reader, inner, value),
            "session_fork" => agent.run.sessions.fork = words(reader, inner, value),
            "session_totals" => {
                agent.run.sessions.usage_is_total = reader.flag(inner, value).is_some_and(|flag| flag.value);
            }
            "model" => agent.model = words(reader, inner, value),
            "mode" => agent.mode = text(reader, inner, value),
            "modes" => agent.modes = modes(reader, value, at),
            "env" => agent.run.env = texts_by_name(reader, inner, value, at),
            "inject" => agent.run.inject = injection(reader, value, at),
            "writes" => agent.run.writes = words(reader, inner, value),
            "settings" => agent.run.settings = words(reader, inner, value),
            "idle" => agent.idle_ms = reader.duration(inner, value).map(|found| found.value),
            "credentials" => agent.credentials = words(reader, inner, value),
            "version" => agent.version = words(reader, inner, value),
            "login" => agent.run.login = text(reader, inner, value),
            "permit" => agent.run.permit = text(reader, inner, value),
            "reports" => agent.reports = reports(reader, value),
            _ => reader.unknown(at, &format!("key in `[agents.{name}]`:"), inner, &KEYS),
        }
    }
    agent.run.stream = match stream {
        PLAIN => StreamFormat::Plain,
        LINES => StreamFormat::Lines(fields.unwrap_or_default()),
        adapter => StreamFormat::Adapter(adapter.to_owned()),
    };
    check(reader, &agent, start);
    match command {
        Some(command) => agent.run.command = command?,
        None => {
            reader.problem(start, format!("the agent `{name}` has no `command`"));
            return None;
        }
    }
    Some(agent)
}

/// What only makes sense together.
fn check(reader: &mut Reader<'_>, agent: &Agent, start: usize) {
    let name = &agent.run.name;
    let sessions = &agent.run.sessions;
    if sessions.named_by == NamedBy::Us && sessions.start.is_empty() {
        reader.problem(
            start,
            format!("the agent `{name}` needs `session_start` to be told the name of its session"),
        );
    }
    if let Some(mode) = agent.mode.as_ref().filter(|mode| !agent.modes.contains_key(*mode)) {
        reader.problem(start, format!("the agent `{name}` has no mode {} under `modes`", quoted(mode)));
    }
    if matches!(&agent.run.stream, StreamFormat::Lines(fields) if fields.is_empty()) {
        reader.problem_with_hint(
            start,
            format!("the agent `{name}` prints `lines`, and nothing is known of them"),
            "say where things are: `fields = { text = \"/message\" }`",
        );
    }
}

fn program(reader: &mut Reader<'_>, value: &Spanned<DeValue<'_>>) -> Option<Vec<String>> {
    let start = value.span().start;
    if matches!(value.get_ref(), DeValue::String(_)) {
        let message = "`command` of an agent must be a list: the program and its arguments";
        let hint = "write `[\"program\", \"argument\"]`, or `[\"sh\", \"-c\", \"…\"]` for a shell";
        reader.problem_with_hint(start, message, hint);
        return None;
    }
    let words: Vec<String> = reader.texts("command", value)?.into_iter().map(|word| word.value).collect();
    if words.first().is_none_or(|program| program.trim().is_empty()) {
        reader.problem(start, "`command` names no program");
        return None;
    }
    if words.iter().any(|word| word.contains('\0')) {
        reader.problem(start, "`command` holds a zero byte");
        return None;
    }
    Some(words)
}

fn text(reader: &mut Reader<'_>, key: &str, value: &Spanned<DeValue<'_>>) -> Option<String> {
    reader.text(key, value).map(|text| text.value)
}

fn words(reader: &mut Reader<'_>, key: &str, value: &Spanned<DeValue<'_>>) -> Vec<String> {
    reader.texts(key, value).into_iter().flatten().map(|word| word.value).collect()
}

fn modes(reader: &mut Reader<'_>, value: &Spanned<DeValue<'_>>, at: usize) -> BTreeMap<String, Vec<String>> {
    let Some(table) = reader.table("`modes`", value, at) else { return BTreeMap::new() };
    entries(table).into_iter().map(|(name, _, value)| (name.to_owned(), words(reader, name, value))).collect()
}

fn texts_by_name(
    reader: &mut Reader<'_>,
    key: &str,
    value: &Spanned<DeValue<'_>>,
    at: usize,
) -> BTreeMap<String, String> {
    let Some(table) = reader.table(&format!("`{key}`"), value, at) else { return BTreeMap::new() };
    let mut texts = BTreeMap::new();
    for (name, _, value) in entries(table) {
        if let Some(text) = text(reader, name, value) {
            texts.insert(name.to_owned(), text);
        }
    }
    texts
}

fn injection(reader: &mut Reader<'_>, value: &Spanned<DeValue<'_>>, at: usize) -> Injection {
    let mut injection = Injection::default();
    let Some(table) = reader.table("`inject`", value, at) else { return injection };
    for (name, key, value) in entries(table) {
        let at = key.span().start;
        match name {
            "arguments" => injection.arguments = words(reader, name, value),
            "env" => injection.env = texts_by_name(reader, name, value, at),
            "files" => injection.files = texts_by_name(reader, name, value, at),
            _ => reader.unknown(at, "key in `inject`:", name, &["arguments", "env", "files"]),
        }
    }
    for name in injection.files.keys().filter(|name| name.contains('/') || name.starts_with('.')) {
        reader.problem(at, format!("{} is no plain file name", quoted(name)));
    }
    injection
}

fn fields_of(
    reader: &mut Reader<'_>,
    value: &Spanned<DeValue<'_>>,
    at: usize,
) -> BTreeMap<StreamField, String> {
    let mut fields = BTreeMap::new();
    let Some(table) = reader.table("`fields`", value, at) else { return fields };
    for (name, key, value) in entries(table) {
        let Some(field) = StreamField::from_word(name) else {
            reader.unknown(key.span().start, "field:", name, &StreamField::ALL.map(StreamField::as_str));
            continue;
        };
        let Some(pointer) = text(reader, name, value) else { continue };
        if !pointer.starts_with('/') {
            let message = format!("{} is no JSON pointer", quoted(&pointer));
            reader.problem_with_hint(value.span().start, message, "one begins with `/`: `/usage/input`");
            continue;
        }
        fields.insert(field, pointer);
    }
    fields
}

fn reports(reader: &mut Reader<'_>, value: &Spanned<DeValue<'_>>) -> Vec<String> {
    let listed = reader.texts("reports", value).unwrap_or_default();
    let known: Vec<_> = REPORTS.iter().map(|(word, _)| *word).collect();
    for word in listed.iter().filter(|word| !known.contains(&word.value.as_str())) {
        reader.unknown(value.span().start, "report", &word.value, &known);
    }
    listed.into_iter().map(|word| word.value).collect()
}
