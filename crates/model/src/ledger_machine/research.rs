//! Research: a batch of gaps, one agent after the other, every step on record before it is taken.
//!
//! A batch is planned with its limits; each attempt is named before its agent starts; what it found is recorded together
//! with what that does to the gap. What was spent is part of the state, so that going on after a crash spends nothing
//! twice and forgets nothing. One attempt that fails leaves its gap as it is, and the next has its turn.

use piton_record::record;

use super::decide::{Rejection, settle};
use super::event::LedgerEvent;
use super::state::State;
use crate::Timestamp;
use crate::ledger::{Gap, GapStatus, Outcome, Source, is_due};
use crate::policy::policy;

policy! {
    /// How long gaps rest, and what a batch puts up with.
    #[record(Copy, Eq)]
    pub struct ResearchPolicy {
        /// A gap that was looked into without an answer is left alone for so long, after each further time for twice as
        /// long.
        pub pause_ms: u64 = 10 * 60 * 1000,
        /// But never longer than this.
        pub pause_ms_max: u64 = 24 * 60 * 60 * 1000,
        /// Attempts of a batch that may get lost before one counts as failed.
        pub lost_max: u32 = 3,
    }
}

impl ResearchPolicy {
    pub(super) fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// What a batch may use. `None` is no limit.
#[record(Copy, Default, Eq, written)]
pub struct ResearchLimits {
    /// Tokens of all its attempts.
    pub tokens: Option<u64>,
    /// Their cost, in millionths of a dollar.
    pub microusd: Option<u64>,
    /// How long agents may work, over all attempts.
    pub working_ms: Option<u64>,
}

/// What was used. What an agent does not tell is not known, and counted as such.
#[record(Copy, Default, Eq)]
pub struct Spent {
    /// Tokens that were told.
    pub tokens: u64,
    /// Cost that was told, in millionths of a dollar.
    pub microusd: u64,
    /// How long agents worked.
    pub working_ms: u64,
    /// Attempts that told no tokens.
    pub tokens_unknown: u32,
    /// Attempts that told no cost.
    pub cost_unknown: u32,
}

impl Spent {
    /// Both together.
    #[must_use]
    pub fn plus(self, other: Spent) -> Spent {
        Spent {
            tokens: self.tokens.saturating_add(other.tokens),
            microusd: self.microusd.saturating_add(other.microusd),
            working_ms: self.working_ms.saturating_add(other.working_ms),
            tokens_unknown: self.tokens_unknown.saturating_add(other.tokens_unknown),
            cost_unknown: self.cost_unknown.saturating_add(other.cost_unknown),
        }
    }

