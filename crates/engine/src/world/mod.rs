//! The real world: agents and checks under keepers, snapshots by git, views as files, signals.
//!
//! Everything here looks before it acts: what became of work is read from its attempt directory, so that
//! performing an effect again after a crash finds the agent that still runs instead of starting another.

pub(crate) mod attempt;
mod beside;
pub mod brief;
pub(crate) mod checks;
mod closure;
mod covered;
pub(crate) mod end;
mod extended;
pub(crate) mod furnish;
mod guard;
pub(crate) mod hooks;
pub(crate) mod land;
mod measure;
mod originals;
pub(crate) mod over;
pub mod prompt;
mod protected;
mod prove;
mod publish;
mod reinforce;
mod review;
mod signals;
mod stop;
mod task;
mod tasks;
pub(crate) mod telling;
pub(crate) mod unseen;
mod written;

use std::cell::RefCell;
use std::future::Future;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use piton_files::aiwg::{self, History};
use piton_git::Workspace;
use piton_model::loop_machine::{Snapshot, Worktree};
use piton_model::{Command, Effect, RunId, Seq, State};
use piton_store::Store;
use piton_sys::lock::FileLock;
use piton_sys::{Clock, SystemClock, file};

use crate::driver::World;
use crate::journal;
use crate::launch::{LaunchError, Surroundings};
use crate::layout::Layout;
use crate::supervise::kept::Supervisor;
use brief::Briefing;
use publish::Publisher;
use telling::Telling;

pub(crate) use covered::Covered;
pub use land::{LoopPlace, loop_place};
pub(crate) use protected::is_made;
pub use publish::{Views, republish, unpublish, view_bytes};
pub(crate) use publish::{extended_bytes, publish_at_rest};
pub(crate) use signals::Interrupts;

