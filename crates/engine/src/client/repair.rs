//! Repair: a damaged journal is put aside as a whole, and what is provably good becomes a new one.
//!
//! The order is what makes it safe to be killed at any point: what is good is read first, the new journal is made and verified
//! beside the old one, then the old one is moved aside, and the new one moved into its place as the last step. A repair that
//! died in between leaves a quarantine that is marked as unfinished, and the next one reads from there as well.
//!
//! Of each run the journal's own proven beginning counts first. A backup adds to it only where its chain goes on from there.

mod cut;
mod elsewhere;
mod traces;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use piton_model::{Epoch, RunId, Seq};
use piton_store::{Claim, Frame, Gone, Head, Identity, JournalId, Salvage, Salvaged, Store, Url};
use piton_sys::file::{self, Durability};
use piton_sys::{Clock, Ids, SystemClock, SystemIds};
use piton_vault::restore::{epoch_floor, take_in};
use piton_view::{Error, ErrorKind, RepairView, RunRepaired};

use self::cut::Cut;
use self::elsewhere::{Elsewhere, Fetched};
use super::vault::{Scratch, failed};
use super::{ClientError, LocalClient, verify};
use crate::journal;
use crate::keys;
use crate::layout::Layout;
use crate::unsound::Unsound;

/// Where damaged journals are put.
const QUARANTINE: &str = "damaged";

/// In a quarantine whose repair is not over.
const UNFINISHED: &str = "unfinished";

/// Repairs the journal of a repository. Where nothing is damaged, what an earlier repair could not find is looked for once more.
pub(super) async fn repair(client: &LocalClient) -> Result<RepairView, Error> {
    let keys = super::vault::fetch_keys(client.layout()).await;
    loop {
        if let Some(view) = repair_now(client).await? {
            // What lacked them is not damaged any more.
            if !keys.is_empty()
                && !view.damaged
                && let Some(mut known) = Unsound::known(client.layout())
            {
                known.damaged.clear();
                known.keep(client.layout());
            }
            return Ok(RepairView { keys, ..view });
        }
    }
}

/// The same, once; nothing where somebody else repaired it meanwhile.
async fn repair_now(client: &LocalClient) -> Result<Option<RepairView>, Error> {
    let layout = client.layout();
    let state = state_of(layout);
    let aside = quarantines(&state);
    let unfinished = unfinished(&state);
    let mut problems = problems(layout).await?;
    let is_damaged = !problems.is_empty() || !unfinished.is_empty();
    let cuts = cut::known(client).await?;
    if !is_damaged && cuts.is_empty() {
        return Ok(Some(RepairView::default()));
    }
    let hold = piton_store::hold(layout.store()).map_err(ClientError::from)?;
    if quarantines(&state) != aside {
        return Ok(None);
    }
    problems.extend(cuts.iter().map(Cut::words));
    let names = traced_runs(layout);
    let directories = unfinished.iter().map(|path| Some(path.as_path())).chain([None]);
    let ring: Arc<dyn piton_seal::Keys> = keys::ring(layout);
    let salvages: Result<Vec<Salvage>, _> =
        directories.map(|directory| piton_store::salvage(layout.store(), directory, &names, &ring)).collect();
    let mut salvages = salvages.map_err(ClientError::from)?;
    cuts.iter().for_each(|cut| cut.recall(&mut salvages));
    problems.extend(salvages.iter().filter_map(|salvage| salvage.unreadable.clone()));
    problems.dedup();
    let known: Vec<JournalId> =
        salvages.iter().flat_map(|salvage| salvage.journals.iter().copied()).collect();
    journal::require_own(layout, &known)?;
    let scratch = Scratch::at(&state)?;
    let removed = salvages.iter().flat_map(|salvage| &salvage.gone).map(|gone| gone.key.clone()).collect();
    let looked = elsewhere::look(layout, scratch.path(), &known, removed).await;
    let Elsewhere { spools, notes, unseen, .. } = looked;
    problems.extend(notes);
    let sources = Sources { salvages: &salvages, spools: &spools };
    let fresh = Url::of_repository(&scratch.path().join("new"));
    let own = Identity { id: JournalId::random(), place: journal::place_of(layout) };
    journal::list(own.id)?;
    let mut runs = build(&fresh, &own, &sources, &ring).await?;
    if !is_damaged && cuts.iter().all(|cut| cut.is_still_in(&runs)) {
        runs.retain(|run| cuts.iter().any(|cut| cut.is_of(&run.run_id)));
        return Ok(Some(RepairView { problems, runs, unseen, lost: true, ..RepairView::default() }));
    }
    let cut_now = cut::of(&salvages, &runs);
    drop(salvages);
    let quarantine = quarantine(&state)?;
    cut::keep(&quarantine, &cut_now)?;
    piton_store::set_aside(&hold, &quarantine).map_err(ClientError::from)?;
    piton_store::publish(&fresh, &hold, &ring).map_err(ClientError::from)?;
    if let Some(opened) =
        piton_store::open_existing_with(layout.store(), Arc::clone(&ring)).map_err(ClientError::from)?
    {
        traces::note_all(layout, &*opened.store, &quarantine, &mut runs).await?;
    }
    for finished in unfinished.iter().chain([&quarantine]) {
        let removed = file::remove_file_if_exists(&finished.join(UNFINISHED));
        removed.map_err(|error| Error::environment(&error))?;
    }
    // What was wrong with the journal that was put aside is not wrong with this one.
    Unsound::nothing(layout).iter().for_each(|nothing| nothing.keep(layout));
    let lost = runs.iter().any(|run| run.lost_to.is_some());
    let quarantine = Some(quarantine.display().to_string());
    Ok(Some(RepairView { damaged: true, problems, quarantine, runs, unseen, lost, ..RepairView::default() }))
}

