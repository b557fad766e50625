//! YAML as nodes that know where they stand.
//!
//! One parser serves reading and editing, so that what is read is what is edited. Nodes are built one gap at a time
//! and are gone once it is decoded; what nobody asked for is skipped without building anything. Anchors, aliases and
//! tags are problems: an edit of one gap must not change another, and data is all that a file may hold.

use std::borrow::Cow;
use std::collections::HashSet;

use granit_parser::{Event, Options, Parser, ScalarStyle, Span, StrInput, StructureStyle};

use super::note::Notes;

/// Deeper than any gap is.
const DEPTH_MAX: usize = 32;

/// A value and its place in the text.
#[derive(Debug)]
pub(super) struct Node<'a> {
    pub(super) value: Value<'a>,
    /// First byte. A block scalar begins with its content, not with its `|`.
    pub(super) start: usize,
    /// After the last byte that says something: blank lines behind a block scalar do not count.
    pub(super) end: usize,
    pub(super) line: usize,
}

#[derive(Debug)]
pub(super) enum Value<'a> {
    Scalar(Cow<'a, str>, ScalarStyle),
    List {
        flow: bool,
        items: Vec<Node<'a>>,
    },
    Map {
        flow: bool,
        entries: Vec<Entry<'a>>,
    },
    /// Reported as a problem already.
    Unreadable,
}

impl Value<'_> {
    /// What it is, for messages.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Value::Scalar(..) => "a single value",
            Value::List { .. } => "a list",
            Value::Map { .. } => "a mapping",
            Value::Unreadable => "unreadable",
        }
    }
}

/// One key of a mapping, and its value.
#[derive(Debug)]
pub(super) struct Entry<'a> {
    pub(super) key: Cow<'a, str>,
    pub(super) key_quoted: bool,
    pub(super) key_start: usize,
    pub(super) key_end: usize,
    pub(super) line: usize,
    pub(super) node: Node<'a>,
}

/// Reading cannot go on; the reason is among the problems.
#[derive(Debug)]
pub(super) struct Stop;

