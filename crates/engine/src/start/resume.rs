//! Going on with a run that is there, recovering first.

use piton_config::Limit;
use piton_model::loop_machine::{Limits, Raise};
use piton_model::{Kind, Machine, Rejection, RunId, Seq, State};
use piton_store::chain;
use piton_sys::{Clock, SystemClock};
use piton_view::{Error, LimitWords, Request, Resumption, Started};

use super::go_on;
use crate::client::LocalClient;
use crate::configuration;
use crate::driver_process;
use crate::unjudged;

/// Goes on with a run that is there.
pub(crate) async fn resume(client: &LocalClient, run: &RunId, how: &Resumption) -> Result<Started, Error> {
    let mut notes = Vec::new();
    match of_any(client, run, how, &mut notes).await {
        Ok(after) => Ok(Started { run_id: run.clone(), after, notes }),
        Err(failure) => Err(telling(failure, &mut notes)),
    }
}

/// What was done before a run could not go on is told all the same.
pub(super) fn telling(mut failure: Error, notes: &mut Vec<String>) -> Error {
    failure.details.splice(0..0, notes.drain(..));
    failure
}

/// Goes on with a run of any kind; returns the event after which it does.
async fn of_any(
    client: &LocalClient,
    run: &RunId,
    how: &Resumption,
    notes: &mut Vec<String>,
) -> Result<Seq, Error> {
    match client.kind(run).await? {
        Kind::Workflow => go_on::of_workflow(client, run, how, notes).await,
        Kind::Cycle if how.daily_cost_limit.is_none() => {
            super::cycles::resume(client, run, &how.limits, (how.take_over, how.no_confine), notes).await
        }
        kind @ (Kind::Loop | Kind::Cycle | Kind::Ledger) => {
            if how.daily_cost_limit.is_some() {
                let action = "have a limit for the day: only workflows do";
                return Err(Rejection::NotForKind { run: run.clone(), kind, action }.into());
            }
            let passed = passed_deadline(client, run).await?;
            let after = of_loop(client, run, &how.limits, (how.take_over, how.no_confine), notes).await?;
            notes.extend(passed);
            notes.extend(edited_since(client, run).await?);
            Ok(after)
        }
    }
}

/// Asks a loop to go on and starts a driver; returns the event after which it does.
pub(super) async fn of_loop(
    client: &LocalClient,
    run: &RunId,
    limits: &LimitWords,
    (take_over, no_confine): (bool, bool),
    notes: &mut Vec<String>,
) -> Result<Seq, Error> {
    free(client, run, take_over).await?;
    let loaded = client.load::<State>(run, None).await?;
    let (seen, counters) = (&loaded.state.seen, &loaded.state.counters);
    let used = Used {
        cost_microusd: counters.cost_microusd,
        tokens: counters.tokens,
        files: seen.modified_files.len() as u64,
        lines: counters.lines_changed,
        reboots: counters.reboots.into(),
    };
    let mut raise = raise_of(limits, &loaded.state.config.limits, &used)?;
    raise.without_walls = no_confine && loaded.state.config.confine.is_some();
    notes.extend(raise.without_walls.then(|| super::NO_WALLS.to_owned()));
    // Its driver asks the same; asked before, nothing of it is on record.
    unjudged::require_judged(client, &unjudged::Driven::of_loop(&loaded.state)).await?;
    // What somebody wrote over its files is kept aside, and they are told before anything goes on. Files that cannot be written
    // are no reason not to go on: the driver says so.
    if loaded.state.is_at_rest()
        && let Ok(rendered) = client.rendered(run).await
    {
        notes.extend(rendered.notes.into_iter().map(|note| format!("note: {note}")));
    }
    // A run that a crash left under way needs a driver, not a decision. So does one of which something was asked that its
    // driver died over: who asked knew what they wanted.
    if loaded.state.is_left_open() {
        notes.push(format!("note: what was asked of run `{run}` before is done first"));
    } else if !loaded.state.status.is_active() || raise != Raise::default() {
        client.record(run, Request::Resume(raise)).await?;
    }
    driver_process::start(client, run, take_over).await?;
    Ok(loaded.head)
}

