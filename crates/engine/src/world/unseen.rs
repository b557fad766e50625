//! What an attempt did where no snapshot looks: to protected files that git ignores, and with modules that Python would load in place of
//! what runs the tests, whatever git makes of them.
//!
//! Protected files are digested before an attempt and looked at after it. Where what blocks is refused, they are put back from the
//! memory of the driver, which has no other place for them: they may be secrets. What the attempt left in their place, and such
//! modules, are moved to its directory. Whatever cannot be put back is named all the same.
//!
//! Invariant: nothing is followed through a link, and nothing outside of the tree is touched.

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::PoisonError;

use piton_git::{Expected, Tree};
use piton_guard::{Part, is_of_tests, is_protected, leads_into};
use piton_model::State;
use piton_model::loop_machine::{GuardMode, Snapshot};
use piton_sys::file::{self, Durability};

use super::protected::{Base, failed, rules};
use super::{Context, WorldError, guard, snapshot_id};
use crate::layout::Layout;

/// What a record of the files is called, beside the attempt's other traces.
pub(crate) const RECORD: &str = "unseen.json";
const RECORD_BYTES_MAX: u64 = 4 << 20;

/// How many files are digested, how many entries looked at for them, and how large a file may be to be read.
const FILES_MAX: usize = 2_000;
const VISITED_MAX: usize = 20_000;
const DIGESTED_BYTES_MAX: u64 = 16 << 20;
/// What is kept in memory, of each file and in all.
const KEPT_BYTES_MAX: u64 = 1 << 20;
const KEPT_IN_ALL_MAX: usize = 16 << 20;

/// Modules of the top of the tree that Python takes before its own.
const SHADOWS: [&str; 5] = ["unittest", "pytest", "_pytest", "sitecustomize", "usercustomize"];
/// What a module may be in.
const MODULES: [&str; 3] = ["py", "pyc", "so"];

/// A file as it was: its bytes and its mode.
pub(crate) type Kept = BTreeMap<String, (Vec<u8>, u32)>;

/// The ignore rules of the clone that are in no snapshot, line by line.
#[derive(Default)]
pub(crate) struct Rules {
    before: Option<BTreeSet<Vec<u8>>>,
    /// By the attempt, as far as this driver saw it begin and end.
    added: BTreeSet<Vec<u8>>,
}

/// What was found, and whether the tree is another for it.
#[derive(Default)]
pub(super) struct Found {
    /// Each path with what there is to say of it.
    pub(super) said: Vec<(String, String)>,
    pub(super) is_moved: bool,
}

/// What is known of protected files before an attempt, as its record; their contents are kept in memory.
pub(crate) fn before(context: &Context, state: &State) -> String {
    let (mut digests, mut kept, mut bytes) = (BTreeMap::new(), Kept::new(), 0);
    if state.config.guard != GuardMode::Off {
        let base = state.work.before.as_ref().or(state.seen.snapshot.as_ref());
        let base = base.and_then(|base| Base::of(context, state, base).ok());
        let goals =
            base.iter().flat_map(|base| base.run_unseen()).filter(|(_, part)| **part == Part::Absence);
        let there = goals.filter(|(path, _)| context.layout.tree().join(path).symlink_metadata().is_ok());
        digests.extend(there.map(|(path, _)| (format!("{path}/"), "is there".to_owned())));
        for path in protected_on_disk(context, state, base.as_deref()) {
            let place = context.layout.tree().join(&path);
            digests.extend(digest(&place).map(|digest| (path.clone(), digest)));
            let content = file::read_regular(&place, KEPT_BYTES_MAX).ok().flatten();
            let mode = place.symlink_metadata().map(|metadata| metadata.mode());
            if let (Some(content), Ok(mode)) = (content, mode)
                && bytes + content.len() <= KEPT_IN_ALL_MAX
            {
                bytes += content.len();
                kept.insert(path, (content, mode));
            }
        }
    }
    *context.kept.lock().unwrap_or_else(PoisonError::into_inner) = kept;
    let rules = Rules { before: Some(context.workspace.rules()), added: BTreeSet::new() };
    *context.rules.lock().unwrap_or_else(PoisonError::into_inner) = rules;
    serde_json::to_string(&digests).expect("a list of digests is plain data")
}

