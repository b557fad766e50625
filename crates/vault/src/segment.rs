//! A segment: an immutable file of records, each covered by a running check.
//!
//! ```text
//! "PITONSG1" ‖ journal id (16) ‖ digest of the segment before, zeros for the first (32)
//! record*    = length (u32) ‖ kind (u8) ‖ payload ‖ check (16)
//! the last   = kind 255, the number of records before it
//! check      = the first 16 bytes of BLAKE3(check before ‖ kind ‖ payload), begun with that of the header
//! ```
//!
//! Numbers are little-endian. A changed, missing, repeated or moved record shows at its check, a cut file by its missing
//! end. Lengths are checked before memory is taken, and no input makes the reader panic.

use std::ops::Range;

use piton_model::limits::{BLOB_BYTES_MAX, RUN_ID_BYTES_MAX};
use piton_model::{Epoch, RunId, Seq, Timestamp};
use piton_store::chain::Hash;
use piton_store::{BlobId, Frame, RequestId};

const MAGIC: &[u8; 8] = b"PITONSG1";
const HEADER_BYTES: usize = 8 + 16 + 32;
const CHECK_BYTES: usize = 16;

/// The most a record may hold: the largest blob, and what names it.
const RECORD_BYTES_MAX: usize = BLOB_BYTES_MAX + 4096;

const KIND_FRAME: u8 = 1;
const KIND_BLOB: u8 = 2;
const KIND_REMOVED: u8 = 3;
const KIND_EPOCH: u8 = 4;
const KIND_CHECKPOINT: u8 = 5;
const KIND_BUNDLE: u8 = 6;
const KIND_MARK: u8 = 7;
const KIND_END: u8 = 255;

type Check = [u8; CHECK_BYTES];

/// One thing that a segment holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Record {
    /// An append of a run, as the journal keeps it.
    Frame {
        /// Whose.
        run: RunId,
        /// The append.
        frame: Frame,
    },
    /// A payload that is too large for its append.
    Blob {
        /// Its digest.
        id: BlobId,
        /// What it holds.
        bytes: Vec<u8>,
    },
    /// What earlier segments hold of this run is history: it was removed, or another has its name.
    Removed {
        /// Which run.
        run: RunId,
    },
    /// How often the lease of a run was granted.
    Epoch {
        /// Which run.
        run: RunId,
        /// Its epoch.
        epoch: Epoch,
    },
    /// Which state was stored with an append.
    Checkpoint {
        /// Which run.
        run: RunId,
        /// After which event.
        seq: Seq,
        /// The digest of its bytes.
        digest: Hash,
    },
    /// A part of what git keeps of snapshots; only a replica has it among its records.
    Bundle {
        /// Which part: 0 begins a bundle, whatever came before.
        part: u32,
        /// Whether it is the last.
        is_last: bool,
        /// What it holds.
        bytes: Vec<u8>,
    },
    /// What a replica says of itself, as JSON.
    Mark {
        /// The text.
        bytes: Vec<u8>,
    },
}

/// A segment that is being written.
pub struct Writer {
    bytes: Vec<u8>,
    check: Check,
    count: u64,
}

impl Writer {
    /// A segment of the journal `journal` that follows the one with the digest `previous`.
    pub fn new(journal: [u8; 16], previous: Option<Hash>) -> Self {
        let mut bytes = MAGIC.to_vec();
        bytes.extend_from_slice(&journal);
        bytes.extend_from_slice(&previous.unwrap_or_default());
        Self { check: first_check(&bytes), bytes, count: 0 }
    }

    /// Adds a record.
    pub fn push(&mut self, record: &Record) {
        let mut payload = Vec::new();
        let kind = encode(record, &mut payload);
        self.push_raw(kind, &payload);
        self.count += 1;
    }

    /// How large it is so far.
    pub fn bytes(&self) -> usize {
        self.bytes.len()
    }

    /// Whether nothing was added.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The segment, with its end.
    pub fn finish(mut self) -> Vec<u8> {
        let count = self.count.to_le_bytes();
        self.push_raw(KIND_END, &count);
        self.bytes
    }

