//! Group commit: whoever appends alone commits alone; a crowd shares one sync.
//!
//! A hand-off to a thread costs more than a step's own work, so an append commits in the caller's
//! thread while this process drives at most one run. With more, appends queue for a writer thread,
//! which commits whatever has gathered while it was syncing the batch before.

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use super::commit::Writer;
use super::record::Prepared;
use crate::error::Error;
use crate::types::Head;

/// Nobody else came for so long: the rest of the crowd waits for its agents.
const QUIET: Duration = Duration::from_millis(1);

/// The way into the journal for the threads and tasks of one process.
pub(super) struct Queue {
    shared: Arc<Shared>,
    thread: Mutex<Option<std::thread::JoinHandle<()>>>,
}

struct Shared {
    waiting: Mutex<Waiting>,
    arrived: Condvar,
    writer: Mutex<Writer>,
    /// Shared with the leases, which may outlive the journal's handle.
    leases: Arc<AtomicUsize>,
}

#[derive(Default)]
struct Waiting {
    entries: Vec<(Prepared, Arc<Slot>)>,
    closed: bool,
}

/// Where the answer to one append is left.
#[derive(Default)]
struct Slot {
    state: Mutex<SlotState>,
}

#[derive(Default)]
struct SlotState {
    answer: Option<Result<Head, Error>>,
    waker: Option<Waker>,
}

impl Shared {
    /// How many appends a commit waits for.
    fn crowd(&self) -> usize {
        self.leases.load(Ordering::Relaxed) / 2
    }
}

impl Queue {
    pub(super) fn new(writer: Writer) -> Self {
        let shared = Shared {
            waiting: Mutex::default(),
            arrived: Condvar::new(),
            writer: Mutex::new(writer),
            leases: Arc::default(),
        };
        Self { shared: Arc::new(shared), thread: Mutex::new(None) }
    }

    /// A lease of this process began (+1) or ended (−1).
    pub(super) fn lease_counter(&self) -> LeaseCount {
        self.shared.leases.fetch_add(1, Ordering::Relaxed);
        LeaseCount(Arc::clone(&self.shared.leases))
    }

    /// The writer itself, for the rare operations that are not appends.
    pub(super) fn writer(&self) -> MutexGuard<'_, Writer> {
        lock(&self.shared.writer)
    }

    /// Commits `prepared`, alone or with others.
    pub(super) async fn append(&self, prepared: Prepared) -> Result<Head, Error> {
        if self.shared.leases.load(Ordering::Relaxed) <= 1 {
            let mut answers = self.writer().commit(std::slice::from_ref(&prepared));
            return answers.pop().expect("one answer per append");
        }
        self.start_thread();
        let slot = Arc::new(Slot::default());
        let count = {
            let mut waiting = lock(&self.shared.waiting);
            waiting.entries.push((prepared, Arc::clone(&slot)));
            waiting.entries.len()
        };
        // In between the writer has nothing to do but to wait.
        if count == 1 || count == self.shared.crowd() {
            self.shared.arrived.notify_one();
        }
        Answer(slot).await
    }

    fn start_thread(&self) {
        let mut thread = lock(&self.thread);
        if thread.is_none() {
            let shared = Arc::clone(&self.shared);
            let builder = std::thread::Builder::new().name("journal".to_owned()).stack_size(512 << 10);
            *thread = Some(builder.spawn(move || drain(&shared)).expect("a thread can be started"));
        }
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        lock(&self.shared.waiting).closed = true;
        self.shared.arrived.notify_one();
        if let Some(thread) = lock(&self.thread).take() {
            let _ = thread.join();
        }
    }
}

/// Counts a lease of this process until it is dropped.
pub(super) struct LeaseCount(Arc<AtomicUsize>);

impl Drop for LeaseCount {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

fn drain(shared: &Shared) {
    loop {
        let gathered = gather(shared);
        if gathered.is_empty() {
            return;
        }
        let (batch, slots): (Vec<_>, Vec<_>) = gathered.into_iter().unzip();
        let answers = lock(&shared.writer).commit(&batch);
        for (slot, answer) in slots.into_iter().zip(answers) {
            let waker = {
                let mut state = lock(&slot.state);
                state.answer = Some(answer);
                state.waker.take()
            };
            if let Some(waker) = waker {
                waker.wake();
            }
        }
    }
}

/// What is to be committed next; empty when the journal is closed.
///
/// The drivers that the last batch woke are about to append again: syncing for the first of them alone
/// would make the others wait for a whole sync more. So a commit waits for half of the crowd, as long as
/// it keeps coming: one half appends while the other is synced.
fn gather(shared: &Shared) -> Vec<(Prepared, Arc<Slot>)> {
    let waiting = lock(&shared.waiting);
    let mut waiting = shared
        .arrived
        .wait_while(waiting, |waiting| waiting.entries.is_empty() && !waiting.closed)
        .unwrap_or_else(PoisonError::into_inner);
    while waiting.entries.len() < shared.crowd() && !waiting.closed {
        let before = waiting.entries.len();
        waiting = shared.arrived.wait_timeout(waiting, QUIET).unwrap_or_else(PoisonError::into_inner).0;
        if waiting.entries.len() == before {
            break;
        }
    }
    std::mem::take(&mut waiting.entries)
}

struct Answer(Arc<Slot>);

impl Future for Answer {
    type Output = Result<Head, Error>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let mut state = lock(&self.0.state);
        if let Some(answer) = state.answer.take() {
            return Poll::Ready(answer);
        }
        state.waker = Some(context.waker().clone());
        Poll::Pending
    }
}

/// A panic while a lock was held has been reported already; what it guards is still consistent.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
