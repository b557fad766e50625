//! Gaps, files and times for these tests.

use std::path::{Path, PathBuf};

use piton_files::gaps::{Document, Invalid, LedgerFile, UpdateError, Updated};
use piton_model::Timestamp;
use piton_model::ledger::{Flip, Gap, mark_verified};
use piton_sys::file::{self, Durability};

/// 2026-02-15T12:00:00Z.
pub(crate) const NOW: Timestamp = Timestamp::from_millis(1_771_156_800_000);

pub(crate) fn gap(id: &str) -> Gap {
    Gap::new(id, "market")
}

pub(crate) fn verified(id: &str) -> Gap {
    mark_verified(&gap(id), NOW)
}

pub(crate) fn parse(text: &str) -> Document {
    Document::parse(text.as_bytes()).unwrap_or_else(|invalid| panic!("{text}\n{invalid}"))
}

/// What is wrong with this content, line by line.
pub(crate) fn problems(bytes: impl AsRef<[u8]>) -> Vec<String> {
    match Document::parse(bytes.as_ref()) {
        Ok(_) => Vec::new(),
        Err(Invalid { problems, .. }) => problems.iter().map(ToString::to_string).collect(),
    }
}

/// The content after one gap was changed.
pub(crate) fn change(text: &str, id: &str, change: impl Fn(&mut Gap)) -> String {
    let document = parse(text);
    let mut gaps = document.gaps().to_vec();
    change(gaps.iter_mut().find(|gap| gap.id == id).unwrap());
    document.rewrite(&gaps).unwrap()
}

/// The flips that a log holds, and how many of its lines are none.
pub(crate) fn logged(path: &Path) -> (Vec<Flip>, usize) {
    let text = std::fs::read_to_string(path).unwrap();
    let flips: Vec<Flip> = text.lines().filter_map(|line| Flip::from_line(line).ok()).collect();
    let foreign = text.lines().count() - flips.len();
    (flips, foreign)
}

/// A directory with a gap file in it.
pub(crate) struct Scratch {
    directory: tempfile::TempDir,
}

impl Scratch {
    pub(crate) fn new(text: &str) -> Self {
        let scratch = Self { directory: tempfile::tempdir().unwrap() };
        scratch.write(text);
        scratch
    }

    pub(crate) fn empty() -> Self {
        Self { directory: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    pub(crate) fn ledger(&self) -> LedgerFile {
        LedgerFile::new(self.path("gaps.yaml"), self.path(".piton/gaps"))
    }

    pub(crate) fn text(&self) -> String {
        std::fs::read_to_string(self.path("gaps.yaml")).unwrap()
    }

    pub(crate) fn gaps(&self) -> Vec<Gap> {
        self.ledger().read().unwrap().unwrap().gaps().to_vec()
    }

    /// Saves the file as an editor does: another file takes its name.
    pub(crate) fn write(&self, text: &str) {
        file::write_atomic(&self.path("gaps.yaml"), text.as_bytes(), Durability::Unsynced).unwrap();
    }

    /// Changes one gap, as a command does.
    pub(crate) fn update(&self, id: &str, change: impl Fn(&mut Gap)) -> Result<Updated, UpdateError<String>> {
        self.ledger().update(|gaps| with(gaps, id, &change))
    }

    /// Everything but the gap file and the lock.
    pub(crate) fn left_aside(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.path(".piton/gaps")).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.filter(|name| name != "lock").collect()
    }
}

/// The gaps with one of them changed.
pub(crate) fn with(gaps: &[Gap], id: &str, change: impl Fn(&mut Gap)) -> Result<Vec<Gap>, String> {
    let mut gaps = gaps.to_vec();
    let gap = gaps.iter_mut().find(|gap| gap.id == id).ok_or_else(|| format!("no gap `{id}`"))?;
    change(gap);
    Ok(gaps)
}
