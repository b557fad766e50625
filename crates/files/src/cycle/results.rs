//! `vas/test-results.json`: what piton's own round of checks came to, never what an agent says of it.

use piton_model::cycle::TestResults;
use piton_model::loop_machine::CheckResult;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;

use super::documents::RESULTS;
use super::format::percent;
use super::zone::{Zone, moment};
use crate::plain::{json_file, without_mark};

/// `test-results.json`. Each check is a suite.
pub fn results_file(results: &TestResults, checks: &[CheckResult], zone: Zone) -> Vec<u8> {
    let suite = |check: &CheckResult| Suite {
        suite: check.name.clone(),
        total: 1,
        passed: u64::from(check.passed),
        failed: u64::from(!check.passed),
        duration_ms: check.duration_ms,
        tests: vec![Test {
            name: check.name.clone(),
            status: if check.passed { "passed" } else { "failed" }.to_owned(),
        }],
    };
    let done = results.passed_tests.saturating_add(results.skipped_tests);
    json_file(&ResultsFile {
        version: results.version.clone(),
        timestamp: zone.show(results.last_run),
        iteration: results.iteration,
        round: results.round,
        summary: Summary {
            total: results.total_tests,
            passed: results.passed_tests,
            failed: results.total_tests.saturating_sub(done),
            skipped: results.skipped_tests,
            duration_ms: results.duration_ms,
            pass_rate: Some(results.pass_rate),
        },
        failed_tests: Some(results.failed_tests.clone()),
        by_suite: checks.iter().map(suite).collect(),
        coverage: results.coverage.map(|lines| Coverage {
            lines: Some(lines),
            functions: results.functions,
            branches: results.branches,
        }),
    })
}

/// The names and order of the format. Its `tests` is there twice in a suite: the number is `total` here.
#[derive(Serialize, Deserialize)]
struct ResultsFile {
    #[serde(default)]
    version: String,
    #[serde(default)]
    timestamp: String,
    #[serde(default)]
    iteration: u32,
    #[serde(default)]
    round: u32,
    summary: Summary,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    failed_tests: Option<Vec<String>>,
    #[serde(default)]
    by_suite: Vec<Suite>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    coverage: Option<Coverage>,
}

#[derive(Serialize, Deserialize)]
struct Summary {
    total: u64,
    #[serde(default)]
    passed: u64,
    #[serde(default)]
    failed: u64,
    #[serde(default)]
    skipped: u64,
    #[serde(default)]
    duration_ms: u64,
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        serialize_with = "maybe_percent",
        deserialize_with = "exact"
    )]
    pass_rate: Option<f64>,
}

#[derive(Serialize, Deserialize)]
struct Suite {
    #[serde(default)]
    suite: String,
    #[serde(default)]
    total: u64,
    #[serde(default)]
    passed: u64,
    #[serde(default)]
    failed: u64,
    #[serde(default)]
    duration_ms: u64,
    /// Others have a number here, or tests.
    #[serde(default, deserialize_with = "tests_or_nothing")]
    tests: Vec<Test>,
}

#[derive(Serialize, Deserialize)]
struct Test {
    #[serde(default)]
    name: String,
    #[serde(default)]
    status: String,
}

#[derive(Serialize, Deserialize)]
struct Coverage {
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        serialize_with = "maybe_percent",
        deserialize_with = "exact"
    )]
    lines: Option<f64>,
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        serialize_with = "maybe_percent",
        deserialize_with = "exact"
    )]
    functions: Option<f64>,
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        serialize_with = "maybe_percent",
        deserialize_with = "exact"
    )]
    branches: Option<f64>,
}

fn maybe_percent<S: serde::Serializer>(value: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
    match value {
        Some(value) => percent(value, serializer),
        None => serializer.serialize_none(),
    }
}

/// A number as it is written, digit for digit: what is read must be what was written. `95%` is one, too.
fn exact<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    let raw = <Box<RawValue>>::deserialize(deserializer)?;
    let text = raw.get().trim_matches(['"', ' ', '%']);
    Ok(text.parse().ok().filter(|number: &f64| number.is_finite()))
}

