//! `piton best`: the best iteration of a run, or the one that a person prefers.

use piton_model::ExitCode;
use piton_view::{CycleStatus, Request, StatusOf};

use crate::cli::{BestArguments, Global};
use crate::failure::{Failure, Result};
use crate::output::{Output, clean_line};
use crate::repository;

use super::not_a_loop;

pub(super) async fn run(global: &Global, arguments: &BestArguments, out: &Output) -> Result {
    let (client, run) = repository::open_run(global, arguments.run.run.as_deref()).await?;
    if let Some(wanted) = &arguments.use_iteration {
        let iteration = match wanted.as_str() {
            "best" => 0,
            "final" => client.status(&run).await?.counted,
            number => number.parse().ok().filter(|number| *number > 0).ok_or_else(|| {
                Failure::usage(format!("`{number}` is no iteration")).hint("give a number, `final` or `best`")
            })?,
        };
        let reason = arguments.reason.as_deref().unwrap_or_default().trim().to_owned();
        if reason.is_empty() {
            return Err(Failure::usage("another iteration is preferred for a reason")
                .hint("say why with --reason; it stays on record"));
        }
        client.request(&run, Request::Choose { iteration, reason }).await?;
    }
    let status = client.status(&run).await?;
    if let StatusOf::Cycle(status) = &status.of {
        return Ok(of_cycle(status, out));
    }
    let StatusOf::Loop(status) = &status.of else { return Err(not_a_loop(status.entry())) };
    if out.json {
        match &status.chosen {
            None => out.json(&status.best),
            chosen => out.json(&serde_json::json!({"chosen": chosen, "best": status.best})),
        }
        return Ok(ExitCode::Done);
    }
    if let Some(best) = &status.best {
        let below = if best.acceptable { "" } else { " (below 70: not good enough to hand on)" };
        out.row(match best.total {
            0 => format!("#{}  there are no checks to compare by", best.iteration),
            total => {
                let passed = format!("{} of {total} checks", best.passed);
                format!("#{}  {passed}, score {:.1}{below}", best.iteration, best.quality_score)
            }
        });
    } else {
        out.note("no iteration was judged yet");
    }
    if let Some(chosen) = &status.chosen {
        out.row(format!("#{}  chosen instead: {}", chosen.iteration, clean_line(&chosen.reason)));
    }
    if status.best.is_some() || status.chosen.is_some() {
        out.note(format!("`piton restore {}` puts its files back", run.short()));
    }
    Ok(ExitCode::Done)
}

/// The best iteration of a cycle.
fn of_cycle(status: &CycleStatus, out: &Output) -> ExitCode {
    if out.json {
        out.json(&status.best);
        return ExitCode::Done;
    }
    match &status.best {
        Some(best) => {
            let score = best.quality_score.map_or_else(String::new, |score| format!(", score {score:.1}"));
            let chosen = best
                .chosen
                .as_deref()
                .map_or_else(String::new, |why| format!(", chosen: {}", clean_line(why)));
            out.row(format!("#{}{score}{chosen}", best.iteration));
        }
        None => out.note("no iteration was judged yet"),
    }
    ExitCode::Done
}
