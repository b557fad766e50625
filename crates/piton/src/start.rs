//! Starting a driver in the background: this very program, in a session of its own.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use piton_engine::{Layout, LocalClient};
use piton_model::{Epoch, ExitCode, RunId, exit_code};
use piton_store::Holder;
use piton_sys::lock::FileLock;
use piton_sys::process::{Detach, Output, ProcessId, is_alive, spawn_detached};
use piton_sys::{Clock, SystemClock, file};
use piton_view::Client;

use crate::failure::Failure;

/// How long a driver may take to take the lease.
const APPEAR_WITHIN: Duration = Duration::from_secs(20);

/// How long a driver may take to leave once its run rests.
const LEAVE_WITHIN: Duration = Duration::from_secs(5);

const LOOK_EVERY: Duration = Duration::from_millis(10);

/// This program.
pub(crate) fn exe() -> Result<PathBuf, Failure> {
    std::env::current_exe().map_err(|error| Failure::environment(&error))
}

/// Starts a driver for `run` and returns when it holds the lease, or the run has come to rest already.
pub(crate) async fn driver(client: &LocalClient, run: &RunId, take_over: bool) -> Result<(), Failure> {
    let layout = client.layout();
    let starter = std::process::id();
    let log = layout.driver_log_at_start(run, starter);
    file::create_private_dir(&layout.driver_logs())?;
    file::remove_file_if_exists(&log)?;
    let before = client.outline(run).await?.driven;
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
    let ours = spawn_detached(&exe()?, &args, options).map_err(|error| Failure::environment(&error))?.process;
    let appeared = appears(client, run, &log, ours.as_ref(), before).await;
    // It is still there if the driver never held the lease.
    file::remove_file_if_exists(&log)?;
    appeared
}

/// Returns when the driver `ours`, which takes its `log` along with the lease, is at work or has been.
async fn appears(
    client: &LocalClient,
    run: &RunId,
    log: &Path,
    ours: Option<&ProcessId>,
    before: Option<Epoch>,
) -> Result<(), Failure> {
    let started = SystemClock.monotonic();
    loop {
        // Before the look at what it did: what is dead now has done all it ever will.
        let lives = ours.is_some_and(is_alive);
        let refused = last_words_in(log, run);
        let held_lease = !log.exists();
        let took = client.outline(run).await?.driven != before;
        if let Some(failure) = refused {
            // Who holds the lease says more than the driver that did not get it.
            return Err(match client.store().holder(run).await? {
                Some(holder) if failure.code == ExitCode::Held => {
                    piton_store::Error::Held { run: run.clone(), holder: Box::new(holder) }.into()
                }
                _ => failure,
            });
        }
        if held_lease && took {
            return Ok(());
        }
        if !lives {
            let words = if held_lease { last_words(client.layout(), run) } else { None };
            return Err(words.unwrap_or_else(|| {
                Failure::new(ExitCode::Environment, "the driver ended before it drove, without a word")
                    .hint("run `piton doctor`; a full disk, too, keeps a driver from saying more")
            }));
        }
        if SystemClock.monotonic() - started > APPEAR_WITHIN {
            return Err(Failure::new(ExitCode::Environment, "the driver did not start")
                .hint(format!("look into {}", log.display())));
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

/// The driver that holds the lease of `run` speaks for the run from now on.
pub(crate) fn take_log(layout: &Layout, run: &RunId, starter: u32) -> Result<(), Failure> {
    file::remove_file_if_exists(&layout.driver_log(run))?;
    match file::rename_noreplace(&layout.driver_log_at_start(run, starter), &layout.driver_log(run)) {
        // Whoever started us has given up.
        Err(error) if error.is_not_found() => {}
        renamed => drop(renamed?),
    }
    sweep_logs(layout, run, |starter| piton_sys::process::identity(starter).is_none())
}

/// Removes everything that drivers of `run` said.
pub(crate) fn remove_logs(layout: &Layout, run: &RunId) -> Result<(), Failure> {
    file::remove_file_if_exists(&layout.driver_log(run))?;
    sweep_logs(layout, run, |_| true)
}

/// Removes the logs of drivers that never held the lease, by the process that started them.
fn sweep_logs(layout: &Layout, run: &RunId, stale: impl Fn(u32) -> bool) -> Result<(), Failure> {
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
pub(crate) async fn let_go(client: &LocalClient, run: &RunId) -> Result<(), Failure> {
    let started = SystemClock.monotonic();
    loop {
        let present = match client.store().holder(run).await? {
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
pub(crate) async fn workspace_free(
    client: &LocalClient,
    layout: &Layout,
) -> Result<Result<(), Vec<RunId>>, Failure> {
    let started = SystemClock.monotonic();
    loop {
        if !FileLock::is_held(&layout.workspace_lock())? {
            return Ok(Ok(()));
        }
        let mut busy = Vec::new();
        for run in client.runs().await? {
            if let Some(holder) = client.store().holder(&run.run_id).await?
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
async fn is_at_work(client: &LocalClient, run: &RunId, holder: &Holder) -> Result<bool, Failure> {
    let killed = holder.host == piton_sys::process::host_id() && !is_alive(&holder.process);
    let outline = client.outline(run).await?;
    Ok(!killed && exit_code(outline.status, outline.reason).is_none())
}

/// How a driver that leaves in trouble says so, for whoever looks next.
pub(crate) fn say_last_words(failure: &Failure) -> String {
    let mut text = format!("driver exit {}: {}", failure.code as u8, failure.message);
    for cause in &failure.causes {
        text.push_str(": ");
        text.push_str(cause);
    }
    text.replace('\n', " ")
}

/// How a driver says something that no event says.
pub(crate) fn say_note(text: &str) {
    crate::output::to_log(&format!("driver note: {}", text.replace('\n', " ")));
}

/// What the last driver of `run` wanted a person to know.
pub(crate) fn notes(layout: &Layout, run: &RunId) -> Vec<String> {
    let bytes = file::read_regular(&layout.driver_log(run), 1 << 20).ok().flatten().unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    text.lines().filter_map(|line| line.strip_prefix("driver note: ")).map(str::to_owned).collect()
}

/// What the last driver of `run` said when it left in trouble.
pub(crate) fn last_words(layout: &Layout, run: &RunId) -> Option<Failure> {
    last_words_in(&layout.driver_log(run), run)
}

fn last_words_in(log: &Path, run: &RunId) -> Option<Failure> {
    let bytes = file::read_regular(log, 1 << 20).ok()??;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let line = text.lines().rev().find(|line| line.starts_with("driver exit "))?;
    let (code, message) = line.strip_prefix("driver exit ")?.split_once(": ")?;
    let code = match code {
        "5" => ExitCode::Held,
        "6" => ExitCode::Corrupt,
        _ => ExitCode::Environment,
    };
    Some(
        Failure::new(code, message)
            .hint(format!("run `piton resume {}` when that is mended; nothing is lost", run.short())),
    )
}
