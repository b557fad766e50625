//! What every kind of run has in common, so that one driver drives them all.
//!
//! A [`Machine`] is the state of one kind: it folds events, turns commands into events, and names the work that is
//! open. A [`RunEvent`] is a fact of that kind, and how it becomes bytes and back: its type, the version of its shape
//! and its data. When a shape changes, its version grows and decoding lifts the old one.

use std::fmt::Debug;

use serde::de::{DeserializeOwned, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use crate::event::StopOrigin;
use crate::loop_machine::Place;
use crate::rejection::Rejection;
use crate::status::{ExitCode, Kind, Reason, Status, exit_code};
use crate::{Epoch, RunId, Seq, Timestamp};

/// The state of one kind of run, with its rules. No clock, no I/O.
pub trait Machine: Clone + Debug + PartialEq + Serialize + DeserializeOwned + 'static {
    const KIND: Kind;
    /// The version of the fold. It grows with every change of [`Machine::apply`] or of the state's shape; a checkpoint of
    /// another version is passed by, and the events are folded instead.
    const FOLD: u32;
    /// What happens to it.
    type Event: RunEvent;
    /// What a driver may tell it.
    type Command: Clone + Debug + PartialEq;
    /// Work that can be open in it.
    type Effect: Clone + Debug + PartialEq;

    /// The state after `event`; `None` where a run does not begin with its creation.
    fn apply(state: Option<Self>, event: &Self::Event, at: Timestamp) -> Option<Self>;

    /// What follows from `command` at `now`, and the state it leads to.
    fn advance(&self, command: Self::Command, now: Timestamp) -> Result<(Vec<Self::Event>, Self), Rejection>;

    /// The states on the way to where `events` lead that readers of the published files are promised to see, although all
    /// of it shares one append.
    fn moments(&self, _events: &[Self::Event], _at: Timestamp) -> Vec<Self> {
        Vec::new()
    }

    /// Whether a request makes sense where the run is; the journal would take it in any case.
    fn admit(&self, request: &Self::Event) -> Result<(), Rejection>;

    /// The work that is open, for a driver to perform or to look up.
    fn effects(&self) -> Vec<Self::Effect>;

    /// The work that is on record as begun, also where a run at rest has left it open. Whoever takes over looks it up and never
    /// begins it.
    fn begun(&self) -> Vec<Self::Effect>;

    /// Whether a driver says this before it begins the work that brought it: that is then asked for again as it was.
    fn comes_first(command: &Self::Command) -> bool;

    /// Whether this open work should be ended instead of awaited.
    fn wants_cancel(&self, effect: &Self::Effect) -> bool;

    /// The moment, if all that is open is to wake up then.
    fn timer(effect: &Self::Effect) -> Option<Timestamp>;

    /// "I took the lease."
    fn drive(epoch: Epoch, place: Place, version: String) -> Self::Command;

    /// "Look again."
    fn tick() -> Self::Command;

    /// What a list of runs says of it.
    fn entry(&self) -> Entry;

    /// The epoch of its last driver; `None` before the first, and where nobody ever drives.
    fn driven(&self) -> Option<Epoch>;

    /// Whether nothing happens any more until somebody acts.
    fn is_at_rest(&self) -> bool {
        self.entry().is_at_rest()
    }
}

/// A run in a list, whatever its kind. Its state makes it, the index of the journal keeps it, and every front end shows
/// it: the names of its fields are public.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Its name, as given.
    pub run_id: RunId,
    pub kind: Kind,
    /// One line for people.
    pub title: String,
    /// Where it is.
    pub status: Status,
    /// What ended or holds it, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When its last event happened.
    pub updated_at: Timestamp,
    /// How far it came: iterations of a loop or a cycle, attempts of a workflow, researches of a ledger.
    pub iteration: u32,
    /// What it waits for, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting_for: Option<String>,
    /// The version of the fold that says so.
    #[serde(skip)]
    pub fold: u32,
}

impl Entry {
    /// What a viewer of it exits with; `None` while it is under way.
    pub fn exit_code(&self) -> Option<ExitCode> {
        match (self.kind, self.status) {
            // A ledger at rest waits for time to pass, and for nobody.
            (Kind::Ledger, Status::Waiting) => Some(ExitCode::Done),
            // A cycle whose iterations are used up has failed, and it was a limit that ended it.
            (Kind::Cycle, Status::Failed) if self.reason.is_some_and(Reason::is_limit) => {
                Some(ExitCode::Limit)
            }
            _ => exit_code(self.status, self.reason),
        }
    }

    /// Whether nothing happens any more until somebody acts.
    pub fn is_at_rest(&self) -> bool {
        self.exit_code().is_some()
    }

