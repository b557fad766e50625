//! Where a ledger is: what is known, what is open, what to do next.

use piton_model::Machine;
use piton_model::ledger::{select_batch, survey};
use piton_model::ledger_machine::State;
use piton_sys::{Clock, SystemClock};
use piton_view::words::ledger as words;
use piton_view::{GapCounts, LedgerAt, LedgerStatus, ResearchView, StatusOf, StatusView};

use super::{ClientError, LocalClient};
use crate::ledger::research::is_researched;
use crate::ledger::{Ledger, LedgerError};
use crate::load;

/// Events read at a time.
const PAGE: usize = 1024;

/// Everything about a ledger at one moment.
pub(super) async fn view_of(client: &LocalClient, state: &State) -> Result<StatusView, ClientError> {
    let (status, state) = status_of(client, state).await?;
    Ok(StatusView {
        counted: state.researches,
        screen: words::status(&status, &state, SystemClock.now()),
        ending: vec![format!("next     {}", status.next)],
        ..StatusView::of(StatusOf::Ledger(Box::new(status)))
    })
}

/// Where a ledger is, with the state that this was read from: what was edited by hand is seen, and nothing is written.
pub(super) async fn status_of(
    client: &LocalClient,
    state: &State,
) -> Result<(LedgerStatus, State), ClientError> {
    let now = SystemClock.now();
    let settings = LedgerAt {
        file: state.file.clone().into(),
        log: Some(state.log.clone().into()),
        default_ttl_days: state.default_ttl_days,
    };
    let ledger = Ledger::new(Some(&**client.store()?), client.layout(), settings);
    let (state, problem) = match ledger.read(now).await {
        Ok(reading) => (reading.state, None),
        Err(LedgerError::Store(error)) => return Err(error.into()),
        Err(LedgerError::Load(error)) => return Err(error.into()),
        Err(LedgerError::Invalid { .. }) => {
            (state.clone(), Some("it is not sound: `piton gaps validate` says why".to_owned()))
        }
        Err(error) => (state.clone(), Some(error.to_string())),
    };
    let stale_since = state.stale_since();
    let survey = survey(&state.gaps, state.default_ttl_days, now, &stale_since);
    let open: Vec<String> = select_batch(survey.candidates.iter().copied(), usize::MAX)
        .iter()
        .map(|gap| gap.id.clone())
        .collect();
    let entry = state.entry();
    let research = match &state.research {
        None => None,
        Some(research) => Some(ResearchView {
            number: research.number,
            gap: research.open.as_ref().map(|open| open.gap.id.clone()),
            waiting: research.waiting.len(),
            carried_on: is_researched(client.layout(), &state.run)?,
        }),
    };
    let gaps = GapCounts {
        all: state.gaps.len(),
        verified: survey.fresh,
        stale: survey.stale,
        unknown: survey.unknown,
        blocked: survey.blocked,
    };
    let status = LedgerStatus {
        next: next_command(&state.file, problem.is_some(), research.as_ref(), !open.is_empty()),
        driver: None,
        exit_code: entry.exit_code().map(|code| code as u8),
        file: state.file.clone(),
        problem,
        gaps,
        open,
        research,
        last_change: last_change(client, &state).await?,
        questions: Vec::new(),
        entry,
    };
    Ok((status, state))
}

/// The command that helps most where it is.
fn next_command(file: &str, is_unsound: bool, research: Option<&ResearchView>, has_open: bool) -> String {
    let command = match research {
        _ if is_unsound => "validate",
        Some(research) if research.carried_on => return "piton ls --kind ledger".to_owned(),
        Some(_) => "research",
        None if has_open => "research",
        None => "list",
    };
    match file {
        "gaps.yaml" => format!("piton gaps {command}"),
        file => format!("piton gaps {command} --file {file}"),
    }
}

/// What happened last to a gap, in words: looked for from the end.
async fn last_change(client: &LocalClient, state: &State) -> Result<Option<String>, ClientError> {
    let run = &state.run;
    let mut before = client.row(run).await?.head.seq + 1;
    while before > 1 {
        let from = before.saturating_sub(PAGE as u64).max(1);
        let events = client.store()?.read(run, from, (before - from) as usize).await?;
        for stored in events.iter().rev().filter(|stored| stored.seq < before) {
            let event = load::decode(run, stored)?;
            if let Some((_, what)) = words::told(&event).pop() {
                return Ok(Some(what));
            }
        }
        before = from;
    }
    Ok(None)
}
