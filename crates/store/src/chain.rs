//! The hash chain: each event's hash covers the one before it.
//!
//! ```text
//! hash(n)        = BLAKE3(hash(n-1) ‖ seq ‖ at ‖ type ‖ version ‖ payload_digest)
//! payload_digest = BLAKE3(salt ‖ data)
//! ```
//!
//! The digest of the payload stands between, so that a payload can later be erased or encrypted anew
//! and the chain still verifies. The salt keeps the digest of a small payload from being guessed.

use piton_model::{Encoded, RunId, Seq, Timestamp};

/// 32 bytes of BLAKE3.
pub type Hash = [u8; 32];

/// What the first event of a run is chained to.
pub fn genesis(run: &RunId) -> Hash {
    let mut hasher = blake3::Hasher::new();
    hasher.update(b"piton run 1\0");
    hasher.update(run.as_str().as_bytes());
    *hasher.finalize().as_bytes()
}

/// The digest of an event's data.
pub fn payload_digest(salt: &[u8; 16], data: &[u8]) -> Hash {
    let mut hasher = blake3::Hasher::new();
    hasher.update(salt);
    hasher.update(data);
    *hasher.finalize().as_bytes()
}

/// The hash of the event at `seq`.
pub fn link(previous: &Hash, seq: Seq, at: Timestamp, kind: &str, version: u16, payload: &Hash) -> Hash {
    let mut hasher = blake3::Hasher::new();
    hasher.update(previous);
    hasher.update(&seq.to_le_bytes());
    hasher.update(&at.as_millis().to_le_bytes());
    hasher.update(&(kind.len() as u16).to_le_bytes());
    hasher.update(kind.as_bytes());
    hasher.update(&version.to_le_bytes());
    hasher.update(payload);
    *hasher.finalize().as_bytes()
}

/// The hash after all of an append's events; the first of them is at `first`.
pub fn link_all(previous: &Hash, first: Seq, at: Timestamp, salt: &[u8; 16], events: &[Encoded]) -> Hash {
    let mut hash = *previous;
    for (offset, event) in events.iter().enumerate() {
        let payload = payload_digest(salt, &event.data);
        hash = link(&hash, first + offset as u64, at, &event.kind, event.version, &payload);
    }
    hash
}

/// The digest of any other bytes that are kept beside the chain.
pub fn digest(bytes: &[u8]) -> Hash {
    *blake3::hash(bytes).as_bytes()
}

/// A hash as people see it.
pub fn hex(hash: &[u8]) -> String {
    use std::fmt::Write;
    hash.iter().fold(String::with_capacity(hash.len() * 2), |mut text, byte| {
        write!(text, "{byte:02x}").expect("a string takes everything");
        text
    })
}

/// A whole hash, as [`hex`] says it; `None` for anything else.
pub fn unhex(text: &str) -> Option<Hash> {
    let mut hash = Hash::default();
    if text.len() != 64 || !text.is_ascii() {
        return None;
    }
    for (place, byte) in hash.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&text[place * 2..place * 2 + 2], 16).ok()?;
    }
    Some(hash)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(kind: &str, data: &str) -> Encoded {
        Encoded { kind: kind.to_owned(), version: 1, data: data.as_bytes().to_vec() }
    }

    #[test]
    fn every_part_of_an_event_is_covered() {
        let run: RunId = "r".parse().unwrap();
        let at = Timestamp::from_millis(1);
        let base = link_all(&genesis(&run), 1, at, &[0; 16], &[event("a", "{}")]);
        let other_run: RunId = "s".parse().unwrap();
        let mut version = event("a", "{}");
        version.version = 2;
        for (what, changed) in [
            ("run", link_all(&genesis(&other_run), 1, at, &[0; 16], &[event("a", "{}")])),
            ("seq", link_all(&genesis(&run), 2, at, &[0; 16], &[event("a", "{}")])),
            ("at", link_all(&genesis(&run), 1, Timestamp::from_millis(2), &[0; 16], &[event("a", "{}")])),
            ("salt", link_all(&genesis(&run), 1, at, &[1; 16], &[event("a", "{}")])),
            ("kind", link_all(&genesis(&run), 1, at, &[0; 16], &[event("b", "{}")])),
            ("version", link_all(&genesis(&run), 1, at, &[0; 16], &[version])),
            ("data", link_all(&genesis(&run), 1, at, &[0; 16], &[event("a", "[]")])),
        ] {
            assert_ne!(base, changed, "{what} is not covered");
        }
    }
}
