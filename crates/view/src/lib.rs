//! What a front end can see and ask: plain structs and one async trait.
//!
//! [`Client`] is the only door: the command line, and later the terminal UI and the dashboard, all use it; an
//! agent at work sees its run as a [`Brief`]. Field names are public: scripts and dashboards rely on them.
//!
//! - [`order`](Order): what can be started. [`Request`]: what can be asked of a run that is there.
//! - [`StatusView`] and its like: what can be seen. [`Follow`]: what happens, as it happens.
//! - [`words`]: how a run is put into words. [`Error`]: what went wrong.

mod ask;
mod brief;
mod error;
mod gaps;
mod land;
mod look;
mod night;
mod order;
mod replica;
mod see;
mod see_cycle;
mod see_ledger;
mod see_workflow;
mod vault;
pub mod words;

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use piton_model::ledger::NotFresh;
use piton_model::{RunId, Seq, Timestamp};

pub use ask::{CycleRequest, Request};
pub use brief::{Brief, BriefCheck, Signal};
pub use error::{Error, ErrorKind, remedy};
pub use gaps::{
    Batch, FieldDiff, GapChange, GapEvent, GapView, GapsBatch, GapsChanged, GapsDiff, GapsOrder, InLedger,
    LedgerAt, ResearchOrder, ResearchUpdate, StaleGaps, gap_fields,
};
pub use land::{
    LandOrder, LandShape, LandedInTurn, LandedView, PullRequestState, PullRequestView, StoppedAt,
};
pub use look::{
    Asked, Changes, Damaged, DiffView, ExportFormat, FileDiffView, Listed, MetricsView, Moment, Rebuilt,
    ReportView, RestoredView, Runs, Seen, Standing, StateOf, StatusOf, StatusView, Told, UnderWay, Update,
    Weight, WhyView,
};
pub use night::{MorningRun, MorningView, NightCheck, NightData, NightRun, NightSpent, NightView};
pub use order::{
    AgentChoice, CycleOrder, ForkOrder, ItemOrder, LimitWords, LoopOrder, Order, PrepChoice, QueueOrder,
    Removal, Resumption, Started, WorkflowOrder,
};
pub use replica::{ReplicaMoment, ReplicaUpdate, ReplicaView, ReplicateOrder, Trouble};
pub use see::{
    AgentView, AskedView, BestView, BudgetView, ChangedView, CheckView, Counted, DriverView, EventView,
    GuardView, IterationView, LimitsView, ModeView, NotCoveredView, ProblemView, QuestionView, ReviewView,
    RunStatus, SessionView, ShowView, SpentView, SwitchView, TestsView, UsedView, VerifyView,
};
pub use see_cycle::{CycleBestView, CycleIterationView, CycleStatus, PrepView, RoleView};
pub use see_ledger::{GapCounts, LedgerStatus, ResearchView};
pub use see_workflow::{ItemView, QueueView, StepView, WorkflowLimitsView, WorkflowStatus, WorkflowUsedView};
pub use vault::{
    ArchivedView, BackedUp, BackupChecked, BackupRestored, BackupRunView, BackupView, BackupsVerified,
    BackupsView, CollectView, CollectedView, GcOrder, ProofView, PruneOrder, PrunedView, RepairView,
    ReplicaListed, RestoreOrder, RunRepaired, RunRestored, RunSizeView, SizesView,
};

/// An answer, on its way.
pub type Answer<'a, T> = Pin<Box<dyn Future<Output = Result<T, Error>> + Send + 'a>>;

/// Everything a front end can see or ask of a journal, local or remote.
///
/// Object-safe and `Send`: a front end holds an `Arc<dyn Client>` and waits for answers on any thread.
pub trait Client: Send + Sync {
    /// Every run, newest first.
    fn runs(&self) -> Answer<'_, Runs>;

    /// What happened in any run since. With nothing yet, waits up to `wait` for something.
    fn changes(&self, since: Seen, wait: Duration) -> Answer<'_, Changes>;