/// The directory that the journal lies in.
pub(super) fn state_of(layout: &Layout) -> PathBuf {
    let file = layout.store().file();
    file.as_deref().and_then(Path::parent).map_or_else(|| layout.state(), Path::to_owned)
}

/// Everything that is wrong with the journal; whatever keeps it from being looked at is an error.
async fn problems(layout: &Layout) -> Result<Vec<String>, Error> {
    let opened = match journal::open_existing(layout) {
        Ok(Some(opened)) => opened,
        Ok(None) => return Err(ClientError::NoRuns.into()),
        Err(piton_store::Error::Corrupt(problem)) => return Ok(vec![problem.to_string()]),
        Err(error) => return Err(ClientError::from(error).into()),
    };
    let found = verify::verify(&*opened.store, None, &mut |_, _| {}).await?;
    let said = found.problems.into_iter().map(|problem| match (problem.run_id, problem.seq) {
        (Some(run), Some(seq)) => format!("run `{run}`, event {seq}: {}", problem.what),
        (Some(run), None) => format!("run `{run}`: {}", problem.what),
        (None, _) => problem.what,
    });
    Ok(said.collect())
}

/// Quarantines whose repair is not over, oldest first.
pub(super) fn unfinished(state: &Path) -> Vec<PathBuf> {
    quarantines(state).into_iter().filter(|path| path.join(UNFINISHED).is_file()).collect()
}

/// Journals that were put aside, oldest first: their names are times.
pub(super) fn quarantines(state: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(state.join(QUARANTINE)).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    found.sort();
    found
}

fn quarantine(state: &Path) -> Result<PathBuf, Error> {
    let time: String = SystemClock.now().to_string().chars().filter(|c| !"-:.".contains(*c)).collect();
    let path = state.join(QUARANTINE).join(format!("{time}-{}", SystemIds.hex(8)));
    let made = file::create_private_dir(&path)
        .and_then(|()| file::create_new(&path.join(UNFINISHED), b"", Durability::Synced))
        .and_then(|()| file::sync_dir(&path));
    made.map(|()| path).map_err(|error| Error::environment(&error))
}

/// Runs that left something beside the journal.
fn traced_runs(layout: &Layout) -> Vec<RunId> {
    let attempts = std::fs::read_dir(layout.state().join("attempts")).into_iter().flatten().flatten();
    attempts.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

/// Where runs can come from.
struct Sources<'a> {
    salvages: &'a [Salvage],
    spools: &'a [Fetched],
}

