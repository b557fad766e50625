//! The one table from piton's words to the words of this format.

use piton_model::loop_machine::{Open, ReportStatus};
use piton_model::{State, Status};

/// Where a run is, in the words of this format.
///
/// `completing` is the round of checks after an agent reported that it is done. Whether the driver of a run that is
/// `running` has died is not known here, so nothing is ever `crashed`.
pub fn loop_status(state: &State) -> &'static str {
    match state.status {
        Status::Created | Status::Running | Status::Rebooting if is_final_check(state) => "completing",
        Status::Created | Status::Running | Status::Rebooting => "running",
        Status::Waiting | Status::Paused => "paused",
        Status::Stopped => "aborted",
        Status::Completed => "completed",
        Status::Failed => "failed",
    }
}

/// The same for the registry, which knows who waits.
pub(super) fn registry_status(state: &State) -> &'static str {
    match state.status {
        Status::Waiting => "waiting",
        _ => loop_status(state),
    }
}

/// Whether a run is over, as far as this format knows: it may be resumed all the same.
pub(super) fn is_over(status: Status) -> bool {
    matches!(status, Status::Stopped | Status::Completed | Status::Failed)
}

fn is_final_check(state: &State) -> bool {
    let ended = state.work.ended.as_ref().filter(|ended| !ended.refused);
    let reported = ended.and_then(|ended| ended.report.as_ref());
    matches!(state.work.open, Some(Open::Checks(_)))
        && reported.is_some_and(|report| report.status == Some(ReportStatus::Done))
}
