//! The thread that tells people, so that a driver never waits for them.
//!
//! Owns the history while it runs, and the file it is kept in. What was decided is kept after it was sent: a driver
//! that dies in between tells once more instead of never.

use std::path::PathBuf;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jiff::tz::TimeZone;
use piton_model::Timestamp;
use piton_model::notify::Notify;
use piton_sys::Clock;

use crate::decide::{Dispatch, Moment};
use crate::history::History;
use crate::occasion::Occasion;
use crate::send::Means;
use crate::watch::{Seen, Watched};

/// What a notifier needs.
pub struct Setup {
    /// Who is told what.
    pub config: Notify,
    /// How people are told.
    pub means: Means,
    /// The file that keeps what was sent.
    pub history: PathBuf,
    /// The repository's name for people.
    pub repository: String,
    pub clock: Arc<dyn Clock>,
    /// Where the clock on the wall is; [`TimeZone::system`] where nobody knows better.
    pub zone: TimeZone,
}

/// Tells people what becomes of one run.
pub struct Notifier {
    inputs: Sender<Input>,
    ended: Receiver<()>,
    problems: Arc<Mutex<Vec<String>>>,
    repository: String,
    last: Option<Seen>,
}

/// Where others can have people told something, from any thread.
#[derive(Clone)]
pub struct Line(Sender<Input>);

impl Line {
    /// Something happened that no state says. Returns at once.
    pub fn tell(&self, occasion: Occasion) {
        // Nobody may be listening any more.
        let _ = self.0.send(Input::Tell(Box::new(occasion)));
    }
}

/// Where the clock on the wall of this machine is.
pub fn zone_of_this_machine() -> TimeZone {
    TimeZone::system()
}

enum Input {
    Seen(Box<Seen>),
    Tell(Box<Occasion>),
    Rest { since: Timestamp, occasion: Box<Occasion> },
    Close,
}

impl Notifier {
    /// Starts the thread. Fails where the system has none left.
    pub fn start(setup: Setup) -> std::io::Result<Self> {
        let (inputs, received) = mpsc::channel();
        let (end, ended) = mpsc::channel();
        let problems = Arc::default();
        let repository = setup.repository.clone();
        let mut teller = Teller {
            history: History::load(&setup.history),
            setup,
            problems: Arc::clone(&problems),
            is_unkept: false,
        };
        std::thread::Builder::new().name("notify".to_owned()).spawn(move || {
            teller.run(&received);
            // Nobody may be waiting any more.
            let _ = end.send(());
        })?;
        Ok(Self { inputs, ended, problems, repository, last: None })
    }

    /// The run stands like this now. Whatever there is to tell since the last look is told; returns at once.
    pub fn observe(&mut self, state: &impl Watched) {
        let seen = state.seen(&self.repository);
        if self.last.as_ref() != Some(&seen) {
            self.last = Some(seen.clone());
            self.give(Input::Seen(Box::new(seen)));
        }
    }

    /// Where others can have people told something.
    pub fn line(&self) -> Line {
        Line(self.inputs.clone())
    }

    /// Something happened that no state says. Returns at once.
    pub fn tell(&self, occasion: Occasion) {
        self.give(Input::Tell(Box::new(occasion)));
    }

    /// The run rests since then. Told once per rest, whoever asks for it. Returns at once.
    pub fn tell_rest(&self, since: Timestamp, occasion: Occasion) {
        self.give(Input::Rest { since, occasion: Box::new(occasion) });
    }

    /// What went wrong since this was last asked: a sentence per channel, once until it works again.
    pub fn problems(&self) -> Vec<String> {
        std::mem::take(&mut *self.problems.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Sends what still waits and ends, within `patience`. Returns what went wrong.
    pub fn close(self, patience: Duration) -> Vec<String> {
        self.give(Input::Close);
        let in_time = self.ended.recv_timeout(patience).is_ok();
        let mut problems = self.problems();
        if !in_time {
            problems.push(format!("people could not be told within {} s", patience.as_secs_f32()));
        }
        problems
    }

    fn give(&self, input: Input) {
        // The thread lives until it is told to end.
        let _ = self.inputs.send(input);
    }
}

struct Teller {
    setup: Setup,
    history: History,
    problems: Arc<Mutex<Vec<String>>>,
    /// The history could not be kept, and that was reported.
    is_unkept: bool,
}

impl Teller {
    fn run(&mut self, inputs: &Receiver<Input>) {
        loop {
            let input = match self.until_due() {
                Some(wait) => inputs.recv_timeout(wait),
                None => inputs.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            let moment = self.moment();
            match input {
                Ok(Input::Seen(seen)) => {
                    if seen.went_on_since(self.history.seen.as_ref()) {
                        self.history.acknowledge(moment.now);
                    }
                    let occasions = seen.occasions(self.history.seen.as_ref());
                    self.history.seen = Some(*seen);
                    self.tell(occasions, &moment);
                }
                Ok(Input::Tell(occasion)) => self.tell(vec![*occasion], &moment),
                Ok(Input::Rest { since, occasion }) => {
                    if self.history.rested.replace(since) != Some(since) {
                        // It rested before: somebody had it go on.
                        self.history.acknowledge(moment.now);
                        self.tell(vec![*occasion], &moment);
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                Ok(Input::Close) | Err(RecvTimeoutError::Disconnected) => {
                    let rest = self.history.flush(&self.setup.config, &moment);
                    self.send(rest);
                    self.keep();
                    return;
                }
            }
            let due = self.history.due(&self.setup.config, &self.moment());
            self.send(due);
            self.keep();
        }
    }

    fn tell(&mut self, occasions: Vec<Occasion>, moment: &Moment) {
        for occasion in occasions {
            let decided = self.history.tell(&self.setup.config, occasion, moment);
            self.send(decided.send);
        }
    }

    /// Sends to all channels at the same time: a slow one keeps nobody waiting.
    fn send(&mut self, dispatches: Vec<Dispatch>) {
        for Dispatch { channels, message } in dispatches {
            let (means, config) = (&self.setup.means, &self.setup.config);
            let channels = config.channels.iter().filter(|channel| channels.contains(&channel.name));
            let outcomes: Vec<_> = std::thread::scope(|scope| {
                let sending: Vec<_> = channels
                    .map(|channel| (channel, scope.spawn(|| means.send(channel, &message))))
                    .collect();
                sending.into_iter().map(|(channel, thread)| (channel.name.clone(), thread.join())).collect()
            });
            for (channel, outcome) in outcomes {
                let outcome = match outcome {
                    Ok(outcome) => outcome.map_err(|error| error.to_string()),
                    Err(_) => Err("sending broke off".to_owned()),
                };
                let report = self.history.settle(message.number, &channel, outcome);
                self.report(report);
            }
        }
    }

    fn keep(&mut self) {
        let kept = self.history.save(&self.setup.history);
        let report = kept.as_ref().err().filter(|_| !self.is_unkept);
        let report = report.map(|error| format!("what was told is not kept: {error}"));
        self.is_unkept = kept.is_err();
        self.report(report);
    }

    fn report(&self, problem: Option<String>) {
        self.problems.lock().unwrap_or_else(PoisonError::into_inner).extend(problem);
    }

    fn moment(&self) -> Moment {
        Moment { now: self.setup.clock.now(), zone: self.setup.zone.clone() }
    }

    fn until_due(&self) -> Option<Duration> {
        let due = self.history.next_due()?;
        Some(Duration::from_millis(due.millis_since(self.setup.clock.now())))
    }
}
