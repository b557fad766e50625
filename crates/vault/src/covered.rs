//! A target whose objects are sealed on their way there.
//!
//! ```text
//! "PITONVE1" ‖ key id (8) ‖ sealed bytes          JOURNAL/keys/ID-DIGEST.json      a data key, wrapped
//! ```
//!
//! Whatever makes, lists, restores or prunes backups sees a target like any other: this layer seals an object for its name, and opens
//! it again. The data keys lie beside the objects, wrapped: whoever has what opens them needs nothing else to restore on another machine.
//! Objects that were put there before encryption was asked for are read as they are, but nothing new stands on them.
//!
//! Invariant: nothing but wrapped keys is put through it open.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use piton_model::Timestamp;
use piton_seal::record::KeyRecord;
use piton_seal::{KeyId, Keys, Place, Ring};
use piton_store::chain;

use crate::target::{BoxFuture, Object};
use crate::{Error, Target};

const MAGIC: &[u8; 8] = b"PITONVE1";
const HEADER_BYTES: usize = 8 + 8;

/// What sealing adds to an object.
const ADDED_BYTES: u64 = 128;

/// Where the wrapped keys of a journal lie.
const KEYS: &str = "keys";

/// The most that a wrapped key may take.
const RECORD_BYTES_MAX: u64 = 1 << 20;

/// A target whose objects are sealed with a ring of keys.
pub struct Covered {
    inner: Arc<dyn Target>,
    ring: Arc<Ring>,
    strict: bool,
    /// What was read that lies open, where new objects are sealed.
    open: Mutex<BTreeSet<String>>,
}

impl Covered {
    /// `inner`, with what is sealed there opened with `ring`, and what is put there sealed, if the ring seals at all.
    pub fn new(inner: Box<dyn Target>, ring: Arc<Ring>) -> Self {
        Self { inner: Arc::from(inner), ring, strict: false, open: Mutex::default() }
    }

    /// The same for a replica that is about to be written: what lies there open is nothing to stand on, where new pieces are sealed.
    pub fn strict(self) -> Self {
        Self { strict: true, ..self }
    }

    /// Puts the keys of a journal beside its backups. Appends that were sealed once stay so, whatever is asked for now.
    pub async fn put_keys(&self, journal: &str) -> Result<(), Error> {
        self.ring.require().map_err(sealing)?;
        for record in self.ring.records().map_err(sealing)?.into_values() {
            let bytes = record.to_bytes();
            let digest = chain::hex(&chain::digest(&bytes));
            self.inner.put(&format!("{journal}/{KEYS}/{}-{}.json", record.id, &digest[..16]), &bytes).await?;
        }
        Ok(())
    }

    /// Every key that lies beside the backups of a journal.
    pub async fn keys_of(&self, journal: &str) -> Result<Vec<KeyRecord>, Error> {
        let mut records = Vec::new();
        for object in self.inner.list(&format!("{journal}/{KEYS}/")).await? {
            let Some(bytes) = self.inner.get(&object.name, RECORD_BYTES_MAX).await? else { continue };
            records.push(KeyRecord::read(&object.name, &bytes).map_err(sealing)?);
        }
        Ok(records)
    }

    async fn opened(&self, name: &str, bytes: Vec<u8>) -> Result<Vec<u8>, Error> {
        let Some(sealed) = bytes.strip_prefix(MAGIC) else {
            if !self.ring.seals() || is_sign(name) {
                return Ok(bytes);
            }
            self.open.lock().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned());
            return match self.strict {
                true => Err(Error::damaged(name, "it is not encrypted, and new objects are")),
                false => Ok(bytes),
            };
        };
        let (key, sealed) =
            sealed.split_first_chunk().ok_or_else(|| Error::damaged(name, "it is cut short"))?;
        let key = KeyId::of(i64::from_le_bytes(*key));
        if self.ring.key(key).is_err()
            && let Some((journal, _)) = name.split_once('/')
        {
            self.ring.bring(self.keys_of(journal).await?);
        }
        let place = place_of(name, &bytes[..HEADER_BYTES]);
        match self.ring.open(key, &place, 0, sealed) {
            Ok(opened) => Ok(opened.into_owned()),
            Err(piton_seal::Error::Changed) => Err(Error::damaged(name, "it is not what was written")),
            Err(error) => Err(sealing(error)),
        }
    }
}

/// Whoever makes a backup says so with an empty object.
fn is_sign(name: &str) -> bool {
    name.split('/').nth(1) == Some(crate::list::PENDING)
}

fn place_of<'a>(name: &'a str, header: &'a [u8]) -> Place<'a> {
    let (journal, kind) = name.split_once('/').unwrap_or(("", name));
    // The name of an object is in its kind: a piece that was given another name does not open.
    Place::Object { journal, kind, header }
}

/// What keys lack is the store's error as well: nothing is damaged.
fn sealing(error: piton_seal::Error) -> Error {
    Error::Store(piton_store::Error::from(error))
}

