//! What no agent may change: what the configuration names, the configuration itself, and what of the tree the checks and the
//! conditions to stop run.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Arc, PoisonError};

use piton_git::{Entry, Tree};
use piton_guard::{Part, Runs, RunsTree, is_protected, runs};
use piton_model::State;
use piton_model::loop_machine::{Probe, Snapshot};
use piton_sys::file;

use super::{Context, WorldError, snapshot_id};
use crate::layout::Layout;

/// A tree that others are compared with.
#[derive(Debug)]
pub(crate) struct Base {
    pub(super) entries: Vec<Entry>,
    /// Links, and where they lead.
    links: BTreeMap<String, String>,
    /// What of it is run by whatever judges.
    runs: Runs,
    /// What of that is installed or built where it lies, unless it is in the tree.
    made: BTreeSet<String>,
    /// The directories that Python loads modules from before its own, when it is run by what judges.
    of_python: BTreeSet<String>,
}

/// A larger script that git ignores is not read.
const IGNORED_BYTES_MAX: u64 = 1 << 20;
/// How often one link may lead to another.
const LINKS_MAX: usize = 8;

/// Modules that what runs the tests of Python loads, and nobody names a part of a product after: it would not start any more.
pub(super) const OF_RUNNERS: [&str; 28] = [
    "argparse",
    "asyncio",
    "collections",
    "contextlib",
    "difflib",
    "doctest",
    "fnmatch",
    "functools",
    "genericpath",
    "importlib",
    "inspect",
    "linecache",
    "os",
    "pdb",
    "pkgutil",
    "pluggy",
    "posixpath",
    "pprint",
    "reprlib",
    "runpy",
    "shutil",
    "site",
    "subprocess",
    "sysconfig",
    "tempfile",
    "traceback",
    "warnings",
    "weakref",
];

