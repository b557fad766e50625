//! An append as a journal keeps it: its events, sealed with their salt. Rows hold it, backups ship it, byte for byte.
//!
//! `kinds` stays readable beside the sealed body, so that a payload can be erased later and the chain
//! still be verified. The body is `salt ‖ (tag ‖ length ‖ data | tag ‖ blob id)*`; of an append that is archived, the digests of
//! its payloads, one after the other.
//!
//! Invariant: what [`Frame::open`] gives was chained to what it was asked to stand on.

use piton_model::limits::{INLINE_PAYLOAD_BYTES_MAX, PAYLOAD_BYTES_MAX};
use piton_model::{Encoded, RunId, Seq, Timestamp};
use piton_seal::{Keys, Place};

use crate::chain::{self, Hash};
use crate::codec;
use crate::error::{Error, Problem};
use crate::types::{BlobId, Head, RequestId, StoredEvent};

const TAG_INLINE: u8 = 0;
const TAG_BLOB: u8 = 1;

/// The codec of an append whose payloads were let go. Far from those of bodies, so that a new one of these does not meet it.
pub(crate) const ARCHIVED: i64 = 100;

/// An append as it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Its first event.
    pub seq: Seq,
    /// By the clock of whoever recorded it.
    pub at: Timestamp,
    /// The types of its events, with their versions where those are not 1.
    pub kinds: String,
    /// How the body is kept.
    pub codec: i64,
    /// By which key; 0 is none.
    pub key_id: i64,
    /// Salt and payloads.
    pub body: Vec<u8>,
    /// The hash of its last event; 32 bytes, unless it was damaged.
    pub hash: Vec<u8>,
    /// The request that it was, if it was one.
    pub request: Option<RequestId>,
}

impl Frame {
    /// Its last event.
    pub fn last(&self) -> Seq {
        self.seq.wrapping_add(self.kinds.split(' ').count() as u64 - 1)
    }

    /// Where the run ends with it, as it says itself: [`Frame::open`] proves that.
    pub fn head(&self) -> Option<Head> {
        Some(Head { seq: self.last(), hash: self.hash.as_slice().try_into().ok()? })
    }

    /// The events of this append, if they are what was chained to `previous`. Large payloads come from `blob`, and what is sealed is
    /// opened with `keys`.
    pub fn open(
        &self,
        run: &RunId,
        previous: &Hash,
        keys: &dyn Keys,
        blob: &dyn Fn(&BlobId) -> Result<Vec<u8>, Error>,
    ) -> Result<Vec<StoredEvent>, Error> {
        if self.is_archived() {
            return self.open_archived(run, previous);
        }
        let damaged = |what: &str| Error::Corrupt(Problem::at(run, self.seq, what));
        let undecoded = || Problem::at(run, self.seq, "the payload does not decode");
        let body = self.plain(run, keys).map_err(|error| error.or_damaged(undecoded))?;
        let salt: [u8; 16] = body
            .get(..16)
            .and_then(|salt| salt.try_into().ok())
            .ok_or_else(|| damaged("the payload has no salt"))?;
        let mut rest = &body[16..];
        let mut hash = *previous;
        let mut events = Vec::new();
        for (offset, kind) in self.kinds.split(' ').enumerate() {
            let (kind, version) = split_kind(kind).ok_or_else(|| damaged("an event has no readable type"))?;
            let payload = take_payload(&mut rest).ok_or_else(|| damaged("the payload is cut short"))?;
            let data = match payload {
                Payload::Inline(data) => data.to_vec(),
                Payload::Blob(id) => blob(&id)?,
            };
            let seq = self.seq.wrapping_add(offset as u64);
            let digest = chain::payload_digest(&salt, &data);
            hash = chain::link(&hash, seq, self.at, kind, version, &digest);
            let event = Encoded { kind: kind.to_owned(), version, data };
            events.push(StoredEvent { seq, at: self.at, event, hash, archived: false });
        }
        if !rest.is_empty() || hash.as_slice() != self.hash {
            return Err(damaged("the chain is broken: what is stored is not what was written"));
        }
        Ok(events)
    }

    /// Whether its payloads were let go.
    pub fn is_archived(&self) -> bool {
        self.codec == ARCHIVED && self.key_id == 0
    }

    /// The same without its payloads, which must be what was chained to `previous`.
    pub(crate) fn archived(
        &self,
        run: &RunId,
        previous: &Hash,
        keys: &dyn Keys,
        blob: &dyn Fn(&BlobId) -> Result<Vec<u8>, Error>,
    ) -> Result<Frame, Error> {
        let mut body = Vec::new();
        self.each(run, previous, keys, blob, &mut |digest| body.extend_from_slice(digest))?;
        Ok(Frame { codec: ARCHIVED, key_id: 0, body, ..self.clone() })
    }

    /// The hash of its last event, if it is what was chained to `previous`; no payload is handed out.
    pub fn prove(
        &self,
        run: &RunId,
        previous: &Hash,
        keys: &dyn Keys,
        blob: &dyn Fn(&BlobId) -> Result<Vec<u8>, Error>,
    ) -> Result<Hash, Error> {
        self.each(run, previous, keys, blob, &mut |_| {})
    }

