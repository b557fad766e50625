//! Performing a round of checks: each under a keeper of its own, so that a crash leaves no process behind that nobody waits for.

use std::collections::BTreeMap;

use piton_agent::{EndedBy, Exit};
use piton_model::limits::{TAIL_BYTES_MAX, clip_tail};
use piton_model::loop_machine::{Check, CheckResult, CheckRound};
use piton_model::{Command, State};
use piton_sys::{Clock, SystemClock, file};

use super::written::{self, Began, Ended};
use super::{Context, Driving, WorldError, attempt, beside, closure, measure, originals, prove, stop};
use crate::launch::{COMMAND_OUTPUT_BYTES_MAX, What, Work};
use crate::prove::Done;
use crate::supervise::kept::{Ending, Kept, Plan};
use crate::supervise::{self, Rerun};

/// Options that pytest takes, however it is started.
const PYTEST_OPTIONS: &str = "PYTEST_ADDOPTS";

pub(crate) fn perform(
    context: &Context,
    round: u32,
    fresh: bool,
    state: &State,
) -> Result<Command, WorldError> {
    context.require_lease(state)?;
    match fresh {
        true => Done::forget(&context.attempts()),
        false => end_what_was_begun(context, round, state)?,
    }
    if state.seen.start.is_none() {
        return Ok(Command::Observe(attempt::take_snapshot(context, "start")?));
    }
    let began = match written::begin(context, state, round)? {
        Began::With(snapshot) => snapshot,
        Began::NotYet(snapshot) => return Ok(Command::Observe(snapshot)),
        Began::Over(now, before) => return Ok(Command::ObserveOver { now, before }),
    };
    let mut times = Vec::new();
    let left = originals::stand_in(context, state)?;
    let mut result = CheckRound::of_nothing(round);
    let mut names = measure::Names::new();
    for (index, check) in state.config.checks.iter().enumerate() {
        context.require_lease(state)?;
        let name = format!("check-{round}-{index}");
        let watch = beside::watch(context, state);
        let Some(ran) = run_check(context, state, &name, check, What::Command)? else {
            result.cancelled = true;
            break;
        };
        result.duration_ms += ran.exit.duration_ms;
        times.push((Some(check.name.as_str()), ran.exit.started_at));
        match beside::look(context, state, (round, index), &ran, watch)? {
            Some((beside, duration_ms)) => {
                result.beside.extend(beside);
                result.duration_ms += duration_ms;
            }
            None => {
                result.cancelled = true;
                break;
            }
        }
        measure::take_check(context, check, &ran, &mut result.measures, &mut names);
        result.checks.push(verdict(&check.name, &ran.exit, ran.tail));
    }
    if !state.config.stop_probes().is_empty() || !state.config.metrics.is_empty() {
        times.push((None, SystemClock.now()));
    }
    if !result.cancelled {
        match stop::look(context, state, round, &mut result)? {
            true => result.tests = names.changes(state, result.all_pass()),
            false => result.cancelled = true,
        }
    }
    if !result.cancelled {
        match measure::take_metrics(context, state, round, &mut result.measures)? {
            Some(duration_ms) => result.duration_ms += duration_ms,
            None => result.cancelled = true,
        }
    }
    context.require_lease(state)?;
    left.put_back()?;
    // An attempt follows more often than not.
    context.launch.expect_another();
    let closed = attempt::open_up(context, state)?;
    let after = attempt::take_snapshot(context, &format!("after checks {round}"))?;
    let ended = match result.cancelled {
        true => Ended::Cancelled,
        false if result.all_pass() => Ended::AllPass,
        false => Ended::SomeFail,
    };
    let (snapshot, wrote) = written::settle(context, state, (&began, after), &closed, &times, ended)?;
    result.wrote = wrote;
    if !result.cancelled {
        measure::take_tree(context, state, &snapshot, &mut result.measures);
        closure::look(context, state, &mut result, &snapshot)?;
        match prove::look(context, state, &result, &snapshot)? {
            Some(proof) => {
                result.duration_ms += proof.as_ref().map_or(0, |proof| proof.duration_ms);
                result.proof = proof;
            }
            None => result.cancelled = true,
        }
    }
    result.snapshot = Some(snapshot);
    Ok(Command::EndChecks(Box::new(result)))
}

