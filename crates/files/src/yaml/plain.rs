//! The short way through a list of flat mappings that is written as tools and most people write it: one key per line.
//!
//! It knows a small part of YAML and gives up at anything else, be it unusual or wrong; the parser then reads the whole
//! file and says what there is to say. What it does read becomes the very nodes that the parser would give: a property
//! of the tests. Parsing is most of what a large ledger costs, and this takes a fraction of the parser's time; see
//! `ledger_load` and `ledger_parse_bare` of the measurements.

use std::borrow::Cow;

use granit_parser::ScalarStyle;

use super::node::{Entry, Node, Value};

/// Lists within mappings within lists; the parser takes more.
const DEPTH_MAX: usize = 4;

/// Something that only the parser can judge.
#[derive(Debug)]
pub(crate) struct Unusual;

type Usual<T> = Result<T, Unusual>;

/// What is left of a text, by lines.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lines<'a> {
    text: &'a str,
    at: usize,
    number: usize,
}

#[derive(Clone, Copy)]
struct Line<'a> {
    text: &'a str,
    start: usize,
    number: usize,
    indent: usize,
}

impl<'a> Line<'a> {
    fn body(&self) -> &'a str {
        &self.text[self.indent..]
    }

    fn end(&self) -> usize {
        self.start + self.text.len()
    }

    fn is_item_at(&self, column: usize) -> bool {
        self.indent == column && self.body().starts_with("- ")
    }
}

/// The entries of a list whose dashes stand below each other, to the end of the text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct List<'a> {
    lines: Lines<'a>,
    dash: Option<usize>,
}

impl<'a> List<'a> {
    pub(crate) fn next(&mut self) -> Usual<Option<Node<'a>>> {
        let Some((line, after)) = self.lines.peek()? else { return Ok(None) };
        let dash = *self.dash.get_or_insert(line.indent);
        if !line.is_item_at(dash) {
            return Err(Unusual);
        }
        self.lines = after;
        self.lines.item(line, dash, 0).map(Some)
    }
}

