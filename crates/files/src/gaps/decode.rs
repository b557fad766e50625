//! A gap from its nodes. Everything that is wrong is noted; what can be read is read all the same, so that other
//! gaps' references to it are not called unknown.

use std::borrow::Cow;

use granit_parser::ScalarStyle;
use piton_model::Timestamp;
use piton_model::ledger::{Field, Gap, GapStatus, Moment, Source, SourceKind};
use piton_model::workflow::shown;

use super::contents::warn_unknown;
use crate::yaml::{Entry, Kind, Node, Problems, Value, integer, kind};

/// The gap at this place in the list; `None` where it cannot be told which gap it is.
pub(super) fn gap(node: Node<'_>, index: usize, problems: &mut Problems) -> Option<Gap> {
    let line = node.line;
    let entries = match node.value {
        Value::Map { entries, .. } => entries,
        Value::Unreadable => return None,
        other => {
            let found = other.name();
            problems.add(line, format!("Gap at index {index} must be a mapping, got {found}"));
            return None;
        }
    };
    let mut gap = Gap::new("", "");
    // A value that is no id is told as that; it is not missing besides.
    let (mut has_id, mut names_id, mut names_category) = (false, false, false);
    let mut status = None;
    for entry in entries {
        match Field::from_word(&entry.key) {
            Some(Field::Status) => status = Some(entry),
            Some(field) => {
                let before = problems.count();
                let filled = fill(&mut gap, field, entry, problems);
                let named = filled || problems.count() > before;
                has_id |= field == Field::Id && filled;
                names_id |= field == Field::Id && named;
                names_category |= field == Field::Category && named;
            }
            None => warn_unknown(problems, entry.line, &entry.key),
        }
    }
    // Last, so that what is wrong with it can be said of the gap by its name.
    if let Some(entry) = status {
        fill(&mut gap, Field::Status, entry, problems);
    }
    if !names_id {
        problems.add(line, format!("Gap at index {index} has no 'id'"));
    }
    if !names_category {
        problems.add(line, format!("Gap at index {index} has no 'category'"));
    }
    has_id.then_some(gap)
}

/// Sets a field; whether it has a value.
fn fill(gap: &mut Gap, field: Field, entry: Entry<'_>, problems: &mut Problems) -> bool {
    let mut reading = Reading { field: field.as_str(), within: None, line: entry.line, problems };
    let node = entry.node;
    match field {
        Field::Id => reading.text(node).map(|text| gap.id = text.into_owned()),
        Field::Category => reading.text(node).map(|text| gap.category = text.into_owned()),
        Field::Status => reading.status(node, &gap.id).map(|status| gap.status = status),
        Field::Priority => reading.integer(node).map(|number| gap.priority = number),
        Field::LastVerified => reading.time(node).map(|time| gap.last_verified = Some(time)),
        Field::LastChecked => reading.time(node).map(|time| gap.last_checked = Some(time)),
        Field::TtlDays => reading.integer(node).map(|number| gap.ttl_days = Some(number)),
        Field::Blocks => reading.list(node).map(|list| gap.blocks = list),
        Field::BlockedBy => reading.list(node).map(|list| gap.blocked_by = list),
        Field::Findings => reading.text(node).map(|text| gap.findings = text.into_owned()),
        Field::Question => reading.text(node).map(|text| gap.question = text.into_owned()),
        Field::Evidence => reading.evidence(node).map(|sources| gap.evidence = sources),
    }
    .is_some()
}

/// Reads values of one key. An empty value is as good as none.
struct Reading<'n> {
    field: &'n str,
    /// The field whose entries have this key.
    within: Option<&'n str>,
    line: usize,
    problems: &'n mut Problems,
}

