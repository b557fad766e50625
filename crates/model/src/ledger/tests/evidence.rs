//! Findings and what they rest on.

use super::*;

fn file(path: &str, hash: Option<&str>) -> Source {
    let kind = SourceKind::File { path: path.to_owned(), hash: hash.map(str::to_owned) };
    Source { kind, at: Some(NOW) }
}

fn resting_on(sources: Vec<Source>) -> Gap {
    renew(&gap("a"), "known", sources, NOW).gap
}

#[test]
fn a_changed_file_makes_findings_stale_at_once() {
    let gaps = [resting_on(vec![file("a.rs", Some("blake3:1")), file("b.rs", Some("blake3:2"))])];
    let flips = |a: Option<&str>, b: Option<&str>| {
        let seen = |hash: Option<&str>| hash.map(str::to_owned);
        changed_flips(&gaps, &[("a.rs".to_owned(), seen(a)), ("b.rs".to_owned(), seen(b))].into(), NOW)
    };
    assert_eq!(flips(Some("blake3:1"), Some("blake3:2")), []);
    let flip = &flips(Some("blake3:1"), Some("blake3:9"))[0];
    assert_eq!(
        (flip.old, flip.new, flip.reason.as_str()),
        (GapStatus::Verified, GapStatus::Stale, "Source changed: b.rs")
    );
    assert_eq!(flips(None, Some("blake3:2"))[0].reason, "Source gone: a.rs");
}

#[test]
fn what_nobody_looked_at_makes_nothing_stale() {
    let gaps = [resting_on(vec![file("a.rs", Some("blake3:1"))])];
    assert_eq!(changed_flips(&gaps, &Observed::new(), NOW), []);
    let unhashed = [resting_on(vec![file("a.rs", None)])];
    assert_eq!(changed_flips(&unhashed, &[("a.rs".to_owned(), None)].into(), NOW), []);
}

#[test]
fn only_verified_gaps_decay() {
    for status in [GapStatus::Unknown, GapStatus::Stale, GapStatus::Blocked] {
        let gaps = [resting_on(vec![file("a.rs", Some("blake3:1"))]).with(|gap| gap.status = status)];
        assert_eq!(changed_flips(&gaps, &[("a.rs".to_owned(), None)].into(), NOW), []);
    }
}

#[test]
fn superseded_findings_are_handed_back() {
    let old =
        resting_on(vec![file("a.rs", Some("blake3:1"))]).with(|gap| gap.last_verified = Some(days_ago(9)));
    let renewed = renew(&old, "known better", vec![], NOW);
    assert_eq!((renewed.gap.findings.as_str(), renewed.gap.last_verified), ("known better", Some(NOW)));
    let superseded = renewed.superseded.unwrap();
    assert_eq!((superseded.findings.as_str(), superseded.verified_at), ("known", Some(days_ago(9))));
    assert_eq!(superseded.evidence, old.evidence);
    assert_eq!(renew(&old, "known", vec![], NOW).superseded, None, "the same findings, confirmed");
    assert_eq!(renew(&gap("a"), "first", vec![], NOW).superseded, None);
}
