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

/// The member in which a file says whose it is; the last one of the file.
const MEMBER: &str = "\n  \"piton\": ";
/// Far more than that member can take.
const MEMBER_BYTES_MAX: usize = 4 << 10;

/// Fills in the empty digest in the last member of a file.
pub(crate) fn sign(mut bytes: Vec<u8>) -> Vec<u8> {
    let tail = bytes.len().saturating_sub(MEMBER_BYTES_MAX);
    let empty = EMPTY.as_bytes();
    let found = bytes[tail..].windows(empty.len()).rposition(|window| window == empty);
    let start = tail + found.expect("the last member has an empty digest");
    let digest = blake3::hash(&bytes).to_hex();
    let place = start + empty.len() - 1;
    bytes.splice(place..place, digest.bytes());
    bytes
}

/// What the last member of a file says, if its digest is that of the file. The rest is hashed, not parsed.
pub(crate) fn own<T: serde::de::DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    #[derive(serde::Deserialize)]
    struct Digest {
        digest: String,
    }
    let tail = bytes.len().saturating_sub(MEMBER_BYTES_MAX);
    let member = MEMBER.as_bytes();
    let found = bytes[tail..].windows(member.len()).rposition(|window| window == member)?;
    let start = tail + found + member.len();
    let object = bytes[start..].trim_ascii_end().strip_suffix(b"}")?.trim_ascii_end();
    let Digest { digest } = serde_json::from_slice(object).ok()?;
    let signed = signed(&digest);
    let place = start + object.windows(signed.len()).rposition(|window| window == signed.as_bytes())?;
    let fits = fits_at(bytes, place..place + signed.len(), &digest);
    fits.then(|| serde_json::from_slice(object).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, serde::Deserialize)]
    struct Own {
        run_id: String,
    }

    fn file() -> Vec<u8> {
        let text = "{\n  \"a\": 1,\n  \"piton\": {\n    \"run_id\": \"r\",\n    \"digest\": \"\"\n  }\n}\n";
        sign(text.as_bytes().to_vec())
    }

    #[test]
    fn a_signed_file_proves_itself() {
        assert_eq!(own(&file()), Some(Own { run_id: "r".to_owned() }));
    }

    #[test]
    fn any_byte_that_changes_breaks_the_proof() {
        let signed = file();
        for index in 0..signed.len() {
            let mut edited = signed.clone();
            edited[index] ^= 1;
            assert_eq!(own::<Own>(&edited), None, "byte {index}");
            edited.truncate(index);
            assert_eq!(own::<Own>(&edited), None, "cut at {index}");
        }
    }
}
