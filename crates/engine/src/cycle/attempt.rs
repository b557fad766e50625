//! Performing an attempt of a role: it is planned where it has to be started, supervised, and what it left is recorded.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::PoisonError;

use piton_agent::{Exit, Spec};
use piton_git::{RepoPath, SnapshotId};
use piton_model::cycle::{Command, Nudge, OpenAttempt, Role, RoleEnd, State};
use piton_model::loop_machine::{AttemptEnd, AttemptOutcome, Left, Report};
use piton_model::workflow::Hold;
use piton_sys::file::{self, Durability};
use piton_sys::{Clock, SystemClock};
use piton_view::Brief;

use super::{Context, Driving, as_loop, hand_in, prompt};
use crate::launch::{AGENT_OUTPUT_BYTES_MAX, What, Work, require_adapter};
use crate::supervise::kept::{Kept, Plan};
use crate::supervise::{Became, Supervision};
use crate::world::{WorldError, attempt as trees, brief, end, over, snapshot_id, unseen};

/// What a role that takes too long finds in its attempt's directory, by the name that its environment says.
const NUDGE_FILE: &str = "nudge";

pub(super) fn perform(
    context: &Context,
    open: &OpenAttempt,
    fresh: bool,
    state: &State,
) -> Result<Command, WorldError> {
    let (number, name) = (open.number, open.number.to_string());
    let Some(index) = state.place(&open.role) else { return Ok(Command::AbandonAttempt { attempt: number }) };
    let plan = |_: &str| plan(context, open, index, state);
    let driving = Driving { context, state, attempt: number };
    let mut kept = Kept::new(&context.world.launch, &name, driving, &plan).for_long();
    Ok(match Supervision::of_recorded(&open.host, &open.boot, fresh).run(&mut kept)? {
        Became::Postponed(command) => command,
        Became::NeverStarted => Command::AbandonAttempt { attempt: number },
        Became::NoKeeper { detail } => Command::GiveUp { detail },
        Became::Ended(exit) => {
            // While the tree is looked at, a keeper of the next role, or of the first check, can start.
            context.world.launch.expect_another();
            let end = Box::new(finish(context, open, index, state, &exit)?);
            Command::EndAttempt { attempt: number, end }
        }
        Became::Lost(tree) => {
            let left = trees::left(&context.world, number, &as_loop::for_role(state, index, ""))?;
            Command::LoseAttempt { attempt: number, tree, left: Box::new(left) }
        }
    })
}

/// What the attempt is to be, once it is clear that nothing of it is there: the tree it starts from, its prompt, what its
/// keeper runs.
fn plan(
    context: &Context,
    open: &OpenAttempt,
    index: usize,
    state: &State,
) -> Result<Plan<Command>, WorldError> {
    if !context.furnish(state)? {
        return Ok(Plan::Unwanted);
    }
    match prepare_tree(context, open, state) {
        Ok(None) => {}
        Ok(Some(observed)) => return Ok(Plan::Instead(observed)),
        Err(error) if error.is_stopped() => return Ok(Plan::Unwanted),
        Err(error) => return Err(error),
    }
    let role = &state.config.roles[index];
    let composed = require_adapter(&role.agent).and_then(|()| prompt::compose(&context.place, state, index));
    let prompt = match composed {
        Ok(prompt) => prompt,
        Err(why) => {
            let end = Box::new(role_end(trees::unstarted(why)));
            return Ok(Plan::Instead(Command::EndAttempt { attempt: open.number, end }));
        }
    };
    let brief = brief_of(context, role);
    brief::write_to(&brief, &brief::of(&context.world.layout, &as_loop::for_role(state, index, &prompt)))?;
    if role.develops {
        context.world.tree_changes();
    }
    let mut spec = spec(context, open, index, state, prompt, brief);
    let seen = as_loop::for_role(state, index, "");
    spec.files.insert(unseen::RECORD.to_owned(), unseen::before(&context.world, &seen));
    spec.files.insert(hand_in::BEFORE.to_owned(), hand_in::before(context, state, index));
    Ok(Plan::Start(spec))
}

