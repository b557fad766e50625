//! How good an iteration is: five dimensions from 0 to 100, and one score.
//!
//! A dimension about which nothing is known is left out, and the others share its weight.

use piton_record::record;

use crate::loop_machine::facts::CheckRound;
use crate::loop_machine::measures::{Measures, TreeCounts};
use crate::policy::policy;

policy! {
    /// What makes an iteration good.
    #[record(Copy)]
    pub struct QualityPolicy {
        /// What each dimension weighs: validation, completeness, correctness, readability, efficiency.
        pub weights: [f64; 5] = [0.30, 0.25, 0.25, 0.10, 0.10],
        /// What an error of a linter costs in validation, of 100.
        pub lint_error_cost: f64 = 5.0,
        /// What an error of a linter or a type checker costs in correctness.
        pub error_cost: f64 = 2.0,
        /// What a warning costs in readability.
        pub warning_cost: f64 = 3.0,
        /// The share by which the tree may grow for nothing.
        pub growth_free: f64 = 0.2,
        /// The share from which on growing costs all it can.
        pub growth_max: f64 = 0.5,
        /// The score from which an iteration is good enough to be handed on.
        pub acceptable: f64 = 70.0,
    }
}

/// How good an iteration is.
#[record(Copy, Default)]
pub struct Quality {
    /// All of it in one number, 0 to 100.
    pub score: f64,
    /// Checks, tests and linters agree with it.
    pub validation: Option<f64>,
    /// It is covered, and no test is missing.
    pub completeness: Option<f64>,
    /// Its tests pass, and nothing reports an error.
    pub correctness: Option<f64>,
    /// Nothing warns about it.
    pub readability: Option<f64>,
    /// It has not grown out of proportion.
    pub efficiency: Option<f64>,
}

impl Quality {
    /// The dimensions, by name, in the order of their weights.
    pub fn dimensions(&self) -> [(&'static str, Option<f64>); 5] {
        [
            ("validation", self.validation),
            ("completeness", self.completeness),
            ("correctness", self.correctness),
            ("readability", self.readability),
            ("efficiency", self.efficiency),
        ]
    }
}

/// How good what a round judged is, compared with where the run began. `None` where nothing is known at all.
pub fn judge(policy: &QualityPolicy, round: &CheckRound, baseline: Option<&Measures>) -> Option<Quality> {
    let measures = &round.measures;
    let pass_rate = measures.tests.and_then(|tests| tests.pass_rate());
    let penalty = |count: Option<u64>, each: f64| count.map(|count| (100.0 - each * count as f64).max(0.0));
    let checks =
        (!round.checks.is_empty()).then(|| 100.0 * round.passed() as f64 / round.checks.len() as f64);
    let mut quality = Quality {
        score: 0.0,
        validation: mean([checks, pass_rate, penalty(measures.lint_errors, policy.lint_error_cost)]),
        completeness: mean([measures.coverage_percent(), tests_kept(measures, baseline), None]),
        correctness: mean([pass_rate, penalty(measures.errors(), policy.error_cost), None]),
        readability: penalty(measures.lint_warnings, policy.warning_cost),
        efficiency: measures
            .tree
            .zip(baseline.and_then(|start| start.tree))
            .and_then(|trees| growth(policy, trees)),
    };
    let known =
        || quality.dimensions().into_iter().zip(policy.weights).filter_map(|((_, d), w)| d.map(|d| (d, w)));
    let weight: f64 = known().map(|(_, weight)| weight).sum();
    // Growth alone says nothing about whether anything works.
    quality.validation.or(quality.correctness).or(quality.completeness)?;
    quality.score = tenths(known().map(|(dimension, weight)| dimension * weight).sum::<f64>() / weight);
    Some(quality)
}

/// Tests compared with the start, in per cent.
fn tests_kept(now: &Measures, baseline: Option<&Measures>) -> Option<f64> {
    let (now, start) = (now.test_count()?, baseline?.test_count()?);
    (start > 0).then(|| (100.0 * now as f64 / start as f64).min(100.0))
}

/// Full marks up to a fifth more than at the start, half of them from one and a half times on.
fn growth(policy: &QualityPolicy, (now, start): (TreeCounts, TreeCounts)) -> Option<f64> {
    if start.lines == 0 {
        return None;
    }
    let grown = now.lines as f64 / start.lines as f64 - 1.0;
    let room = (policy.growth_max - policy.growth_free).max(f64::EPSILON);
    Some(tenths(100.0 - 50.0 * ((grown - policy.growth_free) / room).clamp(0.0, 1.0)))
}

fn mean(parts: [Option<f64>; 3]) -> Option<f64> {
    let known: Vec<f64> = parts.into_iter().flatten().collect();
    (!known.is_empty()).then(|| tenths(known.iter().sum::<f64>() / known.len() as f64))
}

fn tenths(number: f64) -> f64 {
    (number * 10.0).round() / 10.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loop_machine::facts::CheckResult;
    use crate::loop_machine::measures::{Coverage, Share, TestCounts};

    fn round(passed: usize, failed: usize, measures: Measures) -> CheckRound {
        let check = |index: usize| CheckResult {
            name: format!("c{index}"),
            passed: index < passed,
            exit_code: Some(0),
            duration_ms: 1,
            ..CheckResult::default()
        };
        CheckRound {
            number: 1,
            checks: (0..passed + failed).map(check).collect(),
            measures,
            duration_ms: 1,
            ..CheckRound::default()
        }
    }

    #[test]
    fn what_is_unknown_neither_helps_nor_hurts() {
        let quality = judge(&QualityPolicy::default(), &round(1, 1, Measures::default()), None).unwrap();
        assert_eq!((quality.validation, quality.completeness), (Some(50.0), None));
        assert_eq!(quality.score, 50.0);
        assert_eq!(judge(&QualityPolicy::default(), &round(0, 0, Measures::default()), None), None);
    }

    #[test]
    fn the_score_weighs_the_dimensions_by_the_documents_formulas() {
        let start = Measures {
            tree: Some(TreeCounts { files: 10, lines: 1000, tests: 100, assertions: 300 }),
            ..Measures::default()
        };
        let now = Measures {
            tests: Some(TestCounts {
                passed: 90,
                failed: 10,
                skipped: 0,
                complete: true,
                ..TestCounts::default()
            }),
            coverage: Some(Coverage {
                lines: Some(Share { covered: 80, total: 100 }),
                ..Coverage::default()
            }),
            lint_errors: Some(2),
            lint_warnings: Some(10),
            type_errors: Some(3),
            tree: Some(TreeCounts { files: 10, lines: 1350, tests: 100, assertions: 300 }),
            ..Measures::default()
        };
        let quality = judge(&QualityPolicy::default(), &round(1, 0, now), Some(&start)).unwrap();
        // Checks 100, tests 90, lint 100 − 5·2; coverage 80, tests 100 %; tests 90, errors 100 − 2·5; 100 − 3·10;
        // 35 % more lines is half way from 20 to 50.
        assert_eq!(quality.validation, Some(93.3));
        assert_eq!(quality.completeness, Some(90.0));
        assert_eq!(quality.correctness, Some(90.0));
        assert_eq!(quality.readability, Some(70.0));
        assert_eq!(quality.efficiency, Some(75.0));
        assert_eq!(quality.score, 87.5);
    }
}
