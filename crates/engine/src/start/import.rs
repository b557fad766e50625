//! Going on with a loop that another tool began.

use std::path::Path;

use piton_files::{aiwg, ralph};
use piton_model::limits::{TAIL_BYTES_MAX, clip};
use piton_model::loop_machine::{Adoption, Earlier, EarlierTests, Objectives, SessionRecord};
use piton_model::{RunId, Seq};
use piton_store::chain;
use piton_sys::file;
use piton_view::words::clean_line;
use piton_view::{Error, ErrorKind, LoopOrder};

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
    let adoption = match read(&bytes)? {
        State::Ralph(state) => {
            adopt_prompt(&mut order, &state, root);
            of_ralph(&state)
        }
        State::Aiwg(state) => {
            if order.task.is_none() && order.prompt_file.is_none() {
                order.task = Some(state.task.clone());
            }
            let iterations = state.max_iterations.map(|count| count.to_string());
            order.limits.iterations = order.limits.iterations.or(iterations);
            of_aiwg(&state)
        }
    };
    let adoption = Adoption { source, digest, ..adoption };
    notes.push(clean_line(&format!(
        "{} ({}): {} iterations so far",
        path.display(),
        adoption.format,
        adoption.iterations,
    )));
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
fn read(bytes: &[u8]) -> Result<State, Error> {
    let ralph = match ralph::parse(bytes) {
        Ok(state) => return Ok(State::Ralph(Box::new(state))),
        Err(error) => error,
    };
    let hint = "`piton import` reads a `.ralph/state.json`, an `.aiwg/ralph/loops/<id>/state.json`, a directory of \
                `.agents/runs` or its `run_state.json`, and a gap file, which has a key `gaps`";
    // One that says its version in the words of the first format is meant to be of it.
    if matches!(ralph, ralph::ParseError::Version { .. }) {
        return Err(Error::of(ErrorKind::Usage, &ralph).hint(hint));
    }
    match aiwg::parse(bytes) {
        Ok(state) => Ok(State::Aiwg(Box::new(state))),
        Err(error) => Err(Error::of(ErrorKind::Usage, &error).hint(hint)),
    }
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
