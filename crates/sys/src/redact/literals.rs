//! Known values, in every encoding they tend to be printed in.

use std::sync::Arc;

use super::{REDACTED, VALUE_BYTES_MIN};

/// Longer values are cut into pieces of this size, each a literal: what is held back stays bounded.
const LITERAL_BYTES_MAX: usize = 4 * 1024;

const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const BASE64_URL: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// A set of byte strings to look for.
#[derive(Clone, Debug, Default)]
pub(super) struct Literals {
    /// By their first byte, the longest first.
    sorted: Vec<Vec<u8>>,
}

impl Literals {
    pub(super) fn add_in_all_encodings(&mut self, value: &[u8]) {
        self.add(value.to_vec());
        for upper in [true, false] {
            self.add(percent_encoded(value, upper));
            self.add(percent_form(value, upper));
            self.add(percent_all(value, upper));
            self.add(hex(value, upper));
            self.add(json_all(value, upper));
        }
        self.add(json_escaped(value));
        // As PHP, and whoever puts JSON into HTML, writes it; and JSON within a string of JSON.
        self.add(replaced(&json_escaped(value), b"/", b"\\/"));
        self.add(json_escaped(&json_escaped(value)));
        for alphabet in [BASE64, BASE64_URL] {
            // The value may start anywhere within the three bytes that make four characters.
            for bits_before in [0, 4, 2] {
                self.add(base64_core(value, bits_before, alphabet));
            }
        }
    }

    fn add(&mut self, literal: Vec<u8>) {
        let pieces = literal.chunks(LITERAL_BYTES_MAX).filter(|piece| piece.len() >= VALUE_BYTES_MIN);
        self.sorted.extend(pieces.map(<[u8]>::to_vec));
    }

    pub(super) fn sort(&mut self) {
        self.sorted.sort_by(|a, b| a[0].cmp(&b[0]).then(b.len().cmp(&a.len())).then(a.cmp(b)));
        self.sorted.dedup();
    }

    fn starting_with(&self, first: u8) -> &[Vec<u8>] {
        let from = self.sorted.partition_point(|literal| literal[0] < first);
        let to = self.sorted.partition_point(|literal| literal[0] <= first);
        &self.sorted[from..to]
    }
}

