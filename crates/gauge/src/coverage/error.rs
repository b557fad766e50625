//! Why a report gives no numbers: what was expected, what was found.

use super::Format;
use crate::INPUT_BYTES_MAX;

/// Why a report gives no numbers.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No format has this name.
    #[error(
        "expected one of `lcov`, `cobertura`, `coverage.py`, `llvm-cov`, `istanbul`, `go`, `jacoco`, found `{found}`"
    )]
    UnknownFormat { found: String },
    /// It is larger than what is read.
    #[error("expected at most {INPUT_BYTES_MAX} bytes, found {bytes}")]
    TooLarge {
        /// How large it is.
        bytes: usize,
    },
    /// There is nothing in it.
    #[error("expected a coverage report, found nothing")]
    Blank,
    /// It begins like none of the formats.
    #[error(
        "expected a report of lcov, Cobertura, coverage.py, llvm-cov, istanbul, Go or JaCoCo, found `{found}`"
    )]
    Unrecognised {
        /// How it begins.
        found: String,
    },
    /// A line is not what the format says.
    #[error("{format}: expected {expected}, found `{found}` in line {line}")]
    Line {
        format: Format,
        /// What should be there.
        expected: &'static str,
        /// What is there.
        found: String,
        /// Counted from 1.
        line: usize,
    },
    /// The report as a whole is not what the format says.
    #[error("{format}: expected {expected}, found {found}")]
    Content {
        format: Format,
        /// What should be there.
        expected: &'static str,
        /// What is there.
        found: String,
    },
    /// It is not the JSON that the format says.
    #[error("{format}: expected {expected}, found other JSON")]
    Json {
        format: Format,
        /// What should be there.
        expected: &'static str,
        /// What the parser says.
        source: serde_json::Error,
    },
    /// It is not the XML that the format says.
    #[error("failed to read XML")]
    Xml(#[from] crate::xml::Error),
}
