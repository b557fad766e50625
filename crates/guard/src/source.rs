//! A file as tokens and pieces: all that the rules ever look at.
//!
//! One walk over the syntax tree gives a flat list of tokens without whitespace and comments, and a list of
//! [`Piece`]s, the nodes that mean something, as ranges of tokens. So no rule knows a grammar, macros are read
//! like calls, and formatting cannot matter: comparing code is comparing tokens.

mod aliases;

use std::collections::BTreeSet;
use std::ops::Range;

use crate::language::{Class, Grammar, Language, Role};

/// Longer files are not code that a person wrote.
pub(crate) const BYTES_MAX: usize = 2 * 1024 * 1024;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A name or a keyword.
    Word,
    /// A literal number, without its sign.
    Number,
    /// A literal text, quotes and all that is in it included.
    Text,
    /// Anything else: operators, brackets, separators.
    Mark,
}

/// What the code around a token is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// It is run.
    Code,
    /// It says of what type something is.
    Type,
    /// It takes a value apart, or names one that is to be matched.
    Pattern,
}

/// One token.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    start: u32,
    end: u32,
    /// Its line, from 1.
    pub(crate) line: u32,
    pub(crate) kind: Kind,
    pub(crate) place: Place,
    /// The kind of the node that holds it, by its number in the grammar.
    pub(crate) within: u16,
    /// The word that it stands for, by its place among those of the file, from 1.
    alias: u16,
}

impl Token {
    pub(crate) fn bytes(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// A range of tokens.
pub(crate) type Span = Range<usize>;

/// A node that means something.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    pub(crate) class: Class,
    pub(crate) span: Span,
    /// The name of a definition; of a call, everything before its arguments.
    pub(crate) name: Span,
    pub(crate) arguments: Span,
    pub(crate) body: Span,
    pub(crate) condition: Span,
    /// The piece that holds it.
    pub(crate) parent: Option<usize>,
    /// The kind of the node that holds it, by its number in the grammar.
    pub(crate) within: u16,
    /// Whether the name is only what the grammar has instead of one, such as the type of an `impl`.
    name_is_weak: bool,
}

impl Piece {
    /// What stands before its body.
    pub(crate) fn header(&self) -> Span {
        self.span.start..self.body.start.max(self.span.start)
    }
}

/// A comment.
#[derive(Clone, Debug)]
pub(crate) struct Comment {
    pub(crate) line: u32,
    pub(crate) bytes: Range<usize>,
}

/// A file, understood as far as needed.
#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) language: &'static Language,
    pub(crate) text: String,
    pub(crate) tokens: Vec<Token>,
    /// In the order in which they begin, outer ones first.
    pub(crate) pieces: Vec<Piece>,
    pub(crate) comments: Vec<Comment>,
    /// The words of test frameworks that names of this file stand for.
    aliases: Vec<String>,
}

impl Source {
    /// Reads a file. `None` where nothing could be parsed at all.
    pub(crate) fn parse(language: &'static Language, text: String) -> Option<Self> {
        Self::parse_after(language, text, None).map(|(source, _)| source)
    }

    /// Reads a file of which another version was read before: what they share need not be parsed again.
    pub(crate) fn parse_after(
        language: &'static Language,
        text: String,
        before: Option<(&str, &tree_sitter::Tree)>,
    ) -> Option<(Self, tree_sitter::Tree)> {
        if text.len() > BYTES_MAX {
            return None;
        }
        let known = before
            .filter(|(_, tree)| !tree.root_node().has_error())
            .map(|(old, tree)| edited(old, &text, tree));
        let tree = language.parser().parse(&text, known.as_ref())?;
        let (tokens, pieces, comments, aliases) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut source = Self { language, text, tokens, pieces, comments, aliases };
        source.tokens.reserve(source.text.len() / 4);
        Walk { source: &mut source, grammar: language.ready(), open: Vec::new() }.run(&tree);
        aliases::settle(&mut source);
        source.complete();
        Some((source, tree))
    }

