//! The driver's mind: one synchronous function from what happened to what to do.
//!
//! No clock, no I/O, no async: the shell in [`crate::driver`] feeds it and carries out its actions, and
//! the simulator does the same with a world of its own.
//!
//! Invariants:
//! - at most one append is in flight; every decision stands on the state it was made from;
//! - work is begun only after its intent was acknowledged;
//! - the outcome of one piece of work and the intent of the next share an append.

use std::collections::VecDeque;

use piton_model::limits::CHECKPOINT_BYTES_MIN;
use piton_model::{
    Command, Effect, Encoded, Epoch, Event, Seq, State, Status, Timestamp, advance, apply, exit_code,
};
use piton_store::Entry;

use crate::entry::entry_of;

/// Something that happened to the driver.
#[derive(Clone, Debug)]
pub enum Input {
    /// The lease is ours and the state is loaded. Always first.
    Begin(Command),
    /// Events that others appended after our head.
    Seen(Vec<(Seq, Timestamp, Event)>),
    /// The append in flight is durable.
    Appended,
    /// The append in flight was refused: others appended first.
    Conflicted,
    /// The append in flight was refused: another driver has the lease.
    Fenced,
    /// The work that was begun brought this.
    Outcome(Effect, Command),
    /// Time passed.
    Woken,
}

/// Something for the shell to do.
#[derive(Clone, Debug)]
pub enum Action {
    /// Make this durable, then answer with `Appended`, `Conflicted` or `Fenced`.
    Append(Planned),
    /// Read the events after our head, then answer with `Seen`.
    ReadOn(Seq),
    /// Perform this, or look up what became of it, then answer with `Outcome`.
    Perform {
        /// The work.
        effect: Effect,
        /// This driver recorded the intent itself, so nobody can have begun it before.
        fresh: bool,
    },
    /// End the work that was begun; its outcome still follows.
    Cancel(Effect),
    /// Wake up at this moment.
    WakeAt(Timestamp),
    /// Nothing is left to do here.
    Leave(Leave),
}

/// An append that the core wants.
#[derive(Clone, Debug)]
pub struct Planned {
    /// The head it stands on.
    pub expect: Seq,
    /// When.
    pub at: Timestamp,
    /// What happened.
    pub events: Vec<Encoded>,
    /// The index entry after it.
    pub entry: Entry,
    /// The state after it, if a checkpoint is due.
    pub checkpoint: Option<Vec<u8>>,
}

/// Why a driver leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leave {
    /// The run is at rest.
    AtRest,
    /// Another driver took over.
    Fenced,
}

/// The driver's mind for one run.
#[derive(Debug)]
pub struct Core {
    state: State,
    head: Seq,
    epoch: Epoch,
    commands: VecDeque<Command>,
    in_flight: Option<InFlight>,
    /// The work the shell performs, and whether it was told to end it.
    performing: Option<(Effect, bool)>,
    /// The work that was open when this driver took over.
    recovered: Option<Effect>,
    /// Bytes of events since the last checkpoint, and that checkpoint's size.
    bytes_since_checkpoint: u64,
    checkpoint_bytes: u64,
    left: bool,
}

#[derive(Debug)]
struct InFlight {
    command: Command,
    state: State,
    head: Seq,
    bytes: u64,
    checkpoint_bytes: Option<u64>,
}

impl Core {
    /// A mind for a run whose fold is `state` at `head`; `tail_bytes` of events were read after the last
    /// checkpoint of `checkpoint_bytes`.
    pub fn new(state: State, head: Seq, epoch: Epoch, tail_bytes: u64, checkpoint_bytes: u64) -> Self {
        let recovered = state.effects().into_iter().next();
        Self {
            state,
            head,
            epoch,
            commands: VecDeque::new(),
            in_flight: None,
            performing: None,
            recovered,
            bytes_since_checkpoint: tail_bytes,
            checkpoint_bytes,
            left: false,
        }
    }

    /// The fold of everything that is durable, as far as this driver knows.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The last event of that fold.
    pub fn head(&self) -> Seq {
        self.head
    }

    /// The epoch this driver appends under.
    pub fn epoch(&self) -> Epoch {
        self.epoch
    }

    /// What to do about `input` at `now`.
    pub fn step(&mut self, input: Input, now: Timestamp) -> Vec<Action> {
        if self.left {
            return Vec::new();
        }
        match input {
            Input::Begin(command) => self.commands.push_back(command),
            Input::Woken => self.nudge(),
            Input::Outcome(effect, command) => {
                if self.performing.as_ref().is_some_and(|(performing, _)| *performing == effect) {
                    self.performing = None;
                }
                self.commands.push_back(command);
            }
            Input::Seen(events) => self.see(events),
            Input::Appended => self.appended(),
            Input::Conflicted => return self.conflicted(),
            Input::Fenced => return self.leave(Leave::Fenced),
        }
        self.advance(now)
    }

