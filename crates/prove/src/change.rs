//! What changed between two trees, sorted by who it is for: the product, its tests, or what runs them.
//!
//! Every tree that a probe asks for is the new one with some files as they were, or with one of them broken
//! ([`Overlay`]), so that whoever runs it needs one copy and no second checkout.

use std::collections::BTreeMap;

use piton_guard::{ReadError, Tree, is_code, is_of_tests, steers_checks};

use crate::within;

/// Files beyond this are data, and nobody looks into them.
const TEXT_BYTES_MAX: usize = 1 << 20;

/// Who a file is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Code that the tests judge.
    Product,
    /// Tests, and what they need or compare with.
    Tests,
    /// Code with its tests in the same file.
    Both,
    /// What says how checks run.
    Checks,
    /// Documentation, data, anything else.
    Other,
}

impl Part {
    fn of(path: &str, texts: [Option<&str>; 2]) -> Self {
        match () {
            () if is_of_tests(path) => Self::Tests,
            () if steers_checks(path) => Self::Checks,
            () if !is_code(path) => Self::Other,
            () if texts.into_iter().flatten().any(|text| within::has_tests(path, text)) => Self::Both,
            () => Self::Product,
        }
    }
}

/// A file that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedFile {
    /// Its path in both trees.
    pub path: String,
    /// Who it is for.
    pub part: Part,
    /// Its bytes in the old tree, where it was there.
    pub before: Option<Vec<u8>>,
    /// Its bytes in the new tree, where it is there.
    pub after: Option<Vec<u8>>,
}

impl ChangedFile {
    /// Its text in the old tree, where it was text.
    pub fn text_before(&self) -> Option<&str> {
        text(self.before.as_deref())
    }

    /// Its text in the new tree, where it is text.
    pub fn text_after(&self) -> Option<&str> {
        text(self.after.as_deref())
    }
}

fn text(bytes: Option<&[u8]>) -> Option<&str> {
    bytes.filter(|bytes| bytes.len() <= TEXT_BYTES_MAX).and_then(|bytes| std::str::from_utf8(bytes).ok())
}

/// Files of the new tree that are to be other or gone.
pub type Overlay = BTreeMap<String, Option<Vec<u8>>>;

/// What changed between two trees, and the code around it.
#[derive(Clone, Debug, Default)]
pub struct Change {
    /// Every file that differs, by path.
    pub files: Vec<ChangedFile>,
    /// The code of the product in the new tree, by path, changed or not.
    pub product: BTreeMap<String, String>,
    /// The code of the tests in the new tree, by path, changed or not.
    tests: BTreeMap<String, String>,
}

impl Change {
    /// What differs alone, without the code around it, where both trees need not be listed for that.
    pub fn without_code(base: &dyn Tree, head: &dyn Tree) -> Result<Option<Self>, ReadError> {
        let Some(differing) = head.changed_from(base, None)? else { return Ok(None) };
        let mut before: BTreeMap<_, _> = differing.before.into_iter().collect();
        let mut change = Self::default();
        for (path, bytes) in differing.after {
            change.add(&path, before.remove(&path), Some(bytes));
        }
        before.into_iter().for_each(|(path, bytes)| change.add(&path, Some(bytes), None));
        Ok(Some(change))
    }

    /// What changed from `base` to `head`.
    pub fn of(base: &dyn Tree, head: &dyn Tree) -> Result<Self, ReadError> {
        let before: BTreeMap<_, _> =
            base.entries()?.into_iter().map(|entry| (entry.path.clone(), entry)).collect();
        let after: BTreeMap<_, _> =
            head.entries()?.into_iter().map(|entry| (entry.path.clone(), entry)).collect();
        let differs = |path: &String| match (before.get(path), after.get(path)) {
            (Some(one), Some(other)) => one.id != other.id,
            _ => true,
        };
        let old: Vec<_> = before.values().filter(|entry| differs(&entry.path)).cloned().collect();
        let mut old: BTreeMap<_, _> =
            old.iter().map(|entry| entry.path.clone()).zip(base.read(&old)?).collect();
        let wanted: Vec<_> =
            after.values().filter(|entry| differs(&entry.path) || is_code(&entry.path)).cloned().collect();
        let new: BTreeMap<_, _> =
            wanted.iter().map(|entry| entry.path.clone()).zip(head.read(&wanted)?).collect();
        let mut change = Self::default();
        for (path, bytes) in &new {
            if let Some(text) = text(Some(bytes)).filter(|_| is_code(path)) {
                let is_test = is_of_tests(path);
                if is_test || within::has_tests(path, text) {
                    change.tests.insert(path.clone(), text.to_owned());
                }
                if !is_test {
                    change.product.insert(path.clone(), text.to_owned());
                }
            }
            // Ids of files on disk say little: only bytes tell.
            if differs(path) && old.get(path) != Some(bytes) {
                change.add(path, old.remove(path), Some(bytes.clone()));
            } else {
                old.remove(path);
            }
        }
        for (path, bytes) in old {
            change.add(&path, Some(bytes), None);
        }
        change.files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(change)
    }

    fn add(&mut self, path: &str, before: Option<Vec<u8>>, after: Option<Vec<u8>>) {
        let part = Part::of(path, [text(before.as_deref()), text(after.as_deref())]);
        self.files.push(ChangedFile { path: path.to_owned(), part, before, after });
    }

