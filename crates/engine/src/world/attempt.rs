//! Performing an attempt: look, and only then start, wait, or find out what became of it.

use std::collections::BTreeMap;
use std::sync::PoisonError;
use std::time::Duration;

use piton_agent::{Exit, Spec};
use piton_git::Expected;
use piton_model::loop_machine::{AttemptEnd, AttemptOutcome, OpenAttempt, PromptRecord, Snapshot};
use piton_model::{Command, State};
use piton_sys::{Clock, SystemClock, file};

use super::{Context, WorldError, brief, end, guard, prompt, snapshot_id};
use crate::launch::{self, AGENT_OUTPUT_BYTES_MAX, Kept, Supervised, What, Work};
use crate::supervise::{Became, Start, Supervision};

/// How long a snapshot shows the tree of a run in which nothing works.
const RESTS_FOR: Duration = Duration::from_secs(2);

/// What the prompt was made of, beside the attempt's other traces: whoever records its end finds it there.
const PROMPT_RECORD: &str = "prompt-record.json";
const PROMPT_RECORD_BYTES_MAX: u64 = 1 << 20;

pub(super) fn perform(
    context: &Context,
    attempt: &OpenAttempt,
    fresh: bool,
    state: &State,
) -> Result<Command, WorldError> {
    let (number, attempts) = (attempt.number, context.attempts());
    let name = number.to_string();
    let supervision = Supervision::of_recorded(&attempt.host, &attempt.boot, fresh);
    let mut port = Kept::new(&attempts, &name, Starting { context, attempt, state });
    Ok(match supervision.run(&mut port)? {
        Became::Postponed(command) => command,
        Became::NeverStarted => Command::AbandonAttempt { attempt: number },
        Became::NoKeeper { detail } => Command::GiveUp { detail },
        Became::Ended(exit) => finish(context, attempt, state, &exit)?,
        Became::Lost(tree) => Command::LoseAttempt { attempt: number, tree },
    })
}

/// An attempt of a loop, on its way.
struct Starting<'a> {
    context: &'a Context,
    attempt: &'a OpenAttempt,
    state: &'a State,
}

impl Supervised for Starting<'_> {
    type Error = WorldError;
    type Instead = Command;

    fn start(&mut self, _name: &str) -> Result<Start<Command>, WorldError> {
        let Self { context, attempt, state } = *self;
        match prepare_tree(context, attempt, state)? {
            Some(command) => Ok(Start::Instead(command)),
            None => launch(context, attempt, state),
        }
    }

    fn is_cancelled(&self) -> bool {
        self.context.is_cancelled()
    }

    fn require_lease(&self) -> Result<(), WorldError> {
        self.context.require_lease(self.state)
    }

    fn set_awaited(&self, name: Option<&str>) {
        self.context.set_performing(name);
    }
}

/// The tree the attempt starts from is on record; otherwise the record comes first.
fn prepare_tree(
    context: &Context,
    attempt: &OpenAttempt,
    state: &State,
) -> Result<Option<Command>, WorldError> {
    if let Some(target) = &attempt.restore {
        let target = snapshot_id(target)?;
        context.rested.lock().unwrap_or_else(PoisonError::into_inner).take();
        context.workspace.restore(context.run.as_str(), &target, Expected::Anything)?;
    }
    let snapshot = match as_it_rested(context) {
        Some(snapshot) => snapshot,
        None => take_snapshot(context, &format!("before attempt {}", attempt.number))?,
    };
    let known = state.seen.snapshot.as_ref().is_some_and(|known| known.tree == snapshot.tree);
    Ok((!known || state.seen.start.is_none()).then_some(Command::Observe(snapshot)))
}

fn launch(context: &Context, attempt: &OpenAttempt, state: &State) -> Result<Start<Command>, WorldError> {
    // What git does not say is not known; the snapshot before would have failed of anything worse.
    let head = || context.workspace.head().unwrap_or_default();
    if let Err(why) = launch::require_adapter(&state.config.agent) {
        return Ok(Start::Instead(not_startable(attempt, why)));
    }
    let (tree, home) = (context.layout.tree(), context.layout.root());
    let composed = match prompt::compose(state, tree, home, SystemClock.now(), &head) {
        Ok(composed) => composed,
        Err(error) => return Ok(Start::Instead(not_startable(attempt, error.to_string()))),
    };
    if let Err(error) = brief::write(&context.layout, state) {
        return Ok(Start::Instead(not_startable(attempt, super::sentence(&error))));
    }
    let record = PromptRecord { digest: composed.digest, warnings: composed.warnings };
    let mut spec = spec(context, attempt, state, composed.text);
    let record = serde_json::to_string(&record).expect("a record is plain data");
    spec.files.insert(PROMPT_RECORD.to_owned(), record);
    begin(context, &spec)
}

