//! What attempts, checks and people brought back: the data inside the events.

mod rounds;

use std::collections::BTreeMap;

use piton_record::record;

use super::guard::GuardReport;
use crate::Timestamp;
use crate::limits::{
    ARTIFACTS_MAX, MODIFIED_FILES_MAX, OBJECTIVES_MAX, TAIL_BYTES_MAX, TEXT_BYTES_MAX, WARNINGS_MAX,
    WRITTEN_MAX, clip,
};
use crate::words::words;

pub use rounds::{
    Attained, Beside, CheckResult, CheckRound, Closure, ConditionResult, Made, Member, Proved, Rewritten,
    Wrote,
};

/// A byte-exact picture of the work tree, kept by git.
#[record(Eq)]
pub struct Snapshot {
    /// The commit that keeps it reachable.
    pub id: String,
    /// The tree: equal trees have equal names.
    pub tree: String,
    /// What was on disk and is not in it, though git does not ignore it: the first few. Nothing puts it back.
    pub left_out: Vec<LeftOut>,
}

impl Snapshot {
    /// Whether it shows other files than `other`; those that neither holds count by what is known of them.
    pub fn differs_from(&self, other: &Self) -> bool {
        self.tree != other.tree || self.left_out != other.left_out
    }
}

/// A file that no snapshot has: too large, or not readable.
#[record(Eq)]
pub struct LeftOut {
    pub path: String,
    pub bytes: u64,
    /// Of its content; `None` where it could not be read.
    pub digest: Option<String>,
}

/// What an attempt left behind in the tree.
#[record(Default, Eq, written(files))]
pub struct Change {
    /// Files that differ; the first few hundred.
    pub files: Vec<String>,
    /// How many differ in all.
    pub files_total: u32,
    /// Lines added.
    pub added: u64,
    /// Lines removed.
    pub removed: u64,
    /// What the files are now; the first hundred.
    pub artifacts: Vec<Artifact>,
}

impl Change {
    /// The same within the limits of an event.
    #[must_use]
    pub(crate) fn bounded(mut self) -> Self {
        self.files.truncate(MODIFIED_FILES_MAX);
        self.artifacts.truncate(ARTIFACTS_MAX);
        self
    }
}

/// A file as an attempt left it.
#[record(Eq)]
pub struct Artifact {
    /// Where it is.
    pub path: String,
    /// The SHA-256 of its content.
    pub sha256: String,
    /// How large it is.
    pub size_bytes: u64,
}

/// An attempt that is about to run or runs.
#[record(Default, Eq)]
pub struct OpenAttempt {
    /// Counts the attempts of the run; never used twice.
    pub number: u32,
    /// The iteration it works on.
    pub iteration: u32,
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
    /// The agent, where that is not the first of the run.
    pub agent: Option<String>,
}

/// A commit that is about to be made, on the branch of the run's own work tree.
#[record(Eq)]
pub struct OpenCommit {
    /// The iteration that left it.
    pub iteration: u32,
    /// The tree that is committed.
    pub tree: String,
}

/// What is in a tree, and not in the commit that was made of it; the first few of each.
#[record(Default, Eq)]
pub struct Uncommitted {
    /// Files that checks made.
    pub made: Vec<String>,
    /// Submodules with files that are not committed in them.
    pub submodules: Vec<String>,
}

impl Uncommitted {
    /// The same within the limits of an event.
    #[must_use]
    pub(super) fn bounded(mut self) -> Self {
        self.made.truncate(WRITTEN_MAX);
        self.submodules.truncate(WRITTEN_MAX);
        self
    }
}

/// The conversation an attempt is to have.
#[record(Eq, omit(resumed))]
pub struct IntendedSession {
    /// By which the agent finds it again.
    pub id: String,
    /// It is continued, not begun.
    pub resumed: bool,
    /// It begins as a copy of this one, which stays as it is. Where the agent names the copy itself, this is also
    /// the name above.
    pub from: Option<String>,
}

/// How an attempt ended.
#[record]
pub struct AttemptEnd {
    /// Success, failure, or stopped by us.
    pub outcome: AttemptOutcome,
    /// Exit code, if it exited.
    pub exit_code: Option<i32>,
    /// Working time it took.
    pub duration_ms: u64,
    /// A sentence for people when it failed.
    pub message: Option<String>,
    /// What the agent said about it.
    pub report: Option<Report>,
    /// The tree it left.
    pub snapshot: Option<Snapshot>,
    /// What its prompt was made of.
    pub prompt: Option<PromptRecord>,
    /// What differs from before.
    pub change: Option<Change>,
    /// What the guard says about that.
    pub guard: Option<GuardReport>,
    /// Bytes of its prompt and of what it printed: how full its context is, where it does not say so itself.
    pub said_bytes: Option<u64>,
}

