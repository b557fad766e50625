mod common;

use common::{assert_amounts, day, item, stock};
use pantry::{Amount, TakeError, Unit};

fn grams(value: u32) -> Amount {
    Amount { value, unit: Unit::Gram }
}

#[test]
fn the_same_item_is_kept_once() {
    let stock = stock(&[item("rice", "1 kg", Some("2024-09-01")), item("rice", "500 g", Some("2024-09-01")), item("rice", "2", None)]);
    assert_amounts(&stock, &["1500 g", "2"]);
    assert_eq!(stock.left("rice", Unit::Gram), 1500);
    assert_eq!(stock.left("rice", Unit::Millilitre), 0);
}

#[test]
fn takes_what_expires_first() {
    let mut stock =
        stock(&[item("rice", "1 kg", None), item("rice", "400 g", Some("2024-09-01")), item("rice", "300 g", Some("2024-07-01"))]);
    stock.take("rice", grams(500)).unwrap();
    assert_amounts(&stock, &["200 g", "1000 g"]);
    assert_eq!(stock.items()[0].best_before, Some(day("2024-09-01")));
}

#[test]
fn takes_all_or_nothing() {
    let mut stock = stock(&[item("rice", "300 g", None), item("oil", "1 l", None)]);
    let before = stock.clone();
    let error = stock.take("rice", grams(301)).unwrap_err();
    assert_eq!(error, TakeError::NotEnough { name: "rice".into(), wanted: grams(301), left: 300 });
    assert_eq!(error.to_string(), "301 g rice wanted, 300 left");
    assert_eq!(stock.take("oil", grams(1)).unwrap_err().to_string(), "1 g oil wanted, 0 left");
    assert_eq!(stock, before);
}

#[test]
fn taking_nothing_is_an_error() {
    let mut stock = stock(&[item("rice", "300 g", None)]);
    assert_eq!(stock.take("rice", grams(0)), Err(TakeError::Nothing));
}

#[test]
fn taking_everything_removes_the_item() {
    let mut stock = stock(&[item("rice", "300 g", None)]);
    stock.take("rice", grams(300)).unwrap();
    assert!(stock.items().is_empty());
}

#[test]
fn expires_after_its_day() {
    let stock = stock(&[item("milk", "1 l", Some("2024-06-10")), item("salt", "1 kg", None)]);
    assert_eq!(stock.expired(day("2024-06-10")).count(), 0);
    let expired: Vec<_> = stock.expired(day("2024-06-11")).map(|item| item.name.as_str()).collect();
    assert_eq!(expired, ["milk"]);
}

#[test]
#[should_panic(expected = "an amount")]
fn fixtures_are_checked() {
    item("rice", "much", None);
}
