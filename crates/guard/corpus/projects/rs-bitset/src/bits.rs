use std::fmt;

pub const CAPACITY: u32 = 64;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SetError {
    TooLarge(u32),
    Empty,
    BadRange(String),
}

impl fmt::Display for SetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SetError::TooLarge(number) => write!(f, "{number} is too large"),
            SetError::Empty => write!(f, "the set is empty"),
            SetError::BadRange(text) => write!(f, "invalid range {text}"),
        }
    }
}

impl std::error::Error for SetError {}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BitSet(u64);

impl BitSet {
    pub fn new() -> Self {
        BitSet(0)
    }

    pub fn insert(&mut self, number: u32) -> Result<bool, SetError> {
        if number >= CAPACITY {
            return Err(SetError::TooLarge(number));
        }
        let before = self.0;
        self.0 |= 1 << number;
        Ok(self.0 != before)
    }

    pub fn contains(&self, number: u32) -> bool {
        number < CAPACITY && self.0 & (1 << number) != 0
    }

    pub fn len(&self) -> u32 {
        self.0.count_ones()
    }

    pub fn is_empty(&self) -> bool {
        self.0 == 0
    }

    pub fn smallest(&self) -> Result<u32, SetError> {
        if self.0 == 0 {
            return Err(SetError::Empty);
        }
        Ok(self.0.trailing_zeros())
    }

    pub fn union(self, other: BitSet) -> BitSet {
        BitSet(self.0 | other.0)
    }

    pub fn iter(self) -> impl Iterator<Item = u32> {
        (0..CAPACITY).filter(move |number| self.contains(*number))
    }
}

/// The parity of a word.
///
/// ```
/// assert_eq!(bitset::bits::parity(7), 1);
/// ```
pub fn parity(word: u64) -> u32 {
    word.count_ones() % 2
}

/// How full a set is, from 0 to 1.
pub fn density(count: u32, capacity: u32) -> f64 {
    if capacity == 0 {
        return 0.0;
    }
    f64::from(count) / f64::from(capacity)
}

#[allow(dead_code)]
fn lowest_bit(word: u64) -> u64 {
    word & word.wrapping_neg()
}
