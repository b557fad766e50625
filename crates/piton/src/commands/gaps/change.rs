//! Commands that change gaps. Each first brings file, journal and log together, then does one thing.

use std::collections::BTreeSet;

use piton_engine::client::unsound;
use piton_engine::ledger::{hash_of, observe};
use piton_files::gaps::Document;
use piton_model::ExitCode;
use piton_model::ledger::{Field, Flip, Gap, Source, SourceKind, set};
use piton_model::ledger_machine::{Command, LedgerEvent, State};
use piton_model::limits::{GAP_FILE_BYTES_MAX, GAP_TEXT_BYTES_MAX};
use piton_sys::process::Program;
use serde_json::json;

use super::Place;
use super::look::flip_json;
use super::show::gap_json;
use crate::cli::gaps::{
    AddArguments, CheckArguments, ImportGapsArguments, UpdateArguments, VerifyGapArguments,
};
use crate::failure::{ErrorKind, Failure};
use crate::output::{Output, clean_line};

/// The gap with the fields of the command line; every problem with them at once.
fn with_fields(mut gap: Gap, fields: &[String]) -> Result<Gap, Failure> {
    let mut problems = Vec::new();
    let mut is_usage = false;
    for text in fields {
        let Some((key, value)) = text.split_once('=') else {
            is_usage = true;
            problems.push(format!("`{}` is not FIELD=VALUE", clean_line(text)));
            continue;
        };
        let Some(field) = Field::from_word(key) else {
            is_usage = true;
            let known = Field::ALL.map(Field::as_str).join(", ");
            problems.push(format!("there is no field `{}`: use {known}", clean_line(key)));
            continue;
        };
        match set(&gap, field, value) {
            Ok(changed) => gap = changed,
            Err(error) => problems.push(clean_line(&error.to_string())),
        }
    }
    let kind = if is_usage { ErrorKind::Usage } else { ErrorKind::Failed };
    match problems.as_slice() {
        [] => Ok(gap),
        [only] => Err(Failure::new(kind, only.clone())),
        several => {
            Err(Failure::new(kind, format!("{} things are wrong", several.len())).details(problems.clone()))
        }
    }
}

fn find(state: &State, id: &str) -> Result<Gap, Failure> {
    state.find(id).cloned().ok_or_else(|| {
        Failure::usage(format!("there is no gap `{}`", clean_line(id)))
            .hint("run `piton gaps list` to see what there is")
    })
}

fn flips_of(events: &[LedgerEvent]) -> Vec<&Flip> {
    events
        .iter()
        .filter_map(|event| match event {
            LedgerEvent::GapFlipped { flip } => Some(flip),
            _ => None,
        })
        .collect()
}

/// `GAP: old -> new (reason)`.
fn flip_line(flip: &Flip) -> String {
    format!("{}: {} -> {} ({})", clean_line(&flip.gap), flip.old, flip.new, clean_line(&flip.reason))
}

/// Says what became of a gap.
fn told(place: &Place, state: &State, id: &str, events: &[LedgerEvent], out: &Output) {
    let flips = flips_of(events);
    if out.json {
        let gap = state.find(id).map(|gap| gap_json(gap, state, place.now()));
        out.json(
            &json!({ "gap": gap, "flips": flips.iter().map(|flip| flip_json(flip)).collect::<Vec<_>>() }),
        );
        return;
    }
    flips.iter().for_each(|flip| out.line(flip_line(flip)));
    if flips.is_empty() {
        let what = if events.is_empty() { "as it was" } else { "done" };
        out.line(format!("{}: {what}", clean_line(id)));
    }
}

pub(super) async fn add(place: &Place, arguments: &AddArguments, out: &Output) -> Result<ExitCode, Failure> {
    let (mut category, mut fields) = (arguments.category.clone(), arguments.fields.clone());
    // The category may stand as a word of its own.
    if category.is_none() && fields.first().is_some_and(|first| !first.contains('=')) {
        category = Some(fields.remove(0));
    }
    if category.is_none() && !fields.iter().any(|field| field.starts_with("category=")) {
        return Err(Failure::usage("a gap needs a category").hint("give --category NAME"));
    }
    let gap = with_fields(Gap::new(&arguments.id, category.unwrap_or_default()), &fields)?;
    let (changed, state) = place.change(out, |_| Ok(Some(Command::Add(Box::new(gap))))).await?;
    match out.json {
        true => told(place, &state, &arguments.id, &changed.events, out),
        false => out.line(format!("{}: added", clean_line(&arguments.id))),
    }
    Ok(ExitCode::Done)
}