/// Looks for literals in bytes that come in pieces.
#[derive(Debug)]
pub(super) struct Scanner {
    literals: Arc<Literals>,
    /// Which bytes a literal starts with.
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
        for literal in &literals.sorted {
            starts[usize::from(literal[0])] = true;
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
            let plain = rest.iter().position(|&byte| self.starts[usize::from(byte)]).unwrap_or(rest.len());
            clean.extend_from_slice(&rest[..plain]);
            rest = &rest[plain..];
            let Some(&first) = rest.first() else { break };
            match decide(self.literals.starting_with(first), rest, is_end) {
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
}

/// Leftmost, then longest: a shorter literal waits until the longer ones that fit so far are out.
fn decide(candidates: &[Vec<u8>], rest: &[u8], is_end: bool) -> Decision {
    let mut longer_may_fit = false;
    for literal in candidates {
        if rest.starts_with(literal) {
            return if longer_may_fit { Decision::NeedMore } else { Decision::Redact(literal.len()) };
        }
        longer_may_fit |= !is_end && literal.starts_with(rest);
    }
    if longer_may_fit { Decision::NeedMore } else { Decision::Emit }
}

fn percent_encoded(value: &[u8], upper: bool) -> Vec<u8> {
    let mut encoded = Vec::with_capacity(value.len());
    for &byte in value {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            encoded.push(byte);
        } else {
            encoded.push(b'%');
            encoded.extend(hex(&[byte], upper));
        }
    }
    encoded
}

/// As a form is sent: a space is a plus.
fn percent_form(value: &[u8], upper: bool) -> Vec<u8> {
    replaced(&percent_encoded(value, upper), b"%20", b"+")
}

/// Every byte escaped, whether it needs to be or not.
fn percent_all(value: &[u8], upper: bool) -> Vec<u8> {
    value.iter().flat_map(|&byte| [b"%".to_vec(), hex(&[byte], upper)].concat()).collect()
}

/// Every character of a JSON string escaped by its number.
fn json_all(value: &[u8], upper: bool) -> Vec<u8> {
    let units = String::from_utf8_lossy(value).encode_utf16().collect::<Vec<u16>>();
    units.iter().flat_map(|unit| [b"\\u".to_vec(), hex(&unit.to_be_bytes(), upper)].concat()).collect()
}

fn hex(value: &[u8], upper: bool) -> Vec<u8> {
    let digits = if upper { b"0123456789ABCDEF" } else { b"0123456789abcdef" };
    value.iter().flat_map(|byte| [digits[usize::from(byte >> 4)], digits[usize::from(byte & 15)]]).collect()
}

fn replaced(text: &[u8], what: &[u8], with: &[u8]) -> Vec<u8> {
    let (mut made, mut rest) = (Vec::with_capacity(text.len()), text);
    while let Some(&first) = rest.first() {
        if rest.starts_with(what) {
            made.extend_from_slice(with);
            rest = &rest[what.len()..];
        } else {
            made.push(first);
            rest = &rest[1..];
        }
    }
    made
}

fn json_escaped(value: &[u8]) -> Vec<u8> {
    let mut escaped = Vec::with_capacity(value.len());
    for &byte in value {
        match byte {
            b'"' | b'\\' => escaped.extend([b'\\', byte]),
            b'\n' => escaped.extend(b"\\n"),
            b'\r' => escaped.extend(b"\\r"),
            b'\t' => escaped.extend(b"\\t"),
            0..0x20 => escaped.extend(format!("\\u{byte:04x}").into_bytes()),
            _ => escaped.push(byte),
        }
    }
    escaped
}

/// The characters of a base64 text that this value alone determines, when `bits_before` of its first bits went
/// into a character shared with what stands before it.
fn base64_core(value: &[u8], bits_before: usize, alphabet: &[u8; 64]) -> Vec<u8> {
    let bit = |index: usize| (value[index / 8] >> (7 - index % 8)) & 1;
    let starts = (bits_before..).step_by(6).take_while(|start| start + 6 <= value.len() * 8);
    starts
        .map(|start| (start..start + 6).fold(0, |character, index| character << 1 | bit(index)))
        .map(|character| alphabet[usize::from(character)])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_core_of_base64_is_the_same_at_every_offset() {
        // base64 of "secret-value", "xsecret-value" and "xysecret-value".
        let encoded = ["c2VjcmV0LXZhbHVl", "eHNlY3JldC12YWx1ZQ==", "eHlzZWNyZXQtdmFsdWU="];
        for (text, bits_before) in encoded.into_iter().zip([0, 4, 2]) {
            let core = String::from_utf8(base64_core(b"secret-value", bits_before, BASE64)).unwrap();
            assert!(core.len() >= 14 && text.contains(&core), "`{core}` in `{text}`");
        }
    }

    #[test]
    fn encodings_are_those_of_urls_and_json() {
        assert_eq!(percent_encoded(b"a b/c~", true), b"a%20b%2Fc~");
        assert_eq!(percent_form(b"a b/c~", false), b"a+b%2fc~");
        assert_eq!(percent_all(b"a/", false), b"%61%2f");
        assert_eq!(json_all("a\u{e9}".as_bytes(), false), b"\\u0061\\u00e9");
        assert_eq!(hex(b"a/", true), b"612F");
        assert_eq!(json_escaped(b"a\"b\\c\n\x01"), b"a\\\"b\\\\c\\n\\u0001");
    }

    #[test]
    fn a_long_value_is_found_in_pieces() {
        let value: Vec<u8> =
            (0..10_000_u32).map(|i| b"abcdefghijklmnop"[(i.wrapping_mul(i) >> 3) as usize % 16]).collect();
        let mut literals = Literals::default();
        literals.add(value.clone());
        literals.sort();
        let mut scanner = Scanner::new(Arc::new(literals));
        let mut clean = Vec::new();
        scanner.push(&value, &mut clean);
        scanner.finish(&mut clean);
        assert_eq!(String::from_utf8(clean).unwrap(), REDACTED.repeat(3));
    }
}
