//! `[notify]`: channels, triggers, rate and quiet hours.

use piton_model::notify::{
    Channel, ChannelKind, Day, Email, Encryption, FACTS, Given, On, Priority, QuietHours, TimeOfDay, Trigger,
};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{Entry, Reader, entries};
use crate::check::name_problem;
use crate::duration::parse_duration;
use crate::problem::{escaped, quoted};
use crate::settings::{Settings, Sourced};

const KEYS: [&str; 7] =
    ["enabled", "channels", "triggers", "quiet_hours", "min_interval", "max_per_hour", "debounce"];

/// As many messages are counted.
const PER_HOUR_MAX: u32 = 100;

const PRIORITY_WORDS: [(&str, Priority); 4] = [
    ("low", Priority::Low),
    ("normal", Priority::Normal),
    ("high", Priority::High),
    ("critical", Priority::Critical),
];

/// What a day is called.
pub(super) const DAY_WORDS: [(&str, Day); 7] = [
    ("sun", Day::Sun),
    ("mon", Day::Mon),
    ("tue", Day::Tue),
    ("wed", Day::Wed),
    ("thu", Day::Thu),
    ("fri", Day::Fri),
    ("sat", Day::Sat),
];

const ENCRYPTION_WORDS: [(&str, Encryption); 3] =
    [("starttls", Encryption::Starttls), ("tls", Encryption::Tls), ("none", Encryption::None)];

/// The kinds of channels, and what each takes beside `type` and `min_priority`.
const CHANNELS: [(&str, &[&str]); 6] = [
    ("desktop", &[]),
    ("slack", &["url"]),
    ("discord", &["url"]),
    ("webhook", &["url", "token"]),
    ("email", &["host", "port", "encryption", "from", "to", "username", "password"]),
    ("logfile", &["path"]),
];

pub(super) fn read(reader: &mut Reader<'_>, table: &DeTable<'_>, settings: &mut Settings) {
    let notify = &mut settings.notify;
    notify.is_there = true;
    for (name, key, value) in entries(table) {
        let start = key.span().start;
        match name {
            "enabled" => notify.enabled = reader.flag(name, value),
            "min_interval" => notify.min_interval_ms = span(reader, name, value),
            "debounce" => notify.debounce_ms = span(reader, name, value),
            "max_per_hour" => {
                let most = reader.whole(name, value);
                if most.is_some_and(|most| most > PER_HOUR_MAX) {
                    let message = format!("`max_per_hour` is at most {PER_HOUR_MAX}, or 0 for no limit");
                    reader.problem(value.span().start, message);
                }
                notify.max_per_hour = most.map(|most| reader.sourced(most, value.span().start));
            }
            "quiet_hours" => notify.quiet_hours = quiet_hours(reader, value),
            "channels" => {
                let Some(table) = reader.table("`channels`", value, start) else { continue };
                for entry in entries(table) {
                    notify.channels.extend(channel(reader, entry));
                }
            }
            "triggers" => {
                let Some(table) = reader.table("`triggers`", value, start) else { continue };
                for entry in entries(table) {
                    notify.triggers.extend(trigger(reader, entry));
                }
            }
            _ => reader.unknown(start, "key in `[notify]`:", name, &KEYS),
        }
    }
}

/// A duration that may be zero.
fn span(reader: &mut Reader<'_>, key: &str, value: &Spanned<DeValue<'_>>) -> Option<Sourced<u64>> {
    match value.get_ref() {
        DeValue::String(text) if parse_duration(text) == Ok(0) => Some(reader.sourced(0, value.span().start)),
        _ => reader.duration(key, value),
    }
}

