//! A pull request: the result is pushed to the remote, and `gh` opens the request.

use std::path::{Path, PathBuf};
use std::time::Duration;

use piton_git::{SnapshotId, Workspace};
use piton_sys::process::{Program, RunLimits, find_program};
use piton_view::words::clean_line;
use piton_view::{Error, ErrorKind};

use super::{Landed, environment, forge};

const WITHIN: RunLimits = RunLimits { deadline: Duration::from_secs(5 * 60), output_bytes_max: 1 << 20 };

/// Opens it; its address.
pub(super) fn open(
    repository: &Workspace,
    landed: &Landed<'_>,
    result: &SnapshotId,
    onto: &str,
) -> Result<String, Error> {
    let root = landed.client.layout().root();
    let remote = repository.remote().map_err(environment)?.ok_or_else(|| {
        Error::usage("the repository has no remote to push to").hint("`git remote add origin URL` adds one")
    })?;
    let gh = gh(root)?;
    let branch = &landed.worktree.branch;
    // Asked before: what is pushed may be taken at once.
    let open = match landed.order.watched {
        true => forge::open_one(&gh, root, branch)?,
        false => None,
    };
    repository.push(&remote, result, branch).map_err(environment)?;
    if let Some(open) = open {
        return Ok(open);
    }
    let title = clean_line(&landed.work.title);
    let words = ["pr", "create", "--base", onto, "--head", branch, "--title", &title, "--body-file", "-"];
    let done = Program::new(gh)
        .args(words)
        .current_dir(root)
        .stdin_bytes(landed.report.clone().into_bytes())
        .run(WITHIN)
        .map_err(environment)?;
    let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    if !done.success() {
        return Err(Error::new(ErrorKind::Environment, "`gh pr create` failed; the branch was pushed")
            .details(said(&done.stderr).lines().map(clean_line).collect())
            .hint(format!("run `piton report {} | gh pr create --head {branch} -F -`", landed.work.run)));
    }
    let said = said(&done.stdout);
    Ok(clean_line(said.lines().last().unwrap_or_default()))
}

/// The program that speaks with the forge.
pub(super) fn gh(root: &Path) -> Result<PathBuf, Error> {
    let path = std::env::var_os("PATH");
    find_program("gh".as_ref(), path.as_deref(), root).ok_or_else(|| {
        Error::new(ErrorKind::Environment, "`gh` is not in PATH")
            .hint("install the GitHub CLI, or land without --pr")
    })
}