    /// The morning on one screen: what happened since the last evening, or since then. Nothing where there is no run.
    fn morning(&self, since: Option<Timestamp>) -> Answer<'_, Option<MorningView>>;

    /// The same at length: every run of that time.
    fn night(&self, since: Option<Timestamp>) -> Answer<'_, NightView>;

    /// Sends the morning to every channel that is configured, and says to which.
    fn send_morning<'a>(&'a self, morning: &'a MorningView) -> Answer<'a, Vec<String>>;

    /// The run that `text` names: an id, the shortest unique prefix of one or of its last part, or `last`.
    /// Without a text: the one active run, else the newest.
    fn resolve<'a>(&'a self, text: Option<&'a str>) -> Answer<'a, RunId>;

    /// Where a run is, why, and what to do, at one moment.
    fn status<'a>(&'a self, run: &'a RunId) -> Answer<'a, StatusView>;

    /// The chain of events behind the status, and what was not the cause.
    fn why<'a>(&'a self, run: &'a RunId) -> Answer<'a, WhyView>;

    /// The whole state, now or then.
    fn show<'a>(&'a self, run: &'a RunId, at: Option<Moment>) -> Answer<'a, ShowView>;

    /// The events from `from` on, each in words, too. With none yet, waits up to `wait` for one.
    fn events<'a>(&'a self, run: &'a RunId, from: Seq, wait: Duration) -> Answer<'a, Vec<EventView>>;

    /// Watches a run: what happens in it after event `after`, and where that leads.
    fn follow<'a>(&'a self, run: &'a RunId, after: Seq) -> Answer<'a, Box<dyn Follow + 'a>>;

    /// What a run did, for a pull request.
    fn report<'a>(&'a self, run: &'a RunId) -> Answer<'a, ReportView>;

    /// The numbers of a loop.
    fn metrics<'a>(&'a self, run: &'a RunId) -> Answer<'a, MetricsView>;

