//! What happens, as it happens: in one run, and in all of them.

use std::collections::BTreeMap;
use std::time::Duration;

use piton_model::{Entry, Kind, RunEvent, RunId, Seq, State, Status, cycle, ledger_machine, workflow};
use piton_store::{Store, StoredEvent, Wanted, chain};
use piton_sys::redact::Redactor;
use piton_sys::{Clock, SystemClock};
use piton_view::words::Watched;
use piton_view::{Answer, Changes, EventView, Follow, Listed, Seen, Standing, Told, UnderWay, Update};

use super::land::branch::landed_runs;
use super::now::Glance;
use super::{ClientError, LocalClient};

/// How often the journal is asked for news while a caller waits for some.
const LOOK_EVERY: Duration = Duration::from_millis(25);

/// Events read at a time: long histories come in pages.
const PAGE: usize = 10_000;

/// Waits for something to be appended to the journal, for so long.
struct Patience {
    until: Duration,
    revision: Option<u64>,
}

impl Patience {
    fn new(wait: Duration) -> Self {
        Self { until: SystemClock.monotonic() + wait, revision: None }
    }

    /// Returns when there may be something that was not there at the last call; `false` once the time is over.
    async fn news(&mut self, store: &dyn Store) -> Result<bool, ClientError> {
        while let Some(before) = self.revision {
            // A journal that can only be read may look like another one each time: the time ends that, too.
            if SystemClock.monotonic() >= self.until {
                return Ok(false);
            }
            tokio::time::sleep(LOOK_EVERY).await;
            let seen = store.revision().await?;
            if seen != before {
                self.revision = Some(seen);
                return Ok(true);
            }
        }
        self.revision = Some(store.revision().await?);
        Ok(true)
    }
}

impl LocalClient {
    /// The events from `from` on; waits up to `wait` for one.
    async fn stored(&self, run: &RunId, from: Seq, wait: Duration) -> Result<Vec<StoredEvent>, ClientError> {
        let mut patience = Patience::new(wait);
        while patience.news(&**self.store()?).await? {
            let events = self.store()?.read(run, from, PAGE).await?;
            if !events.is_empty() {
                return Ok(events);
            }
        }
        Ok(Vec::new())
    }

    /// The same, in words.
    pub(super) async fn told(
        &self,
        run: &RunId,
        from: Seq,
        wait: Duration,
    ) -> Result<Vec<EventView>, ClientError> {
        let events = self.stored(run, from, wait).await?;
        let words: fn(&StoredEvent) -> String = match self.kind(run).await? {
            Kind::Loop => words::<State>,
            Kind::Workflow => words::<workflow::State>,
            Kind::Cycle => words::<cycle::State>,
            Kind::Ledger => words::<ledger_machine::State>,
        };
        let redactor = self.redactor();
        let told = |stored| event_view(stored, redactor.redact(&words(stored)).into_owned());
        Ok(events.iter().map(told).collect())
    }

    /// Runs as a list shows them.
    pub(super) async fn listed(&self, entries: Vec<Entry>) -> Result<Vec<Listed>, ClientError> {
        let mut listed = Vec::with_capacity(entries.len());
        let landed = landed_runs(self.layout());
        for entry in entries {
            let landed = entry.status == Status::Completed && landed.contains(entry.run_id.as_str());
            listed.push(Listed { undriven: self.is_missed(&entry).await?, landed, entry });
        }
        Ok(listed)
    }

    /// What is new in the journal; waits up to `wait` for something.
    pub(super) async fn news(&self, since: Seen, wait: Duration) -> Result<Changes, ClientError> {
        let mut patience = Patience::new(wait);
        while patience.news(&**self.store()?).await? {
            let rows = self.store()?.rows(Wanted::ALL).await?.rows;
            let seen: BTreeMap<RunId, Seq> =
                rows.iter().map(|row| (row.entry.run_id.clone(), row.head.seq)).collect();
            let gone: Vec<RunId> = since.0.keys().filter(|run| !seen.contains_key(run)).cloned().collect();
            let is_new = |run: &RunId, seq: Seq| since.0.get(run) != Some(&seq);
            let changed = rows.into_iter().filter(|row| is_new(&row.entry.run_id, row.head.seq));
            let runs: Vec<_> = changed.map(|row| row.entry).collect();
            if !(runs.is_empty() && gone.is_empty()) {
                return Ok(Changes { seen: Seen(seen), runs: self.listed(runs).await?, gone });
            }
        }
        Ok(Changes { seen: since, runs: Vec::new(), gone: Vec::new() })
    }

