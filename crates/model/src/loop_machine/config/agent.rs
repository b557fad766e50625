//! An agent program, as a loop is configured with it: how it is started, spoken to and understood.

use std::collections::BTreeMap;

use piton_record::record;
use serde::{Deserialize, Serialize};

use crate::words::words;

/// An agent program: how it is started, spoken to and understood. Plain data, so that a resumed run uses what
/// it began with.
#[record(Default, Eq, omit(prompt, stream, sessions, inject), written(command))]
pub struct AgentConfig {
    /// What people call it.
    pub name: String,
    /// The program and its arguments, those for model and permissions included.
    pub command: Vec<String>,
    /// Arguments after those for the session.
    pub tail: Vec<String>,
    /// How it gets its prompt.
    pub prompt: PromptBy,
    /// What it prints.
    pub stream: StreamFormat,
    /// How its conversations are named and continued.
    pub sessions: Sessions,
    /// Variables it needs.
    pub env: BTreeMap<String, String>,
    /// What it is given so that it can talk back while it works.
    pub inject: Injection,
    /// The only variables it gets from outside, where that was asked for; `NAME*` stands for all that begin so.
    pub pass: Option<Vec<String>>,
    /// Where it keeps its own things: what it must be able to write even between walls.
    pub writes: Vec<String>,
    /// What of that a person's own sessions obey: between walls it cannot be written.
    pub settings: Vec<String>,
    /// What a person does to log in.
    pub login: Option<String>,
    /// What a person does when it lacks a permission.
    pub permit: Option<String>,
}

impl AgentConfig {
    /// One that is started like this, and of which nothing else is known.
    pub fn new(name: impl Into<String>, command: &[&str]) -> Self {
        let command = command.iter().copied().map(str::to_owned).collect();
        Self { name: name.into(), command, ..Self::default() }
    }
}

/// What an agent is given so that it can talk back: words, variables and files of one attempt, and nothing
/// that outlives it.
///
/// In all of them `{piton}` stands for this program, `{brief}` for what the run is about, `{report}` for the
/// report and `{attempt}` for the directory of the attempt; each as it is written inside a JSON string.
#[record(Default, Eq)]
#[serde(default)]
pub struct Injection {
    /// Arguments, before those for the session.
    pub arguments: Vec<String>,
    pub env: BTreeMap<String, String>,
    /// Files in the directory of the attempt, by name.
    pub files: BTreeMap<String, String>,
}

impl Injection {
    /// Whether there is nothing.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

words! {
    /// How an agent gets its prompt. `$PITON_PROMPT_FILE` names it in any case.
    #[derive(Default)]
    pub enum PromptBy {
        /// On its standard input.
        #[default]
        Stdin = "stdin",
        /// As its last argument.
        Argument = "argument",
        /// As the path of a file, its last argument.
        File = "file",
    }
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

words! {
    /// What can be read from JSON lines.
    pub enum StreamField {
        /// Words for people.
        Text = "text",
        /// The name of a tool that is used.
        Tool = "tool",
        Session = "session",
        /// Tokens read, since the last time it was said.
        InputTokens = "input_tokens",
        /// Tokens written, since the last time it was said.
        OutputTokens = "output_tokens",
        /// Money, since the last time it was said.
        CostUsd = "cost_usd",
        /// How full the context is, in per cent.
        ContextPercent = "context_percent",
        /// A failure: its message.
        Error = "error",
        /// The HTTP status of a failure.
        ErrorStatus = "error_status",
        /// When a limit ends: seconds since 1970.
        LimitedUntil = "limited_until",
    }
}

/// How the conversations of an agent are named and continued.
#[record(Default, Eq, omit(named_by, usage_is_total))]
#[serde(default)]
pub struct Sessions {
    /// Who names them.
    pub named_by: NamedBy,
    /// Arguments that begin one; `{session}` stands for its name.
    pub start: Vec<String>,
    /// Arguments that continue one. Without them every attempt begins a new one.
    pub resume: Vec<String>,
    /// Arguments that begin one as a copy of another, `{from}`; `{session}` stands for its name, where it is ours.
    pub fork: Vec<String>,
    /// What it says about usage counts from the start of the session, not of the attempt.
    pub usage_is_total: bool,
}

words! {
    /// Who names a session.
    #[derive(Default)]
    pub enum NamedBy {
        /// Nobody: it has none, or says nothing of it.
        #[default]
        Nobody = "nobody",
        /// The agent, once it runs.
        Agent = "agent",
        /// Us, before it starts.
        Us = "us",
    }
}
