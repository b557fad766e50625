//! Versions of documents: `1.0.0` in the first iteration, the next minor one in each that follows.

use piton_model::cycle::version_of;

/// The iteration in which this version was written, as far as one can tell.
pub fn iteration_of(version: &str) -> Option<u32> {
    let mut parts = version.trim().trim_start_matches(['v', 'V']).split('.');
    let (major, minor, patch) = (parts.next()?, parts.next()?, parts.next().unwrap_or("0"));
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if parts.next().is_some() || ![major, minor, patch].into_iter().all(is_number) {
        return None;
    }
    minor.parse::<u32>().ok()?.checked_add(1)
}

/// The version before this iteration's, where there was one.
pub fn previous_version(iteration: u32) -> Option<String> {
    (iteration > 1).then(|| version_of(iteration - 1))
}

/// The name of an archived document: `-v<version>` before what it ends with.
pub fn archived_name(name: &str, version: &str) -> String {
    match name.rsplit_once('.') {
        Some((stem, ending)) if !stem.is_empty() => format!("{stem}-v{version}.{ending}"),
        _ => format!("{name}-v{version}"),
    }
}

/// Whether this can be part of a name: what a file of somebody else says is.
pub(super) fn is_version(text: &str) -> bool {
    iteration_of(text).is_some()
        && text.len() <= 32
        && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_iteration_and_its_version_say_each_other() {
        for (iteration, version) in [(1, "1.0.0"), (2, "1.1.0"), (11, "1.10.0")] {
            assert_eq!(version_of(iteration), version);
            assert_eq!(iteration_of(version), Some(iteration));
        }
        assert_eq!(previous_version(1), None);
        assert_eq!(previous_version(3).as_deref(), Some("1.1.0"));
        for nothing in ["", "1", "x.y.z", "1.-1.0", "1.0.0.0", "1.99999999999.0"] {
            assert_eq!(iteration_of(nothing), None, "{nothing}");
        }
    }

    #[test]
    fn the_version_stands_before_the_ending() {
        assert_eq!(archived_name("requirements.md", "1.0.0"), "requirements-v1.0.0.md");
        assert_eq!(archived_name("plan.json", "1.1.0"), "plan-v1.1.0.json");
        assert_eq!(archived_name("README", "1.0.0"), "README-v1.0.0");
    }
}
