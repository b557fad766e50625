//! `piton land`: the work of a run, brought to the branch where it belongs.

mod watch;

use piton_model::{ExitCode, RunId};
use piton_view::{Client, LandOrder, LandShape, LandedInTurn, LandedView, Started, StoppedAt, words};

use super::begun;
use crate::cli::{Global, LandArguments};
use crate::failure::{ErrorKind, Failure, Result};
use crate::output::{Output, clean_line};
use crate::repository;

pub(super) async fn run(global: &Global, arguments: &LandArguments, out: &Output) -> Result {
    let (client, first) = repository::open_run(global, arguments.runs.first().map(String::as_str)).await?;
    let mut runs = vec![first];
    for run in arguments.runs.iter().skip(1) {
        runs.push(client.resolve(Some(run)).await?);
    }
    let shape = match arguments {
        LandArguments { squash: true, .. } => LandShape::Squash,
        LandArguments { merge: true, .. } => LandShape::Merge,
        LandArguments { pr: true, .. } => LandShape::PullRequest,
        _ => LandShape::Commits,
    };
    let order = LandOrder {
        shape,
        onto: arguments.onto.clone(),
        unfinished: arguments.unfinished,
        mend: arguments.mend,
        watched: arguments.watch,
    };
    match runs.as_slice() {
        [run] if arguments.watch => watch::watch(&*client, run, order, arguments, out).await,
        [run] => one(&*client, run, order, out).await,
        runs => in_turn(&*client, runs, order, out).await,
    }
}

/// One run.
async fn one(client: &dyn Client, run: &RunId, order: LandOrder, out: &Output) -> Result {
    let landed = client.land(run, order).await?;
    match (&landed.mended_by, out.json) {
        (_, true) => out.json(&landed),
        (None, false) => told(&landed, out),
        (Some(mender), false) => {
            let red = landed.red.iter().map(|check| format!("`{}`", clean_line(check)));
            let red = red.collect::<Vec<_>>().join(", ");
            out.note(format!(
                "{red} fails on what would land; nothing was moved, and this run mends it there"
            ));
            let started = Started { run_id: mender.clone(), after: 0, notes: Vec::new() };
            return begun(client, started, false, None, out).await;
        }
    }
    Ok(ExitCode::Done)
}

/// Several, one after the other, as far as the first that cannot.
async fn in_turn(client: &dyn Client, runs: &[RunId], order: LandOrder, out: &Output) -> Result {
    client.landable(runs, &order).await?;
    let mut landed: Vec<LandedView> = Vec::new();
    let mut stopped = None;
    for (index, run) in runs.iter().enumerate() {
        let rest = &runs[index..];
        match client.land(run, order.clone()).await {
            Ok(view) if view.mended_by.is_none() => {
                if !out.json {
                    out.note(format!("run     {run}"));
                    told(&view, out);
                }
                landed.push(view);
            }
            Ok(view) => stopped = Some((rest, to_mend(&view, rest))),
            Err(error) => stopped = Some((rest, with_the_rest(error, rest))),
        }
        if stopped.is_some() {
            break;
        }
    }
    let at = stopped.as_ref().and_then(|(rest, error)| Some((rest.split_first()?, error)));
    if out.json {
        out.json(&LandedInTurn {
            landed: &landed,
            stopped: at.map(|((run_id, _), error)| StoppedAt { run_id, error }),
            left: at.map_or(&[], |((_, left), _)| left),
        });
    } else if let Some(((run, left), _)) = at {
        let names = |runs: &[RunId]| runs.iter().map(RunId::to_string).collect::<Vec<_>>().join(", ");
        let left = if left.is_empty() { String::new() } else { format!("; not tried: {}", names(left)) };
        out.note(format!("landed {} of {}; not landed: {run}{left}", landed.len(), runs.len()));
    }
    match stopped {
        Some((_, error)) => Err(error),
        None => Ok(ExitCode::Done),
    }
}

/// Where it stopped, the way out also leads on to those that come after.
fn with_the_rest(mut error: Failure, rest: &[RunId]) -> Failure {
    let Some(run) = rest.first().filter(|_| rest.len() > 1) else { return error };
    let all = rest.iter().map(RunId::to_string).collect::<Vec<_>>().join(" ");
    let (alone, together) = (format!("piton land {run}` again"), format!("piton land {all}` again"));
    error.hint = Some(match error.hint {
        Some(hint) if hint.contains(&alone) => hint.replace(&alone, &together),
        Some(hint) => format!("{hint}; then `piton land {all}` goes on"),
        None => format!("`piton land {all}` goes on"),
    });
    error
}

/// A check fails on what would land, and another run mends it: those that come after land on that.
fn to_mend(landed: &LandedView, rest: &[RunId]) -> Failure {
    let (Some(mender), Some((run, left))) = (&landed.mended_by, rest.split_first()) else {
        return Failure::new(ErrorKind::Failed, "a check fails on what would land; nothing was moved");
    };
    let left: String = left.iter().map(|run| format!(" {run}")).collect();
    let red =
        landed.red.iter().map(|check| format!("`{}`", clean_line(check))).collect::<Vec<_>>().join(", ");
    Failure::new(
        ErrorKind::Failed,
        format!("{red} fails on what would land of `{run}`; `{mender}` mends it there"),
    )
    .hint(format!("`piton wait {mender}`, then `piton land {mender}{left}`"))
}

fn told(landed: &LandedView, out: &Output) {
    let onto = clean_line(&landed.onto);
    if landed.was_there {
        out.did(match landed.is_empty {
            true => format!("{} has left nothing to land", landed.run_id),
            false => format!("{} has the work of {} already", onto, landed.run_id),
        });
        landed.notes.iter().for_each(|note| out.note(clean_line(note)));
        return;
    }
    if landed.began_uncommitted {
        out.note("note    the first commit holds what was not committed when the run began");
    }
    if landed.rebased {
        out.note(format!("note    {onto} had gone on: the commits were made anew on top of it"));
    }
    for check in &landed.checks {
        out.note(format!("check   {} ✓", clean_line(check)));
    }
    for check in &landed.red {
        out.note(format!("check   {} ✗", clean_line(check)));
    }
    landed.notes.iter().for_each(|note| out.note(clean_line(note)));
    let (commits, short) = (words::count(u64::from(landed.commits), "commit"), &landed.commit[..10]);
    out.did(match &landed.pull_request {
        Some(address) => format!("asked  for {commits} to be taken into {onto}: {address}"),
        None if landed.with_files => {
            format!("landed  {commits} on {onto}, which is at {short}, and in the checkout")
        }
        None => format!("landed  {commits} on {onto}, which is at {short}"),
    });
    out.note(format!("next    piton rm {} removes its work tree, branch and record", landed.run_id));
}
