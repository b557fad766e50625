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
    let allowed = |candidate: &str| (length.max(candidate.len()) / 3).max(1);
    let near = known.into_iter().filter(|candidate| {
        candidate.len() <= 4 * CHARS_MAX && candidate.len().abs_diff(length) <= allowed(candidate)
    });
    let (least, candidate) = near
        .map(|candidate| (distance(&name, &folded(candidate)), candidate))
        .min_by_key(|(least, _)| *least)?;
    (least <= allowed(candidate)).then_some(candidate)
}

fn folded(text: &str) -> Vec<char> {
    text.chars().flat_map(char::to_lowercase).collect()
}

/// How many letters have to be added, dropped or changed.
fn distance(left: &[char], right: &[char]) -> usize {
    let mut last: Vec<usize> = (0..=right.len()).collect();
    for (i, one) in left.iter().enumerate() {
        let mut corner = last[0];
        last[0] = i + 1;
        for (j, other) in right.iter().enumerate() {
            let changed = corner + usize::from(one != other);
            corner = last[j + 1];
            last[j + 1] = changed.min(last[j] + 1).min(corner + 1);
        }
    }
    last[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_finds_its_name_and_a_stranger_finds_none() {
        let known = ["planning", "coding", "code_review"];
        assert_eq!(closest("plannning", known), Some("planning"));
        assert_eq!(closest("Code-Review", known), Some("code_review"));
        assert_eq!(closest("deployment", known), None);
        assert_eq!(closest(&"x".repeat(5000), known), None);
    }
}
