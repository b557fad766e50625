//! Where a ledger is: what is known, what is open, what to do next.

use piton_model::Machine;
use piton_model::ledger::{DEFAULT_FILE, select_batch, survey};
use piton_model::ledger_machine::State;
use piton_sys::{Clock, SystemClock};
use piton_view::words::{ledger as words, what_to_do};
use piton_view::{GapCounts, LedgerAt, LedgerStatus, ResearchView, StatusOf, StatusView};

use super::{ClientError, LocalClient, MAKE_IT_YOURS};
use crate::ledger::research::is_researched;
use crate::ledger::{Ledger, LedgerError};
use crate::load;

/// Events read at a time.
const PAGE: usize = 1024;

/// Everything about a ledger at one moment.
pub(super) async fn view_of(client: &LocalClient, state: &State) -> Result<StatusView, ClientError> {
    let (mut status, state) = status_of(client, state).await?;
    if client.caution().is_some() {
        status.next = MAKE_IT_YOURS.to_owned();
    }
    let next = what_to_do(&status.next, client.caution());
    Ok(StatusView {
        counted: state.researches,
        screen: words::status(&status, &state, &next, SystemClock.now()),
        ending: vec![format!("next     {next}")],
        ..StatusView::of(StatusOf::Ledger(Box::new(status)))
    })
}

/// A ledger, as journal and file together say it.
pub(super) struct Seen {
    pub(super) state: State,
    /// What is wrong with the file; then the journal answers alone.
    problem: Option<String>,
    /// What is wrong with it and stops nothing.
    warnings: Vec<String>,
}

/// What was edited by hand is seen, and nothing is written.
pub(super) async fn seen(client: &LocalClient, state: &State) -> Result<Seen, ClientError> {
    let settings = LedgerAt {
        file: state.file.clone().into(),
        log: Some(state.log.clone().into()),
        default_ttl_days: state.default_ttl_days,
    };
    let ledger = Ledger::new(Some(&**client.store()?), client.layout(), settings);
    let problem = match ledger.read(SystemClock.now()).await {
        Ok(reading) => {
            let found = reading.problems.iter().map(ToString::to_string);
            let warnings = found.chain(words::cycles(&reading.state.gaps)).collect();
            let problem = (!reading.exists).then(|| "it is not there".to_owned());
            return Ok(Seen { state: reading.state, problem, warnings });
        }
        Err(LedgerError::Store(error)) => return Err(error.into()),
        Err(LedgerError::Load(error)) => return Err(error.into()),
        Err(LedgerError::Invalid { .. }) => "it is not sound: `piton gaps validate` says why".to_owned(),
        Err(error) => error.to_string(),
    };
    Ok(Seen { state: state.clone(), problem: Some(problem), warnings: Vec::new() })
}

/// Where a ledger is, with the state that this was read from.
pub(super) async fn status_of(
    client: &LocalClient,
    state: &State,
) -> Result<(LedgerStatus, State), ClientError> {
    let now = SystemClock.now();
    let Seen { state, problem, warnings } = seen(client, state).await?;
    let is_attended = is_researched(client.layout(), &state.run)?;
    let stale_since = state.stale_since();
    let survey = survey(&state.gaps, state.default_ttl_days, now, &stale_since);
    let open: Vec<String> = select_batch(survey.candidates.iter().copied(), usize::MAX)
        .iter()
        .map(|gap| gap.id.clone())
        .collect();
    let entry = state.entry();
    let research = state.research.as_ref().map(|research| ResearchView {
        number: research.number,
        gap: research.open.as_ref().map(|open| open.gap.id.clone()),
        waiting: research.waiting.len(),
        carried_on: is_attended,
    });
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
        warnings,
        is_attended,
        gaps,
        open,
        research,
        last_change: last_change(client, &state).await?,
        questions: Vec::new(),
        entry,
    };
    Ok((status, state))
}

/// Why a ledger is where it is, and whether anybody cares.
pub(super) fn why_now(client: &LocalClient, state: &State) -> Result<String, ClientError> {
    Ok(words::why_now(state, is_researched(client.layout(), &state.run)?))
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
        DEFAULT_FILE => format!("piton gaps {command}"),
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
