//! What is known of the agent's sessions.

use std::collections::VecDeque;

use piton_record::record;

use crate::Timestamp;
use crate::limits::{SESSION_HISTORY_MAX, keep_last};
use crate::loop_machine::facts::{IntendedSession, Usage};
use crate::loop_machine::judge::context::{
    ContextSample, Recommendation, RedlinePolicy, is_degraded, recommend,
};
use crate::loop_machine::judge::reboot::{RebootReason, RebootRecord};

/// The agent's sessions.
#[record(
    Default,
    omit(said_bytes, handed_over, spent),
    written(current, started_at, context_usage_percent, history)
)]
pub struct Session {
    /// The session of the last attempt that named one.
    pub current: Option<String>,
    pub started_at: Option<Timestamp>,
    /// When the last attempt began.
    pub attempt_at: Option<Timestamp>,
    pub iterations: u32,
    /// How full its context is.
    pub context_usage_percent: Option<u8>,
    /// What it has used in all, where its agent counts so.
    pub usage: Option<Usage>,
    /// What it has cost in all, likewise.
    pub cost_microusd: Option<u64>,
    /// What was seen of it, iteration by iteration.
    pub samples: VecDeque<ContextSample>,
    /// The last changes to a fresh one in the middle of the work.
    pub reboots: VecDeque<RebootRecord>,
    /// Bytes that were said in it, both ways, as far as that is known.
    pub said_bytes: u64,
    /// Why a person is to be asked whether it may give way to a fresh one.
    pub proposed: Option<RebootReason>,
    /// None is begun any more, though one is due: so many in a row were not to be.
    pub given_up: Option<u32>,
    /// Why the next attempt begins a fresh one, and so is told what the old one knew.
    pub handoff: Option<RebootReason>,
    /// An attempt that is told so was begun, and the fresh session is counted.
    pub handed_over: bool,
    /// The next attempt begins another one: this one is full, or cannot be continued.
    pub spent: bool,
    /// The sessions before it.
    pub history: VecDeque<SessionRecord>,
}

impl Session {
    /// How full its context is: as its agent says, else as it was last estimated.
    pub fn context_usage(&self) -> Option<u8> {
        self.context_usage_percent.or(self.samples.back().map(|sample| sample.percent))
    }

    /// What that and how it behaves say about it.
    pub fn recommendation(&self, policy: &RedlinePolicy) -> Recommendation {
        let samples: Vec<_> = self.samples.iter().copied().collect();
        recommend(policy, self.context_usage(), is_degraded(policy, &samples), self.iterations)
    }

    /// Whether that is an estimate.
    pub fn is_estimated(&self) -> bool {
        self.context_usage_percent.is_none() && !self.samples.is_empty()
    }
}

/// A session that ended.
#[record(Eq)]
pub struct SessionRecord {
    pub session_id: String,
    /// When its first attempt started.
    pub started_at: Timestamp,
    /// When it was left.
    pub ended_at: Timestamp,
    pub iterations: u32,
    /// Why it gave way, where that was decided; otherwise another one was begun as the run is configured.
    pub reason: Option<RebootReason>,
    /// Why it ended, in the words of another tool that had it.
    pub elsewhere: Option<String>,
}

impl Session {
    /// Whether the next attempt begins a fresh one that is not counted yet.
    pub fn is_due(&self) -> bool {
        self.handoff.is_some() && !self.handed_over
    }

    /// The sessions while an attempt works: one that was to be left is left. What the attempt calls its own is known before it
    /// ends only where it was told.
    #[must_use]
    pub fn at_work(&self, intended: Option<&IntendedSession>) -> Self {
        let mut session = self.clone();
        let Some(began) = session.attempt_at else { return session };
        let another = intended.filter(|intended| self.current.as_ref() != Some(&intended.id));
        if session.spent || another.is_some() {
            session.leave(began);
        }
        if let Some(another) = another {
            (session.current, session.started_at) = (Some(another.id.clone()), Some(began));
        }
        session
    }

    /// It is no longer the last one.
    pub(in crate::loop_machine) fn leave(&mut self, at: Timestamp) {
        if let (Some(session_id), Some(started_at)) = (self.current.take(), self.started_at.take()) {
            let (iterations, reason) = (self.iterations, self.handoff.clone());
            let left =
                SessionRecord { session_id, started_at, ended_at: at, iterations, reason, elsewhere: None };
            self.history.push_back(left);
            keep_last(&mut self.history, SESSION_HISTORY_MAX);
        }
        self.iterations = 0;
        self.said_bytes = 0;
        self.samples.clear();
        (self.usage, self.cost_microusd, self.context_usage_percent) = (None, None, None);
    }

    /// The session that the next attempt may go on with: the last one, unless it gives way to a fresh one.
    pub fn goes_on(&self) -> Option<&str> {
        self.current.as_deref().filter(|_| !self.spent)
    }
}
