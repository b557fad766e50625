//! A gap file that was read: its gaps, and where each stands in the text.
//!
//! A [`Document`] is always sound: what is not valid does not become one, and everything that is wrong with it is
//! said at once. The text is kept byte for byte; see `edit` for how it is changed.

use std::ops::Range;

use granit_parser::Event;
use piton_model::ledger::{Field, Gap, Problem, ProblemKind, validate};
use piton_model::limits::{GAP_FILE_BYTES_MAX, GAPS_MAX};

use super::decode;
use super::node::{Entry, Node, Reader, Stop, Value, short};
use super::note::{Invalid, Note, Notes};
use super::quick;
use super::scalar::{Kind, integer, kind};

/// The newest version of the format.
pub const FORMAT_VERSION: i64 = 1;

/// The content of a gap file.
#[derive(Clone, Debug)]
pub struct Document {
    pub(super) text: String,
    pub(super) gaps: Vec<Gap>,
    pub(super) places: Vec<Place>,
    pub(super) layout: Layout,
    warnings: Vec<Note>,
}

/// Where one gap stands in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) line: u32,
    pub(super) flow: bool,
}

impl Place {
    pub(super) fn range(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// How the list of gaps is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    /// There is nothing in the file but blank lines and comments.
    Nothing,
    /// The key is there without a value, which would stand here.
    NoValue(Range<usize>),
    /// `- …` lines.
    Block,
    /// `[…]`; the range covers the brackets. In a mapping that is `{…}` too, it must stay on that side.
    Flow { list: Range<usize>, in_flow: bool },
}

impl Document {
    /// The document without any gaps.
    pub fn empty() -> Self {
        let (text, layout) = (String::new(), Layout::Nothing);
        Self { text, gaps: Vec::new(), places: Vec::new(), layout, warnings: Vec::new() }
    }

    /// Reads the content of a file.
    pub fn parse(bytes: &[u8]) -> Result<Self, Invalid> {
        let text = decode_text(bytes)?;
        let quick = quick::read(text).map(|contents| (contents, Notes::default()));
        Self::of(text, quick.unwrap_or_else(|| read(text)))
    }

    fn of(text: &str, (contents, notes): (Contents, Notes)) -> Result<Self, Invalid> {
        let Contents { gaps, places, layout, broken } = contents;
        let layout = layout.unwrap_or(Layout::Nothing);
        let mut document = Self { text: text.to_owned(), gaps, places, layout, warnings: Vec::new() };
        document.warnings = document.validated(notes, &broken)?;
        Ok(document)
    }

    /// Reads the content as [`Document::parse`] does, but never by the short way: for comparing the two.
    #[doc(hidden)]
    pub fn parse_long(bytes: &[u8]) -> Result<Self, Invalid> {
        let text = decode_text(bytes)?;
        Self::of(text, read(text))
    }

    /// Whether the short way would do for this text.
    #[doc(hidden)]
    pub fn is_short(text: &str) -> bool {
        quick::read(text).is_some()
    }

    /// The same gaps at the same places.
    #[doc(hidden)]
    pub fn is_like(&self, other: &Document) -> bool {
        self.gaps == other.gaps && self.places == other.places && self.layout == other.layout
    }

    /// The gaps, in the order of the file.
    pub fn gaps(&self) -> &[Gap] {
        &self.gaps
    }

    /// The gaps, for keeping.
    pub fn into_gaps(self) -> Vec<Gap> {
        self.gaps
    }

    /// The content, byte for byte as it was read.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What is accepted, but worth saying.
    pub fn warnings(&self) -> &[Note] {
        &self.warnings
    }

    /// Whether it is a ledger without gaps.
    pub fn is_empty(&self) -> bool {
        self.gaps.is_empty()
    }

    /// The line on which a gap begins.
    pub fn line_of(&self, index: usize) -> Option<usize> {
        self.places.get(index).map(|place| place.line as usize)
    }

    /// Adds what the rules of the ledger say to what the reader said.
    fn validated(&self, mut notes: Notes, broken: &[usize]) -> Result<Vec<Note>, Invalid> {
        for problem in validate(&self.gaps) {
            // What is said of a gap that was only half read may follow from that, unless it is about one field.
            let is_broken = broken.binary_search(&problem.index).is_ok();
            let stands_alone = matches!(
                problem.kind,
                ProblemKind::DuplicateId
                    | ProblemKind::SelfReference
                    | ProblemKind::Priority { .. }
                    | ProblemKind::Ttl { .. }
            );
            if !is_broken || stands_alone {
                notes.problem(self.line_of_problem(&problem), problem.to_string());
            }
        }
        notes.into_warnings()
    }

