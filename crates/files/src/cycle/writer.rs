//! One publication of the files of a cycle: readable at any moment, the same after any crash.
//!
//! In this order: an older version of a document is archived, the document is written anew, what its log lacks is added, and
//! `<id>.json` comes last, so that it never speaks of what is not there. Each file is replaced in one step. Doing it again
//! changes nothing, and completes whatever was cut short.
//!
//! Documents of a role that is at work are left to it. What else somebody wrote over a file of piton's is moved aside.

use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{MutexGuard, PoisonError};

use piton_model::cycle::{State, TimelineEntry, TimelineFact};
use piton_sys::fault;
use piton_sys::file::{self, Durability, Error};

use super::append::{
    LOG_BYTES_MAX, Step, compare_below, earlier, missing, perform, untold, with_whole_lines,
};
use super::coordination::decision_lines;
use super::documents::{Page, RESULTS, documents, version_in};
use super::format::CycleStatus;
use super::header::split;
use super::histories::Histories;
use super::import::STATE_BYTES_MAX;
use super::logs::LogFile;
use super::master::NAME;
use super::place::{COORDINATION, archive_of};
use super::publish::{CycleView, Published};
use super::render::{other_roles, render};
use super::results::read_results;
use crate::aside::{Quarantined, known_by, quarantine};
use crate::known::{Own, digest};
use crate::place::{Alone, Found, look};

/// What is noted of a log in which somebody else's lines come first, instead of a digest: their number is beside it.
const EARLIER: &str = "earlier";

/// What is said of a document that was moved aside.
const NOT_TAKEN: &str = "a document counts when its role hands it in, and nothing of this one was taken";

/// One publication.
pub(super) struct Writer<'a> {
    view: &'a CycleView,
    state: &'a State,
    durability: Durability,
    kept: Vec<Quarantined>,
    failed: Vec<String>,
}

/// What is to be done about a document.
struct Due {
    page: Page,
    /// What lies there and is ours.
    before: Option<(Own, Vec<u8>)>,
    is_foreign: bool,
    is_right: bool,
}

impl<'a> Writer<'a> {
    pub(super) fn new(view: &'a CycleView, state: &'a State, durability: Durability) -> Self {
        Self { view, state, durability, kept: Vec::new(), failed: Vec::new() }
    }

    pub(super) fn publish(mut self, histories: &dyn Fn() -> Option<Histories>) -> Result<Published, Error> {
        let place = &self.view.place;
        let progress = place.progress();
        let alone = file::within(&place.repo, &progress.join(COORDINATION), |path| {
            Alone::in_directory(path.parent().unwrap_or(path))
        })?;
        let swept = self.sweep(&alone);
        self.or_next(swept)?;
        let own = self.documents()?;
        let behind = self.logs(&own, histories)?;
        let decided = self.decisions();
        self.or_next(decided)?;
        self.make_room()?;
        let bytes = render(self.state, place);
        let status = CycleStatus::shown(self.state).as_str();
        fault::point("files.publish.write");
        let master = file::within(&place.repo, &place.state(), |path| {
            self.view.master.put(path, &bytes, status, &own, self.durability)
        })?;
        let moved = std::mem::take(&mut *self.moved());
        Ok(Published { quarantined: moved, kept: self.kept, failed: self.failed, master, behind })
    }

    /// What was moved aside: told of once the publication is done.
    fn moved(&self) -> MutexGuard<'a, Vec<Quarantined>> {
        self.view.moved.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One file that cannot be written keeps none of the others from being. What whoever publishes can do something about is
    /// given back: that a directory is gone, or that something else is in the place.
    fn or_next<T>(&mut self, done: Result<T, Error>) -> Result<Option<T>, Error> {
        match done {
            Ok(done) => Ok(Some(done)),
            Err(error) if error.is_not_found() || error.refusal().is_some() => Err(error),
            Err(error) => {
                self.failed.push(format!("{error}: {}", error.source));
                Ok(None)
            }
        }
    }

