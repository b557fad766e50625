//! What an assertion expects: values, tolerances, limits, and how much of the subject it looks at.

use crate::inventory::{Assertion, Strength};
use crate::text::{has_any, identifiers};
use crate::vocabulary::{LOSSY, WILDCARDS};
use crate::words::{EMPTY, NOTHING, is_plain_value, is_value as is_value_word};

/// A normalised text without its literals: `f("GET")` and `f(METHOD)` say the same in other words, not another value.
pub(super) fn without_literals(text: &str) -> String {
    let mut quoted = false;
    let mut plain = String::new();
    for character in text.chars() {
        match character {
            '"' => quoted = !quoted,
            _ if quoted => {}
            _ => plain.push(character),
        }
    }
    let words = identifiers(&plain);
    let is_name = |word: &&str| {
        word.starts_with(|first: char| first.is_alphabetic() || first == '_') && !is_value_word(word)
    };
    words.filter(is_name).collect::<Vec<_>>().join(" ")
}

/// Whether a normalised text holds a literal.
pub(super) fn is_value(text: &str) -> bool {
    text.contains('"') || text.chars().any(|character| character.is_ascii_digit()) || is_plain_value(text)
}

/// A difference up to this is what computing with such numbers costs.
const FLOAT_TOLERANCE_MAX: f64 = 0.01;

/// Whether an equality, which linters object to for floating-point numbers, became a comparison that is nearly as strict.
pub(super) fn is_close(after: &Assertion) -> bool {
    let word = after.word.to_lowercase();
    let is_near = has_any(&word, &["delta", "close", "almost", "approx"]);
    let tolerance = numbers(&after.text).last().copied();
    is_near && tolerance.is_some_and(|tolerance| tolerance <= FLOAT_TOLERANCE_MAX)
}

pub(super) fn numbers(text: &str) -> Vec<f64> {
    let mut found = Vec::new();
    let mut word = String::new();
    let mut previous = ' ';
    for character in text.chars().chain([' ']) {
        let in_number = character.is_ascii_digit()
            || character == '.' && !word.is_empty()
            || (character == 'e' || character == '-' && previous == 'e') && !word.is_empty()
            || character == '_' && !word.is_empty();
        let starts =
            word.is_empty() && character.is_ascii_digit() && (previous.is_alphanumeric() || previous == '_');
        let is_sign = character == '-' && word.is_empty() && matches!(previous, ',' | '(' | '=');
        if is_sign || in_number && !starts {
            word.push(character);
        } else if !word.is_empty() {
            found.extend(word.trim_end_matches(['.', 'e', '-']).replace('_', "").parse::<f64>().ok());
            word.clear();
        }
        previous = character;
    }
    found
}

/// How far off a value may be: what a name or a position in the assertion says.
fn tolerance(assertion: &Assertion) -> Option<f64> {
    let text = format!("{},{}", assertion.subject, assertion.expected);
    let named = ["abs=", "rel=", "delta=", "epsilon=", "relative=", "atol=", "rtol=", "tol="];
    let given: Vec<f64> = named.iter().filter_map(|name| number_after(&text, name)).collect();
    if let Some(widest) = given.into_iter().reduce(f64::max) {
        return Some(widest);
    }
    let digits = |digits: f64| 0.5 * 10_f64.powf(-digits);
    if let Some(places) = number_after(&text, "places=") {
        return Some(digits(places));
    }
    let word = assertion.word.rsplit('.').next().unwrap_or_default().to_lowercase();
    let last = numbers(&text).last().copied();
    let is_third = text.matches(',').count() >= 2;
    match word.as_str() {
        "tobecloseto" => Some(digits(number_after(&assertion.expected, ",").unwrap_or(2.0))),
        "assertalmostequal" if is_third => last.map(digits),
        "assertalmostequal" => Some(digits(7.0)),
        "indelta" | "inepsilon" | "closeto" | "assert_almost_equal"
            if is_third || !assertion.expected.is_empty() =>
        {
            last
        }
        "assert_approx_eq" | "withinduration" => last,
        _ if text.contains("approx(") => Some(1e-6),
        _ => None,
    }
}

fn number_after(text: &str, name: &str) -> Option<f64> {
    let at = text.rfind(name)? + name.len();
    magnitude(text[at..].split([',', ')', ' ']).next()?)
}

/// Whether a value that had to be near is only compared now.
pub(super) fn lost_tolerance(before: &Assertion, after: &Assertion) -> bool {
    tolerance(before).is_some() && tolerance(after).is_none() && after.strength < Strength::Exact
}

/// How the tolerances of two assertions compare; `None` where one has none.
pub(super) fn tolerances(before: &Assertion, after: &Assertion) -> Option<std::cmp::Ordering> {
    tolerance(after)?.partial_cmp(&tolerance(before)?)
}

