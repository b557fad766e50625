//! Bringing the work of a run to the branch where it belongs.
//!
//! Nothing of the person's moves before the result is known to be good: where the branch went on, commits are made anew in a
//! [`scratch`] tree, and the checks of the run judge what came of it. Then the branch moves, in one step. Ended at any point, it can be
//! given again: what a branch has, git says.

pub(super) mod branch;
pub(super) mod forge;
mod ignored;
mod pull_request;
pub(super) mod remains;
mod scratch;
pub(super) mod several;

use std::path::PathBuf;

use piton_git::{Advanced, Identity, Landing, Own, RepoPath, SnapshotId, Workspace};
use piton_model::loop_machine::{AgentConfig, Check, Confine, Snapshot, State, Worktree};
use piton_model::workflow::{self, WorkPlace};
use piton_model::{RunId, Status};
use piton_store::Claim;
use piton_view::words::{self, clean_line};
use piton_view::{Error, ErrorKind, LandOrder, LandShape, LandedView, StateOf};

use self::branch::OnBranch;
use self::remains::Remains;
use self::scratch::{Checked, Scratch};
use super::LocalClient;
use crate::driver_process;
use crate::launch::Surroundings;
use crate::layout::Layout;
use crate::start;
use crate::world::land::{began_uncommitted, own, settings};
use crate::world::open_workspace;

/// What is known of a run whose work is landed.
struct Work {
    run: RunId,
    title: String,
    status: Status,
    worktree: Option<Worktree>,
    checks: Vec<Check>,
    confine: Option<Confine>,
    protect: Vec<String>,
    agent: AgentConfig,
    /// What of its tree is in no commit and nobody's work.
    own: Vec<Own>,
    /// Its own commits hold all that was judged: what else is in the tree came later.
    is_committed: bool,
    is_loop: bool,
    /// Its first snapshot, as far as it is known.
    start: Option<String>,
}

impl Work {
    async fn of(client: &LocalClient, run: &RunId) -> Result<Self, Error> {
        Ok(match client.load_any(run, None).await?.state {
            StateOf::Loop(state) => Self::of_loop(*state),
            StateOf::Cycle(state) => Self {
                agent: state.config.developer(),
                run: state.run,
                title: state.title,
                status: state.status,
                worktree: state.config.worktree,
                checks: state.config.checks,
                confine: state.config.confine,
                protect: state.config.protect,
                own: vec![settings()],
                is_committed: false,
                is_loop: false,
                start: None,
            },
            StateOf::Workflow(state) => Self::of_workflow(*state),
            StateOf::Ledger(_) => {
                return Err(Error::usage(format!("`{run}` is a ledger: it has no branch to land")));
            }
        })
    }

    fn of_loop(state: State) -> Self {
        let (own, is_committed) = (own(&state), state.status == Status::Completed);
        let config = state.config;
        Self {
            own,
            is_committed,
            is_loop: true,
            start: state.seen.start.map(|start| start.id),
            run: state.run,
            title: state.title,
            status: state.status,
            worktree: config.worktree,
            checks: config.checks,
            confine: config.confine,
            protect: config.protect,
            agent: config.agent,
        }
    }

    /// A workflow's own gates judged its steps; there are no checks to run again.
    fn of_workflow(state: workflow::State) -> Self {
        let worktree = match state.options.place {
            Some(WorkPlace::Worktree(worktree)) => Some(worktree),
            Some(WorkPlace::Directory(_) | WorkPlace::Shared(_)) | None => None,
        };
        Self {
            run: state.run,
            title: state.title,
            status: state.status,
            worktree,
            checks: Vec::new(),
            confine: state.options.confine,
            protect: Vec::new(),
            agent: AgentConfig::default(),
            own: vec![settings()],
            is_committed: false,
            is_loop: false,
            start: None,
        }
    }
}

