//! Watching a run: a line per iteration, a live line on a terminal, the result at the end.
//!
//! The viewer only watches. Ctrl-C becomes a request; a closed terminal ends the viewer, not the run.

use std::time::Duration;

use piton_model::{RunId, Seq, StopOrigin, Timestamp};
use piton_sys::{Clock, SystemClock};
use piton_view::{Client, Follow, Request, Update, Weight, words};

use crate::attended;
use crate::awaited::Waiting;
use crate::failure::{ErrorKind, Failure, Result};
use crate::output::{Output, clean_line};
use crate::repository::{Absence, Missing};

const TICK: Duration = Duration::from_millis(200);

/// Looks after which a viewer is taken to stay for longer: what only its start needed is given back then.
const LOOKS_AT_START: u32 = 5;

/// How long a driver may take to see that the time for an answer is over.
const APPROVED_WITHIN_MS: u64 = 10_000;

/// Drivers that one viewer starts in place of those that were killed.
const RESTARTS_MAX: u32 = 5;

/// Shows what happens in `run` after event `after` until it rests, and exits with its code. Where it waits for a person,
/// their file is looked for `every` so often, if somebody says how often.
pub(crate) async fn view(
    client: &dyn Client,
    run: &RunId,
    after: Seq,
    every: Option<Duration>,
    out: &Output,
) -> Result {
    let mut waiting = Waiting::new(every, out);
    let mut screen = Screen::of(client, run, after, out).await?;
    let mut interrupts = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::interrupt())
        .map_err(|error| Failure::environment(&error))?;
    let (mut interrupted, mut leaves, mut looks) = (0, false, 0_u32);
    let mut absence = Absence::default().at_most(RESTARTS_MAX);
    loop {
        tokio::select! {
            looked = screen.look(TICK) => looked?,
            _ = interrupts.recv() => match screen.rests() {
                // Whoever waits for a person and has enough of it leaves the run as it is.
                true => leaves = true,
                false => {
                    interrupted += 1;
                    stop(client, run, interrupted, out).await?;
                }
            }
        }
        looks = looks.saturating_add(1);
        if looks == LOOKS_AT_START {
            piton_sys::process::give_back_code();
        }
        screen.look(Duration::ZERO).await?;
        let Some(standing) = screen.follow.standing() else { continue };
        // What was asked of a run at rest is not done where its driver is gone.
        if let Some(code) = standing.entry.exit_code().filter(|_| !standing.undriven) {
            if out.terminal && standing.settling {
                continue;
            }
            if standing.at_a_key.is_some() && attended::is_possible(out) {
                out.transient("");
                if attended::decide(client, run, out).await? == attended::Decided::GoesOn {
                    continue;
                }
                screen.look(Duration::ZERO).await?;
            }
            // What nobody answers counts as approved: it goes on by itself, and is not over.
            if !leaves && goes_on(standing.goes_on_at) {
                screen.tick();
                continue;
            }
            if !leaves && waiting.look(client, run, &standing.entry, out).await? {
                continue;
            }
            // What comes next must not find a driver that is only leaving.
            client.settled(run).await?;
            ending(client, run, out).await?;
            return Ok(code);
        }
        let missing = absence.look(!standing.undriven);
        if missing != Missing::No {
            out.transient("");
            replace_driver(client, run, missing, absence.has_more(), out).await?;
        }
        screen.tick();
    }
}

/// Whether a run that asks a person goes on without an answer. One that is long past the moment has nobody to see to it.
pub(crate) fn goes_on(at: Option<Timestamp>) -> bool {
    at.is_some_and(|at| SystemClock.now() <= at.plus_millis(APPROVED_WITHIN_MS))
}