/// An earlier driver began the round. What it left is no verdict, since a check can write what another leaves; so the round is run
/// as a whole, by one driver, and nothing of the other may run beside it or begin late.
fn end_what_was_begun(context: &Context, round: u32, state: &State) -> Result<(), WorldError> {
    let of_checks = ["check", "checkout", "again", "third"].map(|kind| (kind, state.config.checks.len()));
    let others = [("stop", state.config.stop_probes().len()), ("metric", state.config.metrics.len())];
    for (kind, count) in of_checks.into_iter().chain(others) {
        for index in 0..count {
            let (name, plan) = (format!("{kind}-{round}-{index}"), |_: &str| Ok(Plan::Unwanted));
            let driving = Ending(Driving { context, state });
            Rerun::default().run(&mut Kept::new(&context.launch, &name, driving, &plan))?;
        }
    }
    Ok(())
}

/// A round of which nothing was run, since somebody wants to stop now.
pub(crate) fn cancelled(round: u32) -> Command {
    Command::EndChecks(Box::new(CheckRound { cancelled: true, ..CheckRound::of_nothing(round) }))
}

/// A command that was run.
pub(super) struct Ran {
    /// Its directory below the attempts.
    pub(super) name: String,
    /// How it ended.
    pub(super) exit: Exit,
    /// The end of what it printed, where it failed.
    tail: String,
}

/// Runs a command under a keeper, or waits for the one that runs already. `None` when it was cancelled.
pub(super) fn run(
    context: &Context,
    state: &State,
    name: &str,
    command: &str,
    timeout_ms: u64,
) -> Result<Option<Ran>, WorldError> {
    supervised(context, state, name, What::Command(command), timeout_ms, &BTreeMap::new())
}

/// Runs a check, which is asked to name the tests that pass: where the run works, or in the checkout.
pub(super) fn run_check<'a>(
    context: &Context,
    state: &State,
    name: &str,
    check: &'a Check,
    what: fn(&'a str) -> What<'a>,
) -> Result<Option<Ran>, WorldError> {
    let command = &check.command;
    supervised(context, state, name, what(command), check.timeout_ms, &asked_to_name(command))
}

/// What makes pytest say which tests pass, beside what it says anyway. It changes what is printed and nothing else, and
/// gives way to what the check itself, or whoever set the variable, asks for.
fn asked_to_name(command: &str) -> BTreeMap<String, String> {
    let set = std::env::var(PYTEST_OPTIONS).unwrap_or_default();
    let asks_already = |word: &str| word.starts_with("-r");
    match !shows_pytest(command) || prints_nothing(&set) || set.split_whitespace().any(asks_already) {
        true => BTreeMap::new(),
        false => {
            BTreeMap::from([(PYTEST_OPTIONS.to_owned(), format!("{set} -rfEp").trim_start().to_owned())])
        }
    }
}

/// Whether a check starts pytest itself and hands what it prints to nobody but us. Behind a script or a Makefile the output may
/// be read, and what prints it may be switched off: a name more could turn the verdict there.
fn shows_pytest(command: &str) -> bool {
    let without_or = command.replace("||", " ");
    let is_read = without_or.contains(['|', '>', '<', '`']) || without_or.contains("$(");
    let is_pytest = |word: &str| {
        let name = word.rsplit('/').next().unwrap_or(word);
        name == "pytest" || name == "py.test"
    };
    let mut words = command.split(|c: char| c.is_whitespace() || ";&()'\"".contains(c));
    !is_read && !prints_nothing(command) && words.any(is_pytest)
}

/// Without what prints, pytest does not know the option, and fails.
fn prints_nothing(options: &str) -> bool {
    options.contains("no:terminal")
}

