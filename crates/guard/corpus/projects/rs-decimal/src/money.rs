use std::fmt;

pub const MAX_CENTS: i64 = 100_000_000_000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MoneyError {
    Empty,
    TooPrecise(String),
    NotANumber(String),
    TooLarge,
}

impl fmt::Display for MoneyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MoneyError::Empty => write!(f, "empty amount"),
            MoneyError::TooPrecise(text) => write!(f, "too many decimals: {text}"),
            MoneyError::NotANumber(text) => write!(f, "not a number: {text}"),
            MoneyError::TooLarge => write!(f, "amount too large"),
        }
    }
}

impl std::error::Error for MoneyError {}

/// Reads "12.34" as 1234.
pub fn parse(text: &str) -> Result<i64, MoneyError> {
    let text = text.trim();
    if text.is_empty() {
        return Err(MoneyError::Empty);
    }
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    if fraction.len() > 2 {
        return Err(MoneyError::TooPrecise(text.to_owned()));
    }
    let digits = format!("{whole}{fraction:0<2}");
    let cents: i64 = digits
        .parse()
        .map_err(|_| MoneyError::NotANumber(text.to_owned()))?;
    if cents > MAX_CENTS {
        return Err(MoneyError::TooLarge);
    }
    Ok(cents)
}

/// Writes 1234 as "12.34".
pub fn format(cents: i64) -> String {
    let sign = if cents < 0 { "-" } else { "" };
    let cents = cents.abs();
    format!("{sign}{}.{:02}", cents / 100, cents % 100)
}

/// Splits so that the sum stays exact.
pub fn allocate(cents: i64, parts: i64) -> Vec<i64> {
    if parts <= 0 {
        panic!("parts must be positive");
    }
    (0..parts)
        .map(|part| cents / parts + i64::from(part < cents % parts))
        .collect()
}

#[expect(dead_code)]
fn dollars(cents: i64) -> i64 {
    cents / 100
}

pub fn percent(cents: i64, percent: i64) -> i64 {
    (cents * percent + 50) / 100
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Money(pub i64);

impl std::ops::Add for Money {
    type Output = Money;

    fn add(self, other: Money) -> Money {
        Money(self.0 + other.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_whole_amounts() {
        assert_eq!(parse("12"), Ok(1200));
    }

    #[test]
    fn parses_cents() {
        assert_eq!(parse("12.34"), Ok(1234));
    }

    #[test]
    fn pads_a_short_fraction() {
        assert_eq!(parse("0.5"), Ok(50));
    }

    #[test]
    fn rejects_empty_text() {
        assert_eq!(parse("  "), Err(MoneyError::Empty));
    }

    #[test]
    fn rejects_garbage() {
        for text in ["1.234", "abc", "1.2.3"] {
            assert!(parse(text).is_err(), "{text} was accepted");
        }
    }

    #[test]
    fn rejects_large_amounts() {
        assert_eq!(parse("9999999999999"), Err(MoneyError::TooLarge));
        assert_eq!(MoneyError::TooLarge.to_string(), "amount too large");
    }

    #[test]
    fn formats() {
        let cases = [
            (0, "0.00"),
            (5, "0.05"),
            (123456, "1234.56"),
            (-250, "-2.50"),
        ];
        for (cents, expected) in cases {
            assert_eq!(format(cents), expected);
        }
    }

    #[test]
    fn allocation_is_exact() {
        let parts = allocate(100, 3);
        assert_eq!(parts, vec![34, 33, 33]);
        assert_eq!(parts.iter().sum::<i64>(), 100);
    }

    #[test]
    #[should_panic(expected = "parts must be positive")]
    fn allocation_needs_parts() {
        allocate(100, 0);
    }

    #[test]
    fn percent_rounds_half_up() {
        assert_eq!(percent(999, 10), 100);
        assert_eq!(percent(1000, 3), 30);
    }

    #[test]
    fn money_adds() {
        assert_eq!(Money(150) + Money(275), Money(425));
    }
}