    fn line_of_problem(&self, problem: &Problem) -> usize {
        let place = &self.places[problem.index];
        let above = place.line as usize;
        self.line_of_field(place, problem.field).map_or(above, |offset| above + offset)
    }

    /// How many lines below its first line a gap has this field.
    fn line_of_field(&self, place: &Place, field: Field) -> Option<usize> {
        // On its own, the first line of a gap begins where its first key does.
        let column =
            self.text[..place.start as usize].bytes().rev().take_while(|byte| *byte != b'\n').count();
        let alone = format!("{}{}", " ".repeat(column), &self.text[place.range()]);
        let mut reader = Reader::new(&alone);
        let node = first_node(&mut reader).ok()?;
        let Value::Map { entries, .. } = node.value else { return None };
        entries.iter().find(|entry| entry.key == field.as_str()).map(|entry| entry.line - 1)
    }
}

/// The bytes as text, without judging what it says.
fn decode_text(bytes: &[u8]) -> Result<&str, Invalid> {
    let refuse = |line, text: &str| {
        let mut notes = Notes::default();
        notes.problem(line, text);
        notes.into_warnings().map(|_| "")
    };
    if bytes.len() as u64 > GAP_FILE_BYTES_MAX {
        return refuse(0, "the file is larger than 64 MiB");
    }
    std::str::from_utf8(bytes).or_else(|error| {
        let line = 1 + bytes[..error.valid_up_to()].iter().filter(|byte| **byte == b'\n').count();
        let is_utf_16 = bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]);
        refuse(line, if is_utf_16 { "the file is UTF-16; save it as UTF-8" } else { "the file is not UTF-8" })
    })
}

/// What was found in a text.
#[derive(Debug, Default)]
pub(super) struct Contents {
    pub(super) gaps: Vec<Gap>,
    pub(super) places: Vec<Place>,
    pub(super) layout: Option<Layout>,
    /// The gaps that have problems of their own.
    broken: Vec<usize>,
}

fn read(text: &str) -> (Contents, Notes) {
    let mut reader = Reader::new(text);
    let mut contents = Contents::default();
    // Where reading stops early, the notes say why.
    let _ = read_stream(&mut reader, &mut contents);
    (contents, reader.notes)
}

fn read_stream(reader: &mut Reader<'_>, contents: &mut Contents) -> Result<(), Stop> {
    let mut documents = 0;
    loop {
        let (event, span) = reader.next()?;
        let line = span.start.line();
        match event {
            Event::StreamStart | Event::DocumentEnd => {}
            Event::StreamEnd => return Ok(()),
            Event::DocumentStart(..) if documents == 0 => documents += 1,
            Event::DocumentStart(..) => {
                reader.notes.problem(line, "there is a second document; a ledger is one");
                return Err(Stop);
            }
            Event::MappingStart(style, ..) => {
                reader.refuse_properties(&event, line);
                read_root(reader, contents, style == granit_parser::StructureStyle::Flow)?;
            }
            Event::Scalar(ref value, style, ..) if kind(value, style) == Kind::Null => {
                reader.refuse_properties(&event, line);
                if span.byte_range().is_some_and(|range| !range.is_empty()) {
                    reader.notes.problem(line, "the file must have a top-level 'gaps' key");
                }
            }
            event => {
                reader.notes.problem(line, "the file must be a mapping with a top-level 'gaps' key");
                reader.skip(event)?;
            }
        }
    }
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
                reader.notes.problem(line, "a key must be a word");
                reader.skip(event)?;
                let (value, _) = reader.next()?;
                reader.skip(value)?;
                continue;
            }
        };
        reader.refuse_properties(&event, line);
        let key_end = span.byte_range().map_or(0, |range| range.end);
        let known = key == "gaps" || key == "version";
        if known && seen.contains(&key) {
            reader.notes.problem(line, format!("duplicate key '{key}'"));
        }
        let (value, span) = reader.next()?;
        match key.as_str() {
            "gaps" if !seen.contains(&key) => read_list(reader, contents, (value, span), key_end, in_flow)?,
            "version" => read_version(reader, value, span)?,
            _ => {
                if !known {
                    reader
                        .notes
                        .warning(line, format!("unknown key '{}' is kept, but means nothing", short(&key)));
                }
                reader.refuse_properties(&value, span.start.line());
                reader.skip(value)?;
            }
        }
        if known {
            seen.push(key);
        }
    }
    if contents.layout.is_none() {
        reader.notes.problem(root_line.unwrap_or(1), "the file must have a top-level 'gaps' key");
    }
    Ok(())
}

