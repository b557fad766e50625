//! The driver's mind: one synchronous function from what happened to what to do.
//!
//! The same for every kind of run: what a [`Machine`] says is open is what is performed, several pieces at a time
//! where the machine opens several. No clock, no I/O, no async: the shell in [`crate::driver`] feeds it and carries out its actions, and
//! the simulator does the same with a world of its own.
//!
//! Invariants:
//! - at most one append is in flight; every decision stands on the state it was made from;
//! - work is begun only after its intent was acknowledged;
//! - the outcome of one piece of work and the intent of the next share an append, and so do outcomes that came in
//!   together: work that ends while the disk is busy waits for one sync, not for one each.

use std::collections::VecDeque;

use piton_model::limits::{CHECKPOINT_BYTES_MIN, EVENTS_PER_APPEND_MAX};
use piton_model::{CheckpointName, Encoded, Entry, Epoch, Machine, RunEvent, Seq, State, Timestamp};

/// Something that happened to the driver.
#[derive(Clone, Debug)]
pub enum Input<M: Machine = State> {
    /// The lease is ours and the state is loaded. Always first.
    Begin(M::Command),
    /// Events that others appended after our head.
    Seen(Vec<(Seq, Timestamp, M::Event)>),
    /// The append in flight is durable.
    Appended,
    /// The append in flight was refused: others appended first.
    Conflicted,
    /// The append in flight was refused: another driver has the lease.
    Fenced,
    /// What the work that was begun brought; pieces that ended together come together.
    Outcomes(Vec<(M::Effect, M::Command)>),
    /// Time passed.
    Woken,
}

/// Something for the shell to do.
#[derive(Clone, Debug)]
pub enum Action<M: Machine = State> {
    /// Make this durable, then answer with `Appended`, `Conflicted` or `Fenced`.
    Append(Planned),
    /// Let readers of the views see this state, through which what was just appended went.
    Show(Box<M>),
    /// Read the events after our head, then answer with `Seen`.
    ReadOn(Seq),
    /// Perform this, or look up what became of it, then answer with `Outcomes`.
    Perform {
        /// The work.
        effect: M::Effect,
        /// This driver recorded the intent itself and has not performed it yet, so nobody can have begun it before.
        fresh: bool,
    },
    /// End the work that was begun; its outcome still follows.
    Cancel(M::Effect),
    /// Nobody waits for the outcome of this work any more: a look that was overtaken by what came in.
    Drop(M::Effect),
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
    /// By the clock of whoever recorded it.
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
pub struct Core<M: Machine = State> {
    state: M,
    head: Seq,
    epoch: Epoch,
    commands: VecDeque<M::Command>,
    in_flight: Option<InFlight<M>>,
    /// The work the shell performs, and whether it was told to end it.
    performing: Vec<(M::Effect, bool)>,
    /// The work that may have been begun: what was on record when this driver took over, and what it performed itself.
    begun: Vec<M::Effect>,
    /// Bytes of events since the last checkpoint, and that checkpoint's size.
    bytes_since_checkpoint: u64,
    checkpoint_bytes: u64,
    left: bool,
}

#[derive(Debug)]
struct InFlight<M: Machine> {
    /// What it decides, in this order.
    commands: Vec<M::Command>,
    /// What readers are promised to see on the way.
    moments: Vec<M>,
    state: M,
    head: Seq,
    bytes: u64,
    checkpoint_bytes: Option<u64>,
}

impl<M: Machine> Core<M> {
    /// A mind for a run whose fold is `state` at `head`; `tail_bytes` of events were read after the last
    /// checkpoint of `checkpoint_bytes`.
    pub fn new(state: M, head: Seq, epoch: Epoch, tail_bytes: u64, checkpoint_bytes: u64) -> Self {
        let begun = state.begun();
        Self {
            state,
            head,
            epoch,
            commands: VecDeque::new(),
            in_flight: None,
            performing: Vec::new(),
            begun,
            bytes_since_checkpoint: tail_bytes,
            checkpoint_bytes,
            left: false,
        }
    }

