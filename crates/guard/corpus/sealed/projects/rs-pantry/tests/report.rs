mod common;

use common::{assert_amounts, day};
use pantry::{parse_stock, report, ParseError};
use std::path::PathBuf;
use std::process::{Command, Output};

fn golden(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name)
}

fn pantry(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_pantry")).args(args).output().expect("pantry runs")
}

#[test]
fn report_is_the_golden_one() {
    let text = std::fs::read_to_string(golden("kitchen.txt")).unwrap();
    let stock = parse_stock(&text).unwrap();
    let expected = std::fs::read_to_string(golden("kitchen.report")).unwrap();
    assert_eq!(report(&stock, day("2024-06-10")), expected);
}

#[test]
fn an_empty_stock_prints_nothing() {
    assert_eq!(report(&parse_stock("# nothing\n").unwrap(), day("2024-06-10")), "");
}

#[test]
fn reads_comments_and_merges() {
    let stock = parse_stock("rice: 1 kg # basmati\n\nrice: 1 kg\n").unwrap();
    assert_amounts(&stock, &["2000 g"]);
}

#[test]
fn says_what_is_wrong_with_a_line() -> Result<(), ParseError> {
    for (text, line, message) in [
        ("rice", 1, "no colon"),
        ("\n : 1 g", 2, "no name"),
        ("rice: 1 kg\nrice: some", 2, "unknown unit 'some'"),
        ("rice: 1 kg, soon", 1, "'soon' is no day"),
    ] {
        let error = parse_stock(text).unwrap_err();
        assert_eq!(error, ParseError { line, message: message.to_string() });
    }
    parse_stock("rice: 1 kg, 2024-06-10").map(|_| ())
}

#[test]
fn command_lists_and_tells_what_has_expired() {
    let output = pantry(&["list", golden("kitchen.txt").to_str().unwrap(), "2024-06-10"]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(output.stdout, std::fs::read(golden("kitchen.report")).unwrap());
    assert!(output.stderr.is_empty());
}

#[test]
fn command_is_content_when_nothing_has_expired() {
    let output = pantry(&["list", golden("kitchen.txt").to_str().unwrap(), "2024-01-01"]);
    assert!(output.status.success());
}

#[test]
fn command_refuses_what_it_cannot_read() {
    for (args, message) in [
        (vec!["list", "/nowhere", "2024-06-10"], "pantry: /nowhere: "),
        (vec!["list", "x", "today"], "pantry: 'today' is no day"),
        (vec!["eat"], "pantry: usage"),
    ] {
        let output = pantry(&args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(String::from_utf8_lossy(&output.stderr).starts_with(message), "{output:?}");
    }
}
