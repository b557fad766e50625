//! What roles, checks and people brought back, and what was judged of it: the data inside the events.

use std::collections::BTreeMap;

use piton_record::record;
use serde_json::Value;

use super::config::RoleName;
use super::gate::GateRecord;
use super::limits::{DOCUMENT_BYTES_MAX, DOCUMENTS_MAX, LOG_LINES_MAX, TASKS_MAX, WAITING_FEEDBACK_MAX};
use super::sections::{ChangeEntry, Discovery, Exploration, Plan, Requirements, TestResults};
use super::state::{Phase, RoleStatus};
use crate::Timestamp;
use crate::limits::{CUSTOM_KEYS_MAX, NOTES_MAX, TAIL_BYTES_MAX, TEXT_BYTES_MAX, clip};
use crate::loop_machine::{
    AttemptOutcome, Change, GuardReport, IntendedSession, Note, Snapshot, Usage, Verdict,
};
use crate::status::Reason;
use crate::words::words;
use crate::workflow::Hold;

/// An attempt of a role that is about to run or runs.
#[record(Eq)]
pub struct OpenAttempt {
    /// Counts the attempts of the run; never used twice.
    pub number: u32,
    pub role: RoleName,
    pub iteration: u32,
    /// Counts the tries of the role in this iteration.
    pub attempt: u32,
    /// The machine it runs on.
    pub host: String,
    /// That machine's boot.
    pub boot: String,
    /// Where it leaves its traces, relative to the state directory.
    pub directory: String,
    /// The snapshot the tree is put back to before it starts.
    pub restore: Option<String>,
    /// The conversation it is to have, where that is known before.
    pub session: Option<IntendedSession>,
}

/// How an attempt of a role ended.
#[record]
pub struct RoleEnd {
    /// Success, failure, or stopped by us.
    pub outcome: AttemptOutcome,
    /// Exit code, if it exited.
    pub exit_code: Option<i32>,
    /// Working time it took.
    pub duration_ms: u64,
    /// A sentence for people when it failed.
    pub message: Option<String>,
    /// What it said last, for people.
    pub said: Option<String>,
    pub handed_in: HandedIn,
    /// The tree it left.
    pub snapshot: Option<Snapshot>,
    /// What differs from before.
    pub change: Option<Change>,
    /// What the guard says about that.
    pub guard: Option<GuardReport>,
    /// What it cost, in millionths of a dollar, where that is known.
    pub cost_microusd: Option<u64>,
    /// Tokens it used, where that is known.
    pub tokens: Option<u64>,
    /// The session it worked in.
    pub session_id: Option<String>,
    /// What the whole session has used and cost, where the agent counts so.
    pub session_usage: Option<Usage>,
    pub session_cost_microusd: Option<u64>,
    /// What stood in its way and is nothing that the role did.
    pub hold: Option<Hold>,
}

impl RoleEnd {
    /// The same within the limits of an event: an outcome must never be too large to record.
    #[must_use]
    pub fn bounded(mut self) -> Self {
        let clipped = |text: Option<String>| text.map(|text| clip(&text, TEXT_BYTES_MAX).to_owned());
        (self.message, self.said) = (clipped(self.message), clipped(self.said));
        self.guard = self.guard.map(GuardReport::bounded);
        self.change = self.change.map(Change::bounded);
        self.handed_in = self.handed_in.bounded();
        self
    }
}

impl HandedIn {
    fn bounded(mut self) -> Self {
        self.documents.truncate(DOCUMENTS_MAX);
        for document in &mut self.documents {
            document.text.truncate(clip(&document.text, DOCUMENT_BYTES_MAX).len());
        }
        self.changes.truncate(LOG_LINES_MAX);
        self.debug.truncate(LOG_LINES_MAX);
        self.discoveries.truncate(LOG_LINES_MAX);
        self.feedback.truncate(WAITING_FEEDBACK_MAX);
        self.blockers.truncate(WAITING_FEEDBACK_MAX);
        self.decisions.truncate(WAITING_FEEDBACK_MAX);
        self.tasks_completed.truncate(TASKS_MAX);
        self.notes.truncate(NOTES_MAX);
        self.notes.iter_mut().for_each(|note| note.text.truncate(clip(&note.text, TAIL_BYTES_MAX).len()));
        while self.values.len() > CUSTOM_KEYS_MAX {
            self.values.pop_last();
        }
        self.problems.truncate(WAITING_FEEDBACK_MAX);
        self
    }
}

