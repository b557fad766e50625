//! Reading a loop that another tool began: the published format 2.x, the camelCase of the original tool, and its
//! single loop from before there were several.
//!
//! What is taken over of the published format fits its schema, or is refused with everything that does not; what is not taken
//! over may say anything. Of the original tool, which has no schema, a field that is absent or of another type is not
//! known. A newer version is refused. Nothing is written here and nothing is decided.

use std::sync::LazyLock;

use piton_model::ledger::Moment;
use piton_model::loop_machine::{Earlier, Level};
use piton_model::{RunId, Timestamp};
use serde_json::{Map, Value, json};

use crate::door::{Door, Unfit, only};
use crate::proof;
use crate::shape::COUNTER_MAX;

/// The version of the format that is read.
const MAJOR: u64 = 2;

/// A loop that another tool began.
#[derive(Clone, Debug, PartialEq)]
pub struct Adopted {
    /// What was asked for, where it says so.
    pub task: Option<String>,
    /// Iterations that were finished.
    pub iterations: u32,
    /// Iterations that were allowed.
    pub max_iterations: Option<u32>,
    /// Minutes that were allowed.
    pub timeout_minutes: Option<u64>,
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
    /// Of the format, but with values that it does not allow.
    #[error("not a loop state of version {MAJOR}: {0}")]
    Unfit(Unfit),
}

/// Reads the state of a loop, whoever wrote it.
pub fn parse(bytes: &[u8]) -> Result<Adopted, ParseError> {
    adopt(serde_json::from_slice(bytes)?)
}

/// The loop that `value` is, whoever wrote it.
pub fn adopt(value: Value) -> Result<Adopted, ParseError> {
    let Value::Object(members) = &value else { return Err(ParseError::Missing { missing: "members" }) };
    let fields = Fields(members);
    let is_published = fields.text("loop_id").is_some() || fields.object("configuration").is_some();
    check_version(members.get("version"), is_published)?;
    if is_published { published(value) } else { original(value) }
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

static PUBLISHED: LazyLock<Door> = LazyLock::new(|| Door::new(published_schema()));
static ORIGINAL: LazyLock<Door> = LazyLock::new(|| Door::new(original_schema()));

/// The published schema, as far as something is taken over.
fn published_schema() -> Value {
    let whole = crate::schema("aiwg-state");
    let mut schema = only(
        &whole,
        &[
            "iteration",
            "started_at",
            "baseline_metrics",
            "iteration_history",
            "best_iteration",
            "regression_events",
            "reinforcement_level",
            "reinforcement_history",
            "recovery_attempts",
            "recovery_history",
            "detected_patterns",
            "persistence_metrics",
        ],
    );
    schema["required"] = json!(["iteration"]);
    let mut configuration = only(&whole["properties"]["configuration"], &["timeout_minutes"]);
    // Who means no limit may write the largest number there is.
    configuration["properties"]["max_iterations"] = json!({"type": "integer", "minimum": 1});
    schema["properties"]["configuration"] = configuration;
    let used = [
        "total_iterations",
        "successful_iterations",
        "failed_iterations",
        "total_tokens",
        "total_cost_usd",
        "total_duration_seconds",
    ];
    schema["properties"]["metrics"] = only(&whole["properties"]["metrics"], &used);
    schema
}

/// The counters of the original tool, which has no schema.
fn original_schema() -> Value {
    let counter = json!({"type": "integer", "minimum": 0, "maximum": COUNTER_MAX});
    json!({"properties": {
        "currentIteration": counter,
        "iterations": {"items": {"properties": {"number": counter, "iteration": counter}}},
    }})
}

fn published(mut value: Value) -> Result<Adopted, ParseError> {
    if let Some(Value::String(level)) = value.get_mut("reinforcement_level") {
        level.make_ascii_uppercase();
    }
    let value = PUBLISHED.admit(value).map_err(ParseError::Unfit)?;
    let none = Map::new();
    let fields = Fields(value.as_object().unwrap_or(&none));
    let part = |name| Fields(fields.object(name).unwrap_or(&none));
    let (metrics, configuration) = (part("metrics"), part("configuration"));
    let counted = metrics.count("total_iterations").or(fields.count("iteration"));
    Ok(Adopted {
        task: fields.text("task"),
        iterations: counted.unwrap_or(0).max(last_number(fields.list("iteration_history"))),
        max_iterations: configuration.count("max_iterations"),
        timeout_minutes: configuration.whole("timeout_minutes"),
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

fn original(value: Value) -> Result<Adopted, ParseError> {
    let value = ORIGINAL.admit(value).map_err(ParseError::Unfit)?;
    let none = Map::new();
    let fields = Fields(value.as_object().unwrap_or(&none));
    if fields.0.get("currentIteration").is_none() && fields.0.get("maxIterations").is_none() {
        return Err(ParseError::Missing { missing: "`loop_id` and no `currentIteration`" });
    }
    let counted = fields.count("currentIteration").unwrap_or(0);
    Ok(Adopted {
        task: fields.text("task").or(fields.text("objective")),
        iterations: counted.max(last_number(fields.list("iterations"))),
        max_iterations: fields.count("maxIterations").filter(|most| *most > 0),
        timeout_minutes: fields.whole("timeoutMinutes"),
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
        self.0.get(name)?.as_str()?.parse().ok().map(|moment: Moment| moment.at)
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
