//! What a workflow is: the document as it was read, before anything runs.
//!
//! Owns the shape and the digest. Never judges it: see [`super::validate`]. Names of steps are plain text here, so
//! that a document with mistakes can be looked at whole.

use std::collections::BTreeMap;
use std::fmt;

use piton_record::record;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::condition::Condition;
use super::limits::STEP_ID_BYTES_MAX;
use super::queue::Item;
use crate::suggest::closest;

/// A workflow: steps, and what each waits for.
#[record(Default, omit(description), written(steps))]
pub struct Definition {
    /// What people call it.
    pub name: String,
    pub description: String,
    /// How many steps may run at once, where the document says so.
    pub max_parallel: Option<u32>,
    /// The steps, in the order of the document.
    pub steps: Vec<Step>,
    /// The workflows that its steps run, all the way down, by their files: relative to the repository where they lie in
    /// it. Part of the definition, so that a run uses what it started with.
    pub nested: BTreeMap<String, Definition>,
}

impl Definition {
    /// The name of its content: equal definitions have equal digests, whatever their files look like.
    pub fn digest(&self) -> String {
        // Fields have a fixed order and maps are sorted, so the JSON is one canonical form.
        let bytes = serde_json::to_vec(self).expect("a definition holds only text, numbers and maps of them");
        let mut hasher = blake3::Hasher::new();
        hasher.update(b"piton workflow 1\n");
        hasher.update(&bytes);
        hasher.finalize().to_hex().to_string()
    }
}

/// The name of a step within its workflow.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct StepId(String);

impl StepId {
    /// A name as it stands in the document.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The form to compare by: file systems may fold case.
    pub fn key(&self) -> String {
        self.0.to_ascii_lowercase()
    }

    /// Whether it can be a piece of a path and of a variable's name: `^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$`.
    pub fn is_sound(&self) -> bool {
        let bytes = self.0.as_bytes();
        bytes.first().is_some_and(u8::is_ascii_alphanumeric)
            && bytes.len() <= STEP_ID_BYTES_MAX
            && bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
    }
}

impl From<&str> for StepId {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl fmt::Display for StepId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A step, as its document says it.
#[record(Default, omit(human_in_the_loop))]
pub struct Step {
    /// Its name; unique.
    pub id: StepId,
    /// What is done.
    pub work: Work,
    /// Steps that must be completed or skipped first.
    pub needs: Vec<StepId>,
    /// What its author thinks comes next. For people: only `needs` orders.
    pub next_on_success: Vec<StepId>,
    /// All must be open before it starts.
    pub gates: Vec<Gate>,
    /// Where to go back to when it reports a gate failure.
    pub loop_back_to: Option<StepId>,
    /// A person looks at the result before it counts; only where the run pauses for people.
    pub human_in_the_loop: bool,
    /// What follows when that person says no.
    pub on_reject: Option<OnReject>,
    /// Free for its author.
    pub metadata: Map<String, Value>,
    /// The model its agent should use.
    pub model: Option<String>,
    /// It is run once per item.
    #[serde(default, rename = "loop", skip_serializing_if = "Option::is_none")]
    pub collection: Option<Collection>,
    /// It is skipped unless this holds.
    pub when: Option<Condition>,
    /// How long one attempt may take.
    pub timeout_ms: Option<u64>,
    /// Its own number of attempts, instead of the run's.
    pub max_attempts: Option<u32>,
    /// Its own pause before the second attempt, instead of the run's.
    pub backoff_ms: Option<u64>,
}

impl Step {
    /// A step that does `work` and says nothing else.
    pub fn new(id: &str, work: Work) -> Self {
        Self { id: id.into(), work, ..Self::default() }
    }

    /// The gates that must be looked at before it starts: its own, and those of its condition.
    pub fn all_gates(&self) -> Vec<Gate> {
        let mut gates = self.gates.clone();
        gates.extend(self.when.iter().flat_map(|when| when.gates()));
        gates.sort();
        gates.dedup();
        gates
    }

