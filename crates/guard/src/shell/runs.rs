//! Which files of a tree a command runs, as far as its text says: scripts, what they run in turn, recipes.
//!
//! Reads words and never runs a thing. A name that no file of the tree has is passed by, so a guess too many costs nothing; what a
//! variable hides, and what a script in another language than the shell's runs in turn, is not found. Work is bounded.
//!
//! What a command starts, judges. What a *script* starts may as well be what is judged: `test.sh` runs `greet.sh` and looks at what it
//! says. So of those only what it reads as its own text counts, what is of tests by its name, and what lies beside the script in a
//! directory of theirs.

mod closure;
mod fed;
mod make;
mod package;
mod words;

use std::collections::{BTreeMap, BTreeSet};

use super::{Simple, parse};
use crate::language::Language;
use crate::paths::is_of_tests;
pub use closure::{Closure, closure};
use words::{Started, started};

/// How many files are read, and how many places they may be meant from.
const FILES_MAX: usize = 64;
const PLACES_MAX: usize = 8;
/// Nobody writes such by hand, and nothing in it is looked for.
const TEXT_BYTES_MAX: usize = 256 << 10;
/// How often a command may start another: `timeout 60 env sh -c …`.
const DEPTH_MAX: usize = 12;

/// What commands run of a tree.
pub struct Tree<'a> {
    /// The content of a file; `None` where there is none of that path.
    pub read: &'a dyn Fn(&str) -> Option<Vec<u8>>,
    /// Whether a file is part of the tree, and not only on the disk where git ignores it.
    pub is_kept: &'a dyn Fn(&str) -> bool,
    /// Where the link is that a path leads through, or is, and the path that it leads to.
    pub link: &'a dyn Fn(&str) -> Option<(String, String)>,
}

/// What of a file counts for what runs it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// All of it.
    Whole,
    /// The rules of a makefile for these targets, with what they need and what holds for all.
    Targets(BTreeSet<String>),
    /// These scripts of a `package.json`.
    Scripts(BTreeSet<String>),
    /// All of each file of these names that is there. One more is one more that is run.
    Matched,
    /// Of the settings of a package manager those that say how a script is run. A file that is not there says none.
    Settings,
    /// Of a makefile that others include, and that may be made by a build: what it says of these variables, of how recipes are run, and of
    /// these targets. One that is not there says nothing.
    Included {
        /// The variables.
        variables: BTreeSet<String>,
        /// The targets.
        targets: BTreeSet<String>,
    },
    /// That nothing of this name is there: a goal of make that makes no file is done where there is one.
    Absence,
}

impl Part {
    /// Whether a file that is not there is the same as one that says nothing.
    pub fn may_be_missing(&self) -> bool {
        matches!(self, Self::Settings | Self::Included { .. })
    }

    /// Whether what counts is the same in both texts.
    pub fn is_same(&self, before: &[u8], after: &[u8]) -> bool {
        let texts = (std::str::from_utf8(before), std::str::from_utf8(after));
        match (self, texts) {
            (Self::Targets(targets), (Ok(before), Ok(after))) => {
                make::relevant(before, targets) == make::relevant(after, targets)
            }
            (Self::Scripts(names), (Ok(before), Ok(after))) => {
                package::relevant(before, names) == package::relevant(after, names)
            }
            (Self::Included { variables, targets }, (Ok(before), Ok(after))) => {
                let said = |text| make::said(text, variables, targets);
                said(before) == said(after)
            }
            (Self::Settings, (Ok(before), Ok(after))) => {
                package::settings(before) == package::settings(after)
            }
            _ => before == after,
        }
    }
}

/// What commands run of a tree. A path that is not there stands for what would be run in place of one that is, and one with a `*` for
/// every file that it matches.
pub type Runs = BTreeMap<String, Part>;

/// What these commands run of a tree, and the directories that Python loads modules from before it looks at its own.
pub fn runs<'a>(commands: impl IntoIterator<Item = &'a str>, tree: &Tree<'_>) -> (Runs, BTreeSet<String>) {
    let mut search = Search::of(tree);
    for command in commands {
        search.script(command, &BTreeSet::from([String::new()]), DEPTH_MAX);
    }
    (search.found, search.of_python)
}