    fn push_raw(&mut self, kind: u8, payload: &[u8]) {
        let length = u32::try_from(payload.len() + 1).expect("no record is that large");
        self.check = next_check(&self.check, kind, payload);
        self.bytes.extend_from_slice(&length.to_le_bytes());
        self.bytes.push(kind);
        self.bytes.extend_from_slice(payload);
        self.bytes.extend_from_slice(&self.check);
    }
}

/// Reads a segment from its beginning, record by record.
pub struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    check: Check,
    count: u64,
    ended: bool,
}

/// What a segment says of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// The journal that it is of.
    pub journal: [u8; 16],
    /// The digest of the segment before it.
    pub previous: Option<Hash>,
}

impl<'a> Reader<'a> {
    /// A segment, as a whole.
    pub fn new(bytes: &'a [u8]) -> Result<(Header, Self), String> {
        let header = bytes.get(..HEADER_BYTES).ok_or("it is cut short")?;
        if &header[..8] != MAGIC {
            return Err("it is no segment of a backup".to_owned());
        }
        let journal = header[8..24].try_into().expect("16 bytes");
        let previous: Hash = header[24..].try_into().expect("32 bytes");
        let header = Header { journal, previous: (previous != Hash::default()).then_some(previous) };
        let check = first_check(&bytes[..HEADER_BYTES]);
        Ok((header, Self { bytes, at: HEADER_BYTES, check, count: 0, ended: false }))
    }

    /// The next record, and where its kind and payload lie; `None` at the end, which must be the end of the file.
    #[expect(clippy::should_implement_trait, reason = "damage ends it, and an iterator would go on")]
    pub fn next(&mut self) -> Result<Option<(Range<usize>, Record)>, String> {
        if self.ended {
            return Ok(None);
        }
        let damaged = |what: &str| format!("record {}: {what}", self.count + 1);
        let rest = &self.bytes[self.at..];
        let (length, rest) = rest.split_first_chunk::<4>().ok_or_else(|| damaged("it is cut short"))?;
        let length = u32::from_le_bytes(*length) as usize;
        if length == 0 || length > RECORD_BYTES_MAX {
            return Err(damaged("its length is impossible"));
        }
        let (body, rest) = rest.split_at_checked(length).ok_or_else(|| damaged("it is cut short"))?;
        let (check, rest) =
            rest.split_first_chunk::<CHECK_BYTES>().ok_or_else(|| damaged("it is cut short"))?;
        if next_check(&self.check, body[0], &body[1..]) != *check {
            return Err(damaged("it is not what was written"));
        }
        let place = self.at + 4..self.at + 4 + length;
        if body[0] == KIND_END {
            if body[1..] != self.count.to_le_bytes() || !rest.is_empty() {
                return Err(damaged("the end is not where it should be"));
            }
            self.ended = true;
            return Ok(None);
        }
        let record = decode(body).ok_or_else(|| damaged("it cannot be read"))?;
        self.at = place.end + CHECK_BYTES;
        (self.check, self.count) = (*check, self.count + 1);
        Ok(Some((place, record)))
    }
}

fn first_check(header: &[u8]) -> Check {
    blake3::hash(header).as_bytes()[..CHECK_BYTES].try_into().expect("16 of 32 bytes")
}

fn next_check(before: &Check, kind: u8, payload: &[u8]) -> Check {
    let mut hasher = blake3::Hasher::new();
    hasher.update(before);
    hasher.update(&[kind]);
    hasher.update(payload);
    hasher.finalize().as_bytes()[..CHECK_BYTES].try_into().expect("16 of 32 bytes")
}

