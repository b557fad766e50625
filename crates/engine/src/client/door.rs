//! The door itself: every question and request of a front end, handed to who answers it.

use std::time::Duration;

use piton_files::workflow::has_view;
use piton_model::ledger::NotFresh;
use piton_model::loop_machine::findings_of;
use piton_model::{Entry, Kind, RunId, Seq, State, Timestamp, cycle, workflow};
use piton_store::{Claim, Problem, RunRow, Wanted};
use piton_sys::redact::Redactor;
use piton_sys::{Clock, SystemClock};
use piton_view::{
    Answer, ArchivedView, Asked, BackedUp, BackupRestored, BackupsVerified, BackupsView, Batch, Brief,
    Changes, Client, CollectView, Damaged, DiffView, Error, ErrorKind, EventView, ExportFormat, Follow,
    GapChange, GapEvent, GapView, GapsBatch, GapsChanged, GapsDiff, GapsOrder, GcOrder, InLedger, ItemOrder,
    LandOrder, LandedView, LedgerAt, LimitWords, MetricsView, Moment, MorningView, NightView, Order, Printed,
    PruneOrder, PrunedView, PullRequestView, Rebuilt, Removal, RepairView, ReplicaUpdate, ReplicaView,
    ReplicateOrder, ReportView, Request, ResearchOrder, ResearchUpdate, RestoreOrder, RestoredView,
    Resumption, Runs, Seen, ShowView, SizesView, StaleGaps, Started, StateOf, StatusView, VerifyView,
    WhyView,
};

use super::metrics::metrics;
use super::now::Glance;
use super::output::Output;
use super::{
    ClientError, LocalClient, collect, cycles, gaps, land, ledgers, night, repair, replicate, report,
    research, resolve, restore, sizes, status, vault, verify, workflows,
};
use crate::driver_process::{self, log};
use crate::launch::Secrets;
use crate::load::Loaded;
use crate::manager::forget;
use crate::unsound::Unsound;
use crate::workflow::view_of;
use crate::world::{brief, extended_bytes, republish, view_bytes};
use crate::{configuration, start};

/// Events behind a status: enough for the last iteration and what led out of it.
const WHY_EVENTS: u64 = 16;

/// Events read at a time.
const PAGE: usize = 1024;

