//! What runs of this journal left in a tree that nobody judged, for whoever begins or goes on to drive one there.
//!
//! What a stopped or lost attempt left, or a round of checks that nobody brought to its end, counts as an agent's work, whoever goes on
//! from it: the first iteration of a new run is compared with a tree in which the paths that it changed are as they were when they were
//! judged last. Everything else is what it is now: what a person added, committed or put back is theirs, and what another run finished
//! was judged there.
//!
//! One run at a time is driven in a tree, and each looks here before it is. So what is there is the doing of the last of them: it took
//! over what was left before it, and judged it, or it left it again. The one exception is what somebody took away and brought back.

use std::collections::BTreeSet;

use piton_git::{RepoPath, Workspace};
use piton_model::loop_machine::{Adoption, Confine, Open, Snapshot, UNJUDGED, Worktree};
use piton_model::{Entry, Kind, RunId, State, Status, Timestamp, cycle};
use piton_view::{Error, ErrorKind};

use crate::client::{ClientError, LocalClient};
use crate::launch::Surroundings;
use crate::world::{WorldError, attempt, open_workspace, over, snapshot_id};

/// Paths that a sentence names.
const NAMED_MAX: usize = 5;

/// What is in the tree that nobody judged.
pub(crate) struct Unjudged {
    run: RunId,
    /// The tree without it: what the next work is compared with.
    pub(crate) base: Snapshot,
    /// Whether it is known how its attempts left the tree; not where one of them is open.
    is_known: bool,
    /// Whether some of it is committed as it is now, and was when the run was driven last, so that committing it settles nothing.
    is_committed: bool,
    /// Files of it that somebody edited since.
    edited: BTreeSet<RepoPath>,
}

impl Unjudged {
    /// What the first iteration of a new loop is compared with, beside what it takes over otherwise.
    pub(crate) fn adopted(self, adoption: Option<Adoption>) -> Adoption {
        let taken = adoption.unwrap_or_else(|| Adoption {
            format: UNJUDGED.to_owned(),
            source: self.run.to_string(),
            ..Adoption::default()
        });
        Adoption { base: Some(self.base), ..taken }
    }

    /// What a person is told at the start of `next`.
    pub(crate) fn notes(&self, next: &RunId) -> Vec<String> {
        let (run, committed) = (&self.run, self.committed());
        let note = format!(
            "note: run `{run}` left work here that nobody judged: what this one does is compared with the last tree before it; \
             `piton resume {run}` has it judged. If you looked at it and want it: {committed}`piton rm {run}`"
        );
        let back = format!("`piton restore {next} --iteration 0` brings back the tree as it is now");
        let edited = match (self.is_known, self.edited.is_empty()) {
            (true, true) => None,
            (true, false) => Some(format!(
                "note: {} changed since: what is refused puts that back as well; {back}",
                named(&self.edited)
            )),
            (false, _) => Some(format!(
                "note: nobody knows how it left the tree: what is refused puts back your edits since as well; {back}"
            )),
        };
        std::iter::once(note).chain(edited).collect()
    }

    fn committed(&self) -> &'static str {
        if self.is_known && !self.is_committed { "commit it, or " } else { "" }
    }
}

fn named(paths: &BTreeSet<RepoPath>) -> String {
    let names: Vec<String> = paths.iter().take(NAMED_MAX).map(|path| format!("`{path}`")).collect();
    let more = match paths.len().saturating_sub(NAMED_MAX) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    piton_view::words::clean_line(&format!("{}{more}", names.join(", ")))
}

/// What was left in the checkout that nobody judged, and is still there. `run`: the one that begins.
pub(crate) async fn left_here(
    client: &LocalClient,
    run: &RunId,
    confine: Option<&Confine>,
) -> Result<Option<Unjudged>, Error> {
    let left = Left::all(client, None, run, None).await?;
    still_there(client, run, None, confine, &left, None)
}

