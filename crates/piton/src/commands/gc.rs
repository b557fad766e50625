//! `piton gc`: what nothing needs any more, removed; what is over for long, archived where a policy says so.

use piton_model::ExitCode;
use piton_view::{ArchivedView, CollectView, GcOrder, words};

use crate::cli::{GcArguments, Global};
use crate::failure::{Failure, Result};
use crate::output::{Output, clean_line};
use crate::repository;

pub(super) async fn run(global: &Global, arguments: &GcArguments, out: &Output) -> Result {
    let grace_ms = piton_config::parse_duration(&arguments.grace).map_err(Failure::usage)?;
    let client = repository::open(&repository::layout(global)?)?;
    let order = GcOrder { dry_run: arguments.dry_run, grace_ms, given_up: arguments.given_up };
    let done = client.collect(order).await?;
    match out.json {
        true => out.json(&done),
        false => lines_of(&done).iter().for_each(|line| out.line(clean_line(line))),
    }
    for problem in &done.damaged {
        out.note(clean_line(&format!("damaged: {problem}; run `piton repair`")));
    }
    Ok(if done.damaged.is_empty() { ExitCode::Done } else { ExitCode::Corrupt })
}

fn lines_of(done: &CollectView) -> Vec<String> {
    let mut lines: Vec<String> = done.archived.iter().map(archived).collect();
    lines.extend(done.collected.iter().map(|collected| {
        let bytes = if collected.bytes > 0 { words::bytes(collected.bytes) } else { String::new() };
        format!("{:<12}  {}  {bytes}", collected.what, collected.name).trim_end().to_owned()
    }));
    lines.extend(done.notes.iter().map(|note| format!("note          {note}")));
    let all = match (done.collected.len() + done.archived.len(), done.dry_run) {
        (0, _) => "nothing to collect".to_owned(),
        (_, true) => format!("{} would go; nothing was changed", words::bytes(done.bytes)),
        (_, false) => format!("{} collected", words::bytes(done.bytes)),
    };
    lines.push(all);
    lines
}

fn archived(run: &ArchivedView) -> String {
    let kept = match (&run.backup, &run.place) {
        (Some(backup), Some(place)) => format!("its payloads are in backup {backup} in {place}"),
        _ => "its payloads are nowhere else".to_owned(),
    };
    format!("archived      {} up to event {}: {kept}", run.run_id, run.through)
}
