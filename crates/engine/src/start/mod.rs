//! Starting a run: what was ordered is checked and put on record, then a driver is started in the background, which is
//! this very program in a session of its own.
//!
//! - [`loops`], [`workflows`], [`fork`], [`import`]: what can be started. [`resume`]: going on with what is there.
//! - [`hooks`]: what is called while a run goes on. [`known`]: where runs were ever started.

mod fork;
mod go_on;
pub mod hooks;
mod import;
pub mod known;
mod loops;
mod options;
mod resume;
mod workflows;

pub(crate) use go_on::require_kept;
pub use workflows::not_runnable;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use piton_model::loop_machine::{AgentConfig, Worktree};
use piton_model::{Epoch, RunId};
use piton_store::Holder;
use piton_sys::lock::FileLock;
use piton_sys::process::{Detach, Output, ProcessId, is_alive, spawn_detached};
use piton_sys::{Clock, SystemClock, file};
use piton_view::words::clean_line;
use piton_view::{Error, ErrorKind, Order, Resumption, Started};

use crate::client::LocalClient;
use crate::layout::Layout;
use crate::world::{furnish, open_workspace};

/// What the newest run is called by whoever does not know its name; no run may have it.
pub(crate) const LAST: &str = "last";

/// How long a driver may take to take the lease.
const APPEAR_WITHIN: Duration = Duration::from_secs(20);

/// How long a driver may take to leave once its run rests.
const LEAVE_WITHIN: Duration = Duration::from_secs(5);

const LOOK_EVERY: Duration = Duration::from_millis(10);

/// Carries out an order.
pub(crate) async fn start(client: &LocalClient, order: Order) -> Result<Started, Error> {
    let mut notes = Vec::new();
    let (run_id, after) = match order {
        Order::Loop(order) => loops::start(client, &order, None, &mut notes).await?,
        Order::Import { file, order } => import::start(client, &file, *order, &mut notes).await?,
        Order::Workflow(order) => workflows::start(client, &order, &mut notes).await?,
        Order::Fork(order) => fork::start(client, &order).await?,
    };
    Ok(Started { run_id, after, notes })
}

/// Goes on with a run that is there.
pub(crate) async fn go_on(client: &LocalClient, run: &RunId, how: &Resumption) -> Result<Started, Error> {
    let mut notes = Vec::new();
    match resume::any(client, run, how, &mut notes).await {
        Ok(after) => Ok(Started { run_id: run.clone(), after, notes }),
        // What was done before it could not go on is told all the same.
        Err(mut failure) => {
            failure.details.splice(0..0, notes);
            Err(failure)
        }
    }
}

/// Why a run could not begin, where it was not there a moment ago. If it is now, somebody else was faster.
async fn overtaken(client: &LocalClient, run: &RunId, failure: Error) -> Error {
    match (failure.kind, client.kind(run).await) {
        (ErrorKind::Usage, Ok(_)) => {
            Error::new(ErrorKind::Held, format!("another piton has just begun run `{run}`"))
                .hint(format!("run `piton attach {run}`"))
        }
        _ => failure,
    }
}

/// The name of a new run.
fn name_of(text: &str) -> Result<RunId, Error> {
    if text.eq_ignore_ascii_case(LAST) {
        return Err(
            Error::usage("no run can be called `last`: that is the newest one").hint("choose another name")
        );
    }
    text.parse().map_err(|error| Error::of(ErrorKind::Usage, &error))
}

/// An agent that is not there is found out before anything is recorded.
pub(crate) fn require_program(agent: &AgentConfig, root: &Path) -> Result<(), Error> {
    let program = &agent.command[0];
    let path = std::env::var_os("PATH");
    match piton_sys::process::find_program(program.as_ref(), path.as_deref(), root) {
        Some(_) => Ok(()),
        None => Err(Error::new(
            ErrorKind::Environment,
            format!("the agent program `{}` is not in PATH", clean_line(program)),
        )
        .hint("install it, or name another with --agent or --exec")),
    }
}

/// This program.
pub fn exe() -> Result<PathBuf, Error> {
    std::env::current_exe().map_err(|error| Error::environment(&error))
}

/// Where a run may have a work tree of its own: beside the repository, if nothing is in the way there.
fn tree_beside(layout: &Layout, name: &str, hint: &str) -> Result<String, Error> {
    let root = layout.root().file_name().unwrap_or_default().to_string_lossy();
    let path = layout.root().with_file_name(format!("{root}-{name}"));
    if path.symlink_metadata().is_ok() {
        let path = path.display();
        return Err(Error::usage(format!("`{path}` is in the way of the run's work tree")).hint(hint));
    }
    let path = path.to_str().ok_or_else(|| Error::usage("the path of this repository is not UTF-8"))?;
    Ok(path.to_owned())
}

