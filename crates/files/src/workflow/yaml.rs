//! YAML as nodes that know their lines.
//!
//! Data only: no tags, no merge keys, one document. Aliases are written out, within a budget that is checked before
//! anything is copied, so that no text can grow into more than the budget allows.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use granit_parser::{Event, Options, Parser, ScalarStyle, Span, StrInput};
use serde_json::{Map, Number, Value};

use super::problem::Problems;
use piton_model::workflow::shown;

/// Largest document.
pub const DOCUMENT_BYTES_MAX: usize = 4 << 20;
/// Most values, aliases written out.
pub const VALUES_MAX: usize = 600_000;
/// Most text, aliases written out: an alias of one long word is a bomb as well.
const TEXT_BYTES_MAX: usize = 2 * DOCUMENT_BYTES_MAX;
/// Most anchors: what each marks is kept.
const ANCHORS_MAX: usize = 10_000;
/// Deepest nesting.
pub const DEPTH_MAX: usize = 32;

/// A value and its line.
#[derive(Clone, Debug)]
pub(super) struct Node<'a> {
    pub(super) kind: Kind<'a>,
    pub(super) line: usize,
}

#[derive(Clone, Debug)]
pub(super) enum Kind<'a> {
    /// Text, and whether it stands there without quotes.
    Scalar(Cow<'a, str>, bool),
    List(Vec<Node<'a>>),
    Map(Vec<Entry<'a>>),
    /// Reported as a problem already.
    Unreadable,
}

#[derive(Clone, Debug)]
pub(super) struct Entry<'a> {
    pub(super) key: Cow<'a, str>,
    pub(super) line: usize,
    pub(super) node: Node<'a>,
}

impl Kind<'_> {
    /// What it is, for messages.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Kind::Scalar(..) => "a single value",
            Kind::List(_) => "a list",
            Kind::Map(_) => "a mapping",
            Kind::Unreadable => "unreadable",
        }
    }
}

/// Reading cannot go on; the reason is among the problems.
pub(super) struct Stop;

/// The one value of a document.
pub(super) fn read<'a>(bytes: &'a [u8], problems: &mut Problems) -> Result<Node<'a>, Stop> {
    if bytes.len() > DOCUMENT_BYTES_MAX {
        let message = format!("larger than {} MiB", DOCUMENT_BYTES_MAX >> 20);
        problems.add(1, message, "split it, and name the parts with `workflow:`".to_owned());
        return Err(Stop);
    }
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text.strip_prefix('\u{feff}').unwrap_or(text),
        Err(error) => {
            let line = 1 + bytes[..error.valid_up_to()].iter().filter(|byte| **byte == b'\n').count();
            problems.add(line, "this is not UTF-8", "save the file as UTF-8".to_owned());
            return Err(Stop);
        }
    };
    if let Some(at) = text.find('\0') {
        let line = 1 + text[..at].matches('\n').count();
        problems.add(line, "a NUL byte", "save the file as plain text".to_owned());
        return Err(Stop);
    }
    let mut options = Options::default();
    options.emit_unresolved_aliases = true;
    options.flow_nesting_limit = DEPTH_MAX;
    options.block_nesting_limit = DEPTH_MAX;
    let parser = Parser::new_from_str_with_options(text, options);
    Reader { text, parser, problems, anchors: HashMap::new(), size: Size::default(), kept: 0 }.document()
}

