//! `piton demo`: a loop, a caught cheat, a kill -9, a re-attach, a proof and the result, offline, in a temporary directory.

use std::path::{Path, PathBuf};
use std::time::Duration;

use piton_model::{ExitCode, RunId, Seq};
use piton_sys::file::{self, Durability};
use piton_sys::process::{self, Signal};
use piton_sys::{Clock, Ids, SystemClock, SystemIds};
use piton_view::{AgentChoice, Client, LimitWords, LoopOrder, Order, RunStatus, StatusOf};

use super::demo_agent::PRICES;
use crate::cli::DemoArguments;
use crate::failure::{ErrorKind, Failure, Result};
use crate::output::{Output, clean_line};
use crate::repository::{self, Layout, prove, this_program};
use crate::viewer::{self, Screen};

/// What judges the greeting. An agent that edits it judges itself.
const CHECK: &str = "grep -qx 'Hello, piton!' greeting.txt\n";

/// What judges the prices, and the code at the start, which gives none off.
const TESTS: &str = "import unittest\n\nfrom prices import discount\n\n\nclass Discount(unittest.TestCase):\n    def test_ten_percent(self):\n        self.assertEqual(discount(1000, 10), 900)\n\n    def test_half(self):\n        self.assertEqual(discount(998, 50), 499)\n";
const FULL_PRICE: &str = "def discount(price, percent):\n    return price\n";

const PATIENCE: Duration = Duration::from_secs(15);
const LOOK_EVERY: Duration = Duration::from_millis(20);

pub(super) async fn run(arguments: &DemoArguments, out: &Output) -> Result {
    let started = SystemClock.monotonic();
    let directory = Scratch::new(arguments.keep)?;
    let layout = Layout::new(directory.path.clone()).taken(true);
    let client = &*repository::open_or_create(&layout);
    out.heading("1. a loop: piton runs the checks itself, and an agent that changes the check is refused");
    file::create_new(&layout.root().join("check.sh"), CHECK.as_bytes(), Durability::Unsynced)?;
    let run = client.start(Order::Loop(Box::new(order()?))).await?.run_id;
    let (attempt, seen) = third_attempt(client, &run, out).await?;

    out.row(String::new());
    out.heading("2. a crash: kill -9 for the driver, in the middle of attempt 3");
    let driver = status_of(client, &run).await?.driver.and_then(|driver| process::identity(driver.pid));
    let driver = driver.ok_or_else(|| lost_its_way("the driver left early"))?;
    process::signal(&driver, Signal::Kill).map_err(|error| Failure::environment(&error))?;
    wait_for(async || Ok(status_of(client, &run).await?.driver.is_none())).await?;
    out.row(format!("      driver {} is dead", driver.pid));
    let works = works(client, &run, attempt).await?;
    out.row(format!(
        "      the agent of attempt {attempt} {}",
        if works { "is still at work, held by its keeper" } else { "has ended" }
    ));

    out.row(String::new());
    out.heading("3. a re-attach: `piton resume` finds the agent instead of starting another");
    client.wake(&run).await?;
    let code = viewer::view(client, &run, seen, None, out).await?;

    let proof_code = proof(client, &layout, out).await?;

    out.row(String::new());
    out.heading("5. the account: every transition is in the journal");
    let verified = client.verify(None, &mut |_, _| {}).await?;
    let status = status_of(client, &run).await?;
    out.row(format!(
        "      {} events, chain {}; {} attempts, {} lost, iteration 3 counted once",
        verified.events_checked,
        if verified.ok { "intact" } else { "damaged" },
        status.used.attempts,
        status.used.lost,
    ));
    out.row(format!("      took {:.1} s", (SystemClock.monotonic() - started).as_secs_f64()));
    if arguments.keep {
        out.row(format!("      look around: cd {} && piton log", directory.path.display()));
    } else {
        out.row("      the directory is gone again; `piton demo --keep` keeps it for you to look at");
        out.row("next: piton init, then piton loop \"what to do\" --exec 'your-agent'");
    }
    Ok(if code == ExitCode::Done { proof_code } else { code })
}

