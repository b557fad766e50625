//! What workflows cost today, by the journal: a limit across runs, and a view of the day.
//!
//! The sum is folded from the events of every workflow of this repository; `.agents/daily_stats/<date>.json` only shows
//! it. So two runs at once, or a crash between two writes, cannot lose money.

use std::collections::BTreeMap;
use std::path::Path;

use piton_model::workflow::{State, WorkflowEvent};
use piton_model::{Kind, RunEvent, RunId, Seq, Timestamp};
use piton_store::sqlite::Sqlite;
use piton_store::{Error, Store};
use piton_sys::file::{self, Durability};
use piton_sys::{Clock, SystemClock};
use serde_json::json;

use super::Context;

const DAY_MS: i64 = 24 * 3_600_000;
/// Events read at a time.
const PAGE: usize = 1024;

/// What is known of the day so far, so that no event is read twice.
#[derive(Debug, Default)]
pub(super) struct Day {
    begins: i64,
    runs: BTreeMap<RunId, Account>,
}

/// What one run did on that day.
#[derive(Debug, Default)]
struct Account {
    read: Seq,
    title: String,
    attempts: u64,
    working_ms: u64,
    tokens: u64,
    cost_microusd: u64,
    cost_unknown: u64,
}

/// Why nothing more may be spent today, if so.
pub(super) fn spent(context: &Context, state: &State) -> Option<String> {
    let limit = state.options.daily_cost_microusd?;
    let mut day = context.day.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    // A journal that cannot be read right now stops nobody; the next append says so loudly enough.
    day.catch_up(context).ok()?;
    let spent = day.runs.values().map(|run| run.cost_microusd).fold(0, u64::saturating_add);
    (spent >= limit).then(|| {
        let dollars = |microusd: u64| microusd as f64 / 1e6;
        format!("${:.2} of ${:.2} for today are spent", dollars(spent), dollars(limit))
    })
}

/// Renders the view of the day. One that cannot be written is left for the next time.
pub(super) fn show_day(context: &Context) {
    let mut day = context.day.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if day.catch_up(context).is_err() {
        return;
    }
    let agents = context.layout.root().join(".agents");
    let date = Timestamp::from_millis(day.begins).to_string();
    let Some(date) = date.split('T').next() else { return };
    let directory = agents.join("daily_stats");
    let there = |path: &Path| match std::fs::create_dir(path) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => {
            Err(file::Error::new("create the directory", path, error))
        }
        _ => Ok(()),
    };
    let view = serde_json::to_vec_pretty(&day.view(date)).expect("a view is plain data");
    let _ =
        [&agents, &directory].into_iter().try_for_each(|path| context.within(path, there)).and_then(|()| {
            let path = directory.join(format!("{date}.json"));
            context.within(&path, |path| file::write_atomic(path, &view, Durability::Unsynced))
        });
}

impl Day {
    fn catch_up(&mut self, context: &Context) -> Result<(), Error> {
        let begins = SystemClock.now().as_millis().div_euclid(DAY_MS) * DAY_MS;
        if begins != self.begins {
            *self = Self { begins, runs: BTreeMap::new() };
        }
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        let Ok(runtime) = runtime else { return Ok(()) };
        runtime.block_on(async {
            let Some(store) = Sqlite::open_existing(&context.layout.state())? else { return Ok(()) };
            for row in store.rows().await? {
                let today = row.updated_at.as_millis() >= begins;
                if row.entry.kind == Kind::Workflow.as_str() && today {
                    let account = self.runs.entry(row.run.clone()).or_default();
                    account.title = row.entry.title;
                    account.catch_up(&store, &row.run, begins).await?;
                }
            }
            Ok(())
        })
    }

    fn view(&self, date: &str) -> serde_json::Value {
        let sum = |of: fn(&Account) -> u64| self.runs.values().map(of).fold(0, u64::saturating_add);
        let run = |(run, account): (&RunId, &Account)| (run.to_string(), account.view());
        json!({
            "date": date,
            "totals": {
                "runs": self.runs.len(), "attempts": sum(|a| a.attempts), "tokens": sum(|a| a.tokens),
                "cost_usd": sum(|a| a.cost_microusd) as f64 / 1e6, "attempts_without_cost": sum(|a| a.cost_unknown),
                "duration_ms": sum(|a| a.working_ms),
            },
            "runs": self.runs.iter().map(run).collect::<BTreeMap<_, _>>(),
        })
    }
}

impl Account {
    async fn catch_up(&mut self, store: &Sqlite, run: &RunId, begins: i64) -> Result<(), Error> {
        loop {
            let events = store.read(run, self.read + 1, PAGE).await?;
            let count = events.len();
            for stored in events {
                self.read = stored.seq;
                let event = &stored.event;
                if event.kind == "step_finished"
                    && stored.at.as_millis() >= begins
                    && let Ok(WorkflowEvent::StepFinished { end, .. }) =
                        WorkflowEvent::decode(&event.kind, event.version, &event.data)
                {
                    self.attempts += 1;
                    self.working_ms = self.working_ms.saturating_add(end.duration_ms);
                    self.tokens = self.tokens.saturating_add(end.tokens.unwrap_or(0));
                    self.cost_microusd = self.cost_microusd.saturating_add(end.cost_microusd.unwrap_or(0));
                    self.cost_unknown += u64::from(end.cost_microusd.is_none());
                }
            }
            if count < PAGE {
                return Ok(());
            }
        }
    }

    fn view(&self) -> serde_json::Value {
        json!({
            "workflow_name": self.title, "attempts": self.attempts, "duration_ms": self.working_ms,
            "tokens": self.tokens, "cost_usd": self.cost_microusd as f64 / 1e6,
        })
    }
}
