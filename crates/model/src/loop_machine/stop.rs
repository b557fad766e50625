//! Stop conditions: sixteen kinds, nested at will, in three lists. Failure is judged first, then success, then the rest.
//!
//! Pure: what has to be looked up outside the journal (files, output, scripts) was looked up by the last round of
//! checks, and is found there by its label.

use serde::{Deserialize, Serialize};

use super::facts::{AttemptOutcome, CheckRound};
use super::state::State;
use super::tracker::TestStatus;
use std::collections::BTreeMap;

/// Deepest nesting.
pub const STOP_DEPTH_MAX: usize = 8;

/// A reason to stop.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum StopCondition {
    /// So many iterations have a verdict.
    MaxIterations {
        /// How many.
        count: u32,
    },
    /// So much working time has passed.
    MaxDuration {
        /// How much.
        duration_ms: u64,
    },
    /// A check or test failed in so many iterations in a row.
    TestFailureStreak {
        /// How many.
        count: u32,
    },
    /// Tests ran, and none failed.
    AllTestsPass {},
    /// These tests pass.
    SpecificTestsPass {
        /// Their names, or the ends of them.
        tests: Vec<String>,
    },
    /// Nothing that matters changed in so many iterations in a row.
    NoProgress {
        /// How many.
        iterations: u32,
    },
    /// A path in the work tree exists.
    FileCreated {
        /// Which.
        path: String,
    },
    /// A file in the work tree holds a text.
    FileContains {
        /// Which file.
        path: String,
        /// Which text.
        content: String,
    },
    /// The agent's last output holds a text.
    OutputPattern {
        /// The text, or a regular expression.
        pattern: String,
        /// It is a regular expression.
        #[serde(default)]
        is_regex: bool,
    },
    /// The last attempt failed.
    OnError {
        /// With this in its message, whatever the case; with anything without it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pattern: Option<String>,
    },
    /// A program exits with 0.
    CustomScript {
        /// The program.
        script: String,
        /// Its arguments.
        #[serde(default)]
        args: Vec<String>,
    },
    /// A person asked to stop.
    UserSignal {},
    /// All of these.
    All {
        /// Which.
        conditions: Vec<StopCondition>,
    },
    /// One of these.
    Any {
        /// Which.
        conditions: Vec<StopCondition>,
    },
    /// Not this.
    Not {
        /// What.
        condition: Box<StopCondition>,
    },
    /// In no case.
    Never {},
}

/// A condition, and what people call it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NamedStop {
    /// Its name; otherwise it is called by what it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The condition.
    pub condition: StopCondition,
}

/// The three lists.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StopLists {
    /// One of these completes the run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub success: Vec<NamedStop>,
    /// One of these fails it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failure: Vec<NamedStop>,
    /// One of these stops it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<NamedStop>,
}

/// What a condition that needed a look outside said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StopResult {
    /// The condition, as [`StopCondition::label`] names it.
    pub label: String,
    /// Whether it holds.
    pub met: bool,
    /// The look took too long, and so it counts as not met.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub timed_out: bool,
}

/// What a list says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopVerdict {
    /// The run failed.
    Failure,
    /// The run is complete.
    Success,
    /// The run stops.
    Stop,
}

impl NamedStop {
    /// What it is called.
    pub fn label(&self) -> String {
        self.name.clone().unwrap_or_else(|| self.condition.label())
    }
}

impl StopLists {
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Every condition of the lists.
    pub fn all(&self) -> impl Iterator<Item = &NamedStop> {
        self.failure.iter().chain(&self.success).chain(&self.conditions)
    }
}

