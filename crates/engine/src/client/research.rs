//! Research, carried out for a front end: by this very process, for nobody drives a ledger.

use std::sync::Arc;
use std::time::Duration;

use piton_config::{configured_agent, resolve};
use piton_model::Timestamp;
use piton_model::ledger::{Observed, select_batch, survey};
use piton_model::ledger_machine::{Command, ResearchEnd, Spent, State};
use piton_store::Store;
use piton_sys::{Clock, SystemClock};
use piton_view::words::ledger as words;
use piton_view::{Batch, Error, ErrorKind, LedgerAt, ResearchOrder, ResearchUpdate};

use super::LocalClient;
use super::gaps::no_such;
use crate::ledger::research::{Researcher, Turn, next_look};
use crate::ledger::{Ledger, journal_for, observe};
use crate::{configuration, start};

/// How often a watcher looks whether somebody has edited the file, or a file that findings rest on.
const LOOK_EVERY: Duration = Duration::from_secs(2);

pub(super) async fn research(
    client: &LocalClient,
    at: &LedgerAt,
    order: ResearchOrder,
    tell: &mut (dyn FnMut(ResearchUpdate) + Send),
) -> Result<Option<Batch>, Error> {
    let researcher = researcher(client, &order)?;
    let store: Arc<dyn Store> = journal_for(client.layout(), at)?;
    let ledger = Ledger::new(Some(&*store), client.layout(), at.clone());
    // A file that is not sound is told before anything else.
    ledger.read(now(&order)).await?;
    let turn = ledger.take_turn()?.ok_or_else(|| {
        Error::new(ErrorKind::Held, "another piton researches this ledger")
            .hint("wait for it; `piton ls --kind ledger` shows it")
    })?;
    let watches = order.watch;
    let spent = Spent::default();
    let mut work = Work { client, ledger: &ledger, turn: &turn, researcher: &researcher, order, spent, tell };
    match watches {
        false => work.once().await,
        true => work.watch().await,
    }
}

fn now(order: &ResearchOrder) -> Timestamp {
    order.now.unwrap_or_else(|| SystemClock.now())
}

/// What a watcher looks at: the file, and the files that findings rest on.
type Sight = (Option<String>, Observed);

struct Work<'a> {
    client: &'a LocalClient,
    ledger: &'a Ledger<'a>,
    turn: &'a Turn,
    researcher: &'a Researcher,
    order: ResearchOrder,
    /// What the batches of this watcher have used so far, as the journal has it.
    spent: Spent,
    tell: &'a mut (dyn FnMut(ResearchUpdate) + Send),
}

