//! What went wrong, as a person needs it: the error, its causes, the next command, an exit code.

use std::error::Error;

use piton_engine::launch::SecretsError;
use piton_engine::manager::ManagerError;
use piton_engine::world::WorldError;
use piton_engine::{ClientError, DriveError};
use piton_model::{ExitCode, Reason, Rejection};

/// Why a command failed.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) code: ExitCode,
    pub(crate) message: String,
    pub(crate) causes: Vec<String>,
    /// What it consists of, where it is several things.
    pub(crate) details: Vec<String>,
    pub(crate) hint: Option<String>,
}

impl Failure {
    pub(crate) fn new(code: ExitCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), causes: Vec::new(), details: Vec::new(), hint: None }
    }

    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new(ExitCode::Usage, message)
    }

    pub(crate) fn environment(error: &(dyn Error + 'static)) -> Self {
        Self::of(ExitCode::Environment, error)
    }

    /// `hint: …` follows the error: what to run next.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    pub(crate) fn of(code: ExitCode, error: &(dyn Error + 'static)) -> Self {
        let mut causes = Vec::new();
        let mut cause = error.source();
        while let Some(error) = cause {
            causes.push(error.to_string());
            cause = error.source();
        }
        Self { code, message: error.to_string(), causes, details: Vec::new(), hint: None }
    }
}

impl From<piton_store::Error> for Failure {
    fn from(error: piton_store::Error) -> Self {
        use piton_store::Error as E;
        let of = |code| Failure::of(code, &error);
        match &error {
            E::UnknownRun { .. } => of(ExitCode::Usage).hint("run `piton ls` to see what there is"),
            E::RunExists { run } => {
                of(ExitCode::Usage).hint(format!("run `piton status {run}`, or choose another --id"))
            }
            E::Held { run, .. } => of(ExitCode::Held).hint(format!(
                "run `piton attach {run}`, or `piton resume {run} --take-over` if it is frozen"
            )),
            E::Fenced { .. } | E::Conflict { .. } => of(ExitCode::Held).hint("run `piton status`"),
            E::TooLarge { .. } => of(ExitCode::Usage),
            E::Corrupt(_) => of(ExitCode::Corrupt).hint("run `piton verify` to see all of it"),
            E::UnknownScheme { .. } => of(ExitCode::Usage).hint("give sqlite:PATH/.piton/journal.db"),
            E::Newer { .. } => of(ExitCode::Environment).hint("update piton on this machine"),
            E::Older { .. } => of(ExitCode::Environment)
                .hint("move .piton aside and begin anew; the piton that wrote it can still read it"),
            E::NoSpace { .. } => {
                of(ExitCode::Environment).hint("free some space, then run `piton resume`; nothing is lost")
            }
            E::SyncFailed { .. } => {
                of(ExitCode::Environment).hint("look at the disk, then run `piton verify` and `piton resume`")
            }
            E::Unlinked { .. } => of(ExitCode::Environment)
                .hint("the process that held it had it open; look at .piton, then run `piton verify`"),
            E::File(file) => of(ExitCode::Environment).hint(remedy(file)),
            E::Database(_) => of(ExitCode::Environment).hint("run `piton doctor`"),
        }
    }
}

impl From<piton_engine::load::LoadError> for Failure {
    fn from(error: piton_engine::load::LoadError) -> Self {
        use piton_engine::load::LoadError as E;
        match error {
            E::Store(error) => error.into(),
            E::OtherKind { ref kind, .. } if kind == piton_model::Kind::Ledger.as_str() => {
                Failure::of(ExitCode::Usage, &error)
                    .hint("run `piton gaps list` to see it, `piton gaps log` for its history")
            }
            E::OtherKind { .. } => {
                Failure::of(ExitCode::Usage, &error).hint("run `piton ls` to see what is what")
            }
            E::Event { source: piton_model::DecodeError::Newer { .. }, .. } => {
                Failure::of(ExitCode::Environment, &error).hint("update piton on this machine")
            }
            E::Event { .. } => {
                Failure::of(ExitCode::Corrupt, &error).hint("run `piton verify` to see all of it")
            }
        }
    }
}

