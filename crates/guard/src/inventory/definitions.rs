//! What a file defines besides tests: functions and the types that hold them.

use crate::language::{Class, Visibility};
use crate::source::{Piece, Source, Span};

/// Something with a name that other code can use.
#[derive(Clone, Debug)]
pub(crate) struct Definition {
    pub(crate) name: String,
    pub(crate) span: Span,
    pub(crate) body: Span,
    pub(crate) is_function: bool,
    /// Whether other files can see it, as far as the language says.
    pub(crate) is_public: bool,
}

pub(super) fn definitions(source: &Source) -> Vec<Definition> {
    let mut found = Vec::new();
    for piece in &source.pieces {
        let is_function = names_function(source, piece);
        if !is_function && piece.class != Class::Container {
            continue;
        }
        let name = last_name(source, &piece.name);
        if name.is_empty() {
            continue;
        }
        found.push(Definition {
            is_public: is_public(source, &name, &piece.span),
            name,
            span: piece.span.clone(),
            body: if piece.body.is_empty() { piece.span.clone() } else { piece.body.clone() },
            is_function,
        });
    }
    found
}

/// Whether a piece gives a function its name, also one that gets it from what it is bound to.
pub(super) fn names_function(source: &Source, piece: &Piece) -> bool {
    let is_lambda = |value: &Piece| value.class == Class::Lambda && value.span.start == piece.arguments.start;
    piece.class == Class::Function
        || piece.class == Class::Binding
            && source.pieces_in(&piece.arguments).next().is_some_and(|(_, value)| is_lambda(value))
}

/// The name in a declarator, which in some grammars has its parameters with it.
pub(crate) fn last_name(source: &Source, span: &Span) -> String {
    let end = span.clone().find(|index| matches!(source.word(*index), "(" | "<" | "[")).unwrap_or(span.end);
    source.words(&(span.start..end)).last().unwrap_or_default().to_owned()
}

fn is_public(source: &Source, name: &str, span: &Span) -> bool {
    match source.language.traits.visibility {
        Visibility::All => true,
        Visibility::Marked(mark) => source.word(span.start) == mark,
        Visibility::Unless(mark) => !source.words(span).take(4).any(|word| word == mark),
        Visibility::NameNot(first) => !name.starts_with(first),
        Visibility::Capital => name.starts_with(char::is_uppercase),
    }
}
