//! Known values, in every encoding they tend to be printed in.

use std::sync::Arc;

use super::encodings::patterns;
use super::escapes::{forms, is_special};
use super::pattern::{Look, Pattern, Writing};
use super::{REDACTED, VALUE_BYTES_MIN};

/// Longer values are cut into pieces of this size, each looked for alone: what is held back stays bounded.
const LITERAL_BYTES_MAX: usize = 4 * 1024;

/// A set of texts to look for.
#[derive(Clone, Debug, Default)]
pub(super) struct Literals {
    patterns: Vec<Pattern>,
    index: Index,
}

/// Which patterns may be where a text goes on with certain bytes.
#[derive(Clone, Debug)]
struct Index {
    /// By the first byte of the pattern, as it is or as a digit.
    by_first: Vec<Vec<usize>>,
    /// The first two bytes of every pattern, a bit for each pair.
    pairs: Vec<u64>,
}

impl Default for Index {
    fn default() -> Self {
        Self { by_first: vec![Vec::new(); 256], pairs: vec![0; 1 << 10] }
    }
}

impl Index {
    fn of(patterns: &[Pattern]) -> Self {
        let mut index = Self::default();
        for (number, pattern) in patterns.iter().enumerate() {
            for [first, second] in beginnings(pattern) {
                let of_first = &mut index.by_first[usize::from(first)];
                if of_first.last() != Some(&number) {
                    of_first.push(number);
                }
                let pair = usize::from(first) << 8 | usize::from(second);
                index.pairs[pair / 64] |= 1 << (pair % 64);
            }
        }
        index
    }

    fn has_first(&self, byte: u8) -> bool {
        !self.by_first[usize::from(byte)].is_empty()
    }

    fn has_pair(&self, first: u8, second: u8) -> bool {
        let pair = usize::from(first) << 8 | usize::from(second);
        self.pairs[pair / 64] & 1 << (pair % 64) != 0
    }
}

/// The two bytes that a pattern begins with where nothing is escaped.
fn beginnings(pattern: &Pattern) -> Vec<[u8; 2]> {
    match pattern.writing {
        Writing::Text => vec![[pattern.bytes[0], pattern.bytes[1]]],
        Writing::Hex => {
            let digits =
                |alphabet: &[u8; 16], shift: u8| alphabet[usize::from(pattern.bytes[0] >> shift & 15)];
            let cases = [b"0123456789abcdef", b"0123456789ABCDEF"];
            cases.iter().flat_map(|high| cases.map(|low| [digits(high, 4), digits(low, 0)])).collect()
        }
    }
}

impl Literals {
    pub(super) fn add_in_all_encodings(&mut self, value: &[u8]) {
        for pattern in patterns(value) {
            let pieces =
                pattern.bytes.chunks(LITERAL_BYTES_MAX).filter(|piece| piece.len() >= VALUE_BYTES_MIN);
            let pieces = pieces.map(|piece| Pattern { bytes: piece.to_vec(), writing: pattern.writing });
            self.patterns.extend(pieces);
        }
    }

    pub(super) fn sort(&mut self) {
        self.patterns.sort();
        self.patterns.dedup();
        self.index = Index::of(&self.patterns);
    }
}

/// Looks for literals in bytes that come in pieces.
#[derive(Debug)]
pub(super) struct Scanner {
    literals: Arc<Literals>,
    /// Which bytes a literal may start with, however it is written.
    starts: [bool; 256],
    held: Vec<u8>,
    pub(super) has_redacted: bool,
}

enum Decision {
    Emit,
    Redact(usize),
    NeedMore,
}

impl Scanner {
    pub(super) fn new(literals: Arc<Literals>) -> Self {
        let mut starts = [false; 256];
        if !literals.patterns.is_empty() {
            for byte in 0..=255 {
                starts[usize::from(byte)] = literals.index.has_first(byte) || is_special(byte);
            }
        }
        Self { literals, starts, held: Vec::new(), has_redacted: false }
    }

