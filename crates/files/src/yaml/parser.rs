//! Everything that YAML allows, as nodes.
//!
//! Nodes are built as far as somebody asks for them: a ledger is read one gap at a time, and what nobody asked for is
//! skipped without building anything.

use std::collections::HashSet;

use granit_parser::{Event, Options, Parser, ScalarStyle, Span, StrInput, StructureStyle};
use piton_model::workflow::shown;

use super::DEPTH_MAX;
use super::anchors::{Anchors, TooMuch};
use super::node::{Entry, Node, Value};
use super::problem::Problems;

/// Reading cannot go on; the reason is among the problems.
#[derive(Debug)]
pub(crate) struct Stop;

/// The events of one text, with problems noted on the way.
pub(crate) struct Reader<'a> {
    text: &'a str,
    parser: Parser<'a, StrInput<'a>>,
    pub(crate) problems: Problems,
    /// `None` where anchors and aliases are problems.
    anchors: Option<Anchors<'a>>,
}

impl<'a> Reader<'a> {
    /// Without anchors: an edit of one value must not change another.
    pub(crate) fn new(text: &'a str, problems: Problems) -> Self {
        let mut options = Options::default();
        options.emit_unresolved_aliases = true;
        options.flow_nesting_limit = DEPTH_MAX;
        options.block_nesting_limit = DEPTH_MAX;
        let parser = Parser::new_from_str_with_options(text, options);
        Self { text, parser, problems, anchors: None }
    }

    /// With aliases written out.
    pub(crate) fn with_anchors(text: &'a str, problems: Problems, anchors: Anchors<'a>) -> Self {
        Self { anchors: Some(anchors), ..Self::new(text, problems) }
    }

    /// What the one document begins with; `None` where there is none.
    pub(crate) fn root(&mut self) -> Result<Option<(Event<'a>, Span)>, Stop> {
        loop {
            match self.next()? {
                (Event::StreamStart | Event::DocumentStart(..) | Event::DocumentEnd, _) => {}
                (Event::StreamEnd, _) => return Ok(None),
                root => return Ok(Some(root)),
            }
        }
    }

    /// Nothing may stand behind the document.
    pub(crate) fn end(&mut self) -> Result<(), Stop> {
        loop {
            match self.next()? {
                (Event::DocumentEnd, _) => {}
                (Event::StreamEnd, _) => return Ok(()),
                (_, span) => {
                    let hint = "keep one document per file";
                    self.problems.hinted(span.start.line(), "there is a second document", hint);
                    return Err(Stop);
                }
            }
        }
    }

    pub(crate) fn next(&mut self) -> Result<(Event<'a>, Span), Stop> {
        match self.parser.next() {
            Some(Ok(event)) => Ok(event),
            Some(Err(error)) => {
                let line = error.marker().line();
                let hint = self.hint(line, &error.info());
                self.problems.hinted(line, format!("Invalid YAML: {}", error.info()), hint);
                Err(Stop)
            }
            None => Err(Stop),
        }
    }

    fn hint(&self, line: usize, info: &str) -> String {
        let indent = self.text.lines().nth(line.saturating_sub(1)).unwrap_or_default();
        let indent = &indent[..indent.len() - indent.trim_start().len()];
        match info {
            _ if indent.contains('\t') => "YAML indents with spaces, never with tabs".to_owned(),
            _ if info.contains("recursion") => format!("nest less than {DEPTH_MAX} levels"),
            _ => "look at the indent, the quotes and the brackets here and before".to_owned(),
        }
    }

    /// The node that begins with this event. The parser bounds the depth, so this cannot run away.
    pub(crate) fn node(&mut self, event: Event<'a>, span: Span) -> Result<Node<'a>, Stop> {
        let (mut start, mut end) = range(span);
        let mut line = span.start.line();
        let before = self.anchors.as_ref().map(Anchors::size);
        if let Some(anchors) = &mut self.anchors {
            let text_bytes = if let Event::Scalar(text, ..) = &event { text.len() } else { 0 };
            let counted = anchors.count(text_bytes);
            self.within(counted, line)?;
        }
        self.refuse_properties(&event, line);
        let anchor = event.anchor_id();
        let value = match event {
            Event::Scalar(value, style, ..) => {
                let block = matches!(style, ScalarStyle::Literal | ScalarStyle::Folded);
                if block {
                    // The last line that has anything on it.
                    end = start + self.text[start..end].trim_end().len();
                }
                Value::Scalar(value, style)
            }
            Event::SequenceStart(style, ..) => {
                let (items, last) = self.items()?;
                match (style, items.first(), items.last()) {
                    (StructureStyle::Block, Some(first), Some(last)) => {
                        (start, end, line) = (first.start, last.end, first.line);
                    }
                    _ => end = last,
                }
                Value::List { flow: style == StructureStyle::Flow, items }
            }
            Event::MappingStart(style, ..) => {
                let (entries, last) = self.entries()?;
                let flow = style == StructureStyle::Flow;
                end = if flow { last } else { entries.last().map_or(start, |entry| entry.node.end) };
                Value::Map { flow, entries }
            }
            Event::Alias(id) => match self.alias(id, line)? {
                Some(node) => return Ok(Node { start, end, ..node }),
                None => Value::Unreadable,
            },
            _ => Value::Unreadable,
        };
        let node = Node { value, start, end, line };
        if let (Some(anchors), Some(anchor), Some(before)) = (&mut self.anchors, anchor, before) {
            let kept = anchors.keep(anchor, &node, before);
            self.within(kept, line)?;
        }
        Ok(node)
    }

    fn within<T>(&mut self, result: Result<T, TooMuch>, line: usize) -> Result<T, Stop> {
        result.map_err(|TooMuch(message, hint)| {
            self.problems.hinted(line, message, hint);
            Stop
        })
    }

    fn alias(&mut self, id: usize, line: usize) -> Result<Option<Node<'a>>, Stop> {
        let Some(anchors) = &mut self.anchors else { return Ok(None) };
        let copy = anchors.copy(id);
        let copy = self.within(copy, line)?;
        if copy.is_none() {
            let hint = "an alias stands for a value that is complete";
            self.problems.hinted(line, "an alias inside of the value it stands for", hint);
        }
        Ok(copy)
    }

