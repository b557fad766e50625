use crate::bits::{BitSet, SetError};

/// Reads a number.
pub fn parse_number(text: &str) -> Result<u32, SetError> {
    text.trim().parse().map_err(|_| SetError::BadRange(text.to_string()))
}

/// Reads "1-3,7".
pub fn parse_ranges(text: &str) -> Result<BitSet, SetError> {
    let mut set = BitSet::new();
    if text.is_empty() {
        return Ok(set);
    }
    for part in text.split(',') {
        let (first, last) = match part.split_once('-') {
            Some((first, last)) => (parse_number(first)?, parse_number(last)?),
            None => (parse_number(part)?, parse_number(part)?),
        };
        if first > last {
            return Err(SetError::BadRange(part.to_string()));
        }
        for number in first..=last {
            set.insert(number)?;
        }
    }
    Ok(set)
}

/// The number of members in a range.
pub fn span(first: u32, last: u32) -> Result<u32, SetError> {
    if first > last {
        return Err(SetError::BadRange(format!("{first}-{last}")));
    }
    Ok(last - first + 1)
}

/// The ordinal of a number.
///
/// ```
/// assert_eq!(bitset::ranges::ordinal(2), "2nd");
/// ```
pub fn ordinal(number: u32) -> String {
    let ending = match (number % 10, number % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{number}{ending}")
}