    /// Fills in what grammars do not name: the callee of a call, the body of a handler.
    fn complete(&mut self) {
        for index in 0..self.pieces.len() {
            if self.pieces[index].class == Class::Call {
                self.complete_call(index);
            }
            let Piece { class, ref body, parent: Some(parent), ref span, .. } = self.pieces[index] else {
                continue;
            };
            debug_assert!(body.end <= span.end, "a body is inside its piece");
            let is_block = class == Class::Block;
            let span = span.clone();
            let parent = &mut self.pieces[parent];
            if is_block && parent.body.is_empty() && parent.class != Class::Block {
                parent.body = span;
            }
        }
    }

    fn complete_call(&mut self, index: usize) {
        let piece = &self.pieces[index];
        let mut arguments = piece.arguments.clone();
        if arguments.is_empty() {
            // A macro: what follows its name and the exclamation mark.
            let start = piece.name.end + usize::from(self.word(piece.name.end) == "!");
            arguments = start.min(piece.span.end)..piece.span.end;
        }
        let name = piece.span.start..arguments.start.max(piece.span.start);
        let piece = &mut self.pieces[index];
        piece.name = name;
        piece.arguments = arguments;
    }

    /// The text of a token: as it is in the file, or the word of a test framework that it stands for there.
    pub(crate) fn word(&self, token: usize) -> &str {
        let Some(token) = self.tokens.get(token) else { return "" };
        match usize::from(token.alias).checked_sub(1).and_then(|alias| self.aliases.get(alias)) {
            Some(word) => word,
            None => &self.text[token.bytes()],
        }
    }

    /// Reads a token as another word from now on.
    fn stands_for(&mut self, token: usize, word: String) {
        let known = self.aliases.iter().position(|known| *known == word);
        let place = known.unwrap_or_else(|| {
            self.aliases.push(word);
            self.aliases.len() - 1
        });
        self.tokens[token].alias = u16::try_from(place + 1).unwrap_or(0);
    }

    /// Leaves tokens out, as if they were not in the file.
    fn drop_tokens(&mut self, dropped: &BTreeSet<usize>) {
        if dropped.is_empty() {
            return;
        }
        let mut left = vec![0];
        for at in 0..self.tokens.len() {
            left.push(left[at] + usize::from(!dropped.contains(&at)));
        }
        let moved = |at: usize| left[at.min(left.len() - 1)];
        for piece in &mut self.pieces {
            let spans = [
                &mut piece.span,
                &mut piece.name,
                &mut piece.arguments,
                &mut piece.body,
                &mut piece.condition,
            ];
            for span in spans {
                *span = moved(span.start)..moved(span.end);
            }
        }
        let mut at = 0;
        self.tokens.retain(|_| {
            at += 1;
            !dropped.contains(&(at - 1))
        });
    }

    /// The line a token is on; the last line after the end.
    pub(crate) fn line(&self, token: usize) -> u32 {
        self.tokens.get(token).or(self.tokens.last()).map_or(1, |token| token.line)
    }

    /// The bytes that a range of tokens covers, comments and whitespace included.
    pub(crate) fn excerpt(&self, span: &Span) -> &str {
        match (self.tokens.get(span.start), span.end.checked_sub(1).and_then(|last| self.tokens.get(last))) {
            (Some(first), Some(last)) if first.start < last.end => {
                &self.text[first.start as usize..last.end as usize]
            }
            _ => "",
        }
    }

    /// The tokens of a range as one normalised text: equal for code that differs only in its formatting.
    pub(crate) fn flat(&self, span: &Span) -> String {
        let mut flat = String::new();
        let mut after_word = false;
        for index in span.clone() {
            let word = self.word(index);
            if word == "," && matches!(self.word(index + 1), ")" | "]" | "}") || word == ";" {
                continue;
            }
            let is_word = self.tokens[index].kind != Kind::Mark;
            if after_word && is_word {
                flat.push(' ');
            }
            match self.tokens[index].kind {
                Kind::Text => flat.push_str(&requoted(word)),
                _ => flat.push_str(word),
            }
            after_word = is_word;
        }
        flat
    }

