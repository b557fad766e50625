//! What attempts, checks and people brought back: the data inside the events.

use std::collections::BTreeMap;

use piton_record::record;

use super::guard::GuardReport;
use super::measures::Measures;
use super::stop::StopResult;
use super::tracker::TestChanges;
use crate::Timestamp;
use crate::limits::{
    ARTIFACTS_MAX, MADE_MAX, MODIFIED_FILES_MAX, OBJECTIVES_MAX, OPENED_FILES_MAX, TAIL_BYTES_MAX,
    TEST_NAME_BYTES_MAX, TEXT_BYTES_MAX, WARNINGS_MAX, WRITTEN_MAX, clip, clip_tail,
};
use crate::words::words;

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
#[record(Eq)]
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
    /// Its name.
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
    /// Tokens read.
    pub input_tokens: u64,
    /// Tokens written.
    pub output_tokens: u64,
    /// Of the tokens read, those that came from a cache.
    pub cached_input_tokens: Option<u64>,
}

/// What is done and what is left.
#[record(Default, Eq, written)]
#[serde(default)]
pub struct Objectives {
    /// Done.
    pub completed: Vec<String>,
    /// Left.
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
    /// Done.
    pub completed: Option<Vec<String>>,
    /// Left.
    pub pending: Option<Vec<String>>,
}

/// Something an agent wants remembered.
#[record(Eq)]
pub struct Note {
    pub kind: NoteKind,
    /// In words.
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

/// One round of checks.
#[record(omit(tests, measures, cancelled), written(checks, conditions))]
pub struct CheckRound {
    pub number: u32,
    /// A verdict per check, in the order of the configuration.
    pub checks: Vec<CheckResult>,
    /// A verdict per condition that needs a probe.
    pub conditions: Vec<ConditionResult>,
    /// The tree they were run on, with what stays of what they wrote.
    pub snapshot: Option<Snapshot>,
    /// What they wrote into it, where they did.
    pub wrote: Option<Wrote>,
    /// What stop conditions said that have to be looked up.
    pub stops: Vec<StopResult>,
    /// What changed about tests by name.
    pub tests: TestChanges,
    /// What was measured on the way.
    pub measures: Measures,
    /// What the checks of a baseline have to do with the checkout, where the run works in a tree of its own.
    pub beside: Vec<Beside>,
    /// Working time they took.
    pub duration_ms: u64,
    /// They were cut short because somebody asked; no verdict follows.
    pub cancelled: bool,
}

impl CheckRound {
    /// A round in which nothing was run yet.
    pub fn of_nothing(number: u32) -> Self {
        Self {
            number,
            checks: Vec::new(),
            conditions: Vec::new(),
            snapshot: None,
            wrote: None,
            stops: Vec::new(),
            tests: TestChanges::default(),
            measures: Measures::default(),
            beside: Vec::new(),
            duration_ms: 0,
            cancelled: false,
        }
    }

    /// The same within the limits of an event.
    #[must_use]
    pub fn bounded(mut self) -> Self {
        for check in &mut self.checks {
            if check.tail.len() > TAIL_BYTES_MAX {
                check.tail = clip_tail(&check.tail, TAIL_BYTES_MAX).to_owned();
            }
        }
        self.measures = self.measures.bounded();
        self.tests = self.tests.bounded();
        self.wrote = self.wrote.map(Wrote::bounded);
        for beside in &mut self.beside {
            for names in [&mut beside.opened, &mut beside.fails, &mut beside.misses] {
                names.truncate(OPENED_FILES_MAX);
                names.iter_mut().for_each(|name| *name = clip(name, TEST_NAME_BYTES_MAX).to_owned());
            }
        }
        self
    }

    /// How many checks pass.
    pub fn passed(&self) -> usize {
        self.checks.iter().filter(|check| check.passed).count()
    }

    /// Whether every check passes; true of a round without checks.
    pub fn all_pass(&self) -> bool {
        self.checks.iter().all(|check| check.passed)
    }
}

/// What checks wrote into the tree they were run on.
#[record(Default, Eq)]
pub struct Wrote {
    /// The tree as they left it, where something of it was put back.
    pub left: Option<Snapshot>,
    /// Files that are as they were again; the first few.
    pub put_back: Vec<String>,
    /// Files that were not there, which stay on disk and belong to the checks.
    pub made: Vec<Made>,
    /// Files of the product that stay as the checks left them; the first few.
    pub changed: Vec<String>,
    /// Tests and protected files that are no longer what was judged before the checks; the first few.
    pub tests: Vec<Rewritten>,
    /// What the guard says about the tree as it stays.
    pub guard: Option<GuardReport>,
}

impl Wrote {
    /// The same within the limits of an event.
    #[must_use]
    fn bounded(mut self) -> Self {
        self.put_back.truncate(WRITTEN_MAX);
        self.changed.truncate(WRITTEN_MAX);
        self.tests.truncate(WRITTEN_MAX);
        self.made.truncate(MADE_MAX);
        self.guard = self.guard.map(GuardReport::bounded);
        self
    }
}

/// A file that a check made.
#[record(Eq)]
pub struct Made {
    /// Where it is; a directory with everything below ends with a slash.
    pub path: String,
    /// What names its content: with another one it is somebody else's. Nothing of what the baseline made, when nobody else
    /// had worked in the tree.
    pub id: Option<String>,
}

/// A test or a protected file that was written while checks ran.
#[record(Eq)]
pub struct Rewritten {
    pub path: String,
    /// The check that ran then, where that is known.
    pub check: Option<String>,
}

/// The verdict of one check.
#[record(Eq, omit(timed_out, tail))]
pub struct CheckResult {
    pub name: String,
    /// Whether it exited with 0 in time.
    pub passed: bool,
    /// Exit code, if it exited.
    pub exit_code: Option<i32>,
    /// It was ended because it took too long.
    pub timed_out: bool,
    /// How long it took.
    pub duration_ms: u64,
    /// The end of what it printed, when it failed.
    pub tail: String,
}

/// A check of the baseline in the run's own work tree, and in the checkout that the tree was made from.
#[record(Default, Eq)]
pub struct Beside {
    /// The check.
    pub name: String,
    /// How far it came in the work tree: the better of two, where it was run twice.
    pub here: Attained,
    /// How far it came in the checkout; unknown where it passes in the work tree.
    pub there: Option<Attained>,
    /// Files of the checkout that were opened each time it ran in the work tree, and not while it did not; the first few.
    pub opened: Vec<String>,
    /// Tests that failed each time it ran in the work tree, and not in the checkout, by the names that their runner gives them;
    /// the first few. What could not even be loaded has one, too.
    pub fails: Vec<String>,
    /// What it said each time in the work tree, and not in the checkout, about something that is not there; the first few lines.
    pub misses: Vec<String>,
}

/// How far a check came.
#[record(Copy, Default, Eq, omit(passed, unloaded))]
pub struct Attained {
    /// Whether it exited with 0 in time.
    pub passed: bool,
    /// Exit code, if it exited.
    pub exit_code: Option<i32>,
    /// Tests that passed in it, where its runner says.
    pub tests: Option<u64>,
    /// Tests that ran in it, where its runner says and came to its end.
    pub ran: Option<u64>,
    /// Its runner says that tests could not be built or loaded.
    pub unloaded: bool,
}

/// The verdict of one condition that needed a probe.
#[record(Eq)]
pub struct ConditionResult {
    /// The condition, as [`super::NamedStop::label`] names it.
    pub label: String,
    /// Whether it holds.
    pub met: bool,
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