fn quiet_hours(reader: &mut Reader<'_>, value: &Spanned<DeValue<'_>>) -> Option<Sourced<QuietHours>> {
    let start = value.span().start;
    let table = reader.table("`quiet_hours`", value, start)?;
    let (mut from, mut to, mut days, mut allow_critical) = (None, None, Vec::new(), true);
    for (name, key, value) in entries(table) {
        match name {
            "from" => from = Some(time_of_day(reader, name, value)),
            "to" => to = Some(time_of_day(reader, name, value)),
            "days" => {
                for day in value.get_ref().as_array().into_iter().flat_map(|days| days.iter()) {
                    days.extend(reader.word(name, day, &DAY_WORDS).map(|day| day.value));
                }
                if value.get_ref().as_array().is_none() {
                    reader.texts(name, value);
                }
            }
            "allow_critical" => {
                allow_critical = reader.flag(name, value).is_none_or(|allow| allow.value);
            }
            _ => {
                let known = ["from", "to", "days", "allow_critical"];
                reader.unknown(key.span().start, "key in `quiet_hours`:", name, &known);
            }
        }
    }
    if from.is_none() || to.is_none() {
        reader.problem_with_hint(
            start,
            "`quiet_hours` needs `from` and `to`",
            "write `{ from = \"22:00\", to = \"07:00\" }`",
        );
    }
    let hours = QuietHours { from: from??, to: to??, days, allow_critical };
    Some(reader.sourced(hours, start))
}

pub(super) fn time_of_day(
    reader: &mut Reader<'_>,
    key: &str,
    value: &Spanned<DeValue<'_>>,
) -> Option<TimeOfDay> {
    let text = reader.text(key, value)?;
    let time = text.value.parse();
    if time.is_err() {
        let message = format!("`{key}`: {} is not a time of day like `22:30`", quoted(&text.value));
        reader.problem(value.span().start, message);
    }
    time.ok()
}

fn trigger(
    reader: &mut Reader<'_>,
    (name, key, value): Entry<'_, '_>,
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
            for (inner, key, value) in entries(table) {
                match inner {
                    "priority" => {
                        let priority = reader.word(inner, value, &PRIORITY_WORDS);
                        on.priority = priority.map_or(on.priority, |priority| priority.value);
                    }
                    "channels" => {
                        on.channels = reader.list(inner, value).map(|list| list.value).unwrap_or_default()
                    }
                    "title" => on.title = template(reader, inner, value),
                    "text" => on.text = template(reader, inner, value),
                    _ => {
                        let known = ["priority", "channels", "title", "text"];
                        reader.unknown(key.span().start, &format!("key in `{name}`:"), inner, &known);
                    }
                }
            }
        }
        _ => on.priority = reader.word(name, value, &PRIORITY_WORDS)?.value,
    }
    Some(reader.sourced((trigger, Some(on)), start))
}

/// A text whose `{facts}` are all known.
fn template(reader: &mut Reader<'_>, key: &str, value: &Spanned<DeValue<'_>>) -> Option<String> {
    let text = reader.text(key, value)?.value;
    let plain = text.replace("{{", "").replace("}}", "");
    for piece in plain.split('{').skip(1) {
        let Some((fact, _)) = piece.split_once('}') else { continue };
        if !FACTS.contains(&fact) {
            reader.unknown(value.span().start, &format!("fact in `{key}`:"), fact, &FACTS);
        }
    }
    Some(text)
}

