//! An append on its way into its row, which is kept as a [`crate::Frame`].

use piton_model::limits::{CHECKPOINT_BYTES_MAX, EVENTS_PER_APPEND_MAX};
use piton_model::{RunId, Seq};

use crate::blob::Blobs;
use crate::chain::{self, Hash};
use crate::codec::{self, Codec};
use crate::error::Error;
use crate::frame::{push_kind, push_payload};
use crate::types::Append;

/// An append, ready for its transaction: everything that does not depend on what it stands on.
#[derive(Debug)]
pub(super) struct Prepared {
    pub(super) append: Append,
    pub(super) kinds: String,
    pub(super) codec: Codec,
    pub(super) body: Vec<u8>,
    pub(super) digests: Vec<Hash>,
    pub(super) checkpoint: Option<PreparedCheckpoint>,
}

/// A checkpoint, ready for the transaction of its append.
#[derive(Debug)]
pub(super) struct PreparedCheckpoint {
    pub(super) codec: Codec,
    pub(super) bytes: Vec<u8>,
    pub(super) digest: Hash,
}

impl PreparedCheckpoint {
    pub(super) fn new(bytes: Vec<u8>) -> Self {
        let digest = chain::digest(&bytes);
        let (codec, bytes) = codec::encode(bytes);
        Self { codec, bytes, digest }
    }
}

impl Prepared {
    /// Checks sizes, writes large payloads as blobs, and packs the rest.
    pub(super) fn new(mut append: Append, blobs: &Blobs) -> Result<Self, Error> {
        if append.events.is_empty() || append.events.len() > EVENTS_PER_APPEND_MAX {
            let (bytes, bytes_max) = (append.events.len(), EVENTS_PER_APPEND_MAX);
            return Err(Error::TooLarge { what: "an append (in events)", bytes, bytes_max });
        }
        if let Some(bytes) =
            append.checkpoint.as_ref().map(Vec::len).filter(|bytes| *bytes > CHECKPOINT_BYTES_MAX)
        {
            return Err(Error::TooLarge { what: "a checkpoint", bytes, bytes_max: CHECKPOINT_BYTES_MAX });
        }
        let mut kinds = String::with_capacity(48);
        let mut digests = Vec::with_capacity(append.events.len());
        let mut body =
            Vec::with_capacity(64 + append.events.iter().map(|event| event.data.len()).sum::<usize>());
        body.extend_from_slice(&append.salt);
        for event in &append.events {
            push_kind(&mut kinds, event);
            digests.push(chain::payload_digest(&append.salt, &event.data));
            push_payload(&mut body, &event.data, Some(&|data| blobs.put(data)))?;
        }
        let (codec, body) = codec::encode(body);
        let checkpoint = append.checkpoint.take().map(PreparedCheckpoint::new);
        Ok(Self { append, kinds, codec, body, digests, checkpoint })
    }

    /// The hash of the last event, if the first one stands on `previous` at `first`.
    pub(super) fn link(&self, previous: &Hash, first: Seq) -> Hash {
        let mut hash = *previous;
        for (offset, (event, digest)) in self.append.events.iter().zip(&self.digests).enumerate() {
            let seq = first + offset as u64;
            hash = chain::link(&hash, seq, self.append.at, &event.kind, event.version, digest);
        }
        hash
    }
}

/// What is kept with a checkpoint: its bytes, and of which run and event they are the state.
pub(super) fn checkpoint_digest(run: &RunId, seq: Seq, bytes: &Hash) -> Hash {
    let mut hasher = blake3::Hasher::new();
    hasher.update(b"piton checkpoint 1\0");
    hasher.update(run.as_str().as_bytes());
    hasher.update(&seq.to_le_bytes());
    hasher.update(bytes);
    *hasher.finalize().as_bytes()
}
