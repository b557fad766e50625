//! A file as its tokens and pieces, for whoever changes code instead of judging it.
//!
//! What [`Source`] and [`Inventory`] have found, and nothing more; [`Token::within`] tells `a < b` from `Vec<T>`, which no
//! token alone can.

use std::ops::Range;

use crate::comparison::test_modules;
use crate::inventory::{Inventory, last_name};
use crate::language::{Class, Language};
use crate::source::{Kind, Place, Source};
use crate::{language, source};

/// One token.
#[derive(Clone, Debug)]
pub struct Token {
    /// Where it stands.
    pub bytes: Range<usize>,
    /// Its line, from 1.
    pub line: u32,
    /// What it is.
    pub kind: Kind,
    /// What the code around it is for.
    pub place: Place,
    /// The grammar's name for the node that holds it.
    pub within: &'static str,
}

/// A node that means something. All its ranges are of tokens, and empty where it has no such part.
#[derive(Clone, Debug)]
pub struct Piece {
    /// What it is.
    pub class: Class,
    /// All of it.
    pub span: Range<usize>,
    /// The name of a definition; of a call, everything before its arguments.
    pub name: Range<usize>,
    /// What a call or a function is given, brackets included; what a binding is bound to.
    pub arguments: Range<usize>,
    /// What a definition, a conditional or a loop holds.
    pub body: Range<usize>,
    /// What a conditional or a loop asks.
    pub condition: Range<usize>,
    /// The piece that holds it.
    pub parent: Option<usize>,
    /// The grammar's name for the node that holds it.
    pub within: &'static str,
}

/// A test.
#[derive(Clone, Debug)]
pub struct Test {
    /// Its names from the outside in, joined with ` > `.
    pub name: String,
    /// The tokens of all of it, attributes included.
    pub span: Range<usize>,
    /// The tokens of what it does.
    pub body: Range<usize>,
}

/// A function with a name.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its own name, without what holds it.
    pub name: String,
    /// The tokens of all of it.
    pub span: Range<usize>,
    /// The tokens of what it does.
    pub body: Range<usize>,
    /// The class, module or other container directly around it.
    pub holder: Option<String>,
}

/// What is in a file.
#[derive(Clone, Debug)]
pub struct Outline {
    /// The name of its language in reports.
    pub language: &'static str,
    /// All of it but whitespace and comments.
    pub tokens: Vec<Token>,
    /// In the order in which they begin, outer ones first.
    pub pieces: Vec<Piece>,
    /// The bytes of its comments.
    pub comments: Vec<Range<usize>>,
    /// Its tests, in their order.
    pub tests: Vec<Test>,
    /// Tokens that are tests, or modules of nothing else; they may lie in each other.
    pub test_code: Vec<Range<usize>>,
    /// Its functions, tests among them, in their order.
    pub functions: Vec<Function>,
    /// Whether the grammar made sense of all of it.
    pub is_sound: bool,
}

impl Outline {
    /// Reads a file. `None` where its language is not known, or it is longer than what a person wrote.
    pub fn of(path: &str, text: &str) -> Option<Self> {
        let language = Language::of(path)?;
        let (source, tree) = Source::parse_after(language, text.to_owned(), None)?;
        let is_sound = !tree.root_node().has_error();
        drop(tree);
        let grammar = &language.ready().language;
        let inventory = Inventory::of(path, source);
        let source = &inventory.source;
        let kind = |number: u16| grammar.node_kind_for_id(number).unwrap_or_default();
        let tests = inventory.tests.iter().map(|test| Test {
            name: test.id.clone(),
            span: test.span.clone(),
            body: test.body.clone(),
        });
        Some(Self {
            language: language.name,
            tokens: source.tokens.iter().map(|token| Token::of(token, kind(token.within))).collect(),
            pieces: source.pieces.iter().map(|piece| Piece::of(piece, kind(piece.within))).collect(),
            comments: source.comments.iter().map(|comment| comment.bytes.clone()).collect(),
            tests: tests.collect(),
            test_code: test_modules(&inventory),
            functions: functions(&inventory),
            is_sound,
        })
    }
}

impl Token {
    fn of(token: &source::Token, within: &'static str) -> Self {
        Self { bytes: token.bytes(), line: token.line, kind: token.kind, place: token.place, within }
    }
}

impl Piece {
    fn of(piece: &source::Piece, within: &'static str) -> Self {
        let piece = piece.clone();
        Self {
            class: piece.class,
            span: piece.span,
            name: piece.name,
            arguments: piece.arguments,
            body: piece.body,
            condition: piece.condition,
            parent: piece.parent,
            within,
        }
    }
}

fn functions(inventory: &Inventory) -> Vec<Function> {
    let source = &inventory.source;
    let containers: Vec<_> = source.pieces_of(language::Class::Container).collect();
    let mut open: Vec<&source::Piece> = Vec::new();
    let mut next = containers.into_iter().peekable();
    let mut found = Vec::new();
    for function in inventory.functions() {
        while let Some(container) = next.next_if(|container| container.span.start <= function.span.start) {
            open.push(container);
        }
        // What ended before cannot hold anything that follows.
        while open.last().is_some_and(|container| container.span.end <= function.span.start) {
            open.pop();
        }
        found.push(Function {
            name: function.name.clone(),
            span: function.span.clone(),
            body: function.body.clone(),
            holder: open.last().map(|container| last_name(source, &container.name)),
        });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn within(path: &str, text: &str, word: &str) -> Vec<(&'static str, Place)> {
        let outline = Outline::of(path, text).expect("a known language");
        let tokens = outline.tokens.iter().filter(|token| &text[token.bytes.clone()] == word);
        tokens.map(|token| (token.within, token.place)).collect()
    }

    #[test]
    fn a_bracket_of_a_type_is_no_comparison() {
        let text = "fn f(a: Vec<u8>, n: usize) -> bool { a.len() < n }";
        assert_eq!(
            within("a.rs", text, "<"),
            [("type_arguments", Place::Type), ("binary_expression", Place::Code)]
        );
        let text = "const f = (a: Array<number>, n: number) => a.length < n;";
        assert_eq!(
            within("a.ts", text, "<"),
            [("type_arguments", Place::Type), ("binary_expression", Place::Code)]
        );
    }

    #[test]
    fn what_is_matched_is_a_pattern_and_its_guard_is_code() {
        let text = "fn f(n: u8) -> u8 { match n { 1 => 2, x if x > 3 => 4, _ => 5 } }";
        assert_eq!(within("a.rs", text, "1"), [("match_pattern", Place::Pattern)]);
        assert_eq!(within("a.rs", text, "3"), [("binary_expression", Place::Code)]);
        assert_eq!(within("a.rs", text, "4"), [("match_arm", Place::Code)]);
    }

    #[test]
    fn a_function_knows_what_holds_it() {
        let text = "class A:\n    def f(self):\n        return 1\n\ndef g():\n    return 2\n";
        let outline = Outline::of("a.py", text).expect("Python");
        let found: Vec<_> =
            outline.functions.iter().map(|found| (found.name.as_str(), found.holder.as_deref())).collect();
        assert_eq!(found, [("f", Some("A")), ("g", None)]);
    }
}