fn read_version<'a>(
    reader: &mut Reader<'a>,
    event: Event<'a>,
    span: granit_parser::Span,
) -> Result<(), Stop> {
    let node = reader.node(event, span)?;
    let version = match &node.value {
        Value::Scalar(value, style) if kind(value, *style) == Kind::Number => integer(value).ok(),
        _ => None,
    };
    match version {
        Some(FORMAT_VERSION) => {}
        Some(newer) if newer > FORMAT_VERSION => {
            let text = format!("version {newer} is newer than {FORMAT_VERSION}, the newest that piton reads");
            reader.notes.problem(node.line, text);
        }
        _ => reader.notes.problem(node.line, format!("'version' must be {FORMAT_VERSION}")),
    }
    Ok(())
}

fn read_list<'a>(
    reader: &mut Reader<'a>,
    contents: &mut Contents,
    (event, span): (Event<'a>, granit_parser::Span),
    key_end: usize,
    in_flow: bool,
) -> Result<(), Stop> {
    let line = span.start.line();
    let range = span.byte_range().unwrap_or(0..0);
    reader.refuse_properties(&event, line);
    match event {
        Event::SequenceStart(style, ..) => {
            let end = read_gaps(reader, contents)?;
            contents.layout = Some(match style {
                granit_parser::StructureStyle::Flow => Layout::Flow { list: range.start..end, in_flow },
                granit_parser::StructureStyle::Block => Layout::Block,
            });
        }
        Event::Scalar(ref value, style, ..) if kind(value, style) == Kind::Null => {
            // An empty value stands before the colon, as far as the parser is concerned.
            contents.layout = Some(Layout::NoValue(range.start.max(key_end)..range.end.max(key_end)));
        }
        event => {
            let found = match event {
                Event::MappingStart(..) => "a mapping",
                _ => "a single value",
            };
            reader.notes.problem(line, format!("'gaps' must be a list, got {found}"));
            contents.layout = Some(Layout::Block);
            reader.skip(event)?;
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
        if index >= GAPS_MAX {
            reader.notes.problem(span.start.line(), format!("there are more than {GAPS_MAX} gaps"));
            return Err(Stop);
        }
        let before = reader.notes.count();
        let node = reader.node(event, span)?;
        let place = place_of(&node);
        if let Some(gap) = decode::gap(node, index, &mut reader.notes) {
            if reader.notes.count() > before {
                contents.broken.push(contents.gaps.len());
            }
            contents.gaps.push(gap);
            contents.places.push(place);
        }
    }
    Err(Stop)
}

fn place_of(node: &Node<'_>) -> Place {
    let flow = matches!(node.value, Value::Map { flow: true, .. });
    let offset = |offset: usize| u32::try_from(offset).expect("a gap file is smaller than 4 GiB");
    Place { start: offset(node.start), end: offset(node.end), line: offset(node.line), flow }
}

/// The first node of a text, which may be a list with one entry.
pub(super) fn first_node<'a>(reader: &mut Reader<'a>) -> Result<Node<'a>, Stop> {
    loop {
        match reader.next()? {
            (Event::StreamStart | Event::DocumentStart(..), _) => {}
            (Event::StreamEnd | Event::DocumentEnd, _) => return Err(Stop),
            (event, span) => return reader.node(event, span),
        }
    }
}

/// The keys of one gap that stands alone.
pub(super) fn entries<'a>(reader: &mut Reader<'a>) -> Option<Vec<Entry<'a>>> {
    let mut node = first_node(reader).ok()?;
    if let Value::List { items, .. } = &mut node.value {
        node = items.pop()?;
    }
    match node.value {
        Value::Map { entries, .. } => Some(entries),
        Value::Scalar(..) | Value::List { .. } | Value::Unreadable => None,
    }
}
