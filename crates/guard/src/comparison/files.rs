//! The files that differ between two trees: read, paired with what they became, and parsed.

use std::collections::BTreeMap;

use piton_git::{Entry, ReadError, Tree};

use crate::inventory::{Inventory, Test};
use crate::language::Language;
use crate::paths;
use crate::source::Source;

/// Less than this is read faster than a thread starts.
const PARALLEL_BYTES_MIN: usize = 16 * 1024;

/// One side of a changed file.
#[derive(Debug)]
pub(crate) struct Side {
    pub(crate) path: String,
    pub(crate) text: String,
    /// `None` where the language is unknown.
    pub(crate) inventory: Option<Inventory>,
}

impl Side {
    pub(crate) fn new(path: &str, bytes: Vec<u8>) -> Self {
        let text = decoded(bytes);
        let source = Language::of(path).and_then(|language| Source::parse(language, text.clone()));
        let inventory = source.map(|source| Inventory::of(path, source));
        Self { path: path.to_owned(), text, inventory }
    }

    /// Both sides of a file: what they share is parsed once.
    fn pair(old: File, new: File) -> (Self, Self) {
        let language = Language::of(&new.0)
            .filter(|language| Language::of(&old.0).is_some_and(|other| std::ptr::eq(*language, other)));
        let Some(language) = language else { return (Self::new(&old.0, old.1), Self::new(&new.0, new.1)) };
        let (before, after) = (decoded(old.1), decoded(new.1));
        let Some((source, tree)) = Source::parse_after(language, before.clone(), None) else {
            return (Self::new(&old.0, before.into_bytes()), Self::new(&new.0, after.into_bytes()));
        };
        let later = Source::parse_after(language, after.clone(), Some((&before, &tree)));
        let side = |path: String, text: String, source: Option<Source>| {
            let inventory = source.map(|source| Inventory::of(&path, source));
            Self { path, text, inventory }
        };
        (side(old.0, before, Some(source)), side(new.0, after, later.map(|(source, _)| source)))
    }

    pub(crate) fn tests(&self) -> &[Test] {
        self.inventory.as_ref().map_or(&[], |inventory| &inventory.tests)
    }

    /// Whether it is code that ships.
    pub(crate) fn is_product(&self) -> bool {
        self.inventory.is_some() && !paths::is_test(&self.path) && !paths::is_check_configuration(&self.path)
    }
}

/// A file that differs. A file that moved is one of these, too.
#[derive(Debug)]
pub(crate) struct ChangedFile {
    pub(crate) before: Option<Side>,
    pub(crate) after: Option<Side>,
}

impl ChangedFile {
    /// Its path in the new tree, or in the old one where it is gone.
    pub(crate) fn path(&self) -> &str {
        self.after.as_ref().or(self.before.as_ref()).map_or("", |side| side.path.as_str())
    }

    pub(crate) fn is_test(&self) -> bool {
        paths::is_test(self.path())
    }

    pub(crate) fn both(&self) -> Option<(&Side, &Side)> {
        self.before.as_ref().zip(self.after.as_ref())
    }

    /// What was in it.
    pub(crate) fn old_inventory(&self) -> Option<&Inventory> {
        self.before.as_ref()?.inventory.as_ref()
    }

    /// What is in it.
    pub(crate) fn new_inventory(&self) -> Option<&Inventory> {
        self.after.as_ref()?.inventory.as_ref()
    }

    pub(crate) fn inventories(&self) -> Option<(&Inventory, &Inventory)> {
        self.old_inventory().zip(self.new_inventory())
    }
}

/// What [`changes`] finds.
pub(super) struct Changes {
    pub(super) files: Vec<ChangedFile>,
    pub(super) unchanged: Option<Vec<Entry>>,
    pub(super) allow_file: Option<Vec<u8>>,
}

