//! Keys known by their looks, in base64 and in hexadecimal.
//!
//! A prefix determines some characters of its encoding wherever it begins. Where those stand, as much is decoded as a key of
//! that format must have; only if all of it fits, the encoded run is swallowed. What is looked at is bounded.

use std::sync::LazyLock;

use super::REDACTED;
use super::encodings::{STARTS, base64_bits, base64_core};
use super::formats::{Class, prefixes};

/// How private keys begin; what follows is theirs.
const PRIVATE_KEYS: [&[u8]; 6] = [
    b"-----BEGIN PRIVATE KEY-----",
    b"-----BEGIN RSA PRIVATE KEY-----",
    b"-----BEGIN EC PRIVATE KEY-----",
    b"-----BEGIN DSA PRIVATE KEY-----",
    b"-----BEGIN OPENSSH PRIVATE KEY-----",
    b"-----BEGIN ENCRYPTED PRIVATE KEY-----",
];

/// So long are lines that somebody broke: the shortest that tools make, less one.
const WRAPPED_LINE_MIN: usize = 60;

/// An encoded prefix, and what must follow.
struct Known {
    /// The characters that the prefix determines.
    begins: Vec<u8>,
    prefix: &'static [u8],
    class: Option<(Class, usize)>,
    /// Bits of the prefix before the first character; `None` where it is hexadecimal.
    bits_before: Option<usize>,
}

/// All of them, and the pairs of bytes that they begin with.
struct Table {
    known: Vec<Known>,
    pairs: Vec<u64>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let keys = PRIVATE_KEYS.iter().map(|prefix| (*prefix, None));
    let formats = prefixes().map(|(prefix, class, length_min)| (prefix, Some((class, length_min))));
    let mut known = Vec::new();
    for (prefix, class) in formats.chain(keys) {
        for start in STARTS {
            known.push(Known { begins: base64_core(prefix, start), prefix, class, bits_before: Some(start) });
        }
        for upper in [false, true] {
            let hex = |byte: &u8| if upper { format!("{byte:02X}") } else { format!("{byte:02x}") };
            let begins = prefix.iter().map(hex).collect::<String>().into_bytes();
            known.push(Known { begins, prefix, class, bits_before: None });
        }
    }
    let mut pairs = vec![0; 1 << 10];
    for pair in known.iter().map(|known| pair(known.begins[0], known.begins[1])) {
        pairs[pair / 64] |= 1_u64 << (pair % 64);
    }
    Table { known, pairs }
});

fn pair(first: u8, second: u8) -> usize {
    usize::from(first) << 8 | usize::from(second)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fits {
    No,
    Yes,
    Open,
}

impl Known {
    fn fits(&self, rest: &[u8]) -> Fits {
        if !rest.starts_with(&self.begins) {
            return if self.begins.starts_with(rest) { Fits::Open } else { Fits::No };
        }
        let length_min = self.class.map_or(0, |(_, length_min)| length_min);
        let wanted = self.prefix.len() + length_min;
        for index in usize::from(self.bits_before.unwrap_or(0) > 0)..wanted {
            let byte = match self.bits_before {
                Some(before) => base64_byte(rest, before, index),
                None => hex_byte(rest, index),
            };
            let fits = match byte {
                Err(open) => return open,
                Ok(byte) if index < self.prefix.len() => byte == self.prefix[index],
                Ok(byte) => self.class.is_none_or(|(class, _)| class.contains(byte)),
            };
            if !fits {
                return Fits::No;
            }
        }
        Fits::Yes
    }
}

/// A byte of what `rest` encodes, where it begins `before` bits into the first one.
fn base64_byte(rest: &[u8], before: usize, index: usize) -> Result<u8, Fits> {
    let mut byte = 0;
    for bit in index * 8 - before..index * 8 - before + 8 {
        let character = rest.get(bit / 6).ok_or(Fits::Open)?;
        let bits = base64_bits(*character).ok_or(Fits::No)?;
        byte = byte << 1 | (bits >> (5 - bit % 6)) & 1;
    }
    Ok(byte)
}

fn hex_byte(rest: &[u8], index: usize) -> Result<u8, Fits> {
    let mut byte = 0;
    for at in [index * 2, index * 2 + 1] {
        let digit = rest.get(at).ok_or(Fits::Open)?;
        byte = byte << 4 | char::from(*digit).to_digit(16).ok_or(Fits::No)? as u8;
    }
    Ok(byte)
}

/// In a key that was found.
#[derive(Clone, Copy, Debug)]
struct Swallowing {
    /// So many characters of its line were seen.
    seen: usize,
    /// It is long enough to have its lines broken.
    wraps: bool,
}

/// Looks for encoded keys in bytes that come in pieces.
#[derive(Debug, Default)]
pub(super) struct Scanner {
    swallowing: Option<Swallowing>,
    held: Vec<u8>,
    pub(super) has_redacted: bool,
}

impl Scanner {
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
        while let Some(&first) = rest.first() {
            if self.swallow(first) {
                rest = &rest[1..];
                continue;
            }
            let plain = plain_length(rest);
            clean.extend_from_slice(&rest[..plain]);
            rest = &rest[plain..];
            let Some(&first) = rest.first() else { break };
            match look(rest) {
                Fits::Open if !is_end => break,
                Fits::Yes => {
                    clean.extend_from_slice(REDACTED.as_bytes());
                    self.has_redacted = true;
                    self.swallowing = Some(Swallowing { seen: 0, wraps: is_private_key(rest) });
                }
                Fits::No | Fits::Open => {
                    clean.push(first);
                    rest = &rest[1..];
                }
            }
        }
        self.held = rest.to_vec();
    }

    /// Whether a byte belongs to a key that was found; the line of a long one may be broken.
    fn swallow(&mut self, byte: u8) -> bool {
        self.swallowing = self.swallowing.and_then(|Swallowing { seen, wraps }| match byte {
            _ if byte == b'=' || base64_bits(byte).is_some() => Some(Swallowing { seen: seen + 1, wraps }),
            b'\r' if wraps && seen >= WRAPPED_LINE_MIN => Some(Swallowing { seen, wraps }),
            b'\n' if wraps && seen >= WRAPPED_LINE_MIN => Some(Swallowing { seen: 0, wraps }),
            _ => None,
        });
        self.swallowing.is_some()
    }
}

/// How many bytes in front begin no key.
fn plain_length(rest: &[u8]) -> usize {
    let pairs = &TABLE.pairs;
    let may_start = |two: &[u8]| {
        let pair = pair(two[0], two[1]);
        pairs[pair / 64] & 1 << (pair % 64) != 0
    };
    rest.windows(2).position(may_start).unwrap_or(rest.len().saturating_sub(1))
}

fn is_private_key(rest: &[u8]) -> bool {
    TABLE.known.iter().any(|known| known.class.is_none() && known.fits(rest) == Fits::Yes)
}

fn look(rest: &[u8]) -> Fits {
    let mut found = Fits::No;
    for known in TABLE.known.iter().filter(|known| known.begins[0] == rest[0]) {
        match known.fits(rest) {
            Fits::Yes => return Fits::Yes,
            Fits::Open => found = Fits::Open,
            Fits::No => {}
        }
    }
    found
}
