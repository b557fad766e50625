//! The journal of this machine, seen through [`piton_view::Client`].
//!
//! Reads fold the journal; requests are facts appended to it. Where nobody drives a run, the asker takes
//! its lease for a moment and applies the request itself.

mod resolve;
mod status;
mod verify;
mod workflows;

use std::sync::Arc;
use std::time::Duration;

use piton_files::aiwg::History;
use piton_model::loop_machine::{Adoption, IterationRecord};
use piton_model::{
    Encoded, Event, Kind, Machine, Outline, Rejection, RunEvent, RunId, Seq, State, Timestamp,
    ledger_machine, workflow,
};
use piton_store::{Append, Claim, Entry, Expect, Fence, Holder, Lease, RunRow, Store, Wanted};
use piton_sys::{Clock, Ids, SystemClock, SystemIds};
use piton_view::{
    AskedView, Client, EventView, Request, RunStatus, RunSummary, ShowView, VerifyView, WorkflowStatus,
};

use crate::driver::claim_soon;
use crate::entry::entry_of;
use crate::launch::{Secrets, SecretsError};
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
    /// What must not be written down cannot be read.
    #[error(transparent)]
    Secrets(#[from] SecretsError),
}

/// A client of the journal in this repository.
pub struct LocalClient {
    store: Arc<dyn Store>,
    layout: Layout,
}

impl LocalClient {
    /// A client of the journal that `store` is.
    pub fn new(store: Arc<dyn Store>, layout: Layout) -> Self {
        Self { store, layout }
    }

    /// The journal itself.
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// Where things lie.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Loads a loop, now or as it was.
    pub async fn load(&self, run: &RunId, at: Option<Seq>) -> Result<Loaded, ClientError> {
        self.load_as(run, at).await
    }

    /// Loads a run of the kind that `M` is, now or as it was.
    pub async fn load_as<M: Machine>(&self, run: &RunId, at: Option<Seq>) -> Result<Loaded<M>, ClientError> {
        Ok(match at {
            None => load::load(&*self.store, run).await?,
            Some(at) => load::load_at(&*self.store, run, at).await?,
        })
    }

    /// What kind of run it is.
    pub async fn kind(&self, run: &RunId) -> Result<Kind, ClientError> {
        let word = self.store.row(run).await?.entry.kind;
        Kind::from_word(&word)
            .ok_or_else(|| LoadError::OtherKind { run: run.clone(), kind: word, wanted: Kind::Loop }.into())
    }

    /// What a list of runs would say of a run, from its events, whatever its kind.
    pub async fn outline(&self, run: &RunId) -> Result<Outline, ClientError> {
        Ok(match self.kind(run).await? {
            Kind::Loop => self.load_as::<State>(run, None).await?.state.outline(),
            Kind::Workflow => self.load_as::<workflow::State>(run, None).await?.state.outline(),
            Kind::Ledger => self.load_as::<ledger_machine::State>(run, None).await?.state.outline(),
        })
    }

    /// What a run asks, whatever its kind.
    pub async fn questions(&self, run: &RunId) -> Result<Vec<AskedView>, ClientError> {
        Ok(match self.kind(run).await? {
            Kind::Loop => status::asked(&self.load(run, None).await?.state),
            Kind::Workflow => workflows::asked(&self.load_as(run, None).await?.state),
            Kind::Ledger => Vec::new(),
        })
    }

    /// Whether answers were given that nobody looked at yet.
    pub async fn has_answers(&self, run: &RunId) -> Result<bool, ClientError> {
        Ok(match self.kind(run).await? {
            Kind::Loop => !self.load(run, None).await?.state.requests.answers.is_empty(),
            Kind::Workflow => {
                !self.load_as::<workflow::State>(run, None).await?.state.requests.answers.is_empty()
            }
            Kind::Ledger => false,
        })
    }

    /// Where a workflow is, why, and what to do.
    pub async fn workflow_status(&self, run: &RunId) -> Result<WorkflowStatus, ClientError> {
        let loaded = self.load_as(run, None).await?;
        let holder = self.store.holder(run).await?;
        Ok(workflows::status_of(&self.layout, &loaded, holder.as_ref()))
    }

