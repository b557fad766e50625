//! Workflows, run directories, reports and people's files that mean harm: each a clear error, soon, and nothing outside
//! of the repository touched. `scripts/torture/hostile` has more cases, and measures time and memory.

mod documents;
mod imports;
mod places;
mod reports;

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, Instant};

use super::common::{Ran, World};

/// What a binary that is not optimised gets, on a busy machine, for what takes an optimised one less than a second.
const SOON: Duration = Duration::from_secs(20);

/// A window title, a clear screen, a line that overwrites another, a change of direction.
const ESCAPES: &str = "\u{1b}]0;owned\u{7}\u{1b}[2J\rdone \u{9b}31m\u{202e}reversed";

/// A repository with a tree beside it that nobody may touch.
struct Place {
    world: World,
}

impl Place {
    fn new() -> Self {
        let place = Self { world: World::outside_git() };
        place.sh("mkdir -p ../outside/directory && echo root > ../outside/passwd && echo '{}' > ../outside/directory/kept.json");
        place.sh("echo '# outside' > ../outside/AGENTS.md");
        place
    }

    #[expect(clippy::disallowed_methods, reason = "a test prepares its files directly")]
    fn put(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let path = self.world.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }

    #[track_caller]
    fn sh(&self, line: &str) {
        self.world.shell(line).exits(0);
    }

    /// Everything beside the repository, by name: what it is, how large, when it was written, what it holds.
    fn canaries(&self) -> BTreeMap<String, String> {
        let mut found = BTreeMap::new();
        let mut open = vec![self.world.beside("outside")];
        while let Some(directory) = open.pop() {
            for entry in std::fs::read_dir(&directory).unwrap().map(Result::unwrap) {
                let (path, at) = (entry.path(), entry.path().symlink_metadata().unwrap());
                let content = if at.is_file() { std::fs::read(&path).unwrap() } else { Vec::new() };
                let told =
                    format!("{:o} {} {}.{} {content:?}", at.mode(), at.ino(), at.mtime(), at.mtime_nsec());
                found.insert(path.display().to_string(), told);
                if at.is_dir() {
                    open.push(path);
                }
            }
        }
        found
    }

    /// Runs piton: soon, clean, without a panic, and the canaries stay as they are.
    #[track_caller]
    fn piton(&self, arguments: &[&str]) -> Ran {
        let (before, begin) = (self.canaries(), Instant::now());
        let ran = self.world.piton(arguments);
        let took = begin.elapsed();
        assert!(took < SOON, "{arguments:?} took {took:?}: {ran:?}");
        assert!((0..=7).contains(&ran.code), "{ran:?}");
        is_clean(&ran);
        assert_eq!(self.canaries(), before, "{arguments:?}: {ran:?}");
        assert!(!self.has_panicked(), "{arguments:?}: {ran:?}");
        ran
    }

    /// `piton run w.yaml` with these flags.
    #[track_caller]
    fn run(&self, flags: &[&str]) -> Ran {
        self.piton(&[&["run", "w.yaml", "--run-id", "r1", "--max-attempts", "1"], flags].concat())
    }

    /// What people look at afterwards is as clean.
    #[track_caller]
    fn look_around(&self) {
        for command in ["status", "why", "report", "log", "show", "output", "attach"] {
            self.piton(&[command, "r1"]);
        }
        for command in ["status", "why", "log"] {
            self.piton(&[command, "r1", "--json"]).exits(0);
        }
        self.piton(&["ls"]).exits(0);
    }

    fn has_panicked(&self) -> bool {
        let logs = std::fs::read_dir(self.world.path(".piton/drivers")).into_iter().flatten().flatten();
        logs.map(|entry| std::fs::read_to_string(entry.path()).unwrap_or_default())
            .any(|text| text.contains("panicked"))
    }

    fn has(&self, name: &str) -> bool {
        Path::new(&self.world.path(name)).symlink_metadata().is_ok()
    }
}

#[track_caller]
fn is_clean(ran: &Ran) {
    for text in [&ran.out, &ran.err] {
        let bad =
            |c: &char| c.is_control() && !matches!(c, '\n' | '\t') || ('\u{202a}'..='\u{202e}').contains(c);
        assert_eq!(text.chars().find(bad), None, "{text:?}");
        assert!(!text.contains("panicked"), "{text}");
    }
}

/// Whether it exits with one of these codes, and says this.
#[track_caller]
fn says(name: &str, ran: &Ran, codes: &[i32], words: &str) {
    assert!(codes.contains(&ran.code), "{name}: {ran:?}");
    assert!(ran.out.contains(words) || ran.err.contains(words), "{name}: no {words:?} in {ran:?}");
}
