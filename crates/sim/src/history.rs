//! What was recorded of one simulated run, raw: all that the checker may look at.
//!
//! One log in the order in which things happened, and the journal as it was read back at the end. The
//! entries are facts about the world and the store, not what the product thinks of them.

/// Names the process that an attempt or a check starts, and the directory it leaves its traces in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Name {
    /// The agent of an attempt.
    Attempt(u32),
    /// The try of a check of a round.
    Check {
        /// The round.
        round: u32,
        /// The check.
        index: u8,
        /// Which try, from 1.
        attempt: u8,
    },
}

/// By what right something was appended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum By {
    /// A driver of this epoch.
    Epoch(u64),
    /// Anybody, with a request of this id.
    Request([u8; 16]),
}

/// Something that happened.
#[derive(Clone, Debug)]
pub(crate) enum Entry {
    /// The store granted the lease.
    Lease { epoch: u64 },
    /// The store made these events durable.
    Commit { by: By, first: u64, last: u64, salt: [u8; 16] },
    /// Somebody was told that these events are durable. `content` digests what they had sent.
    Acked { last: u64, count: u64, content: u64 },
    /// The driver of this epoch was told that its storage failed for good.
    FinalError { epoch: u64 },
    /// A view was written that shows the run as of event `shown`.
    View { shown: u64, iterations: u32, cost: u64, lost: u32 },
    /// A process was started in the work tree.
    Spawned(Name),
    /// That process is gone.
    Gone(Name),
    /// A keeper wrote down how its process ended.
    ExitWritten { name: Name, outcome: &'static str, cost: Option<u64> },
    /// Somebody made sure that this attempt never starts.
    Tombstone(Name),
    /// A fold of the journal up to `head` gave a state of this digest.
    Folded { head: u64, digest: u64 },
    /// Faults end here.
    Healed,
    /// The last driver left; the run rests.
    Rested,
    /// The simulation itself saw something that must not be.
    Impossible(&'static str),
}

/// An event as it was read back.
#[derive(Clone, Debug)]
pub(crate) struct RawEvent {
    pub(crate) seq: u64,
    pub(crate) at_ms: i64,
    pub(crate) kind: String,
    pub(crate) version: u16,
    pub(crate) data: Vec<u8>,
    pub(crate) hash: [u8; 32],
}

/// Everything that was recorded of one run.
#[derive(Clone, Debug)]
pub(crate) struct History {
    pub(crate) run: String,
    pub(crate) log: Vec<Entry>,
    pub(crate) events: Vec<RawEvent>,
}
