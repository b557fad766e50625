use std::collections::BTreeMap;

use verso::{resolve, Catalogue, Range, ResolveError, Version};

fn range(text: &str) -> Range {
    Range::parse(text).unwrap()
}

fn v(text: &str) -> Version {
    text.parse().unwrap()
}

fn check(range_text: &str, inside: &[&str], outside: &[&str]) {
    let range = range(range_text);
    for text in inside {
        assert!(range.contains(&v(text)), "{range_text} has {text}");
    }
    for text in outside {
        assert!(!range.contains(&v(text)), "{range_text} has no {text}");
    }
}

#[test]
fn any() {
    check("*", &["0.0.0", "9.9.9"], &["1.0.0-rc.1"]);
}

#[test]
fn exact() {
    check("1.2.3", &["1.2.3"], &["1.2.2", "1.2.4", "1.2.4-a"]);
}

#[test]
fn caret() {
    check("^1.2.3", &["1.2.3", "1.9.0"], &["1.2.2", "2.0.0"]);
    check("^0.2.3", &["0.2.3", "0.2.9"], &["0.3.0", "1.0.0"]);
    check("^0.0.3", &["0.0.3"], &["0.0.4"]);
}

#[test]
fn tilde() {
    check("~1.2.3", &["1.2.3", "1.2.99"], &["1.3.0", "1.2.2"]);
}

#[test]
fn between() {
    check(">=1.0.0 <1.5.0", &["1.0.0", "1.4.9"], &["0.9.9", "1.5.0"]);
    check(">=1.0.0", &["1.0.0", "77.0.0"], &["0.9.9"]);
}

#[test]
fn pre_releases_need_their_own_core() {
    check("^1.2.3-beta.2", &["1.2.3-beta.2", "1.2.3-rc", "1.2.3", "1.3.0"], &["1.2.3-beta.1", "1.3.0-alpha"]);
}

#[test]
fn bad_ranges() {
    for text in ["", "^", "~1.2", ">=x", "<2.0.0"] {
        assert!(Range::parse(text).is_err(), "{text:?}");
    }
}

#[test]
fn best() {
    let versions: Vec<Version> = ["1.0.0", "1.9.0", "1.10.0", "2.0.0", "1.11.0-rc"].iter().map(|t| v(t)).collect();
    assert_eq!(range("^1.0.0").best(&versions), Some(&v("1.10.0")));
    assert_eq!(range("^3.0.0").best(&versions), None);
}

fn shelf() -> Catalogue {
    let mut shelf = Catalogue::default();
    shelf.add("app", "1.0.0", &[("net", "^1.0.0"), ("text", "^2.0.0")]);
    shelf.add("net", "1.0.0", &[]);
    shelf.add("net", "1.4.0", &[("text", ">=2.0.0")]);
    shelf.add("net", "2.0.0", &[]);
    shelf.add("text", "2.3.0", &[]);
    shelf.add("text", "2.1.0", &[]);
    shelf.add("old", "1.0.0", &[("text", "~2.1.0"), ("net", "^1.0.0"), ("text", "^2.0.0")]);
    shelf.add("lost", "1.0.0", &[("gone", "*")]);
    shelf
}

#[test]
fn takes_the_highest() {
    let chosen = resolve(&shelf(), "app", &range("*")).unwrap();
    let want: BTreeMap<String, Version> =
        [("app", "1.0.0"), ("net", "1.4.0"), ("text", "2.3.0")].iter().map(|(n, t)| (n.to_string(), v(t))).collect();
    assert_eq!(chosen, want);
}

#[test]
fn errors() {
    assert_eq!(resolve(&shelf(), "what", &range("*")), Err(ResolveError::Unknown("what".into())));
    assert_eq!(resolve(&shelf(), "lost", &range("*")), Err(ResolveError::Unknown("gone".into())));
    assert_eq!(resolve(&shelf(), "net", &range("^3.0.0")), Err(ResolveError::NoVersion("net".into())));
    assert_eq!(resolve(&shelf(), "old", &range("*")), Err(ResolveError::Conflict("text".into())));
}
