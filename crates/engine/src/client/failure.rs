//! What the engine's errors are to whoever asked: a kind, words, and the command that helps.

use piton_files::gaps::{Invalid, RewriteError};
use piton_model::ledger_machine::Rejection;
use piton_model::{DecodeError, Kind};
use piton_view::words::{clean_line, few};
use piton_view::{Error, ErrorKind, remedy};

use super::ClientError;
use crate::driver::DriveError;
use crate::launch::SecretsError;
use crate::ledger::LedgerError;
use crate::load::LoadError;
use crate::manager::ManagerError;
use crate::world::WorldError;

/// What to do about a journal that is damaged.
pub(crate) const DAMAGED: &str =
    "`piton verify` says all that is damaged; `piton repair` puts it aside and keeps what is good";

/// What to do where a journal was taken away while it was in use.
pub(crate) const UNLINKED: &str =
    "bring .piton back if somebody moved it, then run `piton verify`; what it held is nowhere else";

/// What the journal said, and what to do about it.
fn of_store(error: piton_store::Error) -> Error {
    use piton_store::Error as E;
    let of = |kind| Error::of(kind, &error);
    match &error {
        E::UnknownRun { .. } => of(ErrorKind::UnknownRun).hint("run `piton ls` to see what there is"),
        E::RunExists { run } => {
            of(ErrorKind::Usage).hint(format!("run `piton status {run}`, or choose another --id"))
        }
        E::Held { run, .. } => of(ErrorKind::Held)
            .hint(format!("run `piton attach {run}`, or `piton resume {run} --take-over` if it is frozen")),
        E::Driven { run } => {
            of(ErrorKind::Held).hint(format!("run `piton stop {run}`, or wait until it rests"))
        }
        E::Archived { run, .. } => of(ErrorKind::Usage)
            .hint(format!("`piton status {run}` says where the rest is, and what brings it back")),
        E::Diverged { .. } => of(ErrorKind::Corrupt)
            .hint("run `piton verify` to see all of it, `piton repair` to keep what is good"),
        E::Fenced { .. } | E::Conflict { .. } => of(ErrorKind::Held).hint("run `piton status`"),
        E::TooLarge { .. } => of(ErrorKind::Usage),
        E::Corrupt(problem) if problem.run.is_none() => of(ErrorKind::Corrupt).hint(DAMAGED),
        E::Corrupt(_) => of(ErrorKind::Corrupt)
            .hint("run `piton verify` to see all of it, `piton repair` to keep what is good"),
        E::Sealed { hint, .. } => of(ErrorKind::Person).hint(hint),
        E::UnknownUrl { .. } => of(ErrorKind::Usage).hint(format!("give {}", piton_store::URL_SHAPE)),
        E::Newer { .. } => of(ErrorKind::Environment).hint(
            "update piton on this machine; until then, in an empty directory, `piton backup restore URL` brings back what a backup of before holds",
        ),
        E::Older { .. } => of(ErrorKind::Environment)
            .hint("move .piton aside and begin anew; the piton that wrote it can still read it"),
        E::NoSpace { .. } => {
            of(ErrorKind::Environment).hint("free some space, then give the command again, or `piton resume` where a run had begun; nothing is lost")
        }
        E::SyncFailed { .. } => {
            of(ErrorKind::Environment).hint("look at the disk, then run `piton verify` and `piton resume`")
        }
        E::Unlinked { .. } => of(ErrorKind::Environment).hint(UNLINKED),
        E::Key(key) => {
            let failed = of(ErrorKind::Environment);
            match key.hint() {
                Some(hint) => failed.hint(hint),
                None => failed,
            }
        }
        E::File(file) => of(ErrorKind::Environment).hint(remedy(file)),
        E::ReadOnly { .. } => of(ErrorKind::Environment)
            .hint("what is there can still be read; make room, or make it writable, then try again"),
        E::Locked { .. } => of(ErrorKind::Environment)
            .hint("wait until that process is done with it, or end it; nothing is lost"),
        E::Open { .. } => of(ErrorKind::Environment)
            .hint("look whether its directory can be written, and whether there is room and a free inode"),
        E::Database(_) => of(ErrorKind::Environment).hint("run `piton doctor`"),
    }
}

impl From<LoadError> for Error {
    fn from(error: LoadError) -> Self {
        match error {
            LoadError::Store(error) => of_store(error),
            LoadError::OtherKind { kind: Kind::Ledger, .. } => Error::of(ErrorKind::Usage, &error)
                .hint("run `piton gaps list` to see it, `piton gaps log` for its history"),
            LoadError::OtherKind { .. } => {
                Error::of(ErrorKind::Usage, &error).hint("run `piton ls` to see what is what")
            }
            LoadError::Event { source: DecodeError::Newer { .. }, .. } => {
                Error::of(ErrorKind::Environment, &error).hint("update piton on this machine")
            }
            LoadError::Event { .. } => Error::of(ErrorKind::Corrupt, &error)
                .hint("run `piton verify` to see all of it, `piton repair` to keep what is good"),
        }
    }
}

