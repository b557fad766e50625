//! Looking up what stop conditions need to know of the world: files, the agent's output, a command's verdict.
//!
//! Files and output are looked at for a moment only. A command has the time of a check: one that was cut off is noted as
//! such, and never read as "not met" without a word.

use piton_agent::EndedBy;
use piton_model::State;
use piton_model::loop_machine::{CheckRound, ConditionResult, Probe, StopResult};
use piton_sys::file;

use super::{Context, WorldError, checks, tasks};
use crate::launch::{COMMAND_TIMEOUT_MS, ended};

/// What is looked at of a file.
const FILE_BYTES_MAX: u64 = 16 << 20;

/// Looks up every condition that needs it. Whether it came to the end: `false` when it was cancelled.
pub(super) fn look(
    context: &Context,
    state: &State,
    round: u32,
    result: &mut CheckRound,
) -> Result<bool, WorldError> {
    for (index, condition) in state.config.stop_probes().into_iter().enumerate() {
        let label = condition.label();
        if result.stops.iter().any(|known| known.label == label) {
            continue;
        }
        let Some(probe) = condition.probe() else { continue };
        let (met, timed_out) = match probe {
            Probe::Exists(path) => (exists(context, path), false),
            Probe::Contains { path, content } => (contains(context, path, content), false),
            Probe::Printed { pattern, is_regex } => (said(context, state, pattern, is_regex), false),
            Probe::TasksDone(path) => (tasks::read(&context.layout.tree().join(path)).are_done(), false),
            Probe::Runs(command) => {
                let name = format!("stop-{round}-{index}");
                let Some(ran) = checks::run(context, state, &name, &command, COMMAND_TIMEOUT_MS)? else {
                    return Ok(false);
                };
                result.duration_ms += ran.exit.duration_ms;
                (checks::passed(&ran.exit), ran.exit.ended_by == EndedBy::WallClock)
            }
        };
        result.stops.push(StopResult { label, met, timed_out });
    }
    let asked = state.config.until.iter().filter(|named| named.condition.probe().is_some());
    for named in asked {
        let label = named.condition.label();
        let met = result.stops.iter().any(|known| known.label == label && known.met);
        result.conditions.push(ConditionResult { label: named.label(), met });
    }
    Ok(true)
}

fn exists(context: &Context, path: &str) -> bool {
    context.layout.tree().join(path).symlink_metadata().is_ok()
}

fn contains(context: &Context, path: &str, content: &str) -> bool {
    let bytes = file::read_regular(&context.layout.tree().join(path), FILE_BYTES_MAX).ok().flatten();
    bytes.is_some_and(|bytes| String::from_utf8_lossy(&bytes).contains(content))
}

/// Whether the end of what the last agent printed holds the pattern.
fn said(context: &Context, state: &State, pattern: &str, is_regex: bool) -> bool {
    let directory = context.attempts().join(state.work.attempt.to_string());
    let printed = ended::printed(&directory);
    // `^` and `$` are those of a line: an output is lines.
    match regex::RegexBuilder::new(pattern).multi_line(true).build() {
        Ok(regex) if is_regex => regex.is_match(&printed),
        Err(_) if is_regex => false,
        _ => printed.contains(pattern),
    }
}
