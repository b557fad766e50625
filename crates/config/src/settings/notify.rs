//! `[notify]`: channels, triggers, rate and quiet hours.

use piton_model::Kind;
use piton_model::limits::PER_HOUR_MAX;
use piton_model::notify::{
    Channel, ChannelKind, Day, Email, Encryption, FACTS, Given, Notify, On, Priority, QuietHours, Rate,
    Trigger,
};
use serde_json::json;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::checks::table;
use crate::entry::{Entry, Inner, Section, Takes, Type, inner, section};
use crate::problem::{Place, Problem, escaped, quoted};
use crate::read::{Members, Pair, Reader, entries};
use crate::settings::{Settings, Sourced, by_name};
use crate::show;
use crate::types::{Flag, Many, OneOf, Span, Text, Texts, TimeOfDay, takes};

section! {
    /// Who is told what; without this section a desktop is told, if there is one.
    notify: NotifySettings = "notify" {
        /// Whether anybody is told anything.
        enabled: Flag, [Loop Workflow Cycle] { otherwise: "`true`" };
        /// The shortest time between two messages of the same trigger.
        min_interval: Span, [Loop Workflow Cycle] { otherwise: "`\"60s\"`" };
        /// The most messages in an hour; 0 means no limit.
        max_per_hour: PerHour, [Loop Workflow Cycle] { otherwise: "`20`" };
        /// How long what is told waits for more of it.
        debounce: Span, [Loop Cycle] { otherwise: "`\"5s\"`" };
        /// When nobody is disturbed.
        quiet_hours: Quiet, [Loop Workflow Cycle];
    }
}

/// `[notify.channels]`.
pub(crate) const CHANNELS: Section = Section {
    path: "notify.channels",
    about: "Where messages go; the desktop unless said.",
    there: |_| {},
    entries: &[Entry {
        section: "notify.channels",
        words: "A channel of your own.",
        kinds: &[Kind::Loop, Kind::Workflow, Kind::Cycle],
        inner: &CHANNEL_KEYS,
        takes: || takes("a table with `type`", table(&CHANNEL_KEYS, &["type"])),
        read: |reader, settings, pair| settings.channels.extend(channel(reader, pair)),
        overlay: |lower, upper| {
            by_name(&mut lower.channels, std::mem::take(&mut upper.channels), |channel| &channel.name);
        },
        show: |settings| {
            let kind = |channel: &Channel| json!(channel.to.as_str());
            let each = settings.channels.iter();
            each.map(|channel| show::value("notify.channels", &channel.value.name, channel, kind)).collect()
        },
        ..Entry::BASE
    }],
};

/// `[notify.triggers]`.
pub(crate) const TRIGGERS: Section = Section {
    path: "notify.triggers",
    about: "What people are told of, and how.",
    there: |_| {},
    entries: &[Entry {
        section: "notify.triggers",
        words: "Whether people are told of this, and how; `docs/notifications.md` has the names.",
        kinds: &[Kind::Loop, Kind::Workflow, Kind::Cycle],
        inner: &TRIGGER_KEYS,
        takes: || {
            let schema = json!({"anyOf": [
                {"type": "boolean"}, {"enum": Priority::ALL}, table(&TRIGGER_KEYS, &[]),
            ]});
            takes("`true`, `false`, a priority, or a table", schema)
        },
        read: |reader, settings, pair| settings.triggers.extend(trigger(reader, pair)),
        overlay: |lower, upper| {
            by_name(&mut lower.triggers, std::mem::take(&mut upper.triggers), |(trigger, _)| trigger);
        },
        show: |settings| {
            let priority =
                |(_, on): &(Trigger, Option<On>)| on.as_ref().map_or(json!(false), |on| json!(on.priority));
            let each = settings.triggers.iter();
            each.map(|said| show::value("notify.triggers", said.value.0.as_str(), said, priority)).collect()
        },
        ..Entry::BASE
    }],
};

const CHANNEL_KEYS: [Inner; 12] = [
    inner("type", "`desktop`, `slack`, `discord`, `webhook`, `email` or `logfile`", "What it is."),
    inner("min_priority", "a priority", "What is less important is not sent."),
    inner("url", "where the address is kept", "slack, discord, webhook: where to."),
    inner("token", "where the token is kept", "webhook: sent as a bearer token."),
    inner("host", "a text", "email: the server."),
    inner("port", "a whole number", "email: its port."),
    inner("encryption", "`starttls`, `tls` or `none`", "email: how it is spoken to."),
    inner("from", "a mail address", "email: the sender."),
    inner("to", "a list of mail addresses", "email: the receivers."),
    inner("username", "a text", "email: who logs in."),
    inner("password", "where the password is kept", "email: what they log in with."),
    inner("path", "a path", "logfile: the file."),
];

