//! People: other processes that append requests at any moment, knowing only what a view showed them.

use piton_store::Append;

use crate::driver::After;
use crate::history::Entry;
use crate::kind::{Process, Simulated};
use crate::sending::{Met, Sending, said};
use crate::sim::Sim;

/// A process that sends one request.
pub(crate) struct Sender {
    sending: Option<Sending>,
    creates: bool,
}

impl Sender {
    pub(crate) fn new<K: Simulated>(append: Append, creates: bool, sim: &mut Sim<K>) -> Self {
        Self { sending: Some(Sending::new(append, sim)), creates }
    }

    pub(crate) fn step<K: Simulated>(&mut self, sim: &mut Sim<K>) -> After {
        let Some(mut sending) = self.sending.take() else { return After::Ended };
        match sending.meet_fate(sim) {
            Met::Arrives => return self.deliver(sending, sim),
            Met::Gone => return After::Ended,
            Met::Waits => {}
            Met::Freezes(until) => sending.not_before = until,
        }
        self.sending = Some(sending);
        After::Lives
    }

    fn deliver<K: Simulated>(&mut self, sending: Sending, sim: &mut Sim<K>) -> After {
        let names = sending.names::<K>();
        let answer = sim.journal.append(sending.append, &mut sim.log);
        sim.line(|| format!("a person sends {names} -> {}", said(&answer)));
        if let Ok(head) = answer {
            sim.log.push(Entry::Acked { last: head.seq, count: 1, content: sending.content });
            if !self.creates {
                K::Process::requested(sim);
            }
        }
        After::Ended
    }
}