    pub(super) fn is_nothing(&self) -> bool {
        *self == Spent::default()
    }
}

/// What one attempt used.
#[record(Copy, Default, Eq, written)]
pub struct Used {
    /// Tokens, where told.
    pub tokens: Option<u64>,
    /// Cost, where told, in millionths of a dollar.
    pub microusd: Option<u64>,
    /// How long it took.
    pub working_ms: u64,
}

/// An agent that looks into a gap, or did when nobody was left to see it.
#[record(Eq)]
pub struct OpenResearch {
    /// Names its directory; never used twice.
    pub attempt: u32,
    /// The gap as it was: an edit by hand meanwhile counts more than what is found.
    pub gap: Box<Gap>,
    /// The machine it runs on.
    pub host: String,
    /// That machine's boot.
    pub boot: String,
    /// Since when, by the ledger's time.
    pub since: Timestamp,
}

/// A batch under way.
#[record(Eq, written, omit(terms))]
pub struct Research {
    /// Counts the batches.
    pub number: u32,
    /// Gaps that have not had their turn.
    pub waiting: Vec<String>,
    /// Whether they are to be looked into even where they are fresh.
    pub forced: bool,
    /// The attempt under way.
    pub open: Option<OpenResearch>,
    /// What it may use, with what was used before it.
    pub limits: ResearchLimits,
    /// What earlier batches of the same watcher have used.
    pub before: Spent,
    /// What it has used.
    pub spent: Spent,
    /// Attempts that ended with a result.
    pub settled: u32,
    /// Attempts that did not.
    pub failed: u32,
    /// Attempts of which nothing is known: never started, or killed with their keeper. Their gaps have another turn.
    pub lost: u32,
    /// How long gaps rest after it, and what it puts up with.
    pub terms: ResearchPolicy,
}

/// What came of an attempt.
#[record(Eq)]
pub enum ResearchResult {
    /// It said what it found.
    Settled {
        /// How it ended.
        outcome: Outcome,
    },
    /// It said something, but a person has edited the gap meanwhile. The person is right.
    Overruled {
        /// How it ended.
        outcome: Outcome,
        /// What it had found; kept here only.
        findings: Option<String>,
    },
    /// It never started, or nobody knows what became of it. Its gap has another turn.
    Lost {
        /// What is known.
        what: String,
    },
    /// It did not come to a result.
    Failed {
        /// What went wrong.
        what: String,
    },
}

/// Why a batch ended.
#[record(Copy, Eq)]
pub enum ResearchEnd {
    /// Every gap had its turn.
    Done,
    /// It used as many tokens as it may.
    Tokens,
    /// It cost as much as it may.
    Cost,
    /// It took as long as it may.
    Time,
}

impl ResearchEnd {
    pub const fn as_str(self) -> &'static str {
        match self {
            ResearchEnd::Done => "done",
            ResearchEnd::Tokens => "limit:tokens",
            ResearchEnd::Cost => "limit:cost",
            ResearchEnd::Time => "limit:time",
        }
    }
}

/// A gap that was looked into is not looked into again at once, unless somebody asks for it.
#[record(Copy, Eq, omit(answered))]
pub struct Rest {
    /// How often in a row it was looked into with the same effect.
    pub count: u32,
    /// Whether it was answered. What has to be answered again and again does not hold, and may rest, too.
    pub answered: bool,
    /// When it may have its turn again.
    pub until: Timestamp,
}

/// How long a gap rests after the last attempt.
fn rest(state: &State, policy: &ResearchPolicy, gap: &str, answered: bool, now: Timestamp) -> Rest {
    // An answer that held for a while begins anew.
    let goes_on = |before: &&Rest| {
        before.answered == answered && (!answered || now <= before.until.plus_millis(policy.pause_ms))
    };
    let count = state.rests.get(gap).filter(goes_on).map_or(0, |before| before.count).saturating_add(1);
    let doublings = if answered { count.checked_sub(2) } else { Some(count - 1) };
    let pause_ms = doublings.map_or(0, |doublings| policy.pause_ms.saturating_mul(1 << doublings.min(20)));
    Rest { count, answered, until: now.plus_millis(pause_ms.min(policy.pause_ms_max)) }
}

/// How an attempt ended, as somebody saw it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// With this outcome.
    Outcome {
        /// How it ended.
        outcome: Outcome,
        /// What was found, and what it rests on.
        finding: Option<(String, Vec<Source>)>,
    },
    /// It ended without findings, for this reason.
    Failed(String),
    /// Its outcome cannot be known, for this reason.
    Lost(String),
}

impl Research {
    /// The limit that is reached, if one is.
    pub fn reached(&self) -> Option<ResearchEnd> {
        let over = |limit: Option<u64>, used: u64| limit.is_some_and(|limit| used >= limit);
        let total = self.total();
        let limits = [
            (self.limits.tokens, total.tokens, ResearchEnd::Tokens),
            (self.limits.microusd, total.microusd, ResearchEnd::Cost),
            (self.limits.working_ms, total.working_ms, ResearchEnd::Time),
        ];
        limits.into_iter().find(|(limit, used, _)| over(*limit, *used)).map(|(_, _, end)| end)
    }

    /// What counts against its limits.
    pub fn total(&self) -> Spent {
        self.before.plus(self.spent)
    }

