//! What a front end can see and ask: plain structs and one async trait.
//!
//! [`Client`] is the only door: the command line, and later the terminal UI and the dashboard, all use it; an
//! agent at work sees its run as a [`Brief`]. Field names are public: scripts and dashboards rely on them.

mod ask;
mod brief;
mod see;

use std::time::Duration;

use piton_model::{RunId, Seq};

pub use ask::Request;
pub use brief::{Brief, BriefCheck, Signal};
pub use see::{
    AskedView, BestView, ChangedView, CheckView, Counted, DriverView, EventView, GuardView, IterationView,
    LimitsView, ProblemView, QuestionView, RunStatus, RunSummary, ShowView, StepView, UsedView, VerifyView,
    WorkflowStatus, WorkflowUsedView,
};

/// Everything a front end can see or ask of a journal, local or remote.
pub trait Client {
    /// What goes wrong.
    type Error;

    /// Every run, newest first.
    fn runs(&self) -> impl Future<Output = Result<Vec<RunSummary>, Self::Error>>;

    /// The run that `text` names: an id, the shortest unique prefix of one or of its last part, or `last`.
    /// Without a text: the one active run, else the newest.
    fn resolve(&self, text: Option<&str>) -> impl Future<Output = Result<RunId, Self::Error>>;

    /// Where a run is, why, and what to do.
    fn status(&self, run: &RunId) -> impl Future<Output = Result<RunStatus, Self::Error>>;

    /// The whole state, now or after event `at`.
    fn show(&self, run: &RunId, at: Option<Seq>) -> impl Future<Output = Result<ShowView, Self::Error>>;

    /// The events from `from` on. With none yet, waits up to `wait` for one.
    fn events(
        &self,
        run: &RunId,
        from: Seq,
        wait: Duration,
    ) -> impl Future<Output = Result<Vec<EventView>, Self::Error>>;

    /// Asks something of a run. Durable when this returns; acted on by whoever drives it.
    fn request(&self, run: &RunId, request: Request) -> impl Future<Output = Result<(), Self::Error>>;

    /// Checks everything that is stored, of one run or of all.
    fn verify(&self, run: Option<&RunId>) -> impl Future<Output = Result<VerifyView, Self::Error>>;
}
