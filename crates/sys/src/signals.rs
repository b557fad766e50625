//! Signals as something to wait for.
//!
//! A caught signal becomes a flag and a byte in a pipe, so that one `poll` waits for signals and for data.
//! Caught, never ignored: a handler is reset on exec, an ignored signal would be inherited by every child.

use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGTERM};

/// A signal that can be caught.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Caught {
    /// A child changed its state (SIGCHLD).
    Child,
    /// The terminal went away (SIGHUP).
    Hangup,
    /// Ctrl-C (SIGINT).
    Interrupt,
    /// A polite request to end (SIGTERM).
    Terminate,
}

impl Caught {
    fn number(self) -> i32 {
        match self {
            Self::Child => SIGCHLD,
            Self::Hangup => SIGHUP,
            Self::Interrupt => SIGINT,
            Self::Terminate => SIGTERM,
        }
    }
}

/// The signals this process catches, and which of them came in. Lasts as long as the process.
#[derive(Debug)]
pub struct Signals {
    wake: UnixStream,
    flags: Vec<(Caught, Arc<AtomicBool>)>,
}

impl Signals {
    /// Catches `signals` from now on.
    pub fn catch(signals: &[Caught]) -> io::Result<Self> {
        let (wake, ring) = UnixStream::pair()?;
        wake.set_nonblocking(true)?;
        ring.set_nonblocking(true)?;
        let mut flags = Vec::with_capacity(signals.len());
        for &signal in signals {
            let flag = Arc::new(AtomicBool::new(false));
            // The flag first: whoever is woken must find it set.
            signal_hook::flag::register(signal.number(), Arc::clone(&flag))?;
            signal_hook::low_level::pipe::register(signal.number(), ring.try_clone()?)?;
            flags.push((signal, flag));
        }
        Ok(Self { wake, flags })
    }

    /// The signals that came in since the last call, each once.
    pub fn take(&self) -> Vec<Caught> {
        let mut wake = &self.wake;
        let mut bytes = [0; 64];
        while matches!(wake.read(&mut bytes), Ok(count) if count > 0) {}
        self.flags
            .iter()
            .filter(|(_, flag)| flag.swap(false, Ordering::SeqCst))
            .map(|&(signal, _)| signal)
            .collect()
    }
}

/// Readable when a signal came in.
impl AsFd for Signals {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.wake.as_fd()
    }
}
