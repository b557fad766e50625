use crate::{Day, Stock};
use std::fmt::Write;

const SOON: i32 = 3;

/// The stock as a table.
pub fn report(stock: &Stock, today: Day) -> String {
    let mut out = String::new();
    for item in stock.items() {
        let mark = match item.best_before {
            Some(day) if day < today => '!',
            Some(day) if day.0 - today.0 <= SOON => '*',
            _ => ' ',
        };
        let day = item.best_before.map(|day| day.to_string()).unwrap_or_default();
        let line = format!("{mark} {:<12}{:>10}  {day}", item.name, item.amount.to_string());
        writeln!(out, "{}", line.trim_end()).expect("a string takes everything");
    }
    let expired = stock.expired(today).count();
    if expired > 0 {
        writeln!(out, "{expired} expired").expect("a string takes everything");
    }
    out
}
