//! A command on a ledger, one small step at a time, in the order of the product: lock, adopt what people wrote, complete
//! what is open, decide and record, bring file and log along.
//!
//! The journal comes first. A crash at any point leaves the rest open in the state, for whoever comes next.

use std::convert::Infallible;

use piton_engine::core::checkpoint_of;
use piton_engine::load::Loaded;
use piton_engine::supervise::Became;
use piton_model::ledger::{Gap, Overruled, merge, validate};
use piton_model::ledger_machine::{
    Command as Wish, Effect, Found, LedgerEvent, OpenResearch, Opening, Rejection, State, Used, apply,
    create, decide,
};
use piton_model::loop_machine::AttemptOutcome;
use piton_model::{Machine, RunEvent, Timestamp};
use piton_store::{Append, Error, Expect, Fence};

use super::errand::{self, Errand};
use super::{Ledgers, Said, is_settled, known_digest};
use crate::driver::After;
use crate::history::{Entry, Name};
use crate::host::Exit;
use crate::kind::Process;
use crate::scenario::Plant;
use crate::sending::{Met, Sending, said};
use crate::sim::{Lock, Sim};
use crate::supervise::{Around, Attempt};

/// One append in this many stores a checkpoint.
const CHECKPOINT_ONE_IN: u64 = 12;

/// A process that a person, or another program, started for one errand.
pub(crate) struct Command {
    pid: u32,
    errand: Errand,
    at: At,
    loaded: Option<Loaded<State>>,
    sending: Option<Flight>,
    frozen_until: u64,
    /// Planted bug: acknowledged, and not committed yet.
    unsynced: Option<Append>,
}

enum At {
    /// Wants the turn to research.
    Turn,
    /// Waits for the lock of the ledger.
    Lock(Then),
    /// Adopts, writes and logs until nothing is open.
    Complete(Then),
    /// Read the file that is about to be replaced: its digest, and what it is to hold.
    Write(Box<Rewrite>, Then),
    /// Adds flips to the log, one after the other.
    Log(Then),
    /// An agent works, or is looked for.
    Research(Box<OpenResearch>, Attempt),
}

struct Rewrite {
    seen: String,
    gaps: Vec<Gap>,
    overruled: Vec<Overruled>,
}

/// What comes once nothing is open.
#[derive(Clone)]
enum Then {
    Errand,
    Leave,
    /// The next attempt of the research under way.
    Next,
    /// An attempt ended like this.
    Settle(u32, Found, Used),
}

/// An append under way: what was decided, and where it leads.
struct Flight {
    sending: Sending,
    wish: Wish,
    events: Vec<LedgerEvent>,
    then: Then,
}

fn start(sim: &mut Sim<Ledgers>, errand: Errand) {
    let pid = sim.next_pid();
    sim.line(|| format!("process {pid} starts for {errand:?}"));
    let at = match errand {
        Errand::Work => At::Turn,
        Errand::Look => At::Lock(Then::Leave),
        Errand::Change(_) | Errand::Set { .. } => At::Lock(Then::Errand),
    };
    let command = Command { pid, errand, at, loaded: None, sending: None, frozen_until: 0, unsynced: None };
    sim.drivers.push(Box::new(command));
}

impl Process<Ledgers> for Command {
    fn create(sim: &mut Sim<Ledgers>) {
        start(sim, Errand::Look);
    }

    fn supervise(sim: &mut Sim<Ledgers>) {
        if sim.drivers.len() >= 3 {
            return;
        }
        if sim.chaos {
            if sim.rng.one_in(3) {
                let errand = errand::choose(sim);
                start(sim, errand);
            }
            return;
        }
        // Somebody always comes by: whoever researches, or a command that completes what is open.
        let researching = sim.journal.load().state.research.is_some();
        let errand =
            if researching && sim.holder(Lock::Turn).is_none() { Errand::Work } else { Errand::Look };
        if sim.drivers.is_empty() {
            start(sim, errand);
        }
    }

    fn pid(&self) -> u32 {
        self.pid
    }

