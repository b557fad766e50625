//! The short way through a file that is written as tools and most people write it: one key per line.
//!
//! It knows a small part of YAML and gives up at anything else, be it unusual or wrong; the parser then reads the whole
//! file and says what there is to say. What it does read, it reads exactly as the parser would: a property of the tests.
//! Parsing is most of what a large ledger costs; see `ledger_load` and `ledger_parse_bare` of the measurements.

use piton_model::ledger::{Field, Gap, Moment};
use piton_model::limits::GAPS_MAX;

use super::document::{Contents, Layout, Place};
use super::scalar::{Kind, integer, plain_kind};

/// The gaps of a text, where it is plain enough.
pub(super) fn read(text: &str) -> Option<Contents> {
    let mut lines = Lines { text, at: 0, number: 0 };
    read_head(&mut lines)?;
    let mut contents = Contents::default();
    let mut open: Option<Open> = None;
    let mut dash = None;
    while let Some(line) = lines.next() {
        if line.says_nothing()? {
            continue;
        }
        let (indent, body) = line.indented();
        if let Some(pair) = body.strip_prefix("- ") {
            contents.close(open.take())?;
            if pair.starts_with(' ') || indent != *dash.get_or_insert(indent) {
                return None;
            }
            let start = line.start + indent + 2;
            let mut gap = Open {
                gap: Gap::new("", ""),
                start,
                end: start,
                line: line.number,
                seen: 0,
                column: indent + 2,
            };
            gap.pair(pair, start, &mut lines)?;
            open = Some(gap);
        } else {
            let gap = open.as_mut().filter(|gap| gap.column == indent)?;
            gap.pair(body, line.start + indent, &mut lines)?;
        }
    }
    contents.close(open)?;
    if contents.gaps.is_empty() {
        return None;
    }
    contents.layout = Some(Layout::Block);
    Some(contents)
}

/// What comes before the list.
fn read_head(lines: &mut Lines<'_>) -> Option<()> {
    let mut has_version = false;
    loop {
        let line = lines.next()?;
        if line.says_nothing()? {
            continue;
        }
        if line.text == "version: 1" && !has_version {
            has_version = true;
        } else {
            let rest = line.text.strip_prefix("gaps:")?;
            return is_rest(rest).then_some(());
        }
    }
}

impl Contents {
    /// Takes over a gap that has all it needs.
    fn close(&mut self, open: Option<Open>) -> Option<()> {
        let Some(open) = open else { return Some(()) };
        if open.gap.id.is_empty() || open.gap.category.is_empty() || self.gaps.len() >= GAPS_MAX {
            return None;
        }
        let offset = |offset: usize| u32::try_from(offset).ok();
        let (start, end, line) = (offset(open.start)?, offset(open.end)?, offset(open.line)?);
        self.gaps.push(open.gap);
        self.places.push(Place { start, end, line, flow: false });
        Some(())
    }
}

#[derive(Clone, Copy)]
struct Line<'a> {
    text: &'a str,
    start: usize,
    number: usize,
}

impl<'a> Line<'a> {
    /// Blank or a comment; `None` for what the parser may not accept there.
    fn says_nothing(&self) -> Option<bool> {
        let body = self.text.trim_start_matches(' ');
        match body.starts_with('#') {
            true => is_plain_text(body).then_some(true),
            false => Some(body.is_empty()),
        }
    }

    fn indented(&self) -> (usize, &'a str) {
        let body = self.text.trim_start_matches(' ');
        (self.text.len() - body.len(), body)
    }

    fn end(&self) -> usize {
        self.start + self.text.len()
    }
}

#[derive(Clone, Copy)]
struct Lines<'a> {
    text: &'a str,
    at: usize,
    number: usize,
}