    /// What an attempt printed, in words for people or `raw`, as it was; without a name, the last one.
    fn output<'a>(
        &'a self,
        run: &'a RunId,
        attempt: Option<&'a str>,
        raw: bool,
    ) -> Answer<'a, Box<dyn Printed>>;

    /// Refuses runs that cannot land one after the other, before anything of them moves.
    fn landable<'a>(&'a self, runs: &'a [RunId], order: &'a LandOrder) -> Answer<'a, ()>;

    /// Brings the work of a run to the branch where it belongs, once the checks passed on the result.
    fn land<'a>(&'a self, run: &'a RunId, order: LandOrder) -> Answer<'a, LandedView>;

    /// What the forge says of the pull request of a run; nothing where there is none.
    fn pull_request<'a>(&'a self, run: &'a RunId) -> Answer<'a, Option<PullRequestView>>;

    /// What changed from the end of one iteration (0 is the start) to that of another, or to the last look at the tree.
    fn diff<'a>(&'a self, run: &'a RunId, from: u32, to: Option<u32>) -> Answer<'a, DiffView>;

    /// What the last iteration changed, as a patch.
    fn last_change<'a>(&'a self, run: &'a RunId) -> Answer<'a, Vec<u8>>;

    /// A run in one of the published formats; without one, in that of its kind.
    fn export<'a>(&'a self, run: &'a RunId, format: Option<ExportFormat>) -> Answer<'a, Vec<u8>>;

    /// The run, as far as it matters to an agent.
    fn brief<'a>(&'a self, run: &'a RunId) -> Answer<'a, Brief>;

    /// The loops in which the guard ever found this.
    fn runs_with<'a>(&'a self, finding: &'a str) -> Answer<'a, Vec<RunId>>;

    /// Checks everything that is stored, of one run or of all, and what is rendered of it; `tell` hears how many runs of so many
    /// are done.
    fn verify<'a>(
        &'a self,
        run: Option<&'a RunId>,
        tell: &'a mut (dyn FnMut(usize, usize) + Send),
    ) -> Answer<'a, VerifyView>;

    /// Makes a backup of every run, restores it, and lists it; where to, or where the configuration says.
    fn back_up<'a>(&'a self, to: Option<&'a str>) -> Answer<'a, BackedUp>;

    /// The backups at a place, or where the configuration says; of every journal that is kept there.
    fn backups<'a>(&'a self, to: Option<&'a str>) -> Answer<'a, BackupsView>;

    /// Restores a backup into a journal that nobody sees, and says whether it can be; without a name, all of this journal.
    fn verify_backups<'a>(
        &'a self,
        to: Option<&'a str>,
        name: Option<&'a str>,
    ) -> Answer<'a, BackupsVerified>;

    /// Brings runs back from a backup. What is there stays as it is.
    fn restore_backup(&self, order: RestoreOrder) -> Answer<'_, BackupRestored>;

    /// Removes backups of this journal that need not be kept.
    fn prune_backups(&self, order: PruneOrder) -> Answer<'_, PrunedView>;

    /// What is known on this machine of the replica of this journal; nothing where there is none and none is asked for.
    fn replica(&self) -> Answer<'_, Option<ReplicaView>>;

    /// Ships what is new to a place, again and again, and proves that it can be restored; tells each step. What comes back is where
    /// the replica is in the end.
    fn replicate<'a>(
        &'a self,
        order: ReplicateOrder,
        tell: &'a mut (dyn FnMut(&ReplicaUpdate) + Send),
    ) -> Answer<'a, ReplicaView>;

    /// Puts a damaged journal aside as a whole, and makes a new one of what is provably good of it, and of the newest backup.
    /// Where nothing is damaged, nothing is done.
    fn repair(&self) -> Answer<'_, RepairView>;

    /// Removes what nothing needs any more, and archives what a policy says.
    fn collect(&self, order: GcOrder) -> Answer<'_, CollectView>;

    /// What the journal and its runs take.
    fn sizes(&self) -> Answer<'_, SizesView>;

    /// Starts a run. It is on record and driven when this returns.
    fn start(&self, order: Order) -> Answer<'_, Started>;

    /// Goes on with a run that is there, recovering first.
    fn resume<'a>(&'a self, run: &'a RunId, how: Resumption) -> Answer<'a, Started>;

    /// Adds something to the task of a cycle, in an iteration of its own, and goes on with one that is over.
    fn extend<'a>(&'a self, run: &'a RunId, text: String, limits: LimitWords) -> Answer<'a, Started>;

    /// Starts a driver for a run that has none and should.
    fn wake<'a>(&'a self, run: &'a RunId) -> Answer<'a, ()>;

    /// Returns when a driver that is only leaving has left; one that is at work is left alone.
    fn settled<'a>(&'a self, run: &'a RunId) -> Answer<'a, ()>;

    /// Adds an item to a queue.
    fn add_item<'a>(&'a self, queue: &'a RunId, order: ItemOrder) -> Answer<'a, Asked>;

    /// Asks something of a run. Durable when this returns; acted on by whoever drives it, and somebody does where the
    /// request needs it.
    fn request<'a>(&'a self, run: &'a RunId, request: Request) -> Answer<'a, Asked>;

    /// Puts the files of an iteration back: 0 is the start, without a number the chosen or the best one.
    fn restore<'a>(&'a self, run: &'a RunId, iteration: Option<u32>, force: bool)
    -> Answer<'a, RestoredView>;

    /// Renders the files of a run again.
    fn rebuild<'a>(&'a self, run: &'a RunId) -> Answer<'a, Rebuilt>;

    /// A ledger as it is, whether or not it has a journal.
    fn gaps<'a>(&'a self, ledger: &'a LedgerAt, now: Timestamp) -> Answer<'a, InLedger<Vec<GapView>>>;

    /// A gap as it was, by the ledger's own time; nothing where nothing was known of it yet.
    fn gap_at<'a>(&'a self, ledger: &'a LedgerAt, id: &'a str, at: Timestamp) -> Answer<'a, Option<GapView>>;

    /// What became different of the gaps since then.
    fn gaps_since<'a>(
        &'a self,
        ledger: &'a LedgerAt,
        since: Timestamp,
        now: Timestamp,
    ) -> Answer<'a, InLedger<GapsDiff>>;

    /// In which order the gaps can be looked into.
    fn gap_order<'a>(&'a self, ledger: &'a LedgerAt, now: Timestamp) -> Answer<'a, InLedger<GapsOrder>>;

    /// What is stale, and what is due to be called so.
    fn stale_gaps<'a>(&'a self, ledger: &'a LedgerAt, now: Timestamp) -> Answer<'a, InLedger<StaleGaps>>;

    /// What research would look into now, at most so many at once.
    fn gap_batch<'a>(
        &'a self,
        ledger: &'a LedgerAt,
        max: usize,
        now: Timestamp,
    ) -> Answer<'a, InLedger<GapsBatch>>;

    /// Of these gaps, or of all where none is named, those that cannot be relied on. Of a file that is not there nothing can be.
    fn gaps_not_fresh<'a>(
        &'a self,
        ledger: &'a LedgerAt,
        ids: &'a [String],
        now: Timestamp,
    ) -> Answer<'a, InLedger<Vec<NotFresh>>>;

    /// What is known of these gaps, or of all, for a prompt of at most so many tokens.
    fn gap_prompt<'a>(
        &'a self,
        ledger: &'a LedgerAt,
        ids: &'a [String],
        tokens: usize,
        now: Timestamp,
    ) -> Answer<'a, InLedger<String>>;

    /// The ledger to hand on, with what else its file holds: as that file, or as JSON.
    fn export_gaps<'a>(
        &'a self,
        ledger: &'a LedgerAt,
        as_json: bool,
        now: Timestamp,
    ) -> Answer<'a, InLedger<Vec<u8>>>;

    /// What ever happened to the gaps of a ledger.
    fn gap_events<'a>(&'a self, ledger: &'a LedgerAt) -> Answer<'a, Vec<GapEvent>>;

    /// Changes the gaps of a ledger. On record, in the file and in its log when this returns.
    fn change_gaps<'a>(
        &'a self,
        ledger: &'a LedgerAt,
        change: GapChange,
        now: Timestamp,
    ) -> Answer<'a, GapsChanged>;

    /// Lets agents look into the gaps that need it, one batch or batch after batch, and tells each step. Works for as
    /// long as it is waited for; what was under way is on record, and the next research goes on with it. The last
    /// batch comes back, if there was one.
    fn research<'a>(
        &'a self,
        ledger: &'a LedgerAt,
        order: ResearchOrder,
        tell: &'a mut (dyn FnMut(ResearchUpdate) + Send),
    ) -> Answer<'a, Option<Batch>>;

    /// Forgets a run: its events, attempts, snapshots and files. Returns what is kept of it: the files of a cycle are, unless
    /// they are to go as well.
    fn remove<'a>(&'a self, run: &'a RunId, how: Removal) -> Answer<'a, Vec<String>>;
}

/// What an attempt printed, piece by piece.
pub trait Printed: Send {
    /// What it printed since the last call; waits up to `wait` for something while it works, and has nothing to say then.
    /// `None` once it has ended and all of it was said.
    fn next(&mut self, wait: Duration) -> Answer<'_, Option<Vec<u8>>>;
}

/// A run that is being watched.
pub trait Follow: Send {
    /// What happened since the last call; waits up to `wait` for something.
    fn next(&mut self, wait: Duration) -> Answer<'_, Vec<Update>>;

    /// Where the run is after all of that; nothing before the first update.
    fn standing(&self) -> Option<Standing>;
}
