//! Two trees side by side: the files that differ, understood, and what they have to do with each other.

mod files;
mod losses;
mod touched;
mod twins;

use std::collections::{BTreeMap, BTreeSet};

pub(crate) use files::{ChangedFile, Side};
use files::{Changes, changes, sides};

use crate::follow::{At, Followed, follow};
use crate::inventory::{Definition, Inventory, Test};
use crate::language::{Class, Language};
use crate::paths;
use crate::similar::Fingerprint;
use crate::source::{Kind, Source};
use piton_git::{Entry, ReadError, Tree};

/// So many tests that changed at once are a rewrite, where they say as much as before.
const REWRITTEN_TESTS_MIN: usize = 6;

/// A test that was followed from one tree to the other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair<'a> {
    pub(crate) at: (At, At),
    /// The file that holds it now.
    pub(crate) path: &'a str,
    pub(crate) before: &'a Test,
    pub(crate) after: &'a Test,
    pub(crate) old: &'a Inventory,
    pub(crate) new: &'a Inventory,
}

impl Pair<'_> {
    /// Whether nothing switches it off, before or after.
    pub(crate) fn is_on(&self) -> bool {
        !self.before.is_off() && !self.after.is_off()
    }
}

/// Two trees side by side.
#[derive(Debug, Default)]
pub(crate) struct Comparison {
    pub(crate) files: Vec<ChangedFile>,
    pub(crate) followed: Followed,
    /// A loss is not explained by code that changed with it.
    distrust: bool,
    /// Whether code that ships does something else than before.
    pub(crate) product_changed: bool,
    /// Whether data that tests read is other data than before.
    pub(crate) data_changed: bool,
    /// Whether other versions of libraries are used than before: any behaviour may be another then.
    pub(crate) dependencies_changed: bool,
    /// What product code defines in another way than before, and what it began or ceased to define.
    pub(crate) touched_names: BTreeSet<String>,
    /// Names that product code defined before and no longer does.
    pub(crate) removed_names: BTreeSet<String>,
    /// How many more of each assertion there are than before: what is new may have come from somewhere.
    pub(crate) balance: BTreeMap<String, isize>,
    /// How much more all tests together say than before.
    weight_gained: i64,
    /// Whether the change only takes away, once somebody asked.
    takes_away: std::cell::OnceCell<bool>,
    /// Whether many tests were rewritten, once somebody asked.
    rewrite: std::cell::OnceCell<bool>,
    /// What the old tree allows, as it is in its file.
    pub(crate) allow_file: Option<Vec<u8>>,
    /// Pairs of tests that are the same token by token, by the old one.
    pub(crate) same: BTreeSet<At>,
    /// Files that are the same in both trees, once somebody asked for them.
    unchanged: Option<Vec<Entry>>,
    /// Tests among them, where a rule has to look into them.
    pub(crate) other_tests: Vec<Side>,
    /// Old tests that are gone while another one does the very same to the same code.
    pub(crate) duplicates: BTreeSet<At>,
}

impl Comparison {
    /// Reads what differs between two trees.
    pub(crate) fn of(base: &dyn Tree, head: &dyn Tree, distrust: bool) -> Result<Self, ReadError> {
        let Changes { files: changed, unchanged, allow_file } = changes(base, head)?;
        let mut comparison = Self { files: changed, distrust, allow_file, unchanged, ..Self::default() };
        comparison.removed_names = removed_names(&comparison.files);
        comparison.product_changed = comparison.files.iter().any(product_changed);
        comparison.data_changed = comparison
            .files
            .iter()
            .any(|file| file.both().is_some_and(|(before, _)| before.inventory.is_none() && file.is_test()));
        comparison.dependencies_changed = comparison.files.iter().any(touched::dependencies_changed);
        comparison.touched_names = touched::names(&comparison.files);
        comparison.followed = follow(&comparison);
        comparison.same = same(&comparison);
        comparison.balance = counts(&comparison.files);
        comparison.weight_gained = weight_gained(&comparison.files);
        comparison.read_other_tests(head)?;
        Ok(comparison)
    }

