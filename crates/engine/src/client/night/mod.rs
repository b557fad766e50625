//! The morning: what happened while nobody looked, on one screen and as a whole account.
//!
//! The screen is made of rows of the index and of sums that are kept beside the journal ([`sums`]); what the journal knows better is
//! asked of it. Only queues are folded for it, and there are few of them. The account folds what ran in that time, and nothing else.

mod send;
pub(crate) mod sums;

pub(super) use send::send;

use std::collections::{BTreeMap, BTreeSet};

use jiff::{ToSpan, Unit, Zoned};
use piton_git::Workspace;
use piton_model::loop_machine::NoteKind;
use piton_model::workflow::{self, Standing};
use piton_model::{Entry, ExitCode, Kind, RunId, State, Status, Timestamp};
use piton_store::{RunRow, Wanted};
use piton_sys::{Clock, SystemClock};
use piton_view::words::{self, clean, night as night_words};
use piton_view::{
    Client, Error, MorningRun, MorningView, NightCheck, NightData, NightRun, NightSpent, NightView, StateOf,
    StatusOf,
};

use super::report::night_page;
use super::{ClientError, LocalClient, status};
use crate::start::BRANCHES;

/// When a night begins: whoever asks later asks about it, whoever asks before about the one before.
const EVENING: i8 = 18;

/// Queues that the screen looks into.
const QUEUES_MAX: usize = 10;

/// Runs that the next command names.
const LANDED_AT_ONCE_MAX: usize = 10;

/// The last evening.
fn evening() -> Timestamp {
    let now = Zoned::now();
    let at = |day: &Zoned| day.with().hour(EVENING).minute(0).second(0).subsec_nanosecond(0).build();
    let today = at(&now);
    let begin = match today {
        Ok(today) if today <= now => Ok(today),
        _ => now.checked_sub(1.day()).and_then(|day| at(&day)),
    };
    let begin = begin.or_else(|_| now.round(Unit::Hour)).unwrap_or(now);
    Timestamp::from_millis(begin.timestamp().as_millisecond())
}

/// The morning; nothing where there is no run.
pub(super) async fn morning(
    client: &LocalClient,
    since: Option<Timestamp>,
) -> Result<Option<MorningView>, Error> {
    let Some(store) = client.existing_store()? else { return Ok(None) };
    let rows = store.rows(Wanted::ALL_THERE).await.map_err(ClientError::from)?.rows;
    if rows.is_empty() {
        return Ok(None);
    }
    let since = since.unwrap_or_else(evening);
    Ok(Some(screen(client, &rows, since).await?))
}

async fn screen(client: &LocalClient, rows: &[RunRow], since: Timestamp) -> Result<MorningView, Error> {
    let recent: Vec<&RunRow> = rows.iter().filter(|row| row.entry.updated_at >= since).collect();
    let used = sums::of(client, &recent).await?;
    let landed = super::land::branch::landed_runs(client.layout());
    let branches = branches(client);
    let has_branch = |run: &RunId| [run.as_str(), run.short()].iter().any(|name| branches.contains(*name));
    let is_ready = |entry: &Entry| {
        entry.status == Status::Completed
            && has_branch(&entry.run_id)
            && !landed.contains(entry.run_id.as_str())
    };
    let queues = queues(client, rows, since).await?;
    let is_queue = |entry: &Entry| queues.contains_key(&entry.run_id);
    let (mut ready, mut waiting, mut not_done, mut working) = (vec![], vec![], vec![], vec![]);
    // Oldest first: what began first is landed first.
    for entry in rows.iter().rev().map(|row| &row.entry).filter(|entry| entry.kind != Kind::Ledger) {
        let run = |why: Option<String>| MorningRun {
            run_id: Some(entry.run_id.clone()),
            title: entry.title.clone(),
            why,
        };
        let reason = entry.reason.map_or_else(String::new, |reason| format!(" ({})", reason.as_str()));
        match entry.exit_code() {
            None if entry.updated_at >= since => working.push(run(None)),
            _ if is_ready(entry) => ready.push(run(None)),
            // What a queue waits for are its items, which are runs of their own.
            _ if is_queue(entry) && entry.status != Status::Paused => {}
            Some(ExitCode::Person) if entry.needs_person() => {
                waiting.push(run(entry
                    .waiting_for
                    .clone()
                    .or_else(|| Some(words::status_word(entry.status).to_owned()))));
            }
            None | Some(ExitCode::Done) => {}
            Some(_) if entry.updated_at >= since => {
                not_done.push(run(Some(format!("{}{reason}", words::status_word(entry.status)))));
            }
            Some(_) => {}
        }
    }
    for state in queues.values() {
        not_done.extend(not_begun(state));
    }
    let mut view = MorningView {
        since,
        refused: used.values().map(|sum| sum.refused).sum(),
        refused_in: used.iter().filter(|(_, sum)| sum.refused > 0).map(|(run, _)| run.clone()).collect(),
        spent: spent(used.values()),
        next: String::new(),
        ready,
        waiting,
        not_done,
        working,
    };
    let waits = view.waiting.first().and_then(|run| run.run_id.clone());
    view.next = match waits {
        Some(run) => next_of(client, &run).await,
        None => next(&view),
    };
    let redactor = client.redactor();
    let parts = [&mut view.ready, &mut view.waiting, &mut view.not_done, &mut view.working];
    for run in parts.into_iter().flatten() {
        run.title = redactor.redact(&run.title).into_owned();
        run.why = run.why.take().map(|why| redactor.redact(&why).into_owned());
    }
    Ok(view)
}

