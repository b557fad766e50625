//! The known name that was probably meant.

/// The closest of `known`, where one is close enough to be worth a guess.
pub fn closest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Names are short; a hostile one must not cost quadratic time.
    const CHARS_MAX: usize = 64;
    let length = name.chars().count();
    if length > CHARS_MAX {
        return None;
    }
    let name = folded(name);
    let allowed = |candidate: &str| (length.max(candidate.chars().count()) / 3).max(1);
    let near = known.into_iter().filter(|candidate| candidate.len() <= 4 * CHARS_MAX);
    let measured = near.map(|candidate| (distance(&name, &folded(candidate)), candidate));
    let (distance, candidate) = measured.min_by_key(|(distance, _)| *distance)?;
    (distance <= allowed(candidate)).then_some(candidate)
}

fn folded(text: &str) -> Vec<char> {
    text.chars().flat_map(char::to_lowercase).collect()
}

/// How many letters have to be added, dropped, changed or swapped with their neighbour.
fn distance(left: &[char], right: &[char]) -> usize {
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=right.len()).collect();
    for i in 1..=left.len() {
        let mut row = vec![i];
        for j in 1..=right.len() {
            let changed = usize::from(left[i - 1] != right[j - 1]);
            let mut least = (last[j] + 1).min(row[j - 1] + 1).min(last[j - 1] + changed);
            if i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1] {
                least = least.min(before_last[j - 2] + 1);
            }
            row.push(least);
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: [&str; 4] = ["max_iterations", "max_duration", "prompt", "session"];

    #[test]
    fn a_slip_of_the_finger_finds_its_name() {
        for (slip, meant) in [
            ("max_iteration", "max_iterations"),
            ("iterations", "max_iterations"),
            ("promtp", "prompt"),
            ("Session", "session"),
            ("max-duration", "max_duration"),
        ] {
            assert_eq!(closest(slip, KNOWN), Some(meant), "{slip}");
        }
    }

    #[test]
    fn a_different_word_finds_nothing() {
        assert_eq!(closest("colour", KNOWN), None);
        assert_eq!(closest("x", []), None);
        assert_eq!(closest(&"y".repeat(100_000), KNOWN), None);
    }

    #[test]
    fn the_distance_counts_each_kind_of_slip_once() {
        for (left, right, expected) in [("abc", "abc", 0), ("abc", "acb", 1), ("abc", "ab", 1), ("", "ab", 2)]
        {
            assert_eq!(distance(&folded(left), &folded(right)), expected, "{left} {right}");
        }
    }

    #[test]
    fn a_slip_finds_its_name_and_a_stranger_finds_none() {
        let known = ["planning", "coding", "code_review"];
        assert_eq!(closest("plannning", known), Some("planning"));
        assert_eq!(closest("Code-Review", known), Some("code_review"));
        assert_eq!(closest("deployment", known), None);
        assert_eq!(closest(&"x".repeat(5000), known), None);
    }
}