    /// The words of a range.
    pub(crate) fn words<'a>(&'a self, span: &Span) -> impl Iterator<Item = &'a str> + use<'a> {
        span.clone().filter(|index| self.tokens[*index].kind == Kind::Word).map(|index| self.word(index))
    }

    /// The first word of what is called, which may stand for several.
    pub(crate) fn receiver(&self, name: &Span) -> &str {
        // PHP: `$this->skip()`.
        let first = self.word(name.start + usize::from(self.word(name.start) == "$"));
        first.split('.').next().unwrap_or(first).trim_start_matches('$')
    }

    /// Whether a token is a name that is called.
    pub(crate) fn is_call(&self, token: usize) -> bool {
        self.word(token + 1) == "(" && self.tokens[token].kind == Kind::Word
    }

    /// The pieces of a class.
    pub(crate) fn pieces_of(&self, class: Class) -> impl DoubleEndedIterator<Item = &Piece> {
        self.pieces.iter().filter(move |piece| piece.class == class)
    }

    /// The pieces that bring names in from elsewhere, in whatever way.
    pub(crate) fn imports(&self) -> impl Iterator<Item = &Piece> {
        self.pieces.iter().filter(|piece| {
            piece.class == Class::Import
                || piece.class == Class::Binding && self.flat(&piece.arguments).contains("require(")
        })
    }

    /// The literal numbers and texts of a range, quotes normalised.
    pub(crate) fn literals(&self, span: &Span) -> Vec<String> {
        span.clone()
            .filter(|index| matches!(self.tokens[*index].kind, Kind::Number | Kind::Text))
            .map(|index| requoted(self.word(index)).into_owned())
            .collect()
    }

    /// The pieces that begin inside a range.
    pub(crate) fn pieces_in<'a>(&'a self, span: &Span) -> impl Iterator<Item = (usize, &'a Piece)> + use<'a> {
        let first = self.pieces.partition_point(|piece| piece.span.start < span.start);
        let end = span.end;
        let inside =
            self.pieces[first..].iter().enumerate().map(move |(index, piece)| (first + index, piece));
        inside
            .take_while(move |(_, piece)| piece.span.start < end)
            .filter(move |(_, piece)| piece.span.end <= end)
    }

    /// The pieces around a piece, from the inside out.
    pub(crate) fn around(&self, index: usize) -> impl Iterator<Item = (usize, &Piece)> {
        let mut next = self.pieces[index].parent;
        std::iter::from_fn(move || {
            let index = next?;
            next = self.pieces[index].parent;
            Some((index, &self.pieces[index]))
        })
    }

    /// The range without the brackets around it.
    pub(crate) fn inside(&self, span: &Span) -> Span {
        let opens = matches!(self.word(span.start), "(" | "[" | "{");
        if opens && span.len() >= 2 && self.closing(span.start) == span.end - 1 {
            span.start + 1..span.end - 1
        } else {
            span.clone()
        }
    }

    /// Where the bracket at `open` is closed; the last token where it never is.
    pub(crate) fn closing(&self, open: usize) -> usize {
        let mut depth = 0_usize;
        for index in open..self.tokens.len() {
            match self.word(index) {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        return index;
                    }
                }
                _ => {}
            }
        }
        self.tokens.len().saturating_sub(1)
    }

    /// Where `wanted` stands outside of any brackets.
    pub(crate) fn top_level(&self, span: &Span, wanted: &[&str]) -> Vec<usize> {
        let mut found = Vec::new();
        let mut depth = 0_usize;
        for index in span.clone() {
            let word = self.word(index);
            match word {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => depth = depth.saturating_sub(1),
                _ if depth == 0 && self.tokens[index].kind != Kind::Text && wanted.contains(&word) => {
                    found.push(index);
                }
                _ => {}
            }
        }
        found
    }

    /// The parts of a range between commas outside of brackets.
    pub(crate) fn split(&self, span: &Span) -> Vec<Span> {
        self.split_at(span, &[","])
    }

    /// The parts of a range between separators outside of brackets.
    pub(crate) fn split_at(&self, span: &Span, separators: &[&str]) -> Vec<Span> {
        let mut parts = Vec::new();
        let mut start = span.start;
        for at in self.top_level(span, separators) {
            parts.push(start..at);
            start = at + 1;
        }
        parts.push(start..span.end);
        parts.retain(|part| !part.is_empty());
        parts
    }

    /// The text of a comment.
    pub(crate) fn comment(&self, comment: &Comment) -> &str {
        &self.text[comment.bytes.clone()]
    }
}