    fn place_of_death(&self) -> &'static str {
        match &self.at {
            _ if self.sending.is_some() => "driver_killed_sending",
            At::Turn | At::Lock(_) => "driver_killed_starting",
            At::Write(..) | At::Log(_) | At::Research(..) => "driver_killed_performing",
            At::Complete(_) => "driver_killed_idle",
        }
    }

    fn frozen_until(&mut self) -> &mut u64 {
        &mut self.frozen_until
    }

    fn sleeps_until(&self) -> Option<Timestamp> {
        None
    }

    fn step(&mut self, sim: &mut Sim<Ledgers>) -> After {
        if let Some(append) = self.unsynced.take() {
            let _ = sim.journal.append(append, &mut sim.log);
        }
        if self.sending.is_some() {
            return self.send(sim);
        }
        match std::mem::replace(&mut self.at, At::Turn) {
            At::Turn => {
                if sim.locked_by_another(Lock::Turn, self.pid) {
                    return After::Ended;
                }
                sim.take_lock(Lock::Turn, self.pid);
                self.at = At::Lock(Then::Next);
                After::Lives
            }
            At::Lock(then) => self.open(then, sim),
            At::Complete(then) => self.complete(then, sim),
            At::Write(rewrite, then) => self.write(*rewrite, then, sim),
            At::Log(then) => self.log(then, sim),
            At::Research(open, supervised) => self.research(open, supervised, sim),
        }
    }
}

impl Command {
    fn state(&self) -> &State {
        &self.loaded.as_ref().expect("the ledger is open").state
    }

    /// Takes the lock, loads, and records that the ledger exists where nobody has.
    fn open(&mut self, then: Then, sim: &mut Sim<Ledgers>) -> After {
        if sim.locked_by_another(Lock::Ledger, self.pid) {
            self.at = At::Lock(then);
            return After::Lives;
        }
        sim.take_lock(Lock::Ledger, self.pid);
        if sim.journal.head() > 0 {
            let loaded = sim.journal.load();
            if sim.rng.one_in(3) {
                sim.folded(loaded.head, &loaded.state);
            }
            self.loaded = Some(loaded);
            self.at = At::Complete(then);
            return After::Lives;
        }
        let opening = create(Opening {
            run: sim.run.clone(),
            file: "gaps.yaml".to_owned(),
            log: "gap_audit.log".to_owned(),
            default_ttl_days: sim.scene.default_ttl_days,
        });
        let state = apply(None, &opening).expect("an opening makes a state");
        self.loaded = Some(Loaded { state, head: 0, tail_bytes: 0, checkpoint_bytes: 0 });
        self.append(Wish::Tick, vec![opening], then, sim);
        After::Lives
    }

    /// The next thing that is open; then what this process came for.
    fn complete(&mut self, then: Then, sim: &mut Sim<Ledgers>) -> After {
        let place = &sim.scene.place;
        let seen = place.digest();
        if seen != known_digest(self.state()) {
            let gaps = place.gaps().to_vec();
            return self.record(Wish::Adopt { digest: seen, gaps }, then, sim);
        }
        match Machine::effects(self.state()).into_iter().next() {
            Some(Effect::WriteFile) => {
                self.at = At::Write(Box::new(self.rewrite(sim)), then);
                After::Lives
            }
            Some(Effect::LogFlips { .. }) => {
                self.at = At::Log(then);
                After::Lives
            }
            None => self.go_on(then, sim),
        }
    }

    /// What the file is to hold: what is wished for, as far as people left room for it.
    fn rewrite(&self, sim: &Sim<Ledgers>) -> Rewrite {
        let place = &sim.scene.place;
        let (state, seen) = (self.state(), place.digest());
        let merged = merge(&state.base(), place.gaps(), &state.gaps);
        if validate(&merged.gaps).is_empty() {
            return Rewrite { seen, gaps: merged.gaps, overruled: merged.overruled };
        }
        let given_up = |gap: &String| Overruled::Change { gap: gap.clone() };
        let overruled = state.unwritten.keys().map(given_up).collect();
        Rewrite { seen, gaps: place.gaps().to_vec(), overruled }
    }

    /// Replaces the file, unless somebody has edited it since it was read: then it is read again.
    fn write(&mut self, rewrite: Rewrite, then: Then, sim: &mut Sim<Ledgers>) -> After {
        let edited = sim.scene.place.digest() != rewrite.seen;
        if edited && sim.plant != Some(Plant::EditOverwritten) {
            self.at = At::Write(Box::new(self.rewrite(sim)), then);
            return After::Lives;
        }
        sim.scene.place.write(rewrite.gaps.clone());
        let digest = sim.scene.place.digest();
        self.record(Wish::Written { digest, gaps: rewrite.gaps, overruled: rewrite.overruled }, then, sim)
    }

    fn log(&mut self, then: Then, sim: &mut Sim<Ledgers>) -> After {
        let logs = Machine::effects(self.state()).into_iter().find_map(|effect| match effect {
            Effect::LogFlips { flips, after } => Some((flips, after)),
            Effect::WriteFile => None,
        });
        let Some((flips, after)) = logs else {
            self.at = At::Complete(then);
            return After::Lives;
        };
        let blindly = sim.plant == Some(Plant::FlipsLoggedBlindly);
        if sim.scene.place.log_next(&flips, after.unwrap_or(0) as usize, blindly) {
            self.at = At::Log(then);
            return After::Lives;
        }
        let end = sim.scene.place.log.len() as u64;
        self.record(Wish::Logged { count: flips.len(), end }, then, sim)
    }

