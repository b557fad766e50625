//! The state of a cycle: a fold over its events, bounded in size.
//!
//! Histories are windows with a total: whoever renders an append-only log counts the lines that are there, and finds those
//! that are missing in the window. What is large (documents) is shared between copies of a state until it changes.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use piton_record::record;
use serde_json::Value;

use super::config::{Config, RoleName};
use super::facts::{
    Blocker, BlockerStatus, Decision, Document, Extension, Feedback, FeedbackKind, IterationVerdict, Nudge,
    OpenAttempt, PhaseError, PhaseStatus,
};
use super::gate::GateRecord;
use super::sections::{ChangeEntry, Discovery, Exploration, LogLine, Plan, Requirements, TestResults};
use crate::event::StopOrigin;
use crate::limits::keep_last;
use crate::loop_machine::{
    CheckResult, Driver, HookCall, HookProgress, KeptFinding, Note, Raise, Snapshot, Usage,
};
use crate::status::{Reason, Status};
use crate::words::words;
use crate::{RunId, Timestamp};

/// Everything that is known of a cycle.
#[record(omit(hooks, unnamed_files), written(reason, detail, driver, roles))]
pub struct State {
    pub run: RunId,
    /// One line for people: the beginning of the task.
    pub title: String,
    /// What it was asked to do; limits as raised since.
    pub config: Config,
    /// The task at length, with what was added to it.
    pub description: String,
    /// Every task, the first one first.
    pub task_history: Vec<String>,

    /// Where it is.
    pub status: Status,
    pub reason: Option<Reason>,
    /// A sentence for people, where the reason alone is not enough: of a cycle that failed, why.
    pub detail: Option<String>,
    /// Since when it is there.
    pub since: Timestamp,
    pub created_at: Timestamp,
    /// When the last event happened.
    pub updated_at: Timestamp,
    /// When it was completed, or failed, last.
    pub ended_at: Option<Timestamp>,

    /// Who drove it last.
    pub driver: Option<Driver>,
    /// The last iteration that began; 0 before the first.
    pub iteration: u32,
    pub phase: Phase,
    /// The phases that were ever completed, each once, in the order of their first time.
    pub completed_phases: Vec<String>,
    /// What went wrong, the last ones.
    pub phase_errors: Log<PhaseError>,
    /// The team, in the order of the table.
    pub roles: Vec<RoleState>,
    /// What is known of the iteration that is under way, or was last.
    pub current: Current,

    pub requirements: Option<Arc<Requirements>>,
    pub exploration: Option<Arc<Exploration>>,
    pub plan: Option<Arc<Plan>>,
    /// Files that were changed, line by line.
    pub changes: Log<ChangeEntry>,
    /// The same by name.
    pub changed_files: BTreeSet<String>,
    /// Files that whoever worked on it before counted, and did not name.
    pub unnamed_files: u32,
    /// When the changes of an iteration were complete.
    pub iteration_markers: BTreeMap<u32, Timestamp>,
    pub tests: Option<TestResults>,
    /// What the last round of checks said of each.
    pub checks: Vec<CheckResult>,

    /// Iterations that began, the last ones; the last may be under way.
    pub iterations: VecDeque<IterationRecord>,
    /// The best iteration that was concluded, by verdict or by choice.
    pub best: Option<u32>,
    /// A person chose it, and why.
    pub chosen_best: Option<(u32, String)>,
    /// The best iteration by verdict alone, and how good it is: what the next ones are compared with.
    pub best_by_verdict: Option<(u32, f64)>,

    pub feedback: Log<Feedback>,
    pub decisions: Vec<Decision>,
    pub blockers: Vec<Blocker>,
    /// How many decisions and blockers there were: what their names are counted by.
    pub decisions_total: u32,
    pub blockers_total: u32,
    /// What roles found out, each once.
    pub discoveries: Log<Discovery>,
    pub timeline: Log<TimelineEntry>,
    pub findings: VecDeque<KeptFinding>,