/// The tree the attempt starts from is on record; otherwise the record comes first.
fn prepare_tree(context: &Context, open: &OpenAttempt, state: &State) -> Result<Option<Command>, WorldError> {
    let world = &context.world;
    if let Some(target) = &open.restore
        && !context.is_put_back(open.number)
    {
        world.tree_changes();
        put_back(context, open, state, &snapshot_id(target)?)?;
        context.was_put_back(open.number);
    }
    let snapshot = match trees::as_it_rested(world) {
        Some(snapshot) => snapshot,
        None => trees::take_snapshot(world, &format!("before attempt {}", open.number))?,
    };
    if open.restore.is_none() {
        let seen = as_loop::for_checks(state);
        if let Some(before) = over::base(world, &seen, &snapshot)? {
            return Ok(Some(Command::ObserveOver { now: snapshot, before: Box::new(before) }));
        }
    }
    let known = state.seen.as_ref().is_some_and(|known| known.tree == snapshot.tree);
    Ok((!known || state.start.is_none()).then_some(Command::Observe(snapshot)))
}

/// Puts back what was refused. After a rest a person may have worked on the tree: what they touched since stays as it is.
fn put_back(
    context: &Context,
    open: &OpenAttempt,
    state: &State,
    target: &SnapshotId,
) -> Result<(), WorldError> {
    let (workspace, run) = (&context.world.workspace, context.world.run.as_str());
    let refused = state.seen.as_ref().filter(|_| open.attempt == 1);
    if let Some(refused) = refused {
        let now = trees::take_snapshot(&context.world, &format!("before attempt {}", open.number))?;
        if now.tree != refused.tree {
            let (refused, now) = (snapshot_id(&refused.id)?, snapshot_id(&now.id)?);
            let touched = workspace.written(&refused, &now)?.into_iter().map(|change| change.path);
            let touched: BTreeSet<RepoPath> = touched.collect();
            let theirs = workspace.written(target, &refused)?.into_iter().map(|change| change.path);
            let theirs = theirs.filter(|path| !touched.contains(path)).collect();
            workspace.put_back(run, target, &now, &theirs)?;
            return Ok(());
        }
    }
    unseen::put_back(&context.world, target)?;
    Ok(())
}

/// The attempt as a keeper runs it: as long as a phase may take, and as a role that was asked to finish may take then.
fn spec(
    context: &Context,
    open: &OpenAttempt,
    index: usize,
    state: &State,
    prompt: String,
    brief: PathBuf,
) -> Box<Spec> {
    let (role, limits) = (&state.config.roles[index], &state.config.limits);
    let phase_ms = limits.attempt_ms.saturating_add(state.config.grace_ms.saturating_mul(2));
    let left = |most: u64, used: u64| most.saturating_sub(used).max(1_000);
    let own_ms = role.working_ms.map_or(u64::MAX, |most| left(most, state.roles[index].counters.working_ms));
    let left_ms = left(limits.working_ms, state.counters.working_ms).min(own_ms);
    let now = SystemClock.now();
    let until_deadline_ms =
        limits.deadline.map_or(u64::MAX, |deadline| deadline.millis_since(now).max(1_000));
    let directory = context.world.attempts().join(open.number.to_string());
    let role_directory = context.place.directory(role.name.as_str());
    let mut env = BTreeMap::from([
        ("PITON_ITERATION".to_owned(), open.iteration.to_string()),
        ("PITON_ATTEMPT".to_owned(), open.number.to_string()),
        ("PITON_ROLE".to_owned(), role.name.to_string()),
        ("PITON_ROLE_DIR".to_owned(), shown(&role_directory)),
        ("PITON_CYCLE_STATE".to_owned(), shown(&context.place.state())),
        ("PITON_NUDGE_FILE".to_owned(), shown(&directory.join(NUDGE_FILE))),
    ]);
    if let Some(session) = &open.session {
        env.insert("PITON_SESSION_ID".to_owned(), session.id.clone());
    }
    context.world.launch.prepare(Work {
        name: &open.number.to_string(),
        what: What::Agent { agent: &role.agent, session: open.session.as_ref(), brief: Some(brief) },
        directory: context.world.layout.tree(),
        env,
        prompt: Some(prompt),
        wall_ms: phase_ms.min(left_ms).min(until_deadline_ms),
        idle_ms: limits.idle_ms,
        output_bytes_max: AGENT_OUTPUT_BYTES_MAX,
        beside: None,
        pass: None,
        own: Some(&role_directory),
    })
}

fn shown(path: &std::path::Path) -> String {
    path.display().to_string()
}

/// What the agent of a role can know, as a file.
fn brief_of(context: &Context, role: &Role) -> PathBuf {
    context.world.attempts().join(format!("brief-{}.json", role.name))
}

