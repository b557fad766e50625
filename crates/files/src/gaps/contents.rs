//! From text to gaps: what stands at the top of the file, and where each gap does.

use granit_parser::{Event, Span, StructureStyle};
use piton_model::ledger::Gap;
use piton_model::limits::GAPS_MAX;
use piton_model::workflow::shown;

use super::decode;
use super::document::{FORMAT_VERSION, Layout, Place};
use super::invalid::no_problems;
use super::parts::{cores, side_by_side};
use crate::yaml::{Kind, Lines, List, Node, Problems, Reader, Stop, Unusual, Value, integer, is_rest, kind};

/// Texts of fewer bytes are read before a thread has begun.
const SHARED_FROM_BYTES: usize = 1 << 20;

/// What was found in a text.
#[derive(Debug, Default)]
pub(super) struct Contents {
    pub(super) gaps: Vec<Gap>,
    pub(super) places: Vec<Place>,
    pub(super) layout: Option<Layout>,
    /// Whether it was read by lines.
    pub(super) is_plain: bool,
    /// The gaps that have problems of their own.
    pub(super) broken: Vec<usize>,
}

/// The gaps of a text, with all that is wrong with it.
pub(super) fn read(text: &str) -> (Contents, Problems) {
    read_plain(text).unwrap_or_else(|Unusual| read_any(text))
}

/// A file that holds nothing but its version and a list.
fn read_plain(text: &str) -> Result<(Contents, Problems), Unusual> {
    let mut lines = Lines::new(text);
    let mut line = lines.top()?;
    if line == "version: 1" {
        line = lines.top()?;
    }
    if !line.strip_prefix("gaps:").is_some_and(is_rest) {
        return Err(Unusual);
    }
    let parts = if text.len() < SHARED_FROM_BYTES { 1 } else { cores() };
    let parts = side_by_side(&lines.list_in_parts(parts)?, |(first, list)| read_part(*first, *list));
    let mut contents = Contents { layout: Some(Layout::Block), is_plain: true, ..Contents::default() };
    let mut problems = no_problems();
    for part in parts {
        let (part, found) = part?;
        contents.append(part);
        problems.append(found);
    }
    // Where the first gap would go is for the parser to say.
    if contents.gaps.is_empty() { Err(Unusual) } else { Ok((contents, problems)) }
}

/// A part of the list, whose first gap is at this place in the whole.
fn read_part(first: usize, mut list: List<'_>) -> Result<(Contents, Problems), Unusual> {
    let (mut contents, mut problems) = (Contents::default(), no_problems());
    for index in first.. {
        let Some(node) = list.next()? else { break };
        let before = problems.count();
        contents.add(node, index, before, &mut problems).map_err(|Stop| Unusual)?;
    }
    Ok((contents, problems))
}

fn read_any(text: &str) -> (Contents, Problems) {
    let mut reader = Reader::new(text, no_problems());
    let mut contents = Contents::default();
    // Where reading stops early, the problems say why.
    let _ = read_document(&mut reader, &mut contents);
    (contents, reader.problems)
}

fn read_document(reader: &mut Reader<'_>, contents: &mut Contents) -> Result<(), Stop> {
    let Some((event, span)) = reader.root()? else { return Ok(()) };
    let line = span.start.line();
    match event {
        Event::MappingStart(style, ..) => {
            reader.refuse_properties(&event, line);
            read_root(reader, contents, style == StructureStyle::Flow)?;
        }
        Event::Scalar(ref value, style, ..) if kind(value, style) == Kind::Null => {
            reader.refuse_properties(&event, line);
            contents.layout = span.byte_range().filter(|range| !range.is_empty()).map(Layout::Null);
        }
        event => {
            reader.problems.add(line, "the file must be a mapping with a top-level 'gaps' key");
            reader.skip(event, span)?;
        }
    }
    reader.end()
}

fn read_root(reader: &mut Reader<'_>, contents: &mut Contents, in_flow: bool) -> Result<(), Stop> {
    let mut seen: Vec<String> = Vec::new();
    let mut root_line = None;
    loop {
        let (event, span) = reader.next()?;
        let line = span.start.line();
        root_line.get_or_insert(line);
        let key = match event {
            Event::MappingEnd => break,
            Event::Scalar(ref key, ..) => key.to_string(),
            event => {
                reader.problems.add(line, "a key must be a word");
                reader.skip(event, span)?;
                let (value, span) = reader.next()?;
                reader.skip(value, span)?;
                continue;
            }
        };
        reader.refuse_properties(&event, line);
        let key_end = span.byte_range().map_or(0, |range| range.end);
        let known = key == "gaps" || key == "version";
        if known && seen.contains(&key) {
            reader.problems.hinted(line, format!("`{key}` is there twice"), "keep one of them");
        }
        let (value, span) = reader.next()?;
        match key.as_str() {
            "gaps" if !seen.contains(&key) => read_list(reader, contents, (value, span), key_end, in_flow)?,
            "version" => read_version(reader, value, span)?,
            _ => {
                if !known {
                    warn_unknown(&mut reader.problems, line, &key);
                }
                reader.skip(value, span)?;
            }
        }
        if known {
            seen.push(key);
        }
    }
    if contents.layout.is_none() {
        reader.problems.add(root_line.unwrap_or(1), "the file must have a top-level 'gaps' key");
    }
    Ok(())
}

