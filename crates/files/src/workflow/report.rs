//! Run reports: what a wrapper writes when its agent is done, and what of that is believed.
//!
//! A report is about one step of one run. What names another, what was never filled in and what is no report at all is
//! refused, with a sentence that becomes the step's error.

use std::path::Path;

use piton_model::workflow::StepId;
use piton_model::workflow::{StepReport, is_inside, shown};
use piton_model::{RunId, Timestamp};
use serde_json::{Map, Value};

use super::schema::ReportSchema;
use crate::plain::without_mark;

/// Largest report.
pub const REPORT_BYTES_MAX: usize = 4 << 20;

/// Text that wrappers and prompts put where the agent should write something.
const PLACEHOLDERS: [&str; 8] =
    ["<placeholder", "placeholder", "todo", "tbd", "<iso", "<fill", "yyyy-mm-dd", "path/to/artifact"];

/// Whose report is expected.
#[derive(Clone, Copy, Debug)]
pub struct Expectations<'a> {
    pub run: &'a RunId,
    pub step: &'a StepId,
    /// What its paths are relative to; absolute.
    pub repo: &'a Path,
    /// The wrapper has ended, so that nothing more will be written.
    pub ended: bool,
    /// What it must look like beyond the published fields.
    pub schema: Option<&'a ReportSchema>,
}

/// A report that is believed.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// What it says about the step.
    pub step: StepReport,
    /// What went wrong, in its own words.
    pub error: Option<String>,
    /// Money, in millionths of a dollar.
    pub cost_microusd: Option<u64>,
    /// Tokens.
    pub tokens: Option<u64>,
    /// What should be remembered, as it was written.
    pub memory_updates: Vec<Value>,
    /// What the agent thinks comes next.
    pub next_suggested_steps: Vec<String>,
}

/// A report that is not believed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// It is no JSON yet; whoever writes it is still there. Look again.
    #[error("the run report is not written yet")]
    NotYet,
    /// It is no JSON.
    #[error("the run report is not JSON: {0}")]
    NotJson(String),
    /// It is too large.
    #[error("the run report is larger than {REPORT_BYTES_MAX} bytes")]
    TooLarge,
    /// It is no object, or a field is missing or of the wrong type.
    #[error("the run report {0}")]
    Malformed(String),
    /// It is about something else.
    #[error("the run report is about {field} `{found}`, not `{expected}`")]
    Foreign {
        /// `run_id` or `step_id`.
        field: &'static str,
        /// What it names.
        found: String,
        /// What it should name.
        expected: String,
    },
    /// It is not as the schema of the run wants it.
    #[error("the run report is not as --schema wants it: {0}")]
    OffSchema(String),
    /// It was never filled in.
    #[error("the run report was never filled in: {0}")]
    Placeholder(String),
}

/// What these bytes report.
pub fn read_report(bytes: &[u8], expected: &Expectations<'_>) -> Result<Report, Refusal> {
    if bytes.len() > REPORT_BYTES_MAX {
        return Err(Refusal::TooLarge);
    }
    let bytes = without_mark(bytes);
    let value: Value = match serde_json::from_slice(bytes) {
        Ok(value) => value,
        Err(_) if !expected.ended => return Err(Refusal::NotYet),
        Err(error) => return Err(Refusal::NotJson(error.to_string())),
    };
    let Value::Object(report) = &value else { return Err(Refusal::Malformed("is not an object".to_owned())) };
    is_ours(report, expected)?;
    expected.schema.map_or(Ok(()), |schema| schema.check(&value)).map_err(Refusal::OffSchema)?;
    let completed = is_completed(&word(report, "status")?);
    let artifacts = artifacts(report, expected.repo)?;
    let logs = words(report, "logs")?;
    // Of a failure the words count, however few they are.
    if completed {
        // What is there is no placeholder, whatever its name.
        let is_there = |path: &String| expected.repo.join(path).exists();
        let unproven = if artifacts.iter().any(is_there) { &[][..] } else { &artifacts };
        is_filled_in(report, unproven, &logs)?;
    }
    let metrics = match report.get("metrics") {
        None | Some(Value::Null) => Map::new(),
        Some(Value::Object(metrics)) => metrics.clone(),
        Some(_) => return Err(Refusal::Malformed("has `metrics` that are not an object".to_owned())),
    };
    let gate_failure = match report.get("gate_failure") {
        None | Some(Value::Null) => false,
        Some(Value::Bool(failed)) => *failed,
        Some(_) => {
            return Err(Refusal::Malformed("has a `gate_failure` that is not true or false".to_owned()));
        }
    };
    let memory_updates = match report.get("memory_updates") {
        Some(Value::Array(updates)) => updates.clone(),
        _ => Vec::new(),
    };
    let next_suggested_steps = words(report, "next_suggested_steps")?;
    let error = report.get("error").and_then(Value::as_str).map(str::to_owned);
    let (cost_microusd, tokens) = (cost(&metrics), tokens(&metrics));
    let step = StepReport { completed, gate_failure, artifacts, metrics, logs, ..StepReport::default() };
    Ok(Report { step, error, cost_microusd, tokens, memory_updates, next_suggested_steps })
}

