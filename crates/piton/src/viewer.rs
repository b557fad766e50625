//! Watching a run: a line per iteration, a live line on a terminal, the result at the end.
//!
//! The viewer only watches. Ctrl-C becomes a request; a closed terminal ends the viewer, not the run.

use std::time::Duration;

use piton_engine::LocalClient;
use piton_engine::absence::{Absence, Missing};
use piton_engine::workflow::catch_up_view;
use piton_model::loop_machine::{AttemptOutcome, HookRecord};
use piton_model::workflow::WorkflowEvent;
use piton_model::{
    Event, ExitCode, Kind, Machine, RunEvent, RunId, Seq, State, StopOrigin, exit_code, workflow,
};
use piton_sys::{Clock, SystemClock};
use piton_view::{Client, EventView, Request};

use crate::failure::Failure;
use crate::output::Output;
use crate::{attended, render, start};

/// From where a viewer shows a run.
#[derive(Clone, Copy, Debug)]
pub(crate) enum From {
    /// All of it.
    Start,
    /// What happens after this event.
    After(Seq),
}

const TICK: Duration = Duration::from_millis(200);

/// Drivers that one viewer starts in place of those that were killed.
const RESTARTS_MAX: u32 = 5;

/// What a viewer shows of one kind of run.
trait Shown: Machine {
    /// What an event is worth telling.
    fn lines(before: Option<&Self>, event: &Self::Event, after: &Self, out: &Output) -> Vec<String>;

    /// What is under way.
    fn under_way(&self) -> String;

    /// The last lines; `next` is the command that helps.
    fn ending(&self, next: &str) -> Vec<String>;

    /// Whether an answer is on its way to the driver.
    fn is_settling(&self, _out: &Output) -> bool {
        false
    }

    /// Whether somebody sits at this terminal and is asked something that a key can answer.
    fn asks_for_a_key(&self, _out: &Output) -> bool {
        false
    }
}

/// Shows `run` until it rests, and exits with its code.
pub(crate) async fn view(
    client: &LocalClient,
    run: &RunId,
    from: From,
    out: &Output,
) -> Result<ExitCode, Failure> {
    match client.kind(run).await? {
        Kind::Workflow => {
            let code = watch::<workflow::State>(client, run, from, out).await?;
            catch_up_view(client, run).await?;
            Ok(code)
        }
        Kind::Loop | Kind::Ledger => watch::<State>(client, run, from, out).await,
    }
}

async fn watch<M: Shown>(
    client: &LocalClient,
    run: &RunId,
    from: From,
    out: &Output,
) -> Result<ExitCode, Failure> {
    let mut screen = Screen::<M>::new(client, run, from, out).await?;
    let mut interrupts = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::interrupt())
        .map_err(|error| Failure::environment(&error))?;
    let mut interrupted = 0;
    let mut absence = Absence::default().at_most(RESTARTS_MAX);
    loop {
        tokio::select! {
            events = client.events(run, screen.next, TICK) => screen.take(&events?),
            _ = interrupts.recv() => {
                interrupted += 1;
                stop(client, run, interrupted, out).await?;
            }
        }
        screen.catch_up(client, run).await?;
        if let Some(code) = screen.rested() {
            if screen.state.as_ref().is_some_and(|state| state.is_settling(out)) {
                continue;
            }
            if screen.state.as_ref().is_some_and(|state| state.asks_for_a_key(out)) {
                out.transient("");
                if attended::decide(client, run, out).await? == attended::Decided::GoesOn {
                    continue;
                }
                screen.catch_up(client, run).await?;
            }
            // What comes next must not find a driver that is only leaving.
            start::let_go(client, run).await?;
            screen.ending(client).await?;
            return Ok(code);
        }
        let driven = client.store().holder(run).await?.is_some();
        let missing = absence.look(driven);
        if missing != Missing::No {
            out.transient("");
            // One that said why it left left for a reason; one that was killed is replaced.
            if let Some(failure) = start::last_words(client.layout(), run) {
                return Err(failure);
            }
        }
        match missing {
            Missing::No => {}
            Missing::TooOften => return Err(gone(run)),
            Missing::Start { number } => {
                out.note(format!("the driver is gone; starting another ({number} of {RESTARTS_MAX})"));
                match start::driver(client, run, false).await.or_else(already_driven) {
                    // It was killed, too, before it could drive: that is one of the few.
                    Err(failure) if failure.code == ExitCode::Environment && absence.has_more() => {
                        out.note(failure.message);
                    }
                    started => started?,
                }
            }
        }
        screen.tick();
    }
}

