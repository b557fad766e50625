//! Performing an attempt: it is planned where it has to be started, supervised, and what it left is recorded.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::PoisonError;
use std::time::Duration;

use piton_agent::{Exit, Found, Spec};
use piton_git::{RepoPath, Why};
use piton_guard::{is_of_tests, steers_checks};
use piton_model::limits::LEFT_OUT_MAX;
use piton_model::loop_machine::{
    AttemptEnd, AttemptOutcome, Left, LeftOut, OpenAttempt, PromptRecord, Snapshot,
};
use piton_model::{Command, State, Timestamp};
use piton_sys::{Clock, SystemClock, file};

use super::{Context, Driving, WorldError, brief, end, guard, over, prompt, prove, snapshot_id, unseen};
use crate::launch::{AGENT_OUTPUT_BYTES_MAX, What, Work, require_adapter};
use crate::supervise::kept::{Kept, Plan};
use crate::supervise::{Became, Supervision, proof_of};

/// How long a snapshot shows the tree of a run in which nothing works.
const RESTS_FOR: Duration = Duration::from_secs(2);

/// Commits that a fresh session is told of.
const HANDED_ON_COMMITS: usize = 5;

/// What the prompt was made of, beside the attempt's other traces: whoever records its end finds it there.
const PROMPT_RECORD: &str = "prompt-record.json";
const PROMPT_RECORD_BYTES_MAX: u64 = 1 << 20;

pub(super) fn perform(
    context: &Context,
    attempt: &OpenAttempt,
    fresh: bool,
    state: &State,
) -> Result<Command, WorldError> {
    // What became of it is looked up below; what it left is no work of its own any more.
    if !fresh && over::is_judged_elsewhere(context, state) {
        let now = take_snapshot(context, &format!("before attempt {} is looked up", attempt.number))?;
        if let Some(before) = over::base(context, state, &now)? {
            return Ok(Command::ObserveOver { now, before: Box::new(before) });
        }
    }
    let number = attempt.number;
    let name = number.to_string();
    let plan = |_: &str| plan(context, attempt, state);
    // A tombstone that is there was published by somebody who had just recorded the attempt.
    let is_gone = !fresh && matches!(piton_agent::look(&context.attempts(), &name)?, Found::Absent);
    let mut kept = Kept::new(&context.launch, &name, Driving { context, state }, &plan).for_long();
    Ok(match Supervision::of_recorded(&attempt.host, &attempt.boot, fresh).run(&mut kept)? {
        Became::Postponed(command) => command,
        Became::NeverStarted if is_gone => without_a_trace(context, number, state)?,
        Became::NeverStarted => Command::AbandonAttempt { attempt: number },
        Became::NoKeeper { detail } => Command::GiveUp { detail },
        Became::Ended(exit) => {
            // While the tree is looked at, a keeper of the first check, or of the next attempt, can start.
            context.launch.expect_another();
            finish(context, attempt, state, &exit)?
        }
        Became::Lost(tree) => {
            let left = Box::new(left(context, number, state)?);
            Command::LoseAttempt { attempt: number, tree, left }
        }
    })
}

/// Whoever recorded the attempt is gone, and there is no directory of it: it never started, or somebody took that away. Where
/// the tree is as it was, it makes no difference. Else what changed may be the agent's, and so it is judged.
fn without_a_trace(context: &Context, attempt: u32, state: &State) -> Result<Command, WorldError> {
    let emptied = piton_agent::reap(&context.attempts(), &attempt.to_string())?;
    let left = Box::new(left(context, attempt, state)?);
    Ok(match left.snapshot.is_some() && left.change.is_none() {
        true => Command::AbandonAttempt { attempt },
        false => Command::LoseAttempt { attempt, tree: proof_of(emptied), left },
    })
}

/// What is in the tree after an attempt of which nothing else is known. Edits from after its death are taken for its own.
pub(crate) fn left(context: &Context, attempt: u32, state: &State) -> Result<Left, WorldError> {
    open_up(context, state)?;
    match take_snapshot(context, &format!("after attempt {attempt}")) {
        Ok(snapshot) => {
            let directory = context.attempts().join(attempt.to_string());
            look_at(context, state, snapshot, Some(&directory))
        }
        // The machine knows what to think of a tree that nobody saw.
        Err(error) if error.is_stopped() => Ok(Left::default()),
        Err(error) => Err(error),
    }
}

/// What there is to say of a tree after the attempt in this directory.
pub(crate) fn look_at(
    context: &Context,
    state: &State,
    mut after: Snapshot,
    directory: Option<&Path>,
) -> Result<Left, WorldError> {
    let unseen = unseen::find(context, state, &after, directory)?;
    if unseen.is_moved {
        after = take_snapshot(context, "without what no snapshot has and was refused")?;
    }
    let change = change_since(context, state, &after)?;
    let mut guard = guard::look(context, state, &after, unseen.said)?;
    if let Some(report) = &mut guard {
        prove::exemplify(context, state, &after, report)?;
    }
    Ok(Left { snapshot: Some(after), change, guard })
}

