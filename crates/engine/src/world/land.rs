//! Where work lands: a work tree of the run's own, and a commit for every green iteration.

use piton_config::files::PROJECT_FILE;
use piton_git::{Committed, Expected, Identity, Own, RepoPath, SnapshotId, Workspace};
use piton_model::limits::clip;
use piton_model::loop_machine::{AgentConfig, Made, Snapshot, Uncommitted, Worktree};
use piton_model::{Command, RunId, State};
use piton_view::words::{clean_line, cut};

use super::{Context, WorldError, open_workspace};
use crate::launch::Surroundings;
use crate::layout::Layout;

/// The longest first line of a commit message.
const SUBJECT_BYTES_MAX: usize = 72;

/// The first line of the commit with what was not committed when a run began.
const START_SUBJECT: &str = "Uncommitted work from before the run";

/// What it was with an older piton.
const START_SUBJECT_BEFORE: &str = "The tree this run starts from";

/// Whether the commit with this first line holds what was not committed when a run began.
pub(crate) fn began_uncommitted(subject: &str) -> bool {
    [START_SUBJECT, START_SUBJECT_BEFORE].contains(&subject)
}

/// Makes the work tree of a run that has not begun: a branch from `HEAD`, and on it whatever is not committed in
/// the repository, with the submodules that are checked out there. What is taken along may be what an agent wrote, of this run's
/// origin or of another one, so filters run between the walls. May be repeated.
pub(crate) fn begin(
    layout: &Layout,
    run: &RunId,
    worktree: &Worktree,
    launch: &Surroundings,
    agent: &AgentConfig,
    adopted: Option<&Snapshot>,
) -> Result<(), WorldError> {
    let repository = open_workspace(&layout.in_place(), run)?;
    let around = launch.around_filters(&repository, Some(agent))?;
    let repository = repository.running_filters_in(around.clone());
    repository.protect_state()?;
    let is_dirty = repository.standing()?.is_dirty;
    let source = match adopted {
        // What the checkout holds belongs to what this one comes after, or to nobody.
        None if worktree.from.is_some() => None,
        Some(snapshot) => Some(super::snapshot_id(&snapshot.id)?),
        None if is_dirty => Some(repository.snapshot(run.as_str(), "the tree it starts from")?.id),
        None => None,
    };
    // The files of a fork are those of its origin, so its branch begins where they stood: from anywhere else its first commit would take
    // back what was committed since.
    let stood = match (&source, adopted) {
        (Some(source), Some(_)) => repository.read(source)?.head,
        _ => None,
    };
    let from = stood.or_else(|| worktree.from.clone());
    repository.add_work_tree(layout.tree(), &worktree.branch, from.as_deref())?;
    let tree = open_workspace(layout, run)?.running_filters_in(around);
    tree.add_submodules(&repository)?;
    if let Some(source) = source {
        tree.restore(run.as_str(), &source, Expected::Anything)?;
        let identity = identity(&tree, Some(worktree))?;
        tree.commit(&source, &format!("{START_SUBJECT}\n"), &identity, &[settings()])?;
    }
    Ok(())
}

/// Commits the files that were judged, whatever lies in the tree by now; or finds the commit that was made of them before a crash.
pub(super) fn commit(context: &Context, state: &State) -> Result<Command, WorldError> {
    context.require_lease(state)?;
    let left = match &state.config.worktree {
        Some(worktree) => context.workspace.stand_on(&worktree.branch)?,
        None => None,
    };
    let (commit, uncommitted) = match &state.seen.snapshot {
        Some(judged) => {
            let judged = super::snapshot_id(&judged.id)?;
            let identity = identity(&context.workspace, state.config.worktree.as_ref())?;
            let (message, trailer) = (message(state), trailer(state));
            let Committed { commit, left } = commit_or_find(
                &context.storing(state.agent())?,
                &judged,
                &message,
                &trailer,
                &identity,
                &own(state),
            )?;
            (commit, uncommitted(context, state, &judged, &left)?)
        }
        None => (None, Uncommitted::default()),
    };
    let stood = |head: piton_git::Head| head.branch.or(head.commit).unwrap_or_else(|| "nothing".to_owned());
    Ok(Command::EndCommit { commit, found_on: left.map(stood), uncommitted })
}

/// As whom the run commits: as whoever git said at its start, whatever the settings say by now.
fn identity(workspace: &Workspace, worktree: Option<&Worktree>) -> Result<Identity, piton_git::Error> {
    match worktree.and_then(|worktree| worktree.author.clone().zip(worktree.committer.clone())) {
        Some((author, committer)) => Ok(Identity { author, committer }),
        None => workspace.identity(),
    }
}

/// The settings: where their owner does not track them, no commit of a run does.
pub(crate) fn settings() -> Own {
    let path = PROJECT_FILE.to_owned().try_into().expect("it is a name");
    Own { path, id: None }
}

/// What checks made, which is in no commit; nor are settings that nobody tracks.
pub(crate) fn own(state: &State) -> Vec<Own> {
    let own = |made: &Made| {
        let path = RepoPath::try_from(made.path.trim_end_matches('/').to_owned()).ok()?;
        Some(Own { path, id: made.id.clone() })
    };
    state.seen.made.iter().filter_map(own).chain([settings()]).collect()
}

