//! Large bytes: one compressed file per content, named by its digest.
//!
//! ```text
//! codec (u8) ‖ bytes            codec + 128 ‖ key id (8) ‖ sealed bytes
//! ```

use std::path::{Path, PathBuf};
use std::sync::Arc;

use piton_model::Timestamp;
use piton_model::limits::BLOB_BYTES_MAX;
use piton_seal::{Keys, Place};
use piton_sys::file::{self, Durability};
use piton_sys::lock::FileLock;

use crate::chain::{self, Hash};
use crate::codec;
use crate::error::{Error, Problem};

/// The most a blob file may hold.
const FILE_BYTES_MAX: u64 = 64 << 20;

/// Of a codec: what follows is sealed.
const SEALED: u8 = 128;

/// The directory of blobs.
#[derive(Clone)]
pub(crate) struct Blobs {
    root: PathBuf,
    keys: Arc<dyn Keys>,
}

impl Blobs {
    pub(crate) fn new(root: PathBuf, keys: Arc<dyn Keys>) -> Self {
        Self { root, keys }
    }

    /// What opens them.
    pub(crate) fn keys(&self) -> &dyn Keys {
        &*self.keys
    }

    /// Keeps `bytes`, synced, and names them. Keeping the same bytes again costs a look.
    pub(crate) fn put(&self, bytes: &[u8]) -> Result<Hash, Error> {
        if bytes.len() > BLOB_BYTES_MAX {
            return Err(Error::TooLarge { what: "a blob", bytes: bytes.len(), bytes_max: BLOB_BYTES_MAX });
        }
        let id = chain::digest(bytes);
        let path = self.path(&id);
        file::create_private_dir(&self.root)?;
        // Whoever collects what is not named waits, and then sees that this was touched.
        let _held = FileLock::shared(&self.lock())?;
        // One that lies there open, and is to be sealed, is written anew.
        if self.read(&path, &id).is_ok_and(|(_, key)| key != 0 || !self.keys.seals())
            && file::touch(&path).is_ok()
        {
            return Ok(id);
        }
        self.write(&path, &id, bytes)?;
        Ok(id)
    }

    fn write(&self, path: &Path, id: &Hash, bytes: &[u8]) -> Result<(), Error> {
        file::create_private_dir(path.parent().expect("a blob lies in a directory"))?;
        let (codec, packed) = codec::encode(bytes.to_vec());
        let kept = codec::seal(&*self.keys, &Place::Blob { digest: id }, codec, packed)?;
        let mut content = Vec::with_capacity(kept.bytes.len() + 9);
        match kept.key_id {
            0 => content.push(codec as u8),
            key => {
                content.push(codec as u8 | SEALED);
                content.extend_from_slice(&key.to_le_bytes());
            }
        }
        content.extend_from_slice(&kept.bytes);
        Ok(file::write_atomic(path, &content, Durability::Synced)?)
    }

    /// The bytes named `id`, verified.
    pub(crate) fn get(&self, id: &Hash) -> Result<Vec<u8>, Error> {
        Ok(self.read(&self.path(id), id)?.0)
    }

    /// Every one that was put there, or put there again, before `since`, with the bytes that it takes.
    pub(crate) fn untouched_since(&self, since: Timestamp) -> Vec<(Hash, u64)> {
        let old = |(id, path): (Hash, PathBuf)| {
            let found = path.symlink_metadata().ok()?;
            (file::changed_at(&path) < since).then_some((id, found.len()))
        };
        self.all().into_iter().filter_map(old).collect()
    }

    /// Removes one, unless somebody put it there again since.
    pub(crate) fn remove_if_untouched(&self, id: &Hash, since: Timestamp) -> Result<bool, Error> {
        let path = self.path(id);
        let _alone = FileLock::exclusive(&self.lock())?;
        Ok(file::changed_at(&path) < since && file::remove_file_if_exists(&path)?)
    }

    /// What one takes; nothing where it is not there.
    pub(crate) fn kept_bytes(&self, id: &Hash) -> u64 {
        self.path(id).symlink_metadata().map_or(0, |found| found.len())
    }

    /// What all of them take.
    pub(crate) fn bytes(&self) -> u64 {
        self.all().iter().map(|(id, _)| self.kept_bytes(id)).sum()
    }

    /// Every one, with its file.
    pub(crate) fn all(&self) -> Vec<(Hash, PathBuf)> {
        let entries = |path: &Path| std::fs::read_dir(path).into_iter().flatten().flatten();
        let mut all = Vec::new();
        for outer in entries(&self.root) {
            let first = outer.file_name().to_string_lossy().into_owned();
            for inner in entries(&outer.path()) {
                let name = format!("{first}{}", inner.file_name().to_string_lossy());
                all.extend(chain::unhex(&name).map(|id| (id, inner.path())));
            }
        }
        all
    }

    fn lock(&self) -> PathBuf {
        self.root.with_extension("lock")
    }

    /// The bytes named `id`, and the key that they are sealed with.
    fn read(&self, path: &Path, id: &Hash) -> Result<(Vec<u8>, i64), Error> {
        let problem =
            |what: &str| Problem { run: None, seq: None, what: format!("blob {} {what}", chain::hex(id)) };
        let damaged = |what: &str| Error::Corrupt(problem(what));
        let content = file::read_regular(path, FILE_BYTES_MAX)?.ok_or_else(|| damaged("is missing"))?;
        let (codec, kept) = content.split_first().ok_or_else(|| damaged("is empty"))?;
        let (key, kept) = match codec & SEALED {
            0 => (0, kept),
            _ => {
                let (key, kept) = kept.split_first_chunk().ok_or_else(|| damaged("is cut short"))?;
                (i64::from_le_bytes(*key), kept)
            }
        };
        let place = Place::Blob { digest: id };
        let bytes = codec::open(&*self.keys, &place, i64::from(codec & !SEALED), key, kept)
            .map_err(|error| error.or_damaged(|| problem("does not decode")))?;
        if chain::digest(&bytes) != *id {
            return Err(damaged("is not what was written"));
        }
        Ok((bytes, key))
    }

    /// The key that a blob says to be sealed with; nothing where it cannot be read.
    pub(crate) fn key_of(&self, id: &Hash) -> Option<i64> {
        let content = file::read_regular(&self.path(id), FILE_BYTES_MAX).ok()??;
        let (codec, kept) = content.split_first()?;
        if codec & SEALED == 0 { Some(0) } else { Some(i64::from_le_bytes(*kept.first_chunk()?)) }
    }

    /// Seals a blob with the key for new pieces.
    pub(crate) fn seal_anew(&self, id: &Hash) -> Result<(), Error> {
        let (bytes, _) = self.read(&self.path(id), id)?;
        self.write(&self.path(id), id, &bytes)
    }

    fn path(&self, id: &Hash) -> PathBuf {
        let name = chain::hex(id);
        self.root.join(&name[..2]).join(&name[2..])
    }
}