/// A limit of an assertion: on which side of it values are accepted.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Limit {
    is_upper: bool,
    at: f64,
}

fn limit(assertion: &Assertion) -> Option<Limit> {
    let operator = assertion
        .text
        .split(' ')
        .find(|part| ["<", "<=", ">", ">=", "!<", "!<=", "!>", "!>="].contains(part));
    let last = assertion.word.rsplit('.').next().unwrap_or_default().to_lowercase();
    let is_upper = match operator {
        Some("<" | "<=" | "!>" | "!>=") => true,
        Some(_) => false,
        None if ["eventually", "waitfor"].contains(&last.as_str()) => true,
        None if last.contains("less")
            || ["isbelow", "isatmost", "below", "most", "lt", "lte"].contains(&last.as_str()) =>
        {
            true
        }
        None if last.contains("greater")
            || ["isabove", "isatleast", "above", "least", "gt", "gte"].contains(&last.as_str()) =>
        {
            false
        }
        None => return None,
    };
    Some(Limit { is_upper, at: magnitude(assertion.expected.split(',').next()?)? })
}

/// A number, a duration in seconds, or the largest number there is.
pub(super) fn magnitude(text: &str) -> Option<f64> {
    let largest = ["::MAX", "Infinity", "inf", "MAX_", "MaxInt", "MaxFloat", "maxsize", "maxDuration"];
    if has_any(text, &largest) {
        return Some(if text.starts_with('-') { f64::NEG_INFINITY } else { f64::INFINITY });
    }
    let unit = |word: &str| match word {
        "time.Millisecond" => Some(1e-3),
        "time.Second" => Some(1.0),
        "time.Minute" => Some(60.0),
        "time.Hour" => Some(3600.0),
        _ => None,
    };
    let calls = [
        ("Duration::from_secs(", 1.0),
        ("Duration::from_millis(", 1e-3),
        ("timedelta(seconds=", 1.0),
        ("timedelta(minutes=", 60.0),
    ];
    for (call, factor) in calls {
        if let Some(at) = text.find(call) {
            return magnitude(text[at + call.len()..].split(')').next()?).map(|number| number * factor);
        }
    }
    let mut product = 1.0;
    for factor in text.split('*') {
        let plain = factor.trim().replace('_', "");
        let plain = plain.trim_end_matches(|character: char| character.is_alphabetic() && character != 'e');
        product *= match unit(factor.trim()) {
            Some(unit) => unit,
            None => plain.parse::<f64>().ok()?,
        };
    }
    Some(product)
}

/// What a limit became.
pub(super) enum Moved {
    /// It accepts no more than before.
    Tighter,
    /// It accepts more; whether by so much that it is no adjustment.
    Looser(bool),
}

/// A limit of time that grew by less than this factor is an adjustment.
const TIME_FACTOR_MIN: f64 = 5.0;

/// What became of the limit in an assertion, where there was one.
pub(super) fn limits(before: &Assertion, after: &Assertion) -> Option<Moved> {
    // `less(a, b)` became `less(c, a)`.
    if before.word == after.word && after.expected == before.subject && after.subject != before.expected {
        return limit(before).map(|_| Moved::Looser(true));
    }
    let new = limit(after);
    let Some(old) = limit(before) else {
        // A limit that the code gave is one that nothing exceeds now.
        let was_limited = has_any(&before.text, &["<", ">", "ess", "reater"]);
        let is_endless = new.is_some_and(|new| new.at.is_infinite());
        return (was_limited && is_endless && before.subject == after.subject).then_some(Moved::Looser(true));
    };
    let new = new?;
    if old == new {
        return None;
    }
    let is_time = before.word == "Eventually"
        || has_any(
            &before.subject.to_lowercase(),
            &["elapsed", "duration", "took", "since", "time", "now()", "latency"],
        );
    match (old.is_upper == new.is_upper, old.is_upper) {
        (false, _) => Some(Moved::Looser(true)),
        (true, true) if new.at > old.at => {
            Some(Moved::Looser(!is_time || new.at >= old.at.max(1e-9) * TIME_FACTOR_MIN))
        }
        (true, false) if new.at < old.at => Some(Moved::Looser(true)),
        _ => Some(Moved::Tighter),
    }
}

/// Whether the only difference is a number behind a comparison inside of the assertion, which lets more through.
pub(super) fn is_looser_inside(before: &Assertion, after: &Assertion) -> bool {
    let skeleton = |text: &str| {
        text.chars().filter(|character| !character.is_ascii_digit() && *character != '.').collect::<String>()
    };
    if skeleton(&before.text) != skeleton(&after.text) {
        return false;
    }
    let (old, new) = (numbers(&before.text), numbers(&after.text));
    if old.len() != new.len() {
        return false;
    }
    let mut at = 0;
    for (old, new) in old.iter().zip(&new) {
        let written = before.text[at..].find(&plain_number(*old)).map(|found| at + found);
        let Some(start) = written else { continue };
        at = start + 1;
        let sign = before.text[..start].trim_end_matches(['=', ' ']).chars().next_back();
        match sign {
            Some('<') if new > old => return true,
            Some('>') if new < old && !before.text[..start].ends_with("=>") => return true,
            _ => {}
        }
    }
    false
}

