//! Commands that change gaps: one change each, put into words and passed on.

use piton_files::gaps::{Document, UnknownKeys};
use piton_model::ExitCode;
use piton_model::limits::{GAP_FILE_BYTES_MAX, GAP_TEXT_BYTES_MAX};
use piton_sys::process::Program;
use piton_view::words::count;
use piton_view::{GapChange, GapsChanged};
use serde_json::json;

use super::Place;
use super::look::{flip_json, flip_line};
use crate::cli::gaps::{
    AddArguments, CheckArguments, ImportGapsArguments, UpdateArguments, VerifyGapArguments,
};
use crate::failure::{ErrorKind, Failure, Result};
use crate::output::{Output, clean_line};
use crate::repository::unsound;

/// Says what became of a gap.
fn told(id: &str, changed: &GapsChanged, out: &Output) -> ExitCode {
    let GapsChanged { gap, flips, .. } = changed;
    if out.json {
        out.json(&json!({ "gap": gap, "flips": flips.iter().map(flip_json).collect::<Vec<_>>() }));
        return ExitCode::Done;
    }
    flips.iter().for_each(|flip| out.did(flip_line(flip)));
    if flips.is_empty() {
        let what = if changed.changed { "done" } else { "as it was" };
        out.did(format!("{}: {what}", clean_line(id)));
    }
    ExitCode::Done
}

pub(super) async fn add(place: &Place, arguments: &AddArguments, out: &Output) -> Result {
    let (mut category, mut fields) = (arguments.category.clone(), arguments.fields.clone());
    // The category may stand as a word of its own.
    if category.is_none() && fields.first().is_some_and(|first| !first.contains('=')) {
        category = Some(fields.remove(0));
    }
    if category.is_none() && !fields.iter().any(|field| field.starts_with("category=")) {
        return Err(Failure::usage("a gap needs a category").hint("give --category NAME"));
    }
    let (gap, category) = (arguments.id.clone(), category.unwrap_or_default());
    let changed = place.change(out, GapChange::Add { gap, category, fields }).await?;
    match out.json {
        true => return Ok(told(&arguments.id, &changed, out)),
        false => out.did(format!("{}: added", clean_line(&arguments.id))),
    }
    Ok(ExitCode::Done)
}

pub(super) async fn update(place: &Place, arguments: &UpdateArguments, out: &Output) -> Result {
    let UpdateArguments { id, fields, reason } = arguments;
    let change = GapChange::Set { gap: id.clone(), fields: fields.clone(), reason: reason.clone() };
    Ok(told(id, &place.change(out, change).await?, out))
}

pub(super) async fn check(place: &Place, arguments: &CheckArguments, out: &Output) -> Result {
    if arguments.ids.len() > 1 {
        let reading = place.door.gaps(&place.ledger, place.now()).await?;
        place.check_named(&reading.found, &arguments.ids)?;
    }
    for id in &arguments.ids {
        told(id, &place.change(out, GapChange::Check { gap: id.clone() }).await?, out);
    }
    Ok(ExitCode::Done)
}

pub(super) async fn verify(place: &Place, arguments: &VerifyGapArguments, out: &Output) -> Result {
    let findings = match arguments.findings.as_deref().map(|text| (text, text.strip_prefix('@'))) {
        None => None,
        Some((text, None)) => Some(text.to_owned()),
        Some((_, Some(path))) => Some(read_text(path)?),
    };
    let (gap, sources, reason) = (arguments.id.clone(), arguments.source.clone(), arguments.reason.clone());
    let changed = place.change(out, GapChange::Verify { gap, findings, sources, reason }).await?;
    Ok(told(&arguments.id, &changed, out))
}

fn read_text(path: &str) -> Result<String> {
    let bytes = piton_sys::file::read_regular(path.as_ref(), GAP_TEXT_BYTES_MAX as u64)?
        .ok_or_else(|| Failure::usage(format!("there is no file `{}`", clean_line(path))))?;
    String::from_utf8(bytes).map_err(|_| Failure::usage(format!("`{}` is not UTF-8", clean_line(path))))
}

