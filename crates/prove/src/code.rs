//! A file that was read: its outline, with what several parts of this crate ask of it.

use std::ops::Range;

use piton_guard::{Class, Kind, Outline, Piece, Place, Token};

/// Deeper nesting is not code that a person wrote, and would cost the square of its depth.
const DEPTH_MAX: usize = 64;

/// Languages whose code is changed and followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    Rust,
    Python,
    /// JavaScript and TypeScript.
    Script,
    Go,
}

impl Language {
    fn of(name: &str) -> Option<Self> {
        match name {
            "rust" => Some(Self::Rust),
            "python" => Some(Self::Python),
            "javascript" | "typescript" => Some(Self::Script),
            "go" => Some(Self::Go),
            _ => None,
        }
    }
}

/// A file that was read.
pub(crate) struct Code<'a> {
    pub(crate) text: &'a str,
    pub(crate) language: Language,
    pub(crate) outline: Outline,
    /// The other bracket of each bracket.
    partner: Vec<Option<usize>>,
    /// The innermost function with a name around each token.
    function: Vec<Option<usize>>,
    /// The innermost piece around each token.
    piece: Vec<Option<usize>>,
}

impl<'a> Code<'a> {
    /// Reads a file. `None` where its language is not one of [`Language`].
    pub(crate) fn of(path: &str, text: &'a str) -> Option<Self> {
        let outline = Outline::of(path, text)?;
        let language = Language::of(outline.language)?;
        let count = outline.tokens.len();
        let function = innermost(count, outline.functions.iter().map(|function| &function.span));
        let piece = innermost(count, outline.pieces.iter().map(|piece| &piece.span));
        let mut code = Self { text, language, outline, partner: vec![None; count], function, piece };
        code.pair_brackets();
        Some(code)
    }

    fn pair_brackets(&mut self) {
        let mut open = Vec::new();
        for index in 0..self.len() {
            match self.word(index) {
                "(" | "[" | "{" => open.push(index),
                ")" | "]" | "}" => {
                    if let Some(first) = open.pop() {
                        self.partner[first] = Some(index);
                        self.partner[index] = Some(first);
                    }
                }
                _ => {}
            }
        }
    }

    /// How many tokens there are.
    pub(crate) fn len(&self) -> usize {
        self.outline.tokens.len()
    }

    pub(crate) fn token(&self, index: usize) -> Option<&Token> {
        self.outline.tokens.get(index)
    }

