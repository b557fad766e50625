//! Real repositories in temporary directories, and what is in them.

#![allow(
    dead_code,
    unreachable_pub,
    clippy::allow_attributes,
    reason = "each test crate uses its own part of this"
)]

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::File;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::time::Duration;

use piton_git::{Expected, Snapshot, TreeId, Workspace};
use piton_sys::process::{Program, ProgramOutput, RunLimits};
use tempfile::TempDir;

pub const RUN: &str = "run-1";

/// The files of a work tree: mode as git has it, and content.
pub type Files = BTreeMap<Vec<u8>, (&'static str, Vec<u8>)>;

/// A work tree in a directory of its own; `home` beside it.
pub struct Place {
    pub directory: TempDir,
    pub root: PathBuf,
}

impl Place {
    /// A directory outside of git.
    pub fn plain() -> Self {
        let directory = TempDir::new().unwrap();
        let root = directory.path().canonicalize().unwrap().join("work");
        std::fs::create_dir_all(root.join(".piton")).unwrap();
        std::fs::create_dir(directory.path().join("home")).unwrap();
        Self { directory, root }
    }

    /// A repository without a commit.
    pub fn empty() -> Self {
        Self::initialised(&[])
    }

    pub fn initialised(options: &[&str]) -> Self {
        let place = Self::plain();
        place.git(&[&["init", "--quiet", "--initial-branch=main"], options].concat());
        // The rules of whoever runs the tests must not count.
        place.git(&["config", "core.excludesFile", "/dev/null"]);
        place.protect();
        place
    }

    /// A repository with two files in its first commit.
    pub fn new() -> Self {
        let place = Self::empty();
        place.write("a.txt", b"a\n");
        place.write("src/b.rs", b"fn b() {}\n");
        place.commit("first");
        place
    }

    pub fn protect(&self) {
        self.open().protect_state().unwrap();
    }

    pub fn commit(&self, message: &str) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--message", message]);
    }

    pub fn state(&self) -> PathBuf {
        self.root.join(".piton")
    }

    pub fn open(&self) -> Workspace {
        Workspace::open(&self.root, &self.state()).unwrap()
    }

    pub fn snapshot(&self) -> Snapshot {
        self.open().snapshot(RUN, "test").unwrap()
    }

    pub fn restore(&self, target: &Snapshot) -> piton_git::Restored {
        self.open().restore(RUN, &target.id, Expected::Anything).unwrap()
    }

    pub fn path(&self, name: impl AsRef<OsStr>) -> PathBuf {
        self.root.join(Path::new(name.as_ref()))
    }

    pub fn write(&self, name: impl AsRef<OsStr>, bytes: &[u8]) {
        write(&self.path(name), bytes);
    }

    pub fn write_executable(&self, name: &str, bytes: &[u8]) {
        self.write(name, bytes);
        std::fs::set_permissions(self.path(name), std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    pub fn link(&self, name: impl AsRef<OsStr>, target: &str) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        symlink(target, path).unwrap();
    }

    pub fn remove(&self, name: &str) {
        let path = self.path(name);
        if path.symlink_metadata().unwrap().is_dir() {
            std::fs::remove_dir_all(path).unwrap();
        } else {
            std::fs::remove_file(path).unwrap();
        }
    }

    /// Makes every file a day old: git looks twice at files as young as its index.
    pub fn age(&self) {
        for name in self.on_disk().into_keys() {
            self.age_file(&self.path(OsStr::from_bytes(&name)));
        }
    }

    /// Makes the user's index a day old.
    pub fn age_index(&self) {
        self.age_file(&self.path(".git/index"));
    }

    fn age_file(&self, path: &Path) {
        let day_ago =
            self.directory.path().metadata().unwrap().modified().unwrap() - Duration::from_secs(86_400);
        let file = File::options().write(true).open(path).unwrap();
        file.set_times(std::fs::FileTimes::new().set_modified(day_ago)).unwrap();
    }

    pub fn git(&self, args: &[&str]) -> String {
        git_in(&self.root, args)
    }

    pub fn git_in(&self, directory: &str, args: &[&str]) -> String {
        git_in(&self.path(directory), args)
    }

    /// What a tree holds, by plain git.
    pub fn files_of(&self, tree: &TreeId) -> Files {
        let git_dir = if self.path(".git").exists() { self.path(".git") } else { self.path(".piton/.git") };
        files_of(&git_dir, tree)
    }

    /// Asserts that a snapshot holds exactly what is on disk.
    pub fn assert_exact(&self, snapshot: &Snapshot) {
        assert_eq!(show(&self.files_of(&snapshot.tree)), show(&self.on_disk()));
    }

    /// What is on disk, git's and piton's own files left aside.
    pub fn on_disk(&self) -> Files {
        let mut files = Files::new();
        walk(&self.root, &self.root, &mut files);
        files
    }
}

pub fn write(path: &Path, bytes: &[u8]) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    File::create(path).unwrap().write_all(bytes).unwrap();
}

