//! YAML, read in one way for the ledger and for workflows.
//!
//! ```text
//!                  ┌─ plain ──┐ lists of flat mappings, line by line: fast, gives up at anything else
//!   bytes ─ text ──┤          ├──► Node: value, place, line ──► decode of each format
//!                  └─ parser ─┘ everything, with every problem
//! ```
//!
//! [`Node`] is what both ways give: the same value at the same place for the same text, which is a property of the
//! tests. [`kind`] says what a word without quotes is, [`Problems`] collects what is wrong, [`write_text`] writes text
//! that reads back. Data only: tags and merge keys are problems. Anchors and aliases are problems in a file that is
//! edited, and are written out, within a budget, in one that is only read.

mod anchors;
mod node;
mod parser;
mod plain;
mod problem;
mod scalar;
mod write;

pub use problem::Problem;

pub(crate) use anchors::{Anchors, Budget};
pub(crate) use node::{Entry, Node, Value};
pub(crate) use parser::{Reader, Stop};
pub(crate) use plain::{Lines, List, Unusual, is_rest};
pub(crate) use problem::Problems;
pub(crate) use scalar::{Kind, integer, kind};
pub(crate) use write::{Context, text as write_text};

/// Deepest nesting that is read.
pub(crate) const DEPTH_MAX: usize = 32;

/// The bytes as text, without judging what it says.
pub(crate) fn text(bytes: &[u8], bytes_max: usize) -> Result<&str, Problem> {
    let problem = |line, message: String, hint: &str| Problem {
        line,
        hint: Some(hint.to_owned()),
        ..Problem::new(message)
    };
    if bytes.len() > bytes_max {
        return Err(Problem::new(format!("the file is larger than {} MiB", bytes_max >> 20)));
    }
    let line = |end: usize| Some(1 + bytes[..end].iter().filter(|byte| **byte == b'\n').count());
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let is_utf_16 = bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]);
        let found = if is_utf_16 { "is UTF-16" } else { "is not UTF-8" };
        problem(line(error.valid_up_to()), format!("the file {found}"), "save it as UTF-8")
    })?;
    match text.find('\0') {
        None => Ok(text),
        Some(at) => Err(problem(line(at), "Invalid YAML: a NUL byte".to_owned(), "save it as plain text")),
    }
}
