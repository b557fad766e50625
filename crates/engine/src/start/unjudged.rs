//! A run that begins in a tree in which another run of this journal left something that nobody judged.
//!
//! What a stopped or lost attempt left counts as an agent's work, whoever goes on from it: the first iteration of the new run is compared
//! with the last tree that was judged, as that of a fork is. What a person committed since, or put back, is theirs.
//!
//! Runs that are done left nothing, so of those only the index is read.

use std::collections::BTreeSet;

use piton_git::{RepoPath, SnapshotId, Workspace};
use piton_model::loop_machine::{Adoption, Confine, Open, Snapshot, UNJUDGED};
use piton_model::{Entry, Kind, RunId, State, Status, Timestamp, cycle};
use piton_view::{Error, ErrorKind};

use crate::client::LocalClient;
use crate::launch::Surroundings;
use crate::world::{WorldError, open_workspace, snapshot_id};

/// What a run left in the checkout.
pub(super) struct Unjudged {
    run: RunId,
    /// The last tree of it that was judged.
    pub(super) judged: Snapshot,
    /// The tree as its attempts left it; nothing where one of them is open, so that nobody knows.
    left: Option<Snapshot>,
}

impl Unjudged {
    /// What the first iteration of a new loop is compared with, beside what it takes over otherwise.
    pub(super) fn adopted(self, adoption: Option<Adoption>) -> Adoption {
        let taken = adoption.unwrap_or_else(|| Adoption {
            format: UNJUDGED.to_owned(),
            source: self.run.to_string(),
            ..Adoption::default()
        });
        Adoption { base: Some(self.judged), ..taken }
    }

    /// What a person is told at the start.
    pub(super) fn note(&self) -> String {
        let run = &self.run;
        let committed = if self.left.is_some() { "commit it, or " } else { "" };
        format!(
            "note: run `{run}` left work here that nobody judged: what this one does is compared with the last tree before it; \
             `piton resume {run}` has it judged. If you looked at it and want it: {committed}`piton rm {run}`"
        )
    }
}

/// What another run left in the checkout that nobody judged, and is still there. `run`: the one that begins.
pub(super) async fn left_here(
    client: &LocalClient,
    run: &RunId,
    confine: Option<&Confine>,
) -> Result<Option<Unjudged>, Error> {
    left_since(client, run, confine, None).await
}

/// A run that works in the checkout does not go on over what another one left there since: it would take it for a person's edit.
pub(super) async fn refuse(
    client: &LocalClient,
    run: &RunId,
    confine: Option<&Confine>,
    since: Timestamp,
) -> Result<(), Error> {
    let Some(Unjudged { run: other, left, .. }) = left_since(client, run, confine, Some(since)).await? else {
        return Ok(());
    };
    let committed = if left.is_some() { "commit it, or " } else { "" };
    let what =
        format!("run `{other}` left work here since that nobody judged, and `{run}` would take it for yours");
    Err(Error::new(ErrorKind::Person, what).hint(format!(
        "`piton resume {other}` has it judged; if you looked at it and want it: {committed}`piton rm {other}`"
    )))
}

async fn left_since(
    client: &LocalClient,
    run: &RunId,
    confine: Option<&Confine>,
    since: Option<Timestamp>,
) -> Result<Option<Unjudged>, Error> {
    for entry in client.entries().await? {
        let is_late = since.is_none_or(|since| entry.updated_at > since);
        let may_have_left = entry.run_id != *run && entry.status != Status::Completed && is_late;
        if !may_have_left || !matches!(entry.kind, Kind::Loop | Kind::Cycle) {
            continue;
        }
        let Some(found) = LocalClient::unless_damaged(of(client, &entry).await)?.flatten() else { continue };
        if is_there(client, run, confine, &found).map_err(|error| unknown(&found, &error))? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

fn unknown(found: &Unjudged, error: &WorldError) -> Error {
    let run = &found.run;
    Error::environment(error).hint(format!(
        "run `{run}` left work here that nobody judged, and it could not be compared: `piton resume {run}`, or `piton rm {run}` if you looked at it"
    ))
}

/// What a run left in the checkout, if it works there.
async fn of(client: &LocalClient, entry: &Entry) -> Result<Option<Unjudged>, crate::client::ClientError> {
    let run = entry.run_id.clone();
    let (judged, seen, is_open) = match entry.kind {
        Kind::Cycle => {
            let state = client.load::<cycle::State>(&run, None).await?.state;
            let is_judged = state.current.concluded && state.current.refused.is_empty();
            if state.config.worktree.is_some() || is_judged {
                return Ok(None);
            }
            let is_open = state.roles.iter().any(|role| role.open.is_some());
            (state.current.before, state.seen, is_open)
        }
        _ => {
            let state = client.load::<State>(&run, None).await?.state;
            if state.config.worktree.is_some() {
                return Ok(None);
            }
            let is_unseen = state.work.ended.as_ref().is_some_and(|ended| ended.unseen);
            let is_open = matches!(state.work.open, Some(Open::Attempt(_))) || is_unseen;
            (state.last_judged().cloned(), state.seen.snapshot, is_open)
        }
    };
    let Some((judged, seen)) = judged.zip(seen) else { return Ok(None) };
    if !is_open && !seen.differs_from(&judged) {
        return Ok(None);
    }
    Ok(Some(Unjudged { run, judged, left: Some(seen).filter(|_| !is_open) }))
}

/// Whether what was left is still there. What a person put back is not, and what a person has committed since is theirs; where nobody
/// knows when the attempt ended, nobody knows who committed.
fn is_there(
    client: &LocalClient,
    run: &RunId,
    confine: Option<&Confine>,
    found: &Unjudged,
) -> Result<bool, WorldError> {
    let layout = client.layout().in_place();
    let workspace = open_workspace(&layout, run)?;
    // Whether a file changed is asked of filters, and what is there may be what an agent left.
    let around = Surroundings::open(run, &layout, confine)?.around_filters(&workspace, None)?;
    let workspace = workspace.running_filters_in(around);
    workspace.protect_state()?;
    let now = workspace.snapshot(run.as_str(), "the tree it starts from")?;
    let judged = snapshot_id(&found.judged.id)?;
    let changed = between(&workspace, &judged, &now.id)?;
    let Some(left) = &found.left else { return Ok(!changed.is_empty()) };
    let left = workspace.read(&snapshot_id(&left.id)?)?;
    let stands = &between(&workspace, &judged, &left.id)? & &changed;
    let heads = left.head.zip(now.head).filter(|(then, now)| then != now);
    let Some((then, head)) = heads else { return Ok(!stands.is_empty()) };
    let (then, head) = (snapshot_id(&then)?, snapshot_id(&head)?);
    let committed = &between(&workspace, &then, &head)? - &between(&workspace, &head, &now.id)?;
    Ok(!(&stands - &committed).is_empty())
}

/// The paths that two trees do not agree about.
fn between(
    workspace: &Workspace,
    before: &SnapshotId,
    after: &SnapshotId,
) -> Result<BTreeSet<RepoPath>, WorldError> {
    Ok(workspace.written(before, after)?.into_iter().map(|written| written.path).collect())
}
