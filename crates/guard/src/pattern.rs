//! The laziness catalogue: which of its patterns a finding is an instance of.

use crate::report::Finding;

/// Which pattern of the laziness catalogue a finding is an instance of: a rule knows one for all of its findings, and some
/// of them are another's.
pub fn pattern_of(finding: &Finding, is_there: &dyn Fn(&str) -> bool) -> Option<String> {
    match finding.rule.as_str() {
        // The catalogue means files that are gone with all of their tests.
        "test-deleted" | "test-case-deleted" if is_there(&finding.file) => None,
        "assertion-tautology" if finding.after.as_deref().is_some_and(is_circular) => {
            Some("LP-023".to_owned())
        }
        _ => finding.pattern.clone(),
    }
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
