//! Nothing that a tool or a broken disk could write makes a reader panic, and what it gives always adds up.

use std::path::Path;

use piton_gauge::{coverage, lint, tests};
use proptest::prelude::*;

/// Every fixture, of whatever part.
fn corpus() -> Vec<Vec<u8>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let mut found = Vec::new();
    for part in ["coverage", "lint", "tests"] {
        for entry in std::fs::read_dir(root.join(part)).expect("fixtures").flatten() {
            found.push(std::fs::read(entry.path()).expect("readable"));
        }
    }
    assert!(found.len() > 100, "the fixtures are there");
    found
}

#[derive(Clone, Debug)]
enum Change {
    Cut(usize),
    Drop(usize, usize),
    Repeat(usize, usize),
    Put(usize, u8),
    Word(usize, usize),
}

const WORDS: &[&str] = &[
    "\n",
    "\r",
    "\u{1b}[",
    "\u{1b}",
    "é",
    "✓ ",
    "[",
    "(",
    ")",
    "]",
    ">",
    "<",
    "/>",
    "\"",
    "{",
    "}",
    ":",
    "=",
    "99999999999999999999",
    "18446744073709551615",
    "-1",
    "0",
    "::",
    " ... ok",
    "running 18446744073709551615 tests\n",
    "1..18446744073709551615\n",
    "ok 1 - a\n",
    "    ok 1\n",
    "SF:",
    "DA:4294967295,1\n",
    "end_of_record\n",
    "mode: set\n",
    "<!DOCTYPE a [",
    "--- PASS: ",
    "=== RUN   ",
    "test result: ok. 18446744073709551615 passed; 18446744073709551615 failed;",
    "PASS ",
    "FAIL ",
    "● ",
    " passed in 1s\n",
];

fn change() -> impl Strategy<Value = Change> {
    let at = any::<usize>();
    prop_oneof![
        at.prop_map(Change::Cut),
        (at, 0..200usize).prop_map(|(at, count)| Change::Drop(at, count)),
        (at, 0..200usize).prop_map(|(at, count)| Change::Repeat(at, count)),
        (at, any::<u8>()).prop_map(|(at, byte)| Change::Put(at, byte)),
        (at, 0..WORDS.len()).prop_map(|(at, word)| Change::Word(at, word)),
    ]
}

fn apply(bytes: &mut Vec<u8>, change: &Change) {
    let place = |at: usize, length: usize| if length == 0 { 0 } else { at % length };
    let length = bytes.len();
    match change {
        Change::Cut(at) => bytes.truncate(place(*at, length)),
        Change::Drop(at, count) => {
            let at = place(*at, length);
            bytes.drain(at..length.min(at + count));
        }
        Change::Repeat(at, count) => {
            let at = place(*at, length);
            let part = bytes[at..length.min(at + count)].to_vec();
            bytes.splice(at..at, part);
        }
        Change::Put(at, byte) => {
            if let Some(old) = bytes.get_mut(place(*at, length)) {
                *old = *byte;
            }
        }
        Change::Word(at, word) => {
            let at = place(*at, length);
            bytes.splice(at..at, WORDS[*word].bytes());
        }
    }
}

fn check(bytes: &[u8]) {
    for format in coverage::Format::ALL.map(Some).into_iter().chain([None]) {
        if let Ok(found) = coverage::read(format, bytes) {
            for share in [found.lines, found.branches, found.functions].into_iter().flatten() {
                let percent = share.percent();
                assert!(percent.is_none_or(|percent| percent >= 0.0), "{share:?}");
            }
        }
    }
    let text = String::from_utf8_lossy(bytes);
    let _ = lint::read_all(&text);
    for runner in tests::Runner::ALL.map(Some).into_iter().chain([None]) {
        let Some(found) = tests::read(runner, &text) else { continue };
        if found.complete
            && let (Some(passed), Some(failed), Some(skipped), Some(total)) =
                (found.passed, found.failed, found.skipped, found.total)
        {
            let sum = passed.saturating_add(failed).saturating_add(skipped);
            assert_eq!(sum, total, "{found:?}");
        }
        assert!(found.named.len() <= tests::NAMES_MAX);
        assert!(!(found.build_failed && found.complete), "{found:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn changed_output_of_real_tools_does_no_harm(
        which in any::<prop::sample::Index>(),
        changes in prop::collection::vec(change(), 1..12),
    ) {
        let corpus = corpus();
        let mut bytes = which.get(&corpus).clone();
        changes.iter().for_each(|change| apply(&mut bytes, change));
        check(&bytes);
    }

    #[test]
    fn random_bytes_do_no_harm(bytes in prop::collection::vec(any::<u8>(), 0..2_000)) {
        check(&bytes);
    }

    #[test]
    fn random_words_do_no_harm(words in prop::collection::vec(prop::sample::select(WORDS), 0..200)) {
        check(words.concat().as_bytes());
    }
}
