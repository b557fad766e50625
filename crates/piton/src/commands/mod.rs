//! One file per command. Each takes its arguments, asks the client, and prints.

mod answer;
mod backup;
mod best;
mod completions;
mod config;
mod cycle;
mod demo;
mod demo_agent;
mod diff;
mod doctor;
mod driver;
mod enclosed;
mod export;
mod fork;
mod gaps;
mod gc;
mod guard;
mod help;
mod hook;
mod import;
mod init;
mod key;
mod land;
mod log;
mod loops;
mod ls;
mod man;
mod mcp;
mod metrics;
mod night;
mod note;
mod output;
mod prove;
mod queue;
mod rebuild;
mod repair;
mod replicate;
mod report;
mod restore;
mod resume;
mod rm;
mod schema;
mod show;
mod status;
mod steer;
mod task;
mod trust;
mod verify;
mod wait;
mod why;
mod worker;
mod workflows;

use std::time::Duration;

pub(crate) use enclosed::{enclosed, proxied};
use piton_model::{Entry, ExitCode, Kind, RunId};
use piton_view::{Asked, Client, Started};

use crate::cli::{Arguments, Command, ConfigCommand};
use crate::failure::{ErrorKind, Failure, Result};
use crate::output::Output;
use crate::{repository, viewer};

/// Runs a command to its end, on a runtime of this thread: an append then commits in it, too.
pub(crate) fn run(arguments: Arguments, out: &Output) -> Result {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::environment(&error))?;
    runtime.block_on(dispatch(arguments, out))
}

async fn dispatch(arguments: Arguments, out: &Output) -> Result {
    let global = &arguments.global;
    if arguments.command.steers() {
        repository::refuse_agents(global)?;
    }
    if arguments.command.goes_on() {
        let layout = repository::layout(global)?;
        repository::settle(&layout)?.iter().for_each(|note| out.note(note));
        repository::warning(&layout).iter().for_each(|note| out.note(note));
    }
    match arguments.command {
        Command::Demo(arguments) => demo::run(&arguments, out).await,
        Command::Init(arguments) => init::run(global, &arguments, out).await,
        Command::Loop(arguments) => loops::run(global, *arguments, out).await,
        Command::Gaps(arguments) => gaps::run(global, &arguments, out).await,
        Command::Run(arguments) => workflows::run(global, *arguments, out).await,
        Command::Cycle(arguments) => cycle::run(global, *arguments, out).await,
        Command::Prove(arguments) => prove::run(global, &arguments, out),
        Command::Guard(arguments) => guard::run(global, &arguments, out).await,
        Command::Ls(arguments) => ls::run(global, &arguments, out).await,
        Command::Status(argument) => status::run(global, &argument, out).await,
        Command::Night(arguments) => night::run(global, &arguments, out).await,
        Command::Morning => night::morning(global, out).await,
        Command::Why(argument) => why::run(global, &argument, out).await,
        Command::Show(arguments) => show::run(global, &arguments, out).await,
        Command::Log(arguments) => log::run(global, &arguments, out).await,
        Command::Output(arguments) => output::run(global, &arguments, out).await,
        Command::Attach(argument) => wait::attach(global, &argument, out).await,
        Command::Wait(argument) => wait::run(global, &argument, out).await,
        Command::Pause(argument) => steer::pause(global, &argument, out).await,
        Command::Resume(arguments) => resume::run(global, arguments, out).await,
        Command::Stop(arguments) => steer::stop(global, &arguments, out).await,
        Command::Queue(arguments) => queue::run(global, &arguments, out).await,
        Command::Skip(argument) => steer::skip(global, &argument, out).await,
        Command::Mode(arguments) => steer::mode(global, &arguments, out).await,
        Command::Reboot(argument) => steer::reboot(global, &argument, out).await,
        Command::Tell(arguments) => steer::tell(global, &arguments, out).await,
        Command::Note(arguments) => note::run(global, &arguments, out).await,
        Command::Import(arguments) => import::run(global, *arguments, out).await,
        Command::Fork(arguments) => fork::run(global, arguments, out).await,
        Command::Export(arguments) => export::run(global, &arguments, out).await,
        Command::Metrics(arguments) => metrics::run(global, &arguments, out).await,
        Command::Answer(arguments) => answer::run(global, &arguments, out).await,
        Command::Best(argument) => best::run(global, &argument, out).await,
        Command::Land(arguments) => land::run(global, &arguments, out).await,
        Command::Restore(arguments) => restore::run(global, &arguments, out).await,
        Command::Diff(arguments) => diff::run(global, &arguments, out).await,
        Command::Rm(arguments) => rm::run(global, &arguments, out).await,
        Command::Verify(arguments) => verify::run(global, &arguments, out).await,
        Command::Gc(arguments) => gc::run(global, &arguments, out).await,
        Command::Repair => repair::run(global, out).await,
        Command::Key(arguments) => key::run(global, &arguments, out).await,
        Command::Backup(arguments) => backup::run(global, &arguments, out).await,
        Command::Replicate(arguments) => replicate::run(global, &arguments, out).await,
        Command::Report(argument) => report::run(global, &argument, out).await,
        Command::Rebuild(argument) => rebuild::run(global, &argument, out).await,
        Command::Worker(arguments) => worker::run(&arguments, out).await,
        Command::Autostart(arguments) => worker::autostart(&arguments, out),
        Command::Mcp(arguments) => mcp::run(global, &arguments).await,
        Command::Hook(arguments) => hook::run(&arguments, out),
        Command::Doctor => doctor::run(global, out).await,
        Command::Trust(arguments) => trust::run(global, &arguments, out),
        Command::Schema(arguments) => schema::run(&arguments, out),
        Command::Completions(arguments) => Ok(completions::run(&arguments, out)),
        Command::Help(arguments) => help::run(&arguments, out),
        Command::Man(arguments) => man::run(&arguments),
        Command::Config(ConfigCommand::Show) => config::show(global, out),
        Command::Driver(arguments) => driver::run(global, &arguments).await,
        Command::DemoAgent => demo_agent::run(),
    }
}

