//! `piton worker` goes on with runs whose driver is gone; `piton autostart` keeps a worker from login to logout.

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Duration;

use piton_engine::LocalClient;
use piton_model::{ExitCode, Kind, RunId, Status};
use piton_sys::file::{self, Durability};
use piton_sys::process::{Program, RunLimits};
use piton_sys::{Clock, SystemClock};
use piton_view::{Client, RunSummary};

use crate::cli::{AutostartArguments, WorkerArguments};
use crate::failure::Failure;
use crate::output::Output;
use crate::{configuration, known, start};

const LOOK_EVERY: Duration = Duration::from_secs(10);

/// Drivers started for one run within [`STARTS_WITHIN`]: what dies so often needs a person.
const STARTS_MAX: usize = 5;
const STARTS_WITHIN: Duration = Duration::from_secs(3600);

const UNIT: &str = "piton-worker.service";

/// When drivers were started, run by run.
type Starts = HashMap<(PathBuf, RunId), Vec<Duration>>;

pub(super) async fn run(arguments: &WorkerArguments, out: &Output) -> Result<ExitCode, Failure> {
    let mut starts = Starts::new();
    loop {
        for layout in known::repositories()? {
            let root = layout.root().to_owned();
            // One journal that cannot be opened must not keep the others from going on.
            match piton_store::open_existing(layout.state()) {
                Ok(Some(store)) => look_after(&LocalClient::new(store, layout), &mut starts, out).await,
                Ok(None) => {}
                Err(error) => out.note(format!("{}: {error}", root.display())),
            }
        }
        if arguments.once {
            return Ok(ExitCode::Done);
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

/// Starts a driver for every run of a repository that is under way and has none.
async fn look_after(client: &LocalClient, starts: &mut Starts, out: &Output) {
    let place = client.layout().root().display().to_string();
    let runs = match client.runs().await {
        Ok(runs) => runs,
        Err(error) => return out.note(format!("{place}: {error}")),
    };
    for run in &runs {
        if !is_under_way(run) && !has_input(client, run).await {
            continue;
        }
        if !matches!(client.store().holder(&run.run_id).await, Ok(None)) {
            continue;
        }
        let now = SystemClock.monotonic();
        let begun = starts.entry((client.layout().root().to_owned(), run.run_id.clone())).or_default();
        begun.retain(|at| now.saturating_sub(*at) < STARTS_WITHIN);
        if begun.len() >= STARTS_MAX {
            continue;
        }
        begun.push(now);
        match start::driver(client, &run.run_id, false).await {
            Ok(()) => out.note(format!("{place}: {} goes on", run.run_id)),
            Err(failure) => out.note(format!("{place}: {}: {}", run.run_id, failure.message)),
        }
    }
}

/// Whether a workflow that waits for people has a file from one of them.
async fn has_input(client: &LocalClient, run: &RunSummary) -> bool {
    if run.kind != Kind::Workflow.as_str() || run.status != Status::Waiting.as_str() {
        return false;
    }
    let state = client.load_as(&run.run_id, None).await.map(|loaded| loaded.state);
    state.is_ok_and(|state| piton_engine::workflow::has_input(client.layout(), &state))
}

/// Whether a run goes on by itself as soon as somebody drives it.
pub(super) fn is_under_way(run: &RunSummary) -> bool {
    match run.status.as_str() {
        // Nobody drives a ledger: `piton gaps research` goes on with what it began.
        _ if run.kind == Kind::Ledger.as_str() => false,
        "created" | "running" | "rebooting" => true,
        "waiting" => matches!(run.reason.as_deref(), Some("rate_limit" | "overloaded" | "schedule")),
        _ => false,
    }
}

pub(super) fn autostart(arguments: &AutostartArguments, out: &Output) -> Result<ExitCode, Failure> {
    let path = unit_path()?;
    if arguments.remove {
        let _ = systemctl(&["disable", "--now", UNIT]);
        file::remove_file_if_exists(&path)?;
        out.line("no worker is started any more");
        return Ok(ExitCode::Done);
    }
    let exe = start::exe()?;
    let exe = exe.to_str().ok_or_else(|| Failure::usage("the path of piton is not UTF-8"))?;
    let unit = format!(
        "[Unit]\nDescription=piton goes on with what was under way\n\n[Service]\nExecStart=\"{exe}\" worker\nRestart=always\n\
         RestartSec=10\n# Drivers and agents outlive the worker.\nKillMode=process\nDelegate=yes\n\n[Install]\nWantedBy=default.target\n"
    );
    std::fs::create_dir_all(path.parent().expect("a unit lies in a directory"))
        .map_err(|error| Failure::environment(&error))?;
    file::write_atomic(&path, unit.as_bytes(), Durability::Synced)?;
    out.line(format!("wrote {}", path.display()));
    if systemctl(&["daemon-reload"]) && systemctl(&["enable", "--now", UNIT]) {
        out.line(match run_quietly("loginctl", &["enable-linger"]) {
            true => "a worker runs now, and after every start of this machine",
            false => "a worker runs now and after every login; `loginctl enable-linger` keeps it without one",
        });
        return Ok(ExitCode::Done);
    }
    Err(Failure::new(ExitCode::Environment, "systemd did not take it: no worker runs").hint(format!(
        "run `systemctl --user enable --now {UNIT}`, or put `@reboot {exe} worker` into your crontab"
    )))
}

fn unit_path() -> Result<PathBuf, Failure> {
    let configured = configuration::variable("XDG_CONFIG_HOME").filter(|path| path.starts_with('/'));
    let home = || configuration::variable("HOME").map(|home| format!("{home}/.config"));
    let base = configured.or_else(home).ok_or_else(|| Failure::usage("HOME is not set"))?;
    Ok(PathBuf::from(base).join("systemd/user").join(UNIT))
}

fn systemctl(words: &[&str]) -> bool {
    run_quietly("systemctl", &[&["--user"], words].concat())
}

fn run_quietly(program: &str, words: &[&str]) -> bool {
    let limits = RunLimits { deadline: Duration::from_secs(20), output_bytes_max: 64 << 10 };
    let ran = Program::new(program).args(words.iter().copied()).run(limits);
    ran.is_ok_and(|output| output.success())
}
