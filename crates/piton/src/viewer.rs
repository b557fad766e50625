//! Watching a run: a line per iteration, a live line on a terminal, the result at the end.
//!
//! The viewer only watches. Ctrl-C becomes a request; a closed terminal ends the viewer, not the run.

use std::time::Duration;

use piton_engine::LocalClient;
use piton_model::loop_machine::{AttemptOutcome, HookRecord};
use piton_model::{Event, ExitCode, RunId, Seq, State, StopOrigin, apply, exit_code};
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

/// Consecutive looks without a driver before the viewer does something about it.
const ABSENT_LOOKS_MAX: u32 = 10;

/// Drivers that one viewer starts in place of those that were killed.
const RESTARTS_MAX: u32 = 5;

/// Shows `run` until it rests, and exits with its code.
pub(crate) async fn view(
    client: &LocalClient,
    run: &RunId,
    from: From,
    out: &Output,
) -> Result<ExitCode, Failure> {
    let mut screen = Screen::new(client, run, from, out).await?;
    let mut interrupts = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::interrupt())
        .map_err(|error| Failure::environment(&error))?;
    let mut interrupted = 0;
    let mut absent = 0;
    let mut restarts = 0;
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
            if screen.state.as_ref().is_some_and(|state| attended::is_settling(state, out)) {
                continue;
            }
            if screen.state.as_ref().is_some_and(|state| attended::is_due(state, out)) {
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
        let driven = client.status(run).await?.driver.is_some();
        absent = if driven { 0 } else { absent + 1 };
        if absent > ABSENT_LOOKS_MAX {
            absent = 0;
            out.transient("");
            // One that said why it left left for a reason; one that was killed is replaced.
            if let Some(failure) = start::last_words(client.layout(), run) {
                return Err(failure);
            }
            restarts += 1;
            if restarts > RESTARTS_MAX {
                return Err(gone(run));
            }
            out.note(format!("the driver is gone; starting another ({restarts} of {RESTARTS_MAX})"));
            match start::driver(client, run, false).await.or_else(already_driven) {
                // It was killed, too, before it could drive: that is one of the few.
                Err(failure) if failure.code == ExitCode::Environment && restarts < RESTARTS_MAX => {
                    out.note(failure.message);
                }
                started => started?,
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

struct Screen<'a> {
    out: &'a Output,
    state: Option<State>,
    next: Seq,
    spinner: usize,
}

impl<'a> Screen<'a> {
    async fn new(client: &LocalClient, run: &RunId, from: From, out: &'a Output) -> Result<Self, Failure> {
        let (state, next) = match from {
            From::Start => (None, 1),
            From::After(seq) => (Some(client.load(run, Some(seq)).await?.state), seq + 1),
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
            if let Ok(event) = Event::decode(&view.kind, view.v, &data) {
                let before = self.state.take();
                let after = apply(before.clone(), &event, view.at);
                self.show(before.as_ref(), &event, after.as_ref());
                self.state = after;
            }
        }
    }

    fn show(&self, before: Option<&State>, event: &Event, after: Option<&State>) {
        let Some(after) = after else { return };
        if self.out.json || self.out.quiet {
            return;
        }
        let mut lines = Vec::new();
        match before {
            None => lines.push(self.out.bold(&render::opening(after))),
            Some(before) => {
                let baseline_known = before.baseline.is_none() && after.baseline.is_some();
                let no_baseline = matches!(event, Event::AttemptStarted { attempt } if attempt.number == 1)
                    && after.baseline.is_none();
                if baseline_known || no_baseline {
                    lines.extend(render::baseline(after));
                }
                if after.counters.iterations > before.counters.iterations
                    && let Some(record) = after.recent.back()
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
        if worth_telling || self.out.verbose {
            lines.push(format!("      {}", render::event(event)));
        }
        lines.extend(warnings(event).iter().map(|warning| format!("      ! {warning}")));
        if lines.is_empty() {
            return;
        }
        self.out.transient("");
        for line in lines {
            self.out.line(line);
        }
    }

    fn rested(&self) -> Option<ExitCode> {
        let state = self.state.as_ref()?;
        exit_code(state.status, state.reason)
    }

    async fn ending(&self, client: &LocalClient) -> Result<(), Failure> {
        let Some(state) = &self.state else { return Ok(()) };
        self.out.transient("");
        if self.out.json {
            return Ok(());
        }
        let status = client.status(&state.run).await?;
        for note in start::notes(client.layout(), &state.run) {
            self.out.note(format!("note: {}", crate::output::clean_line(&note)));
        }
        for line in render::ending(state, &status.next) {
            self.out.line(line);
        }
        Ok(())
    }

    fn tick(&mut self) {
        const FRAMES: [char; 10] = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
        let Some(state) = &self.state else { return };
        self.spinner = (self.spinner + 1) % FRAMES.len();
        let since = render::ago(SystemClock.now(), state.updated_at);
        let what = match &state.open {
            Some(piton_model::loop_machine::Open::Checks(_)) => "checks".to_owned(),
            Some(piton_model::loop_machine::Open::Attempt(_)) => "agent works".to_owned(),
            Some(piton_model::loop_machine::Open::Hooks(_)) => "hooks".to_owned(),
            None => state.status.as_str().to_owned(),
        };
        self.out.transient(&format!(
            "{} #{}  {since}  {what}     Ctrl-C stops · closing the terminal leaves it running",
            FRAMES[self.spinner], state.iteration
        ));
    }
}
