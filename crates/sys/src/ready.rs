//! Waiting for descriptors: `poll`, without its arithmetic.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

/// What is waited for on a descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Want {
    /// There is something to read, or the other end is closed.
    Read,
    /// There is room to write, or the other end is closed.
    Write,
}

/// One descriptor to wait for, and what came of it.
#[derive(Debug)]
pub struct Source<'a> {
    fd: BorrowedFd<'a>,
    want: Want,
    /// Whether it can be read or written now; an error or a closed end counts.
    pub ready: bool,
}

impl<'a> Source<'a> {
    /// Waits for something to read.
    pub fn read(fd: &'a impl AsFd) -> Self {
        Self { fd: fd.as_fd(), want: Want::Read, ready: false }
    }

    /// Waits for room to write.
    pub fn write(fd: &'a impl AsFd) -> Self {
        Self { fd: fd.as_fd(), want: Want::Write, ready: false }
    }
}

/// Returns when a source is ready, `timeout` has passed (`None`: never) or a signal came in.
pub fn wait(sources: &mut [Source<'_>], timeout: Option<Duration>) -> io::Result<()> {
    let mut fds: Vec<PollFd<'_>> = sources
        .iter()
        .map(|source| {
            let flags = match source.want {
                Want::Read => PollFlags::IN,
                Want::Write => PollFlags::OUT,
            };
            PollFd::from_borrowed_fd(source.fd, flags)
        })
        .collect();
    let timeout = timeout.map(|time| Timespec {
        tv_sec: i64::try_from(time.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: i64::from(time.subsec_nanos()),
    });
    match poll(&mut fds, timeout.as_ref()) {
        Ok(_) => {}
        Err(Errno::INTR) => return Ok(()),
        Err(errno) => return Err(errno.into()),
    }
    let ready: Vec<bool> = fds.iter().map(|fd| !fd.revents().is_empty()).collect();
    for (source, ready) in sources.iter_mut().zip(ready) {
        source.ready = ready;
    }
    Ok(())
}

/// Makes reads and writes of `fd` return [`io::ErrorKind::WouldBlock`] instead of waiting.
pub fn set_nonblocking(fd: impl AsFd) -> io::Result<()> {
    Ok(rustix::io::ioctl_fionbio(fd, true)?)
}