/// Makes the tree what `target` has, since what was done is refused; rules by which the attempt had files ignored go with it.
pub(crate) fn put_back(
    context: &Context,
    target: &piton_git::SnapshotId,
) -> Result<piton_git::Restored, WorldError> {
    let added = std::mem::take(&mut context.rules.lock().unwrap_or_else(PoisonError::into_inner).added);
    if !added.is_empty() {
        context.workspace.forget_rules(&added)?;
    }
    Ok(context.workspace.restore(context.run.as_str(), target, Expected::Refused)?)
}

/// What was done out of sight, and undone where what blocks is refused. `directory` is that of the attempt.
pub(super) fn find(
    context: &Context,
    state: &State,
    after: &Snapshot,
    directory: Option<&Path>,
) -> Result<Found, WorldError> {
    let mut found = Found::default();
    note_rules(context);
    let Some(before) = state.work.before.as_ref().filter(|_| state.config.guard != GuardMode::Off) else {
        return Ok(found);
    };
    if !guard::blocks_what_is_protected(state) {
        return Ok(found);
    }
    let base = Base::of(context, state, before)?;
    let changed = directory.map(|directory| changed(context, state, &base, directory)).unwrap_or_default();
    let shadows = shadows(&context.layout, state, &base);
    if changed.is_empty() && shadows.is_empty() {
        return Ok(found);
    }
    // What a snapshot has is compared and put back with it.
    let entries = context.workspace.tree(&snapshot_id(&after.id)?).entries().map_err(failed)?;
    let known: BTreeSet<&str> =
        base.entries.iter().chain(&entries).map(|entry| entry.path.as_str()).collect();
    let is_package = |path: &str| {
        let file = format!("{path}/__init__.");
        known.range(file.as_str()..).next().is_some_and(|known| known.starts_with(&file))
    };
    let aside = Aside {
        tree: context.layout.tree(),
        directory: directory.map_or_else(|| context.attempts().join("aside"), |own| own.join("aside")),
        is_wanted: state.config.guard == GuardMode::Block,
    };
    for (path, change) in changed.into_iter().filter(|(path, _)| !known.contains(path.as_str())) {
        let kept = context.kept.lock().unwrap_or_else(PoisonError::into_inner).get(&path).cloned();
        let (words, is_back) = match change {
            Change::New => ("is new, and is protected or would be run by what judges", aside.take(&path)),
            Change::Other => ("is protected and changed", aside.replace(&path, kept)),
            Change::Gone => ("is protected and is gone", aside.replace(&path, kept)),
        };
        let end = match (aside.is_wanted, is_back) {
            (false, _) => "",
            (true, true) => "; it was put back",
            (true, false) => "; it was not put back, since no snapshot has it",
        };
        found.is_moved |= is_back;
        let words = format!("`{path}` {words}{end}");
        found.said.push((path, words));
    }
    for path in shadows.into_iter().filter(|path| !known.contains(path.as_str()) && !is_package(path)) {
        let is_gone = aside.take(&path);
        found.is_moved |= is_gone;
        let words = format!("`{path}` would be loaded in place of what runs the tests, or of one");
        found.said.push((path, words));
    }
    Ok(found)
}

fn note_rules(context: &Context) {
    let mut rules = context.rules.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(before) = rules.before.take() {
        rules.added = &context.workspace.rules() - &before;
    }
}

enum Change {
    New,
    Other,
    Gone,
}