/// What the attempt is to be, once it is clear that nothing of it is there: the tree it starts from, its prompt, what its
/// keeper runs.
fn plan(context: &Context, attempt: &OpenAttempt, state: &State) -> Result<Plan<Command>, WorldError> {
    match prepare_tree(context, attempt, state) {
        Ok(None) => {}
        Ok(Some(command)) => return Ok(Plan::Instead(command)),
        Err(error) if error.is_stopped() => return Ok(Plan::Unwanted),
        Err(error) => return Err(error),
    }
    let composed = match compose(context, state) {
        Ok(composed) => composed,
        Err(why) => return Ok(Plan::Instead(not_startable(attempt, why))),
    };
    let record = PromptRecord { digest: composed.digest, warnings: composed.warnings };
    let record = serde_json::to_string(&record).expect("a record is plain data");
    let mut spec = spec(context, attempt, state, composed.text);
    spec.files.insert(PROMPT_RECORD.to_owned(), record);
    spec.files.insert(unseen::RECORD.to_owned(), unseen::before(context, state));
    context.tree_changes();
    Ok(Plan::Start(spec))
}

/// The tree the attempt starts from is on record; otherwise the record comes first.
fn prepare_tree(
    context: &Context,
    attempt: &OpenAttempt,
    state: &State,
) -> Result<Option<Command>, WorldError> {
    let look = || match as_it_rested(context) {
        Some(snapshot) => Ok(snapshot),
        None => take_snapshot(context, &format!("before attempt {}", attempt.number)),
    };
    let snapshot = look()?;
    if let Some(before) = over::base(context, state, &snapshot)? {
        return Ok(Some(Command::ObserveOver { now: snapshot, before: Box::new(before) }));
    }
    let snapshot = match &attempt.restore {
        Some(target) => {
            // What somebody edited since is in what the iteration is compared with by now.
            let target = state.work.before.as_ref().map_or(target, |before| &before.id);
            context.tree_changes();
            let target = snapshot_id(target)?;
            unseen::put_back(context, &target)?;
            look()?
        }
        None => snapshot,
    };
    let known = state.seen.snapshot.as_ref().is_some_and(|known| known.tree == snapshot.tree);
    Ok((!known || state.seen.start.is_none()).then_some(Command::Observe(snapshot)))
}

/// The prompt, with everything beside it that the agent is given; why there can be none.
fn compose(context: &Context, state: &State) -> Result<prompt::Composed, String> {
    require_adapter(state.agent())?;
    let (tree, home) = (context.layout.tree(), context.layout.root());
    let composed =
        prompt::compose(state, tree, home, SystemClock.now(), context).map_err(|error| error.to_string())?;
    brief::write(&context.layout, state).map_err(|error| super::sentence(&error))?;
    Ok(composed)
}

/// What git does not say is not known; the snapshot before would have failed of anything worse.
impl prompt::AskGit for Context {
    fn head(&self) -> piton_git::Head {
        self.workspace.head().unwrap_or_default()
    }

    fn last_commits(&self) -> Vec<String> {
        self.workspace.last_commits(HANDED_ON_COMMITS).unwrap_or_default()
    }
}

/// The attempt as a keeper runs it: until the run's time is up, or its own.
fn spec(context: &Context, attempt: &OpenAttempt, state: &State, prompt: String) -> Box<Spec> {
    let (agent, limits) = (state.agent(), &state.config.limits);
    let mut env = BTreeMap::from([
        ("PITON_ITERATION".to_owned(), attempt.iteration.to_string()),
        ("PITON_ATTEMPT".to_owned(), attempt.number.to_string()),
    ]);
    let intended = attempt.session.as_ref().map(|session| session.id.as_str());
    if let Some(session) = intended.or(state.session.goes_on()) {
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
        wall_ms: time_left_ms(state),
        idle_ms: limits.idle_ms,
        output_bytes_max: AGENT_OUTPUT_BYTES_MAX,
        beside: None,
        pass: None,
        own: None,
    })
}

/// How long an agent may take now: until its own time is up, or the run's.
pub(super) fn time_left_ms(state: &State) -> u64 {
    let limits = &state.config.limits;
    let left_ms = limits.working_ms.saturating_sub(state.counters.working_ms).max(1_000);
    let until_deadline = |deadline: Timestamp| deadline.millis_since(SystemClock.now()).max(1_000);
    limits.attempt_ms.min(left_ms).min(limits.deadline.map_or(u64::MAX, until_deadline))
}

