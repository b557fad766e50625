//! The words of a queue: its items, and what becomes of them.

use clap::{Args, Subcommand};

use super::RunArgument;

/// What comes after the flags.
const EXAMPLES: &str = "\
Examples:
  piton loop --each TASKS.md --detach
  piton queue list
  piton queue add \"Document the new flag\" --after add-validation
  piton queue skip fix-flaky-test
  piton queue move upgrade-deps --first
  piton queue retry add-validation";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct QueueArguments {
    #[command(subcommand)]
    pub(crate) command: QueueCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum QueueCommand {
    /// Show the items of a queue: what is done, what is not, and why.
    List(RunArgument),
    /// Add an item, also while the queue runs.
    Add(AddArguments),
    /// Do not do an item; what is at work is ended.
    Skip(ItemArguments),
    /// Have an item that has not begun done before another, first or last.
    Move(MoveArguments),
    /// Try an item again that failed or was skipped; its loop goes on where it stopped.
    Retry(ItemArguments),
}

/// The queue that is meant.
#[derive(Debug, Args)]
pub(crate) struct OfQueue {
    /// The queue; by default the one that is not done, else the newest.
    #[arg(long, value_name = "RUN")]
    pub(crate) run: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct ItemArguments {
    /// The item, by its name or the shortest unique prefix of that.
    #[arg(value_name = "ITEM")]
    pub(crate) item: String,
    #[command(flatten)]
    pub(crate) queue: OfQueue,
}

#[derive(Debug, Args)]
pub(crate) struct AddArguments {
    /// What is to be done; @FILE: the task is in that file; -: it is read from standard input.
    #[arg(value_name = "TASK")]
    pub(crate) task: String,
    /// Its name; one is made of the task otherwise.
    #[arg(long, value_name = "NAME")]
    pub(crate) id: Option<String>,
    /// Items that it comes after. Repeatable.
    #[arg(long, value_name = "ITEM", value_delimiter = ',')]
    pub(crate) after: Vec<String>,
    /// Have it done before this item; last otherwise.
    #[arg(long, value_name = "ITEM")]
    pub(crate) before: Option<String>,
    /// A check of its own, beside those of the queue. Repeatable.
    #[arg(long, value_name = "[NAME=]CMD")]
    pub(crate) check: Vec<String>,
    #[command(flatten)]
    pub(crate) queue: OfQueue,
}

#[derive(Debug, Args)]
pub(crate) struct MoveArguments {
    #[command(flatten)]
    pub(crate) item: ItemArguments,
    /// Before this item.
    #[arg(long, value_name = "ITEM", conflicts_with_all = ["first", "last"])]
    pub(crate) before: Option<String>,
    /// Before all others that have not begun.
    #[arg(long, conflicts_with = "last")]
    pub(crate) first: bool,
    /// After all others; the same as saying nothing.
    #[arg(long)]
    pub(crate) last: bool,
}
