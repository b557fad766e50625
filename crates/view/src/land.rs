//! Bringing the work of a run where it belongs.

use piton_model::RunId;
use piton_model::loop_machine::Returned;
use piton_record::{record, shown};

use crate::Error;

/// How the work of a run is landed.
#[record(Eq, Default)]
pub struct LandOrder {
    /// In which shape.
    pub shape: LandShape,
    /// The branch it is brought to; without one, the branch that the run began on.
    pub onto: Option<String>,
    /// Also of a run that is not done.
    pub unfinished: bool,
    /// Where a check fails on the result, a loop like the run begins there and mends it.
    pub mend: bool,
    /// Its pull request is watched: what is pushed is what the run made, so that more can follow, and one that is open stays it.
    #[serde(default)]
    pub watched: bool,
}

/// The shape in which commits land.
#[record(Copy, Eq, Default)]
pub enum LandShape {
    /// As they are, on top of the branch.
    #[default]
    Commits,
    /// As one commit.
    Squash,
    /// As they are, held together by a merge commit.
    Merge,
    /// On a branch of the remote, with a pull request.
    PullRequest,
}

/// What became of several runs that were to land one after the other.
#[shown(written(landed, left))]
pub struct LandedInTurn<'a> {
    /// Those that were, in order.
    pub landed: &'a [LandedView],
    /// The one that was not.
    pub stopped: Option<StoppedAt<'a>>,
    /// Those that come after it, and were not tried.
    pub left: &'a [RunId],
}

/// Where landing one run after the other came to its end.
#[shown]
pub struct StoppedAt<'a> {
    /// Which one it is.
    pub run_id: &'a RunId,
    /// Why.
    pub error: &'a Error,
}

/// What was landed.
#[shown]
pub struct LandedView {
    /// Of which run.
    pub run_id: RunId,
    /// The branch it was brought to, or that the pull request is for.
    pub onto: String,
    /// Where that branch ends now; of a pull request, the commit that was pushed.
    pub commit: String,
    /// The commits of the run that are in it.
    pub commits: u32,
    /// One of them holds what was not committed in the checkout when the run began.
    pub began_uncommitted: bool,
    /// The run has nothing on its branch, so nothing was done.
    pub is_empty: bool,
    /// It was there already, and nothing was done.
    pub was_there: bool,
    /// The branch had gone on meanwhile: they were made anew on top of it.
    pub rebased: bool,
    /// The files of the checkout were brought along.
    pub with_files: bool,
    /// The checks that pass on the result.
    pub checks: Vec<String>,
    /// The checks that fail on it, where it was landed although the run is not done.
    pub red: Vec<String>,
    /// Nothing was landed, since a check fails: this run mends it, and is to be landed instead.
    pub mended_by: Option<RunId>,
    /// The pull request.
    pub pull_request: Option<String>,
    /// What a person should know.
    pub notes: Vec<String>,
}

/// What the forge says of a pull request.
#[shown(Clone, Debug, written(pending, red))]
pub struct PullRequestView {
    /// Of which run.
    pub run_id: RunId,
    /// Its address.
    pub url: String,
    /// Where it is.
    pub state: PullRequestState,
    /// Checks of the forge that are not over.
    pub pending: Vec<String>,
    /// Those that failed.
    pub red: Vec<String>,
    /// How often the run went on because of what came back.
    pub rounds: u32,
    /// What the run has not heard yet.
    pub returned: Option<Returned>,
    /// What of it is not handed on, and why.
    pub notes: Vec<String>,
}

/// Where a pull request is.
#[record(Copy, Eq)]
pub enum PullRequestState {
    /// Nobody has decided about it.
    Open,
    /// It was taken.
    Merged,
    /// It was closed without being taken.
    Closed,
}