impl<'a> Lines<'a> {
    fn next(&mut self) -> Option<Line<'a>> {
        let rest = &self.text[self.at..];
        if rest.is_empty() {
            return None;
        }
        let (start, length) = (self.at, rest.find('\n').unwrap_or(rest.len()));
        self.at = start + (length + 1).min(rest.len());
        self.number += 1;
        let text = &rest[..length];
        Some(Line { text: text.strip_suffix('\r').unwrap_or(text), start, number: self.number })
    }
}

/// A gap whose lines are being read.
struct Open {
    gap: Gap,
    start: usize,
    end: usize,
    line: usize,
    /// A bit for each field that was there.
    seen: u16,
    column: usize,
}

impl Open {
    /// `key: value`, and the lines that belong to it.
    fn pair(&mut self, pair: &str, at: usize, lines: &mut Lines<'_>) -> Option<()> {
        let colon = pair.find(':')?;
        let field = Field::from_key(&pair[..colon]).filter(|field| *field != Field::Evidence)?;
        let bit = 1 << field as u16;
        if self.seen & bit != 0 {
            return None;
        }
        self.seen |= bit;
        let after = &pair[colon + 1..];
        let value = after.trim_start_matches(' ');
        let value_at = at + pair.len() - value.len();
        if is_rest(after) {
            self.end = at + colon + 1;
            return if is_list(field) { self.lines_of_list(field, lines) } else { Some(()) };
        }
        if value.len() == after.len() {
            return None;
        }
        match value.as_bytes()[0] {
            b'|' => self.literal(field, value, lines),
            b'[' => self.flow_list(field, value, value_at),
            _ => {
                let scalar = scalar(value)?;
                self.end = value_at + scalar.length;
                self.set(field, scalar)
            }
        }
    }

    fn set(&mut self, field: Field, scalar: Scalar<'_>) -> Option<()> {
        let kind = if scalar.quoted { Kind::Text } else { plain_kind(scalar.text) };
        if kind == Kind::Null {
            return Some(());
        }
        let text = || (kind == Kind::Text).then(|| scalar.text.to_owned());
        let number = || (kind == Kind::Number).then(|| integer(scalar.text).ok()).flatten();
        let time =
            || scalar.text.parse::<Moment>().ok().filter(|moment| moment.has_offset).map(|moment| moment.at);
        match field {
            Field::Id => self.gap.id = text()?,
            Field::Category => self.gap.category = text()?,
            Field::Status => self.gap.status = scalar.text.parse().ok()?,
            Field::Priority => self.gap.priority = number()?,
            Field::TtlDays => self.gap.ttl_days = Some(number()?),
            Field::LastVerified => self.gap.last_verified = Some(time()?),
            Field::LastChecked => self.gap.last_checked = Some(time()?),
            Field::Findings => self.gap.findings = text()?,
            Field::Question => self.gap.question = text()?,
            Field::Blocks | Field::BlockedBy | Field::Evidence => return None,
        }
        Some(())
    }

    fn set_list(&mut self, field: Field, list: Vec<String>) {
        match field {
            Field::Blocks => self.gap.blocks = list,
            _ => self.gap.blocked_by = list,
        }
    }

    /// `- …` lines below the key.
    fn lines_of_list(&mut self, field: Field, lines: &mut Lines<'_>) -> Option<()> {
        let mut list = Vec::new();
        let mut indent_of_all = None;
        let mut ahead = *lines;
        while let Some(line) = ahead.next() {
            if line.says_nothing()? {
                continue;
            }
            let (indent, body) = line.indented();
            let Some(item) = body.strip_prefix("- ").filter(|_| indent >= self.column) else { break };
            if indent != *indent_of_all.get_or_insert(indent) {
                return None;
            }
            let value = item.trim_start_matches(' ');
            let scalar = scalar(value)?;
            self.end = line.end() - value.len() + scalar.length;
            list.push(list_text(scalar)?);
            *lines = ahead;
        }
        self.set_list(field, list);
        Some(())
    }

