//! Furnishing a work tree of the run's own with what git does not keep, so that the checks mean there what they mean in
//! the checkout.
//!
//! Nothing that can be written is shared with the checkout: what is brought along is copied, by the file system itself
//! where it can (reflinks). Whatever in it names the checkout is made to name the work tree, in links and in small text
//! files: the scripts of a Python environment, its path files, the shims of package managers. What git keeps, and what
//! `[worktree] setup` made, is only looked at: a link into the checkout is refused.

use std::collections::BTreeMap;
use std::fs::{File, FileTimes, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use piton_agent::{EndedBy, Found};
use piton_files::cycle::CYCLES;
use piton_git::Ignored;
use piton_model::RunId;
use piton_model::limits::{TAIL_BYTES_MAX, clip_tail};
use piton_model::loop_machine::{AgentConfig, Worktree};
use piton_sys::file;

use super::{WorldError, open_workspace};
use crate::launch::{COMMAND_OUTPUT_BYTES_MAX, Surroundings, What, Work};
use crate::layout::Layout;
use crate::moved::Moved;
use crate::supervise::kept::{Kept, Plan, Supervisor};
use crate::supervise::{Ran, Rerun};

/// The name of a setup's tries, below the attempts.
const SETUP: &str = "setup";

/// What a setup may take: installing the packages of a project is slow.
const SETUP_MS_MAX: u64 = 30 * 60_000;

/// What package managers install, by name. A Python environment is known by its `pyvenv.cfg`, whatever it is called.
const INSTALLED: [&str; 9] = [
    "node_modules",
    "bower_components",
    ".yarn",
    ".pnp.cjs",
    "vendor",
    ".bundle",
    "Pods",
    "deps",
    "elm-stuff",
];

/// What is made anew by itself, and would name the files it was made from.
const MADE_ANEW: &str = "__pycache__";

/// What tools keep for themselves and make anew: nobody misses it in a work tree.
const CACHES: [&str; 8] = [
    MADE_ANEW,
    ".pytest_cache",
    ".mypy_cache",
    ".ruff_cache",
    ".hypothesis",
    ".cache",
    ".parcel-cache",
    ".nyc_output",
];

/// Longer files are data or programs, which name no place by which others find something.
const TEXT_BYTES_MAX: u64 = 256 << 10;

/// Ignored directories that are named to a person as left behind.
const LEFT_MAX: usize = 20;

/// Why a link is refused.
const LEADS_BACK: &str = "leads into the checkout, where checks would read and agents would write";

/// Whether `path` is what a package manager installed.
pub(crate) fn is_installed(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default();
    INSTALLED.iter().any(|known| name == *known) || path.join("pyvenv.cfg").is_file()
}

/// What of the ignored is copied into a work tree beside what was `named`, and the directories that are left behind.
pub(crate) fn sorted(
    root: &Path,
    ignored: &Ignored,
    named: &[String],
    with_installed: bool,
) -> (Vec<String>, Vec<String>) {
    let text = |path: &piton_git::RepoPath| path.as_path().to_str().map(str::to_owned);
    let is_named = |path: &str| named.iter().any(|named| Path::new(path).starts_with(named));
    let directories = ignored.directories.iter().filter_map(text).filter(|path| !is_named(path));
    let (installed, left): (Vec<_>, Vec<_>) =
        directories.partition(|path| with_installed && is_installed(&root.join(path)));
    let settings = ignored.settings.iter().filter(|_| with_installed).filter_map(text);
    let mut copy = named.to_vec();
    copy.extend(installed.into_iter().chain(settings.filter(|path| !is_named(path))));
    let is_cache = |path: &String| CACHES.iter().any(|cache| Path::new(path).ends_with(cache));
    // One that holds nothing but what is copied is there.
    let is_emptied = |path: &String| {
        copy.iter().any(|copied| Path::new(copied).starts_with(path))
            && holds_only(root, Path::new(path), &copy)
    };
    // Files of a team stay in the repository, and nobody misses them elsewhere.
    let is_ours = |path: &String| Path::new(CYCLES).starts_with(path) || Path::new(path).starts_with(CYCLES);
    let is_missed = |path: &String| !is_cache(path) && !is_emptied(path) && !is_ours(path);
    let left = left.into_iter().filter(is_missed).take(LEFT_MAX);
    let left = left.collect();
    (copy, left)
}

/// Whether there is nothing in this directory but what is copied.
fn holds_only(root: &Path, directory: &Path, copied: &[String]) -> bool {
    let entries = std::fs::read_dir(root.join(directory)).into_iter().flatten().flatten();
    entries.into_iter().all(|entry| {
        let path = directory.join(entry.file_name());
        let is_copied = copied.iter().any(|copied| path.starts_with(copied));
        is_copied || (entry.file_type().is_ok_and(|kind| kind.is_dir()) && holds_only(root, &path, copied))
    })
}

/// Brings what git does not keep into a new work tree: copies, and whatever its setup makes. May be repeated; a setup that is
/// under way is waited for, and one that is done is not run again. `false` where somebody wants it ended.
pub(crate) fn furnish<S: Supervisor<Error = WorldError>>(
    layout: &Layout,
    run: &RunId,
    worktree: &Worktree,
    launch: &Surroundings,
    agent: Option<&AgentConfig>,
    supervisor: S,
) -> Result<bool, WorldError> {
    let tree = layout.tree();
    let workspace = open_workspace(layout, run)?;
    workspace.protect_state()?;
    let moved = bring_all(layout, worktree)?;
    let Some(command) = &worktree.setup else { return Ok(true) };
    if !set_up(command, tree, launch, agent, supervisor)? {
        return Ok(false);
    }
    let made = workspace.not_kept()?;
    match made.iter().find_map(|path| link_into_checkout(&moved, &tree.join(path.as_path()))) {
        Some(link) => {
            let link = link.strip_prefix(tree).unwrap_or(&link).display();
            let what = format!("`{command}`: the link `{link}` {LEADS_BACK}; copy it instead");
            Err(WorldError::Furnish { what })
        }
        None => Ok(true),
    }
}

/// Copies what git does not keep into a work tree.
pub(crate) fn bring_all<'a>(layout: &'a Layout, worktree: &Worktree) -> Result<Moved<'a>, WorldError> {
    let (root, tree) = (layout.root(), layout.tree());
    let moved = Moved::new(root, tree);
    if let Some(link) = link_into_checkout(&moved, tree) {
        let link = link.strip_prefix(tree).unwrap_or(&link).display();
        let help = "make it relative in the work tree and resume, or in the checkout and start a new run; `--here` works in place";
        return Err(WorldError::Furnish { what: format!("the link `{link}` {LEADS_BACK}; {help}") });
    }
    for path in &worktree.copy {
        let failed = |error: io::Error| WorldError::Furnish { what: format!("`{path}`: {error}") };
        // What is there already came from git, or from an earlier try.
        if root.join(path).symlink_metadata().is_ok() && tree.join(path).symlink_metadata().is_err() {
            bring(&moved, path).map_err(failed)?;
        }
    }
    Ok(moved)
}

