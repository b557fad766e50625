//! What went wrong, as a person or a program needs it: what kind, in words, why, and what to run next.
//!
//! The one error of the door: plain data, so that it crosses a process or a network as it is.

use std::error::Error as StdError;

use piton_model::{ExitCode, Rejection};
use piton_record::record;
use serde::{Deserialize, Serialize};

/// Why somebody did not get what they asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    /// What to do about it, for a program.
    pub kind: ErrorKind,
    /// One line that says what is wrong.
    pub message: String,
    /// What led to it, one below the other.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub causes: Vec<String>,
    /// What it consists of, where it is several things.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub details: Vec<String>,
    /// The command that helps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// What went wrong, told apart by what follows from it.
#[record(Copy, Eq)]
pub enum ErrorKind {
    /// It cannot be meant like this.
    Usage,
    /// There is no such run.
    UnknownRun,
    /// It makes no sense where the run is.
    Rejected,
    /// The run failed.
    Failed,
    /// A limit is in the way.
    Limit,
    /// A person is needed.
    Person,
    /// Another driver holds the run.
    Held,
    /// What is stored is not what was written.
    Corrupt,
    /// The surroundings are at fault; the run is intact.
    Environment,
}

impl ErrorKind {
    /// What a command exits with.
    pub fn exit_code(self) -> ExitCode {
        match self {
            ErrorKind::Usage | ErrorKind::UnknownRun | ErrorKind::Rejected => ExitCode::Usage,
            ErrorKind::Failed => ExitCode::Failed,
            ErrorKind::Limit => ExitCode::Limit,
            ErrorKind::Person => ExitCode::Person,
            ErrorKind::Held => ExitCode::Held,
            ErrorKind::Corrupt => ExitCode::Corrupt,
            ErrorKind::Environment => ExitCode::Environment,
        }
    }
}

impl Error {
    /// An error in words.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), causes: Vec::new(), details: Vec::new(), hint: None }
    }

    /// What was asked cannot be meant like this.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Usage, message)
    }

    /// The surroundings are at fault.
    pub fn environment(error: &(dyn StdError + 'static)) -> Self {
        Self::of(ErrorKind::Environment, error)
    }

    /// `error` with everything that led to it.
    pub fn of(kind: ErrorKind, error: &(dyn StdError + 'static)) -> Self {
        let mut causes = Vec::new();
        let mut cause = error.source();
        while let Some(error) = cause {
            causes.push(error.to_string());
            cause = error.source();
        }
        Self { causes, ..Self::new(kind, error.to_string()) }
    }

    /// What to run next.
    pub fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    /// What it consists of.
    pub fn details(self, details: Vec<String>) -> Self {
        Self { details, ..self }
    }
}

impl From<Rejection> for Error {
    fn from(rejection: Rejection) -> Self {
        let error = Error::new(ErrorKind::Rejected, rejection.to_string());
        match &rejection {
            Rejection::NotOpen => error,
            Rejection::Finished { run, .. } | Rejection::NothingTo { run, .. } => {
                error.hint(format!("run `piton status {run}`"))
            }
            Rejection::AtLimit { run, raise, .. } => {
                let error = Error { kind: ErrorKind::Limit, ..error };
                error.hint(format!("run `piton resume {run} {raise}`"))
            }
            Rejection::NeedsAnswer { run } => {
                Error { kind: ErrorKind::Person, ..error }.hint(format!("run `piton answer {run}`"))
            }
            Rejection::NoSuchIteration { run, .. }
            | Rejection::NoSuchStep { run, .. }
            | Rejection::InTheWay { run, .. }
            | Rejection::NotForKind { run, .. } => error.hint(format!("run `piton status {run}`")),
            Rejection::NoSuchQuestion { .. } => error.hint("run `piton answer` to see what waits"),
            Rejection::NeedsCheck { run } => error.hint(format!(
                "take it up anew with one: `piton rm {run}`, which keeps its files, then `piton cycle rebuild {run} --check 'test=CMD'` \
                 with the agent that it had"
            )),
            Rejection::BadRequest { run, .. } => error.hint(format!("`piton cycle show {run}` has what there is")),
            Rejection::BadChange { run, .. } => error.hint(format!("`piton queue list {run}` shows its items")),
            Rejection::BadDefinition(_) => error.hint("run `piton run WORKFLOW.yaml --check-only`"),
            Rejection::BadConfig(_) => {
                error.hint("give --check CMD or --until COND; see `piton loop --help`")
            }
        }
    }
}

impl From<piton_sys::file::Error> for Error {
    fn from(error: piton_sys::file::Error) -> Self {
        Error::environment(&error).hint(remedy(&error))
    }
}

/// What helps where the rules about files said no, or the system did.
pub fn remedy(error: &piton_sys::file::Error) -> String {
    use piton_sys::file::Refusal;
    let path = error.path.display();
    match error.refusal() {
        Some(Refusal::Symlink | Refusal::NotADirectory | Refusal::NotARegularFile) => {
            format!("move `{path}` away: piton does not follow or replace what is there")
        }
        Some(Refusal::WorldWritable { .. }) => {
            format!("make sure nobody changed it, then run `chmod o-w {path}`")
        }
        Some(Refusal::ForeignOwner { .. }) => format!("run as its owner, or move `{path}` away"),
        Some(Refusal::TooLarge { .. }) | None => "run `piton doctor`".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_crosses_as_data_and_comes_back_the_same() {
        let error = Error::usage("that cannot be").hint("run `piton ls`").details(vec!["this".to_owned()]);
        let text = serde_json::to_string(&error).unwrap();
        assert_eq!(
            text,
            r#"{"kind":"usage","message":"that cannot be","details":["this"],"hint":"run `piton ls`"}"#
        );
        assert_eq!(serde_json::from_str::<Error>(&text).unwrap(), error);
        assert_eq!(error.kind.exit_code(), ExitCode::Usage);
    }
}
