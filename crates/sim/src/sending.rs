//! An append on its way to the store, whoever sends it, and what can happen to it there.

use piton_store::{Append, Error, Fence, Head};

use crate::coverage::Fate;
use crate::history::Entry;
use crate::kind::{Process, Simulated, types_of};
use crate::sim::Sim;
use crate::store::content_of;

/// An append that is in flight.
pub(crate) struct Sending {
    pub(crate) append: Append,
    pub(crate) kinds: Vec<u8>,
    pub(crate) content: u64,
    pub(crate) fate: Option<Fate>,
    pub(crate) not_before: u64,
}

impl Sending {
    pub(crate) fn new<K: Simulated>(append: Append, sim: &mut Sim<K>) -> Self {
        let index = |kind: &str| types_of::<K>().iter().position(|known| *known == kind);
        let kinds: Vec<u8> = append
            .events
            .iter()
            .map(|event| index(&event.kind).expect("every event type is listed") as u8)
            .collect();
        let content =
            content_of(append.events.iter().map(|event| (event.kind.as_str(), event.data.as_slice())));
        let fate = sim.draw_fate(&kinds);
        Self { append, kinds, content, fate, not_before: 0 }
    }

    /// The types of its events, for the trace.
    pub(crate) fn names<K: Simulated>(&self) -> String {
        let names: Vec<_> = self.kinds.iter().map(|kind| types_of::<K>()[usize::from(*kind)]).collect();
        names.join("+")
    }

    /// Meets its fate, if it has one.
    pub(crate) fn meet_fate<K: Simulated>(&mut self, sim: &mut Sim<K>) -> Met {
        if self.not_before > sim.tick {
            return Met::Waits;
        }
        let Some(fate) = self.fate.take() else { return Met::Arrives };
        sim.append_fault(fate, &self.kinds);
        if matches!(fate, Fate::CrashAfter | Fate::ErrorAfter | Fate::AnswerLost | Fate::Duplicate) {
            let _ = sim.journal.append(self.append.clone(), &mut sim.log);
        }
        match fate {
            Fate::CrashBefore | Fate::CrashAfter => return Met::Gone,
            Fate::ErrorBefore | Fate::ErrorAfter => {
                if let Fence::Epoch(epoch) = self.append.fence {
                    sim.log.push(Entry::FinalError { epoch });
                }
                return Met::Gone;
            }
            Fate::Duplicate => return Met::Arrives,
            Fate::NoSpace | Fate::AnswerLost => self.not_before = sim.tick + sim.rng.between(1, 30),
            Fate::Overtaken => sim.overtake(&self.append),
            Fate::TakenOver => {
                K::Process::take_over(sim, true);
                self.not_before = sim.tick + sim.rng.between(0, 12);
            }
            Fate::Frozen => return Met::Freezes(sim.tick + sim.rng.between(30, 200)),
            Fate::ClockJump => sim.jump_clock(),
        }
        Met::Waits
    }
}

/// What becomes of an append that met its fate.
pub(crate) enum Met {
    /// It reaches the store now.
    Arrives,
    /// It is tried again later.
    Waits,
    /// Whoever sent it is frozen until this tick.
    Freezes(u64),
    /// Whoever sent it is gone.
    Gone,
}

pub(crate) fn said(answer: &Result<Head, Error>) -> String {
    match answer {
        Ok(head) => format!("event {}", head.seq),
        Err(error) => error.to_string(),
    }
}
