//! What the guard or a comparison of numbers found: one shape from the rule that found it to the last front end.
//!
//! The guard fills in all of it. A run keeps a finding without the excerpts ([`Finding::without_excerpts`]), so that
//! its state stays small.

use piton_record::record;
use serde::Deserialize;
use serde::{Deserializer, Serializer};

use crate::words::words;

/// One thing that was found.
#[record(Eq)]
pub struct Finding {
    /// The same for the same finding, wherever its lines move to.
    pub id: String,
    /// Which rule found it.
    pub rule: String,
    /// What kind of regression it is.
    pub regression_type: RegressionType,
    /// Which pattern of the laziness catalogue it is an instance of.
    pub pattern: Option<String>,
    /// How bad it is.
    pub severity: Severity,
    /// How often the rule is right about such things.
    #[serde(rename = "confidence", serialize_with = "as_share", deserialize_with = "from_share")]
    pub confidence_percent: u8,
    /// Whether it stops a commit, and an iteration with it can be refused.
    pub blocking: bool,
    /// Where it is, in the new tree, or in the old one where the file is gone.
    pub file: String,
    /// The line there.
    pub line: u32,
    /// The test it is about.
    pub test: Option<String>,
    /// One sentence that a person understands.
    pub message: String,
    /// What was there.
    pub before: Option<String>,
    /// What is there now.
    pub after: Option<String>,
    /// How to undo it.
    pub undo: String,
    /// Why it was allowed, where somebody did.
    pub allowed: Option<String>,
    /// What was run to find it; nothing where it was found by looking.
    pub evidence: Option<Evidence>,
}

/// What was run, and what came of it: whoever doubts a finding can do the same.
#[record(Eq)]
pub struct Evidence {
    /// The kind of trial.
    pub probe: String,
    /// The check that was run, by its name.
    pub check: String,
    /// What was changed for it, as a person reads it: the place, then the lines with `-` and `+`.
    pub change: String,
    /// What the check said.
    pub saw: String,
    /// What it said elsewhere, which makes that remarkable.
    pub against: Option<String>,
}

impl Evidence {
    /// What the check said, and what it said elsewhere, as a sentence.
    pub fn outcome(&self) -> String {
        match &self.against {
            None => format!("{}.", self.saw),
            Some(against) => format!("{}; but {against}.", self.saw),
        }
    }

    /// The same, with each text through `change`.
    #[must_use]
    pub fn map(self, mut change: impl FnMut(&str) -> String) -> Self {
        Self {
            probe: self.probe,
            check: self.check,
            change: change(&self.change),
            saw: change(&self.saw),
            against: self.against.as_deref().map(change),
        }
    }
}

impl Finding {
    /// The place and the sentence.
    pub fn sentence(&self) -> String {
        match self.file.as_str() {
            "" => self.message.clone(),
            file => format!("{file}:{}: {}", self.line, self.message),
        }
    }

    /// Whether it was found by a number of the whole project; what was found by looking is about a file.
    pub fn is_measured(&self) -> bool {
        self.file.is_empty()
    }

    /// What a run keeps of it.
    #[must_use]
    pub fn without_excerpts(self) -> Self {
        Self { test: None, before: None, after: None, ..self }
    }
}

words! {
    /// What kind of regression a finding is.
    pub enum RegressionType {
        /// Tests are gone.
        TestDeletion = "test_deletion",
        /// Tests no longer run.
        TestSkipping = "test_skipping",
        /// Product code is gone.
        FeatureRemoval = "feature_removal",
        /// Less of the code is covered.
        CoverageRegression = "coverage_regression",
        /// A check no longer checks.
        ValidationBypass = "validation_bypass",
        /// Tests say less.
        AssertionWeakening = "assertion_weakening",
        /// Errors are hidden.
        ErrorSuppression = "error_suppression",
    }
}

words! {
    /// How bad something is.
    pub enum Severity {
        /// Worth knowing.
        Low = "low",
        /// Worth a look.
        Medium = "medium",
        /// Wrong unless somebody explains it.
        High = "high",
        /// Makes the verdict of the checks worthless.
        Critical = "critical",
    }
}

/// People read a share from 0 to 1; a state that is compared holds whole numbers.
fn as_share<S: Serializer>(percent: &u8, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(f64::from(*percent) / 100.0)
}

fn from_share<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u8, D::Error> {
    let share = f64::deserialize(deserializer)?;
    Ok((share * 100.0).round().clamp(0.0, 100.0) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_share_comes_back_as_it_was() {
        for percent in 0..=100 {
            let finding = Finding {
                id: String::new(),
                rule: "test-deleted".to_owned(),
                regression_type: RegressionType::TestDeletion,
                pattern: None,
                severity: Severity::High,
                confidence_percent: percent,
                blocking: true,
                file: String::new(),
                line: 0,
                test: None,
                message: String::new(),
                before: None,
                after: None,
                undo: String::new(),
                allowed: None,
                evidence: None,
            };
            let text = serde_json::to_string(&finding).unwrap();
            assert_eq!(serde_json::from_str::<Finding>(&text).unwrap(), finding, "{text}");
        }
    }
}
