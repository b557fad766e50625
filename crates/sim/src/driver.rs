//! A driver's process: the shell around the core, one small step at a time.
//!
//! Mirrors the product's shell: actions are carried out in order, an append is answered before the next
//! input is looked at, and work is performed beside it. The same process shape serves whoever settles a
//! request where nobody drives.

use std::collections::VecDeque;

use piton_engine::core::{Action, Core, Input, Leave, Planned};
use piton_engine::entry_of;
use piton_model::loop_machine::Place;
use piton_model::{Command, Event, Seq, Timestamp, advance};
use piton_store::{Append, Claim, Error, Expect, Fence, Head, Lease};

use crate::coverage::{Fate, kind_index};
use crate::history::Entry;
use crate::perform::{Surroundings, Task};
use crate::scenario::Plant;
use crate::sim::Sim;
use crate::store::content_of;

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
    /// Drives.
    Drive,
}

pub(crate) const USUAL: &[Phase] = &[Phase::Lock, Phase::ClaimIfFree, Phase::Load, Phase::Drive];
pub(crate) const RACING: &[Phase] = &[Phase::ClaimIfFree, Phase::Lock, Phase::Load, Phase::Drive];
pub(crate) const TAKE_OVER: &[Phase] =
    &[Phase::ClaimAnyway, Phase::EndOld, Phase::Lock, Phase::Load, Phase::Drive];
pub(crate) const END_FIRST: &[Phase] =
    &[Phase::EndOld, Phase::Lock, Phase::ClaimAnyway, Phase::Load, Phase::Drive];
pub(crate) const SETTLE: &[Phase] = &[Phase::ClaimIfFree, Phase::Settle, Phase::Drive];

/// A process that drives a run, or is about to.
pub(crate) struct Driver {
    pub(crate) pid: u32,
    phases: &'static [Phase],
    pub(crate) lease: Option<Lease>,
    core: Option<Core>,
    inputs: VecDeque<Input>,
    actions: VecDeque<Action>,
    pub(crate) sending: Option<Sending>,
    pub(crate) task: Option<Task>,
    wake_at: Option<Timestamp>,
    revision: u64,
    pub(crate) frozen_until: u64,
    /// Planted bug: acknowledged, and not committed yet.
    unsynced: Option<Append>,
}

/// An append that is in flight.
pub(crate) struct Sending {
    pub(crate) append: Append,
    pub(crate) kinds: Vec<u8>,
    pub(crate) content: u64,
    pub(crate) fate: Option<Fate>,
    pub(crate) not_before: u64,
}

impl Sending {
    pub(crate) fn new(append: Append, sim: &mut Sim) -> Self {
        let kinds: Vec<u8> = append.events.iter().map(|event| kind_index(&event.kind) as u8).collect();
        let content =
            content_of(append.events.iter().map(|event| (event.kind.as_str(), event.data.as_slice())));
        let fate = sim.draw_fate(&kinds);
        Self { append, kinds, content, fate, not_before: 0 }
    }
}

/// What became of a process after a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum After {
    Lives,
    Ended,
}

impl Driver {
    pub(crate) fn new(pid: u32, phases: &'static [Phase]) -> Self {
        Self {
            pid,
            phases,
            lease: None,
            core: None,
            inputs: VecDeque::new(),
            actions: VecDeque::new(),
            sending: None,
            task: None,
            wake_at: None,
            revision: 0,
            frozen_until: 0,
            unsynced: None,
        }
    }

    pub(crate) fn phase(&self) -> Phase {
        self.phases[0]
    }

    pub(crate) fn settles(&self) -> bool {
        self.phases.contains(&Phase::Settle) || (self.phase() == Phase::Drive && self.core.is_none())
    }

    /// The moment it sleeps until, if it does nothing else.
    pub(crate) fn sleeps_until(&self) -> Option<Timestamp> {
        let idle = self.inputs.is_empty()
            && self.actions.is_empty()
            && self.sending.is_none()
            && self.task.is_none();
        self.wake_at.filter(|_| idle)
    }