fn gone(run: &RunId) -> Failure {
    Failure::new(ExitCode::Environment, format!("the driver of run `{run}` is gone again and again"))
        .hint(format!("look at the machine, then run `piton resume {}`: it finds what is there", run.short()))
}

/// Another viewer was faster.
fn already_driven(failure: Failure) -> Result<(), Failure> {
    if failure.code == ExitCode::Held { Ok(()) } else { Err(failure) }
}

async fn stop(client: &LocalClient, run: &RunId, interrupted: u32, out: &Output) -> Result<(), Failure> {
    let now = interrupted > 1;
    out.transient("");
    out.note(match now {
        true => "stopping now",
        false => "stopping after this attempt; Ctrl-C again stops now",
    });
    match client.request(run, Request::Stop { now, origin: StopOrigin::Interrupt }).await {
        // It rested in between: the next look shows it.
        Err(piton_engine::ClientError::Rejected(_)) => Ok(()),
        other => Ok(other?),
    }
}

/// An attempt that failed.
fn went_wrong(event: &Event) -> bool {
    let Event::AttemptFinished { end, .. } = event else { return false };
    !matches!(end.outcome, AttemptOutcome::Succeeded | AttemptOutcome::Cancelled)
}

/// What a person should know of an attempt besides.
fn warnings(event: &Event) -> Vec<String> {
    match event {
        Event::AttemptFinished { end, .. } => {
            let said = end.report.iter().flat_map(|report| &report.warnings);
            said.chain(end.prompt.iter().flat_map(|prompt| &prompt.warnings)).cloned().collect()
        }
        Event::HooksFinished { end } => end.results.iter().filter_map(HookRecord::warning).collect(),
        _ => Vec::new(),
    }
}

impl Shown for State {
    fn lines(before: Option<&Self>, event: &Event, after: &Self, out: &Output) -> Vec<String> {
        let mut lines = Vec::new();
        match before {
            None => lines.push(out.bold(&render::opening(after))),
            Some(before) => {
                let baseline_known = before.seen.baseline.is_none() && after.seen.baseline.is_some();
                let no_baseline = matches!(event, Event::AttemptStarted { attempt } if attempt.number == 1)
                    && after.seen.baseline.is_none();
                if baseline_known || no_baseline {
                    lines.extend(render::baseline(after));
                }
                if after.counters.iterations > before.counters.iterations
                    && let Some(record) = after.judged.recent.back()
                {
                    lines.push(render::iteration(record, after));
                }
            }
        }
        let worth_telling = matches!(
            event,
            Event::AttemptLost { .. }
                | Event::AttemptAbandoned { .. }
                | Event::RunWaiting { until: Some(_), .. }
                | Event::RunResumed { .. }
                | Event::AnswerRefused { .. }
                | Event::ModeSwitched { .. }
        ) || went_wrong(event);
        if worth_telling || out.verbose {
            lines.push(format!("      {}", render::event(event)));
        }
        lines.extend(warnings(event).iter().map(|warning| format!("      ! {warning}")));
        lines
    }

    fn under_way(&self) -> String {
        let what = match &self.work.open {
            Some(piton_model::loop_machine::Open::Checks(_)) => "checks",
            Some(piton_model::loop_machine::Open::Attempt(_)) => "agent works",
            Some(piton_model::loop_machine::Open::Hooks(_)) => "hooks",
            Some(piton_model::loop_machine::Open::Commit(_)) => "commits",
            None => self.status.as_str(),
        };
        format!("#{}  {what}", self.work.iteration)
    }

