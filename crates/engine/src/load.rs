//! Loading a run: the newest checkpoint, then the events after it, each verified.
//!
//! Invariant: a run of a million events loads in the time of a hundred.

use piton_model::{DecodeError, Kind, Machine, RunEvent, RunId, Seq, State, Timestamp};
use piton_store::{Problem, RunRow, Store, StoredEvent, chain};

/// Events read at a time.
const PAGE: usize = 1024;

/// A run, folded.
#[derive(Clone, Debug)]
pub struct Loaded<M = State> {
    /// The fold.
    pub state: M,
    /// Its last event.
    pub head: Seq,
    /// Bytes of events after the checkpoint it started from.
    pub tail_bytes: u64,
    /// Size of that checkpoint; 0 without one.
    pub checkpoint_bytes: u64,
}

impl<M> Loaded<M> {
    /// The same run, its state seen as something else.
    pub fn map<N>(self, see: impl FnOnce(M) -> N) -> Loaded<N> {
        let Self { state, head, tail_bytes, checkpoint_bytes } = self;
        Loaded { state: see(state), head, tail_bytes, checkpoint_bytes }
    }
}

/// Why a run could not be loaded.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The journal said no.
    #[error(transparent)]
    Store(#[from] piton_store::Error),
    /// The run is of another kind than was meant.
    #[error("run `{run}` is a {}, not a {}", .kind.as_str(), .wanted.as_str())]
    OtherKind {
        /// Which run.
        run: RunId,
        /// What it is.
        kind: Kind,
        /// What it was taken for.
        wanted: Kind,
    },
    /// An event is from a newer piton, or not what it should be.
    #[error("run `{run}`, event {seq}")]
    Event {
        /// Which run.
        run: RunId,
        /// Which event.
        seq: Seq,
        /// What is wrong with it.
        source: DecodeError,
    },
}

impl LoadError {
    fn corrupt(run: &RunId, seq: Seq, what: &str) -> Self {
        LoadError::Store(piton_store::Error::Corrupt(Problem::at(run, seq, what)))
    }
}

/// The run as it is now.
pub async fn load<M: Machine>(store: &dyn Store, run: &RunId) -> Result<Loaded<M>, LoadError> {
    let row = row_of::<M>(store, run).await?;
    let checkpoint = store.checkpoint(run, Seq::MAX).await?;
    let loaded: Loaded<M> = load_with(store, run, Seq::MAX, checkpoint).await?;
    match loaded.head >= row.head.seq {
        true => Ok(loaded),
        false => Err(LoadError::corrupt(run, row.head.seq, "it is missing")),
    }
}

/// The row of a run of this kind. Reading it compares the head with the anchor: a lost tail shows here.
async fn row_of<M: Machine>(store: &dyn Store, run: &RunId) -> Result<RunRow, LoadError> {
    let row = store.row(run).await?;
    match row.entry.kind == M::KIND {
        true => Ok(row),
        false => Err(LoadError::OtherKind { run: run.clone(), kind: row.entry.kind, wanted: M::KIND }),
    }
}

/// The run as it was after event `at_most`.
pub async fn load_at<M: Machine>(
    store: &dyn Store,
    run: &RunId,
    at_most: Seq,
) -> Result<Loaded<M>, LoadError> {
    row_of::<M>(store, run).await?;
    let checkpoint = store.checkpoint(run, at_most).await?;
    load_with(store, run, at_most, checkpoint).await
}

/// The same without any checkpoint: every event is folded.
pub async fn load_from_start<M: Machine>(
    store: &dyn Store,
    run: &RunId,
    at_most: Seq,
) -> Result<Loaded<M>, LoadError> {
    load_with(store, run, at_most, None).await
}

/// Folds every event, and shows the state after each.
pub async fn fold_all<M: Machine>(
    store: &dyn Store,
    run: &RunId,
    see: &mut (dyn FnMut(&M) + Send),
) -> Result<Loaded<M>, LoadError> {
    row_of::<M>(store, run).await?;
    let mut fold = Fold { state: None, next: 1, bytes: 0 };
    loop {
        let events = store.read(run, fold.next, PAGE).await?;
        let count = events.len();
        for event in events {
            fold.take(run, event)?;
            fold.state.iter().for_each(&mut *see);
        }
        if count < PAGE {
            return fold.finish(run, &None);
        }
    }
}