const TRIGGER_KEYS: [Inner; 4] = [
    inner("priority", "a priority", "How important it is."),
    inner("channels", "a list of names", "Only these are told."),
    inner("title", "a text with `{facts}`", "The first line."),
    inner("text", "a text with `{facts}`", "The rest."),
];

impl Settings {
    /// What a run is given; nothing where nobody said anything: then a desktop is told, if there is one.
    pub fn settled_notify(&self) -> Option<Notify> {
        let said = &self.notify;
        if said.enabled.as_ref().is_some_and(|enabled| !enabled.value) {
            return Some(Notify { channels: Vec::new(), on: Default::default(), ..Notify::default() });
        }
        if !said.is_there {
            return None;
        }
        let mut notify = Notify::default();
        if !self.channels.is_empty() {
            notify.channels = self.channels.iter().map(|channel| channel.value.clone()).collect();
        }
        for said in &self.triggers {
            match &said.value {
                (trigger, Some(on)) => notify.on.insert(*trigger, on.clone()),
                (trigger, None) => notify.on.remove(trigger),
            };
        }
        let rate = Rate::default();
        notify.rate = Rate {
            per_trigger_ms: said.min_interval.as_ref().map_or(rate.per_trigger_ms, |said| said.value),
            per_hour: said.max_per_hour.as_ref().map_or(rate.per_hour, |said| said.value),
            debounce_ms: said.debounce.as_ref().map_or(rate.debounce_ms, |said| said.value),
        };
        notify.quiet = said.quiet_hours.as_ref().map(|said| said.value.clone());
        Some(notify)
    }

    /// Triggers that name a channel which nobody described. Known only once all layers are together.
    pub(crate) fn channel_problems(&self) -> Vec<Problem> {
        let known: Vec<_> = self.channels.iter().map(|channel| channel.value.name.as_str()).collect();
        let known = if known.is_empty() { vec!["desktop"] } else { known };
        let named = self.triggers.iter().filter_map(|said| Some((&said.place, said.value.1.as_ref()?)));
        let pairs = named.flat_map(|(place, on)| on.channels.iter().map(move |channel| (place, channel)));
        pairs
            .filter(|(_, channel)| !known.contains(&channel.as_str()))
            .map(|(place, channel): (&Place, _)| {
                let problem = Problem::new(place.clone(), format!("there is no channel {}", quoted(channel)));
                problem.hint(format!("known are {}", known.join(", ")))
            })
            .collect()
    }
}

/// How many of something there may be in an hour.
pub struct PerHour;

impl Type for PerHour {
    type Value = u32;

    fn read(reader: &mut Reader<'_>, key: &str, value: &Spanned<DeValue<'_>>) -> Option<u32> {
        let most = reader.whole(key, value)?;
        if most > PER_HOUR_MAX {
            let message = format!("`{key}` is at most {PER_HOUR_MAX}, or 0 for no limit");
            reader.problem(value.span().start, message);
        }
        Some(most)
    }

    fn takes() -> Takes {
        let schema = json!({"type": "integer", "minimum": 0, "maximum": PER_HOUR_MAX});
        takes("a whole number, at most 100", schema)
    }
}

/// When nobody is disturbed.
pub struct Quiet;

impl Type for Quiet {
    type Value = QuietHours;

    fn read(reader: &mut Reader<'_>, key: &str, value: &Spanned<DeValue<'_>>) -> Option<QuietHours> {
        let start = value.span().start;
        let what = key;
        let table = reader.table(&format!("`{what}`"), value, start)?;
        let mut said = Members::of(reader, table);
        let (from, to) = (said.get::<TimeOfDay>("from"), said.get::<TimeOfDay>("to"));
        let days = said.get::<Many<OneOf<Day>>>("days").unwrap_or_default();
        let allow_critical = said.get::<Flag>("allow_critical").unwrap_or(true);
        said.end(&format!("key in `{what}`:"));
        if !table.contains_key("from") || !table.contains_key("to") {
            reader.problem_with_hint(
                start,
                format!("`{what}` needs `from` and `to`"),
                "write `{ from = \"22:00\", to = \"07:00\" }`",
            );
        }
        Some(QuietHours { from: from?, to: to?, days, allow_critical })
    }

