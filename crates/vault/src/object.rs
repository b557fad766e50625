//! How a piece of a backup is kept at a target: as it is, or compressed.
//!
//! ```text
//! "PITONVO1" ‖ codec (u8) ‖ random (16) ‖ bytes
//! ```
//!
//! The digest of a piece is that of what lies at the target, so that damage shows before anything is unpacked. No two pieces are
//! the same, whatever they hold: one whose like was damaged can be put there again. Sizes are
//! checked before memory is taken. A codec that is not known is one of a newer piton.

use crate::Error;

const MAGIC: &[u8; 8] = b"PITONVO1";
const HEADER_BYTES: usize = 8 + 1 + 16;

const PLAIN: u8 = 0;
const ZSTD: u8 = 1;

/// The most that a compressed piece may come to: a segment, and the largest record that may follow once it is full.
const UNPACKED_BYTES_MAX: usize = 128 << 20;

/// `bytes` as they are put at a target; compressed where that is asked for and helps.
pub(crate) fn pack(bytes: &[u8], compress: bool, random: [u8; 16]) -> Vec<u8> {
    let compressed = compress.then(|| zstd::bulk::compress(bytes, 3).ok()).flatten();
    let (codec, kept) = match &compressed {
        Some(smaller) if smaller.len() < bytes.len() => (ZSTD, smaller.as_slice()),
        _ => (PLAIN, bytes),
    };
    [&MAGIC[..], &[codec], &random, kept].concat()
}

/// What [`pack`] was given; `object` is what it is called at the target.
pub(crate) fn unpack(object: &str, packed: &[u8]) -> Result<Vec<u8>, Error> {
    let damaged = |what: &str| Error::damaged(object, what);
    let (header, kept) = packed.split_at_checked(HEADER_BYTES).ok_or_else(|| damaged("it is cut short"))?;
    if &header[..8] != MAGIC {
        return Err(damaged("it is no piece of a backup"));
    }
    match header[8] {
        PLAIN => Ok(kept.to_vec()),
        ZSTD => {
            let size = zstd::zstd_safe::get_frame_content_size(kept).ok().flatten();
            let size = size.and_then(|size| usize::try_from(size).ok());
            let size = size.filter(|size| *size <= UNPACKED_BYTES_MAX);
            let size = size.ok_or_else(|| damaged("it does not say how large it is, or claims too much"))?;
            zstd::bulk::decompress(kept, size)
                .map_err(|error| damaged(&format!("it does not unpack: {error}")))
        }
        codec => Err(damaged(&format!("it is packed in a way that this piton does not know ({codec})"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_is_packed_comes_out_and_takes_less_where_it_can() {
        let bytes = b"words ".repeat(1000);
        for compress in [false, true] {
            assert_eq!(unpack("o", &pack(&bytes, compress, [7; 16])).unwrap(), bytes);
        }
        assert!(pack(&bytes, true, [7; 16]).len() < bytes.len() / 10);
        assert_eq!(
            pack(b"x", true, [7; 16]).len(),
            HEADER_BYTES + 1,
            "what does not shrink is kept as it is"
        );
    }

    #[test]
    fn a_bomb_is_refused_by_what_it_claims() {
        let bomb = zstd::bulk::compress(&vec![0; UNPACKED_BYTES_MAX + 1], 1).unwrap();
        let packed = [&MAGIC[..], &[ZSTD], &[7; 16], &bomb].concat();
        assert!(unpack("o", &packed).unwrap_err().to_string().contains("claims too much"));
    }

    proptest! {
        #[test]
        fn garbage_is_refused_and_never_panics(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = unpack("o", &bytes);
            let compressed = [&MAGIC[..], &[ZSTD], &[7; 16], &bytes].concat();
            prop_assert!(unpack("o", &compressed).is_err());
        }
    }
}