/// What a role handed in: what piton read in its directory and in its output once it had ended. The journal has all of it,
/// and the published files are rendered from there.
#[record(Default)]
#[serde(default)]
pub struct HandedIn {
    /// The block `PHASE_RESULT:` of its output, or the same by way of its report.
    pub result: Option<PhaseResult>,
    /// Its documents that are new or changed.
    pub documents: Vec<Document>,
    /// What `requirements.md` says.
    pub requirements: Option<Requirements>,
    /// What `exploration.md` says.
    pub exploration: Option<Exploration>,
    /// What `plan.json` says.
    pub plan: Option<Plan>,
    /// Files that differ in the work tree, with what the role says of them.
    pub changes: Vec<ChangeEntry>,
    /// New lines of its `debug-log.ndjson`.
    pub debug: Vec<Value>,
    /// New lines of its `discoveries.ndjson`.
    pub discoveries: Vec<Discovery>,
    /// What it wants others to know.
    pub feedback: Vec<Feedback>,
    /// What stands in its way.
    pub blockers: Vec<String>,
    /// What it wants to be decided.
    pub decisions: Vec<Decision>,
    /// Tasks of the plan that it says are done.
    pub tasks_completed: Vec<String>,
    /// Critical bugs, and open issues, that it reports.
    pub critical_issues: Option<u32>,
    pub open_issues: Option<u32>,
    /// What it decided and found out, for whoever goes on.
    pub notes: Vec<Note>,
    /// Values to keep with the cycle; `null` forgets one.
    pub values: BTreeMap<String, Value>,
    /// What is wrong with what it handed in, in sentences that say what to do: each becomes a phase error.
    pub problems: Vec<String>,
    /// What stands in its way is for a person, and not for the roles that it tells.
    #[serde(skip_serializing_if = "crate::is_default")]
    pub asks_person: bool,
    /// The phase does not count for it: what it handed in cannot be worked with.
    #[serde(skip_serializing_if = "crate::is_default")]
    pub unusable: bool,
}

/// The block `PHASE_RESULT:` of an output.
#[record(Default, Eq, written)]
#[serde(default)]
pub struct PhaseResult {
    /// The role it says it is of, if it says so.
    pub phase: Option<String>,
    /// What it says of its work.
    pub status: PhaseStatus,
    /// The other lines, `- key: value`, as they stand.
    pub fields: BTreeMap<String, String>,
}

words! {
    /// What became of a phase.
    #[derive(Default)]
    pub enum PhaseStatus {
        /// Nothing of it has happened in this iteration.
        Pending = "pending",
        /// It is done.
        Completed = "completed",
        /// A part of it is done.
        Partial = "partial",
        /// It cannot go on without an answer of another role.
        Blocked = "blocked",
        Failed = "failed",
        /// Nobody said.
        #[default]
        Unknown = "unknown",
    }
}

/// A document as a role left it.
#[record(Eq)]
pub struct Document {
    /// Its name in the role's directory.
    pub name: String,
    pub version: String,
    pub iteration: u32,
    /// All of it, as the role wrote it: what piton puts around it is rendered.
    pub text: String,
    pub at: Timestamp,
}

/// What one of the team tells another.
#[record(Eq)]
pub struct Feedback {
    pub at: Timestamp,
    /// A role, or `user`.
    pub source: String,
    /// The role that is to know.
    pub target: RoleName,
    pub content: String,
    pub kind: FeedbackKind,
}

words! {
    /// What an entry of the feedback log is.
    pub enum FeedbackKind {
        RequirementUpdate = "requirement_update",
        BugReport = "bug_report",
        IssueFix = "issue_fix",
        Clarification = "clarification",
    }
}

