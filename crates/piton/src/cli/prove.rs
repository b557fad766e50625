//! The words and flags of `piton prove`.

use clap::{Args, Subcommand};

#[derive(Debug, Args)]
pub(crate) struct ProveArguments {
    #[command(subcommand)]
    pub(crate) command: ProveCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ProveCommand {
    /// Run the trial of a finding again, in a copy of the work tree, and show what the check says.
    Replay(ReplayArguments),
}

#[derive(Debug, Args)]
pub(crate) struct ReplayArguments {
    /// The id of the finding, as `piton guard --prove`, `piton status` and `piton report` print it.
    pub(crate) finding: String,
}
