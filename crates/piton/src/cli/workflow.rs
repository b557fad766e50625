//! The words and flags of `piton run`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use piton_model::workflow::CostAction;

use super::word_of;

#[derive(Debug, Args)]
pub(crate) struct RunArguments {
    /// The workflow.
    #[arg(value_name = "WORKFLOW", required_unless_present = "workflow")]
    pub(crate) file: Option<PathBuf>,
    /// The same, as other tools call it.
    #[arg(long, value_name = "FILE", conflicts_with = "file")]
    pub(crate) workflow: Option<PathBuf>,
    /// Any command as the agent of every step; it gets the prompt on its standard input.
    #[arg(long, value_name = "CMD", group = "launcher")]
    pub(crate) exec: Option<String>,
    /// A wrapper program that runs agents and writes reports; a `.py` file is started with python3.
    #[arg(long, value_name = "FILE", group = "launcher")]
    pub(crate) wrapper: Option<PathBuf>,
    /// A further argument for the wrapper. Repeatable.
    #[arg(long, value_name = "ARG", requires = "wrapper", allow_hyphen_values = true)]
    pub(crate) wrapper_arg: Vec<String>,
    /// A command with placeholders: {run_id}, {step_id}, {agent}, {prompt}, {repo}, {report}, {attempt}, {manual_input}.
    #[arg(long, value_name = "T", group = "launcher")]
    pub(crate) command_template: Option<String>,
    /// A name for the run. An unfinished run of that name is resumed, and other flags that are given hold for it from
    /// then on.
    #[arg(long, value_name = "ID")]
    pub(crate) run_id: Option<String>,
    /// Begin anew from this step, in the newest run of this workflow or in that of --run-id.
    #[arg(long, value_name = "STEP")]
    pub(crate) start_at_step: Option<String>,
    /// Go on with the workflow as it is now, after showing what changed.
    #[arg(long)]
    pub(crate) migrate: bool,
    /// Check the workflow, print its plan and its graph, and run nothing.
    #[arg(long)]
    pub(crate) check_only: bool,
    /// Tries per step; 2 unless said.
    #[arg(long, value_name = "N")]
    pub(crate) max_attempts: Option<u32>,
    /// Loop-backs per gate; 4 unless said.
    #[arg(long, value_name = "N")]
    pub(crate) max_iterations: Option<u32>,
    /// Steps at once; 4 unless said.
    #[arg(long, value_name = "N")]
    pub(crate) max_parallel: Option<u32>,
    /// Steps with `human_in_the_loop` wait for a person.
    #[arg(long)]
    pub(crate) pause_for_human_input: bool,
    /// A variable for every step. Repeatable.
    #[arg(long, value_name = "K=V")]
    pub(crate) env: Vec<String>,
    /// A JSON file that says which gates are open; without one all are.
    #[arg(long, value_name = "FILE")]
    pub(crate) gate_state_file: Option<PathBuf>,
    /// A JSON Schema (draft 2020-12) that run reports must also match.
    #[arg(long, value_name = "FILE")]
    pub(crate) schema: Option<PathBuf>,
    /// Keep the directories of runs that are long over: by default those of completed runs go after 48 hours, or when
    /// they are more than ten, with a row each in `.agents/run_archive.db`.
    #[arg(long)]
    pub(crate) skip_cleanup: bool,
    /// The most that the run may cost, in dollars.
    #[arg(long, value_name = "USD", value_parser = dollars)]
    pub(crate) max_cost: Option<f64>,
    /// The most that all workflows of this repository may cost on one day (UTC), in dollars.
    #[arg(long, value_name = "USD", value_parser = dollars)]
    pub(crate) daily_cost_limit: Option<f64>,
    /// What follows when it costs more: it is said (`warn`), the run rests until somebody raises the limit (`pause`, unless
    /// said otherwise), or fails (`fail`).
    #[arg(long, value_name = "ACTION", value_parser = word_of::<CostAction>())]
    pub(crate) cost_limit_action: Option<CostAction>,
    /// The number of an issue whose text lies in `gh_issue_N.md`, for steps to read.
    #[arg(long, value_name = "N", value_parser = issue_number)]
    pub(crate) issue_number: Option<String>,
    /// Where that file lies; by default the top of the repository.
    #[arg(long, value_name = "DIR", requires = "issue_number")]
    pub(crate) issue_dir: Option<PathBuf>,
    /// Let steps work in a work tree of the run's own, on a branch of its own; nothing is merged.
    #[arg(long, visible_alias = "git-worktree")]
    pub(crate) worktree: bool,
    /// Leave the walls of `[confine]` in piton.toml out, for this once.
    #[arg(long)]
    pub(crate) no_confine: bool,
    /// Let steps work in this directory.
    #[arg(long, value_name = "DIR", conflicts_with = "worktree")]
    pub(crate) workdir: Option<PathBuf>,
    /// Stay while the run waits for a person, and look for their file this often. At a terminal that is done anyway.
    #[arg(long, value_name = "SECONDS", value_parser = interval)]
    pub(crate) poll_interval: Option<Duration>,
    /// Where other tools would keep the run's state: piton's is in `.agents/runs/<run_id>`.
    #[arg(long, value_name = "FILE", hide = true)]
    pub(crate) state_file: Option<PathBuf>,
    /// Other tools remove the work tree of a run: piton's stays.
    #[arg(long, hide = true)]
    pub(crate) git_worktree_keep: bool,
    /// Do not wait for the run.
    #[arg(long)]
    pub(crate) detach: bool,
}

/// An amount that somebody can mean: `nan` and 0 would stop every run, `inf` none.
fn dollars(text: &str) -> Result<f64, String> {
    let amount: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    let is_meant = amount > 0.0 && amount <= 1e9;
    is_meant.then_some(amount).ok_or_else(|| "give an amount above 0, up to 1000000000".to_owned())
}

/// A pause that somebody can mean.
fn interval(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    match (0.0..=3600.0).contains(&seconds) {
        true => Ok(Duration::from_secs_f64(seconds)),
        false => Err("not between 0 and 3600".to_owned()),
    }
}

/// A piece of a file's name, as it was typed.
fn issue_number(text: &str) -> Result<String, String> {
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    match text.parse::<u64>() {
        Ok(1..) if is_number => Ok(text.to_owned()),
        _ => Err("not the number of an issue: use digits, as in 42".to_owned()),
    }
}
