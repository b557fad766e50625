//! Codex: `codex exec --json`.
//!
//! Traps, each measured: an item of type `error` is only a warning; usage of a resumed thread counts from its start;
//! there is no cost; a failure is told in words that Codex makes from the answer of the provider.

use std::borrow::Cow;

use piton_model::loop_machine::{ErrorClass, Usage};
use serde::Deserialize;

use super::{Adapter, Said, problem, text};

/// The adapter of Codex.
pub(super) struct Cli;

impl Adapter for Cli {
    fn line<'a>(&self, line: &'a [u8], hear: &mut dyn FnMut(Said<'a>)) -> Option<()> {
        let line: Line<'a> = serde_json::from_slice(line).ok()?;
        match &*line.kind {
            "thread.started" => hear(Said::Session(line.thread_id?)),
            "turn.started" | "item.updated" => {}
            "item.started" => begun(line.item?, hear),
            "item.completed" => completed(line.item?, hear),
            "turn.completed" => {
                if let Some(usage) = line.usage {
                    hear(Said::UsedInAll(Usage {
                        input_tokens: usage.input_tokens,
                        output_tokens: usage.output_tokens,
                        cached_input_tokens: Some(usage.cached_input_tokens),
                    }));
                }
                hear(Said::Finished);
            }
            "turn.failed" => failed(line.error?.message, hear),
            // What follows tells whether it got over it.
            "error" => hear(Said::Warning(line.message?)),
            _ => return None,
        }
        Some(())
    }
}

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
    #[serde(borrow, default, deserialize_with = "text")]
    thread_id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    item: Option<Item<'a>>,
    usage: Option<TurnUsage>,
    #[serde(borrow, default, deserialize_with = "text")]
    message: Option<Cow<'a, str>>,
    #[serde(borrow)]
    error: Option<TurnError<'a>>,
}

#[derive(Deserialize)]
struct Item<'a> {
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
    #[serde(borrow, default, deserialize_with = "text")]
    text: Option<Cow<'a, str>>,
    #[serde(borrow, default, deserialize_with = "text")]
    message: Option<Cow<'a, str>>,
    #[serde(borrow, default, deserialize_with = "text")]
    command: Option<Cow<'a, str>>,
    #[serde(borrow, default, deserialize_with = "text")]
    tool: Option<Cow<'a, str>>,
    #[serde(borrow, default, deserialize_with = "text")]
    query: Option<Cow<'a, str>>,
    #[serde(borrow)]
    changes: Option<Vec<FileChange<'a>>>,
}

#[derive(Deserialize)]
struct FileChange<'a> {
    #[serde(borrow)]
    path: Cow<'a, str>,
}

#[derive(Deserialize)]
struct TurnUsage {
    #[serde(default)]
    input_tokens: u64,
    #[serde(default)]
    cached_input_tokens: u64,
    #[serde(default)]
    output_tokens: u64,
}

#[derive(Deserialize)]
struct TurnError<'a> {
    #[serde(borrow)]
    message: Cow<'a, str>,
}

fn begun<'a>(item: Item<'a>, hear: &mut dyn FnMut(Said<'a>)) {
    let (name, detail) = match &*item.kind {
        "command_execution" => (Cow::Borrowed("shell"), item.command),
        "mcp_tool_call" => (item.tool.unwrap_or_default(), None),
        "web_search" => (Cow::Borrowed("web search"), item.query),
        _ => return,
    };
    hear(Said::Tool { name, detail: detail.unwrap_or_default() });
}

fn completed<'a>(item: Item<'a>, hear: &mut dyn FnMut(Said<'a>)) {
    match (&*item.kind, item.text, item.message) {
        ("agent_message", Some(text), _) => hear(Said::Text(text)),
        // It warns of the hooks that it was given by us.
        ("error", _, Some(message)) if message.contains("--dangerously-bypass-hook-trust") => {}
        ("error", _, Some(message)) => hear(Said::Warning(message)),
        ("file_change", _, _) => {
            for change in item.changes.into_iter().flatten() {
                hear(Said::Tool { name: Cow::Borrowed("edit"), detail: change.path });
            }
        }
        _ => {}
    }
}

fn failed<'a>(message: Cow<'a, str>, hear: &mut dyn FnMut(Said<'a>)) {
    let class = problem::of_message(&message);
    if class == Some(ErrorClass::RateLimit)
        && let Some(until) = try_again_at(&message)
    {
        hear(Said::LimitedUntil(until));
    }
    hear(Said::Failure { class, message });
    hear(Said::Finished);
}

/// `… try again at Mar 17th, 2030 5:46 PM.`, in the time of this machine.
fn try_again_at(message: &str) -> Option<i64> {
    let (_, when) = message.split_once("try again at ")?;
    let when = when.trim_end_matches(['.', ' ']);
    let plain: String = ["st,", "nd,", "rd,", "th,"]
        .iter()
        .fold(when.to_owned(), |text, ending| text.replacen(&format!("{ending} "), ", ", 1));
    let parsed = jiff::civil::DateTime::strptime("%b %d, %Y %I:%M %p", &plain).ok()?;
    let here = jiff::tz::TimeZone::system();
    Some(here.to_ambiguous_timestamp(parsed).compatible().ok()?.as_second())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_ends_at_the_time_that_is_said() {
        let at = |message| try_again_at(message).map(|at| jiff::Timestamp::from_second(at).unwrap());
        let here = jiff::tz::TimeZone::system();
        let expected = here.to_timestamp(jiff::civil::date(2030, 3, 17).at(17, 46, 0, 0)).unwrap();
        assert_eq!(at("credits or try again at Mar 17th, 2030 5:46 PM."), Some(expected));
        let second = here.to_timestamp(jiff::civil::date(2031, 12, 2).at(9, 5, 0, 0)).unwrap();
        assert_eq!(at("try again at Dec 2nd, 2031 9:05 AM."), Some(second));
        for nonsense in ["try again at later", "try again at ", "", "try again at Foo 99th, 2030 5:46 PM."] {
            assert_eq!(at(nonsense), None, "{nonsense}");
        }
    }
}
