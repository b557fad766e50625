//! Reads numbers out of what tools write: how much is covered, what a linter counted, which tests ran.
//!
//! Three parts, each with one function `read`: [`coverage`] for reports in a file, [`lint`] for what compilers,
//! linters and type checkers say, [`tests`] for what test runners say. Bytes or text go in, plain data comes out.
//!
//! ```
//! use piton_gauge::{coverage, lint, tests};
//!
//! let report = b"TN:\nSF:src/a.rs\nDA:1,3\nDA:2,0\nend_of_record\n";
//! let coverage = coverage::read(None, report)?;
//! assert_eq!(coverage.lines.and_then(|share| share.percent()), Some(50.0));
//! assert_eq!(coverage.branches, None, "the report says nothing about branches");
//!
//! let linted = lint::read(None, "src/a.ts(1,7): error TS2322: Type 'string' is not assignable to type 'number'.\n");
//! assert_eq!(linted.and_then(|lint| lint.errors), Some(1));
//!
//! let output = "\nrunning 2 tests\ntest adds ... ok\ntest divides ... FAILED\n";
//! let ran = tests::read(None, output).expect("this is the output of cargo test");
//! assert_eq!((ran.passed, ran.failed, ran.total), (Some(1), Some(1), Some(2)));
//! assert!(!ran.complete, "there is no summary: the run was cut off");
//! # Ok::<(), coverage::Error>(())
//! ```
//!
//! Never reads a file, never runs a process, never looks at a clock, never prints.
//!
//! Invariant: what is not known is `None`, never 0.
//! Invariant: whatever the input, nothing panics, memory stays within a small multiple of the input, and the
//! input is read once.
#![expect(missing_docs, reason = "only this workspace reads it: what a name says is not said twice")]

pub mod coverage;
pub mod lint;
pub mod tests;

mod json;
mod text;
mod xml;

/// Larger inputs are refused.
pub const INPUT_BYTES_MAX: usize = 64 << 20;