    /// What follows when a person says no: what it says itself, else back where it may go back, else failure.
    pub fn when_rejected(&self) -> OnReject {
        match (self.on_reject, &self.loop_back_to) {
            (Some(said), _) => said,
            (None, Some(_)) => OnReject::LoopBack,
            (None, None) => OnReject::Fail,
        }
    }
}

/// What a step does.
#[record(Eq)]
pub enum Work {
    /// An agent gets a prompt.
    Agent {
        /// The agent's name, given to its wrapper.
        agent: String,
        /// The prompt's file.
        prompt: String,
    },
    /// A command is run; its exit code is the outcome.
    Run {
        /// The command, for a shell.
        command: String,
        /// What it is called in reports.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        agent: Option<String>,
    },
    /// Another workflow is run.
    Workflow { path: String },
    /// A loop is run, in a work tree of its own: an item of a queue.
    Loop(Box<Item>),
    /// The document does not say; validation reports it.
    Nothing {},
}

impl Default for Work {
    fn default() -> Self {
        Work::Nothing {}
    }
}

impl Work {
    /// Whether it is a run of its own, found again by its name.
    pub fn is_run(&self) -> bool {
        matches!(self, Work::Workflow { .. } | Work::Loop(_))
    }

    /// The item, where it is one of a queue.
    pub fn item(&self) -> Option<&Item> {
        match self {
            Work::Loop(item) => Some(item),
            _ => None,
        }
    }

    /// The name that reports and wrappers know it by.
    pub fn agent(&self) -> &str {
        match self {
            Work::Agent { agent, .. } => agent,
            Work::Run { agent, .. } => agent.as_deref().unwrap_or("run"),
            Work::Workflow { .. } => "workflow",
            Work::Loop(_) => "loop",
            Work::Nothing {} => "",
        }
    }
}

/// Something that must be open. Whoever looks brings the verdict as data.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum Gate {
    /// A name in the gate-state file.
    Named(String),
    /// A command that must exit with 0.
    Command(String),
    /// Every gap of this file, or of the configured one, is fresh.
    Gaps(Option<String>),
    /// The guard finds nothing that blocks.
    Guard,
}

impl From<String> for Gate {
    fn from(text: String) -> Self {
        if let Some(command) = text.strip_prefix("cmd:") {
            return Gate::Command(command.trim().to_owned());
        }
        match text.strip_prefix("gaps-fresh") {
            Some("") => return Gate::Gaps(None),
            Some(rest) if rest.starts_with(':') => return Gate::Gaps(Some(rest[1..].trim().to_owned())),
            _ => {}
        }
        if text == "guard-clean" { Gate::Guard } else { Gate::Named(text) }
    }
}

impl Gate {
    /// The gate of piton's own that a name was probably meant to be. Such a name is refused: where no file says anything
    /// of named gates they are open, and a slip of the finger would open what was to be looked at.
    pub(super) fn meant(&self) -> Option<&'static str> {
        let Gate::Named(name) = self else { return None };
        let Some((before, _)) = name.split_once(':') else {
            let is_command =
                name.split_whitespace().next().is_some_and(|word| word.eq_ignore_ascii_case("cmd"));
            let whole = || closest(name.trim(), ["guard-clean", "gaps-fresh"]);
            return if is_command { Some("cmd:COMMAND") } else { whole() };
        };
        match closest(before.trim(), ["cmd", "gaps-fresh", "guard-clean"])? {
            "cmd" => Some("cmd:COMMAND"),
            "gaps-fresh" => Some("gaps-fresh:FILE"),
            other => Some(other),
        }
    }
}

impl From<Gate> for String {
    fn from(gate: Gate) -> String {
        gate.to_string()
    }
}

impl fmt::Display for Gate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Gate::Named(name) => f.write_str(name),
            Gate::Command(command) => write!(f, "cmd:{command}"),
            Gate::Gaps(None) => f.write_str("gaps-fresh"),
            Gate::Gaps(Some(path)) => write!(f, "gaps-fresh:{path}"),
            Gate::Guard => f.write_str("guard-clean"),
        }
    }
}

/// What follows when a person says no.
#[record(Copy, Eq)]
pub enum OnReject {
    /// The step fails, without another try.
    Fail,
    /// As if the step had reported a gate failure.
    LoopBack,
}

/// A step that is run once per item.
#[record(Default, written(sources))]
pub struct Collection {
    /// Where the items come from. Exactly one, or validation says so.
    pub sources: Vec<Items>,
    /// No more items than this.
    pub max_iterations: Option<u32>,
    /// Done early once this holds after an item.
    pub until_condition: Option<Condition>,
    /// What the item's variable is called.
    pub item_var: String,
    /// What the index's variable is called.
    pub index_var: String,
}

/// Where the items of a collection come from.
#[record]
pub enum Items {
    /// From the document.
    Given(Vec<Value>),
    /// From the first artifact of another step.
    FromStep(StepId),
    /// From a file of the repository.
    FromArtifact(String),
}
