//! The known name that was probably meant.

/// The closest of `known`, where one is close enough to be worth a guess.
pub(crate) fn closest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    // Names are short; a hostile one must not cost quadratic time.
    const CHARS_MAX: usize = 64;
    let name: Vec<char> = name.chars().take(CHARS_MAX + 1).collect();
    if name.len() > CHARS_MAX {
        return None;
    }
    let measured = known.into_iter().map(|candidate| (distance(&name, candidate), candidate));
    let (distance, candidate) = measured.min_by_key(|(distance, _)| *distance)?;
    (distance <= (name.len().max(candidate.len()) / 3).max(1)).then(|| candidate.to_owned())
}

/// How many letters have to be added, dropped or changed; a swap of neighbours is two of these.
fn distance(left: &[char], right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (i, letter) in left.iter().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, other) in right.iter().enumerate() {
            let changed = diagonal + usize::from(!letter.eq_ignore_ascii_case(other));
            let least = changed.min(row[j] + 1).min(row[j + 1] + 1);
            diagonal = std::mem::replace(&mut row[j + 1], least);
        }
    }
    row[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_finger_finds_its_name_and_another_word_does_not() {
        let known = ["iteration", "total_iterations", "git_branch", "tags"];
        for (slip, meant) in [
            ("iteratoin", Some("iteration")),
            ("Iteration", Some("iteration")),
            ("gitbranch", Some("git_branch")),
            ("tag", Some("tags")),
            ("colour", None),
        ] {
            assert_eq!(closest(slip, known).as_deref(), meant, "{slip}");
        }
        assert_eq!(closest(&"y".repeat(100_000), known), None);
    }
}
