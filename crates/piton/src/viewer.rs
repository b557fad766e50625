//! Watching a run: a line per iteration, a live line on a terminal, the result at the end.
//!
//! The viewer only watches. Ctrl-C becomes a request; a closed terminal ends the viewer, not the run.

use std::time::Duration;

use piton_model::{ExitCode, RunId, Seq, StopOrigin, Timestamp};
use piton_sys::{Clock, SystemClock};
use piton_view::{Client, Follow, Request, UnderWay, Update, Weight, words};

use crate::attended;
use crate::awaited::Waiting;
use crate::failure::{ErrorKind, Failure, Result};
use crate::output::{Output, clean_line};
use crate::paint::Tone;
use crate::repository::{Absence, Missing};
use crate::terminal::{self, Pressed, Terminal};

const TICK: Duration = Duration::from_millis(200);

/// What can be done while somebody watches.
const KEYS: &str = "d detach · p pause · t tell · ? help";
const HELP: [&str; 4] = [
    "d  leave; the run goes on (piton attach comes back)",
    "p  pause once the work under way has ended",
    "t  tell the agent something, with its next prompt",
    "q  stop it, now or later; so does Ctrl-C",
];
/// What stays of that once it was read.
const KEYS_LATER: &str = "? help";
/// Looks at the run until then.
const LOOKS_TO_READ: usize = 60;
/// How wide a terminal is that does not say so.
const WIDTH_UNKNOWN: usize = 80;
/// Where there are no keys.
const WITHOUT_KEYS: &str = "Ctrl-C stops · closing the terminal leaves it running";
/// What Ctrl-C asks.
const MEANT: &str = "stop?  s after this attempt · n now · d leave it running · Enter go on";

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
    screen.keys = Keys::listen(out);
    loop {
        tokio::select! {
            looked = screen.look(TICK) => looked?,
            _ = interrupts.recv() => match screen.rests() {
                // Whoever waits for a person and has enough of it leaves the run as it is.
                true => leaves = true,
                false => {
                    interrupted += 1;
                    match &mut screen.keys {
                        Some(keys) if interrupted == 1 => keys.asks = true,
                        _ => stop(client, run, interrupted > 1, out).await?,
                    }
                }
            }
        }
        match screen.pressed(client, run).await? {
            Wanted::Nothing => {}
            Wanted::GoOn => interrupted = 0,
            Wanted::Stop { now } => {
                interrupted = 1;
                stop(client, run, now, out).await?;
            }
            Wanted::Leave => {
                out.transient("");
                out.note(format!("{run} goes on; `piton attach {}` comes back", run.short()));
                return Ok(ExitCode::Done);
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

async fn stop(client: &dyn Client, run: &RunId, now: bool, out: &Output) -> Result<()> {
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

/// Somebody watches at a terminal, and a key of theirs counts at once.
struct Keys {
    _terminal: Terminal,
    /// They pressed Ctrl-C, and have not said what they mean.
    asks: bool,
}

impl Keys {
    fn listen(out: &Output) -> Option<Self> {
        let terminal = attended::is_possible(out).then(Terminal::for_keys).flatten()?;
        Some(Self { _terminal: terminal, asks: false })
    }
}

/// What somebody wants who pressed a key.
enum Wanted {
    Nothing,
    /// They thought better of it.
    GoOn,
    Stop {
        now: bool,
    },
    Leave,
}

/// A run as it is told to whoever watches it.
pub(crate) struct Screen<'a> {
    follow: Box<dyn Follow + 'a>,
    out: &'a Output,
    seen: Seq,
    /// How often somebody looked.
    looks: usize,
    keys: Option<Keys>,
}

impl<'a> Screen<'a> {
    /// What happens in `run` after event `after`.
    pub(crate) async fn of(
        client: &'a dyn Client,
        run: &'a RunId,
        after: Seq,
        out: &'a Output,
    ) -> Result<Screen<'a>> {
        Ok(Self { follow: client.follow(run, after).await?, out, seen: after, looks: 0, keys: None })
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
                Weight::Heading => self.out.heading(&told.text),
                Weight::News | Weight::Detail => self.out.row(&told.text),
            }
        }
    }

    /// What a key asks for that was pressed by now.
    async fn pressed(&mut self, client: &dyn Client, run: &RunId) -> Result<Wanted> {
        let out = self.out;
        let Some(keys) = &mut self.keys else { return Ok(Wanted::Nothing) };
        let key = match terminal::pressed(Duration::ZERO) {
            Pressed::Key(key) => key,
            Pressed::Nothing => return Ok(Wanted::Nothing),
            Pressed::Gone => {
                self.keys = None;
                return Ok(Wanted::Nothing);
            }
        };
        if std::mem::take(&mut keys.asks) {
            return Ok(match key {
                b's' => Wanted::Stop { now: false },
                b'n' => Wanted::Stop { now: true },
                b'd' => Wanted::Leave,
                _ => Wanted::GoOn,
            });
        }
        out.transient("");
        match key {
            b'd' => return Ok(Wanted::Leave),
            b'q' => keys.asks = true,
            b'p' => self.ask(client, run, Request::Pause, "pauses once the work under way has ended").await?,
            b't' => {
                let words = terminal::typed(out, "tell the agent: ")?.unwrap_or_default();
                match words.is_empty() {
                    true => out.note("nothing is told"),
                    false => self.ask(client, run, Request::Tell(words), "told with the next prompt").await?,
                }
            }
            _ => HELP.iter().for_each(|line| out.row(line)),
        }
        Ok(Wanted::Nothing)
    }

    async fn ask(&self, client: &dyn Client, run: &RunId, request: Request, done: &str) -> Result<()> {
        match client.request(run, request).await {
            Ok(_) => self.out.note(done),
            // It rested meanwhile, or that kind of run does not know it: nothing else changes.
            Err(failure) => self.out.failure(&failure),
        }
        Ok(())
    }

    fn tick(&mut self) {
        const FRAMES: [char; 10] = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
        let Some(standing) = self.follow.standing() else { return };
        self.looks += 1;
        let keys = match &self.keys {
            Some(keys) if keys.asks => return self.out.transient(MEANT),
            Some(_) if self.looks > LOOKS_TO_READ => KEYS_LATER,
            Some(_) => KEYS,
            None => WITHOUT_KEYS,
        };
        let width = self.out.width().unwrap_or(WIDTH_UNKNOWN);
        let since = standing.under_way.since.unwrap_or(standing.entry.updated_at);
        let under_way = UnderWay { since: Some(since), ..standing.under_way };
        // The spinner, a space, and the column in which no terminal wraps.
        let text = words::live(&under_way, keys, SystemClock.now(), width.saturating_sub(3));
        let text = match text.strip_suffix(keys) {
            Some(before) => format!("{before}{}", self.out.in_tone(Tone::Dim, keys)),
            None => text,
        };
        self.out.transient_as_is(&format!("{} {text}", FRAMES[self.looks % FRAMES.len()]));
    }
}
