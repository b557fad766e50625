//! `.ralph/state.json`: a loop as the loop-state-persistence format knows it.
//!
//! ```text
//!   State ── render ──► PersistedLoopState ── publish ──► .ralph/state.json
//!                                                        .ralph/loops/<id>/state.json   a second loop
//!                                                        .ralph/backups/state_….json    a finished one
//!                                                        .ralph/state.json.foreign-…    not piton's
//! ```
//!
//! Read [`PersistedLoopState`] for the format, `render` for where each field comes from, `owner` for how a file
//! proves that it is ours, `publish` for who makes room for whom, `import` for reading what other tools wrote.

mod backup;
mod format;
mod import;
mod owner;
mod place;
mod publish;
mod remove;
mod render;
mod status;

pub use crate::aside::Quarantined;
pub use crate::place::Wrote;
pub use backup::{FINISHED, keep_copy, keep_newest};
pub use format::{
    CoreLoopState, LoopStatus, MetricsSnapshot, PersistedLoopState, ProgressState, STATE_VERSION,
    SessionHistoryEntry, SessionState, StopConditionState, TestState,
};
pub use import::{adopt, is_meant};
pub use owner::{ParseError, parse, run_of, to_bytes};
pub use publish::{Main, Published, main, publish, published_path, published_seq, read, rebuild};
pub use remove::{remove, rendered_paths};
pub use render::{Context, render};
pub use status::loop_status;

pub use piton_sys::file::Error;