/// A run as whoever is to drive it finds it.
pub(crate) struct Driven<'a> {
    pub(crate) run: &'a RunId,
    pub(crate) worktree: Option<&'a Worktree>,
    pub(crate) confine: Option<&'a Confine>,
    /// When it was driven last, else when it was put on record: then somebody looked.
    pub(crate) since: Timestamp,
    /// Its last attempt.
    pub(crate) attempt: u32,
}

impl<'a> Driven<'a> {
    pub(crate) fn of_loop(state: &'a State) -> Self {
        Self {
            run: &state.run,
            worktree: state.config.worktree.as_ref(),
            confine: state.config.confine.as_ref(),
            since: state.driver.as_ref().map_or(state.since, |driver| driver.since),
            attempt: state.work.attempt,
        }
    }

    pub(crate) fn of_cycle(state: &'a cycle::State) -> Self {
        Self {
            run: &state.run,
            worktree: state.config.worktree.as_ref(),
            confine: state.config.confine.as_ref(),
            since: state.driver.as_ref().map_or(state.since, |driver| driver.since),
            attempt: state.attempt,
        }
    }
}

/// Asked before a run is driven, by whatever command: it does not go on over what another one left in its tree since, for it would
/// take that for a person's edit. Returns the last attempt of its own, where another run has judged since what that left.
pub(crate) async fn require_judged(client: &LocalClient, driven: &Driven<'_>) -> Result<Option<u32>, Error> {
    let Driven { run, worktree, confine, since, attempt } = *driven;
    let mut left = Left::all(client, worktree, run, Some(since)).await?;
    left.retain(|other| other.since >= since);
    let found = still_there(client, run, worktree, confine, &left, Some(since))?;
    let Some(found) = found else { return Ok((!left.is_empty()).then_some(attempt)) };
    let (other, committed) = (&found.run, found.committed());
    let what =
        format!("run `{other}` left work here since that nobody judged, and `{run}` would take it for yours");
    Err(Error::new(ErrorKind::Person, what).hint(format!(
        "`piton resume {other}` has it judged; if you looked at it and want it: {committed}`piton rm {other}`"
    )))
}

/// What one run knows of a tree that it was driven in.
struct Left {
    run: RunId,
    /// When it was driven there last.
    since: Timestamp,
    /// The last tree of it that was judged.
    judged: Snapshot,
    /// The tree as it left it, or was seen last.
    seen: Option<Snapshot>,
    /// Whether something of it is open, so that nobody knows how it left the tree.
    is_open: bool,
}

impl Left {
    /// Every run but `run` that was driven in this tree and may have left something, and every one that was driven after it; the one
    /// that was driven last comes first. Runs that are done left nothing: of those the index says whether they can matter,
    /// by what was driven after something that may have been left, or `since`.
    async fn all(
        client: &LocalClient,
        worktree: Option<&Worktree>,
        run: &RunId,
        since: Option<Timestamp>,
    ) -> Result<Vec<Self>, Error> {
        let tree = worktree.map(|worktree| &worktree.path);
        let entries = client.entries().await?;
        let is_other =
            |entry: &&Entry| entry.run_id != *run && matches!(entry.kind, Kind::Loop | Kind::Cycle);
        let (done, open): (Vec<&Entry>, Vec<&Entry>) =
            entries.iter().filter(is_other).partition(|entry| entry.status == Status::Completed);
        let mut all = Vec::new();
        for entry in open {
            all.extend(LocalClient::unless_damaged(Self::of(client, entry, tree).await)?.flatten());
        }
        let first =
            all.iter().filter(|left: &&Self| left.is_unjudged()).map(|left| left.since).chain(since).min();
        for entry in done.into_iter().filter(|entry| first.is_some_and(|first| entry.updated_at >= first)) {
            all.extend(LocalClient::unless_damaged(Self::of(client, entry, tree).await)?.flatten());
        }
        all.sort_by_key(|left| std::cmp::Reverse(left.since));
        Ok(all)
    }

