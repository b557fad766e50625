//! Repair: a damaged journal is put aside as a whole, and what is provably good becomes a new one.
//!
//! The order is what makes it safe to be killed at any point: what is good is read first, the new journal is made and verified
//! beside the old one, then the old one is moved aside, and the new one moved into its place as the last step. A repair that
//! died in between leaves a quarantine that is marked as unfinished, and the next one reads from there as well.
//!
//! Of each run the journal's own proven beginning counts first. A backup adds to it only where its chain goes on from there.

use std::path::{Path, PathBuf};

use piton_model::{Epoch, RunId, Seq};
use piton_store::{Frame, Head, Identity, JournalId, Salvage, Salvaged, Store, Url};
use piton_sys::file::{self, Durability};
use piton_sys::{Clock, Ids, SystemClock, SystemIds};
use piton_vault::restore::{epoch_floor, take_in};
use piton_vault::{Listed, Spool};
use piton_view::{Error, ErrorKind, RepairView, RunRepaired};

use super::vault::{Place, Scratch, failed};
use super::{ClientError, LocalClient, verify};
use crate::journal;
use crate::layout::Layout;

/// Where damaged journals are put.
const QUARANTINE: &str = "damaged";

/// In a quarantine whose repair is not over.
const UNFINISHED: &str = "unfinished";

/// Backups that are looked at: the newest of each of so many journals.
const BACKUPS_MAX: usize = 3;

/// Repairs the journal of a repository.
pub(super) async fn repair(client: &LocalClient) -> Result<RepairView, Error> {
    let layout = client.layout();
    let state = state_of(layout);
    let unfinished = unfinished(&state);
    let mut problems = problems(layout).await?;
    if problems.is_empty() && unfinished.is_empty() {
        let runs = Vec::new();
        return Ok(RepairView { damaged: false, problems, quarantine: None, runs, lost: false });
    }
    let hold = piton_store::hold(layout.store()).map_err(ClientError::from)?;
    let names = traced_runs(layout);
    let directories = unfinished.iter().map(|path| Some(path.as_path())).chain([None]);
    let salvages: Vec<Salvage> =
        directories.map(|directory| piton_store::salvage(layout.store(), directory, &names)).collect();
    problems.extend(salvages.iter().filter_map(|salvage| salvage.unreadable.clone()));
    problems.dedup();
    let known: Vec<JournalId> =
        salvages.iter().flat_map(|salvage| salvage.journals.iter().copied()).collect();
    journal::require_own(layout, &known)?;
    let scratch = Scratch::at(&state)?;
    let (spools, notes) = backups(layout, scratch.path()).await;
    problems.extend(notes);
    let sources = Sources { salvages: &salvages, spools: &spools };
    let fresh = Url::of_repository(&scratch.path().join("new"));
    let own = Identity { id: JournalId::random(), place: journal::place_of(layout) };
    journal::list(own.id)?;
    let runs = build(&fresh, &own, &sources).await?;
    drop(salvages);
    let quarantine = quarantine(&state)?;
    piton_store::set_aside(&hold, &quarantine).map_err(ClientError::from)?;
    piton_store::publish(&fresh, &hold).map_err(ClientError::from)?;
    for finished in unfinished.iter().chain([&quarantine]) {
        let removed = file::remove_file_if_exists(&finished.join(UNFINISHED));
        removed.map_err(|error| Error::environment(&error))?;
    }
    let lost = runs.iter().any(|run| run.lost_to.is_some());
    let quarantine = Some(quarantine.display().to_string());
    Ok(RepairView { damaged: true, problems, quarantine, runs, lost })
}

/// The directory that the journal lies in.
fn state_of(layout: &Layout) -> PathBuf {
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
    let found = verify::verify(&*opened.store, None).await?;
    let said = found.problems.into_iter().map(|problem| match (problem.run_id, problem.seq) {
        (Some(run), Some(seq)) => format!("run `{run}`, event {seq}: {}", problem.what),
        (Some(run), None) => format!("run `{run}`: {}", problem.what),
        (None, _) => problem.what,
    });
    Ok(said.collect())
}

