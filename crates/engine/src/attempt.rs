//! What every kind does with an attempt: look first, and only then start it, wait for it, or find out what became of it.
//!
//! So performing an attempt again after a crash finds the agent that still runs, and nothing is started twice.

use std::path::Path;

use piton_agent::{Exit, Found, Launch, Spec};
use piton_model::loop_machine::TreeProof;
use piton_sys::process::Emptied;

/// An attempt that is on record: where it leaves its traces, and where it was begun.
pub(crate) struct Recorded<'a> {
    pub(crate) attempts: &'a Path,
    pub(crate) name: &'a str,
    pub(crate) host: &'a str,
    pub(crate) boot: &'a str,
}

/// What became of an attempt.
pub(crate) enum Became<T> {
    /// It never started, and never will.
    NeverStarted,
    /// It ended.
    Ended(Exit),
    /// Its outcome cannot be known. Nothing of it runs any more.
    Lost(TreeProof),
    /// It was not started, for this.
    Instead(T),
}

/// Who performs an attempt: what kinds of runs do differently.
pub(crate) trait Performer {
    type Error: From<piton_agent::Error>;
    /// What may be done instead of starting it.
    type Instead;

    /// Whether it may be started: this driver has recorded it, and nobody wants it ended.
    fn may_start(&self) -> bool;

    /// Starts it, unless something comes instead.
    fn start(&self) -> Result<Option<Self::Instead>, Self::Error>;

    /// Asked before everything that is written: a driver that was frozen and wakes late does no harm.
    fn require_lease(&self) -> Result<(), Self::Error>;

    /// Waits for the keeper to let go.
    fn wait(&self) -> Result<(), Self::Error>;
}

/// Brings an attempt to its end, or finds out how it ended.
pub(crate) fn see_through<P: Performer>(
    attempt: &Recorded<'_>,
    performer: &P,
) -> Result<Became<P::Instead>, P::Error> {
    let Recorded { attempts, name, .. } = *attempt;
    if attempt.host != piton_sys::process::host_id() {
        // Its machine is not this one; the lease says that nobody drives it there any more.
        return Ok(Became::Lost(TreeProof::Scanned));
    }
    loop {
        match piton_agent::look(attempts, name)? {
            Found::Absent if performer.may_start() => {
                performer.require_lease()?;
                if let Some(instead) = performer.start()? {
                    return Ok(Became::Instead(instead));
                }
            }
            Found::Absent => {
                performer.require_lease()?;
                // Whoever says "never started" makes sure of it first.
                piton_agent::abandon(attempts, name)?;
            }
            Found::Abandoned => return Ok(Became::NeverStarted),
            Found::Alive { .. } => performer.wait()?,
            Found::Finished(exit) => {
                performer.require_lease()?;
                return Ok(Became::Ended(exit));
            }
            Found::Dead { .. } => {
                performer.require_lease()?;
                let emptied = piton_agent::reap(attempts, name)?;
                let rebooted = attempt.boot != piton_sys::process::boot_id();
                return Ok(Became::Lost(match emptied {
                    _ if rebooted => TreeProof::Rebooted,
                    Emptied::Proven => TreeProof::Proven,
                    Emptied::Scanned => TreeProof::Scanned,
                }));
            }
        }
    }
}

/// Starts a keeper; a sentence where the system has no process for it. One that stays silent is kept out by a tombstone,
/// unless it has published after all.
pub(crate) fn begin(
    exe: &Path,
    attempts: &Path,
    spec: &Spec,
) -> Result<Result<(), String>, piton_agent::Error> {
    match piton_agent::launch(exe, attempts, spec) {
        Ok(Launch::Started | Launch::AlreadyPublished) => Ok(Ok(())),
        Ok(Launch::SpawnFailed { error }) => {
            piton_agent::abandon(attempts, &spec.name)?;
            Ok(Err(error))
        }
        Err(error @ piton_agent::Error::NoAnswer { .. }) => match piton_agent::abandon(attempts, &spec.name)?
        {
            true => Err(error),
            false => Ok(Ok(())),
        },
        Err(error) => Err(error),
    }
}
