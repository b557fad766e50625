//! opencode: `opencode run --format json`.
//!
//! Traps: there is no final event, the steps are added up; an error may be followed by exit 0.

use std::borrow::Cow;

use piton_model::loop_machine::{ErrorClass, Usage};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::{Adapter, Said, detail, problem, text};

/// The adapter of opencode.
pub(super) struct Cli;

impl Adapter for Cli {
    fn line<'a>(&self, line: &'a [u8], hear: &mut dyn FnMut(Said<'a>)) -> Option<()> {
        let line: Line<'a> = serde_json::from_slice(line).ok()?;
        let part = line.part.and_then(|part| serde_json::from_str::<Part<'a>>(part.get()).ok());
        if let Some(session) = line.session {
            hear(Said::Session(session));
        }
        match &*line.kind {
            "step_start" | "reasoning" => {}
            // What it tells itself when it compacts the conversation is no answer.
            "text" if part.as_ref().is_some_and(|part| part.synthetic == Some(true)) => {}
            "text" => hear(Said::Text(part?.text?)),
            "tool_use" => {
                let part = part?;
                let input = part.state.and_then(|state| state.input);
                let detail = input.map_or(Cow::Borrowed(""), |input| detail(input.get()));
                hear(Said::Tool { name: part.tool?, detail });
            }
            "step_finish" => step(part?, hear),
            "error" => failed(line.error?, hear),
            _ => return None,
        }
        Some(())
    }

    fn says_when_it_ends(&self) -> bool {
        false
    }
}

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
    #[serde(rename = "sessionID", borrow, default, deserialize_with = "text")]
    session: Option<Cow<'a, str>>,
    #[serde(borrow)]
    part: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<Trouble<'a>>,
}

#[derive(Deserialize)]
struct Part<'a> {
    #[serde(borrow, default, deserialize_with = "text")]
    text: Option<Cow<'a, str>>,
    synthetic: Option<bool>,
    #[serde(borrow, default, deserialize_with = "text")]
    tool: Option<Cow<'a, str>>,
    #[serde(borrow)]
    state: Option<ToolState<'a>>,
    tokens: Option<Tokens>,
    cost: Option<f64>,
}

#[derive(Deserialize)]
struct ToolState<'a> {
    #[serde(borrow)]
    input: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Tokens {
    #[serde(default)]
    input: u64,
    #[serde(default)]
    output: u64,
    #[serde(default)]
    reasoning: u64,
    cache: Option<Cache>,
}

#[derive(Deserialize)]
struct Cache {
    #[serde(default)]
    read: u64,
    #[serde(default)]
    write: u64,
}

#[derive(Deserialize)]
struct Trouble<'a> {
    #[serde(borrow, default, deserialize_with = "text")]
    name: Option<Cow<'a, str>>,
    #[serde(borrow)]
    data: Option<TroubleData<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TroubleData<'a> {
    #[serde(borrow, default, deserialize_with = "text")]
    message: Option<Cow<'a, str>>,
    status_code: Option<u64>,
}

fn step<'a>(part: Part<'a>, hear: &mut dyn FnMut(Said<'a>)) {
    if let Some(tokens) = part.tokens {
        let (read, written) = tokens.cache.map_or((0, 0), |cache| (cache.read, cache.write));
        let input_tokens = tokens.input.saturating_add(read).saturating_add(written);
        let output_tokens = tokens.output.saturating_add(tokens.reasoning);
        hear(Said::Used(Usage { input_tokens, output_tokens, cached_input_tokens: Some(read) }));
        hear(Said::ContextTokens(input_tokens.saturating_add(output_tokens)));
    }
    if let Some(cost) = part.cost {
        hear(Said::Cost(cost));
    }
}

fn failed<'a>(trouble: Trouble<'a>, hear: &mut dyn FnMut(Said<'a>)) {
    let (message, status) = trouble.data.map_or((None, None), |data| (data.message, data.status_code));
    let name = trouble.name.unwrap_or_default();
    let by_name = match &*name {
        "ProviderAuthError" => Some(ErrorClass::Auth),
        "ContextOverflowError" | "MessageOutputLengthError" => Some(ErrorClass::ContextFull),
        _ => None,
    };
    let message = message.unwrap_or(name);
    let of_message = || problem::of_message(&message);
    let class = by_name.or_else(|| status.and_then(problem::of_status)).or_else(of_message);
    hear(Said::Failure { class, message });
}
