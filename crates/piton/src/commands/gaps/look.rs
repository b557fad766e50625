//! Commands that only report: `validate`, `order`, `stale`, `batch`, `fresh`, `prompt`, `export`.

use piton_model::ExitCode;
use piton_model::ledger::Flip;
use piton_view::{InLedger, StaleGaps, words};
use serde_json::{Value, json};

use super::Place;
use crate::cli::gaps::{BatchArguments, ExportGapsArguments, FreshArguments, GapsFormat, PromptArguments};
use crate::failure::{ErrorKind, Result};
use crate::output::{Output, clean, clean_line};

pub(super) async fn validate(place: &Place, out: &Output) -> Result {
    let read = place.door.gap_order(&place.ledger, place.now()).await;
    let reading = match read {
        // A file that cannot be read is what is asked about.
        Err(error) if out.json && error.kind == ErrorKind::Failed && !error.details.is_empty() => {
            out.json(&json!({ "valid": false, "exists": true, "problems": error.details, "warnings": [] }));
            return Ok(ExitCode::Failed);
        }
        read => read?,
    };
    let InLedger { found: order, gaps, mut problems, warnings, exists } = reading;
    // What other commands put up with is wrong all the same.
    problems.extend(order.cycles);
    let is_valid = exists && problems.is_empty();
    let file = place.ledger.file.display();
    if out.json {
        out.json(&json!({
            "valid": is_valid,
            "exists": exists,
            "gaps": gaps,
            "cycled": order.cycled,
            "problems": problems,
            "warnings": warnings,
        }));
    } else {
        place.warn(&warnings, out);
        match problems.is_empty() {
            _ if !exists => out.row(format!("there is no {file}")),
            true => out.row(format!("{file} is sound: {}", words::count(gaps, "gap"))),
            false => out.row(format!("{file} can be worked with, but this is wrong:")),
        }
        problems.iter().for_each(|problem| out.row(format!("  {}", clean_line(problem))));
    }
    Ok(if is_valid { ExitCode::Done } else { ExitCode::Failed })
}

fn tell_cycles(cycles: &[String], out: &Output) {
    cycles.iter().for_each(|cycle| out.note(format!("warning: {cycle}")));
}

pub(super) async fn order(place: &Place, out: &Output) -> Result {
    let order = place.told(place.door.gap_order(&place.ledger, place.now()).await?, out).found;
    if out.json {
        out.json(&order);
        return Ok(ExitCode::Done);
    }
    out.lines(order.ordered.iter().map(|id| clean_line(id)));
    tell_cycles(&order.cycles, out);
    Ok(ExitCode::Done)
}

pub(super) async fn stale(place: &Place, out: &Output) -> Result {
    let seen = place.told(place.door.stale_gaps(&place.ledger, place.now()).await?, out);
    let StaleGaps { due, stale } = seen.found;
    if out.json {
        out.json(&json!({ "due": due.iter().map(flip_json).collect::<Vec<_>>(), "stale": stale }));
        return Ok(ExitCode::Done);
    }
    out.lines(stale.iter().map(|id| format!("{}: stale", clean_line(id))));
    out.lines(due.iter().map(flip_line));
    if due.is_empty() && stale.is_empty() {
        out.note("nothing is stale");
    } else if !due.is_empty() {
        out.note("nothing was written; `piton gaps stale --apply` writes the flips");
    }
    Ok(ExitCode::Done)
}

/// `GAP: old -> new (reason)`.
pub(super) fn flip_line(flip: &Flip) -> String {
    format!("{}: {} -> {} ({})", clean_line(&flip.gap), flip.old, flip.new, clean_line(&flip.reason))
}

pub(super) fn flip_json(flip: &Flip) -> Value {
    json!({
        "gap": flip.gap,
        "old": flip.old.as_str(),
        "new": flip.new.as_str(),
        "reason": flip.reason,
        "at": piton_model::ledger::to_iso(flip.at),
    })
}

pub(super) async fn batch(place: &Place, arguments: &BatchArguments, out: &Output) -> Result {
    let max = place.max_per_run(arguments.max);
    let seen = place.told(place.door.gap_batch(&place.ledger, max, place.now()).await?, out);
    let InLedger { found, gaps, exists, .. } = seen;
    if out.json {
        out.json(&json!({
            "exists": exists,
            "batch": found.batch,
            "stale": found.stale,
            "unknown": found.unknown,
            "later": found.later,
            "checked": found.checked,
            "waiting": found.waiting,
        }));
        return Ok(ExitCode::Done);
    }
    for gap in &found.batch {
        out.row(clean_line(&gap.gap.id));
    }
    tell_cycles(&found.cycles, out);
    match found.batch.is_empty() {
        // That there is no file has been said.
        true if !exists => {}
        true if gaps == 0 => out.note(nothing_in(&place.ledger.file)),
        true => out.note(all_current(gaps, found.checked.len(), found.waiting.len())),
        false => out.note(found.picture),
    }
    Ok(ExitCode::Done)
}

pub(super) fn nothing_in(file: &std::path::Path) -> String {
    format!("nothing needs research: {} has no gaps", file.display())
}

pub(super) fn all_current(gaps: usize, checked: usize, waiting: usize) -> String {
    let mut text = format!("all is current: none of {} needs research now", words::count(gaps, "gap"));
    if checked > 0 {
        text.push_str(&format!(", {checked} checked lately"));
    }
    if waiting > 0 {
        text.push_str(&format!(", {waiting} waiting for others"));
    }
    text + "; `piton gaps research ID` does it all the same"
}

pub(super) async fn fresh(place: &Place, arguments: &FreshArguments, out: &Output) -> Result {
    let seen = place.door.gaps_not_fresh(&place.ledger, &arguments.ids, place.now()).await?;
    let InLedger { found: list, exists, .. } = place.told(seen, out);
    if out.json {
        let list: Vec<Value> = list.iter().map(|gap| json!({ "gap": gap.gap, "why": gap.why })).collect();
        out.json(&json!({ "fresh": exists && list.is_empty(), "exists": exists, "not_fresh": list }));
    } else {
        out.lines(list.iter().map(|gap| format!("{}: {}", clean_line(&gap.gap), clean_line(&gap.why))));
    }
    // Of a file that is not there nothing is known: a slip of the pen must not open a gate.
    Ok(if exists && list.is_empty() { ExitCode::Done } else { ExitCode::Failed })
}

pub(super) async fn prompt(place: &Place, arguments: &PromptArguments, out: &Output) -> Result {
    let PromptArguments { ids, tokens } = arguments;
    let seen = place.door.gap_prompt(&place.ledger, ids, *tokens as usize, place.now()).await?;
    let text = place.told(seen, out).found;
    match out.json {
        true => out.json(&json!({ "prompt": text })),
        false => out.row(clean(text.trim_end())),
    }
    Ok(ExitCode::Done)
}

pub(super) async fn export(place: &Place, arguments: &ExportGapsArguments, out: &Output) -> Result {
    let as_json = match arguments.format {
        GapsFormat::Json => true,
        GapsFormat::Yaml => out.json,
    };
    let seen = place.door.export_gaps(&place.ledger, as_json, place.now()).await?;
    let bytes = place.told(seen, out).found;
    match as_json {
        true => out.json_text(&bytes),
        false => out.bytes(&bytes),
    }
    Ok(ExitCode::Done)
}
