//! How much of the code was run by its tests, from the report of a coverage tool.
//!
//! [`read`] takes the bytes of one report and gives a [`Coverage`]: the totals, and the same per file. One file
//! per format below. What is listed twice (a file in several test runs, a block in several packages) is merged:
//! covered once is covered.
//!
//! Never guesses: a report that ends in the middle, or that says something no tool says, is an [`Error`].
//! Invariant: a share that the report does not speak of is `None`.

mod cobertura;
mod coverage_py;
mod error;
mod go;
mod istanbul;
mod jacoco;
mod lcov;
mod llvm_cov;

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::INPUT_BYTES_MAX;
use crate::text::{clip, excerpt};

pub use crate::xml::Error as XmlError;
pub use error::Error;

/// At most this many files are listed one by one; the totals hold all of them.
pub const FILES_MAX: usize = 20_000;

/// Longer paths are cut.
pub const PATH_BYTES_MAX: usize = 1_024;

/// A format of reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Format {
    /// Tracefiles of lcov; c8, nyc, llvm-cov, coverage.py and many others write them too.
    #[serde(rename = "lcov")]
    Lcov,
    /// Cobertura XML: coverage.py, gcovr, nyc, coverlet and others.
    #[serde(rename = "cobertura")]
    Cobertura,
    /// `coverage json` of coverage.py.
    #[serde(rename = "coverage.py")]
    CoveragePy,
    /// `llvm-cov export` and `cargo llvm-cov --json`.
    #[serde(rename = "llvm-cov")]
    LlvmCov,
    /// `coverage-final.json` and `coverage-summary.json` of istanbul, nyc, c8, jest and vitest.
    #[serde(rename = "istanbul")]
    Istanbul,
    /// `go test -coverprofile`.
    #[serde(rename = "go")]
    Go,
    /// JaCoCo XML.
    #[serde(rename = "jacoco")]
    Jacoco,
}

impl Format {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Lcov,
        Self::Cobertura,
        Self::CoveragePy,
        Self::LlvmCov,
        Self::Istanbul,
        Self::Go,
        Self::Jacoco,
    ];

    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Lcov => "lcov",
            Self::Cobertura => "cobertura",
            Self::CoveragePy => "coverage.py",
            Self::LlvmCov => "llvm-cov",
            Self::Istanbul => "istanbul",
            Self::Go => "go",
            Self::Jacoco => "jacoco",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl FromStr for Format {
    type Err = Error;

    fn from_str(word: &str) -> Result<Self, Error> {
        Self::ALL
            .into_iter()
            .find(|format| format.as_str() == word)
            .ok_or_else(|| Error::UnknownFormat { found: clip(word, 60).to_owned() })
    }
}

/// So many of so many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Share {
    /// How many were run.
    pub covered: u64,
    /// How many there are.
    pub total: u64,
}

impl Share {
    /// From 0 to 100; unknown where there is nothing to cover.
    pub fn percent(self) -> Option<f64> {
        (self.total > 0).then(|| self.covered as f64 * 100.0 / self.total as f64)
    }

    fn add(self, other: Self) -> Self {
        Self {
            covered: self.covered.saturating_add(other.covered),
            total: self.total.saturating_add(other.total),
        }
    }

    /// Only where there is something to cover: some formats write 0 of 0 for what was not measured.
    fn measured(self) -> Option<Self> {
        (self.total > 0).then_some(self)
    }
}

/// What is covered of one file, or of everything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shares {
    /// Lines; statements where the tool counts those (Go).
    pub lines: Option<Share>,
    /// Branches: each way out of each decision.
    pub branches: Option<Share>,
    /// Functions and methods.
    pub functions: Option<Share>,
}

impl Shares {
    fn add(self, other: Self) -> Self {
        let both = |a: Option<Share>, b: Option<Share>| match (a, b) {
            (Some(a), Some(b)) => Some(a.add(b)),
            (one, None) | (None, one) => one,
        };
        Self {
            lines: both(self.lines, other.lines),
            branches: both(self.branches, other.branches),
            functions: both(self.functions, other.functions),
        }
    }
}

