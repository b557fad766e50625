//! Views of a run as files: rendered now and then while it works, and once at rest.
//!
//! Never on a step's path: the next rendering waits at least twenty times as long as the last one took. A
//! view that cannot be written is told and tried again later; the run goes on.

use std::path::{Path, PathBuf};

use piton_config::BACKUPS_TO;
use piton_files::aiwg::{self, History};
use piton_files::cycle::CyclePlace;
use piton_files::ralph::{self, Context, Published};
use piton_model::loop_machine::Prompt;
use piton_model::{RunId, Seq, State, Status, Timestamp};
use piton_sys::{Clock, SystemClock};
use piton_view::Rebuilt;

use super::covered::{self, Covered};
use super::extended::{self, Extended};
use super::sentence;
use crate::configuration;
use crate::layout::Layout;

/// Where the run got to is shown no sooner than this after the last rendering.
const STAGE_SHOWN_AFTER_MS: u64 = 1_000;

/// Where the builtin hook `logging` writes, and how many older ones are kept.
pub(super) const AUDIT_LOG: &str = ".ralph/audit.log";
const AUDIT_LOGS_KEPT: u32 = 5;

/// How much longer than a rendering the time to the next must be.
const COST_FACTOR: u64 = 20;

/// Which views a run has, and how often they are rendered.
#[derive(Clone, Copy, Debug)]
pub struct Views {
    /// `.ralph/state.json`.
    pub ralph: bool,
    /// `.aiwg/ralph/`.
    pub aiwg: bool,
    /// Rendered at least this often while something changes.
    pub auto_save_interval_ms: u64,
}

impl Default for Views {
    fn default() -> Self {
        Self { ralph: true, aiwg: false, auto_save_interval_ms: 30_000 }
    }
}

/// Renders the views of one run.
pub(super) struct Publisher {
    layout: Layout,
    views: Views,
    note: Box<dyn Fn(&str)>,
    extended: Option<Extended>,
    covered: Option<Covered>,
    last: Option<Rendered>,
}

struct Rendered {
    at: Timestamp,
    cost_ms: u64,
    head: Seq,
    stage: Stage,
}

/// Where a run got to: a reader of its views sees that soon, however long the work takes that is under way.
#[derive(PartialEq, Eq)]
struct Stage {
    status: Status,
    iteration: u32,
    attempt: u32,
    round: u32,
}

impl Stage {
    fn of(state: &State) -> Self {
        let work = &state.work;
        Self { status: state.status, iteration: work.iteration, attempt: work.attempt, round: work.round }
    }
}

impl Publisher {
    /// `note` is told what a person should know.
    pub(super) fn new(layout: Layout, views: Views, note: Box<dyn Fn(&str)>) -> Self {
        let covered = Covered::of(&layout);
        Self { layout, views, note, extended: None, covered, last: None }
    }

    /// What was in the run's histories before this driver. Without it there are no files that hold them.
    pub(super) fn remember(&mut self, history: History) {
        self.extended = self.views.aiwg.then(|| Extended::new(history));
    }

    pub(super) fn publish(&mut self, state: &State, head: Seq, at_rest: bool, now: Timestamp) {
        if let Some(extended) = &mut self.extended {
            extended.absorb(state);
        }
        let is_any = self.views.ralph || self.extended.is_some();
        if !is_any || !(at_rest || self.is_due(state, head, now)) {
            return;
        }
        let begin = SystemClock.monotonic();
        if self.views.ralph && self.covered.is_some() {
            let view = view_of(&self.layout, state, head);
            if let Some(Err(why)) = self.covered.as_ref().map(|covered| covered.publish(&self.layout, &view))
            {
                (self.note)(&format!("the state file was not written: {why}"));
            }
        } else if self.views.ralph {
            match ralph::publish(self.layout.root(), &view_of(&self.layout, state, head)) {
                Ok(published) => {
                    if published.backed_up.is_some() {
                        keep_as_many_as_asked(&self.layout);
                    }
                    notes_of(&published).iter().for_each(|note| (self.note)(note));
                }
                Err(error) => (self.note)(&format!("the state file was not written: {}", sentence(&error))),
            }
        }
        if let Some(extended) = &mut self.extended {
            extended.publish(&self.layout, state, head).iter().for_each(|note| (self.note)(note));
        }
        let cost_ms = (SystemClock.monotonic() - begin).as_millis() as u64;
        self.last = Some(Rendered { at: now, cost_ms, head, stage: Stage::of(state) });
    }

    fn is_due(&self, state: &State, head: Seq, now: Timestamp) -> bool {
        let Some(last) = &self.last else { return true };
        let elapsed_ms = now.millis_since(last.at);
        if last.head == head || elapsed_ms < last.cost_ms.saturating_mul(COST_FACTOR) {
            return false;
        }
        let new_stage = Stage::of(state) != last.stage && elapsed_ms >= STAGE_SHOWN_AFTER_MS;
        new_stage || elapsed_ms >= self.views.auto_save_interval_ms
    }
}

