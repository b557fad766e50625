//! What a hook says: its exit code, and a JSON object on its output if it has more to say.
//!
//! The object is the whole output, or its last line. One that has none of our fields is somebody else's and counts
//! as words; one that has some and does not fit is a failure: a hook that meant to stop the run must not be
//! overheard.

use piton_model::limits::{
    CUSTOM_KEYS_MAX, CUSTOM_VALUE_BYTES_MAX, CUSTOM_VALUE_DEPTH_MAX, TEXT_BYTES_MAX, clip, clip_tail,
};
use piton_sys::process::Ended;
use piton_sys::redact::Redactor;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::HookResult;

const FIELDS: [&str; 5] = ["continue_loop", "modified_data", "success", "output", "error"];

/// What a hook may say.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Answer {
    continue_loop: Option<bool>,
    modified_data: Map<String, Value>,
    success: Option<bool>,
    output: Option<String>,
    error: Option<String>,
}

/// The result of a hook that ended by itself.
pub(super) fn read(name: &str, ended: Ended, stdout: &str, stderr: &str, redactor: &Redactor) -> HookResult {
    let mut result = HookResult::new(name);
    take(&mut result, stdout);
    let failure = match ended {
        Ended::Code(0) => None,
        Ended::Code(code) => Some(format!("it exited with {code}")),
        Ended::Signal(signal) => Some(format!("signal {signal} ended it")),
    };
    if let Some(failure) = failure {
        result.success = false;
        let said = redactor.redact(stderr.trim());
        let said = clip_tail(&said, TEXT_BYTES_MAX);
        let why = if said.is_empty() { failure } else { format!("{failure}: {said}") };
        result.error.get_or_insert(why);
    }
    bounded(result, redactor)
}

/// The result of a request that was answered with success.
pub(super) fn read_body(name: &str, body: &str, redactor: &Redactor) -> HookResult {
    let mut result = HookResult::new(name);
    take(&mut result, body);
    bounded(result, redactor)
}

fn take(result: &mut HookResult, output: &str) {
    let whole = output.trim();
    let last = whole.lines().next_back().unwrap_or_default();
    let object =
        [whole, last].into_iter().find_map(|text| serde_json::from_str::<Map<String, Value>>(text).ok());
    let ours = object.filter(|object| object.keys().any(|key| FIELDS.contains(&key.as_str())));
    let Some(object) = ours else {
        result.output = Some(whole.to_owned()).filter(|text| !text.is_empty());
        return;
    };
    match serde_json::from_value::<Answer>(Value::Object(object)) {
        Ok(answer) => {
            result.continue_loop = answer.continue_loop.unwrap_or(true);
            result.success = answer.success.unwrap_or(true);
            result.modified_data = answer.modified_data;
            (result.output, result.error) = (answer.output, answer.error);
        }
        Err(error) => {
            result.success = false;
            result.error = Some(format!("its answer is not understood: {error}"));
        }
    }
}

fn bounded(mut result: HookResult, redactor: &Redactor) -> HookResult {
    let clean = |text: String| clip(&redactor.redact(&text), TEXT_BYTES_MAX).to_owned();
    result.output = result.output.map(clean);
    result.error = result.error.map(clean);
    result.modified_data = redactor.redact_members(std::mem::take(&mut result.modified_data));
    let data = &result.modified_data;
    let fits = |(key, value): (&String, &Value)| {
        key.len() + value.to_string().len() <= CUSTOM_VALUE_BYTES_MAX
            && depth(value) <= CUSTOM_VALUE_DEPTH_MAX
    };
    if data.len() > CUSTOM_KEYS_MAX || !data.iter().all(fits) {
        result.modified_data = Map::new();
        result.success = false;
        result.error = Some("the values it changed are too many, too large or too deep".to_owned());
    }
    result
}

fn depth(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Value::Object(members) => 1 + members.values().map(depth).max().unwrap_or(0),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn answered(code: i32, stdout: &str) -> HookResult {
        read("h", Ended::Code(code), stdout, "oh no\n", &Redactor::new())
    }

    #[test]
    fn the_exit_code_says_whether_it_worked() {
        let good = answered(0, "");
        assert!(good.success && good.continue_loop && good.output.is_none() && good.error.is_none());
        let bad = answered(3, "words\n");
        assert!(!bad.success && bad.continue_loop, "a failure alone stops nothing");
        assert_eq!(bad.error.as_deref(), Some("it exited with 3: oh no"));
        assert_eq!(bad.output.as_deref(), Some("words"));
    }

    #[test]
    fn an_object_says_the_rest() {
        let answer = json!({"continue_loop": false, "modified_data": {"a": [1]}, "output": "enough"});
        for stdout in [answer.to_string(), format!("checking…\nstill\n{answer}\n")] {
            let result = answered(0, &stdout);
            assert!(result.success && !result.continue_loop, "{stdout}");
            assert_eq!(result.output.as_deref(), Some("enough"));
            assert_eq!(Value::Object(result.modified_data), json!({"a": [1]}));
        }
        let pretty = serde_json::to_string_pretty(&answer).unwrap();
        assert!(!answered(0, &pretty).continue_loop);
        assert!(!answered(0, r#"{"success": false, "error": "no"}"#).success);
        assert!(!answered(1, r#"{"success": true}"#).success, "an exit code is believed over words");
    }

    #[test]
    fn what_is_not_for_us_is_words() {
        for stdout in [r#"{"ok": true}"#, "[1, 2]", "{", "null", "7"] {
            let result = answered(0, stdout);
            assert!(result.success && result.continue_loop, "{stdout}");
            assert_eq!(result.output.as_deref(), Some(stdout));
        }
    }

    #[test]
    fn an_answer_that_does_not_fit_is_not_overheard() {
        for stdout in [r#"{"continue_loop": "no"}"#, r#"{"success": true, "continue_lop": false}"#] {
            let result = answered(0, stdout);
            assert!(!result.success, "{stdout}");
            assert!(result.error.unwrap().starts_with("its answer is not understood"));
        }
    }

    #[test]
    fn what_it_says_is_bounded_and_without_secrets() {
        let token = format!("ghp_{}", "a1B2".repeat(9));
        let result = answered(1, &format!("token {token}\n{}", "x".repeat(1 << 20)));
        let output = result.output.unwrap();
        assert!(output.len() <= TEXT_BYTES_MAX && !output.contains(&token), "{output}");
        let large = json!({"modified_data": {"a": "x".repeat(CUSTOM_VALUE_BYTES_MAX)}});
        let deep = format!(r#"{{"modified_data":{{"a":{}{}}}}}"#, "[".repeat(40), "]".repeat(40));
        for stdout in [large.to_string(), deep] {
            let result = answered(0, &stdout);
            assert!(!result.success && result.modified_data.is_empty());
        }
    }
}
