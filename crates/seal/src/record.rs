//! How a data key is kept: wrapped, once for each who is to open it.
//!
//! The file is `{"digest": …, "key": {…}}`; the digest is that of the text of the second. It tells damage from a key that somebody
//! cannot open; that nobody changed anything is told by the wraps, which hold id and origin as well.

use age::x25519::Identity;
use argon2::{Algorithm, Argon2, Params, Version};
use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use piton_model::Timestamp;
use piton_record::record;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use zeroize::Zeroizing;

use crate::key::{KEY_BYTES, fill};
use crate::opener::{Secret, recipient};
use crate::{DataKey, KeyId};

/// The format that this piton writes, and the newest that it reads.
pub const FORMAT: u32 = 1;

/// A passphrase costs whoever guesses this much memory and work per guess: what RFC 9106 recommends where memory is short.
const MEMORY_KIB: u32 = 64 << 10;
const PASSES: u32 = 3;
const LANES: u32 = 4;

/// More than what this piton writes is somebody's attempt to use up the machine.
const MEMORY_KIB_MAX: u32 = 1 << 20;
const PASSES_MAX: u32 = 64;

/// A data key as it is kept.
#[record(Eq, written)]
pub struct KeyRecord {
    /// The format of it.
    pub format: u32,
    /// What the key is called.
    pub id: String,
    /// The random bytes that are as old as it is.
    pub origin: String,
    /// When it was made.
    pub made_at: Timestamp,
    /// The key itself, wrapped.
    pub wraps: Vec<Wrap>,
}

/// A wrapped key.
#[record(Eq)]
pub enum Wrap {
    /// For whoever has the identity of this recipient.
    Age {
        /// The public part.
        recipient: String,
        /// What age made of it.
        sealed: String,
    },
    /// For whoever knows the passphrase.
    Passphrase {
        /// Of Argon2id.
        salt: String,
        /// Of Argon2id.
        memory_kib: u32,
        /// Of Argon2id.
        passes: u32,
        /// Of Argon2id.
        lanes: u32,
        /// Nonce and sealed key.
        sealed: String,
    },
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Envelope {
    digest: String,
    key: Box<RawValue>,
}

/// Why a record cannot be read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Unreadable {
    Damaged(String),
    Newer(u32),
}

impl Unreadable {
    pub(crate) fn at(self, path: std::path::PathBuf) -> crate::Error {
        match self {
            Self::Damaged(why) => crate::Error::Damaged { path, why },
            Self::Newer(found) => crate::Error::Newer { path, found, known: FORMAT },
        }
    }
}

impl KeyRecord {
    /// `key`, wrapped for all of these.
    pub(crate) fn wrap(
        key: &DataKey,
        made_at: Timestamp,
        secrets: &[Secret],
        recipients: &[String],
    ) -> Result<Self, String> {
        let mut wraps: Vec<Wrap> = Vec::new();
        let public = secrets.iter().filter_map(|secret| match secret {
            Secret::Identity(identity) => Some(identity.to_public().to_string()),
            Secret::Passphrase(_) => None,
        });
        let mut named: Vec<String> =
            public.chain(recipients.iter().map(|text| text.trim().to_owned())).collect();
        named.sort();
        named.dedup();
        for name in named {
            let payload = Zeroizing::new([&key.bytes()[..], &key.origin()[..]].concat());
            let sealed = age::encrypt(&recipient(&name)?, &payload).map_err(|error| error.to_string())?;
            wraps.push(Wrap::Age { recipient: name, sealed: hex(&sealed) });
        }
        for secret in secrets {
            if let Secret::Passphrase(passphrase) = secret {
                wraps.push(under_passphrase(key, passphrase)?);
            }
        }
        let (id, origin) = (key.id().to_string(), hex(key.origin()));
        Ok(Self { format: FORMAT, id, origin, made_at, wraps })
    }

    /// What it is called.
    pub fn key_id(&self) -> Option<KeyId> {
        self.id.parse().ok()
    }

