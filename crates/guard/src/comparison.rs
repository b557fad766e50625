//! Two trees side by side: the files that differ, understood, and what they have to do with each other.

use std::collections::{BTreeMap, BTreeSet};

use crate::follow::{At, Followed, follow};
use crate::inventory::{Definition, Inventory, Test};
use crate::language::Language;
use crate::paths;
use crate::similar::Fingerprint;
use crate::source::Source;
use piton_git::{Entry, ReadError, Tree};

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
        let text = String::from_utf8(bytes)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
        let source = Language::of(path).and_then(|language| Source::parse(language, text.clone()));
        let inventory = source.map(|source| Inventory::of(path, source));
        Self { path: path.to_owned(), text, inventory }
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

    pub(crate) fn inventories(&self) -> Option<(&Inventory, &Inventory)> {
        let (before, after) = self.both()?;
        before.inventory.as_ref().zip(after.inventory.as_ref())
    }
}

/// Two trees side by side.
#[derive(Debug)]
pub(crate) struct Comparison {
    pub(crate) files: Vec<ChangedFile>,
    pub(crate) followed: Followed,
    /// Whether code that ships does something else than before.
    pub(crate) product_changed: bool,
    /// Whether data that tests read is other data than before.
    pub(crate) data_changed: bool,
    /// Names that product code defined before and no longer does.
    pub(crate) removed_names: BTreeSet<String>,
    /// Assertions that are new anywhere, with how many of each: they may have come from somewhere.
    pub(crate) added_assertions: BTreeMap<String, usize>,
    /// Files that are the same in both trees.
    pub(crate) unchanged: Vec<Entry>,
    /// Tests among them, where a rule has to look into them.
    pub(crate) other_tests: Vec<Side>,
}

impl Comparison {
    /// Reads what differs between two trees.
    pub(crate) fn of(base: &dyn Tree, head: &dyn Tree) -> Result<Self, ReadError> {
        let (changed, unchanged) = changes(base, head)?;
        let mut comparison = Self {
            files: changed,
            followed: Followed::default(),
            product_changed: false,
            data_changed: false,
            removed_names: BTreeSet::new(),
            added_assertions: BTreeMap::new(),
            unchanged,
            other_tests: Vec::new(),
        };
        comparison.removed_names = removed_names(&comparison.files);
        comparison.product_changed = comparison.files.iter().any(product_changed);
        comparison.data_changed = comparison
            .files
            .iter()
            .any(|file| file.both().is_some_and(|(before, _)| before.inventory.is_none() && file.is_test()));
        comparison.followed = follow(&comparison);
        comparison.added_assertions = added_assertions(&comparison.files);
        if crate::check::has_candidates(&comparison) || !comparison.followed.removed.is_empty() {
            comparison.read_other_tests(head)?;
        }
        Ok(comparison)
    }

    /// Reads the tests that did not change: what they ask for may be answered by a fixed value.
    fn read_other_tests(&mut self, head: &dyn Tree) -> Result<(), ReadError> {
        let is_test = |entry: &&Entry| paths::may_hold_tests(&entry.path);
        let entries: Vec<_> = self.unchanged.iter().filter(is_test).cloned().collect();
        let sides =
            entries.iter().zip(head.read(&entries)?).map(|(entry, bytes)| Side::new(&entry.path, bytes));
        self.other_tests = sides.collect();
        Ok(())
    }

    pub(crate) fn old_test(&self, at: At) -> &Test {
        &self.files[at.0].before.as_ref().expect("old tests come from old files").tests()[at.1]
    }

    pub(crate) fn new_test(&self, at: At) -> &Test {
        &self.files[at.0].after.as_ref().expect("new tests come from new files").tests()[at.1]
    }

    pub(crate) fn old_inventory(&self, at: At) -> &Inventory {
        let side = self.files[at.0].before.as_ref().expect("old tests come from old files");
        side.inventory.as_ref().expect("what has tests has an inventory")
    }

    pub(crate) fn new_inventory(&self, at: At) -> &Inventory {
        let side = self.files[at.0].after.as_ref().expect("new tests come from new files");
        side.inventory.as_ref().expect("what has tests has an inventory")
    }

    pub(crate) fn old_print(&self, at: At) -> Fingerprint {
        Fingerprint::of(&self.old_inventory(at).source, &self.old_test(at).body)
    }

    pub(crate) fn new_print(&self, at: At) -> Fingerprint {
        Fingerprint::of(&self.new_inventory(at).source, &self.new_test(at).body)
    }

    /// Whether a test is about something that is gone.
    pub(crate) fn mentions_removed(&self, inventory: &Inventory, test: &Test) -> bool {
        inventory.source.words(&test.body).any(|word| self.removed_names.contains(word))
    }
}

/// The files that differ, and those that do not.
fn changes(base: &dyn Tree, head: &dyn Tree) -> Result<(Vec<ChangedFile>, Vec<Entry>), ReadError> {
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
    Ok((side_by_side(before, after), unchanged))
}

