//! Signals to the driver: SIGTERM and SIGINT are interrupts, SIGHUP means only that nobody watches.

use std::cell::RefCell;
use std::future::poll_fn;
use std::io;
use std::task::Poll;

use tokio::signal::unix::{Signal, SignalKind, signal};

/// The interrupts of this process.
pub(crate) struct Interrupts {
    listeners: RefCell<Vec<Signal>>,
    _hangup: Signal,
    count: RefCell<u32>,
}

impl Interrupts {
    pub(crate) fn new() -> io::Result<Self> {
        let listeners = vec![signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?];
        Ok(Self {
            listeners: RefCell::new(listeners),
            // Listening replaces the default, which would end the process.
            _hangup: signal(SignalKind::hangup())?,
            count: RefCell::new(0),
        })
    }

    /// The next interrupt: `false` for the first, `true` for every later one.
    pub(crate) async fn next(&self) -> bool {
        poll_fn(|context| {
            let mut listeners = self.listeners.borrow_mut();
            match listeners.iter_mut().any(|listener| listener.poll_recv(context).is_ready()) {
                true => Poll::Ready(()),
                false => Poll::Pending,
            }
        })
        .await;
        let mut count = self.count.borrow_mut();
        *count += 1;
        *count > 1
    }
}