    pub(super) fn push(&mut self, bytes: &[u8], clean: &mut Vec<u8>) {
        self.advance(bytes, false, clean);
    }

    pub(super) fn finish(&mut self, clean: &mut Vec<u8>) {
        self.advance(&[], true, clean);
    }

    fn advance(&mut self, bytes: &[u8], is_end: bool, clean: &mut Vec<u8>) {
        let mut held = std::mem::take(&mut self.held);
        held.extend_from_slice(bytes);
        let mut rest = held.as_slice();
        loop {
            let plain = self.plain_length(rest);
            clean.extend_from_slice(&rest[..plain]);
            rest = &rest[plain..];
            let Some(&first) = rest.first() else { break };
            match self.decide(rest, is_end) {
                Decision::Emit => {
                    clean.push(first);
                    rest = &rest[1..];
                }
                Decision::Redact(length) => {
                    self.has_redacted = true;
                    clean.extend_from_slice(REDACTED.as_bytes());
                    rest = &rest[length..];
                }
                Decision::NeedMore => break,
            }
        }
        self.held = rest.to_vec();
    }

    /// How many bytes in front cannot begin a literal. Nearly all output passes here.
    fn plain_length(&self, rest: &[u8]) -> usize {
        let may_start = |(at, &first): (usize, &u8)| {
            let goes_on = || match rest.get(at + 1) {
                Some(&second) => is_special(second) || self.literals.index.has_pair(first, second),
                None => true,
            };
            self.starts[usize::from(first)] && (is_special(first) || goes_on())
        };
        rest.iter().enumerate().position(|(at, byte)| may_start((at, byte))).unwrap_or(rest.len())
    }

    /// Leftmost, then longest: a literal waits until it is known whether another one is there, too.
    fn decide(&self, rest: &[u8], is_end: bool) -> Decision {
        let mut found = Decision::Emit;
        let first = rest[0];
        if !is_special(first) {
            return self.look_at(first, rest, is_end, found);
        }
        let forms = forms(rest);
        if forms.is_open && !is_end {
            return Decision::NeedMore;
        }
        let mut looked_at = Vec::new();
        for form in forms.iter() {
            let byte = form.bytes()[0];
            if !looked_at.contains(&byte) {
                looked_at.push(byte);
                found = self.look_at(byte, rest, is_end, found);
            }
        }
        found
    }

    /// The same among the literals that begin with `byte`.
    fn look_at(&self, byte: u8, rest: &[u8], is_end: bool, mut found: Decision) -> Decision {
        let is_plain = byte == rest[0];
        for &number in &self.literals.index.by_first[usize::from(byte)] {
            let pattern = &self.literals.patterns[number];
            if is_plain && rest.get(1).is_some_and(|second| !pattern.may_go_on(*second)) && !is_special(byte)
            {
                continue;
            }
            found = match (pattern.look(rest, is_end), found) {
                (_, Decision::NeedMore) | (Look::Open, _) => Decision::NeedMore,
                (Look::Fails, found) => found,
                (Look::Fits(length), Decision::Redact(other)) => Decision::Redact(length.max(other)),
                (Look::Fits(length), Decision::Emit) => Decision::Redact(length),
            };
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_value_is_found_in_pieces() {
        let value: Vec<u8> =
            (0..10_000_u32).map(|i| b"abcdefghijklmnop"[(i.wrapping_mul(i) >> 3) as usize % 16]).collect();
        let mut literals = Literals::default();
        literals.add_in_all_encodings(&value);
        literals.sort();
        let mut scanner = Scanner::new(Arc::new(literals));
        let mut clean = Vec::new();
        scanner.push(&value, &mut clean);
        scanner.finish(&mut clean);
        assert_eq!(String::from_utf8(clean).unwrap(), REDACTED.repeat(3));
    }
}
