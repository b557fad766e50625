//! A file in the work tree holds a text: `--until contains:PATH:TEXT`.

use piton_record::record;

use super::{Probe, Rule, Table, Until};

/// A file in the work tree holds a text.
#[record(Eq)]
pub struct FileContains {
    /// Relative to the work tree.
    pub path: String,
    /// Looked for as it stands, and not as a pattern.
    pub content: String,
}

impl Rule for FileContains {
    const TYPE: &'static str = "file_contains";
    const KEYS: &'static [&'static str] = &["path", "content"];
    const PRIORITY: u8 = 40;
    const UNTIL: Option<Until> = Some(Until {
        form: "contains:PATH:TEXT",
        without: "names no text",
        fields: |rest| {
            let (path, content) = rest.split_once(':').filter(|(_, content)| !content.is_empty())?;
            Some(vec![("path", path), ("content", content)])
        },
    });

    fn read(table: &mut dyn Table) -> Option<Self> {
        Some(Self { path: table.path("path")?, content: table.text("content")? })
    }

    fn words(&self) -> String {
        format!("file_contains({}: {})", self.path, self.content)
    }

    fn until(&self) -> Option<String> {
        Some(format!("contains:{}:{}", self.path, self.content))
    }

    fn probe(&self) -> Option<Probe<'_>> {
        Some(Probe::Contains { path: &self.path, content: &self.content })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loop_machine::stop::tests::after_three;

    #[test]
    fn what_nobody_looked_at_does_not_hold() {
        let contains = FileContains { path: "out".to_owned(), content: "x".to_owned() };
        assert!(!contains.is_met(&after_three().state));
        assert_eq!(contains.probe(), Some(Probe::Contains { path: "out", content: "x" }));
    }
}