/// The driver is gone. One that said why it left left for a reason; one that was killed is replaced.
async fn replace_driver(
    client: &dyn Client,
    run: &RunId,
    missing: Missing,
    has_more: bool,
    out: &Output,
) -> Result<()> {
    if let Some(failure) = client.status(run).await?.left {
        return Err(failure);
    }
    let number = match missing {
        Missing::No => return Ok(()),
        Missing::Start { number } => number,
        Missing::TooOften => return Err(gone(run)),
    };
    out.note(format!("the driver is gone; starting another ({number} of {RESTARTS_MAX})"));
    match client.wake(run).await {
        // It was killed, too, before it could drive: that is one of the few.
        Err(failure) if failure.kind == ErrorKind::Environment && has_more => {
            out.note(failure.message);
            Ok(())
        }
        started => started,
    }
}

fn gone(run: &RunId) -> Failure {
    Failure::new(ErrorKind::Environment, format!("the driver of run `{run}` is gone again and again"))
        .hint(format!("look at the machine, then run `piton resume {}`: it finds what is there", run.short()))
}

async fn stop(client: &dyn Client, run: &RunId, interrupted: u32, out: &Output) -> Result<()> {
    let now = interrupted > 1;
    out.transient("");
    out.note(match now {
        true => "stopping now",
        false => "stopping after this attempt; Ctrl-C again stops now",
    });
    match client.request(run, Request::Stop { now, origin: StopOrigin::Interrupt }).await {
        // It rested in between: the next look shows it.
        Err(failure) if failure.kind == ErrorKind::Rejected => Ok(()),
        asked => asked.map(drop),
    }
}

/// The last lines: why it rests, what the result is, what to do next.
async fn ending(client: &dyn Client, run: &RunId, out: &Output) -> Result<()> {
    let status = client.status(run).await?;
    out.transient("");
    if out.json {
        return Ok(());
    }
    for note in &status.notes {
        out.note(format!("note: {}", clean_line(note)));
    }
    status.ending.iter().for_each(|line| out.row(line));
    Ok(())
}

/// A run as it is told to whoever watches it.
pub(crate) struct Screen<'a> {
    follow: Box<dyn Follow + 'a>,
    out: &'a Output,
    seen: Seq,
    spinner: usize,
}

impl<'a> Screen<'a> {
    /// What happens in `run` after event `after`.
    pub(crate) async fn of(
        client: &'a dyn Client,
        run: &'a RunId,
        after: Seq,
        out: &'a Output,
    ) -> Result<Screen<'a>> {
        Ok(Self { follow: client.follow(run, after).await?, out, seen: after, spinner: 0 })
    }

    /// The last event that was shown.
    pub(crate) fn seen(&self) -> Seq {
        self.seen
    }

    /// Whether the run rests, as far as was shown.
    fn rests(&self) -> bool {
        self.follow.standing().is_some_and(|standing| standing.entry.is_at_rest())
    }

    /// Shows what is new.
    pub(crate) async fn look(&mut self, wait: Duration) -> Result<()> {
        for update in self.follow.next(wait).await? {
            self.seen = update.event.seq;
            self.show(&update);
        }
        Ok(())
    }

    fn show(&self, update: &Update) {
        if self.out.json {
            return self.out.json_line(&update.event);
        }
        let wanted = |weight| weight != Weight::Detail || self.out.verbose;
        let lines: Vec<_> = update.told.iter().filter(|told| wanted(told.weight)).collect();
        if self.out.quiet || lines.is_empty() {
            return;
        }
        self.out.transient("");
        for told in lines {
            match told.weight {
                Weight::Heading => {
                    self.out.rows(&told.text).iter().for_each(|line| self.out.line(self.out.bold(line)));
                }
                Weight::News | Weight::Detail => self.out.row(&told.text),
            }
        }
    }

    fn tick(&mut self) {
        const FRAMES: [char; 10] = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
        let Some(standing) = self.follow.standing() else { return };
        self.spinner = (self.spinner + 1) % FRAMES.len();
        let since = words::ago(SystemClock.now(), standing.entry.updated_at);
        self.out.transient(&format!(
            "{} {}  {since}     Ctrl-C stops · closing the terminal leaves it running",
            FRAMES[self.spinner], standing.under_way
        ));
    }
}
