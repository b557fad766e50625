//! The complete histories of a cycle, collected from the windows that its states hold.
//!
//! Fed with the state after every event, in order; fed with the same state again it changes nothing. Only a log that
//! somebody removed, or cut far back, needs them.

use std::collections::BTreeMap;

use piton_model::Timestamp;
use piton_model::cycle::{ChangeEntry, Discovery, Log, LogLine, RoleName, State, TimelineEntry};
use serde_json::Value;

/// Everything that ever was in the logs of a cycle.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Histories {
    pub changes: Vec<ChangeEntry>,
    pub markers: BTreeMap<u32, Timestamp>,
    pub documents: BTreeMap<RoleName, Vec<LogLine>>,
    pub debug: BTreeMap<RoleName, Vec<Value>>,
    pub discoveries: Vec<Discovery>,
    pub timeline: Vec<TimelineEntry>,
}

impl Histories {
    /// Takes in what a state shows.
    pub fn absorb(&mut self, state: &State) {
        take(&mut self.changes, &state.changes);
        self.markers.extend(&state.iteration_markers);
        for (role, known) in state.team() {
            take(self.documents.entry(role.name.clone()).or_default(), &known.log);
            take(self.debug.entry(role.name.clone()).or_default(), &known.debug);
        }
        take(&mut self.discoveries, &state.discoveries);
        take(&mut self.timeline, &state.timeline);
    }
}

/// Adds what is new. What was missed is missed: then a later state makes it no better.
fn take<T: Clone>(all: &mut Vec<T>, log: &Log<T>) {
    if let Some(new) = log.since(all.len() as u64) {
        all.extend(new.cloned());
    }
}