fn spent<'a>(sums: impl Iterator<Item = &'a sums::Sum>) -> NightSpent {
    let mut all = NightSpent::default();
    for sum in sums.filter(|sum| sum.counts) {
        all.cost_usd += sum.cost_microusd as f64 / 1e6;
        all.cost_is_least |= sum.cost_unknown;
        all.tokens = all.tokens.saturating_add(sum.tokens);
        all.working_ms = all.working_ms.saturating_add(sum.working_ms);
    }
    all
}

/// The queues of that time: few, and what is not begun of them no run says.
async fn queues(
    client: &LocalClient,
    rows: &[RunRow],
    since: Timestamp,
) -> Result<BTreeMap<RunId, workflow::State>, Error> {
    let mut queues = BTreeMap::new();
    let recent = |row: &&RunRow| row.entry.kind == Kind::Workflow && row.entry.updated_at >= since;
    for row in rows.iter().filter(recent).take(QUEUES_MAX) {
        let loaded = client.load::<workflow::State>(&row.entry.run_id, None).await;
        let Some(loaded) = LocalClient::unless_damaged(loaded)? else { continue };
        if loaded.state.options.queue.is_some() {
            queues.insert(row.entry.run_id.clone(), loaded.state);
        }
    }
    Ok(queues)
}

/// Items of a queue that are not begun as things are.
fn not_begun(state: &workflow::State) -> Vec<MorningRun> {
    let is_left =
        |index: &usize| state.standing(*index) == Standing::NotBegun && state.item_run(*index).is_none();
    let item = |index: usize| {
        let item = state.plan.step(index).work.item();
        let title = item.map_or_else(|| state.id(index).to_string(), |item| item.title.clone());
        MorningRun { run_id: None, title, why: state.because(index) }
    };
    (0..state.steps.len()).filter(is_left).map(item).collect()
}

/// The branches of runs, by what follows `piton/`.
fn branches(client: &LocalClient) -> BTreeSet<String> {
    let layout = client.layout();
    let workspace = Workspace::open(layout.root(), &layout.state());
    let names = workspace.and_then(|workspace| workspace.branches_below(BRANCHES.trim_end_matches('/')));
    names.unwrap_or_default().into_iter().collect()
}

/// What lets a run go on that waits for a person, as its own status says it.
async fn next_of(client: &LocalClient, run: &RunId) -> String {
    match client.status(run).await.map(|status| status.of) {
        Ok(StatusOf::Loop(status)) => status.next,
        Ok(StatusOf::Workflow(status)) => status.next,
        Ok(StatusOf::Cycle(status)) => status.next,
        Ok(StatusOf::Ledger(_)) | Err(_) => format!("piton status {run}"),
    }
}

/// The one command that helps most where nothing waits: landing brings work home.
fn next(view: &MorningView) -> String {
    let name = |run: &MorningRun| run.run_id.as_ref().map(ToString::to_string);
    if !view.ready.is_empty() {
        let runs: Vec<String> = view.ready.iter().filter_map(name).take(LANDED_AT_ONCE_MAX).collect();
        return format!("piton land {}", runs.join(" "));
    }
    if let Some(run) = view.working.first() {
        return format!("piton attach {}", name(run).unwrap_or_default());
    }
    if let Some(run) = view.not_done.iter().find_map(name) {
        return format!("piton why {run}");
    }
    "piton night".to_owned()
}