struct Reader<'a, 'p> {
    text: &'a str,
    parser: Parser<'a, StrInput<'a>>,
    problems: &'p mut Problems,
    /// What aliases stand for, and how much that is.
    anchors: HashMap<usize, (Node<'a>, Size)>,
    size: Size,
    /// How many values the anchors keep: one inside of the other keeps them again.
    kept: usize,
}

/// How much was read, aliases written out.
#[derive(Clone, Copy, Debug, Default)]
struct Size {
    values: usize,
    text_bytes: usize,
}

impl<'a> Reader<'a, '_> {
    fn document(mut self) -> Result<Node<'a>, Stop> {
        let mut root = None;
        loop {
            let (event, span) = self.next()?;
            match event {
                Event::StreamStart | Event::DocumentStart(..) | Event::DocumentEnd => {}
                Event::StreamEnd => break,
                _ if root.is_some() => {
                    let hint = "keep one document per file".to_owned();
                    self.problems.add(span.start.line(), "a second document", hint);
                    return Err(Stop);
                }
                _ => root = Some(self.node(event, span)?),
            }
        }
        match root {
            Some(root) => Ok(root),
            None => {
                self.problems.add(1, "the file is empty", "write `name:` and `steps:`".to_owned());
                Err(Stop)
            }
        }
    }

    fn next(&mut self) -> Result<(Event<'a>, Span), Stop> {
        match self.parser.next() {
            Some(Ok(event)) => Ok(event),
            Some(Err(error)) => {
                let line = error.marker().line();
                let indent = self.text.lines().nth(line.saturating_sub(1)).unwrap_or_default();
                let with_tab = indent.starts_with(|c: char| c.is_whitespace())
                    && indent.chars().take_while(|c| c.is_whitespace()).any(|c| c == '\t');
                let hint = match error.info() {
                    _ if with_tab => "YAML indents with spaces, never with tabs".to_owned(),
                    info if info.contains("recursion") => format!("nest less than {DEPTH_MAX} levels"),
                    _ => "look at the indent, the quotes and the brackets here and before".to_owned(),
                };
                self.problems.add(line, format!("invalid YAML: {}", error.info()), hint);
                Err(Stop)
            }
            None => Err(Stop),
        }
    }

    fn count(&mut self, more: Size, line: usize) -> Result<(), Stop> {
        self.size.values += more.values;
        self.size.text_bytes += more.text_bytes;
        let message = if self.size.values > VALUES_MAX {
            format!("more than {VALUES_MAX} values, with every alias written out")
        } else if self.size.text_bytes > TEXT_BYTES_MAX {
            format!("more than {} MiB of text, with every alias written out", TEXT_BYTES_MAX >> 20)
        } else {
            return Ok(());
        };
        self.problems.add(line, message, "write less, or use fewer aliases".to_owned());
        Err(Stop)
    }

    /// The node that begins with this event. The parser bounds the depth, so this cannot run away.
    fn node(&mut self, event: Event<'a>, span: Span) -> Result<Node<'a>, Stop> {
        let line = span.start.line();
        let before = self.size;
        let text_bytes = if let Event::Scalar(text, ..) = &event { text.len() } else { 0 };
        self.count(Size { values: 1, text_bytes }, line)?;
        self.refuse_tag(&event, line);
        let anchor = event.anchor_id();
        let kind = match event {
            Event::Scalar(text, style, ..) => Kind::Scalar(text, style == ScalarStyle::Plain),
            Event::SequenceStart(..) => self.list()?,
            Event::MappingStart(..) => self.map()?,
            Event::Alias(id) => return self.alias(id, line),
            Event::UnresolvedAlias(name) => {
                let message = format!("the alias `*{}` has no anchor before it", shown(&name));
                self.problems.add(
                    line,
                    message,
                    format!("mark the value that is meant with `&{}`", shown(&name)),
                );
                Kind::Unreadable
            }
            _ => Kind::Unreadable,
        };
        let node = Node { kind, line };
        if let Some(anchor) = anchor {
            let size = Size {
                values: self.size.values - before.values,
                text_bytes: self.size.text_bytes - before.text_bytes,
            };
            self.kept += size.values;
            if self.anchors.len() >= ANCHORS_MAX || self.kept > VALUES_MAX {
                let message = format!("more than {ANCHORS_MAX} anchors, or {VALUES_MAX} values under them");
                self.problems.add(line, message, "write less of them".to_owned());
                return Err(Stop);
            }
            self.anchors.insert(anchor, (node.clone(), size));
        }
        Ok(node)
    }

    fn alias(&mut self, id: usize, line: usize) -> Result<Node<'a>, Stop> {
        let Some(size) = self.anchors.get(&id).map(|(_, size)| *size) else {
            let hint = "an alias stands for a value that is complete".to_owned();
            self.problems.add(line, "an alias inside of the value it stands for", hint);
            return Ok(Node { kind: Kind::Unreadable, line });
        };
        self.count(size, line)?;
        Ok(self.anchors[&id].0.clone())
    }

    fn list(&mut self) -> Result<Kind<'a>, Stop> {
        let mut items = Vec::new();
        loop {
            match self.next()? {
                (Event::SequenceEnd, _) => return Ok(Kind::List(items)),
                (event, span) => items.push(self.node(event, span)?),
            }
        }
    }

    fn map(&mut self) -> Result<Kind<'a>, Stop> {
        let mut entries: Vec<Entry<'a>> = Vec::new();
        let mut seen = HashSet::new();
        loop {
            let (event, span) = self.next()?;
            let line = span.start.line();
            if event == Event::MappingEnd {
                return Ok(Kind::Map(entries));
            }
            let key = self.node(event, span)?;
            let (event, span) = self.next()?;
            let node = self.node(event, span)?;
            let Kind::Scalar(key, _) = key.kind else {
                self.problems.add(line, "a key must be a word", None);
                continue;
            };
            if key == "<<" {
                let hint = "write the fields out".to_owned();
                self.problems.add(line, "merge keys (`<<`) are not read", hint);
                continue;
            }
            if !seen.insert(key.clone()) {
                let message = format!("`{}` is there twice", shown(&key));
                self.problems.add(line, message, "keep one of them".to_owned());
                continue;
            }
            entries.push(Entry { key, line, node });
        }
    }

    fn refuse_tag(&mut self, event: &Event<'_>, line: usize) {
        if let Some(tag) = event.tag() {
            let message = format!("the tag `{}` is not read", shown(&tag.to_string()));
            self.problems.add(line, message, "a workflow is data: remove the tag".to_owned());
        }
    }
}

