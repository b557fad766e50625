use std::collections::HashMap;
use std::time::Duration;

use rstest::rstest;
use slugger::template::{fill, truncate, TemplateError};

fn filled(template: &str) -> Result<String, TemplateError> {
    fill(
        template,
        &HashMap::from([("name", "Ann"), ("day", "Monday")]),
    )
}

#[test]
fn fills_names() {
    assert_eq!(
        filled("Dear {name}, see you {day}"),
        Ok("Dear Ann, see you Monday".to_owned())
    );
}

#[test]
fn plain_text_is_kept() {
    assert_eq!(filled("nothing to do"), Ok("nothing to do".to_owned()));
}

#[test]
fn unclosed_brace() {
    assert_eq!(filled("Dear {name"), Err(TemplateError::Unclosed(5)));
}

#[test]
fn unknown_name() {
    let error = filled("{who}").unwrap_err();
    assert_eq!(error, TemplateError::Unknown("who".to_owned()));
}

#[test]
fn long_text_is_cut() {
    assert_eq!(truncate("abcdef", 4), "abc…");
}

#[test]
fn short_text_is_kept() {
    assert_eq!(truncate("abc", 4), "abc");
}

#[rstest]
#[timeout(Duration::from_millis(500))]
fn large_templates_are_quick() {
    let template = "{name} ".repeat(1000);
    assert_eq!(filled(&template).unwrap().len(), 4000);
}
