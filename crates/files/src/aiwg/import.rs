//! Reading a loop that another tool began: the published format 2.x, the camelCase of the original tool, and its
//! single loop from before there were several.
//!
//! Reading is lenient about everything that a new run does not need: a field that is absent, null or of another type is
//! not known. A newer version is refused. Nothing is written here and nothing is decided.

use std::path::{Path, PathBuf};

use piton_model::{RunId, Timestamp};
use serde_json::{Map, Value};

use super::place::{home, iteration_number, loops};
use crate::place::check;
use crate::proof;

/// The version of the format that is read.
const MAJOR: u64 = 2;

/// Who wrote a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The published format, snake_case.
    Published,
    /// The original tool, camelCase, one of several loops.
    Original,
    /// The original tool's single loop.
    Legacy,
}

/// A loop that another tool began.
#[derive(Clone, Debug, PartialEq)]
pub struct Adopted {
    /// Who wrote it.
    pub origin: Origin,
    /// Its id there.
    pub loop_id: Option<String>,
    /// The run of piton's that the file is a view of, where it proves itself one: there is nothing to adopt then.
    pub run: Option<RunId>,
    /// What was asked for.
    pub task: String,
    /// When it is done.
    pub completion_criteria: Option<String>,
    /// Where it is, in the words of its writer.
    pub status: Option<String>,
    /// Iterations that were finished.
    pub iterations: u32,
    /// Iterations that were allowed.
    pub max_iterations: Option<u32>,
    /// Minutes that were allowed.
    pub timeout_minutes: Option<u64>,
    /// When it began.
    pub started_at: Option<Timestamp>,
    /// When it was last changed.
    pub last_updated: Option<Timestamp>,
    /// What it has used.
    pub totals: Totals,
    /// The best iteration, by its writer's account.
    pub best: Option<AdoptedBest>,
    /// Its iterations, oldest first.
    pub history: Vec<AdoptedIteration>,
    /// What its agents learned.
    pub learnings: Vec<String>,
    /// Regressions on record.
    pub regressions: usize,
    /// How firmly prompts spoke.
    pub reinforcement_level: Option<String>,
}

/// What a loop has used. Absent means unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Totals {
    /// Iterations that succeeded.
    pub successful: Option<u64>,
    /// Iterations that failed.
    pub failed: Option<u64>,
    /// Tokens.
    pub tokens: Option<u64>,
    /// Dollars.
    pub cost_usd: Option<f64>,
    /// Seconds.
    pub duration_seconds: Option<u64>,
}

/// The best iteration of a loop.
#[derive(Clone, Debug, PartialEq)]
pub struct AdoptedBest {
    /// Which.
    pub iteration: u32,
    /// How good it is, 0 to 100.
    pub quality_score: Option<f64>,
    /// Why.
    pub reason: Option<String>,
}

/// An iteration of a loop.
#[derive(Clone, Debug, PartialEq)]
pub struct AdoptedIteration {
    /// Its number, from 1.
    pub number: u32,
    /// When it was finished.
    pub at: Option<Timestamp>,
    /// How good it is, 0 to 100.
    pub quality_score: Option<f64>,
    /// Whether it was verified.
    pub verified: Option<bool>,
    /// Whether something got worse.
    pub regressed: Option<bool>,
    /// What was done.
    pub action: Option<String>,
    /// What came of it.
    pub result: Option<String>,
    /// What was learned.
    pub learnings: Option<String>,
}