/// Keeps the briefs of the roles at work up to date: somebody may want a pause, or tell them something. One that cannot be
/// written is tried again.
pub(super) fn keep_briefs(context: &Context, state: &State) {
    let mut briefed = context.briefed.lock().unwrap_or_else(PoisonError::into_inner);
    for (index, (role, at)) in state.team().enumerate() {
        let Some(open) = &at.open else { continue };
        let now = (state.requests.pause, state.requests.stop.is_some(), at.told.len());
        if briefed.get(&open.number) == Some(&now) {
            continue;
        }
        let path = brief_of(context, role);
        // None was written yet: the one that will be says all of it.
        let Ok(old) = brief::read(&path) else { continue };
        let seen = as_loop::for_role(state, index, &old.task);
        let new = Brief { task: old.task.clone(), ..brief::of(&context.world.layout, &seen) };
        if new == old || brief::write_to(&path, &new).is_ok() {
            briefed.insert(open.number, now);
        }
    }
    briefed.retain(|number, _| {
        state.roles.iter().any(|at| at.open.as_ref().is_some_and(|open| open.number == *number))
    });
}

/// Tells roles that take too long what is on record as told. Where it cannot be written the attempt ends later all the same.
pub(super) fn nudge(context: &Context, state: &State) {
    for role in &state.roles {
        let (Some(open), Some(nudge)) = (&role.open, role.nudged) else { continue };
        let directory = context.world.attempts().join(open.number.to_string());
        let text = match nudge {
            Nudge::StatusCheck => "STATUS_CHECK: say how far you are, and come to an end soon.\n",
            Nudge::Finalize => "FINALIZE: hand in what you have now, with your PHASE_RESULT, and stop.\n",
        };
        let path = directory.join(NUDGE_FILE);
        let is_told =
            file::read_regular(&path, 4 << 10).ok().flatten().is_some_and(|told| told == text.as_bytes());
        if directory.is_dir() && !is_told {
            let _ = file::write_atomic(&path, text.as_bytes(), Durability::Unsynced);
        }
    }
}

/// The attempt ended: what it handed in and what it left are recorded with how it ended.
fn finish(
    context: &Context,
    open: &OpenAttempt,
    index: usize,
    state: &State,
    exit: &Exit,
) -> Result<RoleEnd, WorldError> {
    let directory = context.world.attempts().join(open.number.to_string());
    let redactor = context.world.launch.redactor();
    let seen = as_loop::for_role(state, index, "");
    let ended = end::of_exit(exit, &directory, &as_loop::attempt(open), &seen, redactor)?;
    let report = ended.report.clone().unwrap_or_default();
    let mut end = role_end(ended);
    if end.outcome == AttemptOutcome::NotStartable {
        return Ok(end);
    }
    if end.outcome != AttemptOutcome::Cancelled {
        end.handed_in = hand_in::read(context, state, index, exit, &directory, &report)?;
        let result = end.handed_in.result.as_ref();
        let summary = result.and_then(|result| result.fields.get("summary")).filter(|said| !said.is_empty());
        end.said = end.said.or_else(|| summary.cloned());
    }
    trees::open_up(&context.world, &seen)?;
    match trees::take_snapshot(&context.world, &format!("after attempt {}", open.number)) {
        Ok(snapshot) => {
            let Left { snapshot, change, guard } =
                trees::look_at(&context.world, &seen, snapshot, Some(&directory))?;
            (end.snapshot, end.change, end.guard) = (snapshot, change, guard);
            hand_in::changes(context, state, index, &mut end, exit.ended_at)?;
        }
        // As in a loop: what was to end at once did so, and what cannot be seen now is recorded once it can be.
        Err(error) if error.is_stopped() => {
            end.outcome = AttemptOutcome::Cancelled;
            end.message = Some(crate::world::sentence(&error));
        }
        Err(error) => return Err(error),
    }
    Ok(end)
}

fn role_end(ended: AttemptEnd) -> RoleEnd {
    let report = ended.report.unwrap_or_default();
    let Report { usage, cost_microusd, session_id, session_usage, session_cost_microusd, .. } =
        report.clone();
    RoleEnd {
        outcome: ended.outcome,
        exit_code: ended.exit_code,
        duration_ms: ended.duration_ms,
        message: ended.message,
        // What the provider refuses is nothing the role did.
        hold: report.error_class.and_then(|class| Hold::of_error(class, report.limited_until)),
        said: report.summary.clone().or_else(|| report.reason.clone()),
        handed_in: Default::default(),
        snapshot: None,
        change: None,
        guard: None,
        cost_microusd,
        tokens: usage.map(|usage| usage.input_tokens.saturating_add(usage.output_tokens)),
        session_id,
        session_usage,
        session_cost_microusd,
    }
}
