//! The words and flags of `piton cycle`.

use clap::{Args, Subcommand};
use piton_model::cycle::FeedbackKind;

use super::{AgentArguments, RaiseArguments, ResumeArguments, RunArgument, word_of};

#[derive(Debug, Args)]
pub(crate) struct CycleArguments {
    #[command(subcommand)]
    pub(crate) command: CycleCommand,
}

/// What can be done with cycles.
#[derive(Debug, Subcommand)]
pub(crate) enum CycleCommand {
    /// Let a team work on a task: requirements, plan, code and validation, until the checks are green.
    Start(Box<StartArguments>),
    /// Add something to the task, in an iteration of its own; goes on with a cycle that is over.
    Extend(ExtendArguments),
    /// Go on with a cycle, recovering first; the same as `piton resume`.
    Resume(ResumeArguments),
    /// Show the phases, the roles, their versions and what is open.
    Show(RunArgument),
    /// Tell a role something, which it reads with its next prompt.
    Feedback(FeedbackArguments),
    /// Make a decision, propose one, or list them.
    Decide(DecideArguments),
    /// Report what stands in the way, or that it no longer does; without either, list it.
    Blocker(BlockerArguments),
    /// Render the files of a cycle again; where journal and state are gone, recreate them from its progress files.
    Rebuild(RebuildArguments),
    /// Print the template that a role's prompt is made from.
    Prompt(PromptArguments),
}

