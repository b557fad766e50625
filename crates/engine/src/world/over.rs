//! What an iteration is compared with, and put back to, where somebody edits the tree over work that nobody has judged.
//!
//! It is one tree, and it is made: what is there now, in which every path that the unjudged work changed has the content that it had
//! before. So what a person added, committed or edited meanwhile is guarded, and no refusal takes it away.

use std::collections::BTreeSet;

use piton_git::{RepoPath, Workspace};
use piton_model::loop_machine::{Open, Snapshot};
use piton_model::{RunId, State};

use super::attempt::recorded;
use super::{Context, WorldError, snapshot_id};

/// `now`, in which `paths` have the content that `judged` has.
pub(crate) fn made(
    workspace: &Workspace,
    run: &RunId,
    now: &Snapshot,
    judged: &Snapshot,
    paths: &BTreeSet<RepoPath>,
) -> Result<Snapshot, WorldError> {
    let ids = (&snapshot_id(&now.id)?, &snapshot_id(&judged.id)?);
    Ok(recorded(&workspace.compose(run.as_str(), "what the next work is compared with", ids, paths)?))
}

/// The paths that two trees do not agree about.
pub(crate) fn between(
    workspace: &Workspace,
    before: &Snapshot,
    after: &Snapshot,
) -> Result<BTreeSet<RepoPath>, WorldError> {
    let (before, after) = (snapshot_id(&before.id)?, snapshot_id(&after.id)?);
    Ok(workspace.written(&before, &after)?.into_iter().map(|written| written.path).collect())
}

/// What the iteration under way is compared with from here on, where the tree is `now` and that is not what its last attempt left.
/// Nothing where what it is compared with already stays that.
pub(crate) fn base(context: &Context, state: &State, now: &Snapshot) -> Result<Option<Snapshot>, WorldError> {
    let is_under_way = state.work.iteration > state.counters.iterations && state.work.restore.is_none();
    let (Some(before), Some(seen)) = (&state.work.before, &state.seen.snapshot) else { return Ok(None) };
    if !is_under_way || before.tree == now.tree {
        return Ok(None);
    }
    if is_judged_elsewhere(context, state) {
        return Ok((before.tree != seen.tree || seen.tree != now.tree).then(|| now.clone()));
    }
    // Where no attempt left anything, the machine takes what is found before the next one for what that is compared with.
    let is_before_checks = matches!(state.work.open, Some(Open::Checks(_)));
    if seen.tree == now.tree || (before.tree == seen.tree && !is_before_checks) {
        return Ok(None);
    }
    let touched = between(&context.workspace, before, seen)?;
    made(&context.workspace, &context.run, now, before, &touched).map(Some)
}

/// The tree that `target` becomes where somebody edited the tree after what is put back was seen: what they touched stays.
pub(super) fn back_to(context: &Context, state: &State, target: &Snapshot) -> Result<Snapshot, WorldError> {
    let Some(seen) = &state.seen.snapshot else { return Ok(target.clone()) };
    let now = super::attempt::take_snapshot(context, "before what was refused is put back")?;
    if now.tree == seen.tree || now.tree == target.tree {
        return Ok(target.clone());
    }
    let refused = between(&context.workspace, target, seen)?;
    made(&context.workspace, &context.run, &now, target, &refused)
}

/// Whether another run has judged since what the last attempt of this one left.
pub(super) fn is_judged_elsewhere(context: &Context, state: &State) -> bool {
    let ended = match state.work.open {
        Some(Open::Attempt(_)) => state.work.attempt.saturating_sub(1),
        _ => state.work.attempt,
    };
    context.judged_elsewhere.is_some_and(|attempt| ended <= attempt)
}