/// Runs the user's command in the tree, under a keeper: whoever takes over finds it, or what it came to. One that failed
/// leaves nothing to be found, and is run again by whoever resumes.
fn set_up<S: Supervisor<Error = WorldError>>(
    command: &str,
    tree: &Path,
    launch: &Surroundings,
    agent: Option<&AgentConfig>,
    supervisor: S,
) -> Result<bool, WorldError> {
    let what = What::Setup(command);
    let plan = |name: &str| {
        Ok(Plan::Start(launch.prepare(Work {
            name,
            what: what.clone(),
            directory: tree,
            env: BTreeMap::new(),
            prompt: None,
            wall_ms: SETUP_MS_MAX,
            idle_ms: None,
            output_bytes_max: COMMAND_OUTPUT_BYTES_MAX,
            beside: agent,
            pass: None,
            own: None,
        })))
    };
    let mut kept = Kept::new(launch, SETUP, supervisor, &plan).running(&what);
    if failed_before(&launch.attempts())? {
        kept.remove_tries();
    }
    let why = match Rerun::once().run(&mut kept)? {
        Ran::Ended(exit) if exit.ended_by == EndedBy::Exited && exit.code == Some(0) => return Ok(true),
        Ran::Cancelled => return Ok(false),
        Ran::Ended(exit) if exit.ended_by == EndedBy::WallClock => "it took too long".to_owned(),
        Ran::Ended(exit) => {
            let ended = match exit.code {
                Some(code) => format!("it exits with {code}"),
                None => "it was ended".to_owned(),
            };
            let said = last_words(&kept.directory()).or(exit.error);
            said.map_or_else(|| ended.clone(), |said| format!("{ended}: {said}"))
        }
        Ran::Lost => "its process was lost three times in a row".to_owned(),
        Ran::NoKeeper { detail } => detail,
    };
    kept.remove_tries();
    let why = launch.redactor().redact(&why);
    Err(WorldError::Furnish { what: format!("`{command}`: {why}") })
}

