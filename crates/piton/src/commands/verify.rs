//! `piton verify`: everything that is stored, checked.

use piton_model::ExitCode;
use piton_view::words;

use crate::cli::{Global, RunArgument};
use crate::failure::Result;
use crate::output::{Output, clean_line};
use crate::repository;

pub(super) async fn run(global: &Global, argument: &RunArgument, out: &Output) -> Result {
    let client = repository::open(&repository::layout(global)?)?;
    let run = match &argument.run {
        Some(text) => Some(client.resolve(Some(text)).await?),
        None => None,
    };
    let found = client.verify(run.as_ref()).await?;
    if out.json {
        out.json(&found);
    } else {
        for problem in &found.problems {
            let run = problem.run_id.as_ref().map_or_else(String::new, |run| format!("{run}: "));
            let seq = problem.seq.map_or_else(String::new, |seq| format!("event {seq}: "));
            out.line(clean_line(&format!("{run}{seq}{}", problem.what)));
            out.line(clean_line(&format!("  {}", problem.remedy)));
        }
        out.line(format!(
            "{}: {}, {}, {}",
            if found.ok { "ok" } else { "damaged" },
            words::count(found.runs_checked, "run"),
            words::count(found.events_checked, "event"),
            words::count(found.problems.len(), "problem")
        ));
    }
    Ok(if found.ok { ExitCode::Done } else { ExitCode::Corrupt })
}
