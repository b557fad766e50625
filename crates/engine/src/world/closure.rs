//! What the checks of a run read and run, and what of that is other than it was at the baseline.
//!
//! It is read from their commands and from the names of files ([`piton_guard::closure`]); nothing is traced. Of a file of the tree its id
//! is known, of one that git ignores a digest; a tool is known by where it is found, and one inside of the work tree by its content as well,
//! since that is where somebody can put another. What changed is said and never refused; it makes a trial worth while.

use std::collections::BTreeMap;
use std::path::Path;

use piton_guard::RunsTree;
use piton_model::State;
use piton_model::loop_machine::{CheckRound, Closure, Member, ProveMode, Snapshot};
use piton_sys::file;

use super::protected::{Base, ignored};
use super::{Context, WorldError};

/// A larger tool is known by its size.
const TOOL_BYTES_MAX: u64 = 4 << 20;

/// Takes down what the checks of a baseline read and run, and what of it is other in a later round that is green.
pub(super) fn look(
    context: &Context,
    state: &State,
    round: &mut CheckRound,
    snapshot: &Snapshot,
) -> Result<(), WorldError> {
    let is_baseline = state.work.attempt == 0 && state.work.round <= 1;
    let is_green = !round.checks.is_empty() && round.all_pass() && state.config.prove != ProveMode::Off;
    let before = state.seen.baseline.as_ref().map(|baseline| &baseline.closure);
    match before {
        None if is_baseline => round.closure = of(context, state, snapshot)?,
        Some(before) if is_green && !before.is_empty() => {
            round.closure_changed = changed(before, &of(context, state, snapshot)?);
        }
        _ => {}
    }
    Ok(())
}

/// What each check reads and runs; those of which nothing is known are left out.
fn of(context: &Context, state: &State, snapshot: &Snapshot) -> Result<Vec<Closure>, WorldError> {
    let base = Base::of(context, state, snapshot)?;
    let tree = context.workspace.tree(&super::snapshot_id(&snapshot.id)?);
    let entry = |path: &str| {
        let at = base.entries.binary_search_by(|entry| entry.path.as_str().cmp(path)).ok()?;
        Some(&base.entries[at])
    };
    let read = |path: &str| match entry(path) {
        Some(entry) => piton_git::Tree::read(&tree, std::slice::from_ref(entry)).ok()?.pop(),
        None => ignored(&context.layout, path),
    };
    let (is_kept, link) = (|path: &str| entry(path).is_some(), |path: &str| base.through_link(path));
    let runs = RunsTree { read: &read, is_kept: &is_kept, link: &link };
    let mut found = Vec::new();
    for check in &state.config.checks {
        let paths = base.entries.iter().map(|entry| entry.path.as_str());
        let piton_guard::Closure { files, tools } = piton_guard::closure(&check.command, &runs, paths);
        let file = |path: String| {
            let id = match entry(&path) {
                Some(entry) => entry.id.clone(),
                None => digest(&ignored(&context.layout, &path)?),
            };
            Some(Member { name: path, is: id })
        };
        let tool = |name: String| Some(Member { is: found_at(context, &name)?, name });
        let closure = Closure {
            check: check.name.clone(),
            files: files.into_iter().filter_map(file).collect(),
            tools: tools.into_iter().filter_map(tool).collect(),
        };
        if !closure.files.is_empty() || !closure.tools.is_empty() {
            found.push(closure);
        }
    }
    Ok(found)
}

/// Where a program is that a command of the work tree calls so; nothing where there is none, or where its path is a file of the tree.
fn found_at(context: &Context, name: &str) -> Option<String> {
    let tree = context.layout.tree();
    if name.contains('/') {
        return Path::new(name).is_absolute().then(|| name.to_owned());
    }
    let of_the_tree = context.launch.of_the_tree().remove("PATH");
    let searched = of_the_tree.map(Into::into).or_else(|| std::env::var_os("PATH"))?;
    let place = std::env::split_paths(&searched)
        .map(|directory| if directory.is_absolute() { directory } else { tree.join(directory) })
        .map(|directory| directory.join(name))
        .find(|place| is_program(place))?;
    Some(match place.strip_prefix(tree) {
        Ok(inside) => format!("{} {}", inside.display(), content(&place)),
        Err(_) => place.display().to_string(),
    })
}

fn is_program(place: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    place.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

fn content(place: &Path) -> String {
    let real = place.canonicalize().unwrap_or_else(|_| place.to_owned());
    match file::read_regular(&real, TOOL_BYTES_MAX) {
        Ok(Some(bytes)) => digest(&bytes),
        _ => real.metadata().map(|found| format!("{} bytes", found.len())).unwrap_or_default(),
    }
}

fn digest(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex()[..16].to_owned()
}

/// What is other, each member once, whichever check has it.
fn changed(before: &[Closure], now: &[Closure]) -> Vec<String> {
    let members = |closures: &[Closure], of: fn(&Closure) -> &Vec<Member>| -> BTreeMap<String, String> {
        let all = closures.iter().flat_map(of);
        all.map(|member| (member.name.clone(), member.is.clone())).collect()
    };
    let mut said = Vec::new();
    let (was, is) = (members(before, |closure| &closure.files), members(now, |closure| &closure.files));
    for (name, id) in &is {
        match was.get(name) {
            None => said.push(format!("`{name}` is new")),
            Some(before) if before != id => said.push(format!("`{name}` changed")),
            Some(_) => {}
        }
    }
    said.extend(was.keys().filter(|name| !is.contains_key(*name)).map(|name| format!("`{name}` is gone")));
    let (was, is) = (members(before, |closure| &closure.tools), members(now, |closure| &closure.tools));
    for (name, place) in &is {
        if let Some(before) = was.get(name).filter(|before| *before != place) {
            let short = |place: &str| place.split(' ').next().unwrap_or(place).to_owned();
            said.push(match short(before) == short(place) {
                true => format!("`{name}`, which is `{}`, changed", short(place)),
                false => format!("`{name}` is `{}` now, and was `{}`", short(place), short(before)),
            });
        }
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_other_is_said_once() {
        let member = |(name, is): &(&str, &str)| Member { name: (*name).to_owned(), is: (*is).to_owned() };
        let closure = |check: &str, files: &[(&str, &str)], tools: &[(&str, &str)]| Closure {
            check: check.to_owned(),
            files: files.iter().map(member).collect(),
            tools: tools.iter().map(member).collect(),
        };
        let before = [
            closure("test", &[("Makefile", "1"), ("gone.mk", "2")], &[("make", "/usr/bin/make")]),
            closure("lint", &[("Makefile", "1")], &[("ruff", ".venv/bin/ruff abc"), ("jest", "bin/jest 1")]),
        ];
        let now = [
            closure("test", &[("Makefile", "9"), ("conftest.py", "3")], &[("make", "bin/make 7")]),
            closure("lint", &[("Makefile", "9")], &[("ruff", ".venv/bin/ruff abc"), ("jest", "bin/jest 2")]),
        ];
        assert_eq!(changed(&before, &before), Vec::<String>::new());
        assert_eq!(
            changed(&before, &now),
            [
                "`Makefile` changed",
                "`conftest.py` is new",
                "`gone.mk` is gone",
                "`jest`, which is `bin/jest`, changed",
                "`make` is `bin/make` now, and was `/usr/bin/make`",
            ]
        );
    }
}
