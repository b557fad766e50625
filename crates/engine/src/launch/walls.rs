//! Walls around what a run starts: a view of the file system in which only their work is writable.
//!
//! By [bubblewrap](https://github.com/containers/bubblewrap), a program that needs no privileges. Inside,
//! everything can be read; what can be written is the work tree, the places an agent keeps its own things in, build
//! caches, and the outbox of the attempt. Piton's own directory, the repository, the user's settings and protected
//! paths cannot, and the sockets through which other programs could be asked to do
//! it (a session bus, `systemd --user`, a terminal multiplexer, a container engine) are not there. Neither are keys, tokens and the
//! logins of other agents ([`super::hidden`]). Checks run what an agent wrote, so they stay between the same walls.

use std::collections::{BTreeSet, VecDeque};
use std::path::{Path, PathBuf};
use std::time::Duration;

use piton_guard::{is_protected, leads_into};
use piton_sys::process::{self, Program, RunLimits};

use crate::configuration::variable;
use crate::layout::Layout;

const PROGRAM: &str = "bwrap";

/// The first argument of this program when it is to enclose itself and then become another.
pub const ENCLOSED_COMMAND: &str = "__enclosed";

/// What comes before each pair of a file and where it is to be copied to, before the program.
pub const COPY_OPTION: &str = "--copy";

/// What [`ENCLOSED_COMMAND`] leaves in the outbox of an attempt: the walls stand, and what follows is what they are for.
pub(super) fn sign(outbox: &Path) -> PathBuf {
    outbox.join("enclosed")
}

/// Whether the walls of an attempt ever stood. Bubblewrap may fail as well as what it runs, and by the same exit code.
pub(crate) fn stood(outbox: &Path) -> bool {
    sign(outbox).symlink_metadata().is_ok()
}

/// What is one's own inside. A namespace of users is what makes the walls hold for root, too.
const UNSHARED: [&str; 6] =
    ["--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--cap-drop", "ALL"];

/// Where [`ENCLOSED_COMMAND`] finds what it copies.
pub(super) const COPIED_FROM: &str = "/run/piton";

/// Places that are empty and one's own inside: what is shared there is mostly sockets.
const EMPTY: [&str; 3] = ["/tmp", "/var/tmp", "/run"];

/// What of them is needed all the same: where names are resolved, and the programs of some systems.
const KEPT: [&str; 4] =
    ["/run/systemd/resolve", "/run/resolvconf", "/run/NetworkManager/resolv.conf", "/run/current-system"];

/// What of `/proc` belongs to the whole machine. Root may write there whatever it was stripped of: the kernel asks for the owner, not
/// for a capability, and `core_pattern` names a program that runs outside.
const MACHINE: [&str; 8] = [
    "/proc/sys",
    "/proc/sysrq-trigger",
    "/proc/irq",
    "/proc/bus",
    "/proc/fs",
    "/proc/acpi",
    "/proc/scsi",
    "/proc/mtrr",
];

/// What builds write to, and what nobody runs from.
const CACHES: [&str; 8] = [
    "~/.cache",
    "~/.cargo/registry",
    "~/.cargo/git",
    "~/.npm",
    "~/.m2/repository",
    "~/.gradle/caches",
    "~/go/pkg",
    "~/.nuget/packages",
];

/// A network of one's own, which is a loopback and nothing behind it. It ends with whoever serves it.
const OWN_NETWORK: [&str; 2] = ["--unshare-net", "--die-with-parent"];

/// How many entries of a tree are looked at for what patterns protect, and how much of it is closed.
const MATCHED_VISITS_MAX: usize = 50_000;
const MATCHES_MAX: usize = 500;

/// A home with more at its top stays closed, and any other directory is not built anew.
const ENTRIES_MAX: usize = 1_000;

/// Where the program is. Not in the tree: an agent could put one there that puts up no walls.
fn program(layout: &Layout) -> Option<PathBuf> {
    let trees = [layout.root(), layout.tree()].map(real);
    let is_outside = |entry: &PathBuf| {
        let place = entry.canonicalize();
        place.is_ok_and(|place| !trees.iter().any(|tree| place.starts_with(tree)))
    };
    let path = std::env::var_os("PATH")?;
    let path = std::env::join_paths(std::env::split_paths(&path).filter(is_outside)).ok()?;
    process::find_program(PROGRAM.as_ref(), Some(&path), layout.root())
}