    /// Whether it goes on by itself as soon as somebody drives it.
    pub fn is_under_way(&self) -> bool {
        // Nobody drives a ledger: `piton gaps research` goes on with what it began.
        self.kind != Kind::Ledger && !self.is_at_rest()
    }

    /// Whether it is over: resuming it is a decision.
    pub fn is_over(&self) -> bool {
        matches!(self.status, Status::Completed | Status::Failed | Status::Stopped)
    }

    /// Whether a person is needed. A ledger waits for time to pass.
    pub fn needs_person(&self) -> bool {
        let waits = matches!(self.status, Status::Paused | Status::Waiting);
        self.kind != Kind::Ledger && waits && self.is_at_rest()
    }
}

/// A fact of one kind of run.
pub trait RunEvent: Clone + Debug + PartialEq + Serialize + DeserializeOwned + 'static {
    /// "A checkpoint of the state was stored with this append."
    fn checkpoint_taken(named: CheckpointName) -> Self;

    /// Which checkpoint this is the record of.
    fn as_checkpoint(&self) -> Option<CheckpointName>;

    /// "Stop."
    fn stop_requested(now: bool, origin: StopOrigin) -> Self;

    /// The event as it is stored.
    fn encode(&self) -> Encoded {
        // Serde writes `{"type":{…}}`; the two halves are stored apart, so take them apart here.
        let bytes = serde_json::to_vec(self).expect("events hold only strings, numbers and maps of them");
        let colon = bytes.iter().position(|byte| *byte == b':').expect("an event is an object of one member");
        let kind = std::str::from_utf8(&bytes[2..colon - 1]).expect("types are ASCII").to_owned();
        Encoded { kind, version: VERSION, data: bytes[colon + 1..bytes.len() - 1].to_vec() }
    }

    /// Reads what [`RunEvent::encode`] wrote, at any version so far.
    fn decode(kind: &str, version: u16, data: &[u8]) -> Result<Self, DecodeError> {
        if version > VERSION || !Self::types().contains(&kind) {
            return Err(DecodeError::Newer { kind: kind.to_owned(), version });
        }
        let mut bytes = Vec::with_capacity(data.len() + kind.len() + 5);
        bytes.extend_from_slice(b"{\"");
        bytes.extend_from_slice(kind.as_bytes());
        bytes.extend_from_slice(b"\":");
        bytes.extend_from_slice(data);
        bytes.push(b'}');
        serde_json::from_slice(&bytes)
            .map_err(|source| DecodeError::Malformed { kind: kind.to_owned(), source })
    }

    /// Every type there is, to tell an unknown type from a malformed one: what serde calls the variants.
    fn types() -> &'static [&'static str] {
        let mut names: &'static [&'static str] = &[];
        // It gives no value, only the names that it is asked for.
        let _ = Self::deserialize(VariantNames(&mut names));
        names
    }
}

/// Takes down what an enum calls its variants when it is to be read, and reads nothing.
struct VariantNames<'a>(&'a mut &'static [&'static str]);

impl<'de> Deserializer<'de> for VariantNames<'_> {
    type Error = NothingToRead;

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        *self.0 = variants;
        self.deserialize_any(visitor)
    }

    fn deserialize_any<V: Visitor<'de>>(self, _visitor: V) -> Result<V::Value, Self::Error> {
        Err(NothingToRead)
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

#[derive(Debug, thiserror::Error)]
#[error("there is nothing to read")]
struct NothingToRead;

impl serde::de::Error for NothingToRead {
    fn custom<T: std::fmt::Display>(_message: T) -> Self {
        Self
    }
}

/// A checkpoint, as its chained event names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckpointName {
    /// The event that names it: the state after this event is the one that was stored.
    pub seq: Seq,
    /// Digest of its bytes.
    pub digest: String,
    /// The version of the fold that made it.
    pub fold: u32,
}

/// An event as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Encoded {
    /// The event's type, e.g. `attempt_started`.
    pub kind: String,
    /// The version of its shape.
    pub version: u16,
    /// Its data: one JSON object.
    pub data: Vec<u8>,
}

/// Stored bytes that are not an event this piton knows.
#[derive(Debug, thiserror::Error)]
pub enum DecodeError {
    /// The type or version is newer than this program.
    #[error("event `{kind}` version {version} comes from a newer piton")]
    Newer {
        /// Its type.
        kind: String,
        version: u16,
    },
    /// The data does not have the shape of its type.
    #[error("event `{kind}` does not have the shape it should have")]
    Malformed {
        /// Its type.
        kind: String,
        /// What the parser said.
        source: serde_json::Error,
    },
}

/// The shape of every event so far is its first.
const VERSION: u16 = 1;
