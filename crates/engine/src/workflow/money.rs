//! What workflows cost today, by the journal: a limit across runs, and a view of the day.
//!
//! The sum is folded from the events of every workflow of this repository; `.agents/daily_stats/<date>.json` only shows
//! it. So two runs at once, or a crash between two writes, cannot lose money.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use piton_model::workflow::{OpenAttempt, State, StepEnd, StepId, Work, WorkflowEvent};
use piton_model::{Kind, RunEvent, RunId, Seq, Timestamp};
use piton_store::{Error, Store, Wanted};
use piton_sys::file::{self, Durability};
use piton_sys::{Clock, SystemClock};
use serde_json::{Value, json};

use super::{Context, nested_run};

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
    /// Steps that are commands: they cost what they say, and nothing else.
    commands: BTreeSet<StepId>,
    /// Attempts that have not ended.
    open: BTreeMap<u32, OpenAttempt>,
    ended: Vec<Ended>,
}

/// What one attempt used.
#[derive(Debug)]
struct Ended {
    step: Option<StepId>,
    /// As its report names it.
    model: Option<String>,
    working_ms: u64,
    tokens: Option<u64>,
    cost_microusd: Option<u64>,
    /// It may have cost something that nobody told of.
    cost_unknown: bool,
}

/// Why nothing more may be spent today, if so, and what was spent.
pub(super) fn spent(context: &Context, state: &State) -> Option<(String, u64)> {
    let limit = state.options.daily_cost_microusd?;
    let mut day = context.day.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    // A journal that cannot be read right now stops nobody; the next append says so loudly enough.
    day.catch_up(context).ok()?;
    let spent = cost_microusd(day.ended());
    let words = || format!("${:.2} of ${:.2} for today are spent", dollars(spent), dollars(limit));
    (spent >= limit).then(|| (words(), spent))
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
            context.within(&path, |path| file::write_shared(path, &view, Durability::Unsynced))
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
            let store = &*context.store;
            let rows = store.rows(Wanted::ALL_THERE).await?.rows;
            let known: BTreeSet<RunId> = rows.iter().map(|row| row.entry.run_id.clone()).collect();
            for entry in rows.into_iter().map(|row| row.entry) {
                let today = entry.updated_at.as_millis() >= begins;
                if entry.kind == Kind::Workflow && today {
                    let account = self.runs.entry(entry.run_id.clone()).or_default();
                    account.title = entry.title;
                    account.catch_up(store, &entry.run_id, &known, begins).await?;
                }
            }
            Ok(())
        })
    }

    /// Everything that ended on that day.
    fn ended(&self) -> impl Iterator<Item = &Ended> + Clone {
        self.runs.values().flat_map(|run| &run.ended)
    }

    fn view(&self, date: &str) -> Value {
        let mut totals = sums(self.ended());
        totals["runs"] = self.runs.len().into();
        totals["attempts_without_cost"] = self.ended().filter(|ended| ended.cost_unknown).count().into();
        let model = |ended: &&Ended| ended.model.clone().unwrap_or_else(|| "unknown".to_owned());
        let mut by_model: BTreeMap<String, Vec<&Ended>> = BTreeMap::new();
        self.ended().for_each(|ended| by_model.entry(model(&ended)).or_default().push(ended));
        let by = |of: fn(&[&Ended]) -> Value| -> BTreeMap<&String, Value> {
            by_model.iter().map(|(model, ended)| (model, of(ended))).collect()
        };
        let steps =
            self.runs.iter().flat_map(|(run, account)| account.ended.iter().map(|ended| ended.view(run)));
        json!({
            "date": date,
            "totals": totals,
            "cost_by_model": by(|ended| known_cost(ended.iter().copied())),
            "tokens_by_model": by(|ended| tokens(ended.iter().copied()).into()),
            "runs": self.runs.iter().map(|(run, account)| (run.to_string(), account.view())).collect::<BTreeMap<_, _>>(),
            "steps": steps.collect::<Vec<_>>(),
        })
    }
}