    async fn of(
        client: &LocalClient,
        entry: &Entry,
        tree: Option<&String>,
    ) -> Result<Option<Self>, ClientError> {
        let run = entry.run_id.clone();
        let is_here = |worktree: &Option<Worktree>| worktree.as_ref().map(|worktree| &worktree.path) == tree;
        Ok(match entry.kind {
            Kind::Cycle => {
                let state = client.load::<cycle::State>(&run, None).await?.state;
                let is_judged = state.current.concluded && state.current.refused.is_empty();
                let is_open = !is_judged
                    && (state.roles.iter().any(|role| role.open.is_some())
                        || (state.checking.is_some() && state.attempt > 0));
                let seen = state.seen.clone();
                let judged = if is_judged { seen.clone() } else { state.current.before.clone() };
                let found = state.driver.as_ref().zip(judged).filter(|_| is_here(&state.config.worktree));
                found.map(|(driver, judged)| Self { run, since: driver.since, judged, seen, is_open })
            }
            _ => {
                let state = client.load::<State>(&run, None).await?.state;
                let (is_open, seen) = (is_open(&state), state.seen.snapshot.clone());
                let judged = state.last_judged().cloned().filter(|_| seen.is_some() || is_open);
                let found = state.driver.as_ref().zip(judged).filter(|_| is_here(&state.config.worktree));
                found.map(|(driver, judged)| Self { run, since: driver.since, judged, seen, is_open })
            }
        })
    }

    fn is_unjudged(&self) -> bool {
        self.is_open || self.seen.as_ref().is_some_and(|seen| seen.differs_from(&self.judged))
    }
}

/// Whether something of a loop is open that can have changed the tree, or was never seen. A round of checks runs what agents wrote.
fn is_open(state: &State) -> bool {
    let is_over_work = || {
        let is_adopted = state.memory.adopted.as_ref().is_some_and(|adopted| adopted.base.is_some());
        state.work.attempt > 0 || is_adopted
    };
    match state.work.open {
        Some(Open::Attempt(_)) => true,
        Some(Open::Checks(_)) => is_over_work(),
        Some(Open::Hooks(_) | Open::Commit(_) | Open::Review(_)) | None => {
            state.work.ended.as_ref().is_some_and(|ended| ended.unseen)
        }
    }
}

/// What of all that is still in the tree, which is looked at where something may be. `resumed`: since when only the last one counts,
/// for a run that goes on and knows what it did itself.
fn still_there(
    client: &LocalClient,
    run: &RunId,
    worktree: Option<&Worktree>,
    confine: Option<&Confine>,
    left: &[Left],
    resumed: Option<Timestamp>,
) -> Result<Option<Unjudged>, Error> {
    let considered = if resumed.is_some() { left.get(..1).unwrap_or_default() } else { left };
    let Some(first) = considered.iter().find(|left| left.is_unjudged()) else { return Ok(None) };
    Tree::open(client, run, worktree, confine, considered)
        .and_then(|tree| tree.unjudged(run, considered))
        .map_err(|error| unknown(&first.run, &error))
}

fn unknown(run: &RunId, error: &WorldError) -> Error {
    Error::environment(error).hint(format!(
        "run `{run}` left work here that nobody judged, and it could not be compared: `piton resume {run}`, or `piton rm {run}` if you looked at it"
    ))
}

/// The tree as it is now.
struct Tree {
    workspace: Workspace,
    now: Snapshot,
    head: Option<String>,
}

impl Tree {
    fn open(
        client: &LocalClient,
        run: &RunId,
        worktree: Option<&Worktree>,
        confine: Option<&Confine>,
        left: &[Left],
    ) -> Result<Self, WorldError> {
        let layout = client.layout().at(worktree);
        // What was judged is looked at, whatever the rules and the index say that an agent left.
        let judged = left.iter().map(|left| snapshot_id(&left.judged.id)).collect::<Result<_, _>>()?;
        let workspace = open_workspace(&layout, run)?.holding(judged);
        // Whether a file changed is asked of filters, and what is there may be what an agent left.
        let around = Surroundings::open(run, &layout, confine)?.around_filters(&workspace, None)?;
        let workspace = workspace.running_filters_in(around);
        workspace.protect_state()?;
        let now = workspace.snapshot(run.as_str(), "the tree it starts from")?;
        let head = now.head.clone();
        Ok(Self { now: attempt::recorded(&now), head, workspace })
    }

