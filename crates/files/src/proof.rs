//! A file proves itself: a digest in it covers all the rest of it.
//!
//! BLAKE3 over the bytes as they are, with an empty digest in its place. Over the bytes, not over what a parser makes
//! of them: a number that does not survive a parser, or a field of a newer piton, must not make our own file foreign.
//! It guards against accidents, not against somebody who computes the digest.

use std::ops::Range;

/// A digest that is not there yet.
const EMPTY: &str = "\"digest\": \"\"";
const DIGEST_HEX: usize = 64;

/// Whether the digest, which is in the text exactly once, is that of the text.
pub(crate) fn fits(text: &str, digest: &str) -> bool {
    let signed = signed(digest);
    let mut places = text.match_indices(&signed);
    let (Some((start, _)), None) = (places.next(), places.next()) else { return false };
    fits_at(text.as_bytes(), start..start + signed.len(), digest)
}

fn fits_at(bytes: &[u8], place: Range<usize>, digest: &str) -> bool {
    if digest.len() != DIGEST_HEX {
        return false;
    }
    let mut hasher = blake3::Hasher::new();
    hasher.update(&bytes[..place.start]).update(EMPTY.as_bytes()).update(&bytes[place.end..]);
    hasher.finalize().to_hex().as_str() == digest
}

fn signed(digest: &str) -> String {
    format!("\"digest\": \"{digest}\"")
}