    /// Reads the tests that did not change and may matter: those that ask for what a fixed value answers, and those
    /// that may do the same as one that is gone.
    fn read_other_tests(&mut self, head: &dyn Tree) -> Result<(), ReadError> {
        let mut wanted = crate::check::candidate_words(self);
        let removed = self.followed.removed.iter();
        wanted.extend(removed.filter_map(|at| rarest(self.old_inventory(*at), self.old_test(*at))));
        self.other_tests = self.unchanged_with(&wanted, paths::may_hold_tests, head)?;
        let called = twins::called(self);
        let code = self.unchanged_with(&called, |path| Language::of(path).is_some(), head)?;
        self.duplicates = twins::duplicates(self, &code);
        Ok(())
    }

    /// The files that are the same in both trees and have one of these words in them.
    fn unchanged_with(
        &mut self,
        words: &[String],
        is_wanted: impl Fn(&str) -> bool,
        head: &dyn Tree,
    ) -> Result<Vec<Side>, ReadError> {
        if words.is_empty() {
            return Ok(Vec::new());
        }
        let is_wanted = |entry: &&Entry| is_wanted(&entry.path);
        let entries: Vec<_> = self.unchanged(head)?.iter().filter(is_wanted).cloned().collect();
        let may_matter = |bytes: &[u8]| {
            let text = String::from_utf8_lossy(bytes);
            words.iter().any(|word| text.contains(word.as_str()))
        };
        let read = entries.iter().zip(head.read(&entries)?).filter(|(_, bytes)| may_matter(bytes));
        let files = read.map(|(entry, bytes)| (None, Some((entry.path.clone(), bytes)))).collect();
        Ok(sides(files).into_iter().filter_map(|file| file.after).collect())
    }

    /// The files that are the same in both trees.
    pub(crate) fn unchanged(&mut self, head: &dyn Tree) -> Result<&[Entry], ReadError> {
        if self.unchanged.is_none() {
            let changed: BTreeSet<&str> = self
                .files
                .iter()
                .filter_map(|file| file.after.as_ref())
                .map(|side| side.path.as_str())
                .collect();
            let mut entries = head.entries()?;
            entries.retain(|entry| !changed.contains(entry.path.as_str()));
            self.unchanged = Some(entries);
        }
        Ok(self.unchanged.as_deref().unwrap_or_default())
    }

    /// The tests that were followed.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = Pair<'_>> {
        self.followed.pairs.iter().map(|(old, new)| Pair {
            at: (*old, *new),
            path: self.files[new.0].path(),
            before: self.old_test(*old),
            after: self.new_test(*new),
            old: self.old_inventory(*old),
            new: self.new_inventory(*new),
        })
    }

    /// Those of them that are not the same.
    pub(crate) fn changed_pairs(&self) -> impl Iterator<Item = Pair<'_>> {
        self.pairs().filter(|pair| !self.same.contains(&pair.at.0))
    }

    /// What is in the changed files of the new tree.
    pub(crate) fn new_inventories(&self) -> impl Iterator<Item = &Inventory> {
        self.files.iter().filter_map(ChangedFile::new_inventory)
    }

    /// Files of the new tree: what changed, and other tests that may matter.
    fn known(&self) -> impl Iterator<Item = &Side> {
        self.files.iter().filter_map(|file| file.after.as_ref()).chain(&self.other_tests)
    }

    /// What is in them.
    pub(crate) fn known_inventories(&self) -> impl Iterator<Item = &Inventory> {
        self.known().filter_map(|side| side.inventory.as_ref())
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

    /// Whether a change of behaviour may be why a test is gone or says less. Of 100 ordinary commits that change
    /// product code, several drop assertions or tests that no longer apply; trees alone cannot tell those from a
    /// cheat, so such losses report, and block only where no code changed, or where the author is not trusted.
    pub(crate) fn may_follow_code(&self) -> bool {
        !self.distrust && (self.product_changed || self.dependencies_changed)
    }

    /// Whether tests were rewritten so that all of them together say as much as before: who cheats says less.
    pub(crate) fn says_as_much(&self) -> bool {
        !self.distrust && self.weight_gained >= 0
    }

    /// Whether the change brings nothing: the product does less, and its tests say less.
    pub(crate) fn takes_away(&self) -> bool {
        *self.takes_away.get_or_init(|| self.only_takes_away() || self.only_switches())
    }

    /// Whether many tests were rewritten at once and together say nearly as much as before: who moves to another
    /// library of assertions says some things in other words, who cheats says less.
    pub(crate) fn is_rewrite(&self) -> bool {
        !self.distrust && *self.rewrite.get_or_init(|| self.rewrites_many())
    }

    fn rewrites_many(&self) -> bool {
        let pairs: Vec<_> = self.changed_pairs().collect();
        let count = pairs.len() + self.followed.added.len() + self.followed.removed.len();
        let old = |at: At| weight(self.old_inventory(at), self.old_test(at));
        let new = |at: At| weight(self.new_inventory(at), self.new_test(at));
        let (removed, added) = (self.followed.removed.iter(), self.followed.added.iter());
        let was: i64 = pairs.iter().map(|pair| &pair.at.0).chain(removed).map(|at| old(*at)).sum();
        let is: i64 = pairs.iter().map(|pair| &pair.at.1).chain(added).map(|at| new(*at)).sum();
        count >= REWRITTEN_TESTS_MIN && is * 10 >= was * 9
    }

    /// Whether an assertion that is gone here is somewhere else now.
    pub(crate) fn is_moved(&self, text: &str) -> bool {
        self.balance.get(text).is_some_and(|balance| *balance >= 0)
    }

    /// Whether a test is about something that is gone.
    pub(crate) fn mentions_removed(&self, inventory: &Inventory, test: &Test) -> bool {
        inventory.source.words(&test.body).any(|word| self.removed_names.contains(word))
    }
}

