//! What the guard found in what an attempt left, and what follows from it.
//!
//! Finding things is another crate's business. Here is what a run keeps of it, and what it does: refuse the
//! iteration and put its files back, ask a person, or only say so.

use serde::{Deserialize, Serialize};

use super::state::State;
use crate::limits::{FINDINGS_MAX, TAIL_BYTES_MAX, clip};

/// What a run does about a finding that blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GuardMode {
    /// The iteration is refused: its files are put back, and the agent is told why.
    #[default]
    Block,
    /// A person decides.
    Ask,
    /// It is on record, and the run goes on.
    Report,
    /// Nothing is looked at.
    Off,
}

/// Refusals in a row after which a person is asked, whatever the mode.
pub const REFUSALS_IN_A_ROW_MAX: u32 = 3;

/// What the guard says about what an attempt left.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GuardReport {
    /// Tests before and after.
    pub tests: Counts,
    /// Assertions before and after.
    pub assertions: Counts,
    /// What was found, those that block first; the first few.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
    /// How many there are in all.
    pub findings_total: u32,
}

/// A count before and after.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counts {
    /// Before.
    pub before: u64,
    /// After.
    pub after: u64,
}

/// One thing the guard found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Finding {
    /// The same for the same finding.
    pub id: String,
    /// Which rule found it.
    pub rule: String,
    /// What kind of regression it is.
    pub regression_type: String,
    /// How bad it is.
    pub severity: String,
    /// How sure the rule is.
    pub confidence_percent: u8,
    /// Whether an iteration with it can be refused.
    pub blocking: bool,
    /// Where it is.
    pub file: String,
    /// The line there.
    pub line: u32,
    /// One sentence that a person understands.
    pub message: String,
    /// How to undo it.
    pub undo: String,
}

impl Finding {
    /// The place and the sentence.
    pub fn sentence(&self) -> String {
        format!("{}:{}: {}", self.file, self.line, self.message)
    }
}

impl GuardReport {
    /// Whether anything in it blocks.
    pub fn blocks(&self) -> bool {
        self.findings.iter().any(|finding| finding.blocking)
    }

    /// The same within the limits of an event.
    #[must_use]
    pub(super) fn bounded(mut self) -> Self {
        self.findings.truncate(FINDINGS_MAX);
        for finding in &mut self.findings {
            for text in [&mut finding.message, &mut finding.file, &mut finding.undo] {
                *text = clip(text, TAIL_BYTES_MAX).to_owned();
            }
        }
        self
    }
}

/// What became of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Its iteration was refused.
    Refused,
    /// A person was asked.
    Asked,
    /// It is only on record.
    Reported,
}

/// A finding, where it was found, and what became of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeptFinding {
    /// The iteration.
    pub iteration: u32,
    /// What became of it.
    pub verdict: Verdict,
    /// The finding.
    pub finding: Finding,
}

/// Takes in what the guard said about the iteration under way. Whether its files must be put back.
pub(super) fn take(state: &mut State, report: &GuardReport) -> bool {
    let verdict = match (report.blocks(), state.config.guard) {
        (true, GuardMode::Block) => Verdict::Refused,
        (true, GuardMode::Ask) => Verdict::Asked,
        (false, _) | (true, GuardMode::Report | GuardMode::Off) => Verdict::Reported,
    };
    let iteration = state.iteration;
    let kept = |finding: &Finding| KeptFinding {
        iteration,
        verdict: if finding.blocking { verdict } else { Verdict::Reported },
        finding: finding.clone(),
    };
    state.findings.extend(report.findings.iter().map(kept));
    while state.findings.len() > FINDINGS_MAX {
        state.findings.pop_front();
    }
    verdict == Verdict::Refused
}

/// The question to a person about what the guard found, if there is one to ask.
pub(super) fn doubt(state: &State) -> Option<String> {
    let last = state.recent.back()?;
    let found: Vec<_> = state
        .findings
        .iter()
        .filter(|kept| kept.iteration == last.number && kept.finding.blocking)
        .map(|kept| format!("- {}", kept.finding.sentence()))
        .collect();
    let list = found.join("\n");
    if last.doubted {
        return Some(format!(
            "The guard doubts iteration {}:\n{list}\nApprove keeps it, reject goes back to the files before it and tells the agent.",
            last.number
        ));
    }
    (state.counters.refused_in_a_row >= REFUSALS_IN_A_ROW_MAX).then(|| {
        format!(
            "{} iterations in a row were refused; the last, {}, for:\n{list}\nIts files are back as they were. Let the agent try again?",
            state.counters.refused_in_a_row, last.number
        )
    })
}
