//! `piton doctor`: what would stand in the way, and what helps.

use std::time::Duration;

use piton_config::{Overrides, resolve, trust};
use piton_engine::Layout;
use piton_model::ExitCode;
use piton_sys::file;
use piton_sys::process::{Program, RunLimits, Tree};
use piton_view::Client;
use serde::Serialize;

use crate::cli::Global;
use crate::failure::Failure;
use crate::output::{Output, clean_line};
use crate::{configuration, repository};

#[derive(Serialize)]
struct Finding {
    what: &'static str,
    state: State,
    detail: String,
}

#[derive(Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
enum State {
    Ok,
    Warn,
    Bad,
}

pub(super) async fn run(global: &Global, out: &Output) -> Result<ExitCode, Failure> {
    let layout = repository::layout(global)?;
    let mut findings =
        vec![git(), shell(), state_directory(&layout), process_trees(), configuration_of(&layout)];
    findings.push(journal(&layout).await);
    if out.json {
        out.json(&findings);
    } else {
        for finding in &findings {
            let word = match finding.state {
                State::Ok => "ok  ",
                State::Warn => "warn",
                State::Bad => "bad ",
            };
            out.line(clean_line(&format!("{word}  {:<14} {}", finding.what, finding.detail)));
        }
    }
    let bad = findings.iter().any(|finding| finding.state == State::Bad);
    Ok(if bad { ExitCode::Environment } else { ExitCode::Done })
}

fn finding(what: &'static str, state: State, detail: impl Into<String>) -> Finding {
    Finding { what, state, detail: detail.into() }
}

fn git() -> Finding {
    let limits = RunLimits { deadline: Duration::from_secs(10), output_bytes_max: 4096 };
    match Program::new("git").arg("--version").run(limits) {
        Ok(output) if output.success() => {
            finding("git", State::Ok, String::from_utf8_lossy(&output.stdout).trim())
        }
        _ => finding("git", State::Bad, "git is missing: snapshots need it; install git"),
    }
}

fn shell() -> Finding {
    let path = std::env::var_os("PATH");
    match piton_sys::process::find_program("sh".as_ref(), path.as_deref(), "/".as_ref()) {
        Some(path) => finding("shell", State::Ok, path.display().to_string()),
        None => finding("shell", State::Bad, "sh is missing: checks and --exec need it"),
    }
}

fn state_directory(layout: &Layout) -> Finding {
    let state = layout.state();
    if state.symlink_metadata().is_err() {
        return finding("state", State::Ok, format!("{} is not there yet", state.display()));
    }
    match file::check_private_dir(&state) {
        Ok(()) => finding("state", State::Ok, state.display().to_string()),
        Err(error) => {
            let failure = Failure::environment(&error);
            finding("state", State::Bad, format!("{}: {}", failure.message, failure.causes.join(": ")))
        }
    }
}

fn process_trees() -> Finding {
    match Tree::planned_cgroup("doctor") {
        Some(_) => finding("process trees", State::Ok, "cgroups prove that nothing of an attempt is left"),
        None => finding("process trees", State::Warn, "no writable cgroup: attempts are found by their mark"),
    }
}

fn configuration_of(layout: &Layout) -> Finding {
    let files = match configuration::read(layout) {
        Ok(files) => files,
        Err(failure) => return finding("piton.toml", State::Bad, failure.message),
    };
    if let Err(problems) = resolve(&files, &configuration::variable, &Overrides::default()) {
        return finding("piton.toml", State::Bad, problems.to_string());
    }
    let Some(project) = files.project else {
        return finding("piton.toml", State::Ok, "none; `piton init` writes one");
    };
    let trusted = configuration::directory()
        .ok()
        .and_then(|directory| trust::is_trusted(&directory, layout.root(), &project.content).ok());
    match trusted {
        Some(true) => finding("piton.toml", State::Ok, "trusted as it stands"),
        _ => {
            finding("piton.toml", State::Warn, "not trusted as it stands; look at it, then run `piton trust`")
        }
    }
}

async fn journal(layout: &Layout) -> Finding {
    match piton_store::sqlite::Sqlite::open_existing(&layout.state()) {
        Ok(None) => finding("journal", State::Ok, "none yet"),
        Ok(Some(store)) => {
            let client = piton_engine::LocalClient::new(store, layout.clone());
            match client.runs().await {
                Ok(runs) => finding("journal", State::Ok, format!("{} runs", runs.len())),
                Err(error) => finding("journal", State::Bad, Failure::from(error).message),
            }
        }
        Err(error) => finding("journal", State::Bad, Failure::from(error).message),
    }
}
