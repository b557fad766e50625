//! What else wants to know how fresh something is: gates of loops and workflows, and prompts.

use piton_model::Timestamp;
use std::path::Path;

use piton_files::gaps::Document;
use piton_model::ledger::{
    DEFAULT_TTL_DAYS, Gap, GapStatus, Observed, age_ms, changed_flips, due_flips, is_due, to_iso,
};
use piton_model::limits::GAP_FILE_BYTES_MAX;
use piton_model::loop_machine::RequiredGaps;

use super::research::{CHARS_PER_TOKEN, clip_to_tokens};

/// Why a gap cannot be relied on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotFresh {
    /// Which.
    pub gap: String,
    /// Why, in words.
    pub why: String,
}

/// Of these gaps (of all, where none is named), those that are not verified and fresh. Reading refreshes nothing.
pub fn not_fresh(
    gaps: &[Gap],
    default_ttl_days: u32,
    wanted: &[String],
    observed: &Observed,
    now: Timestamp,
) -> Vec<NotFresh> {
    let all: Vec<String>;
    let wanted = match wanted {
        [] => {
            all = gaps.iter().map(|gap| gap.id.clone()).collect();
            &all
        }
        named => named,
    };
    let mut list = Vec::new();
    for id in wanted {
        let why = match gaps.iter().find(|gap| gap.id == *id) {
            None => Some("there is no such gap".to_owned()),
            Some(gap) => why_not(gap, default_ttl_days, observed, now),
        };
        list.extend(why.map(|why| NotFresh { gap: id.clone(), why }));
    }
    list
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

/// What a loop needs to know of its gaps.
#[derive(Debug)]
pub struct Required {
    /// Those that cannot be relied on, each with why.
    pub not_fresh: Vec<NotFresh>,
    /// What is known, for a prompt.
    pub known: String,
}

/// The gaps of a file that are not fresh, or why the file cannot be read.
pub fn all_fresh(root: &Path, file: &str, now: Timestamp) -> Result<Vec<NotFresh>, String> {
    let document = read(root, file)?;
    let observed = super::observe(root, document.gaps());
    Ok(not_fresh(document.gaps(), DEFAULT_TTL_DAYS, &[], &observed, now))
}

fn read(root: &Path, file: &str) -> Result<Document, String> {
    match piton_sys::file::read_regular(&root.join(file), GAP_FILE_BYTES_MAX) {
        Ok(Some(bytes)) => Document::parse(&bytes).map_err(|_| format!("{file} is not a sound ledger")),
        Ok(None) => Err(format!("there is no {file}")),
        Err(error) => Err(error.to_string()),
    }
}

/// The gaps that a loop requires, as their file says them now. A file that is not sound makes none of them fresh.
pub fn required(root: &Path, gaps: &RequiredGaps, now: Timestamp) -> Required {
    let unreadable = |why: String| {
        let not_fresh = gaps.ids.iter().map(|gap| NotFresh { gap: gap.clone(), why: why.clone() });
        Required { not_fresh: not_fresh.collect(), known: String::new() }
    };
    let document = match read(root, &gaps.file) {
        Ok(document) => document,
        Err(why) => return unreadable(why),
    };
    let observed = super::observe(root, document.gaps());
    let (list, ttl) = (document.gaps(), gaps.default_ttl_days);
    Required {
        not_fresh: not_fresh(list, ttl, &gaps.ids, &observed, now),
        known: for_prompt(list, ttl, &gaps.ids, gaps.tokens as usize, now),
    }
}