    pub(super) fn charge(&mut self, used: &Used) {
        self.spent = self.spent.plus(Spent {
            tokens: used.tokens.unwrap_or(0),
            microusd: used.microusd.unwrap_or(0),
            working_ms: used.working_ms,
            tokens_unknown: u32::from(used.tokens.is_none()),
            cost_unknown: u32::from(used.microusd.is_none()),
        });
    }
}

pub(super) fn begin(
    state: &State,
    gaps: Vec<String>,
    forced: bool,
    limits: ResearchLimits,
    before: Spent,
    now: Timestamp,
) -> Result<Vec<LedgerEvent>, Rejection> {
    if state.research.is_some() {
        return Err(Rejection::ResearchUnderWay);
    }
    if let Some(unknown) = gaps.iter().find(|gap| state.find(gap).is_none()) {
        return Err(Rejection::UnknownGap(unknown.clone()));
    }
    let number = state.researches + 1;
    Ok(vec![LedgerEvent::ResearchBegun {
        number,
        gaps,
        forced,
        limits,
        before,
        terms: ResearchPolicy::default(),
        at: now,
    }])
}

/// The next attempt, after gaps that do not need one any more; or the end.
pub(super) fn next(
    state: &State,
    host: String,
    boot: String,
    now: Timestamp,
) -> Result<Vec<LedgerEvent>, Rejection> {
    let research = state.research.as_ref().ok_or(Rejection::NoResearch)?;
    if research.open.is_some() {
        return Err(Rejection::ResearchUnderWay);
    }
    if let Some(why) = research.reached() {
        return Ok(vec![LedgerEvent::ResearchEnded { number: research.number, why, at: now }]);
    }
    let mut events = Vec::new();
    for id in &research.waiting {
        let open = |gap: &&Gap| {
            research.forced || gap.status != GapStatus::Verified || is_due(gap, state.default_ttl_days, now)
        };
        match state.find(id).filter(open) {
            None => events.push(LedgerEvent::ResearchSkipped { gap: id.clone() }),
            Some(gap) => {
                let (attempt, gap) = (state.attempts + 1, Box::new(gap.clone()));
                let open = OpenResearch { attempt, gap, host, boot, since: now };
                events.push(LedgerEvent::ResearchAttemptStarted { open });
                return Ok(events);
            }
        }
    }
    events.push(LedgerEvent::ResearchEnded { number: research.number, why: ResearchEnd::Done, at: now });
    Ok(events)
}

/// What an attempt came to, and what that does to its gap.
pub(super) fn end(
    state: &State,
    attempt: u32,
    found: Found,
    used: Used,
    now: Timestamp,
) -> Result<Vec<LedgerEvent>, Rejection> {
    let research = state.research.as_ref().ok_or(Rejection::NoResearch)?;
    let open = research.open.as_ref().filter(|open| open.attempt == attempt).ok_or(Rejection::NoResearch)?;
    let ended = |result, rest| LedgerEvent::ResearchAttemptEnded { attempt, result, used, rest, at: now };
    let looked = |answered| Some(rest(state, &research.terms, &open.gap.id, answered, now));
    let (outcome, finding) = match found {
        Found::Failed(what) => return Ok(vec![ended(ResearchResult::Failed { what }, looked(false))]),
        Found::Lost(what) if research.lost >= research.terms.lost_max => {
            return Ok(vec![ended(ResearchResult::Failed { what }, looked(false))]);
        }
        Found::Lost(what) => return Ok(vec![ended(ResearchResult::Lost { what }, None)]),
        Found::Outcome { outcome, finding } => (outcome, finding),
    };
    let current = state.find(&open.gap.id);
    let untouched = current.is_some_and(|gap| {
        gap.findings == open.gap.findings
            && gap.last_verified == open.gap.last_verified
            && gap.question == open.gap.question
    });
    if !untouched {
        let findings = finding.map(|(text, _)| text);
        return Ok(vec![ended(ResearchResult::Overruled { outcome, findings }, looked(false))]);
    }
    let answered = outcome != Outcome::InsufficientData;
    let mut events = vec![ended(ResearchResult::Settled { outcome }, looked(answered))];
    events.extend(settle(state, &open.gap.id, outcome, finding, now)?);
    Ok(events)
}