fn plain_number(number: f64) -> String {
    if number.fract() == 0.0 { format!("{number:.0}") } else { number.to_string() }
}

fn losses(assertion: &Assertion) -> usize {
    // A value that the condition binds is looked at where it is compared.
    let subject = assertion.subject.to_lowercase().replace("case", "").replace('_', "");
    let is_asked = |(at, word): &(usize, &str)| {
        let rest = &subject[at + word.len()..];
        rest.starts_with('(') || subject[..*at].ends_with('.') && !rest.starts_with(char::is_alphanumeric)
    };
    let asked = LOSSY.iter().map(|word| subject.match_indices(word).filter(is_asked).count());
    let parts = ["[:", "[..", "[0]", "!!", "typeof"].map(|part| subject.matches(part).count());
    let lossy: usize = asked.chain(parts).sum();
    // Matchers that look only at how many there are.
    let word = assertion.word.rsplit('.').next().unwrap_or_default().to_lowercase();
    lossy + usize::from(has_any(&word, &["len", "count", "members"]))
}

/// Whether an assertion looks at less of the same value than before.
pub(super) fn looks_at_less(before: &Assertion, after: &Assertion) -> bool {
    let is_nothing = |value: &str| NOTHING.contains(&value) || EMPTY.contains(&value);
    let same_question = is_nothing(&before.expected) && after.expected == "0";
    let is_exact = before.strength == Strength::Exact && after.strength == Strength::Exact;
    let says_it_still = after.subject.contains(&format!("=={}", before.expected));
    is_exact
        && !same_question
        && !says_it_still
        && !before.expected.is_empty()
        && losses(after) > losses(before)
}

/// Whether a text that must be contained became a part of itself.
pub(super) fn is_shorter_text(before: &Assertion, after: &Assertion) -> bool {
    let text = |expected: &str| {
        let plain = expected.trim_matches(['"', '/']);
        (expected.len() > plain.len() + 1 && !plain.contains('"')).then(|| plain.to_owned())
    };
    match (text(&before.expected), text(&after.expected)) {
        (Some(old), Some(new)) => new.len() < old.len() && old.contains(&new),
        _ => false,
    }
}

/// How many wildcards a normalised text has.
pub(super) fn wildcards(text: &str) -> usize {
    WILDCARDS.iter().map(|word| text.matches(word).count()).sum()
}

/// Whether a pattern matches every text.
pub(super) fn matches_everything(pattern: &str) -> bool {
    let quoted = pattern.trim_start_matches('r');
    let bare = quoted.trim_matches(['"', '/', '`']).trim_start_matches("(?s)").trim_start_matches('^');
    let is_pattern = quoted.starts_with(['"', '/', '`']) && quoted.len() > 1;
    is_pattern
        && ["", ".", ".*", ".+", "(?:)", "[\\s\\S]*", "\\w", "\\w*"].contains(&bare.trim_end_matches('$'))
}

/// Whether what had to match a pattern or a text may be anything now.
pub(super) fn is_vacuous(before: &Assertion, after: &Assertion) -> bool {
    let operands = |assertion: &Assertion| -> Vec<String> {
        let all = format!("{},{}", assertion.subject, assertion.expected);
        all.split(',').map(|part| part.trim_start_matches("match=").trim().to_owned()).collect()
    };
    let word = after.word.to_lowercase();
    let about_text =
        super::errors::about_errors(after) || has_any(&word, &["match", "regex", "raises", "throw"]);
    let has = |assertion: &Assertion| operands(assertion).iter().any(|part| matches_everything(part));
    about_text
        && has(after)
        && !has(before)
        && (super::errors::about_errors(before) || !before.expected.is_empty())
}

/// Whether what had to be one value may be one of several now: `[6, 7].includes(x)`.
pub(super) fn is_any_of(before: &Assertion, after: &Assertion) -> bool {
    let among = [".includes(", ".contains(&", ".contains(", ".has(", ".indexOf("];
    let list = |text: &str| {
        text.starts_with('[')
            || text.starts_with("new Set([")
            || text.starts_with('{')
            || text.starts_with('(')
    };
    before.strength == crate::inventory::Strength::Exact
        && list(&after.subject)
        && among.iter().any(|part| after.subject.contains(part) && !before.subject.contains(part))
        && after.subject.contains(before.subject.as_str())
}
