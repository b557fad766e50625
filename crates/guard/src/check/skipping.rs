//! Tests that are switched off, narrowed, expected to fail, or run until they pass.

use std::collections::BTreeMap;

use super::Draft;
use super::deletion::short;
use crate::comparison::{ChangedFile, Comparison, Pair};
use crate::inventory::{Mark, MarkKind, Test, skips, times};
use crate::text::has_any;
use crate::vocabulary::LACKS;

/// So many times more retries are no adjustment.
const RETRY_FACTOR_MIN: u32 = 2;

pub(super) fn check(comparison: &Comparison) -> Vec<Draft> {
    let mut drafts = Vec::new();
    // One mark on a suite is one finding, however many tests it switches off.
    let mut by_mark: BTreeMap<(usize, u32, MarkKind), (Mark, Vec<&Test>)> = BTreeMap::new();
    for pair in comparison.pairs().filter(|pair| !pair.before.is_off()) {
        let Pair { before, after, .. } = pair;
        let expects_panic =
            |test: &Test| test.assertions.iter().any(|assertion| assertion.word == "should_panic");
        if expects_panic(after) && !expects_panic(before) {
            let message = format!("test `{}` had to pass and must panic now", short(&after.id));
            drafts.push(Draft::of(&pair, "test-expected-failure", after.line, message));
        }
        for mark in &after.marks {
            let is_more = |other: &Mark| {
                mark.kind == MarkKind::Retry && times(&other.text) * RETRY_FACTOR_MIN <= times(&mark.text)
            };
            if before.marks.iter().all(|other| other.kind != mark.kind || is_more(other)) {
                let entry = by_mark.entry((pair.at.1.0, mark.line, mark.kind));
                entry.or_insert_with(|| (mark.clone(), Vec::new())).1.push(after);
            }
        }
    }
    for ((file, line, kind), (mark, tests)) in by_mark {
        drafts.push(draft(comparison.files[file].path(), line, kind, &mark, &tests));
    }
    drafts.extend(new_skipped(comparison));
    drafts.extend(comparison.files.iter().flat_map(skipped_by_helpers));
    drafts
}

/// Helpers, fixtures and hooks that began to skip the tests that use them.
fn skipped_by_helpers(file: &ChangedFile) -> Vec<Draft> {
    let Some((old, new)) = file.inventories().filter(|_| file.is_test()) else { return Vec::new() };
    let mut drafts = Vec::new();
    for function in new.functions() {
        let is_test = new.is_in_test(&function.span);
        let was = old.function(&function.name);
        let Some(was) = was.filter(|_| !is_test) else { continue };
        let known = skips(&old.source, &was.body);
        let source = &new.source;
        let lower = function.name.to_lowercase();
        let is_for_skipping = has_any(&lower, &["skip", "require", "need"]);
        let lacks = is_for_skipping
            || source.words(&function.body).any(|word| LACKS.contains(&word) || word.ends_with("Error"));
        let fresh = skips(source, &function.body)
            .into_iter()
            .find(|mark| known.iter().all(|other| other.text != mark.text));
        if let Some(mark) = fresh.filter(|_| known.is_empty()) {
            let message = format!("tests that use `{}` may not run any more", function.name);
            let draft = Draft::new("test-skipped", file.path(), mark.line, message).after(mark.text);
            drafts.push(draft.unsure_if(lacks));
        }
    }
    drafts
}

fn draft(file: &str, line: u32, kind: MarkKind, mark: &Mark, tests: &[&Test]) -> Draft {
    let what = match tests {
        [test] => format!("test `{}`", short(&test.id)),
        _ => format!("{} tests", tests.len()),
    };
    let does = if tests.len() == 1 { "does" } else { "do" };
    let (rule, message) = match kind {
        MarkKind::Skip if tests.len() > 1 => {
            ("test-suite-skipped", format!("{what} {does} not run any more"))
        }
        MarkKind::Skip => ("test-skipped", format!("{what} {does} not run any more")),
        MarkKind::Hidden => {
            ("test-hidden", format!("{what} {does} not even get compiled or collected any more"))
        }
        MarkKind::Only => ("test-focused", format!("only {what} would run, and all others would not")),
        MarkKind::ExpectedFailure => {
            ("test-expected-failure", format!("{what} had to pass and may fail now"))
        }
        MarkKind::ConditionalSkip => {
            ("test-conditionally-skipped", format!("{what} {does} not run everywhere any more"))
        }
        MarkKind::Retry => ("test-retried", format!("{what} may fail and is run again until it passes")),
    };
    let draft = Draft::new(rule, file, line, message).after(mark.text.clone());
    match tests {
        [test] => draft.test(&test.id),
        _ => draft,
    }
}

fn new_skipped(comparison: &Comparison) -> Vec<Draft> {
    let mut drafts = Vec::new();
    for at in &comparison.followed.added {
        let test = comparison.new_test(*at);
        let file = comparison.files[at.0].path();
        for mark in &test.marks {
            let message = match mark.kind {
                MarkKind::Skip | MarkKind::Hidden => format!("new test `{}` does not run", short(&test.id)),
                MarkKind::Only => {
                    format!("only new test `{}` would run, and all others would not", short(&test.id))
                }
                _ => continue,
            };
            let rule = if mark.kind == MarkKind::Only { "test-focused" } else { "new-test-skipped" };
            drafts.push(Draft::new(rule, file, mark.line, message).test(&test.id).after(mark.text.clone()));
        }
    }
    drafts
}