    /// The tree before anything was done.
    pub start: Option<Snapshot>,
    /// The tree as it was seen last.
    pub seen: Option<Snapshot>,
    /// The last attempt's number.
    pub attempt: u32,
    /// The last round of checks.
    pub round: u32,
    /// The round that is open.
    pub checking: Option<u32>,
    /// The call of hooks that is open.
    pub calling: Option<HookCall>,
    /// How far its hooks are.
    pub hooks: HookProgress,
    /// Values that hooks and roles set.
    pub custom: BTreeMap<String, Value>,
    /// What roles decided and found out, the newest last.
    pub notes: VecDeque<RoleNote>,
    /// What was used so far.
    pub counters: Counters,
    /// Iterations in a row that changed nothing that matters.
    pub idle_iterations: u32,
    /// Requests that were not acted on yet.
    pub requests: Requests,
    /// The name of the content of the state file that somebody edited last.
    pub edited: Option<String>,
    /// What could not be known when it was rebuilt.
    pub unknown: Vec<String>,
}

/// A note, and who made it when.
#[record(Eq)]
pub struct RoleNote {
    pub role: RoleName,
    pub iteration: u32,
    pub note: Note,
}

/// Where the team is.
#[record(Eq)]
pub enum Phase {
    /// Nothing has begun.
    Init,
    /// This role works, or worked last.
    Role(RoleName),
    /// What the roles did is judged.
    Aggregation,
    /// It is over.
    Complete,
}

impl Phase {
    /// Its word in the published files: the name of a role, or what comes before and after all of them.
    pub fn as_str(&self) -> &str {
        match self {
            Phase::Init => "init",
            Phase::Role(name) => name.as_str(),
            Phase::Aggregation => "aggregation",
            Phase::Complete => "complete",
        }
    }
}

/// What is known of one role.
#[record(Default, omit(due, called_back, turns, tries, lost, refusals, sent_back, hearing))]
#[serde(default)]
pub struct RoleState {
    pub status: RoleStatus,
    pub started_at: Option<Timestamp>,
    pub completed_at: Option<Timestamp>,
    /// Documents that it left, by their names in its directory.
    pub output_files: Vec<String>,
    pub last_message: Option<String>,
    pub error: Option<String>,
    pub iterations_completed: u32,
    /// It has something to do in this iteration.
    pub due: bool,
    /// Another role asked it while it was at work: it has another turn once that is done.
    pub called_back: bool,
    /// Turns that it had in this iteration.
    pub turns: u32,
    /// Tries in this iteration.
    pub tries: u32,
    /// Attempts in a row whose outcome could not be known.
    pub lost: u32,
    /// Attempts in a row that its provider refused.
    pub refusals: u32,
    /// How often it sent others back to work in this iteration.
    pub sent_back: u32,
    /// Whom it asked and has not heard of since: it goes on once they had another turn.
    pub asked: Vec<RoleName>,
    /// Not tried again before: the durable timer.
    pub not_before: Option<Timestamp>,
    /// The snapshot the tree is put back to before that.
    pub restore: Option<String>,
    /// The work that is open, and what it was told on the way.
    pub open: Option<OpenAttempt>,
    pub nudged: Option<Nudge>,
    /// The conversation it had last.
    pub session: Option<String>,
    /// What that has used and cost so far, where its agent counts so.
    pub session_usage: Option<Usage>,
    pub session_cost_microusd: Option<u64>,
    /// Its documents as they are, and as they were in the version before.
    pub documents: BTreeMap<String, Arc<Document>>,
    pub previous: BTreeMap<String, Arc<Document>>,
    /// Its log: each document's versions.
    pub log: Log<LogLine>,
    /// Lines of its `debug-log.ndjson`.
    pub debug: Log<Value>,
    /// What it is told with its next prompt.
    pub told: VecDeque<Feedback>,
    /// So many of these, the first ones, are in the prompt of the attempt that is open, or was last.
    pub hearing: u32,
    /// What it used so far.
    pub counters: Counters,
}