/// Brings it there.
pub(super) async fn land(client: &LocalClient, run: &RunId, order: LandOrder) -> Result<LandedView, Error> {
    let work = Work::of(client, run).await?;
    let worktree = work.worktree.clone().ok_or_else(|| in_place(&work))?;
    require_done(&work, &order)?;
    if order.mend && !work.is_loop {
        return Err(Error::usage(format!(
            "`{run}` is no loop: there is nothing like it that could mend its work"
        ))
        .hint("land it without --mend; where a check fails, it says what to do"));
    }
    // The lease keeps a driver out meanwhile.
    driver_process::settled(client, run).await?;
    let report = match order.shape {
        LandShape::PullRequest => super::report::report(client, run).await?.text,
        LandShape::Commits | LandShape::Squash | LandShape::Merge => String::new(),
    };
    let lease = client.claim(run, Claim::IfFree).await?;
    let landed = Landed { client, work: &work, worktree: &worktree, order: &order, report }.bring();
    client.release_shown(lease).await?;
    let (mut view, unfit) = landed?;
    if let Some((mender, result)) = unfit {
        start::mend(client, (run, mender.clone()), (result, &view.onto)).await?;
        view.mended_by = Some(mender);
    }
    Ok(view)
}

fn in_place(work: &Work) -> Error {
    let run = &work.run;
    let look = if work.is_loop { format!("piton diff {run}") } else { "git status".to_owned() };
    Error::usage(format!(
        "`{run}` worked in place: its changes are in the checkout, on no branch of their own"
    ))
    .hint(format!("look at them with `{look}`, and commit what you want with git"))
}

/// Whose work is not done lands only if somebody says so.
fn require_done(work: &Work, order: &LandOrder) -> Result<(), Error> {
    let run = &work.run;
    match work.status {
        Status::Completed => Ok(()),
        Status::Created | Status::Running | Status::Rebooting => {
            Err(Error::new(ErrorKind::Held, format!("`{run}` is still at work"))
                .hint(format!("`piton wait {run}` waits for it, `piton stop {run}` stops it")))
        }
        _ if order.unfinished => Ok(()),
        status => Err(Error::new(ErrorKind::Person, format!("`{run}` is {status}, not done"))
            .hint(format!("`piton resume {run}` goes on; `--unfinished` lands what there is"))),
    }
}

/// Removes the work tree and the branch of a run that is forgotten: where they were landed, or where somebody gives them up. What
/// stays is said.
pub(super) async fn let_go(client: &LocalClient, run: &RunId, given_up: bool) -> Result<Vec<String>, Error> {
    let Some(remains) = Remains::of_run(client, run).await? else { return Ok(Vec::new()) };
    if given_up || remains.is_landed() {
        remains.remove()?;
        return Ok(Vec::new());
    }
    Ok(vec![format!(
        "its {} stay: {} not landed; `piton gc --given-up` removes them",
        remains.words(),
        remains.unlanded()
    )])
}

/// The work that is about to land.
struct Landed<'a> {
    client: &'a LocalClient,
    work: &'a Work,
    worktree: &'a Worktree,
    order: &'a LandOrder,
    /// What a pull request says.
    report: String,
}

/// What lands: commits, and the one among them that holds what was not committed when the run began.
pub(super) struct Range {
    pub(super) from: SnapshotId,
    pub(super) tip: SnapshotId,
    /// Where the run's branch left the other one.
    pub(super) base: SnapshotId,
    pub(super) commits: Vec<SnapshotId>,
    pub(super) taken: Option<SnapshotId>,
}

impl Range {
    /// Whether the branch went on since.
    fn has_moved(&self) -> bool {
        self.base != self.from
    }
}