/// Why the world cannot be acted on.
#[derive(Debug, thiserror::Error)]
pub enum WorldError {
    /// The file system said no.
    #[error(transparent)]
    File(#[from] file::Error),
    /// Git said no.
    #[error(transparent)]
    Git(#[from] piton_git::Error),
    /// The attempts' directories said no.
    #[error(transparent)]
    Agent(#[from] piton_agent::Error),
    /// The trees could not be compared.
    #[error("the guard could not compare the trees: {what}")]
    Guard {
        /// What was said.
        what: String,
    },
    /// The work tree could not be furnished.
    #[error("failed to furnish the work tree: {what}")]
    Furnish {
        /// With what, and what was said.
        what: String,
    },
    /// A file that is to be encrypted could not be written.
    #[error("the state file was not written: {0}")]
    Covered(String),
    /// Nothing can be started here.
    #[error(transparent)]
    Launch(#[from] LaunchError),
    /// Another driver works in this tree.
    #[error("another run works in `{}`", .root.display())]
    WorkspaceHeld {
        /// The work tree.
        root: PathBuf,
    },
    /// The work tree of a run is that of another repository, of which this one is a copy.
    #[error("the work tree `{}` belongs to the runs of `{}`", .tree.display(), .owner.display())]
    TreeOfAnother {
        /// The work tree.
        tree: PathBuf,
        /// Whose it is.
        owner: PathBuf,
    },
    /// Somebody removed the work tree of a run.
    #[error(
        "the work tree `{}` is gone; `git worktree add -f {} {branch}` makes it anew with what was committed",
        .tree.display(),
        .tree.display()
    )]
    TreeGone {
        /// Where it was.
        tree: PathBuf,
        /// What was committed of it.
        branch: String,
    },
    /// The journal names a snapshot that cannot be one.
    #[error(transparent)]
    Snapshot(#[from] piton_git::ParseIdError),
    /// Another driver took the run over while this one was not looking.
    #[error("another driver took the run over")]
    Superseded,
    /// People cannot be told anything.
    #[error("failed to start telling people")]
    Telling(#[source] std::io::Error),
    /// Signals cannot be listened for.
    #[error("failed to listen for signals")]
    Signals(#[source] std::io::Error),
    /// The system has no thread left for work.
    #[error("no thread can be started")]
    Thread(#[source] std::io::Error),
}

impl WorldError {
    /// Whether nothing is wrong but that somebody wants the run stopped now.
    pub(crate) fn is_stopped(&self) -> bool {
        matches!(self, Self::Git(piton_git::Error::Stopped))
    }
}

/// The world of a run that works in a directory of this machine.
pub struct LoopWorld {
    context: Arc<Context>,
    publisher: RefCell<Publisher>,
    briefing: RefCell<Briefing>,
    telling: RefCell<Telling>,
    note: Rc<dyn Fn(&str)>,
    interrupts: Interrupts,
    _workspace: FileLock,
}

/// The work tree of a run's own, marked as that of this repository. One that belongs to the repository that this one was copied
/// from is refused: the runs of both would work in it.
pub(crate) fn mark_tree(layout: &Layout) -> Result<Workspace, WorldError> {
    let (tree, root) = (layout.tree(), layout.root());
    if let Some(owner) = piton_git::owner_of(tree)
        && owner != root
        && owner.join(".piton").is_dir()
        && !journal::is_same(&owner, root)
    {
        return Err(WorldError::TreeOfAnother { tree: tree.to_owned(), owner });
    }
    let workspace = Workspace::open(tree, &layout.state())?;
    workspace.mark_owner(root)?;
    Ok(workspace)
}

/// What performing work needs, shared with the threads that do it.
pub(crate) struct Context {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) layout: Layout,
    pub(crate) run: RunId,
    pub(crate) workspace: Workspace,
    /// What everything that it starts is made from.
    pub(crate) launch: Surroundings,
    /// What was listed and counted in trees, so that it is not done again.
    counted: Mutex<(piton_git::Listings, piton_guard::Counted)>,
    /// The tree that others were compared with last, with what of it judges.
    base: Mutex<Option<(String, Arc<protected::Base>)>>,
    /// Protected files that no snapshot has, as they were before the attempt.
    kept: Mutex<unseen::Kept>,
    /// The ignore rules of the clone, as they were before the attempt, and what it added to them.
    rules: Mutex<unseen::Rules>,
    /// The last snapshot that this driver took, while nothing of the run has worked in the tree since, and when.
    rested: Mutex<Option<(Snapshot, std::time::Duration)>>,
    /// The attempt directory that is waited for.
    performing: Mutex<Option<String>>,
    /// Where hooks can have people told something.
    pub(crate) line: Option<piton_notify::Line>,
    /// Whether this driver has furnished the work tree, where the run has one of its own.
    furnished: AtomicBool,
    /// The attempt whose work another run has judged since, in the same tree.
    pub(crate) judged_elsewhere: Option<u32>,
}

impl LoopWorld {
    /// The world of `run`, with the work tree to itself.
    ///
    /// `note` is told what a person should know and no event says.
    pub fn open(
        store: Arc<dyn Store>,
        layout: &Layout,
        state: &State,
        views: Views,
        note: Box<dyn Fn(&str)>,
    ) -> Result<Self, WorldError> {
        let (layout, run) = (layout.of_run(&state.config), state.run.clone());
        let lock = layout
            .lock_tree()?
            .ok_or_else(|| WorldError::WorkspaceHeld { root: layout.tree().to_owned() })?;
        // Whoever lets it go on without walls is heard only after this.
        let is_without = state.requests.resume.as_ref().is_some_and(|raise| raise.without_walls);
        let confine = state.config.confine.as_ref().filter(|_| !is_without);
        let launch = Surroundings::open(&run, &layout, confine)?;
        if let (Some(worktree), None) = (&state.config.worktree, &state.seen.start) {
            let adopted = state.memory.adopted.as_ref().and_then(|adopted| adopted.snapshot.as_ref());
            land::begin(&layout, &run, worktree, &launch, state.agent(), adopted)?;
        }
        if let Some(worktree) = &state.config.worktree {
            require_tree(&layout, worktree)?;
            mark_tree(&layout)?;
        }
        let launch = launch
            .keeping_secrets_of(state.seen.start.as_ref())?
            .closing_git()?
            .protecting(&state.config.protect);
        if views.aiwg {
            // From here on its files are known as piton's own, before the first of them is there. Where it cannot be,
            // publishing says so; the run goes on.
            let _ = aiwg::begin(layout.root());
        }
        let note: Rc<dyn Fn(&str)> = note.into();
        let shared = Rc::clone(&note);
        let publisher = Publisher::new(layout.clone(), views, Box::new(move |text: &str| shared(text)));
        let publisher = RefCell::new(publisher);
        let telling = Telling::start(&layout, &run, state.config.notify.as_ref(), launch.redactor())?;
        let briefing = RefCell::new(Briefing::default());
        let context = Context { line: telling.line(), ..Context::open(store, layout, run, launch)? };
        let interrupts = Interrupts::new().map_err(WorldError::Signals)?;
        let telling = RefCell::new(telling);
        Ok(Self {
            context: Arc::new(context),
            publisher,
            briefing,
            telling,
            note,
            interrupts,
            _workspace: lock,
        })
    }

    /// The same; another run has judged since what this attempt of it left.
    #[must_use]
    pub(crate) fn judged_elsewhere(mut self, attempt: Option<u32>) -> Self {
        if let Some(context) = Arc::get_mut(&mut self.context) {
            context.judged_elsewhere = attempt;
        }
        self
    }

    /// Lets go of the work tree, then tells people what is still to be told.
    pub fn close(self) {
        let Self { telling, note, _workspace: lock, .. } = self;
        drop(lock);
        telling.into_inner().close().iter().for_each(|problem| note(problem));
    }

    /// What was in the run's histories so far, for the views that hold them. Before anything is driven.
    pub fn remember(&self, history: History) {
        self.publisher.borrow_mut().remember(history);
    }
}

/// The work tree of `run`, without the files that piton renders itself or furnished it with.
pub fn open_workspace(layout: &Layout, run: &RunId) -> Result<Workspace, WorldError> {
    let mut left_out = publish::rendered_paths(layout, run);
    left_out.extend(layout.furniture().iter().cloned());
    let workspace = Workspace::open(layout.tree(), &layout.state())?.leaving_out(&left_out);
    let workspace = workspace.hiding(&[piton_files::ralph::FINISHED]);
    Ok(workspace
        .leaving_out_listed(piton_files::list_of_own_files(layout.root()), piton_files::is_name_of_ours))
}

/// Whatever failed where the work tree is gone failed for that.
pub(crate) fn require_tree(layout: &Layout, worktree: &Worktree) -> Result<(), WorldError> {
    let tree = layout.tree().to_owned();
    match tree.is_dir() {
        true => Ok(()),
        false => Err(WorldError::TreeGone { tree, branch: worktree.branch.clone() }),
    }
}

/// The snapshot that the journal names.
pub fn snapshot_id(text: &str) -> Result<piton_git::SnapshotId, WorldError> {
    Ok(piton_git::SnapshotId::try_from(text.to_owned())?)
}

impl Context {
    /// Takes the work tree of `layout` for what `run` does in it. Under the lock of that tree.
    pub(crate) fn open(
        store: Arc<dyn Store>,
        layout: Layout,
        run: RunId,
        launch: Surroundings,
    ) -> Result<Self, WorldError> {
        let workspace = open_workspace(&layout, &run)?;
        workspace.protect_state()?;
        workspace.clean_stale_locks(run.as_str())?;
        file::create_private_dir(&layout.attempts(&run))?;
        piton_agent::sweep(&layout.attempts(&run))?;
        Ok(Self {
            store,
            layout,
            run,
            workspace,
            launch,
            counted: Mutex::default(),
            base: Mutex::default(),
            kept: Mutex::default(),
            rules: Mutex::default(),
            rested: Mutex::default(),
            performing: Mutex::new(None),
            line: None,
            furnished: AtomicBool::new(false),
            judged_elsewhere: None,
        })
    }

    /// Ends what is waited for.
    pub(crate) fn cancel(&self) {
        self.workspace.stop().ask();
        let performing = self.performing.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(name) = performing {
            // A keeper that is gone already needs no telling.
            let _ = piton_agent::cancel(&self.attempts(), &name);
        }
    }

    fn is_cancelled(&self) -> bool {
        self.workspace.stop().is_asked()
    }

    /// Something is about to work in the tree, or did: what was seen of it at rest counts no more.
    pub(crate) fn tree_changes(&self) {
        self.rested.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    /// Asked before everything that is written: a driver that was frozen and wakes late does no harm.
    pub(crate) fn require_lease(&self, state: &State) -> Result<(), WorldError> {
        require_lease(&*self.store, &self.run, state.driver.as_ref())
    }

    pub(crate) fn attempts(&self) -> PathBuf {
        self.layout.attempts(&self.run)
    }

    /// The work tree for whoever stores what an agent wrote: filters run between the walls, as they stand now.
    fn storing(&self, agent: &piton_model::loop_machine::AgentConfig) -> Result<Workspace, WorldError> {
        let around = self.launch.around_filters(&self.workspace, Some(agent))?;
        Ok(self.workspace.clone().running_filters_in(around))
    }

    /// Furnishes the work tree of a run that has not begun. Under the lease, since it may take as long as installing
    /// the packages of a project does. `false` where somebody wants it ended.
    pub(crate) fn furnish(&self, state: &State) -> Result<bool, WorldError> {
        let (Some(worktree), None) = (&state.config.worktree, &state.seen.start) else { return Ok(true) };
        if !self.furnished.load(Ordering::SeqCst) {
            self.require_lease(state)?;
            let driving = Driving { context: self, state };
            let agent = Some(state.agent());
            let furnished =
                furnish::furnish(&self.layout, &self.run, worktree, &self.launch, agent, driving)?;
            self.furnished.store(furnished, Ordering::SeqCst);
        }
        Ok(self.furnished.load(Ordering::SeqCst))
    }
}

/// The driver of a loop, in this state, while it supervises what it started.
struct Driving<'a> {
    context: &'a Context,
    state: &'a State,
}

impl Supervisor for Driving<'_> {
    type Error = WorldError;

    fn is_cancelled(&self) -> bool {
        self.context.is_cancelled()
    }

    fn require_lease(&self) -> Result<(), WorldError> {
        self.context.require_lease(self.state)
    }

    fn set_awaited(&self, name: Option<&str>) {
        *self.context.performing.lock().unwrap_or_else(PoisonError::into_inner) = name.map(str::to_owned);
    }
}

impl World for LoopWorld {
    fn perform(
        &self,
        effect: &Effect,
        fresh: bool,
        state: &State,
    ) -> impl Future<Output = Command> + 'static {
        let context = Arc::clone(&self.context);
        context.workspace.stop().withdraw();
        let (effect, state) = (effect.clone(), state.clone());
        let (layout, worktree) = (context.layout.clone(), state.config.worktree.clone());
        async move {
            let work = move || {
                let furnished = matches!(effect, Effect::Timer(_)) || context.furnish(&state)?;
                match &effect {
                    // Nothing is to begin any more; an attempt says so itself.
                    Effect::Checks(round) if !furnished => Ok(checks::cancelled(*round)),
                    Effect::Hooks(call) if !furnished => Ok(hooks::not_called(call)),
                    Effect::Attempt(attempt) => attempt::perform(&context, attempt, fresh, &state),
                    Effect::Checks(round) => match checks::perform(&context, *round, fresh, &state) {
                        Err(error) if error.is_stopped() => Ok(checks::cancelled(*round)),
                        done => done,
                    },
                    Effect::Hooks(call) => hooks::perform(&context, call, &state),
                    Effect::Commit(_) => land::commit(&context, &state),
                    Effect::Review(open) => review::perform(&context, open, fresh, &state),
                    Effect::Timer(_) => Ok(Command::Tick),
                }
            };
            // A thread of its own, not one of the runtime's: those panic where the system has none left.
            in_thread(work).await.unwrap_or_else(|error| {
                let gone = worktree.and_then(|worktree| require_tree(&layout, &worktree).err());
                Command::GiveUp { detail: sentence(&gone.unwrap_or(error)) }
            })
        }
    }

    fn cancel(&self, _effect: &Effect) {
        self.context.cancel();
    }

    fn publish(&self, state: &State, head: Seq, at_rest: bool) {
        self.briefing.borrow_mut().keep(&self.context.layout, state);
        self.publisher.borrow_mut().publish(state, head, at_rest, SystemClock.now());
        let problems = self.telling.borrow_mut().observe(state);
        problems.iter().chain(&self.context.launch.take_notes()).for_each(|problem| (self.note)(problem));
    }

    fn interrupted(&self) -> impl Future<Output = bool> {
        self.interrupts.next()
    }
}

/// Refuses where another driver than the one on record has the lease, or is being granted it.
pub(crate) fn require_lease(
    store: &dyn Store,
    run: &RunId,
    driver: Option<&piton_model::loop_machine::Driver>,
) -> Result<(), WorldError> {
    match store.is_superseded(run, driver.map_or(0, |driver| driver.epoch)) {
        true => Err(WorldError::Superseded),
        false => Ok(()),
    }
}

/// An error and its causes, as one sentence.
pub(crate) fn sentence(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}

/// As much as a program begins with: an item of a queue starts a whole loop from such a thread, as the command line does. What is not
/// used takes no memory.
const STACK_BYTES: usize = 8 << 20;

/// Runs work that waits for processes in a thread of its own, not one of the runtime's: those panic where the system
/// has none left. The machine stays awake for it.
pub(crate) async fn in_thread<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, WorldError> + Send + 'static,
) -> Result<T, WorldError> {
    let (done, result) = tokio::sync::oneshot::channel();
    let work = move || {
        let _awake = piton_sys::process::keep_awake();
        drop(done.send(work()));
    };
    let thread = std::thread::Builder::new().name("work".to_owned()).stack_size(STACK_BYTES);
    thread.spawn(work).map_err(WorldError::Thread)?;
    result.await.expect("work does not panic")
}