/// Whether there can be walls around this tree, with a network of one's own if `apart`; what stands in the way otherwise.
pub fn available(layout: &Layout, apart: bool) -> Result<(), String> {
    const LIMITS: RunLimits = RunLimits { deadline: Duration::from_secs(10), output_bytes_max: 64 << 10 };
    let network: &[&str] = if apart { &OWN_NETWORK } else { &[] };
    let walls = ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--", "true"];
    let none = || "bubblewrap (`bwrap`) is not installed".to_owned();
    match Program::new(program(layout).ok_or_else(none)?).args(UNSHARED).args(network).args(walls).run(LIMITS)
    {
        Ok(output) if output.success() => Ok(()),
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stderr);
            Err(format!(
                "bubblewrap does not work here: {}",
                said.lines().next().unwrap_or("it says nothing")
            ))
        }
        Err(_) => Err(none()),
    }
}

/// What these patterns match in the tree, in whose `ignored` directories only a pattern that leads there is looked for.
pub(super) fn matching(tree: &Path, patterns: &[&str], ignored: &BTreeSet<String>) -> Vec<PathBuf> {
    let (mut found, mut visits) = (Vec::new(), MATCHED_VISITS_MAX);
    let mut waiting = VecDeque::from([String::new()]);
    while let Some(directory) = waiting.pop_front() {
        let entries = tree.join(&directory).read_dir().into_iter().flatten().flatten();
        for entry in entries {
            if visits == 0 || found.len() >= MATCHES_MAX {
                return found;
            }
            visits -= 1;
            let (Ok(name), Ok(kind)) = (entry.file_name().into_string(), entry.file_type()) else { continue };
            let path = if directory.is_empty() { name.clone() } else { format!("{directory}/{name}") };
            let leads_there = || patterns.iter().any(|rule| leads_into(rule, &path));
            if patterns.iter().any(|rule| is_protected(&path, rule)) {
                found.push(tree.join(path));
            } else if kind.is_dir()
                && ![".git", ".piton"].contains(&name.as_str())
                && (!ignored.contains(&path) || leads_there())
            {
                waiting.push_back(path);
            }
        }
    }
    found
}

/// Says so where the user's home lies in the tree: what is written there counts outside, in shells, in git and in every other program.
pub fn require_home_outside(tree: &Path) -> Result<(), String> {
    match place_of("~/").is_some_and(|home| real(&home).starts_with(real(tree))) {
        true => Err("its work tree holds your home, and what is written there counts outside".to_owned()),
        false => Ok(()),
    }
}

/// What a path leads to, where something is there.
pub(super) fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// Only what is there can be opened or closed to writing: an agent that starts for the first time finds its
/// directories.
/// A name with an extension is a file, which the agent has to do without.
pub(super) fn make_room(place: &Path) {
    if place.extension().is_none() && place.symlink_metadata().is_err() {
        let _ = piton_sys::file::create_private_dir(place);
    }
}

/// The same for settings. A file of them that says nothing is put there where there is none, so that nobody inside can make one that
/// says something.
pub(super) fn make_settings(place: &Path) {
    let nothing: &[u8] = match place.extension().and_then(|extension| extension.to_str()) {
        None => return make_room(place),
        Some("json" | "jsonc") => b"{}\n",
        Some(_) => b"",
    };
    let is_there = place.symlink_metadata().is_ok();
    if !is_there && place.parent().is_some_and(Path::is_dir) {
        let _ = piton_sys::file::write_atomic(place, nothing, piton_sys::file::Durability::Unsynced);
    }
}

/// What can be written and what cannot, in order: a later wall stands inside an earlier one.
#[derive(Default)]
pub(super) struct Walls(Vec<String>);

impl Walls {
    pub(super) fn writable(&mut self, path: &Path) {
        self.bind("--bind-try", path);
    }

    pub(super) fn readable(&mut self, path: &Path) {
        self.bind("--ro-bind-try", path);
    }

    /// Lets new things be made at the top of the user's home, where many programs make their directory, and be gone at the end. What
    /// is there stays, and closed, but for what is `hidden`, and for files of which there is a copy. Says whether it could be done.
    pub(super) fn open_home(&mut self, tree: &Path, hidden: &BTreeSet<PathBuf>, copies: &[PathBuf]) -> bool {
        let home = place_of("~/").and_then(|home| home.canonicalize().ok());
        let Some(home) = home.filter(|home| home.parent().is_some() && !home.starts_with(tree)) else {
            return false;
        };
        self.build_anew(&home, hidden, copies)
    }

