use std::collections::HashMap;

use lexer::eval;

pub fn value(text: &str) -> f64 {
    let names = HashMap::from([("x".to_owned(), 3.0), ("pi".to_owned(), 3.14159)]);
    eval(text, &names).expect(text)
}

#[track_caller]
pub fn assert_close(left: f64, right: f64) {
    assert!((left - right).abs() < 1e-9, "{left} is not {right}");
}
