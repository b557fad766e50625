//! What a loop was asked to do, with every default filled in.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::guard::GuardMode;
use super::judge::context::RedlinePolicy;
use super::judge::progress::{Direction, ProgressPolicy};
use super::judge::quality::QualityPolicy;
use super::judge::reboot::RebootPolicy;
use super::judge::regression::Thresholds;
use super::judge::reinforcement::Escalation;
use super::mode::ModePolicy;
use super::recovery::RecoveryPolicy;
use super::stop::{NamedStop, StopCondition, StopLists};
use crate::Timestamp;
use crate::hook::Hooks;
use crate::notify::Notify;

/// The configuration of a loop. Stored with its first event: a resumed run uses what it started with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoopConfig {
    /// What the agent is asked to do.
    pub prompt: Prompt,
    /// Who does it.
    pub agent: AgentConfig,
    /// What piton runs to see whether it is done.
    pub checks: Vec<Check>,
    /// What must hold, all of it; empty means the default rule.
    pub until: Vec<NamedStop>,
    /// Further reasons to stop.
    #[serde(default, skip_serializing_if = "StopLists::is_empty")]
    pub stop: StopLists,
    /// Ceilings.
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
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worktree: Option<Worktree>,
    /// What to do about an agent that cheats.
    pub guard: GuardMode,
    /// Paths in the work tree that no agent may change.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub protect: Vec<String>,
    /// Rules of the guard that do not count here.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
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
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub metrics: Vec<Metric>,
    /// Walls around agents and checks; none without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confine: Option<Confine>,
    /// A shell command that is run whenever the run comes to rest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_done: Option<String>,
    /// What must be known and fresh before it begins, and what its prompts hold of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gaps: Option<RequiredGaps>,
    /// Who is told what; nobody without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notify: Option<Notify>,
    /// What is called when; nothing without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hooks: Option<Hooks>,
    /// Whether a person is there, and when.
    pub mode: ModePolicy,
    /// How prompt files are read.
    #[serde(default, skip_serializing_if = "is_default")]
    pub prompts: PromptPolicy,
    /// The digest of `piton.toml` when the run was created; another one means that somebody edited it since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_digest: Option<String>,
}

/// How long to wait before a provider that refused is asked again, where it does not say itself. Each time twice as
/// long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Backoff {
    /// At first, where it has a limit.
    pub rate_limit_ms: u64,
    /// At first, where it is overloaded.
    pub overloaded_ms: u64,
    /// At most.
    pub max_ms: u64,
}

impl Default for Backoff {
    fn default() -> Self {
        Self { rate_limit_ms: 60_000, overloaded_ms: 10_000, max_ms: 3_600_000 }
    }
}

/// Gaps of a ledger that a loop relies on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RequiredGaps {
    /// The gap file, relative to the repository.
    pub file: String,
    /// Which gaps.
    pub ids: Vec<String>,
    /// How many days findings hold where a gap does not say.
    pub default_ttl_days: u32,
    /// How much of a prompt their findings may take.
    pub tokens: u32,
}

/// How prompt files are read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PromptPolicy {
    /// What is not understood is an error.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub strict: bool,
    /// Variables of the user's. They win over everything else.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub variables: BTreeMap<String, serde_json::Value>,
}

/// A rule of the guard that somebody switched off.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuleOff {
    /// Its name.
    pub rule: String,
    /// Why.
    pub reason: String,
    /// The last day on which it is off, `YYYY-MM-DD`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<String>,
}

/// A work tree of the run's own, beside the repository.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Worktree {
    /// Where it is.
    pub path: String,
    /// Its branch.
    pub branch: String,
    /// What is copied into it from the repository, though git does not keep it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub copy: Vec<String>,
    /// What it has as a link to the repository.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub link: Vec<String>,
    /// A shell command that is run in it once, before anything else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub setup: Option<String>,
}

/// Walls around agents and checks: they write to their work tree and to these places, and nowhere else.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Confine {
    /// Further places they may write to; `~/` is the user's home.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub write: Vec<String>,
}

/// Where the task comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Prompt {
    /// Given on the command line.
    Text(String),
    /// A file relative to the repository, read anew at every iteration.
    File(String),
}