struct Search<'a> {
    tree: &'a Tree<'a>,
    /// What was asked for; `None` where it is not there.
    texts: BTreeMap<String, Option<String>>,
    found: Runs,
    /// The script that is read; `None` in what was given, and in recipes.
    within: Option<String>,
    /// Directories of the tree that programs are looked for in, by `PATH`.
    searched: BTreeSet<String>,
    /// Where Python is started, and where scripts of it lie.
    of_python: BTreeSet<String>,
    /// What is started, by the names that are given to it.
    programs: BTreeSet<String>,
}

impl<'a> Search<'a> {
    fn of(tree: &'a Tree<'a>) -> Self {
        Self {
            tree,
            texts: BTreeMap::new(),
            found: Runs::new(),
            within: None,
            searched: BTreeSet::new(),
            of_python: BTreeSet::new(),
            programs: BTreeSet::new(),
        }
    }

    /// Whether a file that is started here is one of those that judge.
    fn judges(&self, path: &str) -> bool {
        let Some(script) = &self.within else { return true };
        let is_beside = !parent(path).is_empty() && parent(path) == parent(script);
        is_beside || is_of_tests(path)
    }

    /// The text of a file of the tree.
    fn text(&mut self, path: &str) -> Option<String> {
        if let Some(known) = self.texts.get(path) {
            return known.clone();
        }
        let bytes = (self.tree.read)(path);
        let text = bytes.map(|bytes| match bytes.len() <= TEXT_BYTES_MAX {
            true => String::from_utf8(bytes).unwrap_or_default(),
            false => String::new(),
        });
        self.texts.insert(path.to_owned(), text.clone());
        text
    }

    /// What a script runs that may be started in any of these places.
    fn script(&mut self, text: &str, places: &BTreeSet<String>, depth: usize) {
        if depth == 0 {
            return;
        }
        let (mut places, mut variables) = (places.clone(), BTreeMap::new());
        for command in parse(text).commands() {
            let words = command.expanded(&mut variables);
            if let Some(value) = variables.get("PATH") {
                self.searches(value);
            }
            self.command(&words, &mut places, depth);
        }
        self.fed(text, &places, &variables, depth);
    }

    /// Notes the directories of a `PATH` that may lie in the tree.
    fn searches(&mut self, value: &str) {
        let places = value.split(':').map(after_variable);
        let inside = places.filter(|place| !place.starts_with('$')).filter_map(|place| joined("", place));
        self.searched.extend(inside.filter(|place| !place.is_empty()).take(PLACES_MAX));
    }

    /// Notes what a program without a path would be, where the tree is looked into for it.
    fn looked_for(&mut self, words: &[String], places: &BTreeSet<String>, depth: usize) {
        let Some(name) = words.iter().find(|word| !words::is_assignment(word)) else { return };
        if name.contains(['/', '$', '*']) {
            return;
        }
        for directory in self.searched.clone() {
            let name = format!("{directory}/{name}");
            self.file(&name, places, false, false, depth);
            let absent = places.iter().filter_map(|place| joined(place, &name));
            let absent: Vec<_> = absent.filter(|path| !self.found.contains_key(path)).collect();
            self.found.extend(absent.into_iter().map(|path| (path, Part::Whole)));
        }
    }

    fn command(&mut self, words: &[String], places: &mut BTreeSet<String>, depth: usize) {
        if !self.searched.is_empty() {
            self.looked_for(words, places, depth);
        }
        self.programs.extend(words::programs(words));
        if words.iter().take(6).any(|word| words::is_python(word)) {
            self.of_python.extend(places.iter().cloned());
        }
        match started(words) {
            Started::Nothing => {}
            Started::Enters(directory) => enter(places, &directory),
            Started::Text(text) => self.script(&text, places, depth - 1),
            Started::Within { directory, words } => {
                let mut inside = places.clone();
                enter(&mut inside, &directory);
                if depth > 1 {
                    self.command(&words, &mut inside, depth - 1);
                }
            }
            Started::Files { names, is_shell } => {
                for name in &names {
                    self.file(name, places, is_shell, false, depth);
                }
            }
            Started::Sourced(name) => self.file(&name, places, true, true, depth),
            Started::Module(name) => self.module(&name, places),
            Started::Make { directory, files, targets } => {
                let places = below(places, &directory);
                self.make(&places, &files, &targets, depth);
            }
            Started::PackageScript { directory, name } => {
                let places = below(places, &directory);
                self.package(&places, &name, depth);
            }
        }
    }