fn not_startable(attempt: &OpenAttempt, message: String) -> Command {
    Command::EndAttempt { attempt: attempt.number, end: Box::new(unstarted(message)) }
}

/// The end of an attempt that could not be started, for this reason.
pub(crate) fn unstarted(message: String) -> AttemptEnd {
    AttemptEnd { message: Some(message), ..AttemptEnd::of(AttemptOutcome::NotStartable) }
}

/// The attempt ended: what it left is recorded with how it ended.
fn finish(
    context: &Context,
    attempt: &OpenAttempt,
    state: &State,
    exit: &Exit,
) -> Result<Command, WorldError> {
    let directory = context.attempts().join(attempt.number.to_string());
    let mut end = end::of_exit(exit, &directory, attempt, state, context.launch.redactor())?;
    // One of an older piton has none.
    let record = file::read_regular(&directory.join(PROMPT_RECORD), PROMPT_RECORD_BYTES_MAX).ok().flatten();
    end.prompt = record.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    if end.outcome != AttemptOutcome::NotStartable {
        open_up(context, state)?;
        match take_snapshot(context, &format!("after attempt {}", attempt.number)) {
            Ok(snapshot) => {
                let Left { snapshot, change, guard } = look_at(context, state, snapshot, Some(&directory))?;
                (end.snapshot, end.change, end.guard) = (snapshot, change, guard);
            }
            // What was to end at once did so.
            Err(error) if error.is_stopped() => {
                end.outcome = AttemptOutcome::Cancelled;
                end.message = Some(super::sentence(&error));
            }
            // That its work cannot be seen now is no failure of the agent's: its end stays to be recorded until it can be.
            Err(error) => return Err(error),
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
    Ok(Some(end::change_of(&diff, context.layout.tree(), context.launch.redactor())))
}

/// Lets their owner read again what was seen last: checks would pass by what is closed to them. Returns what was closed.
pub(crate) fn open_up(context: &Context, state: &State) -> Result<Vec<RepoPath>, WorldError> {
    let is_of_checks = |path: &str| is_of_tests(path) || steers_checks(path);
    match &state.seen.snapshot {
        Some(known) => Ok(context.workspace.open_up(&snapshot_id(&known.id)?, is_of_checks)?),
        None => Ok(Vec::new()),
    }
}

pub(crate) fn take_snapshot(context: &Context, message: &str) -> Result<Snapshot, WorldError> {
    // One at a time: two that work side by side would both move the name of the run's snapshots.
    let mut rested = context.rested.lock().unwrap_or_else(PoisonError::into_inner);
    let at = SystemClock.monotonic();
    let snapshot = recorded(&context.workspace.snapshot(context.run.as_str(), message)?);
    *rested = Some((snapshot.clone(), at));
    Ok(snapshot)
}

/// What the journal says of a snapshot. What git ignores is nobody's loss; anything else that is not in it is named, and where that
/// is very much, the rest in one.
pub(crate) fn recorded(snapshot: &piton_git::Snapshot) -> Snapshot {
    let missed: Vec<_> = snapshot.left_out.iter().filter(|file| file.why != Why::Ignored).collect();
    let named = if missed.len() > LEFT_OUT_MAX { LEFT_OUT_MAX - 1 } else { missed.len() };
    let (named, rest) = missed.split_at(named);
    let one = |file: &&piton_git::LeftOut| LeftOut {
        path: file.path.to_string(),
        bytes: file.bytes,
        digest: file.digest.clone(),
    };
    let left_out = named.iter().map(one).chain((!rest.is_empty()).then(|| in_one(rest))).collect();
    let (id, tree) = (snapshot.id.as_str().to_owned(), snapshot.tree.as_str().to_owned());
    Snapshot { id, tree, left_out }
}

/// Very many files as one: how many, how large, and a digest of what is known of each, so that a change to any of them shows.
fn in_one(files: &[&piton_git::LeftOut]) -> LeftOut {
    let data = serde_json::to_vec(files).expect("a list of files is plain data");
    LeftOut {
        path: format!("({} more files)", files.len()),
        bytes: files.iter().map(|file| file.bytes).sum(),
        digest: Some(blake3::hash(&data).to_hex().to_string()),
    }
}

/// The last snapshot, where it was taken a moment ago and nothing of the run has worked in the tree since: looking
/// again would cost as much and show no more than what anybody may do a moment later anyway.
pub(crate) fn as_it_rested(context: &Context) -> Option<Snapshot> {
    let (snapshot, at) = context.rested.lock().unwrap_or_else(PoisonError::into_inner).clone()?;
    (SystemClock.monotonic().saturating_sub(at) < RESTS_FOR).then_some(snapshot)
}