/// Refuses where somebody drives the run and is not to be replaced.
pub(super) async fn free(client: &LocalClient, run: &RunId, take_over: bool) -> Result<(), Error> {
    driver_process::settled(client, run).await?;
    match client.driver_of(run).await? {
        Some(holder) if !take_over => Err(LocalClient::held(run, holder)),
        _ => Ok(()),
    }
}

/// Whoever goes on after the deadline means to, and should know that there is none from then on.
async fn passed_deadline(client: &LocalClient, run: &RunId) -> Result<Option<String>, Error> {
    let deadline = client.load::<State>(run, None).await?.state.config.limits.deadline;
    let passed = deadline.filter(|deadline| *deadline <= SystemClock.now());
    Ok(passed.map(|deadline| format!("note: its deadline ({deadline}) has passed; it goes on without one")))
}

/// A run goes on as it began; whoever edited `piton.toml` since may expect something else.
async fn edited_since(client: &LocalClient, run: &RunId) -> Result<Option<String>, Error> {
    let began = client.load::<State>(run, None).await?.state.config.file_digest;
    let files = configuration::read(client.layout())?;
    let now = files.project.map(|file| chain::hex(&chain::digest(&file.content)));
    Ok((now != began).then(|| {
        let short = |digest: &Option<String>, none: &str| {
            digest.as_deref().map_or_else(|| none.to_owned(), |digest| digest[..digest.len().min(12)].to_owned())
        };
        format!(
            "note: piton.toml changed since this run began ({} → {}); the run goes on as it began, but for `[redact]`; `piton loop` begins one with the change",
            short(&began, "none"),
            short(&now, "gone")
        )
    }))
}

/// The value that a limit is raised to, if anybody wants that.
pub(super) fn raised(
    limit: Limit,
    current: Option<u64>,
    text: &Option<String>,
) -> Result<Option<u64>, Error> {
    let failed = |why: String| Error::usage(format!("{}: {why}", limit.flag()));
    text.as_deref().map(|text| limit.raised(current, text).map_err(failed)).transpose()
}

/// What a run has used of what it may have no ceiling for.
#[derive(Default)]
pub(super) struct Used {
    pub(super) cost_microusd: u64,
    pub(super) tokens: u64,
    pub(super) files: u64,
    pub(super) lines: u64,
    pub(super) reboots: u64,
}

/// What is added is added to the ceiling, and where there was none to what was used.
pub(super) fn raise_of(words: &LimitWords, limits: &Limits, used: &Used) -> Result<Raise, Error> {
    let small = |count: u64| u32::try_from(count).unwrap_or(u32::MAX);
    let iterations = raised(Limit::MaxIterations, Some(limits.iterations.into()), &words.iterations)?;
    let files = limits.files.map_or(used.files, u64::from);
    let reboots = limits.reboots.map_or(used.reboots, u64::from);
    Ok(Raise {
        iterations: iterations.map(small),
        working_ms: raised(Limit::MaxDuration, Some(limits.working_ms), &words.duration)?,
        cost_microusd: raised(
            Limit::MaxCost,
            limits.cost_microusd.or(Some(used.cost_microusd)),
            &words.cost,
        )?,
        tokens: raised(Limit::MaxTokens, limits.tokens.or(Some(used.tokens)), &words.tokens)?,
        files: raised(Limit::MaxFiles, Some(files), &words.files)?.map(small),
        lines: raised(Limit::MaxLines, limits.lines.or(Some(used.lines)), &words.lines)?,
        reboots: raised(Limit::MaxReboots, Some(reboots), &words.reboots)?.map(small),
        without_walls: false,
    })
}