/// What is in the tree that was committed and not in its commit.
fn uncommitted(
    context: &Context,
    state: &State,
    judged: &SnapshotId,
    left: &[RepoPath],
) -> Result<Uncommitted, WorldError> {
    let is_left = |made: &&Made| left.iter().any(|path| path.to_string() == made.path.trim_end_matches('/'));
    let made = state.seen.made.iter().filter(is_left).map(|made| made.path.clone()).collect();
    let start = state.seen.start.as_ref().map(|start| super::snapshot_id(&start.id)).transpose()?;
    let submodules = match start {
        Some(start) => context.workspace.uncommitted_submodules(&start, judged)?,
        None => Vec::new(),
    };
    Ok(Uncommitted { made, submodules: submodules.iter().map(ToString::to_string).collect() })
}

/// The commit of these files: a new one, else the last one where it ends with `trailer`.
fn commit_or_find(
    workspace: &Workspace,
    judged: &SnapshotId,
    message: &str,
    trailer: &str,
    identity: &Identity,
    own: &[Own],
) -> Result<Committed, piton_git::Error> {
    let mut committed = workspace.commit(judged, message, identity, own)?;
    if committed.commit.is_none() {
        let ours = |(_, message): &(String, String)| message.trim_end().ends_with(trailer);
        committed.commit = workspace.last_commit()?.filter(ours).map(|(commit, _)| commit);
    }
    Ok(committed)
}

/// The last line of a commit of ours: which run and iteration made it.
fn trailer(state: &State) -> String {
    format!("piton: run {}, iteration {}", state.run, state.work.iteration)
}

/// What the agent says it did, in its own words, and where that is on record.
fn message(state: &State) -> String {
    let summary =
        state.seen.report.as_ref().and_then(|report| report.summary.as_deref()).unwrap_or_default().trim();
    let first = summary.lines().next().unwrap_or_default().trim();
    let subject = match first {
        "" => {
            let iteration = format!(": iteration {}", state.work.iteration);
            format!("{}{iteration}", cut(&clean_line(&state.title), SUBJECT_BYTES_MAX - iteration.len()))
        }
        long if long.len() > SUBJECT_BYTES_MAX => {
            format!("{}…", clip(long, SUBJECT_BYTES_MAX - 3).trim_end())
        }
        short => short.to_owned(),
    };
    let body =
        if summary == subject || summary.is_empty() { String::new() } else { format!("{summary}\n\n") };
    format!("{subject}\n\n{body}{}\n", trailer(state))
}

/// Where a loop works that is told nothing else, and why there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoopPlace {
    /// In place: there is no repository.
    OutsideGit,
    /// In place: there is no commit to begin from.
    NoCommit,
    /// In a tree of its own: this branch is everybody's.
    Default(String),
    /// In a tree of its own: something is not committed on this branch, if it is one.
    Uncommitted(Option<String>),
    /// In place: this branch is a person's own, and everything is committed.
    Clean(Option<String>),
}

impl LoopPlace {
    /// Whether it works in a tree of its own.
    pub fn is_own_tree(&self) -> bool {
        matches!(self, Self::Default(_) | Self::Uncommitted(_))
    }
}

/// Where a loop would work here.
pub fn loop_place(workspace: &Workspace) -> Result<LoopPlace, piton_git::Error> {
    if workspace.is_private() {
        return Ok(LoopPlace::OutsideGit);
    }
    let standing = workspace.standing()?;
    Ok(match standing.branch {
        _ if !standing.has_commit => LoopPlace::NoCommit,
        Some(branch) if standing.is_default_branch => LoopPlace::Default(branch),
        branch if standing.is_dirty => LoopPlace::Uncommitted(branch),
        branch => LoopPlace::Clean(branch),
    })
}

#[cfg(test)]
mod tests {
    use piton_sys::process::{Program, RunLimits};

    use super::*;

    fn git(tree: &std::path::Path, words: &[&str]) {
        let limits = RunLimits { deadline: std::time::Duration::from_secs(60), output_bytes_max: 1 << 20 };
        let done = Program::new("git").args(words).current_dir(tree).run(limits).expect("git");
        assert!(done.success(), "{words:?}");
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a test prepares its files directly")]
    fn a_commit_that_was_made_before_a_crash_is_found_and_not_made_again() {
        let directory = tempfile::tempdir().expect("a directory");
        let tree = directory.path().join("tree");
        std::fs::create_dir_all(tree.join(".piton")).expect("a tree");
        git(&tree, &["init", "-q"]);
        let workspace = Workspace::open(&tree, &tree.join(".piton")).expect("a workspace");
        let commit = |iteration: u32| {
            let trailer = format!("piton: run r, iteration {iteration}");
            let judged = workspace.snapshot("r", "judged").expect("a snapshot").id;
            let identity = workspace.identity().expect("somebody");
            commit_or_find(&workspace, &judged, &format!("Write it\n\n{trailer}\n"), &trailer, &identity, &[])
                .expect("a commit")
                .commit
        };
        std::fs::write(tree.join("a.txt"), "one\n").expect("a file");
        let first = commit(1);
        assert!(first.is_some());
        assert_eq!(commit(1), first, "it is there already");
        assert_eq!(commit(2), None, "what another iteration made is not its own");
        std::fs::write(tree.join("a.txt"), "two\n").expect("a file");
        assert_ne!(commit(1), first, "put back, or done anew, it is another one");
    }
}