    /// Who can open it, in words.
    pub fn who(&self) -> Vec<String> {
        let named = self.wraps.iter().map(|wrap| match wrap {
            Wrap::Age { recipient, .. } => recipient.clone(),
            Wrap::Passphrase { .. } => "a passphrase".to_owned(),
        });
        named.collect()
    }

    /// One record of a key in place of several of it, for whoever could open any of them.
    pub(crate) fn for_all<'a>(records: impl IntoIterator<Item = &'a Self>) -> Option<Self> {
        let mut records = records.into_iter();
        let mut all = records.next()?.clone();
        for wrap in records.flat_map(|record| &record.wraps) {
            if !all.wraps.contains(wrap) {
                all.wraps.push(wrap.clone());
            }
        }
        Some(all)
    }

    /// The key, if one of these secrets opens it.
    pub(crate) fn open(&self, secrets: &[Secret]) -> Option<DataKey> {
        let id = self.key_id()?;
        let origin: [u8; 16] = unhex(&self.origin)?.try_into().ok()?;
        let is_it = |key: &DataKey| key.id() == id && *key.origin() == origin;
        for wrap in &self.wraps {
            for secret in secrets {
                let opened = match (wrap, secret) {
                    (Wrap::Age { sealed, .. }, Secret::Identity(identity)) => from_age(sealed, identity),
                    (Wrap::Passphrase { .. }, Secret::Passphrase(passphrase)) => {
                        from_passphrase(wrap, passphrase, id, origin)
                    }
                    _ => None,
                };
                if let Some(key) = opened.filter(is_it) {
                    return Some(key);
                }
            }
        }
        None
    }

    /// As it is written.
    pub fn to_bytes(&self) -> Vec<u8> {
        let key = serde_json::value::to_raw_value(self).expect("a record is plain data");
        let digest = digest(key.get());
        serde_json::to_vec(&Envelope { digest, key }).expect("plain data")
    }

    /// Reads one that was kept elsewhere; `name` is what it is called there.
    pub fn read(name: &str, bytes: &[u8]) -> Result<Self, crate::Error> {
        Self::parse(bytes).map_err(|unreadable| unreadable.at(name.into()))
    }

    /// Reads it back.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, Unreadable> {
        /// All that is read of one before its format is known.
        #[derive(Deserialize)]
        struct Formatted {
            format: u32,
        }
        let damaged = |error: serde_json::Error| Unreadable::Damaged(error.to_string());
        let Envelope { digest: said, key } = serde_json::from_slice(bytes).map_err(damaged)?;
        if digest(key.get()) != said {
            return Err(Unreadable::Damaged("it is not what was written".to_owned()));
        }
        let Formatted { format } = serde_json::from_str(key.get()).map_err(damaged)?;
        if format > FORMAT {
            return Err(Unreadable::Newer(format));
        }
        let record: Self = serde_json::from_str(key.get()).map_err(damaged)?;
        match record.key_id() {
            Some(_) => Ok(record),
            None => Err(Unreadable::Damaged("it names no key".to_owned())),
        }
    }
}

fn from_age(sealed: &str, identity: &Identity) -> Option<DataKey> {
    let payload = Zeroizing::new(age::decrypt(identity, &unhex(sealed)?).ok()?);
    let (key, origin) = payload.split_first_chunk::<KEY_BYTES>()?;
    Some(DataKey::new(Zeroizing::new(*key), origin.try_into().ok()?))
}

fn under_passphrase(key: &DataKey, passphrase: &str) -> Result<Wrap, String> {
    let (mut salt, mut nonce) = ([0; 16], [0; 24]);
    fill(&mut salt);
    fill(&mut nonce);
    let cipher = stretched(passphrase, &salt, [MEMORY_KIB, PASSES, LANES]).ok_or("Argon2 failed")?;
    let bound = bound(key.id(), *key.origin(), &salt, [MEMORY_KIB, PASSES, LANES]);
    let payload = Payload { msg: &key.bytes()[..], aad: &bound };
    let sealed = cipher.encrypt(XNonce::from_slice(&nonce), payload).map_err(|error| error.to_string())?;
    Ok(Wrap::Passphrase {
        salt: hex(&salt),
        memory_kib: MEMORY_KIB,
        passes: PASSES,
        lanes: LANES,
        sealed: hex(&[&nonce[..], &sealed].concat()),
    })
}

