//! Every limit of a workflow, by name. Oversize input is a typed error at the door, never a retry.

/// Most steps of a definition.
pub const STEPS_MAX: usize = 100_000;
/// Longest id of a step.
pub const STEP_ID_BYTES_MAX: usize = 64;
/// Most names in one list of a step.
pub const NAMES_PER_STEP_MAX: usize = 1_000;
pub const CONDITION_BYTES_MAX: usize = 4 << 10;
/// Deepest condition.
pub const CONDITION_DEPTH_MAX: usize = 16;
/// Most comparisons in one condition.
pub const CONDITION_PARTS_MAX: usize = 64;
/// Most items of a collection.
pub const ITEMS_MAX: usize = 1_000;
/// Largest collection, as JSON.
pub const ITEMS_BYTES_MAX: usize = 256 << 10;
/// Most attempts and loop-backs that can be asked for.
pub const TRIES_MAX: u32 = 1_000;
/// Most steps at once.
pub const PARALLEL_MAX: u32 = 32;
/// Longest pause between two tries, and longest timeout: a year.
pub const MILLIS_MAX: u64 = 366 * 24 * 3_600_000;
/// Most problems that one look at a definition reports; the rest is counted.
pub const PROBLEMS_MAX: usize = 200;
/// Problems that get a guess at what was meant; each costs a look at every name.
pub const GUESSES_MAX: usize = 20;
/// Most needs that are followed to see whether conditions and loop-backs look back.
pub const EDGES_FOLLOWED_MAX: usize = 20_000_000;
/// Most artifacts, log lines and metrics kept of one report, each.
pub const REPORT_ENTRIES_MAX: usize = 1_000;
/// Longest path of an artifact.
pub const ARTIFACT_BYTES_MAX: usize = 4 << 10;
/// What all steps together keep of their reports, so that a checkpoint of the state stays within its limit.
pub const KEPT_BYTES_MAX: usize = 24 << 20;
/// What one step keeps of its report at most: a thousand entries of some length, each.
pub const KEPT_BYTES_PER_STEP_MAX: usize = 256 << 10;
/// What one step may always keep of its report.
pub const KEPT_BYTES_PER_STEP_MIN: usize = 256;
/// Largest content of a manual input.
pub const MANUAL_INPUT_BYTES_MAX: usize = 64 << 10;
