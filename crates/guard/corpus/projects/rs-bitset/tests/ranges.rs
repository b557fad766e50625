use std::time::{SystemTime, UNIX_EPOCH};

use bitset::ranges::{ordinal, parse_number, parse_ranges, span};
use bitset::SetError;

fn next(seed: &mut u64) -> u32 {
    *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    (*seed >> 33) as u32
}

#[test]
fn ranges_are_read() {
    let cases = [
        ("", 0),
        ("1", 1),
        ("1-3", 3),
        ("1-3,7", 4),
    ];
    for (text, expected) in cases {
        assert_eq!(parse_ranges(text).unwrap().len(), expected);
    }
}

#[test]
fn bad_ranges() {
    for text in ["x", "3-1", "1-", "1,,2"] {
        assert!(parse_ranges(text).is_err());
    }
}

#[test]
fn backwards_range() {
    assert_eq!(parse_ranges("9-2"), Err(SetError::BadRange("9-2".to_string())));
}

#[test]
fn numbers() {
    assert_eq!(parse_number("12"), Ok(12));
    assert_eq!(parse_number(" 3 "), Ok(3));
}

#[test]
fn spans() {
    assert_eq!(span(2, 4), Ok(3));
    assert_eq!(span(7, 7), Ok(1));
}

#[test]
fn span_backwards() {
    assert_eq!(span(4, 2).unwrap_err().to_string(), "invalid range 4-2");
}

#[test]
fn ordinals() {
    assert_eq!(ordinal(1), "1st");
    assert_eq!(ordinal(12), "12th");
    assert_eq!(ordinal(23), "23rd");
}

#[test]
fn ordinals_of_numbers() {
    assert_eq!(ordinal(1), "1st");
    assert_eq!(ordinal(12), "12th");
    assert_eq!(ordinal(23), "23rd");
}

#[test]
fn random_spans() {
    let mut seed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos() as u64;
    for _ in 0..300 {
        let first = next(&mut seed) % 1000;
        let last = first + next(&mut seed) % 1000;
        assert_eq!(span(first, last), Ok(last - first + 1));
    }
}
