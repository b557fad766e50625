//! People: other processes that append requests at any moment, knowing only what a view showed them.

use piton_model::Machine;
use piton_store::{Append, Expect, Fence};

use crate::coverage::Fate;
use crate::driver::{After, Driven, Sending, said};
use crate::history::Entry;
use crate::kind::Simulated;
use crate::sim::Sim;

/// A process that sends one request.
pub(crate) struct Sender {
    sending: Option<Sending>,
    creates: bool,
}

/// A process sets out to record the run.
pub(crate) fn create<K: Driven>(sim: &mut Sim<K>) {
    let event = K::creation(sim);
    let state = K::Run::apply(None, &event, sim.now()).expect("a creation makes a state");
    let append = Append { expect: Expect::Seq(0), entry: Some(state.entry()), ..sim.request(&event) };
    let sender = Sender::new(append, true, sim);
    sim.senders.push(sender);
}

impl Sender {
    pub(crate) fn new<K: Simulated>(append: Append, creates: bool, sim: &mut Sim<K>) -> Self {
        Self { sending: Some(Sending::new(append, sim)), creates }
    }

    pub(crate) fn step<K: Simulated>(&mut self, sim: &mut Sim<K>) -> After {
        let Some(mut sending) = self.sending.take() else { return After::Ended };
        if sending.not_before > sim.tick {
            self.sending = Some(sending);
            return After::Lives;
        }
        let Some(fate) = sending.fate.take() else { return self.deliver(sending, sim) };
        if self.creates && fate == Fate::TakenOver {
            // There is no lease yet that could be taken.
            return self.deliver(sending, sim);
        }
        sim.append_fault(fate, &sending.kinds);
        match fate {
            Fate::CrashBefore | Fate::ErrorBefore => return After::Ended,
            Fate::CrashAfter | Fate::ErrorAfter => {
                let _ = sim.journal.append(sending.append, &mut sim.log);
                return After::Ended;
            }
            Fate::NoSpace => sending.not_before = sim.tick + sim.rng.between(1, 30),
            Fate::Frozen => sending.not_before = sim.tick + sim.rng.between(30, 200),
            Fate::AnswerLost => {
                let _ = sim.journal.append(sending.append.clone(), &mut sim.log);
                sending.not_before = sim.tick + sim.rng.between(1, 30);
            }
            Fate::Duplicate => {
                let _ = sim.journal.append(sending.append.clone(), &mut sim.log);
                return self.deliver(sending, sim);
            }
            Fate::Overtaken if self.creates => {
                // Somebody else recorded a run of that name a moment before.
                let first = Append { fence: Fence::Request(sim.rng.bytes()), ..sending.append.clone() };
                let _ = sim.journal.append(first, &mut sim.log);
            }
            Fate::Overtaken => sim.overtake(),
            Fate::TakenOver => K::take_over(sim, true),
            Fate::ClockJump => sim.jump_clock(),
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
                K::requested(sim);
            }
        }
        After::Ended
    }
}
