#![allow(dead_code)] // no test file uses all of it

use pantry::{Day, Item, Stock};

pub fn day(text: &str) -> Day {
    text.parse().expect("a day")
}

pub fn item(name: &str, amount: &str, best_before: Option<&str>) -> Item {
    Item { name: name.to_string(), amount: amount.parse().expect("an amount"), best_before: best_before.map(day) }
}

pub fn stock(items: &[Item]) -> Stock {
    let mut stock = Stock::new();
    items.iter().cloned().for_each(|item| stock.add(item));
    stock
}

#[track_caller]
pub fn assert_amounts(stock: &Stock, expected: &[&str]) {
    let found: Vec<String> = stock.items().iter().map(|item| item.amount.to_string()).collect();
    assert_eq!(found, expected);
}
