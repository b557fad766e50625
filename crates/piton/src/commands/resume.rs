//! `piton resume`: go on with a run, recovering first.

use piton_engine::LocalClient;
use piton_model::loop_machine::{Limits, Raise};
use piton_model::{ExitCode, Kind, RunId, Status};
use piton_view::{Client, Request};

use super::worker;
use crate::cli::{Global, RaiseArguments, ResumeArguments};
use crate::failure::Failure;
use crate::output::Output;
use crate::viewer::{self, From};
use crate::{configuration, repository, start};

pub(super) async fn run(
    global: &Global,
    arguments: &ResumeArguments,
    out: &Output,
) -> Result<ExitCode, Failure> {
    if arguments.all {
        return resume_all(global, out).await;
    }
    let (client, run) = repository::open_run(global, arguments.run.run.as_deref()).await?;
    let before = match client.kind(&run).await? {
        Kind::Workflow => {
            super::workflows::resume_run(&client, &run, &arguments.raise, arguments.take_over, out).await?
        }
        Kind::Loop | Kind::Ledger => {
            let before = resume(&client, &run, &arguments.raise, arguments.take_over).await?;
            if let Some(note) = edited_since(&client, &run).await? {
                out.note(note);
            }
            before
        }
    };
    if arguments.detach {
        out.line(format!("{run} goes on in the background: `piton attach {}`", run.short()));
        return Ok(ExitCode::Done);
    }
    viewer::view(&client, &run, From::After(before), out).await
}

/// Asks the run to go on and starts a driver; returns the event after which it does.
pub(super) async fn resume(
    client: &LocalClient,
    run: &RunId,
    raise: &RaiseArguments,
    take_over: bool,
) -> Result<u64, Failure> {
    start::let_go(client, run).await?;
    if let Some(holder) = client.store().holder(run).await?
        && !take_over
    {
        return Err(piton_store::Error::Held { run: run.clone(), holder: Box::new(holder) }.into());
    }
    let loaded = client.load(run, None).await?;
    let raise = raise_of(raise, &loaded.state.config.limits)?;
    // A run that a crash left under way needs a driver, not a decision.
    let under_way = matches!(loaded.state.status, Status::Created | Status::Running | Status::Rebooting);
    if !under_way || raise != Raise::default() {
        client.request(run, Request::Resume(raise)).await?;
    }
    start::driver(client, run, take_over).await?;
    Ok(loaded.head)
}

/// A run goes on as it began; whoever edited `piton.toml` since may expect something else.
async fn edited_since(client: &LocalClient, run: &RunId) -> Result<Option<String>, Failure> {
    let Some(began) = client.load(run, None).await?.state.config.file_digest else { return Ok(None) };
    let files = configuration::read(client.layout())?;
    let now = files.project.map(|file| piton_store::chain::hex(&piton_store::chain::digest(&file.content)));
    Ok((now.as_deref() != Some(&began)).then(|| {
        let now = now.as_deref().map_or("gone", |digest| &digest[..12]);
        format!(
            "note: piton.toml changed since this run began ({} → {now}); the run goes on as it began, `piton loop` begins one with the change",
            &began[..began.len().min(12)]
        )
    }))
}

async fn resume_all(global: &Global, out: &Output) -> Result<ExitCode, Failure> {
    let client = repository::open(&repository::layout(global)?)?;
    let mut code = ExitCode::Done;
    for summary in client.runs().await? {
        let unfinished = worker::is_under_way(&summary)
            || summary.status == "stopped" && summary.reason.as_deref() == Some("interrupted");
        if !unfinished || client.store().holder(&summary.run_id).await?.is_some() {
            continue;
        }
        let none = RaiseArguments::default();
        let resumed = match client.kind(&summary.run_id).await? {
            Kind::Workflow => super::workflows::resume_run(&client, &summary.run_id, &none, false, out).await,
            Kind::Loop | Kind::Ledger => resume(&client, &summary.run_id, &none, false).await,
        };
        match resumed {
            Ok(_) => out.line(format!("{} goes on in the background", summary.run_id)),
            Err(failure) => {
                out.failure(&failure);
                code = failure.code;
            }
        }
    }
    Ok(code)
}

fn raise_of(arguments: &RaiseArguments, limits: &Limits) -> Result<Raise, Failure> {
    use piton_config::Limit;
    let raised =
        |limit: Limit, current: Option<u64>, text: &Option<String>| -> Result<Option<u64>, Failure> {
            let failed = |why: String| Failure::usage(format!("{}: {why}", limit.flag()));
            text.as_deref().map(|text| limit.raised(current, text).map_err(failed)).transpose()
        };
    let small = |count: u64| u32::try_from(count).unwrap_or(u32::MAX);
    let iterations = raised(Limit::MaxIterations, Some(limits.iterations.into()), &arguments.max_iterations)?;
    Ok(Raise {
        iterations: iterations.map(small),
        working_ms: raised(Limit::MaxDuration, Some(limits.working_ms), &arguments.max_duration)?,
        cost_microusd: raised(Limit::MaxCost, limits.cost_microusd, &arguments.max_cost)?,
        tokens: raised(Limit::MaxTokens, limits.tokens, &arguments.max_tokens)?,
        files: raised(Limit::MaxFiles, limits.files.map(u64::from), &arguments.max_files)?.map(small),
        lines: raised(Limit::MaxLines, limits.lines, &arguments.max_lines)?,
        reboots: raised(Limit::MaxReboots, limits.reboots.map(u64::from), &arguments.max_reboots)?.map(small),
    })
}