impl StopCondition {
    /// What it is, on one line.
    pub fn label(&self) -> String {
        let several = |word: &str, conditions: &[StopCondition]| {
            let labels: Vec<_> = conditions.iter().map(StopCondition::label).collect();
            format!("{word}({})", labels.join(", "))
        };
        match self {
            Self::MaxIterations { count } => format!("max_iterations({count})"),
            Self::MaxDuration { duration_ms } => format!("max_duration({} s)", duration_ms / 1000),
            Self::TestFailureStreak { count } => format!("test_failure_streak({count})"),
            Self::AllTestsPass {} => "all_tests_pass".to_owned(),
            Self::SpecificTestsPass { tests } => format!("specific_tests_pass({})", tests.join(", ")),
            Self::NoProgress { iterations } => format!("no_progress({iterations})"),
            Self::FileCreated { path } => format!("file_created({path})"),
            Self::FileContains { path, content } => format!("file_contains({path}: {content})"),
            Self::OutputPattern { pattern, is_regex: false } => format!("output_pattern({pattern})"),
            Self::OutputPattern { pattern, is_regex: true } => format!("output_pattern(/{pattern}/)"),
            Self::OnError { pattern: None } => "on_error".to_owned(),
            Self::OnError { pattern: Some(pattern) } => format!("on_error({pattern})"),
            Self::CustomScript { script, args } => {
                let words: Vec<_> = [script].into_iter().chain(args).map(String::as_str).collect();
                format!("custom_script({})", words.join(" "))
            }
            Self::UserSignal {} => "user_signal".to_owned(),
            Self::All { conditions } => several("all", conditions),
            Self::Any { conditions } => several("any", conditions),
            Self::Not { condition } => format!("not({})", condition.label()),
            Self::Never {} => "never".to_owned(),
        }
    }

    /// Of several that are met, the highest is named.
    pub fn priority(&self) -> u8 {
        match self {
            Self::OnError { .. } => 100,
            Self::UserSignal {} => 90,
            Self::MaxIterations { .. } | Self::MaxDuration { .. } => 80,
            Self::TestFailureStreak { .. } | Self::NoProgress { .. } => 70,
            Self::AllTestsPass {} | Self::SpecificTestsPass { .. } => 60,
            Self::OutputPattern { .. } => 50,
            Self::FileCreated { .. } | Self::FileContains { .. } => 40,
            Self::CustomScript { .. } => 30,
            Self::All { .. } | Self::Any { .. } => 20,
            Self::Not { .. } => 10,
            Self::Never {} => 0,
        }
    }

    /// The conditions in it that have to be looked up outside the journal.
    pub fn probes<'a>(&'a self, found: &mut Vec<&'a StopCondition>) {
        match self {
            Self::FileCreated { .. }
            | Self::FileContains { .. }
            | Self::OutputPattern { .. }
            | Self::CustomScript { .. } => found.push(self),
            Self::All { conditions } | Self::Any { conditions } => {
                conditions.iter().for_each(|condition| condition.probes(found));
            }
            Self::Not { condition } => condition.probes(found),
            Self::MaxIterations { .. }
            | Self::MaxDuration { .. }
            | Self::TestFailureStreak { .. }
            | Self::AllTestsPass {}
            | Self::SpecificTestsPass { .. }
            | Self::NoProgress { .. }
            | Self::OnError { .. }
            | Self::UserSignal {}
            | Self::Never {} => {}
        }
    }

    /// How deep it is nested.
    pub fn depth(&self) -> usize {
        match self {
            Self::All { conditions } | Self::Any { conditions } => {
                1 + conditions.iter().map(StopCondition::depth).max().unwrap_or(0)
            }
            Self::Not { condition } => 1 + condition.depth(),
            _ => 1,
        }
    }
}

/// How far each condition of the lists has come, from 0 to 1.
pub fn stop_progress(state: &State) -> BTreeMap<String, f64> {
    state.config.stop.all().map(|named| (named.label(), progress(state, &named.condition))).collect()
}

/// Which list says that the run is over, and the condition that says so.
pub(super) fn verdict(state: &State) -> Option<(StopVerdict, String)> {
    let lists = &state.config.stop;
    let in_order = [
        (StopVerdict::Failure, &lists.failure),
        (StopVerdict::Success, &lists.success),
        (StopVerdict::Stop, &lists.conditions),
    ];
    in_order.into_iter().find_map(|(verdict, list)| {
        let met = list.iter().filter(|named| is_met(state, &named.condition));
        // Of equals the first.
        let named = met.rev().max_by_key(|named| named.condition.priority())?;
        Some((verdict, named.label()))
    })
}

