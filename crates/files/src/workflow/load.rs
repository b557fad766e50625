//! A workflow with all that it names: its prompts are there, the workflows it runs are sound, and none runs itself.
//!
//! What lies on the disk comes in through [`Look`], so that the rules can be shown without one.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use piton_model::workflow::{Definition, Work, shown};

use super::problem::Problem;
use super::read::{Places, read_what_can_be};
use super::yaml::DOCUMENT_BYTES_MAX;

/// Deepest nesting of workflows, and most of them in one run.
const NESTED_DEPTH_MAX: usize = 8;
const NESTED_COUNT_MAX: usize = 100;

/// What may be looked at on the way.
pub trait Look {
    /// Whether a file is there: not a directory, not a pipe, not a device.
    fn is_file(&self, path: &Path) -> bool;
    /// Its content, where it is a file of at most `bytes_max` bytes; one byte more otherwise.
    fn read(&self, path: &Path, bytes_max: usize) -> io::Result<Vec<u8>>;
}

/// The disk.
#[derive(Clone, Copy, Debug, Default)]
pub struct Disk;

impl Look for Disk {
    fn is_file(&self, path: &Path) -> bool {
        path.metadata().is_ok_and(|found| found.is_file())
    }

    fn read(&self, path: &Path, bytes_max: usize) -> io::Result<Vec<u8>> {
        // Opening a pipe would wait for whoever writes to it.
        if !path.metadata()?.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
        }
        let mut bytes = Vec::new();
        File::open(path)?.take(bytes_max as u64 + 1).read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}

/// A workflow that can be run.
#[derive(Debug)]
pub struct Loaded {
    /// What it says.
    pub definition: Definition,
    /// The name of its content.
    pub digest: String,
    /// Where its prompts are, by step; `None` where a step has none.
    pub prompts: Vec<Option<PathBuf>>,
    /// The workflows that it runs, all the way down.
    pub nested: Vec<PathBuf>,
}

/// The workflow in `path`, for the repository `repo`, or everything that is wrong with it.
pub fn load(path: &Path, repo: &Path, look: &dyn Look) -> Result<Loaded, Vec<Problem>> {
    let mut loader =
        Loader { repo, look, nested: Vec::new(), definitions: BTreeMap::new(), problems: Vec::new() };
    let loaded = loader.file(path, &mut Vec::new());
    match loaded {
        Some((definition, prompts)) if loader.problems.is_empty() => {
            let definition = Definition { nested: loader.definitions, ..definition };
            let digest = definition.digest();
            Ok(Loaded { definition, digest, prompts, nested: loader.nested })
        }
        _ => {
            // As one reads the file; stable, so that other files come after.
            loader.problems.sort_by_key(|problem| (problem.file != shown_path(path), problem.line));
            Err(loader.problems)
        }
    }
}

/// The workflow that a step of the one in `above` runs: its file and what it says, both as they were when the run began.
pub fn nested<'a>(
    named: &str,
    above: &Path,
    repo: &Path,
    within: &'a Definition,
) -> Option<(PathBuf, &'a Definition)> {
    beside(named, above, repo).into_iter().find_map(|path| {
        let definition = within.nested.get(&key(&path, repo))?;
        Some((plain(&path), definition))
    })
}

/// What a nested workflow is known by.
fn key(path: &Path, repo: &Path) -> String {
    let path = plain(path);
    path.strip_prefix(repo).unwrap_or(&path).display().to_string()
}

fn shown_path(path: &Path) -> String {
    shown(&path.display().to_string())
}

/// Where a prompt is: itself where it is absolute and there, else the repository's own version of it, else beside the
/// workflow, else in the repository. Otherwise all the places that were looked at.
pub fn resolve_prompt(
    prompt: &str,
    workflow: &Path,
    repo: &Path,
    look: &dyn Look,
) -> Result<PathBuf, Vec<PathBuf>> {
    let named = Path::new(prompt);
    let mut tried = Vec::new();
    if named.is_absolute() {
        tried.push(named.to_owned());
    }
    if let Some(name) = named.file_name() {
        tried.push(repo.join(".agents/prompts").join(name));
    }
    if !named.is_absolute() {
        tried.extend(beside(prompt, workflow, repo));
    }
    tried.dedup();
    match tried.iter().find(|path| look.is_file(path)) {
        Some(found) => Ok(found.clone()),
        None => Err(tried),
    }
}

