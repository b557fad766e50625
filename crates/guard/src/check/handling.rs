//! Error handling that is gone, errors that became values, and new code that drops errors. None of it ever blocks: all have honest
//! reasons.

use super::Draft;
use super::errors::{Both, is_nothing};
use crate::inventory::{Definition, Inventory};
use crate::language::Class;
use crate::source::{Piece, Source};

impl Both<'_> {
    /// Work that had its errors handled is done without that.
    pub(super) fn handler_deleted(&self) -> Option<Draft> {
        let (old, new) = (&self.old.source, &self.new.source);
        let (was, is) = (handled(old, self.before), handled(new, self.after));
        if is.len() >= was.len() {
            return None;
        }
        let body = new.flat(&self.after.body);
        let (_, handler) = was.iter().find(|(work, _)| {
            let count = |known: &[(String, &Piece)]| known.iter().filter(|(text, _)| text == work).count();
            count(&is) < count(&was) && body.contains(work.as_str())
        })?;
        let message = format!("`{}` no longer handles errors that it handled", self.after.name);
        let draft = self.draft("error-handler-deleted", new.line(self.after.span.start), message);
        Some(draft.before(old.flat(&handler.span)))
    }

    /// Fewer errors are raised, and nothing is returned more often.
    pub(super) fn error_became_value(&self) -> Option<Draft> {
        let (old, new) = (&self.old.source, &self.new.source);
        let raised = |source: &Source, definition: &Definition| {
            source.pieces_in(&definition.body).filter(|(_, piece)| piece.class == Class::Throw).count()
        };
        let nothing = |source: &Source, definition: &Definition| -> Vec<u32> {
            let returns = source.pieces_in(&definition.body).filter(|(_, piece)| {
                let flat = source.flat(&piece.span);
                piece.class == Class::Return
                    && is_nothing(flat.trim_start_matches("return").trim_end_matches(';').trim())
            });
            returns.map(|(_, piece)| source.line(piece.span.start)).collect()
        };
        let (was, is) = (nothing(old, self.before), nothing(new, self.after));
        let fewer = raised(new, self.after) < raised(old, self.before);
        let line = *is.last().filter(|_| fewer && is.len() > was.len())?;
        let message = format!("`{}` returns nothing where it raised an error", self.after.name);
        Some(self.draft("error-became-value", line, message))
    }
}

/// Handlers of new functions that catch whatever comes and do nothing about it.
pub(super) fn dropped_in_new_code(path: &str, old: Option<&Inventory>, new: &Inventory) -> Vec<Draft> {
    let source = &new.source;
    let is_new = |function: &&Definition| {
        old.is_none_or(|old| old.definition(&function.name).is_none()) && !new.is_in_test(&function.span)
    };
    // What only moved is not new.
    let was = std::cell::LazyCell::new(|| {
        old.map(|old| old.source.flat(&(0..old.source.tokens.len()))).unwrap_or_default()
    });
    let mut drafts: Vec<Draft> = Vec::new();
    for function in new.functions().filter(is_new) {
        for (index, piece) in source.pieces_in(&function.body) {
            let line = source.line(piece.span.start);
            let is_told = drafts.iter().any(|draft| draft.line == line);
            let tried = source.around(index).find(|(_, outer)| outer.class == Class::Try);
            if is_told || !does_nothing(source, piece) {
                continue;
            }
            if tried.is_some_and(|(_, outer)| was.contains(&source.flat(&outer.span))) {
                continue;
            }
            let message = format!("`{}`, which is new, catches errors and drops them", function.name);
            let draft = Draft::new("error-swallowed", path, line, message).after(source.flat(&piece.span));
            drafts.push(draft.sure_if(false));
        }
    }
    drafts
}

/// Whether a handler catches any error and is empty.
fn does_nothing(source: &Source, piece: &Piece) -> bool {
    let body = source.flat(&source.inside(&piece.body));
    let is_empty = !piece.body.is_empty() && ["", "pass", "..."].contains(&body.as_str());
    let broad = source.language.traits.broad_errors;
    let header = piece.header();
    let named: Vec<&str> =
        source.words(&header).filter(|word| !["except", "as", "e"].contains(word)).collect();
    // Where errors have names, one that is named may be meant to pass.
    let is_broad = broad.is_empty() || named.is_empty() || named.iter().any(|name| broad.contains(name));
    piece.class == Class::Handler && is_empty && is_broad
}

/// Go: a call whose last value, where errors stand, gets no name: `x, _ := f()`.
pub(super) fn ignores(source: &Source, piece: &Piece) -> bool {
    let is_call = || {
        let mut inside = source.pieces_in(&piece.arguments);
        inside.any(|(_, call)| call.class == Class::Call && call.span == piece.arguments)
    };
    let last = piece.name.end.wrapping_sub(1);
    source.language.traits.returned_error.is_some()
        && piece.class == Class::Binding
        && piece.name.len() > 1
        && source.word(last) == "_"
        && is_call()
}

/// What is done with its errors handled, and the handler: what is tried, or in Go the call whose error is looked at.
fn handled<'a>(source: &'a Source, definition: &Definition) -> Vec<(String, &'a Piece)> {
    let pieces: Vec<(usize, &Piece)> = source.pieces_in(&definition.body).collect();
    let found = pieces.iter().filter_map(|(index, piece)| match piece.class {
        Class::Handler => {
            let (_, tried) = source.around(*index).find(|(_, outer)| outer.class == Class::Try)?;
            Some((source.flat(&source.inside(&tried.body)), *piece))
        }
        Class::If if source.flat(&piece.condition).contains("err!=nil") => {
            let mut before = pieces.iter().filter(|(_, other)| {
                other.class == Class::Binding
                    && other.span.start < piece.body.start
                    && source.words(&other.span).any(|word| word == "err")
            });
            let bound = source.flat(&before.next_back()?.1.span);
            let call = bound.split_once(":=").or_else(|| bound.split_once('=')).map(|(_, call)| call)?;
            Some((call.to_owned(), *piece))
        }
        _ => None,
    });
    found.filter(|(work, _)| !work.is_empty()).collect()
}
