//! How many errors and warnings a compiler, linter or type checker counted.
//!
//! [`read`] takes what one tool wrote, [`read_all`] what several wrote one after the other. Where a tool sums up, its
//! sum counts; else its findings are counted. Tools without severities (flake8, ruff, Go's) have errors only, and
//! their warnings are unknown. Notes and hints are not counted.
//!
//! Never takes silence for success: some tools write nothing when they have nothing to say, and nothing when they
//! did not start. Only an exit code can tell.
//! Invariant: what is not known is `None`, never 0.

mod cargo;
mod json;
mod lines;
mod location;
mod sarif;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::INPUT_BYTES_MAX;
use crate::xml::{Tag, walk};

/// What a program judges that says nothing at all when it is content. Whoever knows that it ran to its end with success
/// knows that it found nothing.
pub fn silent(program: &str) -> Option<Kind> {
    match program {
        "tsc" | "vue-tsc" => Some(Kind::Type),
        "eslint" | "stylelint" | "flake8" | "shellcheck" => Some(Kind::Lint),
        _ => None,
    }
}

/// Whose output it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tool {
    /// cargo, rustc and clippy; text and JSON.
    Cargo,
    /// eslint; its summary, or JSON.
    Eslint,
    /// The TypeScript compiler.
    Tsc,
    /// mypy.
    Mypy,
    /// pyright and basedpyright; text and JSON.
    Pyright,
    /// ruff; text and JSON.
    Ruff,
    /// flake8 and others that write like it.
    Flake8,
    /// pylint; text and JSON.
    Pylint,
    /// golangci-lint; text and JSON.
    GolangciLint,
    /// `go vet` and `go build`; text and JSON.
    Go,
    /// staticcheck; text and JSON.
    Staticcheck,
    /// shellcheck; its own text, gcc's, and JSON.
    Shellcheck,
    /// gcc, clang, javac and others that write like them.
    Gcc,
    /// SARIF, whoever wrote it.
    Sarif,
    /// Checkstyle XML, whoever wrote it.
    Checkstyle,
}

impl Tool {
    /// All of them.
    pub const ALL: [Self; 15] = [
        Self::Cargo,
        Self::Eslint,
        Self::Tsc,
        Self::Mypy,
        Self::Pyright,
        Self::Ruff,
        Self::Flake8,
        Self::Pylint,
        Self::GolangciLint,
        Self::Go,
        Self::Staticcheck,
        Self::Shellcheck,
        Self::Gcc,
        Self::Sarif,
        Self::Checkstyle,
    ];

    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Cargo => "cargo",
            Self::Eslint => "eslint",
            Self::Tsc => "tsc",
            Self::Mypy => "mypy",
            Self::Pyright => "pyright",
            Self::Ruff => "ruff",
            Self::Flake8 => "flake8",
            Self::Pylint => "pylint",
            Self::GolangciLint => "golangci-lint",
            Self::Go => "go",
            Self::Staticcheck => "staticcheck",
            Self::Shellcheck => "shellcheck",
            Self::Gcc => "gcc",
            Self::Sarif => "sarif",
            Self::Checkstyle => "checkstyle",
        }
    }

    /// Whether it looks at types or at anything else.
    pub fn kind(self) -> Kind {
        match self {
            Self::Tsc | Self::Mypy | Self::Pyright => Kind::Type,
            Self::Cargo
            | Self::Eslint
            | Self::Ruff
            | Self::Flake8
            | Self::Pylint
            | Self::GolangciLint
            | Self::Go
            | Self::Staticcheck
            | Self::Shellcheck
            | Self::Gcc
            | Self::Sarif
            | Self::Checkstyle => Kind::Lint,
        }
    }
}

impl fmt::Display for Tool {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// No tool has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected a tool such as `cargo` or `eslint`, found `{found}`")]
pub struct UnknownTool {
    pub found: String,
}

impl FromStr for Tool {
    type Err = UnknownTool;

    fn from_str(word: &str) -> Result<Self, UnknownTool> {
        Self::ALL
            .into_iter()
            .find(|tool| tool.as_str() == word)
            .ok_or_else(|| UnknownTool { found: crate::text::clip(word, 60).to_owned() })
    }
}

/// What a tool looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Anything but types.
    Lint,
    /// Types.
    Type,
}

/// What a tool counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lint {
    pub tool: Tool,
    /// What it calls errors.
    pub errors: Option<u64>,
    /// What it calls warnings.
    pub warnings: Option<u64>,
    /// What it looks at.
    pub kind: Kind,
}

impl Lint {
    fn new(tool: Tool, errors: Option<u64>, warnings: Option<u64>) -> Self {
        Self { tool, errors, warnings, kind: tool.kind() }
    }
}

/// Reads what a tool wrote; without a tool it looks which one it was, and takes the first where there are several.
///
/// `None` where nothing is recognised, which is also what an empty output gives.
pub fn read(tool: Option<Tool>, text: &str) -> Option<Lint> {
    let mut found = read_all(text).into_iter();
    match tool {
        Some(tool) => found.find(|lint| lint.tool == tool).or_else(|| json::empty(tool, text)),
        None => found.next(),
    }
}

/// Reads what several tools wrote into one output, in the order in which they show up. What a runner of tests printed
/// between its beginning and its sum is its own: a test that fails at `a_test.go:5:` is no finding of a linter.
pub fn read_all(text: &str) -> Vec<Lint> {
    if text.len() > INPUT_BYTES_MAX {
        return Vec::new();
    }
    let text = text.trim_start_matches('\u{feff}');
    if text.trim_start().starts_with('<') {
        return checkstyle(text).into_iter().collect();
    }
    match json::read(text) {
        Some(lint) => vec![lint],
        None => lines::read(&crate::tests::outside_of_sections(text)),
    }
}

/// `<checkstyle><file><error severity="error"/></file></checkstyle>`.
fn checkstyle(text: &str) -> Option<Lint> {
    let (mut errors, mut warnings, mut is_checkstyle) = (0, 0, false);
    let whole: Result<(), crate::xml::Error> = walk(text.as_bytes(), |tag| {
        let Tag::Open(element, depth) = tag else { return Ok(()) };
        match element.name() {
            "checkstyle" if depth == 0 => is_checkstyle = true,
            "error" => match element.attribute("severity").as_deref() {
                Some("info" | "ignore") => {}
                Some("warning") => warnings += 1,
                _ => errors += 1,
            },
            _ => {}
        }
        Ok(())
    });
    (whole.is_ok() && is_checkstyle).then(|| Lint::new(Tool::Checkstyle, Some(errors), Some(warnings)))
}
