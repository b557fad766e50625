//! What comes of looking at a run: its status, why it is there, what happens in it, what it did.
//!
//! Everything arrives in words and as data: no front end folds events.

use std::collections::BTreeMap;

use piton_model::{
    Entry, Epoch, Machine, Reason, RunId, Seq, State, Status, Timestamp, cycle, ledger_machine, workflow,
};
use piton_record::{record, shown};
use serde::{Deserialize, Serialize};

use crate::words::{self, Watched};
use crate::{
    ArchivedView, AskedView, CycleStatus, Error, EventView, LedgerStatus, ReplicaView, RunStatus,
    WorkflowStatus,
};

/// Where a run is at one moment: everything in it was read at once.
#[derive(Clone, Debug, PartialEq)]
pub struct StatusView {
    /// The moment: the last event that counts.
    pub seq: Seq,
    /// By its kind.
    pub of: StatusOf,
    /// What it asks.
    pub questions: Vec<AskedView>,
    /// How many questions it has asked so far.
    pub questions_asked: u32,
    /// It should go on, and nobody sees to that.
    pub undriven: bool,
    /// The question that one key can answer, between two iterations.
    pub at_a_key: Option<u32>,
    /// The moment at which it goes on although a person was asked and says nothing.
    pub goes_on_at: Option<Timestamp>,
    /// Whoever answers it wants to see what the last iteration changed.
    pub shows_change: bool,
    /// Iterations with a verdict, or attempts that ended.
    pub counted: u32,
    /// One screen about it.
    pub screen: Vec<String>,
    /// The last lines of a viewer once it rests.
    pub ending: Vec<String>,
    /// More about the last iteration.
    pub details: Vec<String>,
    /// What the last driver wanted a person to know.
    pub notes: Vec<String>,
    /// What the last driver said when it left in trouble.
    pub left: Option<Error>,
    /// Where its payloads are, if they were let go here.
    pub archived: Option<ArchivedView>,
    /// What is known of the replica of its journal.
    pub replica: Option<ReplicaView>,
    /// What happens in it, where somebody works on it.
    pub under_way: Option<UnderWay>,
}

/// The status of each kind of run, as programs read it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum StatusOf {
    /// A loop.
    Loop(Box<RunStatus>),
    /// A workflow.
    Workflow(Box<WorkflowStatus>),
    /// A cycle.
    Cycle(Box<CycleStatus>),
    /// A ledger.
    Ledger(Box<LedgerStatus>),
}

impl StatusView {
    /// Whether it rests, and goes on by what a person said as soon as somebody drives it.
    pub fn goes_on(&self) -> bool {
        match &self.of {
            StatusOf::Workflow(status) => status.goes_on,
            StatusOf::Loop(_) | StatusOf::Cycle(_) | StatusOf::Ledger(_) => false,
        }
    }

    /// Nothing but this; whoever has read a run says the rest.
    pub fn of(of: StatusOf) -> Self {
        Self {
            seq: 0,
            of,
            questions: Vec::new(),
            questions_asked: 0,
            undriven: false,
            at_a_key: None,
            goes_on_at: None,
            shows_change: false,
            counted: 0,
            screen: Vec::new(),
            ending: Vec::new(),
            details: Vec::new(),
            notes: Vec::new(),
            left: None,
            archived: None,
            replica: None,
            under_way: None,
        }
    }

    /// Says what happens in it at this moment, below what it is and why.
    pub fn tell(&mut self, under_way: UnderWay, now: Timestamp) {
        const HEAD: usize = 2;
        let line = format!("now      {}", words::now(&under_way, now));
        self.screen.insert(self.screen.len().min(HEAD), line);
        self.under_way = Some(under_way);
    }

    /// As programs read it.
    pub fn data(&self) -> serde_json::Value {
        let mut data = serde_json::to_value(&self.of).expect("a status is plain data");
        if let Some(replica) = &self.replica {
            data["replica"] = serde_json::to_value(replica).expect("plain data");
        }
        if let Some(under_way) = &self.under_way {
            data["under_way"] = serde_json::to_value(under_way).expect("plain data");
        }
        if let Some(archived) = &self.archived {
            data["archive"] = serde_json::to_value(archived).expect("plain data");
        }
        data
    }

