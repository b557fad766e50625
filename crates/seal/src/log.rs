//! A file that is sealed as it grows, by somebody who cannot open it.
//!
//! ```text
//! "PITONLG1" ‖ key id (8) ‖ length (u16) ‖ the key of this file, sealed by age for the data key's recipient
//! frame*     = length (u32) ‖ XChaCha20-Poly1305(bytes), by the number of the frame
//! the last   = the same with the highest bit of the length set; nothing follows
//! ```
//!
//! Whoever writes has a recipient and no secret, and draws a key for this file alone. A frame is there as soon as it is written, so that
//! whoever may open the file can follow it; frames that were changed, moved or taken out do not open, and a file whose end was cut off
//! lacks its last frame. Numbers are little-endian.

use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use zeroize::Zeroizing;

use crate::key::{KEY_BYTES, fill};
use crate::opener::recipient;
use crate::{DataKey, Error, KeyId};

const MAGIC: &[u8; 8] = b"PITONLG1";
const FIXED_BYTES: usize = 8 + 8 + 2;
const LAST: u32 = 1 << 31;

/// The most that a frame holds before it is sealed.
pub const FRAME_BYTES_MAX: usize = 1 << 20;

/// Writes a sealed file.
pub struct Writer {
    cipher: XChaCha20Poly1305,
    bound: Vec<u8>,
    next: u64,
}

impl Writer {
    /// A file called `name`, sealed for the recipient `to` of the data key `key`; and what it begins with.
    pub fn begin(to: &str, key: KeyId, name: &str) -> Result<(Self, Vec<u8>), String> {
        let mut own = Zeroizing::new([0; KEY_BYTES]);
        fill(&mut own[..]);
        let sealed = age::encrypt(&recipient(to)?, &own[..]).map_err(|error| error.to_string())?;
        let length = u16::try_from(sealed.len()).map_err(|_| "the wrapped key is too long".to_owned())?;
        let number = key.number().to_le_bytes();
        let header = [&MAGIC[..], &number[..], &length.to_le_bytes()[..], &sealed[..]].concat();
        let bound = bound(&header, name);
        Ok((Self { cipher: XChaCha20Poly1305::new((&*own).into()), bound, next: 0 }, header))
    }

    /// The next frames, which hold `bytes`.
    pub fn frames(&mut self, bytes: &[u8]) -> Vec<u8> {
        bytes.chunks(FRAME_BYTES_MAX).flat_map(|bytes| self.frame(bytes, 0)).collect()
    }

    /// The last frame.
    pub fn end(&mut self) -> Vec<u8> {
        self.frame(b"", LAST)
    }

    fn frame(&mut self, bytes: &[u8], last: u32) -> Vec<u8> {
        let payload = Payload { msg: bytes, aad: &self.bound };
        let sealed = self.cipher.encrypt(&nonce(self.next, last), payload).expect("a frame is short");
        self.next += 1;
        let length = u32::try_from(sealed.len()).expect("a frame is short") | last;
        [&length.to_le_bytes()[..], &sealed].concat()
    }
}

/// Reads a sealed file from its beginning, piece by piece, as it grows.
pub struct Reader {
    cipher: XChaCha20Poly1305,
    bound: Vec<u8>,
    next: u64,
    ended: bool,
}