    fn takes() -> Takes {
        let time = TimeOfDay::takes().schema;
        let properties = json!({
            "from": time, "to": time, "days": Many::<OneOf<Day>>::takes().schema,
            "allow_critical": {"type": "boolean"},
        });
        let schema = json!({
            "type": "object", "properties": properties, "required": ["from", "to"], "additionalProperties": false,
        });
        takes("`{ from = \"22:00\", to = \"07:00\", days = [\"fri\"], allow_critical = false }`", schema)
    }
}

#[derive(Clone, Copy)]
enum Sort {
    Desktop,
    Slack,
    Discord,
    Webhook,
    Email,
    Logfile,
}

/// The kinds of channels, and what each takes beside `type` and `min_priority`.
const KINDS: [(&str, (Sort, &[&str])); 6] = [
    ("desktop", (Sort::Desktop, &[])),
    ("slack", (Sort::Slack, &["url"])),
    ("discord", (Sort::Discord, &["url"])),
    ("webhook", (Sort::Webhook, &["url", "token"])),
    ("email", (Sort::Email, &["host", "port", "encryption", "from", "to", "username", "password"])),
    ("logfile", (Sort::Logfile, &["path"])),
];

fn trigger(
    reader: &mut Reader<'_>,
    (name, key, value): Pair<'_, '_>,
) -> Option<Sourced<(Trigger, Option<On>)>> {
    let start = key.span().start;
    let Some(trigger) = Trigger::ALL.into_iter().find(|trigger| trigger.as_str() == name) else {
        reader.unknown(start, "trigger", name, &Trigger::ALL.map(Trigger::as_str));
        return None;
    };
    let mut on = On::of(trigger);
    match value.get_ref() {
        DeValue::Boolean(false) => return Some(reader.sourced((trigger, None), start)),
        DeValue::Boolean(true) => {}
        DeValue::Table(table) => {
            let mut said = Members::of(reader, table);
            on.priority = said.get::<OneOf<Priority>>("priority").unwrap_or(on.priority);
            on.channels = said.get::<Texts>("channels").unwrap_or_default();
            on.title = said.with("title", template);
            on.text = said.with("text", template);
            said.end(&format!("key in `{name}`:"));
        }
        _ => on.priority = OneOf::read(reader, name, value)?,
    }
    Some(reader.sourced((trigger, Some(on)), start))
}

/// A text whose `{facts}` are all known.
fn template(reader: &mut Reader<'_>, key: &str, value: &Spanned<DeValue<'_>>) -> Option<String> {
    let text = reader.text(key, value)?;
    let plain = text.replace("{{", "").replace("}}", "");
    for piece in plain.split('{').skip(1) {
        let Some((fact, _)) = piece.split_once('}') else { continue };
        if !FACTS.contains(&fact) {
            reader.unknown(value.span().start, &format!("fact in `{key}`:"), fact, &FACTS);
        }
    }
    Some(text)
}

fn channel(reader: &mut Reader<'_>, pair: Pair<'_, '_>) -> Option<Sourced<Channel>> {
    let (name, key, value) = pair;
    let start = key.span().start;
    if !reader.can_name("a channel", pair) {
        return None;
    }
    let table = reader.table(&format!("the channel `{name}`"), value, start)?;
    let Some(kind) = table.get("type") else {
        let known: Vec<_> = KINDS.iter().map(|(word, _)| format!("`{word}`")).collect();
        let message = format!("the channel `{name}` has no `type`");
        reader.problem_with_hint(start, message, format!("known are {}", known.join(", ")));
        return None;
    };
    let (sort, keys) = reader.word("type", kind, &KINDS)?;
    let mut given = Fields { name, start, table };
    let min_priority = table.get("min_priority").and_then(|value| OneOf::read(reader, "min_priority", value));
    for (inner, key, _) in entries(table) {
        if !keys.contains(&inner) && !["type", "min_priority"].contains(&inner) {
            let known: Vec<_> = ["min_priority"].iter().chain(keys).copied().collect();
            reader.unknown(key.span().start, &format!("key in channel `{name}`:"), inner, &known);
        }
    }
    let to = match sort {
        Sort::Desktop => ChannelKind::Desktop {},
        Sort::Slack => ChannelKind::Slack { url: given.required(reader, "url", secret)? },
        Sort::Discord => ChannelKind::Discord { url: given.required(reader, "url", secret)? },
        Sort::Webhook => {
            let token = table.contains_key("token").then(|| given.required(reader, "token", secret));
            ChannelKind::Webhook { url: given.required(reader, "url", address)?, token: token.flatten() }
        }
        Sort::Email => ChannelKind::Email(Box::new(email(reader, &mut given)?)),
        Sort::Logfile => ChannelKind::Logfile { path: given.required(reader, "path", Text::read)? },
    };
    let min_priority = min_priority.unwrap_or(Priority::Low);
    Some(reader.sourced(Channel { name: name.to_owned(), min_priority, to }, start))
}