    /// A file by the name that a command gives it: from wherever that may be started, and where a variable comes first, from anywhere
    /// that it may stand for.
    fn file(
        &mut self,
        name: &str,
        places: &BTreeSet<String>,
        is_shell: bool,
        is_its_text: bool,
        depth: usize,
    ) {
        let name = after_variable(name);
        if name.contains(['*', '?', '[']) {
            let patterns = places.iter().filter_map(|place| joined(place, &name.replace('[', "?")));
            let part = if is_its_text { Part::Whole } else { Part::Matched };
            // Examples that are run to see that they work are the product, and tests in other languages are read as such.
            let is_of_shell = is_shell || is_its_text || Language::of(name).is_none();
            if !is_of_shell {
                return;
            }
            let patterns: Vec<_> = patterns.filter(|_| is_its_text || self.within.is_none()).collect();
            self.found.extend(patterns.into_iter().map(|pattern| (pattern, part.clone())));
            return;
        }
        let mut paths: Vec<String> = places.iter().filter_map(|place| joined(place, name)).collect();
        let mut at = 0;
        while let Some(path) = paths.get(at).cloned() {
            at += 1;
            if let Some((link, target)) = (self.tree.link)(&path).filter(|_| at < PLACES_MAX * 4) {
                if is_its_text || self.judges(&path) {
                    self.found.insert(link, Part::Whole);
                }
                paths.push(target);
                continue;
            }
            let Some(text) = self.text(&path) else { continue };
            if !is_its_text && !self.judges(&path) {
                continue;
            }
            let is_new = self.found.insert(path.clone(), Part::Whole) != Some(Part::Whole);
            if !is_new || self.found.len() > FILES_MAX {
                continue;
            }
            if is_shell || is_shell_script(&path, &text) {
                // What it names may be meant from where it lies, too.
                let mut places = places.clone();
                enter(&mut places, parent(&path));
                places.insert(parent(&path).to_owned());
                let outer = self.within.replace(path);
                self.script(&text, &places, depth - 1);
                self.within = outer;
            } else if path.ends_with(".py") {
                self.of_python.insert(parent(&path).to_owned());
            }
        }
    }

    /// `python -m NAME`: a file, or a package in whose place a file may come, or the other way round.
    fn module(&mut self, name: &str, places: &BTreeSet<String>) {
        let path = name.replace('.', "/");
        let forms = [format!("{path}.py"), format!("{path}/__main__.py")];
        for place in places.clone() {
            let forms: Vec<_> = forms.iter().filter_map(|form| joined(&place, form)).collect();
            if forms.iter().any(|form| self.text(form).is_some()) {
                self.found.extend(forms.into_iter().map(|form| (form, Part::Whole)));
            }
        }
    }

    fn make(&mut self, places: &BTreeSet<String>, files: &[String], targets: &[String], depth: usize) {
        for place in places {
            let named: Vec<_> = match files.is_empty() {
                true => make::NAMES.iter().filter_map(|name| joined(place, name)).collect(),
                false => files.iter().filter_map(|name| joined(place, after_variable(name))).collect(),
            };
            // The first of the usual names is taken, so none may come before it.
            if named.iter().all(|path| self.text(path).is_none()) {
                continue;
            }
            for path in named {
                let text = self.text(&path).unwrap_or_default();
                let reached = make::reached(&text, targets);
                let before = self.found.insert(path.clone(), Part::Targets(reached.clone()));
                let all = match before {
                    Some(Part::Whole) => Part::Whole,
                    Some(Part::Targets(others)) if others.is_superset(&reached) => {
                        self.found.insert(path, Part::Targets(others));
                        continue;
                    }
                    Some(Part::Targets(others)) => Part::Targets(others.union(&reached).cloned().collect()),
                    _ => Part::Targets(reached.clone()),
                };
                self.found.insert(path.clone(), all);
                let here = BTreeSet::from([place.clone()]);
                for included in make::included(&text) {
                    // One that is not there yet would be read as well, and builds write such.
                    match joined(place, &included).filter(|path| !path.contains(['$', '*', '?', '['])) {
                        Some(path) if !(self.tree.is_kept)(&path) => {
                            let (variables, targets) = (make::names(&text), reached.clone());
                            self.found.entry(path).or_insert(Part::Included { variables, targets });
                        }
                        _ => self.file(&included, &here, false, true, depth),
                    }
                    self.included(&included, &here, targets, depth);
                }
                if let Some(value) = make::variable(&text, "PATH") {
                    self.searches(&value);
                }
                for goal in make::without_file(&text, &reached) {
                    if let Some(path) = joined(place, &goal).filter(|path| !self.found.contains_key(path)) {
                        self.found.insert(path, Part::Absence);
                    }
                }
                if depth > 1 && self.found.len() <= FILES_MAX {
                    make::recipes(&text, &reached)
                        .iter()
                        .for_each(|recipe| self.script(recipe, &here, depth - 1));
                }
            }
        }
    }

