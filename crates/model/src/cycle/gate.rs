//! The gates of a cycle that was prepared, and what was judged of each: the data; `judge/gate.rs` judges.

use piton_record::record;

use crate::words::words;

words! {
    /// The stretches of a cycle that was prepared.
    pub enum Gate {
        /// Something that works at all.
        ZeroToOne = "zero_to_one",
        /// All of it, as good as it is to be.
        OneToHundred = "one_to_hundred",
    }
}

/// The gate of an iteration, and what was judged of it.
#[record]
pub struct GateRecord {
    pub gate: Gate,
    /// Absent while the iteration is under way.
    pub passed: Option<bool>,
    pub criteria: Vec<Criterion>,
}

/// One thing that a gate asks for.
#[record]
pub struct Criterion {
    pub name: CriterionName,
    /// What it is to be, where that is a number.
    pub wanted: Option<f64>,
    /// What it is, where that is a number and known.
    pub found: Option<f64>,
    /// Absent where nothing measures it: it then holds nothing up.
    pub met: Option<bool>,
}

words! {
    /// What a gate can ask for.
    pub enum CriterionName {
        CodeCompiles = "code_compiles",
        CoreTestPasses = "core_test_passes",
        MinRequirementsImplemented = "min_requirements_implemented",
        TestPassRate = "test_pass_rate",
        Coverage = "coverage",
        CriticalBugs = "critical_bugs",
        OpenIssues = "open_issues",
    }
}

impl Criterion {
    /// What is wrong, in a sentence; nothing where it is met or nobody knows.
    pub fn complaint(&self) -> Option<String> {
        if self.met != Some(false) {
            return None;
        }
        let wanted = self.wanted.unwrap_or_default();
        let number = |unit: &str| match self.found {
            Some(found) => format!("{found:.0}{unit}"),
            None => "not known".to_owned(),
        };
        Some(match self.name {
            CriterionName::CodeCompiles => "nothing shows that the code compiles".to_owned(),
            CriterionName::CoreTestPasses => "no test passes".to_owned(),
            CriterionName::MinRequirementsImplemented => {
                format!("tasks of the plan that are done: {}, at least {wanted}", number(""))
            }
            CriterionName::TestPassRate => format!("tests that pass: {}, at least {wanted} %", number(" %")),
            CriterionName::Coverage => format!("coverage: {}, at least {wanted} %", number(" %")),
            CriterionName::CriticalBugs => {
                format!("critical bugs reported: {}, at most {wanted}", number(""))
            }
            CriterionName::OpenIssues => format!("open issues reported: {}, at most {wanted}", number("")),
        })
    }
}