impl Target for Covered {
    fn put<'a>(&'a self, name: &'a str, bytes: &'a [u8]) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            if !self.ring.seals() || is_sign(name) {
                return self.inner.put(name, bytes).await;
            }
            let key = self.ring.current().map_err(sealing)?;
            let header = [&MAGIC[..], &key.id().number().to_le_bytes()].concat();
            // The same object is sealed the same each time, so that putting it twice is no conflict.
            let sealed = key.seal_alike(&place_of(name, &header), 0, bytes);
            self.inner.put(name, &[header, sealed].concat()).await
        })
    }

    fn get<'a>(&'a self, name: &'a str, bytes_max: u64) -> BoxFuture<'a, Option<Vec<u8>>> {
        Box::pin(async move {
            match self.inner.get(name, bytes_max.saturating_add(ADDED_BYTES)).await? {
                Some(bytes) => self.opened(name, bytes).await.map(Some),
                None => Ok(None),
            }
        })
    }

    fn list<'a>(&'a self, prefix: &'a str) -> BoxFuture<'a, Vec<Object>> {
        self.inner.list(prefix)
    }

    fn remove<'a>(&'a self, name: &'a str) -> BoxFuture<'a, ()> {
        self.inner.remove(name)
    }

    fn sweep(&self, before: Timestamp) -> BoxFuture<'_, ()> {
        self.inner.sweep(before)
    }

    fn place(&self) -> String {
        self.inner.place()
    }

    fn directory(&self) -> Option<&Path> {
        self.inner.directory()
    }

    fn may_lag(&self) -> bool {
        self.inner.may_lag()
    }

    fn lay_open(&self, name: &str) -> bool {
        self.open.lock().unwrap_or_else(PoisonError::into_inner).contains(name)
    }

    fn seen_elsewhere<'a>(&'a self, journal: &'a str) -> BoxFuture<'a, Option<Box<dyn Target>>> {
        Box::pin(async move {
            let ring = self.ring.elsewhere(Path::new(&self.place()).join(journal).join(KEYS));
            ring.bring(self.keys_of(journal).await?);
            let (inner, ring) = (Arc::clone(&self.inner), Arc::new(ring));
            let covered = Self { inner, ring, strict: false, open: Mutex::default() };
            Ok(Some(Box::new(covered) as Box<dyn Target>))
        })
    }

    fn keys(&self) -> Arc<dyn Keys> {
        let ring: Arc<Ring> = Arc::clone(&self.ring);
        ring
    }
}

#[cfg(test)]
mod tests {
    use piton_seal::Openers;
    use piton_seal::opener::{Source, new_identity};
    use piton_store::conformance::block_on;
    use piton_sys::file::{self, Durability};

    use super::*;
    use crate::target;

    struct Fixture(tempfile::TempDir);

    impl Fixture {
        fn new() -> Self {
            let root = tempfile::tempdir().unwrap();
            let text = new_identity("now").0;
            file::create_new(&root.path().join("key"), text.as_bytes(), Durability::Unsynced).unwrap();
            Self(root)
        }

        fn target(&self, keys: &str, seals: bool) -> Covered {
            let openers =
                Openers { sources: vec![Source::File(self.0.path().join("key"))], recipients: Vec::new() };
            let ring = Ring::new(self.0.path().join(keys), openers, seals);
            Covered::new(target::parse("kept", self.0.path()).unwrap(), Arc::new(ring))
        }

        fn path(&self, name: &str) -> std::path::PathBuf {
            // A directory keeps objects below a part of its own.
            ["kept/vault", "kept"]
                .map(|part| self.0.path().join(part).join(name))
                .into_iter()
                .find(|path| path.exists())
                .unwrap()
        }
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a test prepares its files directly")]
    fn every_flipped_byte_of_a_sealed_object_is_found_and_so_is_another_name() {
        let fixture = Fixture::new();
        let target = fixture.target("keys", true).strict();
        block_on(target.put("j/segments/a", b"some words")).unwrap();
        let sound = std::fs::read(fixture.path("j/segments/a")).unwrap();
        assert!(!sound.windows(5).any(|window| window == b"words"));
        for at in 0..sound.len() {
            let mut flipped = sound.clone();
            flipped[at] ^= 1 << (at % 8);
            std::fs::write(fixture.path("j/segments/a"), &flipped).unwrap();
            assert!(block_on(target.get("j/segments/a", 1000)).is_err(), "byte {at}");
        }
        std::fs::write(fixture.path("j/segments/a"), &sound).unwrap();
        assert_eq!(block_on(target.get("j/segments/a", 1000)).unwrap().unwrap(), b"some words");
        let other = fixture.path("j/segments/a").with_file_name("b");
        std::fs::write(&other, &sound).unwrap();
        assert!(block_on(target.get("j/segments/b", 1000)).is_err(), "another name");
    }

    #[test]
    fn an_object_that_is_put_twice_is_the_same_and_its_key_lies_beside_it() {
        let fixture = Fixture::new();
        let target = fixture.target("keys", true);
        block_on(target.put_keys("j")).unwrap();
        for _ in 0..2 {
            block_on(target.put("j/segments/a", b"some words")).unwrap();
        }
        // Another machine has the key file and no data keys.
        let elsewhere = fixture.target("none", false);
        assert_eq!(block_on(elsewhere.get("j/segments/a", 1000)).unwrap().unwrap(), b"some words");
        assert!(!fixture.0.path().join("none").exists());
    }

    #[test]
    fn what_lies_there_open_is_read_and_nothing_new_stands_on_it() {
        let fixture = Fixture::new();
        block_on(fixture.target("keys", false).put("j/segments/a", b"open")).unwrap();
        let target = fixture.target("keys", true);
        assert_eq!(block_on(target.get("j/segments/a", 1000)).unwrap().unwrap(), b"open");
        assert!(block_on(target.strict().get("j/segments/a", 1000)).is_err());
    }
}
