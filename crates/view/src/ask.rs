//! What can be asked of a run.

use std::collections::BTreeMap;

use piton_model::cycle::{BlockerStatus, CycleEvent, DecisionStatus, FeedbackKind, RoleName};
use piton_model::hook::Mode;
use piton_model::loop_machine::{Answer, Raise, Returned};
use piton_model::workflow::{self, QueueChange, StepId, WorkflowEvent};
use piton_model::{Event, StopOrigin};
use serde_json::{Map, Value};

/// Something a person asks of a run.
#[derive(Clone, Debug, PartialEq)]
pub enum Request {
    /// Rest after the work that is open.
    Pause,
    /// Stop after the work that is open, or now.
    Stop {
        /// Kill a living agent.
        now: bool,
        /// Ctrl-C, or `piton stop`.
        origin: StopOrigin,
    },
    /// Give up the iteration under way.
    Skip,
    /// Begin a fresh session with the next attempt.
    Reboot,
    /// Go on, with limits raised.
    Resume(Raise),
    /// Go on with a workflow, with limits raised.
    ResumeWorkflow(workflow::Raise),
    /// Change the mode, or be asked before an iteration.
    Mode {
        /// To this one.
        mode: Option<Mode>,
        /// Ask before this iteration.
        break_at: Option<u32>,
    },
    /// Say something to the agent at its next prompt.
    Tell(String),
    /// Go on although the run is done: whoever was to take the result says what is wrong with it.
    Return(Returned),
    /// Answer a question.
    Answer {
        /// The number of the question.
        question: u32,
        /// Whether it is approved, rejected or given up.
        answer: Answer,
        /// What the agent should know about it.
        comment: Option<String>,
        /// Digest of what the person saw.
        seen: Option<String>,
        /// What they pass on to the steps that follow; only workflows do.
        content: Map<String, Value>,
    },
    /// Begin anew from a step; only workflows do.
    StartAt(StepId),
    /// Note something, and set values that are kept with the run.
    Note {
        /// What is noted.
        text: String,
        /// The values by name; `null` forgets one.
        set: BTreeMap<String, Value>,
    },
    /// Prefer an iteration to the best one; 0 takes that back.
    Choose {
        /// The iteration that is preferred.
        iteration: u32,
        /// The reason that stays on record.
        reason: String,
    },
    /// Say whether a finding of the guard is a false alarm.
    Mark {
        /// The finding's id.
        finding: String,
        /// It is one.
        false_positive: bool,
    },
    /// Change a queue; only that has items.
    Queue(QueueChange),
    /// Something that only cycles know.
    Cycle(CycleRequest),
}

/// Something that one of the team, or a person, asks of a cycle.
#[derive(Clone, Debug, PartialEq)]
pub enum CycleRequest {
    /// Do this as well, in an iteration of its own, with limits raised.
    Extend {
        /// What is to be done.
        text: String,
        /// Limits.
        raise: Raise,
    },
    /// Tell a role something.
    Feedback {
        /// A role, or `user`.
        source: String,
        /// The role that is to know.
        target: RoleName,
        /// What it is to know.
        content: String,
        /// What kind of thing that is.
        kind: FeedbackKind,
    },
    /// Have something decided.
    Propose {
        /// What is to be decided.
        description: String,
        /// Between these.
        options: Vec<String>,
        /// A role, or `user`.
        by: String,
        /// Nothing is begun until it is made.
        waits: bool,
    },
    /// Decide something, or say that it was carried out.
    Settle {
        /// Which decision.
        id: String,
        /// Where it is now.
        status: DecisionStatus,
        /// What was chosen.
        option: Option<String>,
        /// By whom.
        by: String,
    },
    /// Say that something stands in the way.
    Block {
        /// What it is.
        description: String,
        /// A role, or `user`.
        by: String,
    },
    /// Say that it no longer does, or that a way around it is taken.
    Unblock {
        /// Which blocker.
        id: String,
        /// Where it is now.
        status: BlockerStatus,
        /// How.
        resolution: Option<String>,
    },
}

impl CycleRequest {
    /// The same with every text as `clean` leaves it.
    #[must_use]
    pub fn with_texts(self, clean: &dyn Fn(String) -> String) -> Self {
        match self {
            CycleRequest::Extend { text, raise } => CycleRequest::Extend { text: clean(text), raise },
            CycleRequest::Feedback { source, target, content, kind } => {
                CycleRequest::Feedback { source, target, content: clean(content), kind }
            }
            CycleRequest::Propose { description, options, by, waits } => {
                let options = options.into_iter().map(clean).collect();
                CycleRequest::Propose { description: clean(description), options, by, waits }
            }
            CycleRequest::Block { description, by } => {
                CycleRequest::Block { description: clean(description), by }
            }
            CycleRequest::Unblock { id, status, resolution } => {
                CycleRequest::Unblock { id, status, resolution: resolution.map(clean) }
            }
            settled @ CycleRequest::Settle { .. } => settled,
        }
    }

