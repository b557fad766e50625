//! Where the result of a landing is made and judged.
//!
//! Where the branch is where the run left it, the result is what the run's own tree holds, and is judged there. Else, and where code
//! that git ignores would be judged with it, it is made in a tree of its own beside it, furnished like that of the run, and gone
//! afterwards.

use std::path::{Path, PathBuf};
use std::time::Duration;

use piton_git::{Identity, Replayed, RepoPath, SnapshotId, Workspace};
use piton_model::loop_machine::Snapshot;
use piton_model::{RunId, Status};
use piton_sys::process::{ProgramOutput, RunLimits};
use piton_view::words::clean_line;
use piton_view::{Error, ErrorKind, LandShape};

use super::{Landed, Range, environment, names};
use crate::layout::Layout;
use crate::start;
use crate::world::attempt::recorded;
use crate::world::{furnish, open_workspace};

/// How long the command may take that sets a tree up.
const SETUP_WITHIN: Duration = Duration::from_secs(30 * 60);
/// How much of what a command prints is kept, to say why it failed.
const OUTPUT_BYTES_MAX: usize = 1 << 20;

/// What the checks said.
pub(super) enum Checked {
    /// The names of those that pass, and of those that fail where somebody wants it landed although the run is not done.
    Fit { passed: Vec<String>, red: Vec<String> },
    /// This one fails, and the run of this name is to mend what would have landed.
    Unfit { check: String, mender: RunId, result: Snapshot },
}

/// A tree in which a result is made and judged.
pub(super) struct Scratch<'a> {
    landed: &'a Landed<'a>,
    repository: &'a Workspace,
    /// Code of the run that is in no commit.
    missing: &'a [RepoPath],
    /// Of its own, where it has one.
    place: Option<PathBuf>,
    layout: Layout,
    tree: Workspace,
}

impl<'a> Scratch<'a> {
    /// The run's own tree, if it stands at the end of its branch and the branch it lands on has not moved; else one of its own, at
    /// the end of that branch.
    pub(super) fn new(
        landed: &'a Landed<'a>,
        repository: &'a Workspace,
        range: &Range,
        missing: &'a [RepoPath],
    ) -> Result<Self, Error> {
        let here = landed.client.layout();
        let own = here.at(Some(landed.worktree));
        if !range.has_moved() && missing.is_empty() && own.tree().join(".git").exists() {
            let tree = open_workspace(&own, &landed.work.run)?;
            let head = tree.head().map_err(environment)?;
            let is_clean = tree.uncommitted(&landed.work.own).map_err(environment)?.is_empty();
            if is_clean && head.commit.as_deref() == Some(range.tip.as_str()) {
                return Ok(Self { landed, repository, missing, place: None, layout: own, tree });
            }
        }
        let place = landed.scratch_place();
        remove(repository, here.root(), &place)?;
        repository.add_scratch_tree(&place, &range.from).map_err(environment)?;
        let mut worktree = landed.worktree.clone();
        worktree.path = place.display().to_string();
        let layout = here.at(Some(&worktree));
        let tree = open_workspace(&layout, &landed.work.run)?;
        tree.mark_owner(here.root()).map_err(environment)?;
        let tree = tree.running_filters_in(
            landed
                .surroundings(&layout)?
                .around_filters(repository, Some(&landed.work.agent))
                .map_err(environment)?,
        );
        Ok(Self { landed, repository, missing, place: Some(place), layout, tree })
    }

    /// Makes the commits that the branch is to end with: the last one, and the one with what was not committed when the run began.
    pub(super) fn result(
        &self,
        shape: LandShape,
        range: &Range,
        identity: &Identity,
        message: &str,
    ) -> Result<(SnapshotId, Option<SnapshotId>), Error> {
        let (taken, rest) = match &range.taken {
            Some(taken) => (Some(taken.clone()), &range.commits[1..]),
            None => (None, &range.commits[..]),
        };
        let (taken, last) = match range.has_moved() {
            false => (taken, range.tip.clone()),
            true => {
                let taken = taken.map(|taken| self.replay(&[taken], identity)).transpose()?;
                (taken, self.replay(rest, identity)?)
            }
        };
        let commit = |parents: &[&SnapshotId]| {
            self.repository.commit_tree(&last, parents, message, identity).map_err(environment)
        };
        let below = taken.as_ref().unwrap_or(&range.from);
        let result = match shape {
            LandShape::Commits | LandShape::PullRequest => last,
            LandShape::Squash if rest.is_empty() => last,
            LandShape::Squash => commit(&[below])?,
            LandShape::Merge => commit(&[&range.from, &last])?,
        };
        Ok((result, taken))
    }

    fn replay(&self, commits: &[SnapshotId], identity: &Identity) -> Result<SnapshotId, Error> {
        match self.tree.replay(commits, identity).map_err(environment)? {
            Replayed::Whole(last) => Ok(last),
            Replayed::Conflict { commit, paths } => {
                self.give_up();
                let (run, onto) = (&self.landed.work.run, self.landed.onto(self.repository)?);
                let tree = clean_line(&self.landed.worktree.path);
                let short = &commit.as_str()[..10];
                Err(Error::new(
                    ErrorKind::Person,
                    format!("`{onto}` went on, and commit {short} changes the same lines"),
                )
                .details(names(&paths))
                .hint(format!(
                    "rebase it yourself with `git -C {tree} rebase {onto}`, then run `piton land {run}` again"
                )))
            }
        }
    }

