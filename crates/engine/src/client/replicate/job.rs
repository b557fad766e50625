//! What is done beside shipping, on a thread of its own: small objects become few, and what is there is restored and verified.

use std::thread::JoinHandle;

use piton_model::Timestamp;
use piton_store::JournalId;
use piton_sys::{Clock, SystemClock};
use piton_vault::replica::{self, Proven, Tidied};

use crate::client::vault::Scratch;
use crate::layout::Layout;

/// What is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Task {
    /// Make few objects of many.
    Tidy,
    /// Restore and verify.
    Prove,
}

/// What came of it.
pub(super) enum Done {
    Tidied(Tidied),
    Proven(Proven),
}

/// Why nothing came of it.
pub(super) enum Failed {
    /// The target, or what lies there.
    Vault(piton_vault::Error),
    /// This machine.
    Machine(piton_view::Error),
}

/// Of which replica, and where.
#[derive(Clone)]
pub(super) struct Subject {
    pub(super) layout: Layout,
    pub(super) to: String,
    pub(super) journal: JournalId,
    pub(super) generation: String,
    pub(super) compress: bool,
    pub(super) format: String,
}

/// A task that is being done.
pub(super) struct Job {
    pub(super) task: Task,
    pub(super) generation: String,
    pub(super) begun_at: Timestamp,
    thread: JoinHandle<Result<Done, Failed>>,
}

impl Job {
    pub(super) fn start(task: Task, subject: Subject) -> Self {
        let generation = subject.generation.clone();
        let thread = std::thread::spawn(move || run(task, &subject));
        Self { task, generation, begun_at: SystemClock.now(), thread }
    }

    pub(super) fn is_over(&self) -> bool {
        self.thread.is_finished()
    }

    /// What came of it; waits for that.
    pub(super) fn end(self) -> Result<Done, Failed> {
        self.thread.join().unwrap_or_else(|_| {
            let error = piton_view::Error::new(
                piton_view::ErrorKind::Environment,
                "what was done beside shipping ended without a word",
            );
            Err(Failed::Machine(error))
        })
    }
}

/// The task, on this thread.
pub(super) fn run(task: Task, subject: &Subject) -> Result<Done, Failed> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Failed::Machine(piton_view::Error::environment(&error)))?;
    runtime.block_on(async {
        let target = super::work::parse(&subject.layout, &subject.to).map_err(Failed::Machine)?;
        let (journal, generation) = (subject.journal.to_string(), &subject.generation);
        match task {
            Task::Tidy => {
                let now = SystemClock.now();
                let tidied = replica::tidy(&*target, &journal, generation, subject.compress, now).await;
                tidied.map(Done::Tidied).map_err(Failed::Vault)
            }
            Task::Prove => {
                let scratch = Scratch::new(&subject.layout).map_err(Failed::Machine)?;
                let (at, format) = (scratch.path(), subject.format.as_str());
                let proven = replica::prove(&*target, &journal, generation, at, format, &SystemClock).await;
                proven.map(Done::Proven).map_err(Failed::Vault)
            }
        }
    })
}
