//! What another tool wrote, held against the schema that piton publishes before anything of it is taken over.
//!
//! Every problem is said at once and by its place. What can only be meant in one way is mended first: a date without a zone
//! is in UTC, `7.0` is a whole number, and a member that is `null` is not there. What the schema does not name is left alone.

use std::fmt;

use jsonschema::error::ValidationErrorKind;
use jsonschema::{ValidationError, Validator};
use piton_model::Timestamp;
use piton_model::ledger::Moment;
use serde_json::{Map, Value, json};

use crate::shape::COUNTER_MAX;

/// A loop that counted further is no loop that anybody ran; one that did not has room to go on.
const COUNTED_MAX: u32 = 1_000_000_000;
/// Problems that are said; the rest is a number.
const SAID_MAX: usize = 20;
/// What is said of a value that is wrong.
const VALUE_CHARS_MAX: usize = 60;

/// What a file says that its format does not allow, each with its place. Never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfit(Vec<String>);

impl Unfit {
    /// How many problems there are.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// Each problem in a line, or as many as anybody reads.
    pub fn lines(&self) -> Vec<String> {
        let more = self.0.len().saturating_sub(SAID_MAX);
        let rest = (more > 0).then(|| format!("and {more} more"));
        self.0.iter().take(SAID_MAX).cloned().chain(rest).collect()
    }
}

impl fmt::Display for Unfit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.lines().join("; "))
    }
}

/// What a file must look like for it to be taken over.
pub(crate) struct Door {
    schema: Value,
    validator: Validator,
}

impl Door {
    /// One for what fits `schema` and has counted no further than leaves room to go on.
    pub(crate) fn new(mut schema: Value) -> Self {
        narrow(&mut schema);
        let options = jsonschema::options().should_validate_formats(true);
        // What is checked is what is read afterwards.
        let options = options.with_format("date-time", |text: &str| text.parse::<Timestamp>().is_ok());
        let validator = options.build(&schema).expect("a schema of ours is one");
        Self { schema, validator }
    }

    /// The same value, mended; or all that is wrong with it.
    pub(crate) fn admit(&self, mut value: Value) -> Result<Value, Unfit> {
        mend(&self.schema, &mut value);
        let problems: Vec<String> = self.validator.iter_errors(&value).map(|error| problem(&error)).collect();
        if problems.is_empty() { Ok(value) } else { Err(Unfit(problems)) }
    }
}

/// The schema of an object of which only these members are taken, and none need be there.
pub(crate) fn only(schema: &Value, names: &[&str]) -> Value {
    let taken = names.iter().map(|name| ((*name).to_owned(), schema["properties"][name].clone()));
    json!({"type": "object", "properties": taken.collect::<Map<_, _>>()})
}

