//! The fields of one gap where they stand, and the edits that change them.

use std::ops::Range;

use granit_parser::ScalarStyle;
use piton_model::ledger::{Field, Gap};

use super::contents::alone;
use super::edit::{Edit, line_end, line_start, whole_lines};
use super::render::{Shape, Style, list_item, pair, value};
use crate::yaml::{Entry, Kind, Node, Value, kind};

/// The fields of a gap.
pub(super) struct Fields<'a> {
    text: &'a str,
    /// Where the entries' own places begin.
    base: usize,
    entries: Vec<Entry<'a>>,
    style: Style<'a>,
}

impl<'a> Fields<'a> {
    /// Reads a part of the text that holds one gap.
    pub(super) fn read(text: &'a str, part: Range<usize>, style: Style<'a>) -> Option<Self> {
        match alone(&text[part.clone()])?.0.value {
            Value::Map { entries, .. } => Some(Self { text, base: part.start, entries, style }),
            Value::Scalar(..) | Value::List { .. } | Value::Unreadable => None,
        }
    }

    /// What turns the one gap into the other.
    pub(super) fn edits(&self, old: &Gap, new: &Gap) -> Vec<Edit> {
        let changed = old.differences(new);
        let goes = |entry: &Entry<'_>| {
            Field::from_word(&entry.key)
                .is_some_and(|field| changed.contains(&field) && new.is_default(field) && self.can_go(entry))
        };
        let mut edits = Vec::new();
        let mut missing = Vec::new();
        for field in &changed {
            match self.find(*field) {
                Some((place, entry)) if goes(entry) => {
                    edits.push(Edit { range: self.removal(place, &goes), text: String::new() });
                }
                Some((_, entry)) => self.replace(entry, new, *field, &mut edits),
                None if new.is_default(*field) => {}
                None => missing.push(*field),
            }
        }
        // A new pair may go where a value that was empty ends: the value comes first.
        for field in missing {
            let mut edit = self.insertion(new, field, &goes);
            let at = self.clear_of(edit.range.start, &edits);
            edit.range = at..at;
            edits.push(edit);
        }
        edits
    }

    /// The end of the last line at or before this place that stays.
    fn clear_of(&self, mut at: usize, edits: &[Edit]) -> usize {
        let goes = |at: usize| {
            edits.iter().find(|edit| edit.text.is_empty() && edit.range.start < at && at <= edit.range.end)
        };
        while let Some(edit) = goes(at) {
            let before = &self.text[..edit.range.start];
            at = match self.text[edit.range.start..].starts_with(['\n', '\r']) {
                // At the end of a text, the line break before the lines goes with them.
                true => before.len(),
                false => {
                    let before = before.strip_suffix('\n').unwrap_or(before);
                    before.strip_suffix('\r').unwrap_or(before).len()
                }
            };
        }
        at
    }

    fn find(&self, field: Field) -> Option<(usize, &Entry<'a>)> {
        self.entries.iter().enumerate().find(|(_, entry)| entry.key == field.as_str())
    }

    fn is_flow(&self) -> bool {
        matches!(self.style.shape, Shape::Flow | Shape::Json)
    }

    /// Whether no comment would go with the entry, nor anything else that shares a line with it.
    fn can_go(&self, entry: &Entry<'_>) -> bool {
        let (start, end) = (self.base + entry.key_start, self.base + entry.node.end);
        let before = &self.text[line_start(self.text, start)..start];
        let after = &self.text[end..line_end(self.text, end)];
        let header = &self.text[self.base + entry.key_end..self.base + entry.node.start.max(entry.key_end)];
        let body_has_comment = match &entry.node.value {
            Value::List { .. } | Value::Map { .. } => self.text[start..end].contains('#'),
            Value::Scalar(..) | Value::Unreadable => header.contains('#'),
        };
        let is_alone = before.trim().is_empty()
            && (after.trim().is_empty() || self.is_flow() && after.trim() == ",")
            || self.is_flow() && !self.has_comment_between();
        is_alone && !body_has_comment
    }

    /// Whether there is a comment between two entries, where nothing else can have such a sign.
    fn has_comment_between(&self) -> bool {
        let between = |pair: &[Entry<'_>]| {
            let start = self.base + pair[0].node.end;
            &self.text[start..start.max(self.base + pair[1].key_start)]
        };
        self.entries.windows(2).any(|pair| between(pair).contains('#'))
    }

    /// What goes with an entry: its lines or, in braces without a comment, the comma between it and what stays.
    fn removal(&self, place: usize, goes: &impl Fn(&Entry<'_>) -> bool) -> Range<usize> {
        let entry = &self.entries[place];
        let (start, end) = (self.base + entry.key_start, self.base + entry.node.end);
        match self.entries.get(place + 1) {
            _ if !self.is_flow() || self.has_comment_between() => {
                whole_lines(self.text, line_start(self.text, start), end)
            }
            Some(next) if self.entries[..place].iter().all(goes) => start..self.base + next.key_start,
            _ => self.text[..start].rfind(',').unwrap_or(start)..end,
        }
    }

    /// A pair behind the field that is written before it.
    fn insertion(&self, new: &Gap, field: Field, goes: &impl Fn(&Entry<'_>) -> bool) -> Edit {
        if self.is_flow() {
            let last = self.entries.iter().rfind(|entry| !goes(entry));
            let end = self.base + last.map_or(1, |entry| entry.node.end);
            return Edit { range: end..end, text: format!(", {}", pair(new, field, &self.style)) };
        }
        let order = |entry: &&Entry<'_>| Field::from_word(&entry.key).filter(|other| *other < field);
        let known = self.entries.iter().filter(|entry| order(entry).is_some() && !goes(entry));
        let before = known.max_by_key(order).or(self.entries.first());
        let end = line_end(self.text, self.base + before.map_or(0, |entry| entry.node.end));
        let indent = " ".repeat(self.style.column);
        let text = format!("{}{indent}{}", self.style.newline, pair(new, field, &self.style));
        Edit { range: end..end, text }
    }

    /// A new value in the place of the old one.
    fn replace(&self, entry: &Entry<'_>, new: &Gap, field: Field, edits: &mut Vec<Edit>) {
        let node = &entry.node;
        let range = self.base + node.start..self.base + node.end;
        match &node.value {
            Value::List { flow: false, items } if !self.is_flow() => {
                if let Some(list) = self.list_edits(items, new, field) {
                    edits.extend(list);
                } else {
                    edits.push(self.replace_lines(entry, new, field));
                }
            }
            Value::Scalar(_, ScalarStyle::Literal | ScalarStyle::Folded) | Value::Map { flow: false, .. }
                if !self.is_flow() =>
            {
                edits.push(self.replace_lines(entry, new, field));
            }
            Value::Scalar(..) | Value::List { .. } | Value::Map { .. } | Value::Unreadable => {
                let text = self.inline(entry, new, field, range.end);
                // Blanks behind a value would become part of its last line.
                let end = if text.contains(['\n', '\r']) { self.blanks_end(range.end) } else { range.end };
                edits.push(Edit { range: range.start..end, text });
            }
        }
    }

    /// The end of the line where only blanks are left of it.
    fn blanks_end(&self, at: usize) -> usize {
        let end = line_end(self.text, at);
        if self.text[at..end].trim().is_empty() { end } else { at }
    }

    /// The value for a place on a line, fit for what stands around it.
    fn inline(&self, entry: &Entry<'_>, new: &Gap, field: Field, end: usize) -> String {
        let node = &entry.node;
        let alone = self.text[end..line_end(self.text, end)].trim().is_empty();
        let is_list = matches!(node.value, Value::List { .. });
        let shape = match self.style.shape {
            Shape::Block if alone && !is_list => Shape::Block,
            Shape::Block | Shape::Line => Shape::Line,
            shape @ (Shape::Flow | Shape::Json) => shape,
        };
        let rendered = value(new, field, &Style { shape, ..self.style });
        let rendered = self.keep_quotes(node, field, rendered);
        let nothing_there = node.start == node.end;
        match nothing_there {
            true if self.text[..self.base + node.start].ends_with(':') => rendered,
            // A key of a flow mapping may stand without a colon.
            true => format!(":{rendered}"),
            false => rendered.trim_start_matches(' ').to_owned(),
        }
    }

    /// A time stays in the quotes it had, or without.
    fn keep_quotes(&self, node: &Node<'_>, field: Field, rendered: String) -> String {
        let Value::Scalar(old, style) = &node.value else { return rendered };
        if !matches!(field, Field::LastVerified | Field::LastChecked) || kind(old, *style) == Kind::Null {
            return rendered;
        }
        match style {
            ScalarStyle::Plain => rendered.replace('\'', ""),
            ScalarStyle::DoubleQuoted => rendered.replace('\'', "\""),
            ScalarStyle::SingleQuoted | ScalarStyle::Literal | ScalarStyle::Folded => rendered,
        }
    }

    /// A value with lines of its own is replaced from its colon on; a comment behind the colon stays.
    fn replace_lines(&self, entry: &Entry<'_>, new: &Gap, field: Field) -> Edit {
        let after_key = self.base + entry.key_end;
        let colon = after_key + self.text[after_key..].find(':').map_or(0, |offset| offset + 1);
        let end = self.base + entry.node.end;
        let header_end = line_end(self.text, colon).min(end.max(colon));
        let header = &self.text[colon..header_end.max(colon)];
        let comment = header.find(" #").map(|at| &header[at..]);
        let mut text = value(new, field, &self.style);
        if let Some(comment) = comment {
            let first_line = line_end(&text, 0);
            text.insert_str(first_line, comment);
        }
        Edit { range: colon..self.blanks_end(end.max(colon)), text }
    }

    /// Entries that go or come last, each on a line of its own; others keep theirs.
    fn list_edits(&self, items: &[Node<'_>], new: &Gap, field: Field) -> Option<Vec<Edit>> {
        let wanted = match field {
            Field::Blocks => &new.blocks,
            Field::BlockedBy => &new.blocked_by,
            _ => return None,
        };
        let mut rest = wanted.iter().peekable();
        let mut edits = Vec::new();
        let mut last_kept = None;
        for item in items {
            let Value::Scalar(text, _) = &item.value else { return None };
            let (start, end) = (self.base + item.start, self.base + item.end);
            let line = line_start(self.text, start);
            let (spaces, dash) =
                self.text[line..start].split_at_checked(self.text[line..start].find('-')?)?;
            if !spaces.trim().is_empty() || dash.trim_end() != "-" {
                return None;
            }
            if rest.next_if(|wanted| *wanted == text).is_some() {
                last_kept = Some((line_end(self.text, end), spaces.len(), dash.len()));
            } else {
                edits.push(Edit { range: whole_lines(self.text, line, end), text: String::new() });
            }
        }
        let (end, indent, dash) = last_kept?;
        for item in rest {
            let (newline, spaces, gap) = (self.style.newline, " ".repeat(indent), " ".repeat(dash - 1));
            let item = list_item(item, &self.style);
            edits.push(Edit { range: end..end, text: format!("{newline}{spaces}-{gap}{item}") });
        }
        Some(edits)
    }
}
