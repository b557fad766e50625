//! Prompt files: frontmatter, includes and templates, turned into the text an agent gets.
//!
//! ```text
//!   read(path) ─► header · tags · blocks ─► includes ─► render(facts) ─► text + digest + warnings
//! ```
//!
//! [`load`] takes a file apart, with everything it includes; [`Loaded::render`] fills in the facts. What a fact says
//! is never looked at again: a note that holds `{{include:x}}` stays that text. Files come through a closure of the
//! caller's.
//!
//! Invariants: nothing here reads a file, a clock or the environment, and nothing is run. Whatever goes in, the work
//! and the result are bounded. A file without frontmatter and without `{{` comes out byte for byte.
#![expect(missing_docs, reason = "only this workspace reads it: what a name says is not said twice")]

mod blocks;
mod error;
mod evaluate;
mod facts;
mod header;
mod load;
mod render;
mod scan;
mod suggest;
mod tag;
#[cfg(test)]
mod tests;

pub use error::{Place, Problem, Problems, ReadError, What};
pub use facts::{CheckFact, Facts, LastResult, NoteFact};
pub use header::{Header, IterationHints};
pub use load::{Loaded, Read, load};
pub use render::Rendered;

/// How strict a prompt is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// What is not understood stays as it is, with a warning; unless the frontmatter says `strict: true`.
    #[default]
    Lenient,
    /// Every warning is an error.
    Strict,
}

/// Most bytes of all files of a prompt together, and of the text they become.
pub const PROMPT_BYTES_MAX: usize = 1 << 20;
/// Most bytes of a frontmatter.
pub const HEADER_BYTES_MAX: usize = 64 << 10;
/// How deep files may include files.
pub const INCLUDE_DEPTH_MAX: usize = 5;
/// Most files of a prompt.
pub const FILES_MAX: usize = 64;
/// How deep blocks may stand in blocks, in one file.
pub const BLOCK_DEPTH_MAX: usize = 16;
/// Longest tag, between its braces.
pub const TAG_BYTES_MAX: usize = 1 << 10;
/// Most warnings that are kept.
pub const WARNINGS_MAX: usize = 20;
/// Most steps of one rendering.
const STEPS_MAX: usize = 1_000_000;
