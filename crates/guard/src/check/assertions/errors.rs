//! Expected errors, and whether more of them are accepted than before.

use super::values::matches_everything;
use crate::inventory::Assertion;
use crate::text::{has_any, identifiers};
use crate::vocabulary::FAILING;
use crate::words::ANY_ERROR;

/// Whether more errors are accepted.
pub(super) fn is_broader(before: &Assertion, after: &Assertion) -> bool {
    if !about_errors(before) || !about_errors(after) || before.text == after.text {
        return false;
    }
    let named = |assertion: &Assertion| format!("{},{}", assertion.subject, assertion.expected);
    let (old, new) = (named(before), named(after));
    let words = |text: &str| -> Vec<String> {
        identifiers(text).filter(|word| !word.is_empty()).map(str::to_owned).collect()
    };
    let (old_words, new_words) = (words(&old), words(&new));
    let any = |words: &[String]| words.iter().any(|word| ANY_ERROR.contains(&word.as_str()));
    let lost_match = old.contains("match=") && !new.contains("match=");
    let lost_pattern =
        matches_everything(after.expected.trim_start_matches("match=")) && !before.expected.is_empty();
    let lost_part =
        before.expected.starts_with(&format!("{},", after.expected)) && !after.expected.is_empty();
    // What is called may be among the arguments; a name before an equals sign says what is expected of the error.
    let is_callable = ["raises", "assertRaises", "assert_raises", "warns"].contains(&before.word.as_str())
        && !before.expected.contains("match=");
    let lost_all = !before.expected.is_empty()
        && !is_callable
        && after.expected.is_empty()
        && before.subject == after.subject;
    any(&new_words) && !any(&old_words)
        || lost_match
        || lost_all
        || lost_pattern
        || lost_part && !is_callable && before.subject == after.subject
}

/// Whether an assertion expects an error.
pub(super) fn about_errors(assertion: &Assertion) -> bool {
    let word = assertion.word.to_lowercase();
    has_any(&word, FAILING)
}

/// Whether what an expectation lost is said by other new assertions: the message, looked at by itself.
pub(super) fn is_said_elsewhere(before: &Assertion, after: &Assertion, others: &[&Assertion]) -> bool {
    let lost: Vec<_> = parts(before).into_iter().filter(|part| !parts(after).contains(part)).collect();
    !lost.is_empty() && lost.iter().all(|part| others.iter().any(|other| parts(other).contains(part)))
}

/// The texts and names in an assertion, but for the words of the framework.
fn parts(assertion: &Assertion) -> Vec<String> {
    let text = format!("{},{}", assertion.subject, assertion.expected);
    let mut found = Vec::new();
    for (index, piece) in text.split(['"', '/']).enumerate() {
        if index % 2 == 1 {
            found.push(piece.to_owned());
            continue;
        }
        let words = identifiers(piece);
        found.extend(
            words.filter(|word| word.len() > 1 && !["match", "as", "info"].contains(word)).map(str::to_owned),
        );
    }
    found
}
