//! `[vault]`: what is kept of a journal elsewhere.

use crate::entry::section;
use crate::types::{AtLeastOne, Flag, Text};

/// Where backups go where nobody says.
pub const BACKUPS_TO: &str = ".ralph/backups";

/// How many stay where nobody says.
pub const BACKUPS_MAX: u32 = 10;

section! {
    /// What is kept of the journal elsewhere.
    vault: VaultSection = "vault" {
        /// Whether backups are compressed.
        compress: Flag, [Loop Workflow Cycle Ledger] { otherwise: "`false`" };
    }
}

section! {
    /// Backups of the journal.
    backups: BackupSection = "vault.backups" {
        /// Where they go: a directory, from the top of the repository, or as a whole path.
        to: Text = BACKUPS_TO.to_owned(), [Loop Workflow Cycle Ledger] { shown: true };
        /// How many stay.
        max: AtLeastOne = BACKUPS_MAX, [Loop Workflow Cycle Ledger] { shown: true };
    }
}