    fn ending(&self, next: &str) -> Vec<String> {
        render::ending(self, next)
    }

    fn is_settling(&self, out: &Output) -> bool {
        attended::is_settling(self, out)
    }

    fn asks_for_a_key(&self, out: &Output) -> bool {
        attended::is_due(self, out)
    }
}

impl Shown for workflow::State {
    fn lines(before: Option<&Self>, event: &WorkflowEvent, after: &Self, out: &Output) -> Vec<String> {
        let opening = before.is_none().then(|| out.bold(&render::workflow::opening(after)));
        let mut line = render::workflow::progress(event, after);
        if line.is_none() && out.verbose {
            line = Some(format!("      {}", render::workflow::event(event)));
        }
        opening.into_iter().chain(line).collect()
    }

    fn under_way(&self) -> String {
        render::workflow::under_way(self)
    }

    fn ending(&self, next: &str) -> Vec<String> {
        render::workflow::ending(self, next)
    }
}

struct Screen<'a, M> {
    out: &'a Output,
    state: Option<M>,
    next: Seq,
    spinner: usize,
}

impl<'a, M: Shown> Screen<'a, M> {
    async fn new(client: &LocalClient, run: &RunId, from: From, out: &'a Output) -> Result<Self, Failure> {
        let (state, next) = match from {
            From::Start => (None, 1),
            From::After(seq) => (Some(client.load_as(run, Some(seq)).await?.state), seq + 1),
        };
        Ok(Self { out, state, next, spinner: 0 })
    }

    /// Long histories come in pages.
    async fn catch_up(&mut self, client: &LocalClient, run: &RunId) -> Result<(), Failure> {
        loop {
            let events = client.events(run, self.next, Duration::ZERO).await?;
            if events.is_empty() {
                return Ok(());
            }
            self.take(&events);
        }
    }

    fn take(&mut self, events: &[EventView]) {
        for view in events {
            self.next = view.seq + 1;
            if self.out.json {
                self.out.json_line(view);
            }
            let data = serde_json::to_vec(&view.data).expect("JSON is JSON");
            if let Ok(event) = M::Event::decode(&view.kind, view.v, &data) {
                let before = self.state.take();
                let after = M::apply(before.clone(), &event, view.at);
                self.show(before.as_ref(), &event, after.as_ref());
                self.state = after;
            }
        }
    }

    fn show(&self, before: Option<&M>, event: &M::Event, after: Option<&M>) {
        let Some(after) = after.filter(|_| !self.out.json && !self.out.quiet) else { return };
        let lines = M::lines(before, event, after, self.out);
        if lines.is_empty() {
            return;
        }
        self.out.transient("");
        for line in lines {
            self.out.line(line);
        }
    }

    fn rested(&self) -> Option<ExitCode> {
        let outline = self.state.as_ref()?.outline();
        exit_code(outline.status, outline.reason)
    }

    async fn ending(&self, client: &LocalClient) -> Result<(), Failure> {
        let Some(state) = &self.state else { return Ok(()) };
        self.out.transient("");
        if self.out.json {
            return Ok(());
        }
        let run = state.outline().run;
        let next = match M::KIND {
            Kind::Workflow => client.workflow_status(&run).await?.next,
            Kind::Loop | Kind::Ledger => client.status(&run).await?.next,
        };
        for note in start::notes(client.layout(), &run) {
            self.out.note(format!("note: {}", crate::output::clean_line(&note)));
        }
        for line in state.ending(&next) {
            self.out.line(line);
        }
        Ok(())
    }

    fn tick(&mut self) {
        const FRAMES: [char; 10] = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
        let Some(state) = &self.state else { return };
        self.spinner = (self.spinner + 1) % FRAMES.len();
        let since = render::ago(SystemClock.now(), state.outline().updated_at);
        self.out.transient(&format!(
            "{} {}  {since}     Ctrl-C stops · closing the terminal leaves it running",
            FRAMES[self.spinner],
            state.under_way()
        ));
    }
}