impl From<Rejection> for Failure {
    fn from(rejection: Rejection) -> Self {
        let failure = Failure::usage(rejection.to_string());
        match &rejection {
            Rejection::NotOpen => failure,
            Rejection::Finished { run, .. } => failure.hint(format!("run `piton status {run}`")),
            Rejection::NothingTo { run, .. } => failure.hint(format!("run `piton status {run}`")),
            Rejection::AtLimit { run, reason } => {
                let flag = match reason {
                    Reason::LimitDuration => "--max-duration +2h",
                    Reason::LimitCost => "--max-cost +10",
                    Reason::LimitTokens => "--max-tokens +1000000",
                    _ => "--max-iterations +25",
                };
                let mut failure = failure.hint(format!("run `piton resume {run} {flag}`"));
                failure.code = ExitCode::Limit;
                failure
            }
            Rejection::NeedsAnswer { run } => {
                let mut failure = failure.hint(format!("run `piton answer {run}`"));
                failure.code = ExitCode::Person;
                failure
            }
            Rejection::NoSuchIteration { run, .. }
            | Rejection::NoSuchStep { run, .. }
            | Rejection::NotForKind { run, .. } => failure.hint(format!("run `piton status {run}`")),
            Rejection::NoSuchQuestion { .. } => failure.hint("run `piton answer` to see what waits"),
            Rejection::BadDefinition(_) => failure.hint("run `piton run WORKFLOW.yaml --check-only`"),
            Rejection::BadConfig(_) => {
                failure.hint("give --check CMD or --until COND; see `piton loop --help`")
            }
        }
    }
}

impl From<ManagerError> for Failure {
    fn from(error: ManagerError) -> Self {
        match error {
            ManagerError::Client(error) => error.into(),
            ManagerError::World(error) => error.into(),
            ManagerError::Rejected(error) => error.into(),
            ManagerError::Agent(error) => Failure::environment(&error),
            error @ ManagerError::UnderWay { .. } => Failure::of(ExitCode::Usage, &error),
        }
    }
}

impl From<ClientError> for Failure {
    fn from(error: ClientError) -> Self {
        match error {
            ClientError::Rejected(rejection) => rejection.into(),
            ClientError::Store(error) => error.into(),
            ClientError::Load(error) => error.into(),
            ClientError::Secrets(error) => error.into(),
            ClientError::NoRuns => {
                Failure::usage(error.to_string()).hint("start one with `piton loop`, or see `piton demo`")
            }
            ClientError::NoSuchRun { .. } | ClientError::Ambiguous { .. } => {
                Failure::usage(error.to_string()).hint("run `piton ls --all` to see what there is")
            }
        }
    }
}

impl From<DriveError> for Failure {
    fn from(error: DriveError) -> Self {
        match error {
            DriveError::Store(error) => error.into(),
            DriveError::Load(error) => error.into(),
        }
    }
}

impl From<SecretsError> for Failure {
    fn from(error: SecretsError) -> Self {
        Failure::environment(&error).hint("mend the configuration; `piton config show` says what is wrong")
    }
}

impl From<WorldError> for Failure {
    fn from(error: WorldError) -> Self {
        match &error {
            WorldError::WorkspaceHeld { .. } => Failure::of(ExitCode::Held, &error)
                .hint("run `piton ls` to see which, and wait for it or stop it"),
            _ => Failure::environment(&error).hint("run `piton doctor`"),
        }
    }
}

impl From<piton_sys::file::Error> for Failure {
    fn from(error: piton_sys::file::Error) -> Self {
        Failure::environment(&error).hint(remedy(&error))
    }
}

/// What helps where the rules about files said no, or the system did.
fn remedy(error: &piton_sys::file::Error) -> String {
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

impl From<piton_config::trust::Error> for Failure {
    fn from(error: piton_config::trust::Error) -> Self {
        Failure::environment(&error).hint("run `piton doctor`")
    }
}