/// Whether a file that begins with these bytes is a sealed one.
pub fn is_sealed(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// The key that a file that begins so is sealed for, and the length of its header; nothing where that is not all there yet.
pub fn header_of(bytes: &[u8]) -> Option<(KeyId, usize)> {
    let fixed = bytes.get(..FIXED_BYTES)?;
    let key = KeyId::of(i64::from_le_bytes(fixed[8..16].try_into().expect("8 bytes")));
    let length = usize::from(u16::from_le_bytes(fixed[16..].try_into().expect("2 bytes")));
    (bytes.len() >= FIXED_BYTES + length).then_some((key, FIXED_BYTES + length))
}

impl Reader {
    /// Of the file called `name` with this header, which was sealed for `key`.
    pub fn new(key: &DataKey, header: &[u8], name: &str) -> Result<Self, Error> {
        let sealed = header.get(FIXED_BYTES..).ok_or(Error::Changed)?;
        let identity = key.identity().ok_or(Error::Changed)?;
        let own = Zeroizing::new(age::decrypt(&identity, sealed).map_err(|_| Error::Changed)?);
        let own: Zeroizing<[u8; KEY_BYTES]> =
            Zeroizing::new(own.as_slice().try_into().map_err(|_| Error::Changed)?);
        let cipher = XChaCha20Poly1305::new((&*own).into());
        Ok(Self { cipher, bound: bound(header, name), next: 0, ended: false })
    }

    /// What the whole frames at the beginning of `bytes` hold, and how long they are. What follows them is not there yet.
    pub fn read(&mut self, bytes: &[u8]) -> Result<(usize, Vec<u8>), Error> {
        let (mut at, mut opened) = (0, Vec::new());
        while let Some((length, rest)) = bytes[at..].split_first_chunk::<4>() {
            let length = u32::from_le_bytes(*length);
            let (last, length) = (length & LAST, (length & !LAST) as usize);
            if self.ended || length > FRAME_BYTES_MAX + 16 {
                return Err(Error::Changed);
            }
            let Some(sealed) = rest.get(..length) else { break };
            let payload = Payload { msg: sealed, aad: &self.bound };
            let frame = self.cipher.decrypt(&nonce(self.next, last), payload).map_err(|_| Error::Changed)?;
            opened.extend_from_slice(&frame);
            (self.next, self.ended, at) = (self.next + 1, last != 0, at + 4 + length);
        }
        Ok((at, opened))
    }

    /// Whether the last frame was read: nothing is missing.
    pub fn is_whole(&self) -> bool {
        self.ended
    }
}

/// Everything of a sealed file that is there, and whether its end is.
pub fn open_all(key: &DataKey, bytes: &[u8], name: &str) -> Result<(Vec<u8>, bool), Error> {
    let Some((_, length)) = header_of(bytes) else { return Ok((Vec::new(), false)) };
    let mut reader = Reader::new(key, &bytes[..length], name)?;
    let (_, opened) = reader.read(&bytes[length..])?;
    Ok((opened, reader.is_whole()))
}

/// A whole sealed file.
pub fn seal_all(to: &str, key: KeyId, name: &str, bytes: &[u8]) -> Result<Vec<u8>, String> {
    let (mut writer, mut sealed) = Writer::begin(to, key, name)?;
    sealed.extend_from_slice(&writer.frames(bytes));
    sealed.extend_from_slice(&writer.end());
    Ok(sealed)
}

fn bound(header: &[u8], name: &str) -> Vec<u8> {
    [header, name.as_bytes()].concat()
}

/// The key is this file's alone, so numbers never come twice.
fn nonce(number: u64, last: u32) -> XNonce {
    let mut nonce = XNonce::default();
    nonce[..8].copy_from_slice(&number.to_le_bytes());
    nonce[8] = u8::from(last != 0);
    nonce
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sealed(key: &DataKey, pieces: &[&[u8]]) -> Vec<u8> {
        let (mut writer, mut file) = Writer::begin(&key.recipient().unwrap(), key.id(), "log").unwrap();
        pieces.iter().for_each(|piece| file.extend(writer.frames(piece)));
        file.extend(writer.end());
        file
    }

    #[test]
    fn whoever_has_the_key_follows_a_file_that_grows() {
        let key = DataKey::random();
        let file = sealed(&key, &[b"one ", b"two ", b"three"]);
        let (id, header) = header_of(&file).unwrap();
        assert_eq!(id, key.id());
        let (mut reader, mut at, mut text) =
            (Reader::new(&key, &file[..header], "log").unwrap(), header, Vec::new());
        for end in header..=file.len() {
            let (count, read) = reader.read(&file[at..end]).unwrap();
            at += count;
            text.extend(read);
        }
        assert_eq!((text.as_slice(), reader.is_whole()), (&b"one two three"[..], true));
        assert!(Reader::new(&DataKey::random(), &file[..header], "log").is_err());
    }

    #[test]
    fn a_changed_byte_another_name_and_a_cut_end_are_noticed() {
        let key = DataKey::random();
        let file = sealed(&key, &[b"some words"]);
        assert_eq!(open_all(&key, &file, "log").unwrap(), (b"some words".to_vec(), true));
        assert!(open_all(&key, &file, "other").is_err());
        // The magic says that it is sealed at all, and the id whose key it needs.
        for place in 16..file.len() {
            let mut changed = file.clone();
            changed[place] ^= 1;
            let opened = open_all(&key, &changed, "log");
            assert!(!matches!(opened, Ok((_, true))), "byte {place}");
            assert!(!matches!(open_all(&key, &file[..place], "log"), Ok((_, true))), "cut to {place}");
        }
    }

    #[test]
    fn what_is_larger_than_a_frame_comes_out_whole() {
        let key = DataKey::random();
        let bytes: Vec<u8> = (0..FRAME_BYTES_MAX * 2 + 7).map(|n| (n % 251) as u8).collect();
        let file = seal_all(&key.recipient().unwrap(), key.id(), "log", &bytes).unwrap();
        assert_eq!(open_all(&key, &file, "log").unwrap(), (bytes, true));
    }
}
