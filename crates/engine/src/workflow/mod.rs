//! The world of a workflow: steps under keepers, gates, items and people's files, the view of the run.
//!
//! Built like the loop's: what became of work is read from its attempt directory before anything is started, so that
//! performing an effect again after a crash finds the agent that still runs. Steps work in place and side by side, so
//! nothing here takes snapshots; only a fork does, once, of the tree that it begins with.

mod attempt;
pub(crate) mod cleanup;
mod end;
mod gates;
mod item;
mod log;
mod look;
mod money;
mod nested;
mod remember;
pub(crate) mod telling;

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::future::Future;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

pub use attempt::agent_key;
pub use cleanup::{Cleaned, clean_up};
use log::Log;
pub use nested::nested_run;
use piton_files::workflow::{RunPlace, RunView, has_view};
use piton_git::{Expected, Workspace};
use piton_model::workflow::{Command, Effect, Options, State, WorkPlace};
use piton_model::{Machine, RunId, Seq, Status, Timestamp};
use piton_store::Store;
use piton_sys::{Clock, SystemClock, file};

use crate::driver::World;
use crate::launch::Surroundings;
use crate::layout::Layout;
use crate::supervise::kept::Supervisor;
use crate::world::{
    Interrupts, WorldError, furnish, in_thread, mark_tree, open_workspace, require_lease, sentence,
};

/// How often files that people and other programs write are looked at.
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// How far the log of an attempt may lag behind what it prints.
const LOG_EVERY: Duration = Duration::from_secs(1);

/// A view is there this long after what it shows, at the latest.
const SHOWN_WITHIN_MS: u64 = 900;

/// How long a moment that readers are promised to see stays in the view. Where a rendering takes longer than that, moments
/// are passed over: they would hold up the work.
const SHOWN_FOR_MS: u64 = 50;

/// How much longer than a rendering the time to the next must be.
const COST_FACTOR: u64 = 20;

/// The world of a workflow that works in a directory of this machine.
pub struct WorkflowWorld {
    context: Arc<Context>,
    shown: RefCell<Option<Shown>>,
    /// Whether it waited when it was last published; at first nobody knows.
    waited: Cell<bool>,
    interrupts: Interrupts,
    note: Box<dyn Fn(&str)>,
}

/// What performing work needs, shared with the threads that do it.
struct Context {
    store: Arc<dyn Store>,
    layout: Layout,
    run: RunId,
    view: RunView,
    /// What everything that it starts is made from.
    launch: Surroundings,
    /// Attempts that are to be ended instead of awaited.
    cancelled: Mutex<BTreeSet<u32>>,
    /// What workflows cost today.
    day: Mutex<money::Day>,
    /// Whether this driver has furnished the work tree, where the run has one of its own; or what stood in the way.
    furnished: Mutex<Result<bool, String>>,
    /// The setup of the work tree that is waited for, and the attempt that waits.
    setting_up: Mutex<Option<(u32, String)>>,
}

struct Shown {
    at: Timestamp,
    cost_ms: u64,
    /// The last event it shows; `None` for a moment on the way, which stays for a while.
    head: Option<Seq>,
}

/// The view of `run` in the repository of `layout`.
pub fn view_of(layout: &Layout, run: &RunId) -> RunView {
    let digests = layout.attempts(run).join("run_state.digests");
    RunView::new(RunPlace::new(layout.root(), run.clone()), layout.state(), digests)
}

/// The file of a person that lies there and that the run has not heard of, by its place in the repository.
pub(crate) fn manual_input(store: &Arc<dyn Store>, layout: &Layout, state: &State) -> Option<String> {
    let place = RunPlace::new(layout.root(), state.run.clone());
    let mut asked = state.questions().into_iter().map(|(step, _)| step);
    let path = place.manual_input(asked.find(|step| look::has_manual_input(store, &place, state, step))?);
    Some(path.strip_prefix(layout.root()).unwrap_or(&path).display().to_string())
}