/// Starts a keeper in the run's tree, which is at rest no longer.
pub(super) fn begin<I>(context: &Context, spec: &Spec) -> Result<Start<I>, WorldError> {
    context.rested.lock().unwrap_or_else(PoisonError::into_inner).take();
    Ok(launch::begin(context.launch.exe(), &context.attempts(), spec)?)
}

/// The attempt as a keeper runs it: until the run's time is up, or its own.
fn spec(context: &Context, attempt: &OpenAttempt, state: &State, prompt: String) -> Spec {
    let (agent, limits) = (&state.config.agent, &state.config.limits);
    let left_ms = limits.working_ms.saturating_sub(state.counters.working_ms).max(1_000);
    let now = SystemClock.now();
    let until_deadline_ms =
        limits.deadline.map_or(u64::MAX, |deadline| deadline.millis_since(now).max(1_000));
    let mut env = BTreeMap::from([
        ("PITON_ITERATION".to_owned(), attempt.iteration.to_string()),
        ("PITON_ATTEMPT".to_owned(), attempt.number.to_string()),
    ]);
    let intended = attempt.session.as_ref().map(|session| session.id.as_str());
    if let Some(session) = intended.or(state.session.current.as_deref()) {
        env.insert("PITON_SESSION_ID".to_owned(), session.to_owned());
    }
    context.launch.prepare(Work {
        name: &attempt.number.to_string(),
        what: What::Agent {
            agent,
            session: attempt.session.as_ref(),
            brief: Some(context.layout.brief(&context.run)),
        },
        directory: context.layout.tree(),
        env,
        prompt: Some(prompt),
        wall_ms: limits.attempt_ms.min(left_ms).min(until_deadline_ms),
        idle_ms: limits.idle_ms,
        output_bytes_max: AGENT_OUTPUT_BYTES_MAX,
        beside: None,
        pass: None,
    })
}

fn not_startable(attempt: &OpenAttempt, message: String) -> Command {
    let end = AttemptEnd {
        outcome: AttemptOutcome::NotStartable,
        exit_code: None,
        duration_ms: 0,
        message: Some(message),
        report: None,
        snapshot: None,
        prompt: None,
        change: None,
        guard: None,
        said_bytes: None,
    };
    Command::EndAttempt { attempt: attempt.number, end: Box::new(end) }
}

/// The attempt ended: what it left is recorded with how it ended.
fn finish(
    context: &Context,
    attempt: &OpenAttempt,
    state: &State,
    exit: &Exit,
) -> Result<Command, WorldError> {
    let directory = context.attempts().join(attempt.number.to_string());
    let mut end = end::of_exit(exit, &directory, attempt, state, context.launch.redactor());
    // One of an older piton has none.
    let record = file::read_regular(&directory.join(PROMPT_RECORD), PROMPT_RECORD_BYTES_MAX).ok().flatten();
    end.prompt = record.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    if end.outcome != AttemptOutcome::NotStartable {
        match take_snapshot(context, &format!("after attempt {}", attempt.number)) {
            Ok(snapshot) => {
                end.change = change_since(context, state, &snapshot)?;
                end.guard = guard::look(context, state, &snapshot)?;
                end.snapshot = Some(snapshot);
            }
            // An attempt whose work cannot be kept has failed, whatever its agent says.
            Err(error) => {
                end.outcome = AttemptOutcome::Failed;
                end.message = Some(super::sentence(&error));
            }
        }
    }
    Ok(Command::EndAttempt { attempt: attempt.number, end: Box::new(end) })
}

fn change_since(
    context: &Context,
    state: &State,
    after: &Snapshot,
) -> Result<Option<piton_model::loop_machine::Change>, WorldError> {
    let Some(before) = &state.seen.snapshot else { return Ok(None) };
    if before.tree == after.tree {
        return Ok(None);
    }
    let diff = context.workspace.diff(&snapshot_id(&before.id)?, &snapshot_id(&after.id)?)?;
    Ok(Some(end::change_of(&diff, context.layout.tree())))
}

pub(super) fn take_snapshot(context: &Context, message: &str) -> Result<Snapshot, WorldError> {
    let at = SystemClock.monotonic();
    let snapshot = context.workspace.snapshot(context.run.as_str(), message)?;
    let snapshot = Snapshot { id: snapshot.id.as_str().to_owned(), tree: snapshot.tree.as_str().to_owned() };
    *context.rested.lock().unwrap_or_else(PoisonError::into_inner) = Some((snapshot.clone(), at));
    Ok(snapshot)
}

/// The last snapshot, where it was taken a moment ago and nothing of the run has worked in the tree since: looking
/// again would cost as much and show no more than what anybody may do a moment later anyway.
fn as_it_rested(context: &Context) -> Option<Snapshot> {
    let (snapshot, at) = context.rested.lock().unwrap_or_else(PoisonError::into_inner).clone()?;
    (SystemClock.monotonic().saturating_sub(at) < RESTS_FOR).then_some(snapshot)
}
