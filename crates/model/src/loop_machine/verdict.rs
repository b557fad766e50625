//! Verdicts, as they are on record. Made in [`super::judge`], copied by [`super::apply()`]; nobody computes one twice.

use piton_record::record;

use super::guard::{Finding, KeptFinding, Verdict};
use super::judge::context::ContextSample;
use super::judge::progress::Progress;
use super::judge::quality::Quality;
use super::judge::reboot::RebootReason;
use super::judge::reinforcement::{Level, RiseReason};
use super::state::Next;
use super::tracker::JudgedTree;
use crate::status::Reason;

/// What follows from how an attempt ended.
#[record(omit(counts, unseen, unkept, session))]
pub struct AttemptRuling {
    /// What comes next: the checks, the verdict on its iteration, or another attempt at it.
    pub next: Next,
    /// The agent came to its own end: what it was told it has read.
    pub counts: bool,
    /// Whether it is one more failure in a row, or ends the row; nothing where neither.
    pub failed: Option<bool>,
    /// What must pass before its iteration is tried again.
    pub hold: Option<Reason>,
    /// What becomes of what the guard found; nothing where what it left is not judged.
    pub guard: Option<Verdict>,
    /// The guard was to look at what it left and could not: checks alone prove nothing about that.
    pub unseen: bool,
    /// Nothing that its report wants remembered is: it speaks of work that is put back.
    pub unkept: bool,
    /// What it means for the agent's session.
    pub session: SessionRuling,
}

/// What follows from a round of checks.
#[record(omit(baseline, again))]
pub struct RoundRuling {
    /// What comes next: the verdict on an iteration, an attempt, or the same checks again.
    pub next: Next,
    /// Checks that failed in the round before and pass now, and conditions that hold now.
    pub fixed: u32,
    /// Whether it judged the tree that the round before had judged, or another.
    pub tree: JudgedTree,
    /// Whether tests fail after an iteration, by their runners where those are understood, else by the checks; nothing where
    /// the round is no iteration's.
    pub tests_fail: Option<bool>,
    /// It is the round that the run begins with.
    pub baseline: bool,
    /// Why the work tree does not stand for the checkout. Then the round counts for nothing, and the run rests.
    pub unlike: Option<String>,
    /// What becomes of what the checks wrote; nothing where nobody has to judge that. Refused, the round counts for nothing.
    pub guard: Option<Verdict>,
    /// What is held against that.
    pub findings: Vec<Finding>,
    /// They pass, but on the way they changed files: they are run once more on the tree as they left it, and only that counts.
    pub again: bool,
}

/// What an attempt means for the session it worked in.
#[record(Default, omit(read, taken, continued, spent))]
pub struct SessionRuling {
    /// Its agent has read what it was told.
    pub read: bool,
    /// The session that it names is built on.
    pub taken: bool,
    /// It worked in the session that was there, without naming it.
    pub continued: bool,
    /// That session cannot be continued.
    pub spent: bool,
    /// How full it is and how it behaves.
    pub sample: Option<ContextSample>,
}

/// The verdict on an iteration.
#[record(omit(regressed, changed, progress, best, unjudged))]
pub struct Conclusion {
    /// The iteration's number.
    pub iteration: u32,
    /// What becomes of what it left.
    pub verdict: IterationVerdict,
    /// Something in it got worse: it is not the best of anything.
    pub regressed: bool,
    /// It left another tree than it found.
    pub changed: bool,
    /// How far it got.
    pub progress: Progress,
    /// How good it is.
    pub quality: Option<Quality>,
    /// It is the best so far.
    pub best: bool,
    /// What the numbers say against it.
    pub findings: Vec<KeptFinding>,
    /// It was given up while an attempt worked: how the tree stands now has to be looked at.
    pub unjudged: bool,
}

/// What becomes of what an iteration left.
#[record(Copy, Eq)]
pub enum IterationVerdict {
    /// It stays.
    Kept,
    /// Its files are put back.
    Refused,
    /// It stays until a person has looked at it.
    Doubted,
    /// It was given up, and nobody judged it.
    Skipped,
}

/// A prompt speaks more firmly from now on.
#[record(Copy)]
pub struct LevelRise {
    /// The iteration that made it so, or from which on it holds.
    pub iteration: u32,
    pub from: Level,
    pub to: Level,
    pub reason: RiseReason,
}

/// What follows from an answer.
#[record(Eq)]
pub enum Consequence {
    /// The run goes on.
    GoOn,
    /// The run stops.
    Stop,
    /// The iteration that was doubted counts.
    Keep {
        /// And is the best so far.
        best: bool,
    },
    /// The files of the last iteration are put back.
    PutBack {
        /// The guard doubted it, so it was refused; else nobody says that anything was wrong with it.
        refused: bool,
        /// It was counted as a success until now.
        succeeded: bool,
    },
    /// The iteration that would have come next is left out.
    LeaveOut,
    /// The session gives way to a fresh one.
    Reboot(RebootReason),
    /// The session goes on, though a fresh one was proposed.
    StayInSession,
    /// A person has the last word, where another agent objected or said nothing.
    Reviewed {
        /// It is done as it is; else the work goes on.
        is_done: bool,
    },
}
