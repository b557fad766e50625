//! The command line: its words and flags. The doc comments are the help text.

mod connect;
pub(crate) mod cycle;
pub(crate) mod gaps;
mod guard;
pub(crate) mod help;
mod keep;
mod prove;
mod queue;
mod see;
mod start;
mod steer;
mod workflow;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand};
use piton_model::Words;

pub(crate) use connect::{
    AutostartArguments, CompletionsArguments, ConfigCommand, DriverArguments, ExportArguments, ExportFormat,
    HelpArguments, HookArguments, HookEvent, ImportArguments, ManArguments, McpArguments, TrustArguments,
    WorkerArguments,
};
pub(crate) use guard::{AllowArguments, GuardArguments, GuardCommand, GuardFormat, MarkArguments};
pub(crate) use keep::{
    BackupArguments, BackupCommand, BackupPlace, BackupPruneArguments, BackupRestoreArguments, GcArguments,
    KeyArguments, KeyCommand, KeyNewArguments, KeyRotateArguments, ReplicateArguments, VerifyArguments,
};
pub(crate) use prove::{ProveArguments, ProveCommand};
pub(crate) use queue::{QueueArguments, QueueCommand};
pub(crate) use see::{
    BestArguments, DiffArguments, LogArguments, LsArguments, MetricsArguments, MetricsFormat, NightArguments,
    OutputArguments, ReportArguments, SchemaArguments, ShowArguments,
};
pub(crate) use start::{AgentArguments, DemoArguments, InitArguments, LoopArguments};
pub(crate) use steer::{
    AnswerArguments, ForkArguments, LandArguments, ModeArguments, NoteArguments, RaiseArguments,
    RestoreArguments, ResumeArguments, RmArguments, StopArguments, TellArguments,
};
pub(crate) use workflow::RunArguments;

/// Keeps long-running AI-agent work from falling.
///
/// A loop of an agent becomes a durable run: it survives crashes, resumes exactly, runs the checks
/// itself, keeps the best result, and can explain everything it did.
#[derive(Debug, Parser)]
#[command(name = "piton", version, max_term_width = 100, disable_help_subcommand = true)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The flags that every command has.
const EVERYWHERE: &str = "Everywhere";

/// Flags of every command.
#[derive(Clone, Debug, Args)]
pub(crate) struct Global {
    /// The repository, or a directory in it; by default the one that holds the current directory.
    #[arg(long, global = true, help_heading = EVERYWHERE, value_name = "DIR")]
    pub(crate) repo: Option<PathBuf>,
    /// The journal, as `sqlite:PATH/.piton/journal.db`; by default the one in the repository.
    #[arg(long, global = true, help_heading = EVERYWHERE, value_name = "URL", env = "PITON_STORE")]
    pub(crate) store: Option<OsString>,
    /// Take piton.toml and the journal as they stand, for this once.
    #[arg(long, global = true, help_heading = EVERYWHERE)]
    pub(crate) trust: bool,
    /// Print JSON.
    #[arg(long, global = true, help_heading = EVERYWHERE)]
    pub(crate) json: bool,
    /// Print only what was asked for and what goes wrong.
    #[arg(short, long, global = true, help_heading = EVERYWHERE)]
    pub(crate) quiet: bool,
    /// Print more.
    #[arg(short, long, global = true, help_heading = EVERYWHERE)]
    pub(crate) verbose: bool,
    /// No colour; the variable NO_COLOR says the same.
    #[arg(long, global = true, help_heading = EVERYWHERE)]
    pub(crate) no_color: bool,
}

