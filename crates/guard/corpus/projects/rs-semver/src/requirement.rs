use crate::version::{parse_version, Version, VersionError};

/// Whether a version fits a requirement such as ^1.2.0.
pub fn fits(requirement: &str, version: &str) -> Result<bool, VersionError> {
    if requirement.is_empty() {
        return Err(VersionError::Empty);
    }
    let version = parse_version(version)?;
    if let Some(rest) = requirement.strip_prefix('^') {
        let wanted = parse_version(rest)?;
        return Ok(version >= wanted && same_breaking(version, wanted));
    }
    if let Some(rest) = requirement.strip_prefix(">=") {
        return Ok(version >= parse_version(rest)?);
    }
    Ok(version == parse_version(requirement)?)
}

fn same_breaking(left: Version, right: Version) -> bool {
    left.major == right.major && (left.major > 0 || left.minor == right.minor)
}

/// The best version that fits.
pub fn best<'a>(requirement: &str, versions: &[&'a str]) -> Result<Option<&'a str>, VersionError> {
    let mut found: Option<(Version, &'a str)> = None;
    for text in versions {
        let version = parse_version(text)?;
        if fits(requirement, text)? && found.map_or(true, |(other, _)| version > other) {
            found = Some((version, text));
        }
    }
    Ok(found.map(|(_, text)| text))
}

/// How close two majors are, from 0 to 1.
pub fn closeness(left: u32, right: u32) -> f64 {
    1.0 / (1.0 + f64::from(left.abs_diff(right)))
}
