//! A workflow with all that it names: its prompts are there, the workflows it runs are sound, and none runs itself.
//!
//! What lies on the disk comes in through [`Look`], so that the rules can be shown without one.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use piton_model::limits::clip;
use piton_model::workflow::limits::PROBLEMS_MAX;
use piton_model::workflow::{Definition, Work, shown};

use super::read::{DOCUMENT_BYTES_MAX, Places, read_what_can_be};
use crate::yaml::{Problem, Problems};

/// Deepest nesting of workflows, and most of them in one run.
const NESTED_DEPTH_MAX: usize = 8;
const NESTED_COUNT_MAX: usize = 100;

/// What may be looked at on the way.
pub trait Look {
    /// Whether a file is there: not a directory, not a pipe, not a device.
    fn is_file(&self, path: &Path) -> bool;
    /// Its content, where it is a file of at most `bytes_max` bytes; one byte more otherwise.
    fn read(&self, path: &Path, bytes_max: usize) -> io::Result<Vec<u8>>;
    /// Where it really is, every link followed.
    fn real(&self, path: &Path) -> io::Result<PathBuf>;
}

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

    fn real(&self, path: &Path) -> io::Result<PathBuf> {
        path.canonicalize()
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
    let mut loader = Loader {
        repo,
        look,
        nested: Vec::new(),
        definitions: BTreeMap::new(),
        bytes_left: DOCUMENT_BYTES_MAX,
        found: HashMap::new(),
        problems: Problems::at_most(PROBLEMS_MAX),
    };
    let loaded = loader.file(path, &mut Vec::new());
    match loaded {
        Some((definition, prompts)) if loader.problems.count() == 0 => {
            let definition = Definition { nested: loader.definitions, ..definition };
            let digest = definition.digest();
            Ok(Loaded { definition, digest, prompts, nested: loader.nested })
        }
        _ => {
            // As one reads the file, and other files after it.
            let Problems { mut found, more, .. } = loader.problems;
            let file = Some(shown_path(path));
            found.sort_by_key(|problem| (problem.file != file, problem.line));
            if more > 0 {
                found.push(Problem { file, ..Problem::new(format!("and {more} more")) });
            }
            Err(found)
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

/// Why a file that a workflow names cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unusable {
    /// It is at none of these places.
    Absent(Vec<PathBuf>),
    /// It is there, and lies neither in the repository nor below the workflow that names it.
    Outside(PathBuf),
}

impl Unusable {
    /// What is wrong with the `kind` of file that is `named` like this.
    pub fn message(&self, kind: &str, named: &str) -> String {
        let named = shown(named);
        match self {
            Self::Absent(_) => format!("there is no {kind} `{named}`"),
            Self::Outside(_) => format!("the {kind} `{named}` is outside of the repository"),
        }
    }

    fn hint(&self) -> String {
        match self {
            Self::Absent(tried) => {
                let place = |path: &PathBuf| format!("`{}`", clip(&path.display().to_string(), 512));
                let places: Vec<String> = tried.iter().map(place).collect();
                format!("write it to one of {}", places.join(", "))
            }
            Self::Outside(_) => "move it there, or name it by its absolute path".to_owned(),
        }
    }
}

/// Where a prompt is: itself where it is absolute and there, else the repository's own version of it, else beside the
/// workflow, else in the repository.
pub fn resolve_prompt(
    prompt: &str,
    workflow: &Path,
    repo: &Path,
    look: &dyn Look,
) -> Result<PathBuf, Unusable> {
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
    first_of(tried, named.is_absolute(), workflow, repo, look)
}

/// The first of these that is there. What is named by a path of its own may lie anywhere; another must not lead out of
/// the repository and of the directory of its workflow, be it by dots or by a link.
fn first_of(
    tried: Vec<PathBuf>,
    anywhere: bool,
    workflow: &Path,
    repo: &Path,
    look: &dyn Look,
) -> Result<PathBuf, Unusable> {
    let Some(found) = tried.iter().find(|path| look.is_file(path)).cloned() else {
        return Err(Unusable::Absent(tried));
    };
    let homes = [Some(repo), workflow.parent()].into_iter().flatten();
    let inside = || {
        let real = look.real(&found).ok()?;
        homes.filter_map(|home| look.real(home).ok()).find(|home| real.starts_with(home))
    };
    match anywhere || inside().is_some() {
        true => Ok(found),
        false => Err(Unusable::Outside(found)),
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
    /// What may still be read: of all documents together.
    bytes_left: usize,
    /// Prompts that were looked for, by workflow and name: steps share them.
    found: HashMap<(PathBuf, String), Result<PathBuf, Unusable>>,
    problems: Problems,
}

impl Loader<'_> {
    /// `above` are the workflows that lead here. Its length is bounded, so this cannot run away.
    fn file(&mut self, path: &Path, above: &mut Vec<PathBuf>) -> Option<(Definition, Vec<Option<PathBuf>>)> {
        let name = shown_path(path);
        let bytes = match self.look.read(path, DOCUMENT_BYTES_MAX) {
            Ok(bytes) => bytes,
            Err(error) => {
                let hint = Some("name a workflow file: `piton run WORKFLOW.yaml`".to_owned());
                self.problems.push(Problem { file: Some(name), hint, ..Problem::new(error.to_string()) });
                return None;
            }
        };
        if bytes.len() <= DOCUMENT_BYTES_MAX && bytes.len() > self.bytes_left {
            let message = format!("with it the workflow is larger than {} MiB", DOCUMENT_BYTES_MAX >> 20);
            let hint = Some("run its parts one after the other, each by itself".to_owned());
            self.problems.push(Problem { file: Some(name), hint, ..Problem::new(message) });
            return None;
        }
        self.bytes_left = self.bytes_left.saturating_sub(bytes.len());
        let (read, problems) = read_what_can_be(&name, &bytes);
        problems.into_iter().for_each(|problem| self.problems.push(problem));
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
        let report = |loader: &mut Self, field: &str, message: String, hint: String| {
            let line = Some(places.line(Some(index), field, None));
            let file = Some(shown_path(path));
            loader.problems.push(Problem { file, line, message, hint: Some(hint) });
        };
        match &definition.steps[index].work {
            Work::Agent { prompt, .. } => match self.prompt(prompt, path) {
                Ok(found) => Some(found),
                Err(unusable) => {
                    report(self, "prompt", unusable.message("prompt", prompt), unusable.hint());
                    None
                }
            },
            Work::Workflow { path: named } => {
                let tried = beside(named, path, self.repo).to_vec();
                let found = first_of(tried, Path::new(named).is_absolute(), path, self.repo, self.look);
                let found = match found {
                    Ok(found) => found,
                    Err(unusable) => {
                        report(self, "workflow", unusable.message("workflow", named), unusable.hint());
                        return None;
                    }
                };
                if above.contains(&plain(&found)) {
                    let hint = "remove this step".to_owned();
                    report(self, "workflow", format!("`{}` would run itself", shown(named)), hint);
                } else if above.len() >= NESTED_DEPTH_MAX || self.nested.len() >= NESTED_COUNT_MAX {
                    let message = format!("workflows nest deeper than {NESTED_DEPTH_MAX}, or are too many");
                    report(self, "workflow", message, "put their steps into one".to_owned());
                } else if !self.nested.contains(&plain(&found)) {
                    self.nested.push(plain(&found));
                    if let Some((definition, _)) = self.file(&found, above) {
                        self.definitions.insert(key(&found, self.repo), definition);
                    }
                }
                None
            }
            Work::Run { .. } | Work::Loop(_) | Work::Nothing {} => None,
        }
    }

    fn prompt(&mut self, prompt: &str, workflow: &Path) -> Result<PathBuf, Unusable> {
        let (repo, look) = (self.repo, self.look);
        let found = self.found.entry((workflow.to_owned(), prompt.to_owned()));
        found.or_insert_with(|| resolve_prompt(prompt, workflow, repo, look)).clone()
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
