//! Claude Code: `--output-format stream-json --verbose`.
//!
//! Traps, each measured: an API error ends with `subtype: success` and `is_error: true`; denied tools do not fail
//! the run; an interrupt exits with 0; cost and `modelUsage` of a resumed session count from its start.

use std::borrow::Cow;
use std::collections::HashMap;

use piton_model::loop_machine::{ErrorClass, Usage};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::{Adapter, Said, detail, problem, text};

/// The adapter of Claude Code.
pub(super) struct Cli;

impl Adapter for Cli {
    fn line<'a>(&self, line: &'a [u8], hear: &mut dyn FnMut(Said<'a>)) -> Option<()> {
        let line: Line<'a> = serde_json::from_slice(line).ok()?;
        match &*line.kind {
            "system" => system(line, hear),
            "assistant" => assistant(line, hear),
            "user" => Some(()),
            "rate_limit_event" => rate_limit(line.rate_limit_info?, hear),
            "result" => result(line, hear),
            _ => None,
        }
    }

    /// It does not even begin as root where it is to ask nobody.
    fn class_of_exit(&self, _code: Option<i32>, last_error: Option<&str>) -> Option<ErrorClass> {
        last_error.filter(|line| line.contains("cannot be used with root")).map(|_| ErrorClass::Permission)
    }
}

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
    #[serde(borrow, default, deserialize_with = "text")]
    subtype: Option<Cow<'a, str>>,
    #[serde(borrow, default, deserialize_with = "text")]
    session_id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    message: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "text")]
    parent_tool_use_id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    rate_limit_info: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "text")]
    tool_name: Option<Cow<'a, str>>,
    error_status: Option<u64>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
    // Of the result.
    is_error: Option<bool>,
    api_error_status: Option<u64>,
    #[serde(borrow, default, deserialize_with = "text")]
    result: Option<Cow<'a, str>>,
    #[serde(borrow, default, deserialize_with = "text")]
    terminal_reason: Option<Cow<'a, str>>,
    total_cost_usd: Option<f64>,
    #[serde(rename = "modelUsage")]
    model_usage: Option<HashMap<String, ModelUsage>>,
    #[serde(borrow)]
    permission_denials: Option<Vec<Denial<'a>>>,
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    content: Option<Vec<Content<'a>>>,
    usage: Option<MessageUsage>,
}

