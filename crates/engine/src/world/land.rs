//! Where work lands: a work tree of the run's own, and a commit for every green iteration.

use std::time::Duration;

use piton_git::{Expected, Workspace};
use piton_model::State;
use piton_model::limits::clip;
use piton_model::loop_machine::{CheckRound, GuardMode, Worktree, regressions};

use piton_sys::process::{Program, RunLimits};

use super::{Context, WorldError, open_workspace};
use crate::launch::{Surroundings, hidden_variables};
use crate::layout::Layout;

/// What furnishing may take: installing the packages of a project is slow.
const FURNISH_LIMITS: RunLimits =
    RunLimits { deadline: Duration::from_secs(30 * 60), output_bytes_max: 64 << 20 };

/// The longest first line of a commit message.
const SUBJECT_BYTES_MAX: usize = 72;

/// Makes the work tree of a run that has not begun: a branch from `HEAD`, and on it whatever is not committed in
/// the repository. May be repeated.
pub(super) fn begin(
    layout: &Layout,
    state: &State,
    worktree: &Worktree,
    launch: &Surroundings,
) -> Result<(), WorldError> {
    let run = state.run.as_str();
    let repository = open_workspace(&layout.in_place(), &state.run)?;
    repository.protect_state()?;
    let is_dirty = repository.standing()?.is_dirty;
    let adopted = state.memory.adopted.as_ref().and_then(|adopted| adopted.snapshot.as_ref());
    let source = match adopted {
        Some(snapshot) => Some(super::snapshot_id(&snapshot.id)?),
        None if is_dirty => Some(repository.snapshot(run, "the tree it starts from")?.id),
        None => None,
    };
    repository.add_work_tree(layout.tree(), &worktree.branch)?;
    if let Some(source) = source {
        let tree = open_workspace(layout, &state.run)?;
        tree.restore(run, &source, Expected::Anything)?;
        tree.commit_all("The tree this run starts from\n")?;
    }
    furnish(layout, state, worktree, launch)
}

/// Brings what git does not keep into a new work tree: copies, links, and whatever its setup makes.
fn furnish(
    layout: &Layout,
    state: &State,
    worktree: &Worktree,
    launch: &Surroundings,
) -> Result<(), WorldError> {
    let failed =
        |path: &str, why: &dyn std::fmt::Display| WorldError::Furnish { what: format!("`{path}`: {why}") };
    let (root, tree) = (layout.root(), layout.tree());
    open_workspace(layout, &state.run)?.protect_state()?;
    // What is there already came from git, or from an earlier try.
    let missing = |path: &&String| {
        root.join(path).symlink_metadata().is_ok() && tree.join(path).symlink_metadata().is_err()
    };
    for path in worktree.copy.iter().chain(&worktree.link).filter(missing) {
        if let Some(parent) = tree.join(path).parent() {
            std::fs::create_dir_all(parent).map_err(|error| failed(path, &error))?;
        }
    }
    for path in worktree.copy.iter().filter(missing) {
        let copy = Program::new("cp").args(["-a", "--"]).arg(root.join(path)).arg(tree.join(path));
        run(copy, path, launch)?;
    }
    for path in worktree.link.iter().filter(missing) {
        std::os::unix::fs::symlink(root.join(path), tree.join(path)).map_err(|error| failed(path, &error))?;
    }
    match &worktree.setup {
        // Outside of walls: no agent has touched the tree yet, and installing writes where it likes.
        Some(command) => {
            let program = Program::new("sh").args(["-c", command]).env("CI", "1").current_dir(tree);
            let hidden = hidden_variables(None);
            run(hidden.iter().fold(program, |program, name| program.env_remove(name)), command, launch)
        }
        None => Ok(()),
    }
}

fn run(program: Program, what: &str, launch: &Surroundings) -> Result<(), WorldError> {
    let failed = |why: String| {
        let why = launch.redactor().redact(&why);
        WorldError::Furnish { what: format!("`{what}`: {why}") }
    };
    let output = program.run(FURNISH_LIMITS).map_err(|error| failed(super::sentence(&error)))?;
    match output.success() {
        true => Ok(()),
        false if output.timed_out => Err(failed("it took too long".to_owned())),
        false => Err(failed(String::from_utf8_lossy(&output.stderr).trim().to_owned())),
    }
}

/// Commits what the checks of an iteration found green; the commit, if there was anything new.
pub(super) fn commit(
    context: &Context,
    state: &State,
    round: &CheckRound,
) -> Result<Option<String>, WorldError> {
    let green =
        state.config.worktree.is_some() && state.work.attempt > 0 && !round.cancelled && round.all_pass();
    // What the numbers speak against is refused right after; it must not be on the branch.
    if !green || regresses(state, round) {
        return Ok(None);
    }
    Ok(context.workspace.commit_all(&message(state))?)
}

fn regresses(state: &State, round: &CheckRound) -> bool {
    let found = regressions(
        &state.config.thresholds,
        state.seen.measures.as_ref(),
        state.judged.reference.as_ref(),
        round,
    );
    let counts = matches!(state.config.guard, GuardMode::Block | GuardMode::Ask);
    counts && found.iter().any(|finding| finding.blocking)
}

/// What the agent says it did, in its own words, and where that is on record.
fn message(state: &State) -> String {
    let report = state.work.ended.as_ref().and_then(|ended| ended.report.as_ref());
    let summary = report.and_then(|report| report.summary.as_deref()).unwrap_or_default().trim();
    let first = summary.lines().next().unwrap_or_default().trim();
    let subject = match first {
        "" => format!("Iteration {}", state.work.iteration),
        long if long.len() > SUBJECT_BYTES_MAX => {
            format!("{}…", clip(long, SUBJECT_BYTES_MAX - 3).trim_end())
        }
        short => short.to_owned(),
    };
    let body =
        if summary == subject || summary.is_empty() { String::new() } else { format!("{summary}\n\n") };
    format!("{subject}\n\n{body}piton: run {}, iteration {}\n", state.run, state.work.iteration)
}

/// Whether a loop here would rather not work in place: on the default branch, or over uncommitted work.
pub fn wants_worktree(workspace: &Workspace) -> Result<bool, piton_git::Error> {
    let standing = workspace.standing()?;
    Ok(standing.has_commit && (standing.is_default_branch || standing.is_dirty))
}
