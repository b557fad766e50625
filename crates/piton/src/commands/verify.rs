//! `piton verify`: everything that is stored, checked.

use piton_model::ExitCode;
use piton_view::{BackupsVerified, Client, ProblemView, words};
use serde_json::json;

use crate::cli::{Global, VerifyArguments};
use crate::failure::Result;
use crate::output::{Output, clean_line};
use crate::repository;

pub(super) async fn run(global: &Global, arguments: &VerifyArguments, out: &Output) -> Result {
    let client = repository::open(&repository::layout(global)?)?;
    let run = match &arguments.run.run {
        Some(text) => Some(client.resolve(Some(text)).await?),
        None => None,
    };
    let mut tell = |done, all| {
        if all > 1 {
            out.transient(&format!("{done} of {}", words::count(all, "run")));
        }
    };
    let found = client.verify(run.as_ref(), &mut tell).await?;
    out.transient("");
    let backups = match arguments.backups {
        true => Some(backups_of(&*client, arguments, out).await?),
        false => None,
    };
    let sound = found.ok && backups.as_ref().is_none_or(|backups| backups.ok);
    if out.json {
        let mut value = json!(found);
        if let (Some(backups), Some(fields)) = (&backups, value.as_object_mut()) {
            fields.insert("backups".to_owned(), json!(backups.checked));
            fields.insert("ok".to_owned(), json!(sound));
        }
        out.json(&value);
        return Ok(if sound { ExitCode::Done } else { ExitCode::Corrupt });
    }
    found.problems.iter().chain(&found.views).chain(&found.elsewhere).for_each(|problem| said(problem, out));
    for backup in backups.iter().flat_map(|backups| &backups.checked) {
        let state = match &backup.problem {
            Some(problem) => format!("damaged: {problem}"),
            None => "ok".to_owned(),
        };
        out.line(clean_line(&format!("backup {}  {state}", backup.name)));
    }
    for what in backups.iter().flat_map(|backups| &backups.locked) {
        out.line(clean_line(&format!("locked: {what}")));
    }
    let views = match found.views.len() {
        0 => String::new(),
        behind => format!(", {} to rebuild", words::count(behind, "view")),
    };
    out.line(format!(
        "{}: {}, {}, {}{views}",
        if found.ok { "ok" } else { "damaged" },
        words::count(found.runs_checked, "run"),
        words::count(found.events_checked, "event"),
        words::count(found.problems.len(), "problem")
    ));
    Ok(if sound { ExitCode::Done } else { ExitCode::Corrupt })
}

fn said(problem: &ProblemView, out: &Output) {
    let run = problem.run_id.as_ref().map_or_else(String::new, |run| format!("{run}: "));
    let seq = problem.seq.map_or_else(String::new, |seq| format!("event {seq}: "));
    out.line(clean_line(&format!("{run}{seq}{}", problem.what)));
    out.line(clean_line(&format!("  {}", problem.remedy)));
}

/// Every listed backup, restored into a journal that nobody sees. Where there is none, that is no problem.
async fn backups_of(
    client: &dyn Client,
    arguments: &VerifyArguments,
    out: &Output,
) -> Result<BackupsVerified> {
    let to = super::backup::from_here(&arguments.place)?;
    let listed = client.backups(to.as_deref()).await?;
    let names = listed.backups.iter().map(|backup| backup.name.clone()).collect::<Vec<_>>();
    let mut all = BackupsVerified {
        ok: listed.damaged.is_empty(),
        locked: listed.locked,
        ..BackupsVerified::default()
    };
    for problem in &listed.damaged {
        out.note(clean_line(&format!("damaged: {problem}")));
    }
    for (done, name) in names.iter().enumerate() {
        out.transient(&format!("{done} of {}", words::count(names.len(), "backup")));
        let verified = client.verify_backups(to.as_deref(), Some(name)).await?;
        all.ok &= verified.ok;
        all.checked.extend(verified.checked);
        all.notes.extend(verified.notes);
    }
    out.transient("");
    Ok(all)
}