    /// Puts an empty directory in place of this one, and what is in it back, one by one. What is hidden never lies below what hides
    /// it then: a program outside that renames another file over it would uncover it.
    fn build_anew(&mut self, directory: &Path, hidden: &BTreeSet<PathBuf>, without: &[PathBuf]) -> bool {
        let entries: Vec<_> =
            directory.read_dir().into_iter().flatten().flatten().take(ENTRIES_MAX + 1).collect();
        let Some(word) = directory.to_str().filter(|_| entries.len() <= ENTRIES_MAX) else { return false };
        self.0.extend(["--tmpfs", word].map(str::to_owned));
        for path in entries.iter().map(std::fs::DirEntry::path).filter(|path| !without.contains(path)) {
            let holds_one = |path: &Path| {
                hidden.iter().any(|place| place != path && place.starts_with(path) && !place.is_dir())
            };
            match path.read_link() {
                Ok(target) => {
                    let words = [
                        Some("--symlink".to_owned()),
                        target.to_str().map(str::to_owned),
                        path.to_str().map(str::to_owned),
                    ];
                    self.0.extend(words.into_iter().collect::<Option<Vec<_>>>().unwrap_or_default());
                }
                Err(_) if hidden.contains(&path) => self.hide(&path),
                Err(_) if holds_one(&path) && self.build_anew(&path, hidden, &[]) => {
                    self.0.extend(
                        path.to_str()
                            .map(|word| ["--remount-ro", word].map(str::to_owned))
                            .into_iter()
                            .flatten(),
                    );
                }
                Err(_) => self.readable(&path),
            }
        }
        true
    }

    /// Puts copies, which lie in `place`, in place of the files at the top of the user's home, so that a program that writes one can do so. What
    /// cannot be copied stays closed.
    pub(super) fn copy_files_of_home(&mut self, place: &Path, hidden: &BTreeSet<PathBuf>) {
        const BYTES_MAX: u64 = 1 << 20;
        let _ = std::fs::remove_dir_all(place);
        let Some(home) = place_of("~/").and_then(|home| home.canonicalize().ok()) else { return };
        if piton_sys::file::create_private_dir(place).is_err() {
            return;
        }
        let entries = home.read_dir().into_iter().flatten().flatten().take(ENTRIES_MAX);
        for entry in entries {
            let (from, to) = (entry.path(), place.join(entry.file_name()));
            let found =
                from.symlink_metadata().ok().filter(|found| found.is_file() && found.len() <= BYTES_MAX);
            if found.is_some() && !hidden.contains(&from) && std::fs::copy(&from, &to).is_ok() {
                self.stands_for(&to, &from);
            }
        }
    }

    /// Has the file seen at `at`, too.
    pub(super) fn readable_at(&mut self, path: &Path, at: &Path) {
        if let (Some(path), Some(at)) = (path.to_str(), at.to_str()) {
            self.0.extend(["--ro-bind-try", path, at].map(str::to_owned));
        }
    }

    /// Puts `copy` in place of `tree`, where it can be written.
    pub(super) fn stands_for(&mut self, copy: &Path, tree: &Path) {
        if let (Some(copy), Some(tree)) = (copy.to_str(), tree.to_str()) {
            self.0.extend(["--bind", copy, tree].map(str::to_owned));
        }
    }

    /// Ends what is inside once the program ends that waits for it, however that ends.
    pub(super) fn fall_with_whoever_waits(&mut self) {
        self.0.push("--die-with-parent".to_owned());
    }

    /// Puts nothing in place of it.
    pub(super) fn hide(&mut self, path: &Path) {
        let Some(word) = path.to_str() else { return };
        match path.is_dir() {
            true => self.0.extend(["--tmpfs", word].map(str::to_owned)),
            false => self.0.extend(["--ro-bind-try", "/dev/null", word].map(str::to_owned)),
        }
    }

    /// Opens what builds write to, and says where that is.
    pub(super) fn open_caches(&mut self) -> Vec<PathBuf> {
        let caches: Vec<_> = places_of(&CACHES).iter().map(|place| real(place)).collect();
        caches.iter().for_each(|place| self.writable(place));
        caches
    }