/// The bytes are not such a loop.
#[derive(Debug, thiserror::Error)]
pub enum ParseError {
    /// Not JSON.
    #[error("not a loop state")]
    Shape(#[from] serde_json::Error),
    /// JSON, but without what every loop has.
    #[error("not a loop state: it has no {missing}")]
    Missing {
        /// What it does not have.
        missing: &'static str,
    },
    /// Written by something newer.
    #[error("version `{found}` cannot be read: expected 2.x of the format, or 1.x of the original tool")]
    Version {
        /// The version found.
        found: String,
    },
}

/// Reads the state of a loop, whoever wrote it.
pub fn parse(bytes: &[u8]) -> Result<Adopted, ParseError> {
    let value: Value = serde_json::from_slice(bytes)?;
    let Value::Object(members) = &value else { return Err(ParseError::Missing { missing: "members" }) };
    let fields = Fields(members);
    let is_published = fields.text("loop_id").is_some() || fields.object("configuration").is_some();
    check_version(members.get("version"), is_published)?;
    let mut adopted = if is_published { published(&fields)? } else { original(&fields)? };
    adopted.run = proof::own::<Own>(bytes).map(|own| own.run_id);
    Ok(adopted)
}

/// Reads the file of one iteration, whoever wrote it.
pub fn parse_iteration(bytes: &[u8]) -> Result<AdoptedIteration, ParseError> {
    let value: Value = serde_json::from_slice(bytes)?;
    value.as_object().and_then(iteration).ok_or(ParseError::Missing { missing: "number of an iteration" })
}

/// A state that could be adopted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The state.
    pub state: PathBuf,
    /// The files of its iterations, oldest first.
    pub iterations: Vec<PathBuf>,
}

/// The states that lie in a repository where the format and its predecessor keep them; links are not followed.
pub fn candidates(root: &Path) -> Vec<Candidate> {
    let is_directory = |path: &Path| check(path).is_ok();
    let home = home(root);
    if !is_directory(&home) {
        return Vec::new();
    }
    let entries = |path: &Path| {
        let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
        let mut paths: Vec<_> = entries.map(|entry| entry.path()).collect();
        paths.sort();
        paths
    };
    let mut places = vec![(home.join("current-loop.json"), home.join("iterations"))];
    if is_directory(&loops(root)) {
        let loops = entries(&loops(root)).into_iter().filter(|path| is_directory(path));
        places.extend(loops.map(|path| (path.join("state.json"), path.join("iterations"))));
    }
    places.retain(|(state, _)| state.symlink_metadata().is_ok_and(|found| found.is_file()));
    let files = |directory: &Path| {
        let files = if is_directory(directory) { entries(directory) } else { Vec::new() };
        let numbered = files.into_iter().filter_map(|path| {
            let number = iteration_number(path.file_name()?.to_str()?)?;
            path.symlink_metadata().is_ok_and(|found| found.is_file()).then_some((number, path))
        });
        let mut numbered: Vec<_> = numbered.collect();
        numbered.sort();
        numbered.into_iter().map(|(_, path)| path).collect()
    };
    places.into_iter().map(|(state, directory)| Candidate { state, iterations: files(&directory) }).collect()
}

#[derive(serde::Deserialize)]
struct Own {
    run_id: RunId,
}

fn check_version(version: Option<&Value>, is_published: bool) -> Result<(), ParseError> {
    let found = match version {
        // The original tool does not number its states; the format always does.
        None | Some(Value::Null) if !is_published => return Ok(()),
        None => return Err(ParseError::Missing { missing: "version" }),
        Some(Value::String(version)) => version.clone(),
        Some(other) => other.to_string(),
    };
    let major = found.split('.').next().and_then(|major| major.parse::<u64>().ok());
    let is_known = major.is_some_and(|major| if is_published { major == MAJOR } else { major <= MAJOR });
    if is_known { Ok(()) } else { Err(ParseError::Version { found }) }
}

fn published(fields: &Fields<'_>) -> Result<Adopted, ParseError> {
    let none = Map::new();
    let part = |name| Fields(fields.object(name).unwrap_or(&none));
    let (metrics, configuration) = (part("metrics"), part("configuration"));
    let history = iterations(fields.list("iteration_history"));
    let best = fields.object("best_iteration").map(Fields).and_then(|best| {
        Some(AdoptedBest {
            iteration: best.count("iteration").filter(|number| *number > 0)?,
            quality_score: best.score("quality_score"),
            reason: best.text("selection_reason"),
        })
    });
    let counted = metrics.count("total_iterations").or(fields.count("iteration"));
    Ok(Adopted {
        origin: Origin::Published,
        loop_id: fields.text("loop_id"),
        run: None,
        task: fields.text("task").ok_or(ParseError::Missing { missing: "task" })?,
        completion_criteria: fields.text("completion_criteria"),
        status: fields.text("status"),
        iterations: counted.unwrap_or(0).max(last_number(&history)),
        max_iterations: configuration.count("max_iterations"),
        timeout_minutes: configuration.whole("timeout_minutes"),
        started_at: fields.time("started_at"),
        last_updated: fields.time("last_updated"),
        totals: Totals {
            successful: metrics.whole("successful_iterations"),
            failed: metrics.whole("failed_iterations"),
            tokens: metrics.whole("total_tokens"),
            cost_usd: metrics.amount("total_cost_usd"),
            duration_seconds: metrics.whole("total_duration_seconds"),
        },
        best,
        history,
        learnings: Vec::new(),
        regressions: fields.list("regression_events").len(),
        reinforcement_level: fields.text("reinforcement_level"),
    })
}

