use std::time::{Instant, SystemTime, UNIX_EPOCH};

use rstest::rstest;
use semverlite::requirement::{best, closeness, fits};
use semverlite::version::VersionError;

#[rstest]
#[case("^1.2.0", "1.9.0", true)]
#[case("^1.2.0", "2.0.0", false)]
#[case("^0.2.0", "0.3.0", false)]
#[case(">=1.0.0", "4.0.0", true)]
#[case("1.0.0", "1.0.1", false)]
fn requirements(#[case] requirement: &str, #[case] version: &str, #[case] expected: bool) {
    assert_eq!(fits(requirement, version), Ok(expected));
}

#[test]
fn empty_requirement() {
    assert_eq!(fits("", "1.0.0"), Err(VersionError::Empty));
}

#[test]
fn best_version() {
    let versions = ["1.0.0", "1.4.2", "2.0.0", "1.3.9"];
    assert_eq!(best("^1.0.0", &versions), Ok(Some("1.4.2")));
    assert_eq!(best("^3.0.0", &versions), Ok(None));
}

#[test]
fn best_of_nothing() {
    assert_eq!(best("^1.0.0", &[]), Ok(None));
}

#[test]
fn best_of_no_versions() {
    assert_eq!(best("^1.0.0", &[]), Ok(None));
}

#[test]
fn closeness_of_majors() {
    assert!((closeness(1, 1) - 1.0).abs() < 1e-9);
    assert!((closeness(1, 3) - 0.333333).abs() < 1e-5);
}

#[test]
fn random_versions_fit_themselves() {
    let mut seed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos() as u64;
    for _ in 0..400 {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1);
        let text = format!("{}.{}.0", seed >> 60, (seed >> 50) % 100);
        assert_eq!(fits(&text, &text), Ok(true));
    }
}

#[test]
fn choosing_is_fast() {
    let versions = vec!["1.0.0"; 2000];
    let started = Instant::now();
    let found = best("^1.0.0", &versions);
    let elapsed = started.elapsed().as_millis();
    assert!(found.is_ok());
    assert!(elapsed < 400);
}