/// Something that is to be decided.
#[record(Eq, written(options), omit(waits))]
pub struct Decision {
    /// `DEC-001` and so on.
    pub id: String,
    pub description: String,
    pub options: Vec<String>,
    pub made_by: Option<String>,
    pub chosen_option: Option<String>,
    pub status: DecisionStatus,
    /// Nothing is begun until it is made.
    pub waits: bool,
}

words! {
    /// Where a decision is.
    #[derive(Default)]
    pub enum DecisionStatus {
        #[default]
        Pending = "pending",
        Made = "made",
        Implemented = "implemented",
    }
}

/// Something that stands in the way.
#[record(Eq)]
pub struct Blocker {
    /// `BLK-001` and so on.
    pub id: String,
    pub description: String,
    /// A role, or `user`.
    pub reported_by: String,
    pub status: BlockerStatus,
    pub resolution: Option<String>,
}

impl Blocker {
    /// The same once its role went on without it.
    pub(super) fn taken_back(&self) -> Blocker {
        let resolution = Some(went_on(&self.reported_by));
        Blocker { status: BlockerStatus::Resolved, resolution, ..self.clone() }
    }

    /// How somebody settled it; nothing where its role just went on.
    pub fn settled_by(&self) -> Option<&str> {
        let how = self.resolution.as_deref().filter(|_| self.status != BlockerStatus::Open)?;
        (how != went_on(&self.reported_by)).then_some(how)
    }
}

fn went_on(role: &str) -> String {
    format!("{role} went on")
}

words! {
    /// Where a blocker is.
    #[derive(Default)]
    pub enum BlockerStatus {
        #[default]
        Open = "open",
        Resolved = "resolved",
        Workaround = "workaround",
    }
}

/// Something that went wrong in a phase, with what to do about it.
#[record(Eq)]
pub struct PhaseError {
    /// A role, or another phase.
    pub phase: String,
    pub error: String,
    pub at: Timestamp,
}

/// What was added to the task, and begins an iteration of its own.
#[record(Eq)]
pub struct Extension {
    pub text: String,
    pub at: Timestamp,
}

/// What was judged of an attempt of a role.
#[record(Eq)]
pub struct Ruling {
    /// What the phase came to, by what is known and not only by what was said.
    pub status: PhaseStatus,
    /// What went wrong, in sentences that say what to do.
    pub errors: Vec<String>,
    /// What becomes of what the guard found in it; nothing where it found nothing.
    pub guard: Option<Verdict>,
    /// What others are told because of it.
    pub feedback: Vec<Feedback>,
    /// What stands in the way because of it.
    pub blockers: Vec<Blocker>,
    /// What it said stood in the way, and no longer does.
    pub resolved: Vec<Blocker>,
    /// What is to be decided because of it.
    pub decisions: Vec<Decision>,
    /// Whom it asked: it goes on once they had another turn.
    pub asked: Vec<RoleName>,
    /// Roles that work again in this iteration because of that: those who were asked, and whoever worked after them already.
    pub again: Vec<RoleName>,
    pub verdict: RoleVerdict,
}

/// What becomes of a role after an attempt.
#[record(Eq)]
pub enum RoleVerdict {
    /// Its phase is done for this iteration.
    Done,
    /// It is tried again.
    Again {
        /// Not before: the durable timer.
        not_before: Option<Timestamp>,
        /// The try does not count.
        free: bool,
        /// The snapshot the tree is put back to before that.
        restore: Option<String>,
    },
    /// It goes on once those whom it asked have answered.
    Waits,
    /// A person is needed before anything goes on.
    Halt { reason: Reason },
    /// It failed, and the cycle with it.
    Fail {
        reason: Reason,
        error: String,
        /// The snapshot the tree is put back to before anybody goes on, where the guard refused what is in it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        restore: Option<String>,
    },
}

