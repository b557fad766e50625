//! The events: facts in the past tense. This enum is the specification.
//!
//! Stored as [`crate::RunEvent`] says: the data is written once and never re-serialised. When a shape changes, its
//! version grows and [`crate::RunEvent::decode`] lifts the old shape; a golden file per version keeps that honest.

use std::collections::BTreeMap;

use piton_record::record;

use crate::RunId;
use crate::hook::Mode;
use crate::lifecycle::run_events;
use crate::loop_machine::{
    Adoption, Answer, AttemptEnd, AttemptRuling, CheckRound, Conclusion, Consequence, HookCall, HookEnd,
    Left, LevelRise, LoopConfig, Next, OpenAttempt, OpenCommit, OpenReview, Out, QuestionKind, Raise,
    RebootReason, RecoveryOutcome, RecoveryStep, Returned, ReviewEnd, ReviewRuling, RoundRuling, Snapshot,
    SwitchReason, TreeProof, Uncommitted, Verdict,
};
use crate::status::{Kind, Reason};

run_events! {
    raise: Raise;
    asks;

    /// What happened. *Transitions* come from the driver, under its epoch; *requests* from anyone.
    #[record]
    pub enum Event {
        // ── The life of a run ────────────────────────────────────────────────────────────────────────
        /// The run exists. Always the first event.
        RunCreated {
            run: RunId,
            /// What kind of machine folds it.
            kind: Kind,
            /// One line for people.
            title: String,
            /// What it was asked to do, with every default filled in.
            config: Box<LoopConfig>,
            /// What comes first: the checks as a baseline, or an attempt where nothing is to be run before it.
            first: Next,
        },
        /// The work tree was looked at outside an attempt: at the start, or because somebody edited it.
        SnapshotTaken {
            /// What was found.
            snapshot: Snapshot,
            /// The iteration under way is compared with it, and put back to it: nothing of an attempt is in it that nobody
            /// has judged.
            #[serde(default, skip_serializing_if = "crate::is_default")]
            base: bool,
            /// The iteration under way is compared with this and put back to it: what was found, without what attempts left of which
            /// nobody has judged anything.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            before: Option<Box<Snapshot>>,
        },

        // ── Work: intent before the act, outcome after it ────────────────────────────────────────────
        /// The driver means to run the checks. Only while `running` with nothing open.
        ChecksStarted {
            /// Counts the rounds of this run; names the directories of the check processes.
            round: u32,
            /// What becomes of what the guard found in the attempt before, where judging that was put off until now.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            guard: Option<Verdict>,
            /// The attempt before was cut short, and another one of its iteration follows: they say how the tree stands now. Its
            /// iteration has its verdict only where that is all there was to do.
            #[serde(default, skip_serializing_if = "crate::is_default")]
            look: bool,
        },
        /// The checks were run.
        ChecksFinished {
            /// What they found.
            round: Box<CheckRound>,
            /// What follows from that.
            ruling: RoundRuling,
        },
        /// The driver means to start this attempt. Only while `running` with nothing open.
        AttemptStarted {
            /// What is about to run, and where it will leave its traces.
            attempt: OpenAttempt,
        },
        /// The attempt ended and its outcome is known.
        AttemptFinished {
            attempt: u32,
            end: Box<AttemptEnd>,
            /// What follows from that.
            ruling: AttemptRuling,
        },
        /// The attempt was never started: its tombstone was published before anything ran.
        AttemptAbandoned {
            attempt: u32,
        },
        /// The attempt's outcome cannot be known. Nothing of it runs any more.
        AttemptLost {
            attempt: u32,
            /// How it is known that nothing runs.
            tree: TreeProof,
            /// What was found in the work tree then.
            left: Box<Left>,
            /// What follows from that.
            ruling: AttemptRuling,
        },

        /// The driver means to commit what a green iteration left, on the branch of the run's own work tree. Only while
        /// `running` with nothing open, after the iteration's verdict.
        CommitStarted {
            commit: OpenCommit,
        },
        /// The tree is on the branch.
        CommitFinished {
            /// The iteration that left it.
            iteration: u32,
            tree: String,
            /// The commit; none where there was nothing new.
            commit: Option<String>,
            /// The branch or commit that the agent had switched to. The run's own branch has the work all the same.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            found_on: Option<String>,
            /// What is in the tree and not in the commit.
            #[serde(default, skip_serializing_if = "crate::is_default")]
            uncommitted: Uncommitted,
        },

        /// The driver means to have another agent read what was done. Only while `running` with nothing open, once all else says that the
        /// run is done.
        ReviewStarted {
            review: OpenReview,
        },
        /// It was read.
        ReviewFinished {
            end: Box<ReviewEnd>,
            /// What follows from that.
            ruling: ReviewRuling,
        },

        /// The driver means to call the hooks at these points. Only while `running` with nothing open.
        HooksStarted {
            /// Its number, the points in their order, and how the run is about to end.
            call: HookCall,
        },
        /// The hooks were called.
        HooksFinished {
            /// What they did.
            end: Box<HookEnd>,
        },

        // ── Verdicts: what was judged, with the outcome it was judged by in the same append ──────────
        /// The iteration under way has its verdict.
        IterationConcluded {
            /// All that was judged of it: verdict, progress, quality, whether it is the best.
            conclusion: Box<Conclusion>,
        },
        /// Prompts speak more firmly from now on.
        LevelRaised {
            /// How firmly, and why.
            rise: LevelRise,
        },
        /// The session gives way to a fresh one, which is told what the old one knew.
        SessionRebooted {
            reason: RebootReason,
        },
        /// The session should give way to a fresh one; a person is to be asked first.
        RebootProposed {
            reason: RebootReason,
        },
        /// The session should give way to a fresh one, and does not: too many of them in a row were not to be.
        RebootsGivenUp {
            /// How many in a row failed.
            failures: u32,
        },
        /// An agent cannot work for a while, and others can.
        AgentOut {
            /// What it is called.
            agent: String,
            /// Which one it is, why, and until when.
            out: Out,
        },
        /// Another agent works from now on, in a session of its own that is told what was done so far.
        AgentSwitched {
            /// What the one before is called.
            from: String,
            /// The place of this one among the agents of the run.
            to: u32,
            /// What it is called.
            agent: String,
        },
        /// A recovery from a regression came one step further.
        RecoveryAdvanced {
            /// Counts the recoveries of this run.
            recovery: u32,
            step: RecoveryStep,
        },

        /// The run was done, and goes on with what came back.
        RunReopened {
            returned: Box<Returned>,
        },

        /// The run changed between attended, unattended and hybrid.
        ModeSwitched {
            from: Mode,
            to: Mode,
            why: SwitchReason,
        },

        // ── People ───────────────────────────────────────────────────────────────────────────────────
        /// The run needs a person to say something.
        QuestionAsked {
            /// Counts the questions of this run.
            question: u32,
            /// What it is about.
            kind: QuestionKind,
            /// Exactly what is shown.
            text: String,
            /// Digest of what is shown; an answer may bind to it.
            digest: String,
        },
        /// An answer was taken or refused.
        QuestionClosed {
            question: u32,
            /// The answer that counts.
            answer: Answer,
            /// What came with it.
            comment: Option<String>,
            /// What follows from it.
            consequence: Consequence,
            /// What the agent is told of it.
            tell: Option<String>,
            /// How the recovery ends that asked.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            recovery: Option<RecoveryOutcome>,
            /// The findings that it says were found rightly.
            #[serde(default, skip_serializing_if = "Vec::is_empty")]
            confirmed: Vec<String>,
        },

        // ── Requests: facts that anyone may append; the driver folds them in ─────────────────────────
        /// Give up the iteration that is under way and begin the next.
        SkipRequested {},
        /// Begin a fresh session with the next attempt, and hand on what the old one knew.
        RebootRequested {},
        /// Change the mode, or rest before an iteration.
        ModeRequested {
            /// To this one.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            mode: Option<Mode>,
            /// Ask a person before this iteration.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            break_at: Option<u32>,
        },
        /// An answer to a question.
        AnswerGiven {
            question: u32,
            answer: Answer,
            /// What the agent should know about it.
            comment: Option<String>,
            /// Digest of what the person saw.
            seen: Option<String>,
        },
        /// Something the agent should read at its next prompt.
        AgentTold {
            /// What its next prompt says to it.
            text: String,
        },

        /// Whoever was to take the result of a run that is done says what is wrong with it.
        ResultReturned {
            returned: Box<Returned>,
        },
        /// The run goes on with what another one left. Only right after its creation.
        RunAdopted {
            /// How far that one had come, and what its files said.
            adoption: Box<Adoption>,
        },
        /// A person notes something, and sets values that are kept with the run.
        NoteAdded {
            /// In words; may be empty where values are set.
            text: String,
            /// The values by name; `null` forgets one.
            set: BTreeMap<String, serde_json::Value>,
        },
        /// A person prefers this iteration to the best one; 0 takes that back.
        BestChosen {
            iteration: u32,
            reason: String,
        },
        /// A person says whether a finding of the guard is a false alarm.
        FindingMarked {
            /// The finding's id.
            finding: String,
            /// The person says it is a false alarm; otherwise that it is right.
            false_positive: bool,
        },
    }
}

/// Who asked a run to stop.
#[record(Copy, Eq)]
pub enum StopOrigin {
    /// Ctrl-C in a viewer, or a signal to the driver.
    Interrupt,
    /// `piton stop`.
    Command,
}

impl StopOrigin {
    /// Why a run stopped that it asked to.
    pub(crate) fn reason(self) -> Reason {
        match self {
            StopOrigin::Interrupt => Reason::Interrupted,
            StopOrigin::Command => Reason::Human,
        }
    }
}

impl Event {
    /// Whether anyone may append this, without the lease.
    pub fn is_request(&self) -> bool {
        matches!(
            self,
            Event::PauseRequested { .. }
                | Event::StopRequested { .. }
                | Event::SkipRequested { .. }
                | Event::RebootRequested { .. }
                | Event::ResumeRequested { .. }
                | Event::ModeRequested { .. }
                | Event::AnswerGiven { .. }
                | Event::AgentTold { .. }
                | Event::ResultReturned { .. }
                | Event::RunAdopted { .. }
                | Event::NoteAdded { .. }
                | Event::BestChosen { .. }
                | Event::FindingMarked { .. }
        )
    }
}
