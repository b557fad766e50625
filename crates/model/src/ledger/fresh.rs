//! What can be relied on, and what is known for a prompt.

use super::evidence::{Observed, changed_flips};
use super::gap::{Gap, GapStatus};
use super::moment::to_iso;
use super::stale::{age_ms, due_flips, is_due};
use crate::Timestamp;

/// About so many characters are a token.
const CHARS_PER_TOKEN: usize = 4;

/// Why a gap cannot be relied on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotFresh {
    /// Which.
    pub gap: String,
    /// Why, in words.
    pub why: String,
    /// Whether there is such a gap at all.
    pub is_there: bool,
}

/// Of these gaps (of all, where none is named), those that are not verified and fresh. Reading refreshes nothing.
pub fn not_fresh(
    gaps: &[Gap],
    default_ttl_days: u32,
    wanted: &[String],
    observed: &Observed,
    now: Timestamp,
) -> Vec<NotFresh> {
    let judge = |gap: &Gap| {
        let why = why_not(gap, default_ttl_days, observed, now)?;
        Some(NotFresh { gap: gap.id.clone(), why, is_there: true })
    };
    if wanted.is_empty() {
        return gaps.iter().filter_map(judge).collect();
    }
    let missing =
        |id: &String| NotFresh { gap: id.clone(), why: "there is no such gap".to_owned(), is_there: false };
    let of_name = |id: &String| match gaps.iter().find(|gap| gap.id == *id) {
        None => Some(missing(id)),
        Some(gap) => judge(gap),
    };
    wanted.iter().filter_map(of_name).collect()
}

fn why_not(gap: &Gap, default_ttl_days: u32, observed: &Observed, now: Timestamp) -> Option<String> {
    if gap.status != GapStatus::Verified {
        return Some(gap.status.to_string());
    }
    let alone = std::slice::from_ref(gap);
    let due = due_flips(alone, default_ttl_days, now);
    let changed = changed_flips(alone, observed, now);
    due.into_iter().chain(changed).next().map(|flip| flip.reason)
}

/// What is known, for a prompt of at most so many tokens: the most urgent first, each cut before any is left out.
pub fn for_prompt(
    gaps: &[Gap],
    default_ttl_days: u32,
    wanted: &[String],
    tokens: usize,
    now: Timestamp,
) -> String {
    let is_wanted = |gap: &&Gap| wanted.is_empty() || wanted.contains(&gap.id);
    let mut gaps: Vec<&Gap> = gaps.iter().filter(is_wanted).filter(|gap| !gap.findings.is_empty()).collect();
    gaps.sort_by_key(|gap| (std::cmp::Reverse(gap.priority), gap.id.as_str()));
    if gaps.is_empty() {
        return String::new();
    }
    let head = "## What is known\n";
    let mut left = tokens.saturating_sub(head.len() / CHARS_PER_TOKEN);
    let mut text = head.to_owned();
    for (place, gap) in gaps.iter().enumerate() {
        let title = title(gap, default_ttl_days, now);
        let cost = title.chars().count() / CHARS_PER_TOKEN + 2;
        // What the others need at least is kept for them.
        let fair = left / (gaps.len() - place);
        let Some(room) = fair.max(left / 2).checked_sub(cost).filter(|room| *room >= 8) else {
            text.push_str(&format!("\n[{} more left out]\n", gaps.len() - place));
            break;
        };
        let findings = clip_to_tokens(gap.findings.trim(), room);
        left = left.saturating_sub(cost + findings.chars().count() / CHARS_PER_TOKEN + 1);
        text.push_str(&format!("\n{title}\n{findings}\n"));
    }
    text
}

fn title(gap: &Gap, default_ttl_days: u32, now: Timestamp) -> String {
    let status = if is_due(gap, default_ttl_days, now) { GapStatus::Stale } else { gap.status };
    let when = gap.last_verified.map_or_else(String::new, |at| format!(", verified {}", to_iso(at)));
    let days = age_ms(gap, now).map_or_else(String::new, |age| format!(", {} days old", age / 86_400_000));
    let question = if gap.question.is_empty() { &gap.id } else { &gap.question };
    format!("### {question} ({status}{when}{days})")
}

/// The beginning of a text, at a boundary, with a word about how much is missing.
pub fn clip_to_tokens(text: &str, tokens: usize) -> String {
    let chars_max = tokens.saturating_mul(CHARS_PER_TOKEN);
    let Some((cut, _)) = text.char_indices().nth(chars_max) else { return text.to_owned() };
    let least = cut * 6 / 10;
    let head = &text[..cut];
    let boundary = ["\n\n", ". ", "\n", " "].iter().find_map(|mark| {
        head.rfind(mark).map(|place| place + mark.trim_end_matches(' ').len()).filter(|place| *place >= least)
    });
    let head = head[..boundary.unwrap_or(cut)].trim_end();
    // Some of it is there, and some is not: neither share is said to be all.
    let removed = ((text.len() - head.len()) * 100 / text.len()).max(1);
    format!("{head}\n[… {removed} % left out]")
}
