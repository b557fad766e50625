//! Keys, and the envelope that what is kept is sealed in.
//!
//! A *data key* is 32 random bytes; it never lies on a disk but wrapped: for age recipients, or under a passphrase. What is kept
//! is sealed with XChaCha20-Poly1305 under a data key and a random nonce, and bound to where it belongs: a piece
//! that is moved, played back elsewhere, or said to be packed in another way does not open.
//!
//! - [`Keys`]: all that whoever keeps bytes knows of this crate; [`NoKeys`] where there are none. [`Place`]: where a piece belongs.
//! - [`DataKey`]: what pieces are sealed with. [`record`]: how one is kept, wrapped. [`opener`]: what opens it again.
//! - [`Ring`]: the keys of a directory, and the one for new pieces. [`log`]: a file that is sealed as it grows.
//!
//! Never knows what a run is, and never falls back: what was to be sealed and cannot be is an error.
//! Invariant: no byte is sealed under a key that is not kept durably, wrapped for everyone who is to open it.

mod cover;
mod error;
mod key;
pub mod log;
pub mod opener;
mod place;
pub mod record;
pub mod ring;

use std::borrow::Cow;

pub use cover::ENDING as COVERED;
pub use error::Error;
pub use key::{DataKey, KeyId, OVERHEAD_BYTES};
pub use opener::Openers;
pub use place::Place;
pub use ring::{KeyState, Ring, Rotated};

/// What seals and opens pieces.
pub trait Keys: Send + Sync {
    /// Whether new pieces are sealed.
    fn seals(&self) -> bool;

    /// The key for new pieces; [`KeyId::NONE`] where they are not sealed.
    fn for_new(&self) -> Result<KeyId, Error>;

    /// A piece as it is to be kept: sealed, or as it is where nothing is to be sealed.
    fn seal(&self, place: &Place<'_>, codec: i64, bytes: Vec<u8>) -> Result<Kept, Error>;

    /// What [`Keys::seal`] was given.
    fn open<'a>(
        &self,
        key: KeyId,
        place: &Place<'_>,
        codec: i64,
        bytes: &'a [u8],
    ) -> Result<Cow<'a, [u8]>, Error>;
}

/// A piece as it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// What it is sealed with; [`KeyId::NONE`] where it is not.
    pub key: KeyId,
    /// What is kept.
    pub bytes: Vec<u8>,
}

/// Seals nothing, and opens nothing that is sealed.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoKeys;

impl Keys for NoKeys {
    fn seals(&self) -> bool {
        false
    }

    fn for_new(&self) -> Result<KeyId, Error> {
        Ok(KeyId::NONE)
    }

    fn seal(&self, _: &Place<'_>, _: i64, bytes: Vec<u8>) -> Result<Kept, Error> {
        Ok(Kept { key: KeyId::NONE, bytes })
    }

    fn open<'a>(&self, key: KeyId, _: &Place<'_>, _: i64, bytes: &'a [u8]) -> Result<Cow<'a, [u8]>, Error> {
        match key {
            KeyId::NONE => Ok(Cow::Borrowed(bytes)),
            key => Err(Error::NoKey { key, why: "no keys are kept beside it".to_owned(), is_kept: false }),
        }
    }
}