    /// A state file that is there before piton wrote one is no edit of it, and neither is one that nobody can read.
    fn make_room(&mut self) -> Result<(), Error> {
        let (view, path) = (self.view, self.view.place.state());
        let is_there = path.symlink_metadata().is_ok();
        if !is_there || (view.has_written()? && length(&path) <= STATE_BYTES_MAX as u64) {
            return Ok(());
        }
        let repo = &view.place.repo;
        let moved = file::within(repo, &path, |path| {
            let is_file = path.symlink_metadata().is_ok_and(|metadata| metadata.is_file());
            if is_file { quarantine(repo, path, self.state.updated_at).map(Some) } else { Ok(None) }
        })?;
        self.moved().extend(moved.map(|moved| {
            let (from, to) = known_by(&moved, &view.place.cycles(), repo);
            Quarantined {
                from,
                to,
                hint: "it is of before this cycle began here, or too large to be a state".to_owned(),
            }
        }));
        Ok(())
    }

    /// Removes what a crash left half written, once.
    fn sweep(&self, alone: &Alone) -> Result<(), Error> {
        if self.view.is_swept.swap(true, Ordering::Relaxed) {
            return Ok(());
        }
        let place = &self.view.place;
        let cycle = place.cycle_id.as_str();
        for directory in place.directories(&other_roles(self.state)).iter().skip(1) {
            let is_shared = *directory == place.cycles();
            let inside = directory.join("any");
            file::within(&place.repo, &inside, |path| {
                alone.sweep(path.parent().unwrap_or(path), |name| !is_shared || name.starts_with(cycle))
            })?;
        }
        Ok(())
    }

    /// Writes the documents that are not as they should be; what of the files beside the state is ours now.
    fn documents(&mut self) -> Result<Vec<Own>, Error> {
        let known = self.view.known.all()?;
        let pages = documents(self.state, &self.view.place);
        let mut due: Vec<Due> = Vec::new();
        for page in pages {
            let looked = self.look(page, &known);
            due.extend(self.or_next(looked)?);
        }
        let is_due = |own: &Own| due.iter().any(|due| due.page.name == own.name);
        let (state, others): (Vec<Own>, Vec<Own>) = known.into_iter().partition(|own| own.name == NAME);
        // What is not rendered now, such as the summary of a cycle that goes on, is ours all the same.
        let mut own: Vec<Own> = others.into_iter().filter(|own| !is_due(own)).collect();
        own.extend(due.iter().flat_map(Due::own));
        own.extend(self.earlier_lines(&own)?);
        own.sort();
        own.dedup();
        if due.iter().all(|due| due.is_right || due.page.is_held) {
            return Ok(own);
        }
        self.view.known.remember(&own.iter().chain(&state).cloned().collect::<Vec<_>>())?;
        for due in due.iter().filter(|due| !due.page.is_held) {
            let archived = self.archive(due);
            self.or_next(archived)?;
            if !due.is_right {
                let written = self.write(due);
                self.or_next(written)?;
            }
        }
        Ok(own)
    }

    /// How many lines another tool, or a piton that is lost, left in each log: they stay, and are counted once.
    fn earlier_lines(&self, known: &[Own]) -> Result<Vec<Own>, Error> {
        if !is_taken_over(self.state) {
            return Ok(Vec::new());
        }
        let place = &self.view.place;
        let mut found = Vec::new();
        for log in LogFile::of(self.state) {
            let (name, head) = (log.name(), log.head(self.state, place));
            if known.iter().any(|own| own.name == name) {
                continue;
            }
            let there = self.without_torn_line(&name)?;
            let lines = earlier(&head, &there, &log.wanted(self.state));
            if lines > 0 {
                found.push(Own { digest: EARLIER.to_owned(), name, note: lines.to_string() });
            }
        }
        Ok(found)
    }

    /// What a log holds that was begun elsewhere. A last line that was cut off is left out, so that the next one does not become a
    /// part of it; one that only lacks its line break gets it.
    fn without_torn_line(&self, name: &str) -> Result<Vec<u8>, Error> {
        let place = &self.view.place;
        file::within(&place.repo, &place.file(name), |path| {
            let there = file::read_regular(path, LOG_BYTES_MAX)?.unwrap_or_default();
            let mended = with_whole_lines(&there);
            if mended != there {
                file::write_shared(path, &mended, self.durability)?;
            }
            Ok(mended)
        })
    }