impl LocalClient {
    async fn resolved(&self, text: Option<&str>) -> Result<RunId, ClientError> {
        // Which run is the newest, or the only one under way, a list that lacks one does not say.
        let Some(text) = text.filter(|text| *text != start::LAST) else {
            let runs = self.store()?.rows(Wanted::ALL).await?.rows;
            let runs: Vec<Entry> = runs.into_iter().map(|row| row.entry).collect();
            return resolve::unnamed(&runs, text.is_some());
        };
        // A run that is named is found whatever became of the others.
        if let Ok(named) = text.parse::<RunId>() {
            match self.store()?.row(&named).await {
                Ok(row) => return Ok(row.entry.run_id),
                Err(piton_store::Error::UnknownRun { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        let there = self.store()?.rows(Wanted::ALL_THERE).await?;
        let damaged = there.damaged.into_iter().filter_map(|problem| problem.run);
        let names: Vec<RunId> = there.rows.into_iter().map(|row| row.entry.run_id).chain(damaged).collect();
        resolve::named(&names, text)
    }

    /// Every run, and what the list lacks where it is not sound.
    async fn all_runs(&self) -> Result<Runs, ClientError> {
        let (mut rows, mut problems) = match self.store()?.rows(Wanted::ALL).await {
            Ok(page) => (page.rows, Vec::new()),
            Err(piton_store::Error::Corrupt(first)) => self.apart(first).await?,
            Err(error) => return Err(error.into()),
        };
        // What a check found in the events of a run, the index does not show.
        let known = Unsound::known(self.layout());
        let (known, incomplete) = known.map(|known| (known.damaged, known.incomplete)).unwrap_or_default();
        let incomplete: Vec<String> = incomplete
            .into_iter()
            .filter(|(run, _)| rows.iter().any(|row| row.entry.run_id == *run))
            .map(|(run, what)| format!("run `{run}`: {what}"))
            .collect();
        rows.retain(|row| !known.contains_key(&row.entry.run_id));
        for (run, what) in known {
            if self.store()?.row(&run).await.is_ok()
                && problems.iter().all(|said| said.run.as_ref() != Some(&run))
            {
                problems.push(Problem::of(&run, what));
            }
        }
        let damaged = problems.iter().filter_map(|problem| {
            Some(Damaged {
                run_id: problem.run.clone()?,
                status: "damaged",
                damaged: problem
                    .seq
                    .map_or_else(|| problem.what.clone(), |seq| format!("event {seq}: {}", problem.what)),
                hint: "piton repair".to_owned(),
            })
        });
        let damaged: Vec<Damaged> = damaged.collect();
        let said = |problem: Problem| Error::from(ClientError::from(piton_store::Error::Corrupt(problem)));
        let beyond = problems.iter().filter(|problem| problem.run.is_none()).cloned();
        let lost_beyond = beyond.map(said).collect();
        let lost = problems.into_iter().map(said).collect();
        let listed = self.listed(rows.into_iter().map(|row| row.entry).collect()).await?;
        let closed = self.closed.as_ref().map(|why| format!("nothing can be written to the journal: {why}"));
        let only_to_read = self.caution.clone().or(closed);
        Ok(Runs { listed, damaged, lost_beyond, lost, incomplete, only_to_read })
    }

    /// The runs that are sound, and what is wrong with the others, where something is: `first` is what was noticed first.
    pub(super) async fn apart(&self, first: Problem) -> Result<(Vec<RunRow>, Vec<Problem>), ClientError> {
        let store = self.store()?;
        let there = store.rows(Wanted::ALL_THERE).await?;
        let (mut sound, mut problems) = (Vec::new(), there.damaged);
        for row in there.rows {
            // Alone, it is compared with its anchor.
            match store.row(&row.entry.run_id).await {
                Ok(row) => sound.push(row),
                Err(piton_store::Error::Corrupt(problem)) => problems.push(problem),
                // It was removed meanwhile.
                Err(piton_store::Error::UnknownRun { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        // A run that is gone altogether has no row.
        if problems.iter().all(|problem| problem.run != first.run) {
            problems.push(first);
        }
        Ok((sound, problems))
    }

    /// Takes secrets out of what is said. A command is on record as it was given, since it must run as it was given; what
    /// is shown of it need not.
    pub(super) fn redactor(&self) -> Redactor {
        Secrets::for_a_screen(self.layout().root()).redactor().clone()
    }

    /// One moment of a run: its state is loaded once, and everything follows from that.
    async fn moment(&self, run: &RunId) -> Result<StatusView, ClientError> {
        let loaded = self.load_any(run, None).await?;
        self.catch_up(&loaded).await?;
        let holder = self.driver_of(run).await?;
        let mut view = match &loaded.state {
            StateOf::Loop(state) => status::view_of(self.layout(), state, holder.as_ref(), self.caution()),
            StateOf::Workflow(state) => {
                let found = self.look_around(state).await?;
                workflows::view_of(self.layout(), state, found, holder.as_ref(), self.caution())
            }
            StateOf::Cycle(state) => cycles::view_of(self.layout(), state, holder.as_ref(), self.caution()),
            StateOf::Ledger(state) => ledgers::view_of(self, state).await?,
        };
        view.seq = loaded.head;
        if holder.is_some() {
            let mut glance = Glance::new(self.layout(), run);
            let under_way = glance.look_at(&loaded.state, &self.redactor());
            // What only waits is said by its status.
            if under_way.since.is_some() {
                view.tell(under_way, SystemClock.now());
            }
        }
        // Nobody is to drive what can only be read.
        view.undriven = self.caution.is_none() && self.is_missed(&loaded.state.entry()).await?;
        // That it cannot be looked at is said where somebody asks for it.
        view.replica = replicate::look_where_there(self).await;
        if let Some(replica) = &view.replica {
            view.screen.push(format!("replica  {}", piton_view::words::replica(replica, SystemClock.now())));
        }
        let redactor = self.redactor();
        for line in view.screen.iter_mut().chain(&mut view.ending) {
            *line = redactor.redact(line).into_owned();
        }
        view.archived = self.archived_view(run).await?;
        view.screen.extend(view.archived.iter().map(|archived| {
            let said = archived.words();
            format!("archive  {}", said.strip_prefix("archived: ").unwrap_or(&said))
        }));
        let warning = sizes::warning(self, sizes::of_file(self));
        view.screen.extend(warning.map(|warning| format!("warning  {warning}")));
        view.notes = log::notes(self.layout(), run);
        view.left = log::last_words(self.layout(), run).filter(|_| holder.is_none());
        Ok(view)
    }

    /// Where the payloads of a run are, if they were let go here.
    pub(super) async fn archived_view(&self, run: &RunId) -> Result<Option<ArchivedView>, ClientError> {
        let archived = self.store()?.archived(run).await?;
        Ok(archived.map(|archived| ArchivedView {
            run_id: run.clone(),
            through: archived.through,
            place: archived.place,
            backup: archived.backup,
        }))
    }

    async fn reasons(&self, run: &RunId) -> Result<WhyView, ClientError> {
        let Loaded { state, head, .. } = self.load_any(run, None).await?;
        let (entry, (mut because, not_the_cause)) = (state.entry(), state.why());
        if let StateOf::Ledger(state) = &state {
            because = ledgers::why_now(self, state)?;
        }
        let from = head.saturating_sub(WHY_EVENTS - 1).max(1);
        let mut events = self.told(run, from, Duration::ZERO).await?;
        events.retain(|event| event.seq <= head);
        Ok(WhyView {
            run_id: run.clone(),
            status: entry.status,
            reason: entry.reason,
            because: self.redactor().redact(&because).into_owned(),
            events,
            not_the_cause,
        })
    }

    /// Refuses an event that the run does not have: what is asked for is not what would be answered.
    pub(crate) async fn require_event(&self, run: &RunId, at: Seq) -> Result<(), Error> {
        let head = self.head(run).await?;
        if (1..=head).contains(&at) {
            return Ok(());
        }
        Err(Error::usage(format!("run `{run}` has no event {at}: they are 1 to {head}"))
            .hint(format!("run `piton log {run}`")))
    }

    async fn whole_state(&self, run: &RunId, at: Option<Moment>) -> Result<ShowView, Error> {
        let at = match at {
            Some(Moment::Iteration(iteration)) => Some(self.end_of_iteration(run, iteration).await?),
            Some(Moment::Event(seq)) => Some(seq),
            None => None,
        };
        if let Some(at) = at {
            self.require_event(run, at).await?;
        }
        let Loaded { mut state, head, .. } = self.load_any(run, at).await?;
        if let (StateOf::Ledger(ledger), None) = (&mut state, at) {
            **ledger = ledgers::seen(self, ledger).await?.state;
        }
        Ok(ShowView { run_id: run.clone(), kind: state.entry().kind, seq: head, state })
    }

    pub(crate) async fn head(&self, run: &RunId) -> Result<Seq, ClientError> {
        Ok(self.row(run).await?.head.seq)
    }

    /// The last event before the next iteration's attempt.
    async fn end_of_iteration(&self, run: &RunId, iteration: u32) -> Result<Seq, Error> {
        let mut last = None;
        let mut from = 1;
        loop {
            let events = self.told(run, from, Duration::ZERO).await?;
            let Some(end) = events.last().map(|event| event.seq) else { break };
            for event in events {
                let begins = ["attempt_started", "role_started"]
                    .contains(&event.kind.as_str())
                    .then(|| event.data["attempt"]["iteration"].as_u64())
                    .flatten();
                match begins {
                    Some(number) if number > u64::from(iteration) => return Ok(event.seq - 1),
                    Some(number) if number == u64::from(iteration) => last = Some(event.seq),
                    _ if last.is_some() => last = Some(event.seq),
                    _ => {}
                }
            }
            from = end + 1;
        }
        last.ok_or_else(|| {
            Error::usage(format!("run `{run}` has no iteration {iteration}"))
                .hint(format!("run `piton status {run}`"))
        })
    }

    async fn exported(&self, run: &RunId, format: Option<ExportFormat>) -> Result<Vec<u8>, Error> {
        let Loaded { state, head, .. } = self.load_any(run, None).await?;
        let kind = state.entry().kind;
        let format = format.unwrap_or(match kind {
            Kind::Loop => ExportFormat::Ralph,
            Kind::Workflow => ExportFormat::RunState,
            Kind::Cycle => ExportFormat::CycleState,
            Kind::Ledger => ExportFormat::Gaps,
        });
        let layout = self.layout();
        Ok(match (format, &state) {
            (ExportFormat::Ralph, StateOf::Loop(state)) => view_bytes(layout, state, head),
            (ExportFormat::Aiwg, StateOf::Loop(state)) => {
                extended_bytes(layout, state, head, &self.history(run).await?)
            }
            (ExportFormat::RunState, StateOf::Workflow(state)) => {
                piton_files::workflow::render(state, view_of(layout, run).place())
            }
            (ExportFormat::CycleState, StateOf::Cycle(state)) => crate::cycle::view_bytes(layout, state),
            (ExportFormat::Gaps | ExportFormat::GapsJson, StateOf::Ledger(state)) => {
                let state = ledgers::seen(self, state).await?.state;
                let as_json = format == ExportFormat::GapsJson;
                gaps::handed_on(layout.root(), state.file.as_ref(), &state.gaps, as_json)?
            }
            (ExportFormat::State, state) => folded(state),
            (
                ExportFormat::Ralph
                | ExportFormat::Aiwg
                | ExportFormat::RunState
                | ExportFormat::CycleState
                | ExportFormat::Gaps
                | ExportFormat::GapsJson,
                StateOf::Loop(_) | StateOf::Workflow(_) | StateOf::Cycle(_) | StateOf::Ledger(_),
            ) => {
                let what = format!("run `{run}` is a {}, and that format has none", kind.as_str());
                return Err(Error::usage(what).hint(format!("`piton export {run}` prints it in its own")));
            }
        })
    }

    async fn with_finding(&self, finding: &str) -> Result<Vec<RunId>, ClientError> {
        let mut found = Vec::new();
        for run in self.entries().await?.into_iter().filter(|run| run.kind == Kind::Loop) {
            if Self::unless_damaged(self.has_finding(&run.run_id, finding).await)? == Some(true) {
                found.push(run.run_id);
            }
        }
        Ok(found)
    }

    /// Whether the journal of a run holds the finding, however long ago.
    async fn has_finding(&self, run: &RunId, finding: &str) -> Result<bool, ClientError> {
        let state = self.load::<State>(run, None).await?.state;
        if state.judged.findings.iter().any(|kept| kept.finding.id == finding) {
            return Ok(true);
        }
        if state.counters.detections == 0 {
            return Ok(false);
        }
        let mut next = 1;
        loop {
            let page = self.store()?.read(run, next, PAGE).await?;
            let Some(last) = page.last() else { return Ok(false) };
            next = last.seq + 1;
            for stored in &page {
                let event: Result<piton_model::Event, _> = crate::load::decode(run, stored);
                if event.is_ok_and(|event| findings_of(&event).iter().any(|found| found.id == finding)) {
                    return Ok(true);
                }
            }
        }
    }

    /// Renders the views of a run anew. Where nobody drives it, under its lease: of two that do so at once neither puts back what
    /// the other has gone past.
    pub(crate) async fn rendered(&self, run: &RunId) -> Result<Rebuilt, Error> {
        let lease = match self.claim(run, Claim::IfFree).await {
            Err(ClientError::Store(error @ piton_store::Error::Sealed { .. })) => {
                return Err(ClientError::from(error).into());
            }
            claimed => claimed.ok(),
        };
        let rendered = self.render(run).await;
        if let Some(lease) = lease {
            self.release_shown(lease).await?;
        }
        rendered
    }

    async fn render(&self, run: &RunId) -> Result<Rebuilt, Error> {
        if self.kind(run).await? == Kind::Workflow {
            let state = self.load::<workflow::State>(run, None).await?.state;
            let view = view_of(self.layout(), run);
            if !has_view(&state) {
                let note =
                    "a queue has no files of its own: its items are loops, which have theirs".to_owned();
                return Ok(Rebuilt { written: Vec::new(), notes: vec![note] });
            }
            view.prepare()?;
            let notes = view.publish(&state)?.map(|moved| moved.to_string()).into_iter().collect();
            return Ok(Rebuilt { written: vec![view.place().state().display().to_string()], notes });
        }
        if self.kind(run).await? == Kind::Cycle {
            let state = self.load::<cycle::State>(run, None).await?.state;
            return crate::cycle::republish(self, &state).await;
        }
        let loaded = self.load::<State>(run, None).await?;
        let history = match configuration::views(self.layout()).aiwg {
            true => Some(self.history(run).await?),
            false => None,
        };
        Ok(republish(self.layout(), &loaded.state, loaded.head, history.as_ref())?)
    }

    async fn forgotten(&self, run: &RunId, how: Removal) -> Result<Vec<String>, Error> {
        let entry = self.entry(run).await?;
        if how.files && entry.kind != Kind::Cycle {
            let what =
                format!("run `{run}` is a {}: only a cycle has files that are kept", entry.kind.as_str());
            return Err(Error::usage(what).hint(format!("run `piton rm {run}`")));
        }
        if !entry.is_at_rest() && !how.force {
            return Err(Error::usage(format!(
                "run `{run}` is {}",
                piton_view::words::status_word(entry.status)
            ))
            .hint(format!("run `piton stop {run}` first, or give --force")));
        }
        driver_process::settled(self, run).await?;
        let mut kept = land::let_go(self, run, how.tree).await?;
        forget(self, run).await?;
        log::remove(self.layout(), run)?;
        if entry.kind == Kind::Cycle {
            kept.extend(crate::cycle::forget_files(self.layout(), run, how.files)?);
        }
        Ok(kept)
    }
}

/// The folded state, as it is.
fn folded(state: &StateOf) -> Vec<u8> {
    let mut bytes = serde_json::to_vec_pretty(state).expect("a state is plain data");
    bytes.push(b'\n');
    bytes
}

impl Client for LocalClient {
    fn runs(&self) -> Answer<'_, Runs> {
        Box::pin(async move { Ok(self.all_runs().await?) })
    }

    fn changes(&self, since: Seen, wait: Duration) -> Answer<'_, Changes> {
        Box::pin(async move { Ok(self.news(since, wait).await?) })
    }

    fn resolve<'a>(&'a self, text: Option<&'a str>) -> Answer<'a, RunId> {
        Box::pin(async move { Ok(self.resolved(text).await?) })
    }

    fn status<'a>(&'a self, run: &'a RunId) -> Answer<'a, StatusView> {
        Box::pin(async move { Ok(self.moment(run).await?) })
    }

    fn why<'a>(&'a self, run: &'a RunId) -> Answer<'a, WhyView> {
        Box::pin(async move { Ok(self.reasons(run).await?) })
    }

    fn show<'a>(&'a self, run: &'a RunId, at: Option<Moment>) -> Answer<'a, ShowView> {
        Box::pin(self.whole_state(run, at))
    }

    fn events<'a>(&'a self, run: &'a RunId, from: Seq, wait: Duration) -> Answer<'a, Vec<EventView>> {
        Box::pin(async move { Ok(self.told(run, from, wait).await?) })
    }

    fn follow<'a>(&'a self, run: &'a RunId, after: Seq) -> Answer<'a, Box<dyn Follow + 'a>> {
        Box::pin(async move { Ok(self.watch(run, after).await?) })
    }

    fn report<'a>(&'a self, run: &'a RunId) -> Answer<'a, ReportView> {
        Box::pin(report::report(self, run))
    }

    fn metrics<'a>(&'a self, run: &'a RunId) -> Answer<'a, MetricsView> {
        Box::pin(async move { Ok(metrics(&**self.store()?, run).await.map_err(ClientError::from)?) })
    }

    fn output<'a>(
        &'a self,
        run: &'a RunId,
        attempt: Option<&'a str>,
        raw: bool,
    ) -> Answer<'a, Box<dyn Printed>> {
        Box::pin(async move { Ok(Box::new(Output::of(self, run, attempt, raw).await?) as Box<dyn Printed>) })
    }

    fn diff<'a>(&'a self, run: &'a RunId, from: u32, to: Option<u32>) -> Answer<'a, DiffView> {
        Box::pin(restore::diff(self, run, from, to))
    }

    fn last_change<'a>(&'a self, run: &'a RunId) -> Answer<'a, Vec<u8>> {
        Box::pin(restore::last_change(self, run))
    }

    fn export<'a>(&'a self, run: &'a RunId, format: Option<ExportFormat>) -> Answer<'a, Vec<u8>> {
        Box::pin(self.exported(run, format))
    }

    fn brief<'a>(&'a self, run: &'a RunId) -> Answer<'a, Brief> {
        Box::pin(async move {
            let loaded = self.load::<State>(run, None).await?;
            Ok(brief::of(self.layout(), &loaded.state))
        })
    }

    fn runs_with<'a>(&'a self, finding: &'a str) -> Answer<'a, Vec<RunId>> {
        Box::pin(async move { Ok(self.with_finding(finding).await?) })
    }

    fn verify<'a>(
        &'a self,
        run: Option<&'a RunId>,
        tell: &'a mut (dyn FnMut(usize, usize) + Send),
    ) -> Answer<'a, VerifyView> {
        Box::pin(async move {
            let mut found = verify::verify(&**self.store()?, run, tell).await?;
            let lost = self.snapshots_lost(run).await?;
            self.remember(run, &found.problems, &lost.damaged);
            found.ok &= lost.damaged.is_empty();
            found.problems.extend(lost.damaged);
            found.views = self.views_behind(run).await?;
            found.elsewhere = lost.elsewhere;
            Ok(found)
        })
    }

    fn back_up<'a>(&'a self, to: Option<&'a str>) -> Answer<'a, BackedUp> {
        Box::pin(vault::back_up(self, to))
    }

    fn backups<'a>(&'a self, to: Option<&'a str>) -> Answer<'a, BackupsView> {
        Box::pin(vault::backups(self, to))
    }

    fn verify_backups<'a>(
        &'a self,
        to: Option<&'a str>,
        name: Option<&'a str>,
    ) -> Answer<'a, BackupsVerified> {
        Box::pin(vault::verify(self, to, name))
    }

    fn restore_backup(&self, order: RestoreOrder) -> Answer<'_, BackupRestored> {
        Box::pin(vault::restore(self, order))
    }

    fn prune_backups(&self, order: PruneOrder) -> Answer<'_, PrunedView> {
        Box::pin(vault::prune(self, order))
    }

    fn replica(&self) -> Answer<'_, Option<ReplicaView>> {
        Box::pin(replicate::look(self))
    }

    fn replicate<'a>(
        &'a self,
        order: ReplicateOrder,
        tell: &'a mut (dyn FnMut(&ReplicaUpdate) + Send),
    ) -> Answer<'a, ReplicaView> {
        Box::pin(replicate::replicate(self, order, tell))
    }

    fn repair(&self) -> Answer<'_, RepairView> {
        Box::pin(repair::repair(self))
    }

    fn collect(&self, order: GcOrder) -> Answer<'_, CollectView> {
        Box::pin(collect::collect(self, order))
    }

    fn sizes(&self) -> Answer<'_, SizesView> {
        Box::pin(sizes::sizes(self))
    }

    fn start(&self, order: Order) -> Answer<'_, Started> {
        Box::pin(start::start(self, order))
    }

    fn resume<'a>(&'a self, run: &'a RunId, how: Resumption) -> Answer<'a, Started> {
        Box::pin(async move { start::resume(self, run, &how).await })
    }

    fn extend<'a>(&'a self, run: &'a RunId, text: String, limits: LimitWords) -> Answer<'a, Started> {
        Box::pin(start::extend(self, run, text, limits))
    }

    fn wake<'a>(&'a self, run: &'a RunId) -> Answer<'a, ()> {
        Box::pin(async move {
            let before = self.head(run).await?;
            match driver_process::start(self, run, false).await {
                // Somebody else was faster: they drive it, or have driven it to where nothing is left to do.
                Err(error) if error.kind == ErrorKind::Held || self.head(run).await? != before => Ok(()),
                started => started,
            }
        })
    }

    fn settled<'a>(&'a self, run: &'a RunId) -> Answer<'a, ()> {
        Box::pin(driver_process::settled(self, run))
    }

    fn morning(&self, since: Option<Timestamp>) -> Answer<'_, Option<MorningView>> {
        Box::pin(night::morning(self, since))
    }

    fn night(&self, since: Option<Timestamp>) -> Answer<'_, NightView> {
        Box::pin(night::night(self, since))
    }

    fn send_morning<'a>(&'a self, morning: &'a MorningView) -> Answer<'a, Vec<String>> {
        Box::pin(night::send(self, morning))
    }

    fn add_item<'a>(&'a self, queue: &'a RunId, order: ItemOrder) -> Answer<'a, Asked> {
        Box::pin(async move {
            let state = self.load::<workflow::State>(queue, None).await?.state;
            let before = order.before.as_ref().map(workflow::StepId::new);
            let item = start::added_item(self.layout(), &state, &order)?;
            let change = workflow::QueueChange::Add { item, before };
            self.carry_out(queue, Request::Queue(change)).await
        })
    }

    fn request<'a>(&'a self, run: &'a RunId, request: Request) -> Answer<'a, Asked> {
        Box::pin(self.carry_out(run, request))
    }

    fn landable<'a>(&'a self, runs: &'a [RunId], order: &'a LandOrder) -> Answer<'a, ()> {
        Box::pin(land::several::landable(self, runs, order))
    }

    fn pull_request<'a>(&'a self, run: &'a RunId) -> Answer<'a, Option<PullRequestView>> {
        Box::pin(land::forge::look(self, run))
    }

    fn land<'a>(&'a self, run: &'a RunId, order: LandOrder) -> Answer<'a, LandedView> {
        Box::pin(land::land(self, run, order))
    }

    fn restore<'a>(
        &'a self,
        run: &'a RunId,
        iteration: Option<u32>,
        force: bool,
    ) -> Answer<'a, RestoredView> {
        Box::pin(restore::restore(self, run, iteration, force))
    }

    fn rebuild<'a>(&'a self, run: &'a RunId) -> Answer<'a, Rebuilt> {
        Box::pin(self.rendered(run))
    }

    fn gaps<'a>(&'a self, ledger: &'a LedgerAt, now: Timestamp) -> Answer<'a, InLedger<Vec<GapView>>> {
        Box::pin(gaps::all(self, ledger, now))
    }

    fn gap_at<'a>(&'a self, ledger: &'a LedgerAt, id: &'a str, at: Timestamp) -> Answer<'a, Option<GapView>> {
        Box::pin(gaps::then(self, ledger, id, at))
    }

    fn gaps_since<'a>(
        &'a self,
        ledger: &'a LedgerAt,
        since: Timestamp,
        now: Timestamp,
    ) -> Answer<'a, InLedger<GapsDiff>> {
        Box::pin(gaps::since(self, ledger, since, now))
    }

    fn gap_order<'a>(&'a self, ledger: &'a LedgerAt, now: Timestamp) -> Answer<'a, InLedger<GapsOrder>> {
        Box::pin(gaps::order(self, ledger, now))
    }

    fn stale_gaps<'a>(&'a self, ledger: &'a LedgerAt, now: Timestamp) -> Answer<'a, InLedger<StaleGaps>> {
        Box::pin(gaps::stale(self, ledger, now))
    }

    fn gap_batch<'a>(
        &'a self,
        ledger: &'a LedgerAt,
        max: usize,
        now: Timestamp,
    ) -> Answer<'a, InLedger<GapsBatch>> {
        Box::pin(gaps::batch(self, ledger, max, now))
    }

    fn gaps_not_fresh<'a>(
        &'a self,
        ledger: &'a LedgerAt,
        ids: &'a [String],
        now: Timestamp,
    ) -> Answer<'a, InLedger<Vec<NotFresh>>> {
        Box::pin(gaps::not_fresh(self, ledger, ids, now))
    }

    fn gap_prompt<'a>(
        &'a self,
        ledger: &'a LedgerAt,
        ids: &'a [String],
        tokens: usize,
        now: Timestamp,
    ) -> Answer<'a, InLedger<String>> {
        Box::pin(gaps::prompt(self, ledger, ids, tokens, now))
    }

    fn export_gaps<'a>(
        &'a self,
        ledger: &'a LedgerAt,
        as_json: bool,
        now: Timestamp,
    ) -> Answer<'a, InLedger<Vec<u8>>> {
        Box::pin(gaps::export(self, ledger, as_json, now))
    }

    fn gap_events<'a>(&'a self, ledger: &'a LedgerAt) -> Answer<'a, Vec<GapEvent>> {
        Box::pin(gaps::events(self, ledger))
    }

    fn change_gaps<'a>(
        &'a self,
        ledger: &'a LedgerAt,
        change: GapChange,
        now: Timestamp,
    ) -> Answer<'a, GapsChanged> {
        Box::pin(async move {
            let changed = gaps::change::change(self, ledger, change, now).await;
            replicate::ensure(self.layout());
            changed
        })
    }

    fn research<'a>(
        &'a self,
        ledger: &'a LedgerAt,
        order: ResearchOrder,
        tell: &'a mut (dyn FnMut(ResearchUpdate) + Send),
    ) -> Answer<'a, Option<Batch>> {
        Box::pin(async move {
            tokio::select! {
                found = research::research(self, ledger, order, tell) => found,
                never = replicate::attend(self.layout()) => match never {},
            }
        })
    }

    fn remove<'a>(&'a self, run: &'a RunId, how: Removal) -> Answer<'a, Vec<String>> {
        Box::pin(self.forgotten(run, how))
    }
}