    /// Keeps the directories between `top` and these paths where they are: what is mounted cannot be moved away.
    pub(super) fn pin_all<'a>(&mut self, top: &Path, paths: impl Iterator<Item = &'a PathBuf>) {
        let below = paths.filter(|path| path.starts_with(top));
        let above = below.flat_map(|path| path.ancestors().skip(1).take_while(|above| *above != top));
        // Each once, and those above first.
        above.collect::<BTreeSet<_>>().into_iter().for_each(|directory| self.writable(directory));
    }

    /// Puts nothing in place of the sockets that nobody named.
    pub(super) fn hide_sockets(&mut self, tree: &Path, named: &[PathBuf]) {
        let is_gone =
            |socket: &Path| !socket.starts_with(tree) && EMPTY.iter().any(|place| socket.starts_with(place));
        let is_named = |socket: &PathBuf| {
            named.iter().any(|place| place.canonicalize().is_ok_and(|place| place == *socket))
        };
        let sockets = process::bound_sockets();
        let seen = sockets.iter().filter(|socket| !is_gone(socket) && !is_named(socket));
        // To read a file system is enough to connect through it.
        seen.for_each(|socket| self.hide(socket));
    }

    fn bind(&mut self, how: &str, path: &Path) {
        // A link cannot be bound, but what it leads to can.
        let real = path.canonicalize();
        // Only what was there before can be bound at all; a name that is no text is left as everything else is.
        if let Some(path) = real.as_deref().unwrap_or(path).to_str() {
            self.0.extend([how, path, path].map(str::to_owned));
        }
    }

    /// The command line that runs `argv` between these walls, with a network of its own if `apart`.
    /// It starts in `cwd`, else where whoever runs it is.
    pub(super) fn around(
        self,
        layout: &Layout,
        cwd: Option<&Path>,
        apart: bool,
        argv: Vec<String>,
    ) -> Vec<String> {
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let program = program(layout).unwrap_or_else(|| Path::new("/usr/bin").join(PROGRAM));
        let mut line = vec![program.display().to_string()];
        line.extend(UNSHARED.map(str::to_owned));
        if apart {
            line.extend(OWN_NETWORK.map(str::to_owned));
        }
        line.extend(words(&["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]));
        for place in EMPTY {
            line.extend(words(&["--tmpfs", place]));
        }
        for place in KEPT.iter().chain(&MACHINE) {
            line.extend(words(&["--ro-bind-try", place, place]));
        }
        line.extend(self.0);
        // It is what this variable asks about.
        line.extend(words(&["--setenv", "IS_SANDBOX", "1"]));
        line.extend(cwd.into_iter().flat_map(|cwd| ["--chdir".to_owned(), cwd.display().to_string()]));
        line.push("--".to_owned());
        line.extend(argv);
        line
    }
}

/// The places that the configuration names, where they can be told.
pub(super) fn places_of(words: &[impl AsRef<str>]) -> Vec<PathBuf> {
    words.iter().filter_map(|word| place_of(word.as_ref())).collect()
}

/// The place that the configuration names: absolute, below the home, or in a variable or below it.
pub(super) fn place_of(word: &str) -> Option<PathBuf> {
    let set = |name: &str| match std::env::var_os(name) {
        None if name == "HOME" => std::env::home_dir(),
        set => set.map(PathBuf::from),
    };
    let variable = |name: &str| set(name).filter(|path| path.is_absolute());
    match (word.strip_prefix("~/"), word.strip_prefix('$')) {
        (Some(below), _) => Some(variable("HOME")?.join(below)),
        (_, Some(name)) => match name.split_once('/') {
            Some((name, below)) => Some(variable(name)?.join(below)),
            None => variable(name),
        },
        _ => Some(PathBuf::from(word)),
    }
}

/// Where the user's own limits and trust are.
pub(super) fn settings_directory() -> Option<PathBuf> {
    piton_config::config_dir(&variable).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_inner_wall_comes_after_the_one_it_stands_in() {
        let mut walls = Walls::default();
        walls.writable(Path::new("/w"));
        walls.pin_all(Path::new("/w"), [PathBuf::from("/w/a/b/tests"), PathBuf::from("/w/a/b/c")].iter());
        walls.readable(Path::new("/w/a/b/tests"));
        let layout = Layout::new(PathBuf::from("/w"));
        let argv = vec!["agent".to_owned(), "-p".to_owned()];
        let line = walls.around(&layout, Some(Path::new("/w")), false, argv).join(" ");
        assert!(line.ends_with("--chdir /w -- agent -p"), "{line}");
        let at = |text: &str| line.find(text).unwrap_or_else(|| panic!("`{text}` in {line}"));
        assert!(at("--ro-bind / /") < at("--tmpfs /tmp"));
        assert!(at("--tmpfs /tmp") < at("--bind-try /w /w"));
        assert!(
            at("--bind-try /w /w")
                < at("--bind-try /w/a /w/a --bind-try /w/a/b /w/a/b --ro-bind-try /w/a/b/tests")
        );
    }

    #[test]
    fn the_page_about_walls_names_every_cache() {
        let page = include_str!("../../../../docs/walls.md");
        let row = page.lines().find(|line| line.starts_with("| caches of builds")).unwrap();
        let said: BTreeSet<_> = row.split('`').skip(1).step_by(2).collect();
        assert_eq!(said, CACHES.into_iter().collect());
    }

    #[test]
    fn places_are_absolute_below_the_home_or_in_a_variable() {
        assert_eq!(place_of("/opt/x"), Some(PathBuf::from("/opt/x")));
        assert_eq!(place_of("$PITON_NO_SUCH_VARIABLE"), None);
        assert_eq!(place_of("$PITON_NO_SUCH_VARIABLE/x"), None);
        assert_eq!(place_of("$HOME/x"), place_of("~/x"));
        let home = std::env::var_os("HOME").map(PathBuf::from);
        assert_eq!(place_of("~/.cargo"), home.map(|home| home.join(".cargo")));
    }
}
