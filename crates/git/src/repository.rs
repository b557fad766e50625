//! Where a repository keeps what piton must know: its work tree, objects, index and ignore rules.
//!
//! Calls through [`Repository::call`] see the user's configuration, hardened; they read, and write nothing but
//! `refs/piton/*` and objects. Anything that looks at the files of the work tree goes through
//! [`crate::shadow`] instead.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use piton_sys::process::ProgramOutput;

use crate::call::{Call, failed, not_understood};
use crate::{Error, Stop};

const COMMAND: &str = "rev-parse";

/// A repository and its work tree.
#[derive(Clone, Debug)]
pub(crate) struct Repository {
    /// The top of the work tree.
    pub(crate) top: PathBuf,
    /// The git directory of this work tree.
    pub(crate) git_dir: PathBuf,
    /// The git directory that all its work trees share: refs and objects.
    pub(crate) common_dir: PathBuf,
    pub(crate) objects: PathBuf,
    /// `info/exclude`, which need not exist.
    pub(crate) exclude: PathBuf,
    /// The user's index, which need not exist; `None` in the private repository.
    pub(crate) index: Option<PathBuf>,
    /// `sha1` or `sha256`.
    pub(crate) format: String,
    /// `core.excludesFile`, where the user has one.
    pub(crate) excludes_file: Option<OsString>,
    /// What ends calls of git early.
    pub(crate) stop: Option<Stop>,
    /// Whether git is kept from following the `commondir` of repositories inside: it gives up at one that leads nowhere. It then takes
    /// some directories for repositories that are none.
    pub(crate) is_wary: bool,
}

impl Repository {
    /// The repository whose work tree holds `directory`; `None` outside of any.
    pub(crate) fn discover(directory: &Path) -> Result<Option<Self>, Error> {
        const QUESTIONS: [&str; 4] =
            ["--show-toplevel", "--absolute-git-dir", "--git-common-dir", "--show-object-format"];
        let ask = |questions: &[&str]| {
            let call = Call::new(COMMAND, directory).arg("--path-format=absolute");
            call.args(questions.iter().copied()).run()
        };
        let output = ask(&QUESTIONS)?;
        if !output.success() {
            return refused(directory, &output).map(|()| None);
        }
        let answers = output.stdout.strip_suffix(b"\n").unwrap_or_default();
        let mut lines: Vec<_> = answers.split(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect();
        if lines.len() != QUESTIONS.len() {
            // A path has a line break in it; alone, an answer cannot be misread.
            lines.clear();
            for question in QUESTIONS {
                let output = ask(&[question])?;
                lines.push(output.stdout.strip_suffix(b"\n").unwrap_or_default().to_vec());
            }
        }
        let [top, git_dir, common_dir, format] = &lines[..] else {
            return Err(not_understood(COMMAND, &output.stdout));
        };
        let path = |bytes: &[u8]| PathBuf::from(OsStr::from_bytes(bytes));
        let (git_dir, common_dir) = (path(git_dir), path(common_dir));
        Ok(Some(Self {
            top: path(top),
            objects: common_dir.join("objects"),
            exclude: common_dir.join("info/exclude"),
            index: Some(git_dir.join("index")),
            git_dir,
            common_dir,
            format: String::from_utf8_lossy(format).into_owned(),
            excludes_file: None,
            stop: None,
            is_wary: false,
        }))
    }

    /// The private repository at `git_dir`, for a work tree outside of git.
    pub(crate) fn private(top: &Path, git_dir: &Path) -> Self {
        Self {
            top: top.to_owned(),
            git_dir: git_dir.to_owned(),
            common_dir: git_dir.to_owned(),
            objects: git_dir.join("objects"),
            exclude: git_dir.join("info/exclude"),
            index: None,
            format: "sha1".to_owned(),
            excludes_file: None,
            stop: None,
            is_wary: false,
        }
    }

    /// Looks up `core.excludesFile`, which a [`crate::shadow::Shadow`] could not see.
    pub(crate) fn read_excludes_file(&mut self) -> Result<(), Error> {
        let call = self.call("config").args(["--null", "--type=path", "--get", "core.excludesFile"]);
        let output = call.run()?;
        // Code 1 says that there is no such setting.
        self.excludes_file = output.success().then(|| {
            let value = output.stdout.strip_suffix(b"\0").unwrap_or(&output.stdout);
            OsString::from_vec(value.to_vec())
        });
        Ok(())
    }

    /// The file with the user's own ignore rules, whether or not it exists.
    pub(crate) fn excludes_path(&self) -> Option<PathBuf> {
        match &self.excludes_file {
            Some(path) => Some(self.top.join(path)),
            None => {
                let set = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
                let config = set("XDG_CONFIG_HOME").or_else(|| Some(set("HOME")?.join(".config")))?;
                Some(config.join("git/ignore"))
            }
        }
    }

    /// A call that sees this repository as the user does, but for the hardened settings.
    pub(crate) fn call(&self, command: &'static str) -> Call {
        let call = Call::new(command, &self.top).unless(self.stop.clone());
        call.env("GIT_DIR", &self.git_dir).env("GIT_WORK_TREE", &self.top)
    }
}

/// Why git found nothing to work with: nothing is there, or something that is an error.
fn refused(directory: &Path, output: &ProgramOutput) -> Result<(), Error> {
    let stderr = String::from_utf8_lossy(&output.stderr);
    if stderr.contains("not a git repository") {
        return Ok(());
    }
    if stderr.contains("must be run in a work tree") || stderr.contains("bare repository") {
        return Err(Error::NoWorkTree { root: directory.to_owned() });
    }
    Err(failed(COMMAND, output))
}