/// What a plain word is to any reader of YAML.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    Null,
    /// To readers of the older generation `yes`, `no`, `on` and `off` are truth values, too.
    Truth(bool),
    Text,
}

pub(super) fn word(text: &str) -> Word {
    match text.to_ascii_lowercase().as_str() {
        "" | "~" | "null" => Word::Null,
        "true" | "yes" | "on" => Word::Truth(true),
        "false" | "no" | "off" => Word::Truth(false),
        _ => Word::Text,
    }
}

/// The node as JSON. What JSON cannot hold is a problem.
pub(super) fn json(node: &Node<'_>, problems: &mut Problems) -> Value {
    match &node.kind {
        Kind::Unreadable => Value::Null,
        Kind::Scalar(text, false) => Value::from(text.as_ref()),
        Kind::Scalar(text, true) => plain(text, node.line, problems),
        Kind::List(items) => Value::Array(items.iter().map(|item| json(item, problems)).collect()),
        Kind::Map(entries) => {
            let entry = |entry: &Entry<'_>| (entry.key.clone().into_owned(), json(&entry.node, problems));
            Value::Object(entries.iter().map(entry).collect::<Map<_, _>>())
        }
    }
}

fn plain(text: &str, line: usize, problems: &mut Problems) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Value::Null,
        "true" | "True" | "TRUE" => return Value::Bool(true),
        "false" | "False" | "FALSE" => return Value::Bool(false),
        _ => {}
    }
    let looks_like_number = text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.'))
        && text.chars().all(|c| c.is_ascii_digit() || matches!(c, '-' | '+' | '.' | 'e' | 'E'));
    if let Ok(whole) = text.parse::<i64>() {
        return Value::from(whole);
    }
    let special =
        matches!(text.trim_start_matches(['-', '+']).to_ascii_lowercase().as_str(), ".inf" | ".nan");
    if !special && !looks_like_number {
        return Value::from(text);
    }
    let number = text.parse::<f64>().ok().filter(|_| text.contains(['.', 'e', 'E']));
    match number.and_then(Number::from_f64) {
        Some(number) => Value::Number(number),
        // `1.2.3` and `-` are words that only begin like numbers.
        None if !special && text.parse::<f64>().is_err() => Value::from(text),
        None => {
            let message = format!("`{}` is a number that cannot be kept exactly", shown(text));
            problems.add(line, message, "put it in quotes".to_owned());
            Value::Null
        }
    }
}