impl AttemptEnd {
    /// One that ended like this, and of which nothing else is known.
    pub fn of(outcome: AttemptOutcome) -> Self {
        Self {
            outcome,
            exit_code: None,
            duration_ms: 0,
            message: None,
            report: None,
            snapshot: None,
            prompt: None,
            change: None,
            guard: None,
            said_bytes: None,
        }
    }

    /// The same within the limits of an event: an outcome must never be too large or too deep to record.
    #[must_use]
    pub fn bounded(mut self) -> Self {
        self.message = self.message.map(|text| clip(&text, TEXT_BYTES_MAX).to_owned());
        self.report = self.report.map(Report::bounded);
        self.guard = self.guard.map(GuardReport::bounded);
        if let Some(prompt) = &mut self.prompt {
            prompt.warnings.truncate(WARNINGS_MAX);
            for warning in &mut prompt.warnings {
                *warning = clip(warning, TAIL_BYTES_MAX).to_owned();
            }
        }
        self.change = self.change.map(Change::bounded);
        self
    }
}

/// What was found in the work tree where nothing else is known of an attempt.
#[record(Default, Eq)]
pub struct Left {
    /// The tree; nothing where it could not be looked at.
    pub snapshot: Option<Snapshot>,
    /// What differs from before.
    pub change: Option<Change>,
    /// What the guard says about that.
    pub guard: Option<GuardReport>,
}

impl Left {
    /// The same within the limits of an event.
    #[must_use]
    pub fn bounded(mut self) -> Self {
        self.guard = self.guard.map(GuardReport::bounded);
        self.change = self.change.map(Change::bounded);
        self
    }
}

/// What a prompt was made of.
#[record(Default, Eq)]
pub struct PromptRecord {
    /// The digest of the files that the task was read from; another one means that somebody edited them.
    pub digest: Option<String>,
    /// What a person should know about them.
    pub warnings: Vec<String>,
}

words! {
    /// The ways an attempt can end with a known outcome.
    pub enum AttemptOutcome {
        /// The agent exited by itself, with 0.
        Succeeded = "succeeded",
        /// The agent exited with something else, or by a signal that was not ours.
        Failed = "failed",
        /// It ran longer than an attempt may.
        TimedOut = "timed_out",
        /// It was silent for longer than an attempt may be.
        Hung = "hung",
        /// It was ended because somebody asked.
        Cancelled = "cancelled",
        /// The program could not be started at all.
        NotStartable = "not_startable",
    }
}

/// How it is known that nothing of a lost attempt runs any more.
#[record(Copy, Eq)]
pub enum TreeProof {
    /// The kernel says that the attempt's group of processes is empty.
    Proven,
    /// No process with the attempt's mark was found.
    Scanned,
    /// The machine has been started anew since.
    Rebooted,
}

/// What an agent may report about its attempt. Absent means unknown, never zero.
#[record(Default)]
#[serde(default)]
pub struct Report {
    /// What the agent thinks of the task.
    pub status: Option<ReportStatus>,
    pub reason: Option<String>,
    /// What it did.
    pub summary: Option<String>,
    /// The session it worked in.
    pub session_id: Option<String>,
    /// Tokens it used.
    pub usage: Option<Usage>,
    /// Money it used, in millionths of a dollar.
    pub cost_microusd: Option<u64>,
    /// How full its context is.
    pub context_usage_percent: Option<u8>,
    /// What is done and what is left, by the agent's account.
    pub objectives: Option<ReportedObjectives>,
    /// What it decided and found out, for whoever goes on.
    pub notes: Vec<Note>,
    /// Values to keep with the run.
    pub custom: BTreeMap<String, serde_json::Value>,
    /// What kind of failure it was.
    pub error_class: Option<ErrorClass>,
    /// What the failure said.
    pub message: Option<String>,
    /// Until when the provider refuses further calls.
    pub limited_until: Option<Timestamp>,
    /// What the whole session has used, where the agent counts so.
    pub session_usage: Option<Usage>,
    /// What the whole session has cost, likewise.
    pub session_cost_microusd: Option<u64>,
    /// What a person should know although the attempt did not fail of it.
    pub warnings: Vec<String>,
    /// Of the words that the run listens for, those that were in the agent's output.
    pub heard: Vec<String>,
}

impl Report {
    /// Whether the agent said these words, in what it reported or in what it printed.
    pub fn says(&self, words: &str) -> bool {
        let in_summary = self.summary.as_ref().is_some_and(|summary| summary.contains(words));
        !words.is_empty() && (in_summary || self.heard.iter().any(|heard| heard == words))
    }
}