    /// What is unjudged of all that, the last one first.
    fn unjudged(&self, run: &RunId, left: &[Left]) -> Result<Option<Unjudged>, WorldError> {
        let mut found: Option<Unjudged> = None;
        for (index, one) in left.iter().enumerate().filter(|(_, one)| one.is_unjudged()) {
            let is_last = index == 0;
            let Some(seen) = one.seen.as_ref().filter(|_| !one.is_open) else {
                if is_last && !over::between(&self.workspace, &one.judged, &self.now)?.is_empty() {
                    let (run, edited) = (one.run.clone(), BTreeSet::new());
                    let base = one.judged.clone();
                    found = Some(Unjudged { run, base, is_known: false, is_committed: false, edited });
                }
                continue;
            };
            let stands = match is_last {
                true => self.stands(one, seen)?,
                false => self.came_back(one, seen, &left[..index])?,
            };
            if stands.is_empty() {
                continue;
            }
            let from = found.as_ref().map_or(&self.now, |found| &found.base);
            let base = over::made(&self.workspace, run, from, &one.judged, &stands)?;
            let edited = &over::between(&self.workspace, seen, &self.now)? & &stands;
            let is_committed = self.is_committed(&stands)?;
            found = Some(match found {
                Some(found) => {
                    let is_committed = found.is_committed || is_committed;
                    Unjudged { base, is_committed, edited: &found.edited | &edited, ..found }
                }
                None => Unjudged { run: one.run.clone(), base, is_known: true, is_committed, edited },
            });
        }
        Ok(found)
    }

    /// The paths that the run driven last changed and that are not as they were before. What a person has committed since is theirs.
    fn stands(&self, one: &Left, seen: &Snapshot) -> Result<BTreeSet<RepoPath>, WorldError> {
        let changed = over::between(&self.workspace, &one.judged, &self.now)?;
        let stands = &over::between(&self.workspace, &one.judged, seen)? & &changed;
        let then = self.workspace.read(&snapshot_id(&seen.id)?)?.head;
        let heads = then.zip(self.head.clone()).filter(|(then, head)| then != head);
        let Some((then, head)) = heads else { return Ok(stands) };
        let (then, head) = (snapshot_id(&then)?, snapshot_id(&head)?);
        let paths = |before, after| -> Result<BTreeSet<RepoPath>, WorldError> {
            Ok(self.workspace.written(before, after)?.into_iter().map(|written| written.path).collect())
        };
        let committed = &paths(&then, &head)? - &paths(&head, &snapshot_id(&self.now.id)?)?;
        Ok(&stands - &committed)
    }

    /// Whether any of these paths is committed as it is now: whoever would commit it has nothing to commit.
    fn is_committed(&self, stands: &BTreeSet<RepoPath>) -> Result<bool, WorldError> {
        let Some(head) = &self.head else { return Ok(false) };
        let other = self.workspace.written(&snapshot_id(head)?, &snapshot_id(&self.now.id)?)?;
        let other: BTreeSet<RepoPath> = other.into_iter().map(|written| written.path).collect();
        Ok(!stands.is_subset(&other))
    }

    /// The paths that are again as a run left them that others were driven after, and that none of those judged so.
    fn came_back(
        &self,
        one: &Left,
        seen: &Snapshot,
        later: &[Left],
    ) -> Result<BTreeSet<RepoPath>, WorldError> {
        let exact = &over::between(&self.workspace, &one.judged, seen)?
            - &over::between(&self.workspace, seen, &self.now)?;
        let mut back = exact;
        for other in later {
            if back.is_empty() {
                break;
            }
            // Where the last judged tree of the other has another content, it did not judge this one.
            back = &back & &over::between(&self.workspace, seen, &other.judged)?;
        }
        Ok(back)
    }
}