fn is_ours(report: &Map<String, Value>, expected: &Expectations<'_>) -> Result<(), Refusal> {
    let schema = word(report, "schema")?;
    if !schema.starts_with("run_report") {
        return Err(Refusal::Malformed(format!("has the unknown schema `{}`", shown(&schema))));
    }
    word(report, "agent")?;
    for (field, expected) in [("run_id", expected.run.as_str()), ("step_id", expected.step.as_str())] {
        let found = word(report, field)?;
        if found != expected {
            let (found, expected) = (shown(&found), expected.to_owned());
            return Err(Refusal::Foreign { field, found, expected });
        }
    }
    Ok(())
}

/// Aliases that wrappers are known to use. Anything else is a failure.
fn is_completed(status: &str) -> bool {
    matches!(status.trim().to_ascii_uppercase().as_str(), "COMPLETED" | "SUCCESS" | "OK" | "DONE" | "PASSED")
}

fn word(report: &Map<String, Value>, field: &str) -> Result<String, Refusal> {
    match report.get(field) {
        Some(Value::String(text)) => Ok(text.clone()),
        Some(_) => Err(Refusal::Malformed(format!("has a `{field}` that is not text"))),
        None => Err(Refusal::Malformed(format!("has no `{field}`"))),
    }
}

fn words(report: &Map<String, Value>, field: &str) -> Result<Vec<String>, Refusal> {
    let text = |value: &Value| match value {
        Value::String(text) => Ok(text.clone()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            Err(Refusal::Malformed(format!("has `{field}` that are not all text")))
        }
    };
    match report.get(field) {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Array(values)) => values.iter().map(text).collect(),
        Some(_) => Err(Refusal::Malformed(format!("has `{field}` that are not a list"))),
    }
}

/// What it produced, relative to the repository. A path that leads out of that is not an artifact of it.
fn artifacts(report: &Map<String, Value>, repo: &Path) -> Result<Vec<String>, Refusal> {
    let relative = |path: String| match Path::new(&path).strip_prefix(repo).ok().and_then(Path::to_str) {
        Some(inside) => inside.to_owned(),
        None => path,
    };
    let artifacts: Vec<String> = words(report, "artifacts")?.into_iter().map(relative).collect();
    match artifacts.iter().find(|path| path.trim().is_empty() || !is_inside(path)) {
        None => Ok(artifacts),
        Some(path) => Err(Refusal::Malformed(format!(
            "names the artifact `{}`, which is outside of the repository",
            shown(path)
        ))),
    }
}

/// A template that nobody filled in says nothing about the work: its times are none, or all that
/// it lists are placeholders.
fn is_filled_in(report: &Map<String, Value>, artifacts: &[String], logs: &[String]) -> Result<(), Refusal> {
    let refuse = |what: &str| Err(Refusal::Placeholder(what.to_owned()));
    for (field, moment) in [("started_at", false), ("ended_at", true)] {
        let text = match report.get(field) {
            Some(Value::String(text)) => text,
            None | Some(Value::Null) => return refuse(&format!("it has no `{field}`")),
            Some(_) => return Err(Refusal::Malformed(format!("has a `{field}` that is not text"))),
        };
        if moment && !is_moment(text) {
            return refuse(&format!("`{field}` is `{}`", shown(text)));
        }
    }
    for list in [artifacts, logs] {
        // A blank line, or the dots of a test runner, says nothing either way.
        let mut said = list.iter().filter(|text| text.contains(char::is_alphanumeric)).peekable();
        if let Some(first) = said.peek().copied()
            && said.all(|text| is_placeholder(text))
        {
            return refuse(&format!("it says `{}`", shown(first)));
        }
    }
    Ok(())
}

/// A moment; without a zone it is meant in UTC.
fn is_moment(text: &str) -> bool {
    let text = text.trim().replace(' ', "T");
    let parses = |text: &str| text.parse::<Timestamp>().is_ok();
    !text.starts_with('@') && (parses(&text) || parses(&format!("{text}Z")))
}

fn is_placeholder(text: &str) -> bool {
    let text = text.trim().to_ascii_lowercase();
    let bare = text.trim_matches(|c: char| matches!(c, '<' | '>' | '[' | ']' | '.' | '{' | '}' | '…'));
    PLACEHOLDERS.iter().any(|known| bare == *known || (known.starts_with('<') && text.starts_with(known)))
        || (text.starts_with('<') && text.ends_with('>') && !text[1..].contains('<'))
}

/// Money as its wrapper reports it, in dollars.
fn cost(metrics: &Map<String, Value>) -> Option<u64> {
    let dollars = number(metrics, "cost_usd")?;
    (dollars.is_finite() && (0.0..1e12).contains(&dollars)).then(|| (dollars * 1e6).round() as u64)
}

fn tokens(metrics: &Map<String, Value>) -> Option<u64> {
    let whole = |name: &str| {
        number(metrics, name).filter(|count| (0.0..1e18).contains(count)).map(|count| count as u64)
    };
    whole("total_tokens").or_else(|| Some(whole("input_tokens")? + whole("output_tokens")?))
}

fn number(metrics: &Map<String, Value>, name: &str) -> Option<f64> {
    match metrics.get(name)? {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}