    /// The fold of everything that is durable, as far as this driver knows.
    pub fn state(&self) -> &M {
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
    pub fn step(&mut self, input: Input<M>, now: Timestamp) -> Vec<Action<M>> {
        if self.left {
            return Vec::new();
        }
        match input {
            Input::Begin(command) => self.commands.push_back(command),
            Input::Woken => self.nudge(),
            Input::Outcomes(outcomes) => {
                outcomes.into_iter().for_each(|(effect, command)| self.outcome(&effect, command));
            }
            Input::Seen(events) => self.see(events),
            Input::Appended => {
                let moments = self.appended().into_iter();
                let mut actions: Vec<_> = moments.map(|moment| Action::Show(Box::new(moment))).collect();
                actions.extend(self.advance(now));
                return actions;
            }
            Input::Conflicted => return self.conflicted(),
            Input::Fenced => return self.leave(Leave::Fenced),
        }
        self.advance(now)
    }

    fn outcome(&mut self, effect: &M::Effect, command: M::Command) {
        self.performing.retain(|(performing, _)| performing != effect);
        // What is asked for again although it was performed is looked up: it may have been begun, whatever became of it.
        if !M::comes_first(&command) && !self.begun.contains(effect) {
            self.begun.push(effect.clone());
        }
        self.commands.push_back(command);
    }

    fn nudge(&mut self) {
        if !self.commands.contains(&M::tick()) {
            self.commands.push_back(M::tick());
        }
    }

    /// While an append is in flight others' events are left alone: the append will conflict, and they
    /// are read again.
    fn see(&mut self, events: Vec<(Seq, Timestamp, M::Event)>) {
        if self.in_flight.is_some() {
            return;
        }
        let mut any = false;
        for (seq, at, event) in events {
            if seq == self.head + 1 {
                self.state = M::apply(Some(self.state.clone()), &event, at).expect("a state stays a state");
                self.head = seq;
                any = true;
            }
        }
        if any {
            self.nudge();
        }
    }

    /// What was in flight is where the run is; what it went through comes back.
    fn appended(&mut self) -> Vec<M> {
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
        in_flight.moments
    }

    fn conflicted(&mut self) -> Vec<Action<M>> {
        let in_flight = self.in_flight.take().expect("an answer follows an append");
        for command in in_flight.commands.into_iter().rev() {
            self.commands.push_front(command);
        }
        vec![Action::ReadOn(self.head + 1)]
    }

    fn leave(&mut self, why: Leave) -> Vec<Action<M>> {
        self.left = true;
        self.in_flight = None;
        vec![Action::Leave(why)]
    }

    /// Decides what came in, or brings the shell in line with the state.
    fn advance(&mut self, now: Timestamp) -> Vec<Action<M>> {
        if self.in_flight.is_some() {
            return Vec::new();
        }
        let (mut commands, mut events, mut after) = (Vec::new(), Vec::new(), None::<M>);
        while let Some(command) = self.commands.pop_front() {
            // A refused outcome was recorded before, by this driver or by the one before it.
            let state = after.as_ref().unwrap_or(&self.state);
            let Ok((more, state)) = state.advance(command.clone(), now) else { continue };
            if more.is_empty() {
                continue;
            }
            if !events.is_empty() && events.len() + more.len() >= EVENTS_PER_APPEND_MAX {
                self.commands.push_front(command);
                break;
            }
            commands.push(command);
            events.extend(more);
            after = Some(state);
        }
        match after {
            Some(state) => vec![self.plan(commands, events, state, now)],
            None => self.reconcile(),
        }
    }

    fn plan(
        &mut self,
        commands: Vec<M::Command>,
        events: Vec<M::Event>,
        state: M,
        now: Timestamp,
    ) -> Action<M> {
        let mut encoded: Vec<Encoded> = events.iter().map(RunEvent::encode).collect();
        let bytes: u64 = encoded.iter().map(|event| (event.data.len() + event.kind.len()) as u64).sum();
        let mut checkpoint = None;
        if self.bytes_since_checkpoint + bytes > self.checkpoint_bytes.max(CHECKPOINT_BYTES_MIN) {
            let (stored, named) = checkpoint_of(&state, self.head + encoded.len() as u64 + 1);
            encoded.push(named.encode());
            checkpoint = Some(stored);
        }
        let planned = Planned {
            expect: self.head,
            at: now,
            entry: state.entry(),
            checkpoint: checkpoint.clone(),
            events: encoded,
        };
        self.in_flight = Some(InFlight {
            commands,
            moments: self.state.moments(&events, now),
            state,
            head: self.head + planned.events.len() as u64,
            bytes,
            checkpoint_bytes: checkpoint.map(|stored| stored.len() as u64),
        });
        Action::Append(planned)
    }

    /// The work that is open in the state is the work that is performed.
    fn reconcile(&mut self) -> Vec<Action<M>> {
        let wanted = self.state.effects();
        if wanted.is_empty() && self.state.is_at_rest() {
            return self.leave(Leave::AtRest);
        }
        let (kept, dropped) =
            std::mem::take(&mut self.performing).into_iter().partition(|(effect, _)| wanted.contains(effect));
        self.performing = kept;
        self.begun.retain(|effect| wanted.contains(effect));
        let mut actions: Vec<_> = dropped.into_iter().map(|(effect, _)| Action::Drop(effect)).collect();
        actions.extend(wanted.iter().filter_map(M::timer).min().map(Action::WakeAt));
        for effect in wanted.into_iter().filter(|effect| M::timer(effect).is_none()) {
            let cancel = self.state.wants_cancel(&effect);
            let cancelled = match self.performing.iter_mut().find(|(performing, _)| *performing == effect) {
                Some((_, cancelled)) => std::mem::replace(cancelled, cancel || *cancelled),
                None => {
                    let fresh = !self.begun.contains(&effect);
                    self.performing.push((effect.clone(), cancel));
                    actions.push(Action::Perform { effect: effect.clone(), fresh });
                    false
                }
            };
            if cancel && !cancelled {
                actions.push(Action::Cancel(effect));
            }
        }
        actions
    }
}

/// The state as a checkpoint stores it, and the event at `seq` that names it in the chain.
pub fn checkpoint_of<M: Machine>(state: &M, seq: Seq) -> (Vec<u8>, M::Event) {
    checkpoint_within(state, seq, usize::MAX).expect("no state is that large")
}

/// The same where it is no larger than this; one that is, is given up as soon as that shows.
pub(crate) fn checkpoint_within<M: Machine>(
    state: &M,
    seq: Seq,
    bytes_max: usize,
) -> Option<(Vec<u8>, M::Event)> {
    let mut bounded = Bounded { bytes: Vec::new(), bytes_max };
    serde_json::to_writer(&mut bounded, state).ok()?;
    let stored = bounded.bytes;
    let digest = piton_store::chain::hex(&piton_store::chain::digest(&stored));
    let named = M::Event::checkpoint_taken(CheckpointName { seq, digest, fold: M::FOLD });
    Some((stored, named))
}

/// Takes no more than so many bytes.
struct Bounded {
    bytes: Vec<u8>,
    bytes_max: usize,
}

impl std::io::Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.bytes.len() + bytes.len() > self.bytes_max {
            return Err(std::io::ErrorKind::FileTooLarge.into());
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