    fn look(&self, page: Page, known: &[Own]) -> Result<Due, Error> {
        let place = &self.view.place;
        let bytes_max = (4 << 20).max(2 * page.bytes.len()) as u64;
        let (found, there) = file::within(&place.repo, &place.file(&page.name), |path| {
            look(path, bytes_max, |bytes| {
                let digest = digest(bytes);
                let own = known.iter().find(|own| own.name == page.name && own.digest == digest).cloned();
                own.or_else(|| self.is_taken(&page, bytes).then(|| Own::new(&page.name, bytes)))
            })
        })?;
        let is_right = there == page.bytes && !matches!(found, Found::Nothing);
        let (before, is_foreign) = match found {
            Found::Nothing => (None, false),
            // What the cycle begins with was taken as it lies there, and stays until its role writes it anew.
            Found::Ours(_) | Found::Foreign if is_taken_over(self.state) => {
                let before = Some((Own::new(&page.name, &there), there));
                return Ok(Due { page, before, is_foreign: false, is_right: true });
            }
            Found::Ours(own) => (Some((*own, there)), false),
            Found::Foreign => (None, !is_right),
        };
        Ok(Due { page, before, is_foreign, is_right })
    }

    /// Whether what lies there was taken into the state: what its role handed in, below whatever header, or the results of tests.
    fn is_taken(&self, page: &Page, there: &[u8]) -> bool {
        let text = String::from_utf8_lossy(there);
        match &page.source {
            Some(source) => {
                let is_it = |text: &str| text == source.text || split(text).1 == split(&source.text).1;
                is_it(&text) || is_it(&(self.view.redact.0)(&text))
            }
            None if page.name.ends_with(RESULTS) => read_results(there).ok() == self.state.tests,
            None => false,
        }
    }

    /// Copies the version before into the archive, unless it is there.
    fn archive(&mut self, due: &Due) -> Result<(), Error> {
        let Some((version, bytes)) = due.older() else { return Ok(()) };
        let place = &self.view.place;
        let path = place.file(&archive_of(&due.page.name, &version));
        if path.symlink_metadata().is_ok() {
            return Ok(());
        }
        fault::point("files.cycle.archive");
        file::within(&place.repo, &path, |path| file::write_shared(path, &bytes, self.durability))
    }

    fn write(&mut self, due: &Due) -> Result<(), Error> {
        let place = &self.view.place;
        let known_path = place.file(&due.page.name);
        let moved = file::within(&place.repo, &known_path, |path| {
            let moved = if due.is_foreign {
                Some(quarantine(&place.repo, path, self.state.updated_at)?)
            } else {
                None
            };
            fault::point("files.publish.write");
            file::write_shared(path, &due.page.bytes, self.durability)?;
            Ok(moved)
        })?;
        self.moved().extend(moved.map(|moved| {
            let (from, to) = known_by(&moved, known_path.parent().unwrap_or(&known_path), &place.repo);
            Quarantined { from, to, hint: NOT_TAKEN.to_owned() }
        }));
        Ok(())
    }

    /// Adds to each log what it lacks; those that lack more than is known.
    fn logs(&mut self, own: &[Own], histories: &dyn Fn() -> Option<Histories>) -> Result<Vec<String>, Error> {
        let (mut behind, mut all) = (Vec::new(), None);
        for log in LogFile::of(self.state) {
            let added = self.log(&log, own, histories, &mut all);
            behind.extend(self.or_next(added)?.flatten());
        }
        Ok(behind)
    }

    /// Adds to a log what it lacks; its name where that is more than is known.
    fn log(
        &mut self,
        log: &LogFile,
        own: &[Own],
        histories: &dyn Fn() -> Option<Histories>,
        all: &mut Option<Option<Histories>>,
    ) -> Result<Option<String>, Error> {
        let place = &self.view.place;
        let is_earlier = is_taken_over(self.state);
        let count = log.count(self.state);
        if count == 0 || self.is_whole(&log.name(), count) {
            return Ok(None);
        }
        let is_it = |own: &&Own| own.name == log.name() && own.digest == EARLIER;
        let earlier = own.iter().find(is_it).and_then(|own| own.note.parse().ok()).unwrap_or(0);
        let mut wanted = log.wanted(self.state).after(earlier);
        let (path, head) = (place.file(&log.name()), log.head(self.state, place));
        let (there, mut step) = file::within(&place.repo, &path, |path| {
            let there = file::read_regular(path, LOG_BYTES_MAX)?.unwrap_or_default();
            let step = compare_below(&head, &there, &wanted, is_earlier);
            Ok((there, step))
        })?;
        if step == Step::Unknown {
            let Some(all) = all.get_or_insert_with(histories) else { return Ok(Some(log.name())) };
            wanted = log.whole(self.state, all).after(earlier);
            step = compare_below(&head, &there, &wanted, is_earlier);
        }
        let untold = step.dropped(&there).map(|dropped| untold(dropped, &wanted.lines)).unwrap_or_default();
        if !untold.is_empty() {
            self.keep(log, &path, &untold)?;
        }
        file::within(&place.repo, &path, |path| perform(path, &there, step, self.durability))?;
        self.is_whole_now(&log.name(), count);
        Ok(None)
    }