fn beside(named: &str, workflow: &Path, repo: &Path) -> [PathBuf; 2] {
    let directory = workflow.parent().unwrap_or(Path::new(""));
    [directory.join(named), repo.join(named)]
}

struct Loader<'a> {
    repo: &'a Path,
    look: &'a dyn Look,
    nested: Vec<PathBuf>,
    definitions: BTreeMap<String, Definition>,
    problems: Vec<Problem>,
}

impl Loader<'_> {
    /// `above` are the workflows that lead here. Its length is bounded, so this cannot run away.
    fn file(&mut self, path: &Path, above: &mut Vec<PathBuf>) -> Option<(Definition, Vec<Option<PathBuf>>)> {
        let name = shown_path(path);
        let bytes = match self.look.read(path, DOCUMENT_BYTES_MAX) {
            Ok(bytes) => bytes,
            Err(error) => {
                let hint = Some("name a workflow file: `piton run WORKFLOW.yaml`".to_owned());
                self.problems.push(Problem { file: name, line: None, message: error.to_string(), hint });
                return None;
            }
        };
        let (read, problems) = read_what_can_be(&name, &bytes);
        self.problems.extend(problems);
        let (definition, places) = read?;
        above.push(plain(path));
        let prompts =
            (0..definition.steps.len()).map(|step| self.step(step, &definition, &places, path, above));
        let prompts = prompts.collect();
        above.pop();
        Some((definition, prompts))
    }

    fn step(
        &mut self,
        index: usize,
        definition: &Definition,
        places: &Places,
        path: &Path,
        above: &mut Vec<PathBuf>,
    ) -> Option<PathBuf> {
        let mut report = |field: &str, message: String, hint: String| {
            let line = Some(places.line(Some(index), field, None));
            let file = shown_path(path);
            self.problems.push(Problem { file, line, message, hint: Some(hint) });
        };
        match &definition.steps[index].work {
            Work::Agent { prompt, .. } => match resolve_prompt(prompt, path, self.repo, self.look) {
                Ok(found) => Some(found),
                Err(tried) => {
                    let places: Vec<String> =
                        tried.iter().map(|path| format!("`{}`", path.display())).collect();
                    let message = format!("there is no prompt `{}`", shown(prompt));
                    report("prompt", message, format!("write it to one of {}", places.join(", ")));
                    None
                }
            },
            Work::Workflow { path: named } => {
                let found = beside(named, path, self.repo).into_iter().find(|path| self.look.is_file(path));
                let Some(found) = found else {
                    let hint = "name it by its path from this file or from the repository".to_owned();
                    report("workflow", format!("there is no workflow `{}`", shown(named)), hint);
                    return None;
                };
                if above.contains(&plain(&found)) {
                    let hint = "remove this step".to_owned();
                    report("workflow", format!("`{}` would run itself", shown(named)), hint);
                } else if above.len() >= NESTED_DEPTH_MAX || self.nested.len() >= NESTED_COUNT_MAX {
                    let message = format!("workflows nest deeper than {NESTED_DEPTH_MAX}, or are too many");
                    report("workflow", message, "put their steps into one".to_owned());
                } else if !self.nested.contains(&plain(&found)) {
                    self.nested.push(plain(&found));
                    if let Some((definition, _)) = self.file(&found, above) {
                        self.definitions.insert(key(&found, self.repo), definition);
                    }
                }
                None
            }
            Work::Run { .. } | Work::Nothing {} => None,
        }
    }
}

/// The path without `.` and `..`, by its text.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for piece in path.components() {
        match piece {
            Component::CurDir => {}
            Component::ParentDir if plain.file_name().is_some() => {
                plain.pop();
            }
            piece => plain.push(piece),
        }
    }
    plain
}
