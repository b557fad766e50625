//! Tests that stand in the file that they test: which part of it they are, and one side's tests in the other side's file.
//!
//! Rust's `#[cfg(test)] mod tests { … }`, as it is nearly always written: at the left edge, up to a brace there. What is
//! written otherwise counts as code of the product.

use std::ops::Range;

/// What begins such a part.
const MARK: &str = "#[cfg(test)]";

/// The parts of a file that are tests.
fn tests_of(path: &str, text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    if !path.ends_with(".rs") {
        return found;
    }
    let (mut at, mut open) = (0, None);
    for line in text.split_inclusive('\n') {
        let end = at + line.len();
        match open {
            None if line.trim_end() == MARK => open = Some(at),
            // An item of one line, or one that is not opened at all.
            Some(start)
                if line.starts_with('}') || (is_item(line) && line.trim_end().ends_with([';', '}'])) =>
            {
                found.push(start..end);
                open = None;
            }
            _ => {}
        }
        at = end;
    }
    found.extend(open.map(|start| start..at));
    found
}

/// Whether something begins on this line, at the left edge.
fn is_item(line: &str) -> bool {
    line.starts_with(|c: char| c.is_ascii_alphabetic())
}

pub(crate) fn has_tests(path: &str, text: &str) -> bool {
    !tests_of(path, text).is_empty()
}

/// The file without its tests.
fn product(path: &str, text: &str) -> String {
    let (mut rest, mut at) = (String::new(), 0);
    for range in tests_of(path, text) {
        rest.push_str(&text[at..range.start]);
        at = range.end;
    }
    rest.push_str(&text[at..]);
    rest
}

fn tests(path: &str, text: &str) -> String {
    tests_of(path, text).into_iter().map(|range| &text[range]).collect()
}

/// Whether the product in this file differs.
pub(crate) fn product_differs(path: &str, before: Option<&str>, after: Option<&str>) -> bool {
    differ(before, after, |text| product(path, text))
}

/// Whether the tests in this file differ.
pub(crate) fn tests_differ(path: &str, before: Option<&str>, after: Option<&str>) -> bool {
    differ(before, after, |text| tests(path, text))
}

fn differ(before: Option<&str>, after: Option<&str>, part: impl Fn(&str) -> String) -> bool {
    let part = |text: Option<&str>| text.map(&part).unwrap_or_default();
    part(before).trim() != part(after).trim()
}

/// The product of one side with the tests of the other; nothing where the first has no such file.
pub(crate) fn compose(path: &str, product_of: Option<&str>, tests_of: Option<&str>) -> Option<String> {
    let product = product(path, product_of?);
    let tests = tests_of.map(|text| tests(path, text)).unwrap_or_default();
    Some(match tests.is_empty() {
        true => product,
        false => format!("{}\n\n{tests}", product.trim_end()),
    })
}

#[cfg(test)]
mod unit {
    use super::*;

    const FILE: &str = "use a::b;\n\nfn one() -> u32 {\n    1\n}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn is_one() {\n        assert_eq!(one(), 1);\n    }\n}\n";

    #[test]
    fn one_sides_tests_stand_under_the_others_product() {
        let after = FILE.replace("    1\n", "    2\n").replace("one(), 1", "one(), 2");
        let composed = compose("src/a.rs", Some(FILE), Some(&after)).unwrap();
        assert!(composed.contains("    1\n") && composed.contains("one(), 2"), "{composed}");
        assert!(product_differs("src/a.rs", Some(FILE), Some(&after)));
        assert!(tests_differ("src/a.rs", Some(FILE), Some(&after)));
        assert!(!tests_differ("src/a.rs", Some(FILE), Some(&FILE.replace("    1\n", "    2\n"))));
    }

    #[test]
    fn items_of_one_line_end_where_they_end() {
        let text = "#[cfg(test)]\nmod tests;\n\nfn one() {}\n";
        assert_eq!(product("a.rs", text), "\nfn one() {}\n");
        assert_eq!(tests("a.rs", text), "#[cfg(test)]\nmod tests;\n");
        assert_eq!(product("a.py", text), text);
        assert!(has_tests("a.rs", FILE) && !has_tests("a.py", FILE));
    }
}
