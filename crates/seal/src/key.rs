//! Data keys, and the envelope.
//!
//! ```text
//! sealed = nonce (24) ‖ XChaCha20-Poly1305(bytes) with its tag (16)
//! bound  = "piton sealed 1\0" ‖ key id ‖ origin (16) ‖ codec ‖ place
//! ```
//!
//! The id of a key follows from the key, so that a wrong one is noticed before anything is opened with it. Its *origin* is random,
//! as old as the key, and travels with it: a key belongs to one journal and to whatever is restored from it.

use std::fmt;
use std::str::FromStr;

use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use zeroize::Zeroizing;

use crate::{Error, Place};

pub(crate) const KEY_BYTES: usize = 32;
const NONCE_BYTES: usize = 24;
const TAG_BYTES: usize = 16;

/// What sealing adds to a piece.
pub const OVERHEAD_BYTES: usize = NONCE_BYTES + TAG_BYTES;

/// Names a data key; follows from it, and tells nothing of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyId(i64);

impl KeyId {
    /// Of what is not sealed.
    pub const NONE: KeyId = KeyId(0);

    /// As a number that was stored; a damaged one names no key.
    pub fn of(number: i64) -> Self {
        KeyId(number)
    }

    /// As it is stored.
    pub fn number(self) -> i64 {
        self.0
    }
}

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl FromStr for KeyId {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = i64::from_str_radix(text, 16).ok().filter(|number| *number > 0 && text.len() == 16);
        number.map(KeyId).ok_or_else(|| format!("`{text}` is no id of a key"))
    }
}

/// What pieces are sealed with.
pub struct DataKey {
    id: KeyId,
    origin: [u8; 16],
    bytes: Zeroizing<[u8; KEY_BYTES]>,
    cipher: XChaCha20Poly1305,
}

impl DataKey {
    /// A new one.
    pub fn random() -> Self {
        let mut bytes = Zeroizing::new([0; KEY_BYTES]);
        fill(&mut bytes[..]);
        let mut origin = [0; 16];
        fill(&mut origin);
        Self::new(bytes, origin)
    }

    pub(crate) fn new(bytes: Zeroizing<[u8; KEY_BYTES]>, origin: [u8; 16]) -> Self {
        let digest = blake3::derive_key("piton 2026-11 id of a data key", &bytes[..]);
        let number = i64::from_le_bytes(digest[..8].try_into().expect("8 of 32 bytes")) & i64::MAX;
        let cipher = XChaCha20Poly1305::new((&*bytes).into());
        Self { id: KeyId(number.max(1)), origin, bytes, cipher }
    }

    /// What it is called.
    pub fn id(&self) -> KeyId {
        self.id
    }

    /// When and where it was made, without saying so.
    pub fn origin(&self) -> &[u8; 16] {
        &self.origin
    }

    pub(crate) fn bytes(&self) -> &[u8; KEY_BYTES] {
        &self.bytes
    }

    /// 32 bytes that follow from it, for this one use.
    pub(crate) fn derive(&self, context: &str) -> Zeroizing<[u8; KEY_BYTES]> {
        Zeroizing::new(blake3::derive_key(context, &self.bytes[..]))
    }

    /// Seals a piece that is packed as `codec` says, for its place.
    pub fn seal(&self, place: &Place<'_>, codec: i64, bytes: &[u8]) -> Vec<u8> {
        let mut nonce = [0; NONCE_BYTES];
        fill(&mut nonce);
        self.seal_with(&nonce, &self.bound(place, codec), bytes)
    }

    /// The same, but that the same piece for the same place is sealed the same each time: the nonce follows from both, and
    /// nobody without the key can tell how.
    pub fn seal_alike(&self, place: &Place<'_>, codec: i64, bytes: &[u8]) -> Vec<u8> {
        let bound = self.bound(place, codec);
        let mut hasher = blake3::Hasher::new_keyed(&self.derive("piton 2026-11 nonce of an object"));
        hasher.update(&(bound.len() as u64).to_le_bytes());
        hasher.update(&bound);
        hasher.update(bytes);
        let nonce: [u8; NONCE_BYTES] =
            hasher.finalize().as_bytes()[..NONCE_BYTES].try_into().expect("24 of 32");
        self.seal_with(&nonce, &bound, bytes)
    }

