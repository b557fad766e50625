//! Examples that run: those of properties, by how many there are, and those in documentation.

use std::collections::BTreeMap;

use super::Draft;
use super::deletion::{counted, short};
use crate::comparison::{ChangedFile, Comparison, Pair};
use crate::inventory::{Inventory, Test};
use crate::language::{Class, Examples};
use crate::source::{Kind, Source, Span};
use crate::vocabulary::EXAMPLE_COUNTS;

/// A number that fell by less than this factor is an adjustment.
const FACTOR_MIN: u64 = 5;

/// Whether a number of examples fell by so much that it is no adjustment.
fn is_far_less(was: u64, is: u64) -> bool {
    was >= FACTOR_MIN && is * FACTOR_MIN <= was
}

pub(super) fn check(comparison: &Comparison) -> Vec<Draft> {
    let mut drafts = Vec::new();
    drafts.extend(comparison.changed_pairs().filter(Pair::is_on).filter_map(|pair| fewer_rounds(&pair)));
    for file in &comparison.files {
        drafts.extend(fewer_by_setting(file));
        drafts.extend(documented(comparison, file));
    }
    drafts
}

/// Loops around assertions that go round less often.
fn fewer_rounds(pair: &Pair<'_>) -> Option<Draft> {
    let (had, has) = (rounds(pair.old, pair.before), rounds(pair.new, pair.after));
    if had.len() != has.len() {
        return None;
    }
    let (was, is) = had.iter().zip(&has).find(|(was, is)| is_far_less(was.1, is.1))?;
    let name = short(&pair.after.id);
    let message = format!("a loop of test `{name}` went round {} times and does {} now", was.1, is.1);
    Some(Draft::of(pair, "test-case-deleted", is.0, message))
}

/// How often the loops of a test go round, where that is a number.
fn rounds(inventory: &Inventory, test: &Test) -> Vec<(u32, u64)> {
    let source = &inventory.source;
    let asserts = |span: &Span| test.assertions.iter().any(|assertion| span.contains(&assertion.span.start));
    let loops =
        source.pieces_in(&test.body).filter(|(_, piece)| piece.class == Class::Loop && asserts(&piece.body));
    let mut found = Vec::new();
    for (_, piece) in loops {
        let header = piece.header();
        let has_list = source.pieces_in(&header).any(|(_, inner)| inner.class == Class::List);
        let most = header.clone().filter_map(|index| number(source, index)).max();
        found.extend(most.filter(|_| !has_list).map(|most| (source.line(piece.span.start), most)));
    }
    found
}

fn number(source: &Source, index: usize) -> Option<u64> {
    (source.tokens[index].kind == Kind::Number).then(|| {
        let word = source.word(index).replace('_', "");
        let digits = word.trim_end_matches(|character: char| !character.is_ascii_digit());
        let digits: String = digits.chars().take_while(char::is_ascii_digit).collect();
        digits.parse().ok()
    })?
}

/// Settings of properties that ask for fewer examples.
fn fewer_by_setting(file: &ChangedFile) -> Vec<Draft> {
    let Some((old, new)) = file.inventories() else { return Vec::new() };
    if !file.is_test() && new.tests.is_empty() {
        return Vec::new();
    }
    let (had, has) = (settings(&old.source), settings(&new.source));
    let mut drafts = Vec::new();
    for (name, was) in &had {
        let Some(is) = has.get(name).filter(|is| is.len() == was.len()) else { continue };
        for (was, is) in was.iter().zip(is) {
            if is_far_less(was.1, is.1) {
                let message = format!(
                    "`{name}` was {} and is {}: a property is tried with far fewer examples",
                    was.1, is.1
                );
                drafts.push(Draft::new("test-case-deleted", file.path(), is.0, message));
            }
        }
    }
    drafts
}

/// The settings of a file with their numbers.
fn settings(source: &Source) -> BTreeMap<String, Vec<(u32, u64)>> {
    let mut found: BTreeMap<String, Vec<(u32, u64)>> = BTreeMap::new();
    for index in 0..source.tokens.len().saturating_sub(2) {
        if source.tokens[index].kind != Kind::Word || !matches!(source.word(index + 1), "=" | ":" | "(") {
            continue;
        }
        let name = source.word(index).to_lowercase().replace('_', "");
        if EXAMPLE_COUNTS.contains(&name.as_str())
            && let Some(number) = number(source, index + 2)
        {
            found.entry(source.word(index).to_owned()).or_default().push((source.line(index), number));
        }
    }
    found
}

/// Examples in documentation that do not run any more.
fn documented(comparison: &Comparison, file: &ChangedFile) -> Option<Draft> {
    let (old, new) = file.inventories()?;
    let (had, has) = (examples(&old.source), examples(&new.source));
    if has.len() >= had.len() {
        return None;
    }
    let lost: Vec<_> = had.iter().filter(|example| !has.contains(example)).cloned().collect();
    let what = counted(had.len() - has.len(), "example");
    let message = format!("{what} in the documentation of `{}` no longer run or check nothing", file.path());
    let is_gone =
        lost.iter().any(|example| comparison.removed_names.iter().any(|name| example.contains(name)));
    let draft = Draft::new("test-skipped", file.path(), 1, message).before(lost.join("\n"));
    Some(draft.unsure_if(is_gone || comparison.may_follow_code()))
}

/// The examples of a file that a runner checks.
fn examples(source: &Source) -> Vec<String> {
    match source.language.traits.examples {
        Examples::Nowhere => Vec::new(),
        Examples::Fenced => fenced(source),
        Examples::Prompted => prompted(source),
        Examples::Printed => printed(source),
    }
}

/// Code blocks of documentation that are compiled and run.
fn fenced(source: &Source) -> Vec<String> {
    let mut found = Vec::new();
    let mut open: Option<(bool, String)> = None;
    for comment in &source.comments {
        for line in source.comment(comment).lines() {
            let line = line.trim();
            let Some(line) = line.strip_prefix("///").or_else(|| line.strip_prefix("//!")) else { continue };
            let line = line.trim();
            match (&mut open, line.strip_prefix("```")) {
                (Some((runs, text)), Some(_)) => {
                    if *runs {
                        found.push(text.clone());
                    }
                    open = None;
                }
                (None, Some(tags)) => {
                    let runs = tags.split(',').all(|tag| {
                        ["", "rust", "should_panic"].contains(&tag.trim())
                            || tag.trim().starts_with("edition")
                    });
                    open = Some((runs, String::new()));
                }
                (Some((_, text)), None) => {
                    text.push_str(line);
                    text.push('\n');
                }
                (None, None) => {}
            }
        }
    }
    found
}

/// Prompts in texts that doctest runs.
fn prompted(source: &Source) -> Vec<String> {
    let texts = source.tokens.iter().enumerate().filter(|(_, token)| token.kind == Kind::Text);
    let lines = texts.flat_map(|(index, _)| source.word(index).lines());
    lines
        .map(str::trim)
        .filter(|line| line.starts_with(">>> ") && !line.contains("+SKIP"))
        .map(str::to_owned)
        .collect()
}

/// What an example must print.
fn printed(source: &Source) -> Vec<String> {
    let comments = source.comments.iter().map(|comment| source.comment(comment));
    let is_output = |text: &&str| {
        let lower = text.trim_start_matches(['/', ' ', '*']).to_lowercase();
        lower.starts_with("output:") || lower.starts_with("unordered output:")
    };
    comments.filter(is_output).map(str::to_owned).collect()
}