pub(super) async fn update(
    place: &Place,
    arguments: &UpdateArguments,
    out: &Output,
) -> Result<ExitCode, Failure> {
    // Words that are wrong whatever the gap is are told before anything is opened.
    for text in &arguments.fields {
        if text.split_once('=').and_then(|(key, _)| Field::from_word(key)).is_none() {
            with_fields(Gap::new("", ""), &arguments.fields)?;
        }
    }
    let reason = arguments.reason.clone();
    let (changed, state) = place
        .change(out, |open| {
            let gap = Box::new(with_fields(find(open.state(), &arguments.id)?, &arguments.fields)?);
            Ok(Some(Command::Edit { gap, reason }))
        })
        .await?;
    told(place, &state, &arguments.id, &changed.events, out);
    Ok(ExitCode::Done)
}

pub(super) async fn check(
    place: &Place,
    arguments: &CheckArguments,
    out: &Output,
) -> Result<ExitCode, Failure> {
    for id in &arguments.ids {
        let (changed, state) = place.change(out, |_| Ok(Some(Command::Check { gap: id.clone() }))).await?;
        told(place, &state, id, &changed.events, out);
    }
    Ok(ExitCode::Done)
}

pub(super) async fn verify(
    place: &Place,
    arguments: &VerifyGapArguments,
    out: &Output,
) -> Result<ExitCode, Failure> {
    let findings = match arguments.findings.as_deref().map(|text| (text, text.strip_prefix('@'))) {
        None => None,
        Some((text, None)) => Some(text.to_owned()),
        Some((_, Some(path))) => Some(read_text(path)?),
    };
    let sources = arguments.source.iter().map(|text| source(place, text)).collect::<Result<Vec<_>, _>>()?;
    let finding = findings.map(|findings| (findings, sources));
    let (gap, reason) = (arguments.id.clone(), arguments.reason.clone());
    let (changed, state) = place.change(out, |_| Ok(Some(Command::Verify { gap, finding, reason }))).await?;
    told(place, &state, &arguments.id, &changed.events, out);
    Ok(ExitCode::Done)
}

fn read_text(path: &str) -> Result<String, Failure> {
    let bytes = piton_sys::file::read_regular(path.as_ref(), GAP_TEXT_BYTES_MAX as u64)?
        .ok_or_else(|| Failure::usage(format!("there is no file `{}`", clean_line(path))))?;
    String::from_utf8(bytes).map_err(|_| Failure::usage(format!("`{}` is not UTF-8", clean_line(path))))
}

/// `file:docs/prices.md`, `command:…`, `commit:…`, `url:…`.
fn source(place: &Place, text: &str) -> Result<Source, Failure> {
    let bad = |why: &str| Failure::usage(format!("`{}`: {why}", clean_line(text)));
    let (kind, rest) = text.split_once(':').ok_or_else(|| bad("give KIND:TEXT"))?;
    let at = Some(place.now());
    let kind = match kind {
        "file" => {
            let hash =
                hash_of(place.layout.root(), rest).ok_or_else(|| bad("not a file of this repository"))?;
            let hash = Some(hash.ok_or_else(|| bad("there is no such file"))?);
            SourceKind::File { path: rest.to_owned(), hash }
        }
        "command" => SourceKind::Command(rest.to_owned()),
        "commit" => SourceKind::Commit(rest.to_owned()),
        "url" => SourceKind::Url(rest.to_owned()),
        "http" | "https" => SourceKind::Url(text.to_owned()),
        _ => return Err(bad("a source is a file, command, commit or url")),
    };
    Ok(Source { kind, at })
}

pub(super) async fn remove(place: &Place, id: &str, out: &Output) -> Result<ExitCode, Failure> {
    place.change(out, |_| Ok(Some(Command::Remove { gap: id.to_owned() }))).await?;
    match out.json {
        true => out.json(&json!({ "removed": id })),
        false => out.line(format!("{}: removed", clean_line(id))),
    }
    Ok(ExitCode::Done)
}