impl From<ClientError> for Error {
    fn from(error: ClientError) -> Self {
        match error {
            ClientError::Rejected(rejection) => rejection.into(),
            ClientError::Store(error) => of_store(error),
            ClientError::Load(error) => error.into(),
            ClientError::Secrets(error) => error.into(),
            ClientError::Git(_) => Error::of(ErrorKind::Environment, &error).hint("run `piton doctor`"),
            ClientError::NoRuns => {
                Error::usage(error.to_string()).hint("start one with `piton loop`, or see `piton demo`")
            }
            ClientError::Removed { .. } => Error::usage(error.to_string())
                .hint("choose another id; `piton backup restore URL --run ID` brings the old one back"),
            ClientError::NoSuchRun { .. } | ClientError::Ambiguous { .. } => {
                Error::usage(error.to_string()).hint("run `piton ls --all` to see what there is")
            }
        }
    }
}

impl From<SecretsError> for Error {
    fn from(error: SecretsError) -> Self {
        Error::environment(&error).hint("mend the configuration; `piton config show` says what is wrong")
    }
}

impl From<DriveError> for Error {
    fn from(error: DriveError) -> Self {
        match error {
            DriveError::Store(error) => of_store(error),
            DriveError::Load(error) => error.into(),
        }
    }
}

impl From<ManagerError> for Error {
    fn from(error: ManagerError) -> Self {
        match error {
            ManagerError::Client(error) => error.into(),
            ManagerError::World(error) => error.into(),
            ManagerError::Rejected(error) => error.into(),
            ManagerError::Agent(error) => Error::environment(&error),
            error @ ManagerError::UnderWay { .. } => Error::of(ErrorKind::Usage, &error),
        }
    }
}

impl From<WorldError> for Error {
    fn from(error: WorldError) -> Self {
        match &error {
            WorldError::WorkspaceHeld { .. } => Error::of(ErrorKind::Held, &error)
                .hint("run `piton ls` to see which, and wait for it or stop it"),
            WorldError::TreeOfAnother { owner, .. } => Error::of(ErrorKind::Held, &error).hint(format!(
                "go on with this run in `{}`, or begin one here with `piton loop --worktree`",
                owner.display()
            )),
            WorldError::TreeGone { .. } => Error::environment(&error),
            WorldError::File(_)
            | WorldError::Git(_)
            | WorldError::Agent(_)
            | WorldError::Launch(_)
            | WorldError::Covered(_)
            | WorldError::Guard { .. }
            | WorldError::Furnish { .. }
            | WorldError::Snapshot(_)
            | WorldError::Superseded
            | WorldError::Telling(_)
            | WorldError::Thread(_)
            | WorldError::Signals(_) => Error::environment(&error).hint("run `piton doctor`"),
        }
    }
}

/// A gap file that is not sound, with all that is wrong with it.
pub fn unsound(message: String, problems: &Invalid) -> Error {
    let mut details: Vec<String> =
        problems.problems.iter().map(|note| clean_line(&note.to_string())).collect();
    if problems.more > 0 {
        details.push(format!("and {} more problems", problems.more));
    }
    Error::new(ErrorKind::Failed, message).details(details)
}

impl From<LedgerError> for Error {
    fn from(error: LedgerError) -> Self {
        match error {
            LedgerError::Invalid { path, problems } => {
                unsound(format!("`{}` is not a sound ledger", path.display()), &problems)
                    .hint("nothing was written; correct the file, then run `piton gaps validate`")
            }
            LedgerError::Rewrite(RewriteError::Invalid(problems)) => {
                unsound("that does not fit together; nothing was changed".to_owned(), &problems)
            }
            LedgerError::Rewrite(error @ RewriteError::Unchangeable { .. }) => {
                Error::of(ErrorKind::Failed, &error)
            }
            LedgerError::Rejected(rejection) => match rejection {
                Rejection::Invalid(problems) => {
                    let details = problems.iter().map(|problem| clean_line(&problem.to_string()));
                    Error::new(ErrorKind::Failed, "that does not fit together; nothing was changed")
                        .details(few(details, "problem"))
                }
                Rejection::UnknownGap(_) => {
                    Error::of(ErrorKind::Usage, &rejection).hint("run `piton gaps list` to see what there is")
                }
                Rejection::NothingToUndo(ref gap) => {
                    let log =
                        format!("run `piton gaps log --gap {}` to see what happened to it", clean_line(gap));
                    Error::of(ErrorKind::Usage, &rejection).hint(log)
                }
                Rejection::ResearchUnderWay | Rejection::NoResearch => Error::of(ErrorKind::Held, &rejection),
            },
            LedgerError::Emptied { .. } => Error::of(ErrorKind::Failed, &error)
                .hint("bring its content back, as `git restore` does; or write `gaps: []` into it if all of them are to go"),
            LedgerError::Busy(_) => Error::of(ErrorKind::Environment, &error).hint("try again"),
            LedgerError::NotLogged(_) => Error::of(ErrorKind::Environment, &error)
                .hint("make the log writable, then run any `piton gaps` command that changes something"),
            LedgerError::File(error) => Error::environment(&error),
            LedgerError::Store(error) => of_store(error),
            LedgerError::Load(error) => error.into(),
            LedgerError::Git(error) => Error::environment(&error),
            LedgerError::Agent(error) => Error::environment(&error),
            LedgerError::Launch(error) => Error::environment(&error).hint("run `piton doctor`"),
        }
    }
}