/// Whether the last try failed before anybody here looked: whoever resumes means to try again.
fn failed_before(attempts: &Path) -> Result<bool, WorldError> {
    let mut last = Found::Absent;
    for number in 1.. {
        match piton_agent::look(attempts, &format!("{SETUP}-{number}"))? {
            Found::Absent => break,
            found => last = found,
        }
    }
    Ok(matches!(last, Found::Finished(exit) if exit.ended_by != EndedBy::Cancelled && exit.code != Some(0)))
}

/// The end of what a command said: beside its output, else there.
fn last_words(directory: &Path) -> Option<String> {
    let logs = [piton_agent::stderr_file(directory), piton_agent::stdout_file(directory)];
    logs.iter().find_map(|log| {
        let bytes = file::read_regular(log, 2 * COMMAND_OUTPUT_BYTES_MAX).ok()??;
        let text = String::from_utf8_lossy(&bytes);
        Some(clip_tail(text.trim(), TAIL_BYTES_MAX).to_owned()).filter(|text| !text.is_empty())
    })
}

/// Copies `path`, which is relative, and gives it its name when all of it is there.
fn bring(moved: &Moved<'_>, path: &str) -> io::Result<()> {
    let target = moved.tree.join(path);
    let name = target.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let part = target.with_file_name(format!(".{name}.piton-copy"));
    if let Some(parent) = target.parent() {
        std::fs::create_dir_all(parent)?;
    }
    match part.symlink_metadata() {
        Ok(left) if left.is_dir() => std::fs::remove_dir_all(&part)?,
        Ok(_) => std::fs::remove_file(&part)?,
        Err(_) => {}
    }
    let from = moved.root.join(path);
    match from.is_symlink() && from.is_dir() {
        // A link to a directory elsewhere would share what it leads to.
        true => {
            let from = std::fs::canonicalize(from)?;
            copy(&moved.with_linked(&from, &target), &from, &part, &target)?;
        }
        false => copy(moved, &from, &part, &target)?,
    }
    file::rename_noreplace(&part, &target).map(drop).map_err(|error| error.source)
}

/// Copies `from` to `to`; `named` is what `to` will be called.
fn copy(moved: &Moved<'_>, from: &Path, to: &Path, named: &Path) -> io::Result<()> {
    let metadata = from.symlink_metadata()?;
    if metadata.is_symlink() {
        let target = std::fs::read_link(from)?;
        return std::os::unix::fs::symlink(moved.target_of(named, target), to);
    }
    if metadata.is_file() {
        return copy_file(moved, from, to, &metadata);
    }
    // A socket or a pipe belongs to whoever made it.
    if !metadata.is_dir() {
        return Ok(());
    }
    std::fs::create_dir(to)?;
    for entry in std::fs::read_dir(from)? {
        let name = entry?.file_name();
        if name != MADE_ANEW {
            copy(moved, &from.join(&name), &to.join(&name), &named.join(&name))?;
        }
    }
    std::fs::set_permissions(to, metadata.permissions())
}

