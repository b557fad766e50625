//! The command line: its words and flags. The doc comments are the help text.

pub(crate) mod gaps;
mod workflow;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

pub(crate) use workflow::{CostLimitAction, RunArguments};

/// Keeps long-running AI-agent work from falling.
///
/// A loop of an agent becomes a durable run: it survives crashes, resumes exactly, runs the checks
/// itself, keeps the best result, and can explain everything it did.
#[derive(Debug, Parser)]
#[command(name = "piton", version, max_term_width = 100, after_help = "Start with: piton demo")]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Flags of every command.
#[derive(Clone, Debug, Args)]
pub(crate) struct Global {
    /// The repository; by default the one that holds this directory.
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) repo: Option<PathBuf>,
    /// The journal, as `sqlite:PATH`; by default `.piton/journal.db` in the repository.
    #[arg(long, global = true, value_name = "URL", env = "PITON_STORE")]
    pub(crate) store: Option<String>,
    /// Print JSON.
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Print less.
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
    /// Print more.
    #[arg(short, long, global = true)]
    pub(crate) verbose: bool,
    /// No colour; the variable NO_COLOR says the same.
    #[arg(long, global = true)]
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
    Run(Box<RunArguments>),
    /// Compare two trees: did tests get deleted, skipped or weakened?
    Guard(GuardArguments),
    /// List runs, those that need you first.
    Ls(LsArguments),
    /// Show where a run is, why, and what to do.
    Status(RunArgument),
    /// Show the chain of events behind a run's status, and what was not the cause.
    Why(RunArgument),
    /// Show the whole state of a run, now or then.
    Show(ShowArguments),
    /// Show the events of a run, one per line.
    Log(LogArguments),
    /// Show what the agent printed.
    Output(OutputArguments),
    /// View a run; Ctrl-C asks it to stop, closing the terminal leaves it running.
    Attach(RunArgument),
    /// Wait until a run rests, and exit with its code.
    Wait(RunArgument),
    /// Let the work that is open end, then rest.
    Pause(RunArgument),
    /// Go on with a run, recovering first.
    Resume(ResumeArguments),
    /// Stop a run after the work that is open, or now.
    Stop(StopArguments),
    /// Give up the iteration under way and begin the next.
    Skip(RunArgument),
    /// Begin a fresh session of the agent with the next attempt, and hand on what the old one knew.
    Reboot(RunArgument),
    /// Show or change whether a person is there, or be asked before an iteration.
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
    /// Show what changed between two iterations; by default from the start to now.
    Diff(DiffArguments),
    /// What a run did, as Markdown for a pull request.
    Report(RunArgument),
    /// Go on with a loop that another tool began, from its `.ralph/state.json`.
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
    Verify(RunArgument),
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
    /// Trust the piton.toml of this repository as it stands.
    Trust(TrustArguments),
    /// Print the JSON Schema of a view or of a command's JSON output; without a name, list them.
    Schema(SchemaArguments),
    /// Print a completion script.
    Completions(CompletionsArguments),
    /// Show the configuration.
    #[command(subcommand)]
    Config(ConfigCommand),
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
            | Self::Rm(_)
            | Self::Rebuild(_)
            | Self::Trust(_)
            | Self::Worker(_)
            | Self::Autostart(_)
            | Self::Driver(_) => true,
            Self::Demo(_)
            | Self::Ls(_)
            | Self::Status(_)
            | Self::Why(_)
            | Self::Show(_)
            | Self::Log(_)
            | Self::Output(_)
            | Self::Attach(_)
            | Self::Wait(_)
            | Self::Diff(_)
            | Self::Export(_)
            | Self::Metrics(_)
            | Self::Report(_)
            | Self::Verify(_)
            | Self::Mcp(_)
            | Self::Hook(_)
            | Self::Doctor
            | Self::Completions(_)
            | Self::Schema(_)
            | Self::Config(_)
            | Self::DemoAgent => false,
            // An agent may look; only a person chooses or allows.
            Self::Gaps(arguments) => arguments.command.changes(),
            Self::Best(arguments) => arguments.use_iteration.is_some(),
            Self::Guard(arguments) => arguments.command.as_ref().is_some_and(|command| match command {
                GuardCommand::Allow(_) | GuardCommand::Mark(_) => true,
                GuardCommand::Rules => false,
            }),
        }
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