#[derive(Deserialize)]
struct Content<'a> {
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
    #[serde(borrow, default, deserialize_with = "text")]
    text: Option<Cow<'a, str>>,
    #[serde(borrow, default, deserialize_with = "text")]
    name: Option<Cow<'a, str>>,
    #[serde(borrow)]
    input: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct MessageUsage {
    #[serde(default)]
    input_tokens: u64,
    #[serde(default)]
    cache_creation_input_tokens: u64,
    #[serde(default)]
    cache_read_input_tokens: u64,
    #[serde(default)]
    output_tokens: u64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[derive(Default)]
struct ModelUsage {
    input_tokens: u64,
    output_tokens: u64,
    cache_read_input_tokens: u64,
    cache_creation_input_tokens: u64,
    context_window: u64,
}

#[derive(Deserialize)]
struct Denial<'a> {
    #[serde(borrow)]
    tool_name: Cow<'a, str>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RateLimit<'a> {
    #[serde(borrow, default, deserialize_with = "text")]
    status: Option<Cow<'a, str>>,
    resets_at: Option<i64>,
}

fn system<'a>(line: Line<'a>, hear: &mut dyn FnMut(Said<'a>)) -> Option<()> {
    match line.subtype.as_deref()? {
        "init" => hear(Said::Session(line.session_id?)),
        "api_retry" => {
            let status = line.error_status.map_or_else(String::new, |status| format!(" ({status})"));
            hear(Said::Warning(
                format!("the provider did not answer{status}; Claude Code tries again").into(),
            ));
        }
        "permission_denied" => {
            hear(Said::Denied(line.tool_name?));
        }
        "compact_boundary" => hear(Said::Warning("the conversation was compacted".into())),
        _ => {}
    }
    Some(())
}

fn assistant<'a>(line: Line<'a>, hear: &mut dyn FnMut(Said<'a>)) -> Option<()> {
    let message: Message<'a> = serde_json::from_str(line.message?.get()).ok()?;
    // An error that Claude Code itself puts into the conversation.
    let word = line.error.and_then(|error| serde_json::from_str::<Cow<'_, str>>(error.get()).ok());
    for content in message.content.into_iter().flatten() {
        match (&*content.kind, content.text, content.name) {
            ("text", Some(text), _) => match &word {
                Some(word) => hear(Said::Failure { class: class_of(word), message: text }),
                None => hear(Said::Text(text)),
            },
            ("tool_use", _, Some(name)) => {
                let detail = content.input.map_or(Cow::Borrowed(""), |input| detail(input.get()));
                hear(Said::Tool { name, detail });
            }
            _ => {}
        }
    }
    if let (Some(usage), None, None) = (message.usage, &line.parent_tool_use_id, &word) {
        let parts = [usage.cache_creation_input_tokens, usage.cache_read_input_tokens, usage.output_tokens];
        hear(Said::ContextTokens(parts.into_iter().fold(usage.input_tokens, u64::saturating_add)));
    }
    Some(())
}

fn rate_limit<'a>(info: &'a RawValue, hear: &mut dyn FnMut(Said<'a>)) -> Option<()> {
    let info: RateLimit<'a> = serde_json::from_str(info.get()).ok()?;
    if info.status.as_deref() == Some("rejected") {
        hear(Said::LimitedUntil(info.resets_at?));
    }
    Some(())
}

fn result<'a>(line: Line<'a>, hear: &mut dyn FnMut(Said<'a>)) -> Option<()> {
    if let Some(id) = line.session_id {
        hear(Said::Session(id));
    }
    if let Some(cost) = line.total_cost_usd {
        hear(Said::CostInAll(cost));
    }
    usage(line.model_usage.unwrap_or_default(), hear);
    for denial in line.permission_denials.into_iter().flatten() {
        hear(Said::Denied(denial.tool_name));
    }
    if line.is_error == Some(true) {
        let reason = line.terminal_reason.as_deref().unwrap_or_default();
        let class = match reason {
            "prompt_too_long" => Some(ErrorClass::ContextFull),
            _ => line.api_error_status.and_then(problem::of_status),
        };
        let message = match (line.result, line.subtype) {
            (Some(words), _) if !words.is_empty() => words,
            (_, Some(subtype)) => format!("Claude Code ended with {subtype}").into(),
            _ => Cow::Borrowed("Claude Code ended with an error"),
        };
        hear(Said::Failure { class, message });
    }
    // The result of a success is what the assistant said last.
    hear(Said::Finished);
    Some(())
}

fn usage<'a>(models: HashMap<String, ModelUsage>, hear: &mut dyn FnMut(Said<'a>)) {
    if models.is_empty() {
        return;
    }
    let mut all = Usage { cached_input_tokens: Some(0), ..Usage::default() };
    for model in models.values() {
        let cached = model.cache_read_input_tokens;
        let read = [model.input_tokens, cached, model.cache_creation_input_tokens];
        all.input_tokens = read.into_iter().fold(all.input_tokens, u64::saturating_add);
        all.output_tokens = all.output_tokens.saturating_add(model.output_tokens);
        all.cached_input_tokens = all.cached_input_tokens.map(|sum| sum.saturating_add(cached));
    }
    hear(Said::UsedInAll(all));
    if let Some(window) = models.values().map(|model| model.context_window).max() {
        hear(Said::ContextWindow(window));
    }
}

fn class_of(word: &str) -> Option<ErrorClass> {
    match word {
        "authentication_failed" | "billing_error" => Some(ErrorClass::Auth),
        "rate_limit" => Some(ErrorClass::RateLimit),
        "server_error" | "overloaded" => Some(ErrorClass::Overloaded),
        _ => None,
    }
}
