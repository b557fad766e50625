//! Starting a run: what was ordered is checked and put on record, then a driver is started
//! ([`driver_process`](crate::driver_process)).
//!
//! - [`loops`], [`workflows`], [`cycles`], [`fork`], [`import`]: what can be started. `go_on`: going on with what is there; `said_later`:
//!   flags that are given with it.
//! - [`hooks`]: what is called while a run goes on. [`known`]: where runs were ever started. [`ready`]: what a loop would
//!   meet here.

mod cycles;
mod fork;
mod go_on;
pub mod hooks;
mod import;
pub mod known;
mod loops;
mod options;
mod prep;
mod queue;
pub mod ready;
mod resume;
mod said_later;
mod taken_up;
mod team;
mod workflows;

pub(crate) use cycles::extend;
pub(crate) use fork::{mend, mender_of};
pub(crate) use go_on::require_kept;
pub(crate) use queue::{added as added_item, item_tree, tip_of};
pub(crate) use resume::resume;
pub use workflows::not_runnable;

use std::path::Path;

use piton_git::Workspace;
use piton_model::RunId;
use piton_model::loop_machine::{AgentConfig, Worktree};
use piton_view::words::clean_line;
use piton_view::{Error, ErrorKind, Order, Started};

use crate::client::LocalClient;
use crate::layout::Layout;
use crate::world::land::settings;
use crate::world::{furnish, open_workspace};

/// What the newest run is called by whoever does not know its name; no run may have it.
pub(crate) const LAST: &str = "last";

/// Where the branches of runs are.
pub(crate) const BRANCHES: &str = "piton/";

/// What is said where somebody leaves the walls out.
const NO_WALLS: &str =
    "note: no walls, by --no-confine: agents and checks can write and read whatever you can";

/// Carries out an order.
pub(crate) async fn start(client: &LocalClient, order: Order) -> Result<Started, Error> {
    let mut notes = Vec::new();
    let (run_id, after) = match order {
        Order::Loop(order) => loops::start(client, &order, None, &mut notes).await?,
        Order::Import { file, order } => import::start(client, &file, *order, &mut notes).await?,
        Order::Queue(order) => queue::start(client, &order, &mut notes).await?,
        Order::Workflow(order) => workflows::start(client, &order, &mut notes).await?,
        Order::Cycle(order) => cycles::start(client, &order, &mut notes).await?,
        Order::ImportCycle { file, order } => taken_up::import(client, &file, &order, &mut notes).await?,
        Order::RebuildCycle { id, order } => taken_up::from_progress(client, &id, &order, &mut notes).await?,
        Order::Fork(order) => fork::start(client, &order).await?,
    };
    Ok(Started { run_id, after, notes })
}

/// Why a run could not begin, where it was not there a moment ago. If it is now, somebody else was faster.
async fn overtaken(client: &LocalClient, run: &RunId, failure: Error) -> Error {
    match (failure.kind, client.kind(run).await) {
        (ErrorKind::Usage, Ok(_)) => {
            Error::new(ErrorKind::Held, format!("another piton has just begun run `{run}`"))
                .hint(format!("run `piton attach {run}`"))
        }
        _ => failure,
    }
}

/// The name of a new run.
fn name_of(text: &str) -> Result<RunId, Error> {
    if text.eq_ignore_ascii_case(LAST) {
        return Err(
            Error::usage("no run can be called `last`: that is the newest one").hint("choose another name")
        );
    }
    text.parse().map_err(|error| Error::of(ErrorKind::Usage, &error))
}

/// An agent that is not there is found out before anything is recorded.
pub(crate) fn require_program(agent: &AgentConfig, root: &Path) -> Result<(), Error> {
    let program = &agent.command[0];
    let path = std::env::var_os("PATH");
    match piton_sys::process::find_program(program.as_ref(), path.as_deref(), root) {
        Some(_) => Ok(()),
        None => Err(Error::new(
            ErrorKind::Environment,
            format!("the agent program `{}` is not in PATH", clean_line(program)),
        )
        .hint("install it, or name another with --agent or --exec")),
    }
}

/// What the work tree and the branch of a run are called after: a name that somebody gave is taken whole, as two of them may end alike;
/// of one that was made up, the part that no other has.
fn name_of_tree<'a>(run: &'a RunId, given: Option<&str>) -> &'a str {
    if given.is_some() { run.as_str() } else { run.short() }
}

/// Where a run may have a work tree of its own: beside the repository, if nothing is in the way there.
fn tree_beside(layout: &Layout, name: &str, hint: &str) -> Result<String, Error> {
    let root = layout.root().file_name().unwrap_or_default().to_string_lossy();
    let path = layout.root().with_file_name(format!("{root}-{name}"));
    if path.symlink_metadata().is_ok() {
        let path = path.display();
        return Err(Error::usage(format!("`{path}` is in the way of the run's work tree")).hint(hint));
    }
    let path = path.to_str().ok_or_else(|| Error::usage("the path of this repository is not UTF-8"))?;
    Ok(path.to_owned())
}