    /// As in a list.
    pub fn entry(&self) -> &Entry {
        match &self.of {
            StatusOf::Loop(status) => &status.entry,
            StatusOf::Workflow(status) => &status.entry,
            StatusOf::Cycle(status) => &status.entry,
            StatusOf::Ledger(status) => &status.entry,
        }
    }
}

/// Why a run is where it is.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WhyView {
    /// The run that is asked about.
    pub run_id: RunId,
    /// Where it is.
    pub status: Status,
    /// Why, in a word.
    pub reason: Option<Reason>,
    /// Why, in a sentence.
    pub because: String,
    /// What led there.
    pub events: Vec<EventView>,
    /// What did not.
    pub not_the_cause: Vec<String>,
}

/// A moment of a run.
#[record(Copy, Eq)]
pub enum Moment {
    /// After this event.
    Event(Seq),
    /// At the end of this iteration.
    Iteration(u32),
}

/// The whole state of a run, by its kind.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum StateOf {
    /// A loop.
    Loop(Box<State>),
    /// A workflow.
    Workflow(Box<workflow::State>),
    /// A cycle.
    Cycle(Box<cycle::State>),
    /// A ledger.
    Ledger(Box<ledger_machine::State>),
}

impl StateOf {
    /// What a list says of it.
    pub fn entry(&self) -> Entry {
        match self {
            StateOf::Loop(state) => state.entry(),
            StateOf::Workflow(state) => state.entry(),
            StateOf::Cycle(state) => state.entry(),
            StateOf::Ledger(state) => state.entry(),
        }
    }

    /// Why it is where it is, and what was not the cause of that.
    pub fn why(&self) -> (String, Vec<String>) {
        match self {
            StateOf::Loop(state) => (state.why(), state.not_the_cause()),
            StateOf::Workflow(state) => (state.why(), state.not_the_cause()),
            StateOf::Cycle(state) => (state.why(), state.not_the_cause()),
            StateOf::Ledger(state) => (state.why(), state.not_the_cause()),
        }
    }

    /// The epoch of its last driver.
    pub fn driven(&self) -> Option<Epoch> {
        match self {
            StateOf::Loop(state) => state.driven(),
            StateOf::Workflow(state) => state.driven(),
            StateOf::Cycle(state) => state.driven(),
            StateOf::Ledger(state) => state.driven(),
        }
    }
}

/// What happened, and what that is worth telling.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Update {
    /// What happened, as data.
    pub event: EventView,
    /// What it means to whoever watches.
    pub told: Vec<Told>,
}

/// A line for whoever watches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Told {
    /// The line itself.
    pub text: String,
    /// How much it matters.
    pub weight: Weight,
}

/// How much a line matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Weight {
    /// What the run is.
    Heading,
    /// What a person wants to know.
    News,
    /// What only those want to know who ask for everything.
    Detail,
}

/// What happens in a run at this moment.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct UnderWay {
    /// How far it is: `#4`, `3 of 7`.
    pub at: String,
    /// Who or what is at work: `claude`, `check test`.
    pub what: String,
    /// Since when.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
    /// The last thing that an agent did or said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub says: Option<String>,
    /// What is known so far, in a few words each: tests, context, money.
    pub facts: Vec<String>,
}

/// Where a run is after everything that was told of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Standing {
    /// As in a list.
    pub entry: Entry,
    /// What is under way.
    pub under_way: UnderWay,
    /// It should go on, and nobody sees to that.
    pub undriven: bool,
    /// It waits, and an answer is on its way to whoever drives it.
    pub settling: bool,
    /// The question that one key can answer, between two iterations.
    pub at_a_key: Option<u32>,
    /// The moment at which it goes on although a person was asked and says nothing.
    pub goes_on_at: Option<Timestamp>,
}

/// A run in a list, with what only a look at this moment tells.
#[shown(Clone, Debug, PartialEq, omit(undriven, landed))]
pub struct Listed {
    /// It should go on, and nobody sees to that.
    pub undriven: bool,
    /// Its work was landed.
    pub landed: bool,
    /// What its journal says.
    #[serde(flatten)]
    pub entry: Entry,
}