/// Whether somebody deleted the directory of this run while it was at rest: what it did is discarded, and its name may be
/// used again. Its journal stays. What the clean-up removed is not discarded.
pub fn is_discarded(layout: &Layout, state: &State) -> bool {
    let directory = RunPlace::new(layout.root(), state.run.clone()).directory();
    let gone = |error: std::io::Error| error.kind() == std::io::ErrorKind::NotFound;
    let rests = state.is_at_rest() && state.open_count() == 0 && !state.archived;
    // Of a queue that directory only shows something.
    state.options.queue.is_none() && rests && directory.symlink_metadata().is_err_and(gone)
}

/// Makes the work tree of a fork: on a branch from where that of its original stands, with the files that lie there now. Steps may have
/// written them, so filters run between the walls.
pub(crate) fn fork_tree(
    layout: &Layout,
    run: &RunId,
    options: &Options,
    original: &Path,
) -> Result<(), WorldError> {
    let Some(WorkPlace::Worktree(worktree)) = &options.place else { return Ok(()) };
    let layout = layout.in_tree(PathBuf::from(&worktree.path));
    let launch = Surroundings::open(run, &layout, options.confine.as_ref())?;
    let original = open_workspace(&layout.in_tree(original.to_owned()), run)?;
    let around = launch.around_filters(&original, None)?;
    let original = original.running_filters_in(around.clone());
    let source = original.snapshot(run.as_str(), "the tree it starts from")?.id;
    original.add_work_tree(layout.tree(), &worktree.branch, None)?;
    let tree = mark_tree(&layout)?.running_filters_in(around);
    tree.add_submodules(&original)?;
    tree.restore(run.as_str(), &source, Expected::Anything)?;
    Ok(())
}

impl WorkflowWorld {
    /// The world of a run; `note` is told what a person should know and no event says.
    pub fn open(
        store: Arc<dyn Store>,
        layout: &Layout,
        state: &State,
        note: Box<dyn Fn(&str)>,
    ) -> Result<Self, WorldError> {
        let run = &state.run;
        let layout = &match &state.options.place {
            Some(place) => layout.in_tree(PathBuf::from(place.path())),
            None => layout.in_place(),
        };
        // Whoever lets it go on without walls is heard only after this.
        let is_without = state.requests.resume.as_ref().is_some_and(|raise| raise.without_walls);
        let confine = state.options.confine.as_ref().filter(|_| !is_without);
        let launch = Surroundings::open(run, layout, confine)?;
        if let Some(WorkPlace::Worktree(worktree)) = &state.options.place {
            let repository = Workspace::open(layout.root(), &layout.state())?;
            repository.protect_state()?;
            let around = launch.around_filters(&repository, None)?;
            let repository = repository.running_filters_in(around.clone());
            repository.add_work_tree(layout.tree(), &worktree.branch, None)?;
            mark_tree(layout)?.running_filters_in(around).add_submodules(&repository)?;
        }
        file::create_private_dir(&layout.attempts(run))?;
        piton_agent::sweep(&layout.attempts(run))?;
        let view = view_of(layout, run);
        if has_view(state) {
            view.prepare()?;
        }
        let launch = launch
            .closing_git()?
            .protecting(&state.options.protect)
            .opening([view.place().reports(), view.place().artifacts()]);
        let context = Context {
            store,
            layout: layout.clone(),
            run: run.clone(),
            view,
            launch,
            cancelled: Mutex::default(),
            day: Mutex::default(),
            furnished: Mutex::new(Ok(false)),
            setting_up: Mutex::default(),
        };
        let interrupts = Interrupts::new().map_err(WorldError::Signals)?;
        let (context, shown) = (Arc::new(context), RefCell::new(None));
        Ok(Self { context, shown, waited: Cell::new(true), interrupts, note })
    }

    /// Renders the view now, whatever it costs: a step that may read it is about to start, or nothing follows.
    fn render(&self, state: &State, head: Option<Seq>) {
        let begin = SystemClock.monotonic();
        match self.context.view.publish(state) {
            Ok(Some(moved)) => (self.note)(&moved.to_string()),
            Ok(None) => {}
            Err(error) => (self.note)(&format!("`run_state.json` was not written: {}", sentence(&error))),
        }
        let cost_ms = (SystemClock.monotonic() - begin).as_millis() as u64;
        *self.shown.borrow_mut() = Some(Shown { at: SystemClock.now(), cost_ms, head });
    }

