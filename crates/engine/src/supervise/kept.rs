//! The port to real attempts: a directory of this machine, and the keeper that is started for it.
//!
//! What is to be started is asked for only once it is to be: whoever performs the work gives a function that plans it.

use std::convert::Infallible;
use std::path::PathBuf;
use std::task::Poll;

use piton_agent::{EndedBy, Exit, Found, Launch, Spec};
use piton_sys::process::Emptied;

use super::{Port, Repeated, Seen, Start};
use crate::launch::{Surroundings, What, ended, walls};

/// The signal that nobody can catch.
const SIGKILL: i32 = 9;

/// Who supervises: the driver of a run, or whoever researches.
pub(crate) trait Supervisor {
    type Error: From<piton_agent::Error>;

    /// Whether somebody wants the attempt ended.
    fn is_cancelled(&self) -> bool {
        false
    }

    /// Refuses where another driver has taken over.
    fn require_lease(&self) -> Result<(), Self::Error>;

    /// Notes which attempt is waited for, so that a cancellation finds it.
    fn set_awaited(&self, _name: Option<&str>) {}
}

/// Whoever wants everything ended that an earlier driver began, and nothing begun.
pub(crate) struct Ending<S>(pub(crate) S);

impl<S: Supervisor> Supervisor for Ending<S> {
    type Error = S::Error;

    fn is_cancelled(&self) -> bool {
        true
    }

    fn require_lease(&self) -> Result<(), S::Error> {
        self.0.require_lease()
    }
}

/// What an attempt that is not there yet is to be.
pub(crate) enum Plan<I> {
    /// A keeper runs this.
    Start(Box<Spec>),
    /// It is not to start any more.
    Unwanted,
    /// This comes first, or instead.
    Instead(I),
}

/// Plans the attempt of a name.
type Planner<'a, S, I> = &'a dyn Fn(&str) -> Result<Plan<I>, <S as Supervisor>::Error>;

/// An attempt in a directory of this machine, held by a keeper.
pub(crate) struct Kept<'a, S: Supervisor, I> {
    launch: &'a Surroundings,
    attempts: PathBuf,
    /// Its name; of a command that may be run again, without the number of the try.
    base: &'a str,
    name: String,
    /// What its processes carry, where it was started here: its directory holds the same.
    mark: Option<String>,
    supervisor: S,
    plan: Planner<'a, S, I>,
    /// Whether what it runs stands between walls.
    enclosed: bool,
    /// Whether something else is started once it ends.
    is_followed: bool,
    /// Whether it is likely to work for so long that whoever waits for it should hold little meanwhile.
    is_long: bool,
}

impl<'a, S: Supervisor, I> Kept<'a, S, I> {
    /// The attempt of a name, which is started as `plan` says if it is to be started.
    pub(crate) fn new(
        launch: &'a Surroundings,
        name: &'a str,
        supervisor: S,
        plan: Planner<'a, S, I>,
    ) -> Self {
        let attempts = launch.attempts();
        Self {
            launch,
            attempts,
            base: name,
            name: name.to_owned(),
            mark: None,
            supervisor,
            plan,
            enclosed: false,
            is_followed: false,
            is_long: false,
        }
    }

    /// The same, where something else is started the moment it ends: a keeper for that is started while this one works.
    pub(crate) fn followed_by_another(self, is_followed: bool) -> Self {
        Self { is_followed, ..self }
    }

    /// The same for an agent, which works for minutes or hours.
    pub(crate) fn for_long(self) -> Self {
        Self { is_long: true, ..self }
    }

    /// The same for a command, whose walls may be what fails.
    pub(crate) fn running(self, what: &What<'_>) -> Self {
        Self { enclosed: self.launch.encloses(what), ..self }
    }

    /// Its directory; of a command, that of the last try.
    pub(crate) fn directory(&self) -> PathBuf {
        self.attempts.join(&self.name)
    }

    /// The name of its directory; of a command, that of the last try.
    pub(crate) fn into_name(self) -> String {
        self.name
    }

    /// Takes the directories of all its tries away.
    pub(crate) fn remove_tries(&self) {
        for number in 1.. {
            let directory = self.attempts.join(format!("{}-{number}", self.base));
            if std::fs::remove_dir_all(directory).is_err() {
                break;
            }
        }
    }
}