impl Landed<'_> {
    /// Brings it there; or what would have landed, and the run that is to mend it.
    fn bring(&self) -> Result<(LandedView, Option<(RunId, Snapshot)>), Error> {
        let in_place = self.client.layout().in_place();
        let repository = open_workspace(&in_place, &self.work.run)?;
        let launch = self.surroundings(&in_place)?;
        let around = launch.around_filters(&repository, Some(&self.work.agent)).map_err(environment)?;
        let repository = repository.running_filters_in(around);
        let onto = self.onto(&repository)?;
        let left = self.commit_rest()?;
        let mut range = self.range(&repository, &onto)?;
        if self.order.watched {
            // Commits that are made anew could not follow those that were pushed before.
            range.from = range.base.clone();
        }
        let mut view = LandedView {
            run_id: self.work.run.clone(),
            onto: onto.clone(),
            commit: range.from.to_string(),
            commits: u32::try_from(range.commits.len()).unwrap_or(u32::MAX),
            began_uncommitted: range.taken.is_some(),
            is_empty: false,
            was_there: range.commits.is_empty(),
            rebased: range.has_moved() && !range.commits.is_empty(),
            with_files: false,
            checks: Vec::new(),
            red: Vec::new(),
            mended_by: None,
            pull_request: None,
            notes: left_alone(&left, &self.worktree.path),
        };
        if range.commits.is_empty() {
            let start = self.work.start.as_deref();
            let found = OnBranch::look(&in_place, &self.work.run, self.worktree, start).unwrap_or_default();
            view.is_empty = found == OnBranch::default();
            return Ok((view, None));
        }
        let identity = self.identity(&repository)?;
        let missing = self.missing()?;
        let scratch = Scratch::new(self, &repository, &range, &missing)?;
        let (result, taken) = scratch.result(self.order.shape, &range, &identity, &self.message())?;
        match scratch.check(&result)? {
            Checked::Fit { passed, red } => (view.checks, view.red) = (passed, red),
            Checked::Unfit { check, mender, result } => {
                (view.red, view.commits) = (vec![check], 0);
                return Ok((view, Some((mender, result))));
            }
        }
        scratch.remove()?;
        view.notes
            .extend(not_in_commits(&missing, &ignored::leading_out(&repository, &range.from, &result)?));
        view.commit = result.to_string();
        if self.order.shape == LandShape::PullRequest {
            view.pull_request = Some(pull_request::open(&repository, self, &result, &onto)?);
        } else {
            view.with_files = self.advance(&repository, &onto, &range, &result, taken.as_ref())?;
        }
        Ok((view, None))
    }

    /// Code of the run that is in no commit, because git ignores it.
    fn missing(&self) -> Result<Vec<RepoPath>, Error> {
        let layout = self.client.layout().at(Some(self.worktree));
        if !layout.tree().join(".git").exists() {
            return Ok(Vec::new());
        }
        ignored::only_there(&open_workspace(&layout, &self.work.run)?, layout.root())
    }

    fn surroundings(&self, layout: &Layout) -> Result<Surroundings, Error> {
        let launch = Surroundings::open(&self.work.run, layout, self.work.confine.as_ref());
        let launch = launch.and_then(Surroundings::closing_git).map_err(environment)?;
        Ok(launch.protecting(&self.work.protect))
    }

    /// Commits what lies in the run's tree and in no commit: only a loop that is done has committed what was judged, and there the
    /// rest is somebody else's, which is returned.
    fn commit_rest(&self) -> Result<Vec<RepoPath>, Error> {
        let layout = self.client.layout().at(Some(self.worktree));
        if !layout.tree().join(".git").exists()
            || piton_git::owner_of(layout.tree()).as_deref() != Some(layout.root())
        {
            return Ok(Vec::new());
        }
        let tree = open_workspace(&layout, &self.work.run)?;
        let launch = self.surroundings(&layout)?;
        let around = launch.around_filters(&tree, Some(&self.work.agent)).map_err(environment)?;
        let tree = tree.running_filters_in(around);
        let rest = tree.uncommitted(&self.work.own).map_err(environment)?;
        if rest.is_empty() || self.work.is_committed {
            return Ok(rest);
        }
        tree.stand_on(&self.worktree.branch).map_err(environment)?;
        let what = tree.snapshot(self.work.run.as_str(), "what is to land").map_err(environment)?;
        let identity = self.identity(&tree)?;
        tree.commit(&what.id, &self.message(), &identity, &self.work.own).map_err(environment)?;
        // What is too large for a snapshot, or under a filter that does not run here, is in no commit.
        tree.uncommitted(&self.work.own).map_err(environment)
    }

    /// The branch that is meant.
    fn onto(&self, repository: &Workspace) -> Result<String, Error> {
        if let Some(onto) = self.order.onto.clone().or_else(|| self.worktree.onto.clone()) {
            return Ok(onto);
        }
        let head = repository.head().map_err(environment)?;
        head.branch.ok_or_else(|| {
            Error::usage("the checkout stands on no branch, and the run began on none")
                .hint("say where it belongs with --onto BRANCH")
        })
    }

    fn range(&self, repository: &Workspace, onto: &str) -> Result<Range, Error> {
        let branch = &self.worktree.branch;
        let tip = repository.branch_tip(branch).map_err(environment)?;
        let tip = tip.ok_or_else(|| {
            Error::usage(format!("the branch `{branch}` of the run is gone")).hint(format!(
                "`piton restore {}` writes the files of its best iteration into the checkout",
                self.work.run
            ))
        })?;
        let from = repository.branch_tip(onto).map_err(environment)?;
        let from = from.ok_or_else(|| {
            Error::usage(format!("there is no branch `{onto}`")).hint("name another with --onto BRANCH")
        })?;
        let base = repository.common(&from, &tip).map_err(environment)?;
        let base =
            base.ok_or_else(|| Error::usage(format!("`{branch}` and `{onto}` have no commit in common")))?;
        let commits = repository.commits_since(&base, &tip).map_err(environment)?;
        let taken =
            commits.first().filter(|(_, subject)| began_uncommitted(subject)).map(|(id, _)| id.clone());
        let landing = repository.landing(self.work.run.as_str()).map_err(environment)?;
        let landing = landing.filter(|landing| landing.from == tip);
        let was_landed = match landing {
            Some(landing) => repository.is_ancestor(&landing.became, &from).map_err(environment)?,
            None => false,
        };
        let commits = match was_landed || repository.has_work(&from, &tip).map_err(environment)? {
            true => Vec::new(),
            false => commits.into_iter().map(|(id, _)| id).collect(),
        };
        Ok(Range { from, tip, base, commits, taken })
    }

    fn identity(&self, repository: &Workspace) -> Result<Identity, Error> {
        match self.worktree.author.clone().zip(self.worktree.committer.clone()) {
            Some((author, committer)) => Ok(Identity { author, committer }),
            None => repository.identity().map_err(environment),
        }
    }

    /// What a commit of all of it says.
    fn message(&self) -> String {
        let title = clean_line(&self.work.title);
        format!("{}\n\npiton: run {}\n", words::cut(&title, SUBJECT_WIDTH), self.work.run)
    }

    /// Moves the branch. Whether the files of the checkout went with it.
    fn advance(
        &self,
        repository: &Workspace,
        onto: &str,
        range: &Range,
        result: &SnapshotId,
        taken: Option<&SnapshotId>,
    ) -> Result<bool, Error> {
        let run = &self.work.run;
        match repository.advance(onto, (&range.from, result), taken).map_err(environment)? {
            Advanced::Moved { with_files } => {
                let landing = Landing { from: range.tip.clone(), became: result.clone() };
                repository.remember_landing(run.as_str(), &landing).map_err(environment)?;
                Ok(with_files)
            }
            Advanced::InTheWay(paths) => {
                Err(Error::new(ErrorKind::Person, "files of the checkout would be written over")
                    .details(names(&paths))
                    .hint(format!("commit or stash them, then run `piton land {run}` again")))
            }
            Advanced::StoodOn(place) => {
                let place = clean_line(&place);
                Err(Error::new(ErrorKind::Person, format!("the work tree `{place}` stands on `{onto}`"))
                    .hint(format!("run `git -C {place} merge --ff-only {result}`")))
            }
            Advanced::MovedElsewhere => {
                Err(Error::new(ErrorKind::Held, format!("`{onto}` has just been moved by somebody else"))
                    .hint(format!("run `piton land {run}` again")))
            }
        }
    }

    /// Where the scratch tree may be: beside that of the run.
    fn scratch_place(&self) -> PathBuf {
        PathBuf::from(format!("{}-landing", self.worktree.path))
    }
}

