//! What is known of the agent's sessions.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::Timestamp;
use crate::loop_machine::facts::Usage;
use crate::loop_machine::judge::context::ContextSample;
use crate::loop_machine::judge::reboot::{RebootReason, RebootRecord};

/// The agent's sessions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Session {
    /// The session of the last attempt that named one.
    pub current: Option<String>,
    /// Since when.
    pub started_at: Option<Timestamp>,
    /// Iterations in it.
    pub iterations: u32,
    /// How full its context is.
    pub context_usage_percent: Option<u8>,
    /// What it has used in all, where its agent counts so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// What it has cost in all, likewise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_microusd: Option<u64>,
    /// What was seen of it, iteration by iteration.
    #[serde(default, skip_serializing_if = "VecDeque::is_empty")]
    pub samples: VecDeque<ContextSample>,
    /// The last changes to a fresh one in the middle of the work.
    #[serde(default, skip_serializing_if = "VecDeque::is_empty")]
    pub reboots: VecDeque<RebootRecord>,
    /// Bytes that were said in it, both ways, as far as that is known.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub said_bytes: u64,
    /// Why a person is to be asked whether it may give way to a fresh one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proposed: Option<RebootReason>,
    /// Why the next attempt begins a fresh one, and so is told what the old one knew.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handoff: Option<RebootReason>,
    /// The next attempt begins another one: this one is full, or cannot be continued.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub spent: bool,
    /// The sessions before it.
    pub history: VecDeque<SessionRecord>,
}

/// A session that ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SessionRecord {
    pub session_id: String,
    /// From.
    pub started_at: Timestamp,
    /// To.
    pub ended_at: Timestamp,
    /// Iterations in it.
    pub iterations: u32,
}
