//! Going on with a loop that another tool began.

use std::path::Path;

use piton_files::{Unfit, aiwg, ralph};
use piton_model::limits::{TAIL_BYTES_MAX, clip};
use piton_model::loop_machine::{Adoption, Earlier, EarlierTests, Objectives, SessionRecord};
use piton_model::{RunId, Seq};
use piton_store::chain;
use piton_sys::file;
use piton_view::words::{self, clean_line};
use piton_view::{Error, ErrorKind, LimitWords, LoopOrder};

use super::loops;
use crate::client::LocalClient;

/// Larger files are not read.
const FILE_BYTES_MAX: u64 = 64 << 20;

/// Begins a loop with what the file says of another.
pub(super) async fn start(
    client: &LocalClient,
    path: &Path,
    mut order: LoopOrder,
    notes: &mut Vec<String>,
) -> Result<(RunId, Seq), Error> {
    let bytes = file::read_regular(path, FILE_BYTES_MAX)?
        .ok_or_else(|| Error::usage(format!("there is no file `{}`", path.display())))?;
    require_foreign(client, path, &bytes).await?;
    let root = client.layout().root();
    let source =
        path.canonicalize().ok().and_then(|path| path.strip_prefix(root).ok().map(ToOwned::to_owned));
    let source = source.unwrap_or_else(|| path.to_owned()).display().to_string();
    let digest = chain::hex(&chain::digest(&bytes))[..16].to_owned();
    let (adoption, limits) = match read(path, &bytes)? {
        State::Ralph(state) => {
            adopt_prompt(&mut order, &state, root);
            (of_ralph(&state), None)
        }
        State::Aiwg(state) => {
            adopt_task(&mut order, &state, path)?;
            (of_aiwg(&state), adopt_limits(&mut order.limits, &state))
        }
    };
    let adoption = Adoption { source, digest, ..adoption };
    notes.push(clean_line(&format!(
        "{} ({}): {} iterations so far",
        path.display(),
        adoption.format,
        adoption.iterations,
    )));
    notes.extend(limits);
    loops::start(client, &order, Some(adoption), notes).await
}

/// What piton rendered itself of a run that is here is no other tool's: the run knows more than its view.
async fn require_foreign(client: &LocalClient, path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let Some(run) = ralph::run_of(bytes).or_else(|| aiwg::run_of(bytes)) else { return Ok(()) };
    match client.load_if_there::<piton_model::State>(&run).await? {
        None => Ok(()),
        Some(_) => Err(Error::usage(format!("`{}` is what piton shows of run `{run}`", path.display()))
            .hint(format!(
                "`piton resume {run}` goes on with it; `piton fork {run}` begins another from it"
            ))),
    }
}

enum State {
    Ralph(Box<ralph::PersistedLoopState>),
    Aiwg(Box<aiwg::Adopted>),
}

/// Reads whichever of the formats it is.
fn read(path: &Path, bytes: &[u8]) -> Result<State, Error> {
    let hint = "`piton import` reads a `.ralph/state.json`, an `.aiwg/ralph/loops/<id>/state.json`, a directory of \
                `.agents/runs` or its `run_state.json`, and a gap file, which has a key `gaps`";
    let value: serde_json::Value = serde_json::from_slice(bytes)
        .map_err(|error| Error::of(ErrorKind::Usage, &aiwg::ParseError::Shape(error)).hint(hint))?;
    if ralph::is_meant(&value) {
        return ralph::adopt(value).map(|state| State::Ralph(Box::new(state))).map_err(
            |error| match &error {
                ralph::ParseError::Unfit(unfit) => refused(path, unfit, "ralph-state"),
                _ => Error::of(ErrorKind::Usage, &error).hint(hint),
            },
        );
    }
    aiwg::adopt(value).map(|state| State::Aiwg(Box::new(state))).map_err(|error| match &error {
        aiwg::ParseError::Unfit(unfit) => refused(path, unfit, "aiwg-state"),
        _ => Error::of(ErrorKind::Usage, &error).hint(hint),
    })
}

/// Everything that is wrong with a file, at once: what cannot be true is neither guessed nor passed on.
fn refused(path: &Path, unfit: &Unfit, schema: &str) -> Error {
    let problems = words::count(unfit.count() as u64, "problem");
    Error::usage(clean_line(&format!("`{}` is not as its format has it: {problems}", path.display())))
        .details(unfit.lines().iter().map(|line| clean_line(line)).collect())
        .hint(format!(
            "correct or remove what is named, in a copy; `piton schema {schema}` says what may be there"
        ))
}

fn of_ralph(state: &ralph::PersistedLoopState) -> Adoption {
    let count = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
    let iterations = count(state.metrics.total_iterations).max(finished(state));
    Adoption {
        format: "ralph".to_owned(),
        iterations,
        // The format has no place for either.
        cost_unknown: iterations,
        tokens_unknown: iterations,
        succeeded: count(state.metrics.successful_iterations),
        failed: count(state.metrics.failed_iterations),
        no_progress_in_a_row: state.progress.iterations_since_progress,
        last_progress_iteration: state.progress.last_progress_iteration,
        working_ms: state.metrics.total_execution_ms,
        objectives: Objectives {
            completed: state.progress.completed_objectives.clone(),
            pending: state.progress.pending_objectives.clone(),
        },
        modified_files: state.progress.modified_files.iter().map(|path| path.display().to_string()).collect(),
        custom: state.custom.clone().into_iter().filter(|(key, _)| key != "piton").collect(),
        started_at: Some(state.core.started_at),
        red_in_a_row: state.tests.failure_streak,
        sessions: sessions_of(state),
        reboots: count(state.metrics.total_reboots),
        earlier: earlier_of(state).bounded(),
        ..Adoption::default()
    }
}

