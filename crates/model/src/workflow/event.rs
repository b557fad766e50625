//! The events of a workflow: facts in the past tense. This enum is the specification.
//!
//! Stored as a loop's events are: type, version of the shape, data. A journal holds the events of one kind, and its
//! first event, `run_created`, names the kind in `data.kind`; types that both kinds have mean the same in both.

use piton_record::record;
use serde_json::{Map, Value};

use super::definition::{Definition, StepId};
use super::facts::{
    Edit, GateVerdict, Inherited, InnerQuestion, ManualInput, OpenAttempt, Options, Passed, Raise, Renewed,
    StepEnd, StepRuling,
};
use super::queue::QueueChange;
use crate::lifecycle::run_events;
use crate::loop_machine::{Answer, TreeProof};
use crate::status::Kind;
use crate::{RunId, Timestamp};

run_events! {
    raise: Raise;
    asks;

    /// What happened. *Transitions* come from the driver, under its epoch; *requests* from anyone.
    #[record]
    pub enum WorkflowEvent {
        // ── The life of a run ────────────────────────────────────────────────────────────────────────
        /// The run exists. Always the first event.
        RunCreated {
            run: RunId,
            /// What kind of machine folds it.
            kind: Kind,
            /// One line for people.
            title: String,
            /// What it runs.
            definition: Box<Definition>,
            /// The name of that definition's content.
            digest: String,
            /// How, with every default filled in.
            options: Box<Options>,
            /// What another run did of it already.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            inherited: Option<Box<Inherited>>,
        },
        /// The run goes on with another definition; steps keep what they have by their ids. Only with nothing open but runs
        /// that are steps of it and wait for a person; those steps stay.
        DefinitionChanged {
            /// What it runs now.
            definition: Box<Definition>,
            /// The name of that definition's content.
            digest: String,
            /// Steps that were to go back and have nowhere to go back to any more: they count as they are.
            #[serde(default, skip_serializing_if = "Vec::is_empty")]
            stay: Vec<StepId>,
        },

        /// The run goes on with other options: what was said when it was gone on with. Work that is open ends as it began.
        OptionsChanged {
            /// How it runs now, all of it.
            options: Box<Options>,
        },

        /// The run begins anew: whoever deleted its directory discarded what it did, and its name is used again. What happened
        /// stays in the journal; numbers of attempts and questions go on. Only at rest, with nothing open.
        RunRestarted {
            /// One line for people.
            title: String,
            /// What it runs now.
            definition: Box<Definition>,
            /// The name of that definition's content.
            digest: String,
            /// How, with every default filled in.
            options: Box<Options>,
        },

        /// The clean-up put the run into the archive, and its directory goes. Nobody discarded what it did.
        RunArchived {},

        // ── Before a step ────────────────────────────────────────────────────────────────────────────
        /// Somebody looked at the gates of a step. Recorded when it differs from the last look.
        GatesSeen {
            /// The step that waits for them.
            step: StepId,
            /// What was found.
            verdicts: Vec<GateVerdict>,
        },
        /// The items of a collection are known.
        ItemsRead {
            /// The step that is run for each.
            step: StepId,
            items: Vec<Value>,
        },
        /// The items of a collection cannot be read: the step fails, since trying again would read the same.
        ItemsRefused {
            step: StepId,
            why: String,
        },
        /// These steps need no run. Needs come before those who wait for them.
        StepsPassed {
            steps: Vec<Passed>,
        },

        // ── Work: intent before the act, outcome after it ────────────────────────────────────────────
        /// The driver means to start this attempt. Only while the step is pending and its needs are completed or skipped.
        StepStarted {
            /// What is about to run, and where it will leave its traces.
            attempt: OpenAttempt,
        },
        /// The attempt ended and its outcome is known.
        StepFinished {
            attempt: u32,
            end: Box<StepEnd>,
            /// What follows from that.
            ruling: StepRuling,
        },
        /// The run that is this attempt waits for a person; without a question, it goes on.
        NestedWaits {
            attempt: u32,
            #[serde(default, skip_serializing_if = "Option::is_none")]
            asks: Option<InnerQuestion>,
        },
        /// The attempt was never started: its tombstone was published before anything ran. It does not count.
        StepAbandoned {
            attempt: u32,
        },
        /// The attempt's outcome cannot be known. Nothing of it runs any more. That is not the step's failure: the try is had
        /// again, so often that a machine which loses every one of them does not go on for ever.
        StepLost {
            attempt: u32,
            /// How it is known that nothing runs.
            tree: TreeProof,
            /// What follows from that.
            ruling: StepRuling,
        },
        /// A gate failed: the target, everything that waits for it and the gating step begin anew. Only once nothing of
        /// that is open.
        LoopedBack {
            /// The step whose gate failed.
            step: StepId,
            /// Where it goes on.
            target: StepId,
            /// All that begins anew.
            reset: Vec<StepId>,
        },
        /// Somebody begins anew from this step: it and everything that waits for it are as new.
        StepsReset {
            step: StepId,
            /// All that is as new.
            reset: Vec<StepId>,
        },
        /// Steps that failed get their tries again, before the run goes on after a rest or begins anew elsewhere.
        TriesRenewed {
            steps: Vec<Renewed>,
        },
        /// Somebody wrote other statuses into the file while the run was at rest.
        StatusesAdopted {
            /// Which, and what they wrote.
            edits: Vec<Edit>,
        },

        // ── The queue ────────────────────────────────────────────────────────────────────────────────
        /// A queue changed as somebody asked.
        QueueChanged {
            change: QueueChange,
        },
        /// A queue did not change as somebody asked.
        QueueChangeRefused {
            change: QueueChange,
            why: String,
        },
        /// The list that an item comes from says that it is done.
        ItemTicked {
            step: StepId,
            /// Why it does not, where it cannot be said there.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            why: Option<String>,
        },

        // ── People ───────────────────────────────────────────────────────────────────────────────────
        /// A step needs a person to look at its result.
        HumanAsked {
            /// Counts the questions of this run.
            question: u32,
            step: StepId,
            /// Exactly what is shown.
            text: String,
            /// Digest of what is shown; an answer may bind to it.
            digest: String,
            /// Since when, where another tool asked it before.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            since: Option<Timestamp>,
        },
        /// A person said something that counts.
        HumanAnswered {
            question: u32,
            /// What they said.
            answer: Answer,
            /// What came with it.
            input: ManualInput,
            /// It names the digest of what was shown. A file does not.
            bound: bool,
        },
        /// What that means for the step takes effect.
        StepConcluded {
            step: StepId,
            /// What they mean.
            ruling: StepRuling,
        },
        /// A manual input cannot be read; the step goes on waiting.
        ManualInputRefused {
            step: StepId,
            /// Digest of what was found, so that it is said once.
            digest: String,
            why: String,
        },

        // ── Money ────────────────────────────────────────────────────────────────────────────────────
        /// More money is spent than may be, and the run only says so.
        LimitWarned {
            /// By which account.
            detail: String,
        },
        /// More money is spent than may be, beyond this run.
        BudgetSpent {
            /// By which account.
            detail: String,
            /// What all workflows have cost on that day.
            #[serde(default)]
            microusd: u64,
        },

        /// Something that is no step's fault stands in the way: nothing is begun, and the run stops when what is open
        /// has ended.
        RunObstructed {
            detail: String,
        },

        // ── Requests: facts that anyone may append; the driver folds them in ─────────────────────────
        /// Begin anew from a step.
        StartAtRequested {
            step: StepId,
        },
        /// Change the queue.
        QueueChangeRequested {
            change: QueueChange,
        },
        /// An answer to a question.
        AnswerGiven {
            question: u32,
            answer: Answer,
            /// What the agent should know about it.
            comment: Option<String>,
            /// Digest of what the person saw.
            seen: Option<String>,
            /// What they want to pass on.
            #[serde(default, skip_serializing_if = "Map::is_empty")]
            content: Map<String, Value>,
        },
    }
}

impl WorkflowEvent {
    /// Whether anyone may append this, without the lease.
    pub fn is_request(&self) -> bool {
        matches!(
            self,
            WorkflowEvent::PauseRequested { .. }
                | WorkflowEvent::StopRequested { .. }
                | WorkflowEvent::ResumeRequested { .. }
                | WorkflowEvent::StartAtRequested { .. }
                | WorkflowEvent::QueueChangeRequested { .. }
                | WorkflowEvent::AnswerGiven { .. }
        )
    }
}