    /// The whole state of a run of the kind that `M` is, now or after event `at`.
    pub async fn show_as<M: Machine>(
        &self,
        run: &RunId,
        at: Option<Seq>,
    ) -> Result<ShowView<M>, ClientError> {
        let loaded = self.load_as::<M>(run, at).await?;
        let kind = M::KIND.as_str().to_owned();
        Ok(ShowView { run_id: run.clone(), kind, seq: loaded.head, state: loaded.state })
    }

    /// An iteration with a verdict, however long ago.
    pub async fn iteration(&self, run: &RunId, number: u32) -> Result<Option<IterationRecord>, ClientError> {
        let state = self.load(run, None).await?.state;
        if let Some(record) = state.judged.recent.iter().find(|record| record.number == number) {
            return Ok(Some(record.clone()));
        }
        let mut found = None;
        load::fold_all(&*self.store, run, &mut |state: &State| {
            let record = state.judged.recent.iter().rev().find(|record| record.number == number);
            found = record.cloned().or(found.take());
        })
        .await?;
        Ok(found)
    }

    /// Everything that was ever in the histories of a run.
    pub async fn history(&self, run: &RunId) -> Result<History, ClientError> {
        let mut history = History::new();
        load::fold_all(&*self.store, run, &mut |state: &State| history.absorb(state)).await?;
        Ok(history)
    }

    /// Records a new loop.
    pub async fn create(&self, event: &Event) -> Result<RunId, ClientError> {
        self.create_with(event, None).await
    }

    /// Records a new loop that goes on with what another one left.
    pub async fn create_with(&self, event: &Event, adoption: Option<Adoption>) -> Result<RunId, ClientError> {
        let adopted = adoption.map(|adoption| Event::RunAdopted { adoption: Box::new(adoption) });
        let events: Vec<Event> = std::iter::once(event.clone()).chain(adopted).collect();
        self.create_as::<State>(&events).await
    }

    /// Records a new run of the kind that `M` is; the first event is its creation.
    pub async fn create_as<M: Machine>(&self, events: &[M::Event]) -> Result<RunId, ClientError> {
        let at = SystemClock.now();
        let fold = |state: Option<M>, event: &M::Event| M::apply(state, event, at);
        let state = events.iter().fold(None, fold).expect("a run begins with its creation");
        let run = state.outline().run;
        let request =
            self.request_append(&run, Expect::Seq(0), at, events.iter().map(RunEvent::encode).collect());
        self.store.append(Append { entry: Some(entry_of(&state)), ..request }).await?;
        Ok(run)
    }

    fn request_append(&self, run: &RunId, expect: Expect, at: Timestamp, events: Vec<Encoded>) -> Append {
        Append {
            run: run.clone(),
            fence: Fence::Request(SystemIds.bytes()),
            expect,
            at,
            events,
            entry: None,
            checkpoint: None,
            salt: SystemIds.bytes(),
        }
    }

    /// This process, as a holder of leases.
    pub fn holder() -> Holder {
        Holder {
            host: piton_sys::process::host_id(),
            process: piton_sys::process::current(),
            since: SystemClock.now(),
        }
    }

    /// Records what a command says of a run at rest, and nothing that follows from it: that is for whoever drives it next.
    /// A run that is held is waited for a moment; then it is an error.
    pub async fn record_at_rest<M: Machine>(
        &self,
        run: &RunId,
        command: M::Command,
    ) -> Result<(), ClientError> {
        let lease = claim_soon(&*self.store, run, Self::holder()).await?;
        let loaded = load::load::<M>(&*self.store, run).await?;
        let now = SystemClock.now();
        let recorded = match loaded.state.advance(command, now) {
            // The first event is what the command says.
            Ok((events, _)) => match events.into_iter().next() {
                Some(event) => {
                    let state = M::apply(Some(loaded.state), &event, now).expect("a state stays a state");
                    self.append_under(&lease, loaded.head, now, &[event], &state).await
                }
                None => Ok(()),
            },
            Err(rejection) => Err(rejection.into()),
        };
        self.store.release(lease).await?;
        recorded
    }

    async fn append_under<M: Machine>(
        &self,
        lease: &Lease,
        head: Seq,
        at: Timestamp,
        events: &[M::Event],
        state: &M,
    ) -> Result<(), ClientError> {
        let append = Append {
            run: lease.run.clone(),
            fence: Fence::Epoch(lease.epoch),
            expect: Expect::Seq(head),
            at,
            events: events.iter().map(RunEvent::encode).collect(),
            entry: Some(entry_of(state)),
            checkpoint: None,
            salt: SystemIds.bytes(),
        };
        self.store.append(append).await?;
        Ok(())
    }

