//! A gap: its fields, their names and their defaults.

use std::ops::{Deref, DerefMut};
use std::str::FromStr;
use std::sync::Arc;

use piton_record::record;
use serde::{Deserialize, Serialize};

use super::evidence::Source;
use crate::Timestamp;
use crate::words::words;

/// The gap file, unless the configuration says otherwise.
pub const DEFAULT_FILE: &str = "gaps.yaml";
/// The priority of a gap that names none.
pub const DEFAULT_PRIORITY: i64 = 3;
/// The time to live of a gap that names none, unless the configuration says otherwise.
pub const DEFAULT_TTL_DAYS: u32 = 30;
/// How many gaps a research run takes on, unless the configuration says otherwise.
pub const MAX_GAPS_PER_RUN: usize = 5;

words! {
    /// What is known of a gap. There are exactly four.
    #[derive(Default)]
    pub enum GapStatus {
        /// Never researched.
        #[default]
        Unknown = "unknown",
        /// Researched, and the findings held when they were last verified.
        Verified = "verified",
        /// Was verified, but too long ago, or what it rests on has changed.
        Stale = "stale",
        /// Waits for another gap.
        Blocked = "blocked",
    }
}

/// The text is not one of the four statuses.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown status '{}': use blocked, stale, unknown or verified", .text.escape_debug())]
pub struct UnknownStatus {
    text: String,
}

impl FromStr for GapStatus {
    type Err = UnknownStatus;

    fn from_str(text: &str) -> Result<Self, UnknownStatus> {
        GapStatus::from_word(text).ok_or_else(|| UnknownStatus { text: text.chars().take(80).collect() })
    }
}

/// One question, and what is known about it: a value whose copies share their fields until one of them changes.
///
/// File, state and what is wished for hold the same hundred thousand gaps but for a few; so they hold them once, and gaps
/// that were never changed are compared by a look.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Gap(Arc<GapFields>);

impl Deref for Gap {
    type Target = GapFields;

    fn deref(&self) -> &GapFields {
        &self.0
    }
}

impl DerefMut for Gap {
    fn deref_mut(&mut self) -> &mut GapFields {
        Arc::make_mut(&mut self.0)
    }
}

/// What there is to say of a gap. Only `id` and `category` are needed.
#[record(Eq, omit(findings, question))]
pub struct GapFields {
    /// Unique in its ledger.
    pub id: String,
    /// A label to group by.
    pub category: String,
    /// What is known.
    #[serde(default)]
    pub status: GapStatus,
    /// From 1 (low) to 5 (high).
    #[serde(default = "default_priority")]
    pub priority: i64,
    /// When findings were last confirmed.
    pub last_verified: Option<Timestamp>,
    /// When somebody last looked, whether or not anything was found.
    pub last_checked: Option<Timestamp>,
    /// How many days findings hold; the configured default where there is none.
    pub ttl_days: Option<i64>,
    /// Gaps that wait for this one.
    pub blocks: Vec<String>,
    /// Gaps that this one waits for.
    pub blocked_by: Vec<String>,
    /// What was found, in words.
    pub findings: String,
    /// What is asked, in words, where the id does not say it.
    pub question: String,
    /// What the findings rest on.
    pub evidence: Vec<Source>,
}

fn default_priority() -> i64 {
    DEFAULT_PRIORITY
}

impl Gap {
    /// A gap that nothing is known of.
    pub fn new(id: impl Into<String>, category: impl Into<String>) -> Self {
        Gap(Arc::new(GapFields {
            id: id.into(),
            category: category.into(),
            status: GapStatus::Unknown,
            priority: DEFAULT_PRIORITY,
            last_verified: None,
            last_checked: None,
            ttl_days: None,
            blocks: Vec::new(),
            blocked_by: Vec::new(),
            findings: String::new(),
            question: String::new(),
            evidence: Vec::new(),
        }))
    }

    /// The same gap with something changed.
    #[must_use]
    pub fn with(&self, change: impl FnOnce(&mut GapFields)) -> Self {
        let mut gap = self.clone();
        change(&mut gap);
        gap
    }

    /// Whether the two agree in this field.
    pub fn same(&self, other: &Gap, field: Field) -> bool {
        match field {
            Field::Id => self.id == other.id,
            Field::Category => self.category == other.category,
            Field::Status => self.status == other.status,
            Field::Priority => self.priority == other.priority,
            Field::LastVerified => self.last_verified == other.last_verified,
            Field::LastChecked => self.last_checked == other.last_checked,
            Field::TtlDays => self.ttl_days == other.ttl_days,
            Field::Blocks => self.blocks == other.blocks,
            Field::BlockedBy => self.blocked_by == other.blocked_by,
            Field::Findings => self.findings == other.findings,
            Field::Question => self.question == other.question,
            Field::Evidence => self.evidence == other.evidence,
        }
    }

    /// The fields in which the two differ.
    pub fn differences(&self, other: &Gap) -> Vec<Field> {
        Field::ALL.into_iter().filter(|field| !self.same(other, *field)).collect()
    }

    /// Takes over one field of another gap.
    pub fn take(&mut self, field: Field, from: &Gap) {
        match field {
            Field::Id => self.id.clone_from(&from.id),
            Field::Category => self.category.clone_from(&from.category),
            Field::Status => self.status = from.status,
            Field::Priority => self.priority = from.priority,
            Field::LastVerified => self.last_verified = from.last_verified,
            Field::LastChecked => self.last_checked = from.last_checked,
            Field::TtlDays => self.ttl_days = from.ttl_days,
            Field::Blocks => self.blocks.clone_from(&from.blocks),
            Field::BlockedBy => self.blocked_by.clone_from(&from.blocked_by),
            Field::Findings => self.findings.clone_from(&from.findings),
            Field::Question => self.question.clone_from(&from.question),
            Field::Evidence => self.evidence.clone_from(&from.evidence),
        }
    }

    /// Whether the field says no more than its absence would. `id` and `category` are always written.
    pub fn is_default(&self, field: Field) -> bool {
        // Every gap says what it is called and what it belongs to.
        !matches!(field, Field::Id | Field::Category) && self.same(&Gap::new("", ""), field)
    }
}

words! {
    /// The fields of a gap, in the order in which they are written.
    pub enum Field {
        Id = "id",
        Category = "category",
        Status = "status",
        Priority = "priority",
        /// [`GapFields::last_verified`].
        LastVerified = "last_verified",
        /// [`GapFields::last_checked`].
        LastChecked = "last_checked",
        /// [`GapFields::ttl_days`].
        TtlDays = "ttl_days",
        Blocks = "blocks",
        /// [`GapFields::blocked_by`].
        BlockedBy = "blocked_by",
        Findings = "findings",
        Question = "question",
        Evidence = "evidence",
    }
}