/// A work tree of the run's own, furnished as `[worktree]` says.
fn own_tree(
    layout: &Layout,
    run: &RunId,
    name: &str,
    settings: &piton_config::Worktree,
    hint: &str,
) -> Result<Worktree, Error> {
    let workspace = open_workspace(layout, run)?;
    let failed = |error: piton_git::Error| Error::environment(&error);
    if !workspace.standing().map_err(failed)?.has_commit {
        return Err(Error::usage("--worktree needs a git repository with a commit to start from")
            .hint("commit something first, or let it work in place"));
    }
    let ignored = workspace.ignored().map_err(failed)?;
    let named = settings.copy.as_ref().map(|list| list.value.clone()).unwrap_or_default();
    let is_on = |flag: &Option<piton_config::Sourced<bool>>| flag.as_ref().is_none_or(|flag| flag.value);
    let (copy, left) = furnish::sorted(layout.root(), &ignored, &named, is_on(&settings.installed));
    Ok(Worktree {
        path: tree_beside(layout, name, hint)?,
        branch: format!("piton/{name}"),
        copy,
        left,
        setup: settings.setup.as_ref().map(|command| command.value.clone()),
        compare: is_on(&settings.compare),
    })
}

/// What a person should know of a new work tree: what of the repository is in it though git does not keep it, and what not.
fn said_of(worktree: &Worktree) -> Option<String> {
    let list = |paths: &[String]| clean_line(&paths.join(", "));
    let Worktree { copy, left, .. } = worktree;
    match (copy.is_empty(), left.is_empty()) {
        (true, true) => None,
        (false, true) => Some(format!("note: copied into the work tree: {}", list(copy))),
        (true, false) => Some(format!("note: not in the work tree, as git ignores it: {}", list(left))),
        (false, false) => Some(format!(
            "note: copied into the work tree: {}; not in it, as git ignores it: {}",
            list(copy),
            list(left)
        )),
    }
}

/// Starts a driver for `run` and returns when it holds the lease, or the run has come to rest already.
pub async fn driver(client: &LocalClient, run: &RunId, take_over: bool) -> Result<(), Error> {
    let before = client.load_any(run, None).await?.state.driven();
    let (ours, log) = driver_process(client.layout(), &exe()?, run, take_over)?;
    let appeared = appears(client, run, &log, ours.as_ref(), before).await;
    // It is still there if the driver never held the lease.
    file::remove_file_if_exists(&log)?;
    appeared
}

/// Starts the process of a driver, and does not wait for it. What it says goes to the log, which it takes along with the lease.
pub(crate) fn driver_process(
    layout: &Layout,
    exe: &Path,
    run: &RunId,
    take_over: bool,
) -> Result<(Option<ProcessId>, PathBuf), Error> {
    let starter = std::process::id();
    let log = layout.driver_log_at_start(run, starter);
    file::create_private_dir(&layout.driver_logs())?;
    file::remove_file_if_exists(&log)?;
    let mut args: Vec<OsString> = vec!["--repo".into(), layout.root().into(), "__driver".into()];
    args.extend([run.as_str().into(), "--starter".into(), starter.to_string().into()]);
    if take_over {
        args.push("--take-over".into());
    }
    let options = Detach {
        stdout: Output::Null,
        stderr: Output::Append(log.clone()),
        current_dir: Some(layout.root().to_owned()),
        ..Detach::default()
    };
    let process = spawn_detached(exe, &args, options).map_err(|error| Error::environment(&error))?.process;
    Ok((process, log))
}

