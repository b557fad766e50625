//! Which pattern of the laziness catalogue a finding is an instance of.
//!
//! A line of [`RULES`](crate::RULES) names one for all findings of its rule; the few that are another's, or none's, are here.

use crate::Finding;

/// Whether a file was there before, by its name.
type IsThere<'a> = &'a dyn Fn(&str) -> bool;

/// Findings of a rule that are not of its pattern.
struct Exception {
    rule: &'static str,
    holds: fn(&Finding, IsThere<'_>) -> bool,
    /// What they are instead, where the catalogue has a name for it.
    pattern: Option<&'static str>,
}

/// The catalogue means files that are gone with all of their tests, and has a pattern of its own for what compares a call with itself.
const EXCEPTIONS: [Exception; 3] = [
    Exception { rule: "test-deleted", holds: is_of_a_file, pattern: None },
    Exception { rule: "test-case-deleted", holds: is_of_a_file, pattern: None },
    Exception { rule: "assertion-tautology", holds: compares_with_itself, pattern: Some("LP-023") },
];

/// The pattern of a finding, where `is_there` says of a file whether it was there before.
pub fn pattern_of(finding: &Finding, is_there: IsThere<'_>) -> Option<String> {
    let exception = EXCEPTIONS
        .iter()
        .find(|exception| exception.rule == finding.rule && (exception.holds)(finding, is_there));
    match exception {
        Some(exception) => exception.pattern.map(str::to_owned),
        None => finding.pattern.clone(),
    }
}

fn is_of_a_file(finding: &Finding, is_there: IsThere<'_>) -> bool {
    is_there(&finding.file)
}

fn compares_with_itself(finding: &Finding, _: IsThere<'_>) -> bool {
    finding.after.as_deref().is_some_and(is_circular)
}

/// Whether an assertion compares what a call gives with what the same call gives.
fn is_circular(assertion: &str) -> bool {
    let is_name = |character: char| character.is_alphanumeric() || "_.:".contains(character);
    assertion.match_indices('(').any(|(open, _)| {
        let name = assertion[..open].len() - assertion[..open].trim_end_matches(is_name).len();
        let mut depth = 0;
        let close = assertion[open..].char_indices().find(|(_, character)| {
            depth += match character {
                '(' => 1,
                ')' => -1,
                _ => 0,
            };
            depth == 0
        });
        let Some((close, _)) = close.filter(|_| name > 0) else { return false };
        let call = &assertion[open - name..=open + close];
        assertion.matches(call).count() > 1
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RULES;

    #[test]
    fn an_exception_is_one_of_a_rule_that_has_a_pattern() {
        for exception in EXCEPTIONS {
            let rule = RULES.iter().find(|rule| rule.name == exception.rule);
            let of_rule = rule.expect("an exception of a rule").pattern;
            assert!(of_rule.is_some() && of_rule != exception.pattern, "{}", exception.rule);
        }
    }

    #[test]
    fn an_assertion_that_compares_a_call_with_itself_is_circular() {
        for circular in [
            "expect(add(1, 2)).toBe(add(1, 2))",
            "assert total(x) == total(x)",
            "assert_eq!(user.name(), user.name())",
        ] {
            assert!(is_circular(circular), "{circular}");
        }
        for other in ["expect(true).toBe(true)", "assert 1 == 1", "assert add(1) == add(2)", "assert (", "x)"]
        {
            assert!(!is_circular(other), "{other}");
        }
    }
}