/// The sessions of a loop; the last one ended with the tool that drove it.
fn sessions_of(state: &ralph::PersistedLoopState) -> Vec<SessionRecord> {
    let session = &state.session;
    let ended = session.session_history.iter().map(|entry| SessionRecord {
        session_id: entry.session_id.clone(),
        started_at: entry.started_at,
        ended_at: entry.ended_at,
        iterations: entry.iterations,
        reason: None,
        elsewhere: Some(clip(&entry.end_reason, TAIL_BYTES_MAX).to_owned()),
    });
    let last = session.current_session_id.iter().map(|id| SessionRecord {
        session_id: id.clone(),
        started_at: session.session_started_at.unwrap_or(state.saved_at),
        ended_at: state.saved_at,
        iterations: session.session_iterations,
        reason: None,
        elsewhere: Some("the loop went on with piton".to_owned()),
    });
    ended.chain(last).collect()
}

fn earlier_of(state: &ralph::PersistedLoopState) -> Earlier {
    let tests = state.tests.clone();
    let tests = EarlierTests {
        passing: tests.passing_tests,
        failing: tests.failing_tests,
        flaky: tests.flaky_tests,
        fixed: tests.recently_fixed,
    };
    let prompt = state.core.prompt_path.display().to_string();
    Earlier {
        prompt_path: Some(prompt).filter(|path| !path.is_empty()),
        scores: state.progress.recent_scores.clone(),
        tests: Some(tests).filter(|tests| *tests != EarlierTests::default()),
        ..Earlier::default()
    }
}

fn of_aiwg(state: &aiwg::Adopted) -> Adoption {
    let count = |number: Option<u64>| number.map_or(0, |number| u32::try_from(number).unwrap_or(u32::MAX));
    let unknown = |is_known: bool| if is_known { 0 } else { state.iterations };
    Adoption {
        format: "aiwg".to_owned(),
        iterations: state.iterations,
        succeeded: count(state.totals.successful),
        failed: count(state.totals.failed),
        working_ms: state.totals.duration_seconds.unwrap_or(0).saturating_mul(1000),
        cost_microusd: state.totals.cost_usd.map_or(0, |cost| (cost.max(0.0) * 1e6) as u64),
        cost_unknown: unknown(state.totals.cost_usd.is_some()),
        tokens: state.totals.tokens.unwrap_or(0),
        tokens_unknown: unknown(state.totals.tokens.is_some()),
        started_at: state.started_at,
        level: state.level,
        earlier: state.earlier.clone().bounded(),
        ..Adoption::default()
    }
}

/// An iteration that was under way when the file was written has no verdict yet.
fn finished(state: &ralph::PersistedLoopState) -> u32 {
    match state.core.status {
        ralph::LoopStatus::Running | ralph::LoopStatus::Rebooting => state.core.iteration.saturating_sub(1),
        _ => state.core.iteration,
    }
}

/// The task that the file names, where nothing else was said.
fn adopt_task(order: &mut LoopOrder, state: &aiwg::Adopted, path: &Path) -> Result<(), Error> {
    if order.task.is_some() || order.prompt_file.is_some() {
        return Ok(());
    }
    order.task.clone_from(&state.task);
    let path = path.display();
    order.task.as_ref().map(|_| ()).ok_or_else(|| {
        Error::usage(clean_line(&format!("`{path}` says no task, and no task was given")))
            .hint(clean_line(&format!("run `piton import {path} TASK`")))
    })
}

/// What the file allows, where no flag says otherwise; and the note that says so.
fn adopt_limits(limits: &mut LimitWords, state: &aiwg::Adopted) -> Option<String> {
    let iterations = state.max_iterations.filter(|_| limits.iterations.is_none());
    let minutes = state.timeout_minutes.filter(|minutes| *minutes > 0 && limits.duration.is_none());
    limits.iterations = limits.iterations.take().or(iterations.map(|count| count.to_string()));
    limits.duration = limits.duration.take().or(minutes.map(|minutes| format!("{minutes}m")));
    let used_up = |is_used_up: bool| if is_used_up { ", used up" } else { "" };
    let worked = state.totals.duration_seconds.unwrap_or(0) / 60;
    let said = [
        iterations
            .map(|most| format!("{}{}", words::count(most, "iteration"), used_up(state.iterations >= most))),
        minutes.map(|most| format!("{most}m of work{}", used_up(worked >= most))),
    ];
    let said: Vec<String> = said.into_iter().flatten().collect();
    (!said.is_empty()).then(|| format!("its limits hold: {}", said.join("; ")))
}

/// The prompt that the file names, where it is there and nothing else was said.
fn adopt_prompt(order: &mut LoopOrder, state: &ralph::PersistedLoopState, root: &Path) {
    let named = &state.core.prompt_path;
    if order.task.is_none() && order.prompt_file.is_none() && !named.as_os_str().is_empty() {
        let inside = named.strip_prefix(root).unwrap_or(named);
        if root.join(inside).is_file() {
            order.prompt_file = Some(inside.to_owned());
        }
    }
}
