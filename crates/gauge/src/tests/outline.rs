//! The titles of suites above a test, told by how far they are indented.

/// More nested than this is not followed.
const DEPTH_MAX: usize = 64;

/// The open suites.
#[derive(Default)]
pub(super) struct Outline {
    titles: Vec<(usize, String)>,
}

impl Outline {
    pub(super) fn clear(&mut self) {
        self.titles.clear();
    }

    /// A suite begins.
    pub(super) fn open(&mut self, indent: usize, title: &str) {
        self.leave(indent);
        if self.titles.len() < DEPTH_MAX {
            self.titles.push((indent, crate::text::clip(title, super::NAME_BYTES_MAX).to_owned()));
        }
    }

    /// Suites that are not above something indented this far end.
    pub(super) fn leave(&mut self, indent: usize) {
        while self.titles.last().is_some_and(|(open, _)| *open >= indent) {
            self.titles.pop();
        }
    }

    /// The suite that was opened at exactly this indent, if it is the innermost one there.
    pub(super) fn at(&self, indent: usize) -> Option<&str> {
        self.titles.iter().rev().find(|(open, _)| *open == indent).map(|(_, title)| title.as_str())
    }

    /// A test's name below `root` and the suites above it.
    pub(super) fn name(&mut self, root: &str, indent: usize, title: &str) -> String {
        self.leave(indent);
        let mut name = root.to_owned();
        for (_, suite) in &self.titles {
            join(&mut name, suite);
        }
        join(&mut name, title);
        name
    }
}

fn join(name: &mut String, part: &str) {
    if !name.is_empty() {
        name.push_str(" > ");
    }
    name.push_str(part);
}
