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
    pub run: RunId,
    /// Where it is.
    pub status: Status,
    pub since: Timestamp,
    /// The run whose step it is, if it is nested in one.
    pub parent: Option<RunId>,
    /// The run it was forked from, whose artifacts it may use.
    pub forked_from: Option<RunId>,
}

/// The runs whose directories may go: completed ones of more than 48 hours ago, and the oldest of those that are more
/// than ten, failed ones only if they are as old. One that is unfinished stays, and so does whatever another run that is
/// not completed needs: what is nested in it, and what it was forked from, all the way.
pub fn to_archive(runs: &[Standing], now: Timestamp) -> Vec<RunId> {
    let needed = needed(runs);
    let is_old = |run: &Standing| now.millis_since(run.since) > KEPT_MS;
    let mut newest_first: Vec<usize> = (0..runs.len()).collect();
    newest_first.sort_by_key(|index| std::cmp::Reverse(runs[*index].since));
    let goes = |(place, index): &(usize, &usize)| {
        let (run, too_many) = (&runs[**index], *place >= KEPT_MAX);
        !needed[**index]
            && match run.status {
                Status::Completed => too_many || is_old(run),
                Status::Failed => too_many && is_old(run),
                _ => false,
            }
    };
    newest_first.iter().enumerate().filter(goes).map(|(_, index)| runs[*index].run.clone()).collect()
}

/// Which runs another one needs that is not completed.
fn needed(runs: &[Standing]) -> Vec<bool> {
    let needs = |one: &Standing, other: &Standing| {
        other.parent.as_ref() == Some(&one.run) || one.forked_from.as_ref() == Some(&other.run)
    };
    let mut needed = vec![false; runs.len()];
    for (first, _) in runs.iter().enumerate().filter(|(_, run)| run.status != Status::Completed) {
        let mut open = vec![first];
        while let Some(one) = open.pop() {
            for (index, other) in runs.iter().enumerate() {
                if index != first && !needed[index] && needs(&runs[one], other) {
                    needed[index] = true;
                    open.push(index);
                }
            }
        }
    }
    needed
}
