//! A text as a row of pieces: text, escapes and tags.

use std::ops::Range;

use crate::TAG_BYTES_MAX;
use crate::error::{Problem, What};
use crate::tag::{self, Tag};

/// A piece of a text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Piece {
    /// Where it stands. A tag of a block that is alone on its line has the whole line.
    pub(crate) span: Range<usize>,
    /// Its line, from 1.
    pub(crate) line: usize,
    pub(crate) kind: PieceKind,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum PieceKind {
    /// Text, as it is.
    Text,
    /// Braces that are meant: these.
    Escape(&'static str),
    Tag(Tag),
}

/// The pieces of `text`, whose first line is line `line` of `file`.
pub(crate) fn scan(file: &str, text: &str, line: usize, warnings: &mut Vec<Problem>) -> Vec<Piece> {
    let mut scanner = Scanner { file, text, line, counted: 0, done: 0, pieces: Vec::new() };
    // Without a tag there is nothing to escape from.
    if text.contains("{{") {
        scanner.run(warnings);
    }
    scanner.text_until(text.len());
    scanner.pieces
}

struct Scanner<'a> {
    file: &'a str,
    text: &'a str,
    /// The line of the byte `counted`.
    line: usize,
    counted: usize,
    /// Everything before this is in a piece.
    done: usize,
    pieces: Vec<Piece>,
}

impl Scanner<'_> {
    fn run(&mut self, warnings: &mut Vec<Problem>) {
        let mut at = 0;
        while let Some(found) = self.text[at..].find(['{', '\\']) {
            at += found;
            let rest = &self.text[at..];
            if let Some(braces) = escape(rest) {
                self.text_until(at);
                self.push(at..at + 4, PieceKind::Escape(braces));
                at += 4;
            } else if rest.starts_with("{{") {
                at = self.tag(at, warnings);
            } else {
                at += 1;
            }
        }
    }

    /// The braces at `at`; where to go on.
    fn tag(&mut self, at: usize, warnings: &mut Vec<Problem>) -> usize {
        // Of a longer row of braces the last two begin the tag.
        let row = self.text[at..].bytes().take_while(|byte| *byte == b'{').count();
        let open = at + row - 2;
        let inner = open + 2;
        let Some(length) = content_length(&self.text[inner..]) else {
            let line = self.line_of(open);
            warnings.push(Problem::new(self.file, line, What::Unclosed));
            return inner;
        };
        let content = &self.text[inner..inner + length];
        let close = inner + length + 2;
        match tag::parse(content) {
            Some(tag) => {
                let span = if is_block(&tag) { self.line_around(open..close) } else { open..close };
                self.text_until(span.start);
                self.push(span.clone(), PieceKind::Tag(tag));
                span.end
            }
            None => {
                let what = What::UnknownTag { tag: content.trim().to_owned() };
                let line = self.line_of(open);
                warnings.push(Problem::new(self.file, line, what));
                close
            }
        }
    }

    /// The line of a tag with its end, where nothing else stands on it. Looks at blanks only, so that many tags on
    /// one long line cost no more than the line.
    fn line_around(&self, tag: Range<usize>) -> Range<usize> {
        let is_blank = |letter: char| letter != '\n' && letter.is_whitespace();
        let before = self.text[self.done..tag.start].trim_end_matches(is_blank);
        let start = self.done + before.len();
        let begins_line = start == 0 || self.text[..start].ends_with('\n');
        let after = self.text[tag.end..].trim_start_matches(is_blank);
        let end = self.text.len() - after.len();
        match after.chars().next() {
            Some('\n') if begins_line => start..end + 1,
            None if begins_line => start..end,
            _ => tag,
        }
    }

    fn text_until(&mut self, end: usize) {
        if self.done < end {
            self.push(self.done..end, PieceKind::Text);
        }
    }

    fn push(&mut self, span: Range<usize>, kind: PieceKind) {
        self.done = span.end;
        let line = self.line_of(span.start);
        self.pieces.push(Piece { span, line, kind });
    }

    /// The line of a byte. Asked for in order, so that every byte is counted about once.
    fn line_of(&mut self, at: usize) -> usize {
        if at < self.counted {
            return self.line - newlines(&self.text[at..self.counted]);
        }
        self.line += newlines(&self.text[self.counted..at]);
        self.counted = at;
        self.line
    }
}

fn newlines(text: &str) -> usize {
    text.bytes().filter(|byte| *byte == b'\n').count()
}

/// The braces that `text` begins with, where they are meant.
fn escape(text: &str) -> Option<&'static str> {
    if text.starts_with(r"\{\{") {
        Some("{{")
    } else if text.starts_with(r"\}\}") {
        Some("}}")
    } else {
        None
    }
}

/// How long the content of a tag is that begins here. It ends on its line and holds no braces of another.
fn content_length(text: &str) -> Option<usize> {
    let mut last = 0;
    for (at, byte) in text.bytes().enumerate().take(TAG_BYTES_MAX + 2) {
        match (last, byte) {
            (b'}', b'}') => return Some(at - 1),
            (b'{', b'{') | (_, b'\n') => return None,
            _ => last = byte,
        }
    }
    None
}

fn is_block(tag: &Tag) -> bool {
    match tag {
        Tag::If(_) | Tag::Each(..) | Tag::Else | Tag::EndIf | Tag::EndEach => true,
        Tag::Value(_) | Tag::Include(_) => false,
    }
}
