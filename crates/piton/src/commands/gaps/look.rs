//! Commands that only report: `validate`, `order`, `stale`, `batch`, `fresh`, `prompt`, `export`.

use piton_files::gaps::{Document, UnknownKeys};
use piton_model::ExitCode;
use piton_model::ledger::{
    Flip, Gap, GapStatus, StaleSince, for_prompt, not_fresh, select_batch, sort_gaps, survey,
};
use piton_model::ledger_machine::all_due;
use piton_model::limits::GAP_FILE_BYTES_MAX;
use piton_view::{GapsView, words};
use serde_json::{Map, Value, json};

use super::Place;
use super::show::{fields_json, gap_json};
use crate::cli::gaps::{BatchArguments, ExportGapsArguments, FreshArguments, GapsFormat, PromptArguments};
use crate::failure::{ErrorKind, Result};
use crate::output::{Output, clean, clean_line};

pub(super) async fn validate(place: &Place, out: &Output) -> Result {
    let read = place.door.gaps(&place.ledger, place.now()).await;
    let reading = match read {
        // A file that cannot be read is what is asked about.
        Err(error) if out.json && error.kind == ErrorKind::Failed && !error.details.is_empty() => {
            out.json(&json!({ "valid": false, "exists": true, "problems": error.details, "warnings": [] }));
            return Ok(ExitCode::Failed);
        }
        read => read?,
    };
    let GapsView { state, mut problems, warnings, exists, .. } = reading;
    // What other commands put up with is wrong all the same.
    problems.extend(words::ledger::cycles(&state.gaps));
    let is_valid = exists && problems.is_empty();
    let file = place.ledger.file.display();
    if out.json {
        out.json(&json!({
            "valid": is_valid,
            "exists": exists,
            "gaps": state.gaps.len(),
            "cycled": sort_gaps(&state.gaps).cycled,
            "problems": problems,
            "warnings": warnings,
        }));
    } else {
        place.warn(&warnings, out);
        match problems.is_empty() {
            _ if !exists => out.line(format!("there is no {file}")),
            true => out.line(format!("{file} is sound: {}", words::count(state.gaps.len(), "gap"))),
            false => out.line(format!("{file} can be worked with, but this is wrong:")),
        }
        problems.iter().for_each(|problem| out.line(format!("  {}", clean_line(problem))));
    }
    Ok(if is_valid { ExitCode::Done } else { ExitCode::Failed })
}

fn tell_cycles(gaps: &[Gap], out: &Output) {
    words::ledger::cycles(gaps).iter().for_each(|cycle| out.note(format!("warning: {cycle}")));
}

pub(super) async fn order(place: &Place, out: &Output) -> Result {
    let state = place.read(out).await?.state;
    let sorted = sort_gaps(&state.gaps);
    if out.json {
        let ordered: Vec<&str> = sorted.ordered.iter().map(|gap| gap.id.as_str()).collect();
        out.json(&json!({ "ordered": ordered, "cycled": sorted.cycled }));
        return Ok(ExitCode::Done);
    }
    out.lines(sorted.ordered.iter().map(|gap| clean_line(&gap.id)));
    tell_cycles(&state.gaps, out);
    Ok(ExitCode::Done)
}

