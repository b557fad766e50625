//! The events of a cycle: facts in the past tense. This enum is the specification.
//!
//! Stored as those of the other kinds are; types that several kinds have mean the same in all of them.

use piton_record::record;

use super::config::{Config, RoleName};
use super::facts::{
    BlockerStatus, Conclusion, DecisionStatus, Edited, Extension, Feedback, FeedbackKind, Imported, Nudge,
    OpenAttempt, RoleEnd, Ruling,
};
use super::gate::Gate;
use super::sections::TestResults;
use crate::RunId;
use crate::lifecycle::run_events;
use crate::loop_machine::{CheckRound, HookCall, HookEnd, Left, Raise, Snapshot, TreeProof};
use crate::status::Kind;

run_events! {
    raise: Raise;

    /// What happened. *Transitions* come from the driver, under its epoch; *requests* from anyone.
    #[record]
    pub enum CycleEvent {
        // ── The life of a cycle ──────────────────────────────────────────────────────────────────────
        /// The run exists. Always the first event.
        RunCreated {
            run: RunId,
            /// What kind of machine folds it.
            kind: Kind,
            /// One line for people.
            title: String,
            /// What it was asked to do, with every default filled in.
            config: Box<Config>,
            /// What it begins with that is no work of its own.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            imported: Option<Box<Imported>>,
            /// The last judged tree, where another run left something in the tree it begins in that nobody judged: what its first
            /// iteration is compared with.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            base: Option<Box<Snapshot>>,
        },
        /// The work tree was looked at outside an attempt: at the start, or because somebody edited it.
        SnapshotTaken {
            snapshot: Snapshot,
            /// The iteration under way is compared with it: nothing of a role is in it that nobody has judged.
            #[serde(default, skip_serializing_if = "crate::is_default")]
            base: bool,
            /// The iteration under way is compared with this and put back to it: what was found, without what roles left of which
            /// nobody has judged anything.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            before: Option<Box<Snapshot>>,
        },
        /// An iteration begins. All documents that are written in it share its version.
        IterationStarted {
            iteration: u32,
            version: String,
            /// What was added to the task, where that is why.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            extension: Option<Extension>,
            /// The roles that work in it, in the order of the table.
            roles: Vec<RoleName>,
            /// The gate that it is of, where the cycle was prepared.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            gate: Option<Gate>,
            /// Who is told of the extension.
            #[serde(default, skip_serializing_if = "Vec::is_empty")]
            feedback: Vec<Feedback>,
        },

        // ── Work: intent before the act, outcome after it ────────────────────────────────────────────
        /// The driver means to start this attempt. Only while those before it are done.
        RoleStarted {
            attempt: OpenAttempt,
        },
        /// The attempt takes long, and its role was told so.
        RoleNudged {
            attempt: u32,
            nudge: Nudge,
        },
        /// The attempt ended and its outcome is known.
        RoleFinished {
            attempt: u32,
            end: Box<RoleEnd>,
            /// What follows from that.
            ruling: Box<Ruling>,
        },
        /// The attempt was never started: its tombstone was published before anything ran. It does not count.
        RoleAbandoned {
            attempt: u32,
        },
        /// The attempt's outcome cannot be known. Nothing of it runs any more.
        RoleLost {
            attempt: u32,
            /// How it is known that nothing runs.
            tree: TreeProof,
            /// What was found in the work tree then.
            left: Box<Left>,
            /// What follows from that.
            ruling: Box<Ruling>,
        },
        /// The driver means to run the checks. Only with nothing else open.
        ChecksStarted {
            /// Counts the rounds of this run; names the directories of the check processes.
            round: u32,
        },
        /// The checks were run.
        ChecksFinished {
            round: Box<CheckRound>,
            /// What they came to; nothing where they were cut short.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            tests: Option<Box<TestResults>>,
            /// How good the tree is by that, 0 to 100, where anything is known.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            quality: Option<f64>,
        },
        /// The driver means to call the hooks at these points. Nothing else is begun before they were called.
        HooksStarted {
            call: HookCall,
        },
        /// The hooks were called.
        HooksFinished {
            end: Box<HookEnd>,
        },

        // ── Verdicts ─────────────────────────────────────────────────────────────────────────────────
        /// The iteration has its verdict.
        IterationConcluded {
            conclusion: Box<Conclusion>,
        },
        /// Something went wrong that no attempt is to blame for.
        PhaseErred {
            phase: String,
            error: String,
        },
        /// Somebody edited the state file.
        StateEdited {
            edited: Edited,
            /// The name of the content that was found: what was taken in once is not taken in again.
            digest: String,
        },

        // ── Requests: facts that anyone may append; the driver folds them in ─────────────────────────
        /// Do this as well, in an iteration of its own.
        ExtensionRequested {
            text: String,
            /// With these limits raised.
            #[serde(default, skip_serializing_if = "crate::is_default")]
            raise: Raise,
        },
        /// One of the team, or a person, tells another something.
        FeedbackAdded {
            /// A role, or `user`.
            source: String,
            target: RoleName,
            content: String,
            kind: FeedbackKind,
        },
        /// Something is to be decided.
        DecisionProposed {
            description: String,
            options: Vec<String>,
            /// A role, or `user`.
            by: String,
            /// Nothing is begun until it is made.
            #[serde(default, skip_serializing_if = "crate::is_default")]
            waits: bool,
        },
        /// A decision is made, or was carried out.
        DecisionSettled {
            id: String,
            status: DecisionStatus,
            #[serde(default, skip_serializing_if = "Option::is_none")]
            option: Option<String>,
            by: String,
        },
        /// Something stands in the way.
        BlockerReported {
            description: String,
            /// A role, or `user`.
            by: String,
        },
        /// It does not any more, or a way around it is taken.
        BlockerSettled {
            id: String,
            status: BlockerStatus,
            #[serde(default, skip_serializing_if = "Option::is_none")]
            resolution: Option<String>,
        },
        /// A person prefers this iteration to the best one; 0 takes that back.
        BestChosen {
            iteration: u32,
            reason: String,
        },
    }
}

impl CycleEvent {
    /// Whether anyone may append this, without the lease.
    pub fn is_request(&self) -> bool {
        matches!(
            self,
            CycleEvent::PauseRequested { .. }
                | CycleEvent::StopRequested { .. }
                | CycleEvent::ResumeRequested { .. }
                | CycleEvent::ExtensionRequested { .. }
                | CycleEvent::FeedbackAdded { .. }
                | CycleEvent::DecisionProposed { .. }
                | CycleEvent::DecisionSettled { .. }
                | CycleEvent::BlockerReported { .. }
                | CycleEvent::BlockerSettled { .. }
                | CycleEvent::BestChosen { .. }
        )
    }
}
