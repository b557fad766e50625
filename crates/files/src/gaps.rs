//! `gaps.yaml`: the ledger as a file that people edit and git keeps, and its audit log.
//!
//! ```text
//!   bytes ── parse ──► Document ── rewrite ──► bytes        only the lines of changed gaps differ
//!                         │
//!                         └─ gaps ──► piton_model::ledger   every rule
//! ```
//!
//! Read [`Document`] for what is accepted, `edit` for how one gap changes and all other bytes stay, [`LedgerFile`] for
//! how the file is written among people and git, [`append_flips`] for the log.

mod contents;
mod decode;
mod document;
mod edit;
mod field;
mod invalid;
mod log;
mod parts;
mod pass_on;
mod place;
mod proof;
mod render;

pub use document::Document;
pub use edit::{Draft, RewriteError};
pub use invalid::Invalid;
pub use log::{Logged, append_flips};
pub use pass_on::UnknownKeys;
pub use place::{LedgerFile, UpdateError, Updated};
pub use render::render;