/// Pairs files by path, then moved files by content.
fn side_by_side(before: BTreeMap<String, Vec<u8>>, mut after: BTreeMap<String, Vec<u8>>) -> Vec<ChangedFile> {
    let mut files = Vec::new();
    let mut lost = Vec::new();
    for (path, bytes) in before {
        match after.remove(&path) {
            Some(new) => files.push(ChangedFile {
                before: Some(Side::new(&path, bytes)),
                after: Some(Side::new(&path, new)),
            }),
            None => lost.push((path, bytes)),
        }
    }
    for (path, bytes) in lost {
        let moved =
            after.iter().find(|(_, new)| **new == bytes && !bytes.is_empty()).map(|(path, _)| path.clone());
        let new = moved.and_then(|path| after.remove(&path).map(|new| Side::new(&path, new)));
        files.push(ChangedFile { before: Some(Side::new(&path, bytes)), after: new });
    }
    for (path, bytes) in after {
        files.push(ChangedFile { before: None, after: Some(Side::new(&path, bytes)) });
    }
    files.sort_by(|a, b| a.path().cmp(b.path()));
    files
}

/// Names that product code defined and no longer defines, under this name or by its old body under another.
fn removed_names(files: &[ChangedFile]) -> BTreeSet<String> {
    let product = |side: &Side| side.inventory.is_some() && !paths::is_test(&side.path);
    let of = |side: Option<&Side>| -> Vec<(Definition, Fingerprint)> {
        let inventory = side.filter(|side| product(side)).and_then(|side| side.inventory.as_ref());
        let Some(inventory) = inventory else { return Vec::new() };
        let tests: Vec<_> = inventory.tests.iter().map(|test| test.span.clone()).collect();
        let is_product =
            |definition: &&Definition| !tests.iter().any(|test| test.contains(&definition.span.start));
        let print = |definition: &Definition| {
            (definition.clone(), Fingerprint::of(&inventory.source, &definition.body))
        };
        inventory.definitions.iter().filter(is_product).map(print).collect()
    };
    let old: Vec<_> = files.iter().flat_map(|file| of(file.before.as_ref())).collect();
    let new: Vec<_> = files.iter().flat_map(|file| of(file.after.as_ref())).collect();
    let names: BTreeSet<_> = new.iter().map(|(definition, _)| definition.name.clone()).collect();
    let old_names: BTreeSet<_> = old.iter().map(|(definition, _)| definition.name.clone()).collect();
    let is_renamed = |print: &Fingerprint| {
        new.iter().any(|(other, other_print)| {
            !old_names.contains(&other.name) && print.similarity(other_print) > 0.8
        })
    };
    old.into_iter()
        .filter(|(definition, print)| !names.contains(&definition.name) && !is_renamed(print))
        .map(|(definition, _)| definition.name)
        .collect()
}

/// Whether the tokens of product code differ; comments and layout do not count.
fn product_changed(file: &ChangedFile) -> bool {
    let product = |side: &Option<Side>| side.as_ref().is_some_and(Side::is_product);
    if !product(&file.before) && !product(&file.after) {
        return false;
    }
    let Some((before, after)) = file.inventories() else { return true };
    product_tokens(before) != product_tokens(after)
}

/// The code of a file without its tests.
fn product_tokens(inventory: &Inventory) -> String {
    let source = &inventory.source;
    let mut start = 0;
    let mut flat = String::new();
    for module in test_modules(inventory) {
        flat.push_str(&source.flat(&(start..module.start.max(start))));
        start = module.end.max(start);
    }
    flat.push_str(&source.flat(&(start..source.tokens.len())));
    flat
}

/// The tests of a file, with the modules that hold nothing else.
fn test_modules(inventory: &Inventory) -> Vec<std::ops::Range<usize>> {
    let source = &inventory.source;
    let is_test_module = |definition: &&Definition| {
        !definition.is_function && ["tests", "test"].contains(&definition.name.as_str())
    };
    let mut spans: Vec<_> = inventory
        .definitions
        .iter()
        .filter(is_test_module)
        .map(|definition| definition.span.clone())
        .collect();
    spans.extend(inventory.tests.iter().map(|test| test.span.clone()));
    spans.sort_by_key(|span| span.start);
    let _ = source;
    spans
}

/// Every assertion of the new side that the old side of the same file did not have.
fn added_assertions(files: &[ChangedFile]) -> BTreeMap<String, usize> {
    let mut count: BTreeMap<String, isize> = BTreeMap::new();
    for file in files {
        for (side, step) in [(&file.before, -1), (&file.after, 1)] {
            let Some(inventory) = side.as_ref().and_then(|side| side.inventory.as_ref()) else { continue };
            let own = inventory.tests.iter().flat_map(|test| test.live());
            let helped = inventory.helpers.values().flatten();
            for assertion in own.chain(helped) {
                *count.entry(assertion.text.clone()).or_default() += step;
            }
        }
    }
    count
        .into_iter()
        .filter_map(|(text, count)| Some((text, usize::try_from(count).ok()?)))
        .filter(|(_, count)| *count > 0)
        .collect()
}
