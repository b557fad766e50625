//! A driver's process: the shell around the core, one small step at a time.
//!
//! Mirrors the product's shell: actions are carried out in order, an append is answered before the next
//! input is looked at, and work is performed beside it. The same process shape serves whoever settles a
//! request where nobody drives.

use std::collections::VecDeque;

use piton_engine::core::{Action, Core, Input, Leave, Planned};
use piton_model::loop_machine::Place;
use piton_model::{Machine, RunEvent, Seq, Timestamp};
use piton_store::{Append, Claim, Error, Expect, Fence, Head, Lease};

use crate::history::{Entry, View};
use crate::host::Host;
use crate::kind::{CommandOf, EffectOf, EventOf, Process, Simulated};
use crate::people::Sender;
use crate::scenario::Plant;
use crate::sending::{Met, Sending, said};
use crate::sim::{Lock, Sim};
use crate::supervise::Around;

/// A kind of run that a driver drives: what it performs, and what people ask of it.
pub(crate) trait Driven: Simulated<Process = Driver<Self>> {
    /// A piece of work under way.
    type Task: Task<Self>;

    /// The first event of the run.
    fn creation(sim: &Sim<Self>) -> EventOf<Self>;

    /// A request of a person who saw the last view. It may make sense, or not.
    fn request(sim: &mut Sim<Self>) -> EventOf<Self>;

    /// What a view of this state says.
    fn view(state: &Self::Run, shown: Seq) -> View;

    /// The mode that somebody asked for and that is not on record yet: for a planted bug.
    fn early_mode(state: &Self::Run) -> Option<&'static str> {
        let _ = state;
        None
    }

    /// People see the view; files beside it are written.
    fn show(state: &Self::Run, scene: &mut Self::Scene, log: &mut Vec<Entry>, plant: Option<Plant>);

    /// Whether people have a reason to do something, by what they see.
    fn waits_for_people(scene: &Self::Scene) -> bool;

    /// What lies there that nobody was left to notice.
    fn found(state: &Self::Run, sim: &mut Sim<Self>) -> Vec<CommandOf<Self>>;

    /// What whoever settles a request tells the machine.
    fn settling(state: &Self::Run, sim: &mut Sim<Self>) -> CommandOf<Self>;

    /// Whether nobody may be left to wait for the outcome of this work.
    fn may_drop(effect: &EffectOf<Self>) -> bool;

    /// How many pieces of work may be under way.
    fn tasks_max(state: &Self::Run) -> usize;
}

/// A piece of work under way, one small step at a time.
pub(crate) trait Task<K: Simulated> {
    fn new(effect: EffectOf<K>, fresh: bool) -> Self;

    fn effect(&self) -> &EffectOf<K>;

    /// It only looks whether somebody else did something.
    fn only_looks(&self) -> bool;

    /// Somebody wants it to end.
    fn cancel(&mut self, host: &mut Host<K>);

    /// One step; the outcome, once there is one.
    fn step(&mut self, state: &K::Run, around: &mut Around<'_, K>) -> Option<CommandOf<K>>;
}

/// What a process does before it drives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Takes the work tree's lock.
    Lock,
    /// Takes the lease, if it is free.
    ClaimIfFree,
    /// Takes the lease from whoever has it.
    ClaimAnyway,
    /// Ends the process that has the work tree.
    EndOld,
    /// Loads the run and begins.
    Load,
    /// Loads the run and settles what was asked of it, without beginning work.
    Settle,
    Drive,
}

const USUAL: &[Phase] = &[Phase::Lock, Phase::ClaimIfFree, Phase::Load, Phase::Drive];
const RACING: &[Phase] = &[Phase::ClaimIfFree, Phase::Lock, Phase::Load, Phase::Drive];
const TAKE_OVER: &[Phase] = &[Phase::ClaimAnyway, Phase::EndOld, Phase::Lock, Phase::Load, Phase::Drive];
const END_FIRST: &[Phase] = &[Phase::EndOld, Phase::Lock, Phase::ClaimAnyway, Phase::Load, Phase::Drive];
const SETTLE: &[Phase] = &[Phase::ClaimIfFree, Phase::Settle, Phase::Drive];

/// A process that drives a run, or is about to.
pub(crate) struct Driver<K: Driven> {
    pid: u32,
    phases: &'static [Phase],
    pub(crate) lease: Option<Lease>,
    core: Option<Core<K::Run>>,
    inputs: VecDeque<Input<K::Run>>,
    actions: VecDeque<Action<K::Run>>,
    sending: Option<Sending>,
    tasks: Vec<K::Task>,
    wake_at: Option<Timestamp>,
    revision: u64,
    frozen_until: u64,
    /// Planted bug: acknowledged, and not committed yet.
    unsynced: Option<Append>,
}