impl<'a> Lines<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self { text, at: 0, number: 0 }
    }

    /// The next line at the top that says something, without what follows the end of a value.
    pub(crate) fn top(&mut self) -> Usual<&'a str> {
        let (line, after) = self.peek()?.ok_or(Unusual)?;
        *self = after;
        Ok(line.text)
    }

    /// The list that the rest of the text is.
    pub(crate) fn list(self) -> List<'a> {
        List { lines: self, dash: None }
    }

    /// The same in at most so many parts of about the same length, each with how many entries stand before it. Whatever is unusual
    /// in the whole is so in one of them: an entry never looks past the next dash of its list, since all that belongs to it stands
    /// further to the right.
    pub(crate) fn list_in_parts(mut self, count: usize) -> Usual<Vec<(usize, List<'a>)>> {
        let Some((first, _)) = self.peek()? else { return Ok(vec![(0, self.list())]) };
        let dash = format!("\n{}- ", " ".repeat(first.indent));
        let (from, length) = (self.at, self.text.len() - self.at);
        let mut parts = Vec::with_capacity(count);
        let mut entries = 0;
        for part in 1..=count {
            let place = (from + length / count * part).max(self.at);
            let place = (place..self.text.len()).find(|place| self.text.is_char_boundary(*place));
            let next = place
                .filter(|_| part < count)
                .and_then(|place| Some(place + self.text[place..].find(&dash)?));
            let end = next.map_or(self.text.len(), |before| before + 1);
            parts.push((entries, Self { text: &self.text[..end], ..self }.list_at(first.indent)));
            if next.is_none() {
                break;
            }
            let within = &self.text[self.at..end];
            self.number += within.bytes().filter(|byte| *byte == b'\n').count();
            entries += 1 + within.matches(&dash).count();
            self.at = end;
        }
        Ok(parts)
    }

    /// The same where it is known in which column its dashes stand.
    pub(crate) fn list_at(self, dash: usize) -> List<'a> {
        List { lines: self, dash: Some(dash) }
    }

    fn next(&mut self) -> Option<Line<'a>> {
        let rest = &self.text[self.at..];
        if rest.is_empty() {
            return None;
        }
        let end = rest.bytes().position(|byte| byte == b'\n');
        let (start, length) = (self.at, end.unwrap_or(rest.len()));
        self.at = start + (length + 1).min(rest.len());
        self.number += 1;
        let text = &rest[..length];
        let text = text.strip_suffix('\r').unwrap_or(text);
        let indent = text.len() - text.trim_start_matches(' ').len();
        Some(Line { text, start, number: self.number, indent })
    }

    /// The next line that is neither blank nor a comment, and what is behind it.
    fn peek(&mut self) -> Usual<Option<(Line<'a>, Self)>> {
        let mut after = *self;
        while let Some(line) = after.next() {
            match line.body().as_bytes().first() {
                None => {}
                Some(b'#') if is_plain_text(line.text) => {}
                Some(b'#') => return Err(Unusual),
                Some(_) => return Ok(Some((line, after))),
            }
            *self = after;
        }
        Ok(None)
    }

    /// What stands behind a dash: a mapping, or a word.
    fn item(&mut self, line: Line<'a>, dash: usize, depth: usize) -> Usual<Node<'a>> {
        let value = line.text[dash + 1..].trim_start_matches(' ');
        match key_length(value) {
            Some(_) => self.map(line, line.text.len() - value.len(), depth),
            None => scalar(value, line),
        }
    }

    /// A mapping whose keys stand in this column, the first of them on this line.
    fn map(&mut self, first: Line<'a>, column: usize, depth: usize) -> Usual<Node<'a>> {
        let mut entries: Vec<Entry<'a>> = Vec::with_capacity(12);
        let (mut line, mut seen) = (first, 0_u64);
        loop {
            let entry = self.entry(line, column, depth)?;
            // A key that shares its bit with none before it is new; that is nearly all of them.
            let bit = 1 << ((entry.key.len() * 7 + usize::from(entry.key.as_bytes()[0])) & 63);
            if seen & bit != 0 && entries.iter().any(|other| other.key == entry.key) {
                return Err(Unusual);
            }
            seen |= bit;
            let end = entry.node.end;
            entries.push(entry);
            match self.peek()? {
                Some((next, after)) if next.indent == column => (line, *self) = (next, after),
                // Whose line that is, those around this mapping know; if it is none's, it is unusual.
                _ => {
                    let start = first.start + column;
                    let value = Value::Map { flow: false, entries };
                    return Ok(Node { value, start, end, line: first.number });
                }
            }
        }
    }

    /// `key: value` in this column, and the lines that belong to it.
    fn entry(&mut self, line: Line<'a>, column: usize, depth: usize) -> Usual<Entry<'a>> {
        let pair = &line.text[column..];
        let key = &pair[..key_length(pair).ok_or(Unusual)?];
        let key_start = line.start + column;
        let key_end = key_start + key.len();
        let value = pair[key.len() + 1..].trim_start_matches(' ');
        let node = match value.as_bytes().first() {
            None => self.below(column, key_end + 1, line.number, depth)?,
            Some(b'#') if is_plain_text(value) => self.below(column, key_end + 1, line.number, depth)?,
            Some(b'|') => self.literal(value, column)?,
            Some(b'[') => flow_list(value, line)?,
            Some(_) => scalar(value, line)?,
        };
        Ok(Entry { key: Cow::Borrowed(key), key_start, key_end, line: line.number, node })
    }

    /// The value of a key that has none on its line: `- …` lines below it, or nothing.
    fn below(&mut self, column: usize, colon_end: usize, number: usize, depth: usize) -> Usual<Node<'a>> {
        let first = self.peek()?.map(|(line, _)| line);
        let Some(first) = first.filter(|line| line.indent >= column && line.is_item_at(line.indent)) else {
            let value = Value::Scalar(Cow::Borrowed("~"), ScalarStyle::Plain);
            return Ok(Node { value, start: colon_end, end: colon_end, line: number });
        };
        if depth == DEPTH_MAX {
            return Err(Unusual);
        }
        let mut items: Vec<Node<'a>> = Vec::new();
        while let Some((line, after)) = self.peek()?
            && line.is_item_at(first.indent)
        {
            *self = after;
            items.push(self.item(line, first.indent, depth + 1)?);
        }
        let (start, line) = items.first().map(|item| (item.start, item.line)).ok_or(Unusual)?;
        let end = items.last().map_or(start, |item| item.end);
        Ok(Node { value: Value::List { flow: false, items }, start, end, line })
    }

    /// The lines below a `|` or `|-`.
    fn literal(&mut self, header: &str, column: usize) -> Usual<Node<'a>> {
        if !matches!(header, "|" | "|-") {
            return Err(Unusual);
        }
        let mut content = String::new();
        let mut first: Option<Line<'a>> = None;
        let (mut blanks, mut end) = (0, 0);
        let mut ahead = *self;
        while let Some(line) = ahead.next() {
            if line.body().is_empty() {
                // A blank line that is longer than the indentation would be part of the text.
                if first.is_none_or(|first| line.indent > first.indent) {
                    return Err(Unusual);
                }
                blanks += 1;
                continue;
            }
            let depth = first.get_or_insert(line).indent;
            if line.indent <= column {
                break;
            }
            if line.indent < depth || !is_plain_text(line.body()) {
                return Err(Unusual);
            }
            if !content.is_empty() {
                content.extend(std::iter::repeat_n('\n', 1 + blanks));
            }
            blanks = 0;
            content.push_str(&line.text[depth..]);
            end = line.start + line.text.trim_end().len();
            *self = ahead;
        }
        let first = first.filter(|_| !content.is_empty()).ok_or(Unusual)?;
        if header == "|" {
            content.push('\n');
        }
        let value = Value::Scalar(Cow::Owned(content), ScalarStyle::Literal);
        Ok(Node { value, start: first.start + first.indent, end, line: first.number })
    }
}

