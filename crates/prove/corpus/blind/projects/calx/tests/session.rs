use calx::eval::show;
use calx::{CalcError, Rates, Session};

#[derive(Default)]
struct Desk {
    asked: Vec<String>,
}

impl Rates for Desk {
    fn rate(&mut self, name: &str) -> Option<f64> {
        self.asked.push(name.to_string());
        match name {
            "USD" => Some(1.25),
            "CHF" => Some(0.95),
            _ => None,
        }
    }
}

fn session() -> Session<Desk> {
    Session::new(Desk::default(), 3)
}

#[test]
fn keeps_values() {
    let mut s = session();
    assert_eq!(s.enter("rent = 3 * 250"), Ok(Some(750.0)));
    assert_eq!(s.enter("rent / 3 + 1"), Ok(Some(251.0)));
    assert_eq!(s.enter("ans * 2"), Ok(Some(502.0)));
}

#[test]
fn a_failure_changes_nothing() {
    let mut s = session();
    s.enter("x = 5").unwrap();
    assert_eq!(s.enter("x = 1 / 0"), Err(CalcError::DivisionByZero));
    assert_eq!(s.enter("x"), Ok(Some(5.0)));
    assert_eq!(s.history(), ["x = 5 -> 5", "x -> 5"]);
}

#[test]
fn empty_lines() {
    let mut s = session();
    assert_eq!(s.enter(""), Ok(None));
    assert_eq!(s.enter("  # only words"), Ok(None));
    assert!(s.history().is_empty());
}

#[test]
fn history_has_a_limit() {
    let mut s = session();
    for line in ["1", "2", "3", "4"] {
        s.enter(line).unwrap();
    }
    assert_eq!(s.history(), ["2 -> 2", "3 -> 3", "4 -> 4"]);
}

#[test]
fn currencies_are_asked_for_once() {
    let mut s = session();
    assert_eq!(s.enter("100 * USD"), Ok(Some(125.0)));
    assert_eq!(s.enter("USD + USD + CHF"), Ok(Some(3.45)));
    assert_eq!(s.rates.asked, ["USD", "CHF"]);
}

#[test]
fn unknown_currency() {
    let mut s = session();
    assert_eq!(s.enter("2 * XXX"), Err(CalcError::Unknown("XXX".into())));
    assert_eq!(s.enter("xxx"), Err(CalcError::Unknown("xxx".into())));
    assert_eq!(s.rates.asked, ["XXX"]);
}

#[test]
fn numbers_are_shown_short() {
    let cases = [(3.0, "3"), (2.5, "2.5"), (1.0 / 3.0, "0.333333"), (-0.0000001, "0"), (1200.0, "1200"), (0.1 + 0.2, "0.3")];
    for (value, want) in cases {
        assert_eq!(show(value), want);
    }
}

#[test]
fn a_page() {
    let page = session().page(include_str!("golden/trip.txt"));
    assert_eq!(page, include_str!("golden/trip.out"));
}