/// What a report says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Coverage {
    /// In which format.
    pub format: Format,
    /// Lines; statements where the tool counts those (Go).
    pub lines: Option<Share>,
    /// Branches: each way out of each decision.
    pub branches: Option<Share>,
    /// Functions and methods.
    pub functions: Option<Share>,
    /// The same per file, by the path that the report gives.
    pub files: BTreeMap<String, Shares>,
    /// How many files are in the totals only.
    pub files_cut: u64,
}

impl Coverage {
    /// The sum of some files, each listed once.
    fn sum(format: Format, files: impl IntoIterator<Item = (String, Shares)>) -> Self {
        let mut sum = Self {
            format,
            lines: None,
            branches: None,
            functions: None,
            files: BTreeMap::new(),
            files_cut: 0,
        };
        let mut totals = Shares::default();
        for (path, shares) in files {
            totals = totals.add(shares);
            sum.list(path, shares);
        }
        sum.with_totals(totals)
    }

    fn list(&mut self, path: String, shares: Shares) {
        if self.files.len() >= FILES_MAX {
            self.files_cut += 1;
            return;
        }
        let path = if path.len() > PATH_BYTES_MAX { clip(&path, PATH_BYTES_MAX).to_owned() } else { path };
        let known = self.files.entry(path).or_default();
        *known = known.add(shares);
    }

    fn with_totals(self, totals: Shares) -> Self {
        Self { lines: totals.lines, branches: totals.branches, functions: totals.functions, ..self }
    }
}

/// Reads a report; without a format it looks which one it is.
pub fn read(format: Option<Format>, bytes: &[u8]) -> Result<Coverage, Error> {
    if bytes.len() > INPUT_BYTES_MAX {
        return Err(Error::TooLarge { bytes: bytes.len() });
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let format = match format.or_else(|| detect(bytes)) {
        Some(format) => format,
        None if bytes.trim_ascii().is_empty() => return Err(Error::Blank),
        None => return Err(Error::Unrecognised { found: excerpt(bytes) }),
    };
    match format {
        Format::Lcov => lcov::read(bytes),
        Format::Cobertura => cobertura::read(bytes),
        Format::CoveragePy => coverage_py::read(bytes),
        Format::LlvmCov => llvm_cov::read(bytes),
        Format::Istanbul => istanbul::read(bytes),
        Format::Go => go::read(bytes),
        Format::Jacoco => jacoco::read(bytes),
    }
}

/// Which format a report is in, by how it begins.
pub fn detect(bytes: &[u8]) -> Option<Format> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start();
    match bytes.first()? {
        b'{' => detect_json(bytes),
        b'<' => match crate::xml::root(bytes)?.as_str() {
            "coverage" => Some(Format::Cobertura),
            "report" => Some(Format::Jacoco),
            _ => None,
        },
        _ if bytes.starts_with(b"mode:") => Some(Format::Go),
        _ => bytes
            .split(|byte| *byte == b'\n')
            .take(16)
            .any(|line| line.starts_with(b"SF:") || line.starts_with(b"TN:"))
            .then_some(Format::Lcov),
    }
}

/// The first key tells these apart: istanbul's are paths.
fn detect_json(bytes: &[u8]) -> Option<Format> {
    let rest = bytes[1..].trim_ascii_start().strip_prefix(b"\"")?;
    let end = rest.iter().take(PATH_BYTES_MAX).position(|byte| *byte == b'"')?;
    let (key, rest) = (&rest[..end], rest[end + 1..].trim_ascii_start());
    let value = rest.strip_prefix(b":")?.trim_ascii_start();
    match key {
        b"meta" | b"files" | b"totals" => Some(Format::CoveragePy),
        b"data" | b"type" | b"version" | b"cargo_llvm_cov" => Some(Format::LlvmCov),
        _ if value.starts_with(b"{") && (key == b"total" || looks_like_path(key)) => Some(Format::Istanbul),
        _ => None,
    }
}

fn looks_like_path(key: &[u8]) -> bool {
    key.iter().any(|byte| matches!(byte, b'/' | b'\\' | b'.'))
}