fn copy_file(moved: &Moved<'_>, from: &Path, to: &Path, metadata: &Metadata) -> io::Result<()> {
    if metadata.len() <= TEXT_BYTES_MAX
        && let Some(bytes) = moved.renamed(&std::fs::read(from)?)
    {
        file::create_new(to, &bytes, file::Durability::Unsynced).map_err(|error| error.source)?;
        return std::fs::set_permissions(to, metadata.permissions());
    }
    std::fs::copy(from, to)?;
    // Tools compare times: what was built stays built.
    let times = FileTimes::new().set_modified(metadata.modified()?);
    File::options().read(true).open(to)?.set_times(times)
}

/// The first link at or below `path` that leads into the checkout, whether something is there already or not.
fn link_into_checkout(moved: &Moved<'_>, path: &Path) -> Option<PathBuf> {
    let metadata = path.symlink_metadata().ok()?;
    if metadata.is_symlink() {
        let target = std::fs::read_link(path).ok()?;
        let is_there = |meant: PathBuf| !meant.starts_with(moved.tree) && moved.counterpart(&meant).is_some();
        let leads = moved.target_of(path, target.clone()) != target
            || std::fs::canonicalize(path).is_ok_and(is_there);
        return leads.then(|| path.to_owned());
    }
    if !metadata.is_dir() {
        return None;
    }
    let entries = std::fs::read_dir(path).ok()?.flatten();
    entries
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_symlink() || kind.is_dir()))
        .filter(|entry| entry.file_name() != ".git")
        .find_map(|entry| link_into_checkout(moved, &entry.path()))
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test prepares its files directly")]
mod tests {
    use super::*;

    #[test]
    fn what_is_copied_shares_nothing_with_the_checkout_and_does_not_lead_there() {
        let directory = tempfile::tempdir().unwrap();
        let (root, tree) = (directory.path().join("repo"), directory.path().join("repo-w"));
        std::fs::create_dir_all(root.join("env/bin")).unwrap();
        std::fs::create_dir_all(root.join("env/__pycache__")).unwrap();
        std::fs::create_dir(&tree).unwrap();
        let script = format!("#!{}/env/bin/python\n", root.display());
        std::fs::write(root.join("env/bin/tool"), &script).unwrap();
        std::fs::write(root.join("env/data"), "data").unwrap();
        let links = [
            ("env/up", root.join("src")),
            ("env/around", PathBuf::from("../../repo/src")),
            ("env/inside", PathBuf::from("bin/tool")),
            ("env/away", PathBuf::from("/usr/bin/env")),
        ];
        for (link, target) in &links {
            std::os::unix::fs::symlink(target, root.join(link)).unwrap();
        }
        bring(&Moved::new(&root, &tree), "env").unwrap();
        let read = |name: &str| std::fs::read_to_string(tree.join(name)).unwrap();
        assert_eq!(read("env/bin/tool"), format!("#!{}/env/bin/python\n", tree.display()));
        assert_eq!(read("env/data"), "data");
        let led = |name: &str| std::fs::read_link(tree.join(name)).unwrap();
        assert_eq!((led("env/up"), led("env/around")), (tree.join("src"), tree.join("src")));
        assert_eq!((led("env/inside"), led("env/away")), (links[2].1.clone(), links[3].1.clone()));
        assert!(!tree.join("env/__pycache__").exists() && !tree.join(".env.piton-copy").exists());
        std::fs::write(tree.join("env/data"), "changed").unwrap();
        assert_eq!(std::fs::read_to_string(root.join("env/data")).unwrap(), "data");
    }
}