fn original(fields: &Fields<'_>) -> Result<Adopted, ParseError> {
    if fields.0.get("currentIteration").is_none() && fields.0.get("maxIterations").is_none() {
        return Err(ParseError::Missing { missing: "`loop_id` and no `currentIteration`" });
    }
    let loop_id = fields.text("loopId");
    let history = iterations(fields.list("iterations"));
    let task = fields.text("task").or(fields.text("objective"));
    let mut learnings: Vec<_> = history.iter().filter_map(|iteration| iteration.learnings.clone()).collect();
    let last = fields.text("learnings").or(fields.text("accumulatedLearnings"));
    learnings.extend(last.filter(|last| !learnings.contains(last)));
    Ok(Adopted {
        origin: if loop_id.is_some() { Origin::Original } else { Origin::Legacy },
        loop_id,
        run: None,
        task: task.ok_or(ParseError::Missing { missing: "task" })?,
        completion_criteria: fields.text("completion").or(fields.text("completionCriteria")),
        status: fields.text("status"),
        iterations: fields.count("currentIteration").unwrap_or(0).max(last_number(&history)),
        max_iterations: fields.count("maxIterations"),
        timeout_minutes: fields.whole("timeoutMinutes"),
        started_at: fields.time("startTime"),
        last_updated: fields.time("lastUpdate"),
        totals: Totals::default(),
        best: None,
        history,
        learnings,
        regressions: 0,
        reinforcement_level: None,
    })
}

fn iterations(entries: &[Value]) -> Vec<AdoptedIteration> {
    entries.iter().filter_map(|entry| iteration(entry.as_object()?)).collect()
}

fn iteration(members: &Map<String, Value>) -> Option<AdoptedIteration> {
    let fields = Fields(members);
    let number = fields.count("iteration").or(fields.count("number")).filter(|number| *number > 0)?;
    Some(AdoptedIteration {
        number,
        at: fields.time("timestamp"),
        quality_score: fields.score("quality_score"),
        verified: fields.0.get("verified").and_then(Value::as_bool),
        regressed: fields.0.get("regression_detected").and_then(Value::as_bool),
        action: fields.text("action"),
        result: fields.text("result").or(fields.text("status")),
        learnings: fields.text("learnings"),
    })
}

fn last_number(history: &[AdoptedIteration]) -> u32 {
    history.iter().map(|iteration| iteration.number).max().unwrap_or(0)
}

/// Fields that may be absent, null or something else.
struct Fields<'a>(&'a Map<String, Value>);

impl<'a> Fields<'a> {
    /// Words; several are one text.
    fn text(&self, name: &str) -> Option<String> {
        let text = match self.0.get(name)? {
            Value::String(text) => text.clone(),
            Value::Array(items) => items.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("\n"),
            _ => return None,
        };
        (!text.trim().is_empty()).then_some(text)
    }

    fn whole(&self, name: &str) -> Option<u64> {
        self.0.get(name)?.as_u64()
    }

    fn count(&self, name: &str) -> Option<u32> {
        self.whole(name).map(|number| u32::try_from(number).unwrap_or(u32::MAX))
    }

    fn amount(&self, name: &str) -> Option<f64> {
        self.0.get(name)?.as_f64().filter(|amount| *amount >= 0.0)
    }

    fn score(&self, name: &str) -> Option<f64> {
        self.amount(name).filter(|score| *score <= 100.0)
    }

    fn time(&self, name: &str) -> Option<Timestamp> {
        self.0.get(name)?.as_str()?.parse().ok()
    }

    fn object(&self, name: &str) -> Option<&'a Map<String, Value>> {
        self.0.get(name)?.as_object()
    }

    fn list(&self, name: &str) -> &'a [Value] {
        self.0.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }
}
