//! Commands that only report: `validate`, `order`, `stale`, `batch`, `fresh`, `prompt`, `export`.

use piton_files::gaps::render;
use piton_model::ExitCode;
use piton_model::ledger::{
    Flip, GapStatus, StaleSince, detect_cycles, for_prompt, not_fresh, select_batch, sort_gaps, survey,
};
use piton_model::ledger_machine::{State, all_due};
use piton_view::{GapsView, words};
use serde_json::{Value, json};

use super::Place;
use super::show::{fields_json, gap_json};
use crate::cli::gaps::{BatchArguments, ExportGapsArguments, FreshArguments, GapsFormat, PromptArguments};
use crate::failure::Result;
use crate::output::{Output, clean, clean_line};

pub(super) async fn validate(place: &Place, out: &Output) -> Result {
    let GapsView { state, warnings, .. } = place.read(out).await?;
    let sorted = sort_gaps(&state.gaps);
    // What other commands put up with is wrong all the same.
    let problems = problems_of(&state);
    if out.json {
        out.json(&json!({
            "valid": problems.is_empty(),
            "gaps": state.gaps.len(),
            "cycled": sorted.cycled,
            "problems": problems,
            "warnings": warnings,
        }));
    } else if problems.is_empty() {
        let count = words::count(state.gaps.len(), "gap");
        out.line(format!("{} is sound: {count}", place.ledger.file.display()));
    } else {
        let count = words::count(problems.len(), "problem");
        out.line(format!("{} is not sound: {count}", place.ledger.file.display()));
        problems.iter().for_each(|problem| out.line(format!("  {problem}")));
    }
    Ok(if problems.is_empty() { ExitCode::Done } else { ExitCode::Failed })
}

/// What is wrong with a ledger that can be read.
fn problems_of(state: &State) -> Vec<String> {
    let mut problems: Vec<String> = piton_model::ledger::validate(&state.gaps)
        .iter()
        .map(|problem| clean_line(&problem.to_string()))
        .collect();
    problems.extend(cycles(state));
    problems
}

fn cycles(state: &State) -> impl Iterator<Item = String> {
    detect_cycles(&state.gaps).into_iter().map(|cycle| {
        let path: Vec<String> = cycle.iter().map(|id| clean_line(id)).collect();
        format!("these wait for each other: {}; take one edge out", path.join(" -> "))
    })
}

fn tell_cycles(state: &State, out: &Output) {
    cycles(state).for_each(|cycle| out.note(format!("warning: {cycle}")));
}

pub(super) async fn order(place: &Place, out: &Output) -> Result {
    let state = place.read(out).await?.state;
    let sorted = sort_gaps(&state.gaps);
    if out.json {
        let ordered: Vec<&str> = sorted.ordered.iter().map(|gap| gap.id.as_str()).collect();
        out.json(&json!({ "ordered": ordered, "cycled": sorted.cycled }));
        return Ok(ExitCode::Done);
    }
    for gap in &sorted.ordered {
        out.line(clean_line(&gap.id));
    }
    tell_cycles(&state, out);
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
    for id in &on_disk {
        out.line(format!("{}: stale", clean_line(id)));
    }
    for flip in &flips {
        out.line(format!(
            "{}: {} -> {} ({})",
            clean_line(&flip.gap),
            flip.old,
            flip.new,
            clean_line(&flip.reason)
        ));
    }
    if flips.is_empty() && on_disk.is_empty() {
        out.note("nothing is stale");
    } else if !flips.is_empty() {
        out.note("nothing was written; `piton gaps stale --apply` writes the flips");
    }
    Ok(ExitCode::Done)
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
    let GapsView { mut state, observed, .. } = place.read(out).await?;
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
    match batch.is_empty() && !state.gaps.is_empty() {
        true => out.note(all_current(state.gaps.len(), survey.checked.len(), survey.waiting.len())),
        false if state.gaps.is_empty() => {}
        false => out.note(survey.picture(batch.len())),
    }
    Ok(ExitCode::Done)
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
    let GapsView { state, observed, .. } = place.read(out).await?;
    let list = not_fresh(&state.gaps, state.default_ttl_days, &arguments.ids, &observed, place.now());
    if out.json {
        let list: Vec<Value> = list.iter().map(|gap| json!({ "gap": gap.gap, "why": gap.why })).collect();
        out.json(&json!({ "fresh": list.is_empty(), "not_fresh": list }));
    } else {
        for gap in &list {
            out.line(format!("{}: {}", clean_line(&gap.gap), clean_line(&gap.why)));
        }
    }
    Ok(if list.is_empty() { ExitCode::Done } else { ExitCode::Failed })
}

pub(super) async fn prompt(place: &Place, arguments: &PromptArguments, out: &Output) -> Result {
    let state = place.read(out).await?.state;
    let text = for_prompt(
        &state.gaps,
        state.default_ttl_days,
        &arguments.ids,
        arguments.tokens as usize,
        place.now(),
    );
    out.line(clean(text.trim_end()));
    Ok(ExitCode::Done)
}

pub(super) async fn export(place: &Place, arguments: &ExportGapsArguments, out: &Output) -> Result {
    let state = place.read(out).await?.state;
    match arguments.format {
        GapsFormat::Yaml if !out.json => out.bytes(render(&state.gaps).as_bytes()),
        GapsFormat::Yaml | GapsFormat::Json => {
            out.json(&json!({ "gaps": state.gaps.iter().map(fields_json).collect::<Vec<_>>() }));
        }
    }
    Ok(ExitCode::Done)
}
