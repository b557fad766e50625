//! The file of a ledger and its log: what people, git and piton write to.

use piton_model::ledger::{Flip, Gap};

use crate::history::Entry;

/// How the journal knows a file that is not there.
pub(super) fn absent() -> String {
    "absent".to_owned()
}

/// Both files.
#[derive(Default)]
pub(super) struct Place {
    /// The gaps that the file holds; `None` where there is no file.
    gaps: Option<Vec<Gap>>,
    /// Counts its contents: no two are alike.
    version: u64,
    pub(super) log: Vec<Flip>,
}

impl Place {
    pub(super) fn gaps(&self) -> &[Gap] {
        self.gaps.as_deref().unwrap_or(&[])
    }

    pub(super) fn digest(&self) -> String {
        match &self.gaps {
            None => absent(),
            Some(_) => format!("content-{}", self.version),
        }
    }

    /// Somebody replaces the content.
    pub(super) fn write(&mut self, gaps: Vec<Gap>) {
        self.version += 1;
        self.gaps = Some(gaps);
    }

    /// Adds one of the flips that do not stand behind `after` yet, in their order; whether there is another.
    pub(super) fn log_next(&mut self, flips: &[Flip], after: usize, blindly: bool) -> bool {
        let there = self.log.len().saturating_sub(after);
        if blindly {
            self.log.extend(flips.iter().cloned());
            return false;
        }
        let missing = flips.get(there);
        self.log.extend(missing.cloned());
        missing.is_some()
    }

    /// Says what both files hold.
    pub(super) fn tell(&self, log: &mut Vec<Entry>) {
        for gap in self.gaps() {
            let (id, question, status) = (gap.id.clone(), gap.question.clone(), gap.status.as_str());
            log.push(Entry::FileSays { gap: id, question, status });
        }
        for flip in &self.log {
            let (gap, old, new) = (flip.gap.clone(), flip.old.as_str(), flip.new.as_str());
            log.push(Entry::Logged { gap, old, new });
        }
    }
}
