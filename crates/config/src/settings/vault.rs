//! `[vault]`: what is kept of a journal elsewhere.

use crate::entry::section;
use crate::types::{AtLeastOne, Duration, Flag, Size, Text, Texts};

/// Where backups go where nobody says.
pub const BACKUPS_TO: &str = ".ralph/backups";

/// How many stay where nobody says.
pub const BACKUPS_MAX: u32 = 10;

section! {
    /// What is kept of the journal elsewhere.
    vault: VaultSection = "vault" {
        /// Whether backups, and a state file that is encrypted, are compressed.
        compress: Flag, [Loop Workflow Cycle Ledger] { otherwise: "`false`" };
        /// Where the journal is replicated to while runs are driven.
        replicate: Text, [Loop Workflow Cycle Ledger] { otherwise: "nowhere" };
        /// Whether what is kept is encrypted: the journal, the output of attempts, the state file of a loop, backups. What was encrypted once goes on
        /// being so until `false` is said.
        encrypt: Flag, [Loop Workflow Cycle Ledger] { otherwise: "`false`" };
        /// The file that opens it: an age identity as `piton key new` makes it, or a passphrase; from the top of the repository, below
        /// `~/`, or a whole path.
        key_file: Text, [Loop Workflow Cycle Ledger] { variable: Some("PITON_KEY_FILE") };
        /// The variable that holds such a text.
        key_env: Text, [Loop Workflow Cycle Ledger] { otherwise: "`PITON_KEY`" };
        /// The shell command that prints such a text.
        key_command: Text, [Loop Workflow Cycle Ledger];
        /// Others who can open it, by the public part of their age identity: `age1…`.
        recipients: Texts, [Loop Workflow Cycle Ledger];
        /// Where backups go: another word for `to` of `[vault.backups]`.
        backup_dir: Text, [Loop Workflow Cycle Ledger];
        /// How many backups stay: another word for `max` of `[vault.backups]`.
        max_backups: AtLeastOne, [Loop Workflow Cycle Ledger];
    }
}

section! {
    /// Backups of the journal.
    backups: BackupSection = "vault.backups" {
        /// Where they go: a directory, from the top of the repository, below `~/` or as a whole path, or a bucket, as `s3://BUCKET/PREFIX`.
        to: Text = BACKUPS_TO.to_owned(), [Loop Workflow Cycle Ledger] { shown: true };
        /// How many stay.
        max: AtLeastOne = BACKUPS_MAX, [Loop Workflow Cycle Ledger] { shown: true };
        /// Of those only what is younger stays; the newest that can be read stays in any case.
        max_age: Duration, [Loop Workflow Cycle Ledger] { otherwise: "any age" };
    }
}

/// From which size on a journal is said to be large where nobody says.
pub const WARN_AT_BYTES: u64 = 1 << 30;

section! {
    /// How long what is over is kept; `piton gc` does it, and nothing of it where nothing is said.
    retention: RetentionSection = "vault.retention" {
        /// A run that is over for so long is archived: the payloads of its events go, its chain of hashes stays, and with it what it came to.
        finished_for: Duration, [Loop Workflow Cycle] { otherwise: "never" };
        /// What agents printed in a run that is over for so long goes.
        attempts_for: Duration, [Loop Workflow Cycle] { otherwise: "never" };
        /// A journal that `piton repair` put aside so long ago goes; the newest stays in any case.
        aside_for: Duration, [Loop Workflow Cycle Ledger] { otherwise: "never" };
        /// Whether a run is archived only where a backup has all of it, and is restored once more before.
        only_if_backed_up: Flag, [Loop Workflow Cycle] { otherwise: "`true`" };
        /// From this size on a journal is said to be large.
        warn_at: Size, [Loop Workflow Cycle Ledger] { otherwise: "`\"1GiB\"`" };
    }
}