/// A tree as if its text had been edited into another.
fn edited(old: &str, new: &str, tree: &tree_sitter::Tree) -> tree_sitter::Tree {
    let start = old.bytes().zip(new.bytes()).take_while(|(a, b)| a == b).count();
    let shared = old.len().min(new.len()) - start;
    let end = old.bytes().rev().zip(new.bytes().rev()).take(shared).take_while(|(a, b)| a == b).count();
    let point = |text: &str, at: usize| {
        let before = &text.as_bytes()[..at];
        let row = before.iter().filter(|byte| **byte == b'\n').count();
        let column = before.iter().rev().take_while(|byte| **byte != b'\n').count();
        tree_sitter::Point { row, column }
    };
    let (old_end, new_end) = (old.len() - end, new.len() - end);
    let mut tree = tree.clone();
    tree.edit(&tree_sitter::InputEdit {
        start_byte: start,
        old_end_byte: old_end,
        new_end_byte: new_end,
        start_position: point(old, start),
        old_end_position: point(old, old_end),
        new_end_position: point(new, new_end),
    });
    tree
}

/// A text literal with one kind of quotes, so that a formatter's choice does not matter.
pub(crate) fn requoted(literal: &str) -> std::borrow::Cow<'_, str> {
    let bytes = literal.as_bytes();
    match (bytes.first(), bytes.last()) {
        (Some(first @ (b'\'' | b'`')), Some(last))
            if first == last && bytes.len() >= 2 && !literal.contains('"') && !literal.contains("${") =>
        {
            format!("\"{}\"", &literal[1..literal.len() - 1]).into()
        }
        _ => literal.into(),
    }
}

/// The walk over the tree: no recursion, since hostile files nest deeper than any stack.
struct Walk<'a> {
    source: &'a mut Source,
    grammar: &'static Grammar,
    open: Vec<Open>,
}

/// A node that was entered.
struct Open {
    piece: Option<usize>,
    role: Option<Role>,
    weak: bool,
    start: usize,
    kind: u16,
    place: Place,
}

