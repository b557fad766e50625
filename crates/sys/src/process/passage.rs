//! A way out of a network of its own: sockets that are opened inside and served outside.
//!
//! A program between walls has a loopback network of its own and nothing behind it. Before it becomes what is to run, it opens
//! sockets there and hands them over through a pair of connected ones that it was started with. Who accepts on them is outside;
//! nothing that runs inside holds a way out, and nothing has to stay there to pass bytes on.

use std::ffi::OsString;
use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::net::{Ipv4Addr, TcpListener};
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Command};

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
    SendFlags, recvmsg, sendmsg,
};

/// Where the program inside finds its end of the pair.
pub(super) const VARIABLE: &str = "PITON_PASSAGE";

/// The outer end.
pub struct Passage(UnixStream);

impl Passage {
    /// Starts `program` with the inner end, and asks it for sockets on `ports`. Its standard streams are those of this process.
    pub fn start(program: &Path, args: &[OsString], ports: &[u16]) -> io::Result<(Child, Self)> {
        let (outer, inner) = UnixStream::pair()?;
        rustix::io::fcntl_setfd(&inner, rustix::io::FdFlags::empty())?;
        let mut words = vec![inner.as_raw_fd().to_string()];
        words.extend(ports.iter().map(u16::to_string));
        #[expect(clippy::disallowed_methods, reason = "this is the port")]
        let child = Command::new(program).args(args).env(VARIABLE, words.join(" ")).spawn()?;
        Ok((child, Self(outer)))
    }

    /// The next socket that was handed over, and the port that was asked for; `None` once there are no more.
    pub fn next(&self) -> io::Result<Option<(u16, TcpListener)>> {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut rights = RecvAncillaryBuffer::new(&mut space);
        let mut port = [0; 2];
        let got = recvmsg(&self.0, &mut [IoSliceMut::new(&mut port)], &mut rights, RecvFlags::CMSG_CLOEXEC)?;
        let sockets = rights.drain().filter_map(|message| match message {
            RecvAncillaryMessage::ScmRights(sockets) => Some(sockets),
            _ => None,
        });
        let socket = sockets.flatten().next();
        Ok(socket.filter(|_| got.bytes == port.len()).map(|socket| (u16::from_be_bytes(port), socket.into())))
    }
}

/// The inner end, for a program that was started with one.
pub struct Inside {
    socket: UnixStream,
    /// Where it is to listen.
    pub ports: Vec<u16>,
}

impl Inside {
    /// Takes it. Once: what is started from here must not have it.
    pub fn take() -> Option<Self> {
        let said = std::env::var(VARIABLE).ok()?;
        let mut words = said.split(' ');
        let number = words.next()?.parse().ok()?;
        #[expect(unsafe_code, reason = "a descriptor that this program was started with has no owner yet")]
        // SAFETY: `Passage::start` alone sets the variable and leaves this very descriptor open; it is taken once, before anything
        // else was opened.
        let socket = unsafe { OwnedFd::from_raw_fd(number) }.into();
        Some(Self { socket, ports: words.filter_map(|word| word.parse().ok()).collect() })
    }

    /// Listens on `port` of the loopback network inside, on any where that is 0, and hands the socket over. Returns where it listens.
    pub fn hand_over(&self, port: u16) -> io::Result<u16> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut rights = SendAncillaryBuffer::new(&mut space);
        let sockets = [listener.as_fd()];
        rights.push(SendAncillaryMessage::ScmRights(&sockets));
        sendmsg(&self.socket, &[IoSlice::new(&port.to_be_bytes())], &mut rights, SendFlags::empty())?;
        Ok(listener.local_addr()?.port())
    }
}
