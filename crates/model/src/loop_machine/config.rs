//! What a loop was asked to do, with every default filled in.

mod agent;
mod limits;

use std::collections::BTreeMap;

use piton_record::record;

pub use agent::{AgentConfig, Injection, NamedBy, PromptBy, Sessions, StreamField, StreamFormat};
pub use limits::{Limits, Raise};

use super::fallback::FallbackPolicy;
use super::guard::GuardMode;
use super::judge::context::RedlinePolicy;
use super::judge::progress::{Direction, ProgressPolicy};
use super::judge::quality::QualityPolicy;
use super::judge::reboot::RebootPolicy;
use super::judge::regression::Thresholds;
use super::judge::reinforcement::Escalation;
use super::mode::ModePolicy;
use super::recovery::RecoveryPolicy;
use super::review::Review;
use super::stop::{NamedStop, StopCondition, StopLists};
use crate::RunId;
use crate::hook::Hooks;
use crate::notify::Notify;
use crate::policy::policy;
use crate::words::words;

/// The configuration of a loop. Stored with its first event: a resumed run uses what it started with.
#[record(Default, omit(fallback, stop, prompts, prove, proof), written(checks, until))]
pub struct LoopConfig {
    /// What the agent is asked to do.
    pub prompt: Prompt,
    /// Who does it.
    pub agent: AgentConfig,
    /// Who goes on where that one cannot for a while.
    pub fallback: FallbackPolicy,
    /// What piton runs to see whether it is done.
    pub checks: Vec<Check>,
    /// What must hold, all of it; empty means the default rule.
    pub until: Vec<NamedStop>,
    /// Further reasons to stop.
    pub stop: StopLists,
    /// What it may use before it stops.
    pub limits: Limits,
    /// What to do when an attempt's outcome cannot be known.
    pub on_lost: OnLost,
    /// Whether iterations share a session of the agent.
    pub session: SessionPolicy,
    /// When a session counts as full.
    pub redline: RedlinePolicy,
    /// When a session gives way to a fresh one.
    pub reboot: RebootPolicy,
    /// The work tree it works in; in place without one.
    pub worktree: Option<Worktree>,
    /// What to do about an agent that cheats.
    pub guard: GuardMode,
    /// What is tried beside the checks once they pass. A run that began before there was such a thing tries nothing.
    pub prove: ProveMode,
    /// Whether done needs a test that fails on the tree of the start.
    pub proof: ProofPolicy,
    /// Who reads what it did before it is done.
    pub review: Option<Review>,
    /// Paths in the work tree that no agent may change.
    pub protect: Vec<String>,
    /// Rules of the guard that do not count here.
    pub rules_off: Vec<RuleOff>,
    /// From where on a number is a regression.
    pub thresholds: Thresholds,
    /// How firmly prompts speak, and when.
    pub reinforcement: Escalation,
    /// How it recovers from a regression.
    pub recovery: RecoveryPolicy,
    /// What counts as progress.
    pub progress: ProgressPolicy,
    /// What makes an iteration good.
    pub quality: QualityPolicy,
    /// How long to wait before a provider that refused is asked again.
    pub backoff: Backoff,
    /// Numbers to measure beside those that are known anyway.
    pub metrics: Vec<Metric>,
    /// Walls around agents and checks; none without.
    pub confine: Option<Confine>,
    /// A shell command that is run whenever the run comes to rest.
    pub on_done: Option<String>,
    /// What must be known and fresh before it begins, and what its prompts hold of it.
    pub gaps: Option<RequiredGaps>,
    /// Who is told what; nobody without.
    pub notify: Option<Notify>,
    /// What is called when; nothing without.
    pub hooks: Option<Hooks>,
    /// Whether a person is there, and when.
    pub mode: ModePolicy,
    /// How prompt files are read.
    pub prompts: PromptPolicy,
    /// The digest of `piton.toml` when the run was created; another one means that somebody edited it since.
    pub file_digest: Option<String>,
    /// The queue whose item it is.
    pub queue: Option<RunId>,
}

policy! {
    /// How long to wait before a provider that refused is asked again, where it does not say itself. Each time twice as
    /// long.
    #[record(Copy, Eq)]
    pub struct Backoff {
        /// At first, where it has a limit.
        pub rate_limit_ms: u64 = 60_000,
        /// At first, where it is overloaded.
        pub overloaded_ms: u64 = 10_000,
        /// No wait is longer, however often it failed.
        pub max_ms: u64 = 3_600_000,
    }
}

words! {
    /// How much is tried beside the checks, once they pass.
    #[derive(Default)]
    pub enum ProveMode {
        /// A little after each iteration, everything before it is done.
        Auto = "auto",
        /// Nothing.
        #[default]
        Off = "off",
        /// Everything, each time.
        Thorough = "thorough",
    }
}

words! {
    /// What done needs besides green checks, where those were green from the start.
    #[derive(Default)]
    pub enum ProofPolicy {
        /// Nothing; the screen says whether there was a proof.
        #[default]
        Optional = "optional",
        /// A test that fails on the tree of the start and passes now.
        Required = "required",
    }
}

/// Gaps of a ledger that a loop relies on.
#[record(Eq, written)]
pub struct RequiredGaps {
    /// The gap file, relative to the repository.
    pub file: String,
    pub ids: Vec<String>,
    /// How many days findings hold where a gap does not say.
    pub default_ttl_days: u32,
    /// How much of a prompt their findings may take.
    pub tokens: u32,
}

/// How prompt files are read.
#[record(Default, Eq, omit(strict))]
#[serde(default)]
pub struct PromptPolicy {
    /// What is not understood is an error.
    pub strict: bool,
    /// Variables of the user's. They win over everything else.
    pub variables: BTreeMap<String, serde_json::Value>,
}