/// Quarantines whose repair is not over, oldest first.
fn unfinished(state: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(state.join(QUARANTINE)).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> =
        entries.map(|entry| entry.path()).filter(|path| path.join(UNFINISHED).is_file()).collect();
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

/// A backup that may have what the journal has lost.
struct Fetched {
    spool: Spool,
    /// Whether an agent that works in the repository could have written it.
    is_inside: bool,
}

/// The newest backups where the configuration says, and what is wrong with others.
async fn backups(layout: &Layout, scratch: &Path) -> (Vec<Fetched>, Vec<String>) {
    let (mut fetched, mut notes, mut journals) = (Vec::new(), Vec::new(), Vec::new());
    let place = match Place::of(layout, None) {
        Ok(place) => place,
        Err(error) => return (fetched, vec![format!("no backup was looked at: {error}")]),
    };
    let listed = match piton_vault::list(&*place.target, None).await {
        Ok(listed) => listed,
        Err(error) => return (fetched, vec![format!("no backup was looked at: {error}")]),
    };
    for Listed { name, journal, manifest } in listed.into_iter().rev() {
        if journals.len() >= BACKUPS_MAX || journals.contains(&journal) {
            continue;
        }
        let at = scratch.join(&name);
        let spool = match manifest {
            Ok(manifest) => Spool::fetch(&*place.target, manifest, &at).await,
            Err(error) => Err(error),
        };
        match spool {
            Ok(spool) => {
                journals.push(journal);
                fetched.push(Fetched { spool, is_inside: place.is_inside });
            }
            // The one before it may be sound.
            Err(error) => notes.push(format!("backup {name}: {error}")),
        }
    }
    (fetched, notes)
}

/// Where runs can come from.
struct Sources<'a> {
    salvages: &'a [Salvage],
    spools: &'a [Fetched],
}

/// Makes the new journal, verifies it, and says what became of each run.
async fn build(fresh: &Url, own: &Identity, sources: &Sources<'_>) -> Result<Vec<RunRepaired>, Error> {
    let state = fresh.repository().expect("a journal of ours lies in a repository");
    file::create_private_dir(state).map_err(|error| Error::environment(&error))?;
    let mut report = Vec::new();
    {
        let opened = piton_store::open(fresh, own.id).map_err(ClientError::from)?;
        for run in sources.runs() {
            report.push(sources.bring(&*opened.store, &run).await?);
        }
        let found = verify::verify(&*opened.store, None).await?;
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
    /// Every run of which there is a trace here. What only a backup knows was removed, unless nothing else is left.
    fn runs(&self) -> Vec<RunId> {
        let mut runs: Vec<RunId> = Vec::new();
        let traced =
            self.salvages.iter().flat_map(|salvage| salvage.runs.iter().map(|salvaged| &salvaged.run));
        let backed_up = self.spools.iter().flat_map(|fetched| fetched.spool.manifest.runs.iter().rev());
        let is_bare = self.salvages.iter().all(|salvage| salvage.runs.is_empty());
        let only_there = backed_up.map(|held| &held.run_id).filter(|_| is_bare);
        for run in traced.chain(only_there) {
            if runs.iter().all(|known| known.key() != run.key()) {
                runs.push(run.clone());
            }
        }
        runs
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
        let longest = longer.max_by_key(|(_, end)| *end);
        let head = match (longest, own) {
            (Some((fetched, end)), _) => {
                let spool = &fetched.spool;
                let name = spool.manifest.run(run).map_or(run, |held| &held.run_id);
                let frames = || spool.frames(name).take_while(move |frame| is_within(frame, end));
                take_in(store, name, floor, &frames, &|id| spool.blob(id)).await.map_err(failed)?
            }
            (None, Some((salvage, found))) => {
                let frames = || salvage.frames(found).map(|frame| frame.map_err(piton_vault::Error::from));
                let blob = |id: &piton_store::BlobId| salvage.blob(id).map_err(piton_vault::Error::from);
                take_in(store, &found.run, floor, &frames, &blob).await.map_err(failed)?
            }
            (None, None) => None,
        };
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