pub(super) fn warn_unknown(problems: &mut Problems, line: usize, key: &str) {
    problems.warn(line, format!("unknown key '{}' means nothing to piton", shown(key)));
}

fn read_version<'a>(reader: &mut Reader<'a>, event: Event<'a>, span: Span) -> Result<(), Stop> {
    let node = reader.node(event, span)?;
    let version = match &node.value {
        Value::Scalar(value, style) if kind(value, *style) == Kind::Number => integer(value).ok(),
        _ => None,
    };
    match version {
        Some(FORMAT_VERSION) => {}
        Some(newer) if newer > FORMAT_VERSION => {
            let text = format!("version {newer} is newer than {FORMAT_VERSION}, the newest that piton reads");
            reader.problems.add(node.line, text);
        }
        _ => reader.problems.add(node.line, format!("'version' must be {FORMAT_VERSION}")),
    }
    Ok(())
}

fn read_list<'a>(
    reader: &mut Reader<'a>,
    contents: &mut Contents,
    (event, span): (Event<'a>, Span),
    key_end: usize,
    in_flow: bool,
) -> Result<(), Stop> {
    let line = span.start.line();
    let range = span.byte_range().unwrap_or(0..0);
    match event {
        Event::SequenceStart(style, ..) => {
            reader.refuse_properties(&event, line);
            let end = read_gaps(reader, contents)?;
            contents.layout = Some(match style {
                StructureStyle::Flow => Layout::Flow { list: range.start..end, in_flow },
                StructureStyle::Block => Layout::Block,
            });
        }
        Event::Scalar(ref value, style, ..) if kind(value, style) == Kind::Null => {
            reader.refuse_properties(&event, line);
            // An empty value stands before the colon, as far as the parser is concerned.
            contents.layout = Some(Layout::NoValue(range.start.max(key_end)..range.end.max(key_end)));
        }
        event => {
            let found = match event {
                Event::MappingStart(..) => "a mapping",
                Event::Scalar(ref value, style, ..) => kind(value, style).name(),
                _ => "a single value",
            };
            reader.problems.add(line, format!("'gaps' must be a list, got {found}"));
            contents.layout = Some(Layout::Block);
            reader.skip(event, span)?;
        }
    }
    Ok(())
}

/// Reads every gap; the place behind the list.
fn read_gaps<'a>(reader: &mut Reader<'a>, contents: &mut Contents) -> Result<usize, Stop> {
    for index in 0.. {
        let (event, span) = reader.next()?;
        if event == Event::SequenceEnd {
            return Ok(span.byte_range().map_or(0, |range| range.end));
        }
        let before = reader.problems.count();
        let node = reader.node(event, span)?;
        contents.add(node, index, before, &mut reader.problems)?;
    }
    Err(Stop)
}

impl Contents {
    /// Takes over what stands behind this in the list.
    fn append(&mut self, later: Self) {
        self.broken.extend(later.broken.iter().map(|index| self.gaps.len() + index));
        self.gaps.extend(later.gaps);
        self.places.extend(later.places);
    }

    /// Takes over what stands at this place in the list; `before` is how many problems there were before it.
    fn add(
        &mut self,
        node: Node<'_>,
        index: usize,
        before: usize,
        problems: &mut Problems,
    ) -> Result<(), Stop> {
        if index >= GAPS_MAX {
            problems.add(node.line, format!("there are more than {GAPS_MAX} gaps"));
            return Err(Stop);
        }
        let place = place_of(&node);
        if let Some(gap) = decode::gap(node, index, problems) {
            if problems.count() > before {
                self.broken.push(self.gaps.len());
            }
            self.gaps.push(gap);
            self.places.push(place);
        }
        Ok(())
    }
}

fn place_of(node: &Node<'_>) -> Place {
    let flow = matches!(node.value, Value::Map { flow: true, .. });
    let offset = |offset: usize| u32::try_from(offset).expect("a gap file is smaller than 4 GiB");
    Place { start: offset(node.start), end: offset(node.end), line: offset(node.line), flow }
}

/// The one gap that this text is, or the one entry of the list that it is, with what is wrong so far.
pub(super) fn alone(text: &str) -> Option<(Node<'_>, Problems)> {
    if let Ok(Some(node)) = alone_plain(text) {
        return Some((node, no_problems()));
    }
    let mut reader = Reader::new(text, no_problems());
    let (event, span) = reader.root().ok()??;
    let node = reader.node(event, span).ok()?;
    match node {
        Node { value: Value::List { mut items, .. }, .. } => {
            let item = items.pop().filter(|_| items.is_empty())?;
            Some((item, reader.problems))
        }
        node => Some((node, reader.problems)),
    }
}

/// The same for the one entry of a list that is written plainly.
fn alone_plain(text: &str) -> Result<Option<Node<'_>>, Unusual> {
    let mut list = Lines::new(text).list();
    let first = list.next()?;
    match list.next()? {
        None => Ok(first),
        Some(_) => Err(Unusual),
    }
}