/// What the agent thinks of the task. Only ever a request to verify.
#[record(Copy, Eq)]
pub enum ReportStatus {
    /// It believes the task is done.
    Done,
    /// It cannot go on without a person.
    Blocked,
    /// There is more to do.
    Continue,
}

impl Usage {
    /// What was used since `before`; all of it where the count began anew.
    #[must_use]
    pub fn since(self, before: Usage) -> Usage {
        if self.input_tokens < before.input_tokens || self.output_tokens < before.output_tokens {
            return self;
        }
        let cached = |usage: Usage| usage.cached_input_tokens.unwrap_or(0);
        Usage {
            input_tokens: self.input_tokens - before.input_tokens,
            output_tokens: self.output_tokens - before.output_tokens,
            cached_input_tokens: self.cached_input_tokens.map(|now| now.saturating_sub(cached(before))),
        }
    }
}

/// Tokens used by an attempt.
#[record(Copy, Default, Eq)]
pub struct Usage {
    /// Tokens that the model read, those from a cache included.
    pub input_tokens: u64,
    /// Tokens that the model wrote.
    pub output_tokens: u64,
    /// Of the tokens read, those that came from a cache.
    pub cached_input_tokens: Option<u64>,
}

/// What is done and what is left.
#[record(Default, Eq, written)]
#[serde(default)]
pub struct Objectives {
    /// Those that are done, as the agent says.
    pub completed: Vec<String>,
    /// Those that are left, as the agent says.
    pub pending: Vec<String>,
}

impl Objectives {
    /// What is known after a report: what is done stays done unless it is called open again, and a list that the report
    /// does not have is as it was, less what is done by now.
    #[must_use]
    pub fn after(&self, report: &ReportedObjectives) -> Self {
        let said = report.completed.iter().flatten();
        let is_open = |one: &String| report.pending.as_ref().is_some_and(|pending| pending.contains(one));
        let mut completed: Vec<String> = Vec::new();
        for one in self.completed.iter().filter(|one| !is_open(one)).chain(said) {
            if !completed.contains(one) {
                completed.push(one.clone());
            }
        }
        completed.drain(..completed.len().saturating_sub(OBJECTIVES_MAX));
        let pending = match &report.pending {
            Some(pending) => pending.clone(),
            None => self.pending.iter().filter(|one| !completed.contains(one)).cloned().collect(),
        };
        Self { completed, pending }
    }
}

/// What is done and what is left, by an agent's account; a list that it does not give is unknown to it.
#[record(Default, Eq)]
#[serde(default)]
pub struct ReportedObjectives {
    /// Those that are done; absent where the report does not speak of them.
    pub completed: Option<Vec<String>>,
    /// Those that are left; absent likewise.
    pub pending: Option<Vec<String>>,
}

/// Something an agent wants remembered.
#[record(Eq)]
pub struct Note {
    pub kind: NoteKind,
    /// The decision or the finding, in the agent's words.
    pub text: String,
}

#[record(Copy, Eq)]
pub enum NoteKind {
    /// Something that was chosen, and why.
    Decision,
    /// Something that was found out.
    Finding,
    /// Something that a person wants remembered.
    Person,
}

impl NoteKind {
    /// The word used on screens and in prompts.
    pub fn as_str(self) -> &'static str {
        match self {
            NoteKind::Decision => "decision",
            NoteKind::Finding => "finding",
            NoteKind::Person => "note",
        }
    }
}

/// What kind of failure an agent met.
#[record(Copy, Eq)]
pub enum ErrorClass {
    /// Not logged in.
    Auth,
    /// The provider is overloaded.
    Overloaded,
    /// The provider refuses further calls for a while.
    RateLimit,
    ContextFull,
    /// A permission was denied.
    Permission,
    /// It hung.
    Hang,
    Crash,
}

/// What a question is about.
#[record(Copy, Eq)]
pub enum QuestionKind {
    /// The agent says it cannot go on.
    Blocked,
    /// An attempt's outcome cannot be known.
    AttemptLost,
    /// The guard found what looks like cheating.
    Guard,
    /// The run does not get on, though nobody did anything wrong.
    Stuck,
    /// A person decides whether the next iteration begins.
    BeforeIteration,
    /// A person looks at what the last iteration left.
    AfterIteration,
    /// A person decides whether the session gives way to a fresh one.
    Reboot,
    /// All is done but for another agent, who objects or says nothing.
    Review,
}

/// What a person may say to a question.
#[record(Copy, Eq)]
pub enum Answer {
    /// Yes, go on.
    Approve,
    /// No: to what an iteration left, or to going on. The comment is for the agent.
    Reject,
    /// Stop the run.
    Abort,
}
