use std::fmt;
use std::str::FromStr;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum VersionError {
    Empty,
    Parts(usize),
    Number(String),
}

impl fmt::Display for VersionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            VersionError::Empty => write!(f, "empty version"),
            VersionError::Parts(count) => write!(f, "expected 3 parts, got {count}"),
            VersionError::Number(text) => write!(f, "invalid number {text}"),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    pub major: u32,
    pub minor: u32,
    pub patch: u32,
}

/// Reads a version.
pub fn parse_version(text: &str) -> Result<Version, VersionError> {
    if text.is_empty() {
        return Err(VersionError::Empty);
    }
    let parts: Vec<&str> = text.split('.').collect();
    if parts.len() != 3 {
        return Err(VersionError::Parts(parts.len()));
    }
    let mut numbers = [0; 3];
    for (at, part) in parts.iter().enumerate() {
        numbers[at] = parse_part(part)?;
    }
    Ok(Version { major: numbers[0], minor: numbers[1], patch: numbers[2] })
}

/// Reads one number of a version.
///
/// ```
/// assert_eq!(semverlite::version::parse_part("12"), Ok(12));
/// ```
pub fn parse_part(text: &str) -> Result<u32, VersionError> {
    if text.len() > 1 && text.starts_with('0') {
        return Err(VersionError::Number(text.to_string()));
    }
    text.parse().map_err(|_| VersionError::Number(text.to_string()))
}

impl FromStr for Version {
    type Err = VersionError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        parse_version(text)
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

/// The next version as text.
pub fn bump(text: &str, part: &str) -> Result<String, VersionError> {
    let version = parse_version(text)?;
    let next = match part {
        "major" => Version { major: version.major + 1, minor: 0, patch: 0 },
        "minor" => Version { minor: version.minor + 1, patch: 0, ..version },
        _ => Version { patch: version.patch + 1, ..version },
    };
    Ok(next.to_string())
}

#[allow(dead_code)]
fn is_stable(version: Version) -> bool {
    version.major > 0
}
