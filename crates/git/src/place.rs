//! Where a repository stands: `HEAD`, branch, and the run's last snapshot.

use crate::Error;
use crate::record::ref_of;
use crate::repository::Repository;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) head: Option<String>,
    /// The tree of `head`.
    pub(crate) head_tree: Option<String>,
    pub(crate) branch: Option<String>,
    /// What the ref of the run names.
    pub(crate) last: Option<String>,
}

/// Looks up everything with one call where everything is there, as it nearly always is.
pub(crate) fn read(repository: &Repository, run: Option<&str>) -> Result<Place, Error> {
    let reference = run.map(ref_of);
    if repository.index.is_none() {
        let last = reference.map(|name| verify(repository, &name)).transpose()?.flatten();
        return Ok(Place { last, ..Place::default() });
    }
    let call = repository.call("rev-parse").args(["HEAD", "HEAD^{tree}"]).args(reference.as_deref());
    let output = call.args(["--symbolic-full-name", "HEAD"]).run()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let lines: Vec<_> = text.lines().map(str::to_owned).collect();
    match (output.success(), &lines[..], &reference) {
        (true, [head, head_tree, last, branch], Some(_)) => {
            Ok(Place { last: Some(last.clone()), ..place(head, head_tree, branch) })
        }
        (true, [head, head_tree, branch], None) => Ok(place(head, head_tree, branch)),
        _ => read_one_by_one(repository, reference.as_deref()),
    }
}

fn place(head: &str, head_tree: &str, branch: &str) -> Place {
    let branch = (branch != "HEAD").then(|| branch.to_owned());
    Place { head: Some(head.to_owned()), head_tree: Some(head_tree.to_owned()), branch, last: None }
}

/// Before the first commit, before the first snapshot, or where a name is ambiguous.
fn read_one_by_one(repository: &Repository, reference: Option<&str>) -> Result<Place, Error> {
    let head = verify(repository, "HEAD")?;
    let head_tree = match &head {
        Some(head) => verify(repository, &format!("{head}^{{tree}}"))?,
        None => None,
    };
    let symbolic = repository.call("symbolic-ref").args(["--quiet", "HEAD"]).run()?;
    let branch = String::from_utf8_lossy(&symbolic.stdout).trim_end().to_owned();
    let branch = (symbolic.success() && !branch.is_empty()).then_some(branch);
    let last = reference.map(|name| verify(repository, name)).transpose()?.flatten();
    Ok(Place { head, head_tree, branch, last })
}

/// The id of a revision; `None` where there is none.
fn verify(repository: &Repository, revision: &str) -> Result<Option<String>, Error> {
    let call = repository.call("rev-parse").args(["--quiet", "--verify", "--end-of-options"]);
    let output = call.arg(revision).run()?;
    let id = String::from_utf8_lossy(&output.stdout).trim_end().to_owned();
    Ok((output.success() && !id.is_empty()).then_some(id))
}
