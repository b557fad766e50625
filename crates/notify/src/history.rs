//! What was sent so far, and what waits to be sent.
//!
//! Owns the file beside the journal that keeps it. The journal is not asked: a lost file costs a message that is
//! sent twice, nothing else. Bounded: the newest records are kept.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::Path;

use piton_model::Timestamp;
use piton_model::limits::keep_last;
use piton_model::notify::{Priority, Trigger};
use piton_record::record;
use piton_sys::file::{self, Durability};

use crate::occasion::Occasion;
use crate::watch::Seen;

/// Records that are kept; the rate per hour is counted in them.
pub(crate) const RECORDS_MAX: usize = 100;
/// The largest file that is read back.
const BYTES_MAX: u64 = 4 << 20;

/// What was sent of one run, and what waits.
#[record(Default, written)]
#[serde(default)]
pub struct History {
    /// What was sent, the newest last.
    pub records: VecDeque<Record>,
    /// The number of the last record.
    pub last_number: u64,
    /// What waits for a newer one to take its place.
    pub held: BTreeMap<Trigger, Held>,
    /// Messages that were held back since the last one that was sent.
    pub held_back: u32,
    /// Channels whose last delivery failed: that was reported.
    pub failing: BTreeSet<String>,
    /// How the run stood when it was last looked at.
    pub seen: Option<Seen>,
    /// The rest that people were last told of, by its beginning, where nobody looks at more than that.
    pub rested: Option<Timestamp>,
}

/// A message that waits.
#[record(Eq)]
pub struct Held {
    /// When it is sent at the latest.
    pub until: Timestamp,
    /// What it says.
    pub occasion: Occasion,
}

/// A message that was sent.
#[record(Eq, written(sent_to))]
pub struct Record {
    /// Counts the messages of a run.
    pub number: u64,
    /// When it was sent.
    pub at: Timestamp,
    /// What it was about.
    pub trigger: Trigger,
    /// How much it mattered.
    pub priority: Priority,
    /// Its first line.
    pub title: String,
    /// The channels it went to, and what became of it there.
    pub sent_to: BTreeMap<String, Delivery>,
    /// When a person had the run go on that it was about.
    pub acknowledged_at: Option<Timestamp>,
}

/// What became of a message on its way to a channel.
#[record(Eq)]
pub enum Delivery {
    /// It is on its way, or the driver died meanwhile.
    Open,
    /// The other side took it.
    Delivered,
    /// It did not arrive, and why.
    Failed(String),
}

impl History {
    /// What the file says. One that is missing or not ours is an empty history.
    pub fn load(path: &Path) -> Self {
        let bytes = file::read_regular(path, BYTES_MAX).ok().flatten();
        bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
    }

    /// Whether there is something to tell of a run that stands like this: who drove it died before it could.
    pub fn is_behind(&self, seen: &Seen) -> bool {
        !self.held.is_empty() || !seen.occasions(self.seen.as_ref()).is_empty()
    }

    /// Keeps it in the file.
    pub fn save(&self, path: &Path) -> Result<(), file::Error> {
        let bytes = serde_json::to_vec(self).expect("a history is plain data");
        file::write_atomic(path, &bytes, Durability::Unsynced)
    }

    /// Notes what became of message `number` on its way to `channel`; says what to report of it, and that once.
    pub fn settle(&mut self, number: u64, channel: &str, outcome: Result<(), String>) -> Option<String> {
        let report = match &outcome {
            Ok(()) => {
                self.failing.remove(channel);
                None
            }
            Err(why) => self
                .failing
                .insert(channel.to_owned())
                .then(|| format!("channel `{channel}` cannot be told: {why}")),
        };
        let record = self.records.iter_mut().rev().find(|record| record.number == number);
        if let Some(delivery) = record.and_then(|record| record.sent_to.get_mut(channel)) {
            *delivery = match outcome {
                Ok(()) => Delivery::Delivered,
                Err(why) => Delivery::Failed(why),
            };
        }
        report
    }

    /// A person had the run go on: they know what was told of it before.
    pub fn acknowledge(&mut self, now: Timestamp) {
        for record in &mut self.records {
            record.acknowledged_at.get_or_insert(now);
        }
    }

    /// When the next held message is due.
    pub fn next_due(&self) -> Option<Timestamp> {
        self.held.values().map(|held| held.until).min()
    }

    pub(crate) fn push(&mut self, record: Record) {
        self.records.push_back(record);
        keep_last(&mut self.records, RECORDS_MAX);
    }
}
