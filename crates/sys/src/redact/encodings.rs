//! Which patterns a value has: itself, and what it becomes where bits are cut in another way than in bytes.

use super::pattern::{Pattern, Writing};

const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const BASE64_URL: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const BASE32: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const BASE32_LOWER: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";

/// Bits of the value that went into a character shared with what stands before it, however far into a group it starts.
const BASE64_STARTS: [usize; 3] = [0, 4, 2];
const BASE32_STARTS: [usize; 5] = [0, 2, 4, 1, 3];

/// Every pattern by which `value` is found.
pub(super) fn patterns(value: &[u8]) -> Vec<Pattern> {
    let text = |bytes| Pattern { writing: Writing::Text, bytes };
    let mut all = vec![
        text(value.to_vec()),
        text(backwards(value)),
        Pattern { writing: Writing::Hex, bytes: value.to_vec() },
    ];
    let units: Vec<u16> = String::from_utf8_lossy(value).encode_utf16().collect();
    all.push(text(units.iter().flat_map(|unit| unit.to_le_bytes()).collect()));
    all.push(text(units.iter().flat_map(|unit| unit.to_be_bytes()).collect()));
    let inner: Vec<Vec<u8>> = BASE64_STARTS.map(|start| core(value, start, BASE64)).into();
    for alphabet in [BASE64, BASE64_URL] {
        all.extend(BASE64_STARTS.map(|start| text(core(value, start, alphabet))));
    }
    for alphabet in [BASE32, BASE32_LOWER] {
        all.extend(BASE32_STARTS.map(|start| text(core(value, start, alphabet))));
    }
    // A header within a body, a secret within a secret: twice is common.
    for once in inner {
        all.extend(BASE64_STARTS.map(|start| text(core(&once, start, BASE64))));
    }
    all
}

/// Character by character where it is text, as programs do it.
fn backwards(value: &[u8]) -> Vec<u8> {
    match std::str::from_utf8(value) {
        Ok(text) => text.chars().rev().collect::<String>().into_bytes(),
        Err(_) => value.iter().rev().copied().collect(),
    }
}

/// The characters of an encoded text that this value alone determines, when `bits_before` of its first bits went into a
/// character shared with what stands before it.
pub(super) fn core(value: &[u8], bits_before: usize, alphabet: &[u8]) -> Vec<u8> {
    let width = alphabet.len().ilog2() as usize;
    let bit = |index: usize| (value[index / 8] >> (7 - index % 8)) & 1;
    let starts = (bits_before..).step_by(width).take_while(|start| start + width <= value.len() * 8);
    starts
        .map(|start| (start..start + width).fold(0, |character, index| character << 1 | bit(index)))
        .map(|character| alphabet[usize::from(character)])
        .collect()
}

/// The six bits of a character of base64, in either alphabet.
pub(super) fn base64_bits(character: u8) -> Option<u8> {
    Some(match character {
        b'A'..=b'Z' => character - b'A',
        b'a'..=b'z' => character - b'a' + 26,
        b'0'..=b'9' => character - b'0' + 52,
        b'+' | b'-' => 62,
        b'/' | b'_' => 63,
        _ => return None,
    })
}

/// The characters of `prefix` in base64 that it alone determines.
pub(super) fn base64_core(prefix: &[u8], bits_before: usize) -> Vec<u8> {
    core(prefix, bits_before, BASE64)
}

/// See [`base64_core`].
pub(super) const STARTS: [usize; 3] = BASE64_STARTS;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_core_of_base64_is_the_same_at_every_offset() {
        // base64 of "secret-value", "xsecret-value" and "xysecret-value".
        let encoded = ["c2VjcmV0LXZhbHVl", "eHNlY3JldC12YWx1ZQ==", "eHlzZWNyZXQtdmFsdWU="];
        for (text, bits_before) in encoded.into_iter().zip(BASE64_STARTS) {
            let core = String::from_utf8(core(b"secret-value", bits_before, BASE64)).unwrap();
            assert!(core.len() >= 14 && text.contains(&core), "`{core}` in `{text}`");
        }
    }

    #[test]
    fn so_is_that_of_base32() {
        // base32 of "secret-value" behind none to four bytes of `x`.
        let encoded = [
            "ONSWG4TFOQWXMYLMOVSQ====",
            "PBZWKY3SMV2C25TBNR2WK===",
            "PB4HGZLDOJSXILLWMFWHKZI=",
            "PB4HQ43FMNZGK5BNOZQWY5LF",
            "PB4HQ6DTMVRXEZLUFV3GC3DVMU======",
        ];
        for (text, bits_before) in encoded.into_iter().zip(BASE32_STARTS) {
            let core = String::from_utf8(core(b"secret-value", bits_before, BASE32)).unwrap();
            assert!(core.len() >= 17 && text.contains(&core), "`{core}` in `{text}`");
        }
    }
}
