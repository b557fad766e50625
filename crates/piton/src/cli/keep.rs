//! The words and flags of what keeps a journal: backups and repair.

use clap::{Args, Subcommand};

#[derive(Debug, Args)]
pub(crate) struct BackupArguments {
    #[command(subcommand)]
    pub(crate) command: BackupCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum BackupCommand {
    /// Back up every run, restore that backup into a journal nobody sees, verify it, and list it.
    Create(BackupPlace),
    /// List backups.
    List(BackupPlace),
    /// Restore backups into a journal nobody sees, and say whether they can be.
    Verify(BackupVerifyArguments),
    /// Bring runs back, with their snapshots. What is here stays as it is.
    Restore(BackupRestoreArguments),
    /// Remove backups of this journal beyond the newest, and what only they need.
    Prune(BackupPruneArguments),
}

impl BackupCommand {
    /// Whether it decides over what is kept, or over what this journal holds.
    pub(crate) fn steers(&self) -> bool {
        match self {
            Self::Create(_) | Self::Restore(_) | Self::Prune(_) => true,
            Self::List(_) | Self::Verify(_) => false,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct BackupPlace {
    /// Where backups lie: a directory, as a path or as file:///PATH; by default `[vault.backups] to`, else .ralph/backups.
    #[arg(long, value_name = "URL")]
    pub(crate) to: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct BackupVerifyArguments {
    /// Only this one.
    pub(crate) name: Option<String>,
    #[command(flatten)]
    pub(crate) place: BackupPlace,
}

#[derive(Debug, Args)]
pub(crate) struct BackupRestoreArguments {
    /// Where it lies.
    pub(crate) url: String,
    /// Which one; by default the newest.
    #[arg(long, value_name = "NAME")]
    pub(crate) backup: Option<String>,
    /// Only this run: an id, or the shortest unique prefix of one or of its last part.
    #[arg(long, value_name = "RUN")]
    pub(crate) run: Option<String>,
    /// Nothing after this event of it; an append that goes beyond is left out as a whole.
    #[arg(long, value_name = "N", requires = "run", conflicts_with = "to_time")]
    pub(crate) to_seq: Option<u64>,
    /// Nothing that happened later, e.g. 2026-02-15T12:00:00Z.
    #[arg(long, value_name = "T")]
    pub(crate) to_time: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct BackupPruneArguments {
    #[command(flatten)]
    pub(crate) place: BackupPlace,
    /// How many stay, the newest; by default `[vault.backups] max`, else 10.
    #[arg(long, value_name = "N")]
    pub(crate) keep: Option<usize>,
    /// Of those, only what is younger, e.g. 30d; the newest stays in any case.
    #[arg(long, value_name = "D")]
    pub(crate) younger_than: Option<String>,
    /// What was put there less long ago stays, needed or not. Pieces of a backup that is being made stay in any case.
    #[arg(long, value_name = "D", default_value = "24h")]
    pub(crate) grace: String,
}
