mod common;

use std::collections::HashMap;

use common::{assert_close, value};
use lexer::eval::round_to;
use lexer::{eval, tokenize, EvalError};

#[test]
fn sums_and_products() {
    assert_eq!(value("1 + 2 * 3"), 7.0);
    assert_eq!(value("(1 + 2) * 3"), 9.0);
}

#[test]
fn associates_to_the_left() {
    for (text, expected) in [("10 - 2 - 3", 5.0), ("8 / 4 / 2", 1.0), ("2 - -1", 3.0)] {
        assert_eq!(value(text), expected, "{text}");
    }
}

#[test]
fn names_have_values() {
    assert_close(value("x * 2"), 6.0);
    assert_close(value("pi"), 3.14159);
}

#[test]
fn unknown_name() {
    assert_eq!(
        eval("y", &HashMap::new()),
        Err(EvalError::Unknown("y".to_owned()))
    );
}

#[test]
fn division_by_zero() {
    assert_eq!(
        eval("1 / 0", &HashMap::new()),
        Err(EvalError::DivisionByZero)
    );
}

#[test]
fn parse_errors_are_passed_on() {
    assert!(matches!(
        eval("1 +", &HashMap::new()),
        Err(EvalError::Parse(_))
    ));
}

#[test]
fn rounding_down() {
    assert_eq!(round_to(2.344, 2), 2.34);
}

#[test]
fn rounding_up() {
    assert_eq!(round_to(2.346, 2), 2.35);
}

#[cfg(not(target_os = "windows"))]
#[test]
fn rounding_to_whole() {
    assert_eq!(round_to(2.5, 0), 3.0);
}

#[test]
fn blanks_are_nothing() {
    assert_eq!(tokenize("   "), Ok(vec![]));
}