#[derive(Debug, Args)]
pub(crate) struct SchemaArguments {
    /// Which one.
    pub(crate) name: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct ModeArguments {
    #[command(flatten)]
    pub(crate) run: RunArgument,
    /// The mode from the next decision on; without one, show the mode.
    #[arg(value_enum)]
    pub(crate) mode: Option<ModeWord>,
    /// Ask a person before this iteration, whatever the mode.
    #[arg(long = "break", value_name = "N")]
    pub(crate) break_at: Option<u32>,
}

/// Whether a person is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ModeWord {
    /// A person decides between iterations.
    Attended,
    /// Nobody is asked unless it must be.
    Unattended,
    /// A person is asked now and then.
    Hybrid,
}

impl ModeWord {
    pub(crate) fn mode(self) -> piton_model::hook::Mode {
        match self {
            ModeWord::Attended => piton_model::hook::Mode::Attended,
            ModeWord::Unattended => piton_model::hook::Mode::Unattended,
            ModeWord::Hybrid => piton_model::hook::Mode::Hybrid,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct DemoArguments {
    /// Keep the temporary directory and say where it is.
    #[arg(long)]
    pub(crate) keep: bool,
}

#[derive(Debug, Args)]
pub(crate) struct InitArguments {
    /// The agent to use: a name that piton knows, or a command line; by default the first known one in PATH.
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Option<String>,
    /// Ask nothing.
    #[arg(long, short)]
    pub(crate) yes: bool,
}

#[derive(Debug, Args)]
pub(crate) struct LoopArguments {
    /// What the agent is asked to do.
    #[arg(value_name = "TASK")]
    pub(crate) task: Option<String>,
    /// A file with the task, read anew at every iteration; PROMPT.md or prompt.md if present.
    #[arg(short = 'P', long, value_name = "FILE")]
    pub(crate) prompt_file: Option<PathBuf>,
    /// The agent: claude, codex, gemini, opencode, aider, goose, or an `agents.NAME` section in piton.toml.
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Option<String>,
    /// The model the agent is to use.
    #[arg(long, value_name = "M")]
    pub(crate) model: Option<String>,
    /// What the agent may do without asking: full, edit or ask, as far as it has them.
    #[arg(long, value_name = "MODE")]
    pub(crate) sandbox: Option<String>,
    /// Keep the agent and the checks from writing anywhere but into their work tree (bubblewrap).
    #[arg(long)]
    pub(crate) confine: bool,
    /// Any command as the agent; it gets the prompt on its standard input.
    #[arg(long, value_name = "CMD", conflicts_with = "agent")]
    pub(crate) exec: Option<String>,
    /// A command that judges the tree, e.g. `test=cargo test`. Repeatable; beside those of piton.toml.
    #[arg(long, value_name = "[NAME=]CMD")]
    pub(crate) check: Vec<String>,
    /// What must hold: checks-pass, done, cmd:COMMAND, file:PATH, tasks-done:FILE. Repeatable: all must.
    #[arg(long, value_name = "COND")]
    pub(crate) until: Vec<String>,
    /// Stop after this many iterations.
    #[arg(long, value_name = "N")]
    pub(crate) max_iterations: Option<u32>,
    /// Stop after this much working time, e.g. 90m; waits are not counted.
    #[arg(long, value_name = "D")]
    pub(crate) max_duration: Option<String>,
    /// Stop at this time, e.g. 07:00 (the next one), or 2026-02-15T07:00.
    #[arg(long, value_name = "TIME")]
    pub(crate) deadline: Option<String>,
    /// Stop when this much was spent, as far as the agent reports it.
    #[arg(long, value_name = "USD")]
    pub(crate) max_cost: Option<f64>,
    /// Stop after this many tokens, as far as the agent reports them.
    #[arg(long, value_name = "N")]
    pub(crate) max_tokens: Option<u64>,
    /// Stop when more than this many files were changed.
    #[arg(long, value_name = "N")]
    pub(crate) max_files: Option<u32>,
    /// Stop when more than this many lines were added and removed.
    #[arg(long, value_name = "N")]
    pub(crate) max_lines: Option<u64>,
    /// Stop after more than this many fresh sessions in the middle of the work.
    #[arg(long, value_name = "N")]
    pub(crate) max_reboots: Option<u32>,
    /// Ask before every iteration, and about every change.
    #[arg(long)]
    pub(crate) attended: bool,
    /// Name the run.
    #[arg(long, value_name = "ID")]
    pub(crate) id: Option<String>,
    /// Work in a work tree of its own, on a branch of its own; the default on the default branch or over
    /// uncommitted work.
    #[arg(long, conflicts_with = "here")]
    pub(crate) worktree: bool,
    /// Work in place, in the tree as it is.
    #[arg(long)]
    pub(crate) here: bool,
    /// Start a fifth loop at once.
    #[arg(long)]
    pub(crate) force: bool,
    /// Start it and return.
    #[arg(long)]
    pub(crate) detach: bool,
    /// A shell command to run whenever the run comes to rest; it gets `piton status --json` on its standard input.
    #[arg(long, value_name = "CMD")]
    pub(crate) on_done: Option<String>,
    /// Trust piton.toml as it stands, for this once.
    #[arg(long)]
    pub(crate) trust: bool,
    /// Further arguments for the agent.
    #[arg(last = true, value_name = "AGENT_ARGS")]
    pub(crate) agent_arguments: Vec<String>,
}

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
    /// Tests that left or say less block also where product code changed with them, as in a loop.
    #[arg(long)]
    pub(crate) strict: bool,
    #[command(subcommand)]
    pub(crate) command: Option<GuardCommand>,
}

/// How findings are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
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

#[derive(Debug, Args)]
pub(crate) struct LsArguments {
    /// Only runs of this kind.
    #[arg(long, value_name = "K")]
    pub(crate) kind: Option<String>,
    /// Only runs with this status.
    #[arg(long, value_name = "S")]
    pub(crate) status: Option<String>,
    /// Finished runs too, however old.
    #[arg(long)]
    pub(crate) all: bool,
    /// The runs of every repository that piton has worked in.
    #[arg(long)]
    pub(crate) everywhere: bool,
    /// Only runs that changed since then, e.g. 2026-02-15T12:00:00Z.
    #[arg(long, value_name = "T")]
    pub(crate) since: Option<String>,
}

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
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
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
    /// Start it and return.
    #[arg(long)]
    pub(crate) detach: bool,
    /// Take the run from a driver that is frozen, which is killed.
    #[arg(long)]
    pub(crate) take_over: bool,
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
    /// Which question; by default the only one.
    #[arg(value_name = "QUESTION")]
    pub(crate) question: Option<u32>,
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
    /// A JSON object that a workflow passes on to the steps that follow.
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
pub(crate) struct ImportArguments {
    /// The state file.
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) options: LoopArguments,
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
pub(crate) struct ExportArguments {
    #[command(flatten)]
    pub(crate) run: RunArgument,
    /// In which format.
    #[arg(long, value_name = "FORMAT", default_value = "ralph")]
    pub(crate) format: ExportFormat,
}

/// What a run can be printed as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ExportFormat {
    /// `.ralph/state.json`.
    Ralph,
    /// The whole state, as `piton show --json` has it.
    State,
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
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
pub(crate) struct RmArguments {
    /// Which run.
    pub(crate) run: String,
    /// Also a run that is not finished.
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Debug, Args)]
pub(crate) struct TrustArguments {
    /// Do not show it first.
    #[arg(long, short)]
    pub(crate) yes: bool,
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