/// A rule of the guard that somebody switched off.
#[record(Eq)]
pub struct RuleOff {
    pub rule: String,
    pub reason: String,
    /// The last day on which it is off, `YYYY-MM-DD`.
    pub expires: Option<String>,
}

/// A work tree of the run's own, beside the repository.
#[record(Default, Eq, omit(compare))]
pub struct Worktree {
    /// Where it is.
    pub path: String,
    pub branch: String,
    /// The branch that the checkout stood on when the run began: where its work belongs.
    pub onto: Option<String>,
    /// The commit that its branch begins from, where that is not what the checkout holds: what an item comes after.
    pub from: Option<String>,
    /// What is copied into it from the repository, though git does not keep it.
    pub copy: Vec<String>,
    /// What git ignores in the repository and is not copied; the first few.
    pub left: Vec<String>,
    /// A shell command that is run in it once, before anything else.
    pub setup: Option<String>,
    /// Whether the baseline is held against the checkout before the first attempt.
    pub compare: bool,
    /// Whose name and mail its commits have, as they were when the run began.
    pub author: Option<String>,
    /// Who is said to have made them.
    pub committer: Option<String>,
}

/// Walls around agents and checks: they write to their work tree and to these places, and nowhere else.
#[record(Default, Eq)]
pub struct Confine {
    /// Further places they may write to; `~/` is the user's home.
    pub write: Vec<String>,
    /// Places that they see although keys and logins are hidden from them.
    pub read: Vec<String>,
    /// The only hosts that they reach, each a [`Host`](crate::Host); all where there is no list.
    pub network: Option<Vec<String>>,
}

/// Where the task comes from.
#[record(Eq)]
pub enum Prompt {
    /// Given on the command line.
    Text(String),
    /// A file relative to the repository, read anew at every iteration.
    File(String),
}

impl Default for Prompt {
    fn default() -> Self {
        Self::Text(String::new())
    }
}

/// A command that piton runs to judge the tree.
#[record(Eq, omit(cheap))]
pub struct Check {
    /// Its name in status and reports.
    pub name: String,
    /// A shell command; it passes when it exits with 0.
    pub command: String,
    /// How long it may take.
    pub timeout_ms: u64,
    /// It is over in no time, so an agent may be held to it before it stops.
    pub cheap: bool,
    /// A file that it writes with numbers in it: what it measures is read from there.
    pub reads: Option<Reading>,
}

impl Check {
    /// How long a check may take unless it says otherwise: 15 minutes.
    pub const TIMEOUT_MS: u64 = 15 * 60_000;

    /// One that says nothing else.
    pub fn new(name: impl Into<String>, command: impl Into<String>) -> Self {
        let (name, command) = (name.into(), command.into());
        Self { name, command, timeout_ms: Self::TIMEOUT_MS, cheap: false, reads: None }
    }
}

/// A file with numbers in it, and what it is written in.
#[record(Eq)]
pub struct Reading {
    /// Where it is, in the work tree.
    pub path: String,
    /// Its format; found out by looking at it without one.
    pub format: Option<String>,
}

/// A number that a command prints.
#[record]
pub struct Metric {
    /// Its name in baseline and history.
    pub name: String,
    /// A shell command.
    pub command: String,
    /// Where in its output the number is: the first group of this regular expression, else the last number.
    pub regex: Option<String>,
    /// How long it may take.
    pub timeout_ms: u64,
    /// Which way it is to go, where progress is judged by it.
    #[serde(default)]
    pub direction: Direction,
    /// What it weighs among the others then.
    #[serde(default = "one")]
    pub weight: f64,
}

fn one() -> f64 {
    1.0
}

impl LoopConfig {
    /// A loop with this task, agent and checks, and the default of everything else.
    pub fn new(task: &str, agent: AgentConfig, checks: Vec<Check>) -> Self {
        Self { prompt: Prompt::Text(task.to_owned()), agent, checks, ..Self::default() }
    }

    /// The conditions, those of `[stop]` and those of `--until`, that have to be looked up outside the journal.
    pub fn stop_probes(&self) -> Vec<&StopCondition> {
        let mut found = Vec::new();
        self.stop.all().chain(&self.until).for_each(|named| named.condition.probes(&mut found));
        found
    }

    /// Whether the checks or a condition need to be run after an attempt.
    pub fn needs_checks(&self) -> bool {
        !self.checks.is_empty() || !self.stop_probes().is_empty()
    }

    /// Words that mean something where an agent says them: reasons for a fresh session, marks of progress.
    pub fn listens_for(&self) -> impl Iterator<Item = &String> {
        self.reboot.on_patterns.iter().chain(&self.progress.markers).filter(|words| !words.is_empty())
    }

    /// Whether `--until checks-pass` was asked for.
    pub fn asks_for_checks(&self) -> bool {
        self.until.iter().any(|named| matches!(named.condition, StopCondition::ChecksPass(_)))
    }
}

words! {
    /// What to do with an attempt whose outcome cannot be known.
    #[derive(Default)]
    pub enum OnLost {
        /// Start another attempt on the tree as it is.
        #[default]
        Retry = "retry",
        /// Put the tree back to where the attempt began, then start another.
        RestoreAndRetry = "restore_and_retry",
        /// Ask a person.
        Ask = "ask",
    }
}

words! {
    /// Whether iterations share a session of the agent.
    #[derive(Default)]
    pub enum SessionPolicy {
        /// A fresh session per iteration.
        #[default]
        Fresh = "fresh",
        /// One session for as long as it serves.
        Continue = "continue",
        /// A copy, per iteration, of the session of the last attempt that succeeded: what failed leaves no trace in it.
        Fork = "fork",
    }
}
