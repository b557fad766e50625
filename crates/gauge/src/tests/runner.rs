//! The runners by name.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{Reader, cargo, go, jest, mocha, nextest, node, others, pytest, tap, unittest, vitest};

/// Who ran the tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Runner {
    /// `cargo test`: libtest and doc tests.
    Cargo,
    /// cargo-nextest.
    Nextest,
    /// jest.
    Jest,
    /// vitest.
    Vitest,
    /// mocha, reporter `spec`.
    Mocha,
    /// `node --test`, reporter `spec`; its TAP is [`Runner::Tap`].
    Node,
    /// TAP 13 and 14, whoever wrote it.
    Tap,
    /// pytest.
    Pytest,
    /// Python's unittest, and Django's runner.
    Unittest,
    /// `go test`, with or without `-v`, and `-json`.
    Go,
    /// JUnit XML, whoever wrote it.
    Junit,
    /// RSpec.
    Rspec,
    /// PHPUnit.
    Phpunit,
    /// `dotnet test`.
    Dotnet,
    /// Maven's surefire and failsafe.
    Maven,
    /// Gradle.
    Gradle,
}

impl Runner {
    /// All of them.
    pub const ALL: [Self; 16] = [
        Self::Cargo,
        Self::Nextest,
        Self::Jest,
        Self::Vitest,
        Self::Mocha,
        Self::Node,
        Self::Tap,
        Self::Pytest,
        Self::Unittest,
        Self::Go,
        Self::Junit,
        Self::Rspec,
        Self::Phpunit,
        Self::Dotnet,
        Self::Maven,
        Self::Gradle,
    ];

    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Cargo => "cargo",
            Self::Nextest => "nextest",
            Self::Jest => "jest",
            Self::Vitest => "vitest",
            Self::Mocha => "mocha",
            Self::Node => "node",
            Self::Tap => "tap",
            Self::Pytest => "pytest",
            Self::Unittest => "unittest",
            Self::Go => "go",
            Self::Junit => "junit",
            Self::Rspec => "rspec",
            Self::Phpunit => "phpunit",
            Self::Dotnet => "dotnet",
            Self::Maven => "maven",
            Self::Gradle => "gradle",
        }
    }

    /// Who understands its lines; JUnit's are not lines.
    pub(super) fn reader(self) -> Option<Box<dyn Reader>> {
        Some(match self {
            Self::Cargo => Box::<cargo::Cargo>::default(),
            Self::Nextest => Box::<nextest::Nextest>::default(),
            Self::Jest => Box::<jest::Jest>::default(),
            Self::Vitest => Box::<vitest::Vitest>::default(),
            Self::Mocha => Box::<mocha::Mocha>::default(),
            Self::Node => Box::<node::Node>::default(),
            Self::Tap => Box::<tap::Tap>::default(),
            Self::Pytest => Box::<pytest::Pytest>::default(),
            Self::Unittest => Box::<unittest::Unittest>::default(),
            Self::Go => Box::<go::Go>::default(),
            Self::Junit => return None,
            Self::Rspec => Box::<others::Rspec>::default(),
            Self::Phpunit => Box::<others::Phpunit>::default(),
            Self::Dotnet => Box::<others::Dotnet>::default(),
            Self::Maven => Box::<others::Maven>::default(),
            Self::Gradle => Box::<others::Gradle>::default(),
        })
    }
}

impl fmt::Display for Runner {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// No runner has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected a runner such as `cargo` or `pytest`, found `{found}`")]
pub struct UnknownRunner {
    pub found: String,
}

impl FromStr for Runner {
    type Err = UnknownRunner;

    fn from_str(word: &str) -> Result<Self, UnknownRunner> {
        Self::ALL
            .into_iter()
            .find(|runner| runner.as_str() == word)
            .ok_or_else(|| UnknownRunner { found: crate::text::clip(word, 60).to_owned() })
    }
}
