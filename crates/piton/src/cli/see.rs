//! The words and flags of what only looks.

use clap::{Args, ValueEnum};
use piton_model::{Kind, Status};

use super::{RunArgument, word_of};

#[derive(Debug, Args)]
pub(crate) struct SchemaArguments {
    /// Which one.
    pub(crate) name: Option<String>,
}

#[derive(Debug, Default, Args)]
pub(crate) struct LsArguments {
    /// Only runs of this kind.
    #[arg(long, value_name = "K", value_parser = word_of::<Kind>())]
    pub(crate) kind: Option<Kind>,
    /// Only runs with this status.
    #[arg(long, value_name = "S", value_parser = word_of::<Status>())]
    pub(crate) status: Option<Status>,
    /// Finished runs too, however old.
    #[arg(long)]
    pub(crate) all: bool,
    /// The runs of every repository that piton has worked in.
    #[arg(long)]
    pub(crate) everywhere: bool,
    /// Only runs that changed since then, e.g. 2026-02-15T12:00:00Z.
    #[arg(long, value_name = "T")]
    pub(crate) since: Option<String>,
    /// What each run takes on the disk, and all of it together.
    #[arg(long, conflicts_with = "everywhere")]
    pub(crate) size: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ShowArguments {
    #[command(flatten)]
    pub(crate) run: RunArgument,
    /// The state after this event.
    #[arg(long, value_name = "SEQ")]
    pub(crate) at: Option<u64>,
    /// The state at the end of this iteration.
    #[arg(long, value_name = "N", conflicts_with = "at")]
    pub(crate) iteration: Option<u32>,
}

#[derive(Debug, Args)]
pub(crate) struct LogArguments {
    #[command(flatten)]
    pub(crate) run: RunArgument,
    /// Go on with new events as they come, until the run rests.
    #[arg(short, long)]
    pub(crate) follow: bool,
    /// Begin with this event.
    #[arg(long, value_name = "SEQ", default_value_t = 1)]
    pub(crate) from: u64,
}

#[derive(Debug, Args)]
pub(crate) struct OutputArguments {
    #[command(flatten)]
    pub(crate) run: RunArgument,
    /// Which attempt; by default the last. A check is named as in .piton/attempts, e.g. check-1-0-1.
    #[arg(value_name = "ATTEMPT")]
    pub(crate) attempt: Option<String>,
    /// Go on while the agent prints.
    #[arg(short, long)]
    pub(crate) follow: bool,
    /// The bytes as they were recorded, control characters included.
    #[arg(long)]
    pub(crate) raw: bool,
}

#[derive(Debug, Args)]
pub(crate) struct MetricsArguments {
    /// Only this run.
    #[arg(value_name = "RUN")]
    pub(crate) run: Option<String>,
    /// In which format.
    #[arg(long, value_name = "FORMAT", default_value = "prometheus")]
    pub(crate) format: MetricsFormat,
}

/// How numbers are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum MetricsFormat {
    /// The text format of Prometheus.
    Prometheus,
    /// One JSON object.
    Json,
    /// One line per number, for a statsd daemon.
    Statsd,
}

#[derive(Debug, Args)]
pub(crate) struct BestArguments {
    #[command(flatten)]
    pub(crate) run: RunArgument,
    /// Prefer this iteration: a number, `final`, or `best` to take that back.
    #[arg(long = "use", value_name = "N", requires = "reason")]
    pub(crate) use_iteration: Option<String>,
    /// Why; it stays on record.
    #[arg(long, value_name = "T", requires = "use_iteration")]
    pub(crate) reason: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct DiffArguments {
    #[command(flatten)]
    pub(crate) run: RunArgument,
    /// From this iteration; 0 is the start of the run.
    #[arg(value_name = "A")]
    pub(crate) from: Option<u32>,
    /// To this iteration.
    #[arg(value_name = "B")]
    pub(crate) to: Option<u32>,
    /// Only a line per file.
    #[arg(long)]
    pub(crate) stat: bool,
}

#[derive(Debug, Args)]
pub(crate) struct NightArguments {
    /// What began or went on since then, as 2026-02-14T18:00:00Z; since the last evening at six otherwise.
    #[arg(long, value_name = "TIME")]
    pub(crate) since: Option<String>,
    /// As one page with charts.
    #[arg(long)]
    pub(crate) html: bool,
    /// Also send the morning on one screen to the channels of `[notify]`.
    #[arg(long)]
    pub(crate) send: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ReportArguments {
    #[command(flatten)]
    pub(crate) run: super::RunArgument,
    /// As one HTML file that needs nothing besides itself: `piton report --html > report.html`.
    #[arg(long, conflicts_with = "json")]
    pub(crate) html: bool,
}
