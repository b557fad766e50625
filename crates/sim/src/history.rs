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
    /// A view was written.
    View(View),
    /// A process was started in the work tree.
    Spawned(Name),
    /// That process is gone.
    Gone(Name),
    /// A keeper wrote down how its process ended.
    ExitWritten { name: Name, outcome: &'static str, cost: Option<u64> },
    /// Somebody made sure that this attempt never starts.
    Tombstone(Name),
    /// The hooks at a point were called, for the call of this number, by the driver of this epoch.
    HookCalled { call: u32, point: &'static str, epoch: u64 },
    /// A run that a step of this attempt stands for was begun.
    NestedBegun { attempt: u32 },
    /// That run came to its end.
    NestedEnded { attempt: u32, outcome: &'static str, cost: Option<u64> },
    /// A person put a file there that answers what a step asks, by the clock of that moment.
    InputWritten { step: String, at_ms: i64, approved: bool },
    /// The role of an attempt got its prompt: what others told it, and the tree it is about to start in.
    Prompted { attempt: u32, tree: String, told: Vec<String> },
    /// A person edited the state file of a cycle: its status, as a signal, and fields that do not count.
    Edited { signal: Option<&'static str>, fields: Vec<String> },
    /// The state file of a cycle, with what a person had edited in it, was written over.
    EditGone { fields: Vec<String>, signal: Option<&'static str> },
    /// A line of a log of a cycle that is only ever added to, in the order of the log, at the end.
    Line { log: &'static str, text: String },
    /// A person wrote this question of a gap into the file.
    Asked { gap: String, question: String },
    /// What the file of a ledger says of a gap at the end: its question and its status.
    FileSays { gap: String, question: String, status: &'static str },
    /// A line of the audit log, in the order of the log.
    Logged { gap: String, old: &'static str, new: &'static str },
    /// A fold of the journal up to `head` gave a state of this digest.
    Folded { head: u64, digest: u64 },
    /// Faults end here.
    Healed,
    /// The last driver left; the run rests.
    Rested,
    /// The simulation itself saw something that must not be.
    Impossible(&'static str),
}

/// What a view shows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View {
    /// The run as of this event.
    pub(crate) shown: u64,
    /// Iterations of a loop that have a verdict, attempts of a workflow or a cycle that ended.
    pub(crate) count: u32,
    /// Money.
    pub(crate) cost: u64,
    /// Attempts whose outcome could not be known.
    pub(crate) lost: u32,
    /// Whether a person is there, where that is said.
    pub(crate) mode: Option<&'static str>,
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
    /// The kind of run.
    pub(crate) kind: &'static str,
    pub(crate) log: Vec<Entry>,
    pub(crate) events: Vec<RawEvent>,
}
