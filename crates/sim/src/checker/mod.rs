//! The independent checker: reads the raw record of a run and recomputes its own facts.
//!
//! Uses neither the product's fold nor its decisions nor its reader: event data is read here by pointers into its
//! JSON, and hashes are computed from their published formula. One pass over the log in the order in which things
//! happened, then what can only be said of the whole.

mod chain;
mod cycles;
mod data;
mod ledgers;
mod loops;
mod verdicts;
mod workflows;
mod world;

use std::fmt;

use crate::history::{By, Entry, History, Name, View};
use crate::store::content_of;
use data::Data;
use world::World;

/// A rule that did not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Which rule, e.g. `I5`.
    pub rule: &'static str,
    /// What was found.
    pub what: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.rule, self.what)
    }
}

type Checked = Result<(), Violation>;

fn violated<T>(rule: &'static str, what: impl Into<String>) -> Result<T, Violation> {
    Err(Violation { rule, what: what.into() })
}

/// What must hold for one kind of run.
trait Rules {
    /// Nothing is to be done until a person acts.
    fn at_rest(&self) -> bool;

    /// Processes may be alive while the run rests.
    fn may_rest_at_work(&self) -> bool {
        false
    }

    /// Whether this process may be started now.
    fn may_start(&self, name: Name, world: &World) -> Checked;

    /// Something happened in the world that this kind knows.
    fn see(&mut self, entry: &Entry, world: &World) -> Checked;

    /// Whether anyone may append an event of this kind, without the lease.
    fn anyone_may_append(&self, kind: &str) -> bool;

    /// Takes an event that was committed with an append beginning at `first`.
    fn take(&mut self, event: &Data<'_>, first: u64, world: &World) -> Checked;

    /// What the events up to this one say was used; nothing where no view says so.
    fn used_at(&self, _seq: u64) -> Option<Used> {
        None
    }

    /// What can only be said of the whole.
    fn at_the_end(&self, world: &World) -> Checked {
        let _ = world;
        Ok(())
    }
}

/// What was used up to an event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Used {
    /// Iterations of a loop that have a verdict, attempts of a workflow or a cycle that ended.
    count: u32,
    cost: u64,
    lost: u32,
    /// Whether a person is there, where that is said.
    mode: Option<Mode>,
}

/// Whether a person is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Attended,
    Unattended,
    Hybrid,
}

impl Mode {
    fn named(word: &str) -> Option<Self> {
        match word {
            "attended" => Some(Mode::Attended),
            "unattended" => Some(Mode::Unattended),
            "hybrid" => Some(Mode::Hybrid),
            _ => None,
        }
    }
}

/// The first rule that does not hold, if there is one.
pub(crate) fn check(history: &History) -> Checked {
    chain::check(history)?;
    check_acks(history)?;
    let rules: Box<dyn Rules> = match history.kind {
        "loop" => Box::<loops::Journal>::default(),
        "workflow" => Box::<workflows::Journal>::default(),
        "cycle" => Box::<cycles::Journal>::default(),
        "ledger" => Box::<ledgers::Journal>::default(),
        other => return violated("I2", format!("nobody knows a {other}")),
    };
    let mut checker = Checker {
        epoch: 0,
        driver: 0,
        committed: 0,
        failed_epochs: Vec::new(),
        healed: false,
        rested: false,
        rules,
        world: World::default(),
    };
    for entry in &history.log {
        checker.take(history, entry)?;
    }
    check_folds(history)?;
    checker.at_the_end(history)
}

struct Checker {
    /// The epoch of the last lease, and of the last driver that said so.
    epoch: u64,
    driver: u64,
    committed: u64,
    failed_epochs: Vec<u64>,
    healed: bool,
    rested: bool,
    rules: Box<dyn Rules>,
    world: World,
}

impl Checker {
    fn take(&mut self, history: &History, entry: &Entry) -> Checked {
        match entry {
            Entry::Lease { epoch } => {
                if *epoch <= self.epoch {
                    return violated("I5", format!("epoch {epoch} was granted after {}", self.epoch));
                }
                self.epoch = *epoch;
            }
            Entry::Commit { by, first, last, .. } => self.commit(history, *by, *first, *last)?,
            Entry::FinalError { epoch } => self.failed_epochs.push(*epoch),
            Entry::View(view) => {
                if view.shown > self.committed {
                    let (shown, durable) = (view.shown, self.committed);
                    let what = format!("a view shows event {shown}, but only {durable} are durable");
                    return violated("I7", what);
                }
                self.check_view(view)?;
            }
            Entry::Spawned(name) => {
                if self.rules.at_rest() && !self.rules.may_rest_at_work() {
                    return violated("I10", format!("{name:?} was started while the run rests"));
                }
                self.world.spawned(*name, &*self.rules)?;
            }
            Entry::Gone(name) => self.world.gone(*name),
            Entry::ExitWritten { name, outcome, cost } => self.world.exited(*name, outcome, *cost)?,
            Entry::Tombstone(name) => self.world.tombstone(*name)?,
            Entry::Healed => self.healed = true,
            Entry::Rested => self.rested = true,
            Entry::Impossible(what) => return violated("I4", *what),
            Entry::HookCalled { .. }
            | Entry::NestedBegun { .. }
            | Entry::NestedEnded { .. }
            | Entry::InputWritten { .. }
            | Entry::Prompted { .. }
            | Entry::Edited { .. }
            | Entry::EditGone { .. }
            | Entry::Line { .. }
            | Entry::Asked { .. }
            | Entry::FileSays { .. }
            | Entry::Logged { .. } => self.rules.see(entry, &self.world)?,
            Entry::Acked { .. } | Entry::Folded { .. } => {}
        }
        Ok(())
    }