/// Protected files that are not as the record says.
fn changed(context: &Context, state: &State, base: &Base, directory: &Path) -> Vec<(String, Change)> {
    let record = file::read_regular(&directory.join(RECORD), RECORD_BYTES_MAX).ok().flatten();
    let record: Option<BTreeMap<String, String>> =
        record.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    let Some(mut then) = record else { return Vec::new() };
    let mut changed = Vec::new();
    let tree = context.layout.tree();
    for (goal, _) in base.run_unseen().filter(|(_, part)| **part == Part::Absence) {
        let is_there = tree.join(goal).symlink_metadata().is_ok();
        if then.remove(&format!("{goal}/")).is_none() && is_there {
            changed.push((goal.to_owned(), Change::New));
        }
    }
    then.retain(|path, _| !path.ends_with('/'));
    // Of these only a part counts.
    let partly: BTreeMap<&str, &Part> =
        base.run_unseen().filter(|(_, part)| !matches!(part, Part::Whole | Part::Absence)).collect();
    let is_same = |path: &str| {
        let Some(part) = partly.get(path) else { return false };
        let kept = context.kept.lock().unwrap_or_else(PoisonError::into_inner).get(path).cloned();
        let now = file::read_regular(&tree.join(path), KEPT_BYTES_MAX).ok().flatten();
        match (kept.map(|(bytes, _)| bytes), now) {
            (Some(kept), Some(now)) => part.is_same(&kept, &now),
            (kept, now) if part.may_be_missing() => {
                part.is_same(&kept.unwrap_or_default(), &now.unwrap_or_default())
            }
            _ => false,
        }
    };
    for path in protected_on_disk(context, state, Some(base)) {
        if is_same(&path) {
            then.remove(&path);
            continue;
        }
        let now = digest(&context.layout.tree().join(&path));
        match (then.remove(&path), now) {
            (None, Some(_)) => changed.push((path, Change::New)),
            (Some(then), Some(now)) if then != now => changed.push((path, Change::Other)),
            (Some(_), None) => changed.push((path, Change::Gone)),
            _ => {}
        }
    }
    let gone = then.into_keys().filter(|path| !is_same(path));
    changed.extend(gone.map(|path| (path, Change::Gone)));
    changed
}

/// Protected files, as far as snapshots may not have them: what is named as it is, and what git ignores; and what judges runs of it.
fn protected_on_disk(context: &Context, state: &State, base: Option<&Base>) -> Vec<String> {
    let tree = context.layout.tree();
    let mut walk = Walk { tree, visits: VISITED_MAX, found: BTreeSet::new() };
    let run = base.into_iter().flat_map(Base::run_unseen).filter(|(_, part)| **part != Part::Absence);
    let all = rules(state).into_iter().chain(run.map(|(path, _)| path.to_owned()));
    let (patterns, names): (Vec<_>, Vec<_>) = all.partition(|rule| rule.contains(['*', '?']));
    for name in &names {
        walk.take(name.trim_end_matches('/'), &|_| true);
    }
    let is_meant = |path: &str| patterns.iter().any(|rule| is_protected(path, rule));
    if !patterns.is_empty() {
        for path in context.workspace.all_ignored().unwrap_or_default() {
            let path = path.to_string();
            // Whole directories that git ignores are what is installed or built, unless a pattern leads there.
            if is_meant(&path) {
                walk.take(&path, &|_| true);
            } else if patterns.iter().any(|rule| leads_into(rule, &path)) {
                walk.take(&path, &is_meant);
            }
        }
    }
    walk.found.into_iter().collect()
}

struct Walk<'a> {
    tree: &'a Path,
    visits: usize,
    found: BTreeSet<String>,
}

impl Walk<'_> {
    fn take(&mut self, path: &str, is_meant: &dyn Fn(&str) -> bool) {
        if self.visits == 0 || self.found.len() >= FILES_MAX {
            return;
        }
        self.visits -= 1;
        let place = self.tree.join(path);
        let Ok(metadata) = place.symlink_metadata() else { return };
        if !metadata.is_dir() {
            if is_meant(path) {
                self.found.insert(path.to_owned());
            }
            return;
        }
        let mut names: Vec<_> =
            place.read_dir().into_iter().flatten().flatten().map(|entry| entry.file_name()).collect();
        names.sort();
        for name in names.iter().filter_map(|name| name.to_str()).filter(|name| *name != ".git") {
            self.take(&format!("{path}/{name}"), is_meant);
        }
    }
}

