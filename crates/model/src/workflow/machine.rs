//! The workflow, as the driver knows it.

use super::event::WorkflowEvent as Event;
use super::{Command, Effect, State};
use crate::loop_machine::Place;
use crate::machine::{Entry, Machine};
use crate::rejection::Rejection;
use crate::status::{Kind, Status};
use crate::{Epoch, Timestamp};

impl Machine for State {
    const KIND: Kind = Kind::Workflow;
    const FOLD: u32 = 7;
    type Event = Event;
    type Command = Command;
    type Effect = Effect;

    fn apply(state: Option<Self>, event: &Event, at: Timestamp) -> Option<Self> {
        super::apply(state, event, at)
    }

    fn advance(&self, command: Command, now: Timestamp) -> Result<(Vec<Event>, Self), Rejection> {
        super::advance(self, command, now)
    }

    fn moments(&self, events: &[Event], at: Timestamp) -> Vec<Self> {
        super::moments::of(self, events, at)
    }

    fn admit(&self, request: &Event) -> Result<(), Rejection> {
        super::admit(self, request)
    }

    /// At rest nobody waits for a person's file: whoever takes the run up again looks for it.
    fn effects(&self) -> Vec<Effect> {
        if self.status == Status::Waiting { Vec::new() } else { self.effects() }
    }

    fn begun(&self) -> Vec<Effect> {
        self.steps.iter().filter_map(|step| step.open.clone()).map(Effect::Attempt).collect()
    }

    fn comes_first(command: &Command) -> bool {
        matches!(command, Command::SpendBudget { .. })
    }

    fn wants_cancel(&self, effect: &Effect) -> bool {
        match effect {
            Effect::Attempt(attempt) => self.wants_cancel(&attempt.step),
            Effect::Items { .. }
            | Effect::Gates { .. }
            | Effect::ManualInput { .. }
            | Effect::Tick { .. }
            | Effect::Timer(_) => false,
        }
    }

    fn timer(effect: &Effect) -> Option<Timestamp> {
        match effect {
            Effect::Timer(at) => Some(*at),
            Effect::Attempt(_)
            | Effect::Items { .. }
            | Effect::Gates { .. }
            | Effect::ManualInput { .. }
            | Effect::Tick { .. } => None,
        }
    }

    fn drive(epoch: Epoch, place: Place, version: String) -> Command {
        Command::Drive { epoch, place, version }
    }

    fn tick() -> Command {
        Command::Tick
    }

    fn entry(&self) -> Entry {
        Entry {
            run_id: self.run.clone(),
            kind: Kind::Workflow,
            title: self.title.clone(),
            status: self.status,
            reason: self.reason,
            created_at: self.created_at,
            updated_at: self.updated_at,
            iteration: self.counters.attempts,
            waiting_for: waiting_for(self),
            fold: Self::FOLD,
        }
    }

    fn driven(&self) -> Option<Epoch> {
        self.driver.as_ref().map(|driver| driver.epoch)
    }
}

/// What a run waits for, in words; `None` while it does not wait.
fn waiting_for(state: &State) -> Option<String> {
    let mut asked = state.questions().into_iter();
    if let Some((step, question)) = asked.find(|(_, question)| !state.is_answered(question.number)) {
        return Some(format!("an answer to question {} (step `{step}`)", question.number));
    }
    if let Some((_, asks)) = state.inner_questions().first() {
        return Some(asks.waits_for());
    }
    (state.status == Status::Paused).then(|| "a resume".to_owned())
}
