//! `[agents.NAME]`: an agent without writing Rust.

use std::collections::BTreeMap;

use piton_model::loop_machine::{AgentConfig, Injection, NamedBy, StreamField, StreamFormat};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{Members, Pair, Reader, entries};
use crate::agent::{Agent, KNOWN_AGENTS, REPORTS, built_in};
use crate::entry::Type;
use crate::problem::quoted;
use crate::settings::{Settings, Sourced};
use crate::types::{Duration, Flag, OneOf, Text, Texts};

/// What `stream` may say besides the name of an agent that piton understands; `lines` come with `fields`.
const PLAIN: &str = "plain";
const LINES: &str = "lines";

/// What an agent may do without asking.
const MODES: [&str; 3] = ["full", "edit", "ask"];

/// One of them.
pub(crate) fn read(reader: &mut Reader<'_>, settings: &mut Settings, pair: Pair<'_, '_>) {
    let (name, key, value) = pair;
    let start = key.span().start;
    if !reader.can_name("an agent", pair) {
        return;
    }
    if name == "exec" {
        reader.problem(start, "`exec` is the name of the agent given by `--exec`; take another one");
        return;
    }
    let Some(table) = reader.table(&format!("`[agents.{name}]`"), value, start) else { return };
    if let Some(agent) = agent(reader, &settings.agents, name, table, start) {
        settings.agents.push(reader.sourced(agent, start));
    }
}

fn agent(
    reader: &mut Reader<'_>,
    known: &[Sourced<Agent>],
    name: &str,
    table: &DeTable<'_>,
    start: usize,
) -> Option<Agent> {
    let mut said = Members::of(reader, table);
    let alike = said.with("like", |reader, key, value| like(reader, known, key, value));
    let mut agent = match alike {
        Some(other) => renamed(other, name),
        None => Agent::plain(name, Vec::new()),
    };
    let command = said.with("command", |reader, _, value| program(reader, value));
    let run = &mut agent.run;
    set(&mut run.tail, said.get::<Texts>("tail"));
    set(&mut agent.title, said.get::<Text>("title"));
    set(&mut run.prompt, said.get::<OneOf<_>>("prompt"));
    let streams: Vec<_> = [PLAIN, LINES].into_iter().chain(KNOWN_AGENTS).map(|word| (word, word)).collect();
    let stream = said.with("stream", |reader, key, value| reader.word(key, value, &streams));
    let fields = said.with("fields", fields_of);
    let sessions = &mut run.sessions;
    set(&mut sessions.named_by, said.get::<OneOf<_>>("session_named_by"));
    set(&mut sessions.start, said.get::<Texts>("session_start"));
    set(&mut sessions.resume, said.get::<Texts>("session_resume"));
    set(&mut sessions.fork, said.get::<Texts>("session_fork"));
    set(&mut sessions.usage_is_total, said.get::<Flag>("session_totals"));
    set(&mut agent.model, said.get::<Texts>("model"));
    agent.mode = said.get::<Text>("mode").or(agent.mode);
    set(&mut agent.modes, said.with("modes", modes));
    run.env.extend(said.with("env", texts_by_name).unwrap_or_default());
    set(&mut run.inject, said.with("inject", injection));
    set(&mut run.writes, said.get::<Texts>("writes"));
    set(&mut run.settings, said.get::<Texts>("settings"));
    agent.idle_ms = said.get::<Duration>("idle").or(agent.idle_ms);
    set(&mut agent.version, said.get::<Texts>("version"));
    run.login = said.get::<Text>("login").or(run.login.take());
    run.permit = said.get::<Text>("permit").or(run.permit.take());
    set(&mut agent.credentials, said.get::<Texts>("credentials"));
    set(&mut agent.reports, said.with("reports", reports));
    said.end(&format!("key in `[agents.{name}]`:"));
    match stream {
        Some(PLAIN) => agent.run.stream = StreamFormat::Plain,
        Some(LINES) => agent.run.stream = StreamFormat::Lines(fields.unwrap_or_default()),
        Some(adapter) => agent.run.stream = StreamFormat::Adapter(adapter.to_owned()),
        None => {}
    }
    check(reader, &agent, start);
    if !table.contains_key("command") && !table.contains_key("like") {
        reader.problem(start, format!("the agent `{name}` has no `command`"));
    }
    set(&mut agent.run.command, command);
    (!agent.run.command.is_empty()).then_some(agent)
}

