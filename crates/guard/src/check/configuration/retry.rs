//! Checks that run again until they pass, by an action or a number. What a script runs again is in [`super::failures`].

use super::{Change, Line};
use crate::check::Draft;
use crate::text::has_any;

/// Settings that say how often something is tried again, in lower case.
const SETTINGS: &[&str] = &[
    "retries",
    "retry",
    "reruns",
    "--reruns",
    "--retries",
    "--retry",
    "max_attempts",
    "max-attempts",
    "retry-count",
    "retry_count",
    "rerun-fails",
    "flaky_retries",
    "test-retries",
];

pub(super) fn compared(path: &str, change: &Change<'_>) -> Option<Draft> {
    let new = change.after.as_ref()?;
    let old = change.before.as_ref();
    let message = format!("a check that fails runs again: `{}`", new.text);
    let draft = || {
        let draft = Draft::new("test-retried", path, new.number, message).after(new.text);
        match old {
            Some(old) => draft.before(old.text),
            None => draft,
        }
    };
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
    let is_setting = |word: &&str| SETTINGS.contains(&word.to_lowercase().as_str());
    let Some(at) = words.iter().position(is_setting) else { return 0 };
    let times = words[at + 1..].iter().find_map(|word| word.parse::<u32>().ok());
    let first = u32::from(!words[at].contains("attempts"));
    times.map_or(0, |times| times + first)
}