pub(super) async fn undo(place: &Place, id: &str, out: &Output) -> Result<ExitCode, Failure> {
    let (changed, state) = place.change(out, |_| Ok(Some(Command::Undo { gap: id.to_owned() }))).await?;
    told(place, &state, id, &changed.events, out);
    Ok(ExitCode::Done)
}

pub(super) async fn apply_due(place: &Place, out: &Output) -> Result<ExitCode, Failure> {
    let root = place.layout.root();
    let (changed, _) = place
        .change(out, |open| Ok(Some(Command::FlipDue { observed: observe(root, &open.state().gaps) })))
        .await?;
    let flips = flips_of(&changed.events);
    if out.json {
        out.json(&flips.iter().map(|flip| flip_json(flip)).collect::<Vec<_>>());
        return Ok(ExitCode::Done);
    }
    flips.iter().for_each(|flip| out.line(flip_line(flip)));
    if flips.is_empty() {
        out.note("nothing is due");
    }
    Ok(ExitCode::Done)
}

/// Gaps of another file that this ledger does not have. Those that both have stay as they are here.
pub(super) async fn import(
    place: &Place,
    arguments: &ImportGapsArguments,
    out: &Output,
) -> Result<ExitCode, Failure> {
    let shown = arguments.from.display();
    let bytes = piton_sys::file::read_regular(&arguments.from, GAP_FILE_BYTES_MAX)?
        .ok_or_else(|| Failure::usage(format!("there is no file `{shown}`")))?;
    let document =
        Document::parse(&bytes).map_err(|problems| unsound(format!("Invalid YAML in {shown}"), &problems))?;
    for warning in document.warnings() {
        out.note(format!("warning: {shown}: {}", clean_line(&warning.to_string())));
    }
    let mut present = BTreeSet::new();
    let (changed, _) = place
        .change(out, |open| {
            present = open.state().gaps.iter().map(|gap| gap.id.clone()).collect();
            let new = document.gaps().iter().filter(|gap| !present.contains(&gap.id)).cloned().collect();
            Ok(Some(Command::AddAll(new)))
        })
        .await?;
    let added: Vec<&str> = changed
        .events
        .iter()
        .filter_map(|event| match event {
            LedgerEvent::GapAdded { gap, .. } => Some(gap.id.as_str()),
            _ => None,
        })
        .collect();
    let there: Vec<&str> =
        document.gaps().iter().map(|gap| gap.id.as_str()).filter(|id| present.contains(*id)).collect();
    if out.json {
        out.json(&json!({ "added": added, "kept": there }));
        return Ok(ExitCode::Done);
    }
    out.line(format!("{} gaps added", added.len()));
    if !there.is_empty() {
        out.note(format!("note: {} were there already and stay as they are", there.len()));
    }
    Ok(ExitCode::Done)
}

pub(super) async fn edit(place: &Place, out: &Output) -> Result<ExitCode, Failure> {
    let editor =
        ["VISUAL", "EDITOR"].iter().find_map(|name| crate::repository::configuration::variable(name));
    let editor = editor.filter(|editor| !editor.trim().is_empty()).ok_or_else(|| {
        Failure::usage("no editor is named").hint("set EDITOR, or edit the file: what you save is adopted")
    })?;
    // What is open is done first, so that the editor shows all there is.
    place.change(out, |_| Ok(None)).await?;
    let path = place.layout.root().join(&place.settings.file);
    let program = Program::new("/bin/sh").args(["-c", &format!("{editor} \"$1\""), "sh"]).arg(&path);
    let ended =
        program.current_dir(place.layout.root()).run_here().map_err(|error| Failure::environment(&error))?;
    if !ended.success() {
        return Err(Failure::new(ErrorKind::Failed, "the editor did not end well; nothing was adopted"));
    }
    let (_, state) = place.change(out, |_| Ok(None)).await?;
    out.line(format!("{}: {} gaps", place.settings.file.display(), state.gaps.len()));
    Ok(ExitCode::Done)
}