fn channel(reader: &mut Reader<'_>, (name, key, value): Entry<'_, '_>) -> Option<Sourced<Channel>> {
    let start = key.span().start;
    if let Some(why) = name_problem(name) {
        reader.problem(start, format!("{} cannot name a channel: {why}", quoted(name)));
        return None;
    }
    let table = reader.table(&format!("the channel `{name}`"), value, start)?;
    let words: Vec<_> = CHANNELS.iter().map(|(word, keys)| (*word, *keys)).collect();
    let Some(kind) = table.get("type") else {
        let known: Vec<_> = words.iter().map(|(word, _)| format!("`{word}`")).collect();
        let message = format!("the channel `{name}` has no `type`");
        reader.problem_with_hint(start, message, format!("known are {}", known.join(", ")));
        return None;
    };
    let keys = reader.word("type", kind, &words)?.value;
    let mut given = Fields { name, start, table };
    let min_priority =
        table.get("min_priority").and_then(|value| reader.word("min_priority", value, &PRIORITY_WORDS));
    for (inner, key, _) in entries(table) {
        if !keys.contains(&inner) && !["type", "min_priority"].contains(&inner) {
            let known: Vec<_> = ["min_priority"].iter().chain(keys).copied().collect();
            reader.unknown(key.span().start, &format!("key in channel `{name}`:"), inner, &known);
        }
    }
    let to = match kind.get_ref().as_str().unwrap_or_default() {
        "slack" => ChannelKind::Slack { url: given.secret(reader, "url")? },
        "discord" => ChannelKind::Discord { url: given.secret(reader, "url")? },
        "webhook" => {
            let token = table.contains_key("token").then(|| given.secret(reader, "token"));
            ChannelKind::Webhook { url: given.address(reader, "url")?, token: token.flatten() }
        }
        "email" => ChannelKind::Email(Box::new(email(reader, &mut given)?)),
        "logfile" => ChannelKind::Logfile { path: given.text(reader, "path")? },
        _ => ChannelKind::Desktop {},
    };
    let min_priority = min_priority.map_or(Priority::Low, |priority| priority.value);
    Some(reader.sourced(Channel { name: name.to_owned(), min_priority, to }, start))
}

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

    fn text(&self, reader: &mut Reader<'_>, key: &str) -> Option<String> {
        match self.table.get(key) {
            Some(value) => reader.text(key, value).map(|text| text.value),
            None => {
                self.missing(reader, key);
                None
            }
        }
    }

    fn address(&self, reader: &mut Reader<'_>, key: &str) -> Option<Given> {
        match self.table.get(key) {
            Some(value) => address(reader, key, value),
            None => {
                self.missing(reader, key);
                None
            }
        }
    }

    fn secret(&self, reader: &mut Reader<'_>, key: &str) -> Option<Given> {
        match self.table.get(key) {
            Some(value) => secret(reader, key, value),
            None => {
                self.missing(reader, key);
                None
            }
        }
    }
}

fn email(reader: &mut Reader<'_>, given: &mut Fields<'_, '_>) -> Option<Email> {
    let table = given.table;
    let encryption =
        table.get("encryption").and_then(|value| reader.word("encryption", value, &ENCRYPTION_WORDS));
    let encryption = encryption.map(|word| word.value).unwrap_or_default();
    let mut port = encryption.port();
    if let Some(value) = table.get("port") {
        match reader.whole("port", value).map(u16::try_from) {
            Some(Ok(number)) if number > 0 => port = number,
            Some(_) => reader.problem(value.span().start, "`port` is between 1 and 65535"),
            None => {}
        }
    }
    let to = table.get("to").map(|value| reader.list("to", value).map(|list| list.value).unwrap_or_default());
    if to.as_ref().is_none_or(Vec::is_empty) {
        given.missing(reader, "to");
    }
    let (host, from) = (given.text(reader, "host"), given.text(reader, "from"));
    for address in to.iter().flatten().chain(&from).filter(|address| !address.contains('@')) {
        reader.problem(given.start, format!("{} is not a mail address", quoted(address)));
    }
    let username =
        table.get("username").and_then(|value| reader.text("username", value)).map(|text| text.value);
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
    let mut given = None;
    for (name, inner, value) in entries(table) {
        match name {
            "env" => given = reader.text(name, value).map(|text| Given::Env(text.value)),
            "file" => {
                let path = reader.text(name, value)?.value;
                if !path.starts_with('/') && !path.starts_with("~/") {
                    let message = format!("{} is neither absolute nor below `~/`", quoted(&path));
                    reader.problem(value.span().start, message);
                }
                given = Some(Given::File(path));
            }
            _ => reader.unknown(inner.span().start, &format!("key in `{key}`:"), name, &["env", "file"]),
        }
    }
    if table.len() != 1 {
        reader.problem_with_hint(start, format!("`{key}` is found in one place"), hint);
    }
    given
}