/// The word of a test that is the most likely to be in no other file: its longest.
fn rarest(inventory: &Inventory, test: &Test) -> Option<String> {
    let words = test.body.clone().map(|index| inventory.source.word(index));
    words.filter(|word| !word.contains('\n')).max_by_key(|word| word.len()).map(str::to_owned)
}

/// The tests that are the same before and after, token by token.
fn same(comparison: &Comparison) -> BTreeSet<At> {
    let is_same = |Pair { before, after, old, new, .. }: &Pair<'_>| {
        let mut tokens = before.span.clone().zip(after.span.clone());
        before.span.len() == after.span.len()
            && before.cases == after.cases
            && tokens.all(|(a, b)| old.source.word(a) == new.source.word(b))
    };
    comparison.pairs().filter(is_same).map(|pair| pair.at.0).collect()
}

/// Names that product code defined and no longer defines, under this name or by its old body under another.
fn removed_names(files: &[ChangedFile]) -> BTreeSet<String> {
    let old: Vec<_> = files.iter().flat_map(|file| product_definitions(file.before.as_ref())).collect();
    let new: Vec<_> = files.iter().flat_map(|file| product_definitions(file.after.as_ref())).collect();
    let names: BTreeSet<&str> = new.iter().map(|(name, ..)| name.as_str()).collect();
    let old_names: BTreeSet<&str> = old.iter().map(|(name, ..)| name.as_str()).collect();
    let fresh: Vec<_> = new
        .iter()
        .filter(|(name, ..)| !old_names.contains(name.as_str()))
        .map(|(_, inventory, body)| Fingerprint::of(&inventory.source, body))
        .collect();
    let is_renamed = |inventory: &Inventory, body: &std::ops::Range<usize>| {
        let print = Fingerprint::of(&inventory.source, body);
        fresh.iter().any(|other| print.similarity(other) > 0.8)
    };
    old.iter()
        .filter(|(name, inventory, body)| !names.contains(name.as_str()) && !is_renamed(inventory, body))
        .map(|(name, ..)| name.clone())
        .collect()
}

/// What product code defines, with where its bodies are.
fn product_definitions(side: Option<&Side>) -> Vec<(String, &Inventory, std::ops::Range<usize>)> {
    let inventory = side.filter(|side| !paths::is_test(&side.path)).and_then(|side| side.inventory.as_ref());
    let Some(inventory) = inventory else { return Vec::new() };
    let is_product = |definition: &&Definition| !inventory.is_in_test(&definition.span);
    let definitions = inventory.definitions.iter().filter(is_product);
    definitions.map(|definition| (definition.name.clone(), inventory, definition.body.clone())).collect()
}

