use crate::{Item, Stock};
use std::fmt;

#[derive(Debug, PartialEq, Eq)]
pub struct ParseError {
    pub line: usize,
    pub message: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for ParseError {}

/// Reads lines such as `flour: 1.5 kg, 2024-08-01`.
pub fn parse_stock(text: &str) -> Result<Stock, ParseError> {
    let mut stock = Stock::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default().trim();
        if line.is_empty() {
            continue;
        }
        let item = parse_item(line).map_err(|message| ParseError { line: index + 1, message })?;
        stock.add(item);
    }
    Ok(stock)
}

fn parse_item(line: &str) -> Result<Item, String> {
    let (name, rest) = line.split_once(':').ok_or("no colon")?;
    if name.trim().is_empty() {
        return Err("no name".to_string());
    }
    let (amount, day) = match rest.split_once(',') {
        Some((amount, day)) => (amount, Some(day)),
        None => (rest, None),
    };
    let best_before = day.map(|day| day.trim().parse().map_err(|error: crate::DayError| error.to_string())).transpose()?;
    Ok(Item { name: name.trim().to_string(), amount: amount.parse().map_err(|error: crate::AmountError| error.to_string())?, best_before })
}