/// The branch of a run's own. Not one that is there: work would go on from what another run left, which is nobody's wish.
fn free_branch(workspace: &Workspace, name: &str, hint: &str) -> Result<String, Error> {
    let branch = format!("{BRANCHES}{name}");
    match workspace.has_branch(&branch).map_err(|error| Error::environment(&error))? {
        false => Ok(branch),
        true => Err(Error::usage(format!("the branch `{branch}` is there already")).hint(format!(
            "{hint}; `git log {branch}` shows what is on it, `git branch -D {branch}` removes it with all of that"
        ))),
    }
}

/// A work tree of the run's own, furnished as `[worktree]` says.
fn own_tree(
    layout: &Layout,
    run: &RunId,
    name: &str,
    settings: &piton_config::Worktree,
    hint: &str,
) -> Result<Worktree, Error> {
    let furnished = furnished(layout, run, settings)?;
    let branch = free_branch(&open_workspace(layout, run)?, name, hint)?;
    Ok(Worktree { path: tree_beside(layout, name, hint)?, branch, ..furnished })
}

/// The same without its place and its branch.
fn furnished(layout: &Layout, run: &RunId, settings: &piton_config::Worktree) -> Result<Worktree, Error> {
    let workspace = open_workspace(layout, run)?;
    let failed = |error: piton_git::Error| Error::environment(&error);
    if !workspace.has_commit().map_err(failed)? {
        return Err(Error::usage("--worktree needs a git repository with a commit to start from")
            .hint("commit something first, or let it work in place"));
    }
    let ignored = workspace.ignored().map_err(failed)?;
    let named = settings.copy.as_ref().map(|list| list.value.clone()).unwrap_or_default();
    let is_on = |flag: &Option<piton_config::Sourced<bool>>| flag.as_ref().is_none_or(|flag| flag.value);
    let (copy, left) = furnish::sorted(layout.root(), &ignored, &named, is_on(&settings.installed));
    let piton_git::Identity { author, committer } = workspace.identity().map_err(failed)?;
    Ok(Worktree {
        path: String::new(),
        branch: String::new(),
        from: None,
        onto: workspace.head().map_err(failed)?.branch,
        copy,
        left,
        setup: settings.setup.as_ref().map(|command| command.value.clone()),
        compare: is_on(&settings.compare),
        author: Some(author),
        committer: Some(committer),
    })
}

/// What a person should know of a new work tree: which files do not come onto its branch, since only the repository names their filter.
fn not_filtered(layout: &Layout, run: &RunId) -> Result<Option<String>, Error> {
    let workspace = open_workspace(&layout.in_place(), run)?;
    let held = workspace.held_filters().map_err(|error| Error::environment(&error))?;
    Ok((!held.is_empty()).then(|| {
        clean_line(&format!(
            "note: files under the filter {} are not committed: only .git/config names it; `git config --global` makes it yours",
            held.join(", ")
        ))
    }))
}

/// What a person should know of a new work tree: what of theirs goes along, since it becomes a commit on its branch.
fn goes_along(layout: &Layout, run: &RunId) -> Result<Option<String>, Error> {
    const NAMED_MAX: usize = 5;
    let failed = |error: piton_git::Error| Error::environment(&error);
    let files = open_workspace(&layout.in_place(), run)?.uncommitted(&[settings()]).map_err(failed)?;
    let named: Vec<String> = files.iter().take(NAMED_MAX).map(ToString::to_string).collect();
    let more = files.len() - named.len();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let what = match files.len() {
        0 => return Ok(None),
        1 => "1 file that is not committed yet goes along, in a commit of its own".to_owned(),
        many => format!("{many} files that are not committed yet go along, in a commit of their own"),
    };
    Ok(Some(clean_line(&format!("note: {what}: {}{more}", named.join(", ")))))
}

/// What a person should know of a new work tree: what is too large to be taken along, unless it is copied.
fn too_large(layout: &Layout, run: &RunId, worktree: &Worktree) -> Result<Option<String>, Error> {
    let workspace = open_workspace(&layout.in_place(), run)?;
    let found = workspace.too_large().map_err(|error| Error::environment(&error))?;
    let is_copied = |path: &str| worktree.copy.iter().any(|copied| Path::new(path).starts_with(copied));
    let left: Vec<String> = found.iter().map(ToString::to_string).filter(|path| !is_copied(path)).collect();
    Ok((!left.is_empty()).then(|| {
        clean_line(&format!(
            "note: not in the work tree, as it is larger than 64 MiB and git does not have it: {}; `[worktree] copy` brings it along",
            left.join(", ")
        ))
    }))
}

/// What a person should know of a new work tree: what of the repository is in it though git does not keep it, and what not.
fn said_of(worktree: &Worktree) -> Option<String> {
    let list = |paths: &[String]| clean_line(&paths.join(", "));
    let Worktree { copy, left, .. } = worktree;
    match (copy.is_empty(), left.is_empty()) {
        (true, true) => None,
        (false, true) => Some(format!("note: copied into the work tree: {}", list(copy))),
        (true, false) => Some(format!("note: not in the work tree, as git ignores it: {}", list(left))),
        (false, false) => Some(format!(
            "note: copied into the work tree: {}; not in it, as git ignores it: {}",
            list(copy),
            list(left)
        )),
    }
}