    /// Nothing is open: this process does what it came for.
    fn go_on(&mut self, then: Then, sim: &mut Sim<Ledgers>) -> After {
        match then {
            Then::Leave => {
                let loaded = self.loaded.as_ref().expect("the ledger is open");
                if is_settled(&loaded.state, &sim.scene.place) {
                    sim.scene.rested_with = sim.scene.place.digest();
                    sim.rested(loaded.head, &loaded.state);
                }
                After::Ended
            }
            Then::Errand => match self.errand.clone() {
                Errand::Change(wish) => self.record(*wish, Then::Leave, sim),
                Errand::Set { gap, priority, status } => match self.state().find(&gap).cloned() {
                    None => After::Ended,
                    Some(old) => {
                        let gap = Box::new(old.with(|gap| {
                            gap.priority = priority;
                            gap.status = status.unwrap_or(old.status);
                        }));
                        self.record(Wish::Edit { gap, reason: "set".to_owned() }, Then::Leave, sim)
                    }
                },
                Errand::Look | Errand::Work => After::Ended,
            },
            Then::Next => self.next_attempt(sim),
            Then::Settle(attempt, found, used) => {
                self.record(Wish::EndAttempt { attempt, found, used }, Then::Next, sim)
            }
        }
    }

    /// The attempt that is open, or the next.
    fn next_attempt(&mut self, sim: &mut Sim<Ledgers>) -> After {
        let Some(research) = self.state().research.clone() else { return self.go_on(Then::Leave, sim) };
        match research.open {
            Some(open) => {
                self.supervise(open, false, sim);
                After::Lives
            }
            None => {
                let (host, boot) = (sim.host.name.clone(), sim.host.boot.to_string());
                self.record(Wish::StartAttempt { host, boot }, Then::Next, sim)
            }
        }
    }

    /// While an agent works the ledger is not locked.
    fn supervise(&mut self, open: OpenResearch, fresh: bool, sim: &mut Sim<Ledgers>) {
        sim.free_lock(Lock::Ledger, self.pid);
        let name = Name::Attempt(open.attempt);
        let supervised = Attempt::new(name, &open.host, &open.boot, fresh, sim.plant);
        self.at = At::Research(Box::new(open), supervised);
    }

    fn research(
        &mut self,
        open: Box<OpenResearch>,
        mut supervised: Attempt,
        sim: &mut Sim<Ledgers>,
    ) -> After {
        // Whoever researches has the turn, which no other process takes while it lives.
        let mut around = sim.around(0, false);
        let Ok(Some(became)) = supervised.step::<_, Infallible>(&mut around, &mut |_| None) else {
            self.at = At::Research(open, supervised);
            return After::Lives;
        };
        let nothing = Used::default();
        let (found, used) = match became {
            Became::Ended(exit) => of_exit(exit, &mut around),
            Became::NeverStarted => (Found::Lost("the agent never started".to_owned()), nothing),
            Became::Lost(_) => (Found::Lost("the agent was killed with its keeper".to_owned()), nothing),
            Became::NoKeeper { detail } => (Found::Failed(detail), nothing),
            Became::Postponed(never) => match never {},
        };
        self.at = At::Lock(Then::Settle(open.attempt, found, used));
        After::Lives
    }

    /// Decides what follows from a wish, and sets out to record it.
    fn record(&mut self, wish: Wish, then: Then, sim: &mut Sim<Ledgers>) -> After {
        match decide(self.state(), wish.clone(), sim.now()) {
            // Somebody else has recorded it.
            Err(Rejection::NoResearch) if matches!(then, Then::Next) => self.at = At::Complete(then),
            // What it found does not fit into the ledger any more: that is a failure like any other.
            Err(Rejection::Invalid(_)) if matches!(wish, Wish::EndAttempt { .. }) => {
                let Wish::EndAttempt { attempt, used, .. } = wish else { return After::Ended };
                let found = Found::Failed("it does not fit".to_owned());
                return self.record(Wish::EndAttempt { attempt, found, used }, then, sim);
            }
            Err(why) => {
                sim.line(|| format!("process {} is refused: {why}", self.pid));
                return After::Ended;
            }
            Ok(events) if events.is_empty() => self.at = At::Complete(then),
            Ok(events) => self.append(wish, events, then, sim),
        }
        After::Lives
    }

