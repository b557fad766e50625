//! A target whose objects are sealed on their way there.
//!
//! ```text
//! "PITONVE1" ‖ key id (8) ‖ sealed bytes          JOURNAL/keys/ID-DIGEST.json      a data key, wrapped
//! ```
//!
//! Whatever makes, lists, restores or prunes backups sees a target like any other: this layer seals an object for its name, and opens
//! it again. The data keys lie beside the objects, wrapped: whoever has what opens them needs nothing else to restore on another machine.
//! A process may live long, and another may change the keys meanwhile: so what is kept here is looked at before each object.
//! Objects that were put there before encryption was asked for are read as they are, but nothing new stands on them.
//!
//! Invariant: nothing but wrapped keys is put through it open. Invariant: when an object is put, every key that it may be sealed with,
//! or that a row in it may be sealed with, lies at the target.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use piton_model::Timestamp;
use piton_seal::record::KeyRecord;
use piton_seal::{KeyId, Keys, Place, Ring};
use piton_store::chain;
use piton_sys::{Ids, SystemIds};

use crate::target::{BoxFuture, Object};
use crate::{Error, Target};

const MAGIC: &[u8; 8] = b"PITONVE1";
const HEADER_BYTES: usize = 8 + 8;

/// What sealing adds to an object.
pub(crate) const ADDED_BYTES: u64 = 128;

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
    /// The wrapped keys that this process has put there, by the digest of what they hold.
    brought: Mutex<BTreeSet<String>>,
}

impl Covered {
    /// `inner`, with what is sealed there opened with `ring`, and what is put there sealed, if the ring seals at all.
    pub fn new(inner: Box<dyn Target>, ring: Arc<Ring>) -> Self {
        let (open, brought) = Default::default();
        Self { inner: Arc::from(inner), ring, strict: false, open, brought }
    }

    /// The same for a replica that is about to be written: what lies there open is nothing to stand on, where new pieces are sealed.
    pub fn strict(self) -> Self {
        Self { strict: true, ..self }
    }

    /// Puts the keys of a journal beside its backups. Appends that were sealed once stay so, whatever is asked for now.
    pub async fn put_keys(&self, journal: &str) -> Result<(), Error> {
        self.ring.require().map_err(sealing)?;
        lock(&self.brought).clear();
        self.bring_keys(journal).await
    }

    /// Puts those there that are new here, or wrapped for others, since this process looked last.
    async fn bring_keys(&self, journal: &str) -> Result<(), Error> {
        for record in self.ring.records().map_err(sealing)?.into_values() {
            let bytes = record.to_bytes();
            let digest = chain::hex(&chain::digest(&bytes));
            if lock(&self.brought).contains(&digest) {
                continue;
            }
            let name = format!("{journal}/{KEYS}/{}-{}", record.id, &digest[..16]);
            match self.inner.put(&format!("{name}.json"), &bytes).await {
                // What lies there is damaged, and nothing is ever replaced.
                Err(Error::Taken { .. }) => {
                    let beside = format!("{name}-{}.json", SystemIds.hex(8));
                    self.inner.put(&beside, &bytes).await?;
                }
                put => put?,
            }
            lock(&self.brought).insert(digest);
        }
        Ok(())
    }

    /// Whether any key of a journal lies there.
    pub async fn has_keys(&self, journal: &str) -> Result<bool, Error> {
        Ok(!self.inner.list(&format!("{journal}/{KEYS}/")).await?.is_empty())
    }

    /// Every key that lies beside the backups of a journal.
    pub async fn keys_of(&self, journal: &str) -> Result<Vec<KeyRecord>, Error> {
        let mut records = Vec::new();
        for object in self.inner.list(&format!("{journal}/{KEYS}/")).await? {
            let Some(bytes) = self.inner.get(&object.name, RECORD_BYTES_MAX).await? else { continue };
            match KeyRecord::read(&object.name, &bytes) {
                Ok(record) => records.push(record),
                // Another record may be of the same key; where none is, the key is missing, which is said then.
                Err(piton_seal::Error::Damaged { .. }) => {}
                Err(error) => return Err(sealing(error)),
            }
        }
        Ok(records)
    }

    async fn opened(&self, name: &str, bytes: Vec<u8>) -> Result<Vec<u8>, Error> {
        let Some(sealed) = bytes.strip_prefix(MAGIC) else {
            if !self.ring.seals() || is_sign(name) {
                return Ok(bytes);
            }
            lock(&self.open).insert(name.to_owned());
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

/// Whoever makes a backup says so with an empty object, and so does whoever could not restore one.
fn is_sign(name: &str) -> bool {
    matches!(name.split('/').nth(1), Some(crate::list::PENDING | crate::list::FAILED))
}

/// The journal that an object belongs to.
fn journal_of(name: &str) -> Option<&str> {
    match crate::replica::place::generation_of(name) {
        Some((journal, _)) => Some(journal),
        None => name.split_once('/').map(|(journal, _)| journal),
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
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
            if is_sign(name) {
                return self.inner.put(name, bytes).await;
            }
            // The key for new pieces first: it is made where there is none.
            let key = match self.ring.seals() {
                true => Some(self.ring.current().map_err(sealing)?),
                false => None,
            };
            if let Some(journal) = journal_of(name) {
                self.bring_keys(journal).await?;
            }
            let Some(key) = key else { return self.inner.put(name, bytes).await };
            let header = [&MAGIC[..], &key.id().number().to_le_bytes()].concat();
            // The same object is sealed the same each time, so that putting it twice is no conflict.
            let sealed = key.seal_alike(&place_of(name, &header), 0, bytes);
            match self.inner.put(name, &[header, sealed].concat()).await {
                // It may have been sealed with an earlier key: what it holds decides, not how it is sealed.
                Err(taken @ Error::Taken { .. }) => match self.get(name, bytes.len() as u64).await {
                    Ok(Some(there)) if there == bytes && !self.lay_open(name) => Ok(()),
                    _ => Err(taken),
                },
                put => put,
            }
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
        lock(&self.open).contains(name)
    }

    fn seen_elsewhere<'a>(&'a self, journal: &'a str) -> BoxFuture<'a, Option<Box<dyn Target>>> {
        Box::pin(async move {
            let ring = self.ring.elsewhere(Path::new(&self.place()).join(journal).join(KEYS));
            ring.bring(self.keys_of(journal).await?);
            let (inner, ring) = (Arc::clone(&self.inner), Arc::new(ring));
            let (open, brought) = Default::default();
            let covered = Self { inner, ring, strict: false, open, brought };
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