/// The whole account.
pub(super) async fn night(client: &LocalClient, since: Option<Timestamp>) -> Result<NightView, Error> {
    let Some(store) = client.existing_store()? else { return Err(ClientError::NoRuns.into()) };
    let rows = store.rows(Wanted::ALL_THERE).await.map_err(ClientError::from)?.rows;
    let (since, until) = (since.unwrap_or_else(evening), SystemClock.now());
    let morning = screen(client, &rows, since).await?;
    let (mut runs, mut left) = (Vec::new(), Vec::new());
    let recent = rows.iter().rev().filter(|row| row.entry.updated_at >= since);
    for row in recent.filter(|row| row.entry.kind != Kind::Ledger) {
        let loaded = LocalClient::unless_damaged(client.load_any(&row.entry.run_id, None).await)?;
        match loaded.map(|loaded| loaded.state) {
            Some(StateOf::Workflow(state)) if state.options.queue.is_some() => left.extend(not_begun(&state)),
            Some(StateOf::Loop(state)) => runs.push(of_loop(client, &state)),
            Some(other) => runs.push(of_any(&other)),
            None => {}
        }
    }
    let mut data = NightData { until, morning, runs, not_begun: left };
    redact(client, &mut data);
    let text = clean(&night_words::account(&data));
    let html = night_page(&format!("The night from {since}"), &text, &data.runs);
    Ok(NightView { data, text, html })
}

/// Secrets are taken out before anything of it is printed or sent.
fn redact(client: &LocalClient, data: &mut NightData) {
    let redactor = client.redactor();
    let clean = |text: &mut String| *text = redactor.redact(text).into_owned();
    for run in &mut data.runs {
        clean(&mut run.title);
        clean(&mut run.why);
        run.asks.iter_mut().for_each(clean);
        let lists = [&mut run.proved_by, &mut run.not_proven, &mut run.refused, &mut run.decided];
        lists.into_iter().flatten().for_each(clean);
    }
    for item in &mut data.not_begun {
        clean(&mut item.title);
        item.why.iter_mut().for_each(clean);
    }
}

fn result_of(entry: &Entry) -> &'static str {
    match entry.exit_code() {
        None => "at work",
        Some(ExitCode::Done) => "done",
        Some(ExitCode::Person | ExitCode::Environment | ExitCode::Interrupted) => "blocked",
        Some(_) => "failed",
    }
}

/// What a run of another kind than a loop says of itself.
fn of_any(state: &StateOf) -> NightRun {
    let entry = state.entry();
    let (because, _) = state.why();
    let sum = sums::of_state(state);
    NightRun {
        kind: entry.kind.as_str(),
        title: entry.title.clone(),
        result: result_of(&entry),
        why: because,
        queue: None,
        branch: None,
        landed_on: None,
        iterations: entry.iteration,
        checks: Vec::new(),
        tests_before: None,
        tests_after: None,
        proved_by: Vec::new(),
        not_proven: Vec::new(),
        cost_usd: (!sum.cost_unknown).then_some(sum.cost_microusd as f64 / 1e6),
        tokens: Some(sum.tokens),
        working_ms: sum.working_ms,
        took_ms: entry.updated_at.millis_since(entry.created_at),
        refused: Vec::new(),
        decided: Vec::new(),
        asks: entry.waiting_for.clone(),
        run_id: entry.run_id,
    }
}

fn of_loop(client: &LocalClient, state: &State) -> NightRun {
    let changed = status::changed_by(client.layout(), state);
    let round = state.seen.checks.as_ref();
    let passed = |round: Option<&piton_model::loop_machine::CheckRound>| {
        round.and_then(|round| round.measures.tests.as_ref()).map(|tests| tests.passed)
    };
    let proof = round.and_then(|round| round.proof.as_ref());
    let refused = state.judged.findings.iter().filter(|kept| kept.finding.blocking);
    let refused = refused.map(|kept| format!("#{}: {}", kept.iteration, kept.finding.message));
    let decided = state.memory.notes.iter().filter(|kept| kept.note.kind == NoteKind::Decision);
    let checks = round.into_iter().flat_map(|round| &round.checks);
    NightRun {
        queue: state.config.queue.clone(),
        branch: changed.branch,
        landed_on: changed.landed_on,
        iterations: state.counters.iterations,
        checks: checks.map(|check| NightCheck { name: check.name.clone(), passed: check.passed }).collect(),
        tests_before: passed(state.seen.baseline.as_ref()),
        tests_after: passed(round),
        proved_by: proof.map(|proof| proof.proved_by.clone()).unwrap_or_default(),
        not_proven: proof.map(|proof| proof.not_proven.clone()).unwrap_or_default(),
        tokens: (state.counters.tokens_unknown == 0).then_some(state.counters.tokens),
        refused: refused.collect(),
        decided: decided.map(|kept| kept.note.text.clone()).collect(),
        asks: state.people.questions.first().map(|question| question.text.clone()),
        ..of_any(&StateOf::Loop(Box::new(state.clone())))
    }
}
