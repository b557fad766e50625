//! The ledger, as the journal's readers know it. Nobody drives one: each command does its own work, see the engine.

use super::{Command, Effect, LedgerEvent, State, decide};
use crate::event::StopOrigin;
use crate::loop_machine::Place;
use crate::machine::{CheckpointName, Entry, Machine, RunEvent};
use crate::rejection::Rejection;
use crate::status::{Kind, Status};
use crate::{Epoch, Timestamp};

impl Machine for State {
    const KIND: Kind = Kind::Ledger;
    const FOLD: u32 = 4;
    type Event = LedgerEvent;
    type Command = Command;
    type Effect = Effect;

    fn apply(state: Option<Self>, event: &LedgerEvent, at: Timestamp) -> Option<Self> {
        let created_at = state.as_ref().map_or(at, |state| state.created_at);
        let state = super::apply(state, event)?;
        Some(State { created_at, updated_at: at, ..state })
    }

    fn advance(&self, command: Command, now: Timestamp) -> Result<(Vec<LedgerEvent>, Self), Rejection> {
        let events = decide(self, command, now).map_err(|error| Rejection::BadConfig(error.to_string()))?;
        let fold = |state, event| super::apply(Some(state), event).expect("a state stays a state");
        let state = events.iter().fold(self.clone(), fold);
        Ok((events, state))
    }

    fn admit(&self, _request: &LedgerEvent) -> Result<(), Rejection> {
        Err(Rejection::NotForKind { run: self.run.clone(), kind: Kind::Ledger, action: "take a request" })
    }

    fn effects(&self) -> Vec<Effect> {
        State::effects(self)
    }

    fn begun(&self) -> Vec<Effect> {
        State::effects(self)
    }

    fn comes_first(_command: &Command) -> bool {
        false
    }

    fn wants_cancel(&self, _effect: &Effect) -> bool {
        false
    }

    fn timer(_effect: &Effect) -> Option<Timestamp> {
        None
    }

    fn drive(_epoch: Epoch, _place: Place, _version: String) -> Command {
        Command::Tick
    }

    fn tick() -> Command {
        Command::Tick
    }

    /// At rest it waits for time to pass, and for nobody.
    fn entry(&self) -> Entry {
        Entry {
            run_id: self.run.clone(),
            kind: Kind::Ledger,
            title: self.file.clone(),
            status: if self.research.is_some() { Status::Running } else { Status::Waiting },
            reason: None,
            created_at: self.created_at,
            updated_at: self.updated_at,
            iteration: self.researches,
            waiting_for: self.watch.map(|until| format!("{until}")),
            fold: Self::FOLD,
        }
    }

    fn driven(&self) -> Option<Epoch> {
        None
    }
}

impl RunEvent for LedgerEvent {
    fn checkpoint_taken(named: CheckpointName) -> Self {
        let CheckpointName { seq, digest, fold } = named;
        LedgerEvent::CheckpointTaken { seq, digest, fold }
    }

    fn as_checkpoint(&self) -> Option<CheckpointName> {
        match self {
            LedgerEvent::CheckpointTaken { seq, digest, fold } => {
                Some(CheckpointName { seq: *seq, digest: digest.clone(), fold: *fold })
            }
            _ => None,
        }
    }

    /// A ledger that is stopped is not watched any more.
    fn stop_requested(_now: bool, _origin: StopOrigin) -> Self {
        LedgerEvent::WatchSet { until: None }
    }
}