    fn into_event(self) -> CycleEvent {
        match self {
            CycleRequest::Extend { text, raise } => CycleEvent::ExtensionRequested { text, raise },
            CycleRequest::Feedback { source, target, content, kind } => {
                CycleEvent::FeedbackAdded { source, target, content, kind }
            }
            CycleRequest::Propose { description, options, by, waits } => {
                // A role that asks cannot go on by itself.
                let waits = waits || by != "user";
                CycleEvent::DecisionProposed { description, options, by, waits }
            }
            CycleRequest::Settle { id, status, option, by } => {
                CycleEvent::DecisionSettled { id, status, option, by }
            }
            CycleRequest::Block { description, by } => CycleEvent::BlockerReported { description, by },
            CycleRequest::Unblock { id, status, resolution } => {
                CycleEvent::BlockerSettled { id, status, resolution }
            }
        }
    }
}

impl Request {
    /// The fact that is recorded of a loop; what it is called where a loop does not know it.
    pub fn into_event(self) -> Result<Event, &'static str> {
        Ok(match self {
            Request::Pause => Event::PauseRequested {},
            Request::Stop { now, origin } => Event::StopRequested { now, origin },
            Request::Skip => Event::SkipRequested {},
            Request::Reboot => Event::RebootRequested {},
            Request::Resume(raise) => Event::ResumeRequested { raise },
            Request::ResumeWorkflow(_) => return Err("have the limits of a workflow"),
            Request::Mode { mode, break_at } => Event::ModeRequested { mode, break_at },
            Request::Tell(text) => Event::AgentTold { text },
            Request::Return(returned) => Event::ResultReturned { returned: Box::new(returned) },
            Request::Answer { question, answer, comment, seen, .. } => {
                Event::AnswerGiven { question, answer, comment, seen }
            }
            Request::StartAt(_) => return Err("start at a step"),
            Request::Queue(_) => return Err(OF_A_QUEUE),
            Request::Note { text, set } => Event::NoteAdded { text, set },
            Request::Choose { iteration, reason } => Event::BestChosen { iteration, reason },
            Request::Mark { finding, false_positive } => Event::FindingMarked { finding, false_positive },
            Request::Cycle(_) => return Err(OF_A_TEAM),
        })
    }

    /// The fact that is recorded of a workflow; what it is called where a workflow does not know it.
    pub fn into_workflow_event(self) -> Result<WorkflowEvent, &'static str> {
        Ok(match self {
            Request::Pause => WorkflowEvent::PauseRequested {},
            Request::Stop { now, origin } => WorkflowEvent::StopRequested { now, origin },
            Request::Resume(raise) => {
                let Raise { iterations, cost_microusd, .. } = raise;
                WorkflowEvent::ResumeRequested {
                    raise: workflow::Raise {
                        max_iterations: iterations,
                        max_cost_microusd: cost_microusd,
                        ..workflow::Raise::default()
                    },
                }
            }
            Request::ResumeWorkflow(raise) => WorkflowEvent::ResumeRequested { raise },
            Request::Answer { question, answer, comment, seen, content } => {
                WorkflowEvent::AnswerGiven { question, answer, comment, seen, content }
            }
            Request::StartAt(step) => WorkflowEvent::StartAtRequested { step },
            Request::Queue(change) => WorkflowEvent::QueueChangeRequested { change },
            Request::Skip => return Err("skip an iteration"),
            Request::Reboot => return Err("begin a fresh session"),
            Request::Tell(_) => return Err("be told something"),
            Request::Return(_) => return Err("go on with what comes back"),
            Request::Note { .. } => return Err("keep notes"),
            Request::Choose { .. } => return Err("prefer an iteration"),
            Request::Mark { .. } => return Err("mark findings"),
            Request::Mode { .. } => return Err("change its mode"),
            Request::Cycle(_) => return Err(OF_A_TEAM),
        })
    }

    /// The fact that is recorded of a cycle; what it is called where a cycle does not know it.
    pub fn into_cycle_event(self) -> Result<CycleEvent, &'static str> {
        Ok(match self {
            Request::Pause => CycleEvent::PauseRequested {},
            Request::Stop { now, origin } => CycleEvent::StopRequested { now, origin },
            Request::Resume(raise) => CycleEvent::ResumeRequested { raise },
            Request::Choose { iteration, reason } => CycleEvent::BestChosen { iteration, reason },
            Request::Cycle(request) => request.into_event(),
            Request::ResumeWorkflow(_) => return Err("have the limits of a workflow"),
            Request::Answer { .. } => return Err("be answered: `piton cycle decide` makes a decision"),
            Request::StartAt(_) => return Err("start at a step"),
            Request::Queue(_) => return Err(OF_A_QUEUE),
            Request::Skip => return Err("skip an iteration"),
            Request::Reboot => return Err("begin a fresh session"),
            Request::Tell(_) => return Err("be told something: `piton cycle feedback` tells a role"),
            Request::Return(_) => {
                return Err("go on with what comes back: `piton cycle extend` adds to its task");
            }
            Request::Note { .. } => return Err("keep notes"),
            Request::Mark { .. } => return Err("mark findings"),
            Request::Mode { .. } => return Err("change its mode"),
        })
    }
}

/// What only queues know.
const OF_A_QUEUE: &str = "have items: only a queue does";

/// What only cycles know.
const OF_A_TEAM: &str = "have a team";
