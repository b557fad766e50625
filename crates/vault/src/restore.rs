//! From a backup to a journal again, and the proof that it can be done.
//!
//! Invariant: nothing that is there is changed. A run that a journal has already is left as it is, and so is a ref of git.

use std::path::Path;

use piton_git::Workspace;
use piton_model::{Epoch, RunId, Seq, Timestamp};
use piton_store::{Frame, Head, History, Store, Url, Wanted};
use piton_sys::file;

use crate::fold::fold;
use crate::{Error, Spool};

/// How much of each run is wanted. Appends are whole: one that would go beyond is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// All of it.
    End,
    /// Nothing after this event.
    Seq(Seq),
    /// Nothing that happened after this moment.
    Time(Timestamp),
}

impl Until {
    fn takes(self, frame: &Frame) -> bool {
        match self {
            Until::End => true,
            Until::Seq(seq) => frame.last() <= seq,
            Until::Time(time) => frame.at <= time,
        }
    }

    fn words(self) -> String {
        match self {
            Until::End => String::new(),
            Until::Seq(seq) => format!(" up to event {seq}"),
            Until::Time(time) => format!(" up to {time}"),
        }
    }
}

/// What became of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Restored {
    /// It is there again, up to this event.
    Whole(Head),
    /// It was there, archived, and has its payloads again; this is its last event.
    Refilled(Head),
    /// It was there, and was left as it is.
    Kept(Beside),
}

/// What a run that was left as it is has to do with the one of the backup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beside {
    /// It has all that the backup has, and may have gone on.
    Whole,
    /// It ends at the first of these events, and the backup goes on from there to the second.
    Shorter(Seq, Seq),
    /// It has another history.
    Another,
}

/// Between the epochs of a journal and those of what is restored from it: grants that no backup saw fit in between.
const EPOCHS_BETWEEN: Epoch = 1 << 20;

/// The epoch from which restored runs go on: above anything that was ever granted where they come from.
pub fn epoch_floor(seen: Epoch) -> Epoch {
    (seen / EPOCHS_BETWEEN + 1) * EPOCHS_BETWEEN
}

/// Takes a run of a backup into `store`, verified append by append.
pub async fn restore(
    spool: &Spool,
    store: &dyn Store,
    run: &RunId,
    until: Until,
    floor: Epoch,
) -> Result<Restored, Error> {
    match store.row(run).await {
        Ok(_) if until == Until::End && store.archived(run).await?.is_some() => {
            return refill(spool, store, run).await;
        }
        Ok(row) => return Ok(Restored::Kept(beside(spool, store, run, row.head).await?)),
        Err(piton_store::Error::UnknownRun { .. }) => {}
        Err(error) => return Err(error.into()),
    }
    // The name as it was given first.
    let run = &spool.manifest.run(run).ok_or_else(|| not_held(run, until))?.run_id;
    let wanted =
        || spool.frames(run).take_while(move |frame| frame.as_ref().map_or(true, |frame| until.takes(frame)));
    let taken = match take_in(store, run, floor, &wanted, &|id| spool.blob(id)).await {
        // Somebody else restored it meanwhile.
        Err(Error::Store(piton_store::Error::RunExists { .. })) => {
            let here = store.row(run).await?.head;
            return Ok(Restored::Kept(beside(spool, store, run, here).await?));
        }
        taken => taken?,
    };
    let head = taken.ok_or_else(|| not_held(run, until))?;
    if until == Until::End && Some(head) != spool.head(run) {
        let what = format!("run `{run}` ends at event {}, not where the manifest says", head.seq);
        return Err(Error::NotRestorable { what });
    }
    Ok(Restored::Whole(head))
}

/// Gives a run that is archived here the payloads back that a backup has. Its chain stays what it is, and so does what happened
/// since.
async fn refill(spool: &Spool, store: &dyn Store, run: &RunId) -> Result<Restored, Error> {
    let Some(held) = spool.manifest.run(run) else { return Ok(Restored::Kept(Beside::Another)) };
    let run = &held.run_id;
    for frame in spool.frames(run) {
        for id in frame?.blobs(run, store.keys()) {
            store.put_blob(&spool.blob(&id)?).await?;
        }
    }
    let row = store.row(run).await?;
    let frames = spool.frames(run).map(|frame| frame.map_err(in_store));
    let history =
        History { entry: row.entry, epoch: row.epoch, frames: Box::new(frames), checkpoints: Vec::new() };
    match store.take_in(history).await {
        // What is archived here is another run.
        Err(piton_store::Error::Diverged { .. }) => Ok(Restored::Kept(Beside::Another)),
        taken => match store.archived(run).await? {
            Some(_) => taken.map(|_| Restored::Kept(Beside::Whole)).map_err(Error::from),
            None => Ok(Restored::Refilled(taken?)),
        },
    }
}

/// What the run that is here, and ends at `here`, has to do with the one of a backup.
async fn beside(spool: &Spool, store: &dyn Store, run: &RunId, here: Head) -> Result<Beside, Error> {
    let Some(there) = spool.head(run) else { return Ok(Beside::Another) };
    match store.ship(run, there, 1).await {
        Ok(_) => return Ok(Beside::Whole),
        Err(piton_store::Error::Diverged { .. }) => {}
        Err(error) => return Err(error.into()),
    }
    for frame in spool.frames(run) {
        if frame?.head() == Some(here) {
            return Ok(Beside::Shorter(here.seq, there.seq));
        }
    }
    Ok(Beside::Another)
}