/// Only loops know that.
fn not_a_loop(entry: &Entry) -> Failure {
    Failure::usage(format!("run `{}` is a {}, not a loop", entry.run_id, entry.kind.as_str()))
        .hint("run `piton ls` to see what is what")
}

/// Asks the same of every run of these kinds. One that is damaged is told, and keeps nobody from the others.
async fn of_every<T>(
    client: &dyn Client,
    kinds: &[Kind],
    ask: impl AsyncFn(&RunId) -> Result<T>,
    out: &Output,
) -> Result<(Vec<T>, ExitCode)> {
    let runs = client.runs().await?;
    let (mut answers, mut lost) = (Vec::new(), runs.lost);
    for run in runs.listed.iter().map(|listed| &listed.entry).filter(|run| kinds.contains(&run.kind)) {
        match ask(&run.run_id).await {
            Ok(answer) => answers.push(answer),
            Err(failure) if failure.kind == ErrorKind::Corrupt => lost.push(failure),
            Err(failure) => return Err(failure),
        }
    }
    lost.iter().for_each(|failure| out.failure(failure));
    Ok((answers, lost.first().map_or(ExitCode::Done, |failure| failure.kind.exit_code())))
}

/// What a request brought up besides being taken.
fn said(asked: &Asked, out: &Output) {
    asked.notes.iter().for_each(|note| out.note(note));
}

/// A run is under way: it is watched as [`viewer::view`] does, or left to itself.
async fn begun(
    client: &dyn Client,
    started: Started,
    detach: bool,
    every: Option<Duration>,
    out: &Output,
) -> Result {
    started.notes.iter().for_each(|note| out.note(note));
    let run = &started.run_id;
    if !detach {
        return viewer::view(client, run, started.after, every, out).await;
    }
    match out.json {
        true => out.json(&serde_json::json!({ "run_id": run })),
        false => out.did(format!("{run} works in the background: `piton attach {}`", run.short())),
    }
    Ok(ExitCode::Done)
}