    /// `[a, b]` on the line of its key.
    fn flow_list(&mut self, field: Field, value: &str, at: usize) -> Option<()> {
        let close = value.find(']').filter(|close| is_list(field) && is_rest(&value[close + 1..]))?;
        let inner = value[1..close].trim_matches(' ');
        let mut list = Vec::new();
        if !inner.is_empty() {
            for item in inner.split(',').map(|item| item.trim_matches(' ')) {
                let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
                if item.is_empty()
                    || item.starts_with('-')
                    || !item.bytes().all(fits)
                    || plain_kind(item) != Kind::Text
                {
                    return None;
                }
                list.push(item.to_owned());
            }
        }
        self.end = at + close + 1;
        self.set_list(field, list);
        Some(())
    }

    /// The lines below a `|` or `|-`.
    fn literal(&mut self, field: Field, header: &str, lines: &mut Lines<'_>) -> Option<()> {
        if !matches!(field, Field::Findings | Field::Question) || !matches!(header, "|" | "|-") {
            return None;
        }
        let mut content = String::new();
        let mut depth = None;
        let mut blanks = 0;
        let mut ahead = *lines;
        while let Some(line) = ahead.next() {
            let (indent, body) = line.indented();
            if body.is_empty() {
                // A blank line that is longer than the indentation would be part of the text.
                if depth.is_none_or(|depth| indent > depth) {
                    return None;
                }
                blanks += 1;
                continue;
            }
            let depth = *depth.get_or_insert(indent);
            if indent <= self.column {
                break;
            }
            if indent < depth || !is_plain_text(body) {
                return None;
            }
            if !content.is_empty() {
                content.extend(std::iter::repeat_n('\n', 1 + blanks));
            }
            blanks = 0;
            content.push_str(&line.text[depth..]);
            self.end = line.start + line.text.trim_end().len();
            *lines = ahead;
        }
        if content.is_empty() {
            return None;
        }
        if header == "|" {
            content.push('\n');
        }
        match field {
            Field::Findings => self.gap.findings = content,
            _ => self.gap.question = content,
        }
        Some(())
    }
}

fn is_list(field: Field) -> bool {
    matches!(field, Field::Blocks | Field::BlockedBy)
}

fn list_text(scalar: Scalar<'_>) -> Option<String> {
    let is_text = scalar.quoted || plain_kind(scalar.text) == Kind::Text;
    is_text.then(|| scalar.text.to_owned())
}

struct Scalar<'a> {
    text: &'a str,
    quoted: bool,
    /// With its quotes.
    length: usize,
}

/// A scalar on one line, with nothing behind it but a comment.
fn scalar(value: &str) -> Option<Scalar<'_>> {
    let first = value.chars().next()?;
    if first == '\'' || first == '"' {
        let length = 1 + value[1..].find(first)? + 1;
        let text = &value[1..length - 1];
        let fits = is_plain_text(text) && !(first == '"' && text.contains('\\')) && is_rest(&value[length..]);
        return fits.then_some(Scalar { text, quoted: true, length });
    }
    let text = match value.find(" #") {
        Some(comment) if is_plain_text(&value[comment..]) => &value[..comment],
        Some(_) => return None,
        None => value,
    };
    let text = text.trim_end_matches(' ');
    let starts_well = first.is_alphanumeric() || first == '_' || first == '/';
    let fits = starts_well && is_plain_text(text) && !text.contains(": ") && !text.ends_with(':');
    fits.then_some(Scalar { text, quoted: false, length: text.len() })
}

/// Nothing, blanks, or a comment behind a blank.
fn is_rest(rest: &str) -> bool {
    let body = rest.trim_start_matches(' ');
    body.is_empty() || body.starts_with('#') && body.len() < rest.len() && is_plain_text(body)
}

/// Characters that mean themselves on any line.
fn is_plain_text(text: &str) -> bool {
    text.bytes().all(|byte| (b' '..=b'~').contains(&byte))
        || text.chars().all(|c| (' '..='~').contains(&c) || !c.is_ascii() && c.is_alphanumeric())
}
