//! How bytes are kept: one codec for events, checkpoints and blobs.
//!
//! Every stored piece carries the number of its codec and the id of its key (0: none). It is packed first, then sealed, where there are
//! keys to seal with; whoever packs and opens knows of keys nothing but [`Keys`]. Sizes are checked before memory is taken.

use piton_seal::{KeyId, Keys, Place};

use std::cell::RefCell;

use zstd::bulk::Decompressor;

use crate::error::{Error, Problem};

/// The codec of a stored piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Codec {
    /// As they are.
    Identity = 0,
    /// Compressed with zstd.
    Zstd = 1,
}

/// Shorter pieces are kept as they are: compressing them costs more than it saves.
const COMPRESS_FROM: usize = 1024;

/// The most a piece may decode to.
const DECODED_BYTES_MAX: usize = 64 << 20;

/// The smaller form of `bytes`, and its codec.
pub fn encode(bytes: Vec<u8>) -> (Codec, Vec<u8>) {
    if bytes.len() < COMPRESS_FROM {
        return (Codec::Identity, bytes);
    }
    match zstd::bulk::compress(&bytes, 3) {
        Ok(compressed) if compressed.len() < bytes.len() => (Codec::Zstd, compressed),
        _ => (Codec::Identity, bytes),
    }
}

/// A piece as it is kept.
#[derive(Debug)]
pub(crate) struct Kept {
    pub(crate) codec: i64,
    pub(crate) key_id: i64,
    pub(crate) bytes: Vec<u8>,
}

/// Seals what was packed with `codec`, where there is a key for new pieces.
pub(crate) fn seal(keys: &dyn Keys, place: &Place<'_>, codec: Codec, bytes: Vec<u8>) -> Result<Kept, Error> {
    let codec = codec as i64;
    let kept = keys.seal(place, codec, bytes)?;
    Ok(Kept { codec, key_id: kept.key.number(), bytes: kept.bytes })
}

/// What was packed and sealed for `place`.
pub(crate) fn open(
    keys: &dyn Keys,
    place: &Place<'_>,
    codec: i64,
    key_id: i64,
    bytes: &[u8],
) -> Result<Vec<u8>, Error> {
    decode(codec, &keys.open(KeyId::of(key_id), place, codec, bytes)?)
}

/// The bytes that [`encode`] was given.
pub fn decode(codec: i64, bytes: &[u8]) -> Result<Vec<u8>, Error> {
    match codec {
        0 => Ok(bytes.to_vec()),
        1 => decompress(bytes).map_err(|what| Error::Corrupt(Problem { run: None, seq: None, what })),
        other => {
            Err(Error::Corrupt(Problem { run: None, seq: None, what: format!("codec {other} is not known") }))
        }
    }
}

fn decompress(bytes: &[u8]) -> Result<Vec<u8>, String> {
    let size = zstd::zstd_safe::get_frame_content_size(bytes)
        .ok()
        .flatten()
        .ok_or_else(|| "a compressed piece does not say its size".to_owned())?;
    if size > DECODED_BYTES_MAX as u64 {
        return Err(format!("a compressed piece claims {size} bytes"));
    }
    DECOMPRESSOR
        .with_borrow_mut(|decompressor| {
            if decompressor.is_none() {
                *decompressor = Some(Decompressor::new()?);
            }
            decompressor.as_mut().expect("made just now").decompress(bytes, size as usize)
        })
        .map_err(|error| format!("a compressed piece is damaged: {error}"))
}

thread_local! {
    /// To make one costs as much as to decompress a few KiB; it is of no use to anybody else after a piece.
    static DECOMPRESSOR: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_in_comes_out() {
        for bytes in [
            Vec::new(),
            b"short".to_vec(),
            vec![7; 100_000],
            (0..5000u32).map(|n| (n * 7919) as u8).collect(),
        ] {
            let (codec, kept) = encode(bytes.clone());
            assert_eq!(decode(codec as i64, &kept).unwrap(), bytes);
        }
    }

    #[test]
    fn a_bomb_or_garbage_is_refused() {
        let (_, mut kept) = encode(vec![7; 100_000]);
        let middle = kept.len() / 2;
        kept.truncate(middle);
        assert!(decode(1, &kept).is_err());
        assert!(decode(1, b"not zstd at all").is_err());
        assert!(decode(9, b"x").is_err());
        let bomb = zstd::bulk::compress(&vec![0; DECODED_BYTES_MAX + 1], 1).unwrap();
        assert!(decode(1, &bomb).is_err());
    }
}