/// What became of a process after a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum After {
    Lives,
    Ended,
}

impl<K: Driven> Process<K> for Driver<K> {
    /// Somebody sets out to record the run.
    fn create(sim: &mut Sim<K>) {
        let event = K::creation(sim);
        let state = K::Run::apply(None, &event, sim.now()).expect("a creation makes a state");
        let append = Append { expect: Expect::Seq(0), entry: Some(state.entry()), ..sim.request(&event) };
        let sender = Sender::new(append, true, sim);
        sim.senders.push(sender);
    }

    /// Starts drivers where one is wanted; people come by.
    fn supervise(sim: &mut Sim<K>) {
        let driven = sim.drivers.iter().any(|driver| !driver.settles());
        if !driven && sim.rest_head != Some(sim.journal.head()) && (!sim.chaos || sim.rng.percent(60)) {
            let racing = sim.chaos && sim.rng.one_in(6);
            start(sim, if racing { RACING } else { USUAL });
            if racing {
                let also = if sim.rng.one_in(2) { RACING } else { USUAL };
                start(sim, also);
            }
        }
        if sim.chaos && sim.senders.len() < 3 {
            let eager = K::waits_for_people(&sim.scene);
            if sim.rng.one_in(if eager { 4 } else { 14 }) {
                let event = K::request(sim);
                sim.send(&event);
            }
        }
    }

    fn requested(sim: &mut Sim<K>) {
        start(sim, SETTLE);
    }

    fn take_over(sim: &mut Sim<K>, now: bool) {
        if !now {
            let phases = if sim.rng.one_in(2) { TAKE_OVER } else { END_FIRST };
            return start(sim, phases);
        }
        let mut driver = Driver::new(sim.next_pid(), &TAKE_OVER[1..]);
        if let Ok(lease) = sim.journal.claim(driver.pid, Claim::TakeOver, &mut sim.log) {
            let pid = driver.pid;
            sim.line(|| format!("process {pid} takes over with epoch {}", lease.epoch));
            driver.lease = Some(lease);
            sim.drivers.push(Box::new(driver));
        }
    }

    fn pid(&self) -> u32 {
        self.pid
    }

    fn sleeps_until(&self) -> Option<Timestamp> {
        let idle = self.inputs.is_empty()
            && self.actions.is_empty()
            && self.sending.is_none()
            && self.tasks.iter().all(Task::only_looks);
        self.wake_at.filter(|_| idle)
    }

    fn place_of_death(&self) -> &'static str {
        if self.phase() != Phase::Drive {
            "driver_killed_starting"
        } else if self.sending.is_some() {
            "driver_killed_sending"
        } else if !self.tasks.is_empty() {
            "driver_killed_performing"
        } else {
            "driver_killed_idle"
        }
    }

    fn frozen_until(&mut self) -> &mut u64 {
        &mut self.frozen_until
    }

    fn step(&mut self, sim: &mut Sim<K>) -> After {
        if let Some(append) = self.unsynced.take() {
            let _ = sim.journal.append(append, &mut sim.log);
        }
        match self.phase() {
            Phase::Drive => self.drive(sim),
            _ => self.start(sim),
        }
    }
}

impl<K: Driven> Driver<K> {
    pub(crate) fn new(pid: u32, phases: &'static [Phase]) -> Self {
        Self {
            pid,
            phases,
            lease: None,
            core: None,
            inputs: VecDeque::new(),
            actions: VecDeque::new(),
            sending: None,
            tasks: Vec::new(),
            wake_at: None,
            revision: 0,
            frozen_until: 0,
            unsynced: None,
        }
    }

    fn phase(&self) -> Phase {
        self.phases[0]
    }

    pub(crate) fn settles(&self) -> bool {
        self.phases.contains(&Phase::Settle) || (self.phase() == Phase::Drive && self.core.is_none())
    }

    fn epoch(&self) -> u64 {
        self.lease.as_ref().map_or(0, |lease| lease.epoch)
    }