impl RoleState {
    /// What its prompt tells it: of an attempt that is open, all that was known when it was recorded. What comes later is for
    /// the next one.
    pub fn hears(&self) -> impl Iterator<Item = &Feedback> {
        let count = if self.open.is_some() { self.hearing as usize } else { self.told.len() };
        self.told.iter().take(count)
    }
}

words! {
    /// Where a role is, in the words of the published format.
    #[derive(Default)]
    pub enum RoleStatus {
        #[default]
        Idle = "idle",
        Running = "running",
        Waiting = "waiting",
        Completed = "completed",
        Failed = "failed",
    }
}

/// The iteration that is under way, or was last.
#[record(Default, omit(concluded, confirmed, judged_at, developed_at))]
#[serde(default)]
pub struct Current {
    pub version: String,
    /// The tree before it.
    pub before: Option<Snapshot>,
    /// The tree that the last round of checks judged, and whether all of them passed.
    pub judged: Option<(Snapshot, bool)>,
    /// The last attempt before that round.
    pub judged_at: u32,
    /// The last attempt that ended of a role that changes the tree. It may have changed what git does not see and checks do.
    pub developed_at: u32,
    /// What the guard found in it that blocks, in sentences.
    pub refused: Vec<String>,
    /// How good that tree is, where anything is known of it.
    pub quality: Option<f64>,
    /// It has its verdict.
    pub concluded: bool,
    /// A person wants the next one.
    pub confirmed: bool,
    /// Roles that begin the next one; none where it is over.
    pub next: Vec<RoleName>,
}

/// One iteration.
#[record(written(agent_results, issues))]
pub struct IterationRecord {
    pub number: u32,
    pub version: String,
    pub extension: Option<String>,
    pub started_at: Timestamp,
    pub completed_at: Option<Timestamp>,
    /// By the name of the role.
    pub agent_results: BTreeMap<RoleName, RoleResult>,
    pub issues: Vec<String>,
    /// The issues that it began with are none any more.
    #[serde(default)]
    pub resolved: bool,
    /// Absent while it is under way.
    pub verdict: Option<IterationVerdict>,
    pub quality: Option<f64>,
    pub pass_rate: Option<f64>,
    /// The tree it left.
    pub snapshot: Option<Snapshot>,
    /// What it cost, in millionths of a dollar.
    #[serde(default)]
    pub cost_microusd: u64,
    /// Its gate, where the cycle was prepared.
    pub gate: Option<GateRecord>,
}

/// What a role came to in an iteration.
#[record(Default, Eq)]
pub struct RoleResult {
    pub status: PhaseStatus,
    pub files_modified: u32,
    /// Critical bugs, and open issues, that it reported last.
    pub critical_issues: Option<u32>,
    pub open_issues: Option<u32>,
}

/// A history of which the last entries are at hand.
#[record(Eq, written)]
pub struct Log<T> {
    /// How many there ever were.
    pub total: u64,
    pub recent: VecDeque<T>,
}

impl<T> Default for Log<T> {
    fn default() -> Self {
        Self { total: 0, recent: VecDeque::new() }
    }
}

impl<T> Log<T> {
    /// Adds an entry, and forgets the oldest beyond `most`.
    pub(super) fn push(&mut self, entry: T, most: usize) {
        self.total = self.total.saturating_add(1);
        self.recent.push_back(entry);
        keep_last(&mut self.recent, most);
    }

    /// The entries from the one of this number on, counted from 0; `None` where some of them are not at hand.
    pub fn since(&self, number: u64) -> Option<impl Iterator<Item = &T>> {
        let first = self.total - self.recent.len() as u64;
        (number >= first && number <= self.total).then(|| self.recent.iter().skip((number - first) as usize))
    }
}

/// A line of the timeline.
#[record(Eq)]
pub struct TimelineEntry {
    pub at: Timestamp,
    pub iteration: u32,
    pub fact: TimelineFact,
}

