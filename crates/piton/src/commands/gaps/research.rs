//! `piton gaps research`: let an agent look into the gaps that need it.

use piton_config::parse_duration;
use piton_model::ExitCode;
use piton_model::ledger::to_iso;
use piton_model::ledger_machine::{ResearchEnd, ResearchLimits, ResearchResult, Used};
use piton_view::{Batch, ResearchOrder, ResearchUpdate, words};
use serde_json::json;

use super::Place;
use super::look::{all_current, nothing_in};
use crate::cli::gaps::ResearchArguments;
use crate::failure::Failure;
use crate::output::{Output, clean_line};

pub(super) async fn run(
    place: &Place,
    arguments: &ResearchArguments,
    out: &Output,
) -> Result<ExitCode, Failure> {
    let order = ResearchOrder {
        ids: arguments.ids.clone(),
        max: place.max_per_run(arguments.max),
        watch: arguments.watch,
        agent: arguments.agent.clone().into(),
        limits: limits(arguments)?,
        attempt_ms: duration("--attempt-timeout", &arguments.attempt_timeout)?,
        trust: place.trust,
        now: place.given_now,
    };
    let mut has_no_gaps = false;
    let mut tell = |update: ResearchUpdate| match update {
        ResearchUpdate::AllCurrent { gaps: 0, .. } => has_no_gaps = true,
        update => tell(&update, out),
    };
    let batch = place.door.research(&place.ledger, order, &mut tell).await?;
    // That there is no file is said by who reads it.
    if has_no_gaps && place.read(out).await?.exists {
        out.note(nothing_in(&place.ledger.file));
    }
    Ok(batch.map_or(ExitCode::Done, |batch| code(&batch)))
}

fn code(batch: &Batch) -> ExitCode {
    match batch.why {
        ResearchEnd::Tokens | ResearchEnd::Cost | ResearchEnd::Time => ExitCode::Limit,
        ResearchEnd::Done if batch.failed > 0 && batch.settled == 0 => ExitCode::Failed,
        ResearchEnd::Done => ExitCode::Done,
    }
}

fn tell(update: &ResearchUpdate, out: &Output) {
    match update {
        ResearchUpdate::GoesOn { number } => out.note(format!("going on with research {number}")),
        ResearchUpdate::Begins(picture) => out.note(picture),
        ResearchUpdate::Warned(what) => out.note(format!("warning: {}", clean_line(what))),
        ResearchUpdate::AllCurrent { gaps, checked, waiting } => {
            out.note(all_current(*gaps, *checked, *waiting));
        }
        ResearchUpdate::Started { gap, attempt, found } if out.json => {
            out.json_line(&json!({ "event": "started", "gap": gap, "attempt": attempt, "found": found }));
        }
        ResearchUpdate::Started { gap, attempt, found: true } => {
            let gap = clean_line(gap);
            out.note(format!("{gap}: attempt {attempt} was begun before; looking what became of it"));
        }
        ResearchUpdate::Started { gap, .. } => out.note(format!("{}: researching", clean_line(gap))),
        ResearchUpdate::Ended { gap, result, used } if out.json => out.json_line(&json!({
            "event": "ended", "gap": gap, "result": words::ledger::result(result),
            "tokens": used.tokens, "cost_usd": used.microusd.map(|cost| cost as f64 / 1e6),
            "duration_ms": used.working_ms,
        })),
        ResearchUpdate::Ended { gap, result, used } => {
            let used = match result {
                ResearchResult::Lost { .. } => String::new(),
                _ => format!("  {}", words(used)),
            };
            out.row(format!("{}: {}{used}", clean_line(gap), clean_line(&words::ledger::result(result))));
        }
        ResearchUpdate::Skipped { gap } if out.json => {
            out.json_line(&json!({ "event": "skipped", "gap": gap }));
        }
        ResearchUpdate::Skipped { gap } => {
            out.row(format!("{}: needs no research any more", clean_line(gap)));
        }
        ResearchUpdate::Over(batch) => summary(batch, out),
        ResearchUpdate::Waits { until } => {
            let when = until.map_or_else(|| "an edit".to_owned(), to_iso);
            out.note(format!("nothing needs research now; looking again at {when}"));
        }
    }
}

fn words(used: &Used) -> String {
    let cost = used.microusd.map_or_else(|| "cost unknown".to_owned(), words::money);
    let tokens = used.tokens.map_or_else(|| "tokens unknown".to_owned(), |tokens| format!("{tokens} tokens"));
    format!("{} · {tokens} · {cost}", words::duration(used.working_ms))
}

fn summary(batch: &Batch, out: &Output) {
    let Batch { why, spent, settled, failed, left, .. } = batch;
    let cost = match (spent.microusd, spent.cost_unknown) {
        (0, 1..) => "cost unknown".to_owned(),
        (cost, 0) => words::money(cost),
        (cost, unknown) => format!("{} and {unknown} of unknown cost", words::money(cost)),
    };
    if out.json {
        // What nobody told is not nothing.
        let told = |amount: u64, unknown: u32| (amount > 0 || unknown == 0).then_some(amount);
        let cost = told(spent.microusd, spent.cost_unknown).map(|cost| cost as f64 / 1e6);
        out.json_line(&json!({
            "event": "over", "why": why.as_str(), "settled": settled, "failed": failed, "left": left,
            "tokens": told(spent.tokens, spent.tokens_unknown), "cost_usd": cost,
            "working_ms": spent.working_ms,
        }));
        return;
    }
    let rest = if left.is_empty() { String::new() } else { format!(", {} not begun", left.len()) };
    out.note(format!(
        "{}: {settled} settled, {failed} failed{rest} · {} · {cost}",
        why.as_str(),
        words::duration(spent.working_ms)
    ));
}

fn limits(arguments: &ResearchArguments) -> Result<ResearchLimits, Failure> {
    let working_ms =
        arguments.max_duration.as_deref().map(|text| duration("--max-duration", text)).transpose()?;
    let microusd = arguments.max_cost.map(microusd).transpose()?;
    Ok(ResearchLimits { tokens: arguments.max_tokens, microusd, working_ms })
}

/// An amount that somebody can mean: less than the smallest that is counted would end every batch before it begins.
fn microusd(cost: f64) -> Result<u64, Failure> {
    let amount = (cost * 1e6).round();
    match amount.is_finite() && amount >= 1.0 {
        true => Ok(amount as u64),
        false => Err(Failure::usage("--max-cost: give an amount of at least 0.000001")),
    }
}

fn duration(flag: &str, text: &str) -> Result<u64, Failure> {
    match parse_duration(text) {
        Ok(0) => Err(Failure::usage(format!("{flag}: give a time above 0, such as `30m`"))),
        Ok(ms) => Ok(ms),
        Err(error) => Err(Failure::usage(format!("{flag}: {error}"))),
    }
}