    /// Runs the checks of the run on the result.
    pub(super) fn check(&self, result: &SnapshotId) -> Result<Checked, Error> {
        let (mut passed, mut red) = (Vec::new(), Vec::new());
        if self.landed.work.checks.is_empty() {
            return Ok(Checked::Fit { passed, red });
        }
        if self.place.is_some() {
            self.tree.stand_at(result).map_err(environment)?;
            self.furnish()?;
        }
        let may_be_red = self.landed.order.unfinished && self.landed.work.status != Status::Completed;
        for check in &self.landed.work.checks {
            let ended = self.run(&check.command, Duration::from_millis(check.timeout_ms))?;
            match ended.success() {
                true => passed.push(check.name.clone()),
                false if may_be_red => red.push(check.name.clone()),
                false => return self.unfit(&check.name, &ended),
            }
        }
        Ok(Checked::Fit { passed, red })
    }

    /// What would have landed, for a run that mends it; else why it does not.
    fn unfit(&self, check: &str, ended: &ProgramOutput) -> Result<Checked, Error> {
        if !self.landed.order.mend {
            self.give_up();
            return Err(self.red(check, ended));
        }
        let mender = start::mender_of(&self.landed.work.title)?;
        let found = self.tree.snapshot(mender.as_str(), "what would land").map_err(environment)?;
        self.give_up();
        Ok(Checked::Unfit { check: check.to_owned(), mender, result: recorded(&found) })
    }

    /// What git does not keep, as the run's own tree had it.
    fn furnish(&self) -> Result<(), Error> {
        let mut worktree = self.landed.worktree.clone();
        worktree.path = self.layout.tree().display().to_string();
        furnish::bring_all(&self.layout, &worktree).map_err(environment)?;
        let Some(setup) = &worktree.setup else { return Ok(()) };
        let ended = self.run(setup, SETUP_WITHIN)?;
        if !ended.success() {
            self.give_up();
            return Err(self.red("[worktree] setup", &ended));
        }
        Ok(())
    }

    fn run(&self, command: &str, deadline: Duration) -> Result<ProgramOutput, Error> {
        let launch = self.landed.surroundings(&self.layout)?;
        let program = launch.check(command, self.layout.tree(), &self.landed.work.agent);
        program.run(RunLimits { deadline, output_bytes_max: OUTPUT_BYTES_MAX }).map_err(environment)
    }

    fn red(&self, name: &str, ended: &ProgramOutput) -> Error {
        const LINES: usize = 10;
        if !self.missing.is_empty() {
            return self.red_without(name);
        }
        let said = [&ended.stdout[..], &ended.stderr[..]].concat();
        let said = String::from_utf8_lossy(&said).into_owned();
        let lines: Vec<_> = said.lines().filter(|line| !line.trim().is_empty()).collect();
        let last = lines[lines.len().saturating_sub(LINES)..].iter().map(|line| clean_line(line)).collect();
        let what = match ended.timed_out {
            true => "takes too long",
            false => "fails",
        };
        let (run, tree) = (&self.landed.work.run, clean_line(&self.landed.worktree.path));
        let onto = self.landed.onto(self.repository).unwrap_or_default();
        let by_hand = format!(
            "`git -C {tree} rebase {onto}`, mend and commit it there, then run `piton land {run}` again"
        );
        Error::new(ErrorKind::Failed, format!("`{name}` {what} on what would land; nothing was moved"))
            .details(last)
            .hint(match self.landed.work.is_loop {
                true => {
                    format!("`piton land {run} --mend` has a loop like this one mend it there; or {by_hand}")
                }
                false => by_hand,
            })
    }

    /// The same where code of the run is not there.
    fn red_without(&self, name: &str) -> Error {
        let (run, tree) = (&self.landed.work.run, clean_line(&self.landed.worktree.path));
        let what =
            format!("`{name}` fails on what would land: git ignores code of the run, which is in no commit");
        Error::new(ErrorKind::Failed, what).details(names(self.missing)).hint(format!(
            "add it with `git -C {tree} add -f`, commit it there, then run `piton land {run}` again"
        ))
    }

    /// Lets go of the tree.
    pub(super) fn remove(self) -> Result<(), Error> {
        match &self.place {
            Some(place) => remove(self.repository, self.landed.client.layout().root(), place),
            None => Ok(()),
        }
    }

    /// The same where something else is to be said: what stays is removed by the next landing.
    fn give_up(&self) {
        if let Some(place) = &self.place {
            let _ = remove(self.repository, self.landed.client.layout().root(), place);
        }
    }
}

/// Removes a scratch tree of ours; anything else in its place is somebody's.
fn remove(repository: &Workspace, root: &Path, place: &Path) -> Result<(), Error> {
    if place.symlink_metadata().is_ok() && piton_git::owner_of(place).as_deref() != Some(root) {
        let place = place.display();
        return Err(Error::usage(format!(
            "`{place}` is in the way of the tree in which the result is checked"
        ))
        .hint("move it away"));
    }
    repository.remove_work_tree(place).map_err(environment)
}