/// How long the key is that this begins with: a word, a colon, and a blank or nothing more.
fn key_length(pair: &str) -> Option<usize> {
    let bytes = pair.as_bytes();
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte == b'-';
    let length = bytes.iter().position(|byte| !is_word(byte)).filter(|length| (1..=128).contains(length))?;
    let starts_well = bytes[0].is_ascii_alphabetic() || bytes[0] == b'_';
    let ends_well = bytes[length] == b':' && matches!(bytes.get(length + 1), None | Some(b' '));
    (starts_well && ends_well).then_some(length)
}

/// `[a, b]`, the rest of its line.
fn flow_list<'a>(value: &'a str, line: Line<'a>) -> Usual<Node<'a>> {
    let start = line.end() - value.len();
    let close = value.find(']').filter(|close| is_rest(&value[close + 1..])).ok_or(Unusual)?;
    let mut items = Vec::new();
    let mut at = start + 1;
    let inner = &value[1..close];
    if !inner.trim_matches(' ').is_empty() {
        for piece in inner.split(',') {
            let item = piece.trim_matches(' ');
            let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
            if item.is_empty() || item.starts_with('-') || !item.bytes().all(fits) {
                return Err(Unusual);
            }
            let start = at + piece.len() - piece.trim_start_matches(' ').len();
            at += piece.len() + 1;
            let value = Value::Scalar(Cow::Borrowed(item), ScalarStyle::Plain);
            items.push(Node { value, start, end: start + item.len(), line: line.number });
        }
    }
    let end = start + close + 1;
    Ok(Node { value: Value::List { flow: true, items }, start, end, line: line.number })
}

