//! Lints, types and coverage that are switched off, for a line, a file, or all over it.

use super::Draft;
use crate::inventory::Inventory;
use crate::language::Class;
use crate::paths;
use crate::similar::only_in;
use crate::text::has_any;
use crate::vocabulary::{SUPPRESSIONS, WHOLE_FILE};

/// As many new suppressions without a reason are no exceptions any more.
const SUPPRESSIONS_MIN: usize = 3;

pub(super) fn of(inventory: &Inventory, is_test: bool) -> Vec<(u32, String)> {
    let source = &inventory.source;
    let comments = source.comments.iter().filter_map(|comment| {
        let text = source.comment(comment);
        // In a test, an error that the compiler must report is an assertion.
        let asserts = is_test && text.contains("@ts-expect-error");
        let is_off = !asserts && SUPPRESSIONS.iter().chain(WHOLE_FILE).any(|word| text.contains(word));
        is_off.then(|| (comment.line, text.to_owned()))
    });
    let attributes = source.pieces_of(Class::Decorator).filter_map(|piece| {
        let flat = source.flat(&piece.span);
        let is_off = has_any(&flat, &["allow(", "SuppressWarnings(", "SuppressMessage("]);
        is_off.then(|| (source.line(piece.span.start), flat))
    });
    comments.chain(attributes).collect()
}

/// Whether a suppression says what it is about, or why.
fn is_explained(text: &str) -> bool {
    // A list of rules is no reason.
    let lists = ["nolint:", "noqa:", "disable=", "eslint-disable"].iter().any(|word| {
        text.find(word).is_some_and(|at| {
            let named = text[at + word.len()..].trim_start();
            let named = named.split([' ', ']']).next().unwrap_or_default();
            named.matches(',').count() >= 2
        })
    });
    let all = text.contains("disable=all") || text.contains("nolint:all") || lists;
    let names_rule = has_any(text, &["ignore[", "noqa: ", "noqa:", "nolint:", "disable=", "reason", " -- "]);
    // Words after the directive are a reason.
    let directive = SUPPRESSIONS.iter().filter_map(|word| text.find(word).map(|at| at + word.len())).max();
    let rest = directive.map_or("", |end| &text[end..]);
    let is_word = |word: &&str| word.len() > 2 && word.chars().all(char::is_alphabetic);
    let has_reason = rest.split_whitespace().filter(is_word).count() >= 2;
    !all && (names_rule || has_reason)
}

pub(super) fn check(path: &str, old: Option<&Inventory>, new: &Inventory, gone: &[String]) -> Vec<Draft> {
    let is_test = paths::is_test(path);
    let known = old.map(|old| of(old, is_test)).unwrap_or_default();
    let mut known: Vec<_> = known.into_iter().map(|(_, text)| text).collect();
    if old.is_none() {
        known.extend_from_slice(gone);
    }
    let fresh = only_in(of(new, is_test), known, |(_, text)| text.clone());
    let unexplained = fresh.iter().filter(|(_, text)| !is_explained(text)).count();
    let mut drafts = Vec::new();
    for (line, text) in fresh {
        let whole_file = has_any(&text, WHOLE_FILE)
            || text.starts_with("/*")
                && text.contains("eslint-disable")
                && !text.contains("next-line")
                && !text.contains(" -- ");
        let message = match whole_file {
            true => "linters, types or coverage are switched off for this whole file",
            false => "a check of linters, types or coverage is switched off here",
        };
        let draft = Draft::new("lint-suppressed", path, line, message).after(text);
        drafts.push(draft.sure_if(whole_file || unexplained >= SUPPRESSIONS_MIN));
    }
    drafts
}
