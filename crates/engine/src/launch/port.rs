//! Supervision's port to the attempts on disk.

use std::path::Path;
use std::task::Poll;

use piton_agent::{Exit, Launch, Spec};
use piton_sys::process::Emptied;

use super::{ended, walls};
use crate::supervise::{Port, Repeated, Seen, Start};

/// What kinds of work do differently, while their attempts are supervised.
pub(crate) trait Supervised {
    type Error: From<piton_agent::Error>;
    /// What may come instead of starting it.
    type Instead;

    /// Starts the attempt `name`, unless something comes instead.
    fn start(&mut self, name: &str) -> Result<Start<Self::Instead>, Self::Error>;

    /// Whether somebody wants it ended.
    fn is_cancelled(&self) -> bool;

    /// Refuses where another driver has taken over.
    fn require_lease(&self) -> Result<(), Self::Error>;

    /// Whether what it starts is to stand between walls.
    fn has_walls(&self) -> bool {
        false
    }

    /// Notes which attempt is waited for, so that a cancellation finds it.
    fn set_awaited(&self, _name: Option<&str>) {}
}

/// An attempt in a directory of this machine, held by a keeper.
pub(crate) struct Kept<'a, W> {
    pub(crate) attempts: &'a Path,
    /// Its name; of a command that may be run again, without the number of the try.
    base: &'a str,
    pub(crate) name: String,
    work: W,
}

impl<'a, W: Supervised> Kept<'a, W> {
    pub(crate) fn new(attempts: &'a Path, name: &'a str, work: W) -> Self {
        Self { attempts, base: name, name: name.to_owned(), work }
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

impl<W: Supervised> Port for Kept<'_, W> {
    type Error = W::Error;
    type Exit = Exit;
    type Instead = W::Instead;

    fn look(&mut self) -> Result<Seen<Exit>, W::Error> {
        Ok(piton_agent::look(self.attempts, &self.name)?.into())
    }

    fn start(&mut self) -> Result<Poll<Start<W::Instead>>, W::Error> {
        self.work.start(&self.name).map(Poll::Ready)
    }

    fn abandon(&mut self) -> Result<bool, W::Error> {
        Ok(piton_agent::abandon(self.attempts, &self.name)?)
    }

    fn watch(&mut self) {
        self.work.set_awaited(Some(&self.name));
    }

    fn vanished(&self) -> W::Error {
        piton_agent::Error::Vanished { directory: self.attempts.join(&self.name) }.into()
    }

    fn cancel(&mut self) -> Result<(), W::Error> {
        Ok(piton_agent::cancel(self.attempts, &self.name)?)
    }

    fn wait(&mut self) -> Result<Poll<()>, W::Error> {
        let waited = piton_agent::wait(self.attempts, &self.name);
        self.work.set_awaited(None);
        Ok(Poll::Ready(waited.map(drop)?))
    }

    fn reap(&mut self) -> Result<Emptied, W::Error> {
        Ok(piton_agent::reap(self.attempts, &self.name)?)
    }

    fn is_cancelled(&self) -> bool {
        self.work.is_cancelled()
    }

    fn require_lease(&mut self) -> Result<(), W::Error> {
        self.work.require_lease()
    }

    fn host(&self) -> String {
        piton_sys::process::host_id()
    }

    fn boot(&self) -> String {
        piton_sys::process::boot_id()
    }
}

impl<W: Supervised<Instead = std::convert::Infallible>> Repeated for Kept<'_, W> {
    fn set_try(&mut self, number: u32) {
        self.name = format!("{}-{number}", self.base);
    }

    fn was_cancelled(exit: &Exit) -> bool {
        exit.ended_by == piton_agent::EndedBy::Cancelled
    }

    fn never_began(&self, exit: &Exit) -> Option<String> {
        if exit.ended_by == piton_agent::EndedBy::SpawnFailed {
            // Commands are run by a shell, or by what puts up its walls; that this one is missing is no word of theirs.
            return Some(exit.error.clone().unwrap_or_else(|| "its program cannot be started".to_owned()));
        }
        let directory = self.attempts.join(&self.name);
        let failed = exit.ended_by == piton_agent::EndedBy::Exited && exit.code != Some(0);
        if !failed || !self.work.has_walls() || walls::stood(&piton_agent::outbox(&directory)) {
            return None;
        }
        let said = ended::last_line(&piton_agent::stderr_file(&directory));
        Some(format!(
            "there are no walls around it: {}",
            said.as_deref().unwrap_or("bubblewrap does not say why")
        ))
    }
}

/// Starts a keeper, which publishes the attempt or says why not.
pub(crate) fn begin<I>(exe: &Path, attempts: &Path, spec: &Spec) -> Result<Start<I>, piton_agent::Error> {
    match piton_agent::launch(exe, attempts, spec) {
        Ok(Launch::Started | Launch::AlreadyPublished) => Ok(Start::Published),
        Ok(Launch::SpawnFailed { error }) => Ok(Start::NoKeeper { detail: error }),
        Err(error @ piton_agent::Error::NoAnswer { .. }) => Ok(Start::NoKeeper { detail: error.to_string() }),
        Err(error) => Err(error),
    }
}