/// An agent program: how it is started, spoken to and understood. Plain data, so that a resumed run uses what
/// it began with.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentConfig {
    /// What people call it.
    pub name: String,
    /// The program and its arguments, those for model and permissions included.
    pub command: Vec<String>,
    /// Arguments after those for the session.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tail: Vec<String>,
    /// How it gets its prompt.
    #[serde(default, skip_serializing_if = "is_default")]
    pub prompt: PromptBy,
    /// What it prints.
    #[serde(default, skip_serializing_if = "is_default")]
    pub stream: StreamFormat,
    /// How its conversations are named and continued.
    #[serde(default, skip_serializing_if = "is_default")]
    pub sessions: Sessions,
    /// Variables it needs.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// What it is given so that it can talk back while it works.
    #[serde(default, skip_serializing_if = "is_default")]
    pub inject: Injection,
    /// The only variables it gets from outside, where that was asked for; `NAME*` stands for all that begin so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pass: Option<Vec<String>>,
    /// Where it keeps its own things: what it must be able to write even between walls.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub writes: Vec<String>,
    /// What of that a person's own sessions obey: between walls it cannot be written.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub settings: Vec<String>,
    /// What a person does to log in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub login: Option<String>,
    /// What a person does when it lacks a permission.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permit: Option<String>,
}

/// What an agent is given so that it can talk back: words, variables and files of one attempt, and nothing
/// that outlives it.
///
/// In all of them `{piton}` stands for this program, `{brief}` for what the run is about, `{report}` for the
/// report and `{attempt}` for the directory of the attempt; each as it is written inside a JSON string.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Injection {
    /// Arguments, before those for the session.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub arguments: Vec<String>,
    /// Variables.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// Files in the directory of the attempt, by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, String>,
}

impl Injection {
    /// Whether there is nothing.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// How an agent gets its prompt. `$PITON_PROMPT_FILE` names it in any case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PromptBy {
    /// On its standard input.
    #[default]
    Stdin,
    /// As its last argument.
    Argument,
    /// As the path of a file, its last argument.
    File,
}

/// What an agent prints on its standard output.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "WrittenFormat", into = "WrittenFormat")]
pub enum StreamFormat {
    /// Words for people; nothing is read from them.
    #[default]
    Plain,
    /// What the adapter of this name understands: the events of one CLI.
    Adapter(String),
    /// JSON lines; where in a line each thing is found, as a JSON pointer.
    Lines(BTreeMap<StreamField, String>),
}

/// A format as it is written down: `"plain"`, `"claude"`, `{"lines": {…}}`.
#[derive(Serialize, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
enum WrittenFormat {
    Word(String),
    Lines { lines: BTreeMap<StreamField, String> },
}

impl From<WrittenFormat> for StreamFormat {
    fn from(written: WrittenFormat) -> Self {
        match written {
            WrittenFormat::Word(word) if word == "plain" => Self::Plain,
            WrittenFormat::Word(word) => Self::Adapter(word),
            WrittenFormat::Lines { lines } => Self::Lines(lines),
        }
    }
}

impl From<StreamFormat> for WrittenFormat {
    fn from(format: StreamFormat) -> Self {
        match format {
            StreamFormat::Plain => Self::Word("plain".to_owned()),
            StreamFormat::Adapter(name) => Self::Word(name),
            StreamFormat::Lines(lines) => Self::Lines { lines },
        }
    }
}

/// What can be read from JSON lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StreamField {
    /// Words for people.
    Text,
    /// The name of a tool that is used.
    Tool,
    /// The session.
    Session,
    /// Tokens read, since the last time it was said.
    InputTokens,
    /// Tokens written, since the last time it was said.
    OutputTokens,
    /// Money, since the last time it was said.
    CostUsd,
    /// How full the context is, in per cent.
    ContextPercent,
    /// A failure: its message.
    Error,
    /// The HTTP status of a failure.
    ErrorStatus,
    /// When a limit ends: seconds since 1970.
    LimitedUntil,
}

/// How the conversations of an agent are named and continued.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Sessions {
    /// Who names them.
    #[serde(skip_serializing_if = "is_default")]
    pub named_by: NamedBy,
    /// Arguments that begin one; `{session}` stands for its name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub start: Vec<String>,
    /// Arguments that continue one. Without them every attempt begins a new one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub resume: Vec<String>,
    /// Arguments that begin one as a copy of another, `{from}`; `{session}` stands for its name, where it is ours.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fork: Vec<String>,
    /// What it says about usage counts from the start of the session, not of the attempt.
    #[serde(skip_serializing_if = "is_default")]
    pub usage_is_total: bool,
}

/// Who names a session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NamedBy {
    /// Nobody: it has none, or says nothing of it.
    #[default]
    Nobody,
    /// The agent, once it runs.
    Agent,
    /// Us, before it starts.
    Us,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// A command that piton runs to judge the tree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Check {
    /// Its name in status and reports.
    pub name: String,
    /// A shell command; it passes when it exits with 0.
    pub command: String,
    /// How long it may take.
    pub timeout_ms: u64,
    /// It is over in no time, so an agent may be held to it before it stops.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cheap: bool,
    /// A file that it writes with numbers in it: what it measures is read from there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reads: Option<Reading>,
}

/// A file with numbers in it, and what it is written in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reading {
    /// Where it is, in the work tree.
    pub path: String,
    /// Its format; found out by looking at it without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
}

