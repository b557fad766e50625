//! The journal of this machine, seen through [`piton_view::Client`].
//!
//! Reads fold the journal; requests are facts appended to it. Where nobody drives a run, the asker takes
//! its lease for a moment and applies the request itself.

mod at_rest;
mod collect;
mod cycles;
mod door;
mod events;
mod failure;
mod gaps;
mod land;
mod ledgers;
pub(crate) mod metrics;
pub(crate) mod night;
mod now;
mod output;
mod repair;
mod replicate;
mod report;
mod requests;
mod research;
mod resolve;
mod restore;
mod sizes;
mod status;
mod vault;
mod verify;
mod workflows;

pub use failure::unsound;
pub(crate) use failure::{DAMAGED, UNLINKED};
pub(crate) use replicate::{attend, ensure_where_behind};
pub(crate) use vault::bring_keys;
pub use vault::reach as reach_backups;

use std::sync::{Arc, OnceLock};

use piton_files::aiwg::History;
use piton_git::Workspace;
use piton_model::loop_machine::{Adoption, IterationRecord};
use piton_model::{Encoded, Entry, Event, Kind, Machine, Rejection, RunEvent, RunId, Seq, State, Timestamp};
use piton_store::{Append, Claim, Expect, Fence, Holder, Lease, RunRow, Store, Wanted};
use piton_sys::{Clock, Ids, SystemClock, SystemIds};
use piton_view::StateOf;

use at_rest::Released;

