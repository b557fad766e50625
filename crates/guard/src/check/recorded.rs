//! Recorded results, data that tests compare with, ignore files, and what the guard allows.

use super::Draft;
use crate::comparison::{ChangedFile, Comparison};
use crate::paths;
use crate::similar::only_in;
use crate::text::{file_name, starts_with_any};

pub(super) fn check(comparison: &Comparison) -> Vec<Draft> {
    let mut drafts = Vec::new();
    for file in &comparison.files {
        let path = file.path();
        if path == crate::ALLOW_FILE {
            drafts.push(Draft::new(
                "allowance-changed",
                path,
                1,
                "what the guard allows changed; the change counts once it is part of the base",
            ));
        } else if paths::is_snapshot(path) {
            drafts.extend(snapshot(comparison, file));
        } else if paths::is_ignore_file(path) {
            drafts.extend(ignored(file));
        } else if (paths::is_fixture(path) || super::golden::is_test_data(path))
            && file.both().is_some_and(|(before, _)| before.inventory.is_none())
        {
            drafts.extend(fixture(comparison, file));
        }
    }
    drafts
}

/// The lines that only one of two texts has.
fn lost_lines<'a>(before: &'a str, after: &str) -> Vec<&'a str> {
    // A comma at the end only says that another row follows.
    fn bare(line: &str) -> &str {
        line.trim_end_matches(',')
    }
    only_in(before.lines().map(bare), after.lines().map(bare), |line| *line)
}

fn snapshot(comparison: &Comparison, file: &ChangedFile) -> Option<Draft> {
    let path = file.path();
    let Some((before, after)) = file.both() else {
        if file.after.is_some() {
            return None;
        }
        let message = format!("the recorded results in `{path}` are gone");
        let draft = Draft::new("snapshot-regenerated", path, 1, message);
        let is_said = file.before.as_ref().is_some_and(|side| is_said_by_tests(comparison, &side.text));
        let explained = comparison.product_changed || is_said || !comparison.followed.removed.is_empty();
        return Some(draft.unsure_if(explained));
    };
    let lost = lost_lines(&before.text, &after.text);
    if lost.is_empty() {
        return None;
    }
    let gained = lost_lines(&after.text, &before.text);
    let (rule, message) = match comparison.product_changed {
        true => (
            "snapshot-follows-code",
            format!("{} recorded lines in `{path}` changed together with the code", lost.len()),
        ),
        false => (
            "snapshot-regenerated",
            format!("{} recorded lines in `{path}` changed, and no product code did", lost.len()),
        ),
    };
    Some(Draft::new(rule, path, 1, message).before(lost.join("\n")).after(gained.join("\n")))
}

/// Whether most of what was recorded stands in the tests now.
fn is_said_by_tests(comparison: &Comparison, recorded: &str) -> bool {
    let plain = |line: &str| line.trim().trim_matches(['"', '\'', ',', '`']).to_owned();
    let lines: Vec<_> = recorded.lines().map(plain).filter(|line| line.len() > 8).collect();
    let sides =
        || comparison.files.iter().filter(|file| file.is_test()).filter_map(|file| file.after.as_ref());
    let said = lines.iter().filter(|line| sides().any(|side| side.text.contains(line.as_str()))).count();
    said > 0 && said * 2 >= lines.len()
}

fn fixture(comparison: &Comparison, file: &ChangedFile) -> Option<Draft> {
    let (before, after) = file.both()?;
    let lost = lost_lines(&before.text, &after.text);
    if lost.is_empty() || comparison.product_changed {
        return None;
    }
    let message =
        format!("{} lines of test data in `{}` changed, and no product code did", lost.len(), file.path());
    let gained = lost_lines(&after.text, &before.text);
    // Data that grew, or came with tests of its own, serves them.
    let is_extended = gained.len() > lost.len() * 2;
    let explained = comparison.dependencies_changed
        || !comparison.followed.added.is_empty()
        || is_extended
        || !super::golden::is_test_data(file.path())
        || before.text.contains('\0');
    let draft = Draft::new("fixture-changed", file.path(), 1, message)
        .before(lost.join("\n"))
        .after(gained.join("\n"));
    Some(draft.unsure_if(explained))
}

fn ignored(file: &ChangedFile) -> Option<Draft> {
    let before = file.before.as_ref().map_or("", |side| side.text.as_str());
    let after = file.after.as_ref().map_or("", |side| side.text.as_str());
    let gained: Vec<_> = lost_lines(after, before)
        .into_iter()
        .filter(|line| !line.trim().is_empty() && !line.starts_with(['#', '!']))
        .collect();
    let hides_tests = gained.iter().any(|line| hides_tests(line));
    (!gained.is_empty()).then(|| {
        let message = format!("`{}` hides more than before", file.path());
        let draft = Draft::new("ignore-file-changed", file.path(), 1, message).after(gained.join("\n"));
        draft.sure_if(hides_tests)
    })
}

/// Whether a pattern of an ignore file leaves out tests themselves, not what a run of them leaves behind.
fn hides_tests(pattern: &str) -> bool {
    let pattern = pattern.trim().trim_start_matches("**/").trim_start_matches('/');
    let plain = pattern.trim_end_matches("/**").trim_end_matches("/*").trim_end_matches('/');
    let last = file_name(plain);
    let is_file = paths::is_collected(plain)
        && (last.contains("test") || last.contains("spec"))
        && crate::language::Language::of(plain).is_some();
    ["test", "tests", "__tests__", "spec", "specs"].contains(&plain)
        || is_file
        || starts_with_any(last, &["*.test.", "*.spec.", "*_test.", "*_spec.", "test_*"])
}
