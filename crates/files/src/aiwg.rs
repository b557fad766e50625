//! `.aiwg/ralph/`: a loop as the loop-state format 2.x and its persistence extension know it.
//!
//! ```text
//!   journal ── absorb ──► History ┐
//!   State ────────────────────────┴ render ──► View ── publish ──► .aiwg/ralph/loops/<loop id>/state.json
//!                                                                 .aiwg/ralph/loops/<loop id>/iterations/iteration-NNN.json
//!                                                                 .aiwg/ralph/registry.json   shared with other tools
//! ```
//!
//! The extension wants complete histories and a state holds windows of them, so a [`History`] is fed with the state
//! after every event and keeps what passes by, each entry as the JSON that it will be: rendering ten thousand of them
//! copies bytes. What is absent is left out, never null.
//!
//! Read `format` for the fields, `entries` and `render` for where each comes from, `publish` for the order of writing,
//! `registry` for the file that is not ours alone, `import` for reading what other tools wrote.

mod entries;
mod format;
mod history;
mod identity;
mod import;
mod lock;
mod patterns;
mod place;
mod publish;
mod registry;
mod remove;
mod render;
mod status;

pub use crate::aside::Quarantined;
pub use crate::place::Wrote;
pub use history::History;
pub use identity::loop_id;
pub use import::{Adopted, ParseError, Totals, adopt, parse, run_of};
pub use place::{begin, is_used};
pub use publish::{Published, Written, publish, published_path, rebuild};
pub use registry::{LOOPS_MAX, Registered};
pub use remove::{remove, rendered_paths};
pub use render::{Context, View, render};
pub use status::loop_status;

pub use piton_sys::file::Error;

/// The version of the format that is written; every 2.x is read.
pub const STATE_VERSION: &str = "2.0.0";
