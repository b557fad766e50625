//! `piton resume`: go on with a run, recovering first.

use piton_model::{ExitCode, Kind, Reason, Status};
use piton_view::{LimitWords, Listed, Resumption};

use crate::cli::{Global, RaiseArguments, ResumeArguments};
use crate::failure::Result;
use crate::output::Output;
use crate::{repository, viewer};

pub(super) async fn run(global: &Global, arguments: ResumeArguments, out: &Output) -> Result {
    if arguments.all {
        return resume_all(global, out).await;
    }
    let (client, run) = repository::open_run(global, arguments.run.run.as_deref()).await?;
    let how = Resumption {
        limits: limits_of(arguments.raise),
        daily_cost_limit: arguments.daily_cost_limit,
        take_over: arguments.take_over,
        no_confine: arguments.no_confine,
    };
    let started = client.resume(&run, how).await?;
    started.notes.iter().for_each(|note| out.note(note));
    if arguments.detach {
        out.did(format!("{run} goes on in the background: `piton attach {}`", run.short()));
        return Ok(ExitCode::Done);
    }
    viewer::view(&*client, &run, started.after, None, out).await
}

async fn resume_all(global: &Global, out: &Output) -> Result {
    let client = repository::open(&repository::layout(global)?)?;
    let runs = client.runs().await?;
    let mut code = ExitCode::Done;
    for lost in runs.lost {
        out.failure(&lost);
        code = lost.kind.exit_code();
    }
    for Listed { undriven, entry, landed: _ } in runs.listed {
        let interrupted = entry.status == Status::Stopped && entry.reason == Some(Reason::Interrupted);
        if entry.kind == Kind::Ledger || !(undriven || interrupted) {
            continue;
        }
        match client.resume(&entry.run_id, Resumption::default()).await {
            Ok(started) => {
                started.notes.iter().for_each(|note| out.note(note));
                out.did(format!("{} goes on in the background", entry.run_id));
            }
            Err(failure) => {
                out.failure(&failure);
                code = failure.kind.exit_code();
            }
        }
    }
    Ok(code)
}

pub(super) fn limits_of(arguments: RaiseArguments) -> LimitWords {
    LimitWords {
        iterations: arguments.max_iterations,
        duration: arguments.max_duration,
        cost: arguments.max_cost,
        tokens: arguments.max_tokens,
        files: arguments.max_files,
        lines: arguments.max_lines,
        reboots: arguments.max_reboots,
    }
}