/// The events of one text, with problems noted on the way.
pub(super) struct Reader<'a> {
    text: &'a str,
    parser: Parser<'a, StrInput<'a>>,
    pub(super) notes: Notes,
}

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let mut options = Options::default();
        options.emit_unresolved_aliases = true;
        options.flow_nesting_limit = DEPTH_MAX;
        options.block_nesting_limit = DEPTH_MAX;
        Self { text, parser: Parser::new_from_str_with_options(text, options), notes: Notes::default() }
    }

    /// The next event that is not about the stream itself.
    pub(super) fn next(&mut self) -> Result<(Event<'a>, Span), Stop> {
        match self.parser.next() {
            Some(Ok(event)) => Ok(event),
            Some(Err(error)) => {
                self.notes.problem(error.marker().line(), format!("Invalid YAML: {}", error.info()));
                Err(Stop)
            }
            None => Err(Stop),
        }
    }

    /// The node that begins with this event.
    pub(super) fn node(&mut self, event: Event<'a>, span: Span) -> Result<Node<'a>, Stop> {
        let (start, end) = self.range(span);
        let line = span.start.line();
        self.refuse_properties(&event, line);
        let (value, end) = match event {
            Event::Scalar(value, style, ..) => {
                let block = matches!(style, ScalarStyle::Literal | ScalarStyle::Folded);
                let end = if block { self.content_end(start, end) } else { end };
                (Value::Scalar(value, style), end)
            }
            Event::SequenceStart(style, ..) => {
                let (items, last) = self.items()?;
                let flow = style == StructureStyle::Flow;
                let end = if flow { last } else { items.last().map_or(start, |item| item.end) };
                (Value::List { flow, items }, end)
            }
            Event::MappingStart(style, ..) => {
                let (entries, last) = self.entries()?;
                let flow = style == StructureStyle::Flow;
                let end = if flow { last } else { entries.last().map_or(start, |entry| entry.node.end) };
                (Value::Map { flow, entries }, end)
            }
            _ => (Value::Unreadable, end),
        };
        Ok(Node { value, start, end, line })
    }

    fn items(&mut self) -> Result<(Vec<Node<'a>>, usize), Stop> {
        let mut items = Vec::new();
        loop {
            match self.next()? {
                (Event::SequenceEnd, span) => return Ok((items, self.range(span).1)),
                (event, span) => items.push(self.node(event, span)?),
            }
        }
    }

    fn entries(&mut self) -> Result<(Vec<Entry<'a>>, usize), Stop> {
        let mut entries = Vec::with_capacity(12);
        loop {
            let (event, span) = self.next()?;
            if event == Event::MappingEnd {
                self.refuse_repeats(&entries);
                return Ok((entries, self.range(span).1));
            }
            entries.extend(self.entry(event, span)?);
        }
    }

    /// A key and its value; `None` where the key is no text, which is a problem.
    fn entry(&mut self, event: Event<'a>, span: Span) -> Result<Option<Entry<'a>>, Stop> {
        let (key_start, key_end) = self.range(span);
        let line = span.start.line();
        let Event::Scalar(key, style, ..) = &event else {
            self.notes.problem(line, "a key must be a word");
            self.skip(event)?;
            let (event, _) = self.next()?;
            self.skip(event)?;
            return Ok(None);
        };
        self.refuse_properties(&event, line);
        let (key, key_quoted) = (key.clone(), *style != ScalarStyle::Plain);
        let (event, span) = self.next()?;
        let mut node = self.node(event, span)?;
        let is_block = matches!(node.value, Value::Scalar(_, ScalarStyle::Literal | ScalarStyle::Folded));
        if is_block && node.end <= node.start {
            // A block scalar without content ends with its header.
            let header = self.text[key_end..].lines().next().unwrap_or_default();
            node.start = key_end + header.trim_end().len();
            node.end = node.start;
        } else if node.end <= key_end {
            // Nothing stands behind the colon: the value is empty, and is there.
            let colon = self.text[key_end..].find(|c: char| !c.is_whitespace());
            let colon = colon.map(|offset| key_end + offset).filter(|at| self.text[*at..].starts_with(':'));
            node.start = colon.map_or(key_end, |at| at + 1);
            node.end = node.start;
        }
        Ok(Some(Entry { key, key_quoted, key_start, key_end, line, node }))
    }

    /// Reads past the node that begins with this event, whatever its size.
    pub(super) fn skip(&mut self, event: Event<'a>) -> Result<(), Stop> {
        let mut depth = 0_usize;
        let mut event = event;
        loop {
            match event {
                Event::SequenceStart(..) | Event::MappingStart(..) => depth += 1,
                Event::SequenceEnd | Event::MappingEnd => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 {
                return Ok(());
            }
            let (next, span) = self.next()?;
            self.refuse_properties(&next, span.start.line());
            event = next;
        }
    }

    pub(super) fn refuse_properties(&mut self, event: &Event<'_>, line: usize) {
        let (anchor, tag) = match event {
            Event::Alias(_) | Event::UnresolvedAlias(_) => {
                return self.notes.problem(line, "aliases are not read; write the value out");
            }
            Event::Scalar(_, _, anchor, tag)
            | Event::SequenceStart(_, anchor, tag)
            | Event::MappingStart(_, anchor, tag) => (*anchor, tag),
            _ => return,
        };
        if anchor != 0 {
            self.notes.problem(line, "anchors are not read; write the value where it is used");
        }
        if let Some(tag) = tag {
            let tag: String = tag.to_string().chars().take(80).collect();
            self.notes.problem(line, format!("the tag '{}' is not read", tag.escape_debug()));
        }
    }

    fn refuse_repeats(&mut self, entries: &[Entry<'_>]) {
        let mut seen = HashSet::new();
        for (place, entry) in entries.iter().enumerate() {
            let repeated = match entries.len() {
                0..16 => entries[..place].iter().any(|other| other.key == entry.key),
                _ => !seen.insert(entry.key.as_ref()),
            };
            if repeated {
                self.notes.problem(entry.line, format!("duplicate key '{}'", short(&entry.key)));
            }
        }
    }

    fn range(&self, span: Span) -> (usize, usize) {
        let range = span.byte_range().unwrap_or(0..0);
        (range.start, range.end)
    }

    /// The end of the last line of a block scalar that has anything on it.
    fn content_end(&self, start: usize, end: usize) -> usize {
        start + self.text[start..end].trim_end().len()
    }
}

/// Text for a message: escaped, and not too long.
pub(super) fn short(text: &str) -> String {
    let cut: String = text.chars().take(80).collect();
    cut.escape_debug().to_string()
}