fn encode(record: &Record, to: &mut Vec<u8>) -> u8 {
    match record {
        Record::Frame { run, frame } => {
            put_text(to, run.as_str());
            to.extend_from_slice(&frame.seq.to_le_bytes());
            to.extend_from_slice(&frame.at.as_millis().to_le_bytes());
            to.extend_from_slice(&frame.codec.to_le_bytes());
            to.extend_from_slice(&frame.key_id.to_le_bytes());
            to.push(u8::from(frame.request.is_some()));
            to.extend_from_slice(frame.request.as_ref().map_or(&[][..], |request| &request[..]));
            put_text(to, &frame.kinds);
            to.push(frame.hash.len() as u8);
            to.extend_from_slice(&frame.hash);
            to.extend_from_slice(&frame.body);
            KIND_FRAME
        }
        Record::Blob { id, bytes } => {
            to.extend_from_slice(id);
            to.extend_from_slice(bytes);
            KIND_BLOB
        }
        Record::Removed { run } => {
            put_text(to, run.as_str());
            KIND_REMOVED
        }
        Record::Epoch { run, epoch } => {
            put_text(to, run.as_str());
            to.extend_from_slice(&epoch.to_le_bytes());
            KIND_EPOCH
        }
        Record::Checkpoint { run, seq, digest } => {
            put_text(to, run.as_str());
            to.extend_from_slice(&seq.to_le_bytes());
            to.extend_from_slice(digest);
            KIND_CHECKPOINT
        }
        Record::Bundle { part, is_last, bytes } => {
            to.extend_from_slice(&u64::from(*part).to_le_bytes());
            to.push(u8::from(*is_last));
            to.extend_from_slice(bytes);
            KIND_BUNDLE
        }
        Record::Mark { bytes } => {
            to.extend_from_slice(bytes);
            KIND_MARK
        }
    }
}

/// The record of a kind and its payload; `None` where they are not what [`encode`] wrote.
pub(crate) fn decode(body: &[u8]) -> Option<Record> {
    let (kind, payload) = body.split_first()?;
    let mut from = Fields(payload);
    let record = match *kind {
        KIND_FRAME => {
            let run = from.run()?;
            let (seq, at) = (from.number()?, from.number()? as i64);
            let (codec, key_id) = (from.number()? as i64, from.number()? as i64);
            let request: Option<RequestId> = match from.byte()? {
                0 => None,
                1 => Some(*from.array()?),
                _ => return None,
            };
            let kinds = from.text(u16::MAX as usize)?;
            let length = from.byte()? as usize;
            let hash = from.take(length)?.to_vec();
            let body = from.rest().to_vec();
            let at = Timestamp::from_millis(at);
            Record::Frame { run, frame: Frame { seq, at, kinds, codec, key_id, body, hash, request } }
        }
        KIND_BLOB => Record::Blob { id: *from.array()?, bytes: from.rest().to_vec() },
        KIND_REMOVED => Record::Removed { run: from.run()? },
        KIND_EPOCH => Record::Epoch { run: from.run()?, epoch: from.number()? },
        KIND_CHECKPOINT => {
            Record::Checkpoint { run: from.run()?, seq: from.number()?, digest: *from.array()? }
        }
        KIND_BUNDLE => {
            let part = u32::try_from(from.number()?).ok()?;
            let is_last = match from.byte()? {
                0 => false,
                1 => true,
                _ => return None,
            };
            Record::Bundle { part, is_last, bytes: from.rest().to_vec() }
        }
        KIND_MARK => Record::Mark { bytes: from.rest().to_vec() },
        _ => return None,
    };
    from.0.is_empty().then_some(record)
}

fn put_text(to: &mut Vec<u8>, text: &str) {
    let length = u16::try_from(text.len()).expect("names and types are short");
    to.extend_from_slice(&length.to_le_bytes());
    to.extend_from_slice(text.as_bytes());
}

/// What is left of a payload.
struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn array<const N: usize>(&mut self) -> Option<&'a [u8; N]> {
        self.take(N)?.try_into().ok()
    }

    fn byte(&mut self) -> Option<u8> {
        self.array::<1>().map(|byte| byte[0])
    }

    fn number(&mut self) -> Option<u64> {
        self.array().map(|bytes| u64::from_le_bytes(*bytes))
    }

    fn text(&mut self, bytes_max: usize) -> Option<String> {
        let length = u16::from_le_bytes(*self.array()?) as usize;
        let text = self.take(length).filter(|_| length <= bytes_max)?;
        std::str::from_utf8(text).ok().map(str::to_owned)
    }

    fn run(&mut self) -> Option<RunId> {
        self.text(RUN_ID_BYTES_MAX)?.parse().ok()
    }

    fn rest(&mut self) -> &'a [u8] {
        std::mem::take(&mut self.0)
    }
}

#[cfg(test)]
mod tests;