/// Returns when the driver `ours`, which takes its `log` along with the lease, is at work or has been.
async fn appears(
    client: &LocalClient,
    run: &RunId,
    log: &Path,
    ours: Option<&ProcessId>,
    before: Option<Epoch>,
) -> Result<(), Error> {
    let started = SystemClock.monotonic();
    loop {
        // Before the look at what it did: what is dead now has done all it ever will.
        let lives = ours.is_some_and(is_alive);
        let refused = last_words_in(log, run);
        let held_lease = !log.exists();
        let took = client.load_any(run, None).await?.state.driven() != before;
        if let Some(failure) = refused {
            // Who holds the lease says more than the driver that did not get it.
            return Err(match client.driver_of(run).await? {
                Some(holder) if failure.kind == ErrorKind::Held => LocalClient::held(run, holder),
                _ => failure,
            });
        }
        if held_lease && took {
            return Ok(());
        }
        if !lives {
            let words = if held_lease { last_words(client.layout(), run) } else { None };
            return Err(words.unwrap_or_else(|| {
                Error::new(ErrorKind::Environment, "the driver ended before it drove, without a word")
                    .hint("run `piton doctor`; a full disk, too, keeps a driver from saying more")
            }));
        }
        if SystemClock.monotonic() - started > APPEAR_WITHIN {
            return Err(Error::new(ErrorKind::Environment, "the driver did not start")
                .hint(format!("look into {}", log.display())));
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

/// The driver that holds the lease of `run` speaks for the run from now on.
pub fn take_log(layout: &Layout, run: &RunId, starter: u32) -> Result<(), Error> {
    file::remove_file_if_exists(&layout.driver_log(run))?;
    match file::rename_noreplace(&layout.driver_log_at_start(run, starter), &layout.driver_log(run)) {
        // Whoever started us has given up.
        Err(error) if error.is_not_found() => {}
        renamed => drop(renamed?),
    }
    sweep_logs(layout, run, |starter| piton_sys::process::identity(starter).is_none())
}

/// Removes everything that drivers of `run` said.
pub(crate) fn remove_logs(layout: &Layout, run: &RunId) -> Result<(), Error> {
    file::remove_file_if_exists(&layout.driver_log(run))?;
    sweep_logs(layout, run, |_| true)
}

/// Removes the logs of drivers that never held the lease, by the process that started them.
fn sweep_logs(layout: &Layout, run: &RunId, stale: impl Fn(u32) -> bool) -> Result<(), Error> {
    let Ok(listing) = std::fs::read_dir(layout.driver_logs()) else { return Ok(()) };
    let starter_of = |name: &str| {
        name.strip_prefix(run.as_str())?.strip_prefix('.')?.strip_suffix(".log")?.parse::<u32>().ok()
    };
    for entry in listing.flatten() {
        let starter = entry.file_name().to_str().and_then(starter_of);
        if starter.is_some_and(&stale) {
            file::remove_file_if_exists(&entry.path())?;
        }
    }
    Ok(())
}

/// A driver whose run rests, or that was killed, holds the lease for a moment longer. Returns when it is gone;
/// leaves alone what is under way.
pub async fn settled(client: &LocalClient, run: &RunId) -> Result<(), Error> {
    let started = SystemClock.monotonic();
    loop {
        let present = match client.driver_of(run).await? {
            None => return Ok(()),
            Some(holder) => is_at_work(client, run, &holder).await?,
        };
        if present || SystemClock.monotonic() - started > LEAVE_WITHIN {
            return Ok(());
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

/// Waits for the lock of this work tree as long as only drivers that are leaving hold it. Otherwise: the runs
/// that work here.
pub async fn workspace_free(client: &LocalClient, layout: &Layout) -> Result<Result<(), Vec<RunId>>, Error> {
    let started = SystemClock.monotonic();
    loop {
        if !FileLock::is_held(&layout.workspace_lock())? {
            return Ok(Ok(()));
        }
        let mut busy = Vec::new();
        for run in client.entries().await? {
            if let Some(holder) = client.driver_of(&run.run_id).await?
                && is_at_work(client, &run.run_id, &holder).await?
            {
                busy.push(run.run_id);
            }
        }
        if !busy.is_empty() || SystemClock.monotonic() - started > LEAVE_WITHIN {
            return Ok(Err(busy));
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

/// Whether who holds the lease of `run` does something with it: the run does not rest, and a process that was
/// killed only keeps its locks until the last of its threads is gone.
async fn is_at_work(client: &LocalClient, run: &RunId, holder: &Holder) -> Result<bool, Error> {
    let killed = holder.host == piton_sys::process::host_id() && !is_alive(&holder.process);
    Ok(!killed && !client.entry(run).await?.is_at_rest())
}

/// How a driver that leaves in trouble says so, for whoever looks next.
pub fn last_words_of(failure: &Error) -> String {
    let mut text = format!("driver exit {}: {}", failure.kind.exit_code() as u8, failure.message);
    for cause in &failure.causes {
        text.push_str(": ");
        text.push_str(cause);
    }
    text.replace('\n', " ")
}

/// How a driver says something that no event says.
pub fn note_of(text: &str) -> String {
    format!("driver note: {}", text.replace('\n', " "))
}

/// What the last driver of `run` wanted a person to know.
pub(crate) fn notes(layout: &Layout, run: &RunId) -> Vec<String> {
    let bytes = file::read_regular(&layout.driver_log(run), 1 << 20).ok().flatten().unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    text.lines().filter_map(|line| line.strip_prefix("driver note: ")).map(str::to_owned).collect()
}

/// What the last driver of `run` said when it left in trouble.
pub(crate) fn last_words(layout: &Layout, run: &RunId) -> Option<Error> {
    last_words_in(&layout.driver_log(run), run)
}

fn last_words_in(log: &Path, run: &RunId) -> Option<Error> {
    let bytes = file::read_regular(log, 1 << 20).ok()??;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let line = text.lines().rev().find(|line| line.starts_with("driver exit "))?;
    let (code, message) = line.strip_prefix("driver exit ")?.split_once(": ")?;
    let kind = match code {
        "5" => ErrorKind::Held,
        "6" => ErrorKind::Corrupt,
        _ => ErrorKind::Environment,
    };
    Some(
        Error::new(kind, message)
            .hint(format!("run `piton resume {}` when that is mended; nothing is lost", run.short())),
    )
}
