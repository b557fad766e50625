//! The independent checker: reads the raw record of a run and recomputes its own facts.
//!
//! Uses neither the product's fold nor its decisions nor its reader: event data is parsed here, in shapes
//! of the checker's own, and hashes are computed from their published formula. One pass over the log in
//! the order in which things happened, then what can only be said of the whole.

mod chain;
mod journal;
mod shape;
mod world;

use std::fmt;

use crate::history::{By, Entry, History};
use crate::store::content_of;
use journal::Journal;
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

/// The first rule that does not hold, if there is one.
pub(crate) fn check(history: &History) -> Checked {
    chain::check(history)?;
    check_acks(history)?;
    let mut checker = Checker::default();
    for entry in &history.log {
        checker.take(history, entry)?;
    }
    check_folds(history)?;
    checker.at_the_end(history)
}

#[derive(Default)]
struct Checker {
    epoch: u64,
    committed: u64,
    failed_epochs: Vec<u64>,
    healed: bool,
    rested: bool,
    journal: Journal,
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
            Entry::View { shown, iterations, cost, lost } => {
                if *shown > self.committed {
                    let what = format!("a view shows event {shown}, but only {} are durable", self.committed);
                    return violated("I7", what);
                }
                self.journal.check_view(*shown, *iterations, *cost, *lost)?;
            }
            Entry::Spawned(name) => {
                if self.journal.at_rest() {
                    return violated("I10", format!("{name:?} was started while the run rests"));
                }
                self.world.spawned(*name, &self.journal)?;
            }
            Entry::Gone(name) => self.world.gone(*name),
            Entry::ExitWritten { name, outcome, cost } => self.world.exited(*name, outcome, *cost)?,
            Entry::Tombstone(name) => self.world.tombstone(*name)?,
            Entry::Healed => self.healed = true,
            Entry::Rested => self.rested = true,
            Entry::Impossible(what) => return violated("I4", *what),
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
            self.journal.take(event, by, first, &self.world)?;
            if self.journal.at_rest()
                && let Some(name) = self.world.living().first()
            {
                return violated("I10", format!("the run rests at event {seq} while {name:?} is alive"));
            }
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
        if !self.healed || !self.rested || !self.journal.at_rest() {
            return violated("I9", "faults have ended, and the run does not come to rest");
        }
        if let Some(name) = self.world.living().first() {
            return violated("I10", format!("{name:?} is alive at the end"));
        }
        Ok(())
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
