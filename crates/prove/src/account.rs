//! What was run, what it showed, and what was not tried.

use piton_guard::Demonstrated;

use crate::change::Overlay;

/// A kind of trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Probe {
    /// A break that the check must notice.
    Canary,
    /// The old tests on the new code.
    OldTests,
    /// The new tests on the old code.
    Flip,
    /// Breaks that the old tests notice and the new ones do not.
    LostKills,
    /// Inputs beside the tested ones.
    PointChange,
}

impl Probe {
    /// The word for it, on screens and in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Canary => "canary",
            Self::OldTests => "old tests",
            Self::Flip => "flip",
            Self::LostKills => "lost kills",
            Self::PointChange => "point change",
        }
    }
}

/// What came of the probes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Account {
    /// What they showed.
    pub shown: Vec<Demonstrated>,
    /// For each of it the tree on which it was seen.
    pub trees: Vec<Overlay>,
    /// The probes that said something, in the order in which they did.
    pub probes: Vec<Probe>,
    /// How often a check was run.
    pub trials: u32,
    /// How long that took.
    pub took_ms: u64,
    /// Breaks that were tried.
    pub mutants: u32,
    /// Breaks of them that the check let pass.
    pub lived: u32,
    /// Breaks that the old tests noticed and the new ones do not.
    pub lost: u32,
    /// Tests that fail on the old code and pass now: what proves the change.
    pub proved_by: Vec<String>,
    /// What was not tried, or said nothing, and why.
    pub not_proven: Vec<String>,
}

impl Account {
    pub(crate) fn did(&mut self, probe: Probe) {
        if !self.probes.contains(&probe) {
            self.probes.push(probe);
        }
    }

    pub(crate) fn missed(&mut self, why: impl Into<String>) {
        let why = why.into();
        if !self.not_proven.contains(&why) {
            self.not_proven.push(why);
        }
    }
}
