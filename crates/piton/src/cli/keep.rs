//! The words and flags of what keeps a journal: backups, keys, checks and repair, and what is collected.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::RunArgument;

#[derive(Debug, Args)]
pub(crate) struct VerifyArguments {
    #[command(flatten)]
    pub(crate) run: RunArgument,
    /// Restore every listed backup of this journal as well, and verify that; `--to` says where they lie.
    #[arg(long, conflicts_with = "run")]
    pub(crate) backups: bool,
    #[command(flatten)]
    pub(crate) place: BackupPlace,
}

#[derive(Debug, Args)]
pub(crate) struct GcArguments {
    /// Say what would go, and change nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Keep what was changed more recently than this: somebody may be about to need it.
    #[arg(long, value_name = "D", default_value = "24h")]
    pub(crate) grace: String,
    /// Also the work trees and branches of runs that were removed, with work that nobody landed.
    #[arg(long)]
    pub(crate) given_up: bool,
}

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
    /// Where backups lie: a directory, as a path or as file:///PATH, or a bucket, as s3://BUCKET/PREFIX; by default `[vault.backups] to`, else .ralph/backups.
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
    /// Where it lies: a directory, as a path or as file:///PATH, or a bucket, as s3://BUCKET/PREFIX.
    pub(crate) url: String,
    /// Which one; by default the newest. Where several journals have one of that name: NAME@JOURNAL.
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

#[derive(Debug, Args)]
pub(crate) struct ReplicateArguments {
    /// Where to: a directory, as a path or as file:///PATH, or a bucket, as s3://BUCKET/PREFIX; by default `[vault] replicate`.
    pub(crate) url: Option<String>,
    /// Ship what there is, restore and verify it, and end.
    #[arg(long, conflicts_with = "prove")]
    pub(crate) once: bool,
    /// Only restore and verify what is there, whoever replicates.
    #[arg(long)]
    pub(crate) prove: bool,
    /// For drivers: to where the configuration says, until nothing is driven any more.
    #[arg(long, hide = true, conflicts_with_all = ["url", "once", "prove"])]
    pub(crate) while_driven: bool,
}

#[derive(Debug, Args)]
pub(crate) struct KeyArguments {
    #[command(subcommand)]
    pub(crate) command: KeyCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum KeyCommand {
    /// Make a key file: an age identity, to be named as `key_file` of `[vault]`.
    New(KeyNewArguments),
    /// Make a new key for what is written from now on, and let those open the older ones who are named now.
    Rotate(KeyRotateArguments),
    /// Which keys there are, who can open them, and how much is encrypted with each.
    Status,
}

impl KeyCommand {
    /// Whether it decides over what is kept.
    pub(crate) fn steers(&self) -> bool {
        matches!(self, Self::Rotate(_))
    }
}

#[derive(Debug, Args)]
pub(crate) struct KeyNewArguments {
    /// Where it goes; nothing is written over.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct KeyRotateArguments {
    /// The key file that opens the older keys, where `key_file` names another by now.
    #[arg(long, value_name = "FILE")]
    pub(crate) old: Option<PathBuf>,
    /// Encrypt with the new key whatever is in the journal already.
    #[arg(long)]
    pub(crate) all: bool,
}
