//! The cycle, as the driver knows it.

use super::event::CycleEvent as Event;
use super::state::{Effect, State};
use super::{Command, decide};
use crate::loop_machine::Place;
use crate::machine::{Entry, Machine};
use crate::rejection::Rejection;
use crate::status::{Kind, Reason, Status};
use crate::{Epoch, Timestamp};

impl Machine for State {
    const KIND: Kind = Kind::Cycle;
    const FOLD: u32 = 3;
    type Event = Event;
    type Command = Command;
    type Effect = Effect;

    fn apply(state: Option<Self>, event: &Event, at: Timestamp) -> Option<Self> {
        super::apply(state, event, at)
    }

    fn advance(&self, command: Command, now: Timestamp) -> Result<(Vec<Event>, Self), Rejection> {
        super::advance(self, command, now)
    }

    /// An iteration that has its verdict is seen as that, also where the next one begins at once.
    fn moments(&self, events: &[Event], at: Timestamp) -> Vec<Self> {
        let (mut state, mut moments) = (self.clone(), Vec::new());
        for (index, event) in events.iter().enumerate() {
            state = Self::apply(Some(state), event, at).expect("a state stays a state");
            if matches!(event, Event::IterationConcluded { .. }) && index + 1 < events.len() {
                moments.push(state.clone());
            }
        }
        moments
    }

    fn admit(&self, request: &Event) -> Result<(), Rejection> {
        super::admit(self, request)
    }

    fn effects(&self) -> Vec<Effect> {
        self.effects()
    }

    fn begun(&self) -> Vec<Effect> {
        let attempts = self.roles.iter().filter_map(|role| role.open.clone()).map(Effect::Attempt);
        let checks = self.checking.map(Effect::Checks);
        attempts.chain(checks).chain(self.calling.clone().map(Effect::Hooks)).collect()
    }

    fn comes_first(command: &Command) -> bool {
        matches!(command, Command::Observe(_) | Command::ObserveOver { .. })
    }

    fn wants_cancel(&self, effect: &Effect) -> bool {
        match effect {
            Effect::Attempt(_) | Effect::Checks(_) => matches!(self.requests.stop, Some((true, _))),
            // Whoever stops it now is what hooks at its end are to be told of.
            Effect::Hooks(call) => call.ending.is_none() && matches!(self.requests.stop, Some((true, _))),
            Effect::Watch | Effect::Timer(_) => false,
        }
    }

    fn timer(effect: &Effect) -> Option<Timestamp> {
        match effect {
            Effect::Timer(at) => Some(*at),
            Effect::Attempt(_) | Effect::Checks(_) | Effect::Hooks(_) | Effect::Watch => None,
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
            kind: Kind::Cycle,
            title: self.title.clone(),
            status: self.status,
            reason: self.reason,
            created_at: self.created_at,
            updated_at: self.updated_at,
            iteration: self.iteration,
            waiting_for: waiting_for(self),
            fold: Self::FOLD,
        }
    }

    fn driven(&self) -> Option<Epoch> {
        self.driver.as_ref().map(|driver| driver.epoch)
    }
}

/// What a cycle waits for, in words; `None` while it does not wait.
fn waiting_for(state: &State) -> Option<String> {
    match (state.status, state.reason) {
        (Status::Waiting, Some(Reason::Blocked)) => {
            let open = state.blockers.iter().find(|blocker| blocker.status == super::BlockerStatus::Open);
            Some(open.map_or_else(|| "a resume".to_owned(), |blocker| format!("blocker {}", blocker.id)))
        }
        (Status::Waiting, _) => {
            decide::awaited_decision(state).map(|decision| format!("decision {}", decision.id))
        }
        (Status::Paused, _) => Some("a resume".to_owned()),
        _ => None,
    }
}
