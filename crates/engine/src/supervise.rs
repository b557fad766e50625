//! Supervising an attempt: look first, and only then start it, wait for it, or find out what became of it.
//!
//! One piece of code for agents of loops, steps of workflows, checks, gates and research. It decides nothing but the order of
//! things; everything it touches is behind [`Port`], which speaks of *one* attempt. The real one is in [`kept`], and
//! blocks. So performing an attempt again after a crash finds the agent that still runs, and nothing is started twice.
//!
//! # Driving it step by step
//!
//! Whoever wants to stand between any two acts (a simulator that crashes the driver there) makes a [`Supervision`] and
//! calls [`Supervision::step`] until it says what became of the attempt. A step touches the port once, besides asking for
//! the lease; a port that would have to wait answers [`Poll::Pending`], and the next step asks the same again. A driver
//! that crashes drops its supervision; the next one begins with a new one, which is not `fresh`. [`Rerun`] is the same
//! for commands that are run again when they were lost.
//!
//! # What is believed
//!
//! An agent without walls can write into the directories of attempts that are still to come. So what lies in the way of an attempt
//! that was just recorded is not its own: it is moved aside first, and the attempt is started. And of a command, which no record
//! speaks of, only a process counts that this driver started, or waited for: one that was over before is run again, under the next name.
//!
//! ```text
//!   fresh ─► clear the way
//!            ┌─ absent, fresh, wanted ──► start ─► published ──────────┐
//!   look ────┤                              └──► no keeper ─► abandon ─┼─► NoKeeper, or look again
//!    ▲       ├─ absent ─────────────────► abandon ─────────────────────┤
//!    │       ├─ alive ──────────────────► wait ────────────────────────┤
//!    └───────┼─────────────────────────────────────────────────────────┘
//!            ├─ absent or plundered, published before ─► the error `vanished`
//!            ├─ abandoned ──────────────► NeverStarted
//!            ├─ finished ───────────────► Ended
//!            └─ dead or plundered ──────► reap ─► Lost
//! ```

pub(crate) mod kept;

use std::convert::Infallible;
use std::task::Poll;

use piton_model::loop_machine::TreeProof;
use piton_sys::process::Emptied;

/// A command that was lost with its keeper is run again at most this often.
const TRIES_MAX: u32 = 3;

/// One attempt, as supervision sees and touches it.
pub trait Port {
    /// Why something cannot be done.
    type Error;
    /// How an attempt ended.
    type Exit;
    /// What may have to be recorded before it can be started, or instead.
    type Instead;

    /// Moves aside whatever has its name. Only before it was ever started.
    fn clear(&mut self) -> Result<(), Self::Error>;

    /// What its directory says.
    fn look(&mut self) -> Result<Seen<Self::Exit>, Self::Error>;

    /// Starts it, unless something has to come first.
    fn start(&mut self) -> Result<Poll<Start<Self::Instead>>, Self::Error>;

    /// Makes sure that it never starts. `false` where it has been published after all.
    fn abandon(&mut self) -> Result<bool, Self::Error>;

    /// From now on, whoever wants it ended tells its keeper.
    fn watch(&mut self) {}

    /// Why nothing more can be known of it: its directory was there and is gone.
    fn vanished(&self) -> Self::Error;

    /// Tells its keeper to end it.
    fn cancel(&mut self) -> Result<(), Self::Error>;

    /// Waits for its keeper to let go.
    fn wait(&mut self) -> Result<Poll<()>, Self::Error>;

    /// Ends what a killed keeper left running.
    fn reap(&mut self) -> Result<Emptied, Self::Error>;

    /// Whether somebody wants it ended.
    fn is_cancelled(&self) -> bool;

    /// Asked before everything that is written: a driver that was frozen and wakes late does no harm.
    fn require_lease(&mut self) -> Result<(), Self::Error>;

    /// The machine that this is.
    fn host(&self) -> String;

    /// Its boot.
    fn boot(&self) -> String;
}

/// What the directory of an attempt says of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seen<E> {
    /// Nobody published it.
    Absent,
    /// It never started, and never will.
    Abandoned,
    /// Its keeper lives.
    Alive,
    /// It ended.
    Finished(E),
    /// Its keeper was killed.
    Dead,
    /// The same, or somebody took away what says otherwise: a part of its directory is missing.
    Plundered,
}

/// What came of starting an attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Start<I> {
    /// It is published, by this keeper or another.
    Published,
    /// No keeper could be started, or it said nothing.
    NoKeeper {
        /// What stood in the way, for a person.
        detail: String,
    },
    /// It is not to start any more.
    Unwanted,
    /// This comes instead.
    Instead(I),
}

