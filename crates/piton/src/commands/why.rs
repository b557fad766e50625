//! `piton why`: the chain of events behind the status, and what was not the cause.

use std::time::Duration;

use piton_model::loop_machine::State;
use piton_model::workflow::WorkflowEvent;
use piton_model::{Event, ExitCode, Kind, Reason, RunEvent};
use piton_view::{Client, EventView};
use serde::Serialize;

use crate::cli::{Global, RunArgument};
use crate::failure::Failure;
use crate::output::Output;
use crate::{render, repository};

/// Events shown: enough for the last iteration and what led out of it.
const SHOWN: u64 = 16;

#[derive(Serialize)]
struct WhyView {
    run_id: String,
    status: &'static str,
    reason: Option<&'static str>,
    because: String,
    events: Vec<EventView>,
    not_the_cause: Vec<String>,
}

pub(super) async fn run(global: &Global, argument: &RunArgument, out: &Output) -> Result<ExitCode, Failure> {
    let (client, run) = repository::open_run(global, argument.run.as_deref()).await?;
    let outline = client.outline(&run).await?;
    let head = client.store().row(&run).await?.head.seq;
    let from = head.saturating_sub(SHOWN - 1).max(1);
    let events = client.events(&run, from, Duration::ZERO).await?;
    let (because, not_the_cause) = match outline.kind {
        Kind::Workflow => {
            let state = client.load_as(&run, None).await?.state;
            (render::workflow::why(&state), render::workflow::not_the_cause(&state))
        }
        Kind::Loop | Kind::Ledger => {
            let state = client.load(&run, None).await?.state;
            (render::why(&state), not_the_cause(&state))
        }
    };
    let view = WhyView {
        run_id: run.to_string(),
        status: outline.status.as_str(),
        reason: outline.reason.map(Reason::as_str),
        because,
        events,
        not_the_cause,
    };
    if out.json {
        out.json(&view);
        return Ok(ExitCode::Done);
    }
    out.line(format!("{run}   {}: {}", view.status, view.because));
    for event in &view.events {
        let text = describe(outline.kind, event);
        out.line(format!("{:>6}  {}  {text}", event.seq, render::clock(event.at)));
    }
    if !view.not_the_cause.is_empty() {
        out.line(format!("not the cause: {}", view.not_the_cause.join(" · ")));
    }
    Ok(ExitCode::Done)
}

/// The event in words; one that cannot be read is shown by its type.
pub(super) fn describe(kind: Kind, view: &EventView) -> String {
    let data = serde_json::to_vec(&view.data).expect("JSON is JSON");
    let words = match kind {
        Kind::Workflow => {
            WorkflowEvent::decode(&view.kind, view.v, &data).map(|event| render::workflow::event(&event))
        }
        Kind::Loop | Kind::Ledger => {
            Event::decode(&view.kind, view.v, &data).map(|event| render::event(&event))
        }
    };
    words.unwrap_or_else(|_| view.kind.clone())
}

fn not_the_cause(state: &State) -> Vec<String> {
    let (limits, counters) = (&state.config.limits, &state.counters);
    let mut list = Vec::new();
    let mut unless = |reason: Reason, text: String| {
        if state.reason != Some(reason) {
            list.push(text);
        }
    };
    unless(Reason::LimitIterations, format!("iterations {} of {}", counters.iterations, limits.iterations));
    unless(
        Reason::LimitDuration,
        format!("time {} of {}", render::duration(counters.working_ms), render::duration(limits.working_ms)),
    );
    unless(
        Reason::NoProgress,
        format!("no progress {} of {}", counters.no_progress_in_a_row, limits.no_progress),
    );
    unless(Reason::FailureStreak, format!("failures {} of {}", counters.failures_in_a_row, limits.failures));
    if let Some(max) = limits.cost_microusd {
        unless(
            Reason::LimitCost,
            format!("money {} of {}", render::money(counters.cost_microusd), render::money(max)),
        );
    }
    list
}