    fn commit(&mut self, history: &History, by: By, first: u64, last: u64) -> Checked {
        if first != self.committed + 1 || last < first {
            return violated(
                "I2",
                format!("events {first} to {last} were committed after {}", self.committed),
            );
        }
        self.committed = last;
        if let By::Epoch(epoch) = by {
            if epoch != self.epoch {
                let what = format!(
                    "event {first} was accepted under epoch {epoch}, after {} was granted",
                    self.epoch
                );
                return violated("I5", what);
            }
            if self.failed_epochs.contains(&epoch) {
                return violated(
                    "I14",
                    format!("epoch {epoch} wrote event {first} after its storage had failed"),
                );
            }
        }
        for seq in first..=last {
            let Some(event) = history.events.get(seq as usize - 1) else {
                return violated("I2", format!("event {seq} was committed and is missing"));
            };
            let event = Data::of(event)?;
            self.check_writer(&event, by)?;
            self.rules.take(&event, first, &self.world)?;
            if self.rules.at_rest()
                && !self.rules.may_rest_at_work()
                && let Some(name) = self.world.living().first()
            {
                return violated("I10", format!("the run rests at event {seq} while {name:?} is alive"));
            }
        }
        Ok(())
    }

    /// A run begins with its creation; transitions come from a driver, of a higher epoch each, and requests from anyone.
    fn check_writer(&mut self, event: &Data<'_>, by: By) -> Checked {
        let kind = event.kind();
        let begins = matches!(kind, "run_created" | "ledger_opened");
        if (event.seq() == 1 && !begins) || (event.seq() > 1 && kind == "run_created") {
            return violated("I2", format!("{kind} is event {}", event.seq()));
        }
        let is_request = self.rules.anyone_may_append(kind);
        match by {
            By::Epoch(_) if is_request => return violated("I5", format!("{kind} came from a driver")),
            By::Request(_) if !is_request => return violated("I5", format!("{kind} came without a lease")),
            By::Epoch(_) | By::Request(_) => {}
        }
        if kind == "driver_started" {
            let epoch = event.get("/epoch")?;
            if by != By::Epoch(epoch) || epoch <= self.driver {
                return violated("I5", format!("a driver of epoch {epoch} follows {}", self.driver));
            }
            self.driver = epoch;
        }
        Ok(())
    }

    /// What a view shows is what is on record.
    fn check_view(&self, view: &View) -> Checked {
        let View { shown, count, cost, lost, mode } = *view;
        let Some(used) = self.rules.used_at(shown) else {
            return violated("I7", format!("a view shows event {shown}"));
        };
        if (count, cost, lost) != (used.count, used.cost, used.lost) {
            let what = format!(
                "event {shown}: {count} counted, {cost} spent and {lost} lost are shown; {}, {} and {} are recorded",
                used.count, used.cost, used.lost
            );
            return violated("I13", what);
        }
        if mode.and_then(Mode::named) != used.mode {
            return violated("I7", format!("event {shown}: {mode:?} is shown, {:?} is recorded", used.mode));
        }
        Ok(())
    }

    fn at_the_end(&self, history: &History) -> Checked {
        if self.committed != history.events.len() as u64 {
            return violated(
                "I2",
                format!("{} events are stored, {} were committed", history.events.len(), self.committed),
            );
        }
        if !self.healed || !self.rested || !self.rules.at_rest() {
            return violated("I9", "faults have ended, and the run does not come to rest");
        }
        if let Some(name) = self.world.living().first() {
            return violated("I10", format!("{name:?} is alive at the end"));
        }
        self.rules.at_the_end(&self.world)
    }
}

/// Whoever was told `durable` finds what they sent, where they were told.
fn check_acks(history: &History) -> Checked {
    for entry in &history.log {
        let Entry::Acked { last, count, content } = entry else { continue };
        let range = (last - count) as usize..*last as usize;
        let Some(events) = history.events.get(range) else {
            return violated("I1", format!("event {last} was acknowledged and is missing"));
        };
        let stored = content_of(events.iter().map(|event| (event.kind.as_str(), event.data.as_slice())));
        if stored != *content {
            return violated("I1", format!("event {last} is not the one that was acknowledged"));
        }
    }
    Ok(())
}

/// However a state was come by, folded on, loaded or folded from the start: it is the same.
fn check_folds(history: &History) -> Checked {
    let mut known = vec![None; history.events.len() + 1];
    for entry in &history.log {
        let Entry::Folded { head, digest } = entry else { continue };
        let Some(slot) = known.get_mut(*head as usize) else {
            return violated("I8", format!("a state stands on event {head}, which is not there"));
        };
        if slot.is_some_and(|known| known != *digest) {
            return violated("I8", format!("two folds up to event {head} differ"));
        }
        *slot = Some(*digest);
    }
    Ok(())
}
