//! The words and flags of what changes the course of a run, or its files.

use clap::Args;
use piton_model::hook::Mode;

use super::{RunArgument, word_of};

#[derive(Debug, Args)]
pub(crate) struct ModeArguments {
    #[command(flatten)]
    pub(crate) run: RunArgument,
    /// The mode from the next decision on; without one, show the mode.
    #[arg(value_parser = word_of::<Mode>())]
    pub(crate) mode: Option<Mode>,
    /// Ask a person before this iteration, whatever the mode.
    #[arg(long = "break", value_name = "N")]
    pub(crate) break_at: Option<u32>,
}

/// Limits that a resume raises.
#[derive(Debug, Default, Args)]
pub(crate) struct RaiseArguments {
    /// A new ceiling of iterations; `+25` adds to the old one.
    #[arg(long, value_name = "[+]N", allow_hyphen_values = true)]
    pub(crate) max_iterations: Option<String>,
    /// A new ceiling of working time; `+2h` adds to the old one.
    #[arg(long, value_name = "[+]D")]
    pub(crate) max_duration: Option<String>,
    /// A new ceiling of money; `+10` adds to the old one.
    #[arg(long, value_name = "[+]USD")]
    pub(crate) max_cost: Option<String>,
    /// A new ceiling of tokens; `+100000` adds to the old one.
    #[arg(long, value_name = "[+]N")]
    pub(crate) max_tokens: Option<String>,
    /// A new ceiling of changed files; `+20` adds to the old one.
    #[arg(long, value_name = "[+]N")]
    pub(crate) max_files: Option<String>,
    /// A new ceiling of changed lines; `+1000` adds to the old one.
    #[arg(long, value_name = "[+]N")]
    pub(crate) max_lines: Option<String>,
    /// A new ceiling of fresh sessions; `+5` adds to the old one.
    #[arg(long, value_name = "[+]N")]
    pub(crate) max_reboots: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct ResumeArguments {
    #[command(flatten)]
    pub(crate) run: RunArgument,
    #[command(flatten)]
    pub(crate) raise: RaiseArguments,
    /// A new ceiling for all workflows on one day; `+10` adds to the old one.
    #[arg(long, value_name = "[+]USD")]
    pub(crate) daily_cost_limit: Option<String>,
    /// Start it and return.
    #[arg(long)]
    pub(crate) detach: bool,
    /// Take the run from a driver that is frozen, which is killed.
    #[arg(long)]
    pub(crate) take_over: bool,
    /// Go on without the walls that the run has; it stays without them.
    #[arg(long, conflicts_with = "all")]
    pub(crate) no_confine: bool,
    /// Every run that a crash or a stop left unfinished.
    #[arg(long, conflicts_with = "run")]
    pub(crate) all: bool,
}

#[derive(Debug, Args)]
pub(crate) struct StopArguments {
    #[command(flatten)]
    pub(crate) run: RunArgument,
    /// Kill a living agent instead of letting it finish, also when nobody drives the run.
    #[arg(long)]
    pub(crate) now: bool,
}

#[derive(Debug, Args)]
pub(crate) struct TellArguments {
    /// Which run.
    pub(crate) run: String,
    /// The message.
    pub(crate) text: String,
}

#[derive(Debug, Args)]
pub(crate) struct AnswerArguments {
    #[command(flatten)]
    pub(crate) run: RunArgument,
    /// Which question; by default the only one. Of a cycle, a decision or a blocker, as DEC-001.
    #[arg(value_name = "QUESTION")]
    pub(crate) question: Option<String>,
    /// What is chosen of a decision, or how a blocker is resolved.
    #[arg(value_name = "OPTION", requires = "question", conflicts_with = "answer")]
    pub(crate) option: Option<String>,
    /// Yes, go on.
    #[arg(long, group = "answer")]
    pub(crate) approve: bool,
    /// No; go on another way.
    #[arg(long, group = "answer")]
    pub(crate) reject: bool,
    /// Stop the run.
    #[arg(long, group = "answer")]
    pub(crate) abort: bool,
    /// What the agent should know about it.
    #[arg(long, value_name = "T")]
    pub(crate) comment: Option<String>,
    /// A JSON object that a workflow passes on to the steps that follow. Without another word, its `approved` is the answer.
    #[arg(long, value_name = "FILE")]
    pub(crate) input: Option<std::path::PathBuf>,
    /// The digest of what you saw, so that the answer counts for nothing else.
    #[arg(long, value_name = "DIGEST")]
    pub(crate) seen: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct NoteArguments {
    /// Which run.
    pub(crate) run: String,
    /// What to note.
    pub(crate) text: Option<String>,
    /// Keep a value with the run; `null` forgets it. Repeatable.
    #[arg(long, value_name = "KEY=JSON")]
    pub(crate) set: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct ForkArguments {
    /// Which run.
    pub(crate) run: String,
    /// From after this iteration; by default from where the run is now.
    #[arg(long, value_name = "N", conflicts_with = "at")]
    pub(crate) iteration: Option<u32>,
    /// From after this event.
    #[arg(long, value_name = "SEQ")]
    pub(crate) at: Option<u64>,
    /// Of a workflow: from this step on.
    #[arg(long, value_name = "STEP", conflicts_with = "iteration")]
    pub(crate) step: Option<String>,
    /// Name the new run.
    #[arg(long, value_name = "ID")]
    pub(crate) id: Option<String>,
    /// Stop after this many iterations, those before the fork included.
    #[arg(long, value_name = "N")]
    pub(crate) max_iterations: Option<u32>,
    /// Start it and return.
    #[arg(long)]
    pub(crate) detach: bool,
}

#[derive(Debug, Args)]
pub(crate) struct RestoreArguments {
    #[command(flatten)]
    pub(crate) run: RunArgument,
    /// Which iteration; 0 is the start of the run. By default the one that was chosen, else the best.
    #[arg(long, value_name = "N")]
    pub(crate) iteration: Option<u32>,
    /// Also when somebody edited the files since; what is there is kept as a snapshot first.
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Debug, Args)]
pub(crate) struct LandArguments {
    /// Which run; without one, the active run, else the newest. Several land in this order, each on what landed before it.
    #[arg(value_name = "RUN")]
    pub(crate) runs: Vec<String>,
    /// As one commit.
    #[arg(long, conflicts_with_all = ["merge", "pr"])]
    pub(crate) squash: bool,
    /// With a merge commit.
    #[arg(long, conflicts_with = "pr")]
    pub(crate) merge: bool,
    /// As a pull request: pushed to the remote, and opened with `gh`.
    #[arg(long)]
    pub(crate) pr: bool,
    /// Watch the pull request until it is taken or closed: checks of the forge that fail and comments of members become the next prompt of
    /// the run, and what it makes of them is pushed.
    #[arg(long, requires = "pr", conflicts_with_all = ["mend", "unfinished"])]
    pub(crate) watch: bool,
    /// How often the run goes on because of that, in all.
    #[arg(long, value_name = "N", default_value_t = 3, requires = "watch")]
    pub(crate) rounds: u32,
    /// How often the forge is asked.
    #[arg(long, value_name = "DURATION", default_value = "1m", requires = "watch")]
    pub(crate) every: String,
    /// The branch it is brought to; by default the one that the run began on.
    #[arg(long, value_name = "BRANCH")]
    pub(crate) onto: Option<String>,
    /// Also of a run that is not done: what lies in its work tree is committed, and checks may fail.
    #[arg(long)]
    pub(crate) unfinished: bool,
    /// Where a check fails on the result, begin a loop like the run there, which mends it.
    #[arg(long, conflicts_with = "unfinished")]
    pub(crate) mend: bool,
}

#[derive(Debug, Args)]
pub(crate) struct RmArguments {
    /// Which run; without one, the newest, if its work was landed.
    pub(crate) run: Option<String>,
    /// Also a run that is not finished.
    #[arg(long)]
    pub(crate) force: bool,
    /// Also the files of a cycle below `.workflow/.cycle`: its state and the documents of its team.
    #[arg(long)]
    pub(crate) files: bool,
    /// Also its work tree and branch, though nobody landed what is in them. What was landed goes in any case.
    #[arg(long)]
    pub(crate) tree: bool,
}
