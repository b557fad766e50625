//! A ledger, in words.

use std::fmt::Write;
use std::path::Path;

use piton_model::ledger::{self, Adopted, Field, Flip, Gap, GapStatus, Overruled, is_due, to_iso};
use piton_model::ledger_machine::{LedgerEvent as Event, ResearchResult, State};
use piton_model::{Machine, Timestamp};

use super::{ago, cell, clean, clean_line, count, few};
use crate::{GapCounts, LedgerStatus};

/// What an event says of which gap; nothing where it is only about file, log and journal.
pub fn told(event: &Event) -> Vec<(Option<&str>, String)> {
    let (gap, what) = match event {
        Event::GapsFlipped { flips } => {
            return flips
                .iter()
                .map(|Flip { gap, old, new, reason, .. }| {
                    (Some(gap.as_str()), format!("{gap}: {old} -> {new} ({reason})"))
                })
                .collect();
        }
        Event::GapChecked { gap, .. } => (gap, "checked, nothing new".to_owned()),
        Event::GapVerified { gap, findings, superseded, .. } => {
            let new = if findings.is_some() { ", new findings" } else { "" };
            let old = superseded.as_ref().map(|old| format!("; superseded: {}", old.findings.trim()));
            (gap, format!("verified{new}{}", old.unwrap_or_default()))
        }
        Event::GapEdited { gap, fields, .. } => (&gap.id, format!("set {}", names(fields))),
        Event::GapAdded { gap, .. } => (&gap.id, "added".to_owned()),
        Event::GapRemoved { gap, .. } => (gap, "removed".to_owned()),
        Event::FileAdopted { adopted, overruled, .. } => {
            let given_up = overruled.iter().map(|what| (Some(gap_of(what)), self::overruled(what)));
            return adopted.iter().map(of_file).chain(given_up).collect();
        }
        Event::ResearchAttemptStarted { open } => {
            (&open.gap.id, format!("research, attempt {}", open.attempt))
        }
        Event::ResearchSkipped { gap } => (gap, "needs no research any more".to_owned()),
        Event::ResearchBegun { number, gaps, .. } => {
            return vec![(None, format!("research {number} of {}", count(gaps.len() as u64, "gap")))];
        }
        Event::ResearchAttemptEnded { attempt, result, .. } => {
            return vec![(None, format!("attempt {attempt}: {}", self::result(result)))];
        }
        Event::ResearchEnded { number, why, .. } => {
            return vec![(None, format!("research {number} ended: {}", why.as_str()))];
        }
        Event::LedgerOpened { .. }
        | Event::FileWritten { .. }
        | Event::FlipsLogged { .. }
        | Event::WatchSet { .. }
        | Event::CheckpointTaken { .. } => return Vec::new(),
    };
    vec![(Some(gap), format!("{gap}: {what}"))]
}

/// What somebody did to a gap in the file.
fn of_file(adopted: &Adopted) -> (Option<&str>, String) {
    match adopted {
        Adopted::Added { gap } => (Some(gap), format!("{gap}: added in the file")),
        Adopted::Removed { gap } => (Some(gap), format!("{gap}: removed from the file")),
        Adopted::Changed { gap, fields } => {
            (Some(gap), format!("{gap}: edited in the file: {}", names(fields)))
        }
    }
}

/// What piton wanted and a person did not.
pub fn overruled(overruled: &Overruled) -> String {
    let gap = gap_of(overruled);
    match overruled {
        Overruled::Fields { fields, .. } => {
            format!("{gap}: the file says otherwise about {}, and is right", names(fields))
        }
        Overruled::Change { .. } => {
            format!("{gap}: edited or removed in the file meanwhile; the change was given up")
        }
        Overruled::Removal { .. } => format!("{gap}: changed in the file meanwhile, and stays"),
    }
}

/// An edit that found no place in the file.
pub fn kept(path: &Path) -> String {
    format!("an edit that could not be merged is kept in {}", path.display())
}

fn gap_of(overruled: &Overruled) -> &str {
    match overruled {
        Overruled::Fields { gap, .. } | Overruled::Change { gap } | Overruled::Removal { gap } => gap,
    }
}

/// The cycles of dependencies, the first of them.
pub fn cycles(gaps: &[Gap]) -> Vec<String> {
    few(ledger::cycles(gaps).iter().map(|cycle| clean_line(&cycle.to_string())), "cycle")
}

fn names(fields: &[Field]) -> String {
    fields.iter().map(|field| field.as_str()).collect::<Vec<_>>().join(", ")
}

/// What came of an attempt.
pub fn result(result: &ResearchResult) -> String {
    match result {
        ResearchResult::Settled { outcome } => outcome.as_str().to_owned(),
        ResearchResult::Overruled { outcome, .. } => {
            format!("{}, but a person edited the gap meanwhile and is right", outcome.as_str())
        }
        ResearchResult::Lost { what } => format!("lost ({what}), has another turn"),
        ResearchResult::Failed { what } => format!("failed: {what}"),
    }
}

