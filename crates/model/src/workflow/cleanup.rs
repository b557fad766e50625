//! Which run directories may go: a rule over what is known of the runs, nothing else.
//!
//! The directory of a run is a view, and its journal stays. But reports, logs and artifacts lie there too, and whoever
//! deletes the directory of a run discards the run. So nothing goes that somebody may still go on with.

use crate::status::Status;
use crate::{RunId, Timestamp};

/// Directories that may stay.
pub const KEPT_MAX: usize = 10;

/// How long the directory of a run stays where there is room.
pub const KEPT_MS: u64 = 48 * 3_600_000;

/// What is known of a run that has a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// The run.
    pub run: RunId,
    /// Where it is.
    pub status: Status,
    /// Since when.
    pub since: Timestamp,
    /// The run whose step it is, if it is nested in one.
    pub parent: Option<RunId>,
}

/// The runs whose directories may go: completed ones of more than 48 hours ago, and the oldest of those that are more
/// than ten, failed ones only if they are as old. One that is unfinished stays, and so does a step of such a run.
pub fn to_archive(runs: &[Standing], now: Timestamp) -> Vec<RunId> {
    let is_over = |run: &Standing| matches!(run.status, Status::Completed | Status::Failed);
    let is_held = |run: &Standing| {
        let parent = runs.iter().find(|other| run.parent.as_ref() == Some(&other.run));
        parent.is_some_and(|parent| !is_over(parent))
    };
    let is_old = |run: &Standing| now.millis_since(run.since) > KEPT_MS;
    let mut newest_first: Vec<&Standing> = runs.iter().collect();
    newest_first.sort_by_key(|run| std::cmp::Reverse(run.since));
    let goes = |(place, run): &(usize, &&Standing)| {
        let (completed, too_many) = (run.status == Status::Completed, *place >= KEPT_MAX);
        is_over(run)
            && !is_held(run)
            && match completed {
                true => too_many || is_old(run),
                false => too_many && is_old(run),
            }
    };
    newest_first.iter().enumerate().filter(goes).map(|(_, run)| run.run.clone()).collect()
}