    /// Whether a log had all of its lines when it was looked at last, and is as long as then.
    fn is_whole(&self, name: &str, count: u64) -> bool {
        let whole = self.view.whole.lock().unwrap_or_else(PoisonError::into_inner);
        whole.get(name).is_some_and(|known| *known == (count, length(&self.view.place.file(name))))
    }

    fn is_whole_now(&self, name: &str, count: u64) {
        let mut whole = self.view.whole.lock().unwrap_or_else(PoisonError::into_inner);
        whole.insert(name.to_owned(), (count, length(&self.view.place.file(name))));
    }

    /// Every step of every decision has its line.
    fn decisions(&mut self) -> Result<(), Error> {
        let wanted: Vec<String> = self.state.decisions.iter().flat_map(decision_lines).collect();
        if wanted.is_empty() {
            return Ok(());
        }
        let (place, name) = (&self.view.place, format!("{COORDINATION}/decisions.log"));
        if is_taken_over(self.state) {
            self.without_torn_line(&name)?;
        }
        file::within(&place.repo, &place.file(&name), |path| {
            let there = file::read_regular(path, LOG_BYTES_MAX)?.unwrap_or_default();
            perform(path, &there, missing(&there, &wanted), self.durability)
        })?;
        Ok(())
    }

    fn keep(&mut self, log: &LogFile, path: &Path, bytes: &[u8]) -> Result<(), Error> {
        let place = &self.view.place;
        let name =
            file::within(&place.repo, path, |path| self.view.keep(path, bytes, self.state.updated_at))?;
        let to = place.relative(&path.with_file_name(name));
        let hint = "the log is written by piton, and these lines are not in it".to_owned();
        let kept = Quarantined { from: place.relative(path), to, hint };
        match log.role().and_then(|role| self.state.role(role)).is_some_and(|role| role.open.is_none()) {
            true => self.kept.push(kept),
            false => self.moved().push(kept),
        }
        Ok(())
    }
}

/// Whether the cycle is one that was begun elsewhere, and nobody of its team has worked here yet: its files are those that it
/// was read from.
fn is_taken_over(state: &State) -> bool {
    let is_begun = |entry: &TimelineEntry| matches!(entry.fact, TimelineFact::IterationStarted { .. });
    let has_worked = state.attempt > 0 || state.round > 0;
    !has_worked && state.iteration > 0 && !state.timeline.recent.iter().any(is_begun)
}

/// How long a file is; a log of nothing is none.
pub(super) fn length(path: &Path) -> u64 {
    path.symlink_metadata().map_or(0, |metadata| if metadata.is_file() { metadata.len() } else { 0 })
}

impl Due {
    /// The contents of this file that are ours: the one that lies there, and the one that is to be.
    fn own(&self) -> Vec<Own> {
        let is_written = !self.page.is_held && !self.is_right;
        let new = is_written.then(|| Own::new(&self.page.name, &self.page.bytes));
        self.before.iter().map(|(own, _)| own.clone()).chain(new).collect()
    }

    /// The version before, for the archive.
    fn older(&self) -> Option<(String, Vec<u8>)> {
        if let Some(archived) = &self.page.previous {
            return Some((archived.version.clone(), archived.bytes.clone()));
        }
        let (_, there) =
            self.before.as_ref().filter(|_| self.page.is_pitons && !self.page.version.is_empty())?;
        let version = version_in(&self.page.name, there)?;
        (version != self.page.version).then(|| (version, there.clone()))
    }
}