/// Lets go of copies of state files beyond those that the configuration asks for. One too many is no reason to stop.
pub(super) fn keep_as_many_as_asked(layout: &Layout) {
    if let Ok(backups) = crate::configuration::backups(layout) {
        let _ = ralph::keep_newest(layout.root(), backups.count_max);
    }
}

fn view_of(layout: &Layout, state: &State, head: Seq) -> ralph::PersistedLoopState {
    let prompt_path = match &state.config.prompt {
        Prompt::File(path) => PathBuf::from(path),
        Prompt::Text(_) => named_earlier(state).map(PathBuf::from).unwrap_or_default(),
    };
    let context = Context {
        working_dir: layout.of_run(&state.config).tree().to_owned(),
        prompt_path,
        config_hash: piton_config::config_hash(&state.config),
    };
    ralph::render(state, head, &context)
}

/// The prompt file of the tool that began the loop.
fn named_earlier(state: &State) -> Option<&String> {
    state.memory.adopted.as_ref()?.earlier.prompt_path.as_ref()
}

fn notes_of(published: &Published) -> Vec<String> {
    published.quarantined.iter().map(ToString::to_string).collect()
}

/// Renders the views of a run that rests and that nobody drives, with a history that has taken in all of it where a view
/// holds that. What cannot be written is tried again at the next look.
pub(crate) fn publish_at_rest(
    layout: &Layout,
    views: Views,
    state: &State,
    head: Seq,
    history: Option<History>,
) {
    let mut publisher = Publisher::new(layout.of_run(&state.config), views, Box::new(|_| {}));
    history.into_iter().for_each(|history| publisher.remember(history));
    publisher.publish(state, head, true, SystemClock.now());
}

/// Renders the views of a run again from the journal. The extended ones with a history that has taken in all of it.
pub fn republish(
    layout: &Layout,
    state: &State,
    head: Seq,
    history: Option<&History>,
) -> Result<Rebuilt, super::WorldError> {
    let view = view_of(layout, state, head);
    let mut rebuilt = match Covered::of(layout) {
        Some(covered) => {
            let path = covered.publish(layout, &view).map_err(super::WorldError::Covered)?;
            Rebuilt { written: vec![path.display().to_string()], notes: Vec::new() }
        }
        None => {
            let published = ralph::rebuild(layout.root(), &view)?;
            Rebuilt { written: vec![published.path.display().to_string()], notes: notes_of(&published) }
        }
    };
    if let Some(history) = history {
        extended::rebuild(layout, state, head, history, &mut rebuilt)?;
    }
    Ok(rebuilt)
}

/// The view of a run as it would be written.
pub fn view_bytes(layout: &Layout, state: &State, head: Seq) -> Vec<u8> {
    ralph::to_bytes(&view_of(layout, state, head))
}

/// The extended view of a run as it would be written, with a history that has taken in all of it.
pub(crate) fn extended_bytes(layout: &Layout, state: &State, head: Seq, history: &History) -> Vec<u8> {
    extended::bytes(layout, state, head, history)
}

/// Removes the views of a run that are piton's own.
pub fn unpublish(layout: &Layout, run: &RunId) -> Result<(), super::WorldError> {
    ralph::remove(layout.root(), run)?;
    covered::remove(layout, run);
    aiwg::remove(layout.root(), run)?;
    Ok(())
}

/// What piton renders for a run; snapshots leave it out.
pub(super) fn rendered_paths(layout: &Layout, run: &RunId) -> Vec<PathBuf> {
    let mut paths = ralph::rendered_paths(layout.root(), run);
    let (main, side) = covered::places(Path::new(""), run.as_str());
    paths.extend([main, side]);
    if aiwg::is_used(layout.root()) {
        paths.extend(aiwg::rendered_paths(layout.root(), run));
    }
    let cycle = CyclePlace::new(layout.root(), run.as_str());
    if cycle.progress().is_dir() {
        // What is kept beside the files of a cycle has names of its own.
        paths.push(cycle.cycles());
    }
    // Backups are nobody's work, wherever in the tree they are kept.
    let backups = configuration::backups(layout).map_or_else(|_| BACKUPS_TO.to_owned(), |said| said.to);
    let replica = configuration::replicate(layout).ok().flatten();
    let kept = std::iter::once(backups).chain(replica);
    paths.extend(kept.filter_map(|text| piton_vault::target::kept_below(&text, layout.root())));
    // What hooks of ours write is not the agent's work either.
    paths.extend([AUDIT_LOG, super::hooks::METRICS_FILE].map(PathBuf::from));
    paths.extend((1..=AUDIT_LOGS_KEPT).map(|number| PathBuf::from(format!("{AUDIT_LOG}.{number}"))));
    paths
}
