//! The words and flags of `piton guard`.

use clap::{Args, Subcommand, ValueEnum};

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct GuardArguments {
    /// What to compare: from where BASE and HEAD parted to HEAD. By default from the upstream's default
    /// branch to the work tree.
    #[arg(value_name = "BASE[..HEAD]")]
    pub(crate) range: Option<String>,
    /// How to print.
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<GuardFormat>,
    /// Any change at or below this path blocks. Repeatable.
    #[arg(long, value_name = "PATH")]
    pub(crate) protect: Vec<String>,
    /// Deleted and weakened tests block even where product code changed with them, as in a loop.
    #[arg(long)]
    pub(crate) strict: bool,
    /// Also run the checks on copies of the tree that were broken on purpose, and see whether they notice.
    #[arg(long)]
    pub(crate) prove: bool,
    /// A check to prove with. Repeatable; without it the checks of a trusted piton.toml.
    #[arg(long, value_name = "[NAME=]CMD", requires = "prove")]
    pub(crate) check: Vec<String>,
    /// How long that may take. By default three times as long as the checks, and 20 s.
    #[arg(long, value_name = "D", requires = "prove")]
    pub(crate) prove_budget: Option<String>,
    /// Let whatever is sure block, measured or not: `scripts/prove/measure` finds out with it how often that is right.
    #[arg(long, hide = true)]
    pub(crate) measuring: bool,
    #[command(subcommand)]
    pub(crate) command: Option<GuardCommand>,
}

/// How findings are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum GuardFormat {
    /// For people.
    Text,
    /// For programs.
    Json,
    /// For code scanning, SARIF 2.1.0.
    Sarif,
    /// Annotations of GitHub Actions.
    Github,
}

#[derive(Debug, Subcommand)]
pub(crate) enum GuardCommand {
    /// Allow a finding; it counts once piton.allow.toml is part of the base.
    Allow(AllowArguments),
    /// Say whether a finding of a run is a false alarm; it counts in the run's statistics.
    Mark(MarkArguments),
    /// List every rule.
    Rules,
}

#[derive(Debug, Args)]
pub(crate) struct AllowArguments {
    /// The id of the finding, as `piton guard` prints it.
    pub(crate) finding: String,
    /// Why it is right as it is.
    #[arg(long, value_name = "T")]
    pub(crate) reason: String,
    /// The day from which on it no longer counts, e.g. 2026-12-31.
    #[arg(long, value_name = "D")]
    pub(crate) expires: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct MarkArguments {
    /// The id of the finding.
    pub(crate) finding: String,
    /// It is a false alarm.
    #[arg(long, required_unless_present = "true_positive", conflicts_with = "true_positive")]
    pub(crate) false_positive: bool,
    /// It is right.
    #[arg(long)]
    pub(crate) true_positive: bool,
}