/// A second loop, whose agent writes down the answers that the tests expect: the check would be green, and one trial shows what that is worth.
async fn proof(client: &dyn Client, layout: &Layout, out: &Output) -> Result {
    out.row(String::new());
    out.heading("4. a proof: answers known by heart are refused, with an input at which they are wrong");
    let python = python();
    let needs = match (&python, prove::available(layout)) {
        (Some(_), Ok(())) => None,
        (None, _) => Some("there is no python3 here".to_owned()),
        (Some(_), Err(why)) => Some(why),
    };
    if let Some(why) = needs {
        out.row(clean_line(&format!("      not shown: {why}")));
        return Ok(ExitCode::Done);
    }
    let write = |name: &str, text: &str| {
        file::create_new(&layout.root().join(name), text.as_bytes(), Durability::Unsynced)
    };
    write(PRICES, FULL_PRICE)?;
    write("test_prices.py", TESTS)?;
    let check = format!("test={} -B -m unittest", python.unwrap_or_default());
    let order = LoopOrder {
        task: Some("Give the discount in prices.py".to_owned()),
        checks: vec![check],
        id: Some(format!("ralph-give-the-discount-{}", SystemIds.hex(8))),
        ..order()?
    };
    let run = client.start(Order::Loop(Box::new(order))).await?.run_id;
    viewer::view(client, &run, 0, None, out).await
}

/// A Python that is there between walls, too: what a home directory has is hidden from trials.
fn python() -> Option<String> {
    let usual = ["/usr/bin/python3", "/usr/local/bin/python3", "/opt/homebrew/bin/python3"];
    usual.into_iter().find(|path| Path::new(path).is_file()).map(str::to_owned)
}

/// The loop that is shown. What this machine is configured to do with loops is none of the demo's business.
fn order() -> Result<LoopOrder> {
    let exe = this_program().map_err(|error| Failure::environment(&error))?.display().to_string();
    let exec = format!("exec '{}' __demo-agent", exe.replace('\'', r"'\''"));
    Ok(LoopOrder {
        task: Some("Write `Hello, piton!` into greeting.txt".to_owned()),
        agent: AgentChoice { exec: Some(exec), ..AgentChoice::default() },
        checks: ["exists=test -f greeting.txt", "complete=sh check.sh"].map(str::to_owned).to_vec(),
        limits: LimitWords { iterations: Some("5".to_owned()), ..LimitWords::default() },
        id: Some(format!("ralph-write-a-greeting-{}", SystemIds.hex(8))),
        here: true,
        plain: true,
        ..LoopOrder::default()
    })
}

/// Shows the loop until the agent of the third iteration works: its attempt, and the last event that was shown.
async fn third_attempt(client: &dyn Client, run: &RunId, out: &Output) -> Result<(u32, Seq)> {
    let started = SystemClock.monotonic();
    let mut screen = Screen::of(client, run, 0, out).await?;
    loop {
        screen.look(LOOK_EVERY).await?;
        let status = status_of(client, run).await?;
        let attempt = status.used.attempts;
        if status.entry.iteration == 3 && works(client, run, attempt).await.unwrap_or(false) {
            screen.look(Duration::ZERO).await?;
            return Ok((attempt, screen.seen()));
        }
        in_time(started)?;
    }
}

/// Whether the agent of this attempt works: all that it said so far is not all that it says.
async fn works(client: &dyn Client, run: &RunId, attempt: u32) -> Result<bool> {
    let mut printed = client.output(run, Some(&attempt.to_string()), true).await?;
    while let Some(piece) = printed.next(Duration::ZERO).await? {
        if piece.is_empty() {
            return Ok(true);
        }
    }
    Ok(false)
}

async fn status_of(client: &dyn Client, run: &RunId) -> Result<RunStatus> {
    let StatusOf::Loop(status) = client.status(run).await?.of else {
        return Err(lost_its_way("it is no loop"));
    };
    Ok(*status)
}

async fn wait_for(happened: impl AsyncFn() -> Result<bool>) -> Result<()> {
    let started = SystemClock.monotonic();
    while !happened().await? {
        in_time(started)?;
        tokio::time::sleep(LOOK_EVERY).await;
    }
    Ok(())
}

fn in_time(started: Duration) -> Result<()> {
    match SystemClock.monotonic() - started > PATIENCE {
        true => Err(lost_its_way("what should happen next did not happen in time")),
        false => Ok(()),
    }
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
