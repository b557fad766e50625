//! goose: `goose run --output-format stream-json`. It says nothing of its session.

use std::borrow::Cow;

use piton_model::loop_machine::Usage;
use serde::Deserialize;

use super::{Adapter, Said, problem, text};

/// The adapter of goose.
pub(super) struct Cli;

impl Adapter for Cli {
    fn line<'a>(&self, line: &'a [u8], hear: &mut dyn FnMut(Said<'a>)) -> Option<()> {
        let line: Line<'a> = serde_json::from_slice(line).ok()?;
        match &*line.kind {
            "message" => {
                let message = line.message?;
                if message.role.as_deref() == Some("assistant") {
                    message
                        .content
                        .into_iter()
                        .filter_map(|content| content.text)
                        .for_each(|text| hear(Said::Text(text)));
                }
            }
            "notification" => {}
            "error" => {
                let message = line.error?;
                hear(Said::Failure { class: problem::of_message(&message), message });
            }
            "complete" => {
                // Older ones do not tell read from written.
                let usage = match (line.input_tokens, line.output_tokens, line.total_tokens) {
                    (Some(input_tokens), Some(output_tokens), _) => Some((input_tokens, output_tokens)),
                    (_, _, Some(total)) => Some((total, 0)),
                    _ => None,
                };
                if let Some((input_tokens, output_tokens)) = usage {
                    hear(Said::UsedInAll(Usage { input_tokens, output_tokens, cached_input_tokens: None }));
                }
                if let Some(cost) = line.cost_usd {
                    hear(Said::CostInAll(cost));
                }
                hear(Said::Finished);
            }
            _ => return None,
        }
        Some(())
    }

    fn names_its_session(&self) -> bool {
        false
    }
}

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
    #[serde(borrow)]
    message: Option<Message<'a>>,
    #[serde(borrow, default, deserialize_with = "text")]
    error: Option<Cow<'a, str>>,
    total_tokens: Option<u64>,
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
    cost_usd: Option<f64>,
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow, default, deserialize_with = "text")]
    role: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    content: Vec<Content<'a>>,
}

#[derive(Deserialize)]
struct Content<'a> {
    #[serde(borrow, default, deserialize_with = "text")]
    text: Option<Cow<'a, str>>,
}