    fn is_due(&self, head: Seq) -> bool {
        match &*self.shown.borrow() {
            None => true,
            Some(shown) => {
                let wait_ms = shown.cost_ms.saturating_mul(COST_FACTOR).min(SHOWN_WITHIN_MS);
                let is_seen = SystemClock.now().millis_since(shown.at) >= wait_ms && self.unseen_ms() == 0;
                shown.head != Some(head) && is_seen
            }
        }
    }

    /// How much longer the moment that the view shows is to stay there.
    fn unseen_ms(&self) -> u64 {
        let shown = self.shown.borrow();
        let moment = shown.as_ref().filter(|shown| shown.head.is_none());
        moment.map_or(0, |moment| SHOWN_FOR_MS.saturating_sub(SystemClock.now().millis_since(moment.at)))
    }
}

impl Context {
    fn attempts(&self) -> PathBuf {
        self.layout.attempts(&self.run)
    }

    fn place(&self) -> &RunPlace {
        self.view.place()
    }

    /// What is the repository to the steps of this run.
    fn repo(&self, state: &State) -> PathBuf {
        self.place().tree(state)
    }

    /// Furnishes the work tree of a run of which no attempt has run yet. Attempts that start side by side wait for it; one
    /// that is to be ended is not furnished for, and never starts.
    fn furnish(&self, state: &State, attempt: u32) -> Result<(), WorldError> {
        let Some(WorkPlace::Worktree(worktree)) = &state.options.place else { return Ok(()) };
        let mut furnished = self.furnished.lock().unwrap_or_else(PoisonError::into_inner);
        // What stood in the way of one attempt does so of those beside it; whoever resumes tries again.
        if let Err(what) = &*furnished {
            return Err(WorldError::Furnish { what: what.clone() });
        }
        let counters = &state.counters;
        let has_begun = counters.attempts > 0 || counters.lost > 0;
        if *furnished == Ok(false) && !has_begun {
            self.require_lease(state)?;
            let supervisor = SettingUp(Driving { context: self, state, attempt: Some(attempt) });
            let done = furnish::furnish(&self.layout, &self.run, worktree, &self.launch, None, supervisor);
            if let Err(WorldError::Furnish { what }) = &done {
                *furnished = Err(what.clone());
            }
            *furnished = Ok(done?);
        }
        Ok(())
    }

    /// Acts on a file of the run. Steps work in the same directories, and might put links there.
    fn within<T>(
        &self,
        path: &Path,
        act: impl FnOnce(&Path) -> Result<T, file::Error>,
    ) -> Result<T, file::Error> {
        file::within(self.layout.root(), path, act)
    }

    fn is_cancelled(&self, attempt: u32) -> bool {
        self.cancelled.lock().unwrap_or_else(PoisonError::into_inner).contains(&attempt)
    }

    /// Asked before everything that is written: a driver that was frozen and wakes late does no harm.
    fn require_lease(&self, state: &State) -> Result<(), WorldError> {
        require_lease(&*self.store, &self.run, state.driver.as_ref())
    }
}

/// The driver of a workflow, in this state, while it supervises what it started.
struct Driving<'a> {
    context: &'a Context,
    state: &'a State,
    /// What it started, if that can be cancelled: nobody ends the command of a gate, which ends by itself.
    attempt: Option<u32>,
}

impl Supervisor for Driving<'_> {
    type Error = WorldError;

    fn is_cancelled(&self) -> bool {
        self.attempt.is_some_and(|attempt| self.context.is_cancelled(attempt))
    }

    fn require_lease(&self) -> Result<(), WorldError> {
        self.context.require_lease(self.state)
    }
}

/// The same while it waits for the setup of the work tree, which ends with the attempt that it is for.
struct SettingUp<'a>(Driving<'a>);

impl Supervisor for SettingUp<'_> {
    type Error = WorldError;

    fn is_cancelled(&self) -> bool {
        self.0.is_cancelled()
    }

    fn require_lease(&self) -> Result<(), WorldError> {
        self.0.require_lease()
    }

    fn set_awaited(&self, name: Option<&str>) {
        let awaited = self.0.attempt.zip(name.map(str::to_owned));
        *self.0.context.setting_up.lock().unwrap_or_else(PoisonError::into_inner) = awaited;
    }
}

