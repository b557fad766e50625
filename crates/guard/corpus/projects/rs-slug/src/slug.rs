pub const MAX_LENGTH: usize = 60;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SlugError {
    Empty,
    TooLong(usize),
    BadCharacter(char),
}

pub fn slugify(text: &str) -> String {
    let mut slug = String::new();
    for c in text.chars().flat_map(char::to_lowercase) {
        match c {
            'ä' => slug.push_str("ae"),
            'ö' => slug.push_str("oe"),
            'ü' => slug.push_str("ue"),
            'ß' => slug.push_str("ss"),
            c if c.is_ascii_alphanumeric() => slug.push(c),
            _ if !slug.is_empty() && !slug.ends_with('-') => slug.push('-'),
            _ => {}
        }
    }
    slug.trim_end_matches('-').to_owned()
}

pub fn validate(slug: &str) -> Result<&str, SlugError> {
    if slug.is_empty() {
        return Err(SlugError::Empty);
    }
    if slug.len() > MAX_LENGTH {
        return Err(SlugError::TooLong(slug.len()));
    }
    match slug
        .chars()
        .find(|c| !c.is_ascii_alphanumeric() && *c != '-')
    {
        Some(c) => Err(SlugError::BadCharacter(c)),
        None => Ok(slug),
    }
}

pub fn initials(name: &str) -> String {
    name.split_whitespace()
        .filter_map(|word| word.chars().next())
        .collect()
}