/// Makes the new journal, verifies it, and says what became of each run.
async fn build(
    fresh: &Url,
    own: &Identity,
    sources: &Sources<'_>,
    ring: &Arc<dyn piton_seal::Keys>,
) -> Result<Vec<RunRepaired>, Error> {
    let state = fresh.repository().expect("a journal of ours lies in a repository");
    file::create_private_dir(state).map_err(|error| Error::environment(&error))?;
    let mut report = Vec::new();
    {
        let opened = piton_store::open_with(fresh, own.id, Arc::clone(ring)).map_err(ClientError::from)?;
        for run in sources.runs() {
            report.push(sources.bring(&*opened.store, &run).await?);
        }
        sources.remember(&*opened.store, &report).await?;
        let found = verify::verify(&*opened.store, None, &mut |_, _| {}).await?;
        if let Some(problem) = found.problems.first() {
            return Err(Error::new(
                ErrorKind::Corrupt,
                format!("what was salvaged does not verify: {}", problem.what),
            )
            .hint(
                "nothing was changed; copy .piton aside, and bring runs back with `piton backup restore`",
            ));
        }
    }
    piton_store::identify(fresh, own).map_err(ClientError::from)?;
    Ok(report)
}

impl Sources<'_> {
    /// Every run of which there is a trace here. What only a backup of this journal knows is lost as well, where the journal can tell what
    /// was removed from it, or where nothing else is left.
    fn runs(&self) -> Vec<RunId> {
        let mut runs: Vec<RunId> = Vec::new();
        let traced =
            self.salvages.iter().flat_map(|salvage| salvage.runs.iter().map(|salvaged| &salvaged.run));
        let is_bare = self.salvages.iter().all(|salvage| salvage.runs.is_empty());
        let tells = self.salvages.iter().any(|salvage| salvage.tells_removed);
        let counts = |fetched: &&Fetched| {
            let is_own = self.is_own(&fetched.spool.manifest.journal);
            is_own && tells || is_bare && !fetched.is_older
        };
        let backed_up = self.spools.iter().filter(counts);
        let backed_up = backed_up.flat_map(|fetched| fetched.spool.manifest.runs.iter().rev());
        let only_there = backed_up.map(|held| &held.run_id).filter(|run| !self.is_removed(run));
        for run in traced.chain(only_there) {
            if runs.iter().all(|known| known.key() != run.key()) {
                runs.push(run.clone());
            }
        }
        runs
    }

    fn is_own(&self, journal: &str) -> bool {
        self.salvages.iter().flat_map(|salvage| &salvage.journals).any(|known| known.to_string() == journal)
    }

    fn is_removed(&self, run: &RunId) -> bool {
        self.salvages.iter().flat_map(|salvage| &salvage.gone).any(|gone| gone.key == run.key())
    }

    /// What the damaged journal knew of runs that were removed or archived, the new one knows as well.
    async fn remember(&self, store: &dyn Store, report: &[RunRepaired]) -> Result<(), Error> {
        let is_there = |key: &str| report.iter().any(|run| run.seq > 0 && run.run_id.key() == key);
        let mut gone: Vec<Gone> = Vec::new();
        for found in self.salvages.iter().flat_map(|salvage| &salvage.gone) {
            if !is_there(&found.key) && gone.iter().all(|known| known.key != found.key) {
                gone.push(found.clone());
            }
        }
        store.bury(&gone).await.map_err(ClientError::from)?;
        for run in report.iter().filter(|run| run.seq > 0).map(|run| &run.run_id) {
            let Some(there) = store.archived(run).await.map_err(ClientError::from)? else { continue };
            let said = self.salvages.iter().find_map(|salvage| salvage.archived.get(&run.key()));
            if let Some(said) = said.filter(|said| said.through == there.through) {
                let lease = store
                    .claim(run, LocalClient::holder(), Claim::IfFree)
                    .await
                    .map_err(ClientError::from)?;
                store.archive(&lease, said.clone()).await.map_err(ClientError::from)?;
                store.release(lease).await.map_err(ClientError::from)?;
            }
        }
        Ok(())
    }

    fn epoch_max(&self) -> Epoch {
        let salvaged = self.salvages.iter().map(|salvage| salvage.epoch_max);
        salvaged.chain(self.spools.iter().map(|fetched| fetched.spool.epoch_max())).max().unwrap_or(0)
    }

    /// What the journal itself proves of a run, in whichever place most of it is.
    fn salvaged(&self, run: &RunId) -> Option<(&Salvage, &Salvaged)> {
        let all =
            self.salvages.iter().flat_map(|salvage| salvage.runs.iter().map(move |found| (salvage, found)));
        all.filter(|(_, found)| found.run.key() == run.key()).max_by_key(|(_, found)| found.head.seq)
    }

    /// Brings a run into the new journal, as much of it as is proven.
    async fn bring(&self, store: &dyn Store, run: &RunId) -> Result<RunRepaired, Error> {
        let floor = epoch_floor(self.epoch_max());
        let own = self.salvaged(run);
        let acknowledged = own.and_then(|(_, found)| found.acknowledged);
        let from_journal = own.map_or(0, |(_, found)| found.head.seq);
        let mut note = None;
        let longer = self.spools.iter().filter_map(|fetched| {
            let held = fetched.spool.manifest.run(run)?;
            let end = reach(fetched, run, own.map(|(_, found)| found));
            if end.is_none() && held.seq > from_journal {
                note = Some(format!("backup {} has another history of it", fetched.spool.manifest.name));
            }
            end.filter(|end| *end > from_journal).map(|end| (fetched, end))
        });
        let mut longest = longer.max_by_key(|(_, end)| *end);
        let mut head = None;
        if let (None, Some((salvage, found))) = (longest, own) {
            let frames = || salvage.frames(found).map(|frame| frame.map_err(piton_vault::Error::from));
            let blob = |id: &piton_store::BlobId| salvage.blob(id).map_err(piton_vault::Error::from);
            head = match take_in(store, &found.run, floor, &frames, &blob).await {
                // It was archived, and the state that it went on from is gone: only a backup has it.
                Err(piton_vault::Error::Store(piton_store::Error::Archived { .. })) => {
                    let whole = |fetched: &'_ Fetched| reach(fetched, run, Some(found));
                    longest =
                        self.spools.iter().filter_map(|fetched| Some((fetched, whole(fetched)?))).next();
                    note = longest.is_none().then(|| lost_archive(salvage, run));
                    None
                }
                taken => taken.map_err(failed)?,
            };
        }
        if let Some((fetched, end)) = longest {
            let spool = &fetched.spool;
            let name = spool.manifest.run(run).map_or(run, |held| &held.run_id);
            let frames = || spool.frames(name).take_while(move |frame| is_within(frame, end));
            head = take_in(store, name, floor, &frames, &|id| spool.blob(id)).await.map_err(failed)?;
        }
        let seq = head.map_or(0, |head| head.seq);
        let backup = longest.map(|(fetched, _)| fetched.spool.manifest.name.clone());
        let lost_to = acknowledged.filter(|last| *last > seq);
        if acknowledged.is_none() && own.is_some() {
            note.get_or_insert_with(|| "nothing says how far it went, so more of it may be lost".to_owned());
        }
        Ok(RunRepaired {
            run_id: run.clone(),
            seq,
            from_journal: from_journal.min(seq),
            backup,
            lost_to,
            note,
        })
    }
}