fn tests_or_nothing<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Test>, D::Error> {
    let raw = <Box<RawValue>>::deserialize(deserializer)?;
    Ok(serde_json::from_str(raw.get()).unwrap_or_default())
}

/// What a file of results says, whoever wrote it.
pub fn read_results(bytes: &[u8]) -> Result<TestResults, String> {
    let file: ResultsFile =
        serde_json::from_slice(without_mark(bytes)).map_err(|error| format!("{RESULTS}: {error}"))?;
    let summary = &file.summary;
    let ran = summary.passed.saturating_add(summary.failed);
    let rate = || if ran == 0 { 0.0 } else { summary.passed as f64 * 100.0 / ran as f64 };
    let failed = || {
        let tests = file.by_suite.iter().flat_map(|suite| &suite.tests);
        tests.filter(|test| test.status.starts_with("fail")).map(|test| test.name.clone()).collect()
    };
    let covered = |of: fn(&Coverage) -> Option<f64>| {
        file.coverage.as_ref().and_then(of).map(|share| share.clamp(0.0, 100.0))
    };
    Ok(TestResults {
        iteration: file.iteration,
        round: file.round,
        pass_rate: summary.pass_rate.unwrap_or_else(rate).clamp(0.0, 100.0),
        coverage: covered(|coverage| coverage.lines),
        branches: covered(|coverage| coverage.branches),
        functions: covered(|coverage| coverage.functions),
        failed_tests: file.failed_tests.clone().unwrap_or_else(failed),
        total_tests: summary.total,
        passed_tests: summary.passed,
        skipped_tests: summary.skipped,
        duration_ms: summary.duration_ms,
        last_run: moment(&file.timestamp).unwrap_or_default(),
        version: file.version,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn results() -> TestResults {
        TestResults {
            version: "1.0.0".to_owned(),
            iteration: 1,
            round: 3,
            pass_rate: 100.0 / 3.0,
            coverage: Some(78.0),
            branches: Some(200.0 / 3.0),
            functions: None,
            failed_tests: vec!["test: OAuth timeout retry".to_owned()],
            total_tests: 20,
            passed_tests: 16,
            skipped_tests: 1,
            duration_ms: 1234,
            last_run: moment("2026-01-22T10:30:00+08:00").unwrap(),
        }
    }

    #[test]
    fn they_read_back_as_they_were_written() {
        let unknown = TestResults { coverage: None, branches: None, failed_tests: Vec::new(), ..results() };
        for known in [results(), unknown] {
            assert_eq!(read_results(&results_file(&known, &[], Zone::default())).unwrap(), known);
        }
    }

    #[test]
    fn a_suite_has_its_number_and_its_tests_under_two_names() {
        let check = CheckResult {
            name: "unit".to_owned(),
            passed: false,
            exit_code: Some(1),
            timed_out: false,
            duration_ms: 5,
            tail: String::new(),
        };
        let file: serde_json::Value =
            serde_json::from_slice(&results_file(&results(), &[check], Zone::default())).unwrap();
        assert_eq!(file["by_suite"][0]["total"], 1);
        assert_eq!(file["by_suite"][0]["tests"][0]["status"], "failed");
        assert_eq!(file["summary"]["failed"], 3);
        assert_eq!(file["coverage"]["lines"], 78);
    }

    #[test]
    fn results_of_another_tool_are_understood() {
        let theirs = br#"{"version": "1.1.0", "timestamp": "2026-01-22T02:30:00Z", "iteration": 2,
            "summary": {"total": 4, "passed": 2, "failed": 2, "skipped": 0},
            "by_suite": [{"suite": "a", "tests": 3, "passed": 2, "failed": 1},
                         {"suite": "b", "tests": [{"name": "t1", "status": "failed"}, {"name": "t2", "status": "passed"}]}],
            "coverage": {"lines": "81.5%", "branches": 70, "by_file": []}}"#;
        let read = read_results(theirs).unwrap();
        assert_eq!((read.pass_rate, read.coverage, read.branches), (50.0, Some(81.5), Some(70.0)));
        assert_eq!(read.failed_tests, ["t1"]);
        assert_eq!(read.last_run, results().last_run);
        assert!(read_results(b"{}").is_err());
    }
}
