//! Files for people and their tools: the age format, which `age -d` opens as well.
//!
//! They are sealed for a recipient that follows from the data key, and for everyone whom the data key is wrapped for by age. So piton opens
//! them with whatever opens the data key, and people with their own identity, without piton.

use std::io::{Read, Write};

use age::x25519::{Identity, Recipient};
use age::{Decryptor, Encryptor};
use bech32::{ToBase32, Variant};

use crate::opener::recipient;
use crate::record::Wrap;
use crate::{DataKey, Error, Ring};

/// The name of a file that is covered ends so.
pub const ENDING: &str = "age";

/// The most that a covered file may come to once it is unpacked.
const UNPACKED_BYTES_MAX: usize = 256 << 20;

/// What a zstd frame begins with.
const ZSTD: &[u8; 4] = &[0x28, 0xb5, 0x2f, 0xfd];

impl DataKey {
    /// The identity that follows from it.
    pub(crate) fn identity(&self) -> Option<Identity> {
        let bytes = self.derive("piton 2026-11 age identity of a data key");
        let text = bech32::encode("age-secret-key-", bytes.as_slice().to_base32(), Variant::Bech32).ok()?;
        text.to_uppercase().parse().ok()
    }

    /// For whom somebody seals who is not to have the key: `age1…`.
    pub fn recipient(&self) -> Option<String> {
        Some(self.identity()?.to_public().to_string())
    }
}

impl Ring {
    /// `bytes` as a file for people, compressed first where that is asked for.
    pub fn cover(&self, bytes: &[u8], compress: bool) -> Result<Vec<u8>, Error> {
        let cannot = |why: String| Error::CannotSeal { why };
        let key = self.current()?;
        let own = key.identity().ok_or_else(|| cannot("the key has no identity".to_owned()))?.to_public();
        let mut recipients = vec![own];
        if let Some(record) = self.record(key.id())? {
            for wrap in &record.wraps {
                if let Wrap::Age { recipient: name, .. } = wrap {
                    recipients.push(recipient(name).map_err(cannot)?);
                }
            }
        }
        let packed = match compress {
            true => zstd::bulk::compress(bytes, 3).map_err(|error| cannot(error.to_string()))?,
            false => bytes.to_vec(),
        };
        covered(&recipients, &packed).map_err(cannot)
    }

    /// What [`Ring::cover`] was given.
    pub fn uncover(&self, covered: &[u8]) -> Result<Vec<u8>, Error> {
        let mut missing = None;
        for id in self.records()?.into_keys() {
            let key = match self.key(id) {
                Ok(key) => key,
                Err(error) => {
                    missing = Some(error);
                    continue;
                }
            };
            if let Some(opened) = key.identity().and_then(|identity| uncovered(&identity, covered)) {
                return unpacked(opened);
            }
        }
        Err(missing.unwrap_or(Error::Changed))
    }
}

fn covered(recipients: &[Recipient], bytes: &[u8]) -> Result<Vec<u8>, String> {
    let encryptor = Encryptor::with_recipients(recipients.iter().map(|to| to as &dyn age::Recipient))
        .map_err(|error| error.to_string())?;
    let mut sealed = Vec::new();
    let mut writer = encryptor.wrap_output(&mut sealed).map_err(|error| error.to_string())?;
    writer.write_all(bytes).map_err(|error| error.to_string())?;
    writer.finish().map_err(|error| error.to_string())?;
    Ok(sealed)
}

fn uncovered(identity: &Identity, covered: &[u8]) -> Option<Vec<u8>> {
    let decryptor = Decryptor::new_buffered(covered).ok()?;
    let mut reader = decryptor.decrypt(std::iter::once(identity as &dyn age::Identity)).ok()?;
    let mut opened = Vec::new();
    reader.read_to_end(&mut opened).ok()?;
    Some(opened)
}

fn unpacked(bytes: Vec<u8>) -> Result<Vec<u8>, Error> {
    if !bytes.starts_with(ZSTD) {
        return Ok(bytes);
    }
    let size = zstd::zstd_safe::get_frame_content_size(&bytes).ok().flatten();
    let size = size.and_then(|size| usize::try_from(size).ok()).filter(|size| *size <= UNPACKED_BYTES_MAX);
    zstd::bulk::decompress(&bytes, size.ok_or(Error::Changed)?).map_err(|_| Error::Changed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_identity_follows_from_a_data_key_and_opens_what_is_sealed_for_it() {
        let key = DataKey::random();
        let to = recipient(&key.recipient().unwrap()).unwrap();
        let sealed = covered(&[to], b"words").unwrap();
        assert_eq!(uncovered(&key.identity().unwrap(), &sealed).unwrap(), b"words");
        assert!(uncovered(&DataKey::random().identity().unwrap(), &sealed).is_none());
    }
}