/// What is said replaces what was known.
fn set<T>(known: &mut T, said: Option<T>) {
    if let Some(said) = said {
        *known = said;
    }
}

/// The agent that another one is like: one that stands above it in this file, or one that comes with piton.
fn like(
    reader: &mut Reader<'_>,
    known: &[Sourced<Agent>],
    key: &str,
    value: &Spanned<DeValue<'_>>,
) -> Option<Agent> {
    let name = reader.text(key, value)?;
    let above = known.iter().find(|agent| agent.value.run.name == name).map(|agent| agent.value.clone());
    let found = above.or_else(|| built_in(&name));
    if found.is_none() {
        let message = format!("`like`: there is no agent {} above it", quoted(&name));
        let hint = "name one that comes with piton, or one that is described further up";
        reader.problem_with_hint(value.span().start, message, hint);
    }
    found
}

fn renamed(other: Agent, name: &str) -> Agent {
    let run = AgentConfig { name: name.to_owned(), ..other.run };
    Agent { run, title: name.to_owned(), ..other }
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
    let words = reader.texts("command", value)?;
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

/// A table of things that people named, each read in the same way.
fn by_name<T>(
    reader: &mut Reader<'_>,
    key: &str,
    value: &Spanned<DeValue<'_>>,
    read: fn(&mut Reader<'_>, &str, &Spanned<DeValue<'_>>) -> Option<T>,
) -> Option<BTreeMap<String, T>> {
    let table = reader.table(&format!("`{key}`"), value, value.span().start)?;
    let named = entries(table).into_iter();
    Some(named.filter_map(|(name, _, value)| Some((name.to_owned(), read(reader, name, value)?))).collect())
}

fn modes(
    reader: &mut Reader<'_>,
    key: &str,
    value: &Spanned<DeValue<'_>>,
) -> Option<BTreeMap<String, Vec<String>>> {
    by_name(reader, key, value, |reader, name, words| {
        if !MODES.contains(&name) {
            reader.unknown(words.span().start, "mode of an agent:", name, &MODES);
        }
        Some(reader.texts(name, words).unwrap_or_default())
    })
}

fn texts_by_name(
    reader: &mut Reader<'_>,
    key: &str,
    value: &Spanned<DeValue<'_>>,
) -> Option<BTreeMap<String, String>> {
    by_name(reader, key, value, Text::read)
}

fn injection(reader: &mut Reader<'_>, key: &str, value: &Spanned<DeValue<'_>>) -> Option<Injection> {
    let at = value.span().start;
    let table = reader.table(&format!("`{key}`"), value, at)?;
    let mut said = Members::of(reader, table);
    let arguments = said.get::<Texts>("arguments").unwrap_or_default();
    let env = said.with("env", texts_by_name).unwrap_or_default();
    let files = said.with("files", texts_by_name).unwrap_or_default();
    said.end("key in `inject`:");
    for name in files.keys().filter(|name| name.contains('/') || name.starts_with('.')) {
        reader.problem(at, format!("{} is no plain file name", quoted(name)));
    }
    Some(Injection { arguments, env, files })
}

fn fields_of(
    reader: &mut Reader<'_>,
    key: &str,
    value: &Spanned<DeValue<'_>>,
) -> Option<BTreeMap<StreamField, String>> {
    let mut fields = BTreeMap::new();
    let table = reader.table(&format!("`{key}`"), value, value.span().start)?;
    for (name, key, value) in entries(table) {
        let Some(field) = StreamField::from_word(name) else {
            reader.unknown(key.span().start, "field:", name, &StreamField::ALL.map(StreamField::as_str));
            continue;
        };
        let Some(pointer) = reader.text(name, value) else { continue };
        if !pointer.starts_with('/') {
            let message = format!("{} is no JSON pointer", quoted(&pointer));
            reader.problem_with_hint(value.span().start, message, "one begins with `/`: `/usage/input`");
            continue;
        }
        fields.insert(field, pointer);
    }
    Some(fields)
}

fn reports(reader: &mut Reader<'_>, key: &str, value: &Spanned<DeValue<'_>>) -> Option<Vec<String>> {
    let listed = reader.texts(key, value)?;
    let known: Vec<_> = REPORTS.iter().map(|(word, _)| *word).collect();
    for word in listed.iter().filter(|word| !known.contains(&word.as_str())) {
        reader.unknown(value.span().start, "report", word, &known);
    }
    Some(listed)
}