/// An event in a line.
pub fn event(event: &Event) -> String {
    let told: Vec<String> = told(event).into_iter().map(|(_, what)| what).collect();
    let text = match event {
        Event::LedgerOpened { file, log, default_ttl_days, .. } => {
            format!("ledger of {file}, logged in {log}; findings hold {default_ttl_days} days")
        }
        Event::FileAdopted { .. } if told.is_empty() => "the file says the same in other words".to_owned(),
        Event::FileWritten { .. } => "the file holds every change".to_owned(),
        Event::FlipsLogged { count, .. } => format!("{} logged", super::count(*count as u64, "flip")),
        Event::WatchSet { until: Some(until) } => format!("watched: looked at again at {}", to_iso(*until)),
        Event::WatchSet { until: None } => "not watched any more".to_owned(),
        Event::CheckpointTaken { seq, .. } => format!("checkpoint at {seq}"),
        Event::GapsFlipped { .. }
        | Event::GapChecked { .. }
        | Event::GapVerified { .. }
        | Event::GapEdited { .. }
        | Event::GapAdded { .. }
        | Event::GapRemoved { .. }
        | Event::FileAdopted { .. }
        | Event::ResearchBegun { .. }
        | Event::ResearchAttemptStarted { .. }
        | Event::ResearchAttemptEnded { .. }
        | Event::ResearchSkipped { .. }
        | Event::ResearchEnded { .. } => told.join("; "),
    };
    clean_line(&text)
}

/// The same for whoever knows whether a process researches or watches it.
pub fn why_now(state: &State, is_attended: bool) -> String {
    match (&state.research, state.watch) {
        _ if is_attended => why(state),
        (Some(_), _) => format!("{}, but nobody carries it on", why(state)),
        (None, Some(until)) => {
            format!("nobody watches it; a watcher that is gone meant to look again at {}", to_iso(until))
        }
        (None, None) => why(state),
    }
}

/// Why it is where it is.
pub fn why(state: &State) -> String {
    match (&state.research, state.watch) {
        (Some(research), _) => {
            under_way_of(research.number, research.open.as_ref().map(|open| &*open.gap.id))
        }
        (None, Some(until)) => format!("a watcher looks again at {}", to_iso(until)),
        (None, None) => "no research is under way; a ledger waits for time to pass".to_owned(),
    }
}

fn under_way_of(number: u32, gap: Option<&str>) -> String {
    match gap {
        Some(gap) => clean_line(&format!("research {number} looks into `{gap}`")),
        None => format!("research {number} is under way"),
    }
}

/// What was not the cause of where it is.
pub fn not_the_cause(state: &State) -> Vec<String> {
    let open = Machine::effects(state).len();
    let unanswered = state.rests.values().filter(|rest| !rest.answered).count();
    vec![
        format!("{} looked into without an answer", count(unanswered as u64, "gap")),
        format!("{} not in file or log yet", count(open as u64, "change")),
    ]
}

fn known(gaps: &GapCounts) -> String {
    let GapCounts { all, verified, stale, unknown, blocked } = gaps;
    let all = count(*all as u64, "gap");
    format!("{all}: {verified} verified · {stale} stale · {unknown} unknown · {blocked} blocked")
}

/// The most urgent gaps that need research, and how many more.
fn open(view: &LedgerStatus) -> String {
    const SHOWN: usize = 5;
    let shown: Vec<String> = view.open.iter().take(SHOWN).map(|gap| clean_line(gap)).collect();
    match view.open.len().saturating_sub(SHOWN) {
        _ if shown.is_empty() => "nothing needs research now".to_owned(),
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// One screen about it. `next`: what to do, in words.
pub fn status(view: &LedgerStatus, state: &State, next: &str, now: Timestamp) -> Vec<String> {
    let why = why_now(state, view.is_attended);
    let mut lines =
        vec![clean_line(&format!("{}   {}", view.entry.run_id, view.file)), format!("why      {why}")];
    lines.extend(
        view.problem.iter().chain(&view.warnings).map(|what| format!("file     {}", clean_line(what))),
    );
    lines.push(format!("do       {next}"));
    lines.push(format!("known    {}", known(&view.gaps)));
    lines.push(format!("open     {}", open(view)));
    let last = view.last_change.as_deref().unwrap_or("opened");
    lines.push(clean_line(&format!("last     {last} ({} ago)", ago(now, view.entry.updated_at))));
    lines
}

/// What is known, as Markdown.
pub fn report(view: &LedgerStatus, state: &State, now: Timestamp) -> String {
    let mut text = format!("# {}\n\n", clean_line(&view.file));
    let _ = writeln!(text, "Ledger `{}`: {}.\n", view.entry.run_id, known(&view.gaps));
    for what in view.problem.iter().chain(&view.warnings) {
        let _ = writeln!(text, "- The file: {}", clean_line(what));
    }
    let _ = writeln!(text, "Open: {}.\n", open(view));
    text.push_str("| gap | status | verified | question |\n|---|---|---|---|\n");
    for gap in &state.gaps {
        let at = gap.last_verified.map_or_else(|| "never".to_owned(), to_iso);
        let status = if is_due(gap, state.default_ttl_days, now) { GapStatus::Stale } else { gap.status };
        let _ = writeln!(text, "| {} | {status} | {at} | {} |", cell(&gap.id), cell(&gap.question));
    }
    for gap in state.gaps.iter().filter(|gap| gap.status == GapStatus::Verified && !gap.findings.is_empty()) {
        let _ = writeln!(text, "\n## {}\n\n{}", clean_line(&gap.id), clean(gap.findings.trim()));
        for source in &gap.evidence {
            let _ = writeln!(text, "- {}: {}", source.kind.key(), clean_line(source.kind.text()));
        }
    }
    text
}
