//! The one table from piton's words to the words of this format.

use piton_model::Status;

use super::format::LoopStatus;

/// Where a run is, in the words of this format.
pub fn loop_status(status: Status) -> LoopStatus {
    match status {
        Status::Created | Status::Running => LoopStatus::Running,
        Status::Waiting | Status::Paused => LoopStatus::Paused,
        Status::Rebooting => LoopStatus::Rebooting,
        Status::Stopped => LoopStatus::Stopped,
        Status::Completed => LoopStatus::Completed,
        Status::Failed => LoopStatus::Error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_status_has_its_word() {
        for (status, word) in [
            (Status::Created, "running"),
            (Status::Running, "running"),
            (Status::Waiting, "paused"),
            (Status::Paused, "paused"),
            (Status::Rebooting, "rebooting"),
            (Status::Stopped, "stopped"),
            (Status::Completed, "completed"),
            (Status::Failed, "error"),
        ] {
            assert_eq!(serde_json::to_value(loop_status(status)).unwrap(), word, "{}", status.as_str());
        }
    }

    #[test]
    fn only_a_run_at_its_end_makes_room() {
        for status in [Status::Stopped, Status::Completed, Status::Failed] {
            assert!(loop_status(status).is_finished(), "{}", status.as_str());
        }
        for status in [Status::Created, Status::Running, Status::Waiting, Status::Paused, Status::Rebooting] {
            assert!(!loop_status(status).is_finished(), "{}", status.as_str());
        }
    }
}
