//! Reading a loop that another tool began: the published format 2.x, the camelCase of the original tool, and its
//! single loop from before there were several.
//!
//! Reading is lenient about everything that a new run does not need: a field that is absent, null or of another type is
//! not known. A newer version is refused. Nothing is written here and nothing is decided.

use piton_model::loop_machine::{Earlier, Level};
use piton_model::{RunId, Timestamp};
use serde_json::{Map, Value};

use crate::proof;

/// The version of the format that is read.
const MAJOR: u64 = 2;

/// A loop that another tool began.
#[derive(Clone, Debug, PartialEq)]
pub struct Adopted {
    /// What was asked for.
    pub task: String,
    /// Iterations that were finished.
    pub iterations: u32,
    /// Iterations that were allowed.
    pub max_iterations: Option<u32>,
    /// What it has used.
    pub totals: Totals,
    /// When it began.
    pub started_at: Option<Timestamp>,
    /// How firmly its prompts spoke.
    pub level: Option<Level>,
    /// What it put on record: its histories, its best iteration and the numbers it began with.
    pub earlier: Earlier,
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
    Version { found: String },
}

/// Reads the state of a loop, whoever wrote it.
pub fn parse(bytes: &[u8]) -> Result<Adopted, ParseError> {
    let value: Value = serde_json::from_slice(bytes)?;
    let Value::Object(members) = &value else { return Err(ParseError::Missing { missing: "members" }) };
    let fields = Fields(members);
    let is_published = fields.text("loop_id").is_some() || fields.object("configuration").is_some();
    check_version(members.get("version"), is_published)?;
    if is_published { published(&fields) } else { original(&fields) }
}

/// The run that a file is a view of, where it proves itself one of ours.
pub fn run_of(bytes: &[u8]) -> Option<RunId> {
    proof::own::<Own>(bytes).map(|own| own.run_id)
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
    let counted = metrics.count("total_iterations").or(fields.count("iteration"));
    Ok(Adopted {
        task: fields.text("task").ok_or(ParseError::Missing { missing: "task" })?,
        iterations: counted.unwrap_or(0).max(last_number(fields.list("iteration_history"))),
        max_iterations: configuration.count("max_iterations"),
        totals: Totals {
            successful: metrics.whole("successful_iterations"),
            failed: metrics.whole("failed_iterations"),
            tokens: metrics.whole("total_tokens"),
            cost_usd: metrics.amount("total_cost_usd"),
            duration_seconds: metrics.whole("total_duration_seconds"),
        },
        started_at: fields.moment("started_at"),
        level: fields.text("reinforcement_level").and_then(|word| Level::from_word(&word.to_lowercase())),
        earlier: Earlier {
            iterations: fields.list("iteration_history").to_vec(),
            regressions: fields.list("regression_events").to_vec(),
            recoveries: fields.list("recovery_history").to_vec(),
            levels: fields.list("reinforcement_history").to_vec(),
            patterns: fields.list("detected_patterns").to_vec(),
            best: fields.object("best_iteration").cloned().map(Value::Object),
            baseline: fields.object("baseline_metrics").cloned().map(Value::Object),
            recovery_attempts: fields.count("recovery_attempts"),
            detection: fields.object("persistence_metrics").cloned().map(Value::Object),
            ..Earlier::default()
        },
    })
}

fn original(fields: &Fields<'_>) -> Result<Adopted, ParseError> {
    if fields.0.get("currentIteration").is_none() && fields.0.get("maxIterations").is_none() {
        return Err(ParseError::Missing { missing: "`loop_id` and no `currentIteration`" });
    }
    let task = fields.text("task").or(fields.text("objective"));
    let counted = fields.count("currentIteration").unwrap_or(0);
    Ok(Adopted {
        task: task.ok_or(ParseError::Missing { missing: "task" })?,
        iterations: counted.max(last_number(fields.list("iterations"))),
        max_iterations: fields.count("maxIterations"),
        totals: Totals::default(),
        started_at: fields.moment("startedAt").or(fields.moment("startTime")),
        level: None,
        earlier: Earlier::default(),
    })
}

/// The number of the last iteration on record.
fn last_number(iterations: &[Value]) -> u32 {
    let number = |entry: &Value| {
        let fields = Fields(entry.as_object()?);
        fields.count("iteration").or(fields.count("number"))
    };
    iterations.iter().filter_map(number).max().unwrap_or(0)
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

    fn moment(&self, name: &str) -> Option<Timestamp> {
        self.0.get(name)?.as_str()?.parse().ok()
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

    fn object(&self, name: &str) -> Option<&'a Map<String, Value>> {
        self.0.get(name)?.as_object()
    }

    fn list(&self, name: &str) -> &'a [Value] {
        self.0.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }
}