/// What these attempts used together.
fn sums<'a>(ended: impl Iterator<Item = &'a Ended> + Clone) -> Value {
    json!({
        "attempts": ended.clone().count(), "tokens": tokens(ended.clone()),
        "cost_usd": known_cost(ended.clone()),
        "duration_ms": ended.map(|ended| ended.working_ms).fold(0, u64::saturating_add),
    })
}

fn tokens<'a>(ended: impl Iterator<Item = &'a Ended>) -> u64 {
    ended.filter_map(|ended| ended.tokens).fold(0, u64::saturating_add)
}

fn cost_microusd<'a>(ended: impl Iterator<Item = &'a Ended>) -> u64 {
    ended.filter_map(|ended| ended.cost_microusd).fold(0, u64::saturating_add)
}

/// The same in dollars, as far as it was reported; `null` where nobody who could have reported any did.
fn known_cost<'a>(ended: impl Iterator<Item = &'a Ended> + Clone) -> Value {
    let is_unknown = ended.clone().any(|ended| ended.cost_unknown);
    let is_reported = ended.clone().any(|ended| ended.cost_microusd.is_some());
    if is_unknown && !is_reported { Value::Null } else { dollars(cost_microusd(ended)).into() }
}

fn dollars(microusd: u64) -> f64 {
    microusd as f64 / 1e6
}

impl Ended {
    fn new(step: Option<StepId>, is_command: bool, end: &StepEnd) -> Self {
        let metrics = end.report.as_ref().map(|report| &report.metrics);
        let model = metrics.and_then(|metrics| metrics.get("model")).and_then(Value::as_str);
        Self {
            step,
            model: model.map(str::to_owned),
            working_ms: end.duration_ms,
            tokens: end.tokens,
            cost_microusd: end.cost_microusd,
            cost_unknown: end.cost_microusd.is_none() && !is_command,
        }
    }

    fn view(&self, run: &RunId) -> Value {
        json!({
            "run_id": run, "step_id": self.step, "model": self.model, "tokens": self.tokens,
            "cost_usd": self.cost_microusd.map(dollars), "duration_ms": self.working_ms,
        })
    }
}

impl Account {
    /// Reads on. What a nested run used is in its own account, not in that of the step which it is.
    async fn catch_up(
        &mut self,
        store: &dyn Store,
        run: &RunId,
        known: &BTreeSet<RunId>,
        begins: i64,
    ) -> Result<(), Error> {
        loop {
            let events = store.read(run, self.read + 1, PAGE).await?;
            let count = events.len();
            for stored in events {
                self.read = stored.seq;
                let event = &stored.event;
                const READ: [&str; 5] =
                    ["run_created", "run_restarted", "definition_changed", "step_started", "step_finished"];
                if !READ.contains(&event.kind.as_str()) {
                    continue;
                }
                match WorkflowEvent::decode(&event.kind, event.version, &event.data) {
                    Ok(
                        WorkflowEvent::RunCreated { definition, .. }
                        | WorkflowEvent::RunRestarted { definition, .. }
                        | WorkflowEvent::DefinitionChanged { definition, .. },
                    ) => {
                        let commands =
                            definition.steps.iter().filter(|step| matches!(step.work, Work::Run { .. }));
                        self.commands = commands.map(|step| step.id.clone()).collect();
                    }
                    Ok(WorkflowEvent::StepStarted { attempt }) => {
                        self.open.insert(attempt.number, attempt);
                    }
                    Ok(WorkflowEvent::StepFinished { attempt, end, .. }) => {
                        let open = self.open.remove(&attempt);
                        let nested = open.as_ref().is_some_and(|open| known.contains(&nested_run(run, open)));
                        if stored.at.as_millis() >= begins && !nested {
                            let step = open.map(|open| open.step);
                            let is_command = step.as_ref().is_some_and(|step| self.commands.contains(step));
                            self.ended.push(Ended::new(step, is_command, &end));
                        }
                    }
                    _ => {}
                }
            }
            if count < PAGE {
                return Ok(());
            }
        }
    }

    fn view(&self) -> Value {
        let mut view = sums(self.ended.iter());
        view["workflow_name"] = self.title.as_str().into();
        view
    }
}