/// A run of which something is not what was written. Nothing else is said of it: none of it is known to be true.
#[shown(Clone, Debug, PartialEq)]
pub struct Damaged {
    /// Its name.
    pub run_id: RunId,
    /// `damaged`, where a sound run has its status.
    pub status: &'static str,
    /// What is wrong with it.
    pub damaged: String,
    /// The command that helps.
    pub hint: String,
}

/// The runs of a journal.
#[derive(Clone, Debug, PartialEq)]
pub struct Runs {
    /// Those that are there and sound, newest first.
    pub listed: Vec<Listed>,
    /// Those that are not, as far as they are known by name.
    pub damaged: Vec<Damaged>,
    /// What is wrong beyond single runs.
    pub lost_beyond: Vec<Error>,
    /// All that the journal lost, or that in it is not what was written, run by run; nothing where the list is complete.
    pub lost: Vec<Error>,
    /// Runs whose snapshots git had lost some of when that was looked at last, and what is wrong.
    pub incomplete: Vec<String>,
    /// Why the journal can only be read, where that is so, and what helps.
    pub only_to_read: Option<String>,
}

/// How far somebody has seen every run of a journal.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Seen(pub BTreeMap<RunId, Seq>);

/// What is new in a journal.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Changes {
    /// To be given back for what follows.
    pub seen: Seen,
    /// Runs that are new or in which something happened, newest first.
    pub runs: Vec<Listed>,
    /// Runs that are there no more.
    pub gone: Vec<RunId>,
}

/// What a run did.
#[derive(Clone, Debug, PartialEq)]
pub struct ReportView {
    /// As programs read it.
    pub data: serde_json::Value,
    /// As Markdown, for a pull request.
    pub text: String,
    /// As one page that needs nothing besides itself, with charts.
    pub html: String,
}

/// The numbers of a loop, for a monitoring system.
#[derive(Clone, Debug, PartialEq)]
pub struct MetricsView {
    /// The loop that they are about.
    pub run_id: RunId,
    /// Values by name; what is not known is not there.
    pub values: BTreeMap<&'static str, f64>,
    /// Seconds of each iteration with a verdict.
    pub durations: Vec<f64>,
}

/// What changed between two iterations.
#[derive(Clone, Debug, PartialEq)]
pub struct DiffView {
    /// File by file.
    pub files: Vec<FileDiffView>,
    /// Lines that were added in all files.
    pub added: u64,
    /// Lines that were removed in all files.
    pub removed: u64,
    /// As a patch.
    pub patch: Vec<u8>,
}

/// What changed in a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FileDiffView {
    /// Below the top of the work tree.
    pub path: String,
    /// Lines added; nothing where it is not text.
    pub added: Option<u64>,
    /// Lines removed; unknown of a file that is no text.
    pub removed: Option<u64>,
}

/// What rendering the files of a run again did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Rebuilt {
    /// The files that were rendered.
    pub written: Vec<String>,
    /// What a person should know about them.
    pub notes: Vec<String>,
}

/// What a restore did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RestoredView {
    /// Of which run.
    pub run_id: RunId,
    /// To which iteration; 0 is the start.
    pub iteration: u32,
    /// Files that were written.
    pub written: Vec<String>,
    /// Files that were deleted.
    pub deleted: Vec<String>,
    /// Files that were never captured, and stay.
    pub kept: Vec<String>,
    /// Where HEAD is.
    pub head: Option<String>,
    /// On which branch.
    pub branch: Option<String>,
}

/// A format in which a run can be handed on.
#[record(Copy, Eq)]
pub enum ExportFormat {
    /// A loop as `.ralph/state.json`.
    Ralph,
    /// A loop as the extended format has it, with its complete histories.
    Aiwg,
    /// A workflow as `run_state.json`.
    RunState,
    /// A cycle as its shared state file.
    CycleState,
    /// A ledger as a gap file.
    Gaps,
    /// The same as JSON.
    GapsJson,
    /// The folded state.
    State,
}

/// What came of a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Asked {
    /// Where the run is now.
    pub status: Status,
    /// Somebody drives it.
    pub driven: bool,
    /// It is still to be acted on.
    pub open: bool,
    /// What people should know, in words.
    pub notes: Vec<String>,
}