/// What is said of files that are in no commit of the run.
fn left_alone(files: &[RepoPath], place: &str) -> Vec<String> {
    let list = || names(files).join(", ");
    let note = || format!("note    not landed, as it is not committed in {}: {}", clean_line(place), list());
    (!files.is_empty()).then(note).into_iter().collect()
}

/// What is said of what the commits alone do not bring.
fn not_in_commits(missing: &[RepoPath], leading_out: &[String]) -> Vec<String> {
    let ignored = || format!("note    not landed, as git ignores it: {}", names(missing).join(", "));
    let links = || format!("note    leads out of the repository: {}", leading_out.join(", "));
    let ignored = (!missing.is_empty()).then(ignored);
    ignored.into_iter().chain((!leading_out.is_empty()).then(links)).collect()
}

/// The longest first line of a commit message.
const SUBJECT_WIDTH: usize = 72;

fn names(paths: &[RepoPath]) -> Vec<String> {
    const NAMED_MAX: usize = 20;
    let mut named: Vec<_> = paths.iter().take(NAMED_MAX).map(|path| clean_line(&path.to_string())).collect();
    if paths.len() > NAMED_MAX {
        named.push(format!("and {} more", paths.len() - NAMED_MAX));
    }
    named
}

fn environment(error: impl std::error::Error + 'static) -> Error {
    Error::environment(&error)
}