impl World<State> for WorkflowWorld {
    /// Files that people wrote while nobody drove, and what became of the runs that are steps of this one.
    fn found(&self, state: &State) -> Vec<Command> {
        let asked = state.questions().into_iter();
        let answers = asked.filter_map(|(step, _)| look::manual_input(&self.context, state, step));
        answers.chain(nested::found(&self.context, state)).collect()
    }

    fn perform(
        &self,
        effect: &Effect,
        fresh: bool,
        state: &State,
    ) -> impl Future<Output = Command> + 'static {
        let context = Arc::clone(&self.context);
        let (effect, state) = (effect.clone(), state.clone());
        async move {
            let result = match &effect {
                Effect::Attempt(open) => {
                    let directory = context.attempts().join(open.number.to_string());
                    let path = context.place().log(&open.step, open.attempt);
                    let log = Log::new(context.layout.root(), path, &directory);
                    let open = open.clone();
                    let work = in_thread(move || attempt::perform(&context, &open, fresh, &state));
                    logged(work, log).await
                }
                Effect::Gates { .. } => gates::watch(&context, &effect, &state).await,
                Effect::Items { step, path, .. } => Ok(Command::TakeItems {
                    step: step.clone(),
                    items: look::items(&context, &state, path.as_deref()),
                }),
                Effect::ManualInput { step, .. } => loop {
                    if let Some(command) = look::manual_input(&context, &state, step) {
                        break Ok(command);
                    }
                    tokio::time::sleep(LOOK_EVERY).await;
                },
                Effect::Tick { step } => {
                    let step = step.clone();
                    in_thread(move || item::tick(&context, &step, &state)).await
                }
                Effect::Timer(_) => Ok(Command::Tick),
            };
            result.unwrap_or_else(|error| Command::GiveUp { detail: sentence(&error) })
        }
    }

    fn cancel(&self, effect: &Effect) {
        let Effect::Attempt(attempt) = effect else { return };
        let mut cancelled = self.context.cancelled.lock().unwrap_or_else(PoisonError::into_inner);
        cancelled.insert(attempt.number);
        let setting_up = self.context.setting_up.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some((_, name)) = setting_up.filter(|(number, _)| *number == attempt.number) {
            let _ = piton_agent::cancel(&self.context.attempts(), &name);
        }
        // A keeper that is gone already, or is not there yet, needs no telling.
        let _ = piton_agent::cancel(&self.context.attempts(), &attempt.number.to_string());
    }

    fn show(&self, moment: &State) {
        let is_cheap = self.shown.borrow().as_ref().is_none_or(|shown| shown.cost_ms < SHOWN_FOR_MS);
        if is_cheap {
            self.render(moment, None);
        }
    }

    async fn shown(&self) {
        if let left @ 1.. = self.unseen_ms() {
            tokio::time::sleep(Duration::from_millis(left)).await;
        }
    }

    fn publish(&self, state: &State, head: Seq, at_rest: bool) {
        if at_rest || self.is_due(head) {
            self.render(state, Some(head));
        }
        self.context.launch.take_notes().iter().for_each(|note| (self.note)(note));
        if self.waited.replace(state.status == Status::Waiting) && state.status.is_active() {
            nested::wake_outer(&self.context, state);
        }
        if at_rest {
            // It has a runtime of its own, which cannot be within this one.
            let (context, has_view) = (Arc::clone(&self.context), has_view(state));
            let shown =
                std::thread::Builder::new().spawn(move || has_view.then(|| money::show_day(&context)));
            // The next one to rest shows it, where the system has no thread left.
            let _ = shown.map(std::thread::JoinHandle::join);
            let (layout, redactor) = (&self.context.layout, self.context.launch.redactor());
            telling::tell(layout, redactor, state).iter().for_each(|problem| (self.note)(problem));
        }
    }

    fn interrupted(&self) -> impl Future<Output = bool> {
        self.interrupts.next()
    }
}

/// Does the work of an attempt and keeps its log meanwhile.
async fn logged<T>(work: impl Future<Output = T>, mut log: Log) -> T {
    tokio::pin!(work);
    loop {
        match tokio::time::timeout(LOG_EVERY, &mut work).await {
            Ok(done) => {
                log.catch_up();
                return done;
            }
            Err(_) => log.catch_up(),
        }
    }
}