    /// The code of the tests, by path.
    pub(crate) fn tests(&self) -> &BTreeMap<String, String> {
        &self.tests
    }

    /// The text of a file of the product in the old tree.
    pub(crate) fn text_before(&self, path: &str) -> Option<&str> {
        match self.files.iter().find(|file| file.path == path) {
            Some(file) => file.text_before(),
            None => self.product.get(path).map(String::as_str),
        }
    }

    /// Whether anything differs that checks may read: all but what is only for people.
    pub fn is_of_checks(&self) -> bool {
        const FOR_PEOPLE: [&str; 5] = [".md", ".rst", ".adoc", ".txt", ".svg"];
        self.files.iter().any(|file| {
            file.part != Part::Other || !FOR_PEOPLE.iter().any(|ending| file.path.ends_with(ending))
        })
    }

    /// Whether code of the product differs.
    pub fn touches_product(&self) -> bool {
        self.files.iter().any(|file| match file.part {
            Part::Product => true,
            Part::Both => within::product_differs(&file.path, file.text_before(), file.text_after()),
            Part::Tests | Part::Checks | Part::Other => false,
        })
    }

    /// Whether tests differ, or what runs them.
    pub fn touches_tests(&self) -> bool {
        self.files.iter().any(|file| match file.part {
            Part::Tests | Part::Checks => true,
            Part::Both => within::tests_differ(&file.path, file.text_before(), file.text_after()),
            Part::Product | Part::Other => false,
        })
    }

    /// Whether code of tests differs, or what ran them at the start: not only their data.
    pub(crate) fn touches_code_of_tests(&self) -> bool {
        self.files.iter().any(|file| match file.part {
            Part::Tests => is_code(&file.path),
            Part::Checks => file.before.is_some(),
            Part::Both => within::tests_differ(&file.path, file.text_before(), file.text_after()),
            Part::Product | Part::Other => false,
        })
    }

    /// Everything as it was.
    pub fn old(&self) -> Overlay {
        self.files.iter().map(|file| (file.path.clone(), file.before.clone())).collect()
    }

    /// The new tests on the old product.
    pub fn old_product(&self) -> Overlay {
        let mut overlay = Overlay::new();
        for file in &self.files {
            match file.part {
                Part::Product => _ = overlay.insert(file.path.clone(), file.before.clone()),
                Part::Both => {
                    let composed = within::compose(&file.path, file.text_before(), file.text_after());
                    overlay.insert(file.path.clone(), composed.map(String::into_bytes));
                }
                Part::Tests | Part::Checks | Part::Other => {}
            }
        }
        overlay
    }

    /// The old tests, and what ran them, on the new product.
    pub fn old_tests(&self) -> Overlay {
        let mut overlay = Overlay::new();
        for file in &self.files {
            match file.part {
                Part::Tests | Part::Checks => _ = overlay.insert(file.path.clone(), file.before.clone()),
                Part::Both => {
                    let composed = within::compose(&file.path, file.text_after(), file.text_before());
                    overlay.insert(file.path.clone(), composed.map(String::into_bytes));
                }
                Part::Product | Part::Other => {}
            }
        }
        overlay
    }
}

#[cfg(test)]
mod tests {
    use piton_guard::MemoryTree;

    use super::*;

    fn change(before: &[(&str, &str)], after: &[(&str, &str)]) -> Change {
        let tree = |files: &[(&str, &str)]| MemoryTree::new(files.iter().map(|(path, text)| (*path, *text)));
        Change::of(&tree(before), &tree(after)).unwrap()
    }

    #[test]
    fn files_are_sorted_by_who_they_are_for() {
        let change = change(
            &[("a.py", "x = 1\n"), ("test_a.py", "def test_a(): pass\n"), ("same.py", "y = 1\n")],
            &[
                ("a.py", "x = 2\n"),
                ("tests/data.json", "{}"),
                ("Makefile", "test:\n"),
                ("README.md", "hello\n"),
                ("same.py", "y = 1\n"),
            ],
        );
        let parts: Vec<_> = change.files.iter().map(|file| (file.path.as_str(), file.part)).collect();
        let expected = [
            ("Makefile", Part::Checks),
            ("README.md", Part::Other),
            ("a.py", Part::Product),
            ("test_a.py", Part::Tests),
            ("tests/data.json", Part::Tests),
        ];
        assert_eq!(parts, expected);
        assert_eq!(change.product.keys().collect::<Vec<_>>(), ["a.py", "same.py"]);
        assert!(change.touches_product() && change.touches_tests());
    }

    #[test]
    fn each_side_can_be_put_back_without_the_other() {
        let change = change(
            &[("a.py", "x = 1\n"), ("test_a.py", "assert x == 1\n"), ("gone.py", "z = 1\n")],
            &[("a.py", "x = 2\n"), ("test_a.py", "assert x == 2\n"), ("test_b.py", "assert x\n")],
        );
        let names = |overlay: Overlay| -> Vec<(String, bool)> {
            overlay.into_iter().map(|(path, bytes)| (path, bytes.is_some())).collect()
        };
        assert_eq!(names(change.old_product()), [("a.py".to_owned(), true), ("gone.py".to_owned(), true)]);
        assert_eq!(
            names(change.old_tests()),
            [("test_a.py".to_owned(), true), ("test_b.py".to_owned(), false)]
        );
    }
}
