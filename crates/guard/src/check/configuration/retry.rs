//! Checks that run again until they pass, by an action or a number. What a script runs again is in [`super::failures`].

use super::{Change, Line};
use crate::check::Draft;
use crate::text::{ends_with_any, has_any};

pub(super) fn compared(path: &str, change: &Change<'_>) -> Option<Draft> {
    let new = change.after.as_ref()?;
    let old = change.before.as_ref();
    let message = format!("a check that fails runs again: `{}`", new.text);
    let before = old.map(|old| old.text.to_owned());
    let draft = || Draft { before, ..Draft::new("test-retried", path, new.number, message).after(new.text) };
    let was = old.map_or(0, |old| attempts(old));
    (attempts(new) > was.max(1)).then(draft)
}

/// How often a line lets its check run.
fn attempts(line: &Line<'_>) -> u32 {
    let text = line.text;
    let repeats = has_any(text, &["nick-fields/retry", "nick-invision/retry", "Wandalen/wretry"])
        || text.starts_with("retry ")
        || text.contains(" retry -");
    setting(text).max(if repeats { 2 } else { 0 })
}

/// The number behind a setting of this kind, and the first try.
fn setting(text: &str) -> u32 {
    let words: Vec<&str> = text
        .split([' ', '=', ':', '"', '\'', ',', '{', '}', '(', ')'])
        .filter(|word| !word.is_empty())
        .collect();
    let is_setting = |word: &&str| {
        let name = word.to_lowercase();
        ends_with_any(&name, &["retries", "retry", "reruns", "attempts", "retry-count", "retry_count"])
    };
    let Some(at) = words.iter().position(is_setting) else { return 0 };
    let times = words[at + 1..].iter().find_map(|word| word.parse::<u32>().ok());
    let first = u32::from(!words[at].contains("attempts"));
    times.map_or(0, |times| times + first)
}
