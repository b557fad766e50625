//! A git directory of ours over somebody's work tree.
//!
//! It has its own index and its own settings, and shares nothing with the user's repository but the objects.
//! So nothing in the user's configuration can name a program to run, and its `info/attributes`, which git
//! ranks above every `.gitattributes`, switches off all conversion: files are hashed as they are on disk.
//!
//! Everything in it is a cache. Where it is damaged, [`Shadow::reset`] costs time and loses nothing.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use piton_sys::file::{self, Durability};

use crate::call::Call;
use crate::repository::Repository;
use crate::{Error, SnapshotId, Stop, left};

/// No conversion of any kind, and no say for the tree in what counts as text when it is compared.
const ATTRIBUTES: &str =
    "* -text !eol !crlf !ident !filter !working-tree-encoding !diff !merge !whitespace\n";
/// Where all that is ours lies.
const STATE: &str = ".piton";
const NO_HEAD: &str = "ref: refs/heads/none\n";
/// Larger than any list of ignore rules that a person keeps.
const RULES_BYTES_MAX: u64 = 16 * 1024 * 1024;

/// A git directory of ours.
#[derive(Clone, Debug)]
pub(crate) struct Shadow {
    directory: PathBuf,
    work_tree: PathBuf,
    objects: PathBuf,
    format: String,
    excludes_file: Option<OsString>,
    stop: Option<Stop>,
    is_wary: bool,
}

impl Shadow {
    /// The shadow kept in `directory`, of the files below `work_tree`, with its objects in `repository`.
    pub(crate) fn new(directory: PathBuf, work_tree: &Path, repository: &Repository) -> Self {
        Self {
            directory,
            work_tree: work_tree.to_owned(),
            objects: repository.objects.clone(),
            format: repository.format.clone(),
            excludes_file: repository.excludes_file.clone(),
            stop: repository.stop.clone(),
            is_wary: repository.is_wary,
        }
    }

    /// Creates what is missing, and takes over the ignore rules in the file `exclude`. Returns those rules.
    pub(crate) fn prepare(&self, exclude: &Path) -> Result<Vec<u8>, Error> {
        let config = self.config();
        let config_path = self.path("config");
        self.refuse_links()?;
        if left::is_other(self) {
            file::remove_file_if_exists(&config_path)?;
        }
        if read(&config_path)?.as_deref() != Some(config.as_bytes()) {
            file::create_private_dir(&self.path("refs"))?;
            file::create_private_dir(&self.path("info"))?;
            write(&self.path("info/attributes"), ATTRIBUTES.as_bytes())?;
            self.reset()?;
            // Last: a directory with its settings is complete.
            write(&config_path, config.as_bytes())?;
        }
        let rules = read_rules(exclude);
        let rules_path = self.path("info/exclude");
        if read(&rules_path)?.as_deref() != Some(&rules[..]) {
            write(&rules_path, &rules)?;
        }
        Ok(rules)
    }

    /// It is what agents work beside: in the place of a directory of ours there may be a link by now.
    fn refuse_links(&self) -> Result<(), Error> {
        let ours = self.directory.ancestors().take_while(|above| !above.ends_with(STATE));
        for directory in ours.filter(|_| self.directory.iter().any(|part| part == STATE)) {
            file::refuse_link(directory)?;
        }
        Ok(())
    }

    /// Forgets all that was cached; the next snapshot reads every file.
    pub(crate) fn reset(&self) -> Result<(), Error> {
        file::remove_file_if_exists(&self.memo())?;
        file::remove_file_if_exists(&self.index())?;
        write(&self.path("HEAD"), NO_HEAD.as_bytes())
    }

    /// A call that sees our settings only.
    pub(crate) fn call(&self, command: &'static str) -> Call {
        let call = Call::new(command, &self.work_tree)
            .unless(self.stop.clone())
            .env("GIT_DIR", &self.directory)
            .env("GIT_WORK_TREE", &self.work_tree)
            .env("GIT_OBJECT_DIRECTORY", &self.objects)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            // The index is a cache of ours, and git reads it without looking at its digest.
            .setting("index.skipHash=true");
        let call = match self.is_wary {
            true => call.env("GIT_COMMON_DIR", &self.directory),
            false => call,
        };
        match &self.excludes_file {
            Some(excludes_file) => {
                let mut setting = OsString::from("core.excludesFile=");
                setting.push(excludes_file);
                call.setting(setting)
            }
            None => call,
        }
    }

    /// Names the tree to compare the index with; it only makes `git status` answer shorter.
    pub(crate) fn set_head(&self, id: &SnapshotId) -> Result<(), Error> {
        write(&self.path("HEAD"), format!("{id}\n").as_bytes())
    }

    pub(crate) fn index(&self) -> PathBuf {
        self.path("index")
    }

    pub(crate) fn memo(&self) -> PathBuf {
        self.path("memo.json")
    }

    /// A file in the shadow.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }

    pub(crate) fn work_tree(&self) -> &Path {
        &self.work_tree
    }

    fn config(&self) -> String {
        format!(
            "[core]\n\trepositoryFormatVersion = 1\n\tbare = false\n\tfileMode = true\n\tsymlinks = true\n\
             \tignoreCase = false\n\tprotectNTFS = false\n\tuntrackedCache = false\n\tquotePath = false\n\
             [extensions]\n\tobjectFormat = {}\n",
            self.format
        )
    }
}

/// The ignore rules in a file of the user's, which may be missing or a link; unreadable ones do not count.
pub(crate) fn read_rules(path: &Path) -> Vec<u8> {
    let target = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    file::read_regular(&target, RULES_BYTES_MAX).ok().flatten().unwrap_or_default()
}

fn read(path: &Path) -> Result<Option<Vec<u8>>, Error> {
    Ok(file::read_regular(path, RULES_BYTES_MAX)?)
}

/// Unsynced: a shadow lost to a power cut is made again.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    Ok(file::write_atomic(path, bytes, Durability::Unsynced)?)
}
