//! Large bytes: one compressed file per content, named by its digest.

use std::path::{Path, PathBuf};

use piton_model::limits::BLOB_BYTES_MAX;
use piton_sys::file::{self, Durability};

use crate::chain::{self, Hash};
use crate::codec;
use crate::error::{Error, Problem};

/// The most a blob file may hold.
const FILE_BYTES_MAX: u64 = 64 << 20;

/// The directory of blobs.
#[derive(Clone, Debug)]
pub(crate) struct Blobs {
    root: PathBuf,
}

impl Blobs {
    pub(crate) fn new(root: PathBuf) -> Self {
        Self { root }
    }

    /// Keeps `bytes`, synced, and names them. Keeping the same bytes again costs a look.
    pub(crate) fn put(&self, bytes: &[u8]) -> Result<Hash, Error> {
        if bytes.len() > BLOB_BYTES_MAX {
            return Err(Error::TooLarge { what: "a blob", bytes: bytes.len(), bytes_max: BLOB_BYTES_MAX });
        }
        let id = chain::digest(bytes);
        let path = self.path(&id);
        if self.read(&path, &id).is_ok() {
            return Ok(id);
        }
        file::create_private_dir(path.parent().expect("a blob lies in a directory"))?;
        let (codec, kept) = codec::encode(bytes.to_vec());
        let mut content = Vec::with_capacity(kept.len() + 1);
        content.push(codec as u8);
        content.extend_from_slice(&kept);
        file::write_atomic(&path, &content, Durability::Synced)?;
        Ok(id)
    }

    /// The bytes named `id`, verified.
    pub(crate) fn get(&self, id: &Hash) -> Result<Vec<u8>, Error> {
        self.read(&self.path(id), id)
    }

    fn read(&self, path: &Path, id: &Hash) -> Result<Vec<u8>, Error> {
        let damaged = |what: &str| {
            Error::Corrupt(Problem { run: None, seq: None, what: format!("blob {} {what}", chain::hex(id)) })
        };
        let content = file::read_regular(path, FILE_BYTES_MAX)?.ok_or_else(|| damaged("is missing"))?;
        let (codec, kept) = content.split_first().ok_or_else(|| damaged("is empty"))?;
        let bytes = codec::decode(i64::from(*codec), kept).map_err(|_| damaged("does not decode"))?;
        if chain::digest(&bytes) != *id {
            return Err(damaged("is not what was written"));
        }
        Ok(bytes)
    }

    fn path(&self, id: &Hash) -> PathBuf {
        let name = chain::hex(id);
        self.root.join(&name[..2]).join(&name[2..])
    }
}
