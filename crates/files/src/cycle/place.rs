//! Where the files of a cycle are, by the names that their users know.

use std::path::{Path, PathBuf};

use super::format::ROLES;
use super::version::archived_name;

/// Where cycles are, in the repository.
pub const CYCLES: &str = ".workflow/.cycle";

/// The directory of what belongs to no role.
pub const COORDINATION: &str = "coordination";

/// Where the older versions of a role's documents are, in its directory.
pub const HISTORY: &str = "history";

/// The files of one cycle: `.workflow/.cycle/<id>.json` and what is below `<id>.progress/`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CyclePlace {
    /// The repository; absolute.
    pub repo: PathBuf,
    /// What the cycle is called in its files.
    pub cycle_id: String,
}

impl CyclePlace {
    /// The place of the cycle in `repo`. Its id is the name of a file: an id of a run.
    pub fn new(repo: impl Into<PathBuf>, cycle_id: impl Into<String>) -> Self {
        Self { repo: repo.into(), cycle_id: cycle_id.into() }
    }

    /// `.workflow/.cycle`.
    pub fn cycles(&self) -> PathBuf {
        self.repo.join(CYCLES)
    }

    /// `<id>.json`.
    pub fn state(&self) -> PathBuf {
        self.cycles().join(format!("{}.json", self.cycle_id))
    }

    /// `<id>.progress`.
    pub fn progress(&self) -> PathBuf {
        self.cycles().join(format!("{}.progress", self.cycle_id))
    }

    /// The directory of a role, or of `coordination`.
    pub fn directory(&self, role: &str) -> PathBuf {
        self.progress().join(role)
    }

    /// A file below `<id>.progress`, by its name there: `ra/requirements.md`.
    pub fn file(&self, name: &str) -> PathBuf {
        self.progress().join(name)
    }

    /// Where that version of it is kept.
    pub fn archived(&self, name: &str, version: &str) -> PathBuf {
        self.progress().join(archive_of(name, version))
    }

    /// How the state names a file of the cycle: relative to the repository.
    pub fn relative(&self, path: &Path) -> PathBuf {
        path.strip_prefix(&self.repo).unwrap_or(path).to_owned()
    }

    /// Every directory that the format promises, each after the one that it is in. `others` are roles beside the four.
    pub(super) fn directories(&self, others: &[String]) -> Vec<PathBuf> {
        let cycles = self.cycles();
        let outer = cycles.parent().unwrap_or(&self.repo).to_owned();
        let mut all = vec![outer, cycles, self.progress()];
        for role in ROLES.into_iter().chain(others.iter().map(String::as_str)) {
            let directory = self.directory(role);
            let history = directory.join(HISTORY);
            all.extend([directory, history]);
        }
        all.push(self.directory(COORDINATION));
        all
    }
}

/// `ra/history/requirements-v1.0.0.md` of `ra/requirements.md`.
pub(super) fn archive_of(name: &str, version: &str) -> String {
    match name.rsplit_once('/') {
        Some((directory, name)) => format!("{directory}/{HISTORY}/{}", archived_name(name, version)),
        None => format!("{HISTORY}/{}", archived_name(name, version)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_where_the_document_has_them() {
        let place = CyclePlace::new("/r", "cycle-v1-x");
        assert_eq!(place.state(), Path::new("/r/.workflow/.cycle/cycle-v1-x.json"));
        assert_eq!(
            place.archived("ep/plan.json", "1.0.0"),
            Path::new("/r/.workflow/.cycle/cycle-v1-x.progress/ep/history/plan-v1.0.0.json")
        );
        let all = place.directories(&[]);
        assert_eq!(all.len(), 12);
        for (index, directory) in all.iter().enumerate().skip(1) {
            assert!(
                all[..index].iter().any(|before| Some(before.as_path()) == directory.parent()),
                "{directory:?}"
            );
        }
    }
}
