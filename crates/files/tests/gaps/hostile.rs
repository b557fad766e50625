//! Files that mean harm: a typed error in bounded time, and never a panic.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use piton_files::gaps::Document;
use proptest::prelude::*;

use crate::support::problems;

fn first(bytes: impl AsRef<[u8]>) -> String {
    let begin = Instant::now();
    let found = problems(bytes).into_iter().next().expect("it was accepted");
    // An unoptimised build has ten times the time of the real one.
    assert!(begin.elapsed() < Duration::from_secs(10), "{:?}", begin.elapsed());
    found
}

#[test]
fn a_billion_laughs_is_refused_at_the_first() {
    let mut text = "a0: &a0 [lol, lol]\n".to_owned();
    for level in 1..=9 {
        let _ = writeln!(text, "a{level}: &a{level} [{}]", vec![format!("*a{}", level - 1); 9].join(", "));
    }
    text.push_str("gaps: []\n");
    assert_eq!(first(&text), "line 1: anchors are not read; write the value where it is used");
}

#[test]
fn aliases_anchors_tags_and_merge_keys_are_refused() {
    let inside = |line: &str| first(format!("gaps:\n- id: a\n  category: c\n  {line}\n"));
    assert_eq!(inside("findings: *x"), "line 4: aliases are not read; write the value out");
    assert_eq!(inside("x: &self [*self]"), "line 4: anchors are not read; write the value where it is used");
    assert_eq!(inside("<<: {a: b}"), "line 4: merge keys (`<<`) are not read; write the values out");
    let tag = inside("findings: !!python/object:os.system x");
    assert!(tag.starts_with("line 4: the tag `") && tag.contains("` is not read"), "{tag}");
    assert!(inside("x: {y: !evil z}").starts_with("line 4: the tag `"));
}

#[test]
fn nesting_without_end_is_refused() {
    for text in ["[".repeat(100_000), "{a: ".repeat(100_000), "- ".repeat(100_000), "? ".repeat(100_000)] {
        for text in
            [text.clone(), format!("gaps: {text}"), format!("gaps:\n- id: {text}"), format!("x:\n  {text}")]
        {
            assert!(first(&text).starts_with("line "), "{}", &text[..20]);
        }
    }
    let mut deep = String::new();
    for level in 0..2_000 {
        let _ = writeln!(deep, "{}a:", " ".repeat(level));
    }
    assert!(first(&deep).starts_with("line "));
}

#[test]
fn what_is_no_text_is_refused() {
    assert_eq!(first(b"gaps:\n- id: \xff\n"), "line 2: the file is not UTF-8; save it as UTF-8");
    assert_eq!(first(b"\xff\xfeg\0a\0"), "line 1: the file is UTF-16; save it as UTF-8");
    for text in [
        "gaps:\n- id: a\0b\n  category: c\n",
        "gaps:\n- id: \"a\\ud800\"\n  category: c\n",
        "gaps:\n- id: a\u{7}\n  category: c\n",
    ] {
        assert!(first(text).starts_with("line 2: Invalid YAML: "), "{text:?}");
    }
}

#[test]
fn tabs_as_indentation_are_refused() {
    let found = first("gaps:\n- id: a\n\tcategory: c\n");
    assert!(found.starts_with("line 2: Invalid YAML: ") && found.contains("found a tab"), "{found}");
}

#[test]
fn keys_that_repeat_or_are_no_words_are_refused() {
    let text = "gaps:\n- id: a\n  category: c\n  \"id\": b\n  ? [x]\n  : y\n";
    assert_eq!(
        problems(text),
        ["line 4: `id` is there twice; keep one of them", "line 5: a key must be a word"]
    );
    let many: String = (0..20_000).map(|number| format!("  k{number}: x\n")).collect();
    assert_eq!(
        first(format!("gaps:\n- id: a\n  category: c\n{many}  k7: y\n")),
        "line 20004: `k7` is there twice; keep one of them"
    );
}

#[test]
fn huge_scalars_files_and_lists_are_refused() {
    let huge = "x".repeat(2 << 20);
    let text = format!("gaps:\n- id: a\n  category: c\n  findings: {huge}\n");
    assert_eq!(first(text), "line 4: Gap 'a' findings must be <= 1048576 bytes");
    assert_eq!(first(vec![b' '; (64 << 20) + 1]), "the file is larger than 64 MiB");
    let many = "- {id: a, category: c}\n".repeat(200_001);
    assert!(
        problems(format!("gaps:\n{many}"))
            .contains(&"line 200002: there are more than 200000 gaps".to_owned())
    );
}

#[test]
fn very_many_problems_are_counted_not_kept() {
    let many = "- x\n".repeat(50_000);
    let invalid = Document::parse(format!("gaps:\n{many}").as_bytes()).unwrap_err();
    assert_eq!((invalid.problems.len(), invalid.more), (20, 49_980));
    assert!(invalid.to_string().ends_with("and 49980 more problems"));
}

#[test]
fn a_broken_file_tells_where_and_what_was_wrong_before() {
    let found = problems("gaps:\n- id: a\n  category: c\n  priority: no\n- id: b: c\n");
    assert_eq!(found[0], "line 4: 'priority' must be a whole number, got 'no' (true or false)");
    assert!(found[1].starts_with("line 5: Invalid YAML: "), "{found:?}");
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = Document::parse(&bytes);
    }

    #[test]
    fn no_pieces_of_yaml_make_it_panic(pieces in proptest::collection::vec(proptest::sample::select(vec![
        "gaps:", "\n", "  ", "- ", "id: a", "category: c", "[", "]", "{", "}", ",", ": ", "? ", "|", ">-", "#", "'", "\"",
        "&x", "*x", "!!t", "---", "...", "%YAML 1.2", "\t", "\r\n", "é", "\u{feff}", "blocks:", "evidence:", "file: x",
        "<<", "~", "2026-02-15", "\\", "\u{2028}",
    ]), 0..40)) {
        let text = pieces.concat();
        if let Ok(document) = Document::parse(text.as_bytes()) {
            prop_assert_eq!(document.rewrite(document.gaps()).unwrap(), text);
        }
    }
}
