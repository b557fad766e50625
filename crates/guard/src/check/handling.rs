//! Error handling that is gone, and errors that became values. Neither ever blocks: both have honest reasons.

use super::Draft;
use super::errors::{Both, is_nothing};
use crate::inventory::Definition;
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
