//! The journal of this machine, seen through [`piton_view::Client`].
//!
//! Reads fold the journal; requests are facts appended to it. Where nobody drives a run, the asker takes
//! its lease for a moment and applies the request itself.

mod resolve;
mod status;
mod verify;

use std::time::Duration;

use piton_files::aiwg::History;
use piton_model::loop_machine::{Adoption, IterationRecord};
use piton_model::{Command, Event, Rejection, RunId, Seq, admit, advance};
use piton_store::sqlite::Sqlite;
use piton_store::{Append, Claim, Entry, Expect, Fence, Holder, RunRow, Store};
use piton_sys::redact::Redactor;
use piton_sys::{Clock, Ids, SystemClock, SystemIds};
use piton_view::{Client, EventView, Request, RunStatus, RunSummary, ShowView, VerifyView};

use crate::entry::entry_of;
use crate::layout::Layout;
use crate::load::{self, LoadError, Loaded};

/// How often the journal is asked for news while a caller waits for some.
const LOOK_EVERY: Duration = Duration::from_millis(25);

/// Why a client did not get what it asked for.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// There is no run at all.
    #[error("there is no run here yet")]
    NoRuns,
    /// No run fits.
    #[error("no run is called `{text}`")]
    NoSuchRun {
        /// What was given.
        text: String,
    },
    /// Several runs fit.
    #[error("`{text}` could be any of {}", .candidates.join(", "))]
    Ambiguous {
        /// What was given.
        text: String,
        /// What it could mean.
        candidates: Vec<String>,
    },
    /// The request makes no sense where the run is.
    #[error(transparent)]
    Rejected(#[from] Rejection),
    /// The journal said no.
    #[error(transparent)]
    Store(#[from] piton_store::Error),
    /// The run could not be loaded.
    #[error(transparent)]
    Load(#[from] LoadError),
}

/// A client of the journal in this repository.
pub struct LocalClient {
    store: Sqlite,
    layout: Layout,
}

impl LocalClient {
    /// A client of the journal that `store` is.
    pub fn new(store: Sqlite, layout: Layout) -> Self {
        Self { store, layout }
    }

    /// The journal itself.
    pub fn store(&self) -> &Sqlite {
        &self.store
    }

    /// Where things lie.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Loads a run, now or as it was.
    pub async fn load(&self, run: &RunId, at: Option<Seq>) -> Result<Loaded, ClientError> {
        Ok(match at {
            None => load::load(&self.store, run).await?,
            Some(at) => load::load_at(&self.store, run, at).await?,
        })
    }

    /// An iteration with a verdict, however long ago.
    pub async fn iteration(&self, run: &RunId, number: u32) -> Result<Option<IterationRecord>, ClientError> {
        let state = self.load(run, None).await?.state;
        if let Some(record) = state.recent.iter().find(|record| record.number == number) {
            return Ok(Some(record.clone()));
        }
        let mut found = None;
        load::fold_all(&self.store, run, &mut |state| {
            let record = state.recent.iter().rev().find(|record| record.number == number);
            found = record.cloned().or(found.take());
        })
        .await?;
        Ok(found)
    }

    /// Everything that was ever in the histories of a run.
    pub async fn history(&self, run: &RunId) -> Result<History, ClientError> {
        let mut history = History::new();
        load::fold_all(&self.store, run, &mut |state| history.absorb(state)).await?;
        Ok(history)
    }

    /// Records a new run.
    pub async fn create(&self, event: &Event) -> Result<RunId, ClientError> {
        self.create_with(event, None).await
    }

    /// Records a new run that goes on with what another one left.
    pub async fn create_with(&self, event: &Event, adoption: Option<Adoption>) -> Result<RunId, ClientError> {
        let at = SystemClock.now();
        let Event::RunCreated { run, .. } = event else { panic!("a run begins with its creation") };
        let mut state = piton_model::apply(None, event, at).expect("a creation makes a state");
        let mut events = vec![event.encode()];
        if let Some(adoption) = adoption {
            let adopted = Event::RunAdopted { adoption: Box::new(adoption) };
            state = piton_model::apply(Some(state), &adopted, at).expect("a state stays a state");
            events.push(adopted.encode());
        }
        let append = Append {
            run: run.clone(),
            fence: Fence::Request(SystemIds.bytes()),
            expect: Expect::Seq(0),
            at,
            events,
            entry: Some(entry_of(&state)),
            checkpoint: None,
            salt: SystemIds.bytes(),
        };
        self.store.append(append).await?;
        Ok(run.clone())
    }

    /// This process, as a holder of leases.
    pub fn holder() -> Holder {
        Holder {
            host: piton_sys::process::host_id(),
            process: piton_sys::process::current(),
            since: SystemClock.now(),
        }
    }

    /// Applies requests to a run that nobody drives and that has nothing to do. Leaves it alone otherwise.
    async fn settle(&self, run: &RunId) -> Result<(), ClientError> {
        let lease = match self.store.claim(run, Self::holder(), Claim::IfFree).await {
            Ok(lease) => lease,
            Err(piton_store::Error::Held { .. }) => return Ok(()),
            Err(error) => return Err(error.into()),
        };
        let loaded = load::load(&self.store, run).await?;
        let now = SystemClock.now();
        let (events, state) = advance(&loaded.state, Command::Tick, now)?;
        // Work must be begun by a driver; only what comes to rest is settled here.
        if !events.is_empty() && state.effects().is_empty() {
            let append = Append {
                run: run.clone(),
                fence: Fence::Epoch(lease.epoch),
                expect: Expect::Seq(loaded.head),
                at: now,
                events: events.iter().map(Event::encode).collect(),
                entry: Some(entry_of(&state)),
                checkpoint: None,
                salt: SystemIds.bytes(),
            };
            self.store.append(append).await?;
        }
        self.store.release(lease).await?;
        Ok(())
    }
}

impl Client for LocalClient {
    type Error = ClientError;

    async fn runs(&self) -> Result<Vec<RunSummary>, ClientError> {
        Ok(self.store.checked_rows()?.into_iter().map(summary_of).collect())
    }

    async fn resolve(&self, text: Option<&str>) -> Result<RunId, ClientError> {
        // A run that is named in full is found whatever became of the others.
        if let Some(named) = text.filter(|text| *text != "last").and_then(|text| text.parse::<RunId>().ok()) {
            match self.store.row(&named).await {
                Ok(row) => return Ok(row.run),
                Err(piton_store::Error::UnknownRun { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        resolve::resolve(self.store.checked_rows()?, text)
    }

    async fn status(&self, run: &RunId) -> Result<RunStatus, ClientError> {
        let loaded = self.load(run, None).await?;
        let holder = self.store.holder(run).await?;
        Ok(status::status_of(&loaded, holder.as_ref()))
    }

    async fn show(&self, run: &RunId, at: Option<Seq>) -> Result<ShowView, ClientError> {
        let loaded = self.load(run, at).await?;
        let state = loaded.state;
        let (run_id, kind) = (state.run.clone(), state.kind.as_str().to_owned());
        Ok(ShowView { run_id, kind, seq: loaded.head, state })
    }

    async fn events(&self, run: &RunId, from: Seq, wait: Duration) -> Result<Vec<EventView>, ClientError> {
        let started = SystemClock.monotonic();
        let mut revision = None;
        loop {
            let seen = self.store.revision().await?;
            if revision != Some(seen) {
                revision = Some(seen);
                let events = self.store.read(run, from, 10_000).await?;
                if !events.is_empty() {
                    return Ok(events.iter().map(status::event_view).collect());
                }
            }
            if SystemClock.monotonic() - started >= wait {
                return Ok(Vec::new());
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }

    async fn request(&self, run: &RunId, request: Request) -> Result<(), ClientError> {
        let event = redacted(request).into_event();
        admit(&self.load(run, None).await?.state, &event)?;
        let append = Append {
            run: run.clone(),
            fence: Fence::Request(SystemIds.bytes()),
            expect: Expect::Any,
            at: SystemClock.now(),
            events: vec![event.encode()],
            entry: None,
            checkpoint: None,
            salt: SystemIds.bytes(),
        };
        self.store.append(append).await?;
        self.settle(run).await
    }

    async fn verify(&self, run: Option<&RunId>) -> Result<VerifyView, ClientError> {
        verify::verify(&self.store, run).await
    }
}

/// What people type is written down, so secrets in it are not.
fn redacted(request: Request) -> Request {
    let redactor = Redactor::from_environment();
    let clean = |text: String| redactor.redact(&text).into_owned();
    match request {
        Request::Tell(text) => Request::Tell(clean(text)),
        Request::Answer { question, answer, comment, seen } => {
            Request::Answer { question, answer, comment: comment.map(clean), seen }
        }
        Request::Note { text, set } => Request::Note { text: clean(text), set },
        Request::Choose { iteration, reason } => Request::Choose { iteration, reason: clean(reason) },
        other @ (Request::Pause
        | Request::Stop { .. }
        | Request::Skip
        | Request::Reboot
        | Request::Mode { .. }
        | Request::Resume(_)
        | Request::Mark { .. }) => other,
    }
}

fn summary_of(row: RunRow) -> RunSummary {
    let Entry { kind, title, status, reason, created_at, iteration, waiting_for } = row.entry;
    let updated_at = row.updated_at;
    RunSummary {
        run_id: row.run,
        kind,
        title,
        status,
        reason,
        created_at,
        updated_at,
        iteration,
        waiting_for,
    }
}