impl Work<'_> {
    fn now(&self) -> Timestamp {
        now(&self.order)
    }

    /// One batch: the one that is under way, or else a new one. Gaps that are named and were not in the first get theirs.
    async fn once(&mut self) -> Result<Option<Batch>, Error> {
        let mut batch = None;
        if let Some(number) = self.under_way().await? {
            (self.tell)(ResearchUpdate::GoesOn { number });
            let looked_into;
            (batch, looked_into) = self.finish().await?;
            if self.order.ids.iter().all(|id| looked_into.contains(id)) {
                return Ok(batch);
            }
            self.order.ids.retain(|id| !looked_into.contains(id));
        }
        match self.begin(true).await? {
            true => Ok(self.finish().await?.0),
            false => Ok(batch),
        }
    }

    async fn under_way(&mut self) -> Result<Option<u32>, Error> {
        let open = self.ledger.open(self.now()).await?;
        Ok(open.state().research.as_ref().map(|research| research.number))
    }

    /// Flips what is due and plans a batch; `false` where nothing needs one.
    async fn begin(&mut self, by_hand: bool) -> Result<bool, Error> {
        let now = self.now();
        let mut open = self.ledger.open(now).await?;
        self.check_named(open.state())?;
        let observed = observe(self.client.layout().root(), &open.state().gaps);
        open.run(Command::FlipDue { observed }, now).await?;
        let forced = by_hand && !self.order.ids.is_empty();
        let gaps = match forced {
            true => self.order.ids.clone(),
            false => self.choose(open.state(), by_hand, now),
        };
        if gaps.is_empty() {
            return Ok(false);
        }
        let (limits, before) = (self.order.limits, self.spent);
        open.run(Command::Research { gaps, forced, limits, before }, now).await?;
        Ok(true)
    }

    fn choose(&mut self, state: &State, by_hand: bool, now: Timestamp) -> Vec<String> {
        let stale_since = state.stale_since();
        let survey = survey(&state.gaps, state.default_ttl_days, now, &stale_since);
        // A watcher leaves alone for a while what was just looked into; a person who asks does not.
        let rests = |id: &str| state.rests_until(id, now).is_some();
        let candidates = survey.candidates.iter().copied().filter(|gap| by_hand || !rests(&gap.id));
        let batch = select_batch(candidates, self.order.max);
        if survey.has_cycles && (by_hand || !batch.is_empty()) {
            let warn = |cycle| (self.tell)(ResearchUpdate::Warned(cycle));
            words::cycles(&state.gaps).into_iter().for_each(warn);
        }
        if !batch.is_empty() {
            (self.tell)(ResearchUpdate::Begins(survey.picture(batch.len())));
        } else if by_hand {
            let (checked, waiting) = (survey.checked.len(), survey.waiting.len());
            (self.tell)(ResearchUpdate::AllCurrent { gaps: state.gaps.len(), checked, waiting });
        }
        batch.iter().map(|gap| gap.id.clone()).collect()
    }

    /// Gaps that are not there are told before anything is changed.
    fn check_named(&self, state: &State) -> Result<(), Error> {
        match self.order.ids.iter().find(|id| state.find(id).is_none()) {
            None => Ok(()),
            Some(id) => Err(no_such(id)),
        }
    }

    /// Carries the batch to its end, and tells each step; with the gaps that were looked into.
    async fn finish(&mut self) -> Result<(Option<Batch>, Vec<String>), Error> {
        let (order, tell) = (&self.order, &mut *self.tell);
        let mut looked_into = Vec::new();
        let mut see = |update: ResearchUpdate| {
            if let ResearchUpdate::Ended { gap, .. } = &update {
                looked_into.push(gap.clone());
            }
            tell(update);
        };
        let batch = self.ledger.research(self.turn, self.researcher, &|| now(order), &mut see).await?;
        if let Some(batch) = &batch {
            self.spent = batch.total;
            (self.tell)(ResearchUpdate::Over(batch.clone()));
        }
        Ok((batch, looked_into))
    }

    /// Batch after batch, whenever something is due. The time of the next look is on record.
    async fn watch(&mut self) -> Result<Option<Batch>, Error> {
        // Gaps that are named are looked into in any case, once.
        if !self.order.ids.is_empty() {
            let batch = self.once().await?;
            if let Some(batch) = batch.filter(at_limit) {
                return Ok(Some(batch));
            }
            self.order.ids.clear();
        }
        loop {
            // Before anything is decided: what changes while it is decided is seen as a change.
            let before = self.ledger.read(self.now()).await?;
            let seen = self.look(&before.state);
            if self.under_way().await?.is_some() || self.begin(false).await? {
                if let Some(batch) = self.finish().await?.0.filter(at_limit) {
                    self.record_watch(None).await?;
                    return Ok(Some(batch));
                }
                continue;
            }
            let now = self.now();
            let until = next_look(&self.ledger.read(now).await?.state, now);
            if self.record_watch(until).await? {
                (self.tell)(ResearchUpdate::Waits { until });
            }
            self.wait(until, &seen).await;
        }
    }

    async fn record_watch(&mut self, until: Option<Timestamp>) -> Result<bool, Error> {
        let mut open = self.ledger.open(self.now()).await?;
        let changed = open.run(Command::Watch { until }, self.now()).await?;
        Ok(!changed.events.is_empty())
    }

    fn look(&self, state: &State) -> Sight {
        (state.digest.clone(), observe(self.client.layout().root(), &state.gaps))
    }

    /// Until the time has come, or the file, or one that findings rest on, is another.
    async fn wait(&mut self, until: Option<Timestamp>, seen: &Sight) {
        loop {
            // A time that was given does not pass: then only an edit ends this.
            let now = self.now();
            let left = until.map(|until| Duration::from_millis(until.millis_since(now)));
            if until.is_some_and(|until| until <= now) {
                return;
            }
            tokio::time::sleep(left.map_or(LOOK_EVERY, |left| left.min(LOOK_EVERY))).await;
            // A file that somebody is in the middle of editing is looked at again when it is sound.
            if let Ok(reading) = self.ledger.read(self.now()).await
                && self.look(&reading.state) != *seen
            {
                return;
            }
        }
    }
}

/// Whether it ended because it may not use more.
fn at_limit(batch: &Batch) -> bool {
    matches!(batch.why, ResearchEnd::Cost | ResearchEnd::Tokens | ResearchEnd::Time)
}

fn researcher(client: &LocalClient, order: &ResearchOrder) -> Result<Researcher, Error> {
    let layout = client.layout();
    let files = configuration::read(layout)?;
    if !order.trust && order.agent.exec.is_none() {
        configuration::require_trust(layout, &files)?;
    }
    let overrides = configuration::chosen(&order.agent);
    let resolved = resolve(&files, &configuration::variable, &overrides).map_err(configuration::problems)?;
    let (agent, idle_ms) = configured_agent(&resolved, &overrides).map_err(configuration::problems)?;
    start::require_program(&agent, layout.root())?;
    let (confine, protect) = configuration::walls(layout, &files, order.trust)?;
    Ok(Researcher { agent, idle_ms, attempt_ms: order.attempt_ms, confine, protect })
}
