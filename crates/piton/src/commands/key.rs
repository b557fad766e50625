//! `piton key`: make, rotate and look at the keys that what is kept is encrypted with.

use piton_model::ExitCode;
use piton_view::words;

use crate::cli::{Global, KeyArguments, KeyCommand, KeyNewArguments, KeyRotateArguments};
use crate::failure::{Failure, Result};
use crate::output::{Output, clean_line};
use crate::repository::{self, keys};

pub(super) async fn run(global: &Global, arguments: &KeyArguments, out: &Output) -> Result {
    match &arguments.command {
        KeyCommand::New(arguments) => made(arguments, out),
        KeyCommand::Rotate(arguments) => rotated(global, arguments, out).await,
        KeyCommand::Status => status(global, out).await,
    }
}

fn made(arguments: &KeyNewArguments, out: &Output) -> Result {
    let path = std::path::absolute(&arguments.out).map_err(|error| Failure::environment(&error))?;
    let made = keys::make(&path)?;
    if out.json {
        out.json(&made);
    } else {
        out.line(clean_line(&format!("made       {}", made.file)));
        out.line(format!("recipient  {}", made.recipient));
        out.note("keep a copy of it elsewhere: what is encrypted cannot be read without it");
    }
    Ok(ExitCode::Done)
}

async fn rotated(global: &Global, arguments: &KeyRotateArguments, out: &Output) -> Result {
    let old = arguments.old.as_ref().map(std::path::absolute).transpose();
    let old = old.map_err(|error| Failure::environment(&error))?;
    let rotated = keys::rotate(&repository::layout(global)?, old, arguments.all).await?;
    if out.json {
        out.json(&rotated);
        return Ok(ExitCode::Done);
    }
    out.line(format!("new        {}", rotated.new));
    rotated.rewrapped.iter().for_each(|id| out.line(format!("rewrapped  {id}")));
    for id in &rotated.left {
        out.note(format!("warning: key {id} cannot be opened here, and is still for those it was for; --old FILE names what opens it"));
    }
    rotated.notes.iter().for_each(|note| out.note(clean_line(&format!("warning: {note}"))));
    match rotated.sealed_anew {
        Some(count) => {
            let files = words::count(rotated.sealed_files.unwrap_or(0), "file");
            out.line(format!("encrypted  {} anew, and {files} of attempts", words::count(count, "piece")));
        }
        None => out.note("what is there stays encrypted with its old key; `--all` encrypts it anew"),
    }
    Ok(ExitCode::Done)
}

async fn status(global: &Global, out: &Output) -> Result {
    let found = keys::status(&repository::layout(global)?).await?;
    if out.json {
        out.json(&found);
        return Ok(ExitCode::Done);
    }
    for key in &found.keys {
        let (mark, opens) =
            (if key.current { "*" } else { " " }, if key.opens { "opens" } else { "cannot be opened here" });
        out.line(format!(
            "{mark} {}  {}  {opens}  {}",
            key.id,
            key.made_at,
            words::count(key.pieces, "piece")
        ));
        key.openers.iter().for_each(|who| out.line(clean_line(&format!("    for {who}"))));
    }
    let open = words::count(found.open_pieces, "piece");
    match (found.encrypt, found.keys.is_empty()) {
        (true, true) => out.line(format!("encrypted from now on; {open} not encrypted")),
        (true, false) => out.line(format!("new pieces are encrypted with *; {open} not encrypted")),
        (false, _) => out.line(format!("new pieces are not encrypted; {open} not encrypted")),
    }
    if found.encrypt && found.open_files > 0 {
        let files = words::count(found.open_files, "file");
        out.note(format!(
            "{files} of earlier attempts not encrypted; `piton key rotate --all` encrypts what is there"
        ));
    }
    Ok(ExitCode::Done)
}
