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

mod decode;
mod document;
mod edit;
mod field;
mod log;
mod node;
mod note;
mod place;
mod quick;
mod render;
mod scalar;

pub use document::{Document, FORMAT_VERSION};
pub use edit::RewriteError;
pub use log::{Log, Logged, append_flips, read_log};
pub use note::{Invalid, Note};
pub use place::{LedgerFile, UpdateError, Updated};
pub use render::render;