/// What stands for the content of a file; for one that is large, what the file system says of it.
fn digest(place: &Path) -> Option<String> {
    let metadata = place.symlink_metadata().ok()?;
    if metadata.is_symlink() {
        let target = place.read_link().ok()?;
        return Some(format!("link:{}", blake3::hash(target.as_os_str().as_bytes())));
    }
    match file::read_regular(place, DIGESTED_BYTES_MAX) {
        Ok(Some(bytes)) => Some(blake3::hash(&bytes).to_string()),
        _ => Some(format!("{}:{}:{}", metadata.len(), metadata.ino(), metadata.ctime())),
    }
}

/// What Python would load instead, and was not there when the run began; not what takes the place of something of that name.
fn shadows(layout: &Layout, state: &State, base: &Base) -> Vec<String> {
    let tree = layout.tree();
    let names = tree.read_dir().into_iter().flatten().flatten();
    let mut found: Vec<String> = names
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| is_module(tree, name))
        .collect();
    let tests = base.entries.iter().filter_map(|entry| entry.path.strip_suffix(".py"));
    let tests = tests.filter(|stem| is_of_tests(&format!("{stem}.py")) && is_package(&tree.join(stem)));
    found.extend(tests.map(str::to_owned));
    found.extend(base.shadows_of_runners().filter(|path| tree.join(path).is_file()));
    let is_furniture = |path: &str| layout.furniture().iter().any(|own| Path::new(path).starts_with(own));
    // Nobody can choose the time at which a file was changed last.
    let is_new = |path: &str| {
        let place = tree.join(path);
        let inside = place.read_dir().into_iter().flatten().flatten().map(|entry| entry.path());
        let mut places = inside.chain([place.clone()]);
        places.any(|place| file::changed_at(&place) >= state.created_at)
    };
    found.retain(|path| !base.has(path) && !is_furniture(path) && is_new(path));
    found
}

/// Whether this at the top of the tree is a module by one of those names.
fn is_module(tree: &Path, name: &str) -> bool {
    match name.split_once('.') {
        None => SHADOWS.contains(&name) && is_package(&tree.join(name)),
        Some((stem, rest)) => {
            let kind = rest.rsplit('.').next().unwrap_or(rest);
            SHADOWS.contains(&stem) && MODULES.contains(&kind)
        }
    }
}

fn is_package(place: &Path) -> bool {
    let names = place.read_dir().into_iter().flatten().flatten();
    let names = names.filter_map(|entry| entry.file_name().into_string().ok());
    names.into_iter().any(|name| {
        name.split_once('.').is_some_and(|(stem, rest)| {
            stem == "__init__" && MODULES.contains(&rest.rsplit('.').next().unwrap_or(rest))
        })
    })
}

/// Where what an attempt left is moved to.
struct Aside<'a> {
    tree: &'a Path,
    directory: PathBuf,
    is_wanted: bool,
}

impl Aside<'_> {
    /// Moves it out of the tree; whether it is gone from there.
    #[expect(clippy::disallowed_methods, reason = "what is put aside need not outlive a loss of power")]
    fn take(&self, path: &str) -> bool {
        if !self.is_wanted || file::create_private_dir_unsynced(&self.directory).is_err() {
            return false;
        }
        let place = self.tree.join(path);
        let to = self.directory.join(path.replace('/', "+"));
        let moves =
            |held: &Path| std::fs::rename(held, &to).map_err(|error| file::Error::new("move", held, error));
        file::within(self.tree, &place, moves).is_ok()
    }

    /// Puts in its place what was there.
    fn replace(&self, path: &str, kept: Option<(Vec<u8>, u32)>) -> bool {
        let Some((bytes, mode)) = kept.filter(|_| self.is_wanted) else { return false };
        let place = self.tree.join(path);
        if place.symlink_metadata().is_ok() && !self.take(path) {
            return false;
        }
        let write = |held: &Path| {
            file::write_atomic(held, &bytes, Durability::Unsynced)?;
            let mode = std::fs::Permissions::from_mode(mode & 0o7777);
            std::fs::set_permissions(held, mode).map_err(|error| file::Error::new("close", held, error))
        };
        file::within(self.tree, &place, write).is_ok()
    }
}
