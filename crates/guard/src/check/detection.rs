//! Product code that finds out whether it is under test.

use super::Draft;
use crate::comparison::is_test_module;
use crate::inventory::Inventory;
use crate::language::Class;
use crate::source::{Kind, Source};
use crate::text::has_any;
use crate::vocabulary::{
    OWN_START, TELLING_VARIABLES, TEST_VARIABLE_PARTS, TEST_VARIABLES, TRACES_OF_RUNNERS,
};

/// A look at being under test that was not there before.
pub(super) fn check(path: &str, old: Option<&Inventory>, new: &Inventory) -> Option<Draft> {
    let in_tests = |line: u32| {
        new.definitions.iter().any(|definition| {
            is_test_module(definition)
                && (new.source.line(definition.span.start)..=new.source.line(definition.span.end))
                    .contains(&line)
        })
    };
    let before = old.map_or(0, |old| detections(&old.source).len());
    let after: Vec<_> = detections(&new.source).into_iter().filter(|(line, _)| !in_tests(*line)).collect();
    let (line, text) = after.get(before)?;
    let message = "product code looks whether it is under test";
    Some(Draft::new("test-detected", path, *line, message).after(text.clone()))
}

/// How code finds out that it is under test, as normalised text.
fn detections(source: &Source) -> Vec<(u32, String)> {
    let mut found = Vec::new();
    for index in 0..source.tokens.len() {
        if is_detection(source, index) {
            found.push((source.line(index), around(source, index, 6, 4)));
        }
    }
    found.extend(twins(source));
    found
}

fn around(source: &Source, index: usize, before: usize, after: usize) -> String {
    source.flat(&(index.saturating_sub(before)..(index + after).min(source.tokens.len())))
}

fn is_detection(source: &Source, index: usize) -> bool {
    let word = source.word(index);
    let is_text = source.tokens[index].kind == Kind::Text;
    if !is_text && source.tokens[index].kind != Kind::Word {
        return false;
    }
    let inner = word.trim_matches(['"', '\'', '`']);
    if TELLING_VARIABLES.contains(&inner) {
        return true;
    }
    if TEST_VARIABLES.contains(&inner) || is_test_variable(inner) {
        let before = around(source, index, 6, 0);
        return has_any(
            &before,
            &["env.", "environ", "getenv", "Getenv", "env::var", "LookupEnv", "env[", "option_env!"],
        ) || is_text && around(source, index, 0, 4).contains("in os.environ");
    }
    match inner {
        "test" | "testing" if is_text => is_mode(&around(source, index, 8, 8)),
        // Cargo sets these for what it runs; who only asks whether they are there wants to know who runs it.
        _ if is_text && inner.starts_with("CARGO") => {
            let (before, after) = (around(source, index, 6, 0), source.word(index + 3));
            before.contains("env::var") && ["is_some", "is_ok", "is_none", "is_err"].contains(&after)
        }
        _ if is_text && inner.len() < 24 && has_any(inner, TRACES_OF_RUNNERS) => {
            let near = around(source, index, 18, 14);
            has_any(&near, OWN_START)
        }
        "main" if is_text => {
            let near = around(source, index, 18, 4);
            near.contains("thread::current().name()")
        }
        "cfg" => source.word(index + 1) == "!" && source.word(index + 3) == "test",
        "Testing" => source.word(index.saturating_sub(2)) == "testing",
        "jest" | "vitest" | "describe" | "it" | "mocha" | "expect" => {
            (1..4).any(|back| source.word(index.saturating_sub(back)) == "typeof")
                || ["globalThis", "global", "meta"].contains(&source.word(index.saturating_sub(2)))
        }
        _ => false,
    }
}

/// `NODE_ENV === "test"` and its like.
fn is_mode(near: &str) -> bool {
    let compares = ["==\"test\"", "!=\"test\"", "\"test\"==", "\"test\"!=", "==\"testing\"", "(\"test\")"];
    let modes =
        ["NODE_ENV", "APP_ENV", "RAILS_ENV", "GO_ENV", "FLASK_ENV", "npm_lifecycle_event", "ENVIRONMENT"];
    has_any(near, &modes)
        && (compares.iter().any(|compare| near.replace("===", "==").replace("!==", "!=").contains(compare)))
}

/// Whether a name in capitals has TEST in it.
fn is_test_variable(name: &str) -> bool {
    let is_capital =
        |character: char| character.is_ascii_uppercase() || character == '_' || character.is_ascii_digit();
    name.len() > 4
        && name.chars().all(is_capital)
        && name.split('_').any(|part| TEST_VARIABLE_PARTS.contains(&part))
}

/// Rust: code that is left out of tests, so that something else stands in for it.
fn twins(source: &Source) -> Vec<(u32, String)> {
    let attributes = source.pieces_of(Class::Decorator);
    attributes
        .filter(|piece| {
            let flat = source.flat(&piece.span);
            flat.contains("cfg(not(test))") && ["fn", "pub"].contains(&source.word(piece.span.end))
        })
        .map(|piece| (source.line(piece.span.start), source.flat(&piece.span)))
        .collect()
}
