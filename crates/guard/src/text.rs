//! Questions about text that many rules ask.

/// Whether a text has one of these parts.
pub(crate) fn has_any(text: &str, parts: &[&str]) -> bool {
    parts.iter().any(|part| text.contains(part))
}

/// Whether a text begins with one of these.
pub(crate) fn starts_with_any(text: &str, starts: &[&str]) -> bool {
    starts.iter().any(|start| text.starts_with(start))
}

/// Whether a text ends with one of these.
pub(crate) fn ends_with_any(text: &str, ends: &[&str]) -> bool {
    ends.iter().any(|end| text.ends_with(end))
}

/// The last part of a path.
pub(crate) fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// What lies between the marks and spaces of a text: names, numbers, and what is empty.
pub(crate) fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    text.split(|character: char| !character.is_alphanumeric() && character != '_')
}

/// Whether the last of a path of names, such as `fs.writeFile` or `std::fs::write`, is one of these.
pub(crate) fn ends_in_name(path: &str, names: &[&str]) -> bool {
    names.iter().any(|name| {
        path.strip_suffix(name).is_some_and(|before| before.is_empty() || before.ends_with(['.', ':']))
    })
}