    /// Which death this is, if it dies now.
    pub(crate) fn place_of_death(&self) -> &'static str {
        if self.phase() != Phase::Drive {
            "driver_killed_starting"
        } else if self.sending.is_some() {
            "driver_killed_sending"
        } else if self.task.is_some() {
            "driver_killed_performing"
        } else {
            "driver_killed_idle"
        }
    }

    fn epoch(&self) -> u64 {
        self.lease.as_ref().map_or(0, |lease| lease.epoch)
    }

    pub(crate) fn step(&mut self, sim: &mut Sim) -> After {
        if let Some(append) = self.unsynced.take() {
            let _ = sim.journal.append(append, &mut sim.log);
        }
        match self.phase() {
            Phase::Drive => self.drive(sim),
            _ => self.start(sim),
        }
    }

    fn start(&mut self, sim: &mut Sim) -> After {
        match self.phase() {
            Phase::Lock => {
                if sim.workspace.is_some_and(|holder| holder != self.pid) {
                    // A take-over waits for the old process to be gone; anybody else says so and leaves.
                    return if self.phases.len() < USUAL.len() && self.lease.is_some() {
                        After::Lives
                    } else {
                        After::Ended
                    };
                }
                sim.workspace = Some(self.pid);
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

    fn begin(&mut self, sim: &mut Sim) {
        let loaded = sim.journal.load();
        if sim.rng.one_in(3) {
            sim.folded(loaded.head, &loaded.state);
        }
        let place =
            Place { host: sim.machine.host.clone(), boot: sim.machine.boot.to_string(), pid: self.pid };
        let begin = Command::Drive { epoch: self.epoch(), place, version: "0".to_owned() };
        self.revision = sim.journal.revision();
        self.core = Some(Core::new(
            loaded.state,
            loaded.head,
            self.epoch(),
            loaded.tail_bytes,
            loaded.checkpoint_bytes,
        ));
        self.inputs.push_back(Input::Begin(begin));
    }

    /// Applies requests to a run that nobody drives, where no work follows from them.
    fn settle(&mut self, sim: &mut Sim) -> After {
        let loaded = sim.journal.load();
        let now = sim.now();
        let Ok((events, state)) = advance(&loaded.state, Command::Tick, now) else { return After::Ended };
        if events.is_empty() || !state.effects().is_empty() {
            return After::Ended;
        }
        let append = Append {
            run: sim.run.clone(),
            fence: Fence::Epoch(self.epoch()),
            expect: Expect::Seq(loaded.head),
            at: now,
            events: events.iter().map(Event::encode).collect(),
            entry: Some(entry_of(&state)),
            checkpoint: None,
            salt: sim.rng.bytes(),
        };
        self.sending = Some(Sending::new(append, sim));
        self.phases = &self.phases[1..];
        After::Lives
    }

    fn drive(&mut self, sim: &mut Sim) -> After {
        // Work goes on beside everything else.
        let busy = self.sending.is_some() || !self.actions.is_empty() || !self.inputs.is_empty();
        if self.task.is_some() && (!busy || sim.rng.one_in(4)) {
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

    fn step_task(&mut self, sim: &mut Sim) {
        let (Some(task), Some(core)) = (&mut self.task, &self.core) else { return };
        let mut around = Surroundings {
            machine: &mut sim.machine,
            scenario: &sim.scenario,
            rng: &mut sim.rng,
            log: &mut sim.log,
            plant: sim.plant,
        };
        let Some(command) = task.step(core.state(), &mut around) else { return };
        let effect = task.effect.clone();
        self.task = None;
        if sim.chaos && sim.rng.one_in(60) {
            // The same outcome reaches the core twice.
            sim.fault("outcome_delivered_twice");
            self.inputs.push_back(Input::Outcome(effect.clone(), command.clone()));
        }
        self.inputs.push_back(Input::Outcome(effect, command));
    }

    fn look_around(&mut self, sim: &mut Sim) {
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

    fn carry_out(&mut self, action: Action, sim: &mut Sim) -> After {
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
            Action::ReadOn(from) => {
                let seen = sim.journal.read_on(from);
                self.inputs.push_back(Input::Seen(seen));
            }
            Action::Perform { effect, fresh } => {
                sim.publish(core.state(), core.head());
                if self.task.is_some() {
                    sim.log.push(Entry::Impossible("work was begun while other work was performed"));
                }
                self.task = Some(Task::new(effect, fresh));
            }
            Action::Cancel(effect) => {
                if let Some(task) = self.task.as_mut().filter(|task| task.effect == effect) {
                    task.cancel(&mut sim.machine);
                }
            }
            Action::Drop(effect) => {
                sim.log.push(Entry::Impossible("work of a loop was dropped"));
                self.task.take_if(|task| task.effect == effect);
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

    fn append_of(&self, planned: Planned, sim: &mut Sim) -> Append {
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

    fn send(&mut self, sim: &mut Sim) -> After {
        let mut sending = self.sending.take().expect("something is in flight");
        if sending.not_before > sim.tick {
            self.sending = Some(sending);
            return After::Lives;
        }
        let Some(fate) = sending.fate.take() else {
            return self.deliver(sending, sim);
        };
        sim.append_fault(fate, &sending.kinds);
        match fate {
            Fate::CrashBefore => return After::Ended,
            Fate::CrashAfter => {
                let _ = sim.journal.append(sending.append, &mut sim.log);
                return After::Ended;
            }
            Fate::ErrorBefore => {
                sim.log.push(Entry::FinalError { epoch: self.epoch() });
                return After::Ended;
            }
            Fate::ErrorAfter => {
                let _ = sim.journal.append(sending.append, &mut sim.log);
                sim.log.push(Entry::FinalError { epoch: self.epoch() });
                return After::Ended;
            }
            Fate::NoSpace => sending.not_before = sim.tick + sim.rng.between(1, 30),
            Fate::AnswerLost => {
                let _ = sim.journal.append(sending.append.clone(), &mut sim.log);
                sending.not_before = sim.tick + sim.rng.between(1, 30);
            }
            Fate::Duplicate => {
                let _ = sim.journal.append(sending.append.clone(), &mut sim.log);
                return self.deliver(sending, sim);
            }
            Fate::Overtaken => sim.overtake(),
            Fate::TakenOver => {
                sim.take_over_now();
                sending.not_before = sim.tick + sim.rng.between(0, 12);
            }
            Fate::Frozen => self.frozen_until = sim.tick + sim.rng.between(30, 200),
            Fate::ClockJump => sim.jump_clock(),
        }
        self.sending = Some(sending);
        After::Lives
    }

    /// The append reaches the store, and its answer the driver.
    fn deliver(&mut self, sending: Sending, sim: &mut Sim) -> After {
        let count = sending.kinds.len() as u64;
        let answer = if sim.plant == Some(Plant::AckBeforeCommit) && sim.fits(&sending.append) {
            let seq = sim.journal.head() + count;
            self.unsynced = Some(sending.append);
            Ok(Head { seq, hash: [0; 32] })
        } else {
            sim.journal.append(sending.append, &mut sim.log)
        };
        sim.line(|| {
            format!("driver {} appends {} -> {}", self.pid, sim_names(&sending.kinds), said(&answer))
        });
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

fn name_of(input: &Input) -> String {
    match input {
        Input::Outcome(_, command) => format!("outcome {command:?}").chars().take(160).collect(),
        Input::Seen(events) => format!("of {} events", events.len()),
        other => format!("{other:?}"),
    }
}

fn sim_names(kinds: &[u8]) -> String {
    let names: Vec<_> = kinds.iter().map(|kind| piton_model::KINDS[usize::from(*kind)]).collect();
    names.join("+")
}

fn said(answer: &Result<Head, Error>) -> String {
    match answer {
        Ok(head) => format!("event {}", head.seq),
        Err(error) => error.to_string(),
    }
}
