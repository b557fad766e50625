//! The words and flags of `piton gaps`.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, Subcommand, ValueEnum};

use super::AgentArguments;

#[derive(Debug, Args)]
pub(crate) struct GapsArguments {
    /// The gap file; by default `[gaps] file`, else gaps.yaml at the top of the repository.
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Take this for the current time, as in 2026-02-15T12:00:00Z.
    #[arg(long, global = true, value_name = "ISO")]
    pub(crate) now: Option<String>,
    #[command(subcommand)]
    pub(crate) command: GapsCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum GapsCommand {
    /// List gaps with age, time to live and due date.
    List(ListArguments),
    /// Show a gap, now or then.
    Show(ShowGapArguments),
    /// Add a gap.
    Add(AddArguments),
    /// Edit the file in your editor; what you saved is adopted.
    Edit,
    /// Report what is stale by now.
    Stale(StaleArguments),
    /// Report which gaps research would take on next.
    Batch(BatchArguments),
    /// Somebody looked, and nothing new was found.
    Check(CheckArguments),
    /// Findings are confirmed, or replaced.
    Verify(VerifyGapArguments),
    /// Set fields of a gap.
    Update(UpdateArguments),
    /// Remove a gap.
    Remove(GapArgument),
    /// Check the file, all of it.
    Validate,
    /// List gaps in the order of their dependencies.
    Order,
    /// Let an agent look into the gaps that need it.
    Research(Box<ResearchArguments>),
    /// Show what happened to the gaps.
    Log(GapLogArguments),
    /// Take back the last flip of a gap.
    Undo(GapArgument),
    /// Show what is different since a time: + added, ~ changed, - removed.
    Diff(GapDiffArguments),
    /// Adopt the gaps of another file.
    Import(ImportGapsArguments),
    /// Print the gaps.
    Export(ExportGapsArguments),
    /// Exit 0 if the gaps are verified and fresh, 1 if not, or if there is no such file, 2 for a gap that is not in it: a
    /// gate for checks and workflows.
    Fresh(FreshArguments),
    /// Print what is known, for a prompt of so many tokens.
    Prompt(PromptArguments),
}

impl GapsCommand {
    /// Whether it decides what counts as known.
    pub(crate) fn changes(&self) -> bool {
        match self {
            Self::Add(_)
            | Self::Edit
            | Self::Check(_)
            | Self::Verify(_)
            | Self::Update(_)
            | Self::Remove(_)
            | Self::Research(_)
            | Self::Undo(_)
            | Self::Import(_) => true,
            Self::Stale(arguments) => arguments.apply,
            Self::List(_)
            | Self::Show(_)
            | Self::Batch(_)
            | Self::Validate
            | Self::Order
            | Self::Log(_)
            | Self::Diff(_)
            | Self::Export(_)
            | Self::Fresh(_)
            | Self::Prompt(_) => false,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct GapArgument {
    /// The gap.
    #[arg(value_name = "ID")]
    pub(crate) id: String,
}

#[derive(Debug, Args)]
pub(crate) struct ListArguments {
    /// Only those with this status.
    #[arg(long, value_name = "STATUS")]
    pub(crate) status: Option<String>,
    /// Only those of this category.
    #[arg(long, value_name = "CATEGORY")]
    pub(crate) category: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct ShowGapArguments {
    /// The gap.
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    /// As it was at this time.
    #[arg(long, value_name = "TIME")]
    pub(crate) at: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct AddArguments {
    /// The new gap.
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    /// A label to group by.
    #[arg(long, value_name = "CATEGORY")]
    pub(crate) category: Option<String>,
    /// Its fields, as in `priority=5 question="What does it cost?"`.
    #[arg(value_name = "FIELD=VALUE")]
    pub(crate) fields: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct StaleArguments {
    /// Write the flips that are due.
    #[arg(long)]
    pub(crate) apply: bool,
}

#[derive(Debug, Args)]
pub(crate) struct BatchArguments {
    /// At most so many; by default `[gaps] max_gaps_per_run`.
    #[arg(long, value_name = "N", value_parser = above_zero::<u32>)]
    pub(crate) max: Option<u32>,
}

#[derive(Debug, Args)]
pub(crate) struct CheckArguments {
    /// The gaps.
    #[arg(value_name = "ID", required = true)]
    pub(crate) ids: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct VerifyGapArguments {
    /// The gap.
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    /// What is known now, as text or @FILE; without it, what was known is confirmed.
    #[arg(long, value_name = "TEXT|@FILE", allow_hyphen_values = true)]
    pub(crate) findings: Option<String>,
    /// What it rests on, as in file:docs/prices.md, command:…, commit:… or url:…. Repeatable.
    #[arg(long, value_name = "KIND:TEXT", requires = "findings")]
    pub(crate) source: Vec<String>,
    /// Why, for the audit log.
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true, default_value = "Verified by hand")]
    pub(crate) reason: String,
}

#[derive(Debug, Args)]
pub(crate) struct UpdateArguments {
    /// The gap.
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    /// What to set; an empty value clears, lists are separated by commas.
    #[arg(value_name = "FIELD=VALUE", required = true)]
    pub(crate) fields: Vec<String>,
    /// Why, for the audit log, should the status change.
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true, default_value = "Updated by hand")]
    pub(crate) reason: String,
}

#[derive(Debug, Args)]
pub(crate) struct ResearchArguments {
    /// These gaps, whatever their state; by default those that need it most.
    #[arg(value_name = "ID")]
    pub(crate) ids: Vec<String>,
    /// At most so many; by default `[gaps] max_gaps_per_run`.
    #[arg(long, value_name = "N", value_parser = above_zero::<u32>)]
    pub(crate) max: Option<u32>,
    /// Go on whenever something becomes stale.
    #[arg(long)]
    pub(crate) watch: bool,
    #[command(flatten)]
    pub(crate) agent: AgentArguments,
    /// Stop after this much money, in dollars; with --watch over all that it does.
    #[arg(long, value_name = "USD")]
    pub(crate) max_cost: Option<f64>,
    /// Stop after so many tokens; with --watch over all that it does.
    #[arg(long, value_name = "N", value_parser = above_zero::<u64>)]
    pub(crate) max_tokens: Option<u64>,
    /// Stop after agents have worked for so long, as in 2h.
    #[arg(long, value_name = "D")]
    pub(crate) max_duration: Option<String>,
    /// End an attempt after so long.
    #[arg(long, value_name = "D", default_value = "30m")]
    pub(crate) attempt_timeout: String,
}

#[derive(Debug, Args)]
pub(crate) struct GapLogArguments {
    /// Only this gap.
    #[arg(long, value_name = "ID")]
    pub(crate) gap: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct GapDiffArguments {
    /// Since when.
    #[arg(long, value_name = "TIME")]
    pub(crate) since: String,
}

#[derive(Debug, Args)]
pub(crate) struct ImportGapsArguments {
    /// The file.
    #[arg(value_name = "FILE")]
    pub(crate) from: PathBuf,
}

/// How gaps are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum GapsFormat {
    /// A gap file.
    Yaml,
    /// The same as JSON.
    Json,
}

#[derive(Debug, Args)]
pub(crate) struct ExportGapsArguments {
    /// As a gap file, or as JSON.
    #[arg(long, value_name = "FORMAT", default_value = "yaml")]
    pub(crate) format: GapsFormat,
}

#[derive(Debug, Args)]
pub(crate) struct FreshArguments {
    /// The gaps; by default all.
    #[arg(value_name = "ID")]
    pub(crate) ids: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct PromptArguments {
    /// The gaps; by default all.
    #[arg(value_name = "ID")]
    pub(crate) ids: Vec<String>,
    /// At most so many tokens.
    #[arg(long, value_name = "N", default_value_t = 2000, value_parser = above_zero::<u32>)]
    pub(crate) tokens: u32,
}

/// A number that somebody can mean as a limit.
fn above_zero<N: FromStr + Default + PartialOrd>(text: &str) -> Result<N, String> {
    let number = text.parse().ok().filter(|number| *number > N::default());
    number.ok_or_else(|| "give a whole number above 0".to_owned())
}
