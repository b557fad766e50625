//! What the guard found in what an attempt left, and what follows from it.
//!
//! Finding things is another crate's business. Here is what a run keeps of it, and what it does: refuse the
//! iteration and put its files back, ask a person, or only say so.

use piton_record::record;

use super::facts::QuestionKind;
use super::state::State;
use crate::Timestamp;
use crate::event::Event;
use crate::limits::{FINDINGS_MAX, TAIL_BYTES_MAX, clip};
use crate::words::words;

pub use crate::finding::Finding;

words! {
    /// What a run does about a finding that blocks.
    #[derive(Default)]
    pub enum GuardMode {
        /// The iteration is refused: its files are put back, and the agent is told why.
        #[default]
        Block = "block",
        /// A person decides.
        Ask = "ask",
        /// It is on record, and the run goes on.
        Report = "report",
        /// Nothing is looked at.
        Off = "off",
    }
}

/// What the guard says about what an attempt left.
#[record(Default, Eq, omit(duration_ms))]
pub struct GuardReport {
    /// Tests before and after.
    pub tests: Counts,
    /// Assertions before and after.
    pub assertions: Counts,
    /// What was found, those that block first; the first few.
    pub findings: Vec<Finding>,
    /// How many there are in all.
    pub findings_total: u32,
    /// How long it took to look.
    pub duration_ms: u64,
}

/// What an event holds against a run's work, whoever found it: the guard, the checks' own writing, or the numbers.
pub fn findings_of(event: &Event) -> Vec<&Finding> {
    match event {
        Event::AttemptFinished { end, .. } => reported(end.guard.as_ref()),
        Event::AttemptLost { left, .. } => reported(left.guard.as_ref()),
        Event::ChecksFinished { ruling, .. } => ruling.findings.iter().collect(),
        Event::IterationConcluded { conclusion } => {
            conclusion.findings.iter().map(|kept| &kept.finding).collect()
        }
        _ => Vec::new(),
    }
}

fn reported(report: Option<&GuardReport>) -> Vec<&Finding> {
    report.map_or_else(Vec::new, |report| report.findings.iter().collect())
}

/// A count before and after.
#[record(Copy, Default, Eq)]
pub struct Counts {
    pub before: u64,
    pub after: u64,
}

impl GuardReport {
    /// The same within the limits of an event.
    #[must_use]
    pub(crate) fn bounded(mut self) -> Self {
        self.findings = bounded(self.findings);
        self
    }
}

/// Findings within the limits of an event.
pub(crate) fn bounded(mut findings: Vec<Finding>) -> Vec<Finding> {
    findings.truncate(FINDINGS_MAX);
    for finding in &mut findings {
        for text in [&mut finding.message, &mut finding.file, &mut finding.undo] {
            *text = clip(text, TAIL_BYTES_MAX).to_owned();
        }
        let evidence = finding.evidence.take();
        finding.evidence =
            evidence.map(|evidence| evidence.map(|text| clip(text, TAIL_BYTES_MAX).to_owned()));
    }
    findings
}

/// What became of a finding.
#[record(Copy, Eq)]
pub enum Verdict {
    /// Its iteration was refused.
    Refused,
    /// A person was asked.
    Asked,
    /// It is only on record.
    Reported,
}

/// A finding, where it was found, and what became of it.
#[record(Eq)]
pub struct KeptFinding {
    pub iteration: u32,
    /// When it was found.
    #[serde(default)]
    pub at: Timestamp,
    /// What became of it.
    pub verdict: Verdict,
    pub finding: Finding,
}

impl KeptFinding {
    /// A finding of which this became; one that does not block is only on record.
    pub(crate) fn new(iteration: u32, at: Timestamp, verdict: Verdict, finding: Finding) -> Self {
        let verdict = if finding.blocking { verdict } else { Verdict::Reported };
        Self { iteration, at, verdict, finding }
    }
}

/// The question to a person about what is recovered from, if there is one to ask.
pub(super) fn doubt(state: &State) -> Option<(QuestionKind, String)> {
    let recovery = state.judged.recovery.as_ref()?;
    let (_, reason) = recovery.escalated.as_ref()?;
    let last = state.judged.recent.back()?;
    let found: Vec<_> = state
        .judged
        .findings
        .iter()
        .filter(|kept| kept.iteration == last.number && kept.finding.blocking)
        .map(|kept| format!("- {}", kept.finding.sentence()))
        .collect();
    let list = found.join("\n");
    if last.doubted {
        let text = format!(
            "The guard doubts iteration {}:\n{list}\nApprove keeps it, reject goes back to the files before it and tells the agent.",
            last.number
        );
        return Some((QuestionKind::Guard, text));
    }
    if last.refused {
        let text = format!(
            "Iteration {} was refused ({reason}), for:\n{list}\nIts files are back as they were. Let the agent try again? No stops the run.",
            last.number
        );
        return Some((QuestionKind::Guard, text));
    }
    let sentence = recovery.diagnosed.as_ref().map_or("", |(_, diagnosis)| diagnosis.sentence.as_str());
    let number = last.number;
    let text = format!(
        "The run does not get on after iteration {number} ({reason}): {sentence}. Let the agent try again? No stops the run."
    );
    Some((QuestionKind::Stuck, text))
}