async fn load_with<M: Machine>(
    store: &dyn Store,
    run: &RunId,
    at_most: Seq,
    checkpoint: Option<piton_store::Checkpoint>,
) -> Result<Loaded<M>, LoadError> {
    let stored = match &checkpoint {
        Some(checkpoint) => state_of::<M>(store, run, checkpoint).await?,
        None => None,
    };
    let checkpoint = checkpoint.filter(|_| stored.is_some());
    let next = checkpoint.as_ref().map_or(1, |checkpoint| checkpoint.seq + 1);
    let mut fold = Fold { state: stored, next, bytes: 0 };
    loop {
        let events = store.read(run, fold.next, PAGE).await?;
        let count = events.len();
        for event in events {
            if event.seq > at_most {
                return fold.finish(run, &checkpoint);
            }
            fold.take(run, event)?;
        }
        if count < PAGE {
            return fold.finish(run, &checkpoint);
        }
    }
}

/// The state that a checkpoint holds. `None` where another version of the fold made it: the events say the same, and
/// whoever drives the run next stores a new one. Bytes other than those that its chained event names are damage,
/// whoever wrote them; and so is a state of this very fold that cannot be read: it was written wrong.
async fn state_of<M: Machine>(
    store: &dyn Store,
    run: &RunId,
    checkpoint: &piton_store::Checkpoint,
) -> Result<Option<M>, LoadError> {
    let events = store.read(run, checkpoint.seq, 1).await?;
    let named = events.first().map(|event| decode::<M::Event>(run, event)).transpose()?;
    let digest = chain::hex(&chain::digest(&checkpoint.bytes));
    match named.as_ref().and_then(RunEvent::as_checkpoint) {
        Some(named) if named.seq == checkpoint.seq && named.digest == digest => {
            if named.fold != M::FOLD {
                return Ok(None);
            }
            let unreadable = |_| {
                LoadError::corrupt(
                    run,
                    checkpoint.seq,
                    "its checkpoint is the one that was recorded, but cannot be read",
                )
            };
            serde_json::from_slice(&checkpoint.bytes).map(Some).map_err(unreadable)
        }
        _ => Err(LoadError::corrupt(run, checkpoint.seq, "its checkpoint is not the one that was recorded")),
    }
}

struct Fold<M> {
    state: Option<M>,
    next: Seq,
    bytes: u64,
}

impl<M: Machine> Fold<M> {
    fn take(&mut self, run: &RunId, stored: StoredEvent) -> Result<(), LoadError> {
        let event = decode::<M::Event>(run, &stored)?;
        self.bytes += (stored.event.data.len() + stored.event.kind.len()) as u64;
        self.state = M::apply(self.state.take(), &event, stored.at);
        self.next = stored.seq + 1;
        Ok(())
    }

    fn finish(
        self,
        run: &RunId,
        checkpoint: &Option<piton_store::Checkpoint>,
    ) -> Result<Loaded<M>, LoadError> {
        let checkpoint_bytes = checkpoint.as_ref().map_or(0, |checkpoint| checkpoint.bytes.len() as u64);
        match self.state {
            Some(state) => {
                Ok(Loaded { state, head: self.next - 1, tail_bytes: self.bytes, checkpoint_bytes })
            }
            None => Err(LoadError::corrupt(run, 1, "the run does not begin with its creation")),
        }
    }
}

/// The event that was stored.
pub fn decode<E: RunEvent>(run: &RunId, stored: &StoredEvent) -> Result<E, LoadError> {
    if stored.archived {
        let (run, seq) = (run.clone(), stored.seq);
        return Err(LoadError::Store(piton_store::Error::Archived { run, seq }));
    }
    let event = &stored.event;
    E::decode(&event.kind, event.version, &event.data).map_err(|source| LoadError::Event {
        run: run.clone(),
        seq: stored.seq,
        source,
    })
}

/// Events as the core takes them.
pub fn decode_all<E: RunEvent>(
    run: &RunId,
    stored: &[StoredEvent],
) -> Result<Vec<(Seq, Timestamp, E)>, LoadError> {
    stored.iter().map(|event| Ok((event.seq, event.at, decode(run, event)?))).collect()
}