impl Base {
    /// The tree of `snapshot`; the last one that was asked for is remembered.
    pub(super) fn of(context: &Context, state: &State, snapshot: &Snapshot) -> Result<Arc<Self>, WorldError> {
        let mut known = context.base.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, base)) = known.as_ref().filter(|(tree, _)| *tree == snapshot.tree) {
            return Ok(Arc::clone(base));
        }
        let tree = context.workspace.tree(&snapshot_id(&snapshot.id)?);
        let (entries, links) = {
            let mut counted = context.counted.lock().unwrap_or_else(PoisonError::into_inner);
            let listed = counted.0.list(tree.clone())?;
            (listed.entries().map_err(failed)?, listed.links()?)
        };
        let links: BTreeMap<String, String> = links.into_iter().collect();
        let read = |path: &str| match entries.binary_search_by(|entry| entry.path.as_str().cmp(path)) {
            Ok(at) => tree.read(std::slice::from_ref(&entries[at])).ok()?.pop(),
            Err(_) => ignored(&context.layout, path),
        };
        let commands = commands(state);
        let link = |path: &str| through_link(&links, path);
        let is_kept = |path: &str| entries.binary_search_by(|entry| entry.path.as_str().cmp(path)).is_ok();
        let tree_of_runs = RunsTree { read: &read, is_kept: &is_kept, link: &link };
        let (runs, of_python) = runs(commands.iter().map(String::as_str), &tree_of_runs);
        let made: BTreeSet<String> =
            runs.keys().filter(|path| is_made(context.layout.tree(), path)).cloned().collect();
        let base = Arc::new(Self { entries, links, runs, made, of_python });
        *known = Some((snapshot.tree.clone(), Arc::clone(&base)));
        Ok(base)
    }

    /// Whether the file, or something below it, is there.
    pub(super) fn has(&self, path: &str) -> bool {
        self.entries.iter().any(|entry| is_protected(&entry.path, path))
    }

    /// What judges, of these paths that differ: `texts` gives both sides of one.
    pub(super) fn run_of<'a>(
        &self,
        differing: impl Iterator<Item = &'a str>,
        texts: &dyn Fn(&str) -> BothSides,
    ) -> Vec<String> {
        let counts = |path: &&str| match self.part(path) {
            None => false,
            Some(Part::Whole | Part::Matched | Part::Absence) => true,
            Some(part) if part.may_be_missing() => {
                let (before, after) = texts(path);
                !part.is_same(&before.unwrap_or_default(), &after.unwrap_or_default())
            }
            Some(part) => match texts(path) {
                (Some(before), Some(after)) => !part.is_same(&before, &after),
                _ => true,
            },
        };
        differing.filter(counts).map(str::to_owned).collect()
    }

    /// What of a path counts for what judges.
    fn part(&self, path: &str) -> Option<&Part> {
        if let Some(part) = self.runs.get(path).filter(|part| **part != Part::Absence) {
            return Some(part);
        }
        let is_there =
            |path: &str| self.entries.binary_search_by(|entry| entry.path.as_str().cmp(path)).is_ok();
        let is_meant = |(key, part): &(&String, &Part)| match part {
            // What is in the place of a goal of make, or below it.
            Part::Absence => is_protected(path, key) && !self.has(key),
            _ if !key.contains(['*', '?']) => false,
            Part::Matched => is_matched(path, key) && is_there(path),
            _ => is_matched(path, key),
        };
        self.runs.iter().find(is_meant).map(|(_, part)| part)
    }

    /// Whether no agent, and no check, may change this path.
    pub(super) fn protects(&self, state: &State, path: &str) -> bool {
        let is_run = self.part(path).is_some_and(|part| !part.may_be_missing());
        is_run || rules(state).iter().any(|rule| is_protected(path, rule))
    }

    /// What judges by this name and is in no snapshot: where git ignores it, or where it is not there yet.
    pub(super) fn run_unseen(&self) -> impl Iterator<Item = (&str, &Part)> {
        let is_seen = |path: &str| {
            self.made.contains(path)
                || self.links.contains_key(path)
                || self.entries.binary_search_by(|entry| entry.path.as_str().cmp(path)).is_ok()
        };
        let all = self.runs.iter().map(|(path, part)| (path.as_str(), part));
        let all = all.filter(|(_, part)| **part != Part::Matched);
        all.filter(move |(path, part)| !is_seen(path) && (**part != Part::Absence || !self.has(path)))
    }

    /// The first link on the way to a path, and where that leads inside of the tree.
    pub(super) fn through_link(&self, path: &str) -> Option<(String, String)> {
        through_link(&self.links, path)
    }

    pub(super) fn has_links_that_judge(&self) -> bool {
        self.links.keys().any(|link| self.runs.contains_key(link))
    }

    /// Links that judge, of these paths that differ.
    pub(super) fn links_of<'a>(&'a self, differing: impl Iterator<Item = &'a str>) -> Vec<String> {
        differing
            .filter(|path| self.links.contains_key(*path) && self.runs.contains_key(*path))
            .map(str::to_owned)
            .collect()
    }

    /// The modules that Python would load in place of those of what runs the tests, wherever what judges starts it.
    pub(super) fn shadows_of_runners(&self) -> impl Iterator<Item = String> {
        let places = self
            .of_python
            .iter()
            .map(|place| if place.is_empty() { String::new() } else { format!("{place}/") });
        let names = |place: String| {
            let below = !place.is_empty();
            let first = OF_RUNNERS.iter().chain(FIRST.iter().filter(move |_| below));
            first
                .flat_map(|name| [".py", "/__init__.py"].map(|end| format!("{name}{end}")))
                .map(move |name| format!("{place}{name}"))
        };
        places.flat_map(names).filter(|path| !self.has(path))
    }
}

/// The modules that are looked for at the top of the tree whatever the checks are.
const FIRST: [&str; 5] = ["unittest", "pytest", "_pytest", "sitecustomize", "usercustomize"];

