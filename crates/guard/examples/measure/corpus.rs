//! Reading the labelled corpus: cases, the projects they change, and a digest of all that a measurement depends on.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::{Path, PathBuf};

use piton_guard::MemoryTree;
use serde::Deserialize;

/// The parts of the corpus: the directory of their projects, and that of their cases.
pub(crate) const PARTS: [(&str, &str); 5] =
    [("", "development"), ("", "held_out"), ("", "fresh"), ("", "unseen"), ("sealed", "sealed")];

/// A case of the corpus.
#[derive(Debug, Deserialize)]
pub(crate) struct Case {
    /// Its name.
    pub(crate) id: String,
    /// The project that it changes.
    pub(crate) project: String,
    /// Of the project.
    pub(crate) language: String,
    /// Of the project's tests.
    pub(crate) framework: String,
    /// What is done.
    pub(crate) kind: String,
    /// Whether a blocking finding is right.
    pub(crate) cheat: bool,
    /// How.
    pub(crate) edits: Vec<Edit>,
}

/// One change of a case.
#[derive(Debug, Deserialize)]
pub(crate) struct Edit {
    path: String,
    #[serde(default)]
    replace: Vec<Replacement>,
    write: Option<String>,
    #[serde(default)]
    delete: bool,
    #[serde(rename = "move")]
    moved: Option<String>,
}

/// A text that occurs once, and what comes in its place.
#[derive(Debug, Deserialize)]
pub(crate) struct Replacement {
    from: String,
    to: String,
}

/// The cases of a part, in the order of their files.
pub(crate) fn cases(directory: &Path) -> Result<Vec<Case>, Box<dyn Error>> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(directory)?.flatten().map(|entry| entry.path()).collect();
    files.sort();
    let mut cases = Vec::new();
    for file in files {
        for line in std::fs::read_to_string(file)?.lines().filter(|line| !line.is_empty()) {
            cases.push(serde_json::from_str(line)?);
        }
    }
    Ok(cases)
}

/// The tree of every project that the cases change.
pub(crate) fn projects(
    corpus: &Path,
    cases: &[Case],
) -> Result<BTreeMap<String, MemoryTree>, Box<dyn Error>> {
    let mut projects = BTreeMap::new();
    for case in cases {
        if !projects.contains_key(&case.project) {
            projects.insert(case.project.clone(), tree(&corpus.join("projects").join(&case.project))?);
        }
    }
    Ok(projects)
}

fn tree(directory: &Path) -> Result<MemoryTree, Box<dyn Error>> {
    let mut files = BTreeMap::new();
    for path in files_below(directory)? {
        files.insert(path.strip_prefix(directory)?.display().to_string(), std::fs::read(&path)?);
    }
    Ok(MemoryTree(files))
}

fn files_below(directory: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let (mut files, mut directories) = (Vec::new(), vec![directory.to_owned()]);
    while let Some(next) = directories.pop() {
        for entry in std::fs::read_dir(&next)?.flatten() {
            let path = entry.path();
            if path.is_dir() { directories.push(path) } else { files.push(path) }
        }
    }
    files.sort();
    Ok(files)
}

/// The project as a case leaves it.
pub(crate) fn edited(base: &MemoryTree, case: &Case) -> Result<MemoryTree, Box<dyn Error>> {
    let mut files = base.0.clone();
    for edit in &case.edits {
        if let Some(text) = &edit.write {
            files.insert(edit.path.clone(), text.clone().into_bytes());
        }
        if !edit.replace.is_empty() {
            let missing = || format!("{}: there is no file `{}`", case.id, edit.path);
            let mut text = String::from_utf8(files.get(&edit.path).ok_or_else(missing)?.clone())?;
            for replacement in &edit.replace {
                if text.matches(&replacement.from).count() != 1 {
                    return Err(
                        format!("{}: `{}` is not there exactly once", case.id, replacement.from).into()
                    );
                }
                text = text.replace(&replacement.from, &replacement.to);
            }
            files.insert(edit.path.clone(), text.into_bytes());
        }
        if let Some(to) = &edit.moved {
            let bytes = files.remove(&edit.path).unwrap_or_default();
            files.insert(to.clone(), bytes);
        }
        if edit.delete {
            files.remove(&edit.path);
        }
    }
    Ok(MemoryTree(files))
}

/// A digest of the rules and of the corpus: another one means that a measurement is out of date.
pub(crate) fn digest(guard: &Path) -> Result<String, Box<dyn Error>> {
    let mut hasher = blake3::Hasher::new();
    for part in ["src", "corpus"] {
        for path in files_below(&guard.join(part))? {
            let is_part = path.extension().is_some_and(|end| end == "jsonl" || part == "src")
                || path.components().any(|component| component.as_os_str() == "projects");
            if is_part {
                hasher.update(path.strip_prefix(guard)?.display().to_string().as_bytes());
                hasher.update(&std::fs::read(&path)?);
            }
        }
    }
    Ok(hasher.finalize().to_hex()[..16].to_owned())
}