/// What became of an attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Became<E, I> {
    /// It never started, and never will.
    NeverStarted,
    /// The same, since the system has no process for it.
    NoKeeper {
        /// What stood in the way, for a person.
        detail: String,
    },
    /// It was not started: this comes first, or instead.
    Postponed(I),
    /// It ended.
    Ended(E),
    /// Its outcome cannot be known. Nothing of it runs any more.
    Lost(TreeProof),
}

/// What one act came to: what became of the attempt, once that is known.
pub type Stepped<P> = Result<Option<Became<<P as Port>::Exit, <P as Port>::Instead>>, <P as Port>::Error>;

/// An attempt on its way.
#[derive(Debug)]
pub struct Supervision {
    /// Host and boot under which it was recorded, where that was.
    origin: Option<(String, String)>,
    /// Whether this driver has just recorded it, so that it may be started.
    fresh: bool,
    /// Started once by this very supervision; never a second time.
    launched: bool,
    /// Its directory was seen, or its keeper said that it is there.
    published: bool,
    /// Whether the first look found it over, by the hand of whoever was here before.
    over_before: Option<bool>,
    at: At,
}

#[derive(Debug)]
enum At {
    Clear,
    Look,
    Start,
    /// The detail is why there is no keeper, if that is why.
    Abandon(Option<String>),
    Wait,
    Reap,
}

impl Supervision {
    /// Of an attempt that was recorded on `host` in its `boot`. Only a `fresh` one, which this driver has just
    /// recorded, may be started.
    pub fn of_recorded(host: &str, boot: &str, fresh: bool) -> Self {
        let at = if fresh { At::Clear } else { At::Look };
        Self { origin: Some((host.to_owned(), boot.to_owned())), fresh, at, ..Self::of_command() }
    }

    /// Of a command that no record speaks of: a check, a gate. It is looked for on this machine only.
    fn of_command() -> Self {
        Self { origin: None, fresh: true, launched: false, published: false, over_before: None, at: At::Look }
    }

    /// Brings the attempt to its end, or finds out how it ended. For ports that block.
    pub fn run<P: Port>(mut self, port: &mut P) -> Result<Became<P::Exit, P::Instead>, P::Error> {
        loop {
            if let Some(became) = self.step(port)? {
                return Ok(became);
            }
        }
    }

    /// One act; what became of the attempt, once that is known.
    pub fn step<P: Port>(&mut self, port: &mut P) -> Stepped<P> {
        match &self.at {
            At::Clear => {
                port.require_lease()?;
                port.clear()?;
                self.at = At::Look;
            }
            At::Look => return self.look(port),
            At::Start => {
                port.require_lease()?;
                let Poll::Ready(start) = port.start()? else { return Ok(None) };
                self.launched = true;
                self.at = match start {
                    Start::Published => {
                        self.published = true;
                        At::Look
                    }
                    Start::NoKeeper { detail } => At::Abandon(Some(detail)),
                    Start::Unwanted => At::Abandon(None),
                    Start::Instead(instead) => return Ok(Some(Became::Postponed(instead))),
                };
            }
            At::Abandon(_) => {
                port.require_lease()?;
                // Whoever says "never started" makes sure of it first. One that was published after all is looked at.
                let kept_out = port.abandon()?;
                if let At::Abandon(Some(detail)) = std::mem::replace(&mut self.at, At::Look)
                    && kept_out
                {
                    return Ok(Some(Became::NoKeeper { detail }));
                }
            }
            At::Wait => {
                if port.wait()?.is_ready() {
                    self.at = At::Look;
                }
            }
            At::Reap => {
                port.require_lease()?;
                let emptied = port.reap()?;
                let rebooted = self.origin.as_ref().is_some_and(|(_, boot)| *boot != port.boot());
                return Ok(Some(Became::Lost(match rebooted {
                    true => TreeProof::Rebooted,
                    false => proof_of(emptied),
                })));
            }
        }
        Ok(None)
    }

    fn look<P: Port>(&mut self, port: &mut P) -> Stepped<P> {
        if self.origin.as_ref().is_some_and(|(host, _)| *host != port.host()) {
            // Its machine is not this one; the lease says that nobody drives it there any more.
            return Ok(Some(Became::Lost(TreeProof::Scanned)));
        }
        let seen = port.look()?;
        self.over_before.get_or_insert(matches!(seen, Seen::Abandoned | Seen::Finished(_)));
        match seen {
            Seen::Absent | Seen::Plundered if self.published => return Err(port.vanished()),
            Seen::Absent if self.fresh && !self.launched && !port.is_cancelled() => self.at = At::Start,
            Seen::Absent => self.at = At::Abandon(None),
            Seen::Abandoned => return Ok(Some(Became::NeverStarted)),
            Seen::Alive => {
                self.published = true;
                port.watch();
                // A cancellation that came before it could be told is told now.
                if port.is_cancelled() {
                    port.cancel()?;
                }
                self.at = At::Wait;
            }
            Seen::Finished(exit) => {
                port.require_lease()?;
                return Ok(Some(Became::Ended(exit)));
            }
            Seen::Dead | Seen::Plundered => self.at = At::Reap,
        }
        Ok(None)
    }
}