impl Walk<'_> {
    fn run(&mut self, tree: &tree_sitter::Tree) {
        let mut cursor = tree.walk();
        loop {
            if self.enter(&cursor) && cursor.goto_first_child() {
                continue;
            }
            self.leave();
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return;
                }
                self.leave();
            }
        }
    }

    /// Notes a node, and says whether its children matter.
    fn enter(&mut self, cursor: &tree_sitter::TreeCursor<'_>) -> bool {
        let node = cursor.node();
        let class = self.grammar.class(node.kind_id());
        let start = self.source.tokens.len();
        let field = cursor.field_id().map(std::num::NonZeroU16::get);
        let role = self.grammar.role(field);
        let weak = role == Some(Role::Name) && cursor.field_name() != Some("name");
        let kind = node.kind_id();
        let outer = self.open.last().map_or(Place::Code, |open| open.place);
        let place = match role {
            // The guard of an arm is run, though it stands in its pattern.
            Some(Role::Condition) => Place::Code,
            _ => self.grammar.place(kind).unwrap_or(outer),
        };
        let mut open = Open { piece: None, role, weak, start, kind, place };
        let descend = match class {
            Some(Class::Comment) => {
                let line = line_of(&node);
                self.source.comments.push(Comment { line, bytes: node.byte_range() });
                false
            }
            Some(Class::Text) => {
                self.token(&node, Kind::Text);
                false
            }
            _ if self.grammar.is_token_tree(node.kind_id()) && self.holds_items(&node) => {
                self.open.push(open);
                self.items(&node);
                return false;
            }
            _ if node.child_count() == 0 => {
                let kind = kind_of(self.source.text.as_bytes().get(node.start_byte()));
                self.token(&node, kind);
                false
            }
            Some(class) => {
                open.piece = Some(self.piece(class, start));
                true
            }
            None => true,
        };
        self.open.push(open);
        descend
    }

    /// Whether a macro has functions in it that are tests: `proptest! { #[test] fn … }`.
    fn holds_items(&self, node: &tree_sitter::Node<'_>) -> bool {
        let Some(text) = self.source.text.get(node.byte_range()) else { return false };
        text.starts_with('{') && text.contains("fn ") && (text.contains("#[test]") || self.is_quickcheck())
    }

    fn is_quickcheck(&self) -> bool {
        let last = self.source.tokens.len().saturating_sub(2);
        self.source.word(last) == "quickcheck"
    }

    /// Reads what is inside of a macro as if it stood in a file: the grammar takes it for loose tokens.
    fn items(&mut self, node: &tree_sitter::Node<'_>) {
        let (Some(first), Some(last)) = (node.child(0), node.child(node.child_count().saturating_sub(1)))
        else {
            return;
        };
        let inside = tree_sitter::Range {
            start_byte: first.end_byte(),
            end_byte: last.start_byte(),
            start_point: first.end_position(),
            end_point: last.start_position(),
        };
        let mut parser = self.source.language.parser();
        if parser.set_included_ranges(&[inside]).is_ok()
            && let Some(tree) = parser.parse(&self.source.text, None)
        {
            self.run(&tree);
        }
    }

    fn token(&mut self, node: &tree_sitter::Node<'_>, kind: Kind) {
        let bytes = node.byte_range();
        // Line ends are tokens in some grammars; what has no visible character is none here.
        if self.source.text[bytes.clone()].trim().is_empty() {
            return;
        }
        let (within, place) = self.open.last().map_or((0, Place::Code), |open| (open.kind, open.place));
        let (start, end) = (bytes.start as u32, bytes.end as u32);
        self.source.tokens.push(Token { start, end, line: line_of(node), kind, place, within, alias: 0 });
    }

    fn piece(&mut self, class: Class, start: usize) -> usize {
        let parent = self.open.iter().rev().find_map(|open| open.piece);
        let empty = start..start;
        self.source.pieces.push(Piece {
            class,
            span: empty.clone(),
            name: empty.clone(),
            arguments: empty.clone(),
            body: empty.clone(),
            condition: empty,
            parent,
            within: self.open.last().map_or(0, |open| open.kind),
            name_is_weak: true,
        });
        self.source.pieces.len() - 1
    }

    fn leave(&mut self) {
        let Some(closed) = self.open.pop() else { return };
        let end = self.source.tokens.len();
        if let Some(piece) = closed.piece {
            self.source.pieces[piece].span.end = end;
        }
        let Some(holder) = self.open.last().and_then(|open| open.piece) else { return };
        let (piece, span) = (&mut self.source.pieces[holder], closed.start..end);
        match closed.role {
            Some(Role::Name) if piece.name.is_empty() || (piece.name_is_weak && !closed.weak) => {
                piece.name = span;
                piece.name_is_weak = closed.weak;
            }
            Some(Role::Arguments) if piece.arguments.is_empty() => piece.arguments = span,
            Some(Role::Body) if piece.body.is_empty() => piece.body = span,
            Some(Role::Condition) if piece.condition.is_empty() => piece.condition = span,
            Some(_) | None => {}
        }
    }
}

fn line_of(node: &tree_sitter::Node<'_>) -> u32 {
    u32::try_from(node.start_position().row).map_or(u32::MAX, |row| row.saturating_add(1))
}

fn kind_of(first: Option<&u8>) -> Kind {
    match first {
        Some(b'0'..=b'9') => Kind::Number,
        Some(b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' | 128..) => Kind::Word,
        Some(_) | None => Kind::Mark,
    }
}
