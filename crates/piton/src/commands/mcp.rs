//! `piton mcp`: the tools by which an agent talks back to its run.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use piton_agent::{ReportProblem, read_report_file, write_report_file};
use piton_mcp::{Desk, NoteKind, Progress, Said};
use piton_model::ExitCode;
use piton_model::limits::{CUSTOM_KEYS_MAX, NOTES_MAX};
use piton_model::loop_machine::{self, Note, Report, ReportStatus, ReportedObjectives};
use piton_sys::lock::FileLock;
use piton_view::Brief;

use crate::cli::{Global, McpArguments};
use crate::failure::{Failure, Result};
use crate::repository::{self, Layout, read_brief};

pub(super) async fn run(global: &Global, arguments: &McpArguments) -> Result {
    let desk: Arc<dyn Desk> = match (&arguments.brief, &arguments.report) {
        (Some(brief), Some(report)) => Arc::new(OfAttempt { brief: brief.clone(), report: report.clone() }),
        _ => Arc::new(OfRun { layout: repository::layout(global)?, run: arguments.run.run.clone() }),
    };
    piton_mcp::serve(desk).await.map_err(|error| Failure::environment(&error))?;
    Ok(ExitCode::Done)
}

/// The desk of an attempt under way: two files, and no look at the journal.
struct OfAttempt {
    brief: PathBuf,
    report: PathBuf,
}

impl Desk for OfAttempt {
    fn brief(&self) -> Result<Brief, String> {
        read_brief(&self.brief).map_err(|error| error.to_string())
    }

    fn say(&self, said: Said) -> Result<(), String> {
        // Two servers of one attempt may be told something at once, and each word is added to those before it.
        let directory = self.report.parent().unwrap_or_else(|| Path::new("."));
        let _lock = FileLock::exclusive_directory(directory, &self.report.with_extension("lock"))
            .map_err(|error| format!("Not recorded, and what you said before is kept: {error}."))?;
        // What the agent wrote itself, and what it said before, stays; also what it wrote and nobody can read.
        let read = read_report_file(&self.report).map_err(|problem| sentence(&problem))?;
        let mut report = read.unwrap_or_default().report;
        require_room(&report, &said)?;
        add(&mut report, said);
        write_report_file(&self.report, &report).map_err(|problem| sentence(&problem))
    }
}

/// Why nothing was added, as the agent is told.
fn sentence(problem: &ReportProblem) -> String {
    let way_out = match problem {
        ReportProblem::NotAnObject => "; mend or remove the file that $PITON_REPORT names, then say it again",
        _ => "",
    };
    format!("Not recorded, and what you said before is kept: {problem}{way_out}.")
}

/// Says so where the run would keep no more of it: what is dropped later is not called recorded.
fn require_room(report: &Report, said: &Said) -> std::result::Result<(), String> {
    let full = |what: &str, max: usize| {
        Err(format!(
            "Not recorded: an attempt may leave {max} {what}, and all are taken; what you said before is kept."
        ))
    };
    match said {
        Said::Note { .. } if report.notes.len() >= NOTES_MAX => full("notes", NOTES_MAX),
        Said::Value { key, .. }
            if report.custom.len() >= CUSTOM_KEYS_MAX && !report.custom.contains_key(key) =>
        {
            full("values", CUSTOM_KEYS_MAX)
        }
        _ => Ok(()),
    }
}

/// Adds what an agent says to what it said before.
fn add(report: &mut Report, said: Said) {
    match said {
        Said::Note { kind, text } => {
            let kind = match kind {
                NoteKind::Decision => loop_machine::NoteKind::Decision,
                NoteKind::Finding => loop_machine::NoteKind::Finding,
            };
            report.notes.push(Note { kind, text });
        }
        Said::Value { key, value } => {
            report.custom.insert(key, value);
        }
        Said::Report { progress, summary, completed, pending } => {
            report.status = Some(match progress {
                Progress::Progress => ReportStatus::Continue,
                Progress::Done => ReportStatus::Done,
                Progress::Blocked => ReportStatus::Blocked,
            });
            match progress {
                Progress::Blocked => report.reason = Some(summary),
                Progress::Progress | Progress::Done => report.summary = Some(summary),
            }
            if !completed.is_empty() || !pending.is_empty() {
                let given = |list: Vec<String>| Some(list).filter(|list| !list.is_empty());
                let (completed, pending) = (given(completed), given(pending));
                report.objectives = Some(ReportedObjectives { completed, pending });
            }
        }
    }
}

/// The desk of somebody who only looks: a run of this repository, and nothing to report to.
struct OfRun {
    layout: Layout,
    run: Option<String>,
}

impl Desk for OfRun {
    fn brief(&self) -> Result<Brief, String> {
        let sentence = |failure: Failure| failure.message;
        let look = || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .map_err(|error| error.to_string())?;
            let client = repository::open(&self.layout).map_err(sentence)?;
            runtime.block_on(async {
                let run = client.resolve(self.run.as_deref()).await.map_err(sentence)?;
                client.brief(&run).await.map_err(sentence)
            })
        };
        // A runtime of its own needs a thread of its own: this one serves already.
        std::thread::scope(|scope| scope.spawn(look).join())
            .unwrap_or_else(|_| Err("the journal could not be read".to_owned()))
    }

    fn say(&self, _: Said) -> Result<(), String> {
        Err("only an agent inside an attempt can report; a person uses `piton tell` and `piton answer`"
            .to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(progress: Progress, summary: &str) -> Said {
        Said::Report { progress, summary: summary.to_owned(), completed: Vec::new(), pending: Vec::new() }
    }

    #[test]
    fn what_was_said_before_stays_and_the_last_word_counts() {
        let mut report = Report { cost_microusd: Some(1_500_000), ..Report::default() };
        add(&mut report, Said::Note { kind: NoteKind::Finding, text: "the parser is slow".to_owned() });
        add(&mut report, said(Progress::Progress, "half of it"));
        add(&mut report, said(Progress::Blocked, "which database?"));
        assert_eq!(report.status, Some(ReportStatus::Blocked));
        assert_eq!(report.reason.as_deref(), Some("which database?"));
        assert_eq!(report.summary.as_deref(), Some("half of it"));
        assert_eq!((report.notes.len(), report.cost_microusd), (1, Some(1_500_000)));
        add(&mut report, Said::Value { key: "score".to_owned(), value: 7.into() });
        assert_eq!(report.custom["score"], 7);
        add(&mut report, said(Progress::Done, "all of it"));
        assert_eq!(report.status, Some(ReportStatus::Done));
    }
}
