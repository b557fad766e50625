//! `piton demo`: a loop, a caught cheat, a kill -9, a re-attach and the result, offline, in a temporary directory.

use std::path::PathBuf;
use std::time::Duration;

use piton_config::default_check;
use piton_engine::launch::this_program;
use piton_engine::{Layout, LocalClient, driver_process};
use piton_model::loop_machine::{
    AgentConfig, Limits, LoopConfig, OnLost, Open, Prompt, SessionPolicy, create,
};
use piton_model::{RunId, State};
use piton_sys::file::{self, Durability};
use piton_sys::process::Signal;
use piton_sys::{Clock, Ids, SystemClock, SystemIds};
use piton_view::{Client, StatusOf, words};

use crate::cli::DemoArguments;
use crate::failure::{ErrorKind, Failure, Result};
use crate::output::Output;
use crate::viewer;

/// What judges the greeting. An agent that edits it judges itself.
const CHECK: &str = "grep -qx 'Hello, piton!' greeting.txt\n";

const PATIENCE: Duration = Duration::from_secs(15);
const LOOK_EVERY: Duration = Duration::from_millis(20);

pub(super) async fn run(arguments: &DemoArguments, out: &Output) -> Result {
    let started = SystemClock.monotonic();
    let directory = Scratch::new(arguments.keep)?;
    let layout = Layout::new(directory.path.clone()).taken(true);
    let client = LocalClient::create_when_needed(layout.clone());
    let run: RunId = format!("ralph-write-a-greeting-{}", SystemIds.hex(8)).parse().expect("a good id");
    out.line(
        out.bold("1. a loop: piton runs the checks itself, and an agent that changes the check is refused"),
    );
    file::create_new(&layout.root().join("check.sh"), CHECK.as_bytes(), Durability::Unsynced)?;
    client.create_loop(create(run.clone(), "Write a greeting", config()?)?, None).await?;
    driver_process::start(&client, &run, false).await?;
    let attempt = third_attempt(&client, &run).await?;
    let so_far = client.load::<State>(&run, None).await?;
    show_so_far(&so_far.state, out);

    out.line(String::new());
    out.line(out.bold("2. a crash: kill -9 for the driver, in the middle of attempt 3"));
    let holder = client.driver_of(&run).await?.ok_or_else(|| lost_its_way("the driver left early"))?;
    piton_sys::process::signal(&holder.process, Signal::Kill)
        .map_err(|error| Failure::environment(&error))?;
    wait_for(&client, &run, async |client, run| Ok(client.driver_of(run).await?.is_none())).await?;
    out.line(format!("      driver {} is dead", holder.process.pid));
    let found = piton_agent::look(&layout.attempts(&run), &attempt.to_string());
    let alive = matches!(found, Ok(piton_agent::Found::Alive { .. }));
    out.line(format!(
        "      the agent of attempt {attempt} {}",
        if alive { "works on: its keeper holds it" } else { "has ended" }
    ));

    out.line(String::new());
    out.line(out.bold("3. a re-attach: `piton resume` finds the agent instead of starting another"));
    let before = client.load::<State>(&run, None).await?.head;
    driver_process::start(&client, &run, false).await?;
    let code = viewer::view(&client, &run, before, None, out).await?;

    out.line(String::new());
    out.line(out.bold("4. the account: every transition is in the journal"));
    let verified = client.verify(None).await?;
    let status = client.status(&run).await?;
    let StatusOf::Loop(status) = status.of else { return Err(lost_its_way("it is no loop")) };
    out.line(format!(
        "      {} events, chain {}; {} attempts, {} lost, iteration 3 counted once",
        verified.events_checked,
        if verified.ok { "intact" } else { "damaged" },
        status.used.attempts,
        status.used.lost,
    ));
    out.line(format!("      took {:.1} s", (SystemClock.monotonic() - started).as_secs_f64()));
    if arguments.keep {
        out.line(format!("      look around: cd {} && piton log", directory.path.display()));
    } else {
        out.line("      the directory is gone again; `piton demo --keep` leaves it to look around in");
        out.line("next: piton init, then piton loop \"what to do\" --exec 'your-agent'");
    }
    Ok(code)
}

fn config() -> Result<LoopConfig> {
    let exe = this_program().map_err(|error| Failure::environment(&error))?.display().to_string();
    Ok(LoopConfig {
        prompt: Prompt::Text("Write `Hello, piton!` into greeting.txt".to_owned()),
        agent: AgentConfig {
            name: "a scripted agent".to_owned(),
            command: vec![exe, "__demo-agent".to_owned()],
            ..AgentConfig::default()
        },
        checks: vec![
            default_check("exists", "test -f greeting.txt"),
            default_check("complete", "sh check.sh"),
        ],
        until: Vec::new(),
        limits: Limits { iterations: 5, ..Limits::default() },
        on_lost: OnLost::Retry,
        session: SessionPolicy::Fresh,
        ..LoopConfig::new("", AgentConfig::default(), Vec::new())
    })
}

fn show_so_far(state: &State, out: &Output) {
    out.line(words::opening(state));
    for line in words::baseline(state) {
        out.line(line);
    }
    for record in &state.judged.recent {
        out.line(words::iteration(record, state));
    }
}

/// Returns once the agent of the third iteration works.
async fn third_attempt(client: &LocalClient, run: &RunId) -> Result<u32> {
    wait_for(client, run, async |client, run| {
        let state = client.load::<State>(run, None).await?.state;
        let Some(Open::Attempt(attempt)) = &state.work.open else { return Ok(false) };
        let found = piton_agent::look(&client.layout().attempts(run), &attempt.number.to_string());
        Ok(attempt.iteration == 3 && matches!(found, Ok(piton_agent::Found::Alive { started: Some(_) })))
    })
    .await?;
    Ok(client.load::<State>(run, None).await?.state.work.attempt)
}

async fn wait_for(
    client: &LocalClient,
    run: &RunId,
    happened: impl AsyncFn(&LocalClient, &RunId) -> Result<bool>,
) -> Result<()> {
    let started = SystemClock.monotonic();
    while !happened(client, run).await? {
        if SystemClock.monotonic() - started > PATIENCE {
            return Err(lost_its_way("what should happen next did not happen in time"));
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
    Ok(())
}

fn lost_its_way(what: &str) -> Failure {
    Failure::new(ErrorKind::Environment, format!("the demo lost its way: {what}")).hint("run `piton doctor`")
}

/// A directory that is gone when the demo ends.
struct Scratch {
    path: PathBuf,
    keep: bool,
}

impl Scratch {
    fn new(keep: bool) -> Result<Self> {
        let base =
            std::fs::canonicalize(std::env::temp_dir()).map_err(|error| Failure::environment(&error))?;
        let path = base.join(format!("piton-demo-{}", SystemIds.hex(8)));
        file::create_private_dir(&path)?;
        Ok(Self { path, keep })
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if !self.keep {
            let _ = std::fs::remove_dir_all(&self.path);
        }
    }
}