/// How it is known that nothing of an attempt runs, where `emptied` is how its processes were ended.
pub(crate) fn proof_of(emptied: Emptied) -> TreeProof {
    match emptied {
        Emptied::Proven => TreeProof::Proven,
        Emptied::Scanned => TreeProof::Scanned,
    }
}

/// A command that may be run again: a check, a condition, a metric. Each try is an attempt with a name of its own.
pub trait Repeated: Port<Instead = Infallible> {
    /// From now on the port speaks of this try; the first is 1.
    fn set_try(&mut self, number: u32);

    /// Whether it ended because somebody wanted it to.
    fn was_cancelled(exit: &Self::Exit) -> bool;

    /// Whether it was killed from outside, as by a system that ran out of memory. It had no say in that.
    fn was_killed(_exit: &Self::Exit) -> bool {
        false
    }

    /// Why the command never began, where what was to run it failed instead. That is no word of the command's.
    fn never_began(&self, _exit: &Self::Exit) -> Option<String> {
        None
    }
}

/// What became of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ran<E> {
    /// It ended by itself.
    Ended(E),
    /// Somebody wants it ended, or not begun.
    Cancelled,
    /// Its process was lost each time.
    Lost,
    /// The system has no process for it.
    NoKeeper {
        /// What stood in the way, for a person.
        detail: String,
    },
}

/// A command on its way to a result, over as many tries as that takes.
#[derive(Debug)]
pub struct Rerun {
    /// Whether one that ended before this driver looked is as good as one that it saw the end of.
    once: bool,
    number: u32,
    /// Tries that were lost with their keepers, or killed.
    lost: u32,
    /// Tries that never began and were started here: what an earlier driver met may be mended by now.
    unbegun: u32,
    current: Option<Supervision>,
}

impl Default for Rerun {
    fn default() -> Self {
        Self { once: false, number: 1, lost: 0, unbegun: 0, current: None }
    }
}

impl Rerun {
    /// Of a command that is not run again where it was done before: it judges nothing, and comes before any agent.
    pub fn once() -> Self {
        Self { once: true, ..Self::default() }
    }

    /// Brings the command to a result. For ports that block.
    pub fn run<P: Repeated>(mut self, port: &mut P) -> Result<Ran<P::Exit>, P::Error> {
        loop {
            if let Some(ran) = self.step(port)? {
                return Ok(ran);
            }
        }
    }

    /// One act; the result, once there is one.
    pub fn step<P: Repeated>(&mut self, port: &mut P) -> Result<Option<Ran<P::Exit>>, P::Error> {
        let current = self.current.get_or_insert_with(|| {
            port.set_try(self.number);
            Supervision::of_command()
        });
        let Some(became) = current.step(port)? else { return Ok(None) };
        let started_here = current.launched;
        match became {
            // Anybody may have left that here.
            Became::Ended(_) if current.over_before == Some(true) && !self.once => {}
            Became::Ended(exit) if P::was_killed(&exit) && !port.is_cancelled() => {
                self.lost += 1;
                // Killed whenever it is run: that may well be its own doing.
                if self.lost >= TRIES_MAX {
                    return Ok(Some(Ran::Ended(exit)));
                }
            }
            Became::Ended(exit) if !P::was_cancelled(&exit) => match port.never_began(&exit) {
                None => return Ok(Some(Ran::Ended(exit))),
                Some(detail) => {
                    self.unbegun += u32::from(started_here);
                    if self.unbegun >= TRIES_MAX {
                        return Ok(Some(Ran::NoKeeper { detail }));
                    }
                }
            },
            // A try that was over before may have been followed by others, and the last of them may still run: only one
            // that this driver saw the end of is the last.
            Became::Ended(_) | Became::NeverStarted
                if port.is_cancelled() && current.over_before != Some(true) =>
            {
                return Ok(Some(Ran::Cancelled));
            }
            // Cancelled earlier, for a stop. Asked for again now, it is run again.
            Became::Ended(_) | Became::NeverStarted => {}
            Became::Lost(_) => {
                self.lost += 1;
                if self.lost >= TRIES_MAX {
                    return Ok(Some(Ran::Lost));
                }
            }
            Became::NoKeeper { detail } => return Ok(Some(Ran::NoKeeper { detail })),
            Became::Postponed(never) => match never {},
        }
        self.number += 1;
        self.current = None;
        Ok(None)
    }
}