/// Where a value or `null` may stand, the value: what is `null` is mended. Where a counter may stand, one with room.
fn narrow(schema: &mut Value) {
    if let Some(either) = schema.get_mut("anyOf") {
        *schema = either[0].take();
    }
    if schema["maximum"] == COUNTER_MAX {
        schema["maximum"] = COUNTED_MAX.into();
    }
    match schema {
        Value::Object(members) => members.values_mut().for_each(narrow),
        Value::Array(items) => items.iter_mut().for_each(narrow),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn mend(schema: &Value, value: &mut Value) {
    match value {
        Value::Object(members) => {
            let known = &schema["properties"];
            // Of what may be anything, `null` is a value.
            let says_nothing = |name: &str, member: &Value| {
                member.is_null() && known.get(name).is_some_and(|it| *it != json!({}))
            };
            members.retain(|name, member| !says_nothing(name, member));
            for (name, member) in members.iter_mut() {
                mend(&known[name], member);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| mend(&schema["items"], item)),
        Value::String(text) if schema["format"] == "date-time" => {
            if let Some(moment) = text.parse::<Moment>().ok().filter(|moment| !moment.has_offset) {
                *text = moment.at.to_string();
            }
        }
        Value::Number(number) if schema["type"] == "integer" => {
            // Beyond this, a whole number of that kind may be another one.
            const EXACT_MAX: f64 = 9_007_199_254_740_992.0;
            let whole = number.as_f64().filter(|it| it.fract() == 0.0 && it.abs() <= EXACT_MAX);
            if let Some(whole) = whole.filter(|_| number.is_f64()) {
                *value = Value::from(whole as i64);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// `core.status: "idle" is none of running, paused`.
fn problem(error: &ValidationError<'_>) -> String {
    let found = shown(error.instance());
    let (missing, why) = match error.kind() {
        ValidationErrorKind::Required { property } => (property.as_str(), "is missing".to_owned()),
        ValidationErrorKind::Enum { options } => {
            let words: Vec<_> = options.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
            (None, format!("{found} is none of {}", words.join(", ")))
        }
        ValidationErrorKind::Minimum { limit } => (None, format!("{found} is less than {limit}")),
        ValidationErrorKind::Maximum { limit } => (None, format!("{found} is more than {limit}")),
        ValidationErrorKind::Format { .. } => {
            (None, format!("{found} is no moment like `2026-02-15T12:00:00Z`"))
        }
        ValidationErrorKind::Type { kind } => (None, format!("{found} is no {}", kind_words(kind))),
        _ => (None, error.to_string()),
    };
    format!("{}: {why}", place(error.instance_path().as_str(), missing))
}

fn kind_words(kind: &jsonschema::error::TypeKind) -> String {
    match kind {
        jsonschema::error::TypeKind::Single(one) => one.to_string(),
        jsonschema::error::TypeKind::Multiple(_) => "value of its type".to_owned(),
    }
}

/// `/session_history/0/iterations` as `jq` would say it: `session_history[0].iterations`.
fn place(pointer: &str, missing: Option<&str>) -> String {
    let mut place = String::new();
    for part in pointer.split('/').skip(1).chain(missing) {
        match part.parse::<usize>() {
            Ok(index) => place.push_str(&format!("[{index}]")),
            Err(_) if place.is_empty() => place.push_str(part),
            Err(_) => place.push_str(&format!(".{part}")),
        }
    }
    if place.is_empty() { "the whole".to_owned() } else { place }
}

/// A value as JSON, or the beginning of it.
fn shown(value: &Value) -> String {
    let text = value.to_string();
    let short: String = text.chars().take(VALUE_CHARS_MAX).collect();
    if short.len() < text.len() { format!("{short}…") } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn door() -> Door {
        let maybe = json!({"anyOf": [{"type": "integer", "maximum": 9}, {"type": "null"}]});
        let at = json!({"type": "string", "format": "date-time"});
        Door::new(json!({"type": "object", "required": ["at"], "properties": {
            "at": at, "count": maybe, "any": {}, "list": {"type": "array", "items": {"enum": ["a", "b"]}}}}))
    }

    #[test]
    fn what_can_be_meant_in_one_way_only_is_mended() {
        let told = json!({"at": "2026-02-15", "count": 7.0, "any": null, "list": null, "other": null});
        let meant = json!({"at": "2026-02-15T00:00:00.000Z", "count": 7, "any": null, "other": null});
        assert_eq!(door().admit(told), Ok(meant));
        let as_it_is = json!({"at": "2026-02-15T01:00:00.123456+01:00"});
        assert_eq!(door().admit(as_it_is.clone()), Ok(as_it_is));
    }

    #[test]
    fn every_problem_is_said_with_its_place() {
        let unfit = door().admit(json!({"count": 10, "list": ["a", "c"]})).unwrap_err();
        let mut said = unfit.lines();
        said.sort();
        assert_eq!(said, ["at: is missing", "count: 10 is more than 9", "list[1]: \"c\" is none of a, b"]);
        let unfit = door().admit(json!({"at": "noon", "list": vec!["c"; 30]})).unwrap_err();
        assert_eq!((unfit.count(), unfit.lines().len()), (31, SAID_MAX + 1));
        assert!(unfit.to_string().ends_with("and 11 more"), "{unfit}");
        assert_eq!(door().admit(json!(7)).unwrap_err().lines(), ["the whole: 7 is no object"]);
    }
}
