//! Starting a driver, from the outside.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use piton_model::{Epoch, RunId, Status};
use piton_sys::process::{Detach, Output, ProcessId, is_alive, spawn_detached};
use piton_sys::{Clock, SystemClock, file};
use piton_view::{Error, ErrorKind};

use super::{LOOK_EVERY, log};
use crate::client::LocalClient;
use crate::launch::this_program;
use crate::layout::Layout;

/// How long a driver may take to take the lease.
const APPEAR_WITHIN: Duration = Duration::from_secs(20);

/// Starts a driver for `run` and returns when it holds the lease, or the run has come to rest already.
pub async fn start(client: &LocalClient, run: &RunId, take_over: bool) -> Result<(), Error> {
    let before = client.load_any(run, None).await?.state.driven();
    let (ours, log) = spawn(client.layout(), run, take_over)?;
    let appeared = appears(client, run, &log, ours.as_ref(), before).await;
    // It is still there if the driver never held the lease.
    file::remove_file_if_exists(&log)?;
    appeared
}

/// Starts the process, and does not wait for it. What it says goes to the log, which it takes along with the lease.
pub(crate) fn spawn(
    layout: &Layout,
    run: &RunId,
    take_over: bool,
) -> Result<(Option<ProcessId>, PathBuf), Error> {
    let starter = std::process::id();
    let log = layout.driver_log_at_start(run, starter);
    file::create_private_dir(&layout.driver_logs())?;
    file::remove_file_if_exists(&log)?;
    let mut args = layout.arguments();
    args.extend(["__driver", run.as_str(), "--starter", &starter.to_string()].map(OsString::from));
    if take_over {
        args.push("--take-over".into());
    }
    let options = Detach {
        stdout: Output::Null,
        stderr: Output::Append(log.clone()),
        current_dir: Some(layout.root().to_owned()),
        ..Detach::default()
    };
    let exe = this_program().map_err(|error| Error::environment(&error))?;
    let process = spawn_detached(&exe, &args, options).map_err(|error| Error::environment(&error))?.process;
    Ok((process, log))
}

/// Returns when the driver `ours`, which takes its log along with the lease, is at work or has been.
async fn appears(
    client: &LocalClient,
    run: &RunId,
    log_file: &Path,
    ours: Option<&ProcessId>,
    before: Option<Epoch>,
) -> Result<(), Error> {
    let started = SystemClock.monotonic();
    loop {
        // Before the look at what it did: what is dead now has done all it ever will.
        let lives = ours.is_some_and(is_alive);
        let refused = log::last_words_in(log_file, run);
        let held_lease = !log_file.exists();
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
            let words = if held_lease { log::last_words(client.layout(), run) } else { None };
            // Somebody else had brought it to its end meanwhile, so there was nothing to drive.
            let status = client.load_any(run, None).await?.state.entry().status;
            if held_lease && words.is_none() && matches!(status, Status::Completed | Status::Failed) {
                return Ok(());
            }
            return Err(words.unwrap_or_else(|| {
                Error::new(ErrorKind::Environment, "the driver ended before it drove, without a word")
                    .hint("run `piton doctor`; a full disk, too, keeps a driver from saying more")
            }));
        }
        if SystemClock.monotonic() - started > APPEAR_WITHIN {
            return Err(Error::new(ErrorKind::Environment, "the driver did not start")
                .hint(format!("look into {}", log_file.display())));
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
}