fn from_passphrase(wrap: &Wrap, passphrase: &str, id: KeyId, origin: [u8; 16]) -> Option<DataKey> {
    let Wrap::Passphrase { salt, memory_kib, passes, lanes, sealed } = wrap else { return None };
    if *memory_kib > MEMORY_KIB_MAX || *passes > PASSES_MAX {
        return None;
    }
    let costs = [*memory_kib, *passes, *lanes];
    let salt: [u8; 16] = unhex(salt)?.try_into().ok()?;
    let sealed = unhex(sealed)?;
    let (nonce, sealed) = sealed.split_at_checked(24)?;
    let cipher = stretched(passphrase, &salt, costs)?;
    let payload = Payload { msg: sealed, aad: &bound(id, origin, &salt, costs) };
    let opened = Zeroizing::new(cipher.decrypt(XNonce::from_slice(nonce), payload).ok()?);
    Some(DataKey::new(Zeroizing::new(opened.as_slice().try_into().ok()?), origin))
}

fn stretched(passphrase: &str, salt: &[u8; 16], costs: [u32; 3]) -> Option<XChaCha20Poly1305> {
    let params = Params::new(costs[0], costs[1], costs[2], Some(KEY_BYTES)).ok()?;
    let mut key = Zeroizing::new([0; KEY_BYTES]);
    let argon = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
    argon.hash_password_into(passphrase.as_bytes(), salt, &mut key[..]).ok()?;
    Some(XChaCha20Poly1305::new((&*key).into()))
}

fn bound(id: KeyId, origin: [u8; 16], salt: &[u8; 16], costs: [u32; 3]) -> Vec<u8> {
    let costs = costs.map(u32::to_le_bytes).concat();
    [b"piton passphrase 1\0", &id.number().to_le_bytes()[..], &origin[..], &salt[..], &costs[..]].concat()
}

fn digest(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().to_string()
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        write!(text, "{byte:02x}").expect("a string takes everything");
        text
    })
}

pub(crate) fn unhex(text: &str) -> Option<Vec<u8>> {
    if !text.len().is_multiple_of(2) || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passphrase(text: &str) -> Secret {
        Secret::Passphrase(Zeroizing::new(text.to_owned()))
    }

    #[test]
    fn each_of_those_that_it_was_wrapped_for_opens_it_and_nobody_else() {
        let key = DataKey::random();
        let (one, other, stranger) = (Identity::generate(), Identity::generate(), Identity::generate());
        let secrets = [Secret::Identity(Box::new(one.clone())), passphrase("correct horse battery")];
        let record =
            KeyRecord::wrap(&key, Timestamp::from_millis(1), &secrets, &[other.to_public().to_string()])
                .unwrap();
        let record = KeyRecord::parse(&record.to_bytes()).unwrap();
        assert_eq!(record.wraps.len(), 3);
        for secret in [
            Secret::Identity(Box::new(one)),
            Secret::Identity(Box::new(other)),
            passphrase("correct horse battery"),
        ] {
            assert_eq!(record.open(&[secret]).unwrap().bytes(), key.bytes());
        }
        assert!(
            record.open(&[Secret::Identity(Box::new(stranger)), passphrase("incorrect horse")]).is_none()
        );
        let elsewhere = KeyRecord { origin: "00".repeat(16), ..record };
        assert!(elsewhere.open(&[passphrase("correct horse battery")]).is_none(), "of another origin");
    }

    #[test]
    fn a_changed_byte_of_a_record_is_found() {
        let identity = Secret::Identity(Box::new(Identity::generate()));
        let key = DataKey::random();
        let bytes = KeyRecord::wrap(&key, Timestamp::from_millis(1), &[identity], &[]).unwrap().to_bytes();
        for place in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[place] ^= 1;
            assert!(KeyRecord::parse(&changed).is_err(), "byte {place}");
        }
    }
}
