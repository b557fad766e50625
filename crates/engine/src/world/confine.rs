//! Walls around agents and checks: a view of the file system in which only their work is writable.
//!
//! By [bubblewrap](https://github.com/containers/bubblewrap), a program that needs no privileges. Inside,
//! everything can be read; what can be written is the work tree, the places an agent keeps its own things in, build
//! caches, and the outbox of the attempt. Piton's own directory, the repository, the user's settings and protected
//! paths cannot, and the sockets through which other programs could be asked to do
//! it (a session bus, `systemd --user`, a terminal multiplexer, a container engine) are not there. Checks run what
//! an agent wrote, so they stay between the same walls.

use std::path::{Path, PathBuf};
use std::time::Duration;

use piton_agent::Spec;
use piton_model::State;
use piton_sys::process::{self, Program, RunLimits};

use super::Context;

const PROGRAM: &str = "bwrap";

/// The first argument of this program when it is to enclose itself and then become another.
pub const ENCLOSED_COMMAND: &str = "__enclosed";

/// What is one's own inside. A namespace of users is what makes the walls hold for root, too.
const UNSHARED: [&str; 6] =
    ["--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--cap-drop", "ALL"];

/// Places that are empty and one's own inside: what is shared there is mostly sockets.
const EMPTY: [&str; 3] = ["/tmp", "/var/tmp", "/run"];

/// What of them is needed all the same: where names are resolved, and the programs of some systems.
const KEPT: [&str; 4] =
    ["/run/systemd/resolve", "/run/resolvconf", "/run/NetworkManager/resolv.conf", "/run/current-system"];

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

/// Whether there can be walls here; what stands in the way otherwise.
pub fn available() -> Result<(), String> {
    const LIMITS: RunLimits = RunLimits { deadline: Duration::from_secs(10), output_bytes_max: 64 << 10 };
    let walls = ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--", "true"];
    match Program::new(PROGRAM).args(UNSHARED).args(walls).run(LIMITS) {
        Ok(output) if output.success() => Ok(()),
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stderr);
            Err(format!(
                "bubblewrap does not work here: {}",
                said.lines().next().unwrap_or("it says nothing")
            ))
        }
        Err(_) => Err("bubblewrap (`bwrap`) is not installed".to_owned()),
    }
}

/// Puts walls around what `spec` starts, where the run is to have them.
pub(super) fn confine(context: &Context, state: &State, mut spec: Spec) -> Spec {
    let Some(confine) = &state.config.confine else { return spec };
    let layout = &context.layout;
    let outbox = piton_agent::outbox(&context.attempts().join(&spec.name));
    let mut walls = Walls::default();
    for place in state.config.agent.writes.iter().filter_map(|word| place_of(word)) {
        make_room(&place);
        walls.writable(place);
    }
    for place in CACHES.into_iter().filter_map(place_of) {
        walls.writable(place);
    }
    // Seen even where it lies in a place that is empty inside.
    walls.readable(layout.root().to_owned());
    walls.writable(layout.tree().to_owned());
    // Whoever can write there decides what git runs the next time a person, or piton, calls it.
    for place in context.workspace.git_places() {
        walls.readable(place);
    }
    for place in state.config.agent.settings.iter().filter_map(|word| place_of(word)) {
        make_room(&place);
        walls.readable(place);
    }
    for place in confine.write.iter().filter_map(|word| place_of(word)) {
        walls.writable(place);
    }
    let protected = state.config.protect.iter().map(String::as_str).chain(["piton.toml"]);
    for path in protected.map(|path| layout.tree().join(path)) {
        walls.pin(layout.tree(), &path);
        walls.readable(path);
    }
    walls.readable(layout.state());
    walls.readable(context.exe.clone());
    if let Some(settings) = settings_directory() {
        walls.readable(settings);
    }
    walls.writable(outbox);
    for socket in process::bound_sockets() {
        walls.hide(layout.tree(), &socket);
    }
    let mut argv = vec![context.exe.display().to_string(), ENCLOSED_COMMAND.to_owned()];
    argv.append(&mut spec.argv);
    spec.argv = walls.around(&spec.cwd, argv);
    // It is what this variable asks about.
    spec.env.insert("IS_SANDBOX".to_owned(), "1".to_owned());
    spec
}

