//! `piton worker` goes on with runs whose driver is gone; `piton autostart` keeps a worker from login to logout.

use std::path::PathBuf;
use std::time::Duration;

use piton_model::ExitCode;
use piton_sys::file::{self, Durability};
use piton_sys::process::{Program, RunLimits};

use crate::cli::{AutostartArguments, WorkerArguments};
use crate::failure::{ErrorKind, Failure, Result};
use crate::output::Output;
use crate::repository::{self, configuration};

const LOOK_EVERY: Duration = Duration::from_secs(10);

const UNIT: &str = "piton-worker.service";

pub(super) async fn run(arguments: &WorkerArguments, out: &Output) -> Result {
    let mut worker = repository::Worker::default();
    loop {
        worker.look_around().await?.iter().for_each(|line| out.note(line));
        if arguments.once {
            return Ok(worker.unread().map_or(ExitCode::Done, ErrorKind::exit_code));
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

pub(super) fn autostart(arguments: &AutostartArguments, out: &Output) -> Result {
    let path = unit_path()?;
    if arguments.remove {
        let _ = systemctl(&["disable", "--now", UNIT]);
        file::remove_file_if_exists(&path)?;
        out.did("no worker is started any more");
        return Ok(ExitCode::Done);
    }
    let exe = repository::this_program().map_err(|error| Failure::environment(&error))?;
    let exe = exe.to_str().ok_or_else(|| Failure::usage("the path of piton is not UTF-8"))?;
    let unit = format!(
        "[Unit]\nDescription=piton goes on with what was under way\n\n[Service]\nExecStart=\"{exe}\" worker\nRestart=always\n\
         RestartSec=10\n# Drivers and agents outlive the worker.\nKillMode=process\nDelegate=yes\n\n[Install]\nWantedBy=default.target\n"
    );
    std::fs::create_dir_all(path.parent().expect("a unit lies in a directory"))
        .map_err(|error| Failure::environment(&error))?;
    file::write_atomic(&path, unit.as_bytes(), Durability::Synced)?;
    out.did(format!("wrote {}", path.display()));
    if systemctl(&["daemon-reload"]) && systemctl(&["enable", "--now", UNIT]) {
        out.did(match run_quietly("loginctl", &["enable-linger"]) {
            true => "a worker runs now, and after every start of this machine",
            false => "a worker runs now and after every login; `loginctl enable-linger` keeps it without one",
        });
        return Ok(ExitCode::Done);
    }
    Err(Failure::new(ErrorKind::Environment, "systemd did not take it: no worker runs").hint(format!(
        "run `systemctl --user enable --now {UNIT}`, or put `@reboot {exe} worker` into your crontab"
    )))
}

fn unit_path() -> Result<PathBuf> {
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
