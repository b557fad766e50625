use lexer::{parse, Expr, ParseError};

fn number(value: f64) -> Box<Expr> {
    Box::new(Expr::Number(value))
}

fn message(text: &str) -> String {
    let ParseError(message) = parse(text).unwrap_err();
    message
}

#[test]
fn product_binds_tighter() {
    let product = Expr::Binary('*', number(2.0), number(3.0));
    let expected = Expr::Binary('+', number(1.0), Box::new(product));
    assert_eq!(parse("1+2*3").unwrap(), expected);
}

#[test]
fn minus_is_a_prefix() {
    assert_eq!(parse("-2").unwrap(), Expr::Neg(number(2.0)));
}

#[test]
fn trailing_token() {
    assert_eq!(message("1 2"), "trailing number 2");
}

#[test]
fn missing_operand() {
    assert_eq!(message("1 +"), "unexpected end");
}

#[test]
fn missing_parenthesis() {
    assert_eq!(message("(1"), "expected ')'");
}

#[test]
fn lexer_errors_have_a_position() {
    assert!(message("1 ? 2").contains("at 2"));
}

#[test]
fn depth_is_limited() {
    let text = format!("{}1{}", "(".repeat(100), ")".repeat(100));
    assert_eq!(message(&text), "nested too deeply");
}