    /// The text of a token; empty where there is none.
    pub(crate) fn word(&self, index: usize) -> &'a str {
        self.token(index).and_then(|token| self.text.get(token.bytes.clone())).unwrap_or_default()
    }

    /// The text of the token before; empty at the start.
    pub(crate) fn word_before(&self, index: usize) -> &'a str {
        index.checked_sub(1).map_or("", |before| self.word(before))
    }

    pub(crate) fn kind(&self, index: usize) -> Option<Kind> {
        self.token(index).map(|token| token.kind)
    }

    pub(crate) fn is_word(&self, index: usize) -> bool {
        self.kind(index) == Some(Kind::Word)
    }

    /// The kind of node that holds a token.
    pub(crate) fn within(&self, index: usize) -> &'static str {
        self.token(index).map_or("", |token| token.within)
    }

    pub(crate) fn is_run(&self, index: usize) -> bool {
        self.token(index).is_some_and(|token| token.place == Place::Code)
    }

    /// The line of a token; of the last one, behind the end.
    pub(crate) fn line(&self, index: usize) -> u32 {
        self.token(index).or(self.outline.tokens.last()).map_or(1, |token| token.line)
    }

    /// The line on which the last of some tokens ends.
    pub(crate) fn last_line(&self, span: &Range<usize>) -> u32 {
        let Some(token) = span.end.checked_sub(1).and_then(|last| self.token(last)) else {
            return self.line(span.start);
        };
        let inside = self.text.get(token.bytes.clone()).unwrap_or_default().matches('\n').count();
        token.line.saturating_add(u32::try_from(inside).unwrap_or(u32::MAX))
    }

    /// The bytes of some tokens; empty where there are none.
    pub(crate) fn bytes(&self, span: &Range<usize>) -> Range<usize> {
        match (self.token(span.start), span.end.checked_sub(1).and_then(|last| self.token(last))) {
            (Some(first), Some(last)) if first.bytes.start < last.bytes.end => {
                first.bytes.start..last.bytes.end
            }
            (Some(first), _) => first.bytes.start..first.bytes.start,
            (None, _) => self.text.len()..self.text.len(),
        }
    }

    /// The text of some tokens, with what lies between them.
    pub(crate) fn excerpt(&self, span: &Range<usize>) -> &'a str {
        self.text.get(self.bytes(span)).unwrap_or_default()
    }

    /// The other bracket of a bracket that has one.
    pub(crate) fn partner(&self, bracket: usize) -> Option<usize> {
        self.partner.get(bracket).copied().flatten()
    }

    /// Where the bracket at `open` is closed; the end of the file where it never is.
    pub(crate) fn closing(&self, open: usize) -> usize {
        self.partner(open).filter(|close| *close > open).unwrap_or(self.len())
    }

    /// The tokens of a range that are outside of brackets in it.
    pub(crate) fn top_level(&self, span: &Range<usize>) -> impl Iterator<Item = usize> + use<'_, 'a> {
        let mut next = span.start;
        let end = span.end.min(self.len());
        std::iter::from_fn(move || {
            let index = next;
            (index < end).then(|| {
                next = match self.partner(index) {
                    Some(close) if close > index => close + 1,
                    _ => index + 1,
                };
                index
            })
        })
    }

    /// The parts of a range between commas outside of brackets.
    pub(crate) fn split(&self, span: &Range<usize>) -> Vec<Range<usize>> {
        let (mut parts, mut start) = (Vec::new(), span.start);
        for index in self.top_level(span) {
            if self.word(index) == "," {
                parts.push(start..index);
                start = index + 1;
            }
        }
        parts.push(start..span.end);
        parts.retain(|part| !part.is_empty());
        parts
    }

    /// A range without brackets that are around all of it.
    pub(crate) fn inside(&self, span: &Range<usize>) -> Range<usize> {
        let is_whole = span.len() >= 2 && self.partner(span.start) == Some(span.end - 1);
        if is_whole { span.start + 1..span.end - 1 } else { span.clone() }
    }

    /// The words of some tokens.
    pub(crate) fn words(&self, span: &Range<usize>) -> impl Iterator<Item = &'a str> + use<'_, 'a> {
        let span = span.start..span.end.min(self.len());
        span.filter(|index| self.is_word(*index)).map(|index| self.word(index))
    }

    /// The innermost function with a name around a token.
    pub(crate) fn function(&self, index: usize) -> Option<String> {
        let function = self.function.get(index).copied().flatten()?;
        Some(name_of(&self.outline.functions[function]))
    }

    /// The pieces around a token, from the inside out, as many as a person would look at.
    pub(crate) fn around(&self, index: usize) -> impl Iterator<Item = &Piece> {
        let mut next = self.piece.get(index).copied().flatten();
        let walk = std::iter::from_fn(move || {
            let piece = &self.outline.pieces[next?];
            next = piece.parent;
            Some(piece)
        });
        walk.take(DEPTH_MAX)
    }

    pub(crate) fn pieces_of(&self, class: Class) -> impl Iterator<Item = &Piece> {
        self.outline.pieces.iter().filter(move |piece| piece.class == class)
    }

    /// Whether a token is the first of its line.
    pub(crate) fn begins_line(&self, index: usize) -> bool {
        index == 0 || self.line(index - 1) < self.line(index)
    }

    /// The name of a function or a call, without what is before the last dot and without type arguments.
    pub(crate) fn last_name(&self, name: &Range<usize>) -> &'a str {
        let mut last = "";
        for index in self.top_level(name) {
            if matches!(self.word(index), "<" | "::<") {
                break;
            }
            if self.is_word(index) {
                last = self.word(index);
            }
        }
        last
    }
}

/// What a function is called by: a constructor by the name of its class.
pub(crate) fn name_of(function: &piton_guard::Function) -> String {
    match (function.name.as_str(), &function.holder) {
        ("__init__" | "constructor", Some(holder)) => holder.clone(),
        (name, _) => name.to_owned(),
    }
}

/// The last of several ranges that holds each of `count` tokens; the ranges lie in each other or apart, and begin in
/// their order.
fn innermost<'a>(count: usize, spans: impl Iterator<Item = &'a Range<usize>>) -> Vec<Option<usize>> {
    let mut found = vec![None; count];
    let mut open: Vec<(usize, &Range<usize>)> = Vec::new();
    let mut spans = spans.enumerate().peekable();
    for (at, found) in found.iter_mut().enumerate() {
        while let Some(next) = spans.next_if(|(_, span)| span.start <= at) {
            open.push(next);
        }
        while open.last().is_some_and(|(_, span)| span.end <= at) {
            open.pop();
        }
        *found = open.last().map(|(index, _)| *index);
    }
    found
}

/// Ranges of tokens as one bit for each token.
pub(crate) struct Marked(Vec<bool>);

impl Marked {
    pub(crate) fn of(count: usize, spans: impl IntoIterator<Item = Range<usize>>) -> Self {
        let mut steps = vec![0_i64; count + 1];
        for span in spans {
            if span.start < span.end && span.start < count {
                steps[span.start] += 1;
                steps[span.end.min(count)] -= 1;
            }
        }
        let mut depth = 0;
        let marked = steps[..count].iter().map(|step| {
            depth += step;
            depth > 0
        });
        Self(marked.collect())
    }

    pub(crate) fn has(&self, index: usize) -> bool {
        self.0.get(index).copied().unwrap_or(false)
    }
}