    fn start(&mut self, sim: &mut Sim<K>) -> After {
        match self.phase() {
            Phase::Lock => {
                if sim.holder(Lock::Workspace).is_some_and(|holder| holder != self.pid) {
                    // A take-over waits for the old process to be gone; anybody else says so and leaves.
                    return if self.phases.len() < USUAL.len() && self.lease.is_some() {
                        After::Lives
                    } else {
                        After::Ended
                    };
                }
                sim.take_lock(Lock::Workspace, self.pid);
            }
            Phase::ClaimIfFree | Phase::ClaimAnyway => {
                let claim = if self.phase() == Phase::ClaimIfFree { Claim::IfFree } else { Claim::TakeOver };
                match sim.journal.claim(self.pid, claim, &mut sim.log) {
                    Ok(lease) => self.lease = Some(lease),
                    Err(_) => return After::Ended,
                }
            }
            Phase::EndOld => {
                // The old process may do a little more before it is ended.
                if sim.rng.percent(60) {
                    return After::Lives;
                }
                sim.end_holder_of_workspace(self.pid);
            }
            Phase::Load => self.begin(sim),
            Phase::Settle => return self.settle(sim),
            Phase::Drive => unreachable!("a driver that drives has started"),
        }
        self.phases = &self.phases[1..];
        After::Lives
    }

    fn begin(&mut self, sim: &mut Sim<K>) {
        let loaded = sim.journal.load();
        if sim.rng.one_in(3) {
            sim.folded(loaded.head, &loaded.state);
        }
        let place = Place { host: sim.host.name.clone(), boot: sim.host.boot.to_string(), pid: self.pid };
        let begin = K::Run::drive(self.epoch(), place, "0".to_owned());
        let found = K::found(&loaded.state, sim);
        self.revision = sim.journal.revision();
        self.core = Some(Core::new(
            loaded.state,
            loaded.head,
            self.epoch(),
            loaded.tail_bytes,
            loaded.checkpoint_bytes,
        ));
        self.inputs.extend(std::iter::once(begin).chain(found).map(Input::Begin));
    }

    /// Applies requests to a run that nobody drives, where no work follows from them.
    fn settle(&mut self, sim: &mut Sim<K>) -> After {
        let loaded = sim.journal.load();
        let now = sim.now();
        let command = K::settling(&loaded.state, sim);
        let Ok((events, state)) = loaded.state.advance(command, now) else { return After::Ended };
        if events.is_empty() || !state.effects().is_empty() {
            return After::Ended;
        }
        let append = Append {
            run: sim.run.clone(),
            fence: Fence::Epoch(self.epoch()),
            expect: Expect::Seq(loaded.head),
            at: now,
            events: events.iter().map(RunEvent::encode).collect(),
            entry: Some(state.entry()),
            checkpoint: None,
            salt: sim.rng.bytes(),
        };
        self.sending = Some(Sending::new(append, sim));
        self.phases = &self.phases[1..];
        After::Lives
    }

    fn drive(&mut self, sim: &mut Sim<K>) -> After {
        // Work goes on beside everything else.
        let busy = self.sending.is_some() || !self.actions.is_empty() || !self.inputs.is_empty();
        if !self.tasks.is_empty() && (!busy || sim.rng.one_in(4)) {
            if busy || sim.rng.percent(80) {
                self.step_task(sim);
                return After::Lives;
            }
            self.look_around(sim);
            return After::Lives;
        }
        if self.sending.is_some() {
            return self.send(sim);
        }
        if let Some(action) = self.actions.pop_front() {
            return self.carry_out(action, sim);
        }
        let Some(core) = &mut self.core else { return After::Ended };
        if let Some(input) = self.inputs.pop_front() {
            sim.line(|| format!("driver {} hears {}", self.pid, name_of(&input)));
            self.actions.extend(core.step(input, sim.now()));
            return After::Lives;
        }
        self.look_around(sim);
        After::Lives
    }

    fn step_task(&mut self, sim: &mut Sim<K>) {
        let epoch = self.epoch();
        let index = sim.rng.below(self.tasks.len() as u64) as usize;
        let Some(core) = &self.core else { return };
        let superseded = sim.journal.epoch() != epoch;
        let mut around = sim.around(epoch, superseded);
        let Some(command) = self.tasks[index].step(core.state(), &mut around) else { return };
        let effect = self.tasks.remove(index).effect().clone();
        let mut outcomes = vec![(effect, command)];
        if sim.chaos && sim.rng.one_in(60) {
            sim.fault("outcome_delivered_twice");
            outcomes.extend_from_within(..);
        }
        match self.inputs.back_mut() {
            // What ended together comes together.
            Some(Input::Outcomes(waiting)) if sim.rng.one_in(2) => waiting.extend(outcomes),
            Some(_) | None => self.inputs.push_back(Input::Outcomes(outcomes)),
        }
    }

    fn look_around(&mut self, sim: &mut Sim<K>) {
        if self.wake_at.is_some_and(|at| at <= sim.now()) {
            self.wake_at = None;
            self.inputs.push_back(Input::Woken);
        }
        if self.revision != sim.journal.revision()
            && let Some(core) = &self.core
        {
            self.revision = sim.journal.revision();
            let seen = sim.journal.read_on(core.head() + 1);
            self.inputs.push_back(Input::Seen(seen));
        }
    }

