//! `gaps.yaml`: the ledger as a file that people edit and git keeps, and its audit log.
//!
//! ```text
//!   bytes ── parse ──► Document ── rewrite ──► bytes        only the lines of changed gaps differ
//!                         │
//!                         └─ gaps ──► piton_model::ledger   every rule
//! ```
//!
//! Read [`Document`] for what is accepted, `edit` for how one gap changes and all other bytes stay.

mod decode;
mod document;
mod edit;
mod field;
mod node;
mod note;
mod render;
mod scalar;

pub use document::{Document, FORMAT_VERSION};
pub use edit::RewriteError;
pub use note::{Invalid, Note};
pub use render::render;
