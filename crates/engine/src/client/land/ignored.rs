//! Code of a run that git ignores, so that it is in no commit, and links that lead out of the repository: the tree of the run has
//! what they stand for, and whoever gets the commits does not.

use std::collections::BTreeSet;
use std::path::Path;

use piton_git::{Listings, RepoPath, SnapshotId, Workspace};
use piton_guard::{is_code, is_of_tests, steers_checks};
use piton_view::Error;
use piton_view::words::clean_line;

use super::environment;
use crate::world::is_made;

/// More entries are not looked at: that many are what tools have made.
const VISITS_MAX: usize = 20_000;

/// Code that git ignores in the tree of the run, and that the checkout does not have.
pub(super) fn only_there(tree: &Workspace, checkout: &Path) -> Result<Vec<RepoPath>, Error> {
    let root = tree.root();
    let (mut found, mut visits) = (Vec::new(), VISITS_MAX);
    let mut waiting = tree.all_ignored().map_err(environment)?;
    while let Some(path) = waiting.pop() {
        let Some(name) = path.as_path().to_str().map(str::to_owned) else { continue };
        let Some(left) = visits.checked_sub(1) else { break };
        visits = left;
        let place = root.join(path.as_path());
        // What a package manager or a build made is made anew where it is missing.
        if is_made(root, &format!("{name}/")) || is_made(root, &name) {
            continue;
        }
        if place.symlink_metadata().is_ok_and(|found| found.is_dir()) {
            let below = place.read_dir().into_iter().flatten().flatten();
            let names = below.map(|entry| entry.file_name()).filter(|name| name != "__pycache__");
            waiting.extend(names.map(|name| RepoPath::from(path.as_path().join(name).as_path())));
        } else if checkout.join(path.as_path()).symlink_metadata().is_err()
            && (is_code(&name) || is_of_tests(&name) || steers_checks(&name))
        {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// Links of `result` that `from` does not have, and that lead out of the repository.
pub(super) fn leading_out(
    repository: &Workspace,
    from: &SnapshotId,
    result: &SnapshotId,
) -> Result<Vec<String>, Error> {
    let mut listings = Listings::default();
    let mut links = |of: &SnapshotId| -> Result<BTreeSet<(String, String)>, Error> {
        let listed = listings.list(repository.tree(of)).map_err(environment)?;
        Ok(listed.links().map_err(environment)?.into_iter().collect())
    };
    let (before, after) = (links(from)?, links(result)?);
    let out = after.difference(&before).filter(|(path, target)| leads_out(path, target));
    Ok(out.map(|(path, target)| format!("{} -> {}", clean_line(path), clean_line(target))).collect())
}

fn leads_out(path: &str, target: &str) -> bool {
    let mut depth = path.matches('/').count();
    target.starts_with('/')
        || target.split('/').any(|part| match part {
            "" | "." => false,
            ".." => match depth.checked_sub(1) {
                Some(above) => {
                    depth = above;
                    false
                }
                None => true,
            },
            _ => {
                depth += 1;
                false
            }
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_leads_out_where_its_steps_up_outnumber_its_directories() {
        for (path, target, out) in [
            ("a", "b", false),
            ("a/b", "../c", false),
            ("a/b", "../../c", true),
            ("a", "../c", true),
            ("a", "/c", true),
            ("a", "d/../../c", true),
            ("a/b/c", "./../../x/./y", false),
        ] {
            assert_eq!(leads_out(path, target), out, "{path} -> {target}");
        }
    }
}
