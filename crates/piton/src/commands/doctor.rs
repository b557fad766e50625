//! `piton doctor`: what would stand in the way, and what helps.

use std::path::Path;
use std::time::Duration;

use piton_config::{Agent, KNOWN_AGENTS, Overrides, REPORTS, resolve};
use piton_model::ExitCode;
use piton_sys::process::{Program, RunLimits, Tree, find_program};
use piton_sys::{Clock, SystemClock, file};
use piton_view::words;
use serde::Serialize;

use crate::cli::Global;
use crate::failure::{Failure, Result};
use crate::output::{Output, clean_line};
use crate::repository::{self, Layout, configuration};

#[derive(Serialize)]
struct Finding {
    what: String,
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

pub(super) async fn run(global: &Global, out: &Output) -> Result {
    let layout = repository::layout(global)?;
    let mut findings = vec![
        git(),
        shell(),
        state_directory(&layout),
        process_trees(),
        walls(&layout),
        configuration_of(&layout),
    ];
    findings.extend(excludes(&layout));
    findings.push(journal(&layout).await);
    findings.push(backups(&layout).await);
    findings.extend(size_of_journal(&layout).await);
    findings.extend(replica(&layout).await);
    findings.extend(agents(&layout));
    if out.json {
        out.json(&findings);
    } else {
        for finding in &findings {
            let word = match finding.state {
                State::Ok => "ok  ",
                State::Warn => "warn",
                State::Bad => "bad ",
            };
            out.row(clean_line(&format!("{word}  {:<14} {}", finding.what, finding.detail)));
        }
    }
    let bad = findings.iter().any(|finding| finding.state == State::Bad);
    Ok(if bad { ExitCode::Environment } else { ExitCode::Done })
}

fn finding(what: &str, state: State, detail: impl Into<String>) -> Finding {
    Finding { what: what.to_owned(), state, detail: detail.into() }
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

/// Where git is told what piton keeps to itself: a link there is somebody else's file, and no run begins.
fn excludes(layout: &Layout) -> Option<Finding> {
    let limits = RunLimits { deadline: Duration::from_secs(10), output_bytes_max: 4096 };
    let asked = Program::new("git").args(["rev-parse", "--git-path", "info/exclude"]);
    let answer = asked.current_dir(layout.root()).run(limits).ok().filter(|output| output.success())?;
    let path = layout.root().join(String::from_utf8_lossy(&answer.stdout).trim());
    if !path.is_symlink() {
        return None;
    }
    let path = path.display();
    let detail = format!(
        "`{path}` is a link, which piton does not write through, so no run begins: put a file there, as `cp --remove-destination \"$(readlink -f {path})\" {path}` does"
    );
    Some(finding("exclude", State::Bad, detail))
}

fn process_trees() -> Finding {
    match Tree::planned_cgroup("doctor") {
        Some(_) => finding("process trees", State::Ok, "cgroups prove that nothing of an attempt is left"),
        None => finding("process trees", State::Warn, "no writable cgroup: attempts are found by their mark"),
    }
}

fn walls(layout: &Layout) -> Finding {
    match repository::walls::available(layout, false) {
        Ok(()) => finding(
            "walls",
            State::Ok,
            "bubblewrap works: --confine keeps agents in their work tree, away from keys and logins",
        ),
        Err(why) => finding("walls", State::Warn, format!("--confine is not available: {why}")),
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
    match configuration::is_trusted_content(layout, &project.content).ok() {
        Some(true) => finding("piton.toml", State::Ok, "trusted as it stands"),
        _ => {
            finding("piton.toml", State::Warn, "not trusted as it stands; look at it, then run `piton trust`")
        }
    }
}

/// Every agent that can be found: those of the configuration, and those that piton knows.
fn agents(layout: &Layout) -> Vec<Finding> {
    let settings = configuration::read(layout)
        .ok()
        .and_then(|files| resolve(&files, &configuration::variable, &Overrides::default()).ok())
        .map(|resolved| resolved.settings)
        .unwrap_or_default();
    let own = settings.agents.iter().map(|agent| agent.value.run.name.clone());
    let mut names: Vec<String> = own.chain(KNOWN_AGENTS.map(str::to_owned)).collect();
    names.dedup();
    let mut findings: Vec<_> =
        names.iter().filter_map(|name| agent(&piton_config::find(&settings, name)?, layout.root())).collect();
    if findings.is_empty() {
        let known = KNOWN_AGENTS.join(", ");
        findings.push(finding(
            "agents",
            State::Warn,
            format!("none of {known} is in PATH; --exec takes any command"),
        ));
    }
    findings
}

/// An agent that is installed: its version, whether somebody is logged in, what it tells of itself.
fn agent(agent: &Agent, root: &Path) -> Option<Finding> {
    let path = std::env::var_os("PATH");
    let program = agent.run.command.first()?;
    find_program(program.as_ref(), path.as_deref(), root)?;
    let mut words = Vec::new();
    if let Some((program, arguments)) = agent.version.split_first() {
        let limits = RunLimits { deadline: Duration::from_secs(10), output_bytes_max: 64 << 10 };
        let ran = Program::new(program).args(arguments.iter().map(String::as_str)).run(limits);
        match ran {
            Ok(output) if output.success() => {
                let text = String::from_utf8_lossy(&output.stdout).into_owned();
                words.push(text.lines().next().unwrap_or_default().to_owned());
            }
            _ => words.push("its version cannot be told".to_owned()),
        }
    }
    let logged_in = agent.credentials.is_empty() || agent.credentials.iter().any(|sign| is_there(sign));
    let state = if logged_in { State::Ok } else { State::Warn };
    if !logged_in {
        words.push(format!("no login found: {}", agent.run.login.as_deref().unwrap_or("log in")));
    }
    let reports: Vec<_> = REPORTS
        .iter()
        .filter(|(word, _)| agent.reports.iter().any(|report| report == word))
        .map(|(word, _)| *word)
        .collect();
    words.push(match reports.is_empty() {
        true => "reports nothing of itself".to_owned(),
        false => format!("reports {}", reports.join(", ")),
    });
    Some(finding(&agent.run.name, state, words.join(" · ")))
}

/// `$VARIABLE` that is set, or a file below `~/`.
fn is_there(sign: &str) -> bool {
    match (sign.strip_prefix('$'), sign.strip_prefix("~/")) {
        (Some(name), _) => std::env::var_os(name).is_some_and(|value| !value.is_empty()),
        (_, Some(file)) => std::env::var_os("HOME").is_some_and(|home| Path::new(&home).join(file).exists()),
        _ => false,
    }
}

/// What to do about a journal that has grown large.
async fn size_of_journal(layout: &Layout) -> Option<Finding> {
    let warning = repository::open_existing(layout).ok()??.sizes().await.ok()?.warning?;
    Some(finding("journal size", State::Warn, warning))
}

async fn journal(layout: &Layout) -> Finding {
    match repository::open_existing(layout) {
        Ok(None) => finding("journal", State::Ok, "none yet"),
        Ok(Some(client)) => match client.runs().await {
            Ok(runs) => match runs.lost.into_iter().next() {
                Some(lost) => finding("journal", State::Bad, lost.message),
                None => {
                    let is_whole = runs.only_to_read.is_none() && runs.incomplete.is_empty();
                    let state = if is_whole { State::Ok } else { State::Warn };
                    let incomplete = (!runs.incomplete.is_empty()).then(|| runs.incomplete.join("; "));
                    let words = [Some(words::count(runs.listed.len(), "run")), incomplete, runs.only_to_read];
                    finding("journal", state, words.into_iter().flatten().collect::<Vec<_>>().join(" · "))
                }
            },
            Err(failure) => finding("journal", State::Bad, failure.message),
        },
        Err(failure) => finding("journal", State::Bad, failure.message),
    }
}

/// Where backups go, and whether somebody answers there.
async fn backups(layout: &Layout) -> Finding {
    match repository::reach_backups(layout).await {
        Ok(place) => finding("backups", State::Ok, place),
        Err(failure) => {
            let hint = failure.hint.map_or_else(String::new, |hint| format!("; {hint}"));
            finding("backups", State::Bad, format!("{}{hint}", failure.message))
        }
    }
}

/// A proof that is older than this is told: one is made every hour while somebody replicates.
const PROOF_AGE_MS: u64 = 26 * 60 * 60 * 1000;

/// The replica of the journal, from what was proven, never from whether somebody is at work on it.
async fn replica(layout: &Layout) -> Option<Finding> {
    let client = repository::open_existing(layout).ok().flatten()?;
    let replica = match client.replica().await {
        Ok(replica) => replica?,
        Err(failure) => return Some(finding("replica", State::Warn, failure.message)),
    };
    let now = SystemClock.now();
    let is_old = replica.proven_at.is_none_or(|at| now.millis_since(at) > PROOF_AGE_MS);
    let is_late = replica.behind_ms.is_some() || replica.trouble.is_some() || replica.beside.is_some();
    let is_late = is_late || !replica.damaged.is_empty();
    let state = if is_old || is_late { State::Warn } else { State::Ok };
    Some(finding("replica", state, words::replica(&replica, now)))
}