    /// Follows the chain through it, and shows the digest of each payload.
    fn each(
        &self,
        run: &RunId,
        previous: &Hash,
        keys: &dyn Keys,
        blob: &dyn Fn(&BlobId) -> Result<Vec<u8>, Error>,
        see: &mut dyn FnMut(&Hash),
    ) -> Result<Hash, Error> {
        if self.is_archived() {
            let events = self.open_archived(run, previous)?;
            self.body.as_chunks::<32>().0.iter().for_each(see);
            return Ok(events.last().map_or(*previous, |event| event.hash));
        }
        let damaged = |what: &str| Error::Corrupt(Problem::at(run, self.seq, what));
        let undecoded = || Problem::at(run, self.seq, "the payload does not decode");
        let body = self.plain(run, keys).map_err(|error| error.or_damaged(undecoded))?;
        let (salt, mut rest) =
            body.split_first_chunk::<16>().ok_or_else(|| damaged("the payload has no salt"))?;
        let mut hash = *previous;
        for (offset, kind) in self.kinds.split(' ').enumerate() {
            let (kind, version) = split_kind(kind).ok_or_else(|| damaged("an event has no readable type"))?;
            let digest = match take_payload(&mut rest).ok_or_else(|| damaged("the payload is cut short"))? {
                Payload::Inline(data) => chain::payload_digest(salt, data),
                Payload::Blob(id) => chain::payload_digest(salt, &blob(&id)?),
            };
            see(&digest);
            let seq = self.seq.wrapping_add(offset as u64);
            hash = chain::link(&hash, seq, self.at, kind, version, &digest);
        }
        match rest.is_empty() && hash.as_slice() == self.hash {
            true => Ok(hash),
            false => Err(damaged("the chain is broken: what is stored is not what was written")),
        }
    }

    /// What is known of the events of an append that is archived: everything but their data.
    fn open_archived(&self, run: &RunId, previous: &Hash) -> Result<Vec<StoredEvent>, Error> {
        let damaged = |what: &str| Error::Corrupt(Problem::at(run, self.seq, what));
        let (digests, rest) = self.body.as_chunks::<32>();
        let kinds: Vec<&str> = self.kinds.split(' ').collect();
        if !rest.is_empty() || digests.len() != kinds.len() {
            return Err(damaged("it is archived, and what is left of it is cut short"));
        }
        let mut hash = *previous;
        let mut events = Vec::with_capacity(kinds.len());
        for (offset, (kind, digest)) in kinds.into_iter().zip(digests).enumerate() {
            let (kind, version) = split_kind(kind).ok_or_else(|| damaged("an event has no readable type"))?;
            let seq = self.seq.wrapping_add(offset as u64);
            hash = chain::link(&hash, seq, self.at, kind, version, digest);
            let event = Encoded { kind: kind.to_owned(), version, data: Vec::new() };
            events.push(StoredEvent { seq, at: self.at, event, hash, archived: true });
        }
        match hash.as_slice() == self.hash {
            true => Ok(events),
            false => Err(damaged("the chain is broken: what is stored is not what was written")),
        }
    }

    /// The large payloads that it names; `None` where it cannot be read, and nobody knows.
    pub fn named_blobs(&self, run: &RunId, keys: &dyn Keys) -> Option<Vec<BlobId>> {
        (self.is_archived() || self.plain(run, keys).is_ok()).then(|| self.blobs(run, keys))
    }

    /// The large payloads that it names. Of a body that cannot be read none is known: opening it says why.
    pub fn blobs(&self, run: &RunId, keys: &dyn Keys) -> Vec<BlobId> {
        if self.is_archived() {
            return Vec::new();
        }
        let Ok(body) = self.plain(run, keys) else { return Vec::new() };
        let mut rest = body.get(16..).unwrap_or_default();
        let payloads = std::iter::from_fn(|| take_payload(&mut rest));
        let named = |payload| match payload {
            Payload::Blob(id) => Some(id),
            Payload::Inline(_) => None,
        };
        payloads.filter_map(named).collect()
    }

    fn plain(&self, run: &RunId, keys: &dyn Keys) -> Result<Vec<u8>, Error> {
        let place = Place::Events { run: &run.key(), seq: self.seq };
        codec::open(keys, &place, self.codec, self.key_id, &self.body)
    }
}

pub(crate) fn push_kind(kinds: &mut String, event: &Encoded) {
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

/// Keeps a large payload.
pub(crate) type Put<'a> = &'a dyn Fn(&[u8]) -> Result<BlobId, Error>;

/// Adds a payload to a body; a large one goes where `put` keeps it, if anywhere.
pub(crate) fn push_payload(body: &mut Vec<u8>, data: &[u8], put: Option<Put<'_>>) -> Result<(), Error> {
    if data.len() > PAYLOAD_BYTES_MAX {
        return Err(Error::TooLarge { what: "a payload", bytes: data.len(), bytes_max: PAYLOAD_BYTES_MAX });
    }
    match put.filter(|_| data.len() > INLINE_PAYLOAD_BYTES_MAX) {
        Some(put) => {
            body.push(TAG_BLOB);
            body.extend_from_slice(&put(data)?);
        }
        None => {
            body.push(TAG_INLINE);
            body.extend_from_slice(&(data.len() as u32).to_le_bytes());
            body.extend_from_slice(data);
        }
    }
    Ok(())
}

fn split_kind(kind: &str) -> Option<(&str, u16)> {
    match kind.split_once('@') {
        Some((kind, version)) => Some((kind, version.parse().ok()?)),
        None => Some((kind, 1)),
    }
}

enum Payload<'a> {
    Inline(&'a [u8]),
    Blob(BlobId),
}

fn take_payload<'a>(rest: &mut &'a [u8]) -> Option<Payload<'a>> {
    let (tag, after) = rest.split_first()?;
    let (payload, after) = match *tag {
        TAG_INLINE => {
            let (length, after) = after.split_first_chunk::<4>()?;
            let (data, after) = after.split_at_checked(u32::from_le_bytes(*length) as usize)?;
            (Payload::Inline(data), after)
        }
        TAG_BLOB => {
            let (id, after) = after.split_first_chunk::<32>()?;
            (Payload::Blob(*id), after)
        }
        _ => return None,
    };
    *rest = after;
    Some(payload)
}
