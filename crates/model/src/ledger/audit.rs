//! A flip as a line of the audit log: `[ISO] id: old -> new (reason)`.
//!
//! Ids and reasons are free text; what would break the line is written as an escape, so that a flip is always one
//! line and reads back as it was.

use std::fmt::Write as _;

use super::gap::GapStatus;
use super::moment::{Moment, to_iso};
use super::select::StaleSince;
use super::stale::Flip;

/// The line is not one of an audit log.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a line like `[2026-02-15T12:00:00+00:00] id: old -> new (reason)`")]
pub struct ParseLineError;

impl Flip {
    /// The line, without its line break.
    pub fn to_line(&self) -> String {
        let (old, new) = (self.old, self.new);
        let mut line = format!("[{}] ", to_iso(self.at));
        escape(&self.gap, true, &mut line);
        let _ = write!(line, ": {old} -> {new} (");
        escape(&self.reason, false, &mut line);
        line.push(')');
        line
    }

    /// Reads a line, with or without its line break.
    pub fn from_line(line: &str) -> Result<Flip, ParseLineError> {
        parse(line.trim_end_matches(['\n', '\r'])).ok_or(ParseLineError)
    }
}

fn parse(line: &str) -> Option<Flip> {
    let (at, rest) = line.strip_prefix('[')?.split_once("] ")?;
    let (gap, rest) = rest.split_once(": ")?;
    let (old, rest) = rest.split_once(" -> ")?;
    let (new, reason) = rest.strip_suffix(')')?.split_once(" (")?;
    Some(Flip {
        at: at.parse::<Moment>().ok()?.at,
        gap: unescape(gap)?,
        old: old.parse::<GapStatus>().ok()?,
        new: new.parse::<GapStatus>().ok()?,
        reason: unescape(reason)?,
    })
}

/// A colon before a space or at the end would end an id.
fn escape(text: &str, is_id: bool, into: &mut String) {
    let mut rest = text.chars().peekable();
    while let Some(character) = rest.next() {
        let ends_id = is_id && character == ':' && rest.peek().is_none_or(|next| *next == ' ');
        match character {
            '\\' => into.push_str("\\\\"),
            '\n' => into.push_str("\\n"),
            '\r' => into.push_str("\\r"),
            '\t' => into.push_str("\\t"),
            _ if ends_id || character.is_control() || matches!(character, '\u{2028}' | '\u{2029}') => {
                let _ = write!(into, "\\u{{{:x}}}", u32::from(character));
            }
            _ => into.push(character),
        }
    }
}

fn unescape(text: &str) -> Option<String> {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(character) = rest.next() {
        if character != '\\' {
            plain.push(character);
            continue;
        }
        plain.push(match rest.next()? {
            '\\' => '\\',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'u' => {
                let (code, after) = rest.as_str().strip_prefix('{')?.split_once('}')?;
                rest = after.chars();
                char::from_u32(u32::from_str_radix(code, 16).ok()?)?
            }
            _ => return None,
        });
    }
    Some(plain)
}

/// When each gap was last flipped to stale, from the flips in the order in which they happened.
pub fn last_flips_to_stale<'a>(flips: impl IntoIterator<Item = &'a Flip>) -> StaleSince {
    let mut since = StaleSince::new();
    for flip in flips {
        if flip.new == GapStatus::Stale {
            since.insert(flip.gap.clone(), flip.at);
        }
    }
    since
}