    fn seal_with(&self, nonce: &[u8; NONCE_BYTES], bound: &[u8], bytes: &[u8]) -> Vec<u8> {
        let sealed = self.cipher.encrypt(XNonce::from_slice(nonce), Payload { msg: bytes, aad: bound });
        let sealed = sealed.expect("a piece is shorter than 256 GiB");
        [&nonce[..], &sealed].concat()
    }

    /// What [`DataKey::seal`] was given, if nothing of it was changed and this is where it belongs.
    pub fn open(&self, place: &Place<'_>, codec: i64, sealed: &[u8]) -> Result<Vec<u8>, Error> {
        let (nonce, sealed) = sealed.split_at_checked(NONCE_BYTES).ok_or(Error::Changed)?;
        let bound = self.bound(place, codec);
        let opened = self.cipher.decrypt(XNonce::from_slice(nonce), Payload { msg: sealed, aad: &bound });
        opened.map_err(|_| Error::Changed)
    }

    fn bound(&self, place: &Place<'_>, codec: i64) -> Vec<u8> {
        let (id, codec) = (self.id.0.to_le_bytes(), codec.to_le_bytes());
        [b"piton sealed 1\0", &id[..], &self.origin[..], &codec[..], &place.bytes()[..]].concat()
    }
}

impl fmt::Debug for DataKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DataKey").field("id", &self.id).finish_non_exhaustive()
    }
}

/// Random bytes of the kernel's.
pub(crate) fn fill(bytes: &mut [u8]) {
    getrandom::fill(bytes).expect("the kernel's random source works");
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: Place<'_> = Place::Events { run: "r", seq: 7 };

    #[test]
    fn what_is_sealed_opens_where_it_belongs_and_nowhere_else() {
        let key = DataKey::random();
        let sealed = key.seal(&HERE, 1, b"words");
        assert_eq!(sealed.len(), 5 + OVERHEAD_BYTES);
        assert_eq!(key.open(&HERE, 1, &sealed).unwrap(), b"words");
        for (what, place, codec) in [
            ("another event", Place::Events { run: "r", seq: 8 }, 1),
            ("another run", Place::Events { run: "s", seq: 7 }, 1),
            ("another sort", Place::Checkpoint { run: "r", seq: 7 }, 1),
            ("another codec", HERE, 0),
            ("a file", Place::File { name: "r" }, 1),
        ] {
            assert!(matches!(key.open(&place, codec, &sealed), Err(Error::Changed)), "{what}");
        }
        let same_bytes = DataKey::new(key.bytes.clone(), [9; 16]);
        assert!(same_bytes.open(&HERE, 1, &sealed).is_err(), "of another origin");
        assert!(DataKey::random().open(&HERE, 1, &sealed).is_err(), "another key");
    }

    #[test]
    fn every_flipped_bit_and_every_cut_is_noticed() {
        let key = DataKey::random();
        let sealed = key.seal(&HERE, 0, b"some words");
        for place in 0..sealed.len() {
            for bit in 0..8 {
                let mut changed = sealed.clone();
                changed[place] ^= 1 << bit;
                assert!(key.open(&HERE, 0, &changed).is_err(), "byte {place}, bit {bit}");
            }
            assert!(key.open(&HERE, 0, &sealed[..place]).is_err(), "cut to {place}");
        }
    }

    #[test]
    fn no_two_seals_are_alike() {
        let key = DataKey::random();
        assert_ne!(key.seal(&HERE, 0, b"x"), key.seal(&HERE, 0, b"x"));
    }

    #[test]
    fn an_id_is_read_as_it_is_written() {
        let id = DataKey::random().id();
        assert_eq!(id.to_string().parse(), Ok(id));
        for text in ["", "0000000000000000", "g000000000000001", "1", "f000000000000000"] {
            assert!(text.parse::<KeyId>().is_err(), "{text}");
        }
    }
}
