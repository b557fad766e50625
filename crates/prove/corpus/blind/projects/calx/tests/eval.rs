use calx::{evaluate, parse, CalcError, Env};

fn calc(text: &str) -> Result<f64, CalcError> {
    let env = Env::from([("x".to_string(), 3.0), ("y".to_string(), -0.5)]);
    evaluate(&parse(text)?, &env)
}

fn close(text: &str, want: f64) {
    let got = calc(text).unwrap();
    assert!((got - want).abs() < 1e-9, "{text}: {got} is not {want}");
}

#[test]
fn arithmetic() {
    close("1 + 2 * 3", 7.0);
    close("10 - 4 - 3", 3.0);
    close("7 / 2", 3.5);
    close("0.1 + 0.2", 0.3);
    close("2 ^ 10", 1024.0);
    close("-2 ^ 2", -4.0);
    close("2 ^ -2", 0.25);
}

#[test]
fn remainder_follows_the_divisor() {
    close("7 % 3", 1.0);
    close("-7 % 3", 2.0);
    close("7 % -3", -2.0);
    close("5.5 % 2", 1.5);
}

#[test]
fn names() {
    close("x * x + y", 8.5);
    close("2 * pi", 6.283185307179586);
    assert_eq!(calc("z + 1"), Err(CalcError::Unknown("z".into())));
}

#[test]
fn functions() {
    close("sqrt(2)", 1.4142135623730951);
    close("abs(y)", 0.5);
    close("round(2.5)", 3.0);
    close("round(-2.5)", -3.0);
    close("round(3.14159, 2)", 3.14);
    close("round(1234, -2)", 1200.0);
    close("min(3, 1, 2)", 1.0);
    close("max(-3, -1, -2)", -1.0);
    close("avg(1, 2, 6)", 3.0);
}

#[test]
fn median() {
    close("med(5, 1, 3)", 3.0);
    close("med(4, 1, 3, 2)", 2.5);
    close("med(10, 9, 100)", 10.0);
}

#[test]
fn errors() {
    let arguments = |name: &str, found| Err(CalcError::Arguments { name: name.into(), found });
    let cases = [
        ("1 / 0", Err(CalcError::DivisionByZero)),
        ("1 % 0", Err(CalcError::DivisionByZero)),
        ("sqrt(-1)", Err(CalcError::Domain("sqrt".into()))),
        ("sqrt()", arguments("sqrt", 0)),
        ("abs(1, 2)", arguments("abs", 2)),
        ("avg()", arguments("avg", 0)),
        ("sin(1)", Err(CalcError::Unknown("sin".into()))),
    ];
    for (text, want) in cases {
        assert_eq!(calc(text), want, "{text}");
    }
}