/// A scalar that is the rest of its line, with nothing behind it but a comment.
fn scalar<'a>(value: &'a str, line: Line<'a>) -> Usual<Node<'a>> {
    let start = line.end() - value.len();
    let node = |text: &'a str, style, length| {
        let value = Value::Scalar(Cow::Borrowed(text), style);
        Node { value, start, end: start + length, line: line.number }
    };
    let first = value.chars().next().ok_or(Unusual)?;
    if first == '\'' || first == '"' {
        let length = 1 + value[1..].find(first).ok_or(Unusual)? + 1;
        let text = &value[1..length - 1];
        let style = if first == '"' { ScalarStyle::DoubleQuoted } else { ScalarStyle::SingleQuoted };
        let fits = is_plain_text(text) && !(first == '"' && text.contains('\\')) && is_rest(&value[length..]);
        return if fits { Ok(node(text, style, length)) } else { Err(Unusual) };
    }
    let text = match value.find(" #") {
        Some(comment) if is_plain_text(&value[comment..]) => &value[..comment],
        Some(_) => return Err(Unusual),
        None => value,
    };
    let text = text.trim_end_matches(' ');
    let starts_well = first.is_alphanumeric() || first == '_' || first == '/';
    let fits = starts_well && is_plain_text(text) && !text.contains(": ") && !text.ends_with(':');
    if fits { Ok(node(text, ScalarStyle::Plain, text.len())) } else { Err(Unusual) }
}

/// Nothing, blanks, or a comment behind a blank.
pub(crate) fn is_rest(rest: &str) -> bool {
    let body = rest.trim_start_matches(' ');
    body.is_empty() || body.starts_with('#') && body.len() < rest.len() && is_plain_text(body)
}

