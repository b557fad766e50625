//! The words and flags of what connects a run with programs: other tools, agents, shells, this machine.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::{LoopArguments, RunArgument};

#[derive(Debug, Args)]
pub(crate) struct WorkerArguments {
    /// Look once and return.
    #[arg(long)]
    pub(crate) once: bool,
}

#[derive(Debug, Args)]
pub(crate) struct McpArguments {
    #[command(flatten)]
    pub(crate) run: RunArgument,
    /// What the run is about; given to the agents that piton starts.
    #[arg(long, hide = true, requires = "report")]
    pub(crate) brief: Option<PathBuf>,
    /// Where the agent reports; likewise.
    #[arg(long, hide = true, requires = "brief")]
    pub(crate) report: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct HookArguments {
    #[arg(value_enum)]
    pub(crate) event: HookEvent,
    #[arg(long)]
    pub(crate) brief: PathBuf,
    #[arg(long)]
    pub(crate) attempt: PathBuf,
}

/// What an agent's hook is called for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum HookEvent {
    /// The agent wants to stop.
    Stop,
    /// A tool is about to change a file.
    Tool,
}

#[derive(Debug, Args)]
pub(crate) struct AutostartArguments {
    /// Take it back.
    #[arg(long)]
    pub(crate) remove: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ImportArguments {
    /// The state file of a loop or a cycle, the directory of a workflow's run, or a gap file.
    pub(crate) file: PathBuf,
    /// The workflow that a run directory is a run of.
    #[arg(long, value_name = "FILE")]
    pub(crate) workflow: Option<PathBuf>,
    /// The wrapper program that runs the agents of a workflow.
    #[arg(long, value_name = "FILE", requires = "workflow")]
    pub(crate) wrapper: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) options: LoopArguments,
}

#[derive(Debug, Args)]
pub(crate) struct ExportArguments {
    #[command(flatten)]
    pub(crate) run: RunArgument,
    /// In which format; by default the one of its kind.
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<ExportFormat>,
}

/// What a run can be printed as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportFormat {
    /// A loop as `.ralph/state.json`.
    Ralph,
    /// A loop as `.aiwg/ralph/loops/<id>/state.json`, with its complete histories.
    Aiwg,
    /// A workflow as `.agents/runs/<id>/run_state.json`.
    RunState,
    /// A cycle as `.workflow/.cycle/<id>.json`.
    CycleState,
    /// A ledger as `gaps.yaml`.
    Gaps,
    /// The whole state, as `piton show --json` has it.
    State,
}

#[derive(Debug, Args)]
pub(crate) struct TrustArguments {
    /// Do not show it first.
    #[arg(long, short)]
    pub(crate) yes: bool,
    /// Make the journal yours, instead: one that came with the repository, or a copy.
    #[arg(long)]
    pub(crate) journal: bool,
}

#[derive(Debug, Args)]
pub(crate) struct CompletionsArguments {
    /// For which shell.
    pub(crate) shell: clap_complete::Shell,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Every value, and where it came from.
    Show,
}

#[derive(Debug, Args)]
pub(crate) struct DriverArguments {
    pub(crate) run: String,
    #[arg(long)]
    pub(crate) starter: Option<u32>,
    #[arg(long)]
    pub(crate) take_over: bool,
}

#[derive(Debug, Args)]
pub(crate) struct HelpArguments {
    /// Also the commands for programs, and for what goes wrong rarely.
    #[arg(long)]
    pub(crate) all: bool,
    /// The command whose flags to show.
    #[arg(value_name = "COMMAND")]
    pub(crate) words: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct ManArguments {
    /// Where to; it is made where it is not there.
    #[arg(value_name = "DIR")]
    pub(crate) directory: PathBuf,
}
