//! What a run report must look like beyond the published fields: a JSON Schema, draft 2020-12 unless it names another.

use jsonschema::Validator;
use serde_json::Value;

/// Problems that one sentence names.
const NAMED_MAX: usize = 3;

/// A schema that reports are held against.
#[derive(Debug)]
pub struct ReportSchema(Validator);

impl ReportSchema {
    /// The schema that `document` is; or why it is none. Nothing is fetched: what it refers to must be in it.
    pub fn new(document: &Value) -> Result<Self, String> {
        let options = jsonschema::options();
        options.build(document).map(Self).map_err(|error| error.to_string())
    }

    /// What of `report` is not as it must be, in one sentence.
    pub(super) fn check(&self, report: &Value) -> Result<(), String> {
        let mut errors = self.0.iter_errors(report);
        let named: Vec<String> = errors
            .by_ref()
            .take(NAMED_MAX)
            .map(|error| match error.instance_path().as_str() {
                "" => error.to_string(),
                path => format!("{path}: {error}"),
            })
            .collect();
        match (named.is_empty(), errors.count()) {
            (true, _) => Ok(()),
            (false, 0) => Err(named.join("; ")),
            (false, more) => Err(format!("{}; and {more} more", named.join("; "))),
        }
    }
}
