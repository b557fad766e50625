//! What a cycle was asked to do, with every default filled in: the task, the team, the checks, the ceilings.

use std::fmt;

use piton_record::record;
use serde::{Deserialize, Serialize};

use super::limits::ROLE_NAME_BYTES_MAX;
use super::prep::PrepFound;
use crate::hook::Hooks;
use crate::loop_machine::{
    AgentConfig, Backoff, Check, Confine, GuardMode, Limits, RuleOff, SessionPolicy, Worktree,
};
use crate::notify::Notify;

/// The configuration of a cycle. Stored with its first event: a resumed run uses what it started with.
#[record(omit(confirm), written(roles, checks))]
pub struct Config {
    /// What is to be done, in a line: the first entry of the history of tasks.
    pub task: String,
    /// The same at length.
    pub description: String,
    /// The team, in the order of the table.
    pub roles: Vec<Role>,
    /// What piton runs to see whether it is done.
    pub checks: Vec<Check>,
    /// Ceilings of all roles together. An attempt may take as long as a phase may.
    pub limits: Limits,
    /// How long a role that was asked to come to an end may take for that, twice: first it is asked how it stands, then to
    /// finish.
    pub grace_ms: u64,
    /// Whether a role goes on with its conversation.
    pub session: SessionPolicy,
    /// What to do about a role that cheats.
    pub guard: GuardMode,
    /// Paths in the work tree that no agent may change.
    pub protect: Vec<String>,
    /// Rules of the guard that do not count here.
    pub rules_off: Vec<RuleOff>,
    /// How long to wait before a provider that refused is asked again.
    pub backoff: Backoff,
    /// Walls around agents and checks; none without.
    pub confine: Option<Confine>,
    /// Minutes that times in the published files are ahead of UTC.
    #[serde(default = "eight_hours")]
    pub utc_offset_minutes: i32,
    /// A person confirms each iteration after the first.
    pub confirm: bool,
    /// What was worked out before, where a package lay there.
    pub prep: Option<PrepFound>,
    /// The work tree of its own that it works in; in place without.
    pub worktree: Option<Worktree>,
    /// Who is told what becomes of it.
    pub notify: Option<Notify>,
    /// What is called while it goes on.
    pub hooks: Option<Hooks>,
    /// A command that is run once it rests.
    pub on_done: Option<String>,
}

impl Config {
    /// A cycle of this task, team and checks, with nothing else said.
    pub fn new(task: impl Into<String>, roles: Vec<Role>, checks: Vec<Check>) -> Self {
        let task = task.into();
        Self {
            description: task.clone(),
            task,
            roles,
            checks,
            limits: Limits::default(),
            grace_ms: 3 * 60_000,
            session: SessionPolicy::default(),
            guard: GuardMode::default(),
            protect: Vec::new(),
            rules_off: Vec::new(),
            backoff: Backoff::default(),
            confine: None,
            utc_offset_minutes: eight_hours(),
            confirm: false,
            prep: None,
            worktree: None,
            notify: None,
            hooks: None,
            on_done: None,
        }
    }

    /// Who changes the tree, else who is first: what checks, hooks and commands of piton's run may be what that agent wrote.
    pub fn developer(&self) -> AgentConfig {
        let develops = self.roles.iter().find(|role| role.develops).or_else(|| self.roles.first());
        develops.map(|role| role.agent.clone()).unwrap_or_default()
    }
}

/// What the published format asks for.
fn eight_hours() -> i32 {
    8 * 60
}

/// A member of the team.
#[record(Eq, omit(develops, validates))]
pub struct Role {
    /// Its key in the published files, and the name of its directory.
    pub name: RoleName,
    /// What people call it.
    pub title: String,
    /// The template of its prompt.
    pub prompt: String,
    /// Who works.
    pub agent: AgentConfig,
    /// Documents of others that it is told to read, as `role/file`.
    pub reads: Vec<String>,
    /// Its own documents, which piton reads when it is done.
    pub writes: Vec<String>,
    /// Roles that must be done before it begins.
    pub after: Vec<RoleName>,
    /// Who is told what it found.
    pub feedback_to: Vec<RoleName>,
    /// It changes the work tree; the guard looks at what it left.
    pub develops: bool,
    /// It is given what piton's checks found: they are run before it begins.
    pub validates: bool,
    /// The most that it may cost, in millionths of a dollar.
    pub cost_microusd: Option<u64>,
    /// The most tokens that it may use.
    pub tokens: Option<u64>,
    /// The longest that it may work, in all of its attempts.
    pub working_ms: Option<u64>,
}

impl Role {
    /// A role of this name that nobody waits for, without agent and prompt: whoever starts a cycle fills those in.
    pub fn new(name: &str, title: &str) -> Self {
        Self {
            name: RoleName::from(name),
            title: title.to_owned(),
            prompt: String::new(),
            agent: AgentConfig::default(),
            reads: Vec::new(),
            writes: Vec::new(),
            after: Vec::new(),
            feedback_to: Vec::new(),
            develops: false,
            validates: false,
            cost_microusd: None,
            tokens: None,
            working_ms: None,
        }
    }
}

/// The name of a role.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RoleName(String);

impl RoleName {
    /// A name as somebody wrote it.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it can be a piece of a path and of a line of a table: `^[a-z][a-z0-9_-]{0,31}$`.
    pub fn is_sound(&self) -> bool {
        let bytes = self.0.as_bytes();
        bytes.first().is_some_and(u8::is_ascii_lowercase)
            && bytes.len() <= ROLE_NAME_BYTES_MAX
            && bytes
                .iter()
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'_'))
    }
}

impl From<&str> for RoleName {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl fmt::Display for RoleName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The four roles of the published format, without agents and prompts.
pub fn default_roles() -> Vec<Role> {
    let names = |names: &[&str]| names.iter().map(|name| RoleName::from(*name)).collect::<Vec<_>>();
    let paths = |paths: &[&str]| paths.iter().map(|path| (*path).to_owned()).collect::<Vec<_>>();
    vec![
        Role {
            writes: paths(&["requirements.md", "edge-cases.md"]),
            ..Role::new("ra", "Requirements Analyst")
        },
        Role {
            reads: paths(&["ra/requirements.md"]),
            writes: paths(&["exploration.md", "architecture.md", "plan.json"]),
            after: names(&["ra"]),
            feedback_to: names(&["ra"]),
            ..Role::new("ep", "Exploration Planner")
        },
        Role {
            reads: paths(&["ra/requirements.md", "ep/exploration.md", "ep/plan.json"]),
            writes: paths(&["implementation.md", "issues.md"]),
            after: names(&["ep"]),
            feedback_to: names(&["ra"]),
            develops: true,
            ..Role::new("cd", "Code Developer")
        },
        Role {
            reads: paths(&["ra/requirements.md", "ep/plan.json", "cd/implementation.md"]),
            writes: paths(&["validation.md", "coverage.md", "summary.md"]),
            after: names(&["cd"]),
            feedback_to: names(&["cd"]),
            validates: true,
            ..Role::new("vas", "Validation Archivist")
        },
    ]
}

/// The version that all documents of an iteration share.
pub fn version_of(iteration: u32) -> String {
    format!("1.{}.0", iteration.saturating_sub(1))
}