/// What a line of the timeline says.
#[record(Eq)]
pub enum TimelineFact {
    IterationStarted { version: String, extension: Option<String> },
    RoleEnded { role: RoleName, status: PhaseStatus, files: u32 },
    RoleLost { role: RoleName },
    ChecksRun { passed: u32, total: u32 },
    FeedbackGiven { source: String, target: RoleName, kind: FeedbackKind },
    DecisionMade { id: String, option: Option<String> },
    BlockerReported { id: String, by: String },
    BlockerSettled { id: String },
    PhaseErred { phase: String },
    IterationConcluded { verdict: IterationVerdict, issues: u32 },
    Rested { status: Status, reason: Reason },
}

/// What was used so far, by one role or by all.
#[record(Default, Eq, written)]
#[serde(default)]
pub struct Counters {
    /// Attempts that ended.
    pub attempts: u32,
    /// Of those, attempts that failed.
    pub failures: u32,
    /// Attempts whose outcome could not be known.
    pub lost: u32,
    /// Working time; of all roles together.
    pub working_ms: u64,
    /// Money, in millionths of a dollar, where it was reported.
    pub cost_microusd: u64,
    /// Attempts that reported no cost: the sum above is then a lower bound.
    pub cost_unknown: u32,
    /// Tokens, where they were reported.
    pub tokens: u64,
}

/// Requests that were not acted on yet.
#[record(Default, Eq, written)]
#[serde(default)]
pub struct Requests {
    /// Rest after what is open.
    pub pause: bool,
    /// Stop; `true` means now.
    pub stop: Option<(bool, StopOrigin)>,
    /// Go on, with these limits.
    pub resume: Option<Raise>,
    /// Further tasks, each with an iteration of its own.
    pub extensions: VecDeque<Extension>,
    /// Something needs a person before anything can go on.
    pub halt: Option<(Reason, Option<String>)>,
    /// A role failed for good.
    pub fail: Option<(Reason, String)>,
}

/// Work that is open in a state, for the driver to perform or to look up.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Run this attempt, or find out what became of it.
    Attempt(OpenAttempt),
    /// Run the checks.
    Checks(u32),
    /// Call these hooks.
    Hooks(HookCall),
    /// Look whether somebody edits the state file.
    Watch,
    /// Wake up at this moment.
    Timer(Timestamp),
}

impl State {
    /// Whether nothing is open.
    pub fn is_idle(&self) -> bool {
        let works = self.roles.iter().any(|role| role.open.is_some());
        !works && self.checking.is_none() && self.calling.is_none()
    }

    /// Whether somebody wants it to go on after a rest.
    pub fn is_asked_to_go_on(&self) -> bool {
        // What reached its goal goes on only for something more.
        let by_resume = self.requests.resume.is_some() && self.status != Status::Completed;
        by_resume || !self.requests.extensions.is_empty()
    }

    /// Whether its last iteration has a verdict and nothing is left to do.
    pub(super) fn is_over(&self) -> bool {
        let is_done = self.current.next.is_empty() && self.requests.extensions.is_empty();
        self.current.concluded && is_done
    }

    /// Whether nothing was asked of it, at rest, that is not done yet.
    pub fn is_settled(&self) -> bool {
        self.effects().is_empty() && super::decide::next_event(self, self.updated_at).is_none()
    }

    /// Whether something stands in the way.
    pub fn has_open_blockers(&self) -> bool {
        self.blockers.iter().any(|blocker| blocker.status == BlockerStatus::Open)
    }

    /// The role of this name.
    pub fn role(&self, name: &RoleName) -> Option<&RoleState> {
        self.place(name).map(|index| &self.roles[index])
    }

    /// Where the role of this name is in the table.
    pub fn place(&self, name: &RoleName) -> Option<usize> {
        self.config.roles.iter().position(|role| role.name == *name)
    }

    /// The roles with their states.
    pub fn team(&self) -> impl Iterator<Item = (&super::config::Role, &RoleState)> {
        self.config.roles.iter().zip(&self.roles)
    }
}
