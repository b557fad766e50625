//! `piton report`: what a run did, as Markdown for a pull request, or as a page.

use piton_model::ExitCode;
use piton_view::words;

use crate::cli::{Global, ReportArguments};
use crate::failure::Result;
use crate::output::Output;
use crate::repository;

pub(super) async fn run(global: &Global, arguments: &ReportArguments, out: &Output) -> Result {
    let (client, run) = repository::open_run(global, arguments.run.run.as_deref()).await?;
    let report = client.report(&run).await?;
    match (out.json, arguments.html, out.width()) {
        (true, ..) => out.json(&report.data),
        (false, true, _) => out.bytes(report.html.as_bytes()),
        (false, false, Some(width)) => show(&report.text, width, out),
        (false, false, None) => out.bytes(report.text.as_bytes()),
    }
    Ok(ExitCode::Done)
}

/// For a person at a terminal: a table keeps its columns, and loses what does not fit.
pub(super) fn show(text: &str, width: usize, out: &Output) {
    for line in text.lines() {
        match line.starts_with('|') {
            true => out.line(words::cut(line, width)),
            false => out.row(line),
        }
    }
}
