//! Errors that are hidden: swallowed, turned into defaults, or silenced for linters and type checkers.

use std::collections::BTreeMap;

use super::Draft;
use crate::comparison::Comparison;
use crate::inventory::Inventory;
use crate::language::Class;
use crate::source::{Piece, Source};

/// Comments that switch a lint, a type check or a coverage measurement off.
const SUPPRESSIONS: &[&str] = &[
    "type: ignore", "noqa", "eslint-disable", "@ts-ignore", "@ts-nocheck", "@ts-expect-error", "nolint",
    "pylint: disable", "pragma: no cover", "istanbul ignore", "c8 ignore", "v8 ignore", "mypy: ignore-errors",
    "biome-ignore", "rubocop:disable", "phpstan-ignore", "NOLINT", "pyright: ignore", "fmt: off", "nosec",
];

pub(super) fn check(comparison: &Comparison) -> Vec<Draft> {
    let mut drafts = Vec::new();
    for file in &comparison.files {
        let Some(new) = file.after.as_ref().and_then(|side| side.inventory.as_ref()) else { continue };
        let old = file.before.as_ref().and_then(|side| side.inventory.as_ref());
        drafts.extend(suppressed(file.path(), old, new));
        if let Some(old) = old {
            drafts.extend(swallowed(file.path(), old, new));
            drafts.extend(handlers_gone(file.path(), old, new));
        }
    }
    drafts
}

fn suppressions(inventory: &Inventory) -> Vec<(u32, String)> {
    let source = &inventory.source;
    let comments = source.comments.iter().filter_map(|comment| {
        let text = source.comment(comment);
        SUPPRESSIONS.iter().any(|word| text.contains(word)).then(|| (comment.line, text.to_owned()))
    });
    let attributes = source.pieces.iter().filter(|piece| piece.class == Class::Decorator).filter_map(|piece| {
        let flat = source.flat(&piece.span);
        let is_off = ["allow(", "SuppressWarnings(", "SuppressMessage("].iter().any(|word| flat.contains(word));
        is_off.then(|| (source.line(piece.span.start), flat))
    });
    comments.chain(attributes).collect()
}

fn suppressed(path: &str, old: Option<&Inventory>, new: &Inventory) -> Vec<Draft> {
    let mut known: Vec<_> = old.map(suppressions).unwrap_or_default().into_iter().map(|(_, text)| text).collect();
    let mut drafts = Vec::new();
    for (line, text) in suppressions(new) {
        if let Some(at) = known.iter().position(|other| *other == text) {
            known.swap_remove(at);
            continue;
        }
        let message = "a check of linters, types or coverage is switched off here";
        drafts.push(Draft::new("lint-suppressed", path, line, message).after(text));
    }
    drafts
}

/// Handlers that drop what they caught.
fn dropping(source: &Source) -> Vec<(u32, String)> {
    let is_empty = |piece: &&Piece| {
        let body = source.flat(&source.inside(&piece.body));
        piece.class == Class::Handler
            && ["", "pass", "return", "return None", "return null", "return undefined", "...", "continue", "return false", "return[]", "return{}"].contains(&body.as_str())
    };
    let handlers = source.pieces.iter().filter(is_empty);
    let calls = source.pieces.iter().filter(|piece| {
        piece.class == Class::Call && {
            let callee = source.flat(&piece.name);
            callee.ends_with("suppress") || callee.ends_with(".unwrap_or_default") || callee.ends_with(".catch") && source.flat(&piece.arguments).ends_with("=>{})")
        }
    });
    handlers.chain(calls).map(|piece| (source.line(piece.span.start), source.flat(&piece.span))).collect()
}

fn swallowed(path: &str, old: &Inventory, new: &Inventory) -> Vec<Draft> {
    let mut known: Vec<_> = dropping(&old.source).into_iter().map(|(_, text)| text).collect();
    let mut drafts = Vec::new();
    for (line, text) in dropping(&new.source) {
        if let Some(at) = known.iter().position(|other| *other == text) {
            known.swap_remove(at);
            continue;
        }
        let message = "an error is caught here and dropped";
        drafts.push(Draft::new("error-swallowed", path, line, message).after(text));
    }
    drafts
}

/// Functions that are still there but raise less than before.
fn handlers_gone(path: &str, old: &Inventory, new: &Inventory) -> Vec<Draft> {
    let raises = |inventory: &Inventory| -> BTreeMap<String, (usize, usize, u32)> {
        let source = &inventory.source;
        let mut found: BTreeMap<String, (usize, usize, u32)> = BTreeMap::new();
        for definition in inventory.definitions.iter().filter(|definition| definition.is_function) {
            let inside = || source.pieces_in(&definition.body);
            let throws = inside().filter(|(_, piece)| piece.class == Class::Throw).count();
            let nothing = inside().filter(|(_, piece)| {
                piece.class == Class::Return && ["return None", "return null", "return undefined", "return"].contains(&source.flat(&piece.span).as_str())
            });
            found.insert(definition.name.clone(), (throws, nothing.count(), source.line(definition.span.start)));
        }
        found
    };
    if crate::paths::is_test(path) {
        return Vec::new();
    }
    let (before, after) = (raises(old), raises(new));
    let mut drafts = Vec::new();
    for (name, (throws, nothing, _)) in before {
        let Some((new_throws, new_nothing, line)) = after.get(&name) else { continue };
        if *new_throws < throws {
            let (rule, message) = match *new_nothing > nothing {
                true => ("error-became-value", format!("`{name}` returns nothing where it raised an error")),
                false => ("validation-removed", format!("`{name}` no longer refuses what it refused")),
            };
            drafts.push(Draft::new(rule, path, *line, message));
        }
    }
    drafts
}