impl<S: Supervisor, I> Port for Kept<'_, S, I> {
    type Error = S::Error;
    type Exit = Exit;
    type Instead = I;

    fn clear(&mut self) -> Result<(), S::Error> {
        if let Some(aside) = piton_agent::set_aside(&self.attempts, &self.name)? {
            self.launch.note(format!(
                "`{0}` was there before attempt {0} was started, so it is not what piton left: it was moved to `{1}`",
                self.name,
                aside.display()
            ));
        }
        Ok(())
    }

    fn look(&mut self) -> Result<Seen<Exit>, S::Error> {
        let found = piton_agent::look(&self.attempts, &self.name)?;
        let is_whole = || piton_agent::is_whole(&self.attempts, &self.name, self.mark.as_deref());
        Ok(match found {
            Found::Absent => Seen::Absent,
            Found::Abandoned => Seen::Abandoned,
            // Somebody put another directory into the place of the one that was published here.
            _ if self.mark.is_some() && !is_whole()? => Seen::Plundered,
            Found::Alive { .. } => Seen::Alive,
            Found::Finished(exit) => Seen::Finished(exit),
            Found::Dead { .. } if is_whole()? => Seen::Dead,
            Found::Dead { .. } => Seen::Plundered,
        })
    }

    /// Starts a keeper, which publishes the attempt or says why not.
    fn start(&mut self) -> Result<Poll<Start<I>>, S::Error> {
        let spec = match (self.plan)(&self.name)? {
            Plan::Start(spec) => spec,
            Plan::Unwanted => return Ok(Poll::Ready(Start::Unwanted)),
            Plan::Instead(instead) => return Ok(Poll::Ready(Start::Instead(instead))),
        };
        self.mark = Some(spec.mark.clone());
        let launched =
            piton_agent::launch(self.launch.exe(), &self.attempts, &spec, self.launch.take_spare());
        if self.is_followed {
            self.launch.expect_another();
        }
        Ok(Poll::Ready(match launched {
            Ok(Launch::Started | Launch::AlreadyPublished) => Start::Published,
            Ok(Launch::SpawnFailed { error }) => Start::NoKeeper { detail: error },
            Err(error @ piton_agent::Error::NoAnswer { .. }) => Start::NoKeeper { detail: error.to_string() },
            Err(error) => return Err(error.into()),
        }))
    }

    fn abandon(&mut self) -> Result<bool, S::Error> {
        Ok(piton_agent::abandon(&self.attempts, &self.name)?)
    }

    fn watch(&mut self) {
        self.supervisor.set_awaited(Some(&self.name));
    }

    fn vanished(&self) -> S::Error {
        piton_agent::Error::Vanished { directory: self.attempts.join(&self.name) }.into()
    }

    fn cancel(&mut self) -> Result<(), S::Error> {
        Ok(piton_agent::cancel(&self.attempts, &self.name)?)
    }

    fn wait(&mut self) -> Result<Poll<()>, S::Error> {
        if self.is_long {
            piton_sys::process::give_back_code();
        }
        let waited = piton_agent::wait(&self.attempts, &self.name);
        self.supervisor.set_awaited(None);
        Ok(Poll::Ready(waited.map(drop)?))
    }

    fn reap(&mut self) -> Result<Emptied, S::Error> {
        Ok(piton_agent::reap(&self.attempts, &self.name)?)
    }

    fn is_cancelled(&self) -> bool {
        self.supervisor.is_cancelled()
    }

    fn require_lease(&mut self) -> Result<(), S::Error> {
        self.supervisor.require_lease()
    }

    fn host(&self) -> String {
        piton_sys::process::host_id()
    }

    fn boot(&self) -> String {
        piton_sys::process::boot_id()
    }
}

impl<S: Supervisor> Repeated for Kept<'_, S, Infallible> {
    fn set_try(&mut self, number: u32) {
        (self.name, self.mark) = (format!("{}-{number}", self.base), None);
    }

    fn was_cancelled(exit: &Exit) -> bool {
        exit.ended_by == EndedBy::Cancelled
    }

    fn was_killed(exit: &Exit) -> bool {
        // A shell, and what puts up walls, say so of their last command with a code.
        let code = exit.code == Some(128 + SIGKILL);
        exit.ended_by == EndedBy::Exited && (exit.signal == Some(SIGKILL) || code)
    }

    fn never_began(&self, exit: &Exit) -> Option<String> {
        if exit.ended_by == EndedBy::SpawnFailed {
            // Commands are run by a shell, or by what puts up its walls; that this one is missing is no word of theirs.
            return Some(exit.error.clone().unwrap_or_else(|| "its program cannot be started".to_owned()));
        }
        let directory = self.attempts.join(&self.name);
        let failed = exit.ended_by == EndedBy::Exited && exit.code != Some(0);
        if !failed || !self.enclosed || walls::stood(&piton_agent::outbox(&directory)) {
            return None;
        }
        let said = ended::last_line(&piton_agent::stderr_file(&directory));
        Some(format!(
            "there are no walls around it: {}",
            said.as_deref().unwrap_or("bubblewrap does not say why")
        ))
    }
}
