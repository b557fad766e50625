//! The loop, as the driver knows it.

use super::{Command, Effect, Open, Place, State};
use crate::machine::{Entry, Machine};
use crate::rejection::Rejection;
use crate::status::{Kind, Reason, Status};
use crate::{Epoch, Event, Timestamp};

impl Machine for State {
    const KIND: Kind = Kind::Loop;
    const FOLD: u32 = 12;
    type Event = Event;
    type Command = Command;
    type Effect = Effect;

    fn apply(state: Option<Self>, event: &Event, at: Timestamp) -> Option<Self> {
        super::apply(state, event, at)
    }

    fn advance(&self, command: Command, now: Timestamp) -> Result<(Vec<Event>, Self), Rejection> {
        super::advance(self, command, now)
    }

    fn admit(&self, request: &Event) -> Result<(), Rejection> {
        super::admit(self, request)
    }

    fn effects(&self) -> Vec<Effect> {
        self.effects()
    }

    fn begun(&self) -> Vec<Effect> {
        self.work.open.iter().map(Open::effect).collect()
    }

    fn comes_first(command: &Command) -> bool {
        matches!(command, Command::Observe(_) | Command::ObserveOver { .. })
    }

    fn wants_cancel(&self, _: &Effect) -> bool {
        self.wants_cancel()
    }

    fn timer(effect: &Effect) -> Option<Timestamp> {
        match effect {
            Effect::Timer(at) => Some(*at),
            Effect::Attempt(_)
            | Effect::Checks(_)
            | Effect::Hooks(_)
            | Effect::Commit(_)
            | Effect::Review(_) => None,
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
            kind: self.kind,
            title: self.title.clone(),
            status: self.status,
            reason: self.reason,
            created_at: self.created_at,
            updated_at: self.updated_at,
            iteration: self.work.iteration,
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
    if let Some(question) = state.people.questions.first() {
        return Some(format!("an answer to question {}", question.number));
    }
    match (state.status, state.reason, state.until) {
        (Status::Waiting, Some(Reason::RateLimit), Some(until)) => {
            Some(format!("the rate limit until {until}"))
        }
        (Status::Waiting, _, Some(until)) => Some(format!("{until}")),
        (Status::Paused, _, _) => Some("a resume".to_owned()),
        _ => None,
    }
}