/// What was judged of an iteration.
#[record]
pub struct Conclusion {
    pub iteration: u32,
    pub verdict: IterationVerdict,
    /// What is wrong still.
    pub issues: Vec<String>,
    /// What the checks came to, where there are any.
    pub tests: Option<TestResults>,
    /// It is better than every one before.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub best: bool,
    /// It changed something that matters.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub progress: bool,
    /// What makes it comparable: checks that pass, then tests, then coverage.
    pub quality: f64,
    /// The tree it left.
    pub snapshot: Option<Snapshot>,
    /// Roles that begin the next iteration; empty where none follows.
    pub next: Vec<RoleName>,
    /// What they are told.
    pub feedback: Vec<Feedback>,
    /// What was judged of its gate, where the cycle was prepared.
    pub gate: Option<GateRecord>,
}

words! {
    /// What an iteration came to.
    pub enum IterationVerdict {
        /// Nothing is wrong.
        Converged = "converged",
        /// Something is wrong, and the next iteration follows.
        GoesOn = "goes_on",
        /// Something is wrong, and no iteration is left.
        OutOfIterations = "out_of_iterations",
        /// Something is wrong, and too many iterations in a row changed nothing that matters.
        NoProgress = "no_progress",
    }
}

words! {
    /// What a role that takes too long is told, one after the other. After the last its attempt is ended.
    pub enum Nudge {
        /// Say how it stands.
        StatusCheck = "status_check",
        /// Hand in what there is.
        Finalize = "finalize",
    }
}

words! {
    /// What somebody who edits `status` in the state file wants.
    pub enum Signal {
        Pause = "pause",
        Stop = "stop",
        Continue = "continue",
        /// A word that means nothing: the cycle does not go on.
        Unknown = "unknown",
    }
}

/// The state file was edited.
#[record(Eq)]
pub struct Edited {
    /// What its status says now, where that differs.
    pub signal: Option<Signal>,
    /// The word of it that nobody knows, as it stands there; empty where it has none.
    pub word: Option<String>,
    /// Where it is kept, where it says other things, too, that do not count.
    pub kept_at: Option<String>,
    /// The fields that differ and do not count.
    pub fields: Vec<String>,
}

/// What a cycle begins with that is no work of its own: another tool's, or what was found in the progress files.
#[record(Default, omit(unnamed_files, open))]
pub struct Imported {
    /// Rebuilt from the progress files, after state and journal were lost.
    pub rebuilt: bool,
    pub created_at: Timestamp,
    /// When it was completed, or failed, where it was.
    pub ended_at: Option<Timestamp>,
    /// Why it failed, where it says so.
    pub failure_reason: Option<String>,
    /// The last iteration it had.
    pub iteration: u32,
    /// That one has no verdict yet: whoever has not completed it goes on with it.
    pub open: bool,
    /// Where the team was in it; where nothing is said, at its end.
    pub phase: Option<Phase>,
    /// How each role was. Where nothing is said of any, they have completed all that there was.
    pub agents: BTreeMap<RoleName, ImportedRole>,
    /// The phases that were ever completed, where something is said of its roles.
    pub completed_phases: Vec<String>,
    /// How many of them each role completed; of a role that is not here, all.
    pub iterations_completed: BTreeMap<RoleName, u32>,
    pub task_history: Vec<String>,
    pub description: String,
    pub requirements: Option<Requirements>,
    pub exploration: Option<Exploration>,
    pub plan: Option<Plan>,
    pub changes: Vec<ChangeEntry>,
    /// Files that were changed besides, by its own count: it does not name them.
    pub unnamed_files: u32,
    pub iteration_markers: BTreeMap<u32, Timestamp>,
    pub tests: Option<TestResults>,
    pub documents: Vec<(RoleName, Document)>,
    pub iterations: Vec<super::state::IterationRecord>,
    pub feedback: Vec<Feedback>,
    pub decisions: Vec<Decision>,
    pub blockers: Vec<Blocker>,
    /// What is on its board.
    pub discoveries: Vec<Discovery>,
    pub phase_errors: Vec<PhaseError>,
    /// What could not be known.
    pub unknown: Vec<String>,
}

/// How a role was when its cycle was taken up.
#[record(Default, Eq)]
pub struct ImportedRole {
    pub status: RoleStatus,
    pub started_at: Option<Timestamp>,
    pub completed_at: Option<Timestamp>,
    pub last_message: Option<String>,
    pub error: Option<String>,
}