    /// Recipes of a makefile that another includes.
    fn included(&mut self, name: &str, here: &BTreeSet<String>, targets: &[String], depth: usize) {
        for path in here.iter().filter_map(|place| joined(place, after_variable(name))).collect::<Vec<_>>() {
            let text = self.text(&path).unwrap_or_default();
            let reached = make::reached(&text, targets);
            if depth > 1 {
                make::recipes(&text, &reached).iter().for_each(|recipe| self.script(recipe, here, depth - 1));
            }
        }
    }

    fn package(&mut self, places: &BTreeSet<String>, name: &str, depth: usize) {
        for place in places {
            let Some(path) = joined(place, package::FILE) else { continue };
            let Some(text) = self.text(&path) else { continue };
            let names: BTreeSet<_> = [format!("pre{name}"), name.to_owned(), format!("post{name}")].into();
            let scripts = package::scripts(&text, &names);
            let known = match self.found.get(&path) {
                Some(Part::Scripts(known)) => known.clone(),
                _ => BTreeSet::new(),
            };
            if known.contains(name) || self.found.len() > FILES_MAX {
                continue;
            }
            self.found.insert(path, Part::Scripts(known.union(&names).cloned().collect()));
            let settings = package::SETTINGS.iter().filter_map(|name| joined(place, name));
            self.found.extend(settings.map(|path| (path, Part::Settings)));
            let here = BTreeSet::from([place.clone()]);
            scripts.iter().for_each(|script| self.script(script, &here, depth - 1));
        }
    }
}

impl Simple {
    /// Its words, with what the script itself gave to variables; keeps what this gives to some.
    fn expanded(&self, variables: &mut BTreeMap<String, String>) -> Vec<String> {
        for (name, value) in &self.assignments {
            let value = words::expand(&value.text, variables);
            variables.insert(name.clone(), value);
        }
        self.words.iter().map(|word| words::expand(&word.text, variables)).collect()
    }
}

/// From wherever it may be, it is there.
fn below(places: &BTreeSet<String>, directories: &[String]) -> BTreeSet<String> {
    let enter = |places: BTreeSet<String>, directory: &String| {
        places.iter().filter_map(|place| joined(place, after_variable(directory))).collect()
    };
    directories.iter().fold(places.clone(), enter)
}

/// From wherever it may be, it may be there now.
fn enter(places: &mut BTreeSet<String>, directory: &str) {
    let directory = after_variable(directory);
    let new: Vec<_> = places.iter().filter_map(|place| joined(place, directory)).collect();
    let room = PLACES_MAX.saturating_sub(places.len());
    places.extend(new.into_iter().take(room));
}

/// What comes after a variable that stands for a directory: `$PWD/x`, `$(dirname "$0")/x`.
fn after_variable(name: &str) -> &str {
    let Some(after) = name.strip_prefix('$') else { return name };
    let end = match after.strip_prefix('{').and_then(|inside| inside.find('}')) {
        Some(end) => end + 2,
        None => 0,
    };
    after.get(end..).and_then(|after| after.split_once('/')).map_or(name, |(_, rest)| rest)
}

fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(parent, _)| parent)
}

/// The path from the top of the tree; `None` where that would lie outside, or is no name of a file.
fn joined(place: &str, name: &str) -> Option<String> {
    if name.is_empty() || name.starts_with(['/', '~']) {
        return None;
    }
    let mut parts: Vec<&str> = place.split('/').filter(|part| !part.is_empty()).collect();
    for part in name.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

fn is_shell_script(path: &str, text: &str) -> bool {
    let first = text.lines().next().unwrap_or_default();
    let is_named = [".sh", ".bash"].iter().any(|end| path.ends_with(end));
    let program = first.strip_prefix("#!").map(|line| line.split_whitespace().map(words::program));
    let runs_shell = |mut words: Box<dyn Iterator<Item = &str> + '_>| words.any(words::is_shell);
    is_named || program.is_some_and(|words| runs_shell(Box::new(words)))
}

#[cfg(test)]
mod tests;
