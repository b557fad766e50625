use rstest::rstest;
use semverlite::version::{bump, parse_part, parse_version, Version, VersionError};

#[allow(dead_code)]
fn unused_versions() -> Vec<&'static str> {
    vec!["1.0.0", "2.0.0"]
}

#[rstest]
#[case("1.2.3", "1.2.3")]
#[case("0.0.1", "0.0.1")]
#[case("10.20.30", "10.20.30")]
fn versions_are_read(#[case] text: &str, #[case] expected: &str) {
    assert_eq!(parse_version(text).unwrap().to_string(), expected);
}

#[rstest]
#[case("", VersionError::Empty)]
#[case("1.2", VersionError::Parts(2))]
#[case("1.x.3", VersionError::Number("x".to_string()))]
fn bad_versions(#[case] text: &str, #[case] error: VersionError) {
    assert_eq!(parse_version(text), Err(error));
}

#[test]
fn parts() {
    assert_eq!(parse_part("7"), Ok(7));
    assert_eq!(parse_part("0"), Ok(0));
}

#[test]
fn leading_zero() {
    assert_eq!(parse_part("01"), Err(VersionError::Number("01".to_string())));
}

#[test]
fn bumps() {
    assert_eq!(bump("1.2.3", "major").unwrap(), "2.0.0");
    assert_eq!(bump("1.2.3", "minor").unwrap(), "1.3.0");
    assert_eq!(bump("1.2.3", "patch").unwrap(), "1.2.4");
}

#[test]
fn order_of_versions() {
    let small = Version { major: 1, minor: 9, patch: 0 };
    let large = Version { major: 1, minor: 10, patch: 0 };
    assert!(small < large);
}

#[test]
fn from_text() {
    let version: Version = "3.0.1".parse().unwrap();
    assert_eq!(version.major, 3);
    assert_eq!(version.patch, 1);
}

#[test]
#[ignore = "needs the registry"]
fn every_published_version() {
    assert_eq!(parse_part("1"), Ok(1));
}
