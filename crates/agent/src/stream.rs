//! What an agent's output says, in one small vocabulary, whatever CLI it is.
//!
//! A parser per format turns a line into things [`Said`]; an [`Account`] adds them up. Decisions rest on fields
//! that the CLI fills in itself, never on what a model or a tool wrote. A line that nobody understands is
//! counted and otherwise left alone: an agent that learns a new word does not fail for it.

mod account;
mod aider;
mod claude;
mod codex;
mod gemini;
mod goose;
mod lines;
mod opencode;
mod problem;

use std::borrow::Cow;
use std::io::{self, BufRead};

use piton_model::loop_machine::{ErrorClass, StreamFormat, Usage};
use serde::{Deserialize, Deserializer};

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
        /// Which.
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
        /// Of what.
        class: Option<ErrorClass>,
        /// In words.
        message: Cow<'a, str>,
    },
    /// Something a person should know, of which the attempt does not fail.
    Warning(Cow<'a, str>),
    /// The last word: the agent has come to its end.
    Finished,
}

/// A text that may be absent, borrowed from its line wherever nothing in it is escaped.
fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Cow<'de, str>>, D::Error> {
    #[derive(Deserialize)]
    struct Text<'a>(#[serde(borrow)] Cow<'a, str>);
    Ok(Option::<Text<'_>>::deserialize(deserializer)?.map(|text| text.0))
}

/// Reads one line. `false` where nobody understands it.
pub fn parse<'a>(format: &StreamFormat, line: &'a [u8], hear: &mut dyn FnMut(Said<'a>)) -> bool {
    match format {
        StreamFormat::Plain => false,
        StreamFormat::Claude => claude::line(line, hear).is_some(),
        StreamFormat::Codex => codex::line(line, hear).is_some(),
        StreamFormat::Gemini => gemini::line(line, hear).is_some(),
        StreamFormat::Opencode => opencode::line(line, hear).is_some(),
        StreamFormat::Goose => goose::line(line, hear).is_some(),
        StreamFormat::Aider => aider::line(line, hear).is_some(),
        StreamFormat::Lines(fields) => lines::line(fields, line, hear).is_some(),
    }
}

/// Adds up everything that `output` says.
pub fn listen(format: &StreamFormat, mut output: impl BufRead) -> io::Result<Account> {
    let mut account = Account::default();
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
        let known = parse(format, words, &mut |said| account.hear(said));
        account.count(known);
    }
}