impl CycleCommand {
    /// Whether it decides over a run. One of the team may report and propose; only a person decides.
    pub(crate) fn steers(&self) -> bool {
        match self {
            Self::Start(_) | Self::Extend(_) | Self::Resume(_) | Self::Rebuild(_) => true,
            Self::Show(_) | Self::Prompt(_) | Self::Feedback(_) => false,
            Self::Decide(arguments) => arguments.option.is_some() || arguments.implemented,
            Self::Blocker(arguments) => arguments.resolve.is_some() || arguments.workaround.is_some(),
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct StartArguments {
    /// What is to be done, in a line; @FILE reads it from a file, - from standard input.
    #[arg(value_name = "TASK")]
    pub(crate) task: String,
    /// The same at length; `@FILE` reads it from a file.
    #[arg(long, value_name = "TEXT|@FILE")]
    pub(crate) description: Option<String>,
    #[command(flatten)]
    pub(crate) agent: AgentArguments,
    /// The agent of one role, e.g. `cd=claude`. Repeatable.
    #[arg(long, value_name = "ROLE=NAME")]
    pub(crate) agent_for: Vec<String>,
    /// A command that judges the tree, e.g. `test=cargo test`. Repeatable; beside those of piton.toml.
    #[arg(long, value_name = "[NAME=]CMD")]
    pub(crate) check: Vec<String>,
    /// End after this many iterations; 5 by default.
    #[arg(long, value_name = "N")]
    pub(crate) max_iterations: Option<u32>,
    /// Stop after this much working time, e.g. 90m; waits are not counted.
    #[arg(long, value_name = "D")]
    pub(crate) max_duration: Option<String>,
    /// Stop when this much was spent, as far as the agents report it.
    #[arg(long, value_name = "USD")]
    pub(crate) max_cost: Option<f64>,
    /// Stop after this many tokens, as far as the agents report them.
    #[arg(long, value_name = "N")]
    pub(crate) max_tokens: Option<u64>,
    /// Name the cycle.
    #[arg(long, value_name = "ID")]
    pub(crate) id: Option<String>,
    /// Nobody confirms between iterations, whatever piton.toml says.
    #[arg(long)]
    pub(crate) auto: bool,
    /// Take what was worked out before from this file instead of .workflow/.cycle/prep-package.json.
    #[arg(long, value_name = "FILE")]
    pub(crate) prep: Option<std::path::PathBuf>,
    /// Begin without a prep package, even where one lies there.
    #[arg(long, conflicts_with = "prep")]
    pub(crate) no_prep: bool,
    /// Keep agents and checks from writing anywhere but into their work tree (bubblewrap).
    #[arg(long)]
    pub(crate) confine: bool,
    /// Leave the walls of `[confine]` in piton.toml out, for this once.
    #[arg(long, conflicts_with = "confine")]
    pub(crate) no_confine: bool,
    /// Work in a work tree of its own, on a branch of its own. The files of the team stay where they are.
    #[arg(long)]
    pub(crate) worktree: bool,
    /// A shell command to run whenever the cycle comes to rest; it gets `piton status --json` on its standard input.
    #[arg(long, value_name = "CMD")]
    pub(crate) on_done: Option<String>,
    /// Start it and return.
    #[arg(long)]
    pub(crate) detach: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ExtendArguments {
    /// Which cycle.
    #[arg(value_name = "ID")]
    pub(crate) run: String,
    /// What is to be done as well.
    pub(crate) text: String,
    #[command(flatten)]
    pub(crate) raise: RaiseArguments,
    /// Start it and return.
    #[arg(long)]
    pub(crate) detach: bool,
}

#[derive(Debug, Args)]
pub(crate) struct FeedbackArguments {
    /// Which cycle.
    #[arg(value_name = "ID")]
    pub(crate) run: String,
    /// What the role is to know; without it, list what was said.
    pub(crate) text: Option<String>,
    /// The role that is to know.
    #[arg(long, value_name = "ROLE", default_value = "ra")]
    pub(crate) to: String,
    /// What kind of thing it is.
    #[arg(long, value_parser = word_of::<FeedbackKind>(), default_value = "clarification")]
    pub(crate) kind: FeedbackKind,
}

#[derive(Debug, Args)]
pub(crate) struct DecideArguments {
    /// Which cycle.
    #[arg(value_name = "ID")]
    pub(crate) run: String,
    /// Which decision, e.g. DEC-001.
    #[arg(value_name = "DECISION", requires = "settled")]
    pub(crate) decision: Option<String>,
    /// What is chosen.
    #[arg(value_name = "OPTION", group = "settled")]
    pub(crate) option: Option<String>,
    /// It was carried out.
    #[arg(long, group = "settled")]
    pub(crate) implemented: bool,
    /// Have this decided.
    #[arg(long, value_name = "TEXT", conflicts_with = "decision")]
    pub(crate) propose: Option<String>,
    /// An option of what is proposed. Repeatable.
    #[arg(long = "between", value_name = "OPTION", requires = "propose")]
    pub(crate) between: Vec<String>,
    /// Begin nothing until it is decided.
    #[arg(long, requires = "propose")]
    pub(crate) wait: bool,
}

#[derive(Debug, Args)]
pub(crate) struct BlockerArguments {
    /// Which cycle.
    #[arg(value_name = "ID")]
    pub(crate) run: String,
    /// Which blocker, e.g. BLK-001.
    #[arg(value_name = "BLOCKER", requires = "ended")]
    pub(crate) blocker: Option<String>,
    /// It is resolved, by this.
    #[arg(long, value_name = "TEXT", group = "ended", requires = "blocker")]
    pub(crate) resolve: Option<String>,
    /// This way around it is taken.
    #[arg(long, value_name = "TEXT", group = "ended", requires = "blocker")]
    pub(crate) workaround: Option<String>,
    /// This stands in the way.
    #[arg(long, value_name = "TEXT", conflicts_with = "blocker")]
    pub(crate) report: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct RebuildArguments {
    /// Which cycle: of one that no journal has, the name of its files.
    #[arg(value_name = "ID")]
    pub(crate) run: String,
    #[command(flatten)]
    pub(crate) agent: AgentArguments,
    /// A command that judges the tree, where the cycle is recreated. Repeatable; beside those of piton.toml.
    #[arg(long, value_name = "[NAME=]CMD")]
    pub(crate) check: Vec<String>,
    /// At most this many iterations, where the cycle is recreated; its files say how many it had.
    #[arg(long, value_name = "N")]
    pub(crate) max_iterations: Option<u32>,
}

#[derive(Debug, Args)]
pub(crate) struct PromptArguments {
    /// The role.
    pub(crate) role: String,
}