/// The files that differ, and those that do not.
pub(super) fn changes(base: &dyn Tree, head: &dyn Tree) -> Result<Changes, ReadError> {
    if let Some(changed) = head.changed_from(base, Some(crate::ALLOW_FILE))? {
        let files = side_by_side(changed.before.into_iter().collect(), changed.after.into_iter().collect());
        return Ok(Changes { files, unchanged: None, allow_file: changed.also });
    }
    let old: BTreeMap<String, String> =
        base.entries()?.into_iter().map(|entry| (entry.path, entry.id)).collect();
    let new: BTreeMap<String, String> =
        head.entries()?.into_iter().map(|entry| (entry.path, entry.id)).collect();
    let differs = |mine: &BTreeMap<String, String>, other: &BTreeMap<String, String>| -> Vec<Entry> {
        let entries = mine.iter().filter(|(path, id)| other.get(*path) != Some(*id));
        entries.map(|(path, id)| Entry { path: path.clone(), id: id.clone() }).collect()
    };
    let (gone, come) = (differs(&old, &new), differs(&new, &old));
    let unchanged = new
        .iter()
        .filter(|(path, id)| old.get(*path) == Some(*id))
        .map(|(path, id)| Entry { path: path.clone(), id: id.clone() })
        .collect();
    let read = |tree: &dyn Tree, entries: &[Entry]| -> Result<BTreeMap<String, Vec<u8>>, ReadError> {
        let bytes = tree.read(entries)?;
        Ok(entries.iter().map(|entry| entry.path.clone()).zip(bytes).collect())
    };
    let (mut before, mut after) = (read(base, &gone)?, read(head, &come)?);
    // A work tree gives ids of its own; the bytes decide.
    before.retain(|path, bytes| match after.get(path) {
        Some(other) if other == bytes => {
            after.remove(path);
            false
        }
        _ => true,
    });
    let allow_entry =
        old.get(crate::ALLOW_FILE).map(|id| Entry { path: crate::ALLOW_FILE.to_owned(), id: id.clone() });
    let allow_file = match allow_entry {
        Some(entry) => base.read(std::slice::from_ref(&entry))?.pop(),
        None => None,
    };
    Ok(Changes { files: side_by_side(before, after), unchanged: Some(unchanged), allow_file })
}

/// Pairs files by path, then moved files by content.
fn side_by_side(before: BTreeMap<String, Vec<u8>>, mut after: BTreeMap<String, Vec<u8>>) -> Vec<ChangedFile> {
    let mut pairs = Vec::new();
    let mut lost = Vec::new();
    for (path, bytes) in before {
        match after.remove_entry(&path) {
            Some(new) => pairs.push((Some((path, bytes)), Some(new))),
            None => lost.push((path, bytes)),
        }
    }
    for (path, bytes) in lost {
        let moved =
            after.iter().find(|(_, new)| **new == bytes && !bytes.is_empty()).map(|(path, _)| path.clone());
        let new = moved.and_then(|path| after.remove_entry(&path));
        pairs.push((Some((path, bytes)), new));
    }
    pairs.extend(after.into_iter().map(|new| (None, Some(new))));
    let mut files = sides(pairs);
    files.sort_by(|a, b| a.path().cmp(b.path()));
    files
}

/// A path and what is in it.
type File = (String, Vec<u8>);

/// Reads files, on as many processors as there are.
pub(super) fn sides(files: Vec<(Option<File>, Option<File>)>) -> Vec<ChangedFile> {
    let workers = std::thread::available_parallelism().map_or(1, usize::from).min(files.len());
    let size = |file: &Option<File>| file.as_ref().map_or(0, |(_, bytes)| bytes.len());
    let bytes: usize = files.iter().map(|(old, new)| size(old) + size(new)).sum();
    if workers < 2 || bytes < PARALLEL_BYTES_MIN {
        return files.into_iter().map(read).collect();
    }
    let mut jobs: Vec<_> = files.into_iter().enumerate().collect();
    // The largest first, so that no processor waits for it in the end.
    jobs.sort_by_key(|(_, (old, new))| size(old) + size(new));
    let jobs = std::sync::Mutex::new(jobs);
    let work = || {
        let mut done = Vec::new();
        loop {
            let job = jobs.lock().unwrap_or_else(std::sync::PoisonError::into_inner).pop();
            let Some((index, file)) = job else { return done };
            done.push((index, read(file)));
        }
    };
    let mut all: Vec<(usize, ChangedFile)> = std::thread::scope(|scope| {
        let threads: Vec<_> = (1..workers).map(|_| scope.spawn(work)).collect();
        let mut all = work();
        for thread in threads {
            all.extend(thread.join().expect("reading a file never panics"));
        }
        all
    });
    all.sort_by_key(|(index, _)| *index);
    all.into_iter().map(|(_, file)| file).collect()
}

fn read((old, new): (Option<File>, Option<File>)) -> ChangedFile {
    match (old, new) {
        (Some(old), Some(new)) => {
            let (before, after) = Side::pair(old, new);
            ChangedFile { before: Some(before), after: Some(after) }
        }
        (old, new) => {
            let side = |file: Option<File>| file.map(|(path, bytes)| Side::new(&path, bytes));
            ChangedFile { before: side(old), after: side(new) }
        }
    }
}

fn decoded(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}