    fn items(&mut self) -> Result<(Vec<Node<'a>>, usize), Stop> {
        let mut items = Vec::new();
        loop {
            match self.next()? {
                (Event::SequenceEnd, span) => return Ok((items, range(span).1)),
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
                // Room was made for a gap; of a hundred thousand small steps, all of it would stay.
                entries.shrink_to_fit();
                return Ok((entries, range(span).1));
            }
            entries.extend(self.entry(event, span)?);
        }
    }

    /// A key and its value; `None` where the key is no word, which is a problem.
    fn entry(&mut self, event: Event<'a>, span: Span) -> Result<Option<Entry<'a>>, Stop> {
        let Node { value: key, start: key_start, end: key_end, line } = self.node(event, span)?;
        let (event, span) = self.next()?;
        let mut node = self.node(event, span)?;
        let key = match key {
            Value::Scalar(key, ScalarStyle::Plain) if key == "<<" => {
                self.problems.hinted(line, "merge keys (`<<`) are not read", "write the values out");
                return Ok(None);
            }
            Value::Scalar(key, _) => key,
            Value::Unreadable => return Ok(None),
            Value::List { .. } | Value::Map { .. } => {
                self.problems.add(line, "a key must be a word");
                return Ok(None);
            }
        };
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
            node.line = line;
        }
        Ok(Some(Entry { key, key_start, key_end, line, node }))
    }

    /// Reads past the node that begins with this event, whatever its size.
    pub(crate) fn skip(&mut self, event: Event<'a>, span: Span) -> Result<(), Stop> {
        let mut depth = 0_usize;
        let (mut event, mut span) = (event, span);
        loop {
            self.refuse_properties(&event, span.start.line());
            match event {
                Event::SequenceStart(..) | Event::MappingStart(..) => depth += 1,
                Event::SequenceEnd | Event::MappingEnd => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 {
                return Ok(());
            }
            (event, span) = self.next()?;
        }
    }

    /// Tags say what a value is, and a file holds data alone; anchors and aliases make one value of two places.
    pub(crate) fn refuse_properties(&mut self, event: &Event<'_>, line: usize) {
        match (event, &self.anchors) {
            (Event::UnresolvedAlias(name), Some(_)) => {
                let name = shown(name);
                let hint = format!("mark the value that is meant with `&{name}`");
                self.problems.hinted(line, format!("the alias `*{name}` has no anchor before it"), hint);
            }
            (Event::Alias(_) | Event::UnresolvedAlias(_), None) => {
                self.problems.hinted(line, "aliases are not read", "write the value out");
            }
            _ => {}
        }
        if self.anchors.is_none() && event.anchor_id().is_some() {
            self.problems.hinted(line, "anchors are not read", "write the value where it is used");
        }
        if let Some(tag) = event.tag() {
            let message = format!("the tag `{}` is not read", shown(&tag.to_string()));
            self.problems.hinted(line, message, "remove it: what is read is data");
        }
    }

    fn refuse_repeats(&mut self, entries: &[Entry<'_>]) {
        let mut seen = HashSet::new();
        for (place, entry) in entries.iter().enumerate() {
            // Most mappings are small, and then looking through them costs less than a table.
            let repeated = match entries.len() {
                0..16 => entries[..place].iter().any(|other| other.key == entry.key),
                _ => !seen.insert(entry.key.as_ref()),
            };
            if repeated {
                let message = format!("`{}` is there twice", shown(&entry.key));
                self.problems.hinted(entry.line, message, "keep one of them");
            }
        }
    }
}

fn range(span: Span) -> (usize, usize) {
    let range = span.byte_range().unwrap_or(0..0);
    (range.start, range.end)
}
