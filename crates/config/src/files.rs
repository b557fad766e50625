//! The edge: where the files are, and reading them.
//!
//! Never follows a symbolic link to a project's `piton.toml`: what was trusted would not be what is read. The
//! user's own directory may be linked from anywhere, as people do with their dotfiles.

use std::path::{Path, PathBuf};

use piton_sys::file;

use crate::problem::{Place, Problem, Problems};

/// The project's file, at the root of the repository.
pub const PROJECT_FILE: &str = "piton.toml";
/// The user's file, in [`config_dir`].
pub const USER_FILE: &str = "config.toml";

/// Largest file that is read: a configuration is written by people.
const BYTES_MAX: u64 = 1 << 20;

/// A file as it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// The name for messages.
    pub name: String,
    /// Its bytes: what trust is about.
    pub content: Vec<u8>,
}

/// The files of the two middle layers, where they exist.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Files {
    /// The user's `config.toml`.
    pub user: Option<Document>,
    /// The project's `piton.toml`.
    pub project: Option<Document>,
}

/// The user's configuration directory: `$PITON_CONFIG_DIR`, else `$XDG_CONFIG_HOME/piton`, else
/// `~/.config/piton`. The environment comes in as data.
pub fn config_dir(variable: &dyn Fn(&str) -> Option<String>) -> Result<PathBuf, Problems> {
    let set = |name: &str| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    // Trust lives there: a relative path would mean another place in every directory.
    let not_absolute = |name: &'static str| {
        let problem = Problem::new(Place::Variable(name), "must be an absolute path");
        Problems::or(vec![problem], PathBuf::new())
    };
    if let Some(own) = set("PITON_CONFIG_DIR") {
        return if own.is_absolute() { Ok(own) } else { not_absolute("PITON_CONFIG_DIR") };
    }
    // The base directory specification wants a relative path ignored.
    if let Some(base) = set("XDG_CONFIG_HOME").filter(|base| base.is_absolute()) {
        return Ok(base.join("piton"));
    }
    match set("HOME") {
        Some(home) if home.is_absolute() => Ok(home.join(".config").join("piton")),
        Some(_) => not_absolute("HOME"),
        None => {
            let what = "is not set, and the system knows no home of this user: set it, or PITON_CONFIG_DIR";
            Problems::or(vec![Problem::new(Place::Variable("HOME"), what)], PathBuf::new())
        }
    }
}

/// Reads the user's and the project's file. A missing one is silence.
pub fn read(config_dir: &Path, repo_root: &Path) -> Result<Files, file::Error> {
    let user = config_dir.join(USER_FILE);
    let user_target = std::fs::canonicalize(&user).unwrap_or_else(|_| user.clone());
    let document = |name: String| move |content| Document { name, content };
    Ok(Files {
        user: file::read_regular(&user_target, BYTES_MAX)?.map(document(user.display().to_string())),
        project: file::read_regular(&repo_root.join(PROJECT_FILE), BYTES_MAX)?
            .map(document(PROJECT_FILE.to_owned())),
    })
}

/// The prompt file that a loop uses when none is named: `PROMPT.md`, else `prompt.md`.
pub fn find_prompt(repo_root: &Path) -> Option<String> {
    let is_file = |name: &&str| repo_root.join(name).symlink_metadata().is_ok_and(|found| found.is_file());
    ["PROMPT.md", "prompt.md"].into_iter().find(is_file).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn directory(variables: &[(&str, &str)]) -> Result<PathBuf, Problems> {
        let variables: Vec<_> = variables.to_vec();
        config_dir(&move |name| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn the_own_variable_wins_over_the_standard_ones() {
        let home = ("HOME", "/home/a");
        let xdg = ("XDG_CONFIG_HOME", "/x");
        assert_eq!(directory(&[home]).unwrap(), Path::new("/home/a/.config/piton"));
        assert_eq!(directory(&[home, xdg]).unwrap(), Path::new("/x/piton"));
        assert_eq!(directory(&[home, xdg, ("PITON_CONFIG_DIR", "/p")]).unwrap(), Path::new("/p"));
        assert_eq!(
            directory(&[home, ("XDG_CONFIG_HOME", "rel"), ("PITON_CONFIG_DIR", "")]).unwrap(),
            Path::new("/home/a/.config/piton")
        );
    }

    #[test]
    fn a_relative_directory_is_refused() {
        let problems = directory(&[("HOME", "/home/a"), ("PITON_CONFIG_DIR", "trust")]).unwrap_err();
        assert_eq!(problems.to_string(), "PITON_CONFIG_DIR: must be an absolute path");
        assert!(directory(&[]).is_err());
    }

    #[test]
    fn missing_files_are_silence() {
        let root = tempfile::tempdir().unwrap();
        assert_eq!(read(&root.path().join("none"), root.path()).unwrap(), Files::default());
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a test prepares its files directly")]
    fn a_linked_project_file_is_refused_and_a_linked_user_file_is_not() {
        let root = tempfile::tempdir().unwrap();
        std::fs::write(root.path().join("elsewhere"), "[loop]").unwrap();
        let user = root.path().join("user");
        std::fs::create_dir(&user).unwrap();
        std::os::unix::fs::symlink("../elsewhere", user.join(USER_FILE)).unwrap();
        let files = read(&user, root.path()).unwrap();
        assert_eq!(files.user.unwrap().content, b"[loop]");

        std::os::unix::fs::symlink("elsewhere", root.path().join(PROJECT_FILE)).unwrap();
        let error = read(&user, root.path()).unwrap_err();
        assert_eq!(error.refusal(), Some(&file::Refusal::Symlink));
        assert!(error.path.ends_with(PROJECT_FILE));
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a test prepares its files directly")]
    fn an_endless_file_is_refused() {
        let root = tempfile::tempdir().unwrap();
        std::fs::write(root.path().join(PROJECT_FILE), vec![b'#'; BYTES_MAX as usize + 1]).unwrap();
        let error = read(root.path(), root.path()).unwrap_err();
        assert_eq!(error.refusal(), Some(&file::Refusal::TooLarge { bytes_max: BYTES_MAX }));
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a test prepares its files directly")]
    fn the_usual_prompt_file_is_found() {
        let root = tempfile::tempdir().unwrap();
        assert_eq!(find_prompt(root.path()), None);
        std::fs::write(root.path().join("prompt.md"), "x").unwrap();
        assert_eq!(find_prompt(root.path()).as_deref(), Some("prompt.md"));
        std::fs::write(root.path().join("PROMPT.md"), "x").unwrap();
        assert_eq!(find_prompt(root.path()).as_deref(), Some("PROMPT.md"));
    }
}