/// Whether it holds now.
pub fn is_met(state: &State, condition: &StopCondition) -> bool {
    let counters = &state.counters;
    match condition {
        StopCondition::MaxIterations { count } => counters.iterations >= *count,
        StopCondition::MaxDuration { duration_ms } => counters.working_ms >= *duration_ms,
        StopCondition::TestFailureStreak { count } => failure_streak(state) >= *count,
        StopCondition::NoProgress { iterations } => counters.no_progress_in_a_row >= *iterations,
        StopCondition::AllTestsPass {} => all_tests_pass(state),
        StopCondition::SpecificTestsPass { tests } => tests.iter().all(|name| test_passes(state, name)),
        StopCondition::OnError { pattern } => failed_with(state, pattern.as_deref()),
        StopCondition::UserSignal {} => state.requests.stop.is_some(),
        StopCondition::All { conditions } => {
            !conditions.is_empty() && conditions.iter().all(|inner| is_met(state, inner))
        }
        StopCondition::Any { conditions } => conditions.iter().any(|inner| is_met(state, inner)),
        StopCondition::Not { condition } => !is_met(state, condition),
        StopCondition::Never {} => false,
        StopCondition::FileCreated { .. }
        | StopCondition::FileContains { .. }
        | StopCondition::OutputPattern { .. }
        | StopCondition::CustomScript { .. } => looked_up(state, condition),
    }
}

fn progress(state: &State, condition: &StopCondition) -> f64 {
    let share = |part: u64, whole: u64| if whole == 0 { 1.0 } else { (part as f64 / whole as f64).min(1.0) };
    let counters = &state.counters;
    match condition {
        StopCondition::MaxIterations { count } => share(counters.iterations.into(), (*count).into()),
        StopCondition::MaxDuration { duration_ms } => share(counters.working_ms, *duration_ms),
        StopCondition::TestFailureStreak { count } => share(failure_streak(state).into(), (*count).into()),
        StopCondition::NoProgress { iterations } => {
            share(counters.no_progress_in_a_row.into(), (*iterations).into())
        }
        StopCondition::AllTestsPass {} => match counted_tests(state) {
            Some((_, 0)) => 0.0,
            Some((passed, ran)) => share(passed, ran),
            None => 0.0,
        },
        StopCondition::SpecificTestsPass { tests } => {
            let passing = tests.iter().filter(|name| test_passes(state, name)).count();
            share(passing as u64, tests.len() as u64)
        }
        StopCondition::All { conditions } => {
            let sum: f64 = conditions.iter().map(|inner| progress(state, inner)).sum();
            if conditions.is_empty() { 0.0 } else { sum / conditions.len() as f64 }
        }
        StopCondition::Any { conditions } => {
            conditions.iter().map(|inner| progress(state, inner)).fold(0.0, f64::max)
        }
        other => f64::from(u8::from(is_met(state, other))),
    }
}

/// Iterations in a row with a failing check; the round before the first is none.
fn failure_streak(state: &State) -> u32 {
    state.counters.red_in_a_row.min(state.counters.iterations)
}

fn all_tests_pass(state: &State) -> bool {
    let green = state.seen.checks.as_ref().is_some_and(CheckRound::all_pass);
    green && counted_tests(state).is_some_and(|(passed, ran)| passed > 0 && passed == ran)
}

/// Tests that passed, and that ran: as their runners count them, else the checks themselves.
fn counted_tests(state: &State) -> Option<(u64, u64)> {
    let round = state.seen.checks.as_ref()?;
    match round.measures.tests {
        Some(tests) if tests.complete => Some((tests.passed, tests.passed + tests.failed)),
        // A run that was cut off proves nothing about the rest.
        Some(tests) => Some((tests.passed, tests.passed + tests.failed + 1)),
        None => Some((round.passed() as u64, round.checks.len() as u64)),
    }
}

/// A named test, or a check of that name.
fn test_passes(state: &State, name: &str) -> bool {
    let is_check = |round: &CheckRound| round.checks.iter().any(|check| check.name == *name && check.passed);
    state.seen.tests.passes(name) || state.seen.checks.as_ref().is_some_and(is_check)
}

fn failed_with(state: &State, pattern: Option<&str>) -> bool {
    let Some(last) = state.judged.recent.back().filter(|last| !last.skipped) else { return false };
    let failed =
        matches!(last.outcome, AttemptOutcome::Failed | AttemptOutcome::TimedOut | AttemptOutcome::Hung);
    let message = last.message.as_deref().unwrap_or_default().to_lowercase();
    failed && pattern.is_none_or(|pattern| message.contains(&pattern.to_lowercase()))
}

fn looked_up(state: &State, condition: &StopCondition) -> bool {
    let label = condition.label();
    let round = state.seen.checks.as_ref();
    round.is_some_and(|round| round.stops.iter().any(|result| result.label == label && result.met))
}

/// Tests by name that fail now, for people and prompts.
pub fn failing_tests(state: &State) -> Vec<String> {
    state.seen.tests.named(TestStatus::Failing).cloned().collect()
}