/// The commands, in the order of a day's work.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// See a loop, a caught cheat, a crash, a re-attach and the result, offline, in a temporary directory.
    Demo(DemoArguments),
    /// Detect the checks of this repository, run each once, and write a trusted piton.toml.
    Init(InitArguments),
    /// Run an agent in a loop until its checks pass.
    Loop(Box<LoopArguments>),
    /// What is known, how fresh it is, what to look into next.
    Gaps(Box<gaps::GapsArguments>),
    /// Run a workflow: steps with needs, gates, loop-backs and people.
    #[command(visible_alias = "workflow")]
    Run(Box<RunArguments>),
    /// Let a team of agents work on a task: requirements, plan, code, validation.
    Cycle(Box<cycle::CycleArguments>),
    /// Compare two trees: did tests get deleted, skipped or weakened?
    Guard(GuardArguments),
    /// Look at what trials showed: run one again.
    Prove(ProveArguments),
    /// List runs, those that need you first.
    Ls(LsArguments),
    /// Show where a run is, why, and what to do.
    Status(RunArgument),
    /// What happened while nobody looked: done, refused, waiting, not done, spent; `piton` alone shows it on one screen.
    Night(NightArguments),
    /// Show the chain of events behind a run's status, and what was not the cause.
    Why(RunArgument),
    /// Show the whole state of a run, now or then.
    Show(ShowArguments),
    /// Show the events of a run, one per line.
    Log(LogArguments),
    /// Show what the agent printed.
    Output(OutputArguments),
    /// Watch a run: d leaves it running, p pauses, t tells the agent something, Ctrl-C stops.
    Attach(RunArgument),
    /// Wait until a run rests, and exit with its code.
    Wait(RunArgument),
    /// Pause a run once the work under way has ended.
    Pause(RunArgument),
    /// Go on with a run, recovering first.
    Resume(ResumeArguments),
    /// Stop a run once the work under way has ended, or now.
    Stop(StopArguments),
    /// Show the items of a queue; add, skip, move and retry them.
    Queue(QueueArguments),
    /// Give up the iteration under way and begin the next.
    Skip(RunArgument),
    /// Begin a fresh session of the agent with the next attempt, and hand on what the old one knew.
    #[command(visible_alias = "fresh-session")]
    Reboot(RunArgument),
    /// Show or change the mode of a run (attended, unattended, hybrid), or be asked before an iteration.
    Mode(ModeArguments),
    /// Say something to the agent at its next prompt.
    Tell(TellArguments),
    /// Note something with a run, and set values of your own; later prompts and `piton report` hold the note.
    Note(NoteArguments),
    /// Answer a question of a run; without one, list what waits.
    Answer(AnswerArguments),
    /// Show the best iteration of a run.
    Best(BestArguments),
    /// Put the files of an iteration back; by default of the best.
    Restore(RestoreArguments),
    /// Bring the work of a run to the branch where it belongs, once the checks passed on the result.
    Land(LandArguments),
    /// Show what changed between two iterations; by default from the start to now.
    Diff(DiffArguments),
    /// What a run did, as Markdown for a pull request, or as a page with charts.
    Report(ReportArguments),
    /// Go on with what another tool began: a loop from its state file, a workflow from its run directory, a gap file.
    Import(Box<ImportArguments>),
    /// Go on from an earlier point of a run in a run of its own; the original stays as it is.
    Fork(ForkArguments),
    /// Print a run in one of the published formats.
    Export(ExportArguments),
    /// Print the numbers of every run for a monitoring system.
    Metrics(MetricsArguments),
    /// Forget a run: its events, attempts and snapshots.
    Rm(RmArguments),
    /// Check everything that is stored.
    #[command(visible_alias = "check-storage")]
    Verify(VerifyArguments),
    /// Remove what nothing needs any more, and archive runs that are over for as long as `[vault.retention]` says.
    Gc(GcArguments),
    /// Put a damaged journal aside, and make a new one of what is provably good and of the newest backup.
    Repair,
    /// Make, list, verify, restore and prune backups.
    Backup(BackupArguments),
    /// Ship what the journal gets to another place, a moment later, and prove that it can be restored.
    ///
    /// Goes on until Ctrl-C, which finishes what is being put. One process does so for a journal at a time.
    Replicate(ReplicateArguments),
    /// Make, rotate and look at the keys that what is kept is encrypted with.
    Key(KeyArguments),
    /// Render the files of a run again from the journal.
    Rebuild(RunArgument),
    /// Go on with every run whose driver is gone, in all repositories, until stopped.
    Worker(WorkerArguments),
    /// Keep a worker from login to logout, so that runs go on after a reboot.
    Autostart(AutostartArguments),
    /// Serve the tools by which an agent talks back to its run (Model Context Protocol, on stdin and stdout).
    Mcp(McpArguments),
    /// Look at this machine and repository for what would stand in the way.
    Doctor,
    /// Trust the piton.toml of this repository as it stands, or its journal.
    Trust(TrustArguments),
    /// Print the JSON Schema of a view or of a command's JSON output; without a name, list them.
    Schema(SchemaArguments),
    /// Print a completion script.
    Completions(CompletionsArguments),
    /// Show the configuration.
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Show all commands, or the flags of one.
    #[command(hide = true)]
    Help(HelpArguments),
    /// Write manual pages into a directory.
    Man(ManArguments),
    #[command(name = "__morning", hide = true)]
    Morning,
    #[command(name = "__driver", hide = true)]
    Driver(DriverArguments),
    #[command(name = "__hook", hide = true)]
    Hook(HookArguments),
    #[command(name = "__demo-agent", hide = true)]
    DemoAgent,
}