/// Only what is there can be opened or closed to writing: an agent that starts for the first time finds its
/// directories.
/// A name with an extension is a file, which the agent has to do without.
fn make_room(place: &Path) {
    if place.extension().is_none() && place.symlink_metadata().is_err() {
        let _ = piton_sys::file::create_private_dir(place);
    }
}

/// What can be written and what cannot, in order: a later wall stands inside an earlier one.
#[derive(Default)]
struct Walls(Vec<String>);

impl Walls {
    fn writable(&mut self, path: PathBuf) {
        self.bind("--bind-try", &path);
    }

    fn readable(&mut self, path: PathBuf) {
        self.bind("--ro-bind-try", &path);
    }

    /// Keeps the directories between `top` and `path` where they are: what is mounted cannot be moved away.
    fn pin(&mut self, top: &Path, path: &Path) {
        let mut between: Vec<_> = path.ancestors().skip(1).take_while(|above| *above != top).collect();
        between.reverse();
        between.into_iter().for_each(|directory| self.writable(directory.to_owned()));
    }

    /// Puts nothing in place of a socket: to read a file system is enough to connect through it.
    fn hide(&mut self, tree: &Path, socket: &Path) {
        let gone = EMPTY.iter().any(|place| socket.starts_with(place));
        if let Some(path) = socket.to_str().filter(|_| !gone && !socket.starts_with(tree)) {
            self.0.extend(["--ro-bind-try", "/dev/null", path].map(str::to_owned));
        }
    }

    fn bind(&mut self, how: &str, path: &Path) {
        // Only what was there before can be bound at all; a name that is no text is left as everything else is.
        if let Some(path) = path.to_str() {
            self.0.extend([how, path, path].map(str::to_owned));
        }
    }

    /// The command line that runs `argv` between these walls.
    fn around(self, cwd: &Path, argv: Vec<String>) -> Vec<String> {
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let mut line = words(&[PROGRAM]);
        line.extend(UNSHARED.map(str::to_owned));
        line.extend(words(&["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]));
        for place in EMPTY {
            line.extend(words(&["--tmpfs", place]));
        }
        for place in KEPT {
            line.extend(words(&["--ro-bind-try", place, place]));
        }
        line.extend(self.0);
        line.extend(["--chdir".to_owned(), cwd.display().to_string(), "--".to_owned()]);
        line.extend(argv);
        line
    }
}

/// The place that the configuration names: absolute, below the home, or in a variable.
fn place_of(word: &str) -> Option<PathBuf> {
    let variable = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    match (word.strip_prefix("~/"), word.strip_prefix('$')) {
        (Some(below), _) => Some(variable("HOME")?.join(below)),
        (_, Some(name)) => variable(name),
        _ => Some(PathBuf::from(word)),
    }
}

/// Where the user's own limits and trust are.
fn settings_directory() -> Option<PathBuf> {
    piton_config::config_dir(&|name| std::env::var(name).ok()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_inner_wall_comes_after_the_one_it_stands_in() {
        let mut walls = Walls::default();
        walls.writable(PathBuf::from("/w"));
        walls.pin(Path::new("/w"), Path::new("/w/a/b/tests"));
        walls.readable(PathBuf::from("/w/a/b/tests"));
        let line = walls.around(Path::new("/w"), vec!["agent".to_owned(), "-p".to_owned()]).join(" ");
        assert!(line.starts_with("bwrap ") && line.ends_with("--chdir /w -- agent -p"), "{line}");
        let at = |text: &str| line.find(text).unwrap_or_else(|| panic!("`{text}` in {line}"));
        assert!(at("--ro-bind / /") < at("--tmpfs /tmp"));
        assert!(at("--tmpfs /tmp") < at("--bind-try /w /w"));
        assert!(
            at("--bind-try /w /w")
                < at("--bind-try /w/a /w/a --bind-try /w/a/b /w/a/b --ro-bind-try /w/a/b/tests")
        );
    }

    #[test]
    fn places_are_absolute_below_the_home_or_in_a_variable() {
        assert_eq!(place_of("/opt/x"), Some(PathBuf::from("/opt/x")));
        assert_eq!(place_of("$PITON_NO_SUCH_VARIABLE"), None);
        let home = std::env::var_os("HOME").map(PathBuf::from);
        assert_eq!(place_of("~/.cargo"), home.map(|home| home.join(".cargo")));
    }
}