use crate::driver::claim_soon;
use crate::journal::{self, Opened};
use crate::launch::SecretsError;
use crate::layout::Layout;
use crate::load::{self, LoadError, Loaded};

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
    /// The name was given to a run that was removed since.
    #[error("`{run}` was the name of a run that was removed, and names are not given twice")]
    Removed {
        /// The name.
        run: RunId,
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
    /// The state directory could not be kept out of git's reach.
    #[error(transparent)]
    Git(#[from] piton_git::Error),
    /// What must not be written down cannot be read.
    #[error(transparent)]
    Secrets(#[from] SecretsError),
}

/// What helps with a run whose journal is not this user's.
const MAKE_IT_YOURS: &str = "piton trust --journal";

/// A client of the journal in this repository.
pub struct LocalClient {
    /// Opened when it is first needed: an order that is refused leaves nothing behind.
    store: OnceLock<Arc<dyn Store>>,
    layout: Layout,
    /// Why the journal can only be read, where that is so.
    caution: Option<String>,
    /// Why nothing can be written to it, where that is so.
    closed: Option<String>,
}

impl LocalClient {
    /// A client of the journal that `store` is.
    pub fn new(store: Arc<dyn Store>, layout: Layout) -> Self {
        Self { store: OnceLock::from(store), layout, caution: None, closed: None }
    }

    /// A client of the journal of a repository, which is created when something is put on record.
    pub fn create_when_needed(layout: Layout) -> Self {
        Self { store: OnceLock::new(), layout, caution: None, closed: None }
    }

    /// A client of the journal of a repository, if it has one.
    pub fn existing(layout: Layout) -> Result<Option<Self>, ClientError> {
        let opened = journal::open_existing(&layout)?;
        Ok(opened.map(|Opened { store, caution, closed }| Self {
            caution,
            closed,
            ..Self::new(store, layout)
        }))
    }

    /// The journal itself.
    pub fn store(&self) -> Result<&Arc<dyn Store>, ClientError> {
        match self.store.get() {
            Some(store) => Ok(store),
            None => {
                let opened = journal::open(&self.layout)?;
                Ok(self.store.get_or_init(|| opened))
            }
        }
    }

    /// The journal, if there is one: looking for it makes none.
    pub(super) fn existing_store(&self) -> Result<Option<&Arc<dyn Store>>, ClientError> {
        if self.store.get().is_none()
            && let Some(opened) = journal::open_existing(&self.layout)?
        {
            return Ok(Some(self.store.get_or_init(|| opened.store)));
        }
        Ok(self.store.get())
    }

    /// Why the journal can only be read, where that is so.
    fn caution(&self) -> Option<&str> {
        self.caution.as_deref()
    }

    /// Where things lie.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Loads a run of the kind that `M` is, now or as it was.
    pub async fn load<M: Machine>(&self, run: &RunId, at: Option<Seq>) -> Result<Loaded<M>, ClientError> {
        let store = self.store()?;
        Ok(match at {
            None => load::load(&**store, run).await?,
            Some(at) => load::load_at(&**store, run, at).await?,
        })
    }

    /// The same, where there is such a run.
    pub(crate) async fn load_if_there<M: Machine>(
        &self,
        run: &RunId,
    ) -> Result<Option<Loaded<M>>, ClientError> {
        match self.load(run, None).await {
            Ok(loaded) => Ok(Some(loaded)),
            Err(ClientError::Load(LoadError::Store(piton_store::Error::UnknownRun { .. }))) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// What kind of run it is.
    pub async fn kind(&self, run: &RunId) -> Result<Kind, ClientError> {
        Ok(self.row(run).await?.entry.kind)
    }

    /// Loads a run of any kind, now or as it was.
    pub(crate) async fn load_any(
        &self,
        run: &RunId,
        at: Option<Seq>,
    ) -> Result<Loaded<StateOf>, ClientError> {
        Ok(match self.kind(run).await? {
            Kind::Loop => self.load(run, at).await?.map(|state| StateOf::Loop(Box::new(state))),
            Kind::Workflow => self.load(run, at).await?.map(|state| StateOf::Workflow(Box::new(state))),
            Kind::Cycle => self.load(run, at).await?.map(|state| StateOf::Cycle(Box::new(state))),
            Kind::Ledger => self.load(run, at).await?.map(|state| StateOf::Ledger(Box::new(state))),
        })
    }

    /// What a list of runs would say of a run, from its events, whatever its kind.
    pub(crate) async fn entry(&self, run: &RunId) -> Result<Entry, ClientError> {
        Ok(self.load_any(run, None).await?.state.entry())
    }

    /// Every run that is there and sound, newest first, whatever became of others.
    pub(crate) async fn entries(&self) -> Result<Vec<Entry>, ClientError> {
        Ok(self.all_there().await?.into_iter().map(|row| row.entry).collect())
    }

    /// Every run that is there, whatever became of others.
    pub(crate) async fn all_there(&self) -> Result<Vec<RunRow>, ClientError> {
        Ok(self.store()?.rows(Wanted::ALL_THERE).await?.rows)
    }

    /// What the index says of a run.
    pub(crate) async fn row(&self, run: &RunId) -> Result<RunRow, ClientError> {
        Ok(self.store()?.row(run).await?)
    }

    /// Who drives a run, if anybody living does.
    pub async fn driver_of(&self, run: &RunId) -> Result<Option<Holder>, ClientError> {
        Ok(self.store()?.holder(run).await?)
    }

    /// What a command about other runs sees of a run; nothing of one that is damaged, which is no reason for it to fail. Whoever
    /// asks about that one is told.
    pub(crate) fn unless_damaged<T>(looked: Result<T, ClientError>) -> Result<Option<T>, ClientError> {
        use piton_store::Error::{Archived, Corrupt, UnknownRun};
        match looked {
            Err(ClientError::Load(LoadError::Event { .. })) => Ok(None),
            Err(
                ClientError::Store(UnknownRun { .. } | Corrupt(_) | Archived { .. })
                | ClientError::Load(LoadError::Store(UnknownRun { .. } | Corrupt(_) | Archived { .. })),
            ) => Ok(None),
            looked => looked.map(Some),
        }
    }

    /// Takes the lease of a run, for this process.
    pub(crate) async fn claim(&self, run: &RunId, claim: Claim) -> Result<Lease, ClientError> {
        Ok(self.store()?.claim(run, Self::holder(), claim).await?)
    }

    /// Lets go of a lease.
    pub(crate) async fn release(&self, lease: Lease) -> Result<(), ClientError> {
        Ok(self.store()?.release(lease).await?)
    }

    /// "Somebody else drives it."
    pub(crate) fn held(run: &RunId, holder: Holder) -> piton_view::Error {
        ClientError::Store(piton_store::Error::Held { run: run.clone(), holder: Box::new(holder) }).into()
    }

    /// An iteration with a verdict, however long ago.
    pub async fn iteration(&self, run: &RunId, number: u32) -> Result<Option<IterationRecord>, ClientError> {
        let state = self.load::<State>(run, None).await?.state;
        if let Some(record) = state.judged.recent.iter().find(|record| record.number == number) {
            return Ok(Some(record.clone()));
        }
        let mut found = None;
        load::fold_all(&**self.store()?, run, &mut |state: &State| {
            let record = state.judged.recent.iter().rev().find(|record| record.number == number);
            found = record.cloned().or(found.take());
        })
        .await?;
        Ok(found)
    }

    /// Everything that was ever in the histories of a run.
    pub async fn history(&self, run: &RunId) -> Result<History, ClientError> {
        let mut history = History::new();
        load::fold_all(&**self.store()?, run, &mut |state: &State| history.absorb(state)).await?;
        Ok(history)
    }

    /// Records a new loop, with what another one left where there is something.
    pub async fn create_loop(&self, begun: Event, adoption: Option<Adoption>) -> Result<RunId, ClientError> {
        let adopted = adoption.map(|adoption| Event::RunAdopted { adoption: Box::new(adoption) });
        let events: Vec<Event> = std::iter::once(begun).chain(adopted).collect();
        self.create::<State>(&events).await
    }

    /// Records a new run of the kind that `M` is; the first event is its creation. The name of one that was removed is not given
    /// again.
    pub async fn create<M: Machine>(&self, events: &[M::Event]) -> Result<RunId, ClientError> {
        self.put_on_record::<M>(events, false).await
    }

    /// The same for a run that comes back from files which it left: it may be the one that was removed.
    pub(crate) async fn create_again<M: Machine>(&self, events: &[M::Event]) -> Result<RunId, ClientError> {
        self.put_on_record::<M>(events, true).await
    }

    async fn put_on_record<M: Machine>(
        &self,
        events: &[M::Event],
        comes_back: bool,
    ) -> Result<RunId, ClientError> {
        let at = SystemClock.now();
        let fold = |state: Option<M>, event: &M::Event| M::apply(state, event, at);
        let state = events.iter().fold(None, fold).expect("a run begins with its creation");
        let run = state.entry().run_id;
        let request =
            self.request_append(&run, Expect::Seq(0), at, events.iter().map(RunEvent::encode).collect());
        let store = self.store()?;
        if !comes_back && store.gone().await?.iter().any(|gone| gone.key == run.key()) {
            return Err(ClientError::Removed { run });
        }
        // What piton keeps is out of git's reach before there is anything to lose.
        Workspace::open(self.layout.root(), &self.layout.state())?.protect_state()?;
        store.append(Append { entry: Some(state.entry()), ..request }).await?;
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
        let lease = claim_soon(&**self.store()?, run, Self::holder()).await?;
        let recorded = match load::load::<M>(&**self.store()?, run).await {
            Ok(loaded) => self.record_under(&lease, loaded, command, SystemClock.now()).await,
            Err(error) => Err(error.into()),
        };
        self.store()?.release(lease).await?;
        recorded
    }

    /// The same, of a run as it was loaded under this lease.
    pub(crate) async fn record_under<M: Machine>(
        &self,
        lease: &Lease,
        loaded: Loaded<M>,
        command: M::Command,
        now: Timestamp,
    ) -> Result<(), ClientError> {
        let (events, _) = loaded.state.advance(command, now)?;
        // The first event is what the command says.
        let Some(event) = events.into_iter().next() else { return Ok(()) };
        let state = M::apply(Some(loaded.state), &event, now).expect("a state stays a state");
        self.append_under(lease, loaded.head, now, &[event], &state).await
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
            entry: Some(state.entry()),
            checkpoint: None,
            salt: SystemIds.bytes(),
        };
        self.store()?.append(append).await?;
        Ok(())
    }

    /// Records a request, and applies it where nobody drives the run and it has nothing to do. And where it is on record.
    async fn ask<M: Machine>(&self, run: &RunId, request: M::Event) -> Result<(Released, Seq), ClientError> {
        self.load::<M>(run, None).await?.state.admit(&request)?;
        let append = self.request_append(run, Expect::Any, SystemClock.now(), vec![request.encode()]);
        let seq = self.store()?.append(append).await?.seq;
        // Whoever drives it hears of it.
        let lease = match self.store()?.claim(run, Self::holder(), Claim::IfFree).await {
            Ok(lease) => lease,
            Err(piton_store::Error::Held { .. }) => return Ok((Released::default(), seq)),
            Err(error) => return Err(error.into()),
        };
        let applied = self.apply_requests::<M>(&lease).await;
        let released = self.release_shown(lease).await?;
        Ok((Released { work_follows: applied? || released.work_follows, ..released }, seq))
    }

    /// The run as a request that was recorded as `seq` found it, with everything judged that was asked before.
    pub(super) async fn found_by<M: Machine>(&self, run: &RunId, seq: Seq) -> Result<M, ClientError> {
        let before = self.load::<M>(run, Some(seq.saturating_sub(1).max(1))).await?.state;
        Ok(before.advance(M::tick(), SystemClock.now())?.1)
    }

    /// Records what follows from what was asked of a run at rest. `true` where that is work.
    pub(super) async fn apply_requests<M: Machine>(&self, lease: &Lease) -> Result<bool, ClientError> {
        loop {
            let loaded = load::load::<M>(&**self.store()?, &lease.run).await?;
            let now = SystemClock.now();
            let (events, state) = loaded.state.advance(M::tick(), now)?;
            // Work must be begun by a driver; only what comes to rest is settled here.
            if !state.effects().is_empty() {
                return Ok(true);
            }
            if events.is_empty() {
                return Ok(false);
            }
            match self.append_under(lease, loaded.head, now, &events, &state).await {
                // Asking needs no lease: somebody did meanwhile, and what follows may be another thing.
                Err(ClientError::Store(piton_store::Error::Conflict { .. })) => {}
                appended => return appended.map(|()| false),
            }
        }
    }
}