impl Command {
    /// Whether it decides over a run, or over what piton may run at all.
    pub(crate) fn steers(&self) -> bool {
        match self {
            Self::Init(_)
            | Self::Loop(_)
            | Self::Run(_)
            | Self::Pause(_)
            | Self::Resume(_)
            | Self::Stop(_)
            | Self::Skip(_)
            | Self::Reboot(_)
            | Self::Mode(_)
            | Self::Tell(_)
            | Self::Note(_)
            | Self::Answer(_)
            | Self::Import(_)
            | Self::Fork(_)
            | Self::Restore(_)
            | Self::Land(_)
            | Self::Rm(_)
            | Self::Rebuild(_)
            | Self::Repair
            | Self::Gc(_)
            | Self::Trust(_)
            | Self::Worker(_)
            | Self::Autostart(_)
            // Keys pause and stop, and answer questions.
            | Self::Attach(_)
            | Self::Driver(_) => true,
            Self::Demo(_)
            | Self::Ls(_)
            | Self::Status(_)
            | Self::Why(_)
            | Self::Show(_)
            | Self::Log(_)
            | Self::Output(_)
            | Self::Wait(_)
            | Self::Diff(_)
            | Self::Export(_)
            | Self::Metrics(_)
            | Self::Report(_)
            | Self::Night(_)
            | Self::Morning
            | Self::Verify(_)
            | Self::Mcp(_)
            | Self::Hook(_)
            | Self::Prove(_)
            | Self::Doctor
            | Self::Completions(_)
            | Self::Help(_)
            | Self::Man(_)
            | Self::Schema(_)
            | Self::Config(_)
            | Self::DemoAgent => false,
            // An agent may look; only a person chooses or allows.
            Self::Gaps(arguments) => arguments.command.changes(),
            Self::Queue(arguments) => !matches!(arguments.command, QueueCommand::List(_)),
            Self::Backup(arguments) => arguments.command.steers(),
            // What a driver starts only does what the configuration says.
            Self::Replicate(arguments) => !arguments.while_driven,
            Self::Key(arguments) => arguments.command.steers(),
            Self::Cycle(arguments) => arguments.command.steers(),
            Self::Best(arguments) => arguments.use_iteration.is_some(),
            Self::Guard(arguments) => arguments.command.as_ref().is_some_and(|command| match command {
                GuardCommand::Allow(_) | GuardCommand::Mark(_) => true,
                GuardCommand::Rules => false,
            }),
        }
    }

    /// Whether it goes on with what the journal of this repository holds, or adds to it.
    pub(crate) fn goes_on(&self) -> bool {
        // A worker, a driver and a repair see to the journals that they open themselves.
        let sees_to_it = matches!(
            self,
            Self::Init(_)
                | Self::Trust(_)
                | Self::Worker(_)
                | Self::Autostart(_)
                | Self::Driver(_)
                | Self::Repair
        );
        self.steers() && !sees_to_it
    }
}

/// A run.
#[derive(Debug, Args)]
pub(crate) struct RunArgument {
    /// An id, the shortest unique prefix of one or of its last part, or `last`; by default the one active
    /// run, else the newest.
    #[arg(value_name = "RUN")]
    pub(crate) run: Option<String>,
}

/// One of the words that a value has in the journal and on screens; whoever writes another is told which there are.
fn word_of<T: Words + Send + Sync>() -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(T::WORDS.iter().map(|(word, _)| *word)).map(|word| {
        let (_, value) = T::WORDS.iter().find(|(known, _)| *known == word).expect("clap takes no other word");
        *value
    })
}
