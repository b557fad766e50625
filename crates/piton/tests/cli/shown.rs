//! The pages that promise something name what shows it: each test, each script and each way of the attack suite that they name is there.
//!
//! The table below `## What shows it` has a line for each thing that a page says: what it says, whether that holds, and what shows it.
//! Tests stand there by their name, scripts by their path, and ways of `scripts/torture/attack` in quotation marks. A line that
//! nothing shows says so.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::common::World;

const PAGES: [&str; 3] = ["walls.md", "guard.md", "durability.md"];
const NOTHING: &str = "not shown by a test";

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A line of a table.
struct Line {
    page: &'static str,
    says: String,
    holds: String,
    by: String,
}

/// The table of a page.
fn lines(page: &'static str) -> Vec<Line> {
    let text = read(&repository().join("docs").join(page));
    let (_, part) =
        text.split_once("\n## What shows it\n").unwrap_or_else(|| panic!("{page} has no such part"));
    let part = part.split("\n## ").next().unwrap();
    let rows = part.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| the page says |"));
    let line = |row: &str| {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").map(str::trim).collect();
        let [says, holds, by] = cells[..] else { panic!("{page}: three cells, not {row}") };
        let [says, holds, by] = [says, holds, by].map(str::to_owned);
        Line { page, says, holds, by }
    };
    let lines: Vec<Line> = rows.map(line).collect();
    assert!(lines.len() > 20, "{page} has {} lines", lines.len());
    lines
}

/// What stands between these two marks.
fn between(text: &str, open: char, close: char) -> Vec<&str> {
    text.split(open).skip(1).filter_map(|rest| rest.split_once(close)).map(|(inner, _)| inner).collect()
}

/// What stands in backquotes.
fn quoted(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

/// Every test of the workspace by its name, the rules that every store is held to among them.
fn tests() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut directories = vec![repository().join("crates")];
    while let Some(directory) = directories.pop() {
        for path in std::fs::read_dir(&directory).unwrap().flatten().map(|entry| entry.path()) {
            // The projects of the corpus are what others wrote.
            if path.is_dir() && !path.ends_with("guard/corpus") {
                directories.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.extend(tests_in(&read(&path)));
            }
        }
    }
    let rules = read(&repository().join("crates/store/src/conformance/mod.rs"));
    let rules =
        rules.lines().map(str::trim).filter(|line| line.contains('_') && line.bytes().all(is_of_a_name));
    found.extend(rules.map(str::to_owned));
    found
}

fn is_of_a_name(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_'
}

/// The functions below `#[test]`, whatever else stands between; not one that is never run.
fn tests_in(text: &str) -> Vec<String> {
    let name = |line: &str| {
        let rest = line.strip_prefix("async ").unwrap_or(line).strip_prefix("fn ")?;
        Some(rest.split(['(', '<']).next()?.to_owned())
    };
    let mut found = Vec::new();
    let mut lines = text.lines().map(str::trim_start);
    while let Some(line) = lines.next() {
        if line == "#[test]" {
            let mut ignored = false;
            let next = lines.by_ref().inspect(|line| ignored |= line.starts_with("#[ignore")).find_map(name);
            found.extend(next.filter(|_| !ignored));
        }
    }
    found
}

/// What is expected of each way of the attack suite: without walls, with them, and the same for an ordinary user.
fn ways() -> BTreeMap<String, Vec<String>> {
    let program = "import importlib\n\
        for family in ('walls', 'steer', 'clones', 'disk', 'trees'):\n    \
        for way in importlib.import_module('attack_' + family).ways():\n        \
        print(way.name, way.bare, way.walls, way.bare_user or way.bare, way.walls_user or way.walls, sep='\\t')";
    let place = repository().join("scripts/torture");
    let ran = World::outside_git()
        .shell(&format!("cd '{}' && python3 -B -c \"{program}\"", place.display()))
        .exits(0);
    let way = |line: &str| {
        let mut words = line.split('\t').map(str::to_owned);
        (words.next().unwrap(), words.collect())
    };
    ran.out.lines().map(way).collect()
}

#[test]
fn every_test_and_script_that_a_page_names_is_there() {
    let tests = tests();
    for page in PAGES {
        let text = read(&repository().join("docs").join(page));
        // Wherever else a page names one.
        let is_a_rule = |word: &&str| {
            let parts = word.split('_').filter(|part| !part.is_empty()).count();
            parts > 3 && word.bytes().all(is_of_a_name)
        };
        for name in quoted(&text).into_iter().filter(is_a_rule) {
            assert!(tests.contains(name), "docs/{page}: there is no test `{name}`");
        }
        for line in lines(page) {
            for name in quoted(&line.by) {
                let is_there = match name.contains('/') {
                    true => repository().join(name).exists(),
                    false => tests.contains(name),
                };
                assert!(is_there, "docs/{page}: `{name}` shows that {}, and is not there", line.says);
            }
        }
    }
}

/// A way that only root can take, or that needs a program, is not among those of every machine; then its name is looked for.
#[test]
fn every_way_that_a_page_names_is_there_and_expected_to_come_to_what_the_page_says() {
    let ways = ways();
    assert!(ways.len() > 500, "{} ways", ways.len());
    let place = repository().join("scripts/torture");
    let families = ["walls", "steer", "clones", "disk", "trees"];
    let text: String = families.map(|family| read(&place.join(format!("attack_{family}.py")))).concat();
    for line in PAGES.into_iter().flat_map(lines) {
        for name in between(&line.by, '“', '”') {
            let Some(expected) = ways.get(name) else {
                assert!(
                    text.contains(&format!("\"{name}\"")),
                    "docs/{}: there is no way “{name}”",
                    line.page
                );
                continue;
            };
            // The page about walls speaks of what is between them.
            let [_, walls, _, walls_user] = &expected[..] else { panic!("{name}: {expected:?}") };
            let came =
                if line.page == "walls.md" { vec![walls, walls_user] } else { expected.iter().collect() };
            let says_more = match line.holds.as_str() {
                "holds" => came.iter().any(|came| *came == "open" || *came == "noticed"),
                "is noticed" => came.iter().any(|came| *came == "open"),
                _ => false,
            };
            assert!(
                !says_more,
                "docs/{}: “{name}” is expected to be {came:?}, not: {}",
                line.page, line.holds
            );
        }
    }
}

#[test]
fn every_line_says_whether_it_holds_and_what_shows_it() {
    for line in PAGES.into_iter().flat_map(lines) {
        let known = ["holds", "is noticed", "not covered"].contains(&line.holds.as_str());
        assert!(known, "docs/{}: {}: `{}`", line.page, line.says, line.holds);
        let named = quoted(&line.by).len() + between(&line.by, '“', '”').len();
        let is_shown = named > 0 || line.by.starts_with(NOTHING);
        assert!(
            is_shown,
            "docs/{}: what shows that {}? If nothing does, say `{NOTHING}`",
            line.page, line.says
        );
    }
}