    /// Watches a run of any kind.
    pub(super) async fn watch<'a>(
        &'a self,
        run: &'a RunId,
        after: Seq,
    ) -> Result<Box<dyn Follow + 'a>, ClientError> {
        Ok(match self.kind(run).await? {
            Kind::Loop => Box::new(Watch::<State>::new(self, run, after).await?),
            Kind::Workflow => Box::new(Watch::<workflow::State>::new(self, run, after).await?),
            Kind::Cycle => Box::new(Watch::<cycle::State>::new(self, run, after).await?),
            Kind::Ledger => Box::new(Watch::<ledger_machine::State>::new(self, run, after).await?),
        })
    }
}

/// The event in words; one that cannot be read is shown by its type.
fn words<M: Watched>(stored: &StoredEvent) -> String {
    let event = &stored.event;
    if stored.archived {
        return format!("{} (archived)", event.kind);
    }
    let decoded = M::Event::decode(&event.kind, event.version, &event.data);
    decoded.map_or_else(|_| event.kind.clone(), |event| M::words(&event))
}

/// An event for `piton log`. Its data is JSON already; what is not is shown as text.
fn event_view(stored: &StoredEvent, text: String) -> EventView {
    let data = match stored.archived {
        true => serde_json::json!({ "archived": true }),
        false => data_of(stored),
    };
    EventView {
        seq: stored.seq,
        at: stored.at,
        kind: stored.event.kind.clone(),
        v: stored.event.version,
        data,
        hash: chain::hex(&stored.hash),
        text,
    }
}

fn data_of(stored: &StoredEvent) -> serde_json::Value {
    serde_json::from_slice(&stored.event.data)
        .unwrap_or_else(|_| String::from_utf8_lossy(&stored.event.data).into_owned().into())
}

/// A run that is watched: its state after everything that was told.
struct Watch<'a, M> {
    client: &'a LocalClient,
    run: &'a RunId,
    state: Option<M>,
    next: Seq,
    undriven: bool,
    redactor: Redactor,
    glance: Glance,
    under_way: UnderWay,
}

impl<'a, M: Watched + Send> Watch<'a, M> {
    async fn new(client: &'a LocalClient, run: &'a RunId, after: Seq) -> Result<Self, ClientError> {
        let state = match after {
            0 => None,
            after => Some(client.load::<M>(run, Some(after)).await?.state),
        };
        Ok(Self {
            client,
            run,
            state,
            next: after + 1,
            undriven: false,
            redactor: client.redactor(),
            glance: Glance::new(client.layout(), run),
            under_way: UnderWay::default(),
        })
    }

    async fn look(&mut self, wait: Duration) -> Result<Vec<Update>, ClientError> {
        let stored = self.client.stored(self.run, self.next, wait).await?;
        let mut updates: Vec<Update> = stored.iter().map(|stored| self.take(stored)).collect();
        // Whoever looks at where the run is now wants all of it.
        while !updates.is_empty() && updates.len().is_multiple_of(PAGE) {
            let stored = self.client.stored(self.run, self.next, Duration::ZERO).await?;
            if stored.is_empty() {
                break;
            }
            updates.extend(stored.iter().map(|stored| self.take(stored)));
        }
        if let Some(state) = &self.state {
            self.undriven = self.client.is_missed(&state.entry()).await?;
        }
        if let Some(state) = &self.state {
            self.under_way = self.glance.look(state, &self.redactor);
        }
        Ok(updates)
    }

    fn take(&mut self, stored: &StoredEvent) -> Update {
        self.next = stored.seq + 1;
        let event = &stored.event;
        // One that cannot be read is passed on; a newer piton knows what it means.
        let Ok(decoded) = M::Event::decode(&event.kind, event.version, &event.data) else {
            return Update { event: event_view(stored, event.kind.clone()), told: Vec::new() };
        };
        let before = self.state.take();
        let after = M::apply(before.clone(), &decoded, stored.at);
        let clean = |text: String| self.redactor.redact(&text).into_owned();
        let told = after.iter().flat_map(|after| M::told(before.as_ref(), &decoded, after));
        let told = told.map(|told| Told { text: clean(told.text), ..told }).collect();
        self.state = after;
        Update { event: event_view(stored, clean(M::words(&decoded))), told }
    }
}

impl<M: Watched + Send> Follow for Watch<'_, M>
where
    M::Event: Send,
{
    fn next(&mut self, wait: Duration) -> Answer<'_, Vec<Update>> {
        Box::pin(async move { Ok(self.look(wait).await?) })
    }

    fn standing(&self) -> Option<Standing> {
        let state = self.state.as_ref()?;
        Some(Standing {
            entry: state.entry(),
            under_way: self.under_way.clone(),
            undriven: self.undriven,
            settling: state.is_settling(),
            at_a_key: state.at_a_key(),
            goes_on_at: state.goes_on_at(),
        })
    }
}