pub(super) async fn stale(place: &Place, out: &Output) -> Result {
    let GapsView { state, observed, .. } = place.read(out).await?;
    let flips = all_due(&state, &observed, place.now());
    let on_disk: Vec<&str> =
        state.gaps.iter().filter(|gap| gap.status == GapStatus::Stale).map(|gap| gap.id.as_str()).collect();
    if out.json {
        out.json(&json!({ "due": flips.iter().map(flip_json).collect::<Vec<_>>(), "stale": on_disk }));
        return Ok(ExitCode::Done);
    }
    out.lines(on_disk.iter().map(|id| format!("{}: stale", clean_line(id))));
    out.lines(flips.iter().map(flip_line));
    if flips.is_empty() && on_disk.is_empty() {
        out.note("nothing is stale");
    } else if !flips.is_empty() {
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
    let GapsView { mut state, observed, exists, .. } = place.read(out).await?;
    let now = place.now();
    let mut stale_since = state.stale_since();
    // What research would flip before it chooses, so that both choose the same.
    let flips: StaleSince =
        all_due(&state, &observed, now).into_iter().map(|flip| (flip.gap, flip.at)).collect();
    for gap in state.gaps.iter_mut().filter(|gap| flips.contains_key(&gap.id)) {
        gap.status = GapStatus::Stale;
    }
    stale_since.extend(flips);
    let survey = survey(&state.gaps, state.default_ttl_days, now, &stale_since);
    let batch = select_batch(survey.candidates.iter().copied(), place.max_per_run(arguments.max));
    if out.json {
        out.json(&json!({
            "exists": exists,
            "batch": batch.iter().map(|gap| gap_json(gap, &state, now)).collect::<Vec<_>>(),
            "stale": survey.stale,
            "unknown": survey.unknown,
            "later": survey.candidates.len() - batch.len(),
            "checked": survey.checked.iter().map(|gap| &gap.id).collect::<Vec<_>>(),
            "waiting": survey.waiting.iter().map(|waiting| &waiting.gap.id).collect::<Vec<_>>(),
        }));
        return Ok(ExitCode::Done);
    }
    for gap in &batch {
        out.line(clean_line(&gap.id));
    }
    if survey.has_cycles {
        tell_cycles(&state.gaps, out);
    }
    match batch.is_empty() {
        // That there is no file has been said.
        true if !exists => {}
        true if state.gaps.is_empty() => {
            out.note(nothing_in(&place.ledger.file));
        }
        true => out.note(all_current(state.gaps.len(), survey.checked.len(), survey.waiting.len())),
        false => out.note(survey.picture(batch.len())),
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
    let reading = place.read(out).await?;
    if reading.exists {
        place.check_named(&reading, &arguments.ids)?;
    }
    let GapsView { state, observed, exists, .. } = reading;
    let list = not_fresh(&state.gaps, state.default_ttl_days, &arguments.ids, &observed, place.now());
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
    let reading = place.read(out).await?;
    place.check_named(&reading, &arguments.ids)?;
    let state = reading.state;
    let text = for_prompt(
        &state.gaps,
        state.default_ttl_days,
        &arguments.ids,
        arguments.tokens as usize,
        place.now(),
    );
    match out.json {
        true => out.json(&json!({ "prompt": text })),
        false => out.line(clean(text.trim_end())),
    }
    Ok(ExitCode::Done)
}

pub(super) async fn export(place: &Place, arguments: &ExportGapsArguments, out: &Output) -> Result {
    let gaps = place.read(out).await?.state.gaps;
    let path = place.layout.root().join(&place.ledger.file);
    let bytes = piton_sys::file::read_regular(&path, GAP_FILE_BYTES_MAX)?;
    // What could not be read was refused a moment ago.
    let document = bytes.and_then(|bytes| Document::parse(&bytes).ok()).unwrap_or_else(Document::empty);
    match arguments.format {
        GapsFormat::Yaml if !out.json => out.bytes(document.passed_on(&gaps).as_bytes()),
        GapsFormat::Yaml | GapsFormat::Json => out.json(&as_json(&document, &gaps)),
    }
    Ok(ExitCode::Done)
}

/// These gaps as JSON, with what else the file holds.
pub(in crate::commands) fn as_json(document: &Document, gaps: &[Gap]) -> Map<String, Value> {
    let UnknownKeys { mut top, gaps: mut unknown } = document.unknown_keys();
    let whole = |gap: &Gap| {
        let mut fields = fields_json(gap);
        fields.extend(unknown.remove(&gap.id).unwrap_or_default());
        fields
    };
    top.extend(document.version().map(|version| ("version".to_owned(), json!(version))));
    top.insert("gaps".to_owned(), gaps.iter().map(whole).collect());
    top
}
