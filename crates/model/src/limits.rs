//! Every limit, by name. Oversize input is a typed error at the door, never a retry.

use std::collections::VecDeque;

/// Longest run id.
pub const RUN_ID_BYTES_MAX: usize = 64;
/// Longest title of a run; longer tasks are cut for display only.
pub const TITLE_CHARS_MAX: usize = 80;
/// Largest task or prompt.
pub const PROMPT_BYTES_MAX: usize = 1 << 20;
/// Largest note, message to the agent, comment, reason or summary kept in an event.
pub const TEXT_BYTES_MAX: usize = 8 << 10;
/// Largest piece of a check's output kept in an event; the whole is in the check's log.
pub const TAIL_BYTES_MAX: usize = 2 << 10;
/// Largest payload that is stored in the journal itself; larger ones become blobs.
pub const INLINE_PAYLOAD_BYTES_MAX: usize = 64 << 10;
/// Largest payload of one event.
pub const PAYLOAD_BYTES_MAX: usize = 4 << 20;
/// Most events in one append.
pub const EVENTS_PER_APPEND_MAX: usize = 64;
/// The most that a setting can allow in an hour, of messages or of fresh sessions: as many are remembered.
pub const PER_HOUR_MAX: u32 = 100;
/// Most checks of a run.
pub const CHECKS_MAX: usize = 32;
/// Most conditions of a run.
pub const CONDITIONS_MAX: usize = 32;
/// What results that came back were about, kept in a state.
pub const RETURNED_ABOUT_MAX: usize = 100;
/// Objections kept of a review.
pub const OBJECTIONS_MAX: usize = 20;
/// Longest objection, and longest name of a file in one.
pub const OBJECTION_BYTES_MAX: usize = 1 << 10;
/// Most agents that a run falls back to.
pub const FALLBACKS_MAX: usize = 8;
/// Iterations kept in a state; older ones are read from the journal.
pub const RECENT_ITERATIONS_MAX: usize = 20;
/// Sessions kept in a state.
pub const SESSION_HISTORY_MAX: usize = 20;
/// Samples of a session kept in a state.
pub const CONTEXT_SAMPLES_MAX: usize = 10;
/// Changes to a fresh session kept in a state: as many as a setting can allow in an hour.
pub const REBOOTS_MAX: usize = PER_HOUR_MAX as usize;
/// What is kept in a state of the message of a failed attempt.
pub const KEPT_MESSAGE_BYTES_MAX: usize = 500;
/// Switches of the mode that are kept.
pub const MODE_SWITCHES_MAX: usize = 20;
/// Breakpoints that may wait.
pub const BREAKPOINTS_MAX: usize = 100;
/// Messages waiting for the agent's next prompt; the oldest makes room.
pub const TOLD_MAX: usize = 16;
/// Answers that wait to be looked at; further ones are recorded and ignored.
pub const ANSWERS_WAITING_MAX: usize = 16;
/// Changes of a queue that wait to be looked at; further ones are recorded and ignored.
pub const QUEUE_CHANGES_WAITING_MAX: usize = 16;
/// Objectives kept in a state, completed and pending each.
pub const OBJECTIVES_MAX: usize = 200;
pub const OBJECTIVE_BYTES_MAX: usize = 500;
/// Files listed as modified in a state.
pub const MODIFIED_FILES_MAX: usize = 200;
/// Custom values kept in a state.
pub const CUSTOM_KEYS_MAX: usize = 100;
/// Largest custom value, as JSON; its key counts too.
pub const CUSTOM_VALUE_BYTES_MAX: usize = 16 << 10;
/// Deepest custom value: a parser that stops at 128 levels must be able to read it inside an event.
pub const CUSTOM_VALUE_DEPTH_MAX: usize = 32;
/// A session whose context is this full is not continued.
pub const CONTEXT_REDLINE_PERCENT: u8 = 85;
/// Findings of the guard kept of one attempt.
pub const FINDINGS_MAX: usize = 20;
/// Findings kept in a state: room for those of one attempt and for what the numbers of its round add, so that a reader
/// who sees the state after every append sees every finding.
pub const KEPT_FINDINGS_MAX: usize = 32;
/// Changes of the reinforcement kept in a state.
pub const REINFORCEMENT_HISTORY_MAX: usize = 20;
/// Recoveries kept in a state.
pub const RECOVERIES_MAX: usize = 20;
/// Numbers that a configuration may ask for.
pub const CUSTOM_MEASURES_MAX: usize = 32;
/// Files of an iteration whose digests are kept.
pub const ARTIFACTS_MAX: usize = 100;
/// Files of the checkout that a baseline check is said to open.
pub const OPENED_FILES_MAX: usize = 20;
/// Files, and tools, that a check is known to read and run.
pub const CLOSURE_MAX: usize = 64;
/// Paths that are named of what checks wrote, and of what no commit has.
pub const WRITTEN_MAX: usize = 20;
/// Files that checks made, kept in a state: no commit has them.
pub const MADE_MAX: usize = 256;
/// Files that are said to be in no snapshot.
pub const LEFT_OUT_MAX: usize = 20;
/// Latencies of the guard kept in a state.
pub const LATENCIES_MAX: usize = 100;
/// Findings that people judged, kept in a state.
pub const MARKS_MAX: usize = 500;
/// Tests that are known by name.
pub const TRACKED_TESTS_MAX: usize = 1_000;
/// Longest name of a test.
pub const TEST_NAME_BYTES_MAX: usize = 300;
/// Runs of the suite that are remembered of a test because it ended otherwise in them.
pub const TEST_FLIPS_MAX: usize = 20;
/// Tests that are named as failing no longer.
pub const LIFTED_TESTS_MAX: usize = 20;
/// What is kept of one history that another tool wrote of a loop, as JSON.
pub const EARLIER_BYTES_MAX: usize = 512 << 10;
/// Words that a run listens for and an attempt was heard to say.
pub const HEARD_MAX: usize = 64;
/// Notes kept of one attempt, and in a state.
pub const NOTES_MAX: usize = 20;
/// Warnings kept of one attempt.
pub const WARNINGS_MAX: usize = 16;
/// Event bytes after which a checkpoint is due, unless the last checkpoint was larger.
pub const CHECKPOINT_BYTES_MIN: u64 = 16 << 10;
/// Largest checkpoint of a state.
pub const CHECKPOINT_BYTES_MAX: usize = 32 << 20;
pub const BLOB_BYTES_MAX: usize = 32 << 20;
/// Checkpoints kept per run.
pub const CHECKPOINTS_KEPT: usize = 2;
/// Longest id or category of a gap.
pub const GAP_ID_BYTES_MAX: usize = 256;
/// Largest findings or question of a gap.
pub const GAP_TEXT_BYTES_MAX: usize = 1 << 20;
/// Most gaps in a ledger.
pub const GAPS_MAX: usize = 200_000;
/// Largest gap file.
pub const GAP_FILE_BYTES_MAX: u64 = 64 << 20;
/// Gaps named in the list of cycles, over all of them; a graph can have far more cycles than gaps.
pub const GAP_CYCLE_STEPS_MAX: usize = 1 << 20;

/// Drops the oldest of a window until it holds at most `most`.
pub fn keep_last<T>(window: &mut VecDeque<T>, most: usize) {
    window.drain(..window.len().saturating_sub(most));
}

/// Cuts `text` to at most `bytes_max` bytes at a character boundary.
pub fn clip(text: &str, bytes_max: usize) -> &str {
    if text.len() <= bytes_max {
        return text;
    }
    let mut end = bytes_max;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// The last `bytes_max` bytes of `text`, from a character boundary on.
pub fn clip_tail(text: &str, bytes_max: usize) -> &str {
    if text.len() <= bytes_max {
        return text;
    }
    let mut start = text.len() - bytes_max;
    while !text.is_char_boundary(start) {
        start += 1;
    }
    &text[start..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clipping_never_splits_a_character() {
        assert_eq!(clip("aé", 2), "a");
        assert_eq!(clip_tail("éa", 2), "a");
        assert_eq!(clip("abc", 3), "abc");
    }
}
