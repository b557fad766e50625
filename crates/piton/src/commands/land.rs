//! `piton land`: the work of a run, brought to the branch where it belongs.

use piton_model::ExitCode;
use piton_view::{LandOrder, LandShape, LandedView, Started, words};

use super::begun;
use crate::cli::{Global, LandArguments};
use crate::failure::Result;
use crate::output::{Output, clean_line};
use crate::repository;

pub(super) async fn run(global: &Global, arguments: &LandArguments, out: &Output) -> Result {
    let (client, run) = repository::open_run(global, arguments.run.run.as_deref()).await?;
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
    };
    let landed = client.land(&run, order).await?;
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
            return begun(&*client, started, false, None, out).await;
        }
    }
    Ok(ExitCode::Done)
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
