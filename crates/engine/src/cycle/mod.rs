//! The world of a cycle: roles under keepers, piton's own checks between them, the files of the team.
//!
//! Built on the loop's: one work tree, one way to take snapshots of it, to run checks in it and to let the guard look at it
//! ([`as_loop`]). What is a cycle's own is here: what a role is told ([`prompt`]), what it hands in ([`hand_in`]), the files that
//! the team shares ([`publish`]), and who edits them ([`watch`]).

mod as_loop;
mod attempt;
mod hand_in;
mod hooks;
pub mod prompt;
mod publish;
mod watch;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::future::Future;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use piton_files::cycle::CyclePlace;
use piton_model::Seq;
use piton_model::cycle::{Command, Effect, State};
use piton_model::loop_machine::{StreamFormat, TestStatus};
use piton_store::Store;
use piton_sys::lock::FileLock;

use crate::driver::World;
use crate::launch::Surroundings;
use crate::layout::Layout;
use crate::supervise::kept::Supervisor;
use crate::world::telling::Telling;
use crate::world::{
    self, Interrupts, WorldError, checks, in_thread, land, mark_tree, require_lease, require_tree, sentence,
};

pub(crate) use publish::{
    forget_files, is_behind, prepare_files, publish_at_rest, republish, take_over_files, view_bytes,
};

/// The world of a cycle that works in a directory of this machine.
pub struct CycleWorld {
    context: Arc<Context>,
    telling: RefCell<Telling>,
    interrupts: Interrupts,
    note: Box<dyn Fn(&str)>,
    _workspace: FileLock,
}

/// What performing work needs, shared with the threads that do it.
struct Context {
    world: world::Context,
    place: CyclePlace,
    view: publish::Publisher,
    /// Attempts that are to be ended instead of awaited.
    cancelled: Mutex<BTreeSet<u32>>,
    /// The last attempt before which the tree was put back: what is in it since is somebody's work.
    put_back: AtomicU32,
    /// What somebody wrote over files of piton's, in sentences, until it is on record with the role at work.
    overwritten: Mutex<Vec<String>>,
    /// What the brief of each attempt says that can change while it works: pause, stop, and how much its role was told.
    briefed: Mutex<BTreeMap<u32, (bool, bool, usize)>>,
    /// Held while its work tree is furnished, and whether it is.
    furnishing: Mutex<()>,
    is_furnishing: AtomicBool,
}

impl CycleWorld {
    /// The world of a run, with the work tree to itself; `note` is told what a person should know and no event says.
    pub fn open(
        store: Arc<dyn Store>,
        layout: &Layout,
        state: &State,
        note: Box<dyn Fn(&str)>,
    ) -> Result<Self, WorldError> {
        let (layout, run) = (layout.at(state.config.worktree.as_ref()), state.run.clone());
        let lock = layout
            .lock_tree()?
            .ok_or_else(|| WorldError::WorkspaceHeld { root: layout.tree().to_owned() })?;
        // Whoever lets it go on without walls is heard only after this.
        let is_without = state.requests.resume.as_ref().is_some_and(|raise| raise.without_walls);
        let confine = state.config.confine.as_ref().filter(|_| !is_without);
        let launch = Surroundings::open(&run, &layout, confine)?;
        if let Some(worktree) = &state.config.worktree {
            if state.start.is_none() {
                land::begin(&layout, &run, worktree, &launch, &state.config.developer(), None)?;
            }
            require_tree(&layout, worktree)?;
            mark_tree(&layout)?;
        }
        let launch =
            launch.keeping_secrets_of(state.start.as_ref())?.closing_git()?.protecting(&state.config.protect);
        let place = CyclePlace::new(layout.root(), run.as_str());
        let view = publish::Publisher::open(Arc::clone(&store), &layout, state)?;
        let telling = Telling::start(&layout, &run, state.config.notify.as_ref(), launch.redactor())?;
        let mut world = world::Context::open(store, layout, run, launch)?;
        world.line = telling.line();
        let context = Context {
            world,
            place,
            view,
            cancelled: Mutex::default(),
            put_back: AtomicU32::new(0),
            overwritten: Mutex::default(),
            briefed: Mutex::default(),
            furnishing: Mutex::default(),
            is_furnishing: AtomicBool::new(false),
        };
        let interrupts = Interrupts::new().map_err(WorldError::Signals)?;
        let telling = RefCell::new(telling);
        Ok(Self { context: Arc::new(context), telling, interrupts, note, _workspace: lock })
    }

    /// The same; another run has judged since what this attempt of it left.
    #[must_use]
    pub(crate) fn judged_elsewhere(mut self, attempt: Option<u32>) -> Self {
        if let Some(context) = Arc::get_mut(&mut self.context) {
            context.world.judged_elsewhere = attempt;
        }
        self
    }

    /// Lets go of the work tree, then tells people what is still to be told.
    pub fn close(self) {
        let Self { telling, note, _workspace: lock, .. } = self;
        drop(lock);
        telling.into_inner().close().iter().for_each(|problem| note(problem));
    }
}

impl Context {
    /// Furnishes the work tree of a cycle that has not begun; attempts that start side by side wait for it. `false` where
    /// somebody wants it ended.
    fn furnish(&self, state: &State) -> Result<bool, WorldError> {
        let _one = self.furnishing.lock().unwrap_or_else(PoisonError::into_inner);
        self.is_furnishing.store(true, Ordering::SeqCst);
        let furnished = self.world.furnish(&as_loop::for_checks(state));
        self.is_furnishing.store(false, Ordering::SeqCst);
        furnished
    }