    fn append(&mut self, wish: Wish, events: Vec<LedgerEvent>, then: Then, sim: &mut Sim<Ledgers>) {
        let head = self.loaded.as_ref().map_or(0, |loaded| loaded.head);
        let before = (head > 0).then(|| self.state().clone());
        if sim.plant == Some(Plant::LogBeforeJournal) {
            for event in &events {
                if let LedgerEvent::GapsFlipped { flips } = event {
                    sim.scene.place.log.extend(flips.iter().cloned());
                }
            }
        }
        let at = sim.now();
        let after = fold(before, &events, at);
        let mut encoded: Vec<_> = events.iter().map(RunEvent::encode).collect();
        // Due far more often than in a ledger of people, so that states are loaded from one, too.
        let checkpoint = (head > 0 && sim.rng.one_in(CHECKPOINT_ONE_IN)).then(|| {
            let (stored, named) = checkpoint_of(&after, head + encoded.len() as u64 + 1);
            encoded.push(named.encode());
            stored
        });
        let append = Append {
            run: sim.run.clone(),
            fence: Fence::Request(sim.rng.bytes()),
            expect: Expect::Seq(head),
            at,
            events: encoded,
            entry: Some(after.entry()),
            checkpoint,
            salt: sim.rng.bytes(),
        };
        let sending = Sending::new(append, sim);
        self.sending = Some(Flight { sending, wish, events, then });
    }

    fn send(&mut self, sim: &mut Sim<Ledgers>) -> After {
        let mut flight = self.sending.take().expect("something is in flight");
        match flight.sending.meet_fate(sim) {
            Met::Arrives => return self.deliver(flight, sim),
            Met::Gone => return After::Ended,
            Met::Waits => {}
            Met::Freezes(until) => self.frozen_until = until,
        }
        self.sending = Some(flight);
        After::Lives
    }

    fn deliver(&mut self, flight: Flight, sim: &mut Sim<Ledgers>) -> After {
        let Flight { sending, wish, events, then } = flight;
        let (count, names) = (sending.kinds.len() as u64, sending.names::<Ledgers>());
        let (at, content) = (sending.append.at, sending.content);
        let answer = if sim.plant == Some(Plant::AckBeforeCommit) && sim.fits(&sending.append) {
            self.unsynced = Some(sending.append);
            Ok(sim.journal.head() + count)
        } else {
            let answer = sim.journal.append(sending.append, &mut sim.log);
            sim.line(|| format!("process {} appends {names} -> {}", self.pid, said(&answer)));
            answer.map(|head| head.seq)
        };
        match answer {
            Ok(last) => {
                sim.log.push(Entry::Acked { last, count, content });
                let loaded = self.loaded.as_mut().expect("the ledger is open");
                let before = (loaded.head > 0).then(|| loaded.state.clone());
                (loaded.state, loaded.head) = (fold(before, &events, at), last);
                self.recorded(&events, then, sim)
            }
            Err(Error::Conflict { .. }) => {
                // Somebody was faster: what is there now is what is decided on.
                self.loaded = Some(sim.journal.load());
                self.record(wish, then, sim)
            }
            Err(_) => After::Ended,
        }
    }

    /// It is on record: an attempt that was just begun is started once file and log are complete.
    fn recorded(&mut self, events: &[LedgerEvent], then: Then, sim: &mut Sim<Ledgers>) -> After {
        let begun = events.iter().find_map(|event| match event {
            LedgerEvent::ResearchAttemptStarted { open } => Some(open.clone()),
            _ => None,
        });
        match begun {
            Some(open) => self.supervise(open, true, sim),
            None => self.at = At::Complete(then),
        }
        After::Lives
    }
}

fn fold(before: Option<State>, events: &[LedgerEvent], at: Timestamp) -> State {
    let fold = |state: Option<State>, event: &LedgerEvent| <State as Machine>::apply(state, event, at);
    events.iter().fold(before, fold).expect("a ledger begins with its opening")
}

fn of_exit(exit: Exit<Said>, around: &mut Around<'_, Ledgers>) -> (Found, Used) {
    let said = exit.said;
    let used = Used {
        tokens: said.as_ref().and_then(|said| said.tokens),
        microusd: said.as_ref().and_then(|said| said.cost),
        working_ms: exit.duration_ms,
    };
    let outcome = said.and_then(|said| said.outcome).filter(|_| exit.outcome == AttemptOutcome::Succeeded);
    let found = match outcome {
        Some(outcome) => {
            Found::Outcome { outcome, finding: errand::finding(around.scene, around.now, around.rng) }
        }
        None => Found::Failed("it said nothing that could be understood".to_owned()),
    };
    (found, used)
}