fn supervised(
    context: &Context,
    state: &State,
    name: &str,
    what: What<'_>,
    timeout_ms: u64,
    env: &BTreeMap<String, String>,
) -> Result<Option<Ran>, WorldError> {
    let is_in_checkout = matches!(what, What::InCheckout(_));
    let directory = if is_in_checkout { context.layout.root() } else { context.layout.tree() };
    let plan = |name: &str| {
        context.tree_changes();
        Ok(Plan::Start(context.launch.prepare(Work {
            name,
            what: what.clone(),
            directory,
            env: env.clone(),
            prompt: None,
            wall_ms: timeout_ms,
            idle_ms: None,
            output_bytes_max: COMMAND_OUTPUT_BYTES_MAX,
            beside: Some(state.agent()),
            pass: None,
            own: None,
        })))
    };
    let mut kept = Kept::new(&context.launch, name, Driving { context, state }, &plan).running(&what);
    let ran = Rerun::default().run(&mut kept)?;
    let name = kept.into_name();
    Ok(match ran {
        supervise::Ran::Cancelled => None,
        supervise::Ran::Ended(exit) => {
            let tail = if passed(&exit) { String::new() } else { tail_of(context, &name)? };
            Some(Ran { name, exit, tail })
        }
        supervise::Ran::Lost => {
            let tail = "its process was lost three times in a row".to_owned();
            Some(Ran { name, exit: lost(), tail })
        }
        supervise::Ran::NoKeeper { detail } => {
            let error = std::io::Error::other(detail);
            return Err(file::Error::new("start a check in", context.layout.tree(), error).into());
        }
    })
}

pub(super) fn passed(exit: &Exit) -> bool {
    exit.ended_by == EndedBy::Exited && exit.code == Some(0)
}

fn verdict(name: &str, exit: &Exit, tail: String) -> CheckResult {
    CheckResult {
        name: name.to_owned(),
        passed: passed(exit),
        exit_code: exit.code,
        timed_out: exit.ended_by == EndedBy::WallClock,
        duration_ms: exit.duration_ms,
        tail,
    }
}

fn lost() -> Exit {
    let at = piton_model::Timestamp::default();
    Exit {
        code: None,
        signal: None,
        ended_by: EndedBy::SpawnFailed,
        error: None,
        started_at: at,
        ended_at: at,
        duration_ms: 0,
        stdout_bytes: 0,
        stderr_bytes: 0,
        stdout_cut: 0,
        stderr_cut: 0,
    }
}

/// What a command printed, as far as it was kept: its output, and what it said beside.
pub(super) fn printed(context: &Context, name: &str) -> [String; 2] {
    let directory = context.attempts().join(name);
    ["stdout.log", "stderr.log"].map(|log| {
        let bytes = file::read_regular(&directory.join(log), 2 * COMMAND_OUTPUT_BYTES_MAX);
        bytes.ok().flatten().map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
    })
}

/// The end of what a check printed: its errors, else its output.
fn tail_of(context: &Context, name: &str) -> Result<String, WorldError> {
    let directory = context.attempts().join(name);
    let mut tail = String::new();
    for log in ["stdout.log", "stderr.log"] {
        if let Some(bytes) = file::read_regular(&directory.join(log), 2 * COMMAND_OUTPUT_BYTES_MAX)? {
            let text = without_passed(&String::from_utf8_lossy(&bytes));
            tail.push_str(clip_tail(text.trim_end(), TAIL_BYTES_MAX / 2));
            tail.push('\n');
        }
    }
    Ok(tail.trim().to_owned())
}

/// What was printed, without the names that were asked for: they would leave no room for what went wrong.
fn without_passed(text: &str) -> String {
    let is_asked_for = |line: &&str| line.starts_with("PASSED ") && line.contains("::");
    text.split_inclusive('\n').filter(|line| !is_asked_for(line)).collect()
}

#[cfg(test)]
mod tests {
    use super::shows_pytest;

    #[test]
    fn only_a_pytest_whose_output_nobody_reads_is_asked_for_names() {
        let asked = [
            "pytest",
            "pytest -q || pytest -q --lf",
            "cd a && python3 -m pytest",
            ".venv/bin/pytest; true",
            "(cd a; pytest)",
        ];
        for command in asked {
            assert!(shows_pytest(command), "{command}");
        }
        let left_alone = [
            "make test",
            "sh check.sh",
            "pytest -p no:terminal",
            "pytest | tee log",
            "pytest > log; ! grep error log",
            "test $(pytest -q | wc -l) = 3",
            "cat pytest.ini",
        ];
        for command in left_alone {
            assert!(!shows_pytest(command), "{command}");
        }
    }
}
