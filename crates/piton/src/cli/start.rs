//! The words and flags of what begins something: `demo`, `init`, `loop`.

use std::path::PathBuf;

use clap::Args;
use piton_view::AgentChoice;

#[derive(Debug, Args)]
pub(crate) struct DemoArguments {
    /// Keep the temporary directory and say where it is.
    #[arg(long)]
    pub(crate) keep: bool,
}

#[derive(Debug, Args)]
pub(crate) struct InitArguments {
    /// The agent to use: a name that piton knows, or a command line; by default the first known one in PATH.
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Option<String>,
    /// Do not ask at a terminal before the checks that were found are run.
    #[arg(long, short)]
    pub(crate) yes: bool,
}

/// The groups of flags.
const TASK: &str = "Task and agent";
const DONE: &str = "When it is done";
const LIMITS: &str = "When it stops all the same";
const PLACE: &str = "Where it works";
const HOW: &str = "How it is run";

/// What people begin with.
const EXAMPLES: &str = "\
Examples:
  piton loop \"Add input validation to /users\"
  piton loop @task.md --check 'test=npm test' --max-cost 15
  piton loop -P PROMPT.md --until done --deadline 07:00
  piton loop \"Fix the build\" --exec './my-agent.sh' --detach
  piton loop --each TASKS.md --max-cost 5 --total-cost 20 --deadline 07:00 --detach";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct LoopArguments {
    /// What the agent is asked to do; @FILE: the task is in that file; -: it is read from standard input.
    #[arg(value_name = "TASK")]
    pub(crate) task: Option<String>,
    /// A file with the task, read anew at every iteration, - for standard input; PROMPT.md or prompt.md if present.
    #[arg(short = 'P', long, value_name = "FILE", help_heading = TASK)]
    pub(crate) prompt_file: Option<PathBuf>,
    /// A loop for each item of a list: a Markdown file with `- [ ]`, a prd.json, a directory of prompt files, or
    /// issues:LABEL; the other flags hold for each of them.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["task", "prompt_file", "attended", "here", "on_done"], help_heading = TASK)]
    pub(crate) each: Option<String>,
    /// How many items at once; never two in one work tree.
    #[arg(long, value_name = "N", requires = "each", help_heading = HOW)]
    pub(crate) parallel: Option<u32>,
    /// The most that all items may cost together.
    #[arg(long, value_name = "USD", requires = "each", help_heading = LIMITS)]
    pub(crate) total_cost: Option<f64>,
    /// The most tokens that all items may use together.
    #[arg(long, value_name = "N", requires = "each", help_heading = LIMITS)]
    pub(crate) total_tokens: Option<u64>,
    /// The longest that all items may work, taken together.
    #[arg(long, value_name = "D", requires = "each", help_heading = LIMITS)]
    pub(crate) total_duration: Option<String>,
    #[command(flatten)]
    pub(crate) agent: AgentArguments,
    /// The agent that reads what was done and agrees or objects, before the loop is done; it can change nothing (bubblewrap).
    #[arg(long, value_name = "AGENT", help_heading = DONE)]
    pub(crate) review: Option<String>,
    /// Keep the agent and the checks from writing anywhere but into their work tree (bubblewrap).
    #[arg(long, help_heading = PLACE)]
    pub(crate) confine: bool,
    /// Leave the walls of `[confine]` in piton.toml out, for this once.
    #[arg(long, conflicts_with = "confine", help_heading = PLACE)]
    pub(crate) no_confine: bool,
    /// A command that judges the tree, e.g. `test=cargo test`. Repeatable; beside those of piton.toml.
    #[arg(long, value_name = "[NAME=]CMD", help_heading = DONE)]
    pub(crate) check: Vec<String>,
    /// What must hold: checks-pass, done, cmd:COMMAND, file:PATH, contains:PATH:TEXT, output:/REGEX/, tasks-done:FILE, or
    /// the name of a condition in piton.toml. Repeatable: all must.
    #[arg(long, value_name = "COND", help_heading = DONE)]
    pub(crate) until: Vec<String>,
    /// Stop after this many iterations.
    #[arg(long, value_name = "N", help_heading = LIMITS)]
    pub(crate) max_iterations: Option<u32>,
    /// Stop after this much working time, e.g. 90m; waits are not counted.
    #[arg(long, value_name = "D", help_heading = LIMITS)]
    pub(crate) max_duration: Option<String>,
    /// Stop at this time, e.g. 07:00 (the next one), or 2026-02-15T07:00.
    #[arg(long, value_name = "TIME", help_heading = LIMITS)]
    pub(crate) deadline: Option<String>,
    /// Stop when this much was spent, as far as the agent reports it.
    #[arg(long, value_name = "USD", help_heading = LIMITS)]
    pub(crate) max_cost: Option<f64>,
    /// Stop after this many tokens, as far as the agent reports them.
    #[arg(long, value_name = "N", help_heading = LIMITS)]
    pub(crate) max_tokens: Option<u64>,
    /// Stop when more than this many files were changed.
    #[arg(long, value_name = "N", help_heading = LIMITS)]
    pub(crate) max_files: Option<u32>,
    /// Stop when more than this many lines were added and removed.
    #[arg(long, value_name = "N", help_heading = LIMITS)]
    pub(crate) max_lines: Option<u64>,
    /// Stop after more than this many fresh sessions in the middle of the work.
    #[arg(long, value_name = "N", help_heading = LIMITS)]
    pub(crate) max_reboots: Option<u32>,
    /// Ask before every iteration, and about every change.
    #[arg(long, help_heading = HOW)]
    pub(crate) attended: bool,
    /// Name the run.
    #[arg(long, value_name = "ID", help_heading = HOW)]
    pub(crate) id: Option<String>,
    /// Work in a work tree of its own, on a branch of its own; the default on the default branch or over
    /// uncommitted work.
    #[arg(long, conflicts_with = "here", help_heading = PLACE)]
    pub(crate) worktree: bool,
    /// Work in place, in the tree as it is.
    #[arg(long, help_heading = PLACE)]
    pub(crate) here: bool,
    /// Start a fifth loop at once.
    #[arg(long, help_heading = HOW)]
    pub(crate) force: bool,
    /// Start it and return.
    #[arg(long, help_heading = HOW)]
    pub(crate) detach: bool,
    /// A shell command to run whenever the run comes to rest; it gets `piton status --json` on its standard input.
    #[arg(long, value_name = "CMD", help_heading = HOW)]
    pub(crate) on_done: Option<String>,
}

/// Who is to work: a loop and research ask for an agent in the same words.
#[derive(Clone, Debug, Args)]
pub(crate) struct AgentArguments {
    /// The agent: one that `piton doctor` lists, such as claude, or an `agents.NAME` section in piton.toml.
    #[arg(long, value_name = "NAME", help_heading = TASK)]
    agent: Option<String>,
    /// The model the agent is to use.
    #[arg(long, value_name = "M", help_heading = TASK)]
    model: Option<String>,
    /// What the agent may do without asking: full, edit or ask, as far as it has them.
    #[arg(long, value_name = "MODE", help_heading = TASK)]
    sandbox: Option<String>,
    /// Any command as the agent; it gets the prompt on its standard input.
    #[arg(long, value_name = "CMD", conflicts_with = "agent", help_heading = TASK)]
    exec: Option<String>,
    /// Further arguments for the agent.
    #[arg(last = true, value_name = "AGENT_ARGS")]
    arguments: Vec<String>,
}

impl From<AgentArguments> for AgentChoice {
    fn from(arguments: AgentArguments) -> Self {
        let AgentArguments { agent: name, model, sandbox, exec, arguments } = arguments;
        Self { name, exec, model, sandbox, arguments }
    }
}