    fn nudge(&mut self) {
        if !self.commands.contains(&Command::Tick) {
            self.commands.push_back(Command::Tick);
        }
    }

    /// While an append is in flight others' events are left alone: the append will conflict, and they
    /// are read again.
    fn see(&mut self, events: Vec<(Seq, Timestamp, Event)>) {
        if self.in_flight.is_some() {
            return;
        }
        let mut any = false;
        for (seq, at, event) in events {
            if seq == self.head + 1 {
                self.state = apply(Some(self.state.clone()), &event, at).expect("a state stays a state");
                self.head = seq;
                any = true;
            }
        }
        if any {
            self.nudge();
        }
    }

    fn appended(&mut self) {
        let in_flight = self.in_flight.take().expect("an answer follows an append");
        self.state = in_flight.state;
        self.head = in_flight.head;
        match in_flight.checkpoint_bytes {
            Some(bytes) => {
                self.checkpoint_bytes = bytes;
                self.bytes_since_checkpoint = 0;
            }
            None => self.bytes_since_checkpoint += in_flight.bytes,
        }
    }

    fn conflicted(&mut self) -> Vec<Action> {
        let in_flight = self.in_flight.take().expect("an answer follows an append");
        self.commands.push_front(in_flight.command);
        vec![Action::ReadOn(self.head + 1)]
    }

    fn leave(&mut self, why: Leave) -> Vec<Action> {
        self.left = true;
        self.in_flight = None;
        vec![Action::Leave(why)]
    }

    /// Decides the next command, or brings the shell in line with the state.
    fn advance(&mut self, now: Timestamp) -> Vec<Action> {
        if self.in_flight.is_some() {
            return Vec::new();
        }
        while let Some(command) = self.commands.pop_front() {
            // A refused outcome was recorded before, by this driver or by the one before it.
            let Ok((events, state)) = advance(&self.state, command.clone(), now) else { continue };
            if !events.is_empty() {
                return vec![self.plan(command, events, state, now)];
            }
        }
        self.reconcile()
    }

    fn plan(&mut self, command: Command, events: Vec<Event>, state: State, now: Timestamp) -> Action {
        let mut encoded: Vec<Encoded> = events.iter().map(Event::encode).collect();
        let bytes: u64 = encoded.iter().map(|event| (event.data.len() + event.kind.len()) as u64).sum();
        let mut checkpoint = None;
        if self.bytes_since_checkpoint + bytes > self.checkpoint_bytes.max(CHECKPOINT_BYTES_MIN) {
            let stored = serde_json::to_vec(&state).expect("a state is plain data");
            let seq = self.head + encoded.len() as u64 + 1;
            let digest = piton_store::chain::hex(&piton_store::chain::digest(&stored));
            encoded.push(Event::CheckpointTaken { seq, digest }.encode());
            checkpoint = Some(stored);
        }
        let planned = Planned {
            expect: self.head,
            at: now,
            entry: entry_of(&state),
            checkpoint: checkpoint.clone(),
            events: encoded,
        };
        self.in_flight = Some(InFlight {
            command,
            state,
            head: self.head + planned.events.len() as u64,
            bytes,
            checkpoint_bytes: checkpoint.map(|stored| stored.len() as u64),
        });
        Action::Append(planned)
    }

    /// The work that is open in the state is the work that is performed.
    fn reconcile(&mut self) -> Vec<Action> {
        let Some(wanted) = self.state.effects().into_iter().next() else {
            return if self.at_rest() { self.leave(Leave::AtRest) } else { Vec::new() };
        };
        if let Effect::Timer(at) = wanted {
            return vec![Action::WakeAt(at)];
        }
        let cancel = self.state.wants_cancel();
        match &mut self.performing {
            Some((performing, cancelled)) if *performing == wanted => {
                if !cancel || std::mem::replace(cancelled, true) {
                    return Vec::new();
                }
                vec![Action::Cancel(wanted)]
            }
            _ => {
                let fresh = self.recovered.as_ref() != Some(&wanted);
                self.performing = Some((wanted.clone(), cancel));
                let mut actions = vec![Action::Perform { effect: wanted.clone(), fresh }];
                if cancel {
                    actions.push(Action::Cancel(wanted));
                }
                actions
            }
        }
    }

    fn at_rest(&self) -> bool {
        self.state.status != Status::Created && exit_code(self.state.status, self.state.reason).is_some()
    }
}
