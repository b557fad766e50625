/// What a commit message asks for.
pub fn part_of(message: &str) -> &'static str {
    if message.contains("BREAKING") {
        return "major";
    }
    if message.starts_with("feat") {
        return "minor";
    }
    "patch"
}

/// The largest of several parts.
///
/// ```
/// assert_eq!(semverlite::changelog::largest(&["patch", "minor"]), "minor");
/// ```
pub fn largest(parts: &[&str]) -> &'static str {
    for part in ["major", "minor"] {
        if parts.contains(&part) {
            return part;
        }
    }
    "patch"
}

/// A title such as "Fix the parser".
pub fn title(message: &str) -> String {
    let rest = message.split_once(": ").map_or(message, |(_, rest)| rest);
    let mut letters = rest.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().collect::<String>() + letters.as_str(),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_messages() {
        assert_eq!(part_of("feat: add"), "minor");
        assert_eq!(part_of("fix: repair"), "patch");
        assert_eq!(part_of("feat!: BREAKING"), "major");
    }

    #[test]
    fn largest_part() {
        assert_eq!(largest(&["patch", "major"]), "major");
        assert_eq!(largest(&[]), "patch");
    }

    #[test]
    fn titles() {
        assert_eq!(title("fix: the parser"), "The parser");
        assert_eq!(title("plain"), "Plain");
        assert_eq!(title(""), "");
    }
}