impl Reading<'_> {
    fn problem(&mut self, text: impl std::fmt::Display) {
        let within = self.within.map_or_else(String::new, |field| format!("of '{field}' "));
        self.problems.add(self.line, format!("'{}' {within}{text}", self.field));
    }

    fn scalar<'a>(&mut self, node: Node<'a>) -> Option<(Cow<'a, str>, ScalarStyle, Kind)> {
        match node.value {
            Value::Scalar(value, style) => match kind(&value, style) {
                Kind::Null => None,
                kind => Some((value, style, kind)),
            },
            Value::Unreadable => None,
            other => {
                self.problem(format_args!("must be a single value, got {}", other.name()));
                None
            }
        }
    }

    fn text<'a>(&mut self, node: Node<'a>) -> Option<Cow<'a, str>> {
        let (value, style, kind) = self.scalar(node)?;
        if kind == Kind::Text && style == ScalarStyle::Plain && self.is_name() && is_moment(&value) {
            self.problem(format_args!(
                "is a time or a number to some readers; write '{}' in quotes",
                shown(&value)
            ));
            return None;
        }
        if kind == Kind::Text {
            return Some(value);
        }
        self.problem(format_args!("must be text, got {}; write '{}' in quotes", kind.name(), shown(&value)));
        None
    }

    /// Whether others refer to what it holds, so that every reader must read the same.
    fn is_name(&self) -> bool {
        [Field::Id, Field::Category, Field::Blocks, Field::BlockedBy]
            .iter()
            .any(|field| field.as_str() == self.field)
    }

    fn integer(&mut self, node: Node<'_>) -> Option<i64> {
        let (value, _, kind) = self.scalar(node)?;
        let read = match kind {
            Kind::Number => integer(&value),
            Kind::Null | Kind::Boolean(_) | Kind::Text => Err(kind.name()),
        };
        read.map_err(|why| {
            self.problem(format_args!("must be a whole number, got '{}' ({why})", shown(&value)))
        })
        .ok()
    }

    fn status(&mut self, node: Node<'_>, gap: &str) -> Option<GapStatus> {
        let (value, ..) = self.scalar(node)?;
        let refused = |error| self.problems.add(self.line, format!("Gap '{}' has an {error}", shown(gap)));
        value.parse::<GapStatus>().map_err(refused).ok()
    }

    fn time(&mut self, node: Node<'_>) -> Option<Timestamp> {
        let (value, ..) = self.scalar(node)?;
        let Ok(moment) = value.parse::<Moment>() else {
            self.problem(format_args!(
                "must be a time like 2026-02-15T12:00:00+00:00, got '{}'",
                shown(&value)
            ));
            return None;
        };
        if !moment.has_offset {
            self.problems.warn(self.line, format!("'{}' has no time zone; taken as UTC", self.field));
        }
        Some(moment.at)
    }

    fn list(&mut self, node: Node<'_>) -> Option<Vec<String>> {
        let items = self.items(node)?;
        let mut texts = Vec::with_capacity(items.len());
        for item in items {
            self.line = item.line;
            match &item.value {
                Value::Scalar(value, style) if kind(value, *style) == Kind::Null => {
                    self.problem("has an empty entry");
                }
                _ => texts.extend(self.text(item).map(Cow::into_owned)),
            }
        }
        Some(texts)
    }

    fn items<'a>(&mut self, node: Node<'a>) -> Option<Vec<Node<'a>>> {
        match node.value {
            Value::List { items, .. } => Some(items),
            Value::Unreadable => None,
            Value::Scalar(value, style) if kind(&value, style) == Kind::Null => None,
            Value::Scalar(value, style) => {
                self.problem(format_args!("must be a list, got {}", kind(&value, style).name()));
                None
            }
            other @ Value::Map { .. } => {
                self.problem(format_args!("must be a list, got {}", other.name()));
                None
            }
        }
    }

    fn evidence(&mut self, node: Node<'_>) -> Option<Vec<Source>> {
        let items = self.items(node)?;
        let mut sources = Vec::with_capacity(items.len());
        for item in items {
            self.line = item.line;
            match item.value {
                Value::Map { entries, .. } => sources.extend(self.source(entries)),
                Value::Unreadable => {}
                other => self.problem(format_args!("must list mappings, got {}", other.name())),
            }
        }
        Some(sources)
    }

    fn source(&mut self, entries: Vec<Entry<'_>>) -> Option<Source> {
        let line = self.line;
        let (mut kinds, mut hash, mut at) = (Vec::new(), None, None);
        for entry in entries {
            self.line = entry.line;
            let key = entry.key;
            let (within, before) = (Some(self.field), self.problems.count());
            let mut part = Reading { field: &key, within, line: entry.line, problems: self.problems };
            match key.as_ref() {
                "at" => at = part.time(entry.node),
                "hash" => hash = part.text(entry.node).map(Cow::into_owned),
                "file" | "command" | "commit" | "url" => {
                    let text = part.text(entry.node).map(Cow::into_owned);
                    // One that is no text is told as that; it is not missing besides.
                    if text.is_some() || self.problems.count() > before {
                        kinds.push((key, text));
                    }
                }
                _ => self.problem(format_args!("has an unknown key '{}'", shown(&key))),
            }
        }
        self.line = line;
        let (1, Some((key, text))) = (kinds.len(), kinds.pop()) else {
            self.problem("needs one of file, command, commit or url in each source");
            return None;
        };
        let text = text?;
        let kind = match key.as_ref() {
            "file" => SourceKind::File { path: text, hash: hash.take() },
            "command" => SourceKind::Command(text),
            "commit" => SourceKind::Commit(text),
            _ => SourceKind::Url(text),
        };
        if hash.is_some() {
            self.problem("has a hash for something that is no file");
        }
        Some(Source { kind, at })
    }
}

/// A date, a time or a number of base 60 to readers of the older generation.
fn is_moment(value: &str) -> bool {
    let is_part = |part: &str| matches!(part.len(), 1..=2) && part.bytes().all(|byte| byte.is_ascii_digit());
    let in_base_60 = value.split_once(':').is_some_and(|(first, rest)| {
        let first = first.strip_prefix(['+', '-']).unwrap_or(first);
        let rest = rest.split_once('.').map_or(rest, |(rest, _)| rest);
        !first.is_empty()
            && first.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_')
            && rest.split(':').all(is_part)
    });
    in_base_60 || value.starts_with(|first: char| first.is_ascii_digit()) && value.parse::<Moment>().is_ok()
}