pub(super) async fn remove(place: &Place, id: &str, out: &Output) -> Result {
    place.change(out, GapChange::Remove { gap: id.to_owned() }).await?;
    match out.json {
        true => out.json(&json!({ "removed": id })),
        false => out.did(format!("{}: removed", clean_line(id))),
    }
    Ok(ExitCode::Done)
}

pub(super) async fn undo(place: &Place, id: &str, out: &Output) -> Result {
    Ok(told(id, &place.change(out, GapChange::Undo { gap: id.to_owned() }).await?, out))
}

pub(super) async fn apply_due(place: &Place, out: &Output) -> Result {
    let flips = place.change(out, GapChange::FlipDue).await?.flips;
    if out.json {
        out.json(&flips.iter().map(flip_json).collect::<Vec<_>>());
        return Ok(ExitCode::Done);
    }
    if !out.quiet {
        out.lines(flips.iter().map(flip_line));
    }
    if flips.is_empty() {
        out.note("nothing is due");
    }
    Ok(ExitCode::Done)
}

/// Gaps of another file that this ledger does not have. Those that both have stay as they are here.
pub(super) async fn import(place: &Place, arguments: &ImportGapsArguments, out: &Output) -> Result {
    let shown = arguments.from.display();
    let bytes = piton_sys::file::read_regular(&arguments.from, GAP_FILE_BYTES_MAX)?
        .ok_or_else(|| Failure::usage(format!("there is no file `{shown}`")))?;
    let document = Document::parse(&bytes)
        .map_err(|problems| unsound(format!("`{shown}` is not a sound ledger"), &problems))?;
    for warning in document.warnings() {
        out.note(format!("warning: {shown}: {}", clean_line(&warning.to_string())));
    }
    for problem in document.problems() {
        out.note(format!("warning: {shown}: {}; it comes as unknown", clean_line(&problem.to_string())));
    }
    if document.unknown_keys() != UnknownKeys::default() {
        out.note(format!("note: keys of {shown} that piton does not know are left out"));
    }
    let added = place.change(out, GapChange::AddMissing(document.gaps().to_vec())).await?.added;
    let is_there = |id: &&str| !added.iter().any(|added| added == id);
    let there: Vec<&str> = document.gaps().iter().map(|gap| gap.id.as_str()).filter(is_there).collect();
    if out.json {
        out.json(&json!({ "added": added, "kept": there }));
        return Ok(ExitCode::Done);
    }
    out.did(format!("{} added", count(added.len(), "gap")));
    if !there.is_empty() {
        out.note(format!("note: {} were there already and stay as they are", there.len()));
    }
    Ok(ExitCode::Done)
}

pub(super) async fn edit(place: &Place, out: &Output) -> Result {
    let editor =
        ["VISUAL", "EDITOR"].iter().find_map(|name| crate::repository::configuration::variable(name));
    let editor = editor.filter(|editor| !editor.trim().is_empty()).ok_or_else(|| {
        Failure::usage("no editor is named").hint("set EDITOR, or edit the file: what you save is adopted")
    })?;
    // What is open is done first, so that the editor shows all there is.
    place.change(out, GapChange::Adopt).await?;
    let path = place.layout.root().join(&place.ledger.file);
    let program = Program::new("/bin/sh").args(["-c", &format!("{editor} \"$1\""), "sh"]).arg(&path);
    let ended =
        program.current_dir(place.layout.root()).run_here().map_err(|error| Failure::environment(&error))?;
    if !ended.success() {
        return Err(Failure::new(ErrorKind::Failed, "the editor did not end well; nothing was adopted"));
    }
    let gaps = place.change(out, GapChange::Adopt).await?.gaps;
    out.did(format!("{}: {}", place.ledger.file.display(), count(gaps, "gap")));
    Ok(ExitCode::Done)
}