/// A number that a command prints.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Metric {
    /// Its name in baseline and history.
    pub name: String,
    /// A shell command.
    pub command: String,
    /// Where in its output the number is: the first group of this regular expression, else the last number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
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
        Self {
            prompt: Prompt::Text(task.to_owned()),
            agent,
            checks,
            until: Vec::new(),
            stop: StopLists::default(),
            limits: Limits::default(),
            on_lost: OnLost::default(),
            session: SessionPolicy::default(),
            redline: RedlinePolicy::default(),
            reboot: RebootPolicy::default(),
            worktree: None,
            guard: GuardMode::default(),
            protect: Vec::new(),
            rules_off: Vec::new(),
            thresholds: Thresholds::default(),
            reinforcement: Escalation::default(),
            recovery: RecoveryPolicy::default(),
            progress: ProgressPolicy::default(),
            quality: QualityPolicy::default(),
            backoff: Backoff::default(),
            metrics: Vec::new(),
            confine: None,
            on_done: None,
            notify: None,
            hooks: None,
            mode: ModePolicy::default(),
            prompts: PromptPolicy::default(),
            file_digest: None,
            gaps: None,
        }
    }

    /// The conditions, those of `[stop]` and those of `--until`, that have to be looked up outside the journal.
    pub fn stop_probes(&self) -> Vec<&StopCondition> {
        let mut found = Vec::new();
        self.stop.all().chain(&self.until).for_each(|named| named.condition.probes(&mut found));
        found
    }

    /// Whether anything has to be looked up outside the journal, beside the checks.
    pub fn needs_probe(&self) -> bool {
        !self.stop_probes().is_empty()
    }

    /// Whether `--until checks-pass` was asked for.
    pub fn asks_for_checks(&self) -> bool {
        self.until.iter().any(|named| matches!(named.condition, StopCondition::ChecksPass(_)))
    }
}

/// Ceilings. On by default, so that no run is without an exit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// Iterations that may be finished.
    pub iterations: u32,
    /// Working time; waits are not counted.
    pub working_ms: u64,
    /// Money, in millionths of a dollar.
    pub cost_microusd: Option<u64>,
    /// Input and output tokens together.
    pub tokens: Option<u64>,
    /// Iterations in a row that change nothing that matters.
    pub no_progress: u32,
    /// Failed attempts in a row.
    pub failures: u32,
    /// Wall clock of one attempt.
    pub attempt_ms: u64,
    /// Silence of one attempt after which it counts as hung; off for agents that do not stream.
    pub idle_ms: Option<u64>,
    /// The moment after which nothing new is begun and nothing goes on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline: Option<Timestamp>,
    /// Files that the run may change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files: Option<u32>,
    /// Lines that its iterations may add and remove, all together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<u64>,
    /// Fresh sessions in the middle of the work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reboots: Option<u32>,
}

impl Default for Limits {
    fn default() -> Self {
        const HOUR_MS: u64 = 3_600_000;
        Self {
            iterations: 50,
            working_ms: 8 * HOUR_MS,
            cost_microusd: None,
            tokens: None,
            no_progress: 5,
            failures: 5,
            attempt_ms: 2 * HOUR_MS,
            idle_ms: None,
            deadline: None,
            files: None,
            lines: None,
            reboots: None,
        }
    }
}

impl Limits {
    /// The same with the ceilings that `raise` names.
    #[must_use]
    pub fn raised(mut self, raise: &Raise) -> Self {
        self.iterations = raise.iterations.unwrap_or(self.iterations);
        self.working_ms = raise.working_ms.unwrap_or(self.working_ms);
        self.cost_microusd = raise.cost_microusd.or(self.cost_microusd);
        self.tokens = raise.tokens.or(self.tokens);
        self.files = raise.files.or(self.files);
        self.lines = raise.lines.or(self.lines);
        self.reboots = raise.reboots.or(self.reboots);
        self
    }
}

/// Limits that a resume raises to new, absolute values.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Raise {
    /// New ceiling of iterations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iterations: Option<u32>,
    /// New ceiling of working time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub working_ms: Option<u64>,
    /// New ceiling of money.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_microusd: Option<u64>,
    /// New ceiling of tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// New ceiling of changed files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files: Option<u32>,
    /// New ceiling of changed lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<u64>,
    /// New ceiling of reboots.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reboots: Option<u32>,
}

/// What to do with an attempt whose outcome cannot be known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnLost {
    /// Start another attempt on the tree as it is.
    #[default]
    Retry,
    /// Put the tree back to where the attempt began, then start another.
    RestoreAndRetry,
    /// Ask a person.
    Ask,
}

/// Whether iterations share a session of the agent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SessionPolicy {
    /// A fresh session per iteration.
    #[default]
    Fresh,
    /// One session for as long as it serves.
    Continue,
    /// A copy, per iteration, of the session of the last attempt that succeeded: what failed leaves no trace in it.
    Fork,
}
