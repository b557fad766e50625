//! Gemini CLI: `-o stream-json`.
//!
//! Traps: the final text comes in pieces; there is no cost; an HTTP error is also the exit code, modulo 256.

use std::borrow::Cow;

use piton_model::loop_machine::{ErrorClass, Usage};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::{Adapter, Said, detail, problem, text};

/// The adapter of Gemini CLI.
pub(super) struct Cli;

impl Adapter for Cli {
    fn line<'a>(&self, line: &'a [u8], hear: &mut dyn FnMut(Said<'a>)) -> Option<()> {
        let line: Line<'a> = serde_json::from_slice(line).ok()?;
        match &*line.kind {
            "init" => hear(Said::Session(line.session_id?)),
            "message" if line.role.as_deref() != Some("assistant") => {}
            "message" if line.delta == Some(true) => hear(Said::MoreText(line.content?)),
            "message" => hear(Said::Text(line.content?)),
            "tool_use" => {
                let detail = line.parameters.map_or(Cow::Borrowed(""), |input| detail(input.get()));
                hear(Said::Tool { name: line.tool_name?, detail });
            }
            "tool_result" => {}
            "error" if line.severity.as_deref() == Some("warning") => hear(Said::Warning(line.message?)),
            "error" => {
                let message = line.message?;
                hear(Said::Failure { class: problem::of_message(&message), message });
            }
            "result" => result(line, hear),
            _ => return None,
        }
        Some(())
    }

    /// It exits with codes of its own, or with the status of an HTTP answer, of which a byte is left.
    fn class_of_exit(&self, code: Option<i32>, _last_error: Option<&str>) -> Option<ErrorClass> {
        let code = code?;
        let is = |status: i32| code == status % 256;
        match code {
            41 => Some(ErrorClass::Auth),
            55 => Some(ErrorClass::Permission),
            _ if is(401) || is(403) => Some(ErrorClass::Auth),
            _ if is(429) => Some(ErrorClass::RateLimit),
            _ if is(500) || is(502) || is(503) || is(529) => Some(ErrorClass::Overloaded),
            _ => None,
        }
    }
}

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
    #[serde(borrow, default, deserialize_with = "text")]
    session_id: Option<Cow<'a, str>>,
    #[serde(borrow, default, deserialize_with = "text")]
    role: Option<Cow<'a, str>>,
    #[serde(borrow, default, deserialize_with = "text")]
    content: Option<Cow<'a, str>>,
    delta: Option<bool>,
    #[serde(borrow, default, deserialize_with = "text")]
    tool_name: Option<Cow<'a, str>>,
    #[serde(borrow)]
    parameters: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "text")]
    severity: Option<Cow<'a, str>>,
    #[serde(borrow, default, deserialize_with = "text")]
    message: Option<Cow<'a, str>>,
    #[serde(borrow, default, deserialize_with = "text")]
    status: Option<Cow<'a, str>>,
    stats: Option<Stats>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Stats {
    #[serde(default)]
    input_tokens: u64,
    #[serde(default)]
    output_tokens: u64,
    cached: Option<u64>,
}

#[derive(Deserialize)]
struct Trouble<'a> {
    #[serde(borrow, default, deserialize_with = "text")]
    message: Option<Cow<'a, str>>,
    #[serde(borrow)]
    code: Option<&'a RawValue>,
}

fn result<'a>(line: Line<'a>, hear: &mut dyn FnMut(Said<'a>)) {
    if let Some(stats) = line.stats {
        hear(Said::UsedInAll(Usage {
            input_tokens: stats.input_tokens,
            output_tokens: stats.output_tokens,
            cached_input_tokens: stats.cached,
        }));
    }
    let trouble = line.error.and_then(|error| serde_json::from_str::<Trouble<'a>>(error.get()).ok());
    if line.status.as_deref() != Some("success") || trouble.is_some() {
        let trouble = trouble.unwrap_or(Trouble { message: None, code: None });
        let code = trouble.code.and_then(|code| code.get().trim_matches('"').parse().ok());
        let message = trouble.message.unwrap_or(Cow::Borrowed("Gemini CLI ended with an error"));
        let class = code.and_then(problem::of_status).or_else(|| problem::of_message(&message));
        hear(Said::Failure { class, message });
    }
    hear(Said::Finished);
}