/// Whether the tokens of product code differ; comments and layout do not count.
fn product_changed(file: &ChangedFile) -> bool {
    let product = |side: &Option<Side>| side.as_ref().is_some_and(Side::is_product);
    // A test that moves to where nobody looks for it does not become code that ships.
    let was_test = file.before.as_ref().is_some_and(|side| side.inventory.is_some() && !side.is_product());
    if was_test || !product(&file.before) && !product(&file.after) {
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
    let mut left_out = test_modules(inventory);
    left_out.extend(docstrings(source));
    left_out.sort_by_key(|span| span.start);
    for module in left_out {
        flat.push_str(&source.flat(&(start..module.start.max(start))));
        start = module.end.max(start);
    }
    flat.push_str(&source.flat(&(start..source.tokens.len())));
    // What says that a module holds tests belongs to it.
    flat.replace("#[cfg(test)]", "")
}

/// Texts that document a definition: they are no code.
fn docstrings(source: &Source) -> Vec<std::ops::Range<usize>> {
    if !source.language.traits.docstrings {
        return Vec::new();
    }
    let bodies =
        source.pieces.iter().filter(|piece| matches!(piece.class, Class::Function | Class::Container));
    let starts = std::iter::once(0).chain(bodies.map(|piece| piece.body.start));
    let is_text = |at: &usize| source.tokens.get(*at).is_some_and(|token| token.kind == Kind::Text);
    starts.filter(is_text).map(|at| at..at + 1).collect()
}

/// Whether a definition is a module of tests, by its name.
pub(crate) fn is_test_module(definition: &Definition) -> bool {
    !definition.is_function && ["tests", "test"].contains(&definition.name.as_str())
}

/// The tests of a file, with the modules that hold nothing else.
pub(crate) fn test_modules(inventory: &Inventory) -> Vec<std::ops::Range<usize>> {
    let mut spans: Vec<_> = inventory
        .definitions
        .iter()
        .filter(|definition| is_test_module(definition))
        .map(|definition| definition.span.clone())
        .collect();
    spans.extend(inventory.tests.iter().map(|test| test.span.clone()));
    spans.sort_by_key(|span| span.start);
    spans
}

/// How much more the assertions of all tests weigh than before, by how much each says.
fn weight_gained(files: &[ChangedFile]) -> i64 {
    let of_side = |side: &Option<Side>| -> i64 {
        let Some(inventory) = side.as_ref().and_then(|side| side.inventory.as_ref()) else { return 0 };
        let tests = inventory.tests.iter().filter(|test| !test.is_off());
        tests.map(|test| weight(inventory, test)).sum()
    };
    files.iter().map(|file| of_side(&file.after) - of_side(&file.before)).sum()
}

/// More rows of a table than this say no more.
const CASES_MAX: usize = 20;

/// How much a test says, by itself and through the helpers of its file.
fn weight(inventory: &Inventory, test: &Test) -> i64 {
    let source = &inventory.source;
    let own: i64 = test.live().map(|assertion| assertion.strength as i64).sum();
    let called = test.body.clone().filter(|index| source.word(index + 1) == "(");
    let helpers = called.filter_map(|index| inventory.helpers.get(source.word(index)));
    let once = own + helpers.flatten().map(|assertion| assertion.strength as i64).sum::<i64>();
    // Each row of a table says it again.
    once * i64::try_from(test.cases.len().clamp(1, CASES_MAX)).unwrap_or(1)
}

/// How many more of each assertion the new sides have than the old ones.
fn counts(files: &[ChangedFile]) -> BTreeMap<String, isize> {
    let mut count: BTreeMap<String, isize> = BTreeMap::new();
    for file in files {
        for (side, step) in [(&file.before, -1), (&file.after, 1)] {
            let Some(inventory) = side.as_ref().and_then(|side| side.inventory.as_ref()) else { continue };
            let own = inventory.tests.iter().filter(|test| !test.is_off()).flat_map(|test| test.live());
            // A helper that nobody calls asserts nothing.
            let source = &inventory.source;
            let path = side.as_ref().map_or("", |side| side.path.as_str());
            let is_helper_file = inventory.tests.is_empty() && !paths::is_collected(path);
            let is_called = |name: &str| {
                let mentions = (0..source.tokens.len()).filter(|index| source.word(*index) == name);
                is_helper_file || mentions.take(2).count() == 2
            };
            let helpers = inventory.helpers.iter().filter(|(name, _)| is_called(name));
            let helped = helpers.flat_map(|(_, assertions)| assertions);
            for assertion in own.chain(helped) {
                *count.entry(assertion.text.clone()).or_default() += step;
            }
        }
    }
    count
}