pub fn git_in(directory: &Path, args: &[&str]) -> String {
    let output = try_git(directory, args);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.success(), "git {args:?}: {stderr}");
    String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
}

pub fn try_git(directory: &Path, args: &[&str]) -> ProgramOutput {
    git_program(directory).args(args).run(limits()).unwrap()
}

fn git_program(directory: &Path) -> Program {
    let inherited = std::env::vars_os().map(|(name, _)| name);
    let inherited = inherited.filter(|name| name.as_bytes().starts_with(b"GIT_"));
    inherited
        .fold(Program::new("git"), Program::env_remove)
        .current_dir(directory)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("HOME", "/nonexistent")
        .env("LC_ALL", "C")
        .env("GIT_AUTHOR_NAME", "tester")
        .env("GIT_AUTHOR_EMAIL", "tester@localhost")
        .env("GIT_COMMITTER_NAME", "tester")
        .env("GIT_COMMITTER_EMAIL", "tester@localhost")
        .args(["-c", "protocol.file.allow=always"])
}

fn limits() -> RunLimits {
    RunLimits { deadline: Duration::from_secs(60), output_bytes_max: 256 << 20 }
}

pub fn files_of(git_dir: &Path, tree: &TreeId) -> Files {
    let git = |args: &[&str]| {
        let program = git_program(Path::new("/")).env("GIT_DIR", git_dir).args(args);
        let output = program.run(limits()).unwrap();
        assert!(output.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
        output.stdout
    };
    let listing = git(&["ls-tree", "-r", "-z", tree.as_str()]);
    let mut files = Files::new();
    for line in listing.split(|&byte| byte == 0).filter(|line| !line.is_empty()) {
        let tab = line.iter().position(|&byte| byte == b'\t').unwrap();
        let fields = String::from_utf8(line[..tab].to_vec()).unwrap();
        let fields: Vec<_> = fields.split(' ').collect();
        let mode = match fields[0] {
            "100644" => "file",
            "100755" => "executable",
            "120000" => "link",
            other => panic!("{other} in a snapshot"),
        };
        files.insert(line[tab + 1..].to_vec(), (mode, git(&["cat-file", "blob", fields[2]])));
    }
    files
}

fn walk(root: &Path, directory: &Path, files: &mut Files) {
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let metadata = path.symlink_metadata().unwrap();
        let name = path.file_name().unwrap();
        if name == ".git" || name == ".piton" {
            continue;
        }
        let inner = path.strip_prefix(root).unwrap().as_os_str().as_bytes().to_vec();
        if metadata.is_dir() {
            walk(root, &path, files);
        } else if metadata.is_symlink() {
            files.insert(inner, ("link", std::fs::read_link(&path).unwrap().as_os_str().as_bytes().to_vec()));
        } else if metadata.is_file() {
            let mode = if metadata.permissions().mode() & 0o100 != 0 { "executable" } else { "file" };
            files.insert(inner, (mode, std::fs::read(&path).unwrap()));
        }
    }
}

/// Readable in a failed assertion.
pub fn show(files: &Files) -> Vec<String> {
    let line = |(path, (mode, bytes)): (&Vec<u8>, &(&str, Vec<u8>))| {
        let start = &bytes[..bytes.len().min(60)];
        format!("{} {mode} {} `{}`", path.escape_ascii(), bytes.len(), start.escape_ascii())
    };
    files.iter().map(line).collect()
}