    /// Tells a run at rest something that whoever drives it next should know. Nothing happens where it has a driver.
    pub async fn tell_at_rest<M: Machine>(
        &self,
        run: &RunId,
        command: M::Command,
    ) -> Result<(), ClientError> {
        let lease = match self.store.claim(run, Self::holder(), Claim::IfFree).await {
            Ok(lease) => lease,
            Err(piton_store::Error::Held { .. }) => return Ok(()),
            Err(error) => return Err(error.into()),
        };
        let loaded = load::load::<M>(&*self.store, run).await?;
        let now = SystemClock.now();
        let (events, state) = loaded.state.advance(command, now)?;
        // Work must be begun by a driver; only what comes to rest is settled here.
        if !events.is_empty() && state.effects().is_empty() {
            self.append_under(&lease, loaded.head, now, &events, &state).await?;
        }
        self.store.release(lease).await?;
        Ok(())
    }

    /// Records a request, and applies it where nobody drives the run and it has nothing to do.
    async fn ask<M: Machine>(&self, run: &RunId, request: M::Event) -> Result<(), ClientError> {
        self.load_as::<M>(run, None).await?.state.admit(&request)?;
        let append = self.request_append(run, Expect::Any, SystemClock.now(), vec![request.encode()]);
        self.store.append(append).await?;
        self.tell_at_rest::<M>(run, M::tick()).await
    }
}

impl LocalClient {
    /// What people type is written down, so secrets in it are not.
    fn redacted(&self, request: Request) -> Result<Request, ClientError> {
        let clean = |text: String| -> Result<String, ClientError> {
            Ok(Secrets::of(self.layout.root())?.redactor().redact(&text).into_owned())
        };
        Ok(match request {
            Request::Tell(text) => Request::Tell(clean(text)?),
            Request::Answer { question, answer, comment, seen, content } => {
                Request::Answer { question, answer, comment: comment.map(clean).transpose()?, seen, content }
            }
            Request::Note { text, set } => Request::Note { text: clean(text)?, set },
            Request::Choose { iteration, reason } => Request::Choose { iteration, reason: clean(reason)? },
            other @ (Request::Pause
            | Request::Stop { .. }
            | Request::Skip
            | Request::Reboot
            | Request::Mode { .. }
            | Request::Resume(_)
            | Request::StartAt(_)
            | Request::Mark { .. }) => other,
        })
    }
}

impl Client for LocalClient {
    type Error = ClientError;

    async fn runs(&self) -> Result<Vec<RunSummary>, ClientError> {
        Ok(self.store.rows(Wanted::ALL).await?.rows.into_iter().map(summary_of).collect())
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
        resolve::resolve(self.store.rows(Wanted::ALL).await?.rows, text)
    }

    async fn status(&self, run: &RunId) -> Result<RunStatus, ClientError> {
        let loaded = self.load(run, None).await?;
        let holder = self.store.holder(run).await?;
        Ok(status::status_of(&loaded, holder.as_ref()))
    }

    async fn show(&self, run: &RunId, at: Option<Seq>) -> Result<ShowView, ClientError> {
        self.show_as(run, at).await
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
        let request = self.redacted(request)?;
        let kind = self.kind(run).await?;
        let refused = |action| Rejection::NotForKind { run: run.clone(), kind, action };
        match kind {
            Kind::Loop => self.ask::<State>(run, request.into_event().map_err(refused)?).await,
            Kind::Workflow => {
                self.ask::<workflow::State>(run, request.into_workflow_event().map_err(refused)?).await
            }
            Kind::Ledger => Err(no_ledger(run)),
        }
    }

    async fn verify(&self, run: Option<&RunId>) -> Result<VerifyView, ClientError> {
        verify::verify(&*self.store, run).await
    }
}

/// A ledger is read and changed by commands of its own.
fn no_ledger(run: &RunId) -> ClientError {
    LoadError::OtherKind { run: run.clone(), kind: Kind::Ledger.as_str().to_owned(), wanted: Kind::Loop }
        .into()
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