/// What became of a run of which only digests are left.
fn lost_archive(salvage: &Salvage, run: &RunId) -> String {
    let at = salvage.archived.get(&run.key()).and_then(|archived| archived.place.as_deref()).unwrap_or("URL");
    format!(
        "it was archived, and its state is damaged: `piton backup restore {at} --run {run}` brings it back"
    )
}

fn is_within(frame: &Result<Frame, piton_vault::Error>, end: Seq) -> bool {
    frame.as_ref().map_or(true, |frame| frame.last() <= end)
}

/// How far a backup goes on from what the journal proves; `None` where it has another history. One that an agent could have
/// written counts only up to what was acknowledged here.
fn reach(fetched: &Fetched, run: &RunId, own: Option<&Salvaged>) -> Option<Seq> {
    let end = fetched.spool.head(run)?.seq;
    let anchored = own.and_then(|own| own.anchored);
    let proven = own.map(|own| own.head).filter(|head| head.seq > 0);
    let passes = |head: &Head| {
        let mut frames = fetched.spool.frames(run);
        head.seq > end || frames.any(|frame| frame.is_ok_and(|frame| frame.head() == Some(*head)))
    };
    if !proven.iter().chain(&anchored).all(passes) {
        return None;
    }
    let limit = anchored.map(|head| head.seq).filter(|_| fetched.is_inside);
    Some(limit.map_or(end, |limit| end.min(limit)))
}