    fn is_cancelled(&self, attempt: u32) -> bool {
        self.cancelled.lock().unwrap_or_else(PoisonError::into_inner).contains(&attempt)
    }

    fn is_put_back(&self, attempt: u32) -> bool {
        self.put_back.load(Ordering::SeqCst) == attempt
    }

    fn was_put_back(&self, attempt: u32) {
        self.put_back.store(attempt, Ordering::SeqCst);
    }

    /// Asked before everything that is written: a driver that was frozen and wakes late does no harm.
    fn require_lease(&self, state: &State) -> Result<(), WorldError> {
        require_lease(&*self.world.store, &self.world.run, state.driver.as_ref())
    }
}

/// The driver of a cycle, in this state, while it supervises an attempt.
struct Driving<'a> {
    context: &'a Context,
    state: &'a State,
    attempt: u32,
}

impl Supervisor for Driving<'_> {
    type Error = WorldError;

    fn is_cancelled(&self) -> bool {
        self.context.is_cancelled(self.attempt)
    }

    fn require_lease(&self) -> Result<(), WorldError> {
        self.context.require_lease(self.state)
    }
}

/// Runs a round of checks, as a loop does.
fn run_checks(context: &Context, round: u32, fresh: bool, state: &State) -> Result<Command, WorldError> {
    let seen = as_loop::for_checks(state);
    let done = match checks::perform(&context.world, round, fresh, &seen) {
        Err(error) if error.is_stopped() => checks::cancelled(round),
        done => done?,
    };
    Ok(match done {
        piton_model::Command::Observe(snapshot) => Command::Observe(snapshot),
        piton_model::Command::ObserveOver { now, before } => Command::ObserveOver { now, before },
        piton_model::Command::EndChecks(mut round) => {
            // Nothing was known of tests by name before: whatever fails is named.
            let tests = std::mem::take(&mut round.tests).now.into_iter();
            let failed = tests.filter(|(_, status)| *status == TestStatus::Failing).map(|(name, _)| name);
            Command::EndChecks { failed: failed.collect(), round }
        }
        _ => Command::GiveUp { detail: "the checks came to nothing that is known".to_owned() },
    })
}

impl World<State> for CycleWorld {
    /// What somebody did to the state file while nobody drove.
    fn found(&self, state: &State) -> Vec<Command> {
        watch::look_at_first(&self.context, state).into_iter().collect()
    }

    fn perform(
        &self,
        effect: &Effect,
        fresh: bool,
        state: &State,
    ) -> impl Future<Output = Command> + 'static {
        let context = Arc::clone(&self.context);
        let (effect, state) = (effect.clone(), state.clone());
        if matches!(effect, Effect::Checks(_) | Effect::Hooks(_)) {
            context.world.workspace.stop().withdraw();
        }
        let (layout, worktree) = (context.world.layout.clone(), state.config.worktree.clone());
        async move {
            let result = match effect {
                Effect::Attempt(open) => {
                    in_thread(move || attempt::perform(&context, &open, fresh, &state)).await
                }
                Effect::Checks(round) => in_thread(move || run_checks(&context, round, fresh, &state)).await,
                Effect::Hooks(call) => in_thread(move || hooks::perform(&context, &call, &state)).await,
                Effect::Watch => Ok(watch::wait(&context, &state).await),
                Effect::Timer(_) => Ok(Command::Tick),
            };
            result.unwrap_or_else(|error| {
                let gone = worktree.and_then(|worktree| require_tree(&layout, &worktree).err());
                Command::GiveUp { detail: sentence(&gone.unwrap_or(error)) }
            })
        }
    }

    fn cancel(&self, effect: &Effect) {
        match effect {
            Effect::Attempt(open) => {
                let mut cancelled = self.context.cancelled.lock().unwrap_or_else(PoisonError::into_inner);
                cancelled.insert(open.number);
                // A keeper that is gone already, or is not there yet, needs no telling.
                let _ = piton_agent::cancel(&self.context.world.attempts(), &open.number.to_string());
                // Nor has its work tree to be furnished any further.
                if self.context.is_furnishing.load(Ordering::SeqCst) {
                    self.context.world.cancel();
                }
            }
            Effect::Checks(_) | Effect::Hooks(_) => self.context.world.cancel(),
            Effect::Watch | Effect::Timer(_) => {}
        }
    }

    fn show(&self, moment: &State) {
        let notes = publish::publish(&self.context, moment, false);
        notes.iter().for_each(|note| (self.note)(note));
    }

    fn publish(&self, state: &State, _head: Seq, at_rest: bool) {
        attempt::nudge(&self.context, state);
        attempt::keep_briefs(&self.context, state);
        let notes = publish::publish(&self.context, state, at_rest);
        let problems = self.telling.borrow_mut().observe(state);
        let notes = notes.iter().chain(&problems);
        notes.chain(&self.context.world.launch.take_notes()).for_each(|note| (self.note)(note));
    }

    fn interrupted(&self) -> impl Future<Output = bool> {
        self.interrupts.next()
    }
}

/// How the agent of the last attempt speaks.
pub(crate) fn stream_of(state: &State) -> StreamFormat {
    let last = state.team().max_by_key(|(_, at)| at.started_at);
    last.map(|(role, _)| role.agent.stream.clone()).unwrap_or_default()
}
