//! What a command checks: the files, packages and names that it is given.

use super::command::is_letter_of;
use crate::vocabulary::{ALL_TARGETS, FLAGS_WITH_VALUE, NEUTRAL};

/// What a check is given, apart from flags; the command ends where another begins.
pub(super) fn of<'a>(line: &'a str, check: &str) -> Vec<&'a str> {
    let Some(at) = line.find(check) else { return Vec::new() };
    let rest = &line[at + check.len()..];
    let end = rest
        .find(["|", ";", "&", "#", ">"].map(|sign| sign.chars().next().unwrap_or('|')))
        .unwrap_or(rest.len());
    let mut found = Vec::new();
    let mut is_value = false;
    for word in rest[..end].split_whitespace() {
        let word = word.trim_matches(['"', '\'', ',', ']', ')']);
        if word == "--" {
            break;
        }
        if word.starts_with('-') {
            is_value = FLAGS_WITH_VALUE.contains(&word) || is_letter_of(word, "stncpomkjrFR");
            continue;
        }
        // What a matrix fills in is not known.
        if word.contains(['$', '{', '}', '|', '\'']) || word.starts_with("matrix.") {
            return Vec::new();
        }
        if !is_value && !word.is_empty() {
            found.push(word);
        }
        is_value = false;
    }
    found
}

/// Whether a command is given less than before.
pub(super) fn are_fewer(old: &[&str], new: &[&str]) -> bool {
    let is_all = |word: &&&str| ALL_TARGETS.contains(*word) || NEUTRAL.contains(&word.trim_matches('/'));
    if new.iter().any(|word| ALL_TARGETS.contains(word)) || new.is_empty() {
        return false;
    }
    let took_all = old.is_empty() || old.iter().any(|word| ALL_TARGETS.contains(word));
    let is_target = |word: &&&str| {
        word.contains(['/', ':', '*', '.'])
            || word.chars().all(|character| character.is_alphanumeric() || character == '_')
    };
    if took_all {
        return new.iter().any(|word| is_target(&word)) && !new.iter().all(|word| is_all(&word));
    }
    let covers = |whole: &str, part: &str| {
        let top = whole.trim_end_matches(['/', '*']);
        part.len() > whole.len() && part.starts_with(top)
    };
    let narrows = old.iter().any(|whole| !new.contains(whole) && new.iter().any(|part| covers(whole, part)));
    let drops = new.len() < old.len() && new.iter().all(|word| old.contains(word));
    narrows || drops
}