fn not_held(run: &RunId, until: Until) -> Error {
    Error::NotHeld { run: run.clone(), when: until.words() }
}

/// Takes in the appends that `frames` gives, each time anew from the first; the index and the checkpoints are made from their
/// events. `None` where there is no append.
pub async fn take_in<'a, I>(
    store: &dyn Store,
    run: &RunId,
    floor: Epoch,
    frames: &(dyn Fn() -> I + Sync),
    blob: &(dyn Fn(&piton_store::BlobId) -> Result<Vec<u8>, Error> + Sync),
) -> Result<Option<Head>, Error>
where
    I: Iterator<Item = Result<Frame, Error>> + Send + 'a,
{
    for frame in frames() {
        for id in frame?.blobs(run, store.keys()) {
            // Keeping what is there costs a look, and a damaged one is written anew.
            store.put_blob(&blob(&id)?).await?;
        }
    }
    let mut head = Head::start(run);
    let opened = frames().map(|frame| {
        let in_store = |id: &piton_store::BlobId| blob(id).map_err(in_store);
        let events = frame?.open(run, &head.hash, store.keys(), &in_store)?;
        head = events.last().map_or(head, |event| Head { seq: event.seq, hash: event.hash });
        Ok(events)
    });
    let mut opened = opened.peekable();
    if opened.peek().is_none() {
        return Ok(None);
    }
    let folded = fold(run, opened, blob)?;
    let frames = frames().map(|frame| frame.map_err(in_store));
    let frames: Box<dyn Iterator<Item = Result<Frame, piton_store::Error>> + Send> = Box::new(frames);
    let history = History { entry: folded.entry, epoch: floor, frames, checkpoints: folded.checkpoints };
    Ok(Some(store.take_in(history).await?))
}

/// An error of reading a backup, where a journal asks.
fn in_store(error: Error) -> piton_store::Error {
    match error {
        Error::Store(error) => error,
        other => {
            let problem = piton_store::Problem { run: None, seq: None, what: other.to_string() };
            piton_store::Error::Corrupt(problem)
        }
    }
}

/// Puts the snapshots of these runs where `workspace` finds them. A ref that is there stays, or goes on to a snapshot that leads to what it
/// led to, and to these as well.
pub fn restore_snapshots(spool: &Spool, workspace: &Workspace, runs: &[RunId]) -> Result<usize, Error> {
    for bundle in spool.bundles() {
        workspace.unbundle(bundle)?;
    }
    let mut set = 0;
    for (run, tip) in spool.manifest.tips.iter().filter(|(run, _)| runs.contains(run)) {
        set += usize::from(workspace.join_tip(run.as_str(), tip)?);
        for lost in spool.manifest.tips_lost.get(run).into_iter().flatten() {
            workspace.join_tip(run.as_str(), lost)?;
        }
    }
    Ok(set)
}

/// What a backup came to when it was restored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Proof {
    /// Runs that verify.
    pub runs: usize,
    /// Events that verify.
    pub events: u64,
    /// Runs whose snapshots git has, complete.
    pub snapshots: usize,
}

/// Restores all of a backup into a journal of its own in the directory `at`, verifies that, and compares it with the
/// manifest. `format` is that of the objects that git keeps.
pub async fn prove(spool: &Spool, at: &Path, format: &str) -> Result<Proof, Error> {
    file::create_private_dir(at)?;
    let not_restorable = |what: String| Error::NotRestorable { what };
    let opened = piton_store::open_to_prove(&Url::of_repository(&at.join("journal")), spool.keys())?;
    let store = &*opened.store;
    let floor = epoch_floor(spool.epoch_max());
    let mut proof = Proof::default();
    for held in spool.manifest.runs.iter().rev() {
        restore(spool, store, &held.run_id, Until::End, floor).await?;
    }
    if let Some(problem) = store.verify(None).await?.into_iter().next() {
        return Err(not_restorable(problem.to_string()));
    }
    for row in store.rows(Wanted::ALL).await?.rows {
        if let Some(problem) = store.verify(Some(&row.entry.run_id)).await?.into_iter().next() {
            return Err(not_restorable(problem.to_string()));
        }
        (proof.runs, proof.events) = (proof.runs + 1, proof.events + row.head.seq);
    }
    if proof.runs != spool.manifest.runs.len() {
        return Err(not_restorable(format!(
            "{} of {} runs came back",
            proof.runs,
            spool.manifest.runs.len()
        )));
    }
    if !spool.manifest.tips.is_empty() {
        let workspace = Workspace::scratch(&at.join("snapshots"), format)?;
        let runs: Vec<RunId> = spool.manifest.tips.keys().cloned().collect();
        proof.snapshots = restore_snapshots(spool, &workspace, &runs)?;
        let lost = spool.manifest.tips_lost.values().flatten();
        for tip in spool.manifest.tips.values().chain(lost) {
            workspace.check_complete(tip)?;
        }
    }
    Ok(proof)
}