    fn carry_out(&mut self, action: Action<K::Run>, sim: &mut Sim<K>) -> After {
        let core = self.core.as_ref().expect("actions come from a core");
        match action {
            Action::Append(planned) => {
                if sim.plant == Some(Plant::ViewBeforeCommit) {
                    let shown = planned.expect + planned.events.len() as Seq;
                    sim.publish(core.state(), shown);
                }
                let append = self.append_of(planned, sim);
                self.sending = Some(Sending::new(append, sim));
            }
            // Readers of files are not simulated.
            Action::Show(_) => {}
            Action::ReadOn(from) => {
                let seen = sim.journal.read_on(from);
                self.inputs.push_back(Input::Seen(seen));
            }
            Action::Perform { effect, fresh } => {
                sim.publish(core.state(), core.head());
                if self.tasks.len() >= K::tasks_max(core.state()) {
                    sim.log.push(Entry::Impossible("more work was begun than may be under way"));
                }
                if self.tasks.iter().any(|task| *task.effect() == effect) {
                    sim.log.push(Entry::Impossible("work was begun that is under way already"));
                }
                self.tasks.push(K::Task::new(effect, fresh));
            }
            Action::Cancel(effect) => {
                if let Some(task) = self.tasks.iter_mut().find(|task| *task.effect() == effect) {
                    task.cancel(&mut sim.host);
                }
            }
            Action::Drop(effect) => {
                if !K::may_drop(&effect) {
                    sim.log.push(Entry::Impossible("work was dropped whose outcome matters"));
                }
                self.tasks.retain(|task| *task.effect() != effect);
            }
            Action::WakeAt(at) => {
                sim.publish(core.state(), core.head());
                self.wake_at = Some(at);
            }
            Action::Leave(leave) => {
                if leave == Leave::AtRest {
                    sim.publish(core.state(), core.head());
                    if sim.rng.one_in(3) {
                        sim.folded(core.head(), core.state());
                    }
                    sim.rested(core.head(), core.state());
                }
                return After::Ended;
            }
        }
        After::Lives
    }

    fn append_of(&self, planned: Planned, sim: &mut Sim<K>) -> Append {
        Append {
            run: sim.run.clone(),
            fence: Fence::Epoch(self.epoch()),
            expect: Expect::Seq(planned.expect),
            at: planned.at,
            events: planned.events,
            entry: Some(planned.entry),
            checkpoint: planned.checkpoint,
            salt: sim.rng.bytes(),
        }
    }

    fn send(&mut self, sim: &mut Sim<K>) -> After {
        let mut sending = self.sending.take().expect("something is in flight");
        match sending.meet_fate(sim) {
            Met::Arrives => return self.deliver(sending, sim),
            Met::Gone => return After::Ended,
            Met::Waits => {}
            Met::Freezes(until) => self.frozen_until = until,
        }
        self.sending = Some(sending);
        After::Lives
    }

    /// The append reaches the store, and its answer the driver.
    fn deliver(&mut self, sending: Sending, sim: &mut Sim<K>) -> After {
        let count = sending.kinds.len() as u64;
        let names = sending.names::<K>();
        let answer = if sim.plant == Some(Plant::AckBeforeCommit) && sim.fits(&sending.append) {
            let seq = sim.journal.head() + count;
            self.unsynced = Some(sending.append);
            Ok(Head { seq, hash: [0; 32] })
        } else {
            sim.journal.append(sending.append, &mut sim.log)
        };
        sim.line(|| format!("driver {} appends {names} -> {}", self.pid, said(&answer)));
        let input = match answer {
            Ok(head) => {
                sim.log.push(Entry::Acked { last: head.seq, count, content: sending.content });
                Input::Appended
            }
            Err(Error::Conflict { .. }) => Input::Conflicted,
            Err(Error::Fenced { .. }) => Input::Fenced,
            Err(_) => return After::Ended,
        };
        if self.core.is_none() {
            // It only had something to settle.
            return After::Ended;
        }
        self.inputs.push_back(input);
        After::Lives
    }
}

fn name_of<M: Machine>(input: &Input<M>) -> String {
    match input {
        Input::Seen(events) => format!("of {} events", events.len()),
        other => format!("{other:?}").chars().take(200).collect(),
    }
}

fn start<K: Driven>(sim: &mut Sim<K>, phases: &'static [Phase]) {
    if sim.drivers.len() >= 4 {
        return;
    }
    let pid = sim.next_pid();
    sim.line(|| format!("process {pid} starts with {:?}", phases[0]));
    sim.drivers.push(Box::new(Driver::new(pid, phases)));
}
