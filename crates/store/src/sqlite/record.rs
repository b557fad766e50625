//! The shape of a journal row: the events of one append, sealed with their salt.
//!
//! `kinds` stays readable beside the sealed body, so that a payload can be erased later and the chain
//! still be verified. The body is `salt ‖ (tag ‖ length ‖ data | tag ‖ blob id)*`.

use piton_model::limits::{
    CHECKPOINT_BYTES_MAX, EVENTS_PER_APPEND_MAX, INLINE_PAYLOAD_BYTES_MAX, PAYLOAD_BYTES_MAX,
};
use piton_model::{Encoded, RunId, Seq, Timestamp};

use crate::blob::Blobs;
use crate::chain::{self, Hash};
use crate::codec::{self, Codec};
use crate::error::{Error, Problem};
use crate::types::{Append, StoredEvent};

const TAG_INLINE: u8 = 0;
const TAG_BLOB: u8 = 1;

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

impl Prepared {
    /// Checks sizes, writes large payloads as blobs, and seals the rest.
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
            push_payload(&mut body, &event.data, blobs)?;
        }
        let (codec, body) = codec::encode(body);
        let checkpoint = append.checkpoint.take().map(|bytes| {
            let digest = chain::digest(&bytes);
            let (codec, bytes) = codec::encode(bytes);
            PreparedCheckpoint { codec, bytes, digest }
        });
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

fn push_kind(kinds: &mut String, event: &Encoded) {
    debug_assert!(!event.kind.is_empty() && !event.kind.contains([' ', '@']), "`{}` is no type", event.kind);
    if !kinds.is_empty() {
        kinds.push(' ');
    }
    kinds.push_str(&event.kind);
    if event.version != 1 {
        kinds.push('@');
        kinds.push_str(&event.version.to_string());
    }
}

fn push_payload(body: &mut Vec<u8>, data: &[u8], blobs: &Blobs) -> Result<(), Error> {
    if data.len() > PAYLOAD_BYTES_MAX {
        return Err(Error::TooLarge { what: "a payload", bytes: data.len(), bytes_max: PAYLOAD_BYTES_MAX });
    }
    if data.len() > INLINE_PAYLOAD_BYTES_MAX {
        body.push(TAG_BLOB);
        body.extend_from_slice(&blobs.put(data)?);
    } else {
        body.push(TAG_INLINE);
        body.extend_from_slice(&(data.len() as u32).to_le_bytes());
        body.extend_from_slice(data);
    }
    Ok(())
}

/// A row as it is stored.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) seq: Seq,
    pub(super) at: Timestamp,
    pub(super) kinds: String,
    pub(super) codec: i64,
    pub(super) key_id: i64,
    pub(super) body: Vec<u8>,
    pub(super) hash: Vec<u8>,
}

impl Row {
    /// Its last event.
    pub(super) fn last(&self) -> Seq {
        self.seq.wrapping_add(self.kinds.split(' ').count() as u64 - 1)
    }

    /// The events of this row, if they are what was chained to `previous`.
    pub(super) fn open(
        &self,
        run: &RunId,
        previous: &Hash,
        blobs: &Blobs,
    ) -> Result<Vec<StoredEvent>, Error> {
        let damaged = |what: &str| Error::Corrupt(Problem::at(run, self.seq, what));
        if self.key_id != 0 {
            return Err(damaged("its key is not known"));
        }
        let body =
            codec::decode(self.codec, &self.body).map_err(|_| damaged("the payload does not decode"))?;
        let salt: [u8; 16] = body
            .get(..16)
            .and_then(|salt| salt.try_into().ok())
            .ok_or_else(|| damaged("the payload has no salt"))?;
        let mut rest = &body[16..];
        let mut hash = *previous;
        let mut events = Vec::new();
        for (offset, kind) in self.kinds.split(' ').enumerate() {
            let (kind, version) = split_kind(kind).ok_or_else(|| damaged("an event has no readable type"))?;
            let data = take_payload(&mut rest, blobs)?.ok_or_else(|| damaged("the payload is cut short"))?;
            let seq = self.seq.wrapping_add(offset as u64);
            let digest = chain::payload_digest(&salt, &data);
            hash = chain::link(&hash, seq, self.at, kind, version, &digest);
            let event = Encoded { kind: kind.to_owned(), version, data };
            events.push(StoredEvent { seq, at: self.at, event, hash });
        }
        if !rest.is_empty() || hash.as_slice() != self.hash {
            return Err(damaged("the chain is broken: what is stored is not what was written"));
        }
        Ok(events)
    }
}

fn split_kind(kind: &str) -> Option<(&str, u16)> {
    match kind.split_once('@') {
        Some((kind, version)) => Some((kind, version.parse().ok()?)),
        None => Some((kind, 1)),
    }
}

fn take_payload(rest: &mut &[u8], blobs: &Blobs) -> Result<Option<Vec<u8>>, Error> {
    let Some((tag, after)) = rest.split_first() else { return Ok(None) };
    let (length, after) = match *tag {
        TAG_INLINE => {
            let Some((length, after)) = after.split_first_chunk::<4>() else { return Ok(None) };
            (u32::from_le_bytes(*length) as usize, after)
        }
        TAG_BLOB => (32, after),
        _ => return Ok(None),
    };
    let Some((data, after)) = after.split_at_checked(length) else { return Ok(None) };
    *rest = after;
    if *tag == TAG_BLOB {
        let id: Hash = data.try_into().expect("split at 32 bytes");
        return blobs.get(&id).map(Some);
    }
    Ok(Some(data.to_vec()))
}
