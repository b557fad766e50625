//! What a prompt can speak of: the builtins, and the variables of the user.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

/// What is known of a run when a prompt is rendered. What is not known is absent, never zero.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts {
    pub run_id: String,
    /// The iteration, from 1.
    pub iteration: u32,
    /// How many there may be; 0 means no limit.
    pub total_iterations: u32,
    pub attempt: u32,
    /// The conversation it has, where that is known before.
    pub session_id: Option<String>,
    /// Now, in milliseconds since the Unix epoch.
    pub now_millis: Option<i64>,
    /// Where the agent works.
    pub working_dir: String,
    /// The branch it works on.
    pub git_branch: Option<String>,
    /// The commit that branch is at.
    pub git_commit: Option<String>,
    /// How the last iteration went.
    pub last_result: Option<LastResult>,
    /// The checks, with their last verdicts.
    pub checks: Vec<CheckFact>,
    /// Tests that fail, by name.
    pub failing_tests: Vec<String>,
    /// What agents wanted remembered.
    pub notes: Vec<NoteFact>,
    /// What is done, by the agents' account.
    pub objectives_completed: Vec<String>,
    /// What is left, likewise.
    pub objectives_pending: Vec<String>,
    /// Files the run has changed.
    pub modified_files: Vec<String>,
    /// Values kept with the run.
    pub custom: BTreeMap<String, Value>,
    /// Variables of the user. They win over everything else.
    pub variables: BTreeMap<String, Value>,
}

/// How the last iteration went.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LastResult {
    /// Its agent succeeded and every check passes.
    pub success: bool,
    pub files_changed: Vec<String>,
    pub tests_passed: Option<u64>,
    /// Tests that did not.
    pub tests_failed: Option<u64>,
    /// What its agent says it did.
    pub summary: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CheckFact {
    pub name: String,
    /// What is run.
    pub command: String,
    /// Whether it passed when it was last run.
    pub passed: Option<bool>,
    /// The end of what it printed when it failed.
    pub output: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NoteFact {
    /// The iteration whose agent made it.
    pub iteration: u32,
    /// Decision or finding.
    pub kind: String,
    /// The note, as the agent wrote it.
    pub text: String,
}

impl Facts {
    /// The builtins by name. All names are always there: what is not known is null.
    pub(crate) fn builtins(&self) -> Map<String, Value> {
        let now = self.now_millis.and_then(|millis| jiff::Timestamp::from_millisecond(millis).ok());
        let format = |pattern: &str| now.map(|now| now.strftime(pattern).to_string());
        let checks: Vec<Value> = self.checks.iter().map(CheckFact::value).collect();
        let failing = self.checks.iter().filter(|check| check.passed == Some(false)).map(CheckFact::value);
        let builtins = json!({
            "iteration": self.iteration,
            "total_iterations": self.total_iterations,
            "max_iterations": self.total_iterations,
            "attempt": self.attempt,
            "loop_id": self.run_id,
            "run_id": self.run_id,
            "session_id": self.session_id,
            "timestamp": format("%Y-%m-%dT%H:%M:%SZ"),
            "date": format("%Y-%m-%d"),
            "time": format("%H:%M:%S"),
            "working_dir": self.working_dir,
            "git_branch": self.git_branch,
            "git_commit": self.git_commit,
            "last_result": self.last_result.as_ref().map(LastResult::value),
            "checks": checks,
            "failing_checks": failing.collect::<Vec<_>>(),
            "failing_tests": self.failing_tests,
            "notes": self.notes.iter().map(NoteFact::value).collect::<Vec<_>>(),
            "objectives": { "completed": self.objectives_completed, "pending": self.objectives_pending },
            "modified_files": self.modified_files,
            "custom": self.custom,
        });
        match builtins {
            Value::Object(builtins) => builtins,
            _ => Map::new(),
        }
    }
}

impl LastResult {
    /// The names in it, for a first iteration that has none of them.
    pub(crate) const NAMES: [&'static str; 5] =
        ["success", "files_changed", "tests_passed", "tests_failed", "summary"];

    fn value(&self) -> Value {
        json!({
            "success": self.success,
            "files_changed": self.files_changed,
            "tests_passed": self.tests_passed,
            "tests_failed": self.tests_failed,
            "summary": self.summary,
        })
    }
}

impl CheckFact {
    fn value(&self) -> Value {
        json!({ "name": self.name, "command": self.command, "passed": self.passed, "output": self.output })
    }
}

impl NoteFact {
    fn value(&self) -> Value {
        json!({ "iteration": self.iteration, "kind": self.kind, "text": self.text })
    }
}