/// Where packages are installed and builds put what they make: honest work changes that.
const MADE_IN: [&str; 16] = [
    "node_modules",
    ".venv",
    "venv",
    "env",
    ".tox",
    ".nox",
    "target",
    "build",
    "_build",
    "dist",
    "out",
    "obj",
    "vendor",
    ".bundle",
    ".direnv",
    ".cache",
];
/// What lies beside a file that is made of it, and beside a makefile that a tool makes.
const TEMPLATES: [&str; 6] = [".in", ".am", ".tmpl", ".template", ".j2", ".PL"];
const MAKE_MAKEFILES: [&str; 6] =
    ["CMakeLists.txt", "configure", "configure.ac", "Makefile.PL", "meson.build", "config.m4"];

/// What git ignores is in no snapshot, and is run all the same.
pub(super) fn ignored(layout: &Layout, path: &str) -> Option<Vec<u8>> {
    let place = layout.tree().join(path);
    let is_kept = path.split('/').any(|part| part == ".git" || part == ".piton");
    let is_linked =
        place.parent()?.canonicalize().ok()? != layout.tree().canonicalize().ok()?.join(parent(path));
    match is_kept || is_linked || is_made(layout.tree(), path) {
        true => None,
        false => file::read_regular(&place, IGNORED_BYTES_MAX).ok().flatten(),
    }
}

/// Whether what git ignores by this name is what honest work installs or builds.
pub(crate) fn is_made(tree: &Path, path: &str) -> bool {
    let above = parent(path);
    let directories = above.match_indices('/').map(|(at, _)| at).chain([above.len()]);
    let is_environment = |end: usize| end > 0 && tree.join(&path[..end]).join("pyvenv.cfg").exists();
    let name = path.rsplit('/').next().unwrap_or(path);
    above.split('/').any(|part| MADE_IN.contains(&part))
        // Settings of whoever works here.
        || name.starts_with(".env")
        || directories.into_iter().any(is_environment)
        || TEMPLATES.iter().any(|end| tree.join(format!("{path}{end}")).exists())
        || (name.eq_ignore_ascii_case("makefile") && MAKE_MAKEFILES.iter().any(|name| tree.join(above).join(name).exists()))
}

/// What a file held before, and what it holds now; nothing where it is not there.
pub(super) type BothSides = (Option<Vec<u8>>, Option<Vec<u8>>);

/// Whether a pattern of a shell or of make is about this file: of the directory that it names, and not of those below.
fn is_matched(path: &str, pattern: &str) -> bool {
    let depth = |text: &str| text.matches('/').count();
    (depth(path) == depth(pattern) || pattern.contains("**")) && is_protected(path, pattern)
}

fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(parent, _)| parent)
}

/// The first link on the way to a path, and where that leads inside of the tree.
fn through_link(links: &BTreeMap<String, String>, path: &str) -> Option<(String, String)> {
    let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
    let (end, target) = ends.into_iter().find_map(|end| Some((end, links.get(&path[..end])?)))?;
    let mut parts: Vec<&str> = parent(&path[..end]).split('/').filter(|part| !part.is_empty()).collect();
    if target.starts_with('/') || target.split('/').count() > LINKS_MAX * 8 {
        return None;
    }
    for part in target.split('/').chain(path[end..].split('/')) {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some((path[..end].to_owned(), parts.join("/")))
}

/// What the configuration names, and the configuration itself: whoever may write down what is allowed need not hide a thing.
pub(super) fn rules(state: &State) -> Vec<String> {
    let own = ["piton.toml", piton_guard::ALLOW_FILE].map(str::to_owned);
    state.config.protect.iter().cloned().chain(own).collect()
}

/// Commands that judge: who changes what they run judges themselves.
fn commands(state: &State) -> Vec<String> {
    let checks = state.config.checks.iter().map(|check| check.command.clone());
    let conditions =
        state.config.stop_probes().into_iter().filter_map(|condition| match condition.probe()? {
            Probe::Runs(command) => Some(command.to_string()),
            _ => None,
        });
    checks.chain(conditions).collect()
}

pub(super) fn failed(error: piton_guard::ReadError) -> WorldError {
    WorldError::Guard { what: error.to_string() }
}