/// Characters that mean themselves on any line.
fn is_plain_text(text: &str) -> bool {
    text.bytes().all(|byte| (b' '..=b'~').contains(&byte))
        || text.chars().all(|c| (' '..='~').contains(&c) || !c.is_ascii() && c.is_alphanumeric())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::sample::select;

    use super::super::parser::Reader;
    use super::super::problem::Problems;
    use super::*;

    /// The entries of a list by the short way; `None` where it gives up.
    fn short(text: &str) -> Option<Vec<Node<'_>>> {
        let mut list = Lines::new(text).list();
        let mut items = Vec::new();
        loop {
            match list.next() {
                Ok(Some(item)) => items.push(item),
                Ok(None) => return Some(items),
                Err(Unusual) => return None,
            }
        }
    }

    /// The same in parts.
    fn in_parts(text: &str, count: usize) -> Option<Vec<Node<'_>>> {
        let mut items = Vec::new();
        for (before, mut list) in Lines::new(text).list_in_parts(count).ok()? {
            let mut is_first = true;
            while let Some(item) = list.next().ok()? {
                // A part that begins elsewhere would number its entries wrongly.
                assert!(!std::mem::take(&mut is_first) || before == items.len(), "{text}");
                items.push(item);
            }
        }
        Some(items)
    }

    /// The same by the parser, with what it says is wrong.
    fn long(text: &str) -> (Vec<Node<'_>>, Problems) {
        let mut reader = Reader::new(text, Problems::at_most(10));
        let root = reader.root().ok().flatten().and_then(|(event, span)| reader.node(event, span).ok());
        let _ = reader.end();
        match root {
            Some(Node { value: Value::List { items, .. }, .. }) => (items, reader.problems),
            _ => (Vec::new(), reader.problems),
        }
    }

    #[track_caller]
    fn is_usual(text: &str) {
        let (nodes, problems) = long(text);
        assert!(problems.found.is_empty(), "{text}: {:?}", problems.found);
        assert_eq!(short(text), Some(nodes), "{text}");
    }

    #[test]
    fn what_tools_and_people_write_is_usual() {
        let text = "# x\n- id: a # big\n  category: \"c\"\n\n  blocks: [b,  c-1]\n  none: []\n  findings: |\n    één.\n\n    # two\n  at: 2026-01-05T12:00:00+00:00\n\
            # y\n- id: b\n  category: it's\n  list:\n  - x\n  - 'y: z' # w\n  deeper:\n    -  file: a.rs\n       hash: 12\n    - url: http://x/y#z\n  text: |-\n    one\n      two\n  empty:\n- c\n";
        is_usual(text);
        is_usual(&text.replace('\n', "\r\n"));
        is_usual(text.trim_end());
    }

    #[test]
    fn what_is_unusual_is_left_to_the_parser() {
        for text in [
            "- {id: a}\n",
            "- id: a\n  id: b\n",
            "- id: a\n   b\n",
            "- id: &x a\n",
            "- id: *x\n",
            "- id: !t a\n",
            "- id: a\n\tb: c\n",
            "- id: >\n    x\n",
            "- id: |+\n    x\n",
            "- id: |2\n     x\n",
            "- id: 'it''s'\n",
            "- id: \"a\\n\"\n",
            "- <<: a\n",
            "- - a\n",
            "-\n  id: a\n",
            "- id: a\n---\n- id: b\n",
            "- id: a\n...\n",
            "- ? a\n",
            "- id: a: b\n",
            "- id: -\n",
            "- id: a\u{7}\n",
            "other: 1\n",
        ] {
            assert!(short(text).is_none(), "{text}");
        }
        let deep: String = (0..40).map(|level| format!("{}- a:\n", " ".repeat(2 * level))).collect();
        assert!(short(&deep).is_none());
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases.max(2_000), ..ProptestConfig::default() })]

        /// Lines that the short way knows, and some that it must leave alone, in any order.
        #[test]
        fn the_short_way_is_never_mistaken(pieces in proptest::collection::vec(select(vec![
            "- id: a\n", "  category: c\n", "- id: b # x\n", "  c: 'd: e'\n", "  status: stale\n", "  d: 4\n", "- x\n",
            "  blocks:\n", "  - b\n", "    - a\n", "  e: [a, b]\n", "  f: []\n", "  g: |\n", "  h: |-\n", "  - url: x\n", "    at: y\n", "    z:\n", "    - q\n",
            "    one\n", "      two\n", "    # no comment\n", "# comment\n", "\n", "    \n", "   \n", "     \n", "  i: a b\n", "  j: \"q\"\n",
            "   c\n", "  k: it's\n", "  l: x: y\n", "  m: a#b\n", "  n: a:b \n", "  o: -\n", "  p: 2026-02-15T12:00:00Z\n",
            "  q: 2026-02-15\n", "  evidence: # x\n", "  -   url: x\n", "other: 1\n", "  r: é ü\n", "  s: a\tb\n", "  t:\n",
            "  u: 'it''s'\n", "  v: \"a\\n\"\n", "\r\n", "  w: 1\r\n", "  x: 12:30\n", "  y: ~\n", "  z: null\n", "  - c d # e\n", "  -  b\n",
            "  aa: a \n", "  bb: |\n", "    x \n", "- id: c\n", "  cc: >\n", "...\n", "---\n", "  dd: ! a\n", "  ee: a & b\n", "  ff: [ a ,b ] # c\n",
        ]), 0..14)) {
            let text = format!("- id: a\n  category: c\n{}", pieces.concat());
            for text in [text.as_str(), text.trim_end()] {
                let (nodes, problems) = long(text);
                for count in 1..5 {
                    prop_assert_eq!(in_parts(text, count), short(text), "{}", text);
                }
                if let Some(found) = short(text) {
                    prop_assert!(problems.found.is_empty(), "{}\n{:?}", text, problems.found);
                    prop_assert_eq!(found, nodes, "{}", text);
                }
            }
        }
    }
}
