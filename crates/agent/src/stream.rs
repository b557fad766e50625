//! What an agent's output says, in one small vocabulary, whatever CLI it is.
//!
//! An [`Adapter`] per CLI turns a line into things [`Said`]; an [`Account`] adds them up. Decisions rest on fields
//! that the CLI fills in itself, never on what a model or a tool wrote. A line that nobody understands is
//! counted and otherwise left alone: an agent that learns a new word does not fail for it.

mod account;
mod cli;
mod lines;
mod problem;

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::{self, BufRead};

use piton_model::loop_machine::{ErrorClass, StreamFormat, Usage};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

pub use account::Account;

/// Longer lines are not read; they are tool results, as far as was seen.
const LINE_BYTES_MAX: u64 = 16 << 20;

/// One thing that an agent's output says.
#[derive(Clone, Debug, PartialEq)]
pub enum Said<'a> {
    /// The name of the conversation.
    Session(Cow<'a, str>),
    /// Words for people.
    Text(Cow<'a, str>),
    /// More words of the same sentence.
    MoreText(Cow<'a, str>),
    /// A tool is used.
    Tool {
        name: Cow<'a, str>,
        /// On what: a command, a path.
        detail: Cow<'a, str>,
    },
    /// Tokens used since the last time it said so.
    Used(Usage),
    /// Tokens used by this attempt, or by its whole session where the agent counts so.
    UsedInAll(Usage),
    /// Dollars used since the last time it said so.
    Cost(f64),
    /// Dollars used by this attempt, or by its whole session where the agent counts so.
    CostInAll(f64),
    /// Tokens that the conversation takes up now.
    ContextTokens(u64),
    /// Tokens that a conversation can take up.
    ContextWindow(u64),
    /// How full the context is, in per cent.
    ContextPercent(f64),
    /// The provider refuses further calls until this moment, in seconds since 1970.
    LimitedUntil(i64),
    /// The attempt failed.
    Failure {
        class: Option<ErrorClass>,
        /// In words.
        message: Cow<'a, str>,
    },
    /// Something a person should know, of which the attempt does not fail.
    Warning(Cow<'a, str>),
    /// The agent was not allowed to use this tool, of which the attempt does not fail.
    Denied(Cow<'a, str>),
    /// The last word: the agent has come to its end.
    Finished,
}

/// A text that may be absent, borrowed from its line wherever nothing in it is escaped.
fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Cow<'de, str>>, D::Error> {
    #[derive(Deserialize)]
    struct Text<'a>(#[serde(borrow)] Cow<'a, str>);
    Ok(Option::<Text<'_>>::deserialize(deserializer)?.map(|text| text.0))
}

/// What is special to one CLI: how its lines read, and what only its exit tells.
pub trait Adapter: Sync {
    /// Reads one line; `None` where it understands nothing of it.
    fn line<'a>(&self, line: &'a [u8], hear: &mut dyn FnMut(Said<'a>)) -> Option<()>;

    /// Whether it says so when it has come to its end: then one that exits with 0 before has failed.
    fn says_when_it_ends(&self) -> bool {
        true
    }

    /// Whether its output names its session. One that does not has the session it was told to have.
    fn names_its_session(&self) -> bool {
        true
    }

    /// Of what a failed attempt failed, where only its exit code or the last line of its errors tells.
    fn class_of_exit(&self, _code: Option<i32>, _last_error: Option<&str>) -> Option<ErrorClass> {
        None
    }
}

/// Who understands this format; nobody understands words for people, or what another piton knew.
pub fn adapter(format: &StreamFormat) -> Option<&dyn Adapter> {
    match format {
        StreamFormat::Plain => None,
        StreamFormat::Adapter(name) => {
            let known = cli::ADAPTERS.iter().find(|(known, _)| known == name);
            known.map(|(_, adapter)| *adapter)
        }
        StreamFormat::Lines(fields) => Some(fields),
    }
}

/// What a tool is used on, in one line.
fn detail<'a>(input: &'a str) -> Cow<'a, str> {
    const NAMES: [&str; 9] =
        ["command", "cmd", "file_path", "filePath", "path", "dir_path", "pattern", "url", "description"];
    let Ok(fields) = serde_json::from_str::<HashMap<Cow<'a, str>, &'a RawValue>>(input) else {
        return Cow::Borrowed("");
    };
    let text = |value: &&'a RawValue| serde_json::from_str::<Cow<'a, str>>(value.get()).ok();
    NAMES.iter().find_map(|name| fields.get(*name).and_then(text)).unwrap_or_default()
}

/// Adds up everything that `output` says.
pub fn listen(format: &StreamFormat, output: impl BufRead) -> io::Result<Account> {
    overhear(format, output, &mut |_| {})
}

/// The same, with somebody beside who hears each thing as it is said.
pub fn overhear(
    format: &StreamFormat,
    mut output: impl BufRead,
    beside: &mut dyn FnMut(&Said<'_>),
) -> io::Result<Account> {
    let mut account = Account::default();
    let Some(adapter) = adapter(format) else { return Ok(account) };
    let mut line = Vec::new();
    loop {
        line.clear();
        let count = io::Read::take(&mut output, LINE_BYTES_MAX).read_until(b'\n', &mut line)?;
        if count == 0 {
            return Ok(account);
        }
        let words = line.trim_ascii();
        if words.is_empty() {
            continue;
        }
        let known = adapter.line(words, &mut |said| {
            beside(&said);
            account.hear(said);
        });
        account.count(known.is_some());
    }
}
