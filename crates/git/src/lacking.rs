//! What a new work tree lacks: files that git ignores, and the submodules.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::call::Call;
use crate::left_out::noteworthy;
use crate::{Error, RepoPath, Workspace};

/// What git ignores in a work tree, without what piton keeps and renders itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ignored {
    /// Directories in which everything is ignored, and links to directories.
    pub directories: Vec<RepoPath>,
    /// Files outside of them that look like settings or tests; the others are what tools leave behind.
    pub settings: Vec<RepoPath>,
}

impl Workspace {
    /// What git ignores here.
    pub fn ignored(&self) -> Result<Ignored, Error> {
        if self.is_private {
            return Ok(Ignored::default());
        }
        let listing = self.git("ls-files").args(["--others", "--directory", "-z"]);
        let listing = listing.args(["--ignored", "--exclude-standard"]).bytes()?;
        let is_directory = |name: &&[u8]| {
            let path = self.root().join(RepoPath::from_bytes(name).as_path());
            name.ends_with(b"/") || (path.is_symlink() && path.is_dir())
        };
        let (directories, files): (Vec<_>, Vec<_>) = names(&listing).partition(is_directory);
        let others = |names: Vec<&[u8]>| -> Vec<RepoPath> {
            names.into_iter().map(RepoPath::from_bytes).filter(|path| !self.is_own(path)).collect()
        };
        let settings = noteworthy(self.root(), others(files), &[]);
        Ok(Ignored { directories: others(directories), settings })
    }

    /// Every path that git ignores here; a directory in which everything is ignored stands for what is in it.
    pub fn all_ignored(&self) -> Result<Vec<RepoPath>, Error> {
        if self.is_private {
            return Ok(Vec::new());
        }
        let listing = self.git("ls-files").args(["--others", "--directory", "-z"]);
        let listing = listing.args(["--ignored", "--exclude-standard"]).bytes()?;
        Ok(names(&listing).map(RepoPath::from_bytes).filter(|path| !self.is_own(path)).collect())
    }

    /// Everything here that git does not keep, ignored or not; a directory stands for what is in it.
    pub fn not_kept(&self) -> Result<Vec<RepoPath>, Error> {
        let listing = self.git("ls-files").args(["--others", "--directory", "-z"]).bytes()?;
        Ok(names(&listing).map(RepoPath::from_bytes).filter(|path| !self.is_own(path)).collect())
    }

    /// Files that git neither has nor ignores, and that are too large for a snapshot.
    pub fn too_large(&self) -> Result<Vec<RepoPath>, Error> {
        if self.is_private {
            return Ok(Vec::new());
        }
        let listing = self.git("ls-files").args(["--others", "--exclude-standard", "-z"]).bytes()?;
        let is_large = |path: &RepoPath| {
            let on_disk = self.root().join(path.as_path()).symlink_metadata();
            on_disk.is_ok_and(|metadata| metadata.is_file() && metadata.len() > self.caps.file_bytes_max)
        };
        Ok(names(&listing)
            .map(RepoPath::from_bytes)
            .filter(|path| !self.is_own(path) && is_large(path))
            .collect())
    }

    /// Whether piton keeps or renders something there.
    fn is_own(&self, path: &RepoPath) -> bool {
        self.state_path().is_some_and(|state| path.is_within(&state) || state.is_within(path))
            || self.rendered.iter().any(|own| path.is_within(own) || own.is_within(path))
    }

    /// Checks out in this work tree the submodules that `checkout` has checked out, at the commits that they have there.
    /// Each gets a repository of its own, which shares nothing with the one it came from. May be repeated.
    pub fn add_submodules(&self, checkout: &Self) -> Result<(), Error> {
        if self.is_private {
            return Ok(());
        }
        self.copy_submodules(checkout.root(), self.root())
    }

    fn copy_submodules(&self, from: &Path, to: &Path) -> Result<(), Error> {
        for path in submodules(to)? {
            let (source, target) = (from.join(&path), to.join(&path));
            if source.join(".git").exists() {
                self.copy_submodule(&source, &target)?;
                self.copy_submodules(&source, &target)?;
            }
        }
        Ok(())
    }

    fn copy_submodule(&self, source: &Path, target: &Path) -> Result<(), Error> {
        let text = |call: Call| -> Result<Option<String>, Error> {
            let output = call.run()?;
            let text = String::from_utf8_lossy(&output.stdout).trim_end().to_owned();
            Ok((output.success() && !text.is_empty()).then_some(text))
        };
        // There is an index once files were checked out; until then a crash may have come in between.
        if target.join(".git/index").exists() {
            return Ok(());
        }
        let Some(head) = text(Call::new("rev-parse", source).args(["--verify", "--quiet", "HEAD"]))? else {
            return Ok(());
        };
        if !target.join(".git").exists() {
            Call::new("clone", source)
                .setting("protocol.file.allow=always")
                .args(["--quiet", "--no-checkout", "--no-hardlinks", "--template=", "--"])
                .args([source, target])
                .output()?;
        }
        // What is pushed from there goes where the original pushes to, never into the checkout.
        let remote = match text(Call::new("config", source).args(["--get", "remote.origin.url"]))? {
            Some(url) => Call::new("remote", target).args(["set-url", "origin", &url]),
            None => Call::new("remote", target).args(["remove", "origin"]),
        };
        remote.run()?;
        let checkout = self.storing_in(target)?.harden(Call::new("checkout", target));
        checkout.args(["--quiet", "--detach", &head]).output().map(drop)
    }
}

fn names(listing: &[u8]) -> impl Iterator<Item = &[u8]> {
    listing.split(|&byte| byte == 0).filter(|name| !name.is_empty())
}

/// Where the submodules of the work tree at `root` belong, checked out or not.
pub(crate) fn submodules(root: &Path) -> Result<Vec<PathBuf>, Error> {
    if !root.join(".gitmodules").exists() {
        return Ok(Vec::new());
    }
    let listing = Call::new("ls-files", root).args(["--stage", "-z"]).bytes()?;
    let lines = listing.split(|&byte| byte == 0).filter(|line| line.starts_with(b"160000 "));
    let path =
        |line: &[u8]| line.splitn(2, |&byte| byte == b'\t').nth(1).map(|path| OsStr::from_bytes(path).into());
    Ok(lines.filter_map(path).collect())
}