/// How a value is read.
type Read<T> = fn(&mut Reader<'_>, &str, &Spanned<DeValue<'_>>) -> Option<T>;

/// The keys of one channel.
struct Fields<'a, 't> {
    name: &'a str,
    start: usize,
    table: &'a DeTable<'t>,
}

impl Fields<'_, '_> {
    fn missing(&self, reader: &mut Reader<'_>, key: &str) {
        reader.problem(self.start, format!("the channel `{}` has no `{key}`", self.name));
    }

    /// What a key that must be there says, as `read` reads it.
    fn required<T>(&self, reader: &mut Reader<'_>, key: &str, read: Read<T>) -> Option<T> {
        match self.table.get(key) {
            Some(value) => read(reader, key, value),
            None => {
                self.missing(reader, key);
                None
            }
        }
    }
}

fn email(reader: &mut Reader<'_>, given: &mut Fields<'_, '_>) -> Option<Email> {
    let table = given.table;
    let encryption = table.get("encryption").and_then(|value| OneOf::read(reader, "encryption", value));
    let encryption: Encryption = encryption.unwrap_or_default();
    let mut port = encryption.port();
    if let Some(value) = table.get("port") {
        match reader.whole("port", value).map(u16::try_from) {
            Some(Ok(number)) if number > 0 => port = number,
            Some(_) => reader.problem(value.span().start, "`port` is between 1 and 65535"),
            None => {}
        }
    }
    let to = table.get("to").map(|value| reader.texts("to", value).unwrap_or_default());
    if to.as_ref().is_none_or(Vec::is_empty) {
        given.missing(reader, "to");
    }
    let (host, from) =
        (given.required(reader, "host", Text::read), given.required(reader, "from", Text::read));
    for address in to.iter().flatten().chain(&from).filter(|address| !address.contains('@')) {
        reader.problem(given.start, format!("{} is not a mail address", quoted(address)));
    }
    let username = table.get("username").and_then(|value| reader.text("username", value));
    let password = table.get("password").map(|value| secret(reader, "password", value));
    if username.is_some() && password.is_none() {
        given.missing(reader, "password");
    }
    Some(Email {
        host: host?,
        port,
        encryption,
        from: from?,
        to: to?,
        username,
        password: password.flatten(),
    })
}

/// An address that may be written down, or where a secret one is found.
pub(super) fn address(reader: &mut Reader<'_>, key: &str, value: &Spanned<DeValue<'_>>) -> Option<Given> {
    let DeValue::String(text) = value.get_ref() else { return secret(reader, key, value) };
    let start = value.span().start;
    let host = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let host = host.map(|rest| rest.split(['/', '?', '#']).next().unwrap_or_default());
    match host {
        Some(host) if host.contains('@') => {
            let hint = format!("write `{key} = {{ env = \"NAME\" }}`");
            reader.problem_with_hint(start, format!("`{key}` holds a password"), hint);
            None
        }
        Some(host) if !host.is_empty() => Some(Given::Plain(text.to_string())),
        _ => {
            let message = format!("`{key}`: {} does not begin with `https://` or `http://`", escaped(text));
            reader.problem(start, message);
            None
        }
    }
}

/// Where a secret is found.
pub(super) fn secret(reader: &mut Reader<'_>, key: &str, value: &Spanned<DeValue<'_>>) -> Option<Given> {
    let start = value.span().start;
    let hint = format!("write `{key} = {{ env = \"NAME\" }}` or `{key} = {{ file = \"~/PATH\" }}`");
    let Some(table) = value.get_ref().as_table() else {
        let message = format!("`{key}` is a secret: it is kept in a variable or a file of yours, not here");
        reader.problem_with_hint(start, message, hint);
        return None;
    };
    let mut said = Members::of(reader, table);
    let env = said.get::<Text>("env").map(Given::Env);
    let file = said.with("file", |reader, name, value| {
        let path = reader.text(name, value)?;
        if !path.starts_with('/') && !path.starts_with("~/") {
            let message = format!("{} is neither absolute nor below `~/`", quoted(&path));
            reader.problem(value.span().start, message);
        }
        Some(Given::File(path))
    });
    said.end(&format!("key in `{key}`:"));
    if table.len() != 1 {
        reader.problem_with_hint(start, format!("`{key}` is found in one place"), hint);
    }
    env.or(file)
}
